//! Mistakes of grammar in a monitor.

mod deadline {
    netcheck::monitor! {
        monitor Deadline over u8 {
            clock c;
            state waiting while c >= LIMIT {
                _ => waiting { reset c; }
            }
        }
    }
}

mod otherwise {
    netcheck::monitor! {
        monitor Otherwise over u8 {
            state waiting {
                otherwise => reject,
                1 => waiting
            }
        }
    }
}

mod when {
    netcheck::monitor! {
        monitor When over u8 {
            state waiting {
                1 when 5 <= c => waiting
            }
        }
    }
}

mod comma {
    netcheck::monitor! {
        monitor Comma over u8 {
            state waiting {
                1 => waiting
                2 => waiting
            }
        }
    }
}

mod words {
    netcheck::monitor! {
        monitor Words over u8 {
            let x = 1;
        }
    }
}

fn main() {}
