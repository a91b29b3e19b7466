//! The UDP model against the paper's definitions.
//!
//! The oracle enumerates every packet sequence and filters it by the text of Definitions 3 and 4; it shares
//! no code with the model. Packets are numbered 0, 1, … in dispatch order.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use netcheck_models::budget::cost;
use netcheck_models::event::Event;
use netcheck_models::udp::{Link, LinkRules, Perturbation};
use proptest::prelude::*;

type Sequence = Vec<u32>;

// --- the oracle ---

/// M and c, as plain data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Declared {
    copies: Vec<usize>,
    window: usize,
}

fn declared(copies: &[usize], window: usize) -> Declared {
    Declared { copies: copies.to_vec(), window }
}

/// All sequences over `n` packets with at most `length_max` elements: a finite part of Definition 2.
fn all_sequences(n: usize, length_max: usize) -> Vec<Sequence> {
    let mut all = vec![vec![]];
    let mut start = 0;
    for _ in 0..length_max {
        let end = all.len();
        for index in start..end {
            for packet in 0..n as u32 {
                let mut longer = all[index].clone();
                longer.push(packet);
                all.push(longer);
            }
        }
        start = end;
    }
    all
}

fn count(sequence: &[u32], packet: u32) -> usize {
    sequence.iter().filter(|&&element| element == packet).count()
}

/// Definition 3, with |L| < c for each element.
fn is_capacity_bounded(sequence: &[u32], window: usize) -> bool {
    (0..sequence.len()).all(|i| {
        let late: BTreeSet<u32> = sequence[i + 1..].iter().copied().filter(|&later| later < sequence[i]).collect();
        late.len() < window
    })
}

/// Definition 4, where a packet that is not perturbed arrives once and nothing dispatched later arrives before.
fn is_multiplication_bounded(sequence: &[u32], perturbed: &[bool], copies: &[usize]) -> bool {
    perturbed.iter().zip(0..).all(|(&perturbed, packet)| {
        if perturbed {
            copies.contains(&count(sequence, packet))
        } else {
            let first = sequence.iter().position(|&element| element == packet);
            count(sequence, packet) == 1 && sequence[..first.unwrap()].iter().all(|&before| before < packet)
        }
    })
}

/// Definition 5.
fn definition_5(perturbed: &[bool], by: &Declared) -> BTreeSet<Sequence> {
    let n = perturbed.len();
    let copies_max = by.copies.iter().copied().max().unwrap().max(1);
    all_sequences(n, n * copies_max)
        .into_iter()
        .filter(|sequence| is_multiplication_bounded(sequence, perturbed, &by.copies))
        .filter(|sequence| is_capacity_bounded(sequence, by.window))
        .collect()
}

fn perturbed(n: usize) -> Vec<bool> {
    vec![true; n]
}

/// The faults of a delivery: packets that never arrive or arrive after a later one did, and copies after the
/// first.
fn fault_number(sequence: &[u32], n: usize) -> u32 {
    let of_packet = |packet: u32| match sequence.iter().position(|&element| element == packet) {
        None => 1,
        Some(first) => {
            let overtaken = sequence[..first].iter().any(|&before| before > packet);
            usize::from(overtaken) + count(sequence, packet) - 1
        }
    };
    (0..n as u32).map(of_packet).sum::<usize>() as u32
}

/// The delivered sequences through both stages, each with its fewest faults. `flags` are those of the packets
/// on send and on receive.
fn both_stages(flags: &[(bool, bool)], send: &Declared, receive: &Declared) -> BTreeMap<Sequence, u32> {
    let on_send: Vec<bool> = flags.iter().map(|flag| flag.0).collect();
    let mut fewest = BTreeMap::new();
    let mut second_stage: BTreeMap<Vec<bool>, BTreeSet<Sequence>> = BTreeMap::new();
    for middle in definition_5(&on_send, send) {
        let on_receive: Vec<bool> = middle.iter().map(|&packet| flags[packet as usize].1).collect();
        let ends = second_stage.entry(on_receive.clone()).or_insert_with(|| definition_5(&on_receive, receive));
        for end in ends.iter() {
            let faults = fault_number(&middle, flags.len()) + fault_number(end, middle.len());
            let delivered: Sequence = end.iter().map(|&position| middle[position as usize]).collect();
            let best = fewest.entry(delivered).or_insert(faults);
            *best = faults.min(*best);
        }
    }
    fewest
}

fn every_choice_of_copies() -> impl Iterator<Item = Vec<usize>> {
    (1..8).map(|set| (0..3).filter(|count| set & (1 << count) != 0).collect())
}

// --- the model, explored ---

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    DispatchFirst,
    Interleaved,
}

fn perturbation(by: &Declared) -> Perturbation {
    Perturbation::new(by.copies.iter().copied(), by.window)
}

fn rules(send: Option<&Declared>, receive: Option<&Declared>) -> LinkRules {
    LinkRules { send: send.map(perturbation), receive: receive.map(perturbation), ..LinkRules::default() }
}

/// The channel when no more faults may happen. Its packets are some of those before, in the same order.
fn forgone(link: &Link, rules: &LinkRules) -> Link {
    let without = link.without_faults(rules);
    let before: Vec<u32> = link.packets().collect();
    let left = without.remaining.iter().map(|&position| before[position as usize]);
    assert!(without.remaining.is_sorted() && left.eq(without.link.packets()), "{link:?} {without:?}");
    assert_eq!(without.link.without_faults(rules).link, without.link);
    without.link
}

/// Every complete delivered sequence with the fewest faults on the way, over all interleavings of dispatch,
/// delivery and settling within the budget. Panics at a dead end. If `forgoes`, the channel forgoes further copies as
/// soon as the budget is spent.
fn explore(
    flags: &[(bool, bool)],
    rules: &LinkRules,
    order: Order,
    (faults_max, forgoes): (u32, bool),
) -> (BTreeMap<Sequence, u32>, BTreeSet<Link>) {
    let dispatch = |link: &Link, packet: usize| link.dispatch(packet as u32, flags[packet].0, flags[packet].1);
    let start = match order {
        Order::DispatchFirst => {
            ((0..flags.len()).fold(Link::default(), |link, packet| dispatch(&link, packet)), flags.len(), vec![])
        }
        Order::Interleaved => (Link::default(), 0, vec![]),
    };
    let mut fewest = BTreeMap::from([(start.clone(), 0)]);
    let mut frontier = VecDeque::from([start]);
    while let Some(state) = frontier.pop_front() {
        let used = fewest[&state];
        let (link, dispatched, delivered) = &state;
        let mut next = Vec::new();
        for delivery in link.deliveries(rules) {
            let mut longer = delivered.clone();
            longer.push(delivery.packet);
            let faults = used + delivery.faults;
            let after = match forgoes && faults == faults_max {
                true => forgone(&delivery.link, rules),
                false => delivery.link,
            };
            next.push(((after, *dispatched, longer), faults));
        }
        if let Some(lost) = link.lose_in_flight(rules) {
            assert!(!link.is_empty() && lost.link == Link::default());
            next.push(((lost.link, *dispatched, delivered.clone()), used + lost.faults));
        }
        if rules.budgeted {
            next.retain(|(_, faults)| *faults <= faults_max);
        }
        assert!(
            link.is_empty() || !next.is_empty(),
            "dead end after {delivered:?} with {used} faults of {rules:?}: {link:?}"
        );
        if *dispatched < flags.len() {
            next.push(((dispatch(link, *dispatched), dispatched + 1, delivered.clone()), used));
        }
        for (state, faults) in next {
            let known = fewest.get(&state);
            if known.is_none_or(|&known| faults < known) {
                fewest.insert(state.clone(), faults);
                frontier.push_back(state);
            }
        }
    }
    let complete = fewest
        .iter()
        .filter(|((link, dispatched, _), _)| link.is_empty() && *dispatched == flags.len())
        .map(|((_, _, delivered), faults)| (delivered.clone(), *faults))
        .collect();
    (complete, fewest.into_keys().map(|(link, _, _)| link).collect())
}

fn delivered(n: usize, rules: &LinkRules, order: Order) -> BTreeSet<Sequence> {
    let (complete, _) = explore(&vec![(true, true); n], rules, order, (0, false));
    complete.into_keys().collect()
}

fn names(sequences: &[&str]) -> BTreeSet<Sequence> {
    let packet = |name: char| name as u32 - 'p' as u32;
    sequences.iter().map(|sequence| sequence.chars().map(packet).collect()).collect()
}

fn one_stage(copies: &[usize], window: usize) -> [LinkRules; 2] {
    let by = declared(copies, window);
    [rules(Some(&by), None), rules(None, Some(&by))]
}

fn assert_delivers_exactly(n: usize, copies: &[usize], window: usize, expected: &BTreeSet<Sequence>) {
    for rules in one_stage(copies, window) {
        for order in [Order::DispatchFirst, Order::Interleaved] {
            let found = delivered(n, &rules, order);
            assert_eq!(&found, expected, "{rules:?} {order:?}");
        }
    }
}

// --- the paper ---

#[test]
fn example_1_udp_transmission_outcomes() {
    let outcomes = [
        "", "p", "q", "pp", "qq", "pq", "qp", "ppq", "qqp", "pqp", "qpq", "qpp", "pqq", "ppqq", "qqpp", "pqpq", "qpqp",
        "pqqp", "qppq",
    ];
    assert_eq!(outcomes.len(), 19);
    assert_delivers_exactly(2, &[0, 1, 2], 2, &names(&outcomes));
}

#[test]
fn example_2_dispatch_and_delivery() {
    for rules in one_stage(&[0, 1, 2], 2) {
        let found = delivered(2, &rules, Order::Interleaved);
        assert!(found.is_superset(&names(&["", "pq", "qq", "qpq"])));
        assert!(!found.contains(&vec![1, 2, 1]), "r was not dispatched");
    }
}

#[test]
fn example_3_capacity_bounded_deliveries() {
    for (sequence, window_min) in [("pqr", 1), ("ppr", 1), ("rpr", 2), ("rpq", 3)] {
        for window in 1..=3 {
            for rules in one_stage(&[0, 1, 2], window) {
                let found = delivered(3, &rules, Order::Interleaved);
                assert_eq!(found.is_superset(&names(&[sequence])), window >= window_min, "{sequence} {window}");
            }
        }
    }
}

#[test]
fn example_4_multiplication_bounded_deliveries() {
    assert_delivers_exactly(2, &[1], 2, &names(&["pq", "qp"]));
    assert_delivers_exactly(2, &[0, 1], 2, &names(&["", "p", "q", "pq", "qp"]));
    let no_loss =
        ["pq", "qp", "ppq", "pqp", "qpp", "qqp", "qpq", "pqq", "ppqq", "pqpq", "pqqp", "qppq", "qpqp", "qqpp"];
    assert_delivers_exactly(2, &[1, 2], 2, &names(&no_loss));
}

#[test]
fn example_5_capacity_bounded_reordering() {
    assert_delivers_exactly(3, &[1], 1, &names(&["pqr"]));
    assert_delivers_exactly(3, &[1], 2, &names(&["pqr", "prq", "qpr", "qrp"]));
    assert_delivers_exactly(3, &[1], 3, &names(&["pqr", "prq", "qpr", "qrp", "rpq", "rqp"]));
}

#[test]
fn the_delivery_sets_have_the_sizes_computed_from_the_definition() {
    let sizes = |n, copies: &[usize]| -> Vec<usize> {
        (1..=n).map(|window| delivered(n, &one_stage(copies, window)[0], Order::Interleaved).len()).collect()
    };
    assert_eq!(sizes(2, &[0, 1, 2]), [9, 19]);
    assert_eq!(sizes(3, &[1]), [1, 4, 6]);
    assert_eq!(sizes(3, &[0, 1]), [8, 14, 16]);
    assert_eq!(sizes(3, &[0, 1, 2]), [27, 135, 271]);
}

// --- exactness ---

fn assert_definition_5(n: usize) {
    for copies in every_choice_of_copies() {
        for window in 1..=n {
            let expected = definition_5(&perturbed(n), &declared(&copies, window));
            assert_delivers_exactly(n, &copies, window, &expected);
        }
    }
}

#[test]
fn up_to_three_packets_are_delivered_exactly_as_definition_5_says() {
    (0..=3).for_each(assert_definition_5);
}

#[test]
fn four_packets_are_delivered_exactly_as_definition_5_says() {
    assert_definition_5(4);
}

#[test]
fn gaps_in_the_multiplication_choices_are_kept() {
    for copies in [vec![0, 3], vec![3], vec![1, 3], vec![0, 2, 4]] {
        for window in 1..=2 {
            let expected = definition_5(&perturbed(2), &declared(&copies, window));
            assert_delivers_exactly(2, &copies, window, &expected);
        }
    }
}

#[test]
fn other_numbers_for_the_packets_change_nothing_else() {
    let by = declared(&[0, 1, 2], 2);
    let link = (0..3).fold(Link::default(), |link, packet| link.dispatch(packet, true, true));
    for rules in [rules(Some(&by), None), rules(Some(&by), Some(&by))] {
        let renumbered = link.renumbered(|packet| packet + 7);
        assert_eq!(renumbered.renumbered(|packet| packet - 7), link);
        let (deliveries, others) = (link.deliveries(&rules), renumbered.deliveries(&rules));
        assert_eq!(deliveries.len(), others.len());
        for (delivery, other) in deliveries.iter().zip(&others) {
            assert_eq!((other.packet, other.faults), (delivery.packet + 7, delivery.faults));
            assert_eq!(other.link, delivery.link.renumbered(|packet| packet + 7));
        }
    }
}

#[test]
fn a_capacity_above_the_number_of_packets_restricts_nothing() {
    assert_delivers_exactly(3, &[0, 2], 9, &definition_5(&perturbed(3), &declared(&[0, 2], 3)));
}

#[test]
fn without_rules_packets_arrive_once_and_in_order() {
    for order in [Order::DispatchFirst, Order::Interleaved] {
        for flags in [[(true, true); 3], [(false, false); 3]] {
            let (complete, _) = explore(&flags, &LinkRules::default(), order, (0, false));
            assert_eq!(complete.into_keys().collect::<Vec<_>>(), [vec![0, 1, 2]]);
        }
    }
}

fn assert_both_stages(flags: &[(bool, bool)], send: &Declared, receive: &Declared) {
    let expected: BTreeSet<Sequence> = both_stages(flags, send, receive).into_keys().collect();
    let rules = rules(Some(send), Some(receive));
    for order in [Order::DispatchFirst, Order::Interleaved] {
        let (complete, _) = explore(flags, &rules, order, (0, false));
        let found: BTreeSet<Sequence> = complete.into_keys().collect();
        assert_eq!(found, expected, "{flags:?} {rules:?} {order:?}");
    }
}

#[test]
fn on_both_sides_the_deliveries_of_the_first_are_the_dispatch_of_the_second() {
    for n in 1..=2 {
        for send_copies in every_choice_of_copies() {
            for receive_copies in every_choice_of_copies() {
                for windows in [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)] {
                    let send = declared(&send_copies, windows.0);
                    let receive = declared(&receive_copies, windows.1);
                    assert_both_stages(&vec![(true, true); n], &send, &receive);
                }
            }
        }
    }
}

#[test]
fn on_both_sides_three_packets_are_lost_reordered_and_duplicated() {
    for send_copies in [vec![1], vec![0, 1]] {
        for receive_copies in [vec![1], vec![0, 1], vec![1, 2]] {
            for windows in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 2)] {
                let send = declared(&send_copies, windows.0);
                let receive = declared(&receive_copies, windows.1);
                assert_both_stages(&[(true, true); 3], &send, &receive);
            }
        }
    }
}

// --- packets that are not perturbed ---

#[test]
fn an_unperturbed_packet_arrives_once_and_is_not_overtaken() {
    for unperturbed in 0..8_u32 {
        let flags: Vec<bool> = (0..3).map(|packet| unperturbed & (1 << packet) == 0).collect();
        for copies in every_choice_of_copies() {
            for window in 1..=3 {
                let by = declared(&copies, window);
                let expected = definition_5(&flags, &by);
                for order in [Order::DispatchFirst, Order::Interleaved] {
                    for ignored in [false, true] {
                        let on_send: Vec<_> = flags.iter().map(|&flag| (flag, ignored)).collect();
                        let on_receive: Vec<_> = flags.iter().map(|&flag| (ignored, flag)).collect();
                        let (sent, _) = explore(&on_send, &rules(Some(&by), None), order, (0, false));
                        let (received, _) = explore(&on_receive, &rules(None, Some(&by)), order, (0, false));
                        assert!(sent.keys().eq(&expected), "{flags:?} {by:?}");
                        assert!(received.keys().eq(&expected), "{flags:?} {by:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_packet_can_be_perturbed_on_one_side_only() {
    for flags in 0..16_u32 {
        let flag = |bit: u32| flags & (1 << bit) != 0;
        let flags = [(flag(0), flag(1)), (flag(2), flag(3))];
        for (send, receive) in
            [(vec![0, 1, 2], vec![0, 1]), (vec![0, 2], vec![2]), (vec![1, 2], vec![0, 1, 2]), (vec![0], vec![0, 1])]
        {
            assert_both_stages(&flags, &declared(&send, 2), &declared(&receive, 2));
            assert_both_stages(&flags, &declared(&send, 1), &declared(&receive, 2));
        }
    }
}

// --- budgets ---

fn with_one(by: &Declared) -> Declared {
    let mut copies = by.copies.clone();
    copies.push(1);
    declared(&copies, by.window)
}

/// With at most k faults, the deliveries are those of M ∪ {1} that have at most k faults.
fn assert_budget(flags: &[(bool, bool)], rules: &LinkRules, expected: &BTreeMap<Sequence, u32>, orders: &[Order]) {
    assert!(rules.budgeted);
    let most = expected.values().copied().max().unwrap_or(0);
    for faults_max in 0..=most + 1 {
        for &order in orders {
            let within = expected.iter().filter(|(_, faults)| **faults <= faults_max);
            let within: BTreeMap<Sequence, u32> =
                within.map(|(sequence, faults)| (sequence.clone(), *faults)).collect();
            for forgoes in [false, true] {
                let (found, _) = explore(flags, rules, order, (faults_max, forgoes));
                assert_eq!(found, within, "{faults_max} {forgoes} {rules:?} {flags:?} {order:?}");
            }
        }
    }
}

#[test]
fn with_a_budget_the_deliveries_are_those_with_few_enough_faults() {
    for n in 1..=3 {
        for copies in every_choice_of_copies().chain([vec![3], vec![0, 3]]) {
            if n == 3 && copies.contains(&3) {
                continue;
            }
            for window in 1..=n {
                let by = declared(&copies, window);
                let expected: BTreeMap<Sequence, u32> = definition_5(&perturbed(n), &with_one(&by))
                    .into_iter()
                    .map(|sequence| (sequence.clone(), fault_number(&sequence, n)))
                    .collect();
                for mut rules in one_stage(&copies, window) {
                    rules.budgeted = true;
                    assert_budget(
                        &vec![(true, true); n],
                        &rules,
                        &expected,
                        &[Order::DispatchFirst, Order::Interleaved],
                    );
                }
            }
        }
    }
}

#[test]
fn with_a_budget_unperturbed_packets_cost_nothing_and_stay_exact() {
    for unperturbed in 1..8_u32 {
        let flags: Vec<bool> = (0..3).map(|packet| unperturbed & (1 << packet) == 0).collect();
        for (copies, window) in [(vec![0, 1], 2), (vec![2], 3), (vec![0, 2], 2), (vec![0], 1)] {
            let by = declared(&copies, window);
            let expected: BTreeMap<Sequence, u32> = definition_5(&flags, &with_one(&by))
                .into_iter()
                .map(|sequence| (sequence.clone(), fault_number(&sequence, 3)))
                .collect();
            let mut rules = rules(Some(&by), None);
            rules.budgeted = true;
            let flags: Vec<_> = flags.iter().map(|&flag| (flag, false)).collect();
            assert_budget(&flags, &rules, &expected, &[Order::DispatchFirst, Order::Interleaved]);
        }
    }
}

#[test]
fn with_a_budget_the_faults_of_both_sides_add_up() {
    for n in 1..=2 {
        for send_copies in [vec![1], vec![0, 1], vec![2], vec![0, 2]] {
            for receive_copies in [vec![1], vec![0], vec![2], vec![0, 1, 2]] {
                for windows in [(1, 1), (1, 2), (2, 2)] {
                    let send = declared(&send_copies, windows.0);
                    let receive = declared(&receive_copies, windows.1);
                    let flags = vec![(true, true); n];
                    let expected = both_stages(&flags, &with_one(&send), &with_one(&receive));
                    let mut rules = rules(Some(&send), Some(&receive));
                    rules.budgeted = true;
                    assert_budget(&flags, &rules, &expected, &[Order::Interleaved]);
                }
            }
        }
    }
}

// --- states, events, preferences ---

fn sent(packets: &[u32]) -> Link {
    packets.iter().fold(Link::default(), |link, &packet| link.dispatch(packet, true, true))
}

fn one(rules: &LinkRules, link: &Link, packet: u32) -> netcheck_models::udp::Delivery {
    let mut found = link.deliveries(rules).into_iter().filter(|delivery| delivery.packet == packet);
    let delivery = found.next().expect("the packet can arrive");
    assert!(found.next().is_none());
    delivery
}

#[test]
fn two_packets_with_the_same_content_are_two_packets() {
    for copies in every_choice_of_copies() {
        let [rules, _] = one_stage(&copies, 2);
        let mut contents = BTreeSet::new();
        let mut frontier = vec![(sent(&[7, 7, 8]), vec![])];
        while let Some((link, delivered)) = frontier.pop() {
            if link.is_empty() || link.lose_in_flight(&rules).is_some() {
                contents.insert(delivered.clone());
            }
            for delivery in link.deliveries(&rules) {
                let longer = delivered.iter().copied().chain([delivery.packet]).collect();
                frontier.push((delivery.link, longer));
            }
        }
        let expected: BTreeSet<Sequence> = definition_5(&perturbed(3), &declared(&copies, 2))
            .into_iter()
            .map(|sequence| sequence.into_iter().map(|packet| [7, 7, 8][packet as usize]).collect())
            .collect();
        assert_eq!(contents, expected, "{copies:?}");
    }
}

#[test]
fn what_cannot_arrive_any_more_is_forgotten() {
    let [lossy, _] = one_stage(&[0, 1], 1);
    assert_eq!(one(&lossy, &sent(&[1, 2, 3]), 3).link, Link::default());
    assert_eq!(one(&lossy, &sent(&[1, 2, 3]), 2).link, sent(&[3]));
    let [reordering, _] = one_stage(&[1], 2);
    let in_order = one(&reordering, &sent(&[1, 2, 3]), 1).link;
    let overtaken = one(&reordering, &sent(&[2, 1, 3]), 1).link;
    assert_eq!(in_order, sent(&[2, 3]));
    assert_eq!(overtaken, sent(&[2, 3]), "the capacity has room for 2 to be late");
}

#[test]
fn without_a_budget_the_state_does_not_remember_faults() {
    let [rules, _] = one_stage(&[0, 1], 2);
    let overtaken = one(&rules, &sent(&[1, 2]), 2);
    assert_eq!(overtaken.faults, 1);
    assert_eq!(overtaken.link, sent(&[1]));
    let budgeted = LinkRules { budgeted: true, ..rules };
    let charged = one(&budgeted, &sent(&[1, 2]), 2).link;
    assert_ne!(charged, sent(&[1]));
    assert_eq!(charged.lose_in_flight(&budgeted).unwrap().faults, 0);
    assert_eq!(sent(&[1]).lose_in_flight(&budgeted).unwrap().faults, 1);
}

#[test]
fn events_say_what_arrived_and_what_was_lost_overtaken_and_duplicated() {
    let [lossy, _] = one_stage(&[0, 1], 1);
    let lost = one(&lossy, &sent(&[1, 2, 3]), 3);
    let lose = |position| Event::Lost { position, faults: 1 };
    assert_eq!(lost.events[..], [Event::Arrived { position: 2 }, lose(0), lose(1)]);
    assert_eq!(lost.faults, 2);

    let [reordering, _] = one_stage(&[1], 2);
    let overtook = one(&reordering, &sent(&[1, 2]), 2);
    let overtook_first = Event::Overtook { position: 0, faults: 1 };
    assert_eq!(overtook.events[..], [Event::Arrived { position: 1 }, overtook_first]);
    assert_eq!(overtook.remaining[..], [0]);

    let [duplicating, _] = one_stage(&[1, 2], 1);
    let first = one(&duplicating, &sent(&[1]), 1);
    assert_eq!(first.events[..], [Event::Arrived { position: 0 }]);
    assert_eq!(first.link.packets().collect::<Vec<_>>(), [1]);
    let second = one(&duplicating, &first.link, 1);
    let copied = Event::Duplicated { copy: 2, faults: 1 };
    assert_eq!(second.events[..], [Event::Arrived { position: 0 }, copied]);
    assert!(second.link.is_empty());
}

#[test]
fn positions_follow_each_packet_through_every_channel() {
    let mut all: Vec<LinkRules> = Vec::new();
    for copies in every_choice_of_copies() {
        all.extend(one_stage(&copies, 2));
        all.push(rules(Some(&declared(&copies, 2)), Some(&declared(&[0, 1], 2))));
        all.push(rules(Some(&declared(&copies, 1)), Some(&declared(&copies, 1))));
    }
    for rules in all.into_iter().flat_map(|rules| [LinkRules { budgeted: true, ..rules.clone() }, rules]) {
        let mut seen = BTreeSet::new();
        let mut open = vec![sent(&[10, 11, 12])];
        while let Some(link) = open.pop() {
            let packets: Vec<u32> = link.packets().collect();
            let at = |position: u32| packets[position as usize];
            if let Some(lost) = link.lose_in_flight(&rules) {
                assert_eq!(lost.faults, cost(&lost.events));
            }
            for delivery in link.deliveries(&rules) {
                let remaining: Vec<u32> = delivery.remaining.iter().map(|&position| at(position)).collect();
                assert_eq!(remaining, delivery.link.packets().collect::<Vec<_>>(), "{link:?} under {rules:?}");
                let arrived = delivery.events.iter().filter_map(|event| match *event {
                    Event::Arrived { position } => Some(at(position)),
                    _ => None,
                });
                assert_eq!(arrived.collect::<Vec<_>>(), [delivery.packet], "{link:?} under {rules:?}");
                assert_eq!(delivery.faults, cost(&delivery.events), "{link:?} under {rules:?}");
                if seen.insert(delivery.link.clone()) {
                    open.push(delivery.link);
                }
            }
        }
    }
}

#[test]
fn settling_lists_what_never_arrived() {
    let [lossy, _] = one_stage(&[0, 1, 2], 2);
    assert_eq!(Link::default().lose_in_flight(&lossy), None);
    let lose = |position| Event::Lost { position, faults: 1 };
    let lost = sent(&[1, 2]).lose_in_flight(&lossy).unwrap();
    assert_eq!((&lost.events[..], lost.faults), (&[lose(0), lose(1)][..], 2));
    let arrived = one(&lossy, &sent(&[1, 2]), 1).link.lose_in_flight(&lossy).unwrap();
    assert_eq!((&arrived.events[..], arrived.faults), (&[lose(1)][..], 1));
    assert_eq!(sent(&[1]).lose_in_flight(&one_stage(&[1], 2)[0]), None);
    let unperturbed = Link::default().dispatch(1, false, false);
    assert_eq!(unperturbed.lose_in_flight(&lossy), None);
}

#[test]
fn a_packet_that_must_leave_the_sender_can_be_lost_at_the_receiver() {
    let both = rules(Some(&declared(&[2], 1)), Some(&declared(&[0, 1], 1)));
    let lost = sent(&[5]).lose_in_flight(&both).unwrap();
    let lost = lost.events.iter().filter(|event| matches!(event, Event::Lost { position: 0, .. }));
    assert_eq!(lost.count(), 2);
    assert_eq!(sent(&[5]).lose_in_flight(&rules(Some(&declared(&[2], 1)), Some(&declared(&[1], 1)))), None);
}

#[test]
fn the_order_of_the_choices_is_the_order_of_exploration() {
    let order = |copies: &[usize]| -> Vec<u32> {
        let [rules, _] = one_stage(copies, 1);
        sent(&[1, 2]).deliveries(&rules).iter().map(|delivery| delivery.packet).collect()
    };
    assert_eq!(order(&[1, 0]), [1, 2]);
    assert_eq!(order(&[0, 1]), [2, 1]);

    let copies_first = |copies: &[usize]| -> Vec<u32> {
        let [rules, _] = one_stage(copies, 1);
        let link = one(&rules, &sent(&[1, 2]), 1).link;
        link.deliveries(&rules).iter().map(|delivery| delivery.packet).collect()
    };
    assert_eq!(copies_first(&[1, 2]), [2, 1]);
    assert_eq!(copies_first(&[2, 1]), [1, 2]);
}

#[test]
fn the_constructor_refuses_rules_under_which_nothing_could_happen() {
    let refuses = |copies: &'static [usize], window| {
        std::panic::catch_unwind(|| Perturbation::new(copies.iter().copied(), window)).is_err()
    };
    assert!(refuses(&[], 1));
    assert!(refuses(&[1], 0));
    assert!(refuses(&[256], 1));
    assert_eq!(Perturbation::new([2, 1, 2, 0, 1], 3).copies(), [2, 1, 0]);
    assert_eq!(Perturbation::new([1, 1], 1), Perturbation::reliable());
}

/// The number of states of a channel through which three packets (at last, four) pass, in every interleaving: what a search
/// has to store. A larger number is a lost normal form.
#[test]
fn the_number_of_states_is_pinned() {
    let states = |send: Option<&Declared>, receive: Option<&Declared>, budgeted| {
        let rules = LinkRules { budgeted, ..rules(send, receive) };
        explore(&[(true, true); 3], &rules, Order::Interleaved, (99, false)).1.len()
    };
    let loss = declared(&[0, 1], 1);
    let all = declared(&[0, 1, 2], 2);
    let measured = [
        states(None, None, false),
        states(Some(&loss), None, false),
        states(Some(&declared(&[0, 1], 2)), None, false),
        states(Some(&declared(&[1], 3)), None, false),
        states(Some(&all), None, false),
        states(Some(&all), None, true),
        states(Some(&loss), Some(&loss), false),
    ];
    assert_eq!(measured, PINNED);
    let four = explore(&[(true, true); 4], &one_stage(&[0, 1, 2], 3)[0], Order::Interleaved, (0, false));
    assert_eq!(four.1.len(), 137);
}

const PINNED: [usize; 7] = [7, 7, 9, 8, 31, 33, 7];

#[test]
fn a_link_is_small() {
    assert!(size_of::<Link>() <= 96, "{}", size_of::<Link>());
}

// --- longer dispatches ---

proptest! {
    #[test]
    fn a_random_walk_stays_within_the_definition_and_ends(
        copies in prop::collection::btree_set(0_usize..4, 1..4),
        window in 1_usize..5,
        flags in prop::collection::vec(prop::bool::weighted(0.8), 1..12),
        budgeted: bool,
        choices in prop::collection::vec(any::<prop::sample::Index>(), 80),
    ) {
        let by = declared(&copies.iter().copied().collect::<Vec<_>>(), window);
        let rules = LinkRules { budgeted, ..rules(Some(&by), None) };
        let expected = if budgeted { with_one(&by) } else { by };
        let (mut link, mut dispatched, mut sequence, mut faults) = (Link::default(), 0, vec![], 0);
        for choice in choices {
            let mut moves: Vec<(Link, Option<u32>, u32)> = link
                .deliveries(&rules)
                .into_iter()
                .map(|delivery| (delivery.link, Some(delivery.packet), delivery.faults))
                .collect();
            if dispatched < flags.len() {
                moves.push((link.dispatch(dispatched as u32, flags[dispatched], true), None, 0));
            } else {
                moves.extend(link.lose_in_flight(&rules).map(|lost| (lost.link, None, lost.faults)));
            }
            if moves.is_empty() {
                break;
            }
            let (next, packet, added) = moves.swap_remove(choice.index(moves.len()));
            dispatched += usize::from(packet.is_none() && dispatched < flags.len());
            sequence.extend(packet);
            faults += added;
            link = next;
        }
        prop_assert!(link.is_empty() && dispatched == flags.len(), "dead end at {link:?}");
        prop_assert!(is_capacity_bounded(&sequence, window));
        prop_assert!(is_multiplication_bounded(&sequence, &flags, &expected.copies));
        if budgeted {
            prop_assert_eq!(faults, fault_number(&sequence, flags.len()));
        }
    }
}
