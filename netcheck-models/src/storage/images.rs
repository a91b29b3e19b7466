//! The files that a power failure may leave.

use super::durable::{Entry, Fate, PENDING_MAX, Pending, Storage};
use super::tree::{Inode, Tree};
use std::collections::BTreeSet;
use std::fmt;

/// Which of the pending operations may survive a power failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Survives {
    /// None.
    Lost,
    /// All up to any one of them.
    Prefix,
    /// Any of them, in their order. The length of a write may survive without its bytes: then there are zeros.
    #[default]
    Any,
}

/// What a power failure may leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Policy {
    /// The operations that may survive.
    pub survives: Survives,
    /// The bytes of a block: of a write, the first blocks may survive without the others. `None`: it survives as a whole.
    pub torn: Option<usize>,
}

/// There are more pending operations than [`PENDING_MAX`], or more images than [`IMAGES_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany {
    /// The number of pending operations.
    pub pending: usize,
}

/// With more images, they are not enumerated: long writes that may be torn leave many.
pub const IMAGES_MAX: usize = 16_384;

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooMany { pending } = self;
        write!(
            f,
            "{pending} operations are not synced, and what a power failure may leave is looked at for {PENDING_MAX} operations and \
             {IMAGES_MAX} images at most (of more, all of them and none): sync more often, or let writes tear in larger blocks"
        )
    }
}

impl std::error::Error for TooMany {}

impl Storage {
    /// The trees that a power failure may leave: each once, by content, in their order.
    ///
    /// # Errors
    /// If too many operations are pending, or there are too many trees.
    pub fn images(&self, policy: Policy) -> Result<Vec<Tree>, TooMany> {
        if self.pending() > PENDING_MAX && policy.survives != Survives::Lost {
            return Err(TooMany { pending: self.pending() });
        }
        let left = match policy.survives {
            Survives::Lost => BTreeSet::from([self.durable()]),
            Survives::Prefix => self.prefixes(policy.torn),
            Survives::Any => self.subsets(policy.torn)?,
        };
        let images: BTreeSet<Tree> = left.iter().map(Tree::by_content).collect();
        Ok(images.into_iter().collect())
    }

    fn prefixes(&self, torn: Option<usize>) -> BTreeSet<Tree> {
        let mut tree = self.durable.clone();
        let mut left = BTreeSet::from([tree.clone()]);
        for Entry { pending, fate } in &self.pending {
            if *fate == Fate::Durable {
                left = left.into_iter().map(|tree| with(tree, pending)).collect();
                pending.apply(&mut tree);
                continue;
            }
            if let Pending::Write { inode, at, bytes } = pending {
                for end in inner_ends(*at, bytes.len(), torn) {
                    let mut torn = tree.clone();
                    torn.write(*inode, *at, &bytes[..end - at]);
                    left.insert(torn);
                }
            }
            pending.apply(&mut tree);
            left.insert(tree.clone());
        }
        left
    }

    fn subsets(&self, torn: Option<usize>) -> Result<BTreeSet<Tree>, TooMany> {
        let mut left = BTreeSet::from([self.durable.clone()]);
        for Entry { pending, fate } in &self.pending {
            if *fate == Fate::Durable {
                left = left.into_iter().map(|tree| with(tree, pending)).collect();
                continue;
            }
            let mut with = left.clone();
            for tree in &left {
                let mut survived = tree.clone();
                pending.apply(&mut survived);
                with.insert(survived);
                if let Pending::Write { inode, at, bytes } = pending {
                    let ends = std::iter::once(*at).chain(inner_ends(*at, bytes.len(), torn));
                    for end in ends {
                        let written = &bytes[..end - at];
                        let length = at + bytes.len();
                        with.extend(partly_written(tree, *inode, (*at, written), length));
                    }
                }
            }
            if with.len() > IMAGES_MAX {
                return Err(TooMany { pending: self.pending() });
            }
            left = with;
        }
        Ok(left)
    }
}

fn with(mut tree: Tree, pending: &Pending) -> Tree {
    pending.apply(&mut tree);
    tree
}

/// The trees in which the first bytes of a write have survived: without the rest of its length, and with it.
fn partly_written(tree: &Tree, inode: Inode, (at, written): (usize, &[u8]), length: usize) -> [Tree; 2] {
    let mut short = tree.clone();
    if !written.is_empty() {
        short.write(inode, at, written);
    }
    let mut long = short.clone();
    if long.bytes(inode).is_some_and(|bytes| bytes.len() < length) {
        long.set_length(inode, length);
    }
    [short, long]
}

/// The ends of the blocks that lie within a write. Blocks begin at the start of the file.
fn inner_ends(at: usize, length: usize, torn: Option<usize>) -> impl Iterator<Item = usize> {
    let block = torn.unwrap_or(usize::MAX).max(1);
    let first = (at / block).saturating_add(1).saturating_mul(block);
    std::iter::successors(Some(first), move |end| end.checked_add(block)).take_while(move |&end| end < at + length)
}
