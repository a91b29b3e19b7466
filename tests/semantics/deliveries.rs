//! Deliveries that a receiver can observe are those of papers/udp-net-iocache.txt, Definition 5: no
//! sequence missing, none extra. The oracle works it out from the definition by brute force
//! and shares no code with the engine or the model.

use netcheck as tokio;
use netcheck::check::{Checker, Direction, Udp, Verdict};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::net::UdpSocket;

type Deliveries = BTreeSet<Vec<usize>>;

/// `D(p1..pn, M, c)` over packets 0..n: every sequence in which each packet appears as often
/// as M allows (Definition 4), and fewer than c packets are late at any position (Definition 3).
fn definition_5(n: usize, copies: &[usize], c: usize) -> Deliveries {
    fn extend(sequence: &mut Vec<usize>, n: usize, longest: usize, all: &mut Vec<Vec<usize>>) {
        all.push(sequence.clone());
        if sequence.len() < longest {
            for packet in 0..n {
                sequence.push(packet);
                extend(sequence, n, longest, all);
                sequence.pop();
            }
        }
    }
    let longest = n * copies.iter().max().expect("M is not empty");
    let mut all = Vec::new();
    extend(&mut Vec::new(), n, longest, &mut all);
    let multiplied =
        |q: &Vec<usize>| (0..n).all(|packet| copies.contains(&q.iter().filter(|&&other| other == packet).count()));
    let bounded = |q: &Vec<usize>| {
        (0..q.len()).all(|i| {
            let late: BTreeSet<usize> = q[i + 1..].iter().copied().filter(|&packet| packet < q[i]).collect();
            late.len() < c
        })
    };
    all.into_iter().filter(multiplied).filter(bounded).collect()
}

/// Every non-empty M of numbers up to 2.
fn multiplication_choices() -> Vec<Vec<usize>> {
    (1..8).map(|set| (0..3).filter(|copies| set & 1 << copies != 0).collect()).collect()
}

async fn send(n: usize) {
    let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
    for packet in 0..n {
        socket.send_to(&[packet as u8], "receiver:4000").await.unwrap();
    }
}

async fn receive() -> Vec<u8> {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let mut received = Vec::new();
    let mut buffer = [0];
    while tokio::time::timeout(Duration::from_secs(1), socket.recv(&mut buffer)).await.is_ok() {
        received.push(buffer[0]);
    }
    received
}

/// The deliveries that the receiver observes over all executions.
fn observed(n: usize, udp: Udp, reduction: bool) -> Deliveries {
    let report = Checker::new().udp(udp).reduction(reduction).check(|net| {
        net.process("receiver", receive);
        net.process("sender", move || send(n)).after("receiver");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let parse = |text: &String| {
        let numbers = text.trim_matches(['[', ']']).split(", ").filter(|number| !number.is_empty());
        numbers.map(|number| number.parse().unwrap()).collect()
    };
    report.outputs("receiver").iter().map(parse).collect()
}

/// Compares every M and c for dispatches of up to `n` packets; returns how many deliveries there are.
fn agrees(n: usize, udp: impl Fn(Udp) -> Udp, reduction: bool) -> usize {
    let mut deliveries = 0;
    for n in 1..=n {
        for copies in multiplication_choices() {
            for c in 1..=n {
                let expected = definition_5(n, &copies, c);
                let declared = udp(Udp::new().copies(copies.iter().copied()).window(c));
                assert_eq!(observed(n, declared, reduction), expected, "n = {n}, M = {copies:?}, c = {c}");
                deliveries += expected.len();
            }
        }
    }
    deliveries
}

#[test]
fn the_brute_force_oracle_has_the_sizes_of_the_design() {
    let sizes = |n, copies: &[usize]| -> Vec<usize> { (1..=n).map(|c| definition_5(n, copies, c).len()).collect() };
    assert_eq!(sizes(2, &[0, 1, 2]), [9, 19]);
    assert_eq!(sizes(3, &[1]), [1, 4, 6]);
    assert_eq!(sizes(3, &[0, 1]), [8, 14, 16]);
    assert_eq!(sizes(3, &[0, 1, 2]), [27, 135, 271]);
}

#[test]
fn example_1_all_outcomes_of_two_packets_duplicated_at_most_once() {
    let both = observed(2, Udp::new().loss().duplication().reorder(2), true);
    assert_eq!(both.len(), 19);
    assert!(both.contains(&vec![]) && both.contains(&vec![1, 0, 0, 1]));
}

#[test]
fn example_2_the_normal_delivery_and_the_empty_one() {
    let lossy = observed(2, Udp::new().loss(), true);
    assert_eq!(lossy, [vec![], vec![0], vec![1], vec![0, 1]].into());
}

#[test]
fn example_3_capacity_bounds_how_late_a_packet_can_be() {
    let within = |c| observed(3, Udp::new().copies([0, 1, 2]).window(c), true);
    let (one, two, three) = (within(1), within(2), within(3));
    for (delivery, expected) in [
        (vec![0, 1, 2], [true, true, true]),
        (vec![0, 0, 2], [true, true, true]),
        (vec![2, 0, 2], [false, true, true]),
        (vec![2, 0, 1], [false, false, true]),
    ] {
        assert_eq!([&one, &two, &three].map(|set| set.contains(&delivery)), expected, "{delivery:?}");
    }
}

#[test]
fn example_4_multiplication_choices_bound_loss_and_duplication() {
    let with = |copies: &[usize]| observed(2, Udp::new().copies(copies.iter().copied()).window(2), true);
    assert_eq!(with(&[1]), [vec![0, 1], vec![1, 0]].into());
    assert_eq!(with(&[0, 1]), [vec![], vec![0], vec![1], vec![0, 1], vec![1, 0]].into());
    assert!(with(&[1, 2]).iter().all(|delivery| delivery.contains(&0) && delivery.contains(&1)));
    assert_eq!(with(&[0, 1, 2]).len(), 19);
}

#[test]
fn example_5_reordering_alone_is_bounded_by_the_capacity() {
    let within = |c| observed(3, Udp::new().window(c), true);
    assert_eq!(within(1), [vec![0, 1, 2]].into());
    assert_eq!(within(2), [vec![0, 1, 2], vec![0, 2, 1], vec![1, 0, 2], vec![1, 2, 0]].into());
    assert_eq!(within(3).len(), 6);
}

#[test]
fn up_to_three_packets_in_each_direction() {
    for reduction in [true, false] {
        for udp in [
            |udp: Udp| udp,
            |udp: Udp| udp.direction(Direction::Send),
            |udp: Udp| udp.direction(Direction::Receive),
            |udp: Udp| udp.direction(Direction::Send).process("sender"),
            |udp: Udp| udp.direction(Direction::Receive).process("receiver"),
            |udp: Udp| udp.direction(Direction::Both).process("receiver"),
        ] {
            agrees(3, udp, reduction);
        }
    }
}

#[test]
fn traffic_of_other_processes_is_not_perturbed() {
    let everything = || Udp::new().copies([0, 1, 2]).window(3);
    for udp in [
        everything().direction(Direction::Receive).process("sender"),
        everything().direction(Direction::Send).process("receiver"),
    ] {
        assert_eq!(observed(3, udp, true), [vec![0, 1, 2]].into());
    }
}

#[test]
fn four_packets_reduced() {
    println!("{} deliveries", agrees(4, |udp| udp, true));
}

#[test]
fn four_packets_unreduced() {
    println!("{} deliveries", agrees(4, |udp| udp, false));
}

/// `both` perturbs each packet on both sides: the deliveries of deliveries.
#[test]
fn both_directions_perturb_a_packet_twice() {
    for n in 1..=2 {
        for copies in multiplication_choices() {
            for c in 1..=n {
                let once = definition_5(n, &copies, c);
                let twice: Deliveries = once
                    .iter()
                    .flat_map(|sent| {
                        // Each copy is a packet of its own on the receiver's side (Remark 1).
                        let again = definition_5(sent.len(), &copies, c);
                        again.into_iter().map(|q| q.into_iter().map(|copy| sent[copy]).collect()).collect::<Vec<_>>()
                    })
                    .collect();
                let udp = Udp::new().copies(copies.iter().copied()).window(c).direction(Direction::Both);
                for reduction in [true, false] {
                    assert_eq!(observed(n, udp.clone(), reduction), twice, "n = {n}, M = {copies:?}, c = {c}");
                }
            }
        }
    }
}
