//! The paths of a check, where its programs reach files of the machine besides.

use super::tree::{Inode, Tree};

impl Tree {
    /// Whether a path is one of the files that were declared as `self` and are `seen` now, and not one of the machine.
    ///
    /// It is if something is there, or was at the beginning; and if it lies in a directory in which a file was declared, in
    /// `/tmp`, or in a directory that was made. A directory that only leads to such ones has other names on the machine.
    pub fn is_of_check(&self, seen: &Tree, path: &[u8]) -> bool {
        let names = plain(path);
        [self, seen].into_iter().any(|tree| {
            let (found, inode) = followed(tree, &names);
            let is_own = || found > 0 && (names[0] == b"tmp" || !self.only_leads(&names[..found]));
            found == names.len() || !tree.is_directory(inode) || is_own()
        })
    }

    /// Whether a path is that of a directory with directories alone.
    fn only_leads(&self, names: &[&[u8]]) -> bool {
        let (found, inode) = followed(self, names);
        let inside = self.names(inode).filter(|_| found == names.len());
        inside.is_some_and(|inside| !inside.is_empty() && inside.values().all(|&inode| self.is_directory(inode)))
    }
}

/// The names of a path from the root, without `.` and `..`.
fn plain(path: &[u8]) -> Vec<&[u8]> {
    let mut names = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => _ = names.pop(),
            name => names.push(name),
        }
    }
    names
}

/// The number of names that lead to something, one after the other from the root, and the inode at their end.
fn followed(tree: &Tree, names: &[&[u8]]) -> (usize, Inode) {
    let (mut found, mut at) = (0, Inode::ROOT);
    while let Some(inode) = names.get(found).and_then(|name| tree.find(at, name)) {
        (found, at) = (found + 1, inode);
    }
    (found, at)
}
