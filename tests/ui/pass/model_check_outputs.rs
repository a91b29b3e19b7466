//! The function may end with an error, and it may be async.

use netcheck::{Network, model_check};

type Ended = Result<(), Box<dyn std::error::Error>>;

#[model_check]
fn with_a_result(net: &mut Network) -> Result<(), std::num::ParseIntError> {
    let number: u32 = "7".parse()?;
    net.process("client", move || async move { number });
    Ok(())
}

#[model_check]
#[model_check(udp(loss), name = lossy)]
fn with_an_alias(net: &mut Network) -> Ended {
    let number: u32 = "7".parse()?;
    net.process("client", move || async move { number });
    Ok(())
}

#[model_check]
async fn is_async(net: &mut Network) {
    net.process("client", || async {});
}

#[model_check(udp(loss))]
async fn is_async_with_a_result(net: &mut Network) -> Result<(), String> {
    register(net).await?;
    Ok(())
}

async fn register(net: &mut Network) -> Result<(), String> {
    net.process("client", || async {});
    Ok(())
}

#[model_check]
#[should_panic(expected = "\"no port\"")]
fn fails_with_an_error(net: &mut Network) -> Result<(), &'static str> {
    net.process("client", || async {});
    Err("no port")
}

pub fn main() {}
