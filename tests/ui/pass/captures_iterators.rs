//! `for` over iterators that have no `Hash`, and over what they borrow.

#[netcheck::process]
async fn client(names: Vec<String>) -> usize {
    let mut count = 0;
    for (index, name) in names.iter().enumerate().rev() {
        count += index + wait(name).await;
    }
    for window in names.windows(2) {
        count += wait(&window[0]).await;
    }
    for line in "a\nb".lines().map(str::trim).chain(Some("c")) {
        count += wait(line).await;
    }
    let mut buffer = [0; 3];
    for byte in buffer.iter_mut() {
        *byte = wait("").await;
    }
    for chunk in buffer.chunks_mut(2) {
        chunk[0] = wait("").await;
    }
    let mut stack: Vec<Box<dyn Fn() -> usize + Send>> = vec![Box::new(|| 1), Box::new(move || count)];
    for run in stack.drain(..) {
        let value = run();
        count += wait("").await + value;
    }
    let mut chars = names.first().map(String::as_str).unwrap_or_default().chars().peekable();
    while let Some(next) = chars.next() {
        if chars.peek() == Some(&next) {
            count += wait("").await;
        }
    }
    for name in names {
        wait(&name).await;
    }
    for (_, ref mut value) in [(1, String::new())] {
        value.push('a');
        wait(value).await;
    }
    count + buffer.len()
}

async fn wait(text: &str) -> usize {
    text.len()
}

pub fn main() {
    let _ = client(Vec::new());
}
