//! The words of `udp(…)` and of `tcp(…)`.

use super::grammar::Word;
use super::{
    DIRECTIONS, Exclusive, SIDES, Wrong, alone, between, choice, copies, delay, each, exclusive, has_any, list,
    positive, process, processes, unknown_in, value,
};
use crate::check::{Tcp, Udp};

pub(super) const UDP_WORDS: &[&str] =
    &["loss", "duplication", "reorder", "copies", "window", "direction", "delay", "process", "processes", "between"];
pub(super) const TCP_WORDS: &[&str] = &[
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
const UDP_EXCLUSIVE: &[Exclusive] = &[
    ("loss", "copies", "`copies` states in full how often each packet may arrive; put a 0 into it instead"),
    ("duplication", "copies", "`copies` states in full how often each packet may arrive; put a 2 into it instead"),
    ("reorder", "window", "both say how many packets the network holds; keep one"),
    ("process", "processes", "put all names into `processes`"),
    ("process", "between", "one means all packets of a process, the other those of a link; keep one"),
    ("processes", "between", "one means all packets of processes, the other those of a link; keep one"),
];
const TCP_EXCLUSIVE: &[Exclusive] = &[("process", "processes", "put all names into `processes`")];

pub(super) fn udp(word: &Word<'_>) -> Result<Udp, Wrong> {
    let words = list(word, "udp(loss, duplication)")?;
    let holds = "how many packets the network holds, at least 1; 1 keeps their order";
    let mut udp = Udp::new();
    for word in each(words, UDP_WORDS)? {
        udp = match word.name {
            "loss" => alone(word, udp.loss())?,
            "duplication" => alone(word, udp.duplication())?,
            "reorder" => udp.reorder(positive(word, "2", holds)?),
            "copies" => udp.copies(copies(word)?),
            "window" => udp.window(positive(word, "2", holds)?),
            "direction" => udp.direction(choice(value(word, "send")?, DIRECTIONS)?),
            "delay" => delay::of_datagrams(word, udp)?,
            "process" => udp.process(process(value(word, "\"client\"")?)?),
            "processes" => processes(word)?.into_iter().fold(udp, Udp::process),
            "between" => udp.between(between(word)?),
            _ => return Err(unknown_in("udp", word, UDP_WORDS)),
        };
    }
    exclusive(words, UDP_EXCLUSIVE)?;
    if !has_any(words, &["loss", "duplication", "reorder", "copies", "window", "delay"]) {
        return Err(word.wrong("`udp` names no fault: say which, as in `udp(loss)`, or leave it out"));
    }
    Ok(udp)
}

pub(super) fn tcp(word: &Word<'_>) -> Result<Tcp, Wrong> {
    let words = list(word, "tcp(open, read)")?;
    let mut tcp = Tcp::new();
    for word in each(words, TCP_WORDS)? {
        tcp = match word.name {
            "open" => alone(word, tcp.fail_open())?,
            "close" => alone(word, tcp.fail_close())?,
            "read" => alone(word, tcp.fail_read())?,
            "write" => alone(word, tcp.fail_write())?,
            "reset" => alone(word, tcp.reset())?,
            "hang" => alone(word, tcp.hang())?,
            "transient" => alone(word, tcp.transient())?,
            "split" => alone(word, tcp.split())?,
            "delay" => delay::of_streams(word, tcp)?,
            "buffer" => tcp.buffer(positive(
                word,
                "4096",
                "how many bytes are held for each direction of a connection, at least 1",
            )?),
            "process" => tcp.process(process(value(word, "\"client\"")?)?),
            "processes" => processes(word)?.into_iter().fold(tcp, Tcp::process),
            "side" => tcp.side(choice(value(word, "client")?, SIDES)?),
            "first" => tcp.first(positive(word, "2", "how many executions of each source line may fail, at least 1")?),
            _ => return Err(unknown_in("tcp", word, TCP_WORDS)),
        };
    }
    exclusive(words, TCP_EXCLUSIVE)?;
    if words.is_empty() {
        return Err(word.wrong("`tcp` names no failure: say which, as in `tcp(open, read)`, or leave it out"));
    }
    if let Some(transient) = words.iter().find(|word| word.name == "transient")
        && !has_any(words, &["open", "close", "read", "write"])
    {
        return Err(transient.wrong(
            "`transient` says how calls fail, but `tcp` names none: add `open`, `close`, `read` or `write`, or leave it out",
        ));
    }
    let limits = ["process", "processes", "side", "first"];
    if let Some(limit) = words.iter().find(|word| limits.contains(&word.name))
        && !has_any(words, &["open", "close", "read", "write", "reset", "hang"])
    {
        return Err(limit.wrong(format!(
            "`{0}` limits failures, but `tcp` names none: \
             add `open`, `close`, `read`, `write`, `reset` or `hang`, or leave `{0}` out",
            limit.name
        )));
    }
    Ok(tcp)
}
