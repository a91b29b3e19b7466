//! `#[netcheck::keep]` on a loop: its whole history tells its local states.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, Expr, Item, Local, Meta, StmtMacro};

use super::flow::LoopKey;
use crate::ctxt::Ctxt;
use crate::function::attr_name;

/// Takes the attributes off, and says which loops had one.
pub(super) fn take(body: &mut Block, cx: &Ctxt) -> Vec<LoopKey> {
    let mut keep = Keep { cx, kept: Vec::new() };
    keep.visit_block_mut(body);
    keep.kept
}

struct Keep<'a> {
    cx: &'a Ctxt,
    kept: Vec<LoopKey>,
}

impl Keep<'_> {
    /// Whether there was one.
    fn take(&self, attrs: &mut Vec<Attribute>) -> bool {
        let mut found = false;
        attrs.retain(|attr| {
            let is_keep = attr_name(attr) == "keep";
            if is_keep && !matches!(attr.meta, Meta::Path(_)) {
                self.cx.error(&attr.meta, "`keep` takes no words: write just `#[netcheck::keep]`");
            }
            found |= is_keep;
            !is_keep
        });
        found
    }

    fn refuse(&self, attrs: &mut Vec<Attribute>) {
        for attr in attrs.iter().filter(|attr| attr_name(attr) == "keep") {
            self.cx.error(attr, "`keep` goes on a loop: put it before `loop`, `while` or `for`");
        }
        attrs.retain(|attr| attr_name(attr) != "keep");
    }
}

impl VisitMut for Keep<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let attrs = match expr {
            Expr::Loop(expr) => Some(&mut expr.attrs),
            Expr::While(expr) => Some(&mut expr.attrs),
            Expr::ForLoop(expr) => Some(&mut expr.attrs),
            _ => None,
        };
        if attrs.is_some_and(|attrs| self.take(attrs)) {
            self.kept.push(LoopKey::of(expr));
        }
        visit_mut::visit_expr_mut(self, expr);
    }

    // Attributes of loops are gone by now.
    fn visit_attributes_mut(&mut self, attrs: &mut Vec<Attribute>) {
        self.refuse(attrs);
    }

    fn visit_local_mut(&mut self, local: &mut Local) {
        visit_mut::visit_local_mut(self, local);
    }

    fn visit_stmt_macro_mut(&mut self, stmt: &mut StmtMacro) {
        visit_mut::visit_stmt_macro_mut(self, stmt);
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}
