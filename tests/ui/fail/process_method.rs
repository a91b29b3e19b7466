struct Client;

impl Client {
    #[netcheck::process]
    async fn run(&self, server: String) {}

    #[netcheck::process]
    async fn pinned(self: std::pin::Pin<&mut Self>) {}

    #[netcheck::process]
    async fn finish(self) {}
}

fn main() {}
