//! All permutations of like processes, each as a product of swaps.

use super::classes::Classes;
use crate::id::ProcessId;
use ahash::AHashMap;

/// One of the permutations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Permutation(u32);

impl Permutation {
    pub(crate) const IDENTITY: Permutation = Permutation(0);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Two processes change places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Swap {
    /// Its number among the swaps.
    pub(super) index: usize,
    pub(super) permutation: Permutation,
    pub(super) pair: [ProcessId; 2],
}

/// A permutation as a swap after another permutation, which has a lower number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) swap: Swap,
    pub(super) after: Permutation,
}

/// The group that the swaps of neighbours in each class generate.
pub(super) struct Permutations {
    /// By permutation: by process, whom it becomes.
    maps: Vec<Box<[ProcessId]>>,
    by_map: AHashMap<Box<[ProcessId]>, Permutation>,
    /// By permutation; of the identity there is none.
    products: Vec<Option<Product>>,
    swaps: Vec<Swap>,
}

impl Permutations {
    pub(super) fn of(classes: &Classes) -> Self {
        let identity: Box<[ProcessId]> = (0..classes.processes as u32).map(ProcessId).collect();
        let mut all = Permutations {
            maps: vec![identity.clone()],
            by_map: [(identity, Permutation::IDENTITY)].into_iter().collect(),
            products: vec![None],
            swaps: Vec::new(),
        };
        for (index, pair) in classes.swaps().enumerate() {
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
        let Product { swap: Swap { pair: [a, b], .. }, after } = product;
        let swapped = |&process: &ProcessId| match process {
            process if process == a => b,
            process if process == b => a,
            process => process,
        };
        let map: Box<[ProcessId]> = self.map(after).iter().map(swapped).collect();
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

    /// By process, whom it becomes.
    pub(super) fn map(&self, permutation: Permutation) -> &[ProcessId] {
        &self.maps[permutation.index()]
    }

    /// A permutation as a product; `None` for the identity.
    pub(super) fn product(&self, permutation: Permutation) -> Option<Product> {
        self.products[permutation.index()]
    }

    /// `first`, and `then` after it.
    pub(super) fn compose(&self, then: Permutation, first: Permutation) -> Permutation {
        let then = self.map(then);
        let map: Box<[ProcessId]> = self.map(first).iter().map(|process| then[process.0 as usize]).collect();
        self.by_map[&map]
    }

    pub(super) fn inverse(&self, permutation: Permutation) -> Permutation {
        let mut map: Box<[ProcessId]> = self.map(Permutation::IDENTITY).into();
        for (process, becomes) in (0u32..).map(ProcessId).zip(self.map(permutation)) {
            map[becomes.0 as usize] = process;
        }
        self.by_map[&map]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutations(classes: &[&[u32]], processes: usize) -> Permutations {
        let classes = classes.iter().map(|class| class.iter().copied().map(ProcessId).collect()).collect();
        Permutations::of(&Classes { classes, processes, left_out: Vec::new() })
    }

    #[test]
    fn every_class_is_permuted_in_every_way() {
        assert_eq!(permutations(&[&[1, 3, 4], &[0, 5]], 6).len(), 12);
        assert_eq!(permutations(&[], 3).len(), 1);
    }

    #[test]
    fn a_permutation_is_the_product_that_it_says() {
        let all = permutations(&[&[0, 1, 2, 3]], 4);
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
