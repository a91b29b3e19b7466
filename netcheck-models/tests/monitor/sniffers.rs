//! Theorem 1: the augmented automaton accepts a sniffer's trace exactly if the automaton accepts a mutation of it.

use crate::random::{LETTERS, Point, Spec, packets, trace};
use core::time::Duration;
use netcheck_models::monitor::{Explained, Extra, Guess, Search, Sniffer, Verdict};
use random::Random;
use std::collections::{BTreeSet, VecDeque};

/// The verdict of all mutations of a trace together.
#[derive(Debug, PartialEq)]
enum Expected {
    /// The fewest guesses of a mutation that the automaton accepts.
    Guesses(usize),
    /// The first packet that no prefix of a mutation gets over.
    Violation(usize),
}

/// Goes through all mutations: at each nanosecond any packets may be added, and each packet to the device kept or
/// dropped. Prefixes of mutations that leave the automaton in the same points at the same place are taken as one.
fn all_mutations(spec: &Spec, packets: &[(u64, u8)], end: u64) -> Expected {
    type Prefix = (u64, usize, BTreeSet<Point>);
    let mut seen: BTreeSet<Prefix> = BTreeSet::new();
    let mut open: VecDeque<(usize, Prefix)> = VecDeque::from([(0, (0, 0, spec.begin()))]);
    let mut furthest = 0;
    while let Some((guesses, prefix)) = open.pop_front() {
        if prefix.2.is_empty() || !seen.insert(prefix.clone()) {
            continue;
        }
        let (now, consumed, points) = prefix;
        furthest = furthest.max(consumed);
        let next = packets.get(consumed);
        if now == end && next.is_none() && spec.may_end(&points) {
            return Expected::Guesses(guesses);
        }
        for letter in 0..LETTERS {
            open.push_back((guesses + 1, (now, consumed, spec.step(&points, letter))));
        }
        match next {
            Some(&(at, letter)) if at == now => {
                if letter == 1 {
                    open.push_back((guesses + 1, (now, consumed + 1, points.clone())));
                }
                open.push_front((guesses, (now, consumed + 1, spec.step(&points, letter))));
            }
            _ if now < end => open.push_front((guesses, (now + 1, consumed, spec.tick(&points)))),
            _ => {}
        }
    }
    Expected::Violation(furthest + 1)
}

fn sniffer() -> Sniffer<u8> {
    Sniffer::of(|letter| *letter == 1).alphabet(0..LETTERS)
}

/// The mutation is one of the trace, and the monitor accepts it.
fn check_mutation(spec: &Spec, packets: &[(u64, u8)], explained: &Explained<u8>) {
    let Verdict::Consistent(mutation) = &explained.verdict else { return };
    let heard = mutation.parts().iter().filter(|part| part.guess != Guess::Missed);
    let heard: Vec<(u64, u8)> = heard.map(|part| (part.at.as_nanos() as u64, part.event)).collect();
    assert_eq!(heard, packets);
    assert!(mutation.parts().iter().all(|part| part.guess != Guess::Extra || part.event == 1));
    let validation = spec.monitor().validate(&mutation.trace());
    assert!(validation.is_accepted(), "{spec:?}\n{mutation}\n{}", validation.text(&mutation.trace()));
}

#[test]
fn theorem_1_holds_for_ten_thousand_random_automata() {
    let (mut consistent, mut violations) = (0, 0);
    for seed in 0..10_000 {
        let mut numbers = Random::new(1_000_000 + seed);
        let spec = Spec::random(&mut numbers);
        let (packets, end) = packets(&mut numbers, 6);
        let explained = sniffer().validate(&spec.monitor(), &trace(&packets, end)).unwrap();
        let found = match &explained.verdict {
            Verdict::Consistent(mutation) => Expected::Guesses(mutation.guesses()),
            Verdict::Violation => Expected::Violation(explained.packet.unwrap()),
            other => panic!("{other:?}"),
        };
        let expected = all_mutations(&spec, &packets, end);
        assert_eq!(found, expected, "seed {seed}: {spec:?} on {packets:?}, end {end}");
        check_mutation(&spec, &packets, &explained);
        *if explained.packet.is_none() { &mut consistent } else { &mut violations } += 1;
    }
    assert!(consistent > 1_000 && violations > 1_000, "{consistent} consistent, {violations} violations");
}

#[test]
fn algorithm_2_without_heuristics_finds_a_mutation_exactly_if_there_is_one() {
    let (mut decided, mut given_up) = (0, 0);
    for seed in 0..3_000 {
        let mut numbers = Random::new(2_000_000 + seed);
        let spec = Spec::random(&mut numbers);
        let (packets, end) = packets(&mut numbers, 4);
        let trace = trace(&packets, end);
        let sniffer = sniffer().search(Search::Backtracking { extensions_max: 5_000 });
        let explained = sniffer.validate(&spec.monitor(), &trace).unwrap();
        let expected = all_mutations(&spec, &packets, end);
        check_mutation(&spec, &packets, &explained);
        decided += 1;
        match explained.verdict {
            Verdict::Consistent(_) => assert!(matches!(expected, Expected::Guesses(_)), "seed {seed}: {spec:?}"),
            Verdict::Violation => {
                let at = explained.packet.unwrap();
                assert_eq!(Expected::Violation(at), expected, "seed {seed}: {spec:?} on {packets:?}, end {end}");
            }
            Verdict::Unlikely => panic!("there is no heuristic"),
            Verdict::Unknown => given_up += 1,
        }
    }
    assert_eq!(given_up, 0, "of {decided} searches");
}

/// Algorithm 1 drops a packet only where a rule takes it, and Definition 4 drops it anywhere. Theorem 1 holds for
/// automata that take all packets to the device at any time.
#[test]
fn algorithm_1_to_the_letter_overlooks_mutations_of_automata_that_refuse_received_packets() {
    let (mut overlooked, mut equal) = (0, 0);
    for seed in 0..4_000 {
        let mut numbers = Random::new(3_000_000 + seed);
        let complete = seed % 2 == 0;
        let spec = Spec::random(&mut numbers);
        let spec = if complete { spec.with_all_received() } else { spec };
        let (packets, end) = packets(&mut numbers, 5);
        let sniffer = sniffer().extra(Extra::WhereExpected);
        let explained = sniffer.validate(&spec.monitor(), &trace(&packets, end)).unwrap();
        let found = matches!(explained.verdict, Verdict::Consistent(_));
        let expected = matches!(all_mutations(&spec, &packets, end), Expected::Guesses(_));
        check_mutation(&spec, &packets, &explained);
        assert!(expected || !found, "seed {seed}: a mutation that is none");
        if complete {
            assert_eq!(found, expected, "seed {seed}: {spec:?} on {packets:?}, end {end}");
            equal += 1;
        } else if found != expected {
            assert_eq!(explained.verdict, Verdict::Unlikely, "no violation is definite");
            overlooked += 1;
        }
    }
    assert!(overlooked > 10 && equal == 2_000, "{overlooked} overlooked");
}

#[test]
fn heuristics_hold_in_each_mutation_that_they_leave() {
    let mut limited = 0;
    for seed in 0..3_000 {
        let mut numbers = Random::new(4_000_000 + seed);
        let spec = Spec::random(&mut numbers);
        let (packets, end) = packets(&mut numbers, 4);
        let trace = trace(&packets, end);
        let (length, most) = (3, numbers.below(3) as usize);
        let search = Search::Backtracking { extensions_max: 5_000 };
        let all = sniffer().search(search).validate(&spec.monitor(), &trace).unwrap();
        let few = sniffer().search(search).num_missing(|letter| *letter == 0, length, most);
        let few = few.validate(&spec.monitor(), &trace).unwrap();
        let far = sniffer().search(search).go_back(packets.len()).validate(&spec.monitor(), &trace).unwrap();
        if let Verdict::Consistent(mutation) = &few.verdict {
            check_mutation(&spec, &packets, &few);
            let parts: Vec<_> = mutation.parts().iter().filter(|part| part.guess != Guess::Extra).collect();
            for first in 0..parts.len() {
                let window = &parts[first..parts.len().min(first + length)];
                let missing = window.iter().filter(|part| part.guess == Guess::Missed && part.event == 0);
                assert!(missing.count() <= most, "seed {seed}: {mutation}");
            }
        }
        if matches!(all.verdict, Verdict::Consistent(_)) && few.verdict == Verdict::Unlikely {
            limited += 1;
        }
        // Going back over the whole trace is no limit.
        let without_heuristic = match far.verdict {
            Verdict::Unlikely => Verdict::Violation,
            verdict => verdict,
        };
        assert_eq!(without_heuristic, all.verdict, "seed {seed}");
    }
    assert!(limited > 20, "{limited} traces lost their mutation to the heuristic");
}

/// Whether some mutation has at most `most` missed packets of letter 0, and of letter 1, in each `LENGTH` packets in a
/// row. Goes through all prefixes of mutations; those with the same points at the same place, and the same packets
/// missed among the last ones, are taken as one.
fn is_some_mutation_likely(spec: &Spec, packets: &[(u64, u8)], end: u64, most: [usize; 2]) -> bool {
    type Prefix = (u64, usize, BTreeSet<Point>, Vec<Option<u8>>);
    let mut seen: BTreeSet<Prefix> = BTreeSet::new();
    let mut open: Vec<Prefix> = vec![(0, 0, spec.begin(), Vec::new())];
    while let Some(prefix) = open.pop() {
        if prefix.2.is_empty() || !seen.insert(prefix.clone()) {
            continue;
        }
        let (now, consumed, points, last) = prefix;
        let next = packets.get(consumed);
        if now == end && next.is_none() && spec.may_end(&points) {
            return true;
        }
        // After one more packet of the mutation, which is missed or not.
        let after = |missed: Option<u8>| {
            let window: Vec<Option<u8>> = last.iter().copied().chain([missed]).collect();
            let count = |letter: u8| window.iter().filter(|missed| **missed == Some(letter)).count();
            let is_likely = count(0) <= most[0] && count(1) <= most[1];
            is_likely.then(|| window[window.len().saturating_sub(LENGTH - 1)..].to_vec())
        };
        for letter in 0..LETTERS {
            open.extend(after(Some(letter)).map(|last| (now, consumed, spec.step(&points, letter), last)));
        }
        match next {
            Some(&(at, letter)) if at == now => {
                if letter == 1 {
                    open.push((now, consumed + 1, points.clone(), last.clone()));
                }
                open.extend(after(None).map(|last| (now, consumed + 1, spec.step(&points, letter), last)));
            }
            _ if now < end => open.push((now + 1, consumed, spec.tick(&points), last)),
            _ => {}
        }
    }
    false
}

/// The length of windows in which missed packets are counted.
const LENGTH: usize = 3;

#[test]
fn algorithm_2_finds_a_likely_mutation_exactly_if_there_is_one() {
    let [mut likely, mut unlikely, mut never] = [0; 3];
    for seed in 0..5_000 {
        let mut numbers = Random::new(5_000_000 + seed);
        let spec = Spec::random(&mut numbers);
        let (packets, end) = packets(&mut numbers, 5);
        let most = [numbers.below(3) as usize, numbers.below(3) as usize];
        let sniffer = sniffer().search(Search::Backtracking { extensions_max: 100_000 });
        let sniffer = sniffer.num_missing(|letter| *letter == 0, LENGTH, most[0]);
        let sniffer = sniffer.num_missing(|letter| *letter == 1, LENGTH, most[1]);
        let explained = sniffer.validate(&spec.monitor(), &trace(&packets, end)).unwrap();
        check_mutation(&spec, &packets, &explained);
        let expected = is_some_mutation_likely(&spec, &packets, end, most);
        let shown = || format!("seed {seed}: {spec:?} on {packets:?}, end {end}, most {most:?}");
        match explained.verdict {
            Verdict::Consistent(_) => assert!(expected, "{}", shown()),
            Verdict::Unlikely => {
                assert!(!expected, "{}", shown());
                assert!(matches!(all_mutations(&spec, &packets, end), Expected::Guesses(_)), "{}", shown());
                unlikely += 1;
            }
            Verdict::Violation => {
                let at = explained.packet.unwrap();
                assert_eq!(Expected::Violation(at), all_mutations(&spec, &packets, end), "{}", shown());
                never += 1;
            }
            Verdict::Unknown => panic!("{}", shown()),
        }
        likely += usize::from(expected);
    }
    assert!(likely > 1_000 && unlikely > 300 && never > 500, "{likely} likely, {unlikely} unlikely, {never} never");
}

#[test]
fn the_distance_of_traces_counts_packets_of_one_of_them_only() {
    let one = trace(&[(0, 0), (5, 1), (9, 0)], 9);
    let other = trace(&[(0, 0), (6, 1), (9, 1)], 9);
    let exact = one.jaccard(&other, Duration::ZERO);
    assert!((exact - 4.0 / 5.0).abs() < 1e-9, "{exact}");
    let near = one.jaccard(&other, Duration::from_nanos(1));
    assert!((near - 2.0 / 4.0).abs() < 1e-9, "{near}");
    assert!(one.jaccard(&one, Duration::ZERO).abs() < 1e-9);
}
