async fn run() {
    netcheck::select! {
        x = one(),
    }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
