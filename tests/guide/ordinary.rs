use netcheck as tokio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[tokio::test]
async fn a_greeting_is_answered() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.write_all(b"hello").await;
    });
    let mut greeting = String::new();
    TcpStream::connect(address).await?.read_to_string(&mut greeting).await?;
    assert_eq!(greeting, "hello");
    Ok(())
}
