//! Writes what a body tells the runtime.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};
use syn::{
    AttrStyle, Attribute, Block, Expr, ExprAsync, ExprClosure, ExprConst, Ident, Item, Macro, Member, Signature, Stmt,
    parse_quote,
};

use super::flow::{Flow, Loop, LoopKey, Reach};
use super::keep;
use super::lower::lower;
use super::macros;
use super::mentions;
use super::record::{self, Recorded};
use crate::ctxt::Ctxt;

/// Takes `#[keep]` off, and does nothing else.
pub(crate) fn untouched(body: &mut Block, cx: &Ctxt) {
    keep::take(body, cx);
}

/// Rewrites the body of an async fn so that it tells the runtime of its loops and of what it awaits.
pub(crate) fn rewrite(sig: &Signature, body: &mut Block, cx: &Ctxt) {
    let kept = keep::take(body, cx);
    let flow = lower(sig, body);
    write(sig, flow, kept, body);
}

/// As `rewrite`, for a function whose arguments lead to nobody else's memory.
pub(crate) fn rewrite_isolated(sig: &Signature, body: &mut Block, cx: &Ctxt) {
    let kept = keep::take(body, cx);
    let mut flow = lower(sig, body);
    flow.variables.iter_mut().for_each(|variable| variable.reach = Reach::Own);
    write(sig, flow, kept, body);
}

fn write(sig: &Signature, flow: Flow, kept: Vec<LoopKey>, body: &mut Block) {
    let frame = Ident::new("__frame", Span::mixed_site());
    let generics = sig.generics.type_params().map(|parameter| parameter.ident.clone()).collect();
    let mut rewrite =
        Rewrite { flow: &flow, generics, kept, frame: frame.clone(), depth: 0, is_used: false, records: false };
    rewrite.visit_block_mut(body);
    let (is_used, records) = (rewrite.is_used, rewrite.records);
    let generated = Span::mixed_site();
    let mut first = Vec::new();
    if records {
        first.push(Stmt::Item(parse_quote! {
            #[allow(unused_imports)]
            use ::netcheck::__private::capture::{Captured as _, Debugged as _, Hashed as _, Opaque as _, Unshown as _};
        }));
    }
    if is_used {
        let begun = quote_spanned!(generated=> let #frame = ::netcheck::__private::capture::frame(|| {}););
        first.push(parse_quote!(#begun));
    }
    body.stmts.splice(0..0, first);
}

struct Rewrite<'a> {
    flow: &'a Flow,
    /// The function's type parameters.
    generics: Vec<Ident>,
    kept: Vec<LoopKey>,
    frame: Ident,
    /// The number of loops around the expression that is being visited.
    depth: u32,
    is_used: bool,
    /// Whether a head was written.
    records: bool,
}

impl VisitMut for Rewrite<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        // The place of a loop is its name until it is replaced here.
        let key = LoopKey::of(expr);
        let is_loop = matches!(expr, Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_));
        self.depth += u32::from(is_loop);
        visit_mut::visit_expr_mut(self, expr);
        self.depth -= u32::from(is_loop);
        match expr {
            Expr::Await(expr) => self.awaited(&mut expr.base),
            expr if is_loop && !self.kept.contains(&key) && awaits(expr) => {
                if let Some(of) = self.flow.loops.iter().find(|of| of.key == key) {
                    self.looped(expr, of);
                }
            }
            _ => {}
        }
    }

    // They are not the function's own body.
    fn visit_expr_closure_mut(&mut self, _: &mut ExprClosure) {}
    fn visit_expr_async_mut(&mut self, _: &mut ExprAsync) {}
    fn visit_expr_const_mut(&mut self, _: &mut ExprConst) {}
    fn visit_item_mut(&mut self, _: &mut Item) {}
    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
    fn visit_pat_mut(&mut self, _: &mut syn::Pat) {}
}

impl Rewrite<'_> {
    /// A call that the function awaits itself.
    fn awaited(&mut self, base: &mut Expr) {
        let is_call = match &*base {
            Expr::Call(call) => matches!(*call.func, Expr::Path(_)),
            base => matches!(base, Expr::MethodCall(_)),
        };
        if is_call {
            self.is_used = true;
            let frame = &self.frame;
            let at = Span::mixed_site().located_at(base.span());
            *base = Expr::Verbatim(quote_spanned!(at=> ::netcheck::__private::capture::direct(#base, #frame)));
        }
    }

    fn looped(&mut self, expr: &mut Expr, of: &Loop) {
        let keyword = match expr {
            Expr::Loop(expr) => expr.loop_token.span,
            Expr::While(expr) => expr.while_token.span,
            Expr::ForLoop(expr) => expr.for_token.span,
            _ => return,
        };
        self.is_used = true;
        match record::head(self.flow, of) {
            Ok(recorded) => {
                self.records = true;
                let written = self.captured(expr, keyword, &recorded);
                *expr = Expr::Verbatim(written);
            }
            Err(reason) => {
                let frame = &self.frame;
                let told = quote_spanned!(keyword=> .uncaptured(#reason));
                let first: Stmt = parse_quote!(#frame #told;);
                let body = match expr {
                    Expr::Loop(expr) => &mut expr.body,
                    Expr::While(expr) => &mut expr.body,
                    Expr::ForLoop(expr) => &mut expr.body,
                    _ => return,
                };
                body.stmts.insert(0, first);
            }
        }
    }

    fn captured(&self, expr: &Expr, keyword: Span, recorded: &[Recorded]) -> TokenStream {
        let at = Span::mixed_site().located_at(keyword);
        let name = |name: &str| Ident::new(name, at);
        let depth = proc_macro2::Literal::u32_unsuffixed(self.depth);
        let (frame, of, values, items) = (&self.frame, name("__loop"), name("__values"), name("__items"));
        let records = recorded.iter().map(|recorded| record(recorded, &values, at));
        let generics = self.generics(&values, at);
        let shown = name("__shown");
        let shows = recorded.iter().filter(|recorded| !recorded.if_dropped).map(|recorded| show(recorded, &shown, at));
        let items_shown = matches!(expr, Expr::ForLoop(_)).then(|| quote_spanned!(at=> #shown.items(&#items);));
        let shows: Vec<TokenStream> = items_shown.into_iter().chain(shows).collect();
        // Its line is the loop's.
        let head = quote_spanned!(keyword=> .head(#values));
        let head = match shows.is_empty() {
            true => quote_spanned!(at=> #of #head;),
            false => {
                let some = quote_spanned!(at=> ::core::option::Option::Some(#shown));
                quote_spanned!(at=> if let #some = #of #head { #(#shows)* })
            }
        };
        let whole = |attrs: &[Attribute], label: &Option<syn::Label>, first: TokenStream, body: TokenStream| {
            let attrs = outer(attrs);
            quote_spanned! {at=>
                #(#attrs)*
                {
                    let mut #of = #frame.enter(#depth);
                    #label loop {
                        if #of.leave_head() {
                            #body
                        } else {
                            let mut #values = #of.values();
                            #first
                            #(#records)*
                            #generics
                            #head
                        }
                    }
                }
            }
        };
        match expr {
            Expr::Loop(expr) => {
                let stmts = &expr.body.stmts;
                whole(&expr.attrs, &expr.label, TokenStream::new(), quote!(#(#stmts)*))
            }
            Expr::While(expr) => {
                let (cond, body) = (&expr.cond, &expr.body);
                let body = quote_spanned!(at=> if #cond #body else { break });
                whole(&expr.attrs, &expr.label, TokenStream::new(), body)
            }
            Expr::ForLoop(expr) => {
                let (pat, body, each) = (&expr.pat, &expr.body, &expr.expr);
                let body = quote_spanned!(at=> match #items.next() {
                    ::core::option::Option::Some(#pat) => #body
                    ::core::option::Option::None => break,
                });
                let first = quote_spanned! {at=>
                    (&&&::netcheck::__private::capture::Value(&#items, "the iterator")).record(&mut #values);
                    (&&&::netcheck::__private::capture::Value(&#items.item(), "an item")).record(&mut #values);
                };
                let attrs = outer(&expr.attrs);
                let endless = whole(&[], &expr.label, first, body);
                let each_at = at.located_at(each.span());
                let taken = quote_spanned!(each_at=> ::netcheck::__private::capture::items(#each));
                quote_spanned! {at=>
                    #(#attrs)*
                    match #taken { mut #items => #endless }
                }
            }
            expr => expr.to_token_stream(),
        }
    }
}

impl Rewrite<'_> {
    /// The type parameters: a value may be without `Hash` only for want of a bound on one of them.
    fn generics(&self, values: &Ident, at: Span) -> Option<TokenStream> {
        let each = self.generics.iter().map(|parameter| {
            let (name, mut parameter) = (parameter.unraw().to_string(), parameter.clone());
            parameter.set_span(parameter.span().located_at(at));
            quote_spanned!(at=> (#name, ::core::any::type_name::<#parameter>()))
        });
        let each: Vec<TokenStream> = each.collect();
        (!each.is_empty()).then(|| quote_spanned!(at=> #values.parameters(|| [#(#each),*]);))
    }
}

/// Attributes, those inside of a body too, as they stand before a block.
fn outer(attrs: &[Attribute]) -> impl Iterator<Item = Attribute> {
    attrs.iter().cloned().map(|attr| Attribute { style: AttrStyle::Outer, ..attr })
}

fn record(recorded: &Recorded, values: &Ident, at: Span) -> TokenStream {
    let value = value(recorded, at);
    let method = Ident::new(if recorded.if_dropped { "record_if_dropped" } else { "record" }, at);
    quote_spanned!(at=> (&&&#value).#method(&mut #values);)
}

fn show(recorded: &Recorded, shown: &Ident, at: Span) -> TokenStream {
    let value = value(recorded, at);
    quote_spanned!(at=> (&&#value).show_captured(&#shown);)
}

/// A variable and its name.
fn value(Recorded { ident, field, .. }: &Recorded, at: Span) -> TokenStream {
    let mut variable = ident.clone();
    variable.set_span(ident.span().located_at(at));
    let name = ident.unraw();
    let (place, name) = match field {
        None => (quote!(#variable), name.to_string()),
        Some(field) => {
            let member = match field.parse::<usize>() {
                Ok(index) => Member::from(index),
                Err(_) => Member::from(format_ident!("{field}", span = variable.span())),
            };
            (quote_spanned!(at=> #variable.#member), format!("{name}.{field}"))
        }
    };
    quote_spanned!(at=> ::netcheck::__private::capture::Value(&#place, #name))
}

/// Whether the condition or the body of a loop awaits.
fn awaits(expr: &Expr) -> bool {
    struct Awaits(bool);
    impl<'a> Visit<'a> for Awaits {
        fn visit_expr_await(&mut self, _: &'a syn::ExprAwait) {
            self.0 = true;
        }
        fn visit_macro(&mut self, mac: &'a Macro) {
            let awaits = macros::AWAITING.contains(&macros::name(mac).as_str());
            self.0 |= awaits || mentions::has_word(mac.tokens.clone(), &["await"]);
        }
        fn visit_expr(&mut self, expr: &'a Expr) {
            // An expression that is rewritten already awaits.
            match expr {
                Expr::Verbatim(tokens) => self.0 |= mentions::has_word(tokens.clone(), &["await"]),
                expr => visit::visit_expr(self, expr),
            }
        }
        fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}
        fn visit_expr_async(&mut self, _: &'a ExprAsync) {}
        fn visit_item(&mut self, _: &'a Item) {}
    }
    let mut awaits = Awaits(false);
    match expr {
        Expr::Loop(expr) => awaits.visit_block(&expr.body),
        Expr::While(expr) => {
            awaits.visit_expr(&expr.cond);
            awaits.visit_block(&expr.body);
        }
        Expr::ForLoop(expr) => awaits.visit_block(&expr.body),
        _ => {}
    }
    awaits.0
}
