//! A server that adds one, and how it is asked.

use runtime::io::{AsyncReadExt, AsyncWriteExt};
use runtime::net::{TcpListener, TcpStream};
use std::io;

/// Answers each connection with one more than it sends.
pub async fn serve() -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        if let Ok(number) = stream.read_u8().await {
            _ = stream.write_u8(number + 1).await;
        }
    }
}

/// Asks for one more.
pub async fn ask(number: u8) -> io::Result<u8> {
    let mut stream = TcpStream::connect("server:80").await?;
    stream.write_u8(number).await?;
    stream.read_u8().await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    #[netcheck::model_check(whole)]
    #[netcheck::model_check(whole, tcp(read, reset), at_most = 1, name = one_failure)]
    fn one_more_is_answered(net: &mut netcheck::Network) {
        net.daemon("server", super::serve);
        let asks = || async {
            if let Ok(number) = super::ask(4).await {
                assert_eq!(number, 5);
            }
        };
        net.process("client", asks).after("server");
    }

    #[runtime::test(crate = "runtime")]
    async fn a_day_is_over_at_once_in_a_check() {
        runtime::time::timeout(Duration::from_millis(1), runtime::time::sleep(Duration::from_secs(86_400)))
            .await
            .expect_err("a day is longer");
    }
}
