//! A tree of directories, files and hard links.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// One name in a directory.
pub type Name = Arc<[u8]>;

/// A path from the root without `.` and `..`, such as `/data/log`.
pub type Path = Arc<[u8]>;

/// A path as it is shown: without the slash at its beginning.
pub fn shown(path: &[u8]) -> String {
    String::from_utf8_lossy(path).trim_start_matches('/').to_owned()
}

/// A file or a directory of one tree, whatever its names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Inode(u32);

impl Inode {
    /// The root of a tree.
    pub const ROOT: Inode = Inode(0);
}

/// The permissions of a new root.
const ROOT_MODE: u32 = 0o755;

/// The permissions of `/tmp`.
const TEMPORARY_MODE: u32 = 0o1777;

/// The permissions of a declared file.
const FILE_MODE: u32 = 0o644;

/// The name in the root at which bytes are kept beside the files (`aside`): no path of Linux has a zero.
pub(super) const ASIDE: &[u8] = b"\0";

/// The content of a file or a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Content {
    /// The bytes of a file.
    File(Arc<[u8]>),
    /// The names in a directory.
    Directory(BTreeMap<Name, Inode>),
}

/// A file or a directory.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// Its permissions, as the bits below `0o10000`. They are remembered, and forbid nothing.
    pub mode: u32,
    /// Its bytes or names.
    pub content: Content,
}

/// A tree of directories, files and hard links.
///
/// Inodes that no name leads to may be in it, too: of files that are open, or whose names are not durable yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tree {
    nodes: BTreeMap<Inode, Arc<Node>>,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Node { mode: ROOT_MODE, content: Content::Directory(BTreeMap::new()) };
        Tree { nodes: BTreeMap::from([(Inode::ROOT, Arc::new(root))]) }
    }
}

impl Tree {
    /// A tree with these files and the directories that lead to them, and with `/tmp`.
    ///
    /// # Errors
    /// The path that names no file: it is empty, ends with `/`, `.` or `..`, stands twice, or leads through a file.
    pub fn declared<'a>(files: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Result<Tree, &'a [u8]> {
        let mut tree = Tree::default();
        let temporary = tree.add(Node { mode: TEMPORARY_MODE, content: Content::Directory(BTreeMap::new()) });
        tree.set_name(Inode::ROOT, &Name::from(&b"tmp"[..]), temporary);
        for (path, bytes) in files {
            tree.declare(path, bytes).ok_or(path)?;
        }
        Ok(tree)
    }

    fn declare(&mut self, path: &[u8], bytes: &[u8]) -> Option<()> {
        let (directories, name) = match path.iter().rposition(|&byte| byte == b'/') {
            Some(slash) => (&path[..slash], &path[slash + 1..]),
            None => (&path[..0], path),
        };
        let mut at = Inode::ROOT;
        for part in directories.split(|&byte| byte == b'/').filter(|part| !part.is_empty() && part != b".") {
            at = match self.find(at, part) {
                Some(inode) => inode,
                None => {
                    let directory = self.add(Node { mode: ROOT_MODE, content: Content::Directory(BTreeMap::new()) });
                    self.set_name(at, &Name::from(part), directory);
                    directory
                }
            };
            if !self.is_directory(at) || part == b".." {
                return None;
            }
        }
        let is_name = !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
        if !is_name || self.find(at, name).is_some() {
            return None;
        }
        let file = self.add(Node { mode: FILE_MODE, content: Content::File(Arc::from(bytes)) });
        self.set_name(at, &Name::from(name), file);
        Some(())
    }

    /// The file or directory of an inode.
    ///
    /// # Panics
    /// If the inode is of another tree.
    pub fn node(&self, inode: Inode) -> &Node {
        &self.nodes[&inode]
    }

    /// The names in a directory; `None` if the inode is a file.
    pub fn names(&self, inode: Inode) -> Option<&BTreeMap<Name, Inode>> {
        match &self.node(inode).content {
            Content::Directory(names) => Some(names),
            Content::File(_) => None,
        }
    }

    /// The bytes of a file; `None` if the inode is a directory.
    pub fn bytes(&self, inode: Inode) -> Option<&Arc<[u8]>> {
        match &self.node(inode).content {
            Content::File(bytes) => Some(bytes),
            Content::Directory(_) => None,
        }
    }

    /// Whether an inode is a directory.
    pub fn is_directory(&self, inode: Inode) -> bool {
        self.names(inode).is_some()
    }

    /// The inode of a name in a directory.
    pub fn find(&self, directory: Inode, name: &[u8]) -> Option<Inode> {
        self.names(directory)?.get(name).copied()
    }

    /// The inode of a path from the root without `.` and `..`.
    pub fn at(&self, path: &[u8]) -> Option<Inode> {
        let mut names = path.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
        names.try_fold(Inode::ROOT, |at, name| self.find(at, name))
    }

    /// The number of names that lead to an inode, as `st_nlink` tells it: of a directory, its own name, `.`, and `..` in
    /// each directory in it.
    pub fn links(&self, inode: Inode) -> u64 {
        match self.names(inode) {
            Some(names) => 2 + names.values().filter(|&&inode| self.is_directory(inode)).count() as u64,
            None => {
                let all = self.nodes.values().filter_map(|node| match &node.content {
                    Content::Directory(names) => Some(names.values().filter(|&&other| other == inode).count() as u64),
                    Content::File(_) => None,
                });
                all.sum()
            }
        }
    }

    /// The first path of each inode that a name leads to, in the order of the paths, name by name.
    pub fn paths(&self) -> Vec<(Path, Inode)> {
        let mut paths = Vec::new();
        let mut next: Vec<(Vec<u8>, Inode)> = vec![(Vec::new(), Inode::ROOT)];
        while let Some((path, inode)) = next.pop() {
            if paths.iter().any(|&(_, known)| known == inode) {
                continue;
            }
            for (name, &inside) in self.names(inode).into_iter().flatten().rev() {
                next.push(([&path[..], b"/", name].concat(), inside));
            }
            paths.push((if path.is_empty() { Arc::from(&b"/"[..]) } else { Arc::from(path) }, inode));
        }
        paths
    }

    /// The first path of an inode; `None` if no name leads to it.
    pub fn path_of(&self, inode: Inode) -> Option<Path> {
        self.paths().into_iter().find_map(|(path, known)| (known == inode).then_some(path))
    }

    /// Every path of a file, with its bytes, in order.
    pub fn files(&self) -> BTreeMap<Path, Arc<[u8]>> {
        let mut files = BTreeMap::new();
        let mut next: Vec<(Vec<u8>, Inode)> = vec![(Vec::new(), Inode::ROOT)];
        while let Some((path, inode)) = next.pop() {
            match &self.node(inode).content {
                Content::File(bytes) => drop(files.insert(Arc::from(path), Arc::clone(bytes))),
                Content::Directory(names) => {
                    let names = names.iter().filter(|(name, _)| ***name != *ASIDE);
                    next.extend(names.map(|(name, &inside)| ([&path[..], b"/", name].concat(), inside)));
                }
            }
        }
        files
    }

    /// Adds a file or directory that has no name yet.
    pub(super) fn add(&mut self, node: Node) -> Inode {
        let free = (0..).map(Inode).find(|inode| !self.nodes.contains_key(inode)).expect("no tree has so many inodes");
        self.nodes.insert(free, Arc::new(node));
        free
    }

    pub(super) fn set_mode(&mut self, inode: Inode, mode: u32) {
        self.change(inode).mode = mode & 0o7777;
    }

    /// Gives an inode a name, which led to another one before or to none.
    pub(super) fn set_name(&mut self, directory: Inode, name: &Name, inode: Inode) {
        if let Content::Directory(names) = &mut self.change(directory).content {
            names.insert(Arc::clone(name), inode);
        }
    }

    pub(super) fn remove_name(&mut self, directory: Inode, name: &[u8]) {
        if let Content::Directory(names) = &mut self.change(directory).content {
            names.remove(name);
        }
    }

    /// Removes every name of an inode.
    pub(super) fn remove_names_of(&mut self, inode: Inode) {
        let directories: Vec<Inode> = self.nodes.keys().copied().filter(|&at| self.is_directory(at)).collect();
        for at in directories {
            if self.names(at).is_some_and(|names| names.values().any(|&named| named == inode))
                && let Content::Directory(names) = &mut self.change(at).content
            {
                names.retain(|_, named| *named != inode);
            }
        }
    }

    /// Writes bytes to a file; zeros stand between its end and a later place.
    pub(super) fn write(&mut self, inode: Inode, at: usize, bytes: &[u8]) {
        let Content::File(content) = &mut self.change(inode).content else { return };
        let mut written = content.to_vec();
        let end = at + bytes.len();
        if written.len() < end {
            written.resize(end, 0);
        }
        written[at..end].copy_from_slice(bytes);
        *content = Arc::from(written);
    }

    /// Cuts a file, or adds zeros to it.
    pub(super) fn set_length(&mut self, inode: Inode, length: usize) {
        let Content::File(content) = &mut self.change(inode).content else { return };
        if content.len() != length {
            let mut resized = content.to_vec();
            resized.resize(length, 0);
            *content = Arc::from(resized);
        }
    }

    /// Whether a directory is `inside`, or lies above it, whatever the path.
    pub(super) fn is_above(&self, directory: Inode, inside: Inode) -> bool {
        let mut seen = vec![directory];
        let mut next = 0;
        while let Some(&at) = seen.get(next) {
            if at == inside {
                return true;
            }
            next += 1;
            for &inode in self.names(at).into_iter().flatten().map(|(_, inode)| inode) {
                if self.is_directory(inode) && !seen.contains(&inode) {
                    seen.push(inode);
                }
            }
        }
        false
    }

    /// All inodes that names lead to from the root, and then those that names lead to from others: in the order of their
    /// first paths.
    pub(super) fn reached(&self, others: impl IntoIterator<Item = Inode>) -> Vec<Inode> {
        let mut reached = Vec::new();
        for root in std::iter::once(Inode::ROOT).chain(others) {
            let mut next = vec![root];
            while let Some(inode) = next.pop() {
                if !reached.contains(&inode) {
                    reached.push(inode);
                    next.extend(self.names(inode).into_iter().flatten().rev().map(|(_, &inside)| inside));
                }
            }
        }
        reached
    }

    /// Forgets the inodes that no name leads to, but these.
    pub(super) fn forget_unreached(&mut self, but: impl IntoIterator<Item = Inode>) {
        let reached = self.reached(but);
        self.nodes.retain(|inode, _| reached.contains(inode));
    }

    /// The tree with the numbers of its inodes by their places in a list, without the inodes that are not in it: then
    /// trees of equal content are equal.
    pub(super) fn renumbered(&self, order: &[Inode]) -> Tree {
        let number = |inode: Inode| place(order, inode);
        let nodes = order.iter().map(|&inode| {
            let Node { mode, content } = self.node(inode);
            let content = match content {
                Content::File(bytes) => Content::File(Arc::clone(bytes)),
                Content::Directory(names) => {
                    Content::Directory(names.iter().map(|(name, &inside)| (Arc::clone(name), number(inside))).collect())
                }
            };
            (number(inode), Arc::new(Node { mode: *mode, content }))
        });
        Tree { nodes: nodes.collect() }
    }

    /// The tree by its content: what no name leads to is left out, and trees of equal content are equal.
    #[must_use]
    pub fn by_content(&self) -> Tree {
        self.renumbered(&self.reached([]))
    }

    /// Records the tree by its content, with the inodes of a list that no name may lead to.
    pub(super) fn record(&self, others: &[Inode], values: &mut impl Hasher) -> Vec<Inode> {
        let order = self.reached(others.iter().copied());
        order.len().hash(values);
        for &inode in &order {
            let Node { mode, content } = self.node(inode);
            mode.hash(values);
            match content {
                Content::File(bytes) => (0u8, bytes).hash(values),
                Content::Directory(names) => {
                    (1u8, names.len()).hash(values);
                    names.iter().for_each(|(name, &inside)| (name, place(&order, inside)).hash(values));
                }
            }
        }
        order
    }

    fn change(&mut self, inode: Inode) -> &mut Node {
        Arc::make_mut(self.nodes.get_mut(&inode).expect("an inode is one of its own tree"))
    }
}

/// The place of an inode in a list.
pub(super) fn place(order: &[Inode], inode: Inode) -> Inode {
    let place = order.iter().position(|&known| known == inode).expect("all inodes that are reached are in the list");
    Inode(place as u32)
}
