//! Writes a monitor as calls of the builder.
//!
//! From
//!
//! ```ignore
//! monitor! {
//!     pub monitor Turns(limit: Duration) over Ball {
//!         variable hits: 0..=3;
//!         clock c;
//!         state ping {
//!             Ball::Hit => pong { hits = hits + 1; reset c; }
//!             otherwise => reject
//!         }
//!         accepting state pong while c <= limit {
//!             Ball::Hit if hits > 1 when c > limit / 2 => ping,
//!             otherwise => pong
//!         }
//!     }
//! }
//! ```
//!
//! comes a struct `Turns` with the parameters as its fields, `Turns::new`, and an `IntoMonitor` that declares each
//! variable, clock and state, and then each rule:
//!
//! ```text
//! .rule("ping", "pong", Rule::on("Ball::Hit", |event| matches!(event, Ball::Hit))
//!     .set("hits", |event, values| { let hits = values.get("hits"); match event { Ball::Hit => hits + 1, … } })
//!     .reset("c"))
//! ```
//!
//! Each rule has the source line of its pattern. Rustc itself says which events a state without `otherwise` forgets, by
//! a `match` that is never run.

use super::parse::{Constraint, Domain, Monitor, Otherwise, Parameter, REJECT, Rule, State, Variable, Write, text};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{BinOp, Expr, Ident, Pat};

pub(super) fn monitor(monitor: &Monitor) -> TokenStream {
    let Monitor { name, event, variables, clocks, states, .. } = monitor;
    let declared = declared(monitor);
    let shown = name.to_string();
    let fields = names(monitor);
    let variables_declared = variables.iter().map(|Variable { name, domain }| {
        let (name, domain) = (
            name.to_string(),
            match domain {
                Domain::Bool => quote!(0..=1),
                Domain::Range(range) => range.to_token_stream(),
            },
        );
        quote!(let __builder = __builder.variable(#name, #domain);)
    });
    let clocks_declared = clocks.iter().map(|clock| {
        let clock = clock.to_string();
        quote!(let __builder = __builder.clock(#clock);)
    });
    let states_declared = states.iter().map(state);
    let rules = states.iter().flat_map(|state| {
        let own = state.rules.iter().map(|of| rule(monitor, state, of));
        own.chain(state.otherwise.iter().filter_map(|of| otherwise(monitor, state, of))).collect::<Vec<_>>()
    });
    let exhaustive = states.iter().filter(|state| state.otherwise.is_none()).map(|state| exhaustive(monitor, state));
    quote! {
        #declared
        #[automatically_derived]
        impl ::netcheck::monitor::IntoMonitor for #name {
            type Event = #event;

            #[allow(unused_variables, unreachable_patterns, unused_parens, clippy::all, clippy::pedantic)]
            fn into_monitor(self) -> ::netcheck::monitor::Monitor<#event> {
                #(#exhaustive)*
                let #name { #(#fields),* } = self;
                let __builder = ::netcheck::monitor::Monitor::builder(#shown);
                #(#variables_declared)*
                #(#clocks_declared)*
                #(#states_declared)*
                #(#rules)*
                ::netcheck::__private::built(__builder)
            }
        }
    }
}

/// The type alone, for a monitor with mistakes.
pub(super) fn stand_in(monitor: &Monitor) -> TokenStream {
    let Monitor { name, event, .. } = monitor;
    let declared = declared(monitor);
    quote! {
        #declared
        #[automatically_derived]
        impl ::netcheck::monitor::IntoMonitor for #name {
            type Event = #event;

            fn into_monitor(self) -> ::netcheck::monitor::Monitor<#event> {
                ::core::unreachable!()
            }
        }
    }
}

/// The type with its constructor.
fn declared(monitor: &Monitor) -> TokenStream {
    let Monitor { attributes, visibility, name, parameters, .. } = monitor;
    let (fields, types): (Vec<_>, Vec<_>) = parameters.iter().map(|Parameter { name, of }| (name, of)).unzip();
    quote! {
        #(#attributes)*
        #[derive(Clone)]
        #[allow(dead_code)]
        #visibility struct #name { #(#fields: #types),* }

        #[automatically_derived]
        #[allow(dead_code)]
        impl #name {
            /// The monitor with these parameters.
            #[must_use]
            #[allow(clippy::new_without_default, clippy::too_many_arguments)]
            #visibility fn new(#(#fields: #types),*) -> Self {
                #name { #(#fields),* }
            }
        }
    }
}

fn names(monitor: &Monitor) -> Vec<&Ident> {
    monitor.parameters.iter().map(|parameter| &parameter.name).collect()
}

fn state(state: &State) -> TokenStream {
    let name = state.name.to_string();
    let accepting = state.is_accepting.then(|| quote!(let __builder = __builder.accepting(#name);));
    let hot = state.is_hot.then(|| quote!(let __builder = __builder.hot(#name);));
    let deadlines = state.deadlines.iter().map(|Constraint { clock, duration, .. }| {
        let clock = clock.to_string();
        quote!(let __builder = __builder.deadline(#name, #clock, #duration);)
    });
    quote! {
        let __builder = __builder.state(#name);
        #accepting
        #hot
        #(#deadlines)*
    }
}

/// A closure over an event and the variables, with copies of the parameters; `inside` makes the body.
fn closure(monitor: &Monitor, of_values: bool, body: TokenStream) -> TokenStream {
    let (fields, event) = (names(monitor), &monitor.event);
    let copies = quote!(#(let #fields = ::core::clone::Clone::clone(&#fields);)*);
    if !of_values {
        return quote!({ #copies move |__event: &#event| #body });
    }
    let values = monitor.variables.iter().map(|Variable { name, domain }| {
        let shown = name.to_string();
        match domain {
            Domain::Bool => quote!(let #name: bool = __values.get(#shown) != 0;),
            Domain::Range(_) => quote!(let #name: i64 = __values.get(#shown);),
        }
    });
    quote!({ #copies move |__event: &#event, __values: &::netcheck::monitor::Values<'_>| { #(#values)* #body } })
}

fn rule(monitor: &Monitor, state: &State, of: &Rule) -> TokenStream {
    let Rule { pattern, condition, constraints, target, writes } = of;
    let label = text(&pattern.to_token_stream());
    let matches = closure(monitor, false, quote!(match __event { #pattern => true, _ => false }));
    let mut made = quote!(::netcheck::monitor::Rule::on(#label, #matches));
    if let Some(condition) = condition {
        let shown = text(&condition.to_token_stream());
        let holds = closure(monitor, true, quote!(match __event { #pattern => { #condition } _ => false }));
        made = quote!(#made.when(#shown, #holds));
    }
    for constraint in constraints {
        let guard = guard(constraint);
        made = quote!(#made.guard(#guard));
    }
    let written = written(monitor, writes, Some(pattern));
    placed(state, target, pattern.span(), quote!(#made #written))
}

fn otherwise(monitor: &Monitor, state: &State, of: &Otherwise) -> Option<TokenStream> {
    let Otherwise { keyword, target, writes } = of;
    let written = written(monitor, writes, None);
    let made = quote!(::netcheck::monitor::Rule::otherwise() #written);
    (*target != REJECT).then(|| placed(state, target, keyword.span(), made))
}

/// The rule between its states, with the source line of `at`.
fn placed(state: &State, target: &Ident, at: Span, made: TokenStream) -> TokenStream {
    let (from, to) = (state.name.to_string(), target.to_string());
    quote_spanned!(at=> let __builder = __builder.rule(#from, #to, #made);)
}

fn written(monitor: &Monitor, writes: &[Write], pattern: Option<&Pat>) -> TokenStream {
    let each = writes.iter().map(|write| match write {
        Write::Reset { clock } => {
            let clock = clock.to_string();
            quote!(.reset(#clock))
        }
        Write::Assign { variable, value } => {
            let shown = variable.to_string();
            let value = assigned(monitor, variable, value);
            let body = match pattern {
                Some(pattern) => quote!(match __event { #pattern => #value, _ => ::core::unreachable!() }),
                None => value,
            };
            let value = closure(monitor, true, body);
            quote!(.set(#shown, #value))
        }
    });
    quote!(#(#each)*)
}

/// A value of a variable's type, as a number.
fn assigned(monitor: &Monitor, variable: &Ident, value: &Expr) -> TokenStream {
    let is_bool = |declared: &&Variable| declared.name == *variable && matches!(declared.domain, Domain::Bool);
    match monitor.variables.iter().find(is_bool) {
        Some(_) => quote!({ let __value: bool = #value; __value as i64 }),
        None => quote!({ let __value: i64 = #value; __value }),
    }
}

fn guard(Constraint { clock, operator, duration }: &Constraint) -> TokenStream {
    let clock = clock.to_string();
    let of = |method: &str| {
        let method = Ident::new(method, duration.span());
        quote!(::netcheck::monitor::Guard::#method(#clock, #duration))
    };
    match operator {
        BinOp::Le(_) => of("at_most"),
        BinOp::Lt(_) => of("less_than"),
        BinOp::Ge(_) => of("at_least"),
        BinOp::Gt(_) => of("more_than"),
        _ => {
            let (most, least) = (of("at_most"), of("at_least"));
            quote!(#most.and(#least))
        }
    }
}

/// A match over all patterns of a state, at its name.
fn exhaustive(monitor: &Monitor, State { name, rules, .. }: &State) -> TokenStream {
    let event = &monitor.event;
    let patterns = rules.iter().map(|rule| &rule.pattern);
    let matched = quote_spanned!(name.span()=> __event);
    quote! {
        let _ = |__event: &#event| match #matched { #(#patterns => (),)* };
    }
}
