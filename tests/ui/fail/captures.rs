//! Where `keep` may stand, and with which words.

/// All mistakes are reported, and no second one for each of them.
mod keep_elsewhere {
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
}

mod keep_with_words {
    #[netcheck::process]
    async fn client() {
        #[netcheck::keep(count)]
        loop {
            ask().await;
        }
    }

    async fn ask() {}
}

mod words {
    #[netcheck::process(captures = false)]
    async fn one() {}

    #[netcheck::process(capture = 3)]
    async fn two() {}

    #[netcheck::process(capture)]
    async fn three() {}

    #[netcheck::process(capture = false, capture = true, isolated)]
    async fn four() {}

    #[netcheck::process(capture =)]
    async fn five() {}
}

fn main() {}
