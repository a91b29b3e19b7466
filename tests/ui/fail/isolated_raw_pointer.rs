#[derive(netcheck::Isolated)]
struct Node {
    next: *const Node,
}

fn main() {}
