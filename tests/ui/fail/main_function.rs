#[netcheck::main]
fn main() {}

mod other {
    #[netcheck::main]
    async fn main(port: u16) {}
}
