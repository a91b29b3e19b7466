use netcheck as tokio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

async fn server() {
    let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut request = [0; 5];
    stream.read_exact(&mut request).await.unwrap();
    stream.write_all(b"done").await.unwrap();
}

async fn client() {
    let mut stream = TcpStream::connect("server:80").await.unwrap();
    // `write` may take less than it is given; `write_all` would not.
    let written = stream.write(b"apply").await.unwrap();
    println!("the client has written {written} bytes");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
}

#[netcheck::model_check(tcp(split))]
#[ignore = "run in a child: it fails"]
fn the_answer_comes(net: &mut netcheck::Network) {
    net.process("server", server);
    net.process("client", client).after("server");
}
