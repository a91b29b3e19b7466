#[netcheck::process]
async fn client<T>(value: T) -> T {
    value
}

fn main() {}
