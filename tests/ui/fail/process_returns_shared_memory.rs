#[netcheck::process]
async fn client() -> Arc<AtomicU32> {
    Arc::default()
}

use std::sync::Arc;
use std::sync::atomic::AtomicU32;

fn main() {}
