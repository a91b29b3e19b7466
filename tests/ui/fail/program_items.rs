//! Where `#[program]` may stand, and paths that it cannot follow.

mod globs {
    #[netcheck::program]
    mod protocol {
        use std::net::*;
        use std::thread;

        pub mod inner {
            use super::*;

            pub async fn run() {
                let _ = UdpSocket::bind("0.0.0.0:4000");
                thread::spawn(|| ());
            }
        }

        pub async fn run() {
            use std::thread::*;
            spawn(|| ());
        }
    }

    pub fn main() {
        let _ = (protocol::run(), protocol::inner::run());
    }
}

mod impl_block {
    pub struct Client {
        table: Vec<u8>,
    }

    #[netcheck::program]
    impl Client {
        pub async fn load(&mut self) {
            self.table = std::process::Command::new("table").output().unwrap().stdout;
        }
    }

    pub fn main() {
        let _ = Client { table: Vec::new() }.load();
    }
}

mod in_a_macro {
    #[netcheck::program]
    mod protocol {
        macro_rules! read {
            ($name:expr) => {
                std::process::Command::new($name).output()
            };
        }

        pub async fn run() {
            let _ = read!("table");
            println!("{:?}", std::io::stdin());
            tokio::select! {
                _ = tokio::task::spawn_blocking(|| ()) => { std::thread::park() }
                _ = async {}, if std::process::Command::new("table").output().is_ok() => {}
            }
            assert!(matches!(std::net::UdpSocket::bind("localhost:1"), Ok(_) | Err(_)));
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod inside_another {
    #[netcheck::program]
    mod protocol {
        pub struct Client;

        #[netcheck::program]
        impl Client {
            pub async fn run(&self) {}
        }
    }

    pub fn main() {
        let _ = protocol::Client.run();
    }
}

mod on_a_function {
    #[netcheck::program]
    pub async fn run() {}

    pub fn main() {
        let _ = run();
    }
}

mod on_a_struct {
    #[netcheck::program]
    struct Client;

    pub fn main() {
        let _ = Client;
    }
}

mod on_a_trait {
    #[netcheck::program]
    trait Client {
        fn run(&self) {}
    }

    impl Client for u8 {}

    pub fn main() {
        0.run();
    }
}

mod renamed {
    #[netcheck::program]
    mod protocol {
        use std as s;
        use std::{process as processes, thread as t};
        use tokio as async_io;

        pub async fn run() {
            t::spawn(|| ());
            let _ = processes::Command::new("table");
            let _ = s::process::Command::new("table");
            async_io::task::block_in_place(|| ());
        }
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

mod words {
    #[netcheck::program(capture = false)]
    mod protocol {
        pub async fn run() {}
    }

    pub fn main() {
        let _ = protocol::run();
    }
}

fn main() {}
