#[netcheck::process]
async fn client<'a>(server: &'a str) -> &'a str {
    server
}

fn main() {}
