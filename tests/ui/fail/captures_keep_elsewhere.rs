//! All mistakes are reported, and no second one for each of them.

#[netcheck::process]
async fn client() {
    #[netcheck::keep]
    let mut count = 0;
    #[keep]
    {
        count += 1;
    }
    #[netcheck::keep]
    println!("{count}");
    while count < 3 {
        #[netcheck::keep]
        ask().await;
        count += 1;
    }
}

async fn ask() {}

fn main() {}
