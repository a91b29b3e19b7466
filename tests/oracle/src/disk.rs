//! Files by their definition: all operations since a start, each durable or not, and all ways in which those that are not
//! durable survive a power failure.
//!
//! A file or a directory is a number that never changes; the root is 0. Nothing is forgotten, so that there are ever more
//! operations.

use std::collections::{BTreeMap, BTreeSet};

/// The number of the root.
pub const ROOT: usize = 0;

/// A name in a directory.
pub type Place = (usize, String);

/// Which of the operations that are not durable may survive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Survives {
    /// none
    Lost,
    /// all up to any one of them
    Prefix,
    /// any of them, in their order
    #[default]
    Any,
}

/// The operations that a power failure may leave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Policy {
    pub survives: Survives,
    /// the bytes of a block: of a write, the first blocks may survive
    pub torn: Option<usize>,
}

/// An operation by the numbers of files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    Name { place: Place, object: usize },
    NoName { place: Place, object: usize },
    Moved { from: Place, to: Place, object: usize },
    Bytes { object: usize, at: usize, bytes: Vec<u8> },
    Length { object: usize, length: usize },
}

/// Where names lead, and the bytes of files.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Content {
    pub names: BTreeMap<Place, usize>,
    pub bytes: BTreeMap<usize, Vec<u8>>,
}

/// How a step survives: as a whole; of a write, its first bytes, and with its length or without.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Survival {
    Not,
    Whole,
    First { bytes: usize, with_length: bool },
}

/// Files: the durable ones of a start, and the operations since then, each durable or not.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Disk {
    start: Content,
    steps: Vec<(Step, bool)>,
    /// the steps of which a sync has failed: no later one is about them
    refused: BTreeSet<usize>,
    directories: BTreeSet<usize>,
    objects: usize,
}

/// A tree as a map from each path to its first other path, and its bytes if it is a file.
pub type Shown = BTreeMap<String, (String, Option<Vec<u8>>)>;

impl Content {
    fn lies_in(&self, inner: usize, outer: usize) -> bool {
        inner == outer || self.names.iter().any(|((above, _), &object)| object == inner && self.lies_in(*above, outer))
    }

    /// The bytes of the file at a place.
    pub fn file(&self, place: &Place) -> Option<&[u8]> {
        let object = self.names.get(place)?;
        Some(self.bytes.get(object).map_or(&[], |bytes| bytes))
    }
}

impl Disk {
    /// A disk with these durable files in its root.
    pub fn with_files(files: &[(String, Vec<u8>)]) -> Disk {
        let mut disk = Disk::default();
        for (name, bytes) in files {
            disk.objects += 1;
            disk.start.names.insert((ROOT, name.clone()), disk.objects);
            disk.start.bytes.insert(disk.objects, bytes.clone());
        }
        disk
    }

    /// A new file; its number.
    pub fn create(&mut self, place: Place) -> usize {
        self.objects += 1;
        self.perform(Step::Name { place, object: self.objects });
        self.objects
    }

    /// A new directory.
    pub fn make_directory(&mut self, place: Place) {
        self.directories.insert(self.objects + 1);
        self.create(place);
    }

    pub fn perform(&mut self, step: Step) {
        self.steps.push((step, false));
    }

    /// The operations that are not durable.
    pub fn pending(&self) -> usize {
        self.steps.iter().filter(|(_, is_durable)| !is_durable).count()
    }

    /// The files that programs see.
    pub fn seen(&self) -> Content {
        self.content(&vec![Survival::Whole; self.steps.len()])
    }

    /// The files that a power failure leaves at least.
    pub fn durable(&self) -> Content {
        let survival = |(_, is_durable): &(Step, bool)| if *is_durable { Survival::Whole } else { Survival::Not };
        self.content(&self.steps.iter().map(survival).collect::<Vec<_>>())
    }

    /// The disk once all that `content` has is durable, and nothing else.
    #[must_use]
    pub fn left_with(&self, mut content: Content) -> Disk {
        let named: BTreeSet<usize> = content.names.values().copied().collect();
        content.bytes.retain(|object, _| named.contains(object));
        let (directories, objects) = (self.directories.clone(), self.objects);
        Disk { start: content, directories, objects, ..Disk::default() }
    }

    fn take(&self, content: &mut Content, step: &Step, survival: Survival) {
        if survival == Survival::Not {
            return;
        }
        match step {
            Step::Name { place, object } => drop(content.names.insert(place.clone(), *object)),
            Step::NoName { place, object } => {
                if content.names.get(place) == Some(object) {
                    content.names.remove(place);
                }
            }
            Step::Moved { from, to, object } => {
                if self.directories.contains(object) {
                    if content.lies_in(to.0, *object) {
                        return;
                    }
                    content.names.retain(|_, named| named != object);
                } else if content.names.get(from) == Some(object) {
                    content.names.remove(from);
                }
                content.names.insert(to.clone(), *object);
            }
            Step::Bytes { object, at, bytes } => {
                let file = content.bytes.entry(*object).or_default();
                let (first, with_length) = match survival {
                    Survival::First { bytes, with_length } => (bytes, with_length),
                    _ => (bytes.len(), true),
                };
                let length = at + if with_length { bytes.len() } else { first };
                let needed = if first == 0 && !with_length { 0 } else { length };
                while file.len() < needed {
                    file.push(0);
                }
                for (index, byte) in bytes[..first].iter().enumerate() {
                    file[at + index] = *byte;
                }
            }
            Step::Length { object, length } => {
                let file = content.bytes.entry(*object).or_default();
                while file.len() > *length {
                    file.pop();
                }
                while file.len() < *length {
                    file.push(0);
                }
            }
        }
    }

    fn content(&self, survivals: &[Survival]) -> Content {
        let mut content = self.start.clone();
        self.steps.iter().zip(survivals).for_each(|((step, _), &survival)| self.take(&mut content, step, survival));
        content
    }

    /// Makes the bytes and the length of a file durable, or the names in a directory.
    pub fn sync(&mut self, synced: usize) {
        for index in (0..self.steps.len()).filter(|index| !self.refused.contains(index)).collect::<Vec<_>>() {
            let is_now = match &self.steps[index].0 {
                Step::Name { place, .. } | Step::NoName { place, .. } => place.0 == synced,
                Step::Moved { from, to, .. } => from.0 == synced || to.0 == synced,
                Step::Bytes { object, .. } | Step::Length { object, .. } => *object == synced,
            };
            self.steps[index].1 |= is_now;
        }
        // Durable names need what has come before to the same names and the same directories.
        loop {
            let needed = (0..self.steps.len()).find(|&earlier| {
                !self.steps[earlier].1
                    && (earlier..self.steps.len()).any(|later| self.steps[later].1 && self.needs(later, earlier))
            });
            match needed {
                Some(index) => self.steps[index].1 = true,
                None => break,
            }
        }
    }

    /// A sync of a file fails.
    pub fn fail_sync(&mut self, file: usize) {
        let is_about =
            |step: &Step| matches!(step, Step::Bytes { object, .. } | Step::Length { object, .. } if *object == file);
        let refused = self.steps.iter().enumerate().filter(|(_, (step, is_durable))| !is_durable && is_about(step));
        let refused: Vec<usize> = refused.map(|(index, _)| index).collect();
        self.refused.extend(refused);
    }

    fn needs(&self, later: usize, earlier: usize) -> bool {
        let about = |step: &Step| match step {
            Step::Name { place, object } | Step::NoName { place, object } => {
                Some((vec![place.clone()], *object, false))
            }
            Step::Moved { from, to, object } => Some((vec![from.clone(), to.clone()], *object, true)),
            _ => None,
        };
        let (Some(one), Some(other)) = (about(&self.steps[earlier].0), about(&self.steps[later].0)) else {
            return false;
        };
        let are_directories = self.directories.contains(&one.1) && self.directories.contains(&other.1);
        one.0.iter().any(|place| other.0.contains(place)) || are_directories && (one.1 == other.1 || one.2 && other.2)
    }

    /// All ways in which one step may survive.
    fn ways(step: &Step, policy: Policy) -> Vec<Survival> {
        let mut ways = vec![Survival::Not, Survival::Whole];
        if let Step::Bytes { at, bytes, .. } = step {
            for first in 0..bytes.len() {
                let is_block = policy.torn.is_some_and(|block| (at + first) % block == 0) && first > 0;
                if first == 0 || is_block {
                    let lengths: &[bool] = match policy.survives {
                        Survives::Any => &[false, true],
                        _ => &[false],
                    };
                    ways.extend(lengths.iter().map(|&with_length| Survival::First { bytes: first, with_length }));
                }
            }
        }
        ways
    }

    /// All that a power failure may leave.
    pub fn images(&self, policy: Policy) -> BTreeSet<Content> {
        let mut all = vec![Vec::new()];
        for (step, is_durable) in &self.steps {
            let ways = if *is_durable { vec![Survival::Whole] } else { Self::ways(step, policy) };
            all = all
                .into_iter()
                .flat_map(|before: Vec<Survival>| ways.iter().map(move |&way| [&before[..], &[way]].concat()))
                .collect();
        }
        let pending = |ways: &[Survival]| -> Vec<Survival> {
            self.steps.iter().zip(ways).filter(|((_, durable), _)| !durable).map(|(_, &way)| way).collect()
        };
        let allowed = all.into_iter().filter(|ways| match policy.survives {
            Survives::Lost => pending(ways).iter().all(|&way| way == Survival::Not),
            Survives::Prefix => {
                let ways = pending(ways);
                let whole = ways.iter().take_while(|&&way| way == Survival::Whole).count();
                ways.iter().skip(whole + 1).all(|&way| way == Survival::Not)
            }
            Survives::Any => true,
        });
        allowed.map(|ways| self.content(&ways)).collect()
    }

    /// The files by their paths.
    pub fn shown(&self, content: &Content) -> Shown {
        let (mut shown, mut first) = (Shown::new(), BTreeMap::new());
        self.show(content, ROOT, "", &mut shown, &mut first);
        shown
    }

    fn show(&self, content: &Content, at: usize, path: &str, shown: &mut Shown, first: &mut BTreeMap<usize, String>) {
        for ((above, name), &object) in &content.names {
            if *above == at {
                let path = format!("{path}/{name}");
                let known = first.entry(object).or_insert_with(|| path.clone()).clone();
                let is_directory = self.directories.contains(&object);
                let bytes = (!is_directory).then(|| content.bytes.get(&object).cloned().unwrap_or_default());
                shown.insert(path.clone(), (known, bytes));
                if is_directory {
                    self.show(content, object, &path, shown, first);
                }
            }
        }
    }
}
