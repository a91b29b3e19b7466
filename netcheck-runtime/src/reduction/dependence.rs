//! Which live movers of a state the steps of another one depend on.

use super::bits::Bits;
use super::footprint::Footprints;
use super::live::Live;
use smallvec::SmallVec;
use std::cell::OnceCell;

/// Of each live mover, told when it is asked for: the movers that can affect, from now on, a resource that its steps
/// depend on in this state.
pub(super) struct Dependence<'a> {
    pub(super) live: &'a [Live],
    footprints: &'a Footprints,
    rows: SmallVec<[OnceCell<Bits>; 8]>,
}

impl<'a> Dependence<'a> {
    pub(super) fn new(footprints: &'a Footprints, live: &'a [Live]) -> Self {
        Dependence { live, footprints, rows: live.iter().map(|_| OnceCell::new()).collect() }
    }

    /// The movers, as indexes into `live`, on which the steps of one of them depend.
    pub(super) fn of(&self, index: usize) -> &Bits {
        self.rows[index].get_or_init(|| {
            let mut movers = Bits::default();
            for (other, number) in self.live.iter().zip(0..) {
                if self.live[index].depends_on.meets(self.affected_by(other)) {
                    movers.insert(number);
                }
            }
            movers
        })
    }

    /// The resources that movers can affect from now on.
    pub(super) fn affected(&self, movers: &[usize]) -> Bits {
        let mut affected = Bits::default();
        for &mover in movers {
            affected.union_with(self.affected_by(&self.live[mover]));
        }
        affected
    }

    fn affected_by(&self, mover: &Live) -> &'a Bits {
        &self.footprints.get(mover.row).future_affects
    }
}
