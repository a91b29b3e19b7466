//! Instants that are too old to be told apart.
//!
//! A program that keeps an instant and never renews it sees it age for ever. If it asks for no distance of more than
//! `reach_ns`, it can't tell how old an instant is that comes so long before everything else that it may ask for: two
//! valuations that differ in nothing but that let it do the same. So the zone forgets what bounds the age.
//!
//! This adds no valuation with another future. Let `e` come more than the reach before each instant of a set, in all
//! valuations of a zone Z. A valuation v of the result has some instant for `e` that does so, too, and for all other
//! events what v has; and since a part of a canonical zone allows its events just what the whole zone does, Z has a
//! valuation that agrees with v but for `e`. There `e` comes more than the reach before the set as well. An event that is
//! forgotten already comes before all others by more than the reach, and bounds nothing: so it need not be in the set. Two
//! old instants that lie nearer to each other are kept, because what is known of them together bounds others.

use super::bound::Bound;
use super::moment::{Moment, Scheduled};
use super::zone::Zone;
use smallvec::SmallVec;

impl Zone {
    /// Forgets how old those of the instants `of` are that come more than `reach_ns` before now and before all other events
    /// that a program may ask about: the others `of`, and those for which `is_asked_for` holds. `None`: there are none, or
    /// nothing was known of their age.
    #[must_use]
    pub fn aged(
        &self,
        of: impl Fn(Scheduled) -> bool,
        is_asked_for: impl Fn(Scheduled) -> bool,
        reach_ns: i64,
    ) -> Option<Zone> {
        let places_of = |is_in: &dyn Fn(Scheduled) -> bool| -> SmallVec<[usize; 8]> {
            (1..=self.events.len()).filter(|place| is_in(self.events[place - 1])).collect()
        };
        let candidates = places_of(&of);
        let mut left: SmallVec<[usize; 8]> = places_of(&|event| of(event) || is_asked_for(event));
        left.push(0);
        let far = Bound::new(-reach_ns.saturating_add(1));
        let is_far = |place: usize, left: &[usize]| {
            left.iter().all(|&other| other == place || self.matrix.at(place, other) <= far)
        };
        // The oldest first, each with what comes after it.
        let mut old: SmallVec<[(usize, SmallVec<[usize; 8]>); 4]> = SmallVec::new();
        while let Some(&place) = candidates.iter().find(|&&place| left.contains(&place) && is_far(place, &left)) {
            left.retain(|other| *other != place);
            old.push((place, left.clone()));
        }
        if old.is_empty() {
            return None;
        }
        let mut aged = self.clone();
        for (place, after) in old.iter().rev() {
            aged.matrix.put_before(*place, after, far);
        }
        (aged != *self).then_some(aged)
    }

    /// Whether the event of a moment comes more than so long before that of another one, so that the zone may have forgotten
    /// how long. How far the moments lie from their events makes no difference.
    #[must_use]
    pub fn is_aged(&self, one: Moment, other: Moment, reach_ns: i64) -> bool {
        let [one, other] = [one, other].map(|moment| Moment { after_ns: 0, ..moment });
        self.distance(one, other).least_ns.is_some_and(|least_ns| least_ns > reach_ns)
    }
}
