use proc_macro2::TokenStream;

use crate::testing::{assert_documented, messages};

const TEST: &str = "async fn name() {}";

fn test(arguments: &str, function: &str) -> TokenStream {
    super::test(arguments.parse().unwrap(), function.parse().unwrap())
}

fn main(arguments: &str, function: &str) -> TokenStream {
    super::main(arguments.parse().unwrap(), function.parse().unwrap())
}

#[track_caller]
fn assert_messages(output: &TokenStream, expected: &[&str]) {
    let messages = messages(output);
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
    for (message, expected) in messages.iter().zip(expected) {
        assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
    }
}

#[test]
fn the_expansion_in_the_docs_is_the_true_one() {
    assert_documented(include_str!("expand.rs"), |example| {
        let mut function: crate::function::Function = syn::parse2(example).unwrap();
        function.attrs.retain(|attr| !attr.path().is_ident("test"));
        super::test(TokenStream::new(), quote::quote!(#function))
    });
}

#[test]
fn the_arguments_of_tokio_are_accepted() {
    for arguments in [
        "",
        "flavor = \"current_thread\"",
        "flavor = \"multi_thread\", worker_threads = 2",
        "flavor = \"local\"",
        "start_paused = true",
        "flavor = \"current_thread\", start_paused = false, unhandled_panic = \"shutdown_runtime\",",
        "crate = \"tokio\", unhandled_panic = \"ignore\"",
        "crate = \"crate::tokio\", name = \"runtime\"",
    ] {
        assert_messages(&test(arguments, TEST), &[]);
    }
    for arguments in ["worker_threads = 4", "flavor = \"current_thread\", start_paused = true"] {
        assert_messages(&main(arguments, "async fn main() {}"), &[]);
    }
}

#[test]
fn wrong_arguments_are_refused_at_their_words() {
    for (arguments, expected) in [
        ("flavour = \"local\"", "unknown word `flavour`, did you mean `flavor`?\nthe arguments of `tokio::test` are"),
        ("udp(loss)", "unknown word `udp`"),
        ("flavor", "`flavor` needs a value"),
        ("flavor = local", "the value of `flavor` is a literal"),
        ("flavor = 1", "expected `current_thread`, `multi_thread` or `local`, in quotes"),
        ("flavor = \"multi_threaded\"", "found `multi_threaded`, did you mean `multi_thread`?"),
        ("flavor = \"local\", flavor = \"local\"", "said twice"),
        ("worker_threads = 0", "at least one thread"),
        ("worker_threads = \"2\"", "a whole number"),
        ("worker_threads = 99999999999999999999", "a whole number"),
        ("worker_threads = 2", "`worker_threads` needs `flavor = \"multi_thread\"`"),
        ("start_paused = 1", "`true` or `false`"),
        ("flavor = \"multi_thread\", start_paused = true", "`start_paused` needs `flavor = \"current_thread\"`"),
        ("unhandled_panic = \"abort\"", "expected `ignore` or `shutdown_runtime`, found `abort`"),
        ("unhandled_panic = true", "`shutdown_runtime`, in quotes"),
        ("crate = \"to kio\"", "the path of a crate"),
        ("crate = tokio", "is a literal"),
        ("name = 1", "a text in quotes"),
    ] {
        assert_messages(&test(arguments, TEST), &[expected]);
    }
    assert_messages(
        &test("flavor = \"locl\", worker_threads = 0, paused = true", "fn name() {}"),
        &["did you mean `local`?", "at least one thread", "unknown word `paused`", "write `async fn`"],
    );
    assert_messages(&main("unhandled_panic = \"ignore\"", "async fn main() {}"), &["needs `flavor ="]);
}

#[test]
fn a_function_that_cannot_be_a_test_is_refused() {
    for (function, expected) in [
        ("fn f() {}", "write `async fn`"),
        ("async fn f(port: u16) {}", "takes no parameters"),
        ("async fn f(&self) {}", "takes no parameters"),
        ("async fn f<T>() {}", "can't be generic"),
        ("#[test] async fn f() {}", "is a test already"),
        ("#[tokio::test] async fn f() {}", "is a test already"),
        ("struct S;", "goes on an async function"),
    ] {
        assert_messages(&test("", function), &[expected]);
    }
}

#[test]
fn a_main_keeps_its_signature_and_loses_async() {
    let output = main("", "pub async fn run(port: u16) -> Result<(), Error> { serve(port).await }").to_string();
    assert!(output.contains("pub fn run (port : u16) -> Result < () , Error >"), "{output}");
    assert!(
        output.contains("refuse_to_run :: < Result < () , Error > > (async move { serve (port) . await })"),
        "{output}"
    );
    for (function, expected) in [
        ("fn main() {}", "write `async fn`"),
        ("async fn main(port: u16) {}", "`main` takes no parameters"),
        ("struct S;", "goes on an async function"),
    ] {
        assert_messages(&main("", function), &[expected]);
    }
    // No second error: that an async `main` is none.
    let output = main("flavour = \"local\"", "async fn main() {}").to_string();
    assert!(output.contains("fn main ()") && !output.contains("async fn main"), "{output}");
}

#[test]
fn a_main_can_be_registered_in_a_test_build() {
    let output = main("", "async fn main() -> u8 { 5 }").to_string();
    assert!(output.contains("# [cfg (test)] async fn main () -> u8 { 5 }"), "{output}");
    assert!(!main("", "async fn run() {}").to_string().contains("cfg (test)"));
}
