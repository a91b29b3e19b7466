//! Lets paths lead to netcheck.
//!
//! A path that begins with the name of a crate gets another beginning, and all of its user's spans:
//! `tokio` becomes `::netcheck`, and `std` a mirror of it, which has a clock and a `thread::sleep` of
//! netcheck's. A name that was imported follows its `use`. From
//!
//! ```ignore
//! mod protocol {
//!     use std::{io, net::SocketAddr, thread};
//!     use tokio::net::UdpSocket;
//!     pub async fn ask(server: SocketAddr) -> io::Result<usize> {
//!         let socket = UdpSocket::bind("0.0.0.0:0").await?;
//!         let begun = std::time::Instant::now();
//!         thread::sleep(PAUSE);
//!         assert!(std::time::Instant::now() >= begun + PAUSE);
//!         ::tokio::select! {
//!             sent = socket.send_to(b"?", server) => sent,
//!             _ = ::tokio::time::sleep(PAUSE) => tokio::task::yield_now().await,
//!         }
//!     }
//!     #[tokio::test]
//!     async fn somebody_is_asked() {}
//! }
//! ```
//!
//! comes (a test below keeps this true)
//!
//! ```ignore
//! mod protocol {
//!     use ::netcheck::program::std::{io, net::SocketAddr, thread};
//!     use ::netcheck::net::UdpSocket;
//!     pub async fn ask(server: SocketAddr) -> io::Result<usize> {
//!         let socket = UdpSocket::bind("0.0.0.0:0").await?;
//!         let begun = ::netcheck::program::std::time::Instant::now();
//!         thread::sleep(PAUSE).await;
//!         assert!(::netcheck::program::std::time::Instant::now() >= begun + PAUSE);
//!         ::netcheck::select! {
//!             sent = socket.send_to(b"?", server) => sent,
//!             _ = ::netcheck::time::sleep(PAUSE) => ::netcheck::task::yield_now().await,
//!         }
//!     }
//!     #[::netcheck::test]
//!     async fn somebody_is_asked() {}
//! }
//! ```

use std::mem;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Block, Expr, ExprAsync, ExprAwait, ExprClosure, ExprConst, ExprPath, ExprStruct, Ident, ImplItemFn,
    Item, ItemFn, ItemImpl, ItemMod, Meta, MetaList, PatStruct, PatTupleStruct, Path, PathSegment, QSelf, Stmt, Token,
    TraitItemFn, TypePath,
};

use super::scope::{Meaning, Scopes, text};
use super::unmodelled;
use crate::ctxt::Ctxt;
use crate::function::attr_name;

pub(super) fn item(item: &mut Item, is_tracked: bool, cx: &Ctxt) {
    Redirect { cx, is_tracked, scopes: Scopes::default(), may_await: false }.visit_item_mut(item);
}

pub(super) struct Redirect<'a> {
    pub(super) cx: &'a Ctxt,
    /// Whether `tokio` becomes `::netcheck::tracked`.
    is_tracked: bool,
    pub(super) scopes: Scopes,
    /// Whether this is the body of an async function or an async block.
    pub(super) may_await: bool,
}

/// Where a path stands.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Called,
    /// More of the path follows: `std::{…}` in the tokens of a macro.
    Continued,
    Elsewhere,
}

impl Redirect<'_> {
    /// Rewrites or refuses a path; whether it is a call of `std::thread::sleep` that can be awaited.
    pub(super) fn redirect(&mut self, path: &mut Path, place: Place) -> bool {
        let names: Vec<String> = path.segments.iter().map(|segment| text(&segment.ident)).collect();
        // A variable, unless it is called.
        if let ([name], Place::Elsewhere) = (&names[..], place)
            && !name.starts_with(char::is_uppercase)
        {
            return false;
        }
        let meaning = self.scopes.meaning(path.leading_colon.is_some(), &names);
        let Some(full) = meaning.path() else { return false };
        let is_sleep = unmodelled::is_sleep(full);
        if let Some(advice) = unmodelled::advice(full) {
            self.cx.error(&*path, advice);
        } else if is_sleep && !(self.may_await && place == Place::Called) {
            self.cx.error(&*path, unmodelled::SLEEP_ADVICE);
        } else if matches!(meaning, Meaning::Crate(_)) && (names.len() > 1 || place == Place::Continued) {
            self.begin_elsewhere(path);
        }
        is_sleep
    }

    /// Visits with another answer to whether `.await` may stand there.
    fn within<T: ?Sized>(&mut self, may_await: bool, node: &mut T, visit: impl FnOnce(&mut Self, &mut T)) {
        let outside = mem::replace(&mut self.may_await, may_await);
        visit(self, node);
        self.may_await = outside;
    }

    /// The statements of a block, or of a macro that takes some.
    pub(super) fn statements(&mut self, statements: &mut Vec<Stmt>) {
        self.scopes.enter_block(statements.iter().filter_map(|statement| match statement {
            Stmt::Item(item) => Some(item),
            _ => None,
        }));
        for statement in mem::take(statements) {
            match statement {
                Stmt::Item(item) => statements.extend(self.imported(item).into_iter().map(Stmt::Item)),
                statement => statements.push(statement),
            }
        }
        statements.iter_mut().for_each(|statement| self.visit_stmt_mut(statement));
        self.scopes.leave();
    }

    /// `f(…)`; of `std::thread::sleep`, it is awaited.
    fn call(&mut self, expr: &mut Expr) {
        let Expr::Call(call) = expr else { return };
        let is_sleep = match &mut *call.func {
            Expr::Path(ExprPath { qself: None, path, .. }) => {
                let is_sleep = self.redirect(path, Place::Called);
                path.segments.iter_mut().for_each(|segment| self.visit_path_segment_mut(segment));
                is_sleep
            }
            func => {
                self.visit_expr_mut(func);
                false
            }
        };
        call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        if is_sleep {
            let (attrs, span) = (mem::take(&mut call.attrs), call.paren_token.span.join());
            let base = Box::new(mem::replace(expr, Expr::Verbatim(TokenStream::new())));
            *expr =
                Expr::Await(ExprAwait { attrs, base, dot_token: Token![.](span), await_token: Token![await](span) });
        }
    }

    /// Replaces the name of a crate at the beginning.
    fn begin_elsewhere(&self, path: &mut Path) {
        let head = path.segments[0].ident.clone();
        let Some((before, last)) = self.beginning(&head) else { return };
        path.leading_colon.get_or_insert(Token![::](head.span()));
        path.segments[0].ident = last;
        for ident in before.into_iter().rev() {
            path.segments.insert(0, PathSegment::from(ident));
        }
    }

    /// The path that stands for a crate's name, after `::`: its last name, and those before.
    pub(super) fn beginning(&self, head: &Ident) -> Option<(Vec<Ident>, Ident)> {
        let at_head = |name: &str| Ident::new(name, head.span());
        match head.to_string().as_str() {
            "std" => Some((vec![at_head("netcheck"), at_head("program")], head.clone())),
            "tokio" if self.is_tracked => Some((vec![at_head("netcheck")], at_head("tracked"))),
            "tokio" => Some((Vec::new(), at_head("netcheck"))),
            _ => None,
        }
    }

    fn refuse_a_second_attribute(&self, attrs: &[Attribute]) {
        for attr in attrs.iter().filter(|attr| is_program(attr)) {
            self.cx.error(attr, "this is in a `program` already: remove this attribute");
        }
    }
}

/// `#[netcheck::program]`, or `#[cfg_attr(test, netcheck::program)]`.
fn is_program(attr: &Attribute) -> bool {
    let is_name = |tree| matches!(tree, TokenTree::Ident(ident) if ident == "program");
    match &attr.meta {
        Meta::List(list) if attr.path().is_ident("cfg_attr") => list.tokens.clone().into_iter().any(is_name),
        _ => attr_name(attr) == "program",
    }
}

/// `<T as std::ops::Deref>::Target`: how much of the path is the trait changes with its length.
fn keep_trait(qself: &mut Option<QSelf>, before: usize, path: &Path) {
    if let Some(qself) = qself.as_mut().filter(|qself| qself.position > 0) {
        qself.position += path.segments.len() - before;
    }
}

impl VisitMut for Redirect<'_> {
    fn visit_item_mut(&mut self, item: &mut Item) {
        if let Item::Mod(ItemMod { attrs, .. }) | Item::Impl(ItemImpl { attrs, .. }) = item {
            self.refuse_a_second_attribute(attrs);
        }
        self.within(false, item, visit_mut::visit_item_mut);
    }

    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        module.attrs.iter_mut().for_each(|attr| self.visit_attribute_mut(attr));
        let Some((_, items)) = &mut module.content else { return };
        self.scopes.enter_module(&*items);
        *items = mem::take(items).into_iter().flat_map(|item| self.imported(item)).collect();
        items.iter_mut().for_each(|item| self.visit_item_mut(item));
        self.scopes.leave();
    }

    fn visit_item_fn_mut(&mut self, function: &mut ItemFn) {
        self.within(function.sig.asyncness.is_some(), function, visit_mut::visit_item_fn_mut);
    }

    fn visit_impl_item_fn_mut(&mut self, function: &mut ImplItemFn) {
        self.within(function.sig.asyncness.is_some(), function, visit_mut::visit_impl_item_fn_mut);
    }

    fn visit_trait_item_fn_mut(&mut self, function: &mut TraitItemFn) {
        self.within(function.sig.asyncness.is_some(), function, visit_mut::visit_trait_item_fn_mut);
    }

    fn visit_expr_async_mut(&mut self, block: &mut ExprAsync) {
        self.within(true, block, visit_mut::visit_expr_async_mut);
    }

    fn visit_expr_closure_mut(&mut self, closure: &mut ExprClosure) {
        self.within(closure.asyncness.is_some(), closure, visit_mut::visit_expr_closure_mut);
    }

    fn visit_expr_const_mut(&mut self, block: &mut ExprConst) {
        self.within(false, block, visit_mut::visit_expr_const_mut);
    }

    fn visit_block_mut(&mut self, block: &mut Block) {
        self.statements(&mut block.stmts);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Call(_) => self.call(expr),
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        self.redirect(path, Place::Elsewhere);
        visit_mut::visit_path_mut(self, path);
    }

    fn visit_type_path_mut(&mut self, path: &mut TypePath) {
        let before = path.path.segments.len();
        visit_mut::visit_type_path_mut(self, path);
        keep_trait(&mut path.qself, before, &path.path);
    }

    fn visit_expr_path_mut(&mut self, path: &mut ExprPath) {
        let before = path.path.segments.len();
        visit_mut::visit_expr_path_mut(self, path);
        keep_trait(&mut path.qself, before, &path.path);
    }

    fn visit_expr_struct_mut(&mut self, value: &mut ExprStruct) {
        let before = value.path.segments.len();
        visit_mut::visit_expr_struct_mut(self, value);
        keep_trait(&mut value.qself, before, &value.path);
    }

    fn visit_pat_struct_mut(&mut self, pattern: &mut PatStruct) {
        let before = pattern.path.segments.len();
        visit_mut::visit_pat_struct_mut(self, pattern);
        keep_trait(&mut pattern.qself, before, &pattern.path);
    }

    fn visit_pat_tuple_struct_mut(&mut self, pattern: &mut PatTupleStruct) {
        let before = pattern.path.segments.len();
        visit_mut::visit_pat_tuple_struct_mut(self, pattern);
        keep_trait(&mut pattern.qself, before, &pattern.path);
    }

    // The words of an attribute are for whoever reads it.
    fn visit_meta_list_mut(&mut self, list: &mut MetaList) {
        self.visit_path_mut(&mut list.path);
    }

    fn visit_token_stream_mut(&mut self, tokens: &mut TokenStream) {
        *tokens = self.tokens(mem::take(tokens));
    }
}
