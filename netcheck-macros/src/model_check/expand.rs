//! Writes the test.
//!
//! The expansion builds a `Checker` and hands it over; all behaviour is in `run_test`. From
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
//!     let __outcome = ::netcheck::__private::run_test(
//!         ::netcheck::__private::TestInfo {
//!             module: ::core::module_path!(),
//!             name: "answers",
//!             file: ::core::file!(),
//!             line: ::core::line!(),
//!         },
//!         __checker,
//!         ::netcheck::__private::Expect::Deadlock,
//!         answers,
//!     );
//!     ::netcheck::__private::insta::assert_snapshot!("answers", __outcome.counterexample_text(), "counterexample");
//! }
//! ```

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::Ident;
use syn::ext::IdentExt;

use super::ast::{Choice, ModelCheck, Search, Tcp, Udp};
use super::attr::plain;
use crate::function::Function;

pub(super) fn test(check: &ModelCheck, function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, body } = function;
    let name = &sig.ident;
    let name_text = name.unraw().to_string();
    // Locals of ours that the user's tokens cannot see.
    let checker = Ident::new("__checker", Span::mixed_site());
    let outcome = Ident::new("__outcome", Span::mixed_site());

    let checker_value = self::checker(check);
    let expect = match &check.expect {
        Some(Choice { variant, .. }) => quote!(#variant),
        None => quote!(Verified),
    };
    // At the user's function name: a wrong parameter type is a mistake there, and it is the line
    // that a report names.
    let outcome_value = quote_spanned! {name.span()=>
        ::netcheck::__private::run_test(
            ::netcheck::__private::TestInfo {
                module: ::core::module_path!(),
                name: #name_text,
                file: ::core::file!(),
                line: ::core::line!(),
            },
            #checker,
            ::netcheck::__private::Expect::#expect,
            #name,
        )
    };
    let finish = if check.said.has("snapshot") {
        quote! {
            let #outcome = #outcome_value;
            ::netcheck::__private::insta::assert_snapshot!(#name_text, #outcome.counterexample_text(), "counterexample");
        }
    } else {
        quote!(let _ = #outcome_value;)
    };
    quote! {
        #(#attrs)*
        #[::core::prelude::v1::test]
        #vis fn #name() {
            #sig #body
            let #checker = #checker_value;
            #finish
        }
    }
}

fn checker(check: &ModelCheck) -> TokenStream {
    let mut calls = TokenStream::new();
    if let Some(udp) = &check.udp {
        let udp = self::udp(udp);
        calls.extend(quote!(.udp(#udp)));
    }
    if let Some(tcp) = &check.tcp {
        let tcp = self::tcp(tcp);
        calls.extend(quote!(.tcp(#tcp)));
    }
    if let Some(Choice { variant, .. }) = &check.tasks {
        calls.extend(quote!(.tasks(::netcheck::check::Tasks::#variant)));
    }
    if let Some(at_most) = &check.at_most {
        calls.extend(quote!(.at_most(#at_most)));
    }
    if let Some(search) = &check.search {
        let search = match search {
            Search::Simple(Choice { variant, .. }) => quote!(#variant),
            Search::Random { name, seed } => {
                let variant = Ident::new("Random", name.span());
                let seed = seed.as_ref().map_or_else(|| quote!(0), |seed| quote!(#seed));
                quote!(#variant { seed: #seed })
            }
        };
        calls.extend(quote!(.search(::netcheck::check::Search::#search)));
    }
    if let Some(max_states) = &check.max_states {
        calls.extend(quote!(.max_states(#max_states)));
    }
    if let Some(max_depth) = &check.max_depth {
        calls.extend(quote!(.max_depth(#max_depth)));
    }
    if let Some(reduction) = &check.reduction {
        calls.extend(quote!(.reduction(#reduction)));
    }
    quote!(::netcheck::check::Checker::new() #calls)
}

fn udp(udp: &Udp) -> TokenStream {
    let mut calls = TokenStream::new();
    for word in ["loss", "duplication"] {
        if let Some(word) = udp.said.get(word) {
            calls.extend(quote!(.#word()));
        }
    }
    if let Some(reorder) = udp.reorder.as_ref().map(plain) {
        calls.extend(quote!(.reorder(#reorder)));
    }
    if let Some(copies) = &udp.copies {
        let copies = copies.iter().map(plain);
        calls.extend(quote!(.copies([#(#copies),*])));
    }
    if let Some(window) = udp.window.as_ref().map(plain) {
        calls.extend(quote!(.window(#window)));
    }
    if let Some(Choice { variant, .. }) = &udp.direction {
        calls.extend(quote!(.direction(::netcheck::check::Direction::#variant)));
    }
    if let Some(delay) = udp.said.get("delay") {
        calls.extend(quote!(.#delay()));
    }
    for process in udp.processes.iter().flatten() {
        calls.extend(quote!(.process(#process)));
    }
    quote!(::netcheck::check::Udp::new() #calls)
}

fn tcp(tcp: &Tcp) -> TokenStream {
    let mut calls = TokenStream::new();
    for word in ["open", "close", "read", "write"] {
        if let Some(word) = tcp.said.get(word) {
            let fail = format_ident!("fail_{word}");
            calls.extend(quote!(.#fail()));
        }
    }
    for word in ["reset", "hang", "split"] {
        if let Some(word) = tcp.said.get(word) {
            calls.extend(quote!(.#word()));
        }
    }
    if let Some(buffer) = tcp.buffer.as_ref().map(plain) {
        calls.extend(quote!(.buffer(#buffer)));
    }
    for process in tcp.processes.iter().flatten() {
        calls.extend(quote!(.process(#process)));
    }
    if let Some(Choice { variant, .. }) = &tcp.side {
        calls.extend(quote!(.side(::netcheck::check::Side::#variant)));
    }
    if let Some(first) = tcp.first.as_ref().map(plain) {
        calls.extend(quote!(.first(#first)));
    }
    quote!(::netcheck::check::Tcp::new() #calls)
}
