//! Instants in the memory of a program.
//!
//! A program depends on how far its instants lie apart, and from now, and not on when the clock began. So an
//! image has of each instant only how long it is before the latest one that the memory holds, and who keeps the image
//! keeps beside it how long ago that is. An instant of netcheck's own may be *out of reach*: then an image has only
//! that, and who reads the image sees to it that the program does not ask for more.
//!
//! An instant of netcheck's own is one word, near [`ORIGIN_NS`], where few other numbers are: so it is recognised also where
//! only a part of a variable is left, which a register has held. Where a small number has been written over its low half,
//! as a tag before padding, the high half is stale: it would tell the time in steps of four seconds. So no instant has a
//! small low half ([`is_recognised`]), and of such a word an image has only the number. One of the standard library is a number of seconds in a
//! range of 48 days around [`UPTIME`], and one of nanoseconds in the low half of the next word. So is a date, in a range of two
//! years around the one at which the check begins. Only the words of a run that
//! was told an instant are looked at. If such a run holds another number in one of the ranges, an image tells two of them
//! apart by how far they lie from its instants; if it holds no instant, or the number is out of reach, they are taken for one.
//!
//! An instant of the standard library that lies outside of the range is a number in an image: it is not told how far it
//! is from now, and no check lasts so long that a program could come to it. Of a date that lies outside, and of whatever else a
//! program has made of a date (a text, a number of days), an image has the bytes. So who takes dates for recognised makes sure that
//! the program depends on no such bytes: its images are the same where the check begins at another date.
//!
//! Where the network takes any time of an interval, how far two readings of the clock lie apart may be no number. Then
//! instants form groups, within which distances are numbers, and each group has a range of numbers of its own
//! ([`range_of`]); the instants of the standard library are one more, together with dates. An image has of each instant its group, by the order
//! in which groups are met, and how far it is from the first one of the group, the group's *anchor*. Who keeps the image
//! keeps how far the anchors may lie apart, and from now.

use crate::source::UPTIME;
use std::time::Duration;

/// The start of a check as netcheck's own instants have it, in nanoseconds.
pub const ORIGIN_NS: i64 = 0x3b1d_f02e_93c5_a847;

/// Netcheck's own instants lie at most so many nanoseconds before or after [`ORIGIN_NS`]: 78 hours.
pub const RANGE_NS: i64 = 1 << 48;

/// Seconds before and after [`UPTIME`] that are taken for readings of the standard library's clock.
const RANGE_SECONDS: u64 = 1 << 21;
/// Seconds before and after the date at which a check begins that are taken for dates. With more, the constant for the
/// nanoseconds of a second would be one.
const RANGE_OF_DATES_SECONDS: u64 = 1 << 25;
const SECOND_NS: i64 = 1_000_000_000;
const LOW_HALF: u64 = u32::MAX as u64;

/// The low half of no instant is less, or as little below zero.
const SMALL: u32 = 1 << 12;

/// Whether images recognise an instant of netcheck's own, in nanoseconds since the start of the check: all but one in half
/// a million of those that are in their range.
#[must_use]
pub fn is_recognised(ns: i64) -> bool {
    ns.saturating_abs() <= RANGE_NS && !has_small_half((ORIGIN_NS + ns) as u64)
}

/// The numbers of one group of instants: 39 hours, with those around its middle.
const GROUP_NS: i64 = 1 << 47;

/// So many groups have ranges of their own.
pub const GROUPS_MAX: i64 = 32;

/// The range of numbers in which an instant of netcheck's own lies, in nanoseconds since [`ORIGIN_NS`]: that of its group,
/// where instants form groups. `None`: in none.
#[must_use]
pub fn range_of(ns: i64) -> Option<i64> {
    let range = ns.checked_add(GROUP_NS / 2)?.div_euclid(GROUP_NS);
    (0..GROUPS_MAX).contains(&range).then_some(range)
}

/// The middle of a range.
#[must_use]
pub fn middle_of_range(range: i64) -> i64 {
    range * GROUP_NS
}

/// Whether images recognise an instant of a group: of all in its range, all but one in half a million.
#[must_use]
pub fn is_recognised_in_group(ns: i64) -> bool {
    range_of(ns).is_some() && !has_small_half(ORIGIN_NS.wrapping_add(ns) as u64)
}

/// Whether the low half of a word is a number as programs count, or a tag.
fn has_small_half(word: u64) -> bool {
    (word as u32).wrapping_add(SMALL) < 2 * SMALL
}

/// Which words of a program's memory are instants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instants {
    /// None: they are numbers as others are.
    None,
    /// Instants of netcheck's own.
    Own(Reach),
    /// Instants of the standard library, too, which are never out of reach; and dates, where the date at which the check
    /// begins is given, as a time since 1970.
    All(Reach, Option<Duration>),
    /// Instants of netcheck's own that form groups; and, as one more group, those of the standard library, and dates.
    Groups {
        /// Whether those of the standard library are looked for.
        has_std: bool,
        /// The date at which the check begins, as a time since 1970, where dates are looked for.
        calendar: Option<Duration>,
    },
}

/// Which instants are out of reach. All numbers are nanoseconds since the start of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// How long before the latest instant, if none is of the standard library.
    pub ns: i64,
    /// All instants up to this one.
    pub floor_ns: i64,
    /// All instants before this one, if another instant lies behind it.
    pub middle_ns: Option<i64>,
}

impl Reach {
    /// The latest instant that is out of reach, or one just after it, where the memory holds this latest one.
    #[must_use]
    pub fn floor_below(self, latest_ns: i64) -> i64 {
        let middle_ns = self.middle_ns.filter(|&middle_ns| middle_ns <= latest_ns);
        middle_ns.map_or(self.floor_ns, |middle_ns| self.floor_ns.max(middle_ns - 1))
    }
}

/// In place of how long an instant is before the latest one: it is out of reach.
const OUT_OF_REACH: u64 = u64::MAX;

/// An instant of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Met {
    /// Nanoseconds since the start of the check, or as far from there as the numbers of its group are.
    pub ns: i64,
    /// Whether it is one of the standard library.
    pub is_std: bool,
}

/// A word of memory that is recognised as an instant, or as the rest of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Recognised {
    /// An instant, with a mask of the bits of the next word that are no part of it.
    Instant(Met, u64),
    /// A number that was written over the low half of an instant, which is stale.
    Number(u32),
}

/// The instants of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// The latest one, if they are told by it.
    pub dated: Option<Dated>,
    /// The anchors of their groups, if they form groups.
    pub anchors: Box<[Met]>,
}

/// The latest of the instants of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dated {
    /// The latest one, in nanoseconds since the start of the check.
    pub latest_ns: i64,
    /// Whether it is in reach.
    pub is_in_reach: bool,
    /// Whether one of them is of the standard library.
    pub has_std: bool,
}

impl Instants {
    /// The instants of an image, and what the image has of each: how long it is before the latest one, or how far it is
    /// from the anchor of its group.
    pub(super) fn held(self, all: &[Met], write: impl FnMut(u64)) -> Held {
        match self {
            Instants::Groups { .. } => Held { dated: None, anchors: anchors(all, write) },
            _ => Held { dated: self.dated(all, write), anchors: Box::default() },
        }
    }

    fn dated(self, all: &[Met], mut write: impl FnMut(u64)) -> Option<Dated> {
        let latest_ns = all.iter().map(|met| met.ns).max()?;
        let has_std = all.iter().any(|met| met.is_std);
        let (reach_ns, floor_ns) = match self {
            Instants::None | Instants::Groups { .. } => (i64::MAX, i64::MIN),
            Instants::Own(reach) | Instants::All(reach, _) => (reach.ns, reach.floor_below(latest_ns)),
        };
        for met in all {
            let before_ns = latest_ns.saturating_sub(met.ns);
            let is_out_of_reach = !met.is_std && (met.ns <= floor_ns || !has_std && before_ns >= reach_ns);
            write(if is_out_of_reach { OUT_OF_REACH } else { before_ns as u64 });
        }
        Some(Dated { latest_ns, is_in_reach: has_std || latest_ns > floor_ns, has_std })
    }

    /// The instant that a word is together with the next one, or the rest of an instant, if the word is recognised.
    #[inline]
    pub(super) fn at(self, first: u64, second: u64) -> Option<Recognised> {
        match self {
            Instants::None => None,
            _ if self.is_in_range((first as i64).wrapping_sub(ORIGIN_NS)) => Some(match has_small_half(first) {
                true => Recognised::Number(first as u32),
                false => Recognised::Instant(Met { ns: first as i64 - ORIGIN_NS, is_std: false }, u64::MAX),
            }),
            Instants::Own(_) | Instants::Groups { has_std: false, .. } => None,
            Instants::Groups { calendar, .. } | Instants::All(_, calendar) => of_std(first, second, calendar),
        }
    }

    /// Whether a number is near those of the check's instants.
    #[inline]
    fn is_in_range(self, ns: i64) -> bool {
        match self {
            Instants::Groups { .. } => range_of(ns).is_some(),
            _ => ns.unsigned_abs() <= RANGE_NS as u64,
        }
    }
}

/// The instant of the standard library that two words are, or the date, where the date at which the check begins is given.
fn of_std(first: u64, second: u64, calendar: Option<Duration>) -> Option<Recognised> {
    let nanoseconds = (second & LOW_HALF) as i64;
    let since = |start: Duration, range: u64| {
        let seconds = first.wrapping_sub(start.as_secs()) as i64;
        (seconds.unsigned_abs() <= range && nanoseconds < SECOND_NS).then_some(seconds)
    };
    let seconds = since(UPTIME, RANGE_SECONDS).or_else(|| since(calendar?, RANGE_OF_DATES_SECONDS))?;
    let met = Met { ns: seconds * SECOND_NS + nanoseconds, is_std: true };
    Some(Recognised::Instant(met, !LOW_HALF))
}

/// The bits of a word that have the distance from an anchor, which is some days; the others have the number of the group.
const DISTANCE_BITS: u32 = 56;

/// The anchors of the groups that instants form, in the order in which they are met. Of each instant it is written in which
/// group it is, and how far from its anchor.
fn anchors(all: &[Met], mut write: impl FnMut(u64)) -> Box<[Met]> {
    let group = |met: &Met| (met.is_std, if met.is_std { None } else { range_of(met.ns) });
    let mut anchors: Vec<Met> = Vec::new();
    for met in all {
        let number = anchors.iter().position(|anchor| group(anchor) == group(met)).unwrap_or_else(|| {
            anchors.push(*met);
            anchors.len() - 1
        });
        let distance_ns = met.ns.wrapping_sub(anchors[number].ns) as u64;
        write((number as u64) << DISTANCE_BITS | distance_ns & ((1 << DISTANCE_BITS) - 1));
    }
    anchors.into_boxed_slice()
}
