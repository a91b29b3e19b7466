//! Which hosts reach each other, where partitions are declared.
//!
//! A *link* is an ordered pair of hosts: what the first one sends to the other. A *cut* is a set of links on which nothing comes
//! through from the moment at which it is made until it heals. A declaration lists the cuts of which each is one of its kind
//! (each way to isolate a host from the others, each way to halve the hosts), and says how many of them may be made in one
//! execution. A cut that would stop no link that is open is not made.

use std::collections::BTreeSet;

/// An ordered pair of hosts, by their numbers: from the first to the second.
pub type Way = (u32, u32);

/// The links on which a cut stops everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cut {
    links: BTreeSet<Way>,
}

impl Cut {
    /// All links from one of some hosts to one of others.
    #[must_use]
    pub fn between(from: &[u32], to: &[u32]) -> Cut {
        let links = from.iter().flat_map(|&from| to.iter().map(move |&to| (from, to)));
        Cut { links: links.filter(|(from, to)| from != to).collect() }
    }

    /// The same links in both directions.
    #[must_use]
    pub fn both_ways(&self) -> Cut {
        Cut { links: self.links.iter().flat_map(|&(from, to)| [(from, to), (to, from)]).collect() }
    }

    /// Whether it stops what one host sends to another.
    #[must_use]
    pub fn stops(&self, way: Way) -> bool {
        self.links.contains(&way)
    }

    /// The links, in order.
    pub fn links(&self) -> impl Iterator<Item = Way> {
        self.links.iter().copied()
    }

    /// The hosts on its two sides, the smaller side first; of one way, the side from which nothing comes through.
    #[must_use]
    pub fn sides(&self) -> (Vec<u32>, Vec<u32>) {
        let Some(&(first, _)) = self.links.first() else { return Default::default() };
        let other: Vec<u32> = self.links.iter().filter(|(from, _)| *from == first).map(|&(_, to)| to).collect();
        let one: Vec<u32> =
            self.links.iter().filter(|(_, to)| Some(to) == other.first()).map(|&(from, _)| from).collect();
        if self.is_both_ways() && other.len() < one.len() { (other, one) } else { (one, other) }
    }

    /// Whether each link is cut in both directions.
    #[must_use]
    pub fn is_both_ways(&self) -> bool {
        self.links.iter().all(|&(from, to)| self.links.contains(&(to, from)))
    }

    /// Whether it stops nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }
}

/// The cuts of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Partition {
    /// Each cut that may be made.
    pub cuts: Vec<Cut>,
    /// How many are made in one execution at the most.
    pub times: u32,
    /// Whether a cut heals at some later time; if not, it stays for ever.
    pub heals: bool,
}

/// The links on which everything stops now, and the cuts that were made. The default is that all hosts reach each other, and
/// have always done so.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reach {
    /// The cuts that have not healed: the declaration of each, and its number there.
    in_force: BTreeSet<(u32, u32)>,
    /// By declaration: how many cuts were made; without zeros at the end.
    made: Vec<u32>,
}

/// The name of a cut: its declaration, and its number there.
pub type CutName = (u32, u32);

impl Reach {
    /// Whether what a host sends to another one comes through.
    #[must_use]
    pub fn reaches(&self, way: Way, declared: &[Partition]) -> bool {
        !self.in_force.iter().any(|&name| cut(name, declared).stops(way))
    }

    /// The cuts that may be made now, with what is left after each.
    pub fn cuts<'a>(&'a self, declared: &'a [Partition]) -> impl Iterator<Item = (CutName, Reach)> + 'a {
        let each = (0u32..).zip(declared).filter(|(of, partition)| self.made(*of) < partition.times);
        each.flat_map(move |(of, partition)| {
            let open =
                (0u32..).zip(&partition.cuts).filter(|(_, cut)| cut.links().any(|way| self.reaches(way, declared)));
            open.map(move |(number, _)| ((of, number), self.with((of, number))))
        })
    }

    /// The cuts that may heal now, with what is left after each.
    pub fn heals<'a>(&'a self, declared: &'a [Partition]) -> impl Iterator<Item = (CutName, Reach)> + 'a {
        let healing = self.in_force.iter().copied().filter(|&(of, _)| declared[of as usize].heals);
        healing.map(|name| {
            let mut healed = self.clone();
            healed.in_force.remove(&name);
            (name, healed)
        })
    }

    /// Whether a link may still be cut, if cuts `may_be_made` at all, or heal. Once it may not, it never will.
    #[must_use]
    pub fn may_change(&self, way: Way, declared: &[Partition], may_be_made: bool) -> bool {
        let is_left = |(of, partition): (u32, &Partition)| {
            self.made(of) < partition.times && partition.cuts.iter().any(|cut| cut.stops(way))
        };
        may_be_made && (0u32..).zip(declared).any(is_left)
            || self.heals(declared).any(|(name, _)| cut(name, declared).stops(way))
    }

    /// The links that come through before a change and not after it; of two values, the later one second.
    pub fn stopped<'a>(&'a self, after: &'a Reach, declared: &'a [Partition]) -> impl Iterator<Item = Way> + 'a {
        let links: BTreeSet<Way> = after.in_force.iter().flat_map(|&name| cut(name, declared).links()).collect();
        links.into_iter().filter(|&way| self.reaches(way, declared))
    }

    fn made(&self, of: u32) -> u32 {
        self.made.get(of as usize).copied().unwrap_or(0)
    }

    fn with(&self, name: CutName) -> Reach {
        let mut next = self.clone();
        next.in_force.insert(name);
        let of = name.0 as usize;
        if next.made.len() <= of {
            next.made.resize(of + 1, 0);
        }
        next.made[of] += 1;
        next
    }
}

fn cut((of, number): CutName, declared: &[Partition]) -> &Cut {
    &declared[of as usize].cuts[number as usize]
}

/// All ways to split some hosts into two sets that are not empty, each once, of which a size of the smaller one is accepted.
pub fn splits(hosts: u32, accepts: impl Fn(usize) -> bool) -> impl Iterator<Item = (Vec<u32>, Vec<u32>)> {
    assert!(hosts < u32::BITS, "so many hosts have too many subsets");
    let all = if hosts == 0 { 0..0 } else { 0..1 << (hosts - 1) };
    all.filter_map(move |others: u32| {
        // The first host is on the first side.
        let (first, second): (Vec<u32>, Vec<u32>) =
            (0..hosts).partition(|&host| host == 0 || others >> (host - 1) & 1 == 0);
        let smaller = first.len().min(second.len());
        (smaller > 0 && accepts(smaller)).then_some((first, second))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn isolated(times: u32, heals: bool) -> [Partition; 1] {
        let cuts = vec![Cut::between(&[0], &[1, 2]).both_ways()];
        [Partition { cuts, times, heals }]
    }

    #[test]
    fn a_cut_stops_its_links_until_it_heals() {
        let declared = isolated(1, true);
        let open = Reach::default();
        assert!(open.reaches((0, 1), &declared) && open.heals(&declared).next().is_none());
        let (name, cut) = open.cuts(&declared).next().unwrap();
        assert_eq!(name, (0, 0));
        let stopped: Vec<Way> = open.stopped(&cut, &declared).collect();
        assert_eq!(stopped, [(0, 1), (0, 2), (1, 0), (2, 0)]);
        assert!([(0, 1), (2, 0)].iter().all(|&way| !cut.reaches(way, &declared)) && cut.reaches((1, 2), &declared));
        let (_, healed) = cut.heals(&declared).next().unwrap();
        assert!(healed.reaches((0, 1), &declared) && healed != open);
        assert_eq!(healed.stopped(&cut, &declared).count(), 4);
        assert!(healed.cuts(&declared).next().is_none(), "it is made once");
    }

    #[test]
    fn a_link_may_change_while_a_cut_of_it_is_left_or_may_heal() {
        let one = Partition { cuts: vec![Cut::between(&[0], &[1])], times: 1, heals: true };
        let declared = [one.clone(), Partition { cuts: vec![Cut::between(&[0], &[2])], heals: false, ..one }];
        let may_change = |reach: &Reach| [(0, 1), (0, 2), (1, 0)].map(|way| reach.may_change(way, &declared, true));
        let open = Reach::default();
        assert_eq!(may_change(&open), [true, true, false]);
        assert!(!open.may_change((0, 1), &declared, false), "no cut is made any more");
        let (_, first) = open.cuts(&declared).next().unwrap();
        assert!(first.may_change((0, 1), &declared, false), "it heals");
        let (_, healed) = first.heals(&declared).next().unwrap();
        assert_eq!(may_change(&healed), [false, true, false]);
        let (_, for_ever) = healed.cuts(&declared).next().unwrap();
        assert_eq!(may_change(&for_ever), [false; 3]);
    }

    #[test]
    fn a_cut_has_two_sides() {
        let cut = Cut::between(&[0, 2, 3], &[1]);
        assert_eq!((cut.sides(), cut.is_both_ways()), ((vec![0, 2, 3], vec![1]), false));
        assert_eq!((cut.both_ways().sides(), cut.both_ways().is_both_ways()), ((vec![1], vec![0, 2, 3]), true));
        assert!(Cut::default().is_empty() && Cut::default().sides() == (vec![], vec![]));
    }

    #[test]
    fn a_cut_that_stops_nothing_more_is_not_made() {
        let declared = isolated(2, false);
        let (_, cut) = Reach::default().cuts(&declared).next().unwrap();
        assert!(cut.cuts(&declared).next().is_none() && cut.heals(&declared).next().is_none());
    }

    #[test]
    fn cuts_overlap() {
        let one = Partition { cuts: vec![Cut::between(&[0], &[1])], times: 1, heals: true };
        let declared = [one.clone(), Partition { cuts: vec![Cut::between(&[0], &[1, 2])], ..one }];
        let (_, first) = Reach::default().cuts(&declared).next().unwrap();
        let (name, both) = first.cuts(&declared).next().unwrap();
        assert_eq!(name, (1, 0));
        assert_eq!(first.stopped(&both, &declared).collect::<Vec<_>>(), [(0, 2)]);
        let healed: Vec<bool> = both.heals(&declared).map(|(_, after)| after.reaches((0, 1), &declared)).collect();
        assert_eq!(healed, [false, false]);
    }

    #[test]
    fn hosts_are_split_in_each_way_once() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(|hosts| splits(hosts, |_| true).count()), [0, 0, 1, 3, 7, 15]);
        assert_eq!([2, 3, 4, 5].map(|hosts| splits(hosts, |size| size == hosts as usize / 2).count()), [1, 3, 3, 10]);
        for (first, second) in splits(4, |_| true) {
            let mut all = [first, second].concat();
            all.sort_unstable();
            assert_eq!(all, [0, 1, 2, 3]);
        }
    }
}
