//! Reads the words of `#[model_check(…)]` into [`ModelCheck`].
//!
//! Every mistake in a single word is reported here; what does not go together is for `valid`.
//! A new word is one entry in a list of names and one arm in a `match`.

use syn::{Expr, ExprArray, ExprCall, ExprLit, ExprPath, Ident, Lit, LitBool, LitInt, LitStr};

use super::ast::{Choice, Delays, ModelCheck, Number, Said, Search, Tcp, Udp};
use super::{delay, name};
use crate::ctxt::Ctxt;
use crate::words::{self, Form, Word, ungroup};

pub(super) const WORDS: &[&str] = &[
    "udp",
    "tcp",
    "tasks",
    "deadlocks",
    "at_most",
    "duration",
    "search",
    "seed",
    "max_states",
    "max_depth",
    "max_messages",
    "max_memory",
    "max_time",
    "reduction",
    "subsumption",
    "symmetry",
    "store",
    "threads",
    "capture",
    "identity",
    "dates",
    "audit",
    "expect",
    "snapshot",
    "whole",
    "replay",
    "name",
];
const UDP_WORDS: &[&str] =
    &["loss", "duplication", "reorder", "copies", "window", "direction", "delay", "process", "processes", "between"];
const TCP_WORDS: &[&str] = &[
    "open",
    "close",
    "read",
    "write",
    "reset",
    "hang",
    "transient",
    "split",
    "delay",
    "buffer",
    "process",
    "processes",
    "side",
    "first",
];
const LISTS: &[(&str, &[&str])] = &[("udp", UDP_WORDS), ("tcp", TCP_WORDS)];

/// Names that a word may have as its value, and the variants that they stand for.
type Choices = [(&'static str, &'static str)];

const SEARCHES: &Choices = &[
    ("bfs", "Bfs"),
    ("dfs", "Dfs"),
    ("faults", "Faults"),
    ("joint", "Joint"),
    ("network_states", "NetworkStates"),
    ("retransmissions", "Retransmissions"),
    ("random", "Random"),
    ("pct", "Pct"),
    ("simulate", "Simulate"),
];
const DIRECTIONS: &Choices = &[("send", "Send"), ("receive", "Receive"), ("both", "Both")];
const SIDES: &Choices = &[("client", "Client"), ("server", "Server")];
const TASKS: &Choices = &[("shared", "Shared"), ("tracked", "Tracked"), ("fifo", "Fifo")];
const DEADLOCKS: &Choices = &[("each_process", "EachProcess"), ("paper", "Paper")];
const DATES: &Choices = &[("absolute", "Absolute"), ("relative", "Relative")];
const IDENTITIES: &Choices = &[("history", "History"), ("memory", "Memory")];
const STORES: &Choices = &[("exact", "Exact"), ("fingerprint", "Fingerprint")];
const EXPECTATIONS: &Choices = &[
    ("panic", "Panic"),
    ("deadlock", "Deadlock"),
    ("property", "Property"),
    ("monitor", "Monitor"),
    ("any", "Any"),
    ("inconclusive", "Inconclusive"),
    ("simulated", "Simulated"),
];

pub(super) fn read(words: Vec<Word>, cx: &Ctxt) -> ModelCheck {
    let mut check = ModelCheck { default_name: name::of(&words), ..ModelCheck::default() };
    for word in words {
        // Each `udp` is a group of packets.
        if (word.name != "udp" || check.udp.is_empty()) && repeated(&mut check.said, &word, cx) {
            continue;
        }
        match word.name.to_string().as_str() {
            "udp" => {
                let name = word.name.clone();
                check.udp.extend(list(word, "udp(loss, duplication)", cx).map(|words| (name, udp(words, cx))));
            }
            "tcp" => check.tcp = list(word, "tcp(open, read)", cx).map(|words| tcp(words, cx)),
            "tasks" => check.tasks = value(word, "tracked", cx).and_then(|value| choice(&value, TASKS, cx)),
            "deadlocks" => check.deadlocks = value(word, "paper", cx).and_then(|value| choice(&value, DEADLOCKS, cx)),
            "at_most" => check.at_most = value(word, "1", cx),
            "duration" => check.duration = value(word, "10s", cx).and_then(|value| delay::time(value, cx)),
            "search" => check.search = value(word, "dfs", cx).and_then(|value| search(value, cx)),
            "seed" => check.seed = value(word, "7", cx),
            "max_states" => check.max_states = value(word, "1_000_000", cx),
            "max_depth" => check.max_depth = value(word, "500", cx),
            "max_messages" => check.max_messages = value(word, "100", cx),
            "max_memory" => check.max_memory = value(word, "2 << 30", cx),
            "max_time" => check.max_time = value(word, "30", cx).and_then(|value| delay::time(value, cx)),
            "reduction" => check.reduction = value(word, "false", cx).and_then(|value| boolean(value, cx)),
            "subsumption" => check.subsumption = value(word, "true", cx).and_then(|value| boolean(value, cx)),
            "symmetry" => check.symmetry = value(word, "true", cx).and_then(|value| boolean(value, cx)),
            "store" => check.store = value(word, "fingerprint", cx).and_then(|value| choice(&value, STORES, cx)),
            "threads" => check.threads = value(word, "2", cx).and_then(|value| number(&value, cx)),
            "capture" => check.capture = value(word, "false", cx).and_then(|value| boolean(value, cx)),
            "identity" => check.identity = value(word, "history", cx).and_then(|value| choice(&value, IDENTITIES, cx)),
            "dates" => check.dates = value(word, "relative", cx).and_then(|value| choice(&value, DATES, cx)),
            "audit" => check.audit = value(word, "false", cx).and_then(|value| boolean(value, cx)),
            "expect" => {
                check.expect = value(word, "panic", cx).and_then(|value| choice(&value, EXPECTATIONS, cx));
            }
            "snapshot" | "whole" => alone(word, cx),
            "replay" => check.replay = value(word, "\"traces/lost_answer.json\"", cx).and_then(|value| file(value, cx)),
            "name" => check.name = value(word, "lossy", cx).and_then(|value| identifier(&value, cx)),
            _ => cx.error(&word.name, unknown(&word.name)),
        }
    }
    check
}

fn unknown(name: &Ident) -> String {
    match lists_with(name)[..] {
        [] => words::unknown(name, WORDS, "the words of `model_check` are"),
        [list] => format!("`{name}` is a word of `{list}`: write `{list}({name}, …)`"),
        [one, other, ..] => {
            format!("`{name}` is a word of `{one}` and of `{other}`: write it in the parentheses of one of them")
        }
    }
}

fn lists_with(name: &Ident) -> Vec<&'static str> {
    LISTS.iter().filter(|(_, words)| words.iter().any(|word| name == word)).map(|&(list, _)| list).collect()
}

fn udp(words: Vec<Word>, cx: &Ctxt) -> Udp {
    let mut udp = Udp::default();
    for word in words {
        if repeated(&mut udp.said, &word, cx) {
            continue;
        }
        match word.name.to_string().as_str() {
            "loss" | "duplication" => alone(word, cx),
            "delay" => udp.delays = delays(word, cx),
            "reorder" => udp.reorder = value(word, "2", cx).and_then(|value| number(&value, cx)),
            "window" => udp.window = value(word, "2", cx).and_then(|value| number(&value, cx)),
            "copies" => udp.copies = value(word, "[1, 0, 2]", cx).and_then(|value| numbers(value, cx)),
            "direction" => {
                udp.direction = value(word, "send", cx).and_then(|value| choice(&value, DIRECTIONS, cx));
            }
            "process" => udp.processes = process(word, cx),
            "processes" => udp.processes = processes(word, cx),
            "between" => udp.between = processes(word, cx),
            _ => cx.error(&word.name, unknown_in("udp", &word.name, UDP_WORDS)),
        }
    }
    udp
}

fn tcp(words: Vec<Word>, cx: &Ctxt) -> Tcp {
    let mut tcp = Tcp::default();
    for word in words {
        if repeated(&mut tcp.said, &word, cx) {
            continue;
        }
        match word.name.to_string().as_str() {
            "open" | "close" | "read" | "write" | "reset" | "hang" | "transient" | "split" => alone(word, cx),
            "delay" => tcp.delays = delays(word, cx),
            "buffer" => tcp.buffer = value(word, "4096", cx).and_then(|value| number(&value, cx)),
            "process" => tcp.processes = process(word, cx),
            "processes" => tcp.processes = processes(word, cx),
            "side" => tcp.side = value(word, "client", cx).and_then(|value| choice(&value, SIDES, cx)),
            "first" => tcp.first = value(word, "2", cx).and_then(|value| number(&value, cx)),
            _ => cx.error(&word.name, unknown_in("tcp", &word.name, TCP_WORDS)),
        }
    }
    tcp
}

/// The delays of packets, if any are said.
fn delays(word: Word, cx: &Ctxt) -> Option<Delays> {
    match word.form {
        Form::Value(value) => delay::read(ungroup(*value), cx),
        Form::Alone | Form::Broken => None,
        Form::List(_) => {
            cx.error(
                &word.name,
                "`delay` takes an interval or a list: write `delay = 1ms..=200ms` or `delay = [5ms, 50ms]`",
            );
            None
        }
    }
}

fn process(word: Word, cx: &Ctxt) -> Option<Vec<LitStr>> {
    let name = value(word, "\"client\"", cx).and_then(|value| string(&value, cx))?;
    Some(vec![name])
}

fn processes(word: Word, cx: &Ctxt) -> Option<Vec<LitStr>> {
    value(word, "[\"client\", \"server\"]", cx).and_then(|value| strings(value, cx))
}

fn unknown_in(list: &str, name: &Ident, known: &[&str]) -> String {
    if WORDS.iter().any(|word| name == word) {
        return format!("`{name}` is a word of `model_check` itself: write it after `{list}(…)`, not inside");
    }
    if let [other, ..] = lists_with(name)[..] {
        return format!("`{name}` is a word of `{other}`, not of `{list}`: write `{other}({name}, …)`");
    }
    words::unknown(name, known, &format!("the words of `{list}` are"))
}

fn repeated(said: &mut Said, word: &Word, cx: &Ctxt) -> bool {
    let repeated = said.has(&word.name.to_string());
    if repeated {
        let advice = match word.form {
            Form::List(_) => "put its words into one list",
            Form::Alone | Form::Value(_) | Form::Broken => "keep one",
        };
        cx.error(&word.name, format_args!("`{}` is said twice: {advice}", word.name));
    } else {
        said.0.push(word.name.clone());
    }
    repeated
}

// The three forms of a word.

fn alone(word: Word, cx: &Ctxt) {
    match word.form {
        Form::Alone | Form::Broken => {}
        Form::Value(_) | Form::List(_) => {
            cx.error(&word.name, format_args!("`{0}` stands alone: write just `{0}`", word.name));
        }
    }
}

fn value(word: Word, example: &str, cx: &Ctxt) -> Option<Expr> {
    match word.form {
        Form::Value(value) => Some(ungroup(*value)),
        Form::Broken => None,
        Form::Alone | Form::List(_) => {
            cx.error(&word.name, format_args!("`{0}` needs a value: write `{0} = {example}`", word.name));
            None
        }
    }
}

fn list(word: Word, example: &str, cx: &Ctxt) -> Option<Vec<Word>> {
    match word.form {
        Form::List(words) => Some(words),
        Form::Broken => None,
        Form::Alone | Form::Value(_) => {
            cx.error(&word.name, format_args!("`{}` needs its words in parentheses: write `{example}`", word.name));
            None
        }
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

fn choice(value: &Expr, choices: &Choices, cx: &Ctxt) -> Option<Choice> {
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
        cx.error(value, format_args!("expected {}{hint}", words::either(&names)));
        return None;
    };
    let Some(&(_, variant)) = choices.iter().find(|&(choice, _)| name == choice) else {
        let hint = match words::nearest(&name.to_string(), &names) {
            Some(near) => format!(", did you mean `{near}`?"),
            None => String::new(),
        };
        cx.error(name, format_args!("expected {}, found `{name}`{hint}", words::either(&names)));
        return None;
    };
    Some(Choice { name: name.clone(), variant: Ident::new(variant, name.span()) })
}

/// `bfs`, `dfs`, `faults`, `joint`, `network_states`, `network_states(retransmissions = 2)`, `retransmissions(2)`, `random`,
/// `random(seed = 7)`, `pct`, `pct(seed = 7, depth = 3)`, `simulate` or `simulate(seed = 7, runs = 10_000)`.
fn search(value: Expr, cx: &Ctxt) -> Option<Search> {
    let named = |choice| Search {
        choice,
        said: Said::default(),
        seed: None,
        depth: None,
        arrivals: None,
        runs: None,
        time: None,
    };
    let Expr::Call(ExprCall { func, args, .. }) = &value else {
        return choice(&value, SEARCHES, cx).map(named);
    };
    let mut search = named(choice(func, SEARCHES, cx)?);
    let name = search.choice.name.to_string();
    let (known, example): (&[&str], _) = match name.as_str() {
        "random" => (&["seed"], "random(seed = 7)"),
        "pct" => (&["seed", "depth"], "pct(seed = 7, depth = 3)"),
        "network_states" => (&["retransmissions"], "network_states(retransmissions = 2)"),
        "retransmissions" => (&[], "retransmissions(2)"),
        "simulate" => (&["seed", "runs", "time"], "simulate(seed = 7, runs = 10_000)"),
        _ => {
            cx.error(&value, format_args!("`{name}` takes nothing in parentheses: write just `{name}`"));
            return None;
        }
    };
    if args.is_empty() {
        cx.error(&value, format_args!("write `{example}`, or just `{name}`"));
    }
    if let (true, Some(Expr::Lit(ExprLit { lit: Lit::Int(_), .. })), 1) = (known.is_empty(), args.first(), args.len()) {
        search.arrivals = number(&ungroup(args[0].clone()), cx);
        return Some(search);
    }
    for arg in args {
        let Expr::Assign(arg) = arg else {
            cx.error(arg, format_args!("write `{example}`, or just `{name}`"));
            continue;
        };
        let word = match &*arg.left {
            Expr::Path(left) => left.path.get_ident().filter(|word| known.iter().any(|known| word == known)),
            _ => None,
        };
        let Some(word) = word else {
            match known {
                [] => cx.error(&arg.left, format_args!("write `{example}`, or just `{name}`")),
                _ => cx.error(&arg.left, format_args!("expected {}: write `{example}`", words::either(known))),
            }
            continue;
        };
        if search.said.has(&word.to_string()) {
            cx.error(word, format_args!("`{word}` is said twice: keep one"));
        } else if word == "seed" {
            search.seed = Some(ungroup((*arg.right).clone()));
        } else if word == "runs" {
            search.runs = Some(ungroup((*arg.right).clone()));
        } else if word == "time" {
            search.time = delay::time(ungroup((*arg.right).clone()), cx);
        } else if word == "retransmissions" {
            search.arrivals = number(&ungroup((*arg.right).clone()), cx);
        } else {
            search.depth = number(&ungroup((*arg.right).clone()), cx);
        }
        search.said.0.push(word.clone());
    }
    Some(search)
}

/// The literal as it goes into the expansion: with the user's span, without a suffix.
pub(super) fn plain(number: &Number) -> LitInt {
    LitInt::new(number.literal.base10_digits(), number.literal.span())
}
