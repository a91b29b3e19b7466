async fn run() {
    netcheck::select! {
        Some(x) = one() => drop(x),
    }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
