#[netcheck::process]
async fn client(job: Job) -> u32 {
    job.0
}

#[derive(netcheck::Isolated)]
struct Job(u32);

fn main() {}
