//! What `#[process]` may stand on.

mod borrows {
    #[netcheck::process]
    async fn client(server: &str, config: &mut Config, packets: Vec<&[u8]>) {}

    struct Config;
}

mod impl_trait {
    #[netcheck::process]
    async fn client(answer: impl Fn(u32) -> u32 + Clone) -> impl Clone {
        answer(1)
    }
}

mod lifetime {
    #[netcheck::process]
    async fn client<'a>(server: &'a str) -> &'a str {
        server
    }
}

mod not_async {
    #[netcheck::process]
    fn client(server: String) {}
}

mod on_a_struct {
    #[netcheck::process]
    struct Client;
}

mod too_many_arguments {
    #[netcheck::process]
    async fn sum(a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8, h: u8, i: u8, j: u8, k: u8, l: u8, m: u8) -> u8 {
        a + b + c + d + e + f + g + h + i + j + k + l + m
    }
}

fn main() {}
