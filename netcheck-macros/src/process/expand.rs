//! Writes the function that returns a process.
//!
//! The user's async fn moves inside, whole; around it stands a function of the same name that hands
//! it, with its arguments, to the runtime. From
//!
//! ```ignore
//! /// Asks once.
//! #[process]
//! pub async fn client<T: Ask>(mut server: String, (first, second): (u32, T)) -> Result<T, Error> {
//!     ask(&mut server, first, second).await
//! }
//! ```
//!
//! comes (a test below keeps this true)
//!
//! ```ignore
//! /// Asks once.
//! pub fn client<T: Ask>(server: String, __arg1: (u32, T)) -> ::netcheck::Process<Result<T, Error>> {
//!     async fn client<T: Ask>(mut server: String, (first, second): (u32, T)) -> Result<T, Error> {
//!         ask(&mut server, first, second).await
//!     }
//!     ::netcheck::__private::process(
//!         "client",
//!         (
//!             ::netcheck::__private::argument(&server).keep(server),
//!             ::netcheck::__private::cloned(__arg1),
//!         ),
//!         |(server, __arg1,)| client::<T>(server, __arg1)
//!     )
//! }
//! ```

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, FnArg, GenericParam, Generics, Ident, Pat, PatType, ReturnType, Type};

use crate::function::{Function, attr_name};

pub(super) fn process(function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, body } = function;
    let (outer_attrs, inner_attrs): (Vec<_>, Vec<_>) = attrs.iter().partition(|attr| belongs_outside(attr));
    let name = &sig.ident;
    let name_text = name.unraw().to_string();
    let generics = &sig.generics;
    let where_clause = &generics.where_clause;

    let (idents, types): (Vec<Ident>, Vec<&Type>) = sig
        .inputs
        .iter()
        .enumerate()
        .filter_map(|(i, input)| match input {
            FnArg::Typed(argument) => Some((outer_name(i, argument), &*argument.ty)),
            // Refused by `valid`.
            FnArg::Receiver(_) => None,
        })
        .unzip();
    let output = match &sig.output {
        ReturnType::Default => quote_spanned!(name.span()=> ()),
        ReturnType::Type(_, ty) => ty.to_token_stream(),
    };
    let choice = turbofish(generics);
    // What is demanded of an argument is reported at its type. (An assertion per type would
    // be reported besides, and so give two errors for one mistake.)
    let arguments = idents.iter().zip(&types).map(|(ident, ty)| {
        let mut argument = ident.clone();
        argument.set_span(ident.span().located_at(ty.span()));
        match is_generic(ty, generics) {
            true => quote_spanned!(name.span()=> ::netcheck::__private::cloned(#argument)),
            false => quote_spanned!(name.span()=> ::netcheck::__private::argument(&#ident).keep(#argument)),
        }
    });
    let value = quote_spanned! {name.span()=>
        ::netcheck::__private::process(
            #name_text,
            (#(#arguments,)*),
            |(#(#idents,)*)| #name #choice (#(#idents),*)
        )
    };
    quote! {
        #(#outer_attrs)*
        #vis fn #name #generics (#(#idents: #types),*) -> ::netcheck::Process<#output> #where_clause {
            #(#inner_attrs)*
            #sig #body
            #value
        }
    }
}

/// Attributes of the function as its callers see it, and lint levels, which reach inwards anyway.
/// Others (`#[tracing::instrument]`) rewrite an async fn and stay with it.
fn belongs_outside(attr: &Attribute) -> bool {
    const OUTSIDE: &[&str] = &[
        "doc",
        "cfg",
        "cfg_attr",
        "allow",
        "expect",
        "warn",
        "deny",
        "forbid",
        "deprecated",
        "must_use",
        "inline",
        "cold",
        "track_caller",
    ];
    OUTSIDE.contains(&attr_name(attr).as_str())
}

/// The user's own name where the pattern is just a name, so that docs show it.
fn outer_name(i: usize, argument: &PatType) -> Ident {
    match &*argument.pat {
        Pat::Ident(pat) if pat.by_ref.is_none() && pat.subpat.is_none() => pat.ident.clone(),
        _ => format_ident!("__arg{i}", span = argument.ty.span()),
    }
}

/// Whether a type parameter is part of the type.
fn is_generic(ty: &Type, generics: &Generics) -> bool {
    struct Parameters<'a>(&'a Generics, bool);
    impl Visit<'_> for Parameters<'_> {
        fn visit_ident(&mut self, ident: &Ident) {
            self.1 |= self.0.type_params().any(|param| param.ident == *ident);
        }
    }
    let mut parameters = Parameters(generics, false);
    parameters.visit_type(ty);
    parameters.1
}

/// `::<T, N>`: the inner function has parameters of its own, which get the outer ones' values.
fn turbofish(generics: &Generics) -> TokenStream {
    let arguments: Vec<_> = generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(param) => Some(&param.ident),
            GenericParam::Const(param) => Some(&param.ident),
            // Refused by `valid`.
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    match arguments.is_empty() {
        true => TokenStream::new(),
        false => quote!(::<#(#arguments),*>),
    }
}
