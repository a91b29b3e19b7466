//! Three users of two connections for real: `cargo run -p pool`.

use pool::{Pool, serve};
use std::sync::Arc;
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let pool = Arc::new(Pool::new(listener.local_addr()?.to_string(), 2));
    tokio::spawn(serve(listener));
    let ask = |user: u8| {
        let pool = Arc::clone(&pool);
        tokio::spawn(async move { pool.ask(&[b'a' + user]).await })
    };
    for user in [0, 1, 2].map(ask) {
        println!("{:?}", user.await.expect("no panic")?);
    }
    Ok(())
}
