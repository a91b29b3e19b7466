pub struct Client {
    table: Vec<u8>,
}

#[netcheck::program]
impl Client {
    pub async fn load(&mut self) {
        self.table = std::fs::read("table").unwrap();
    }
}

fn main() {
    let _ = Client { table: Vec::new() }.load();
}
