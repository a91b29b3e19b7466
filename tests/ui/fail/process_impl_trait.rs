#[netcheck::process]
async fn client(answer: impl Fn(u32) -> u32 + Clone) -> impl Clone {
    answer(1)
}

fn main() {}
