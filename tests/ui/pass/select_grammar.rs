//! Everything that tokio's `select!` accepts.

#![forbid(unsafe_code)]
#![deny(warnings)]

use netcheck as tokio;

async fn one() -> u32 {
    1
}

async fn maybe(value: Option<u32>) -> Option<u32> {
    value
}

enum Message {
    Data { value: u32 },
    Stop(u32),
}

async fn message() -> Message {
    if one().await == 1 { Message::Stop(1) } else { Message::Data { value: 2 } }
}

async fn branches(open: bool) -> u32 {
    tokio::select! {
        x = one() => x,
    };
    tokio::select! {
        _ = one() => {}
    }
    tokio::select! {
        _ = one() => {},
        _ = one(), if open => {}
        _ = one(), if !open && true => (),
        else => (),
    }
    tokio::select! {
        biased;
        Some(x) = maybe(None) => x,
        Some(1..=3 | 7) = maybe(Some(2)), if open => 1,
        Message::Data { value } | Message::Stop(value) = message() => value,
        ref mut x = async { 1 } => { *x += 1; *x }
        mut x = one() => { x += 1; x }
        x @ 0..=9 = one() => x,
        &x = async { &1 } => x,
        x = if open { one() } else { one() } => match x { x => x },
        x = async { loop { break 1 } } => if open { x } else { 0 },
        else => unreachable!()
    }
}

async fn only_else() -> u32 {
    tokio::select! { biased; else => 1, }
}

async fn into_future(pending: std::future::Pending<u32>) -> u32 {
    struct Ask;
    impl IntoFuture for Ask {
        type Output = u32;
        type IntoFuture = std::future::Ready<u32>;
        fn into_future(self) -> Self::IntoFuture {
            std::future::ready(1)
        }
    }
    let mut pinned = std::pin::pin!(pending);
    tokio::select! {
        x = Ask => x,
        x = &mut pinned => x,
        x = &mut std::future::ready(1) => x,
    }
}

pub fn main() {
    drop((branches(true), only_else(), into_future(std::future::pending())));
}
