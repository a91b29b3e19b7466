//! The images after a power failure, against their definition: all operations since the start, each durable or not, and
//! all ways in which those that are not durable survive.

use netcheck_models::storage::{
    Access, Content, Files, Handle, Inode, Operation, PENDING_MAX, Policy, Storage, Subject, Survives, TooMany, Tree,
};
use oracle::disk::{self, Disk, Shown, Step};
use random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// Operations by paths, on files by their definition.
#[derive(Default)]
struct Definition {
    disk: Disk,
    /// files that are open, by their numbers
    nameless: BTreeMap<u32, usize>,
}

impl Definition {
    fn at(content: &disk::Content, path: &[u8]) -> usize {
        let path = std::str::from_utf8(path).unwrap();
        path.split('/')
            .filter(|part| !part.is_empty())
            .fold(disk::ROOT, |at, part| content.names[&(at, part.to_owned())])
    }

    fn place(content: &disk::Content, path: &[u8]) -> disk::Place {
        let text = std::str::from_utf8(path).unwrap();
        let (above, name) = text.rsplit_once('/').unwrap();
        (Self::at(content, above.as_bytes()), name.to_owned())
    }

    fn perform(&mut self, operation: &Operation) {
        let seen = self.disk.seen();
        let (at, place) = (|path: &[u8]| Self::at(&seen, path), |path: &[u8]| Self::place(&seen, path));
        let subject = |subject: &Subject| match subject {
            Subject::Path(path) => at(path),
            Subject::Nameless(number) => self.nameless[number],
        };
        let step = match operation {
            Operation::Create { path, .. } => {
                self.disk.create(place(path));
                return;
            }
            Operation::MakeDirectory { path, .. } => return self.disk.make_directory(place(path)),
            Operation::Link { from, to } => Step::Name { place: place(to), object: at(from) },
            Operation::Unlink { path } | Operation::RemoveDirectory { path } => {
                Step::NoName { place: place(path), object: at(path) }
            }
            Operation::Rename { from, to } => Step::Moved { from: place(from), to: place(to), object: at(from) },
            Operation::Write { file, at, bytes } => {
                Step::Bytes { object: subject(file), at: *at, bytes: bytes.to_vec() }
            }
            Operation::SetLength { file, length } => Step::Length { object: subject(file), length: *length },
            Operation::SetMode { .. } => return,
            Operation::Sync { file } => return self.disk.sync(subject(file)),
            Operation::FailedSync { file } => return self.disk.fail_sync(subject(file)),
            Operation::Keep { path, number } => {
                let before = self.nameless.insert(*number, at(path));
                assert_eq!(before, None, "numbers of open files are their own");
                return;
            }
            Operation::Forget { number } => {
                self.nameless.remove(number).expect("a file was open");
                return;
            }
        };
        self.disk.perform(step);
    }

    fn images(&self, policy: Policy) -> BTreeSet<String> {
        let survives = match policy.survives {
            Survives::Lost => disk::Survives::Lost,
            Survives::Prefix => disk::Survives::Prefix,
            Survives::Any => disk::Survives::Any,
        };
        let images = self.disk.images(disk::Policy { survives, torn: policy.torn });
        images.iter().map(|image| format!("{:?}", self.disk.shown(image))).collect()
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
fn call(random: &mut Random, files: &mut Files, open: &mut Option<Handle>) {
    if let Some(handle) = open.filter(|_| random.one_in(4)) {
        match random.below(4) {
            0 => {
                files.close(handle);
                *open = None;
            }
            1 => files.sync(handle).unwrap(),
            2 => files.set_length(handle, random.below(5)).unwrap(),
            _ => assert_eq!(files.write_at(handle, b"zz", random.below(3)), Ok(2)),
        }
        return;
    }
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
            let fails = random.one_in(3);
            opened.map(|handle| {
                if fails {
                    files.fail_sync(handle).unwrap();
                } else {
                    files.sync(handle).unwrap();
                }
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
            match open {
                None => *open = Some(handle),
                Some(_) => files.close(handle),
            }
        }),
    };
}

#[test]
fn the_images_are_those_of_the_definition() {
    let (mut compared, mut most) = (0, 0);
    for seed in 0..4000 {
        let mut random = Random::new(seed);
        let (mut files, mut storage, mut definition) = (Files::default(), Storage::default(), Definition::default());
        let mut open = None;
        for _ in 0..random.within(4, 16) {
            call(&mut random, &mut files, &mut open);
            for operation in files.take_done() {
                storage = storage.after(&operation);
                definition.perform(&operation);
            }
            assert_eq!(storage.seen(), files.tree().by_content(), "seed {seed}");
        }
        assert_eq!(shown(&storage.seen()), definition.disk.shown(&definition.disk.seen()), "seed {seed}");
        assert_eq!(storage.settled().durable(), storage.seen());
        if definition.disk.pending() > 5 {
            continue;
        }
        let survives = random.one_of(&[Survives::Lost, Survives::Prefix, Survives::Any, Survives::Any]);
        let policy = Policy { survives, torn: random.one_in(2).then(|| random.within(1, 3)) };
        let images = storage.images(policy).unwrap();
        let own: BTreeSet<String> = images.iter().map(|tree| format!("{:?}", shown(tree))).collect();
        // Trees of one content are one image.
        assert_eq!(own.len(), images.len(), "seed {seed}");
        assert_eq!(own, definition.images(policy), "seed {seed}, {policy:?}, {:?}", definition.disk);
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
    let torn = Policy { survives: Survives::Any, torn: Some(1) };
    let mut files = Files::default();
    written(&mut files, "log", &[b'x'; 40], false);
    written(&mut files, "more", &[b'x'; 40], false);
    let storage = files.take_done().iter().fold(Storage::default(), |storage, operation| storage.after(operation));
    assert_eq!(storage.images(torn), Err(TooMany { pending: 4 }));
    assert!(TooMany { pending: 9 }.to_string().starts_with("9 operations are not synced"));
}
