//! A stream moves into a process as an argument of its own only.

#[netcheck::process]
async fn worker(stream: Option<Stream>) {
    drop(stream);
}

/// As netcheck's streams: not `Clone`.
struct Stream;

impl netcheck::Isolated for Stream {}

impl netcheck::__private::Handle for Stream {
    fn duplicate(&self) -> Self {
        Stream
    }
}

fn main() {}
