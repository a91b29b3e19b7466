//! How many states these systems and the examples have, estimated before they are explored: the numbers are
//! known, so this shows what an estimate is worth.

use super::{
    alternating_bit, dining_philosophers, go_back_n, leader_election, lost_update, mutual_exclusion, stop_and_wait,
    two_phase_commit,
};
use crate::alphabet::checked as alphabet;
use crate::chat::checked as chat;
use crate::file_transfer::checked as file_transfer;
use netcheck::Network;
use netcheck::check::{Checker, Direction, Identity, Tcp, Udp};

/// A system, what it may do, and its exact number of states, reduced and not. The numbers are pinned by the
/// system's own tests.
struct Case {
    name: &'static str,
    checker: Checker,
    states: [Option<usize>; 2],
    network: fn(&mut Network),
}

fn cases() -> Vec<Case> {
    let udp = |udp| Checker::new().udp(udp);
    let lossy = udp(Udp::new().loss().duplication()).at_most(3);
    let case = |name, checker, states, network| Case { name, checker, states, network };
    vec![
        case("alternating bit", lossy.clone(), [Some(2_029), Some(2_053)], |net| {
            alternating_bit::transmission(net, alternating_bit::Receiver::Alternating);
        }),
        case("three philosophers", Checker::new(), [Some(337), Some(3_024)], |net| {
            dining_philosophers::dinner(net, 3, dining_philosophers::First::Lower);
        }),
        // Of its 728,048 states in all interleavings an estimate from 100 of them makes tens of millions.
        case("five philosophers", Checker::new(), [Some(2_234), None], |net| {
            dining_philosophers::dinner(net, 5, dining_philosophers::First::Lower);
        }),
        case("go back n", lossy, [Some(7_321), Some(7_899)], |net| go_back_n::transmission(net, 3)),
        case("election", Checker::new(), [Some(515), Some(720)], |net| {
            leader_election::election(net, [1, 2, 3], leader_election::Forwarding::Higher);
        }),
        case("election, perturbed", udp(Udp::new().duplication().reorder(2)).at_most(1), [Some(5_346), None], |net| {
            leader_election::election(net, [1, 2, 3], leader_election::Forwarding::Higher);
        }),
        case("three counters", Checker::new(), [Some(13_604), Some(41_794)], |net| {
            lost_update::counting(net, 3, lost_update::Write::IfUnchanged);
        }),
        case("mutual exclusion", Checker::new(), [Some(4_566), Some(8_330)], |net| {
            mutual_exclusion::competition(net, 3, 2, mutual_exclusion::Rule::FirstOfAll);
        }),
        case("stop and wait", udp(Udp::new().loss()), [Some(1_471), Some(1_503)], |net| {
            stop_and_wait::transmission(net, stop_and_wait::Replies::Numbered);
        }),
        case("two-phase commit", udp(Udp::new().loss()).at_most(2), [Some(6_276), Some(8_122)], |net| {
            two_phase_commit::transaction(net, 3, two_phase_commit::Prepared::Waits);
        }),
        case("alphabet", udp(Udp::new().loss()), [Some(355), None], |net| {
            alphabet::Sessions { connections: 6, requests: 3, asserting: false }.register(net);
        }),
        case("chat", chat::Chat::checker(), [Some(2_020), None], |net| {
            chat::Chat::of_two(chat::program::Version::Corrected).register(net);
        }),
        case(
            "chat, failing",
            chat::Chat::checker().tcp(Tcp::new().fail_open().fail_close().fail_read().fail_write()),
            [Some(46_329), None],
            |net| chat::Chat::of_two(chat::program::Version::Corrected).register(net),
        ),
        case(
            "file transfer",
            udp(Udp::new().copies([1, 0, 2]).direction(Direction::Send).process("server")),
            [Some(16_318), None],
            |net| {
                file_transfer::register(net, file_transfer::program::Version::Corrected);
            },
        ),
    ]
}

/// The number of states by which an estimate is made, so that few enough of them are counted to estimate the others.
const COUNTED: usize = 100;

fn are_within_a_factor_of_ten(reduction: bool) {
    for Case { name, checker, states, network } in cases() {
        let [reduced, full] = states;
        let Some(states) = (if reduction { reduced } else { full }) else { continue };
        let checker = checker.identity(Identity::History);
        let estimate = checker.reduction(reduction).max_states(COUNTED).estimate(network);
        let factor = estimate.states() / states as f64;
        println!("{name}: {states} states; {estimate}: {factor:.2}");
        assert!(!estimate.is_exact() && !estimate.is_at_least(), "{name}: {estimate}");
        assert!((0.1..=10.0).contains(&factor), "{name} has {states} states, not {estimate}");
        assert!(estimate.spread().contains(&estimate.states()), "{name}: {estimate}");
        assert!(estimate.depth() >= 20, "{name}: {estimate}");
    }
}

#[test]
fn estimates_of_reduced_systems_are_right_within_a_factor_of_ten() {
    are_within_a_factor_of_ten(true);
}

#[test]
fn estimates_of_all_interleavings_are_right_within_a_factor_of_ten() {
    are_within_a_factor_of_ten(false);
}

#[test]
fn few_states_are_counted() {
    for Case { name, checker, states, network } in cases() {
        for (reduction, states) in [true, false].into_iter().zip(states) {
            let Some(states) = states.filter(|&states| states < 3_000) else { continue };
            let estimate = checker.clone().identity(Identity::History).reduction(reduction).estimate(network);
            // Where captured loops close, a reduced search may look closer.
            assert!(estimate.is_exact() || name == "alphabet", "{name}: {estimate}");
            assert_eq!(estimate.states(), states as f64, "{name}");
            assert_eq!(estimate.spread(), states as f64..=states as f64, "{name}");
        }
    }
}
