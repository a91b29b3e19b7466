//! The compiler's own errors stand at the user's code.

#[netcheck::process]
async fn client(name: String) {
    loop {
        tell(name).await;
    }
}

#[netcheck::process]
async fn other(mut count: u32) -> u32 {
    while count {
        count = tell(String::new()).await;
    }
    for _ in count {
        missing().await;
    }
    count
}

async fn tell(name: String) {
    drop(name);
}

fn main() {}
