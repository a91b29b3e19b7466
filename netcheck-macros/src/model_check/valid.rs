//! Refuses words that do not go together, and functions that cannot become a check.

use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Expr, ExprLit, FnArg, Lit, LitStr, ReturnType, Safety, Type};

use super::ast::{Delays, DelaysKind, ModelCheck, Said, Tcp, Udp};
use crate::ctxt::Ctxt;
use crate::function::{Function, attr_name};

/// The most threads that explore, as of `Checker::threads`.
const THREADS_MAX: usize = 256;

pub(super) fn check(check: &ModelCheck, cx: &Ctxt) {
    // A word that was not understood may be the one that seems to be missing.
    let understood = cx.is_clean();
    for (word, udp) in &check.udp {
        self::udp(udp, cx);
        let faults = ["loss", "duplication", "reorder", "copies", "window", "delay"];
        if understood && !udp.said.has_any(&faults) {
            cx.error(word, "`udp` names no fault: say which, as in `udp(loss)`, or leave it out");
        }
    }
    groups(&check.udp, cx);
    if let Some(threads) = check.threads.as_ref().filter(|threads| !(1..=THREADS_MAX).contains(&threads.value)) {
        let most = "take at most as many as the machine has cores";
        cx.error(&threads.literal, format!("`threads` is how many explore, from 1 to {THREADS_MAX}: {most}"));
    }
    if let (Some(tcp), Some(word)) = (&check.tcp, check.said.get("tcp")) {
        self::tcp(tcp, cx);
        if understood && tcp.said.0.is_empty() {
            cx.error(word, "`tcp` names no failure: say which, as in `tcp(open, read)`, or leave it out");
        }
        if understood && !tcp.said.has_any(&["open", "close", "read", "write", "reset", "hang"]) {
            limits_of_nothing(tcp, cx);
        }
        if let Some(transient) = tcp.said.get("transient")
            && understood
            && !tcp.said.has_any(&["open", "close", "read", "write"])
        {
            cx.error(
                transient,
                "`transient` says how calls fail, but `tcp` names none: \
                 add `open`, `close`, `read` or `write`, or leave it out",
            );
        }
    }
    if let Some(at_most) = check.said.get("at_most")
        && understood
        && !check.said.has_any(&["udp", "tcp"])
    {
        cx.error(at_most, "`at_most` limits faults, but none are declared: add `udp(…)` or `tcp(…)`, or leave it out");
    }
    let horizon = check.duration.as_ref().map(|time| &time.value);
    not_zero(horizon, "`duration` is how many seconds of the programs' time are explored, at least 1", cx);
    search(check, cx);
    let max_time = check.max_time.as_ref().map(|time| &time.value);
    not_zero(max_time, "`max_time` is how many seconds the check may take, at least 1", cx);
    not_zero(check.max_messages.as_ref(), "`max_messages` is how many messages are written or read, at least 1", cx);
    replay(check, cx);
    if let Some(snapshot) = check.said.get("snapshot").filter(|_| !check.said.has("replay")) {
        if !check.said.has("expect") {
            cx.error(
                snapshot,
                "`snapshot` without `expect`: a check that passes has no counterexample to pin; \
                 add `expect = panic` (or another violation), or leave `snapshot` out",
            );
        }
        if let Some(expect) = check.expect.as_ref().filter(|expect| expect.name == "inconclusive") {
            cx.error(
                &expect.name,
                "`expect = inconclusive` can't be combined with `snapshot`: \
                 a check that stopped at a limit has no counterexample to pin",
            );
        }
    }
}

fn search(check: &ModelCheck, cx: &Ctxt) {
    let search = check.search.as_ref();
    if let Some(depth) = search.and_then(|search| search.depth.as_ref()).filter(|depth| depth.value == 0) {
        cx.error(&depth.literal, "`depth` is how many ordering constraints a bug needs, at least 1");
    }
    if let Some(arrivals) = search.and_then(|search| search.arrivals.as_ref()).filter(|arrivals| arrivals.value == 0) {
        cx.error(&arrivals.literal, "this is how often a datagram arrives before the search puts it off, at least 1");
    }
    if let Some(search) = search {
        if let (Some(_), Some(time)) = (&search.runs, &search.time) {
            cx.error(&time.value, "`runs` and `time` both say when the simulation ends: keep one");
        }
        not_zero(search.runs.as_ref(), "`runs` is how many executions are simulated, at least 1", cx);
        let time = search.time.as_ref().map(|time| &time.value);
        not_zero(time, "`time` is for how many seconds executions are simulated, at least 1", cx);
    }
    if let Some(expect) = check.expect.as_ref().filter(|expect| expect.name == "simulated")
        && search.is_none_or(|search| search.choice.name != "simulate")
    {
        cx.error(&expect.name, "only a simulation ends as `simulated`: add `search = simulate`, or leave `expect` out");
    }
}

/// A literal 0 is refused here, any other expression that is 0 when the check begins.
fn not_zero(value: Option<&Expr>, what: &str, cx: &Ctxt) {
    if let Some(Expr::Lit(ExprLit { lit: Lit::Int(literal), .. })) = value
        && literal.base10_digits() == "0"
    {
        cx.error(literal, what);
    }
}

/// One execution is run, and nothing searched.
fn replay(check: &ModelCheck, cx: &Ctxt) {
    if !check.said.has("replay") {
        return;
    }
    if let Some(file) = check.replay.as_ref().filter(|file| file.value().is_empty()) {
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
        if let Some(said) = check.said.get(word) {
            cx.error(
                said,
                format_args!("`{word}` is about a search, and `replay` runs one execution: leave `{word}` out"),
            );
        }
    }
    if let Some(snapshot) = check.said.get("snapshot") {
        cx.error(
            snapshot,
            "`snapshot` can't be combined with `replay`: the file holds the execution already; leave `snapshot` out",
        );
    }
    if let Some(expect) = check.expect.as_ref().filter(|expect| expect.name == "inconclusive") {
        cx.error(&expect.name, "`replay` runs one execution, which hits no limit: expect a violation, or nothing");
    }
}

fn udp(udp: &Udp, cx: &Ctxt) {
    let copies = udp.said.has("copies");
    for (word, number) in [("loss", "0"), ("duplication", "2")] {
        if let Some(word) = udp.said.get(word).filter(|_| copies) {
            cx.error(
                word,
                format_args!(
                    "`{word}` can't be combined with `copies`: \
                     `copies` states in full how often each packet may arrive; put a {number} into it instead"
                ),
            );
        }
    }
    if let Some(reorder) = udp.said.get("reorder").filter(|_| udp.said.has("window")) {
        cx.error(
            reorder,
            "`reorder` can't be combined with `window`: both say how many packets the network holds; keep one",
        );
    }
    for (word, number) in [("reorder", &udp.reorder), ("window", &udp.window)] {
        if let Some(number) = number.as_ref().filter(|number| number.value == 0) {
            cx.error(
                &number.literal,
                format_args!("`{word}` is how many packets the network holds, at least 1; 1 keeps their order"),
            );
        }
    }
    if let Some(delays) = &udp.delays {
        self::delays(delays, cx);
        for word in ["reorder", "window"] {
            if let Some(word) = udp.said.get(word) {
                cx.error(
                    word,
                    format_args!(
                        "`{word}` can't be combined with the lengths of delays: they decide in which order packets \
                         arrive; keep one"
                    ),
                );
            }
        }
    }
    if let Some(numbers) = &udp.copies {
        if numbers.is_empty() {
            cx.error(
                udp.said.get("copies"),
                "`copies` is empty, but each packet needs a number of arrivals: write `copies = [1]` for a network without faults",
            );
        }
        for (i, number) in numbers.iter().enumerate() {
            if numbers[..i].iter().any(|earlier| earlier.value == number.value) {
                cx.error(&number.literal, format_args!("{} is listed twice: keep one", number.value));
            }
        }
    }
    processes(&udp.said, "processes", udp.processes.as_deref(), cx);
    processes(&udp.said, "between", udp.between.as_deref(), cx);
    let Some(between) = udp.said.get("between") else { return };
    for (word, means) in [("process", "all packets of a process"), ("processes", "all packets of processes")] {
        if let Some(word) = udp.said.get(word) {
            cx.error(
                word,
                format_args!(
                    "`{word}` can't be combined with `between`: one means {means}, the other those of a link; keep one"
                ),
            );
        }
    }
    if udp.between.as_ref().is_some_and(|names| names.len() == 1) {
        cx.error(between, "`between` names two processes at least: packets go from one of them to another");
    }
}

/// Several groups: each packet belongs to the first one that names it.
fn groups(groups: &[(Ident, Udp)], cx: &Ctxt) {
    let Some((_, before)) = groups.split_last() else { return };
    if before.is_empty() {
        return;
    }
    for (word, udp) in before {
        if !udp.said.has_any(&["process", "processes", "between"]) {
            cx.error(
                word,
                "every packet belongs to this `udp`, which names no process, and none to the next one: name processes \
                 (`process`, `processes`, `between`), or put it last",
            );
        }
    }
    let has_delay = groups.iter().any(|(_, udp)| udp.said.has("delay"));
    let orders = groups.iter().flat_map(|(_, udp)| ["reorder", "window"].map(|word| udp.said.get(word)));
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

fn tcp(tcp: &Tcp, cx: &Ctxt) {
    if let Some(delays) = &tcp.delays {
        self::delays(delays, cx);
    }
    for (number, meaning) in [
        (&tcp.buffer, "`buffer` is how many bytes are held for each direction of a connection"),
        (&tcp.first, "`first` is how many executions of each source line may fail"),
    ] {
        if let Some(number) = number.as_ref().filter(|number| number.value == 0) {
            cx.error(&number.literal, format_args!("{meaning}, at least 1"));
        }
    }
    processes(&tcp.said, "processes", tcp.processes.as_deref(), cx);
}

fn limits_of_nothing(tcp: &Tcp, cx: &Ctxt) {
    for limit in ["process", "processes", "side", "first"] {
        if let Some(word) = tcp.said.get(limit) {
            cx.error(
                word,
                format_args!(
                    "`{limit}` limits failures, but `tcp` names none: \
                     add `open`, `close`, `read`, `write`, `reset` or `hang`, or leave `{limit}` out"
                ),
            );
        }
    }
}

fn processes(said: &Said, word: &str, names: Option<&[LitStr]>, cx: &Ctxt) {
    if let Some(processes) = said.get("processes").filter(|_| word == "processes" && said.has("process")) {
        cx.error(processes, "`processes` can't be combined with `process`: put all names into `processes`");
    }
    let Some(names) = names else { return };
    if names.is_empty() {
        cx.error(
            said.get(word),
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

/// Each test of a function has a name of its own.
pub(super) fn names(checks: &[ModelCheck], cx: &Ctxt) {
    // A name that was not understood is none.
    let named = checks.iter().filter(|check| check.name.is_some() || !check.said.has("name"));
    let mut names = Vec::new();
    for check in named {
        let name = check.test_name(Span::call_site());
        if names.contains(&name) {
            let (at, advice) = match &check.name {
                Some(chosen) => (chosen.to_token_stream(), "choose another name"),
                None => (check.attribute.to_token_stream(), "choose a name for this one with `name = …`"),
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
    for expect in checks.iter().filter_map(|check| check.said.get("expect")) {
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
