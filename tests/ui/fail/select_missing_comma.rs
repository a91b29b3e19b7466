async fn run() {
    netcheck::select! {
        x = one() => drop(x)
        _ = one() => {}
    }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
