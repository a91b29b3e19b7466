//! Every word of `tcp`, at least once.

use netcheck::io::{self, AsyncReadExt, AsyncWriteExt};
use netcheck::net::{TcpListener, TcpStream};

async fn serve() -> io::Result<usize> {
    let listener = TcpListener::bind("0.0.0.0:80").await?;
    let (mut stream, _) = listener.accept().await?;
    stream.read(&mut [0; 4]).await
}

async fn ask() -> io::Result<()> {
    let mut stream = TcpStream::connect("server:80").await?;
    stream.write_all(b"ab").await?;
    stream.shutdown().await
}

fn pair(net: &mut netcheck::Network) {
    net.process("server", || async { serve().await.map_err(|error| error.kind()) });
    net.process("client", || async { ask().await.map_err(|error| error.kind()) }).after("server");
}

#[netcheck::model_check(
    tcp(open, close, read, write, reset, hang, transient, split, buffer = 1, process = "server", side = server, first = 2)
)]
fn one_process(net: &mut netcheck::Network) {
    pair(net);
}

#[netcheck::model_check(tcp(read, processes = ["client", "server"], side = server, first = 1), at_most = 1)]
fn processes(net: &mut netcheck::Network) {
    pair(net);
}

#[netcheck::model_check(tcp(hang), expect = deadlock)]
fn nobody_gives_up(net: &mut netcheck::Network) {
    net.process("server", || async { TcpListener::bind("0.0.0.0:80").await.map(|_| ()).map_err(|error| error.kind()) });
    net.process("client", || async { ask().await.map_err(|error| error.kind()) }).after("server");
}

#[netcheck::model_check(tcp(split, buffer = 4_096))]
fn no_failure(net: &mut netcheck::Network) {
    pair(net);
}

#[netcheck::model_check(udp(loss), tcp(write,), at_most = 1)]
fn with_udp(net: &mut netcheck::Network) {
    pair(net);
}

macro_rules! checks {
    ($($name:ident: $bytes:literal, $process:expr, $side:ident, $first:expr;)*) => {
        $(
            #[netcheck::model_check(tcp(read, buffer = $bytes, process = $process, side = $side, first = $first))]
            fn $name(net: &mut netcheck::Network) {
                pair(net);
            }
        )*
    };
}

checks! {
    from_a_macro: 4, "client", client, 2;
}

pub fn main() {}
