#[netcheck::process]
async fn client(server: &str, config: &mut Config, packets: Vec<&[u8]>) {}

struct Config;

fn main() {}
