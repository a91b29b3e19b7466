//! An impl block sees its own paths.

pub struct Client<T> {
    socket: netcheck::net::UdpSocket,
    received: Vec<T>,
}

#[netcheck::program]
impl<T: From<u8>> Client<T> {
    pub async fn new(address: &str) -> tokio::io::Result<Self> {
        Ok(Self { socket: tokio::net::UdpSocket::bind(address).await?, received: Vec::new() })
    }

    pub async fn run(&mut self) -> tokio::io::Result<std::time::Instant> {
        let mut buffer = [0];
        while self.received.len() < 3 {
            self.socket.recv(&mut buffer).await?;
            std::thread::sleep(std::time::Duration::from_secs(1));
            self.received.push(buffer[0].into());
        }
        Ok(std::time::Instant::now())
    }
}

#[netcheck::program]
impl<T> Iterator for Client<T> {
    type Item = <Vec<T> as std::iter::IntoIterator>::Item;

    fn next(&mut self) -> std::option::Option<Self::Item> {
        self.received.pop()
    }
}

async fn run() -> Option<u32> {
    let mut client = Client::<u32>::new("0.0.0.0:1").await.unwrap();
    client.run().await.unwrap();
    client.next()
}

pub fn main() {
    let _ = run();
}
