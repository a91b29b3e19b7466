//! The lengths of delays in a text: `1ms..=200ms`, `5ms..`, `[5ms, 50ms]`; and times: `30` seconds, `500ms`.

use super::grammar::{Form, Kind, Word};
use super::{Wrong, known, positive};
use crate::check::{Tcp, Udp};
use netcheck_models::time::FAR_NS;
use netcheck_words::UNITS;
use std::ops::Bound;
use std::time::Duration;

/// The delays of datagrams.
pub(super) fn of_datagrams(word: &Word<'_>, udp: Udp) -> Result<Udp, Wrong> {
    Ok(match delays(word)? {
        Delays::Interval(least, most) => udp.delay((least, most)),
        Delays::Listed(listed) => udp.delays(listed),
    })
}

/// The delays of what comes over TCP.
pub(super) fn of_streams(word: &Word<'_>, tcp: Tcp) -> Result<Tcp, Wrong> {
    Ok(match delays(word)? {
        Delays::Interval(least, most) => tcp.delay((least, most)),
        Delays::Listed(listed) => tcp.delays(listed),
    })
}

/// An interval of delays.
pub(super) fn interval(word: &Word<'_>) -> Result<(Bound<Duration>, Bound<Duration>), Wrong> {
    match (&word.form, delays(word)) {
        (Form::Value(_), Ok(Delays::Interval(least, most))) => Ok((least, most)),
        (Form::Value(_), Err(wrong)) => Err(wrong),
        _ => Err(word.wrong(format!("`{0}` needs an interval: write `{0} = 1s..=5s`", word.name))),
    }
}

/// The delays of a word.
enum Delays {
    Interval(Bound<Duration>, Bound<Duration>),
    Listed(Vec<Duration>),
}

fn delays(word: &Word<'_>) -> Result<Delays, Wrong> {
    let interval = |least, most| Ok(Delays::Interval(least, most));
    let Form::Value(value) = &word.form else {
        return match word.form {
            Form::Alone => interval(Bound::Unbounded, Bound::Unbounded),
            _ => {
                Err(word
                    .wrong("`delay` takes an interval or a list: write `delay = 1ms..=200ms` or `delay = [5ms, 50ms]`"))
            }
        };
    };
    let wrong = |message: String| Wrong { at: value.at.clone(), message };
    match &value.kind {
        Kind::Range { least, dots, most } => {
            let least = length(least, DELAY).map_err(wrong)?;
            match (*dots, most) {
                ("..", None) => interval(Bound::Included(least), Bound::Unbounded),
                ("..=", Some(most)) => {
                    let most = length(most, DELAY).map_err(wrong)?;
                    if most < least {
                        return Err(wrong("no delay is in this interval: the shorter one comes first".to_owned()));
                    }
                    interval(Bound::Included(least), Bound::Included(most))
                }
                ("..", Some(_)) => Err(wrong("the longest delay belongs to the interval: write `..=`".to_owned())),
                _ => Err(wrong("`..=` needs the longest delay: write `1ms..=200ms`, or `1ms..`".to_owned())),
            }
        }
        Kind::List(listed) if listed.is_empty() => {
            Err(wrong("no delay is listed: write `delay = [5ms, 50ms]`".to_owned()))
        }
        Kind::List(listed) => {
            let each = listed.iter().map(|value| match value.kind {
                Kind::Number(digits) => {
                    length(digits, DELAY).map_err(|message| Wrong { at: value.at.clone(), message })
                }
                _ => Err(Wrong { at: value.at.clone(), message: "expected a delay, such as `200ms`".to_owned() }),
            });
            Ok(Delays::Listed(each.collect::<Result<Vec<Duration>, Wrong>>()?))
        }
        Kind::Number(digits) => {
            length(digits, DELAY).map_err(wrong)?;
            Err(wrong(format!("expected an interval or a list of delays: write `[{digits}]`")))
        }
        _ => Err(wrong(
            "expected an interval such as `1ms..=200ms` or `5ms..`, or a list such as `[5ms, 50ms]`".to_owned(),
        )),
    }
}

/// The time that a word gives, with a unit or in seconds.
pub(super) fn time(word: &Word<'_>) -> Result<Duration, Wrong> {
    let is_of_type = |written: &str| written.ends_with("usize") || written.ends_with("u64");
    let has_unit = |written: &str| {
        let last = written.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        last.ends_with(char::is_alphabetic) && !is_of_type(last) && !last.starts_with("0x")
    };
    if let Form::Value(value) = &word.form
        && let Kind::Number(written) = value.kind
        && has_unit(written)
    {
        let time = length(written, "time").map_err(|message| Wrong { at: value.at.clone(), message })?;
        return match known(word).least {
            Some(least) if time.is_zero() => Err(value.wrong(format!("`{}` is {least}", word.name))),
            _ => Ok(time),
        };
    }
    Ok(Duration::from_secs(positive(word)? as u64))
}

/// How messages call the length of a delay.
const DELAY: &str = "delay";

/// A whole number with a unit; `name`: of what it is the length.
fn length(text: &str, name: &str) -> Result<Duration, String> {
    let (digits, unit) = text.split_at(text.find(char::is_alphabetic).unwrap_or(text.len()));
    let units = "`ns`, `us`, `ms`, `s` or `min`";
    if text.contains(|c: char| !c.is_alphanumeric() && c != '_') {
        return Err(format!("a {name} is one number with a unit, such as `200ms`"));
    }
    let Some((_, unit_ns)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(match unit {
            "" => format!("a {name} needs a unit: write `{digits}ms`, or another of {units}"),
            _ => format!("unknown unit `{unit}`: a {name} is in {units}"),
        });
    };
    let count = digits.replace('_', "").parse::<u64>().ok();
    let ns = count.and_then(|count| count.checked_mul(*unit_ns)).filter(|&ns| ns < FAR_NS.unsigned_abs());
    ns.map(Duration::from_nanos).ok_or_else(|| format!("this {name} is too long: the longest are 146 years"))
}
