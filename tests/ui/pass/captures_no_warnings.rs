//! The expansion warns of nothing.

#![deny(warnings)]
#![deny(unused, unused_qualifications, unused_results, unused_lifetimes)]

#[netcheck::process]
pub async fn client(names: Vec<String>) -> u32 {
    let mut count = 0;
    for name in &names {
        count += ask(name).await;
    }
    while count < 3 {
        count += 1;
        ask("").await;
    }
    loop {
        if ask("").await > 0 {
            break;
        }
    }
    plain();
    count
}

#[netcheck::process]
pub async fn without_awaits() -> u32 {
    let mut count = 0;
    while count < 3 {
        count += 1;
    }
    count
}

fn plain() {}

async fn ask(name: &str) -> u32 {
    name.len() as u32
}

pub fn main() {
    let _ = (client(Vec::new()), without_awaits());
}
