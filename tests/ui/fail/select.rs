//! What is no `select!`.

mod condition_without_comma {
    async fn run() {
        let open = true;
        netcheck::select! {
            _ = one() if open => {}
        }
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

mod else_not_last {
    async fn run() {
        netcheck::select! {
            else => {}
            _ = one() => {}
        }
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

mod empty {
    async fn run() {
        netcheck::select! {}
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

mod missing_comma {
    async fn run() {
        netcheck::select! {
            x = one() => drop(x)
            _ = one() => {}
        }
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

mod missing_future {
    async fn run() {
        netcheck::select! {
            one() => {}
        }
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

mod missing_handler {
    async fn run() {
        netcheck::select! {
            x = one(),
        }
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

mod only_biased {
    async fn run() {
        netcheck::select! { biased; }
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

mod too_many_branches {
    async fn run() {
        netcheck::select! {
            _ = one() => {} // 1
            _ = one() => {} // 2
            _ = one() => {} // 3
            _ = one() => {} // 4
            _ = one() => {} // 5
            _ = one() => {} // 6
            _ = one() => {} // 7
            _ = one() => {} // 8
            _ = one() => {} // 9
            _ = one() => {} // 10
            _ = one() => {} // 11
            _ = one() => {} // 12
            _ = one() => {} // 13
            _ = one() => {} // 14
            _ = one() => {} // 15
            _ = one() => {} // 16
            _ = one() => {} // 17
            _ = one() => {} // 18
            _ = one() => {} // 19
            _ = one() => {} // 20
            _ = one() => {} // 21
            _ = one() => {} // 22
            _ = one() => {} // 23
            _ = one() => {} // 24
            _ = one() => {} // 25
            _ = one() => {} // 26
            _ = one() => {} // 27
            _ = one() => {} // 28
            _ = one() => {} // 29
            _ = one() => {} // 30
            _ = one() => {} // 31
            _ = one() => {} // 32
            _ = one() => {} // 33
            _ = one() => {} // 34
            _ = one() => {} // 35
            _ = one() => {} // 36
            _ = one() => {} // 37
            _ = one() => {} // 38
            _ = one() => {} // 39
            _ = one() => {} // 40
            _ = one() => {} // 41
            _ = one() => {} // 42
            _ = one() => {} // 43
            _ = one() => {} // 44
            _ = one() => {} // 45
            _ = one() => {} // 46
            _ = one() => {} // 47
            _ = one() => {} // 48
            _ = one() => {} // 49
            _ = one() => {} // 50
            _ = one() => {} // 51
            _ = one() => {} // 52
            _ = one() => {} // 53
            _ = one() => {} // 54
            _ = one() => {} // 55
            _ = one() => {} // 56
            _ = one() => {} // 57
            _ = one() => {} // 58
            _ = one() => {} // 59
            _ = one() => {} // 60
            _ = one() => {} // 61
            _ = one() => {} // 62
            _ = one() => {} // 63
            _ = one() => {} // 64
            _ = one() => {} // 65
        }
    }

    async fn one() -> u32 {
        1
    }

    pub fn main() {
        let _ = (run(), one());
    }
}

fn main() {}
