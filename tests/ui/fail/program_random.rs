// Stands in for the crate.
extern crate self as rand;

pub struct Rng;

pub fn random() -> u8 {
    4
}

pub fn rng() -> Rng {
    Rng
}

pub fn thread_rng() -> Rng {
    Rng
}

#[netcheck::program]
mod protocol {
    use rand::Rng;

    pub async fn run() -> [Rng; 2] {
        println!("{}", rand::random());
        [rand::rng(), rand::thread_rng()]
    }
}

fn main() {
    let _ = protocol::run();
}
