//! must-mc: each execution once, up to the order of independent messages. Whoever waits for ever is blocked, which
//! stands for the consumers' time-outs and the end of the servers.

use crate::figures::{Counts, Figures, Verdict, end_after};
use crate::system::System;
use must::{Config, CountingObserver, Ctx, Model, explore};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub fn run(system: System, limit: Duration) -> Figures {
    let counter = Arc::new(CountingObserver::with_shards(1));
    let counted = Arc::clone(&counter);
    end_after(limit, move || counts(&counted));
    let start = Instant::now();
    explore(|| processes(system), counter.as_ref(), Config::default());
    let verdict = if counter.errors() == 0 { Verdict::Holds } else { Verdict::Violated };
    Figures::of_this_process(verdict, counts(&counter), start)
}

fn counts(counter: &CountingObserver) -> Counts {
    Counts { executions: Some(counter.terminal() as u64), ..Counts::default() }
}

fn processes(system: System) -> must::System {
    let System { connections, requests, loss } = system;
    let mut processes = must::System::new();
    for connection in 0..usize::from(connections) {
        let (server, consumer) = (3 * connection + 1, 3 * connection + 2);
        processes.add(move |context: Ctx| async move {
            for request in 0..requests {
                send(&context, server, &request.to_string(), loss).await;
            }
        });
        processes.add(move |context: Ctx| async move {
            loop {
                let digit = context.recv(|_| true).await;
                send(&context, consumer, &digit, loss).await;
            }
        });
        processes.add(move |context: Ctx| async move {
            for _ in 0..requests {
                context.recv(|_| true).await;
            }
        });
    }
    processes
}

async fn send(context: &Ctx, to: usize, value: &str, loss: bool) {
    if loss && context.nondet(["arrives", "lost"]).await == "lost" {
        return;
    }
    context.send(to, value, Model::P2p);
}
