#[derive(netcheck::Isolated)]
union Both {
    a: u32,
    b: f32,
}

fn main() {}
