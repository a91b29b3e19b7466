//! What `#[tokio::main]` stands on in programs.

#![allow(dead_code)]

use netcheck as tokio;
use std::error::Error;

mod threads {
    use super::tokio;

    #[tokio::main(worker_threads = 2)]
    async fn main() -> Result<(), Box<dyn super::Error>> {
        let port: u16 = std::env::var("PORT")?.parse()?;
        super::serve(port).await;
        if port == 0 {
            return Ok(());
        }
        Ok(())
    }
}

mod exit {
    use super::tokio;

    #[tokio::main(flavor = "current_thread", start_paused = true)]
    async fn main() -> std::process::ExitCode {
        super::serve(1).await;
        std::process::ExitCode::SUCCESS
    }
}

mod forever {
    use super::tokio;

    #[tokio::main]
    async fn main() -> ! {
        loop {
            super::serve(1).await;
        }
    }
}

struct Server(u16);

impl Server {
    #[tokio::main(flavor = "local", crate = "tokio")]
    async fn run(&mut self, (more, name): (u16, &str)) -> impl Iterator<Item = u16> {
        serve(self.0 + more).await;
        name.bytes().map(u16::from).collect::<Vec<_>>().into_iter()
    }
}

#[tokio::main]
async fn generic<T: Into<u16>>(port: T) {
    serve(port.into()).await;
}

async fn serve(_port: u16) {}

pub fn main() {}
