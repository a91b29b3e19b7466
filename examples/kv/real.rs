//! The store on tokio, real sockets and files.

pub use ::tokio;

#[path = "program.rs"]
#[allow(clippy::duplicate_mod, reason = "the same source runs for real and is checked")]
#[allow(dead_code, reason = "mistakes are only checked")]
pub mod program;

use program::Version;
use std::io;
use tokio::fs;

/// Serves what is kept in a folder, for ever.
#[tokio::main]
pub async fn serve(port: u16, folder: String) {
    make(&folder).await.expect("the folder can be made");
    println!("serving {folder} on {}", address(port));
    program::server(address(port), folder, Version::Corrected).await;
}

/// Makes a folder if it is not there, in one that is, whose names are durable then.
async fn make(folder: &str) -> io::Result<()> {
    if !fs::try_exists(folder).await? {
        fs::create_dir(folder).await?;
    }
    let parent = fs::canonicalize(folder).await?.join("..");
    fs::File::open(parent).await?.sync_all().await
}

/// Sets a value.
#[tokio::main(flavor = "current_thread")]
pub async fn set(port: u16, key: &str, value: &str) {
    match program::set(&address(port), key, value).await {
        Ok(()) => println!("kept"),
        Err(error) => println!("it may be kept or not: {error}"),
    }
}

/// Prints the value of a key.
#[tokio::main(flavor = "current_thread")]
pub async fn get(port: u16, key: &str) {
    match program::get(&address(port), key).await {
        Ok(Some(value)) => println!("{value}"),
        Ok(None) => println!("there is none"),
        Err(error) => println!("failed: {error}"),
    }
}

fn address(port: u16) -> String {
    format!("127.0.0.1:{port}")
}
