//! `Link::covers` is a simulation: what the covered channel can do next the covering one can do
//! too, and covers it again afterwards. By induction everything that can come out of the one can
//! come out of the other, whatever is sent.

use netcheck_models::udp::{Link, LinkRules, Perturbation};
use std::collections::BTreeSet;

fn rules(copies: &[usize], window: usize) -> LinkRules {
    LinkRules { send: Some(Perturbation::new(copies.iter().copied(), window)), receive: None, budgeted: false }
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
    link.is_empty() || link.settle(rules).is_some()
}

/// How many pairs of different channels cover each other.
fn covering_pairs(rules: &LinkRules) -> usize {
    let channels = channels(rules, 4);
    let mut pairs = 0;
    for more in &channels {
        for less in channels.iter().filter(|less| more.covers(less, rules)) {
            pairs += usize::from(more != less);
            for packet in [1, 2] {
                for perturbed in [true, false] {
                    let (more, less) =
                        (more.dispatch(packet, perturbed, false), less.dispatch(packet, perturbed, false));
                    assert!(more.covers(&less, rules), "{more:?} does not cover {less:?} after a send");
                }
            }
            for delivery in less.deliveries(rules) {
                let same = more.deliveries(rules);
                let mut same = same.iter().filter(|same| same.packet == delivery.packet);
                assert!(same.any(|same| same.link.covers(&delivery.link, rules)), "{more:?} can't follow {less:?}");
            }
            assert!(!may_end(less, rules) || may_end(more, rules), "{more:?} can't end as {less:?}");
        }
    }
    pairs
}

#[test]
fn covering_is_a_simulation_with_loss() {
    assert_eq!(covering_pairs(&rules(&[0, 1], 1)), 468);
    assert_eq!(covering_pairs(&rules(&[0, 1, 2], 1)), 916);
    assert_eq!(covering_pairs(&rules(&[0, 2], 1)), 652);
}

#[test]
fn a_further_copy_may_stay_away_without_loss_too() {
    assert_eq!(covering_pairs(&rules(&[1, 2], 1)), 80);
}

#[test]
fn what_must_arrive_may_overtake_or_is_counted_is_covered_by_itself_only() {
    assert_eq!(covering_pairs(&rules(&[1], 1)), 0);
    assert_eq!(covering_pairs(&rules(&[0, 1], 2)), 0);
    let budgeted = LinkRules { budgeted: true, ..rules(&[0, 1], 1) };
    assert_eq!(covering_pairs(&budgeted), 0);
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
