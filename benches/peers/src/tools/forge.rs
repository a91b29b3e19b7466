//! traceforge: each execution once, up to the order of independent messages, with loss of its own. Whoever waits for
//! ever is blocked, which stands for the consumers' time-outs and the end of the servers.

use crate::figures::{Counts, Figures, Verdict, end_after};
use crate::system::System;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use traceforge::thread::{self, ThreadId};
use traceforge::{Config, ConsType, recv_msg_block, send_lossy_msg, verify};

static EXECUTIONS: AtomicU64 = AtomicU64::new(0);

pub fn run(system: System, limit: Duration) -> Figures {
    end_after(limit, || counts(EXECUTIONS.load(Ordering::Relaxed)));
    let budget = if system.loss { usize::MAX } else { 0 };
    let config = Config::builder()
        .with_cons_type(ConsType::FIFO)
        .with_lossy(budget)
        .with_progress_report(usize::MAX)
        .with_thread_threshold(u32::MAX)
        .build();
    let start = Instant::now();
    let stats = verify(config, move || {
        EXECUTIONS.fetch_add(1, Ordering::Relaxed);
        sessions(system);
    });
    Figures::of_this_process(Verdict::Holds, counts((stats.execs + stats.block) as u64), start)
}

fn counts(executions: u64) -> Counts {
    Counts { executions: Some(executions), ..Counts::default() }
}

fn sessions(system: System) {
    let System { connections, requests, .. } = system;
    for _ in 0..connections {
        let consumer = thread::spawn(move || (0..requests).for_each(|_| _ = recv_msg_block::<u8>()));
        let consumer = consumer.thread().id();
        let server = thread::spawn(move || serve(consumer));
        let server = server.thread().id();
        thread::spawn(move || (0..requests).for_each(|request| send_lossy_msg(server, request)));
    }
}

fn serve(consumer: ThreadId) {
    loop {
        let digit: u8 = recv_msg_block();
        send_lossy_msg(consumer, digit);
    }
}
