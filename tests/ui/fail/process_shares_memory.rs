#[netcheck::process]
async fn client(counter: Arc<Mutex<u32>>) {
    *counter.lock().unwrap() += 1;
}

use std::sync::{Arc, Mutex};

fn main() {}
