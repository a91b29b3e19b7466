#[netcheck::process]
async fn client() -> Job {
    Job(1)
}

#[derive(Clone, netcheck::Isolated)]
struct Job(u32);

fn main() {}
