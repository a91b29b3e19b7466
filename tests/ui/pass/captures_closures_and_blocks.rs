//! Closures and async blocks that use, change and take variables of the loop.

#[netcheck::process]
async fn client(names: Vec<String>) -> usize {
    let mut count = 0;
    let mut last = String::new();
    loop {
        let mut add = |more: usize| count += more;
        add(1);
        add(names.iter().map(|name| name.len()).sum());
        let copy = last.clone();
        let length = async move {
            loop {
                std::future::ready(()).await;
                break copy.len();
            }
        }
        .await;
        let ask = async || ask(&last).await;
        count += length + ask().await;
        last = names.first().cloned().unwrap_or_else(|| format!("{count}"));
        if count > 9 {
            let all = move || names;
            return all().len() + last.len();
        }
    }
}

async fn ask(name: &str) -> usize {
    name.len()
}

pub fn main() {
    let _ = client(Vec::new());
}
