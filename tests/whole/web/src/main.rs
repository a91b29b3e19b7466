//! Serves the counter.

#[tokio::main]
async fn main() -> std::io::Result<()> {
    web::server().await
}
