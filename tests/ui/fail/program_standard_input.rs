#[netcheck::program]
mod protocol {
    use std::io::{self, Stdin};

    pub async fn run() -> Stdin {
        let _ = tokio::io::stdin();
        io::stdin()
    }
}

fn main() {
    let _ = protocol::run();
}
