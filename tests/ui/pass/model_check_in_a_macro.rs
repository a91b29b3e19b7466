//! Checks can be written by a macro, with values from its variables.

macro_rules! checks {
    ($($name:ident: $capacity:literal, $copies:expr, $limit:expr, $order:ident;)*) => {
        $(
            #[netcheck::model_check(
                udp(copies = $copies, window = $capacity),
                max_states = $limit,
                search = $order,
            )]
            fn $name(net: &mut netcheck::Network) {
                net.process("client", || async {});
            }
        )*
    };
}

checks! {
    small: 1, [1], 10 + 1, bfs;
    large: 2, [1, 0, 2], 1_000, dfs;
}

pub fn main() {}
