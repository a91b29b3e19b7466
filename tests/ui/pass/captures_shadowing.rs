//! One name for several variables.

#[netcheck::process]
async fn client(value: u32) -> usize {
    let value = value.to_string();
    let mut count = 0;
    while count < value.len() {
        let value = ask(&value).await;
        count += value;
        {
            let count = format!("{count}");
            for value in [&count] {
                ask(value).await;
            }
        }
        if let Some(count) = count.checked_sub(1) {
            ask(&count.to_string()).await;
        }
    }
    let count = Box::new(count);
    loop {
        let count = *count + 1;
        if ask("").await > 0 {
            break count;
        }
        // Named like what the expansion names.
        let (__loop, __values, __items, __frame) = (1, 2, 3, 4);
        for _ in 0..__loop + __values + __items + __frame {
            ask("").await;
        }
    }
}

async fn ask(value: &str) -> usize {
    value.len()
}

pub fn main() {
    let _ = client(1);
}
