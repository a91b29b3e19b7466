//! The words of `#[model_check(…)]` as text, for words that are known only when a test runs.
//!
//! They are the attribute's words with its meanings and its rules, but for `expect`, `snapshot`, `whole`,
//! `replay` and `name`, which belong to one check. `grammar` reads them; here they become a [`Checker`].

mod constant;
mod delay;
mod grammar;
mod network;
mod order;
mod region;

use super::turns::{DEVIATIONS_MAX, deviations_meaning};
use crate::check::declare::{Misplaced, length, misplaced};
use crate::check::{
    Checker, Crash, Dates, Deadlocks, Files, Identity, Partition, THREADS_MAX, Tasks, Tcp, Udp, threads_meaning,
};
use crate::error::Error;
use constant::NoValue;
use grammar::{Form, Kind, Value, Word};
use netcheck_runtime::operation::Side;
use netcheck_runtime::world::declared::Direction;
use netcheck_runtime::world::store::Keep;
use netcheck_words::{
    CHECK, CRASH, Exclusive, FAULTS, FILES, GROUPS, LEFT, PARTITION, SEARCHES, TCP, UDP, either, hint, names,
    needs_power, nothing_limited,
};
use network::{crash, files, partition, tcp, udp};
use order::{search, seeded, simulation};
pub(crate) use region::region;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Names that a word may have as its value, and what they stand for.
type Choices<T> = [(&'static str, T)];
/// A row of the table of words.
type Known = netcheck_words::Word;

const DIRECTIONS: &Choices<Direction> =
    &[("send", Direction::Send), ("receive", Direction::Receive), ("both", Direction::Both)];
const SIDES: &Choices<Side> = &[("client", Side::Client), ("server", Side::Server)];
const TASKS: &Choices<Tasks> = &[("shared", Tasks::Shared), ("tracked", Tasks::Tracked), ("fifo", Tasks::Fifo)];
const DEADLOCKS: &Choices<Deadlocks> = &[("each_process", Deadlocks::EachProcess), ("paper", Deadlocks::Paper)];
const IDENTITIES: &Choices<Identity> = &[("history", Identity::History), ("memory", Identity::Memory)];
const DATES: &Choices<Dates> = &[("absolute", Dates::Absolute), ("relative", Dates::Relative)];
const STORES: &Choices<Keep> = &[("exact", Keep::Exact), ("fingerprint", Keep::Fingerprint)];
const SWITCH: &Choices<bool> = &[("on", true), ("off", false)];
const BOOLEANS: &Choices<bool> = &[("true", true), ("false", false)];

/// From the words of `#[model_check(…)]`, such as `udp(loss), tcp(read, write), at_most = 1`, but for
/// `expect`, `snapshot`, `whole`, `replay` and `name`.
impl FromStr for Checker {
    type Err = Error;

    fn from_str(text: &str) -> Result<Checker, Error> {
        let checker = grammar::parse(text).and_then(|words| checker(&words));
        checker.map_err(|wrong| Error::new(wrong.shown_in(text)))
    }
}

impl Checker {
    /// The faults that are declared and the bounds of executions, in the words that they are read from; empty: none.
    pub(super) fn faults_in_words(&self) -> String {
        let at_most = self.at_most.map(|faults| format!("at_most = {faults}"));
        let duration = self.duration_ns().map(|ns| format!("duration = {}", length(ns)));
        let deviations = self.deviations.map(|steps| format!("deviations = {steps}"));
        let udp = self.udp.iter().filter_map(Udp::in_words);
        let crashes = self.crashes.iter().map(Crash::in_words);
        let partitions = self.partitions.iter().map(Partition::in_words);
        let tcp = self.tcp.as_ref().and_then(Tcp::in_words);
        let faults = udp.chain(tcp).chain(crashes).chain(partitions).chain(self.files.map(Files::in_words));
        faults.chain(at_most).chain(duration).chain(deviations).collect::<Vec<_>>().join(", ")
    }

    /// The settings besides the faults with which an execution is run again; empty if all are defaults.
    pub(crate) fn settings_in_words(&self) -> String {
        let Checker { tasks, deadlocks, seed, .. } = Checker::new();
        let said = |word: &str, name: Option<&str>| name.map(|name| format!("{word} = {name}"));
        let words = [
            said("tasks", name(self.tasks, TASKS).filter(|_| self.tasks != tasks)),
            said("deadlocks", name(self.deadlocks, DEADLOCKS).filter(|_| self.deadlocks != deadlocks)),
            said("seed", (self.seed != seed).then(|| self.seed.to_string()).as_deref()),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The word for a value.
fn name<T: Copy + PartialEq>(value: T, choices: &Choices<T>) -> Option<&'static str> {
    choices.iter().find(|(_, choice)| *choice == value).map(|(name, _)| *name)
}

fn checker(words: &[Word<'_>]) -> Result<Checker, Wrong> {
    let mut checker = Checker::new();
    for word in each(words, CHECK)? {
        checker = match word.name {
            "udp" => checker.also_udp(udp(word)?),
            "tcp" => checker.tcp(tcp(word)?),
            "crash" => checker.also_crash(crash(word)?),
            "partition" => checker.also_partition(partition(word)?),
            "fs" => checker.files(files(word)?),
            "tasks" => checker.tasks(choice(value(word)?, TASKS)?),
            "deadlocks" => checker.deadlocks(choice(value(word)?, DEADLOCKS)?),
            "liveness" => checker.liveness(choice(value(word)?, SWITCH)?),
            "at_most" => checker.at_most(number(value(word)?)?),
            "duration" => checker.duration(delay::time(word)?),
            "deviations" => checker.deviations(deviations(word)?),
            "search" => {
                let order = value(word)?;
                match simulation(order)? {
                    Some(simulation) => checker.simulation(simulation),
                    None => checker.search(search(order)?),
                }
            }
            "seed" => seeded(number(value(word)?)?, words, checker),
            "max_states" => checker.max_states(number(value(word)?)?),
            "max_depth" => checker.max_depth(number(value(word)?)?),
            "max_messages" => checker.max_messages(positive(word)?),
            "max_memory" => checker.max_memory(number(value_as(word, "2_000_000_000")?)?),
            "max_time" => checker.max_time(delay::time(word)?),
            "reduction" => checker.reduction(choice(value(word)?, BOOLEANS)?),
            "subsumption" => checker.subsumption(choice(value(word)?, BOOLEANS)?),
            "symmetry" => checker.symmetry(choice(value(word)?, BOOLEANS)?),
            "store" => checker.store(choice(value(word)?, STORES)?),
            "threads" => checker.threads(threads(word)?),
            "capture" => checker.capture(choice(value(word)?, BOOLEANS)?),
            "identity" => checker.identity(choice(value(word)?, IDENTITIES)?),
            "dates" => checker.dates(choice(value(word)?, DATES)?),
            "audit" => checker.audit(choice(value(word)?, BOOLEANS)?),
            "replay" => {
                return Err(word.wrong("`replay` runs one execution instead of a check: write it at the test"));
            }
            "name" => return Err(word.wrong("`name` is what one of several checks is called: write it at the test")),
            "whole" => return Err(word.wrong("`whole` is a test that needs a whole build: write it at the test")),
            "expect" | "snapshot" => {
                return Err(word.wrong(format!("`{}` says what one check finds: write it at the test", word.name)));
            }
            _ => return Err(unknown(word)),
        };
    }
    groups(words, &checker)?;
    if let Some(files) = words.iter().find(|word| word.name == "fs")
        && list(files).is_ok_and(|words| has_any(words, LEFT))
        && !words.iter().any(|word| word.name == "crash" && list(word).is_ok_and(|words| has_any(words, &["power"])))
    {
        return Err(files.wrong(needs_power()));
    }
    match words.iter().find(|word| word.name == "at_most") {
        Some(at_most) if !has_any(words, FAULTS) => Err(at_most.wrong(nothing_limited())),
        _ => Ok(checker),
    }
}

/// Several `udp` are groups: each packet belongs to the first one that names it.
fn groups(words: &[Word<'_>], checker: &Checker) -> Result<(), Wrong> {
    let group = |number| words.iter().filter(|word| word.name == "udp").nth(number).expect("each word is a group");
    match misplaced(&checker.udp) {
        None => Ok(()),
        Some(Misplaced::TakesAll(number)) => Err(group(number).wrong(
            "every packet belongs to this `udp`, which names no process, and none to the next one: name processes \
             (`process`, `processes`, `between`), or put it last",
        )),
        Some(Misplaced::Ordered(number)) => {
            let words = list(group(number))?;
            let word = words.iter().find(|word| ["reorder", "window"].contains(&word.name)).expect("it has one");
            Err(word.wrong(format!(
                "`{}` can't be combined with the `delay` of other packets: there, delays decide in which order packets \
                 arrive",
                word.name
            )))
        }
    }
}

// Words of one list.

/// The words in the order of `known`, as the attribute calls the builder; none may be said twice, but for groups of packets
/// and of processes.
fn each<'w, 'a>(words: &'w [Word<'a>], known: &[Known]) -> Result<Vec<&'w Word<'a>>, Wrong> {
    let is_repeated =
        |(i, word): &(usize, &Word<'a>)| !GROUPS.contains(&word.name) && has_any(&words[..*i], &[word.name]);
    let repeated = words.iter().enumerate().find(is_repeated);
    if let Some((_, word)) = repeated {
        let advice = if matches!(word.form, Form::List(_)) { "put its words into one list" } else { "keep one" };
        return Err(word.wrong(format!("`{}` is said twice: {advice}", word.name)));
    }
    let mut sorted: Vec<&Word<'a>> = words.iter().collect();
    sorted.sort_by_key(|word| known.iter().position(|known| known.name == word.name).unwrap_or(known.len()));
    Ok(sorted)
}

fn has_any(words: &[Word<'_>], names: &[&str]) -> bool {
    words.iter().any(|word| names.contains(&word.name))
}

fn exclusive(words: &[Word<'_>], pairs: &[Exclusive]) -> Result<(), Wrong> {
    for (name, other, why) in pairs {
        if let Some(word) = words.iter().find(|word| word.name == *name)
            && has_any(words, &[other])
        {
            return Err(word.wrong(format!("`{name}` can't be combined with `{other}`: {why}")));
        }
    }
    Ok(())
}

fn unknown(word: &Word<'_>) -> Wrong {
    word.wrong(netcheck_words::unknown_outside(word.name, &names(CHECK), "the words are"))
}

fn unknown_in(list: &str, word: &Word<'_>, known: &[Known]) -> Wrong {
    let name = word.name;
    word.wrong(match names(CHECK).contains(&name) {
        true => format!("`{name}` is no word of `{list}`: write it after `{list}(…)`, not inside"),
        false => netcheck_words::unknown_in(list, name, &names(known)),
    })
}

/// The word of the table, wherever it stands there: a word of two lists takes the same in both.
fn known(word: &Word<'_>) -> &'static Known {
    let parts = SEARCHES.iter().map(|order| order.words);
    let mut all = [CHECK, UDP, TCP, CRASH, PARTITION, FILES].into_iter().chain(parts).flatten();
    all.find(|known| known.name == word.name).expect("only words of the table are looked up")
}

// The three forms of a word.

fn alone<T>(word: &Word<'_>, value: T) -> Result<T, Wrong> {
    match word.form {
        Form::Alone => Ok(value),
        Form::Value(_) | Form::List(_) | Form::Number(_) => {
            Err(word.wrong(format!("`{0}` stands alone: write just `{0}`", word.name)))
        }
    }
}

fn value<'w, 'a>(word: &'w Word<'a>) -> Result<&'w Value<'a>, Wrong> {
    value_as(word, known(word).example)
}

fn value_as<'w, 'a>(word: &'w Word<'a>, example: &str) -> Result<&'w Value<'a>, Wrong> {
    match &word.form {
        Form::Value(value) => Ok(value),
        Form::Alone | Form::List(_) | Form::Number(_) => {
            Err(word.wrong(format!("`{0}` needs a value: write `{0} = {example}`", word.name)))
        }
    }
}

fn list<'w, 'a>(word: &'w Word<'a>) -> Result<&'w [Word<'a>], Wrong> {
    match &word.form {
        Form::List(words) => Ok(words),
        Form::Alone | Form::Value(_) | Form::Number(_) => {
            let example = known(word).example;
            Err(word.wrong(format!("`{}` needs its words in parentheses: write `{example}`", word.name)))
        }
    }
}

// The kinds of values.

fn number<N: TryFrom<u64>>(value: &Value<'_>) -> Result<N, Wrong> {
    let Kind::Number(written) = value.kind else {
        return Err(value.wrong("expected a whole number, such as `2`"));
    };
    let too_large = "this number is too large";
    let number = constant::value(written).map_err(|why| {
        value.wrong(match why {
            NoValue::TooLarge => too_large,
            NoValue::Negative => "this number is less than zero",
            NoValue::ByZero => "this divides by zero",
            NoValue::Other => "expected a whole number, such as `2`",
        })
    })?;
    N::try_from(number).map_err(|_| value.wrong(too_large))
}

fn positive(word: &Word<'_>) -> Result<usize, Wrong> {
    positive_in(word, std::slice::from_ref(known(word)))
}

/// The same, by what a table says of the word: another one may have a word of this name.
fn positive_in(word: &Word<'_>, table: &[Known]) -> Result<usize, Wrong> {
    let value = value(word)?;
    let least = table.iter().find(|known| known.name == word.name).and_then(|known| known.least);
    match number(value)? {
        0 => Err(value.wrong(format!("`{}` is {}", word.name, least.expect("the table says what it is")))),
        number => Ok(number),
    }
}

fn threads(word: &Word<'_>) -> Result<usize, Wrong> {
    let value = value(word)?;
    let threads = number(value)?;
    match (1..=THREADS_MAX).contains(&threads) {
        true => Ok(threads),
        false => Err(value.wrong(threads_meaning())),
    }
}

fn deviations(word: &Word<'_>) -> Result<usize, Wrong> {
    let value = value(word)?;
    let deviations = number(value)?;
    match deviations <= DEVIATIONS_MAX {
        true => Ok(deviations),
        false => Err(value.wrong(deviations_meaning())),
    }
}

fn copies(word: &Word<'_>) -> Result<Vec<usize>, Wrong> {
    let value = value(word)?;
    let Kind::List(values) = &value.kind else {
        return Err(value.wrong("expected a list of whole numbers, such as `[1, 0, 2]`"));
    };
    let copies = values.iter().map(number).collect::<Result<Vec<usize>, _>>()?;
    for (i, (number, value)) in copies.iter().zip(values).enumerate() {
        if copies[..i].contains(number) {
            return Err(value.wrong(format!("{number} is listed twice: keep one")));
        }
        if *number > 255 {
            return Err(value.wrong("a packet can arrive at most 255 times"));
        }
    }
    match copies.is_empty() {
        true => Err(value.wrong("each packet needs a number of arrivals: write `[1]` for a network without faults")),
        false => Ok(copies),
    }
}

fn process(value: &Value<'_>) -> Result<String, Wrong> {
    match value.kind {
        Kind::Name("") => Err(value.wrong("a process has a name: this one is empty")),
        Kind::Name(name) => Ok(name.to_owned()),
        _ => Err(value.wrong("expected the name of a process in quotes, such as `\"client\"`")),
    }
}

fn processes(word: &Word<'_>) -> Result<Vec<String>, Wrong> {
    let value = value(word)?;
    let Kind::List(values) = &value.kind else {
        return Err(value.wrong("expected a list of names, such as `[\"client\", \"server\"]`"));
    };
    let names = values.iter().map(process).collect::<Result<Vec<_>, _>>()?;
    if let Some(i) = (0..names.len()).find(|&i| names[..i].contains(&names[i])) {
        return Err(values[i].wrong(format!("process {:?} is named twice: keep one", names[i])));
    }
    match names.is_empty() {
        true => Err(value.wrong("this is empty: name a process, or leave it out to mean all of them")),
        false => Ok(names),
    }
}

/// Names, or lists of names.
fn sides(word: &Word<'_>) -> Result<Vec<Vec<String>>, Wrong> {
    let value = value(word)?;
    let Kind::List(sides) = &value.kind else { return Err(value.wrong(netcheck_words::not_sides())) };
    let mut all: Vec<String> = Vec::new();
    let mut side = |side: &Value<'_>| {
        let alone = std::slice::from_ref(side);
        let names = if let Kind::List(names) = &side.kind { names } else { alone };
        if names.is_empty() {
            return Err(side.wrong(netcheck_words::no_side()));
        }
        let mut of_side = Vec::new();
        for value in names {
            let name = process(value)?;
            if all.contains(&name) {
                return Err(value.wrong(format!("process {name:?} is named twice: keep one")));
            }
            all.push(name.clone());
            of_side.push(name);
        }
        Ok(of_side)
    };
    sides.iter().map(&mut side).collect()
}

fn between(word: &Word<'_>) -> Result<Vec<String>, Wrong> {
    let names = processes(word)?;
    match names.len() {
        1 => Err(word.wrong("`between` names two processes at least: packets go from one of them to another")),
        _ => Ok(names),
    }
}

fn choice<T: Copy>(value: &Value<'_>, choices: &Choices<T>) -> Result<T, Wrong> {
    let names: Vec<&str> = choices.iter().map(|&(name, _)| name).collect();
    let Kind::Word(word) = &value.kind else {
        let hint = if matches!(value.kind, Kind::Name(_)) { ", without quotes" } else { "" };
        return Err(value.wrong(format!("expected {}{hint}", either(&names))));
    };
    let choice = choices.iter().find(|(name, _)| *name == word.name);
    let Some(&(_, choice)) = choice else {
        let hint = hint(word.name, &names);
        return Err(value.wrong(format!("expected {}, found `{}`{hint}", either(&names), word.name)));
    };
    alone(word, choice)
}

// Mistakes, in words.

/// A mistake and where it stands in the text.
struct Wrong {
    at: Range<usize>,
    message: String,
}

impl Wrong {
    /// The mistake, with the text and a mark under the place.
    fn shown_in(&self, text: &str) -> String {
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = text[..self.at.start].chars().count();
        let marked = text[self.at.clone()].trim_end().chars().count().max(1);
        format!("{}\n  {line}\n  {:before$}{:^<marked$}", self.message, "", "")
    }
}

impl Word<'_> {
    fn wrong(&self, message: impl fmt::Display) -> Wrong {
        Wrong { at: self.at.clone(), message: message.to_string() }
    }
}

impl Value<'_> {
    fn wrong(&self, message: impl fmt::Display) -> Wrong {
        Wrong { at: self.at.clone(), message: message.to_string() }
    }
}
