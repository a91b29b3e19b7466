#[netcheck::program]
mod protocol {
    use std::fs::File;
    use tokio::fs;

    pub async fn run() {
        let _ = File::open("table");
        let _ = std::fs::read("table");
        let _ = fs::read("table").await;
    }
}

fn main() {
    let _ = protocol::run();
}
