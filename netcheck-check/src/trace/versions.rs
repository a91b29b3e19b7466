//! Counterexamples of earlier versions of the JSON form, rewritten as of the version after them.

use crate::trace::step::{Doing, Kind};
use netcheck_runtime::unit::payload;
use serde_json::{Map, Value, json};

/// The version of the JSON form that is written. Earlier ones are read too; others are refused.
pub(super) const VERSION: u64 = 4;

/// Rewrites a counterexample of `version` as one of the version that is written.
pub(super) fn rewrite(trace: &mut Value, version: u64) {
    let later: [fn(&mut Value); VERSION as usize - 1] = [from_version_1, from_version_2, from_version_3];
    later[version as usize - 1..].iter().for_each(|rewrite| rewrite(trace));
    trace["version"] = VERSION.into();
}

/// In version 1, the acts of the network are texts, and arrivals do not name the steps that sent them.
fn from_version_1(trace: &mut Value) {
    let steps = trace.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        let text = |field: &str| step.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (process, operation, outcome) = (text("process"), text("operation"), text("outcome"));
        let kind = kind_of_version_1(&process, &operation, &outcome);
        step.insert("kind".to_owned(), serde_json::to_value(kind).expect("it is plain data"));
        for text in step.get_mut("network").and_then(Value::as_array_mut).into_iter().flatten() {
            let doing = text.as_str().and_then(|text| doing_of_version_1(text, &outcome));
            if let Some(doing) = doing {
                *text = serde_json::to_value(doing).expect("it is plain data");
            }
        }
    }
}

/// In version 2, steps have no data: they are found again by their words, in which bytes were hexadecimal.
fn from_version_2(trace: &mut Value) {
    let rewrite = |words: Option<&mut Value>| {
        if let Some(words) = words
            && let Some(old) = words.as_str()
        {
            *words = payload::from_hexadecimal(old).into();
        }
    };
    let steps = trace.get_mut("steps").and_then(Value::as_array_mut);
    for step in steps.into_iter().flatten().filter_map(Value::as_object_mut) {
        if matches!(step.get("kind").and_then(Value::as_str), Some("send" | "receive" | "read" | "write")) {
            ["operation", "outcome", "payload"].into_iter().for_each(|words| rewrite(step.get_mut(words)));
        }
        for doing in step.get_mut("network").and_then(Value::as_array_mut).into_iter().flatten() {
            rewrite(doing.get_mut("datagram"));
        }
    }
}

/// In version 3, where segments take no delays, a connection is made by the step with which the connect returns.
fn from_version_3(trace: &mut Value) {
    let Some(steps) = trace.get_mut("steps").and_then(Value::as_array_mut) else { return };
    let told = std::mem::take(steps);
    let mut numbers = vec![0];
    let mut inserted = Vec::new();
    for step in told {
        if is_answered(&step) && !steps.iter().rev().any(|before| is_under_way(before, &step)) {
            inserted.push(steps.len() + 1);
            steps.push(establishing(&step));
        }
        steps.push(step);
        numbers.push(steps.len());
    }
    let renumber = |number: &mut Value| {
        if let Some(new) = number.as_u64().and_then(|old| numbers.get(old as usize)) {
            *number = (*new).into();
        }
    };
    for step in steps.iter_mut().filter_map(Value::as_object_mut) {
        list(step, "arrived").for_each(renumber);
        list(step, "network").filter_map(|doing| doing.get_mut("sent")).for_each(renumber);
    }
    if let Some(changes) = trace.pointer_mut("/situations/changes").and_then(Value::as_array_mut) {
        inserted.into_iter().for_each(|number| changes.insert(number.min(changes.len()), json!({})));
    }
}

fn list<'a>(step: &'a mut Map<String, Value>, field: &str) -> impl Iterator<Item = &'a mut Value> {
    step.get_mut(field).and_then(Value::as_array_mut).into_iter().flatten()
}

fn is_answered(step: &Value) -> bool {
    let is_answer = |outcome: &str| outcome.starts_with("connected from ") || outcome == "connection refused";
    step["kind"] == "connect" && step["outcome"].as_str().is_some_and(is_answer)
}

/// Whether a step says that the connect of another one is under way.
fn is_under_way(step: &Value, connect: &Value) -> bool {
    let of = |step: &Value| ["process", "task", "operation"].map(|field| step[field].clone());
    step["outcome"] == "under way" && of(step) == of(connect)
}

/// The step that makes the connection of a connect, or refuses it.
fn establishing(connect: &Value) -> Value {
    let mut step = connect.clone();
    let is_refused = step["outcome"] == "connection refused";
    step["outcome"] = if is_refused { "refused" } else { "established" }.into();
    step.as_object_mut().map(|step| step.remove("failed"));
    if let Some(asked) = connect.get("asked") {
        step["events"] = json!([{ "event": "dialed" }]);
        step["asked"] = json!({ "call": "dial", "asked": asked });
        step["answered"] = json!({ "answer": "done" });
    }
    step
}

fn kind_of_version_1(process: &str, operation: &str, outcome: &str) -> Kind {
    match operation.split(' ').next().unwrap_or_default() {
        "lose" | "never" if process == "network" => Kind::Network,
        "start" | "run" => Kind::Run,
        "send" => Kind::Send,
        "recv" | "try_recv" => Kind::Receive,
        // The connect of a datagram socket is answered with an address.
        "bind" | "listen" => Kind::Bind,
        "connect" if !outcome.starts_with(|first: char| first == '[' || first.is_ascii_digit()) => Kind::Connect,
        "connect" => Kind::Bind,
        "accept" => Kind::Accept,
        "read" | "try_read" => Kind::Read,
        "write" | "try_write" => Kind::Write,
        "shutdown" => Kind::Shutdown,
        "timer" => Kind::Timer,
        _ => Kind::Other,
    }
}

fn doing_of_version_1(text: &str, outcome: &str) -> Option<Doing> {
    let (word, rest) = text.split_once(": ").unwrap_or((text, ""));
    let copy = |rest: &str| rest.split(' ').find_map(|part| part.parse().ok());
    Some(match word {
        "lost" => Doing::Lost { datagram: rest.to_owned(), sent: None },
        "overtook" => Doing::Overtook { datagram: rest.to_owned(), sent: None },
        "duplicated" => Doing::Duplicated { copy: copy(rest)? },
        "dropped" => Doing::Unbound,
        "failed" if outcome == "connection reset" => Doing::Reset,
        "failed" => Doing::Failed,
        "hung" => Doing::Hung,
        _ => return None,
    })
}
