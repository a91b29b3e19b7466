//! Which variable a name means.

use std::collections::BTreeSet;

use syn::ext::IdentExt;
use syn::visit::{self, Visit};
use syn::{Ident, Pat, PatIdent};

use super::flow::VariableId;

/// The variables that can be named, the innermost last.
#[derive(Debug, Default)]
pub(super) struct Scopes(Vec<(Ident, VariableId)>);

/// How many variables can be named, to come back to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth(usize);

impl Scopes {
    pub(super) fn add(&mut self, name: Ident, variable: VariableId) {
        self.0.push((name, variable));
    }

    pub(super) fn find(&self, name: &Ident) -> Option<VariableId> {
        let name = name.unraw();
        self.0.iter().rev().find(|(known, _)| known.unraw() == name).map(|&(_, variable)| variable)
    }

    pub(super) fn depth(&self) -> Depth {
        Depth(self.0.len())
    }

    pub(super) fn leave(&mut self, depth: Depth) {
        self.0.truncate(depth.0);
    }

    /// Variables that are not shadowed.
    pub(super) fn visible(&self) -> Vec<VariableId> {
        self.0.iter().filter(|(name, variable)| self.find(name) == Some(*variable)).map(|&(_, id)| id).collect()
    }
}

/// A name that a pattern binds.
pub(super) struct Binding {
    pub(super) ident: Ident,
    /// Bound by `ref mut`.
    pub(super) borrows: bool,
}

/// The names that a pattern binds, each once.
pub(super) fn bindings(pat: &Pat) -> Vec<Binding> {
    struct Bindings(Vec<Binding>, BTreeSet<Ident>);
    impl<'a> Visit<'a> for Bindings {
        fn visit_pat_ident(&mut self, pat: &'a PatIdent) {
            // This one is never a variable.
            if pat.ident != "None" && self.1.insert(pat.ident.clone()) {
                self.0.push(Binding {
                    ident: pat.ident.clone(),
                    borrows: pat.by_ref.is_some() && pat.mutability.is_some(),
                });
            }
            visit::visit_pat_ident(self, pat);
        }

        // A constant's path or a range's end binds nothing.
        fn visit_expr(&mut self, _: &'a syn::Expr) {}
    }
    let mut bindings = Bindings(Vec::new(), BTreeSet::new());
    bindings.visit_pat(pat);
    bindings.0
}
