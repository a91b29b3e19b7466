//! What does not parse is for rustc to judge.

#[netcheck::process]
async fn client() {
    loop {
        let = ask().await;
    }
}

async fn ask() {}

fn main() {}
