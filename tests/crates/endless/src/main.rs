//! Serves lines for real: `cargo run -p endless -- 127.0.0.1:4000`, then `nc 127.0.0.1 4000`.

use endless::tcp_lines::serve;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:4000".to_owned());
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    serve(listener).await
}
