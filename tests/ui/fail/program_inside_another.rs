#[netcheck::program]
mod protocol {
    pub struct Client;

    #[netcheck::program]
    impl Client {
        pub async fn run(&self) {}
    }
}

fn main() {
    let _ = protocol::Client.run();
}
