async fn run() {
    netcheck::select! {}
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
