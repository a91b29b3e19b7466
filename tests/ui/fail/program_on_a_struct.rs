#[netcheck::program]
struct Client;

fn main() {
    let _ = Client;
}
