#[derive(netcheck::Isolated)]
struct Job<'a> {
    name: &'a str,
}

fn main() {}
