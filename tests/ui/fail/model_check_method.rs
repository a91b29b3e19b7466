struct Checks;

impl Checks {
    #[netcheck::model_check]
    fn check(&self) {}
}

fn main() {}
