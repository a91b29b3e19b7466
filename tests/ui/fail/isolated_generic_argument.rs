#[derive(Clone, Debug, netcheck::Isolated)]
struct Job<T>(T);

#[netcheck::process]
async fn client(job: Job<std::sync::Arc<std::sync::Mutex<u32>>>) {
    drop(job);
}

fn main() {}
