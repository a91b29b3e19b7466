//! Writes the `select!`.
//!
//! Tokio's order is kept, because dropping and creating futures are effects that are explored: first
//! the conditions, then all futures (also those whose condition is false), then `into_future` of
//! each; when one has won, all are dropped, in the order of the branches, before the handler runs.
//! Handlers stand outside of the polling closure, so that `?`, `break`, `continue` and `return` work
//! in them. There is no `unsafe`, so that the user may forbid it. From
//!
//! ```ignore
//! ($crate)
//! Some(x) = receive(), if open => x?,
//! _ = sleep => { return None; }
//! else => 0,
//! ```
//!
//! comes (a test below keeps this true)
//!
//! ```ignore
//! {
//!     enum __NetcheckOut<__T0, __T1> {
//!         _0(__T0),
//!         _1(__T1),
//!         Disabled,
//!     }
//!     let mut __disabled: ::core::primitive::u64 = 0;
//!     let __enabled: ::core::primitive::bool = open;
//!     if !__enabled {
//!         __disabled |= 1 << 0u32;
//!     }
//!     let mut __out = {
//!         let __init = (receive(), sleep,);
//!         let (__future0, __future1,) = (
//!             ::core::future::IntoFuture::into_future(__init.0),
//!             ::core::future::IntoFuture::into_future(__init.1),
//!         );
//!         let mut __future1 = ::core::pin::pin!(__future1);
//!         let mut __future0 = ::core::pin::pin!(__future0);
//!         let __quiet = [
//!             $crate::__private::quiet(&__future0),
//!             $crate::__private::quiet(&__future1),
//!         ];
//!         let mut __select = $crate::__private::Select::new(&__quiet, false);
//!         let __out = ::core::future::poll_fn(|__cx| {
//!             let mut __round = __select.begin(__cx, __disabled);
//!             while let ::core::option::Option::Some(__branch) = __round.next() {
//!                 match __branch {
//!                     #[allow(unreachable_code)]
//!                     0usize => {
//!                         let __waker = __round.waker(0usize);
//!                         let __value = match ::core::future::Future::poll(
//!                             __future0.as_mut(),
//!                             &mut ::core::task::Context::from_waker(&__waker),
//!                         ) {
//!                             ::core::task::Poll::Ready(__value) => __value,
//!                             ::core::task::Poll::Pending => continue,
//!                         };
//!                         __disabled |= 1 << 0u32;
//!                         #[allow(unused_variables, unused_mut, unreachable_patterns)]
//!                         match &__value {
//!                             Some(x) => {}
//!                             _ => {
//!                                 __round.mismatched(0usize);
//!                                 continue;
//!                             }
//!                         }
//!                         __round.ready(0usize, ::core::stringify!(receive()));
//!                         return ::core::task::Poll::Ready(__NetcheckOut::_0(__value));
//!                     }
//!                     #[allow(unreachable_code)]
//!                     1usize => {
//!                         let __waker = __round.waker(1usize);
//!                         let __value = match ::core::future::Future::poll(
//!                             __future1.as_mut(),
//!                             &mut ::core::task::Context::from_waker(&__waker),
//!                         ) {
//!                             ::core::task::Poll::Ready(__value) => __value,
//!                             ::core::task::Poll::Pending => continue,
//!                         };
//!                         __disabled |= 1 << 1u32;
//!                         #[allow(unused_variables, unused_mut, unreachable_patterns)]
//!                         match &__value {
//!                             _ => {}
//!                             _ => {
//!                                 __round.mismatched(1usize);
//!                                 continue;
//!                             }
//!                         }
//!                         __round.ready(1usize, ::core::stringify!(sleep));
//!                         return ::core::task::Poll::Ready(__NetcheckOut::_1(__value));
//!                     }
//!                     _ => ::core::unreachable!("a round yields only the branches that there are"),
//!                 }
//!             }
//!             if __disabled == 3u64 {
//!                 ::core::task::Poll::Ready(__NetcheckOut::Disabled)
//!             } else {
//!                 ::core::task::Poll::Pending
//!             }
//!         })
//!         .await;
//!         __out
//!     };
//!     match __out {
//!         __NetcheckOut::_0(Some(x)) => x?,
//!         __NetcheckOut::_1(_) => { return None; },
//!         __NetcheckOut::Disabled => 0,
//!         _ => ::core::unreachable!("failed to match bind"),
//!     }
//! }
//! ```

use proc_macro2::{Literal, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Index, Pat};

use super::parse::{Branch, Select};

pub(super) fn select(select: &Select) -> TokenStream {
    let Select { krate, biased, branches, otherwise } = select;
    if branches.is_empty() {
        return quote!({ #otherwise });
    }
    let count = branches.len();
    let all = Literal::u64_suffixed(u64::MAX >> (u64::BITS as usize - count));
    let otherwise = otherwise.clone().unwrap_or_else(|| {
        quote_spanned! {Span::mixed_site()=>
            ::core::panic!("all branches are disabled and there is no else branch")
        }
    });

    let names: Vec<Names> = branches.iter().enumerate().map(|(i, branch)| Names::new(i, branch)).collect();
    let variants: Vec<_> = names.iter().map(|names| &names.variant).collect();
    let types: Vec<_> = names.iter().map(|names| &names.ty).collect();
    let futures: Vec<_> = names.iter().map(|names| &names.future).collect();
    let last_first: Vec<_> = futures.iter().rev().collect();
    let into_futures = branches.iter().enumerate().map(|(i, branch)| {
        let field = Index::from(i);
        quote_spanned!(at_future(branch)=> ::core::future::IntoFuture::into_future(__init.#field))
    });

    let conditions = branches.iter().zip(&names).filter_map(|(branch, names)| {
        let condition = branch.condition.as_ref()?;
        let bit = &names.bit;
        Some(quote_spanned! {Span::mixed_site()=>
            let __enabled: ::core::primitive::bool = #condition;
            if !__enabled {
                __disabled |= 1 << #bit;
            }
        })
    });
    let inits = branches.iter().map(|branch| &branch.future);
    let polls = branches.iter().zip(&names).map(|(branch, names)| poll(branch, names));
    let pats = branches.iter().map(|branch| &branch.pat);
    let handlers = branches.iter().map(|branch| &branch.handler);

    quote_spanned! {Span::mixed_site()=> {
        enum __NetcheckOut<#(#types),*> {
            #(#variants(#types),)*
            Disabled,
        }
        let mut __disabled: ::core::primitive::u64 = 0;
        #(#conditions)*
        let mut __out = {
            let __init = (#(#inits,)*);
            let (#(#futures,)*) = (#(#into_futures,)*);
            #(let mut #last_first = ::core::pin::pin!(#last_first);)*
            let __quiet = [#(#krate::__private::quiet(&#futures),)*];
            let mut __select = #krate::__private::Select::new(&__quiet, #biased);
            let __out = ::core::future::poll_fn(|__cx| {
                let mut __round = __select.begin(__cx, __disabled);
                while let ::core::option::Option::Some(__branch) = __round.next() {
                    match __branch {
                        #(#polls)*
                        _ => ::core::unreachable!("a round yields only the branches that there are"),
                    }
                }
                if __disabled == #all {
                    ::core::task::Poll::Ready(__NetcheckOut::Disabled)
                } else {
                    ::core::task::Poll::Pending
                }
            })
            .await;
            __out
        };
        match __out {
            #(__NetcheckOut::#variants(#pats) => #handlers,)*
            __NetcheckOut::Disabled => #otherwise,
            _ => ::core::unreachable!("failed to match bind"),
        }
    }}
}

/// The names of the `i`th branch's parts.
struct Names {
    variant: Ident,
    ty: Ident,
    future: Ident,
    index: Literal,
    bit: Literal,
}

impl Names {
    fn new(i: usize, branch: &Branch) -> Self {
        let span = Span::mixed_site();
        Names {
            variant: format_ident!("_{i}", span = span),
            ty: format_ident!("__T{i}", span = span),
            future: format_ident!("__future{i}", span = at_future(branch)),
            index: Literal::usize_suffixed(i),
            bit: Literal::u32_suffixed(u32::try_from(i).expect("there are few branches")),
        }
    }
}

/// Our names, at the user's future: what is no future is reported there.
fn at_future(branch: &Branch) -> Span {
    Span::mixed_site().located_at(branch.future.span())
}

fn poll(branch: &Branch, names: &Names) -> TokenStream {
    let Names { variant, future, index, bit, .. } = names;
    let mut pat = branch.pat.clone();
    let text = &branch.future;
    remove_binding_modes(&mut pat);
    let poll = quote_spanned! {at_future(branch)=>
        ::core::future::Future::poll(
            #future.as_mut(),
            &mut ::core::task::Context::from_waker(&__waker),
        )
    };
    quote_spanned! {Span::mixed_site()=>
        #[allow(unreachable_code)]
        #index => {
            let __waker = __round.waker(#index);
            let __value = match #poll {
                ::core::task::Poll::Ready(__value) => __value,
                ::core::task::Poll::Pending => continue,
            };
            __disabled |= 1 << #bit;
            #[allow(unused_variables, unused_mut, unreachable_patterns)]
            match &__value {
                #pat => {}
                _ => {
                    __round.mismatched(#index);
                    continue;
                }
            }
            __round.ready(#index, ::core::stringify!(#text));
            return ::core::task::Poll::Ready(__NetcheckOut::#variant(__value));
        }
    }
}

/// Whether the pattern matches is tried on a reference first, where `ref` and `mut` are not allowed
/// (tokio's `clean_pattern`).
fn remove_binding_modes(pat: &mut Pat) {
    match pat {
        Pat::Ident(pat) => {
            pat.by_ref = None;
            pat.mutability = None;
            if let Some((_, pat)) = &mut pat.subpat {
                remove_binding_modes(pat);
            }
        }
        Pat::Reference(pat) => {
            pat.mutability = None;
            remove_binding_modes(&mut pat.pat);
        }
        Pat::Or(pat) => pat.cases.iter_mut().for_each(remove_binding_modes),
        Pat::Paren(pat) => remove_binding_modes(&mut pat.pat),
        Pat::Slice(pat) => pat.elems.iter_mut().for_each(remove_binding_modes),
        Pat::Struct(pat) => pat.fields.iter_mut().for_each(|field| remove_binding_modes(&mut field.pat)),
        Pat::Tuple(pat) => pat.elems.iter_mut().for_each(remove_binding_modes),
        Pat::TupleStruct(pat) => pat.elems.iter_mut().for_each(remove_binding_modes),
        Pat::Type(pat) => remove_binding_modes(&mut pat.pat),
        _ => {}
    }
}
