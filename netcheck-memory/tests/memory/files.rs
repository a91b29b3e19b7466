//! Calls on files, where the functions of the C library are interposed: those of `std::fs`, and those that other crates make.

use netcheck_memory::{
    Answer, Clock, FileCall, Forbidden, Membership, Named, STAND_IN_MIN, SocketSort, Source, Status, with_source,
};
use std::cell::{Cell, RefCell};
use std::fs::{self, File, OpenOptions};
use std::io::{IoSlice, IoSliceMut, Read, Seek, SeekFrom, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::ptr;
use std::time::Duration;

/// Keeps what is called for paths that begin with `own`, and with a descriptor.
#[derive(Default)]
struct Asked {
    calls: RefCell<Vec<String>>,
    names: Cell<usize>,
    /// The number of the error of each call, if there is one.
    fails: Cell<Option<i32>>,
}

impl Asked {
    fn take(&self) -> Vec<String> {
        self.calls.take()
    }
}

impl Source for Asked {
    fn fill(&self, _bytes: &mut [u8]) -> bool {
        false
    }

    fn time(&self, _clock: Clock) -> Option<Duration> {
        None
    }

    fn seed(&self) -> u64 {
        0
    }

    fn seed_was_used(&self) {}

    fn exit(&self, _code: i32) {}

    fn addresses(&self, _name: &str) -> Option<(Ipv4Addr, Ipv6Addr)> {
        None
    }

    fn forbids(&self, _wanted: Forbidden) -> bool {
        false
    }

    fn bind(&self, _socket: i32, _sort: SocketSort, _address: SocketAddr) -> Option<Answer> {
        None
    }

    fn connect(&self, _socket: i32, _peer: SocketAddr) -> Option<Answer> {
        None
    }

    fn member(&self, _socket: i32, _membership: Membership) -> Option<Answer> {
        None
    }

    fn listen(&self, _socket: i32, _backlog: i32) -> Option<Answer> {
        None
    }

    fn address_of(&self, _socket: i32) -> Option<SocketAddr> {
        None
    }

    fn closes(&self, _socket: i32) {}

    fn file(&self, call: FileCall<'_>) -> Option<Result<u64, i32>> {
        let text = format!("{call:?}").replace(&STAND_IN_MIN.to_string(), "FILE").replace("111, 119, 110", "own");
        let is_own = text.contains("FILE") || text.contains("path: [own");
        if !is_own {
            return None;
        }
        self.calls.borrow_mut().push(text);
        if let Some(number) = self.fails.get() {
            return Some(Err(number));
        }
        Some(Ok(match call {
            FileCall::Open { .. } | FileCall::Duplicate { .. } => STAND_IN_MIN as u64,
            FileCall::Read { bytes, count, .. } => {
                *bytes = b"abcd"[..count.min(4)].to_vec();
                bytes.len() as u64
            }
            FileCall::Write { bytes, .. } => bytes.len() as u64,
            FileCall::Seek { .. } => 7,
            FileCall::Opened { opens, .. } => {
                opens.read = true;
                0
            }
            FileCall::Status { status, .. } | FileCall::Look { status, .. } => {
                *status = Status { is_directory: false, length: 5, mode: 0o640, links: 2, number: 9 };
                0
            }
            FileCall::Next { named, .. } => {
                let names = self.names.replace(self.names.get() + 1);
                *named = Named { name: format!("name-{names}").into_bytes(), is_directory: names == 1, number: 11 };
                u64::from(names < 2)
            }
            FileCall::Canonical { canonical, .. } => {
                *canonical = b"/own".to_vec();
                0
            }
            _ => 0,
        }))
    }
}

#[test]
fn a_path_of_the_source_is_opened_there_and_others_are_the_systems() {
    let source = Asked::default();
    with_source(&source, || {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o666).open("own").unwrap();
        assert_eq!(file.as_raw_fd(), STAND_IN_MIN);
        assert!(File::open("Cargo.toml").unwrap().as_raw_fd() < STAND_IN_MIN);
        assert!(Path::new("own/x").is_file() && Path::new("src").is_dir() && !Path::new("none").exists());
    });
    let opens = "Opens { read: true, write: false, append: true, truncate: false, create: true, create_new: false, \
                 directory: false, more: false }";
    assert_eq!(
        source.take(),
        [
            format!("Open {{ at: At {{ directory: None, path: [own] }}, opens: {opens}, mode: 420 }}"),
            "Look { at: At { directory: None, path: [own, 47, 120] }, status: Status { is_directory: false, length: 0, \
             mode: 0, links: 0, number: 0 } }"
                .to_owned(),
            "Close { file: FILE }".to_owned(),
        ]
    );
}

#[test]
fn flags_that_a_source_does_not_know_are_told() {
    let source = Asked::default();
    with_source(&source, || {
        drop(OpenOptions::new().write(true).custom_flags(libc::O_DSYNC).open("own").unwrap());
        drop(OpenOptions::new().write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open("own").unwrap());
    });
    let calls = source.take();
    assert!(calls[0].contains("more: true") && calls[2].contains("more: false"), "{calls:?}");
}

#[test]
fn calls_with_a_descriptor_come_to_the_source() {
    let source = Asked::default();
    with_source(&source, || {
        let mut file = File::open("own").unwrap();
        source.take();
        let mut bytes = [b'-'; 6];
        assert_eq!((file.read(&mut bytes).unwrap(), &bytes), (4, b"abcd--"));
        let (mut one, mut other) = ([0; 4], [0; 2]);
        let read = file.read_vectored(&mut [IoSliceMut::new(&mut one), IoSliceMut::new(&mut other)]);
        assert_eq!((read.unwrap(), &one, &other), (6, b"abcd", b"ab"));
        assert_eq!(file.read_at(&mut other, 3).unwrap(), 2);
        assert_eq!(file.write_vectored(&[IoSlice::new(b"a"), IoSlice::new(b""), IoSlice::new(b"b")]).unwrap(), 2);
        assert_eq!(file.write_at(b"c", 8).unwrap(), 1);
        assert_eq!(file.seek(SeekFrom::End(-2)).unwrap(), 7);
        file.set_len(3).unwrap();
        file.sync_data().unwrap();
        file.set_permissions(fs::Permissions::from_mode(0o600)).unwrap();
        let facts = file.metadata().unwrap();
        assert_eq!((facts.len(), facts.mode(), facts.nlink(), facts.ino()), (5, 0o100_640, 2, 9));
        assert!(facts.modified().is_err() && facts.accessed().is_err() && facts.created().is_err());
        std::mem::forget(file.try_clone().unwrap());
        assert!(format!("{file:?}").contains("read: true, write: false"), "{file:?}");
        source.fails.set(Some(libc::EIO));
        assert_eq!(file.read(&mut bytes).unwrap_err().raw_os_error(), Some(libc::EIO));
        assert_eq!(file.write(b"x").unwrap_err().raw_os_error(), Some(libc::EIO));
        std::mem::forget(file);
    });
    let calls = source.take();
    let names: Vec<_> = calls.iter().map(|call| call.split(' ').next().unwrap()).collect();
    let expected = "Read Read Read Read Write Write Seek SetLength Sync SetMode Status Duplicate Opened Read Write";
    assert_eq!(names.join(" "), expected);
    assert_eq!(calls[4], "Write { file: FILE, bytes: [97, 98], from: None }");
    assert_eq!(calls[5], "Write { file: FILE, bytes: [99], from: Some(8) }");
    assert_eq!(calls[6], "Seek { file: FILE, by: -2, whence: End }");
}

#[test]
fn calls_with_paths_come_to_the_source() {
    let source = Asked::default();
    with_source(&source, || {
        fs::create_dir("own").unwrap();
        fs::remove_file("own").unwrap();
        fs::remove_dir("own").unwrap();
        fs::rename("own", "none").unwrap();
        fs::hard_link("none", "own").unwrap();
        std::os::unix::fs::symlink("none", "own").unwrap();
        fs::set_permissions("own", fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(fs::canonicalize("own").unwrap(), Path::new("/own"));
        assert!(fs::symlink_metadata("own").unwrap().is_file());
        // SAFETY: both are strings.
        unsafe {
            assert_eq!(libc::truncate(c"own".as_ptr(), 2), 0);
            assert_eq!(libc::access(c"own".as_ptr(), libc::R_OK), 0);
            assert_eq!(libc::renameat2(-100, c"own".as_ptr(), -100, c"none".as_ptr(), libc::RENAME_NOREPLACE), 0);
            assert_eq!(libc::renameat2(-100, c"own".as_ptr(), -100, c"none".as_ptr(), libc::RENAME_EXCHANGE), -1);
            assert_eq!(libc::mkdirat(STAND_IN_MIN, c"more".as_ptr(), 0o777), 0);
        }
    });
    let calls = source.take();
    let names: Vec<_> = calls.iter().map(|call| call.split(' ').next().unwrap()).collect();
    let expected = "MakeDirectory Remove Remove Rename Link MakeSymbolicLink SetModeOf Canonical Look SetLengthOf Look \
                    Rename Look MakeDirectory";
    assert_eq!(names.join(" "), expected);
    assert!(calls[1].contains("is_directory: false") && calls[2].contains("is_directory: true"), "{calls:?}");
    assert!(calls[11].contains("replaces_nothing: true"), "{calls:?}");
    assert_eq!(calls[13], "MakeDirectory { at: At { directory: Some(FILE), path: [109, 111, 114, 101] }, mode: 493 }");
}

#[test]
fn names_of_a_directory_are_the_sources_and_its_drop_needs_none() {
    let source = Asked::default();
    let entries = with_source(&source, || {
        let mut entries = fs::read_dir("own").unwrap();
        let names: Vec<_> = entries
            .by_ref()
            .map(|entry| {
                let entry = entry.unwrap();
                assert_eq!(entry.metadata().unwrap().len(), 5);
                (entry.file_name().into_string().unwrap(), entry.file_type().unwrap().is_dir())
            })
            .collect();
        assert_eq!(names, [("name-0".to_owned(), false), ("name-1".to_owned(), true)]);
        assert!(fs::read_dir("src").unwrap().count() > 2, "of the system");
        entries
    });
    let calls = source.take();
    assert!(
        calls[0].contains("directory: true") && calls[2].starts_with("Look { at: At { directory: Some(FILE)"),
        "{calls:?}"
    );
    drop(entries);
    assert_eq!(source.take(), [""; 0]);
}

#[test]
fn no_file_of_a_source_is_put_into_memory_or_locked() {
    let source = Asked::default();
    with_source(&source, || {
        // SAFETY: the system gives no memory for a descriptor that it does not know.
        let address = unsafe { libc::mmap(ptr::null_mut(), 4096, libc::PROT_READ, libc::MAP_PRIVATE, STAND_IN_MIN, 0) };
        assert_eq!(address, libc::MAP_FAILED);
        // SAFETY: the function has no conditions.
        assert_eq!(unsafe { libc::flock(STAND_IN_MIN, libc::LOCK_EX) }, 0);
    });
    assert_eq!(source.take(), ["Unmodelled { file: FILE, what: Map }", "Unmodelled { file: FILE, what: Lock }"]);
}

#[test]
fn without_a_source_the_system_knows_no_such_descriptor() {
    // SAFETY: it is not closed, and the functions say that it is none.
    let borrowed = unsafe { BorrowedFd::borrow_raw(STAND_IN_MIN) };
    assert_eq!(borrowed.try_clone_to_owned().unwrap_err().raw_os_error(), Some(libc::EBADF));
    let mut byte = 0_u8;
    // SAFETY: there is a place for a byte.
    assert_eq!(unsafe { libc::read(STAND_IN_MIN, (&raw mut byte).cast(), 1) }, -1);
    // SAFETY: the function has no conditions.
    assert_eq!(unsafe { libc::close(STAND_IN_MIN) }, 0, "a value that is dropped after its check closes it");
}

#[test]
fn copies_between_a_source_and_the_system_are_read_and_written() {
    let source = Asked::default();
    let folder = std::env::temp_dir().join(format!("netcheck-memory-files-{}", std::process::id()));
    source.fails.set(None);
    with_source(&source, || {
        let mut own = File::open("own").unwrap();
        let mut copied = File::create(&folder).unwrap();
        assert_eq!(std::io::copy(&mut Read::by_ref(&mut own).take(6), &mut copied).unwrap(), 6);
    });
    assert_eq!(fs::read(&folder).unwrap(), b"abcdab");
    fs::remove_file(folder).unwrap();
    assert!(source.take().iter().any(|call| call.starts_with("Read ")));
}
