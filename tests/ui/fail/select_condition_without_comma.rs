async fn run() {
    let open = true;
    netcheck::select! {
        _ = one() if open => {}
    }
}

async fn one() -> u32 {
    1
}

fn main() {
    let _ = (run(), one());
}
