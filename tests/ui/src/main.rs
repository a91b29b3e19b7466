//! All that the macros accept, as it is built without tests. Runs each program in turn, and prints its name.
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![allow(dead_code, unused_imports, unused_macros, clippy::all, reason = "programs are written to be expanded")]

macro_rules! programs {
    ($($name:ident)*) => {
        #[path = "../pass"]
        mod programs {
            $(pub(crate) mod $name;)*
        }

        fn main() {
            $(
                programs::$name::main();
                println!("{}", stringify!($name));
            )*
        }
    };
}

programs! {
    alias_in_a_module
    captures_attributes
    captures_closures_and_blocks
    captures_inferred_types
    captures_iterators
    captures_labels
    captures_let_else_and_chains
    captures_lifetimes
    captures_macros
    captures_methods
    captures_moves
    captures_nested_functions
    captures_no_warnings
    captures_question_marks
    captures_shadowing
    isolated_derive
    main_of_a_program
    model_check_all_words
    model_check_attributes_stay
    model_check_capture
    model_check_expects
    model_check_in_a_macro
    model_check_limits_are_expressions
    model_check_names_are_hygienic
    model_check_outputs
    model_check_several
    model_check_tcp_words
    monitor_all
    process_arguments
    process_generic
    process_hands_over
    process_in_an_impl
    program_functions
    program_impl_block
    program_imports
    program_in_test_builds_only
    program_macros
    select_control_flow
    select_grammar
    select_in_a_macro
    select_is_send
    test_arguments
    types_are_inferred
}
