//! Counterexamples of earlier versions of the JSON form, rewritten as of the version after them.

use crate::trace::step::{Doing, Kind};
use netcheck_peer::json::Json;
use netcheck_runtime::unit::payload;

/// The version of the JSON form that is written. Earlier ones are read too; others are refused.
pub(super) const VERSION: u64 = 4;

/// Rewrites a counterexample of `version` as one of the version that is written.
pub(super) fn rewrite(trace: &mut Json, version: u64) {
    let later: [fn(&mut Json); VERSION as usize - 1] = [from_version_1, from_version_2, from_version_3];
    later[version as usize - 1..].iter().for_each(|rewrite| rewrite(trace));
    trace.set("version", Json::Natural(VERSION));
}

/// In version 1, the acts of the network are texts, and arrivals do not name the steps that sent them.
fn from_version_1(trace: &mut Json) {
    let steps = trace.get_mut("steps").and_then(Json::as_list_mut);
    for step in steps.into_iter().flatten() {
        let text = |field: &str| step.get(field).and_then(Json::as_str).unwrap_or_default().to_owned();
        let (process, operation, outcome) = (text("process"), text("operation"), text("outcome"));
        let kind = kind_of_version_1(&process, &operation, &outcome);
        step.set("kind", Json::of(&kind));
        for text in step.get_mut("network").and_then(Json::as_list_mut).into_iter().flatten() {
            let doing = text.as_str().and_then(|text| doing_of_version_1(text, &outcome));
            if let Some(doing) = doing {
                *text = Json::of(&doing);
            }
        }
    }
}

/// In version 2, steps have no data: they are found again by their words, in which bytes were hexadecimal.
fn from_version_2(trace: &mut Json) {
    let rewrite = |words: Option<&mut Json>| {
        if let Some(words) = words
            && let Some(old) = words.as_str()
        {
            *words = Json::Text(payload::from_hexadecimal(old));
        }
    };
    let steps = trace.get_mut("steps").and_then(Json::as_list_mut);
    for step in steps.into_iter().flatten() {
        if matches!(step.get("kind").and_then(Json::as_str), Some("send" | "receive" | "read" | "write")) {
            ["operation", "outcome", "payload"].into_iter().for_each(|words| rewrite(step.get_mut(words)));
        }
        for doing in step.get_mut("network").and_then(Json::as_list_mut).into_iter().flatten() {
            rewrite(doing.get_mut("datagram"));
        }
    }
}

/// In version 3, where segments take no delays, a connection is made by the step with which the connect returns.
fn from_version_3(trace: &mut Json) {
    let Some(steps) = trace.get_mut("steps").and_then(Json::as_list_mut) else { return };
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
    let renumber = |number: &mut Json| {
        if let Some(new) = number.as_u64().and_then(|old| numbers.get(old as usize)) {
            *number = Json::Natural(*new as u64);
        }
    };
    for step in steps.iter_mut() {
        list(step, "arrived").for_each(renumber);
        list(step, "network").filter_map(|doing| doing.get_mut("sent")).for_each(renumber);
    }
    if let Some(changes) =
        trace.get_mut("situations").and_then(|situations| situations.get_mut("changes")?.as_list_mut())
    {
        inserted.into_iter().for_each(|number| changes.insert(number.min(changes.len()), Json::Object(Vec::new())));
    }
}

fn list<'a>(step: &'a mut Json, field: &str) -> impl Iterator<Item = &'a mut Json> {
    step.get_mut(field).and_then(Json::as_list_mut).into_iter().flatten()
}

fn is_answered(step: &Json) -> bool {
    let is_answer = |outcome: &str| outcome.starts_with("connected from ") || outcome == "connection refused";
    text(step, "kind") == Some("connect") && text(step, "outcome").is_some_and(is_answer)
}

fn text<'a>(step: &'a Json, field: &str) -> Option<&'a str> {
    step.get(field)?.as_str()
}

/// Whether a step says that the connect of another one is under way.
fn is_under_way(step: &Json, connect: &Json) -> bool {
    let of = |step: &Json| ["process", "task", "operation"].map(|field| step.get(field).cloned());
    text(step, "outcome") == Some("under way") && of(step) == of(connect)
}

/// The step that makes the connection of a connect, or refuses it.
fn establishing(connect: &Json) -> Json {
    let mut step = connect.clone();
    let is_refused = text(&step, "outcome") == Some("connection refused");
    step.set("outcome", if is_refused { "refused" } else { "established" }.into());
    step.remove("failed");
    if let Some(asked) = connect.get("asked") {
        let object = |members: &[(&str, Json)]| {
            Json::Object(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
        };
        step.set("events", Json::List(vec![object(&[("event", "dialed".into())])]));
        step.set("asked", object(&[("call", "dial".into()), ("asked", asked.clone())]));
        step.set("answered", object(&[("answer", "done".into())]));
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
