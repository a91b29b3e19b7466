//! The mistakes of a monitor that show without its types: each at its token, all at once.

use super::parse::{Monitor, REJECT, State, Write};
use crate::ctxt::Ctxt;
use std::collections::{BTreeMap, BTreeSet};
use syn::Ident;

pub(super) fn check(monitor: &Monitor, cx: &Ctxt) {
    let Some(first) = monitor.states.first() else {
        cx.error(&monitor.name, "the monitor has no state: add one with `state name { … }`");
        return;
    };
    let states: Vec<&Ident> = monitor.states.iter().map(|state| &state.name).collect();
    let variables: Vec<&Ident> = monitor.variables.iter().map(|variable| &variable.name).collect();
    let clocks: Vec<&Ident> = monitor.clocks.iter().collect();
    unique("state", states.iter().copied(), cx);
    let parameters = monitor.parameters.iter().map(|parameter| &parameter.name);
    unique("name", parameters.chain(variables.iter().copied()).chain(clocks.iter().copied()), cx);
    if let Some(state) = states.iter().find(|state| **state == REJECT) {
        cx.error(state, "`reject` is no state: `otherwise => reject` says that nothing else is taken");
    }
    let (mut reset, mut compared) = (BTreeSet::new(), BTreeSet::new());
    let mut compare = |clock: &Ident| {
        known("clock", clock, &clocks, cx);
        compared.insert(clock.to_string());
    };
    for state in &monitor.states {
        state.deadlines.iter().for_each(|deadline| compare(&deadline.clock));
        if state.rules.is_empty() && state.otherwise.is_none() {
            let message =
                format!("the state `{}` says nothing about any event: add rules, or `otherwise => reject`", state.name);
            cx.error(&state.name, message);
        }
        for rule in &state.rules {
            known("state", &rule.target, &states, cx);
            rule.constraints.iter().for_each(|constraint| compare(&constraint.clock));
            writes(&rule.writes, (&variables, &clocks), &mut reset, cx);
        }
        if let Some(otherwise) = &state.otherwise {
            if otherwise.target != REJECT {
                known("state", &otherwise.target, &states, cx);
            } else if let Some(write) = otherwise.writes.first() {
                let (Write::Assign { variable: name, .. } | Write::Reset { clock: name }) = write;
                cx.error(name, "nothing comes after a rejection: leave this out");
            }
            writes(&otherwise.writes, (&variables, &clocks), &mut reset, cx);
        }
    }
    reachable(monitor, first, cx);
    for clock in clocks {
        if !reset.contains(&clock.to_string()) {
            cx.error(
                clock,
                format!("the clock `{clock}` is never reset: add `reset {clock};` to a rule, or leave it out"),
            );
        } else if !compared.contains(&clock.to_string()) {
            cx.error(
                clock,
                format!("the clock `{clock}` is never compared: use it in a `when` or `while`, or leave it out"),
            );
        }
    }
}

fn unique<'a>(kind: &str, names: impl Iterator<Item = &'a Ident>, cx: &Ctxt) {
    let mut seen = BTreeSet::new();
    for name in names.filter(|name| !seen.insert(name.to_string())) {
        cx.error(name, format!("the {kind} `{name}` is declared twice"));
    }
}

fn known(kind: &str, name: &Ident, declared: &[&Ident], cx: &Ctxt) {
    if declared.contains(&name) {
        return;
    }
    let names: Vec<String> = declared.iter().map(|name| format!("`{name}`")).collect();
    let instead = match names.is_empty() {
        true => format!("none is declared: add `{kind} {name}{}`", if kind == "variable" { ": 0..=1;" } else { ";" }),
        false => format!("declared: {}", names.join(", ")),
    };
    cx.error(name, format!("no {kind} is named `{name}`; {instead}"));
}

fn writes(writes: &[Write], (variables, clocks): (&[&Ident], &[&Ident]), reset: &mut BTreeSet<String>, cx: &Ctxt) {
    let mut assigned = BTreeSet::new();
    for write in writes {
        match write {
            Write::Assign { variable, .. } => {
                known("variable", variable, variables, cx);
                if !assigned.insert(variable.to_string()) {
                    cx.error(variable, format!("the rule assigns `{variable}` twice"));
                }
            }
            Write::Reset { clock } => {
                known("clock", clock, clocks, cx);
                reset.insert(clock.to_string());
            }
        }
    }
}

/// Each state has to be reached from the first one.
fn reachable(monitor: &Monitor, first: &State, cx: &Ctxt) {
    let mut targets: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for state in &monitor.states {
        let of_rules = state.rules.iter().map(|rule| &rule.target);
        let all = of_rules.chain(state.otherwise.iter().map(|otherwise| &otherwise.target));
        targets.entry(state.name.to_string()).or_default().extend(all.map(Ident::to_string));
    }
    let mut reached = BTreeSet::from([first.name.to_string()]);
    let mut open = vec![first.name.to_string()];
    while let Some(state) = open.pop() {
        for target in targets.get(&state).into_iter().flatten() {
            if reached.insert(target.clone()) {
                open.push(target.clone());
            }
        }
    }
    for State { name, .. } in &monitor.states {
        if !reached.contains(&name.to_string()) {
            cx.error(name, format!("no rules lead from `{}`, the first state, to `{name}`", first.name));
        }
    }
}
