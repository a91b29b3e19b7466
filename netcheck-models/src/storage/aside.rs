//! Bytes that are kept beside the files of a host.
//!
//! The program that stands in for a real peer keeps there what the peer has been through: a kill leaves it as it leaves files,
//! and so the program that starts again knows which peer was killed. The bytes are those of a file whose name no call can say:
//! nobody sees it among the files.

use super::files::Files;
use super::operation::{Operation, Subject, empty_file};
use super::tree::{ASIDE, Inode, Name, Tree};
use std::sync::Arc;

impl Tree {
    /// A tree without files, in which bytes can be kept beside them: none at first.
    pub fn with_aside() -> Tree {
        let mut tree = Tree::default();
        let inode = tree.add(empty_file(0));
        tree.set_name(Inode::ROOT, &Name::from(ASIDE), inode);
        tree
    }

    /// Whether bytes can be kept beside the files.
    pub fn has_aside(&self) -> bool {
        self.find(Inode::ROOT, ASIDE).is_some()
    }
}

impl Files {
    /// The bytes that are kept beside the files; `None` if none can be.
    pub fn aside(&self) -> Option<&[u8]> {
        let inode = self.tree.find(Inode::ROOT, ASIDE)?;
        self.tree.bytes(inode).map(|bytes| &bytes[..])
    }

    /// Keeps these bytes beside the files, if bytes can be kept there.
    pub fn set_aside(&mut self, bytes: &[u8]) {
        let Some(inode) = self.tree.find(Inode::ROOT, ASIDE) else { return };
        self.tree.set_length(inode, bytes.len());
        self.tree.write(inode, 0, bytes);
        let file = || Subject::Path(Arc::from([b"/", ASIDE].concat()));
        self.tell_names(Operation::SetLength { file: file(), length: bytes.len() });
        self.tell_names(Operation::Write { file: file(), at: 0, bytes: Arc::from(bytes) });
    }
}

impl Operation {
    /// Whether the operation is about the bytes that are kept beside the files.
    pub fn is_aside(&self) -> bool {
        self.path().and_then(|path| path.strip_prefix(b"/")).is_some_and(|name| name == ASIDE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Access, Failure, Storage};

    #[test]
    fn what_is_kept_beside_the_files_outlives_a_kill_and_is_no_file() {
        let declared = Tree::with_aside();
        let mut files = Files::new(declared.clone());
        assert_eq!(files.aside(), Some(&b""[..]));
        files.set_aside(b"long");
        files.set_aside(b"new");
        let done = files.take_done();
        assert!(done.iter().all(Operation::is_aside), "{done:?}");
        let kept = done.iter().fold(Storage::new(&declared), |storage, operation| storage.after(operation).settled());
        assert_eq!(Files::new(kept.seen()).aside(), Some(&b"new"[..]));
        assert!(files.tree().files().is_empty() && files.tree().has_aside());
        let read = Access { read: true, ..Access::default() };
        assert_eq!(files.open(b"/\0", read, 0), Err(Failure::Refused));
    }

    #[test]
    fn beside_the_files_of_a_program_nothing_is_kept() {
        let mut files = Files::new(Tree::declared([]).unwrap());
        files.set_aside(b"new");
        assert_eq!(files.aside(), None);
        assert!(files.take_done().is_empty());
        assert!(!files.tree().has_aside());
    }
}
