//! The words of `udp(…)`, `tcp(…)`, `crash(…)`, `partition(…)` and `fs(…)`.

use super::grammar::Word;
use super::{
    DIRECTIONS, SIDES, Wrong, alone, between, choice, copies, delay, each, exclusive, has_any, list, positive,
    positive_in, process, processes, sides, unknown_in, value,
};
use crate::check::{Crash, Files, Partition, Tcp, Udp};
use netcheck_words::{
    CRASH, CRASH_EXCLUSIVE, Exclusive, FILES, FILES_EXCLUSIVE, PARTITION, PARTITION_EXCLUSIVE, TCP, UDP, UDP_EXCLUSIVE,
};

/// Words of all lists that do not go together.
const PROCESSES: &[Exclusive] = &[("process", "processes", "put all names into `processes`")];

pub(super) fn udp(word: &Word<'_>) -> Result<Udp, Wrong> {
    let words = list(word)?;
    let mut udp = Udp::new();
    for word in each(words, UDP)? {
        udp = match word.name {
            "loss" => alone(word, udp.loss())?,
            "duplication" => alone(word, udp.duplication())?,
            "reorder" => udp.reorder(positive(word)?),
            "copies" => udp.copies(copies(word)?),
            "window" => udp.window(positive(word)?),
            "direction" => udp.direction(choice(value(word)?, DIRECTIONS)?),
            "delay" => delay::of_datagrams(word, udp)?,
            "process" => udp.process(process(value(word)?)?),
            "processes" => processes(word)?.into_iter().fold(udp, Udp::process),
            "between" => udp.between(between(word)?),
            _ => return Err(unknown_in("udp", word, UDP)),
        };
    }
    exclusive(words, UDP_EXCLUSIVE)?;
    exclusive(words, PROCESSES)?;
    if !has_any(words, &["loss", "duplication", "reorder", "copies", "window", "delay"]) {
        return Err(word.wrong("`udp` names no fault: say which, as in `udp(loss)`, or leave it out"));
    }
    Ok(udp)
}

pub(super) fn tcp(word: &Word<'_>) -> Result<Tcp, Wrong> {
    let words = list(word)?;
    let mut tcp = Tcp::new();
    for word in each(words, TCP)? {
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
            "buffer" => tcp.buffer(positive(word)?),
            "retries" => tcp.retries(delay::time(word)?),
            "process" => tcp.process(process(value(word)?)?),
            "processes" => processes(word)?.into_iter().fold(tcp, Tcp::process),
            "side" => tcp.side(choice(value(word)?, SIDES)?),
            "first" => tcp.first(positive(word)?),
            _ => return Err(unknown_in("tcp", word, TCP)),
        };
    }
    exclusive(words, PROCESSES)?;
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

pub(super) fn crash(word: &Word<'_>) -> Result<Crash, Wrong> {
    let words = list(word)?;
    let mut crash = if has_any(words, &["power"]) { Crash::power() } else { Crash::kill() };
    for word in each(words, CRASH)? {
        crash = match word.name {
            "kill" | "power" => alone(word, crash)?,
            "process" => crash.process(process(value(word)?)?),
            "processes" => processes(word)?.into_iter().fold(crash, Crash::process),
            "times" => crash.times(positive(word)?),
            "stays_down" => alone(word, crash.stays_down())?,
            "down" => crash.down(delay::interval(word)?),
            _ => return Err(unknown_in("crash", word, CRASH)),
        };
    }
    exclusive(words, CRASH_EXCLUSIVE)?;
    exclusive(words, PROCESSES)?;
    match words.is_empty() {
        true => Err(word.wrong(netcheck_words::no_crash())),
        false => Ok(crash),
    }
}

pub(super) fn partition(word: &Word<'_>) -> Result<Partition, Wrong> {
    let words = list(word)?;
    let mut made = None;
    for word in each(words, PARTITION)? {
        let partition = || made.clone().unwrap_or_else(Partition::any);
        made = Some(match word.name {
            "isolate" => Partition::isolate(process(value(word)?)?),
            "between" => match <[Vec<String>; 2]>::try_from(sides(word)?) {
                Ok(between) => Partition::between(between),
                Err(_) => return Err(word.wrong(netcheck_words::not_two())),
            },
            "halves" => alone(word, Partition::halves())?,
            "any" => alone(word, Partition::any())?,
            "one_way" => alone(word, partition().one_way())?,
            "for_ever" => alone(word, partition().for_ever())?,
            "times" => partition().times(positive_in(word, PARTITION)?),
            _ => return Err(unknown_in("partition", word, PARTITION)),
        });
    }
    exclusive(words, PARTITION_EXCLUSIVE)?;
    match made.filter(|_| has_any(words, netcheck_words::LINKS)) {
        Some(partition) => Ok(partition),
        None => Err(word.wrong(netcheck_words::no_links())),
    }
}

pub(super) fn files(word: &Word<'_>) -> Result<Files, Wrong> {
    let words = list(word)?;
    let mut files = match words.iter().find(|word| ["prefix", "lost"].contains(&word.name)) {
        Some(word) if word.name == "prefix" => Files::prefix(),
        Some(_) => Files::lost(),
        None => Files::any(),
    };
    for word in each(words, FILES)? {
        files = match word.name {
            "any" | "prefix" | "lost" => alone(word, files)?,
            "torn" => files.torn(positive(word)?),
            "read" => alone(word, files.fail_read())?,
            "write" => alone(word, files.fail_write())?,
            "sync" => alone(word, files.fail_sync())?,
            _ => return Err(unknown_in("fs", word, FILES)),
        };
    }
    exclusive(words, FILES_EXCLUSIVE)?;
    match words.is_empty() {
        true => Err(word.wrong(netcheck_words::no_files())),
        false => Ok(files),
    }
}
