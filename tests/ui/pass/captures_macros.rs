//! Macros in loops, and loops in macros.

macro_rules! twice {
    ($body:expr) => {{
        $body;
        $body
    }};
}

macro_rules! process {
    ($name:ident, $times:expr) => {
        #[netcheck::process]
        async fn $name(mut count: u32) -> u32 {
            for step in 0..$times {
                count += ask(step).await;
            }
            while count < $times {
                count += twice!(ask(count).await);
            }
            count
        }
    };
}

process!(client, 3);

#[netcheck::process]
async fn logs(names: Vec<String>) -> String {
    let (width, mut text) = (5, String::new());
    let request = names.join(" ");
    send(request).await;
    let mut left = 3;
    while left > 0 {
        netcheck::select! {
            biased;
            request = ask(left) => text.push_str(&format!("{request:>width$}")),
            () = std::future::pending(), if left > 1 => break,
            else => unreachable!("{left}"),
        }
        let (a, b) = netcheck::join!(ask(left), ask(2));
        assert_eq!(a, b + left - 2, "{names:?} {0}", text.len());
        assert!(matches!(names.first(), None | Some(_)));
        left -= 1;
    }
    text
}

async fn ask(step: u32) -> u32 {
    step
}

async fn send(_: String) {}

pub fn main() {
    let _ = (client(1), logs(Vec::new()));
}
