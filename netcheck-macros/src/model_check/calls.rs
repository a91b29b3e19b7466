//! The calls on the builder that words stand for: each word calls the method of its name.

use netcheck_words::{CHECK, Takes, Word};
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Expr, Ident, LitInt};

use super::ast::{Choice, Delays, DelaysKind, Length, Number, Said, Search, Side, Time, Value, Words};

/// The builder of a check with these words.
pub(super) fn checker(words: &Words) -> TokenStream {
    let calls = calls(words, CHECK);
    quote!(::netcheck::check::Checker::new() #calls)
}

fn calls(words: &Words, table: &[Word]) -> TokenStream {
    let said = table.iter().flat_map(|word| words.all(word.name).enumerate().map(move |(nth, said)| (word, nth, said)));
    said.map(|(word, nth, said)| call(word, nth, said, words)).collect()
}

/// The call for a word that was said; `nth`: of several of this name.
fn call(word: &Word, nth: usize, Said { name, value }: &Said, words: &Words) -> TokenStream {
    let method = if word.name == "fs" { "files" } else { word.name };
    let call = Ident::new(method, Span::call_site());
    let value = value.as_ref().expect("a word that is not understood was reported");
    match (value, &word.takes) {
        (Value::Nothing, Takes::Delays) => quote!(.#name(..)),
        (Value::Nothing, Takes::Maker) => TokenStream::new(),
        (Value::Nothing, _) if ["open", "close", "read", "write", "sync"].contains(&word.name) => {
            let fail = format_ident!("fail_{name}");
            quote!(.#fail())
        }
        (Value::Nothing, _) => quote!(.#name()),
        (Value::List(inner), Takes::List(builder, table)) => {
            let call = if nth == 0 { call } else { format_ident!("also_{call}") };
            let make = maker(inner, table);
            let (builder, inner) = (Ident::new(builder, Span::call_site()), calls(inner, table));
            quote!(.#call(::netcheck::check::#builder::#make #inner))
        }
        (Value::Choice(Choice { variant, .. }), Takes::Choice(of, _)) => {
            let of = Ident::new(of, Span::call_site());
            quote!(.#call(::netcheck::check::#of::#variant))
        }
        (Value::Boolean(value), _) => quote!(.#call(#value)),
        (Value::Expression(value), _) => quote!(.#call(#value)),
        (Value::Time(time), _) => {
            let time = duration(time);
            quote!(.#call(#time))
        }
        (Value::Number(number), _) => {
            let number = plain(number);
            quote!(.#call(#number))
        }
        (Value::Numbers(numbers), _) => {
            let numbers = numbers.iter().map(plain);
            quote!(.#call([#(#numbers),*]))
        }
        (Value::Delays(delays), _) => self::delays(name, delays),
        (Value::Process(_) | Value::Sides(_), Takes::ProcessMaker | Takes::SidesMaker) => TokenStream::new(),
        (Value::Process(process), _) => quote!(.process(#process)),
        (Value::Processes(processes), _) if word.name == "processes" => quote!(#(.process(#processes))*),
        (Value::Processes(processes), _) => quote!(.#call([#(#processes),*])),
        (Value::Search(search), _) => self::search(search, words.expression("seed")),
        (Value::List(_) | Value::Choice(_) | Value::File(_) | Value::Identifier(_) | Value::Sides(_), _) => {
            unreachable!("no word of a check takes this")
        }
    }
}

/// The call of the function that makes the builder of a list.
fn maker(words: &Words, table: &[Word]) -> TokenStream {
    let said = |word: &&Word| words.has(word.name);
    let makes =
        |word: &&Word| matches!(word.takes, Takes::Maker | Takes::ProcessMaker | Takes::SidesMaker) && said(word);
    let default = || table.iter().find(|word| matches!(word.takes, Takes::Maker));
    let Some(maker) = table.iter().find(makes).or_else(default) else { return quote!(new()) };
    let make = Ident::new(maker.name, Span::call_site());
    match words.all(maker.name).next().and_then(|said| said.value.as_ref()) {
        Some(Value::Process(process)) => quote!(#make(#process)),
        Some(Value::Sides(sides)) => {
            let are_sets = sides.iter().any(|side| side.of.is_some());
            let sides = sides.iter().map(|Side { names, .. }| match are_sets {
                true => quote!(&[#(#names),*][..]),
                false => quote!(#(#names),*),
            });
            quote!(#make([#(#sides),*]))
        }
        _ => quote!(#make()),
    }
}

fn delays(delay: &Ident, delays: &Delays) -> TokenStream {
    let duration = |length: &Length| {
        let ns = length.ns;
        quote!(::core::time::Duration::from_nanos(#ns))
    };
    match &delays.kind {
        DelaysKind::Interval { least, most } => {
            let (least, most) = (duration(least), most.as_ref().map(duration));
            let dots = if most.is_some() { quote!(..=) } else { quote!(..) };
            quote!(.#delay(#least #dots #most))
        }
        DelaysKind::Listed(listed) => {
            let listed = listed.iter().map(duration);
            quote!(.delays([#(#listed),*]))
        }
    }
}

fn duration(Time { ns, value }: &Time) -> TokenStream {
    match ns {
        Some(ns) => quote!(::core::time::Duration::from_nanos(#ns)),
        None => quote!(::core::time::Duration::from_secs(#value)),
    }
}

fn search(search: &Search, seed: Option<&Expr>) -> TokenStream {
    let Search { choice: Choice { name, variant }, words, arrivals } = search;
    let seed = words.expression("seed").or(seed).map_or_else(|| quote!(0), |seed| quote!(#seed));
    let number =
        |number: Option<&Number>, otherwise: TokenStream| number.map(plain).map_or(otherwise, |number| quote!(#number));
    let search = if name == "random" {
        quote!(#variant { seed: #seed })
    } else if name == "simulate" {
        let runs = words.expression("runs").map(|runs| quote!(.runs(#runs)));
        let time = words.time("time").map(duration).map(|time| quote!(.time(#time)));
        return quote!(.simulation(::netcheck::check::Simulation::new(#seed) #runs #time));
    } else if name == "network_states" {
        let both = words.number("retransmissions").map(plain);
        let both = both.map(|arrivals| quote!(::core::option::Option::Some(#arrivals)));
        let retransmissions = both.unwrap_or_else(|| quote!(::core::option::Option::None));
        quote!(#variant { retransmissions: #retransmissions })
    } else if name == "retransmissions" {
        let arrivals = number(arrivals.as_ref(), quote!(2));
        quote!(#variant { arrivals: #arrivals })
    } else if name == "pct" {
        // As many as most bugs need that are not found by chance (section 4 of the paper).
        let depth = number(words.number("depth"), quote!(3));
        quote!(#variant { seed: #seed, depth: #depth })
    } else {
        quote!(#variant)
    };
    quote!(.search(::netcheck::check::Search::#search))
}

/// The literal as it goes into the expansion: with the user's span, without a suffix.
fn plain(number: &Number) -> LitInt {
    LitInt::new(number.literal.base10_digits(), number.literal.span())
}
