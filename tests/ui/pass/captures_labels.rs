//! Labels, values of `break`, and loops as expressions.

#[netcheck::process]
async fn client() -> u32 {
    let mut tries = 0;
    let answer = 'outer: loop {
        'inner: for step in 0.. {
            tries += step;
            if ask(tries).await {
                break 'outer step;
            }
            if tries > 9 {
                continue 'outer;
            }
            'block: {
                if tries == 3 {
                    break 'block;
                }
                break 'inner;
            }
        }
    };
    let found: Option<u32> = 'found: {
        while ask(answer).await {
            if answer > 3 {
                break 'found Some(answer);
            }
        }
        None
    };
    let double = 2 * loop {
        if ask(tries).await {
            break tries;
        }
        tries += 1;
    };
    match loop {
        if let Some(found) = found {
            break found;
        }
        ask(double).await;
    } {
        0 => loop {
            if ask(1).await {
                return 1;
            }
        },
        found => found,
    }
}

async fn ask(value: u32) -> bool {
    value > 3
}

pub fn main() {
    let _ = client();
}
