//! Paths in macros lead to netcheck.

#[netcheck::program]
mod protocol {
    use std::time::{Duration, Instant};

    macro_rules! after {
        ($duration:expr, $($rest:tt)*) => {{
            tokio::time::sleep($duration).await;
            $($rest)*
        }};
    }

    pub async fn run() -> Vec<std::time::Instant> {
        let begun = vec![tokio::time::Instant::now(); 2];
        tokio::pin! { let late = tokio::time::sleep(Duration::from_secs(1)); }
        tokio::select! {
            biased;
            _ = &mut late => { std::thread::sleep(std::time::Duration::ZERO) }
            now = async { Instant::now() }, if std::cmp::max(1, 2) == 2 => assert_eq!(now, tokio::time::Instant::now()),
        }
        let (_, now) = tokio::join!(async move { std::thread::sleep(Duration::ZERO) }, async { Instant::now() });
        std::assert!(matches!(now.checked_duration_since(begun[0]), Some(std::time::Duration::ZERO) | None));
        after!(Duration::ZERO, std::println!("{:?}", std::time::Instant::now()));
        if begun.is_empty() {
            std::panic!("{}", std::stringify!(std::time));
        }
        begun
    }
}

pub fn main() {
    let _ = protocol::run();
}
