#[netcheck::test]
fn not_async() {}

#[netcheck::test]
async fn parameters(port: u16) {}

#[netcheck::test]
async fn generic<T>() {}

#[netcheck::test]
#[test]
async fn twice() {}

#[netcheck::test]
struct Server;

fn main() {}
