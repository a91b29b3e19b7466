async fn run() {
    netcheck::select! {
        _ = one(), if 1 => {}
    }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
