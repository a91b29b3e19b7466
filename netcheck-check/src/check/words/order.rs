//! The order of the search, or a simulation in its place.

use super::delay::time;
use super::grammar::{Form, Kind, Value, Word};
use super::{Choices, Wrong, alone, choice, each, exclusive, has_any, number, positive};
use crate::check::{Checker, Simulation};
use netcheck_runtime::search::frontier::Search;
use netcheck_words::{SEARCHES, either, names};

/// The meaning of the number of `retransmissions`.
const ARRIVALS: &str = "how often a datagram arrives before the search puts it off, at least 1";

const ORDERS: &Choices<Search> = &[
    ("bfs", Search::Bfs),
    ("dfs", Search::Dfs),
    ("faults", Search::Faults),
    ("joint", Search::Joint),
    ("reads", Search::Reads),
    ("network_states", Search::NetworkStates { retransmissions: None }),
    ("retransmissions", Search::Retransmissions { arrivals: 2 }),
    ("random", Search::Random { seed: 0 }),
    ("pct", Search::Pct { seed: 0, depth: 3 }),
    // It is no order: `simulation` reads it. Here it is named for messages.
    ("simulate", Search::Bfs),
];

/// `bfs`, `dfs`, `faults`, `joint`, `reads`, `network_states`, `network_states(retransmissions = 2)`, `retransmissions(2)`,
/// `random`, `random(seed = 7)`, `pct` or `pct(seed = 7, depth = 3)`.
pub(super) fn search(value: &Value<'_>) -> Result<Search, Wrong> {
    let Kind::Word(word) = &value.kind else { return choice(value, ORDERS) };
    let Some((_, named)) = ORDERS.iter().find(|(name, _)| *name == word.name) else { return choice(value, ORDERS) };
    let mut search = *named;
    let (known, example) = known(word);
    let Some(example) = example else {
        return match word.form {
            Form::List(_) | Form::Number(_) => {
                Err(word.wrong(format!("`{0}` takes nothing in parentheses: write just `{0}`", word.name)))
            }
            Form::Alone | Form::Value(_) => choice(value, ORDERS),
        };
    };
    let instead = || format!("write `{example}`, or just `{}`", word.name);
    let words = match (&word.form, &mut search) {
        (Form::List(words), _) if !words.is_empty() && !known.is_empty() => words,
        (Form::Number(value), Search::Retransmissions { arrivals }) => {
            *arrivals = match number(value)? {
                0 => return Err(value.wrong(format!("this is {ARRIVALS}"))),
                arrivals => arrivals,
            };
            return Ok(search);
        }
        (Form::Number(value), _) => return Err(value.wrong(instead())),
        (Form::List(_), _) => return Err(value.wrong(instead())),
        (Form::Alone | Form::Value(_), _) => return choice(value, ORDERS),
    };
    for inner in each(words, known)? {
        match (inner.name, &mut search) {
            ("seed", Search::Random { seed } | Search::Pct { seed, .. }) => *seed = number(super::value(inner)?)?,
            ("retransmissions", Search::NetworkStates { retransmissions }) => {
                *retransmissions = Some(positive(inner)?);
            }
            ("depth", Search::Pct { depth, .. }) => *depth = positive(inner)?,
            _ => return Err(inner.wrong(format!("expected {}: write `{example}`", either(&names(known))))),
        }
    }
    Ok(search)
}

/// The words that may stand behind an order, and an example with them.
fn known(order: &Word<'_>) -> (&'static [netcheck_words::Word], Option<&'static str>) {
    let known = SEARCHES.iter().find(|known| known.name == order.name).expect("it is one of them");
    (known.words, known.example)
}

/// `simulate`, `simulate(seed = 7, runs = 10_000)` or `simulate(time = 30)`; `None` for an order.
pub(super) fn simulation(value: &Value<'_>) -> Result<Option<Simulation>, Wrong> {
    let Kind::Word(word) = &value.kind else { return Ok(None) };
    if word.name != "simulate" {
        return Ok(None);
    }
    let simulation = Simulation::new(0);
    let (known, Some(example)) = known(word) else { return Ok(None) };
    let words = match &word.form {
        Form::List(words) => words,
        Form::Number(number) => return Err(number.wrong(format!("write `{example}`, or just `simulate`"))),
        Form::Alone | Form::Value(_) => return alone(word, Some(simulation)),
    };
    if words.is_empty() {
        return Err(value.wrong(format!("write `{example}`, or just `simulate`")));
    }
    exclusive(words, &[("runs", "time", "both say when the simulation ends; keep one")])?;
    let simulation = each(words, known)?.iter().try_fold(simulation, |simulation, inner| {
        Ok(match inner.name {
            "seed" => simulation.seeded(number(super::value(inner)?)?),
            "runs" => simulation.runs(positive(inner)? as u64),
            "time" => simulation.time(time(inner)?),
            _ => return Err(inner.wrong(format!("expected {}: write `{example}`", either(&names(known))))),
        })
    })?;
    Ok(Some(simulation))
}

/// Another seed, for a search that has none of its own, too.
pub(super) fn seeded(new: u64, words: &[Word<'_>], checker: Checker) -> Checker {
    let search = words.iter().find(|word| word.name == "search");
    let has_its_own = matches!(
        search,
        Some(Word { form: Form::Value(Value { kind: Kind::Word(named), .. }), .. })
            if matches!(&named.form, Form::List(inner) if has_any(inner, &["seed"]))
    );
    if let Some(simulation) = checker.simulation.filter(|_| !has_its_own) {
        return checker.simulation(simulation.seeded(new)).seed(new);
    }
    match checker.search {
        Some(Search::Random { .. }) if !has_its_own => checker.search(Search::Random { seed: new }),
        Some(Search::Pct { depth, .. }) if !has_its_own => checker.search(Search::Pct { seed: new, depth }),
        _ => checker,
    }
    .seed(new)
}
