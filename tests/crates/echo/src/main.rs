//! Serves for real: `cargo run -p echo`, then `nc -u 127.0.0.1 4000`.

#[cfg(any(test, feature = "netcheck"))]
extern crate netcheck as tokio;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    println!("serving on port 4000");
    echo::serve(4000).await
}

#[cfg(all(test, feature = "netcheck"))]
mod tests {
    #[netcheck::model_check]
    fn the_program_answers(net: &mut netcheck::Network) {
        net.daemon("server", super::main);
        net.process("client", || async { echo::ask("server:4000", b"ask").await.unwrap() }).after("server");
        net.finally(|end| end.value::<Vec<u8>>("client").is_some_and(|answer| answer == b"ask"));
    }
}
