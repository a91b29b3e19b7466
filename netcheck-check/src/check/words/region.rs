//! The words of `faults::with`, which set faults anew for a region of a program.

use super::grammar::{self, Form, Word};
use super::{Wrong, each, tcp, udp};
use crate::check::{Tcp, Udp};
use netcheck_runtime::faults::Region;
use netcheck_words::{CHECK, TCP, UDP, names, unknown};

/// The lists of a region, and their words: each says what happens to one packet, or to one call.
const LISTS: &[(&str, &[&str])] = &[
    ("udp", &["loss", "duplication", "reorder", "copies", "window"]),
    ("tcp", &["open", "close", "read", "write", "transient", "reset", "hang"]),
];

/// The faults of a region, or what is wrong with its words, with a mark under the place.
pub(crate) fn region(text: &str) -> Result<Region, String> {
    let region = grammar::parse(text).and_then(|words| of_words(&words));
    region.map_err(|wrong| format!("wrong words for `faults::with`: {}", wrong.shown_in(text)))
}

fn of_words(words: &[Word<'_>]) -> Result<Region, Wrong> {
    let mut region = Region::default();
    for word in each(words, CHECK)? {
        let is_list = matches!(word.form, Form::List(_));
        match word.name {
            "udp" if region.udp.is_some() => {
                return Err(
                    word.wrong("`udp` is said twice: all packets that the process sends in a region are one group")
                );
            }
            "udp" if is_empty(word) => region.udp = Some(Udp::new().perturbation()),
            "tcp" if is_empty(word) => region.tcp = Some(Tcp::new().failures()),
            "udp" => {
                known(word)?;
                region.udp = Some(udp(word)?.perturbation());
            }
            "tcp" => {
                known(word)?;
                region.tcp = Some(tcp(word)?.failures());
            }
            name if names(CHECK).contains(&name) && !is_list => {
                return Err(word.wrong(format!(
                    "`{name}` is a word of the whole check: write it at the test; a region has `udp(…)` and `tcp(…)`"
                )));
            }
            name => return Err(word.wrong(unknown(name, &["udp", "tcp"], "the words of a region are"))),
        }
    }
    match words {
        [] => Err(Wrong { at: 0..0, message: "no words: a region has `udp(…)`, `tcp(…)` or both".to_owned() }),
        _ => Ok(region),
    }
}

/// Whether the word is a list without words: there are no faults of this kind in the region.
fn is_empty(word: &Word<'_>) -> bool {
    matches!(&word.form, Form::List(words) if words.is_empty())
}

/// Refuses words that are words of the list and not of regions.
fn known(list: &Word<'_>) -> Result<(), Wrong> {
    let Form::List(words) = &list.form else { return Ok(()) };
    let of_check = names(if list.name == "udp" { UDP } else { TCP });
    let (_, of_region) = LISTS.iter().find(|(name, _)| *name == list.name).expect("it is one of the lists");
    let is_refused = |word: &&Word<'_>| of_check.contains(&word.name) && !of_region.contains(&word.name);
    match words.iter().find(is_refused) {
        Some(word) => Err(word.wrong(format!("`{}` {}", word.name, why_refused(list.name, word.name)))),
        None => Ok(()),
    }
}

/// Why a region can't have a word of a check.
fn why_refused(list: &str, word: &str) -> &'static str {
    match (list, word) {
        (_, "process" | "processes" | "between") => {
            "can't be set in a region: a region is about the process that is in it"
        }
        (_, "delay") => "can't be set in a region: whether packets take time is a matter of the whole check",
        ("udp", _) => "can't be set in a region: the side that is perturbed is a matter of the whole check",
        (_, "split" | "buffer" | "retries") => {
            "can't be set in a region: how streams carry bytes is a matter of the whole check, and no failure"
        }
        _ => "can't be set in a region: all calls of the process that is in the region may fail",
    }
}

#[cfg(test)]
mod tests {
    use super::region;
    use netcheck_models::udp::Perturbation;

    #[test]
    fn the_words_of_a_region_set_packets_and_calls_anew() {
        let both = region("udp(copies = [1, 2], window = 3), tcp(read, hang)").unwrap();
        assert_eq!(both.udp, Some(Perturbation::new([1, 2], 3)));
        let failures = both.tcp.unwrap();
        assert!(failures.read && failures.hang && !failures.write && !failures.open);
        let one = region("udp(loss, reorder = 2)").unwrap();
        assert_eq!((one.udp, one.tcp), (Some(Perturbation::new([1, 0], 2)), None));
    }

    #[test]
    fn an_empty_list_is_a_region_without_such_faults() {
        let none = region("udp(), tcp()").unwrap();
        assert_eq!(none.udp, Some(Perturbation::reliable()));
        assert_eq!(none.tcp, Some(Default::default()));
    }
}
