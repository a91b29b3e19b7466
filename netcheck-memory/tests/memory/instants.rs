//! Instants in images: how long they are before the latest one, and whether they are out of reach.

use netcheck_memory::{
    Arena, CALENDAR, Dated, GROUPS_MAX, Held, Instants, Met, ORIGIN_NS, Reach, UPTIME, is_recognised,
    is_recognised_in_group, middle_of_range, range_of,
};
use std::time::Duration;

const REACH: Reach = Reach { ns: 1_000, floor_ns: i64::MIN, middle_ns: None };

/// An image of some words in an arena, and the instants among them.
fn image(arena: &Arena, instants: Instants, words: &[u64]) -> (u128, Option<Dated>) {
    let (digest, held) = image_of(arena, instants, words);
    (digest, held.dated)
}

fn image_of(arena: &Arena, instants: Instants, words: &[u64]) -> (u128, Held) {
    let state = arena.enter(|| Box::new(words.to_vec()));
    let (digest, held) = arena
        .dated_image(|scan| {
            scan.recognise(instants);
            scan.pointer(&raw const *state);
        })
        .expect("an image");
    arena.enter(|| drop(state));
    (digest.to_u128(), held)
}

fn own(ns: i64) -> u64 {
    (ORIGIN_NS + ns) as u64
}

/// The two words of an instant of the standard library.
fn std(seconds: u64, nanoseconds: u64) -> [u64; 2] {
    [UPTIME.as_secs() + seconds, 7 << 32 | nanoseconds]
}

/// Images at different times are equal if the instants in them lie equally far apart.
#[test]
fn an_image_does_not_tell_when_it_was_made() {
    let Some(arena) = Arena::new() else { return };
    let of = |words: &[u64]| image(&arena, Instants::Own(REACH), words);
    let (one, dated) = of(&[own(5), 7, own(9)]);
    assert_eq!(dated, Some(Dated { latest_ns: 9, is_in_reach: true, has_std: false }));
    assert_eq!(of(&[own(1_005), 7, own(1_009)]).0, one);
    assert_ne!(of(&[own(5), 7, own(10)]).0, one);
    assert_ne!(of(&[own(9), 7, own(5)]).0, one);
    assert_ne!(of(&[own(5), 8, own(9)]).0, one);
    let unknown = |words: &[u64]| image(&arena, Instants::None, words);
    assert_eq!(unknown(&[own(5)]).1, None);
    assert_ne!(unknown(&[own(5)]).0, unknown(&[own(6)]).0);
}

#[test]
fn instants_out_of_reach_are_one() {
    let Some(arena) = Arena::new() else { return };
    let of = |reach, words: &[u64]| image(&arena, Instants::Own(reach), words);
    let one = of(REACH, &[own(0), own(5_000)]);
    assert_eq!(of(REACH, &[own(4_000), own(5_000)]), one);
    assert_ne!(of(REACH, &[own(4_001), own(5_000)]).0, one.0);
    // An instant that was out of reach stays so, also when the latest one is forgotten.
    let floor = Reach { floor_ns: 4_000, ..REACH };
    assert_eq!(of(floor, &[own(3_999), own(4_100)]).0, of(floor, &[own(4_000), own(4_100)]).0);
    let (_, dated) = of(floor, &[own(4_000), own(3_000)]);
    assert_eq!(dated, Some(Dated { latest_ns: 4_000, is_in_reach: false, has_std: false }));
    // An instant before the middle is out of reach of one behind it, and not without that one.
    let middle = Reach { middle_ns: Some(500), ..REACH };
    assert_eq!(of(middle, &[own(10), own(600)]).0, of(middle, &[own(499), own(600)]).0);
    assert_ne!(of(middle, &[own(10), own(400)]).0, of(middle, &[own(300), own(400)]).0);
}

/// A tag before padding that has the high half of an instant tells no time.
#[test]
fn a_small_number_over_the_low_half_of_an_instant_is_a_number() {
    let Some(arena) = Arena::new() else { return };
    let of = |words: &[u64]| image(&arena, Instants::Own(REACH), words);
    let tagged = |ns: i64, tag: u32| own(ns) >> 32 << 32 | u64::from(tag);
    for tag in [0, 9, 4_095, u32::MAX, u32::MAX - 1] {
        let (one, dated) = of(&[tagged(0, tag), own(5)]);
        assert_eq!(dated.map(|dated| dated.latest_ns), Some(5));
        assert_eq!(of(&[tagged(1 << 40, tag), own(5)]).0, one);
        assert_ne!(of(&[tagged(0, tag ^ 1), own(5)]).0, one);
        let ns = tagged(1 << 40, tag) as i64 - ORIGIN_NS;
        assert!(!is_recognised(ns) && is_recognised(ns ^ 1 << 20) && is_recognised(1 << 40));
    }
}

/// Wherever the two words of one lie among others, in blocks of 64.
#[test]
fn an_instant_of_the_standard_library_is_two_words() {
    let Some(arena) = Arena::new() else { return };
    let of = |words: &[u64]| image(&arena, Instants::All(REACH, None), words);
    for before in [0, 1, 61, 62, 63, 64, 126, 127, 200] {
        let words = |seconds: u64, rest: u64| {
            let mut words = vec![0; before];
            words.extend(std(seconds, 999_999_999));
            words.extend([rest; 3]);
            words.extend([0; 150]);
            words.extend(std(seconds + 1, 0));
            words
        };
        let (one, dated) = of(&words(3, 0));
        assert_eq!(dated.map(|dated| (dated.latest_ns, dated.has_std)), Some((4_000_000_000, true)), "{before}");
        assert_eq!(of(&words(500_000, 0)).0, one, "{before}");
        assert_ne!(of(&words(3, 1)).0, one, "{before}");
        let mut later = words(3, 0);
        later[before + 1] -= 1;
        assert_ne!(of(&later).0, one, "{before}");
        let mut beside = words(3, 0);
        beside[before + 1] += 1 << 32;
        assert_ne!(of(&beside).0, one, "the other half of the word is no part of it, {before}");
    }
    // Seconds with what are no nanoseconds, or of another time, are numbers.
    assert_eq!(of(&[UPTIME.as_secs(), 1_000_000_000]).1, None);
    assert_eq!(of(&[UPTIME.as_secs() + (1 << 22), 5]).1, None);
    // However long ago, it is told.
    assert_ne!(of(&[std(1, 0), std(9, 0)].concat()).0, of(&[std(2, 0), std(9, 0)].concat()).0);
}

/// Dates are told by how far they lie apart, from each other and from instants, whatever the date is at which the check
/// begins; what lies more than a year away is told as it is.
#[test]
fn a_date_is_two_words() {
    let Some(arena) = Arena::new() else { return };
    let day = 86_400;
    let at = |begins: u64, words: &[u64]| image(&arena, Instants::All(REACH, Some(Duration::from_secs(begins))), words);
    let date = |begins: u64, seconds: u64| vec![begins + seconds, 5];
    let begins = CALENDAR.as_secs();
    let of = |begins: u64, seconds: u64| {
        let words = [date(begins, seconds), date(begins, seconds + 365 * day), std(seconds + 2, 0).to_vec()];
        at(begins, &words.concat())
    };
    let (one, dated) = of(begins, 7);
    assert_eq!(dated.map(|dated| dated.latest_ns), Some((7 + 365 * day) as i64 * 1_000_000_000 + 5));
    assert_eq!(of(begins, 9).0, one);
    assert_eq!(of(begins + 12_345_678, 7), (one, dated));
    let far = |begins: u64| at(begins, &[date(begins, 7), date(begins, 400 * day)].concat()).0;
    assert_ne!(far(begins), far(begins + 12_345_678));
    assert_eq!(at(begins, &[1_000_000_000, 5]).1, None, "the nanoseconds of a second");
    assert_eq!(image(&arena, Instants::All(REACH, None), &date(begins, 7)).1, None, "the date is not asked for");
}

/// An instant of netcheck's own in the range of a group.
fn grouped(range: i64, ns: i64) -> u64 {
    own(middle_of_range(range) + ns)
}

/// An image has of an instant its group, by the order in which groups are met, and how far it is from the first of the group.
#[test]
fn instants_of_groups_are_told_by_their_anchors() {
    let Some(arena) = Arena::new() else { return };
    let of = |words: &[u64]| image_of(&arena, Instants::Groups { has_std: false, calendar: None }, words);
    let anchor = |range, ns| Met { ns: middle_of_range(range) + ns, is_std: false };
    let (one, held) = of(&[grouped(3, 5), 7, grouped(0, 9), grouped(3, 8)]);
    assert_eq!(held, Held { dated: None, anchors: [anchor(3, 5), anchor(0, 9)].into() });
    let (other, held) = of(&[grouped(1, -70), 7, grouped(2, 1_000), grouped(1, -67)]);
    assert_eq!((other, held.anchors), (one, [anchor(1, -70), anchor(2, 1_000)].into()));
    assert_ne!(of(&[grouped(3, 5), 7, grouped(0, 9), grouped(3, 9)]).0, one, "it is farther from its anchor");
    assert_ne!(of(&[grouped(3, 5), 7, grouped(0, 9), grouped(0, 12)]).0, one, "it is in another group");
    assert_ne!(of(&[grouped(3, 5), 7, grouped(3, 9), grouped(3, 8)]).0, one, "there is one group");
    assert_eq!(of(&[7, 8]).1, Held::default());
}

/// Instants of the standard library are one group, whatever their numbers are.
#[test]
fn instants_of_the_standard_library_are_a_group_of_their_own() {
    let Some(arena) = Arena::new() else { return };
    let of = |has_std, words: &[u64]| image_of(&arena, Instants::Groups { has_std, calendar: None }, words);
    let words = |seconds| [&std(seconds, 7)[..], &[grouped(0, 3)], &std(seconds + 400_000, 7)].concat();
    let (one, held) = of(true, &words(5));
    let first = Met { ns: 5_000_000_007, is_std: true };
    assert_eq!(*held.anchors, [first, Met { ns: 3, is_std: false }]);
    assert_eq!(of(true, &words(90)).0, one);
    assert_ne!(
        of(false, &words(90)).0,
        of(false, &words(5)).0,
        "they are numbers of a run that has read no such clock"
    );
}

/// Dates belong to that group, where the date at which the check begins is given.
#[test]
fn dates_are_of_the_group_of_the_standard_library() {
    let Some(arena) = Arena::new() else { return };
    let of = |begins: u64, seconds: u64| {
        let calendar = Some(Duration::from_secs(begins));
        let words = [&std(seconds, 7)[..], &[begins + seconds + 30, 5], &[grouped(0, 3)]].concat();
        image_of(&arena, Instants::Groups { has_std: true, calendar }, &words)
    };
    let begins = CALENDAR.as_secs();
    let (one, held) = of(begins, 5);
    let first = Met { ns: 5_000_000_007, is_std: true };
    assert_eq!(*held.anchors, [first, Met { ns: 3, is_std: false }], "a date has no anchor of its own");
    assert_eq!([of(begins, 90).0, of(begins + 12_345_678, 5).0], [one; 2]);
}

#[test]
fn ranges_of_groups_follow_each_other() {
    assert_eq!(
        [-1, 0, GROUPS_MAX - 1].map(|range| range_of(middle_of_range(range))),
        [None, Some(0), Some(GROUPS_MAX - 1)]
    );
    let half = middle_of_range(1) / 2;
    assert_eq!([half - 1, half, -half, -half - 1].map(range_of), [Some(0), Some(1), Some(0), None]);
    assert!(is_recognised_in_group(0) && !is_recognised_in_group(-half - 1) && !is_recognised_in_group(i64::MIN));
}
