//! Structs, enums, generics, recursion.

use netcheck::Isolated;

#[derive(Isolated)]
struct Unit;

#[derive(Isolated)]
struct Pair(u32, String);

#[derive(Isolated)]
#[allow(dead_code)]
struct Named<T> {
    r#type: Vec<T>,
    visitor: Option<Box<Named<T>>>,
}

#[derive(Isolated)]
enum Never {}

#[derive(Isolated)]
#[allow(dead_code)]
enum Job<T: Clone, const N: usize = 2>
where
    T: Send,
{
    Stop,
    Send(&'static str, [T; N]),
    Retry { after: std::time::Duration, pair: Pair },
}

fn demand<T: Isolated>() {}

pub fn main() {
    demand::<Unit>();
    demand::<Pair>();
    demand::<Named<u8>>();
    demand::<Never>();
    demand::<Job<u8, 3>>();
}
