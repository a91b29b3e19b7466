#[netcheck::program(udp(loss))]
mod protocol {
    use std::process;
    use std::time::Duration;

    pub async fn run() {
        let _ = process::Command::new("table");
        std::thread::spawn(|| std::thread::sleep(Duration::from_secs(1)));
        let _ = std::io::stdin();
    }
}

fn main() {
    let _ = protocol::run();
}
