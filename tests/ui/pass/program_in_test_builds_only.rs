//! Without the attribute, which is how it is shipped, a program is one on tokio.

#[cfg_attr(any(), netcheck::program)]
mod protocol {
    pub async fn run() -> tokio::io::Result<tokio::net::TcpStream> {
        std::thread::yield_now();
        tokio::net::TcpStream::connect("localhost:80").await
    }
}

#[cfg_attr(all(), netcheck::program)]
mod checked {
    pub async fn run() -> tokio::io::Result<tokio::net::TcpStream> {
        std::thread::yield_now();
        tokio::net::TcpStream::connect("localhost:80").await
    }
}

async fn both() -> (tokio::io::Result<tokio::net::TcpStream>, netcheck::io::Result<netcheck::net::TcpStream>) {
    (protocol::run().await, checked::run().await)
}

pub fn main() {
    let _ = both();
}
