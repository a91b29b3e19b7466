//! Runs against the interpreter of random automata.

use crate::random::{Spec, packets, trace};
use random::Random;

/// The packet that the interpreter rejects, counted from 1; one more than there are for the end.
fn rejected_at(spec: &Spec, packets: &[(u64, u8)], end: u64) -> Option<usize> {
    let (mut points, mut now) = (spec.begin(), 0);
    for (index, (at, letter)) in packets.iter().enumerate() {
        while now < *at {
            (points, now) = (spec.tick(&points), now + 1);
        }
        points = spec.step(&points, *letter);
        if points.is_empty() {
            return Some(index + 1);
        }
    }
    while now < end {
        (points, now) = (spec.tick(&points), now + 1);
    }
    (points.is_empty() || !spec.may_end(&points)).then_some(packets.len() + 1)
}

#[test]
fn random_automata_reject_at_the_packet_at_which_their_interpreter_does() {
    let (mut accepted, mut rejected) = (0, 0);
    for seed in 0..50_000 {
        let mut numbers = Random::new(seed);
        let spec = Spec::random(&mut numbers);
        let (packets, end) = packets(&mut numbers, 8);
        let trace = trace(&packets, end);
        let validation = spec.monitor().validate(&trace);
        let expected = rejected_at(&spec, &packets, end);
        assert_eq!(validation.rejected_at(), expected, "seed {seed}: {spec:?} on {packets:?}, end {end}");
        // Neither verdict nor text depends on how often they are asked for.
        assert_eq!(validation.text(&trace).contains("accepted"), validation.is_accepted());
        *if expected.is_none() { &mut accepted } else { &mut rejected } += 1;
    }
    assert!(accepted > 2_000 && rejected > 2_000, "{accepted} accepted, {rejected} rejected");
}
