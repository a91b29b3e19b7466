#[derive(netcheck::Isolated)]
enum Job {
    Stop,
    Count(std::cell::RefCell<u32>),
}

fn main() {}
