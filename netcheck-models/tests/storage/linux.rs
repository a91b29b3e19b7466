//! The calls of a program: random ones, on the model and on the files of a temporary folder.

use netcheck_models::storage::{Access, Failure, Files, Handle, Seek, Tree};
use random::Random;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek as _, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(seed: u64) -> Folder {
        let path = std::env::temp_dir().join(format!("netcheck-storage-{}-{seed}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        Folder(fs::canonicalize(path).unwrap())
    }

    fn real(&self, path: &str) -> PathBuf {
        match path {
            "" => PathBuf::new(),
            path => PathBuf::from(format!("{}/{path}", self.0.display())),
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A path that never leads out of the folder.
fn path(random: &mut Random) -> String {
    if random.one_in(40) {
        return String::new();
    }
    let (mut parts, mut depth) = (Vec::new(), 0);
    for _ in 0..random.within(1, 3) {
        match random.below(12) {
            0 => parts.push("."),
            1 if depth > 0 => {
                parts.push("..");
                depth -= 1;
            }
            _ => {
                parts.push(random.one_of(&["a", "b", "c"]));
                depth += 1;
            }
        }
    }
    parts.join("/") + if random.one_in(8) { "/" } else { "" }
}

fn agree<T: PartialEq + std::fmt::Debug>(call: &str, real: io::Result<T>, model: Result<T, Failure>) {
    let real = real
        .map_err(|error| error.raw_os_error().map_or_else(|| error.kind().to_string(), |number| number.to_string()));
    let model = model.map_err(|failure| match failure {
        Failure::Refused => io::ErrorKind::InvalidInput.to_string(),
        failure => failure.number().to_string(),
    });
    assert_eq!(model, real, "{call}");
}

struct Pair {
    folder: Folder,
    files: Files,
    opened: Vec<(File, Handle)>,
}

impl Pair {
    fn open(&mut self, random: &mut Random) {
        let (path, flag) = (path(random), |random: &mut Random, times| random.one_in(times));
        let access = Access {
            read: flag(random, 2),
            write: flag(random, 2),
            append: flag(random, 4),
            truncate: flag(random, 4),
            create: flag(random, 2),
            create_new: flag(random, 6),
        };
        let mode = random.one_of(&[0o644, 0o600]);
        let mut options = OpenOptions::new();
        options.read(access.read).write(access.write).append(access.append).truncate(access.truncate);
        options.create(access.create).create_new(access.create_new).mode(mode);
        let real = options.open(self.folder.real(&path));
        let model = self.files.open(path.as_bytes(), access, mode);
        agree(&format!("open {path:?} {access:?}"), real.as_ref().map(drop).map_err(copy), model.map(drop));
        if let (Ok(real), Ok(model)) = (real, model) {
            self.opened.push((real, model));
        }
    }

    fn names(&mut self, random: &mut Random) {
        let Pair { folder, files, .. } = self;
        let (one, other) = (path(random), path(random));
        let (at, to) = (folder.real(&one), folder.real(&other));
        let (a, b) = (one.as_bytes(), other.as_bytes());
        match random.below(9) {
            0 | 1 => agree(&format!("mkdir {one:?}"), fs::create_dir(at), files.make_directory(a, 0o755)),
            2 => agree(&format!("unlink {one:?}"), fs::remove_file(at), files.unlink(a)),
            3 => agree(&format!("rmdir {one:?}"), fs::remove_dir(at), files.remove_directory(a)),
            4 | 5 => agree(&format!("rename {one:?} {other:?}"), fs::rename(at, to), files.rename(a, b)),
            6 => agree(&format!("link {one:?} {other:?}"), fs::hard_link(at, to), files.link(a, b)),
            7 => {
                let mode = random.one_of(&[0o600, 0o640, 0o755]);
                let set = fs::set_permissions(at, fs::Permissions::from_mode(mode));
                agree(&format!("chmod {one:?}"), set, files.set_mode(a, mode));
            }
            _ => {
                let real = fs::canonicalize(at).map(|path| relative(folder, &path));
                agree(&format!("canonicalize {one:?}"), real, files.canonical(a).map(|path| text(&path)));
            }
        }
    }

    fn contents(&mut self, random: &mut Random) {
        if self.opened.is_empty() {
            return;
        }
        let index = random.index(self.opened.len());
        let (file, handle) = &mut self.opened[index];
        let handle = *handle;
        let is_directory = file.metadata().unwrap().is_dir();
        let files = &mut self.files;
        let bytes = vec![b'a' + random.below(26) as u8; random.within(0, 5)];
        let at = random.below(10);
        let mut buffers = [[0; 4]; 2];
        match random.below(9) {
            0 | 1 => agree("write", file.write(&bytes), files.write(handle, &bytes)),
            2 => agree("pwrite", file.write_at(&bytes, at), files.write_at(handle, &bytes, at)),
            3 => agree("read", file.read(&mut buffers[0]), files.read(handle, &mut buffers[1])),
            4 => agree("pread", file.read_at(&mut buffers[0], at), files.read_at(handle, &mut buffers[1], at)),
            5 if !is_directory => {
                let by = random.within(0, 12) as i64 - 6;
                let (real, model) = match random.below(3) {
                    0 => (SeekFrom::Start(at), Seek::Start(at)),
                    1 => (SeekFrom::End(by), Seek::End(by)),
                    _ => (SeekFrom::Current(by), Seek::Current(by)),
                };
                agree(&format!("seek {real:?}"), file.seek(real), files.seek(handle, model));
            }
            6 => agree("ftruncate", file.set_len(at), files.set_length(handle, at)),
            7 => agree("fsync", file.sync_all(), files.sync(handle)),
            _ => {
                self.opened.swap_remove(index);
                self.files.close(handle);
            }
        }
        assert_eq!(buffers[0], buffers[1]);
    }

    /// Every directory and file of both.
    fn compare(&self) {
        let mut known = vec![(self.folder.0.clone(), ".".to_owned())];
        while let Some((real, model)) = known.pop() {
            let facts = self.files.metadata(model.as_bytes()).unwrap();
            let metadata = fs::metadata(&real).unwrap();
            assert_eq!(facts.is_directory, metadata.is_dir());
            if model != "." {
                assert_eq!(facts.mode, metadata.mode() & 0o7777, "{model}");
            }
            if facts.is_directory {
                let mut names: Vec<_> = fs::read_dir(&real).unwrap().map(|entry| entry.unwrap().file_name()).collect();
                names.sort();
                let own = self.files.names(model.as_bytes()).unwrap();
                let own: Vec<_> = own.iter().map(|(name, _)| OsStr::from_bytes(name).to_owned()).collect();
                assert_eq!(own, names, "in {model}");
                known.extend(names.iter().map(|name| (real.join(name), format!("{model}/{}", name.display()))));
            } else {
                assert_eq!(facts.links, metadata.nlink(), "links of {model}");
                assert_eq!(facts.length, metadata.len());
                let tree = self.files.tree();
                let inode = tree.at(model.trim_start_matches('.').as_bytes()).unwrap();
                assert_eq!(&tree.bytes(inode).unwrap()[..], fs::read(&real).unwrap(), "content of {model}");
            }
        }
        for (file, handle) in &self.opened {
            let (facts, metadata) = (self.files.metadata_of(*handle).unwrap(), file.metadata().unwrap());
            let is_file = !facts.is_directory;
            assert_eq!(
                (facts.is_directory, is_file.then_some(facts.links)),
                (metadata.is_dir(), is_file.then(|| metadata.nlink()))
            );
        }
    }
}

fn copy(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

fn relative(folder: &Folder, path: &Path) -> String {
    match path.strip_prefix(&folder.0).unwrap() {
        root if root.as_os_str().is_empty() => "/".to_owned(),
        inside => format!("/{}", inside.display()),
    }
}

fn text(path: &[u8]) -> String {
    String::from_utf8(path.to_vec()).unwrap()
}

#[test]
fn random_calls_have_the_results_that_linux_gives() {
    for seed in 0..300 {
        let mut random = Random::new(seed);
        let mut pair = Pair { folder: Folder::new(seed), files: Files::new(Tree::default()), opened: Vec::new() };
        for _ in 0..60 {
            match random.below(4) {
                0 => pair.open(&mut random),
                1 | 2 => pair.names(&mut random),
                _ => pair.contents(&mut random),
            }
            if random.one_in(10) {
                pair.compare();
            }
        }
        pair.compare();
    }
}

#[test]
fn names_and_paths_that_are_too_long_are_refused_as_on_linux() {
    let folder = Folder::new(u64::MAX);
    let mut files = Files::new(Tree::default());
    for path in ["n".repeat(255), "n".repeat(256), format!("{}/a", "n".repeat(256)), "./".repeat(2047) + "z"] {
        let real = fs::create_dir(folder.real(&path)).map_err(|error| error.raw_os_error());
        let own = files.make_directory(path.as_bytes(), 0o755).map_err(|failure| Some(failure.number()));
        // The folder's own name counts in its path.
        if path.len() < 4000 {
            assert_eq!(own, real, "{} bytes", path.len());
        } else {
            assert_eq!(own, Ok(()));
        }
    }
    let longer = "./".repeat(2048) + "z";
    assert_eq!(files.make_directory(longer.as_bytes(), 0o755), Err(Failure::NameTooLong));
    assert_eq!(files.make_directory(b"a\0", 0o755), Err(Failure::Refused));
}

#[test]
fn equal_trees_are_recorded_equally_whatever_came_before() {
    use std::hash::{DefaultHasher, Hasher};
    let recorded = |calls: &[&[u8]]| {
        let mut files = Files::new(Tree::default());
        let access = Access { write: true, create: true, ..Access::default() };
        for call in calls {
            match call.strip_prefix(b"-") {
                Some(name) => files.unlink(name).unwrap(),
                None => {
                    let handle = files.open(call, access, 0o644).unwrap();
                    files.write(handle, call).unwrap();
                    files.close(handle);
                }
            }
        }
        let mut values = DefaultHasher::new();
        files.record(&mut values);
        values.finish()
    };
    assert_eq!(recorded(&[b"a", b"b"]), recorded(&[b"b", b"a"]));
    assert_eq!(recorded(&[b"c", b"a", b"-c", b"b"]), recorded(&[b"b", b"a"]));
    assert_ne!(recorded(&[b"a"]), recorded(&[b"b"]));
}

#[test]
fn declared_files_are_there_with_their_directories() {
    let tree = Tree::declared([(&b"data/log"[..], &b"x"[..]), (b"/data/more/a", b""), (b"./b", b"y")]).unwrap();
    let paths: Vec<String> = tree.files().keys().map(|path| text(path)).collect();
    assert_eq!(paths, ["/b", "/data/log", "/data/more/a"]);
    assert_eq!(Files::new(tree).metadata(b"tmp").unwrap().mode, 0o1777);
    for wrong in [&b""[..], b"a/", b"a/..", b"../a", b"a/.", b"/", b"tmp", b"a\0"] {
        assert_eq!(Tree::declared([(wrong, &b""[..])]), Err(wrong));
    }
    assert_eq!(Tree::declared([(&b"a"[..], &b""[..]), (b"./a", b"")]), Err(&b"./a"[..]));
    assert_eq!(Tree::declared([(&b"a"[..], &b""[..]), (b"a/b", b"")]), Err(&b"a/b"[..]));
}

#[test]
fn paths_of_a_check_are_those_in_declared_directories() {
    let declared = Tree::declared([(&b"value"[..], &b""[..]), (b"data/log", b""), (b"/var/lib/app/log", b"")]).unwrap();
    let mut files = Files::new(declared.clone());
    let is_own = |files: &Files, path: &str| declared.is_of_check(files.tree(), path.as_bytes());
    let own =
        ["value", "/", ".", "data/log", "data/new/more", "/tmp/x", "/var/lib", "var/lib/app/x", "value/x", "./data/x"];
    let others = ["values", "etc/passwd", "/var/log", "/var/lib/other", "datas", "data/../etc", "../etc"];
    for path in own {
        assert!(is_own(&files, path), "{path}");
    }
    for path in others {
        assert!(!is_own(&files, path), "{path}");
    }
    // Names that were declared stay the check's, and so does what was made.
    files.unlink(b"value").unwrap();
    files.unlink(b"data/log").unwrap();
    files.remove_directory(b"data").unwrap();
    files.make_directory(b"made", 0o755).unwrap();
    for path in ["value", "data", "data/x", "made/x"] {
        assert!(is_own(&files, path), "{path}");
    }
}

#[test]
fn handles_that_are_duplicated_share_their_place_until_the_last_is_closed() {
    let mut files = Files::new(Tree::declared([(&b"a"[..], &b"abcd"[..])]).unwrap());
    let one = files.open(b"a", Access { read: true, ..Access::default() }, 0).unwrap();
    let other = files.duplicate(one).unwrap();
    assert_eq!((one, other), (Handle(0), Handle(1)));
    let mut byte = [0];
    files.read(one, &mut byte).unwrap();
    files.close(one);
    files.unlink(b"a").unwrap();
    files.read(other, &mut byte).unwrap();
    assert_eq!(&byte, b"b");
    assert_eq!(files.read(one, &mut byte), Err(Failure::BadDescriptor));
    files.close(other);
    assert_eq!(files.opened(), 0);
}

#[test]
fn names_are_read_as_they_were_when_the_first_one_was() {
    let mut files = Files::new(Tree::declared([(&b"d/a"[..], &b""[..]), (b"d/c", b"")]).unwrap());
    let access = Access { read: true, ..Access::default() };
    let directory = files.open(b"d", access, 0).unwrap();
    let mut names = Vec::new();
    while let Some(entry) = files.next_name(directory).unwrap() {
        files.unlink(&[b"d/", &entry.name[..]].concat()).unwrap();
        files.make_directory(b"d/b", 0o755).ok();
        names.push((text(&entry.name), entry.is_directory));
    }
    assert_eq!(names, [("a".to_owned(), false), ("c".to_owned(), false)]);
    assert_eq!(files.path_at(directory, b"b"), Ok(b"/d/b".to_vec()));
    let file = files.open(b"/d/e", Access { write: true, create: true, ..access }, 0o644).unwrap();
    assert_eq!(files.next_name(file), Err(Failure::NotADirectory));
}
