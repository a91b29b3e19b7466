//! Passes connections on for real: `cargo run -p proxy -- 127.0.0.1:4000 127.0.0.1:5000`.

use proxy::{Version, proxy};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:4000".to_owned());
    let upstream = arguments.next().unwrap_or_else(|| "127.0.0.1:5000".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    proxy(listener, upstream, Version::Corrected).await
}
