//! Meanings of names, as far as the item shows them: which of them lead to a crate that matters.

use proc_macro2::Span;
use syn::ext::IdentExt;
use syn::{Ident, Item, ItemExternCrate, ItemUse, UseTree};

use super::unmodelled;

const CRATES: &[&str] = &["std", "tokio"];

/// More imports of imports than anybody writes; those that go in a circle are rustc's to report.
const IMPORTS_MAX: u32 = 8;

/// A name that a `use` brings into its scope, or all names of a module.
pub(super) struct Import {
    /// `None`: `*`.
    name: Option<String>,
    absolute: bool,
    path: Vec<String>,
    pub(super) span: Span,
}

/// The meaning of a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// It begins with the name of one of the crates.
    Crate(Vec<String>),
    /// It begins with a name that was imported from one of them.
    Imported(Vec<String>),
    /// Something else, or what was reported where it was imported.
    Other,
}

impl Meaning {
    pub(super) fn path(&self) -> Option<&[String]> {
        match self {
            Meaning::Crate(path) | Meaning::Imported(path) => Some(path),
            Meaning::Other => None,
        }
    }
}

/// The names of a module's or a block's own items.
#[derive(Default)]
struct Scope {
    is_module: bool,
    imports: Vec<Import>,
    types: Vec<String>,
    values: Vec<String>,
}

/// The scopes around a place, the innermost last. Names from outside of the item are not known.
#[derive(Default)]
pub(super) struct Scopes(Vec<Scope>);

impl Scopes {
    pub(super) fn enter_module<'a>(&mut self, items: impl IntoIterator<Item = &'a Item>) {
        self.enter(true, items);
    }

    pub(super) fn enter_block<'a>(&mut self, items: impl IntoIterator<Item = &'a Item>) {
        self.enter(false, items);
    }

    fn enter<'a>(&mut self, is_module: bool, items: impl IntoIterator<Item = &'a Item>) {
        let mut scope = Scope { is_module, ..Scope::default() };
        for item in items {
            match item {
                Item::Use(item) => scope.imports.extend(imports(item)),
                Item::ExternCrate(item) => scope.imports.push(extern_crate(item)),
                Item::Mod(item) => scope.types.push(text(&item.ident)),
                Item::Struct(item) => scope.types.push(text(&item.ident)),
                Item::Enum(item) => scope.types.push(text(&item.ident)),
                Item::Union(item) => scope.types.push(text(&item.ident)),
                Item::Trait(item) => scope.types.push(text(&item.ident)),
                Item::TraitAlias(item) => scope.types.push(text(&item.ident)),
                Item::Type(item) => scope.types.push(text(&item.ident)),
                Item::Fn(item) => scope.values.push(text(&item.sig.ident)),
                Item::Const(item) => scope.values.push(text(&item.ident)),
                Item::Static(item) => scope.values.push(text(&item.ident)),
                _ => {}
            }
        }
        self.0.push(scope);
    }

    pub(super) fn leave(&mut self) {
        self.0.pop();
    }

    /// The meaning of a path here; `absolute` if it begins with `::`.
    pub(super) fn meaning(&self, absolute: bool, path: &[String]) -> Meaning {
        resolve(&self.0, absolute, path, IMPORTS_MAX)
    }

    /// The meaning of an import of the innermost scope.
    pub(super) fn imported(&self, import: &Import) -> Meaning {
        target(&self.0, import, IMPORTS_MAX)
    }
}

fn resolve(scopes: &[Scope], absolute: bool, path: &[String], imports_left: u32) -> Meaning {
    let Some((head, rest)) = path.split_first() else { return Meaning::Other };
    if absolute {
        return of_crate(path);
    }
    let in_module = |depth: Option<usize>| match depth {
        Some(depth) => in_scope(&scopes[..=depth], rest, imports_left).unwrap_or(Meaning::Other),
        None => Meaning::Other,
    };
    match head.as_str() {
        "self" => in_module(module(scopes)),
        "super" => in_module(parent(scopes)),
        _ => {
            let first = module(scopes).unwrap_or(0);
            let mut scopes = (first..scopes.len()).rev().map(|depth| &scopes[..=depth]);
            scopes.find_map(|scopes| in_scope(scopes, path, imports_left)).unwrap_or_else(|| of_crate(path))
        }
    }
}

/// The innermost module.
fn module(scopes: &[Scope]) -> Option<usize> {
    scopes.iter().rposition(|scope| scope.is_module)
}

/// The module around the innermost one.
fn parent(scopes: &[Scope]) -> Option<usize> {
    module(&scopes[..module(scopes)?])
}

/// The meaning of a path that begins in the innermost of these scopes; `None` if its first name is not of there.
fn in_scope(scopes: &[Scope], path: &[String], imports_left: u32) -> Option<Meaning> {
    let (scope, imports_left) = (scopes.last()?, imports_left.checked_sub(1)?);
    let (head, rest) = path.split_first()?;
    if head == "super" {
        return in_scope(&scopes[..=parent(scopes)?], rest, imports_left);
    }
    if let Some(import) = scope.imports.iter().find(|import| import.name.as_ref() == Some(head)) {
        return Some(follow(scopes, import, rest, imports_left));
    }
    if scope.types.contains(head) || rest.is_empty() && scope.values.contains(head) {
        return Some(Meaning::Other);
    }
    let globs = scope.imports.iter().filter(|import| import.name.is_none());
    globs.map(|import| follow(scopes, import, path, imports_left)).find(|meaning| {
        // Whether a crate's module has a name is known only of the names that matter.
        meaning.path().is_some_and(unmodelled::concerns)
    })
}

/// The meaning of an import.
fn target(scopes: &[Scope], import: &Import, imports_left: u32) -> Meaning {
    // `use tokio;` does not mean itself.
    let absolute = import.absolute || import.name.as_ref() == import.path.first();
    resolve(scopes, absolute, &import.path, imports_left)
}

/// The meaning of `rest` in the import.
fn follow(scopes: &[Scope], import: &Import, rest: &[String], imports_left: u32) -> Meaning {
    let with_rest = |path: &[String]| [path, rest].concat();
    if is_module_path(&import.path) {
        return resolve(scopes, false, &with_rest(&import.path), imports_left);
    }
    match target(scopes, import, imports_left) {
        Meaning::Crate(path) | Meaning::Imported(path) if unmodelled::advice(&path).is_none() => {
            Meaning::Imported(with_rest(&path))
        }
        _ => Meaning::Other,
    }
}

/// `super::*`, `self::*`: a module of the item.
fn is_module_path(path: &[String]) -> bool {
    path.iter().all(|name| name == "super" || name == "self")
}

fn of_crate(path: &[String]) -> Meaning {
    match path.first() {
        Some(head) if CRATES.contains(&head.as_str()) => Meaning::Crate(path.to_vec()),
        _ => Meaning::Other,
    }
}

/// Every name that a `use` imports.
pub(super) fn imports(item: &ItemUse) -> Vec<Import> {
    let mut imports = Vec::new();
    leaves(&item.tree, item.leading_colon.is_some(), &mut Vec::new(), &mut imports);
    imports
}

fn leaves(tree: &UseTree, absolute: bool, prefix: &mut Vec<String>, imports: &mut Vec<Import>) {
    let mut leaf = |last: Option<&Ident>, name: Option<&Ident>, span: Span| {
        // `self` in a group is the module before it.
        let last = last.filter(|ident| prefix.is_empty() || *ident != "self").map(text);
        let path: Vec<String> = prefix.iter().cloned().chain(last).collect();
        let name = match name {
            Some(ident) if ident == "self" => path.last().cloned(),
            name => name.map(text),
        };
        imports.push(Import { name, absolute, path, span });
    };
    match tree {
        UseTree::Path(path) => {
            prefix.push(text(&path.ident));
            leaves(&path.tree, absolute, prefix, imports);
            prefix.pop();
        }
        UseTree::Name(name) => leaf(Some(&name.ident), Some(&name.ident), name.ident.span()),
        UseTree::Rename(name) => leaf(Some(&name.ident), Some(&name.rename), name.ident.span()),
        UseTree::Glob(glob) => leaf(None, None, glob.star_token.span),
        UseTree::Group(group) => group.items.iter().for_each(|tree| leaves(tree, absolute, prefix, imports)),
    }
}

fn extern_crate(item: &ItemExternCrate) -> Import {
    let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
    Import { name: Some(text(name)), absolute: true, path: vec![text(&item.ident)], span: item.ident.span() }
}

pub(super) fn text(ident: &Ident) -> String {
    ident.unraw().to_string()
}
