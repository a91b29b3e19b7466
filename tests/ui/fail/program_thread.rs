#[netcheck::program]
mod protocol {
    pub async fn run() {
        std::thread::spawn(|| ()).join().unwrap();
        ::std::thread::scope(|_| ());
        let _ = std::thread::Builder::new();
        std::thread::park();
    }
}

fn main() {
    let _ = protocol::run();
}
