//! Types that the body of a loop, or what follows it, says.

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct NoHash;

#[netcheck::process]
async fn client() -> usize {
    let mut all = Vec::new();
    let mut found = None;
    let mut sum = Default::default();
    let mut ratio = 0.5;
    let mut seen = std::collections::BTreeMap::new();
    loop {
        let next = ask().await;
        if all.len() > 2 {
            break;
        }
        all.push(next);
        found = found.or(Some(next));
        sum = add(sum, 1).await;
        ratio = ratio * 2.0 + 1.0;
        seen.insert(sum, next);
    }
    let mut last: Option<Result<_, NoHash>> = None;
    let mut parsed = "1".parse().unwrap_or_default();
    while last.is_none() {
        last = Some(Ok(all.len()));
        parsed = parsed + 1;
        ask().await;
    }
    let parsed: u64 = parsed;
    assert_eq!(found, Some(NoHash));
    last.unwrap().unwrap() + ratio as usize + parsed as usize
}

async fn ask() -> NoHash {
    NoHash
}

async fn add(sum: u64, more: u64) -> u64 {
    sum + more
}

pub fn main() {
    let _ = client();
}
