//! Functions, types and macros inside of a process are their own business.

#[netcheck::process]
async fn client(max: u32) -> u32 {
    struct Count(u32);

    impl Count {
        async fn up(&mut self) {
            loop {
                self.0 += 1;
                if self.0 > 1 {
                    return;
                }
                rest().await;
            }
        }
    }

    async fn rest() {
        for _ in 0..2 {
            std::future::ready(()).await;
        }
    }

    macro_rules! wait {
        ($times:expr) => {
            for _ in 0..$times {
                rest().await;
            }
        };
    }

    let mut count = Count(0);
    while count.0 < max {
        count.up().await;
        wait!(2);
    }
    count.0
}

pub fn main() {
    let _ = client(3);
}
