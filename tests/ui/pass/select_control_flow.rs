//! `?`, `break`, `continue`, `return` and `.await` work in handlers; futures are gone by then.

async fn line(lines: &mut Vec<String>) -> Result<String, String> {
    lines.pop().ok_or_else(|| "no line".to_owned())
}

async fn run() -> Result<usize, String> {
    let mut lines = vec!["a".to_owned()];
    let mut others = Vec::new();
    let mut count = 0;
    'outer: loop {
        loop {
            netcheck::select! {
                read = line(&mut lines) => {
                    // Both futures borrowed what is used here.
                    let read = read?;
                    lines.push(read.clone());
                    others.push(read);
                }
                read = line(&mut others) => match read {
                    Ok(_) if count < 3 => continue,
                    Ok(_) => break,
                    Err(_) => break 'outer,
                },
                _ = std::future::pending(), if count > 1 => return Ok(count),
            }
            count += 1;
        }
        let last = netcheck::select! {
            read = line(&mut lines) => line(&mut others).await.and(read)?,
            else => String::new(),
        };
        count += last.len();
    }
    Ok(count)
}

pub fn main() {
    drop(run());
}
