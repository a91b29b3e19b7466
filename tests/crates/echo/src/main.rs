//! Serves for real: `cargo run -p echo`, then `nc -u 127.0.0.1 4000`.

#[cfg(any(test, feature = "netcheck"))]
extern crate netcheck as tokio;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(4000);
    println!("serving on port {port}");
    echo::serve(port).await
}

#[cfg(all(test, feature = "netcheck"))]
mod tests {
    #[netcheck::model_check]
    fn the_program_answers(net: &mut netcheck::Network) {
        net.daemon("server", super::main).args(["4001"]);
        net.process("client", || async { echo::ask("server:4001", b"ask").await.unwrap() }).after("server");
        net.finally(|end| end.value::<Vec<u8>>("client").is_some_and(|answer| answer == b"ask"));
    }
}
