//! The lengths of delays: intervals and lists.

use netcheck_models::time::{Delay, FAR_NS};
use netcheck_runtime::world::delays::Delays;
use netcheck_words::UNITS;
use std::ops::Bound;
use std::time::Duration;

/// Listed delays, each once.
#[track_caller]
pub(super) fn listed(delays: impl IntoIterator<Item = Duration>) -> Delays {
    let mut listed: Vec<u64> = Vec::new();
    for ns in delays.into_iter().map(nanoseconds) {
        if !listed.contains(&ns) {
            listed.push(ns);
        }
    }
    assert!(!listed.is_empty(), "`delays` needs at least one delay");
    Delays::Listed(listed)
}

/// An interval of delays.
#[track_caller]
pub(super) fn interval(least: Bound<&Duration>, most: Bound<&Duration>) -> Delay {
    let least_ns = match least {
        Bound::Included(least) => nanoseconds(*least),
        Bound::Excluded(least) => nanoseconds(*least) + 1,
        Bound::Unbounded => 0,
    };
    match most {
        Bound::Unbounded => Delay::at_least(least_ns),
        Bound::Included(most) => {
            let most_ns = nanoseconds(*most);
            assert!(least_ns <= most_ns, "no delay is in this interval: the shorter one comes first");
            Delay::between(least_ns, most_ns)
        }
        Bound::Excluded(_) => panic!("the longest delay belongs to the interval: write `..=`"),
    }
}

#[track_caller]
fn nanoseconds(delay: Duration) -> u64 {
    let ns = u64::try_from(delay.as_nanos()).unwrap_or(u64::MAX);
    assert!(i64::try_from(ns).is_ok_and(|ns| ns < FAR_NS), "this delay is too long: the longest are 146 years");
    ns
}

/// Delays as a word of the attribute, with its name.
pub(super) fn in_words(word: &str, delays: &Delays) -> String {
    match delays {
        Delays::Interval(delay) if delay.is_any() && word == "delay" => word.to_owned(),
        Delays::Interval(delay) => {
            let least = length(delay.least_ns());
            match delay.most_ns() {
                Some(most_ns) => format!("{word} = {least}..={}", length(most_ns)),
                None => format!("{word} = {least}.."),
            }
        }
        Delays::Listed(listed) => {
            let listed: Vec<String> = listed.iter().map(|&ns| length(ns)).collect();
            format!("{word} = [{}]", listed.join(", "))
        }
    }
}

/// A length of time in the longest unit of which it is a multiple.
pub(in crate::check) fn length(ns: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, unit_ns)| ns > 0 && ns.is_multiple_of(*unit_ns));
    let (unit, unit_ns) = unit.unwrap_or(&("s", 1));
    format!("{}{unit}", ns / unit_ns)
}
