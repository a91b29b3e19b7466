//! A process may be an associated function, and may call itself and others.

struct Client;

impl Client {
    #[netcheck::process]
    pub(crate) async fn run(server: String, times: u32) -> u32 {
        if times == 0 {
            return 0;
        }
        Box::pin(Client::run(server, times - 1)).await + 1
    }
}

pub fn main() {
    let _ = Client::run("server".to_owned(), 3);
}
