//! `Link::covers` is a simulation: what the covered channel can do next the covering one can do
//! too, and covers it again afterwards. By induction everything that can come out of the one can
//! come out of the other, whatever is sent.

use netcheck_models::udp::{Delivery, Link, LinkRules, Perturbation};
use std::collections::BTreeSet;

const UNBOUNDED: usize = usize::MAX;

fn rules(copies: &[usize], window: usize) -> LinkRules {
    LinkRules { send: Some(Perturbation::new(copies.iter().copied(), window)), ..LinkRules::default() }
}

/// All channels that some sends of packets 1 and 2, perturbed or not, and deliveries lead to.
fn channels(rules: &LinkRules, sends: usize) -> Vec<Link> {
    // One that was met after more sends is met again after fewer: more can still be sent.
    let mut met = BTreeSet::from([(Link::default(), 0)]);
    let mut open = vec![(Link::default(), 0)];
    while let Some((link, sent)) = open.pop() {
        let mut next: Vec<(Link, usize)> =
            link.deliveries(rules).into_iter().map(|delivery| (delivery.link, sent)).collect();
        if sent < sends {
            for (packet, perturbed) in [(1, true), (2, true), (1, false)] {
                next.push((link.dispatch(packet, perturbed, false), sent + 1));
            }
        }
        open.extend(next.into_iter().filter(|met_now| met.insert(met_now.clone())));
    }
    let links: BTreeSet<Link> = met.into_iter().map(|(link, _)| link).collect();
    links.into_iter().collect()
}

fn may_end(link: &Link, rules: &LinkRules) -> bool {
    link.is_empty() || link.lose_in_flight(rules).is_some()
}

/// How many pairs of different channels cover each other.
fn covering_pairs(rules: &LinkRules, sends: usize) -> usize {
    let channels = channels(rules, sends);
    let deliveries: Vec<Vec<Delivery>> = channels.iter().map(|link| link.deliveries(rules)).collect();
    let with_deliveries = || channels.iter().zip(&deliveries);
    let mut pairs = 0;
    for (more, of_more) in with_deliveries() {
        assert!(more.is_empty() || !of_more.is_empty(), "nothing can arrive of {more:?}");
        for (less, of_less) in with_deliveries().filter(|(less, _)| more.covers(less, rules)) {
            pairs += usize::from(more != less);
            for packet in [1, 2] {
                for perturbed in [true, false] {
                    let (more, less) =
                        (more.dispatch(packet, perturbed, false), less.dispatch(packet, perturbed, false));
                    assert!(more.covers(&less, rules), "{more:?} does not cover {less:?} after a send");
                }
            }
            for delivery in of_less {
                let mut same = of_more.iter().filter(|same| same.packet == delivery.packet);
                assert!(same.any(|same| same.link.covers(&delivery.link, rules)), "{more:?} can't follow {less:?}");
            }
            assert!(!may_end(less, rules) || may_end(more, rules), "{more:?} can't end as {less:?}");
        }
    }
    pairs
}

/// For each window, after so many sends.
fn assert_covering_pairs(copies: &[usize], sends: usize, expected: &[(usize, usize)]) {
    let counted: Vec<(usize, usize)> =
        expected.iter().map(|&(window, _)| (window, covering_pairs(&rules(copies, window), sends))).collect();
    assert_eq!(counted, expected, "M = {copies:?}, {sends} sends");
}

#[test]
fn covering_is_a_simulation_with_loss() {
    assert_covering_pairs(&[0, 1], 4, &[(1, 468), (2, 1_006), (3, 1_078), (4, 1_008), (UNBOUNDED, 1_008)]);
    assert_covering_pairs(&[0, 1], 5, &[(1, 2_246), (2, 5_612), (3, 6_992), (4, 6_766), (UNBOUNDED, 6_758)]);
}

#[test]
fn covering_is_a_simulation_with_loss_and_duplication() {
    assert_covering_pairs(&[0, 1, 2], 4, &[(1, 1_324), (2, 21_394), (3, 67_148), (4, 22_166), (UNBOUNDED, 22_166)]);
}

#[test]
fn covering_is_a_simulation_where_every_copy_is_lost_or_none() {
    assert_covering_pairs(&[0, 2], 4, &[(1, 652), (2, 2_096), (3, 6_840), (4, 6_184), (UNBOUNDED, 6_184)]);
}

#[test]
fn a_further_copy_may_stay_away_without_loss_too() {
    assert_covering_pairs(&[1, 2], 4, &[(1, 80), (2, 1_236), (3, 6_934), (4, 5_902), (UNBOUNDED, 5_902)]);
}

#[test]
fn what_must_arrive_may_stand_elsewhere_where_the_order_means_nothing() {
    assert_covering_pairs(&[1], 5, &[(1, 0), (2, 160), (3, 524), (4, 1_252), (UNBOUNDED, 2_452)]);
}

#[test]
fn what_is_counted_or_perturbed_twice_is_covered_by_itself_only() {
    for window in [1, 2, UNBOUNDED] {
        let lossy = rules(&[0, 1], window);
        let budgeted = LinkRules { budgeted: true, ..lossy.clone() };
        assert_eq!(covering_pairs(&budgeted, 3), 0);
        let twice = LinkRules { receive: lossy.send.clone(), ..lossy };
        assert_eq!(covering_pairs(&twice, 3), 0);
    }
}

/// Two equal packets of the one channel could be that of the other, but only one of them has been late already.
#[test]
fn the_embedding_that_the_barriers_allow_is_found_among_others() {
    let rules = rules(&[0, 1, 2], 3);
    let after = |sent: &[u32], arrived: &[u32]| {
        let link = sent.iter().fold(Link::default(), |link, &packet| link.dispatch(packet, true, false));
        arrived.iter().fold(link, |link, &packet| {
            let mut deliveries = link.deliveries(&rules).into_iter();
            deliveries.find(|delivery| delivery.packet == packet).expect("it may arrive").link
        })
    };
    let less = after(&[1, 2], &[2]);
    let more = after(&[1, 2, 4, 3], &[4, 3, 3, 2]);
    assert!(!more.covers(&after(&[1, 4], &[4]), &rules), "after 3, one may still be late, besides 2");
    assert!(more.covers(&less, &rules));
    let alike = more.renumbered(|packet| if packet == 4 { 2 } else { packet });
    assert!(alike.covers(&less, &rules));
}

#[test]
fn as_many_packets_as_the_network_holds_may_stand_in_any_order() {
    let sent = |packets: &[(u32, bool)]| {
        packets.iter().fold(Link::default(), |link, &(packet, perturbed)| link.dispatch(packet, perturbed, false))
    };
    let any = |packets: &[u32]| sent(&packets.iter().map(|&packet| (packet, true)).collect::<Vec<_>>());
    let [two, unbounded] = [2, UNBOUNDED].map(|window| rules(&[0, 1], window));
    assert!(any(&[1, 2, 3]).covers(&any(&[2, 1, 3]), &two) && any(&[2, 1, 3]).covers(&any(&[1, 2, 3]), &two));
    assert!(!any(&[1, 2, 3]).covers(&any(&[1, 3, 2]), &two), "3, 1, 2 can come out of the other only");
    assert!(any(&[1, 2, 3]).covers(&any(&[1, 3, 2]), &unbounded));
    let [before, after] = [[(1, true), (3, false)], [(3, false), (1, true)]].map(|packets| sent(&packets));
    assert!(before.covers(&after, &unbounded), "1 may arrive after 3 as well");
    assert!(!after.covers(&before, &unbounded), "1 may no more arrive before 3");
}

#[test]
fn a_packet_that_may_arrive_more_often_stands_for_another() {
    let all = rules(&[0, 1, 2], 1);
    let twice = rules(&[0, 2], 1);
    let sent = Link::default().dispatch(1, true, false);
    let [arrived, half] = [&all, &twice].map(|rules| sent.deliveries(rules).remove(0).link);
    assert!(sent.covers(&arrived, &all) && !arrived.covers(&sent, &all));
    assert!(!sent.covers(&half, &twice), "an odd number of times is not allowed");
}

#[test]
fn one_lost_packet_is_covered() {
    let rules = rules(&[0, 1], 1);
    let [one, two] = [1, 2].map(|packet| Link::default().dispatch(packet, true, false));
    let both = one.dispatch(2, true, false);
    assert!(both.covers(&one, &rules) && both.covers(&two, &rules) && both.covers(&Link::default(), &rules));
    assert!(!one.covers(&two, &rules) && !one.covers(&both, &rules));
    assert!(!Link::default().dispatch(1, false, false).covers(&Link::default(), &rules), "it must arrive");
}
