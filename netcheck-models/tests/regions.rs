//! Channels whose packets have `M` and `c` of their own, because programs set them anew (section 3.2.4 of the paper).
//!
//! The oracle enumerates packet sequences and filters them by Definitions 3 and 4, read for each packet with the `M` and
//! the `c` that were in force when the packet was sent. It shares no code with the model.

use netcheck_models::udp::{Link, LinkRules, Perturbation, Perturbed};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Packets are numbered 0, 1, … in dispatch order.
type Sequence = Vec<u32>;

/// The multiplication choices and the capacity for one packet; `None`: the packet is not perturbed.
type Applied = Option<(Vec<usize>, usize)>;

fn count(sequence: &[u32], packet: u32) -> usize {
    sequence.iter().filter(|&&element| element == packet).count()
}

/// Definition 4 for each packet with its own `M`. A packet that is not perturbed arrives once, and nothing that was sent
/// later arrives before it.
fn arrives_as_often(sequence: &[u32], packets: &[Applied]) -> bool {
    (0..).zip(packets).all(|(packet, applied)| match applied {
        Some((copies, _)) => copies.contains(&count(sequence, packet)),
        None => {
            let first = sequence.iter().position(|&element| element == packet);
            count(sequence, packet) == 1 && sequence[..first.unwrap()].iter().all(|&before| before < packet)
        }
    })
}

/// Definition 3 for each element with the capacity of its packet; `declared`: that of packets that are not perturbed.
fn overtakes_as_many(sequence: &[u32], packets: &[Applied], declared: usize) -> bool {
    (0..sequence.len()).all(|i| {
        let late: BTreeSet<u32> = sequence[i + 1..].iter().copied().filter(|&later| later < sequence[i]).collect();
        let window = packets[sequence[i] as usize].as_ref().map_or(declared, |(_, window)| *window);
        late.len() < window
    })
}

/// Definition 5 with these readings.
fn deliveries(packets: &[Applied], declared: usize) -> BTreeSet<Sequence> {
    let copies_max = |applied: &Applied| applied.as_ref().map_or(1, |(copies, _)| *copies.iter().max().unwrap());
    let mut all = vec![vec![]];
    let mut start = 0;
    for _ in 0..packets.iter().map(copies_max).sum() {
        let end = all.len();
        for index in start..end {
            for (packet, applied) in (0..).zip(packets) {
                if count(&all[index], packet) < copies_max(applied) {
                    let mut longer = all[index].clone();
                    longer.push(packet);
                    all.push(longer);
                }
            }
        }
        start = end;
    }
    let is_delivery =
        |sequence: &Sequence| arrives_as_often(sequence, packets) && overtakes_as_many(sequence, packets, declared);
    all.into_iter().filter(is_delivery).collect()
}

/// The model's delivered sequences, over all interleavings of dispatch and delivery. Panics at a dead end.
fn explored(packets: &[Applied], declared: Option<&(Vec<usize>, usize)>) -> BTreeSet<Sequence> {
    let perturbation = |(copies, window): &(Vec<usize>, usize)| Perturbation::new(copies.iter().copied(), *window);
    let mut rules = LinkRules { send: declared.map(perturbation), ..LinkRules::default() };
    let mut flags = Vec::new();
    for applied in packets {
        flags.push(match applied {
            None => Perturbed::No,
            Some(applied) if Some(applied) == declared => Perturbed::AsDeclared,
            Some(applied) => {
                let applied = perturbation(applied);
                if rules.in_region(&applied).is_none() {
                    rules.regions.push(applied.clone());
                }
                rules.in_region(&applied).expect("it was added")
            }
        });
    }
    let mut complete = BTreeSet::new();
    let mut known = BTreeSet::new();
    let mut open = vec![(Link::default(), 0, Sequence::new())];
    while let Some(state) = open.pop() {
        if !known.insert(state.clone()) {
            continue;
        }
        let (link, dispatched, delivered) = state;
        if link.is_empty() && dispatched == packets.len() {
            complete.insert(delivered.clone());
        }
        let before = open.len();
        for delivery in link.deliveries(&rules) {
            let longer = delivered.iter().copied().chain([delivery.packet]).collect();
            open.push((delivery.link, dispatched, longer));
        }
        if let Some(lost) = link.lose_in_flight(&rules) {
            open.push((lost.link, dispatched, delivered.clone()));
        }
        assert!(link.is_empty() || open.len() > before, "dead end after {delivered:?} of {rules:?}: {link:?}");
        if dispatched < packets.len() {
            open.push((link.dispatch(dispatched as u32, flags[dispatched], false), dispatched + 1, delivered));
        }
    }
    complete
}

/// A region with `M = {1}` and `c = 1` has no faults: to the oracle its packets are not perturbed.
fn applied(choices: (Vec<usize>, usize)) -> Applied {
    (choices != (vec![1], 1)).then_some(choices)
}

fn choices() -> impl Strategy<Value = (Vec<usize>, usize)> {
    let copies =
        prop::sample::select(vec![vec![1], vec![0, 1], vec![1, 2], vec![0, 1, 2], vec![0], vec![2], vec![0, 2]]);
    (copies, 1usize..=3)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn packets_of_regions_are_delivered_as_their_own_choices_say(
        packets in prop::collection::vec(choices(), 0..=3),
        declared in prop::option::of(choices()),
    ) {
        let packets: Vec<Applied> = packets.into_iter().map(applied).collect();
        let window = declared.as_ref().map_or(1, |(_, window)| *window);
        prop_assert_eq!(explored(&packets, declared.as_ref()), deliveries(&packets, window));
    }

    /// A channel that covers another one delivers all that the other delivers, also when packets of regions are sent later.
    #[test]
    fn channels_that_cover_others_also_do_so_with_what_regions_send_later(
        sent in prop::collection::vec(any::<bool>(), 0..=4),
        later in prop::collection::vec(choices(), 1..=2),
        window in 1usize..=3,
    ) {
        let mut rules = LinkRules { send: Some(Perturbation::new([1, 0], window)), ..LinkRules::default() };
        rules.regions.extend(later.iter().map(|(copies, window)| Perturbation::new(copies.iter().copied(), *window)));
        let mut more = Link::default();
        let mut less = Link::default();
        for (packet, is_in_both) in (0..).zip(&sent) {
            more = more.dispatch(packet, true, false);
            if *is_in_both {
                less = less.dispatch(packet, true, false);
            }
        }
        for more in one_delivery_later(&more, &rules) {
            if more.covers(&less, &rules) {
                let after = |link: &Link| {
                    (0..).zip(&rules.regions).fold(link.clone(), |link, (number, region)| {
                        link.dispatch(100 + number, rules.in_region(region).expect("it is one"), false)
                    })
                };
                let (of_more, of_less) = (ends(&after(&more), &rules), ends(&after(&less), &rules));
                prop_assert!(of_less.is_subset(&of_more), "{:?} and {:?}", more, less);
            }
        }
    }
}

/// A channel, and what it is after each of the arrivals that may come next.
fn one_delivery_later(link: &Link, rules: &LinkRules) -> Vec<Link> {
    let later = link.deliveries(rules).into_iter().map(|delivery| delivery.link);
    [link.clone()].into_iter().chain(later).collect()
}

/// Everything that a channel can still deliver.
fn ends(link: &Link, rules: &LinkRules) -> BTreeSet<Sequence> {
    let mut of_links: BTreeMap<Link, BTreeSet<Sequence>> = BTreeMap::new();
    ends_with(link, rules, &mut of_links)
}

fn ends_with(link: &Link, rules: &LinkRules, known: &mut BTreeMap<Link, BTreeSet<Sequence>>) -> BTreeSet<Sequence> {
    if let Some(known) = known.get(link) {
        return known.clone();
    }
    let mut all = BTreeSet::new();
    if link.is_empty() || link.lose_in_flight(rules).is_some() {
        all.insert(Sequence::new());
    }
    for delivery in link.deliveries(rules) {
        let rests = ends_with(&delivery.link, rules, known);
        all.extend(rests.into_iter().map(|rest| [delivery.packet].into_iter().chain(rest).collect::<Sequence>()));
    }
    known.insert(link.clone(), all.clone());
    all
}

#[test]
fn a_packet_of_a_reliable_region_arrives_once_and_is_not_overtaken() {
    let declared = (vec![1, 0], 2);
    let packets = [Some(declared.clone()), None, Some(declared.clone())];
    let found = explored(&packets, Some(&declared));
    let expected: BTreeSet<Sequence> =
        [vec![0, 1, 2], vec![0, 1], vec![1, 2], vec![1], vec![1, 0, 2], vec![1, 0], vec![1, 2, 0]].into();
    assert_eq!(found, expected);
}
