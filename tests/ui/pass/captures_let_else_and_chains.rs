//! `let … else`, chains of `let` and guards.

#[netcheck::process]
async fn client(mut queue: Vec<Option<u32>>) -> u32 {
    let mut sum = 0;
    let Some(Some(first)) = queue.pop() else { return 0 };
    while let Some(next) = queue.pop()
        && sum < 100
        && let Some(value) = next
    {
        sum += double(value).await;
    }
    loop {
        let Some(next) = queue.pop() else { break };
        let Some(value) = next else {
            sum += 1;
            continue;
        };
        if let Some(more) = value.checked_add(sum)
            && more > double(value).await
        {
            sum = more;
        } else if let 0..=9 = double(sum).await {
            sum += first;
        }
        match queue.last() {
            Some(Some(value)) if *value > sum => sum += *value,
            Some(&Some(value)) if let Some(more) = value.checked_sub(1) => sum += double(more).await,
            _ => {}
        }
    }
    sum
}

async fn double(value: u32) -> u32 {
    2 * value
}

pub fn main() {
    let _ = client(Vec::new());
}
