//! All permutations of like processes and like tasks, each as a product of swaps.

use super::classes::pairs;
use crate::id::UnitId;
use crate::world::renaming::Map;
use ahash::AHashMap;

/// One of the permutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permutation(u32);

impl Permutation {
    pub(crate) const IDENTITY: Permutation = Permutation(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The exchange of two processes, or of two isolated tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Swap {
    /// Its number among the swaps.
    pub(super) index: usize,
    pub(super) permutation: Permutation,
    pub(super) pair: [UnitId; 2],
}

/// A permutation as a swap after another permutation, which has a lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) swap: Swap,
    pub(super) after: Permutation,
}

/// The group that the swaps of neighbours in each class generate.
pub(super) struct Permutations {
    maps: Vec<Map>,
    by_map: AHashMap<Map, Permutation>,
    /// By permutation; the identity has none.
    products: Vec<Option<Product>>,
    swaps: Vec<Swap>,
}

impl Permutations {
    /// The permutations of the classes of like units: processes, and tasks of one process.
    pub(super) fn of(processes: usize, classes: &[Vec<UnitId>]) -> Self {
        let is_task = |unit: &&UnitId| unit.0 as usize >= processes;
        let tasks: Vec<UnitId> = classes.iter().flatten().filter(is_task).copied().collect();
        let identity = Map::identity(processes, &tasks);
        let mut all = Permutations {
            maps: vec![identity.clone()],
            by_map: [(identity, Permutation::IDENTITY)].into_iter().collect(),
            products: vec![None],
            swaps: Vec::new(),
        };
        for (index, pair) in pairs(classes).enumerate() {
            let permutation = Permutation(all.maps.len() as u32);
            let swap = Swap { index, permutation, pair };
            all.swaps.push(swap);
            all.add(Product { swap, after: Permutation::IDENTITY });
        }
        let mut next = 0;
        while next < all.maps.len() {
            for swap in all.swaps.clone() {
                all.add(Product { swap, after: Permutation(next as u32) });
            }
            next += 1;
        }
        all
    }

    fn add(&mut self, product: Product) {
        let map = self.map(product.after).and_swap(product.swap.pair);
        if !self.by_map.contains_key(&map) {
            self.by_map.insert(map.clone(), Permutation(self.maps.len() as u32));
            self.maps.push(map);
            self.products.push(Some(product));
        }
    }

    pub(super) fn all(&self) -> impl Iterator<Item = Permutation> + use<> {
        (0..self.maps.len() as u32).map(Permutation)
    }

    pub(super) fn len(&self) -> usize {
        self.maps.len()
    }

    pub(super) fn swaps(&self) -> &[Swap] {
        &self.swaps
    }

    pub(super) fn map(&self, permutation: Permutation) -> &Map {
        &self.maps[permutation.index()]
    }

    /// A permutation as a product; `None` for the identity.
    pub(super) fn product(&self, permutation: Permutation) -> Option<Product> {
        self.products[permutation.index()]
    }

    /// `first`, and `then` after it.
    pub(super) fn compose(&self, then: Permutation, first: Permutation) -> Permutation {
        self.by_map[&self.map(first).then(self.map(then))]
    }

    pub(super) fn inverse(&self, permutation: Permutation) -> Permutation {
        self.by_map[&self.map(permutation).inverse()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutations(classes: &[&[u32]], processes: usize) -> Permutations {
        let classes: Vec<_> = classes.iter().map(|class| class.iter().copied().map(UnitId).collect()).collect();
        Permutations::of(processes, &classes)
    }

    #[test]
    fn every_class_is_permuted_in_every_way() {
        assert_eq!(permutations(&[&[1, 3, 4], &[0, 5]], 6).len(), 12);
        assert_eq!(permutations(&[], 3).len(), 1);
        assert_eq!(permutations(&[&[0, 1], &[7, 9, 12]], 2).len(), 12);
    }

    #[test]
    fn a_permutation_is_the_product_that_it_says() {
        for (classes, processes) in [(&[&[0, 1, 2, 3][..]][..], 4), (&[&[0, 2], &[5, 6, 9]], 3)] {
            let all = permutations(classes, processes);
            for permutation in all.all() {
                let inverse = all.inverse(permutation);
                assert_eq!(all.compose(permutation, inverse), Permutation::IDENTITY);
                if let Some(Product { swap, after }) = all.product(permutation) {
                    assert_eq!(all.compose(swap.permutation, after), permutation);
                    assert!(after.index() < permutation.index() && all.swaps()[swap.index] == swap);
                }
            }
        }
    }
}
