//! Borrows that live across the head of a loop.

#[netcheck::process]
async fn client(names: Vec<String>, text: String) -> usize {
    let mut longest: &str = "";
    let mut rest = &names[..];
    while let Some((first, others)) = rest.split_first() {
        if first.len() > longest.len() {
            longest = first;
        }
        rest = others;
        wait(longest).await;
    }
    let mut buffer = [0; 4];
    let mut left = &mut buffer[..];
    while !left.is_empty() {
        left[0] = wait(&text).await;
        left = &mut left[1..];
    }
    let mut values = Vec::new();
    let all = &mut values;
    while all.len() < 2 {
        all.push(wait(&text).await);
    }
    let mut words: std::collections::BTreeMap<&str, usize> = Default::default();
    for word in text.split(' ') {
        let count = words.entry(word).or_default();
        *count += 1;
        wait(word).await;
    }
    let mut current = values.iter_mut();
    while let Some(value) = current.next() {
        *value = wait("").await;
    }
    buffer.len() + values.len() + longest.len()
}

async fn wait(_: &str) -> u8 {
    0
}

pub fn main() {
    let _ = client(Vec::new(), String::new());
}
