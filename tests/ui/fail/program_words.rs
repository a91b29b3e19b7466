#[netcheck::program(capture = false)]
mod protocol {
    pub async fn run() {}
}

fn main() {
    let _ = protocol::run();
}
