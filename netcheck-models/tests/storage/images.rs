//! The images after a power failure, against their definition: all operations since the start, each durable or not, and
//! all ways in which those that are not durable survive.

use netcheck_models::storage::{
    Access, Content, Files, Inode, Operation, PENDING_MAX, Policy, Storage, Survives, TooMany, Tree,
};
use random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// An operation by the numbers of files, which never change.
#[derive(Clone, Debug)]
enum Step {
    Name { place: (usize, String), object: usize },
    NoName { place: (usize, String), object: usize },
    Moved { from: (usize, String), to: (usize, String), object: usize },
    Bytes { object: usize, at: usize, bytes: Vec<u8> },
    Length { object: usize, length: usize },
}

/// Where names lead, and the bytes of files.
#[derive(Clone, Debug, Default)]
struct World {
    names: BTreeMap<(usize, String), usize>,
    bytes: BTreeMap<usize, Vec<u8>>,
}

/// How a step survives: as a whole; of a write, its first bytes, and with its length or without.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Survival {
    Not,
    Whole,
    First { bytes: usize, with_length: bool },
}

#[derive(Default)]
struct Definition {
    steps: Vec<(Step, bool)>,
    directories: BTreeSet<usize>,
    objects: usize,
}

/// A tree as a map from each path to its first other path, and its bytes if it is a file.
type Shown = BTreeMap<String, (String, Option<Vec<u8>>)>;

impl Definition {
    fn lies_in(&self, world: &World, inner: usize, outer: usize) -> bool {
        inner == outer
            || world.names.iter().any(|((above, _), &object)| object == inner && self.lies_in(world, *above, outer))
    }

    fn take(&self, world: &mut World, step: &Step, survival: Survival) {
        if survival == Survival::Not {
            return;
        }
        match step {
            Step::Name { place, object } => drop(world.names.insert(place.clone(), *object)),
            Step::NoName { place, object } => {
                if world.names.get(place) == Some(object) {
                    world.names.remove(place);
                }
            }
            Step::Moved { from, to, object } => {
                if self.directories.contains(object) {
                    if self.lies_in(world, to.0, *object) {
                        return;
                    }
                    world.names.retain(|_, named| named != object);
                } else if world.names.get(from) == Some(object) {
                    world.names.remove(from);
                }
                world.names.insert(to.clone(), *object);
            }
            Step::Bytes { object, at, bytes } => {
                let content = world.bytes.entry(*object).or_default();
                let (first, with_length) = match survival {
                    Survival::First { bytes, with_length } => (bytes, with_length),
                    _ => (bytes.len(), true),
                };
                let length = at + if with_length { bytes.len() } else { first };
                let needed = if first == 0 && !with_length { 0 } else { length };
                while content.len() < needed {
                    content.push(0);
                }
                for (index, byte) in bytes[..first].iter().enumerate() {
                    content[at + index] = *byte;
                }
            }
            Step::Length { object, length } => {
                let content = world.bytes.entry(*object).or_default();
                while content.len() > *length {
                    content.pop();
                }
                while content.len() < *length {
                    content.push(0);
                }
            }
        }
    }

    fn world(&self, survivals: &[Survival]) -> World {
        let mut world = World::default();
        self.steps.iter().zip(survivals).for_each(|((step, _), &survival)| self.take(&mut world, step, survival));
        world
    }

    fn seen(&self) -> World {
        self.world(&vec![Survival::Whole; self.steps.len()])
    }

    fn at(&self, world: &World, path: &[u8]) -> usize {
        let path = std::str::from_utf8(path).unwrap();
        path.split('/').filter(|part| !part.is_empty()).fold(0, |at, part| world.names[&(at, part.to_owned())])
    }

    fn place(&self, world: &World, path: &[u8]) -> (usize, String) {
        let text = std::str::from_utf8(path).unwrap();
        let (above, name) = text.rsplit_once('/').unwrap();
        (self.at(world, above.as_bytes()), name.to_owned())
    }

    fn perform(&mut self, operation: &Operation) {
        let world = self.seen();
        let step = match operation {
            Operation::Create { path, .. } | Operation::MakeDirectory { path, .. } => {
                self.objects += 1;
                if matches!(operation, Operation::MakeDirectory { .. }) {
                    self.directories.insert(self.objects);
                }
                Step::Name { place: self.place(&world, path), object: self.objects }
            }
            Operation::Link { from, to } => Step::Name { place: self.place(&world, to), object: self.at(&world, from) },
            Operation::Unlink { path } | Operation::RemoveDirectory { path } => {
                Step::NoName { place: self.place(&world, path), object: self.at(&world, path) }
            }
            Operation::Rename { from, to } => Step::Moved {
                from: self.place(&world, from),
                to: self.place(&world, to),
                object: self.at(&world, from),
            },
            Operation::Write { path, at, bytes } => {
                Step::Bytes { object: self.at(&world, path), at: *at, bytes: bytes.to_vec() }
            }
            Operation::SetLength { path, length } => Step::Length { object: self.at(&world, path), length: *length },
            Operation::SetMode { .. } => return,
            Operation::Sync { path } => return self.sync(self.at(&world, path)),
        };
        self.steps.push((step, false));
    }

    fn sync(&mut self, synced: usize) {
        for index in 0..self.steps.len() {
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

    fn images(&self, policy: Policy) -> BTreeSet<String> {
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
        allowed.map(|ways| format!("{:?}", self.shown(&self.world(&ways)))).collect()
    }

    fn shown(&self, world: &World) -> Shown {
        let (mut shown, mut first) = (Shown::new(), BTreeMap::new());
        self.show(world, 0, "", &mut shown, &mut first);
        shown
    }

    fn show(&self, world: &World, at: usize, path: &str, shown: &mut Shown, first: &mut BTreeMap<usize, String>) {
        for ((above, name), &object) in &world.names {
            if *above == at {
                let path = format!("{path}/{name}");
                let known = first.entry(object).or_insert_with(|| path.clone()).clone();
                let is_directory = self.directories.contains(&object);
                let bytes = (!is_directory).then(|| world.bytes.get(&object).cloned().unwrap_or_default());
                shown.insert(path.clone(), (known, bytes));
                if is_directory {
                    self.show(world, object, &path, shown, first);
                }
            }
        }
    }
}

fn shown(tree: &Tree) -> Shown {
    fn show(tree: &Tree, at: Inode, path: &str, shown: &mut Shown, first: &mut BTreeMap<Inode, String>) {
        for (name, &inode) in tree.names(at).into_iter().flatten() {
            let path = format!("{path}/{}", String::from_utf8_lossy(name));
            let known = first.entry(inode).or_insert_with(|| path.clone()).clone();
            match &tree.node(inode).content {
                Content::File(bytes) => drop(shown.insert(path, (known, Some(bytes.to_vec())))),
                Content::Directory(_) => {
                    shown.insert(path.clone(), (known, None));
                    show(tree, inode, &path, shown, first);
                }
            }
        }
    }
    let mut all = Shown::new();
    show(tree, Inode::ROOT, "", &mut all, &mut BTreeMap::new());
    all
}

/// Operations of a random program.
fn call(random: &mut Random, files: &mut Files) {
    let path = |random: &mut Random| {
        let name = random.one_of(&["a", "b", "c"]);
        if random.one_in(3) { format!("{}/{name}", random.one_of(&["a", "b"])) } else { name.to_owned() }
    };
    let (one, other) = (path(random), path(random));
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let access = Access { read: true, write: true, create: random.one_in(2), ..Access::default() };
    let _ = match random.below(12) {
        0 => files.make_directory(one, 0o755),
        1 => files.unlink(one),
        2 => files.remove_directory(one),
        3 | 4 => files.rename(one, other),
        5 => files.link(one, other),
        6 | 7 => {
            let only_read = Access { read: true, ..Access::default() };
            let opened = files.open(if random.one_in(3) { b"." } else { one }, only_read, 0);
            opened.map(|handle| {
                files.sync(handle).unwrap();
                files.close(handle);
            })
        }
        _ => files.open(one, access, 0o644).map(|handle| {
            match random.below(5) {
                0 => files.set_length(handle, random.below(5)).unwrap(),
                _ => {
                    let bytes = vec![b'a' + random.below(26) as u8; random.within(1, 4)];
                    files.write_at(handle, &bytes, random.below(4)).unwrap();
                }
            }
            files.close(handle);
        }),
    };
}

#[test]
fn the_images_are_those_of_the_definition() {
    let (mut compared, mut most) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let (mut files, mut storage, mut definition) = (Files::default(), Storage::default(), Definition::default());
        for _ in 0..random.within(4, 16) {
            call(&mut random, &mut files);
            for operation in files.take_done() {
                storage = storage.after(&operation);
                definition.perform(&operation);
            }
            assert_eq!(storage.seen(), files.tree().by_content(), "seed {seed}");
        }
        assert_eq!(shown(&storage.seen()), definition.shown(&definition.seen()), "seed {seed}");
        assert_eq!(storage.settled().durable(), storage.seen());
        if definition.steps.iter().filter(|(_, durable)| !durable).count() > 5 {
            continue;
        }
        let survives = random.one_of(&[Survives::Lost, Survives::Prefix, Survives::Any, Survives::Any]);
        let policy = Policy { survives, torn: random.one_in(2).then(|| random.within(1, 3)) };
        let images = storage.images(policy).unwrap();
        let own: BTreeSet<String> = images.iter().map(|tree| format!("{:?}", shown(tree))).collect();
        // Trees of one content are one image.
        assert_eq!(own.len(), images.len(), "seed {seed}");
        assert_eq!(own, definition.images(policy), "seed {seed}, {policy:?}, {:?}", definition.steps);
        compared += 1;
        most = most.max(own.len());
    }
    assert!(compared > 1000 && most > 30, "{compared} {most}");
}

/// The contents of a file in all images of some calls.
fn contents(policy: Policy, path: &str, calls: impl FnOnce(&mut Files)) -> Vec<Option<String>> {
    let mut files = Files::default();
    calls(&mut files);
    let storage = files.take_done().iter().fold(Storage::default(), |storage, operation| storage.after(operation));
    let images = storage.images(policy).unwrap();
    let bytes = |tree: &Tree| Some(tree.bytes(tree.at(path.as_bytes())?)?.to_vec());
    let mut all: Vec<_> =
        images.iter().map(|tree| bytes(tree).map(|bytes| String::from_utf8(bytes).unwrap())).collect();
    all.sort();
    all.dedup();
    all
}

fn written(files: &mut Files, path: &str, bytes: &[u8], is_synced: bool) {
    let access = Access { write: true, create: true, ..Access::default() };
    let handle = files.open(path.as_bytes(), access, 0o644).unwrap();
    files.write(handle, bytes).unwrap();
    if is_synced {
        files.sync(handle).unwrap();
    }
    files.close(handle);
}

fn synced(files: &mut Files, directory: &str) {
    let handle = files.open(directory.as_bytes(), Access { read: true, ..Access::default() }, 0).unwrap();
    files.sync(handle).unwrap();
    files.close(handle);
}

#[test]
fn a_file_survives_with_its_name_only_if_its_directory_is_synced() {
    let some = |text: &str| Some(text.to_owned());
    let any = Policy::default();
    assert_eq!(
        contents(any, "/a", |files| written(files, "a", b"xy", false)),
        [None, some(""), some("\0\0"), some("xy")]
    );
    assert_eq!(contents(any, "/a", |files| written(files, "a", b"xy", true)), [None, some("xy")]);
    let both = |files: &mut Files| {
        written(files, "a", b"xy", true);
        synced(files, "/");
    };
    assert_eq!(contents(any, "/a", both), [some("xy")]);
    assert_eq!(
        contents(Policy { survives: Survives::Lost, torn: None }, "/a", |files| written(files, "a", b"xy", false)),
        [None]
    );
    let prefix = Policy { survives: Survives::Prefix, torn: Some(1) };
    assert_eq!(
        contents(prefix, "/a", |files| written(files, "a", b"xy", false)),
        [None, some(""), some("x"), some("xy")]
    );
}

#[test]
fn a_rename_without_a_sync_before_it_may_leave_an_empty_file() {
    let replaced = |is_synced: bool| {
        contents(Policy::default(), "/log", move |files| {
            written(files, "log", b"old", true);
            synced(files, ".");
            written(files, "new", b"new", is_synced);
            files.rename(b"new", b"log").unwrap();
        })
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(replaced(true), [some("new"), some("old")]);
    assert_eq!(replaced(false), [some(""), some("\0\0\0"), some("new"), some("old")]);
}

#[test]
fn too_many_pending_operations_have_a_name() {
    let mut files = Files::default();
    (0..4).for_each(|number| written(&mut files, &number.to_string(), b"x", false));
    written(&mut files, "0", b"y", false);
    let storage = files.take_done().iter().fold(Storage::default(), |storage, operation| storage.after(operation));
    assert_eq!(storage.pending(), PENDING_MAX + 1);
    assert_eq!(storage.images(Policy::default()), Err(TooMany { pending: 9 }));
    assert_eq!(storage.images(Policy { survives: Survives::Lost, torn: None }).unwrap().len(), 1);
    assert!(TooMany { pending: 9 }.to_string().starts_with("9 operations on files are not synced"));
}
