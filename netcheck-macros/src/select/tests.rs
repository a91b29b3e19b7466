use super::parse::{BRANCHES_MAX, Select};
use super::select;
use crate::testing::assert_documented;

fn parse(input: &str) -> Result<Select, String> {
    syn::parse_str(&format!("(krate) {input}")).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_refused(input: &str, expected: &str) {
    let message = parse(input).err().expect("the input is refused");
    assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
}

#[test]
fn the_expansion_in_the_docs_is_the_true_one() {
    assert_documented(&include_str!("expand.rs").replace("$crate", "krate"), select);
}

#[test]
fn the_grammar_is_tokios() {
    for (input, branches, biased, otherwise) in [
        ("_ = a => b", 1, false, false),
        ("_ = a => b,", 1, false, false),
        ("_ = a => {}", 1, false, false),
        ("_ = a => {} _ = b => {}", 2, false, false),
        ("_ = a => {}, _ = b => c", 2, false, false),
        ("_ = a => b, _ = c => {} else => d", 2, false, true),
        ("biased; Some(x) = a.next(), if open && x == S { y: 1 } => return x?, else => d,", 1, true, true),
        ("biased = a => biased", 1, false, false),
        ("Ok(ref mut x) | Err(x @ 1..=3) = async { 1 } => break", 1, false, false),
        ("| A | B = a.b().await => unsafe { c },", 1, false, false),
        ("x = if a { b } else { c } => match d { _ => e }, y = |z| z => f", 2, false, false),
        ("else => a", 0, false, true),
        ("biased; else => a,", 0, true, true),
    ] {
        let select = parse(input).unwrap_or_else(|error| panic!("{input}: {error}"));
        assert_eq!(select.branches.len(), branches, "{input}");
        assert_eq!(select.biased, biased, "{input}");
        assert_eq!(select.otherwise.is_some(), otherwise, "{input}");
    }
}

#[test]
fn a_select_without_a_branch_is_refused_as_in_tokio() {
    assert_refused("", "select! requires at least one branch.");
    assert_refused("biased;", "select! requires at least one branch.");
}

#[test]
fn what_is_missing_is_named() {
    assert_refused("_ => b", "expected `=` and a future");
    assert_refused("a", "expected `=` and a future");
    assert_refused("_ = a", "expected `=>` and a handler");
    assert_refused("_ = a =>", "expected a handler");
    assert_refused("_ = a, b => c", "expected `if` and a condition");
    assert_refused("_ = a if b => c", "expected a comma before the condition");
    assert_refused("_ = a => b _ = c => d", "expected a comma before this");
    assert_refused("else => a, _ = b => c", "`else` is the last branch");
    assert_refused("_ = a => b, biased; _ = c => d", "`biased;` comes first");
}

#[test]
fn there_may_be_as_many_branches_as_the_mask_has_bits() {
    let select = parse(&"_ = a => b,".repeat(BRANCHES_MAX)).unwrap();
    assert!(super::expand::select(&select).to_string().contains("18446744073709551615u64"));
    assert_refused(&"_ = a => b,".repeat(BRANCHES_MAX + 1), "at most 64 branches");
}
