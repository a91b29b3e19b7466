//! No, one and several arguments; patterns; `mut`; borrows that live for ever.

use netcheck::{Process, process};

#[process]
async fn nothing() {}

#[process]
async fn one(server: String) -> usize {
    server.len()
}

/// Documented.
#[process]
pub async fn patterns(mut server: String, (first, second): (u32, u32), _: bool) -> Result<u32, String> {
    server.push('!');
    let sum = first.checked_add(second).ok_or(server)?;
    Ok(sum)
}

#[process]
async fn forever(name: &'static str) -> &'static str {
    name
}

pub fn main() {
    let _: Process<()> = nothing();
    let _: Process<usize> = one("server".to_owned());
    let _: Process<Result<u32, String>> = patterns("server".to_owned(), (1, 2), true);
    let _: Process<&'static str> = forever("name");
}
