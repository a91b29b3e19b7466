//! Every argument of `tokio::test`, attributes that stay, and what a test may end with.

use netcheck as tokio;

#[tokio::test]
async fn no_arguments() {}

#[tokio::test()]
async fn empty_arguments() {}

#[tokio::test(flavor = "current_thread", start_paused = true, unhandled_panic = "shutdown_runtime")]
async fn one_thread() {}

#[tokio::test(flavor = "multi_thread", worker_threads = 4, crate = "tokio")]
async fn several_threads() {}

#[tokio::test(flavor = "local", name = "runtime", start_paused = false, unhandled_panic = "ignore")]
async fn local() {}

/// Documented.
#[tokio::test]
#[cfg(not(miri))]
#[allow(unused_variables)]
pub async fn documented() {
    #![allow(clippy::let_unit_value)]
    let unused = ();
}

#[tokio::test]
#[ignore = "would fail"]
async fn ignored() {
    panic!("this test is ignored");
}

#[tokio::test]
#[should_panic(expected = "as it should")]
async fn panics() {
    panic!("as it should");
}

#[tokio::test]
async fn r#match() -> Result<(), Box<dyn std::error::Error>> {
    let number: u8 = "1".parse()?;
    assert_eq!(number, 1);
    Ok(())
}

#[tokio::test]
async fn returns_unit() -> () {}

#[tokio::test]
async fn returns_a_result_of_a_result() -> std::io::Result<Result<(), u8>> {
    Ok(Ok(()))
}

macro_rules! tests {
    ($($name:ident: $threads:literal;)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = $threads)]
            async fn $name() {}
        )*
    };
}

tests! {
    from_a_macro: 2;
    from_a_macro_too: 3;
}

pub fn main() {}
