//! Every async function of the item, wherever it stands, for its loops to be captured.

use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Block, ImplItemFn, Item, ItemFn, Signature, TraitItemFn};

use crate::function::attr_name;

pub(super) fn item(item: &mut Item, rewrite: impl FnMut(&Signature, &mut Block)) {
    Captured { rewrite }.visit_item_mut(item);
}

struct Captured<F> {
    rewrite: F,
}

impl<F: FnMut(&Signature, &mut Block)> Captured<F> {
    fn function(&mut self, attrs: &[Attribute], sig: &Signature, body: &mut Block) {
        // `#[process]` captures the loops of its function itself.
        if sig.asyncness.is_some() && !attrs.iter().any(|attr| attr_name(attr) == "process") {
            (self.rewrite)(sig, body);
        }
    }
}

// Inner functions come first, so that they are not looked for in an expansion.
impl<F: FnMut(&Signature, &mut Block)> VisitMut for Captured<F> {
    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        visit_mut::visit_item_fn_mut(self, function);
        self.function(&function.attrs, &function.sig, &mut function.block);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, function);
        self.function(&function.attrs, &function.sig, &mut function.block);
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut TraitItemFn) {
        visit_mut::visit_trait_item_fn_mut(self, function);
        if let Some(body) = &mut function.default {
            self.function(&function.attrs, &function.sig, body);
        }
    }
}
