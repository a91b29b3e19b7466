//! What can't be derived.

mod borrow {
    #[derive(netcheck::Isolated)]
    struct Job<'a> {
        name: &'a str,
    }
}

mod union {
    #[derive(netcheck::Isolated)]
    union Both {
        a: u32,
        b: f32,
    }
}

fn main() {}
