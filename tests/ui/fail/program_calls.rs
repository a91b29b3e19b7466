//! What can't be modelled, with what to write instead.

mod blocking {
    #[netcheck::program]
    mod protocol {
        use tokio::task;

        pub async fn run() -> u32 {
            let sum = task::spawn_blocking(|| 1 + 1).await.unwrap();
            sum + tokio::task::block_in_place(|| 1)
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod files {
    #[netcheck::program]
    mod protocol {
        use std::os::unix::fs::symlink;

        pub async fn run() {
            let _ = symlink("table", "link");
            let _ = std::os::unix::fs::chown("table", None, None);
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod name_lookup {
    #[netcheck::program]
    mod protocol {
        use std::net::ToSocketAddrs;

        pub async fn run(server: impl ToSocketAddrs) -> usize {
            server.to_socket_addrs().unwrap().count()
        }
    }

    pub fn main() {
        let _ = protocol::run("server:4000");
    }
}

mod other_programs {
    #[netcheck::program]
    mod protocol {
        pub async fn run() {
            let _ = tokio::process::Command::new("server").spawn();
            let _ = std::process::Command::new("server").spawn();
            std::process::exit(1);
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod sleep_outside_async {
    #[netcheck::program]
    mod protocol {
        use std::thread;
        use std::time::Duration;

        fn back_off() {
            thread::sleep(Duration::from_secs(1));
        }

        pub async fn run() {
            back_off();
            let wait = || std::thread::sleep(Duration::from_secs(1));
            wait();
            Some(Duration::from_secs(1)).map(thread::sleep);
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod sockets {
    #[netcheck::program]
    mod protocol {
        use std::net::{SocketAddr, TcpListener};

        pub struct Server {
            socket: std::net::UdpSocket,
        }

        pub async fn run(at: SocketAddr) -> Server {
            let _ = TcpListener::bind(at);
            let _ = std::net::TcpStream::connect(at);
            Server { socket: std::net::UdpSocket::bind(at).unwrap() }
        }
    }

    pub fn main() {
        let _ = protocol::run("127.0.0.1:1".parse().unwrap());
    }
}

mod standard_input {
    #[netcheck::program]
    mod protocol {
        use std::io::{self, Stdin};

        pub async fn run() -> Stdin {
            let _ = tokio::io::stdin();
            io::stdin()
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod thread {
    #[netcheck::program]
    mod protocol {
        pub async fn run() {
            std::thread::spawn(|| ()).join().unwrap();
            ::std::thread::scope(|_| ());
            let _ = std::thread::Builder::new();
            std::thread::park();
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod thread_imported {
    #[netcheck::program]
    mod protocol {
        use std::thread::{self, Builder};
        use thread::spawn;

        pub async fn run() {
            spawn(|| ()).join().unwrap();
            Builder::new().spawn(thread::park).unwrap();
            thread::spawn(|| ());
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod unix_sockets {
    #[netcheck::program]
    mod protocol {
        use tokio::net::UnixStream;
        use tokio::net::unix::pipe;

        pub async fn run() {
            let _ = UnixStream::connect("/tmp/socket").await;
            let _ = pipe::pipe();
            let _ = std::os::unix::net::UnixStream::connect("/tmp/socket");
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

fn main() {}
