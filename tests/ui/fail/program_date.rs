#[netcheck::program]
mod protocol {
    use std::time::{Instant, SystemTime};

    pub async fn run() -> (Instant, SystemTime) {
        let _ = std::time::SystemTime::now();
        (Instant::now(), SystemTime::now())
    }
}

fn main() {
    let _ = protocol::run();
}
