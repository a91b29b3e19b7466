//! Writes the function that returns a process.
//!
//! The user's async fn moves inside, as `crate::capture` has rewritten it; around it stands a function of the same name that hands
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
//!         let __frame = ::netcheck::__private::capture::frame(|| {});
//!         ::netcheck::__private::capture::direct(ask(&mut server, first, second), __frame).await
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
//!
//! A function that names `self` or `Self` can't move inside: no function in a method can. It stands
//! next to the method, in the same `impl`, as `__client`, and `Self::__client` is called.

use std::borrow::Cow;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, FnArg, GenericParam, Generics, Ident, Pat, PatType, ReceiverKind, ReturnType, Signature, Type};

use crate::function::{Function, attr_name, receiver_type};

pub(super) fn process(function: &Function) -> TokenStream {
    let Function { attrs, vis, sig, .. } = function;
    let name = &sig.ident;
    let name_text = name.unraw().to_string();
    let generics = &sig.generics;
    let where_clause = &generics.where_clause;
    let output = match &sig.output {
        ReturnType::Default => quote_spanned!(name.span()=> ()),
        ReturnType::Type(_, ty) => ty.to_token_stream(),
    };
    let taken: Vec<Taken> = sig.inputs.iter().enumerate().map(|(i, input)| Taken::from(i, input)).collect();
    let parameters = taken.iter().map(|taken| &taken.parameter);
    let arguments = taken.iter().map(|taken| taken.argument(name.span(), generics));
    let idents: Vec<&Ident> = taken.iter().map(|taken| &taken.ident).collect();
    let choice = turbofish(generics);
    let Inner { inside, beside, path } = inner(function);
    let outer_attrs = attrs.iter().filter(|attr| belongs_outside(attr) && !(beside.is_some() && is_expectation(attr)));
    let value = quote_spanned! {name.span()=>
        ::netcheck::__private::process(
            #name_text,
            (#(#arguments,)*),
            |(#(#idents,)*)| #path #choice (#(#idents),*)
        )
    };
    quote! {
        #(#outer_attrs)*
        #vis fn #name #generics (#(#parameters),*) -> ::netcheck::Process<#output> #where_clause {
            #inside
            #value
        }
        #beside
    }
}

/// An argument as the outer function takes it.
struct Taken<'a> {
    parameter: TokenStream,
    /// Its name there.
    value: Ident,
    /// Its name where it is handed to the inner function.
    ident: Ident,
    ty: Cow<'a, Type>,
}

impl<'a> Taken<'a> {
    fn from(i: usize, input: &'a FnArg) -> Self {
        match input {
            FnArg::Typed(argument) => {
                let ident = outer_name(i, argument);
                let ty = &*argument.ty;
                Taken { parameter: quote!(#ident: #ty), value: ident.clone(), ident, ty: Cow::Borrowed(ty) }
            }
            FnArg::Receiver(receiver) => {
                let self_token = receiver.self_token;
                let ty = receiver_type(receiver);
                let ty_given = matches!(receiver.kind, ReceiverKind::Typed(..)).then(|| quote!(: #ty));
                let value = Ident::from(self_token);
                let ident = Ident::new("__self", Span::mixed_site().located_at(value.span()));
                Taken { parameter: quote!(#self_token #ty_given), value, ident, ty: Cow::Owned(ty) }
            }
        }
    }

    /// Demands on an argument are reported at its type. (An assertion per type would
    /// be reported besides, and so give two errors for one mistake.)
    fn argument(&self, at: Span, generics: &Generics) -> TokenStream {
        let Taken { value, ty, .. } = self;
        let mut argument = value.clone();
        if value != "self" {
            argument.set_span(value.span().located_at(ty.span()));
        }
        match is_generic(ty, generics) {
            true => quote_spanned!(at=> ::netcheck::__private::cloned(#argument)),
            false => quote_spanned!(at=> ::netcheck::__private::argument(&#value).keep(#argument)),
        }
    }
}

/// The user's async fn, and how it is called.
struct Inner {
    inside: Option<TokenStream>,
    beside: Option<TokenStream>,
    path: TokenStream,
}

fn inner(Function { attrs, sig, body, .. }: &Function) -> Inner {
    let name = &sig.ident;
    if !names_self(sig, body) {
        let attrs = attrs.iter().filter(|attr| !belongs_outside(attr));
        let inside = quote! {
            #(#attrs)*
            #sig #body
        };
        return Inner { inside: Some(inside), beside: None, path: quote!(#name) };
    }
    let mut sig = sig.clone();
    sig.ident = format_ident!("__{}", name.unraw(), span = name.span());
    let path = &sig.ident;
    let attrs = attrs.iter().filter(|attr| !belongs_outside(attr) || reaches_inwards(attr));
    let beside = quote! {
        #(#attrs)*
        #[doc(hidden)]
        #[allow(dead_code)]
        #sig #body
    };
    Inner { inside: None, path: quote_spanned!(name.span()=> Self::#path), beside: Some(beside) }
}

/// Whether a function can stand in an `impl` only.
fn names_self(sig: &Signature, body: &TokenTree) -> bool {
    fn has_self(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|tree| match tree {
            TokenTree::Group(group) => has_self(group.stream()),
            tree => matches!(tree, TokenTree::Ident(ident) if ident == "Self"),
        })
    }
    sig.receiver().is_some() || has_self(sig.to_token_stream()) || has_self(body.to_token_stream())
}

/// Lint levels and conditions hold for the function inside too, wherever it stands.
fn reaches_inwards(attr: &Attribute) -> bool {
    ["cfg", "cfg_attr", "allow", "expect", "warn", "deny", "forbid"].contains(&attr_name(attr).as_str())
}

/// It is fulfilled once, by the function inside.
fn is_expectation(attr: &Attribute) -> bool {
    attr_name(attr) == "expect"
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
