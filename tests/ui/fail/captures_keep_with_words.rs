#[netcheck::process]
async fn client() {
    #[netcheck::keep(count)]
    loop {
        ask().await;
    }
}

async fn ask() {}

fn main() {}
