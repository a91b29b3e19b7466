#[netcheck::program]
pub async fn run() {}

fn main() {
    let _ = run();
}
