//! Files: `tokio::fs` and `std::fs`, in a folder of each case's own.

use super::{env, fs, tokio};
use random::Random;
use std::io::{self, IoSlice, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = env::temp_dir().join(format!("netcheck-files-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn to(&self, path: &str) -> PathBuf {
        self.0.join(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A result whose error is told by its kind and its number.
fn told<T: std::fmt::Debug>(result: io::Result<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("{:?} {:?}", error.kind(), error.raw_os_error()),
    }
}

pub(crate) async fn a_call_waits_for_the_write_that_is_under_way() -> Vec<String> {
    let folder = Folder::new("waits");
    let mut file = File::create(folder.to("a")).await.unwrap();
    file.write_all(b"abc").await.unwrap();
    file.sync_all().await.unwrap();
    let mut seen = vec![told(tokio::fs::read(folder.to("a")).await)];
    file.write_all(b"def").await.unwrap();
    file.set_len(4).await.unwrap();
    seen.push(told(tokio::fs::read(folder.to("a")).await));
    file.write_all(b"gh").await.unwrap();
    file.flush().await.unwrap();
    seen.push(told(tokio::fs::read(folder.to("a")).await));
    file.write_all(b"i").await.unwrap();
    let std = file.into_std().await;
    seen.push(told(std.metadata().map(|metadata| metadata.len())));
    seen
}

pub(crate) async fn a_failed_write_is_told_at_the_next_one() -> Vec<String> {
    let folder = Folder::new("failed");
    fs::write(folder.to("a"), "abc").unwrap();
    let mut file = File::open(folder.to("a")).await.unwrap();
    let mut seen = vec![told(file.write(b"x").await), told(file.write(b"y").await), told(file.write(b"z").await)];
    let mut bytes = [0; 2];
    seen.push(told(file.read(&mut bytes).await));
    seen.push(told(file.write(b"z").await));
    seen.push(told(file.flush().await));
    seen
}

pub(crate) async fn a_failed_write_is_told_by_a_flush() -> Vec<String> {
    let folder = Folder::new("flushed");
    fs::write(folder.to("a"), "abc").unwrap();
    let mut file = File::open(folder.to("a")).await.unwrap();
    let mut seen = vec![told(file.write(b"x").await), told(file.flush().await), told(file.flush().await)];
    seen.push(told(file.write(b"y").await));
    seen.push(told(file.sync_all().await));
    seen.push(told(file.shutdown().await));
    seen.push(told(file.seek(SeekFrom::Start(1)).await));
    seen
}

pub(crate) async fn a_directory_is_read_in_chunks() -> (usize, Vec<String>) {
    let folder = Folder::new("chunks");
    for number in 0..70 {
        fs::write(folder.to(&number.to_string()), "").unwrap();
    }
    fs::create_dir(folder.to("d")).unwrap();
    let mut entries = tokio::fs::read_dir(&folder.0).await.unwrap();
    let (mut names, mut directories) = (0, Vec::new());
    while let Some(entry) = entries.next_entry().await.unwrap() {
        names += 1;
        assert_eq!(entry.path(), folder.0.join(entry.file_name()));
        assert_eq!(entry.ino(), entry.metadata().await.unwrap().ino());
        if entry.file_type().await.unwrap().is_dir() {
            directories.push(entry.file_name().into_string().unwrap());
        }
    }
    (names, directories)
}

pub(crate) async fn a_seek_waits_for_a_write_and_goes_back_over_what_was_read() -> Vec<String> {
    let folder = Folder::new("seeks");
    fs::write(folder.to("a"), "abcdefgh").unwrap();
    let mut file = OpenOptions::new().read(true).write(true).open(folder.to("a")).await.unwrap();
    let mut seen = vec![told(file.seek(SeekFrom::Current(2)).await)];
    // A read that nobody waits for is under way, or its bytes are left.
    let mut bytes = [0; 2];
    seen.push(told(file.read(&mut bytes).await.map(|_| bytes)));
    file.write_all(b"X").await.unwrap();
    seen.push(told(file.seek(SeekFrom::Current(-3)).await));
    seen.push(told(file.seek(SeekFrom::End(-1)).await));
    seen.push(told(file.seek(SeekFrom::Current(-100)).await));
    seen.push(told(file.stream_position().await));
    file.rewind().await.unwrap();
    let mut all = String::new();
    file.read_to_string(&mut all).await.unwrap();
    seen.push(all);
    seen
}

pub(crate) async fn copies_have_the_bytes_and_the_permissions() -> Vec<String> {
    let folder = Folder::new("copies");
    fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o640)
        .open(folder.to("a"))
        .unwrap()
        .write_all(b"abc")
        .unwrap();
    let mut seen = vec![told(tokio::fs::copy(folder.to("a"), folder.to("b")).await)];
    let mode = |name: &str| fs::metadata(folder.to(name)).map(|metadata| metadata.permissions().mode());
    seen.push(told(mode("b")));
    tokio::fs::set_permissions(folder.to("b"), std::fs::Permissions::from_mode(0o400)).await.unwrap();
    seen.push(told(fs::metadata(folder.to("b")).map(|metadata| metadata.permissions().readonly())));
    fs::DirBuilder::new().mode(0o700).create(folder.to("d")).unwrap();
    seen.push(told(mode("d")));
    seen.push(told(fs::copy(folder.to("d"), folder.to("c"))));
    seen.push(told(fs::copy(folder.to("none"), folder.to("c"))));
    seen.push(told(fs::read(folder.to("b"))));
    seen
}

pub(crate) async fn files_are_shared_by_clones() -> Vec<String> {
    let folder = Folder::new("clones");
    let mut one =
        OpenOptions::new().read(true).write(true).create(true).truncate(true).open(folder.to("a")).await.unwrap();
    one.write_all(b"abcdef").await.unwrap();
    let mut other = one.try_clone().await.unwrap();
    let mut seen = vec![told(other.stream_position().await), told(other.seek(SeekFrom::Start(1)).await)];
    let mut byte = [0];
    one.read_exact(&mut byte).await.unwrap();
    seen.push(told(Ok(byte)));
    seen.push(told(other.seek(SeekFrom::Current(0)).await));
    let mut std = one.into_std().await.try_clone().unwrap();
    let mut rest = Vec::new();
    seen.push(told(std.read_to_end(&mut rest)));
    tokio::fs::remove_file(folder.to("a")).await.unwrap();
    seen.push(told(std.metadata().map(|metadata| (metadata.len(), metadata.nlink()))));
    seen.push(told(std.read_at(&mut byte, 2).map(|_| byte)));
    seen
}

pub(crate) async fn the_facts_about_files_are_those_of_linux() -> Vec<String> {
    let folder = Folder::new("facts");
    tokio::fs::write(folder.to("a"), "abc").await.unwrap();
    tokio::fs::hard_link(folder.to("a"), folder.to("b")).await.unwrap();
    let facts = |path: &str| {
        let metadata = fs::metadata(folder.to(path))?;
        let sort = metadata.file_type();
        let length = metadata.is_file().then_some(metadata.len());
        Ok((sort.is_dir(), sort.is_file(), sort.is_symlink(), length, metadata.nlink(), metadata.mode()))
    };
    let mut seen = vec![told(facts("a")), told(facts(".")), told(facts("none")), told(facts("a/none"))];
    seen.push(told(fs::exists(folder.to("a"))));
    seen.push(told(fs::exists(folder.to("none/a"))));
    seen.push(told(tokio::fs::try_exists(folder.to("a/b")).await));
    seen.push(told(fs::symlink_metadata(folder.to("b")).map(|metadata| metadata.is_symlink())));
    seen.push(told(fs::read_link(folder.to("b"))));
    seen.push(told(fs::canonicalize(folder.to("./b/../a")).map(drop)));
    seen.push(told(fs::canonicalize(folder.to("b")).map(|path| path.ends_with("b") && path.is_absolute())));
    seen.push(told(fs::read_to_string(&folder.0)));
    fs::write(folder.to("c"), [0xff]).unwrap();
    seen.push(told(tokio::fs::read_to_string(folder.to("c")).await));
    seen.push(told(fs::read("a\0b")));
    seen
}

pub(crate) async fn trees_are_made_and_removed() -> Vec<String> {
    let folder = Folder::new("trees");
    let mut seen = vec![told(tokio::fs::create_dir_all(folder.to("a/b/c")).await)];
    seen.push(told(tokio::fs::create_dir_all(folder.to("a/b")).await));
    fs::write(folder.to("a/b/f"), "x").unwrap();
    seen.push(told(fs::create_dir_all(folder.to("a/b/f/g"))));
    seen.push(told(fs::create_dir_all(folder.to("a/b/f"))));
    seen.push(told(tokio::fs::remove_dir(folder.to("a")).await));
    seen.push(told(tokio::fs::remove_dir_all(folder.to("a/b/f")).await));
    seen.push(told(tokio::fs::remove_dir_all(folder.to("a")).await));
    seen.push(told(tokio::fs::remove_dir_all(folder.to("a")).await));
    seen.push(told(fs::read_dir(&folder.0).map(|entries| entries.count())));
    seen
}

pub(crate) async fn writes_are_in_vectors() -> Vec<String> {
    let folder = Folder::new("vectors");
    let mut file = File::create_new(folder.to("a")).await.unwrap();
    let mut seen = vec![told(Ok(file.max_buf_size()))];
    file.set_max_buf_size(4);
    seen.push(told(Ok(file.max_buf_size())));
    let slices = [IoSlice::new(b"abc"), IoSlice::new(b"def")];
    seen.extend([told(file.write_vectored(&slices).await), told(file.write(b"xxxxxx").await)]);
    file.rewind().await.unwrap();
    let mut bytes = [0; 8];
    seen.push(told(file.read(&mut bytes).await.map(|_| bytes)));
    seen
}

/// What is read at once after a file was dropped.
pub(crate) async fn a_file_that_is_dropped_may_be_read_before_its_write() -> Vec<u8> {
    let folder = Folder::new("dropped");
    let mut file = File::create(folder.to("a")).await.unwrap();
    file.write_all(b"vote").await.unwrap();
    drop(file);
    tokio::fs::read(folder.to("a")).await.unwrap()
}

pub(crate) async fn the_length_may_be_told_before_a_write() -> u64 {
    let folder = Folder::new("length");
    let mut file = File::create(folder.to("a")).await.unwrap();
    file.write_all(b"vote").await.unwrap();
    file.metadata().await.unwrap().len()
}

/// A path that never leads out of the folder.
fn path(random: &mut Random) -> String {
    let mut parts = Vec::new();
    for _ in 0..random.within(1, 3) {
        parts.push(random.one_of(&["a", "b", "c", "."]));
    }
    parts.join("/") + if random.one_in(10) { "/" } else { "" }
}

/// All that is in a folder.
fn all(folder: &Path, seen: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let metadata = fs::metadata(&path).unwrap();
        let bytes = (!metadata.is_dir()).then(|| fs::read(&path).unwrap());
        let links = metadata.is_file().then(|| metadata.nlink());
        seen.push(format!("{:?} {:o} {links:?} {bytes:?}", path.file_name(), metadata.mode()));
        if metadata.is_dir() {
            all(&path, seen);
        }
    }
}

pub(crate) async fn random_calls_of_std() -> Vec<String> {
    let mut seen = Vec::new();
    for seed in 0..40 {
        let (mut random, folder) = (Random::new(seed), Folder::new(&format!("std{seed}")));
        let mut opened: Vec<fs::File> = Vec::new();
        for _ in 0..30 {
            let (one, other) = (folder.to(&path(&mut random)), folder.to(&path(&mut random)));
            let bytes = vec![b'a' + random.below(26) as u8; random.within(0, 4)];
            seen.push(match random.below(16) {
                0 => told(fs::create_dir(one)),
                1 => told(fs::create_dir_all(one)),
                2 => told(fs::remove_file(one)),
                3 => told(fs::remove_dir(one)),
                4 => told(fs::rename(one, other)),
                5 => told(fs::hard_link(one, other)),
                6 => told(fs::write(one, bytes)),
                7 => told(fs::read(one)),
                8 => told(fs::copy(one, other)),
                9 if random.one_in(4) => told(fs::remove_dir_all(one)),
                9 | 10 => {
                    let mut options = fs::OpenOptions::new();
                    options.read(random.one_in(2)).write(random.one_in(2)).append(random.one_in(4));
                    options.create(random.one_in(2)).truncate(random.one_in(4)).create_new(random.one_in(8));
                    let result = options.open(one);
                    let said = told(result.as_ref().map(drop).map_err(|error| error.kind().into()));
                    opened.extend(result);
                    said
                }
                _ if opened.is_empty() => continue,
                number => {
                    let index = random.index(opened.len());
                    let file = &mut opened[index];
                    let mut buffer = [0; 3];
                    match number {
                        11 => told(file.write(&bytes)),
                        12 => told(file.read(&mut buffer).map(|_| buffer)),
                        13 if file.metadata().unwrap().is_file() => {
                            told(file.seek(SeekFrom::Current(random.within(0, 6) as i64 - 3)))
                        }
                        14 => told(file.set_len(random.below(6))),
                        _ => {
                            opened.swap_remove(index);
                            continue;
                        }
                    }
                }
            });
        }
        all(&folder.0, &mut seen);
    }
    seen
}

pub(crate) async fn random_calls_of_tokio() -> Vec<String> {
    let mut seen = Vec::new();
    for seed in 100..120 {
        let (mut random, folder) = (Random::new(seed), Folder::new(&format!("tokio{seed}")));
        let mut opened: Vec<File> = Vec::new();
        for _ in 0..30 {
            let (one, other) = (folder.to(&path(&mut random)), folder.to(&path(&mut random)));
            let bytes = vec![b'a' + random.below(26) as u8; random.within(0, 4)];
            let number = random.below(18);
            if number <= 10 {
                // Other files are looked at when nothing is under way.
                for file in &mut opened {
                    seen.push(told(file.flush().await));
                }
            }
            seen.push(match number {
                0 => told(tokio::fs::create_dir(one).await),
                1 => told(tokio::fs::remove_file(one).await),
                2 => told(tokio::fs::remove_dir(one).await),
                3 => told(tokio::fs::rename(one, other).await),
                4 => told(tokio::fs::hard_link(one, other).await),
                5 => told(tokio::fs::write(one, bytes).await),
                6 => told(tokio::fs::read(one).await),
                7..=10 => {
                    let mut options = OpenOptions::new();
                    options.read(random.one_in(2)).write(random.one_in(2)).append(random.one_in(4));
                    options.create(random.one_in(2)).truncate(random.one_in(4)).mode(0o600);
                    let result = options.open(one).await;
                    let said = told(result.as_ref().map(drop).map_err(|error| error.kind().into()));
                    if let Ok(file) = result
                        && opened.len() < 2
                    {
                        opened.push(file);
                    }
                    said
                }
                _ if opened.is_empty() => continue,
                number => {
                    // One file is used at a time: two may be under way at once.
                    let index = opened.len() - 1;
                    let file = &mut opened[index];
                    let mut buffer = [0; 3];
                    let is_file = file.metadata().await.unwrap().is_file();
                    match number {
                        11 | 12 => told(file.write(&bytes).await),
                        13 => told(file.read(&mut buffer).await.map(|_| buffer)),
                        14 if is_file => told(file.seek(SeekFrom::Current(random.within(0, 6) as i64 - 3)).await),
                        15 => told(file.set_len(random.below(6)).await),
                        16 => told(file.sync_all().await),
                        _ => {
                            seen.push(told(file.flush().await));
                            opened.remove(index);
                            continue;
                        }
                    }
                }
            });
        }
        for file in &mut opened {
            seen.push(told(file.flush().await));
        }
        all(&folder.0, &mut seen);
    }
    seen
}
