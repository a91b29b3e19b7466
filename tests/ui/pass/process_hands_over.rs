//! What has one owner moves into the process; it is no `Clone`, and its owner has it no more.

use netcheck::{Process, process};

/// As netcheck's streams.
struct Stream(u32);

impl netcheck::Isolated for Stream {}

impl netcheck::__private::Handle for Stream {
    fn duplicate(&self) -> Self {
        Stream(self.0)
    }
}

type Alias = Stream;

#[process]
async fn one(stream: Stream) -> u32 {
    stream.0
}

#[process]
async fn several<T: netcheck::Isolated + Clone + Send + Sync + 'static>(
    mut first: Stream,
    name: String,
    Stream(second): Alias,
    _value: T,
) -> u32 {
    first.0 += second;
    drop(name);
    first.0
}

pub fn main() {
    let _: Process<u32> = one(Stream(1));
    let _: Process<u32> = several(Stream(1), "name".to_owned(), Stream(2), [3]);
}
