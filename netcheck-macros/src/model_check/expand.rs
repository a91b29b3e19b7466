//! Writes the tests.
//!
//! The expansion builds a `Checker` and hands it over; all behaviour is in `run_test` and its like. From
//!
//! ```ignore
//! /// The client gets its answer.
//! #[model_check(
//!     udp(loss, reorder = 2, direction = send, process = "client"),
//!     tcp(read, split, side = client),
//!     at_most = 1, search = random(seed = 7), max_states = 1_000, expect = deadlock, snapshot,
//! )]
//! #[ignore]
//! fn answers(net: &mut netcheck::Network) {
//!     net.process("client", client);
//! }
//! ```
//!
//! comes (a test below keeps this true)
//!
//! ```ignore
//! /// The client gets its answer.
//! #[ignore]
//! #[::core::prelude::v1::test]
//! fn answers() {
//!     fn answers(net: &mut netcheck::Network) {
//!         net.process("client", client);
//!     }
//!     let __checker = ::netcheck::check::Checker::new()
//!         .udp(
//!             ::netcheck::check::Udp::new()
//!                 .loss()
//!                 .reorder(2)
//!                 .direction(::netcheck::check::Direction::Send)
//!                 .process("client")
//!         )
//!         .tcp(
//!             ::netcheck::check::Tcp::new()
//!                 .fail_read()
//!                 .split()
//!                 .side(::netcheck::check::Side::Client)
//!         )
//!         .at_most(1)
//!         .search(::netcheck::check::Search::Random { seed: 7 })
//!         .max_states(1_000);
//!     if let ::core::option::Option::Some(__counterexample) = ::netcheck::__private::run_pinned(
//!         ::netcheck::__private::TestInfo {
//!             package: ::core::option_env!("CARGO_PKG_NAME"),
//!             module: ::core::module_path!(),
//!             name: "answers",
//!             file: ::core::file!(),
//!             line: ::core::line!(),
//!         },
//!         ::netcheck::__private::ShouldPanic::No,
//!         __checker,
//!         ::netcheck::__private::Expect::Deadlock,
//!         answers,
//!     ) {
//!         ::netcheck::__private::insta::assert_snapshot!("answers", __counterexample, "counterexample");
//!     }
//! }
//! ```
//!
//! A trace is run by another function. From
//!
//! ```ignore
//! #[model_check(replay = "traces/lost.json", expect = panic)]
//! fn answers(net: &mut netcheck::Network) {
//!     net.process("client", client);
//! }
//! ```
//!
//! comes
//!
//! ```ignore
//! #[::core::prelude::v1::test]
//! fn answers() {
//!     fn answers(net: &mut netcheck::Network) {
//!         net.process("client", client);
//!     }
//!     let __checker = ::netcheck::check::Checker::new();
//!     ::netcheck::__private::run_trace(
//!         ::netcheck::__private::TestInfo {
//!             package: ::core::option_env!("CARGO_PKG_NAME"),
//!             module: ::core::module_path!(),
//!             name: "answers",
//!             file: ::core::file!(),
//!             line: ::core::line!(),
//!         },
//!         ::netcheck::__private::ShouldPanic::No,
//!         __checker,
//!         ::netcheck::__private::Expect::Panic,
//!         ::netcheck::__private::Trace {
//!             folder: ::core::env!("CARGO_MANIFEST_DIR"),
//!             file: "traces/lost.json",
//!         },
//!         answers,
//!     );
//! }
//! ```
//!
//! Several attributes become a module of tests. Their checkers stay outside of it, where the words'
//! expressions mean what they mean to the user. From
//!
//! ```ignore
//! /// Nobody is left without an answer.
//! #[model_check(udp(loss))]
//! #[model_check(name = slow, at_most = FAULTS, tcp(read))]
//! #[should_panic]
//! async fn answers(net: &mut netcheck::Network) -> io::Result<()> {
//!     register(net).await
//! }
//! ```
//!
//! comes
//!
//! ```ignore
//! /// Nobody is left without an answer.
//! #[cfg(test)]
//! fn answers(__test: &str) {
//!     async fn answers(net: &mut netcheck::Network) -> io::Result<()> {
//!         register(net).await
//!     }
//!     match __test {
//!         "udp_loss" => {
//!             let __checker = ::netcheck::check::Checker::new()
//!                 .udp(::netcheck::check::Udp::new().loss());
//!             let _ = ::netcheck::__private::run_test(
//!                 ::netcheck::__private::TestInfo {
//!                     package: ::core::option_env!("CARGO_PKG_NAME"),
//!                     module: ::core::module_path!(),
//!                     name: "answers::udp_loss",
//!                     file: ::core::file!(),
//!                     line: ::core::line!(),
//!                 },
//!                 ::netcheck::__private::ShouldPanic::Yes,
//!                 __checker,
//!                 ::netcheck::__private::Expect::Verified,
//!                 |__net| ::netcheck::__private::registered(::netcheck::__private::at_once(answers(__net))),
//!             );
//!         }
//!         "slow" => {
//!             let __checker = ::netcheck::check::Checker::new()
//!                 .tcp(::netcheck::check::Tcp::new().fail_read())
//!                 .at_most(FAULTS);
//!             let _ = ::netcheck::__private::run_test(
//!                 ::netcheck::__private::TestInfo {
//!                     package: ::core::option_env!("CARGO_PKG_NAME"),
//!                     module: ::core::module_path!(),
//!                     name: "answers::slow",
//!                     file: ::core::file!(),
//!                     line: ::core::line!(),
//!                 },
//!                 ::netcheck::__private::ShouldPanic::Yes,
//!                 __checker,
//!                 ::netcheck::__private::Expect::Verified,
//!                 |__net| ::netcheck::__private::registered(::netcheck::__private::at_once(answers(__net))),
//!             );
//!         }
//!         _ => ::core::unreachable!(),
//!     }
//! }
//! #[cfg(test)]
//! mod answers {
//!     #[should_panic]
//!     #[::core::prelude::v1::test]
//!     fn udp_loss() {
//!         super::answers("udp_loss")
//!     }
//!     #[should_panic]
//!     #[::core::prelude::v1::test]
//!     fn slow() {
//!         super::answers("slow")
//!     }
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Ident, ReturnType};

use super::ast::{Choice, ModelCheck};
use super::calls;
use crate::function::{Function, attr_name, should_panic};
use crate::whole::is_whole;

pub(super) fn tests(checks: &[ModelCheck], function: &Function) -> TokenStream {
    match checks {
        [check] if !check.words.has("name") => one(check, function),
        checks => several(checks, function),
    }
}

/// A test in the function's place.
fn one(check: &ModelCheck, function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, body } = function;
    let name = &sig.ident;
    let run = run(check, &[&name.unraw().to_string()], function);
    let ignored = ignored(check, function);
    quote! {
        #(#attrs)*
        #ignored
        #[::core::prelude::v1::test]
        #vis fn #name() {
            #sig #body
            #run
        }
    }
}

/// A module of tests beside the function.
fn several(checks: &[ModelCheck], function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, body } = function;
    let name = &sig.ident;
    let name_text = name.unraw().to_string();
    let is_of_tests = |attr: &&Attribute| matches!(attr_name(attr).as_str(), "ignore" | "should_panic");
    let (of_tests, attrs): (Vec<_>, Vec<_>) = attrs.iter().partition(is_of_tests);
    let tests: Vec<_> = checks.iter().map(|check| check.test_name(name.span())).collect();
    let texts: Vec<_> = tests.iter().map(|test| test.unraw().to_string()).collect();
    let runs = checks.iter().zip(&texts).map(|(check, text)| run(check, &[&name_text, text], function));
    // A parameter of ours that the user's tokens cannot see.
    let test = Ident::new("__test", Span::mixed_site());
    let functions = tests.iter().zip(&texts).zip(checks).map(|((test, text), check)| {
        let ignored = ignored(check, function);
        quote! {
            #(#of_tests)*
            #ignored
            #[::core::prelude::v1::test]
            fn #test() {
                super::#name(#text)
            }
        }
    });
    quote! {
        #(#attrs)*
        #[cfg(test)]
        #vis fn #name(#test: &str) {
            #sig #body
            match #test {
                #(#texts => { #runs })*
                _ => ::core::unreachable!(),
            }
        }
        #[cfg(test)]
        mod #name {
            #(#functions)*
        }
    }
}

/// The attribute that leaves out a test of a whole program, where tokio is the real one in crates that name it.
fn ignored(check: &ModelCheck, function: &Function) -> Option<TokenStream> {
    let is_ignored = function.attrs.iter().any(|attr| attr_name(attr) == "ignore");
    let is_left_out = check.words.has("whole") && !is_whole() && !is_ignored;
    is_left_out.then(|| quote!(#[ignore = "a whole program: `cargo netcheck test` checks it"]))
}

/// The body of the test at `path`.
fn run(check: &ModelCheck, path: &[&str], function: &Function) -> TokenStream {
    let name = &function.sig.ident;
    let (in_report, in_snapshot) = (path.join("::"), path.join("__"));
    // Locals of ours that the user's tokens cannot see.
    let checker = Ident::new("__checker", Span::mixed_site());
    let counterexample = Ident::new("__counterexample", Span::mixed_site());

    let checker_value = calls::checker(&check.words);
    let should_panic = should_panic(function);
    let expect = match check.words.choice("expect") {
        Some(Choice { variant, .. }) => quote!(#variant),
        None => quote!(Verified),
    };
    let network = network(function);
    // At the user's function name: a wrong parameter type is a mistake there, and it is the line
    // that a report names.
    let test = quote_spanned! {name.span()=>
        ::netcheck::__private::TestInfo {
            package: ::core::option_env!("CARGO_PKG_NAME"),
            module: ::core::module_path!(),
            name: #in_report,
            file: ::core::file!(),
            line: ::core::line!(),
        },
        ::netcheck::__private::ShouldPanic::#should_panic,
        #checker,
        ::netcheck::__private::Expect::#expect,
    };
    let finish = if let Some(file) = check.words.file("replay") {
        quote_spanned! {name.span()=>
            ::netcheck::__private::run_trace(
                #test
                ::netcheck::__private::Trace {
                    folder: ::core::env!("CARGO_MANIFEST_DIR"),
                    file: #file,
                },
                #network,
            );
        }
    } else {
        match check.words.has("snapshot") {
            true => {
                let run = quote_spanned!(name.span()=> ::netcheck::__private::run_pinned(#test #network,));
                quote! {
                    if let ::core::option::Option::Some(#counterexample) = #run {
                        ::netcheck::__private::insta::assert_snapshot!(#in_snapshot, #counterexample, "counterexample");
                    }
                }
            }
            false => {
                let run = quote_spanned!(name.span()=> ::netcheck::__private::run_test(#test #network,));
                quote!(let _ = #run;)
            }
        }
    };
    quote! {
        let #checker = #checker_value;
        #finish
    }
}

/// The function that registers the programs: the user's, and what becomes of its output.
fn network(function: &Function) -> TokenStream {
    let sig = &function.sig;
    let name = &sig.ident;
    if matches!((&sig.asyncness, &sig.output), (None, ReturnType::Default)) {
        return name.to_token_stream();
    }
    // A wrong parameter type is a mistake at the name, a wrong output one at its type.
    let net = Ident::new("__net", Span::mixed_site().located_at(name.span()));
    let output = match &sig.output {
        ReturnType::Default => name.span(),
        ReturnType::Type(_, ty) => ty.span(),
    };
    let mut name = name.clone();
    name.set_span(name.span().located_at(output));
    let mut registered = quote_spanned!(output=> #name(#net));
    if sig.asyncness.is_some() {
        registered = quote_spanned!(output=> ::netcheck::__private::at_once(#registered));
    }
    if let ReturnType::Type(..) = &sig.output {
        registered = quote_spanned!(output=> ::netcheck::__private::registered(#registered));
    }
    quote_spanned!(output=> |#net| #registered)
}
