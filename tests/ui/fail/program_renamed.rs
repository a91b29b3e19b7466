#[netcheck::program]
mod protocol {
    use std as s;
    use std::{fs as files, thread as t};
    use tokio as async_io;

    pub async fn run() {
        t::spawn(|| ());
        let _ = files::read("table");
        let _ = s::fs::read("table");
        async_io::task::block_in_place(|| ());
    }
}

fn main() {
    let _ = protocol::run();
}
