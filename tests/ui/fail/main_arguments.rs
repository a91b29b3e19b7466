#[netcheck::main(flavor = "multi_thread", start_paused = true, threads = 2)]
async fn main() {}
