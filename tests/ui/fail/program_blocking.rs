#[netcheck::program]
mod protocol {
    use tokio::task;

    pub async fn run() -> u32 {
        let sum = task::spawn_blocking(|| 1 + 1).await.unwrap();
        sum + tokio::task::block_in_place(|| 1)
    }
}

fn main() {
    let _ = protocol::run();
}
