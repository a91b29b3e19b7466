//! The `use` items: where an imported name is refused, and where a whole tree gets another beginning.

use syn::{Ident, Item, ItemExternCrate, ItemUse, Token, UseGroup, UseName, UsePath, UseRename, UseTree};

use super::redirect::Redirect;
use super::scope::{self, text};
use super::unmodelled;

impl Redirect<'_> {
    /// The item, or what its imports become.
    pub(super) fn imported(&mut self, item: Item) -> Vec<Item> {
        let item = match item {
            Item::Use(item) => item,
            Item::ExternCrate(item) if item.ident == "std" || item.ident == "tokio" => import(item),
            item => return vec![item],
        };
        for import in scope::imports(&item) {
            if let Some(advice) = self.scopes.imported(&import).path().and_then(unmodelled::advice) {
                self.cx.error_at(import.span, advice);
            }
        }
        let mut redirected = Vec::new();
        self.trees(&item, item.tree.clone(), &mut redirected);
        redirected
    }

    /// A tree of its own for each beginning: `{tokio::net, other::Thing}` are two.
    fn trees(&self, item: &ItemUse, tree: UseTree, redirected: &mut Vec<Item>) {
        if let UseTree::Group(group) = tree {
            group.items.into_iter().for_each(|tree| self.trees(item, tree, redirected));
            return;
        }
        let mut item = ItemUse { tree, ..item.clone() };
        let head = match &item.tree {
            UseTree::Path(path) => Some(path.ident.clone()),
            UseTree::Name(name) => Some(name.ident.clone()),
            UseTree::Rename(name) => Some(name.ident.clone()),
            UseTree::Glob(_) | UseTree::Group(_) => None,
        };
        if let Some(head) = head.filter(|head| self.is_crate(head, item.leading_colon.is_some()))
            && let Some(beginning) = self.beginning(&head)
        {
            item.leading_colon.get_or_insert(Token![::](head.span()));
            item.tree = begin_elsewhere(item.tree, &head, beginning);
        }
        redirected.push(Item::Use(item));
    }

    /// Whether this is the crate of that name, also if it was imported by it.
    fn is_crate(&self, head: &Ident, absolute: bool) -> bool {
        let path = [text(head)];
        self.scopes.meaning(absolute, &path).path() == Some(&path)
    }
}

fn begin_elsewhere(tree: UseTree, head: &Ident, (before, last): (Vec<Ident>, Ident)) -> UseTree {
    let tree = match tree {
        UseTree::Path(mut path) => {
            path.tree = Box::new(name_self(*path.tree, head, &last));
            UseTree::Path(UsePath { ident: last, ..path })
        }
        UseTree::Name(_) => named(last, head),
        UseTree::Rename(name) => UseTree::Rename(UseRename { ident: last, ..name }),
        tree => tree,
    };
    before.into_iter().rev().fold(tree, |tree, ident| {
        let colon2_token = Token![::](ident.span());
        UseTree::Path(UsePath { ident, colon2_token, tree: Box::new(tree) })
    })
}

/// In `tokio::{self, net}`, `self` keeps the name of the crate.
fn name_self(tree: UseTree, head: &Ident, last: &Ident) -> UseTree {
    match tree {
        UseTree::Name(name) if name.ident == "self" && head != last => named(name.ident, head),
        UseTree::Group(group) => {
            let items = group.items.into_pairs().map(|pair| {
                let (tree, comma) = pair.into_tuple();
                syn::punctuated::Pair::new(name_self(tree, head, last), comma)
            });
            UseTree::Group(UseGroup { items: items.collect(), ..group })
        }
        tree => tree,
    }
}

fn named(ident: Ident, name: &Ident) -> UseTree {
    if ident == *name {
        return UseTree::Name(UseName { ident });
    }
    UseTree::Rename(UseRename { ident, as_token: Token![as](name.span()), rename: name.clone() })
}

/// `extern crate tokio as t;` as a `use`.
fn import(item: ItemExternCrate) -> ItemUse {
    let tree = match item.rename {
        Some((as_token, rename)) => UseTree::Rename(UseRename { ident: item.ident.clone(), as_token, rename }),
        None => UseTree::Name(UseName { ident: item.ident.clone() }),
    };
    ItemUse {
        attrs: item.attrs,
        vis: item.vis,
        use_token: Token![use](item.extern_token.span),
        leading_colon: Some(Token![::](item.ident.span())),
        tree,
        semi_token: item.semi_token,
    }
}
