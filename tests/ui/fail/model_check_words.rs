//! Words as such.

mod missing_comma {
    #[netcheck::model_check(udp(loss duplication) at_most = 1)]
    fn check(net: &mut netcheck::Network) {}
}

mod unknown_word {
    #[netcheck::model_check(udb(loss), bandwidth = 3)]
    fn check(net: &mut netcheck::Network) {}
}

fn main() {}
