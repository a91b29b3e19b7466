//! Refuses words that do not go together, and functions that cannot become a check.

use netcheck_words::{
    CHECK, CRASH, CRASH_EXCLUSIVE, Exclusive, FAULTS, FILES, FILES_EXCLUSIVE, LEFT, LINKS, PARTITION,
    PARTITION_EXCLUSIVE, SEARCHES, TCP, UDP, UDP_EXCLUSIVE, Word,
};
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, FnArg, Lit, LitStr, ReturnType, Safety, Type};

use super::ast::{Delays, DelaysKind, ModelCheck, Time, Value, Words};
use crate::ctxt::Ctxt;
use crate::function::{Function, attr_name};

/// The most threads that explore, as of `Checker::threads`.
const THREADS_MAX: usize = 256;

pub(super) fn check(check: &ModelCheck, cx: &Ctxt) {
    // A word that was not understood may be the one that seems to be missing.
    let understood = cx.is_clean();
    let words = &check.words;
    let groups = words.lists("udp");
    for (name, udp) in &groups {
        self::udp(udp, cx);
        let faults = ["loss", "duplication", "reorder", "copies", "window", "delay"];
        if understood && !udp.has_any(&faults) {
            cx.error(name, "`udp` names no fault: say which, as in `udp(loss)`, or leave it out");
        }
    }
    self::groups(&groups, cx);
    if let Some(threads) = words.number("threads").filter(|threads| !(1..=THREADS_MAX).contains(&threads.value)) {
        let most = "take at most as many as the machine has cores";
        cx.error(&threads.literal, format!("`threads` is how many explore, from 1 to {THREADS_MAX}: {most}"));
    }
    if let [(name, tcp)] = words.lists("tcp")[..] {
        self::tcp(name, tcp, understood, cx);
    }
    for (name, files) in words.lists("fs") {
        exclusive(files, FILES_EXCLUSIVE, cx);
        not_zero(files, FILES, cx);
        if understood && files.0.is_empty() {
            cx.error(name, netcheck_words::no_files());
        } else if understood && files.has_any(LEFT) && !words.lists("crash").iter().any(|(_, crash)| crash.has("power"))
        {
            cx.error(name, netcheck_words::needs_power());
        }
    }
    for (name, crash) in words.lists("crash") {
        exclusive(crash, CRASH_EXCLUSIVE, cx);
        processes(crash, cx);
        not_zero(crash, CRASH, cx);
        if let Some(Value::Delays(down)) = crash.value("down") {
            delays(down, cx);
        }
        if understood && crash.0.is_empty() {
            cx.error(name, netcheck_words::no_crash());
        }
    }
    for (name, partition) in words.lists("partition") {
        exclusive(partition, PARTITION_EXCLUSIVE, cx);
        processes(partition, cx);
        not_zero(partition, PARTITION, cx);
        if understood && !partition.has_any(LINKS) {
            cx.error(name, netcheck_words::no_links());
        }
        if let (Some(between), Some(Value::Sides(sides))) = (partition.get("between"), partition.value("between")) {
            if sides.len() != 2 && !sides.is_empty() {
                cx.error(between, netcheck_words::not_two());
            }
            for of in sides.iter().filter(|side| side.names.is_empty()).filter_map(|side| side.of.as_ref()) {
                cx.error(of, netcheck_words::no_side());
            }
        }
    }
    if let Some(at_most) = words.get("at_most")
        && understood
        && !words.has_any(FAULTS)
    {
        cx.error(at_most, netcheck_words::nothing_limited());
    }
    not_zero(words, CHECK, cx);
    search(words, cx);
    replay(words, cx);
    if let Some(snapshot) = words.get("snapshot").filter(|_| !words.has("replay")) {
        if !words.has("expect") {
            cx.error(
                snapshot,
                "`snapshot` without `expect`: a check that passes has no counterexample to pin; \
                 add `expect = panic` (or another violation), or leave `snapshot` out",
            );
        }
        if let Some(expect) = words.choice("expect").filter(|expect| expect.name == "inconclusive") {
            cx.error(
                &expect.name,
                "`expect = inconclusive` can't be combined with `snapshot`: \
                 a check that stopped at a limit has no counterexample to pin",
            );
        }
    }
}

fn search(words: &Words, cx: &Ctxt) {
    let search = words.search("search");
    if let Some(search) = search {
        let arrivals = search.arrivals.as_ref().or_else(|| search.words.number("retransmissions"));
        if let Some(arrivals) = arrivals.filter(|arrivals| arrivals.value == 0) {
            cx.error(
                &arrivals.literal,
                "this is how often a datagram arrives before the search puts it off, at least 1",
            );
        }
        if let (Some(_), Some(time)) = (search.words.expression("runs"), search.words.time("time")) {
            cx.error(&time.value, "`runs` and `time` both say when the simulation ends: keep one");
        }
        let order = SEARCHES.iter().find(|order| search.choice.name == order.name).expect("it is one of them");
        if order.name != "network_states" {
            not_zero(&search.words, order.words, cx);
        }
    }
    if let Some(expect) = words.choice("expect").filter(|expect| expect.name == "simulated")
        && search.is_none_or(|search| search.choice.name != "simulate")
    {
        cx.error(&expect.name, "only a simulation ends as `simulated`: add `search = simulate`, or leave `expect` out");
    }
}

/// Refuses 0 as the number of words for which it has no meaning: a literal here, any other expression when the check
/// begins.
fn not_zero(words: &Words, table: &[Word], cx: &Ctxt) {
    for (word, least) in table.iter().filter_map(|word| Some((word.name, word.least?))) {
        let literal = match words.value(word) {
            Some(Value::Number(number)) => &number.literal,
            Some(
                Value::Expression(Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }))
                | Value::Time(Time { value: Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }), .. }),
            ) => literal,
            _ => continue,
        };
        if literal.base10_digits().trim_matches(['0', '_']).is_empty() {
            cx.error(literal, format_args!("`{word}` is {least}"));
        }
    }
}

/// One execution is run, and nothing searched.
fn replay(words: &Words, cx: &Ctxt) {
    if !words.has("replay") {
        return;
    }
    if let Some(file) = words.file("replay").filter(|file| file.value().is_empty()) {
        cx.error(file, "a trace is in a file: this name is empty");
    }
    let of_searches = [
        "search",
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
    ];
    for word in of_searches {
        if let Some(said) = words.get(word) {
            cx.error(
                said,
                format_args!("`{word}` is about a search, and `replay` runs one execution: leave `{word}` out"),
            );
        }
    }
    if let Some(snapshot) = words.get("snapshot") {
        cx.error(
            snapshot,
            "`snapshot` can't be combined with `replay`: the file holds the execution already; leave `snapshot` out",
        );
    }
    if let Some(expect) = words.choice("expect").filter(|expect| expect.name == "inconclusive") {
        cx.error(&expect.name, "`replay` runs one execution, which hits no limit: expect a violation, or nothing");
    }
}

fn udp(udp: &Words, cx: &Ctxt) {
    exclusive(udp, UDP_EXCLUSIVE, cx);
    not_zero(udp, UDP, cx);
    if let Some(Value::Delays(delays)) = udp.value("delay") {
        self::delays(delays, cx);
        for word in ["reorder", "window"].iter().filter_map(|word| udp.get(word)) {
            cx.error(
                word,
                format_args!(
                    "`{word}` can't be combined with the lengths of delays: they decide in which order packets \
                     arrive; keep one"
                ),
            );
        }
    }
    if let Some(Value::Numbers(numbers)) = udp.value("copies") {
        if numbers.is_empty() {
            cx.error(
                udp.get("copies"),
                "`copies` is empty, but each packet needs a number of arrivals: write `copies = [1]` for a network without faults",
            );
        }
        for (i, number) in numbers.iter().enumerate() {
            if numbers[..i].iter().any(|earlier| earlier.value == number.value) {
                cx.error(&number.literal, format_args!("{} is listed twice: keep one", number.value));
            }
        }
    }
    processes(udp, cx);
    if let (Some(between), Some(Value::Processes(names))) = (udp.get("between"), udp.value("between"))
        && names.len() == 1
    {
        cx.error(between, "`between` names two processes at least: packets go from one of them to another");
    }
}

/// Words of a list that do not go together.
fn exclusive(words: &Words, pairs: &[Exclusive], cx: &Ctxt) {
    for (word, other, why) in pairs {
        if let Some(word) = words.get(word).filter(|_| words.has(other)) {
            cx.error(word, format_args!("`{word}` can't be combined with `{other}`: {why}"));
        }
    }
}

/// Several groups: each packet belongs to the first one that names it.
fn groups(groups: &[(&Ident, &Words)], cx: &Ctxt) {
    let Some((_, before)) = groups.split_last() else { return };
    if before.is_empty() {
        return;
    }
    for (word, udp) in before {
        if !udp.has_any(&["process", "processes", "between"]) {
            cx.error(
                word,
                "every packet belongs to this `udp`, which names no process, and none to the next one: name processes \
                 (`process`, `processes`, `between`), or put it last",
            );
        }
    }
    let has_delay = groups.iter().any(|(_, udp)| udp.has("delay"));
    let orders = groups.iter().flat_map(|(_, udp)| ["reorder", "window"].map(|word| udp.get(word)));
    for word in orders.flatten().filter(|_| has_delay) {
        cx.error(
            word,
            format_args!(
                "`{word}` can't be combined with the `delay` of other packets: there, delays decide in which order \
                 packets arrive"
            ),
        );
    }
}

fn delays(delays: &Delays, cx: &Ctxt) {
    match &delays.kind {
        DelaysKind::Interval { least, most: Some(most) } if most.ns < least.ns => {
            let message = format_args!(
                "no delay is at least `{}` and at most `{}`: the shorter one comes first",
                least.literal.to_token_stream(),
                most.literal.to_token_stream()
            );
            cx.error(&delays.value, message);
        }
        DelaysKind::Interval { .. } => {}
        DelaysKind::Listed(listed) if listed.is_empty() => {
            cx.error(&delays.value, "no delay is listed: write `delay = [5ms, 50ms]`");
        }
        DelaysKind::Listed(listed) => {
            for (index, length) in listed.iter().enumerate() {
                if listed[..index].iter().any(|earlier| earlier.ns == length.ns) {
                    cx.error(&length.literal, "this delay is listed twice: keep one");
                }
            }
        }
    }
}

fn tcp(name: &Ident, tcp: &Words, understood: bool, cx: &Ctxt) {
    if let Some(Value::Delays(delays)) = tcp.value("delay") {
        self::delays(delays, cx);
    }
    not_zero(tcp, TCP, cx);
    processes(tcp, cx);
    if !understood {
        return;
    }
    if tcp.0.is_empty() {
        cx.error(name, "`tcp` names no failure: say which, as in `tcp(open, read)`, or leave it out");
    }
    if !tcp.has_any(&["open", "close", "read", "write", "reset", "hang"]) {
        for limit in ["process", "processes", "side", "first"].iter().filter_map(|limit| tcp.get(limit)) {
            cx.error(
                limit,
                format_args!(
                    "`{limit}` limits failures, but `tcp` names none: \
                     add `open`, `close`, `read`, `write`, `reset` or `hang`, or leave `{limit}` out"
                ),
            );
        }
    }
    if let Some(transient) = tcp.get("transient").filter(|_| !tcp.has_any(&["open", "close", "read", "write"])) {
        cx.error(
            transient,
            "`transient` says how calls fail, but `tcp` names none: \
             add `open`, `close`, `read` or `write`, or leave it out",
        );
    }
}

fn processes(words: &Words, cx: &Ctxt) {
    if let Some(processes) = words.get("processes").filter(|_| words.has("process")) {
        cx.error(processes, "`processes` can't be combined with `process`: put all names into `processes`");
    }
    for word in ["process", "processes", "between", "isolate"] {
        let names: Vec<&LitStr> = match words.value(word) {
            Some(Value::Process(name)) => vec![name],
            Some(Value::Processes(names)) => names.iter().collect(),
            Some(Value::Sides(sides)) if sides.iter().any(|side| side.names.is_empty()) => continue,
            Some(Value::Sides(sides)) => sides.iter().flat_map(|side| &side.names).collect(),
            _ => continue,
        };
        if names.is_empty() {
            cx.error(
                words.get(word),
                format_args!("`{word}` is empty: name a process, or leave it out to mean all of them"),
            );
        }
        for (i, name) in names.iter().enumerate() {
            if name.value().is_empty() {
                cx.error(name, "a process has a name: this one is empty");
            } else if names[..i].iter().any(|earlier| earlier.value() == name.value()) {
                cx.error(name, format_args!("process {:?} is named twice: keep one", name.value()));
            }
        }
    }
}

/// Each test of a function has a name of its own.
pub(super) fn names(checks: &[ModelCheck], cx: &Ctxt) {
    // A name that was not understood is none.
    let named = checks.iter().filter(|check| check.words.value("name").is_some() || !check.words.has("name"));
    let mut names = Vec::new();
    for check in named {
        let name = check.test_name(Span::call_site());
        if names.contains(&name) {
            let (at, advice) = match check.words.value("name") {
                Some(Value::Identifier(chosen)) => (chosen.to_token_stream(), "choose another name"),
                _ => (check.attribute.to_token_stream(), "choose a name for this one with `name = …`"),
            };
            cx.error(at, format_args!("another check of this function is named `{name}`: {advice}"));
        }
        names.push(name);
    }
}

pub(super) fn should_panic(checks: &[ModelCheck], function: &Function, cx: &Ctxt) {
    if !function.attrs.iter().any(|attr| attr_name(attr) == "should_panic") {
        return;
    }
    for expect in checks.iter().filter_map(|check| check.words.get("expect")) {
        cx.error(
            expect,
            "`expect` can't be combined with `#[should_panic]`: \
             the test passes when it finds what is expected, and then nothing panics; keep one",
        );
    }
}

/// The parameter's type is not looked at: `run_test` demands it, so that aliases work.
pub(super) fn function(function: &Function, cx: &Ctxt) {
    let sig = &function.sig;
    for attr in &function.attrs {
        if attr_name(attr) == "test" {
            cx.error(attr, "`model_check` already makes this function a test: remove this attribute");
        }
    }
    if let Some(constness) = &sig.constness {
        cx.error(constness, "a check can't be `const`: it becomes a test");
    }
    if let Safety::Unsafe(unsafety) = &sig.safety {
        cx.error(unsafety, "a check can't be `unsafe`: it becomes a test");
    }
    if let Some(abi) = &sig.abi {
        cx.error(abi, "a check can't be `extern`: it becomes a test");
    }
    if !sig.generics.params.is_empty() {
        cx.error(
            &sig.generics,
            "a check can't be generic: a test has nobody to choose the parameters; write one function per choice",
        );
    } else if let Some(clause) = &sig.generics.where_clause {
        cx.error(clause, "a check takes no `where` clause");
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        returned(ty, cx);
    }
    let mut inputs = sig.inputs.iter();
    match inputs.next() {
        None => cx.error_at(
            sig.paren_token.span.join(),
            "a check takes the network to register its processes in: write `net: &mut netcheck::Network`",
        ),
        Some(FnArg::Receiver(receiver)) => {
            cx.error(receiver, "a check is a free function: take `net: &mut netcheck::Network` instead of `self`");
        }
        Some(FnArg::Typed(_)) => {}
    }
    for input in inputs {
        cx.error_at(input.span(), "a check takes one parameter, the network: remove this one");
    }
    if let Some(variadic) = &sig.variadic {
        cx.error(variadic, "a check takes one parameter, the network: remove this one");
    }
}

/// Whether what is returned says that it went well is asked of its type: an alias may name it.
fn returned(ty: &Type, cx: &Ctxt) {
    let refused = match ty {
        Type::ImplTrait(_) => "a check returns nothing, or a `Result<(), E>`: write that type",
        Type::Never(_) => "a check that never returns registers nothing: return nothing, or a `Result<(), E>`",
        _ => return,
    };
    cx.error(ty, refused);
}
