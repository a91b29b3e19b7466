use netcheck as tokio;

#[tokio::test(flavour = "current_thread")]
async fn unknown() {}

#[tokio::test(flavor = "multi_threaded")]
async fn no_flavor() {}

#[tokio::test(flavor = "multi_thread", worker_threads = 0)]
async fn no_threads() {}

#[tokio::test(worker_threads = 2)]
async fn threads_of_one_thread() {}

#[tokio::test(start_paused = 1)]
async fn not_a_boolean() {}

#[tokio::test(unhandled_panic = "abort")]
async fn no_behaviour() {}

#[tokio::test(crate = tokio)]
async fn not_in_quotes() {}

#[tokio::test(flavor)]
async fn no_value() {}

fn main() {}
