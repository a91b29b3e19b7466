#[netcheck::process(capture = false)]
async fn client(server: String) {}

fn main() {}
