async fn run() {
    netcheck::select! {
        one() => {}
    }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
