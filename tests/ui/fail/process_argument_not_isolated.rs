//! The type could derive `Isolated`.

#[netcheck::process]
async fn client(job: Job) -> u32 {
    job.0
}

#[derive(Clone)]
struct Job(u32);

fn main() {}
