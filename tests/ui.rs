//! What the macros accept, what they refuse, and with which words.
//!
//! After changing a message: `TRYBUILD=overwrite cargo test --test ui`, then read the difference.

/// Checks are tests, and a program built by trybuild has none: they are run here.
#[allow(dead_code)]
#[path = "ui/pass"]
mod checks {
    #[path = "model_check_all_words.rs"]
    mod all_words;
    #[path = "model_check_attributes_stay.rs"]
    mod attributes_stay;
    #[path = "model_check_capture.rs"]
    mod capture;
    #[path = "model_check_expects.rs"]
    mod expects;
    #[path = "model_check_in_a_macro.rs"]
    mod in_a_macro;
    #[path = "model_check_limits_are_expressions.rs"]
    mod limits_are_expressions;
    #[path = "model_check_names_are_hygienic.rs"]
    mod names_are_hygienic;
    #[path = "model_check_outputs.rs"]
    mod outputs;
    #[path = "model_check_several.rs"]
    mod several;
    #[path = "model_check_tcp_words.rs"]
    mod tcp_words;
    #[path = "test_arguments.rs"]
    mod test_arguments;
}

#[test]
fn what_is_right_compiles() {
    trybuild::TestCases::new().pass("tests/ui/pass/*.rs");
}

#[test]
fn what_is_wrong_is_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
