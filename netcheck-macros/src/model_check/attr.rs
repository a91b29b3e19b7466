//! Reads the words of `#[model_check(…)]` into [`ModelCheck`], by the table of all words, `netcheck_words`.
//!
//! Every mistake in a single word is reported here; what does not go together is for `valid`.

use netcheck_words::{CHECK, GROUPS, OF_TESTS, SEARCHES, Takes};
use syn::{Expr, ExprArray, ExprCall, ExprLit, ExprPath, Ident, Lit, LitBool, LitStr};

use super::ast::{Choice, ModelCheck, Number, Said, Search, Side, Value, Words};
use super::{delay, name};
use crate::ctxt::Ctxt;
use crate::words::{Form, Word, ungroup};

pub(super) fn read(words: Vec<Word>, cx: &Ctxt) -> ModelCheck {
    let default_name = name::of(&words);
    let known: Vec<_> = CHECK.iter().chain(OF_TESTS).collect();
    ModelCheck { default_name, words: list(words, None, &known, cx), ..ModelCheck::default() }
}

/// The words of the list of this name; `None`: those of the attribute.
fn list(words: Vec<Word>, of: Option<&str>, known: &[&netcheck_words::Word], cx: &Ctxt) -> Words {
    let mut all = Words::default();
    for word in words {
        let name = word.name.clone();
        if !GROUPS.iter().any(|group| name == group) && all.has(&name.to_string()) {
            let advice = if matches!(word.form, Form::List(_)) { "put its words into one list" } else { "keep one" };
            cx.error(&name, format_args!("`{name}` is said twice: {advice}"));
            continue;
        }
        let value = match known.iter().find(|known| name == known.name) {
            Some(known) => value(word, known, cx),
            None => {
                cx.error(&name, unknown(of, &name.to_string(), known));
                None
            }
        };
        all.0.push(Said { name, value });
    }
    all
}

fn unknown(list: Option<&str>, name: &str, known: &[&netcheck_words::Word]) -> String {
    let names: Vec<_> = known.iter().map(|word| word.name).collect();
    match list {
        None => netcheck_words::unknown_outside(name, &names, "the words of `model_check` are"),
        Some(list) if CHECK.iter().chain(OF_TESTS).any(|word| word.name == name) => {
            format!("`{name}` is a word of `model_check` itself: write it after `{list}(…)`, not inside")
        }
        Some(list) => netcheck_words::unknown_in(list, name, &names),
    }
}

/// Reads the value that stands behind a word.
fn value(word: Word, known: &netcheck_words::Word, cx: &Ctxt) -> Option<Value> {
    let example = known.example;
    let wrong = match (&known.takes, word.form) {
        (_, Form::Broken) => return None,
        (Takes::Nothing | Takes::Maker | Takes::Delays, Form::Alone) => return Some(Value::Nothing),
        (Takes::List(_, words), Form::List(said)) => {
            let words: Vec<_> = words.iter().collect();
            return Some(Value::List(list(said, Some(known.name), &words, cx)));
        }
        (Takes::Nothing | Takes::Maker, _) => format!("`{0}` stands alone: write just `{0}`", known.name),
        (Takes::List(..), _) => format!("`{}` needs its words in parentheses: write `{example}`", known.name),
        (takes, Form::Value(value)) => return of(ungroup(*value), takes, cx),
        (Takes::Delays, Form::List(_)) => {
            "`delay` takes an interval or a list: write `delay = 1ms..=200ms` or `delay = [5ms, 50ms]`".to_owned()
        }
        (_, Form::Alone | Form::List(_)) => format!("`{0}` needs a value: write `{0} = {example}`", known.name),
    };
    cx.error(&word.name, wrong);
    None
}

/// Reads a value as its word takes it.
fn of(value: Expr, takes: &Takes, cx: &Ctxt) -> Option<Value> {
    match takes {
        Takes::Nothing | Takes::Maker | Takes::List(..) => unreachable!("these take no value"),
        Takes::Boolean => boolean(value, cx).map(Value::Boolean),
        Takes::Switch => switch(&value, cx).map(Value::Boolean),
        Takes::Expression => Some(Value::Expression(value)),
        Takes::Time => delay::time(value, cx).map(Value::Time),
        Takes::Number => number(&value, cx).map(Value::Number),
        Takes::Numbers => numbers(value, cx).map(Value::Numbers),
        Takes::Delays => delay::read(value, cx).map(Value::Delays),
        Takes::Interval => delay::read_interval(value, cx).map(Value::Delays),
        Takes::Process | Takes::ProcessMaker => string(&value, cx).map(Value::Process),
        Takes::Processes => strings(value, cx).map(Value::Processes),
        Takes::SidesMaker => sides(value, cx).map(Value::Sides),
        Takes::Choice(_, names) => choice(&value, names, cx).map(Value::Choice),
        Takes::Search => search(value, cx).map(Value::Search),
        Takes::File => file(value, cx).map(Value::File),
        Takes::Identifier => identifier(&value, cx).map(Value::Identifier),
    }
}

// The kinds of values.

fn number(value: &Expr, cx: &Ctxt) -> Option<Number> {
    let Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) = value else {
        cx.error(value, "expected a whole number, such as `2`");
        return None;
    };
    if !matches!(literal.suffix(), "" | "usize") {
        cx.error(literal, format_args!("write `{}`, without `{}`", literal.base10_digits(), literal.suffix()));
        return None;
    }
    match literal.base10_parse() {
        Ok(value) => Some(Number { value, literal: literal.clone() }),
        Err(_) => {
            cx.error(literal, "this number is too large");
            None
        }
    }
}

fn numbers(value: Expr, cx: &Ctxt) -> Option<Vec<Number>> {
    let Expr::Array(ExprArray { elems, .. }) = value else {
        cx.error(value, "expected a list of whole numbers, such as `[1, 0, 2]`");
        return None;
    };
    // Every element is looked at, so that every mistake is reported.
    let numbers: Vec<_> = elems.into_iter().map(|element| number(&ungroup(element), cx)).collect();
    numbers.into_iter().collect()
}

fn string(value: &Expr, cx: &Ctxt) -> Option<LitStr> {
    let Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) = value else {
        cx.error(value, "expected the name of a process in quotes, such as `\"client\"`");
        return None;
    };
    Some(literal.clone())
}

fn file(value: Expr, cx: &Ctxt) -> Option<LitStr> {
    let Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) = value else {
        cx.error(
            value,
            "expected a file in quotes, from the folder of Cargo.toml, such as `\"traces/lost_answer.json\"`",
        );
        return None;
    };
    Some(literal)
}

fn strings(value: Expr, cx: &Ctxt) -> Option<Vec<LitStr>> {
    let Expr::Array(ExprArray { elems, .. }) = value else {
        cx.error(value, "expected a list of names, such as `[\"client\", \"server\"]`");
        return None;
    };
    let names: Vec<_> = elems.into_iter().map(|element| string(&ungroup(element), cx)).collect();
    names.into_iter().collect()
}

/// Names, or lists of names.
fn sides(value: Expr, cx: &Ctxt) -> Option<Vec<Side>> {
    let Expr::Array(ExprArray { elems, .. }) = value else {
        cx.error(value, netcheck_words::not_sides());
        return None;
    };
    let side = |element: Expr| match ungroup(element) {
        list @ Expr::Array(_) => strings(list.clone(), cx).map(|names| Side { of: Some(list), names }),
        name => string(&name, cx).map(|name| Side { of: None, names: vec![name] }),
    };
    let sides: Vec<_> = elems.into_iter().map(side).collect();
    sides.into_iter().collect()
}

/// A name that a function may have.
fn identifier(value: &Expr, cx: &Ctxt) -> Option<Ident> {
    match value {
        Expr::Path(ExprPath { path, .. }) => {
            let name = path
                .get_ident()
                .filter(|name| !matches!(name.to_string().as_str(), "crate" | "self" | "super" | "Self"));
            if name.is_none() {
                cx.error(value, "a test can't have this name: write one word, such as `lossy`");
            }
            name.cloned()
        }
        Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => {
            cx.error(value, "expected a name, such as `lossy`, without quotes");
            None
        }
        _ => {
            cx.error(value, "expected a name, such as `lossy`");
            None
        }
    }
}

fn boolean(value: Expr, cx: &Ctxt) -> Option<LitBool> {
    let Expr::Lit(ExprLit { lit: Lit::Bool(literal), .. }) = value else {
        cx.error(value, "expected `true` or `false`");
        return None;
    };
    Some(literal)
}

/// `on` is `true` of the builder, and `off` is `false`.
fn switch(value: &Expr, cx: &Ctxt) -> Option<LitBool> {
    let Choice { name, .. } = choice(value, &[("on", "On"), ("off", "Off")], cx)?;
    Some(LitBool { value: name == "on", span: name.span() })
}

fn choice(value: &Expr, choices: &[(&str, &str)], cx: &Ctxt) -> Option<Choice> {
    let names: Vec<_> = choices.iter().map(|&(name, _)| name).collect();
    let name = match value {
        Expr::Path(ExprPath { path, .. }) => path.get_ident(),
        _ => None,
    };
    let Some(name) = name else {
        let hint = match value {
            Expr::Lit(ExprLit { lit: Lit::Str(_), .. }) => ", without quotes",
            _ => "",
        };
        cx.error(value, format_args!("expected {}{hint}", netcheck_words::either(&names)));
        return None;
    };
    let Some(&(_, variant)) = choices.iter().find(|&(choice, _)| name == choice) else {
        let hint = netcheck_words::hint(&name.to_string(), &names);
        cx.error(name, format_args!("expected {}, found `{name}`{hint}", netcheck_words::either(&names)));
        return None;
    };
    Some(Choice { name: name.clone(), variant: Ident::new(variant, name.span()) })
}

/// An order of exploration, and what may stand in parentheses behind it.
fn search(value: Expr, cx: &Ctxt) -> Option<Search> {
    let names: Vec<_> = SEARCHES.iter().map(|order| (order.name, order.variant)).collect();
    let named = |choice| Search { choice, words: Words::default(), arrivals: None };
    let Expr::Call(ExprCall { func, args, .. }) = &value else {
        return choice(&value, &names, cx).map(named);
    };
    let mut search = named(choice(func, &names, cx)?);
    let order = SEARCHES.iter().find(|order| search.choice.name == order.name).expect("it is one of them");
    let name = order.name;
    let Some(example) = order.example else {
        cx.error(&value, format_args!("`{name}` takes nothing in parentheses: write just `{name}`"));
        return None;
    };
    let instead = format!("write `{example}`, or just `{name}`");
    if args.is_empty() {
        cx.error(&value, &instead);
    }
    if let (true, Some(Expr::Lit(ExprLit { lit: Lit::Int(_), .. })), 1) =
        (order.words.is_empty(), args.first(), args.len())
    {
        search.arrivals = number(&ungroup(args[0].clone()), cx);
        return Some(search);
    }
    for arg in args {
        let Expr::Assign(arg) = arg else {
            cx.error(arg, &instead);
            continue;
        };
        let word = match &*arg.left {
            Expr::Path(left) => left.path.get_ident(),
            _ => None,
        };
        let known = |name: &&Ident| order.words.iter().find(|known| **name == known.name);
        let Some((word, known)) = word.and_then(|name| Some((name, known(&name)?))) else {
            match netcheck_words::names(order.words)[..] {
                [] => cx.error(&arg.left, &instead),
                ref known => {
                    let known = netcheck_words::either(known);
                    cx.error(&arg.left, format_args!("expected {known}: write `{example}`"));
                }
            }
            continue;
        };
        if search.words.has(known.name) {
            cx.error(word, format_args!("`{word}` is said twice: keep one"));
            continue;
        }
        let value = of(ungroup((*arg.right).clone()), &known.takes, cx);
        search.words.0.push(Said { name: word.clone(), value });
    }
    Some(search)
}
