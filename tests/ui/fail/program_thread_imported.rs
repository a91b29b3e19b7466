#[netcheck::program]
mod protocol {
    use std::thread::{self, Builder};
    use thread::spawn;

    pub async fn run() {
        spawn(|| ()).join().unwrap();
        Builder::new().spawn(thread::park).unwrap();
        thread::spawn(|| ());
    }
}

fn main() {
    let _ = protocol::run();
}
