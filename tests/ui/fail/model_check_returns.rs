#[netcheck::model_check]
fn check(net: &mut netcheck::Network) -> Result<(), String> {
    Ok(())
}

fn main() {}
