//! A process may be a method that takes `self` by value, and name `Self`.

use netcheck::{Isolated, Process, process};

#[derive(Clone, Isolated)]
struct Client<T> {
    servers: Vec<T>,
    tries: u32,
}

impl<T> Client<T>
where
    T: Isolated + Clone + std::fmt::Debug + Send + Sync + 'static,
{
    const MAX: u32 = 3;

    #[process]
    pub async fn run(mut self, more: T) -> Result<Vec<T>, u32> {
        self.servers.push(more);
        while self.tries < Self::MAX {
            self.tries += one().await;
            println!("{}", self.tries);
        }
        Ok(self.servers)
    }

    #[process]
    async fn of<U: Isolated + Clone + std::fmt::Debug + Send + Sync + 'static>(self, other: U) -> (U, u32) {
        (other, self.tries)
    }

    #[process(capture = false)]
    async fn boxed(self: Box<Self>) -> u32 {
        self.tries
    }

    #[process]
    async fn default_tries() -> u32 {
        let mut tries = 0;
        loop {
            tries += one().await;
            if tries == Self::MAX {
                return tries;
            }
        }
    }
}

async fn one() -> u32 {
    1
}

pub fn main() {
    let client = Client { servers: vec![1], tries: 0 };
    let _: Process<Result<Vec<i32>, u32>> = client.clone().run(2);
    let _: Process<(char, u32)> = client.clone().of('a');
    let _: Process<u32> = Box::new(client).boxed();
    let _: Process<u32> = Client::<u8>::default_tries();
}
