//! A user of the protocol.

/// Twice what comes after one.
pub async fn doubled() -> std::io::Result<u8> {
    Ok(protocol::ask(1).await? * 2)
}
