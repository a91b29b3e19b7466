//! `tokio::fs` in a whole build: the types of `std::fs`, whose calls find the same files, and writes that come later.

use netcheck::Network;
use std::os::fd::AsFd;
use tokio::fs;
use tokio::io::AsyncWriteExt;

async fn uses_both() {
    let mut file = fs::File::create("data/a").await.unwrap();
    file.write_all(b"abc").await.unwrap();
    file.flush().await.unwrap();
    let facts: std::fs::Metadata = file.metadata().await.unwrap();
    assert!(facts.len() == 3 && facts.modified().is_err());
    let same = std::fs::File::from(file.as_fd().try_clone_to_owned().unwrap());
    let std: std::fs::File = file.into_std().await;
    assert_eq!(same.metadata().unwrap().len(), std.metadata().unwrap().len());
    let mut entries = fs::read_dir("data").await.unwrap();
    let sort: std::fs::FileType = entries.next_entry().await.unwrap().unwrap().file_type().await.unwrap();
    assert!(sort.is_file());
    let options: fs::OpenOptions = std::fs::OpenOptions::new().read(true).clone().into();
    assert!(options.open("data/a").await.is_ok());
    assert_eq!(std::fs::read("data/a").unwrap(), b"abc");
    assert!(fs::read_to_string("Cargo.toml").await.unwrap().contains("journal"), "the machine's");
}

#[netcheck::model_check(whole)]
fn files_of_tokio_have_the_types_of_std(net: &mut Network) {
    net.process("it", uses_both).files([("data/log", "")]);
}

/// A write that nobody waits for is not there yet in some execution.
#[netcheck::model_check(whole, expect = panic)]
fn a_write_that_is_not_flushed_may_be_missing(net: &mut Network) {
    let program = || async {
        let mut file = fs::File::create("data/log").await.unwrap();
        file.write_all(b"abc").await.unwrap();
        assert_eq!(std::fs::read("data/log").unwrap(), b"abc");
    };
    net.process("it", program).files([("data/log", "")]);
}
