#[netcheck::program]
mod protocol {
    use std::thread;
    use std::time::Duration;

    fn back_off() {
        thread::sleep(Duration::from_secs(1));
    }

    pub async fn run() {
        back_off();
        let wait = || std::thread::sleep(Duration::from_secs(1));
        wait();
        Some(Duration::from_secs(1)).map(thread::sleep);
    }
}

fn main() {
    let _ = protocol::run();
}
