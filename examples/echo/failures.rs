//! The categories of failures (papers/tcp-transmission-failures.txt, Table 2). The chat example
//! uses them, too.

use netcheck::check::Tcp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    Open,
    Close,
    Write,
    Read,
}

impl Category {
    pub const ALL: [Category; 4] = [Category::Open, Category::Close, Category::Write, Category::Read];

    fn declare(self, tcp: Tcp) -> Tcp {
        match self {
            Category::Open => tcp.fail_open(),
            Category::Close => tcp.fail_close(),
            Category::Write => tcp.fail_write(),
            Category::Read => tcp.fail_read(),
        }
    }
}

/// Operations of these categories may fail, any number of them.
pub fn failing(categories: &[Category]) -> Tcp {
    categories.iter().fold(Tcp::new(), |tcp, category| category.declare(tcp))
}
