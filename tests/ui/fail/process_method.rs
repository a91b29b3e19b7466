struct Client;

impl Client {
    #[netcheck::process]
    async fn run(&self, server: String) {}

    #[netcheck::process]
    async fn finish(self) {}
}

fn main() {}
