//! Inclusion, and zones made of other zones.

use super::bound::Bound;
use super::matrix::Matrix;
use super::moment::{Moment, Scheduled};
use super::zone::Zone;
use smallvec::SmallVec;

impl Zone {
    /// Whether each valuation of the other zone is one of this zone. Zones of different events do not include each other.
    #[must_use]
    pub fn includes(&self, other: &Zone) -> bool {
        self.events == other.events && self.matrix.includes(&other.matrix)
    }

    /// The zone with new names for its events.
    ///
    /// # Panics
    ///
    /// If two events get one name.
    #[must_use]
    pub fn renamed(&self, rename: impl Fn(Scheduled) -> Scheduled) -> Zone {
        let mut named: SmallVec<[(Scheduled, usize); 4]> =
            self.events.iter().enumerate().map(|(index, &event)| (rename(event), index + 1)).collect();
        named.sort_unstable();
        assert!(named.windows(2).all(|pair| pair[0].0 != pair[1].0), "two events get one name");
        let places: SmallVec<[usize; 8]> = [0].into_iter().chain(named.iter().map(|(_, place)| *place)).collect();
        Zone { events: named.iter().map(|(event, _)| *event).collect(), matrix: self.matrix.select(&places) }
    }

    /// The zone with the names of interchangeable events (equal copies of one packet) exchanged, so that their names
    /// follow their instants and not the order in which they were scheduled.
    ///
    /// The order is by the bounds from now and from all events that are not interchangeable. Events that these do not
    /// tell apart are ordered by their bounds from each other without regard to names; should these be equal, too, the
    /// events keep their order. So the result is a renaming in every case, and two zones that differ by such an exchange
    /// alone get equal results except in cases like the last one.
    ///
    /// # Panics
    ///
    /// If one of them is not scheduled.
    #[must_use]
    pub fn sorted(&self, alike: &[Scheduled]) -> Zone {
        let mut names: SmallVec<[Scheduled; 4]> = alike.into();
        names.sort_unstable();
        names.dedup();
        let mut by_instant = names.clone();
        by_instant.sort_by_cached_key(|event| self.bounds_of(*event, &names));
        self.renamed(|event| match by_instant.iter().position(|alike| *alike == event) {
            Some(index) => names[index],
            None => event,
        })
    }

    /// The bounds of an event from all that is not `alike`, in the order of the matrix, and then those from the events
    /// that are `alike`, sorted.
    fn bounds_of(&self, event: Scheduled, alike: &[Scheduled]) -> Vec<(Bound, Bound)> {
        let place = self.place(Moment::of(event));
        let bounds = |other: usize| (self.matrix.at(other, place), self.matrix.at(place, other));
        let (mut near, far): (Vec<usize>, Vec<usize>) =
            (0..self.matrix.side()).partition(|place| *place > 0 && alike.contains(&self.events[place - 1]));
        near.retain(|other| *other != place);
        let mut among: Vec<(Bound, Bound)> = near.into_iter().map(bounds).collect();
        among.sort_unstable();
        far.into_iter().map(bounds).chain(among).collect()
    }

    /// The zone of the events of two zones, which have nothing but now in common.
    ///
    /// # Panics
    ///
    /// If both schedule an event.
    #[must_use]
    pub fn product(&self, other: &Zone) -> Zone {
        let mut events: SmallVec<[(Scheduled, bool, usize); 4]> = SmallVec::new();
        for (zone, is_own) in [(self, true), (other, false)] {
            events.extend(zone.events.iter().enumerate().map(|(index, &event)| (event, is_own, index + 1)));
        }
        events.sort_unstable();
        assert!(events.windows(2).all(|pair| pair[0].0 != pair[1].0), "two zones schedule one event");
        let mut matrix = Matrix::new();
        for (place, &(_, is_own, from)) in events.iter().enumerate() {
            let zone = if is_own { self } else { other };
            matrix.insert(place + 1, 0, zone.matrix.at(0, from), zone.matrix.at(from, 0));
        }
        for (row, &(_, is_own, from)) in events.iter().enumerate() {
            let zone = if is_own { self } else { other };
            for (column, &(_, _, to)) in events.iter().enumerate().filter(|(_, (_, own, _))| *own == is_own) {
                matrix.set(row + 1, column + 1, zone.matrix.at(from, to));
            }
        }
        Zone { events: events.iter().map(|(event, ..)| *event).collect(), matrix }
    }

    /// The zone of some of the events: what the others allow them.
    #[must_use]
    pub fn projected(&self, keep: impl Fn(Scheduled) -> bool) -> Zone {
        let kept: SmallVec<[usize; 8]> =
            (0..self.matrix.side()).filter(|place| *place == 0 || keep(self.events[place - 1])).collect();
        Zone {
            events: kept[1..].iter().map(|place| self.events[place - 1]).collect(),
            matrix: self.matrix.select(&kept),
        }
    }
}
