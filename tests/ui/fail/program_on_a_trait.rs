#[netcheck::program]
trait Client {
    fn run(&self) {}
}

impl Client for u8 {}

fn main() {
    0.run();
}
