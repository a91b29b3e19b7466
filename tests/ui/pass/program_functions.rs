//! Async functions stay what they are: they borrow, are generic, are methods, and need not be `Send`.

#[netcheck::program]
mod protocol {
    use std::cell::Cell;
    use std::collections::HashSet;
    use std::rc::Rc;
    use std::thread;
    use std::time::{Duration, Instant};

    pub trait Transport {
        fn name(&self) -> &str;
        async fn wait(&mut self, times: u32) -> Duration {
            let begun = Instant::now();
            for _ in 0..times {
                thread::sleep(Duration::from_secs(1));
            }
            begun.elapsed()
        }
    }

    pub struct Named<'a, T>(pub &'a str, pub T);

    impl<T: std::fmt::Display> Transport for Named<'_, T> {
        fn name(&self) -> &str {
            self.0
        }
    }

    impl<'a, T> Named<'a, T> {
        pub async fn longest<'b>(&'b self, others: &'b [&'a str]) -> &'b str {
            let mut longest = self.0;
            for other in others {
                tokio::task::yield_now().await;
                if other.len() > longest.len() {
                    longest = other;
                }
            }
            longest
        }
    }

    pub async fn shared(cell: Rc<Cell<u32>>, mut seen: HashSet<u32>) -> impl Sized {
        while seen.insert(cell.get()) {
            tokio::task::yield_now().await;
            cell.set(cell.get() / 2);
        }
        async move { thread::sleep(Duration::from_secs(1)) }.await;
        async fn inner(duration: Duration) {
            thread::sleep(duration);
        }
        inner(Duration::ZERO).await;
        seen
    }

    #[netcheck::process]
    pub async fn process(id: u32) -> u32 {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if id > 0 {
                return id;
            }
        }
    }
}

async fn all() {
    use protocol::Transport;
    let mut named = protocol::Named("a", 1);
    let _ = (named.wait(1).await, named.longest(&["b"]).await, named.name());
    protocol::shared(Default::default(), Default::default()).await;
    let _: netcheck::Process<u32> = protocol::process(1);
}

pub fn main() {
    let _ = all();
}
