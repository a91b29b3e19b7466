//! A future that selects can be sent, if the selected ones can.

fn demand<T: Send>(_: T) {}

pub fn main() {
    demand(async {
        let text = String::new();
        netcheck::select! {
            _ = async { text.len() } => {}
            _ = std::future::pending::<()>() => {}
        }
    });
}
