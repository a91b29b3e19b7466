async fn run() {
    netcheck::select! { biased; }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
