#[netcheck::process]
async fn client(counter: std::rc::Rc<std::cell::Cell<u32>>) -> u32 {
    counter.get()
}

fn main() {}
