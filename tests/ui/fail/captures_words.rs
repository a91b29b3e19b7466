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

fn main() {}
