//! Values that an expression may borrow, hand on or make, as far as its syntax shows it.

use syn::visit::{self, Visit};
use syn::{
    Expr, ExprAsync, ExprAwait, ExprBinary, ExprClosure, ExprMethodCall, ExprPath, ExprReference, ExprUnary, Generics,
    Ident, Lifetime, Macro, Type, TypeImplTrait, TypeReference, TypeTraitObject, UnOp,
};

use super::flow::{Access, Reach};
use super::mentions;

/// Methods that neither move nor narrow what they are called on, and return nothing that changes it.
const HARMLESS: &[&str] = &[
    "as_bytes",
    "as_ref",
    "as_slice",
    "as_str",
    "binary_search",
    "capacity",
    "chunks",
    "clear",
    "clone",
    "contains",
    "contains_key",
    "copy_from_slice",
    "elapsed",
    "ends_with",
    "extend",
    "extend_from_slice",
    "fill",
    "first",
    "get",
    "is_empty",
    "is_err",
    "is_none",
    "is_ok",
    "is_some",
    "iter",
    "keys",
    "len",
    "pop",
    "pop_back",
    "pop_front",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "recv",
    "recv_from",
    "reserve",
    "resize",
    "retain",
    "send_to",
    "sort",
    "split_whitespace",
    "starts_with",
    "swap",
    "to_owned",
    "to_string",
    "to_vec",
    "trim",
    "truncate",
    "values",
];

/// Methods whose result borrows what they are called on mutably.
fn lends(method: &Ident) -> bool {
    let name = method.to_string();
    const NAMES: &[&str] = &["drain", "split", "entry", "by_ref", "peekable", "insert", "fill_buf", "reader", "writer"];
    name.ends_with("_mut")
        || name.starts_with("get_or_insert")
        || name.starts_with("or_insert")
        || NAMES.contains(&name.as_str())
}

/// How a method uses what it is called on.
pub(super) fn receiver(method: &Ident) -> Access {
    if HARMLESS.iter().any(|name| method == name) { Access::Look } else { Access::Call }
}

/// A call of a function that is known not to return.
pub(super) fn never_returns(function: &Expr) -> bool {
    let Expr::Path(path) = function else { return false };
    let names: Vec<String> = path.path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    matches!(names[..], ["std", "process", "exit" | "abort"] | ["std", "panic", "resume_unwind" | "panic_any"])
}

/// The variable that a place is a part of.
fn root(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident(),
        Expr::Field(expr) => root(&expr.base),
        Expr::Index(expr) => root(&expr.expr),
        Expr::Paren(expr) => root(&expr.expr),
        Expr::Group(expr) => root(&expr.expr),
        Expr::Unary(expr) if matches!(expr.op, UnOp::Deref(_)) => root(&expr.expr),
        _ => None,
    }
}

/// The variables that the value of an expression may borrow mutably.
pub(super) fn mutably_borrowed(expr: &Expr) -> Vec<Ident> {
    let mut borrowed = Borrowed(Vec::new());
    borrowed.visit_expr(expr);
    borrowed.0
}

struct Borrowed(Vec<Ident>);

impl Borrowed {
    fn add_all(&mut self, tokens: impl quote::ToTokens) {
        self.0.extend(mentions::in_tokens(tokens.to_token_stream()).into_iter().map(|mention| mention.name));
    }
}

impl<'a> Visit<'a> for Borrowed {
    fn visit_expr_reference(&mut self, expr: &'a ExprReference) {
        if expr.mutability.is_some() {
            self.0.extend(root(&expr.expr).cloned());
        }
        visit::visit_expr_reference(self, expr);
    }

    fn visit_expr_method_call(&mut self, expr: &'a ExprMethodCall) {
        if lends(&expr.method) {
            self.0.extend(root(&expr.receiver).cloned());
        }
        visit::visit_expr_method_call(self, expr);
    }

    fn visit_expr_await(&mut self, expr: &'a ExprAwait) {
        if let Expr::MethodCall(call) = &*expr.base
            && call.method == "fill_buf"
        {
            self.0.extend(root(&call.receiver).cloned());
        }
    }

    fn visit_expr_closure(&mut self, expr: &'a ExprClosure) {
        if expr.capture.is_none() {
            self.add_all(expr);
        }
    }

    fn visit_expr_async(&mut self, expr: &'a ExprAsync) {
        if expr.capture.is_none() {
            self.add_all(expr);
        }
    }

    fn visit_macro(&mut self, mac: &'a Macro) {
        if mentions::has_word(mac.tokens.clone(), &["mut"]) {
            self.add_all(&mac.tokens);
        }
    }
}

/// Whether the items of an iterator may change what it borrows.
pub(super) fn lends_items(expr: &Expr) -> bool {
    struct Items(bool);
    impl<'a> Visit<'a> for Items {
        fn visit_expr_reference(&mut self, expr: &'a ExprReference) {
            self.0 |= expr.mutability.is_some();
            visit::visit_expr_reference(self, expr);
        }
        fn visit_expr_method_call(&mut self, expr: &'a ExprMethodCall) {
            self.0 |= expr.method.to_string().ends_with("_mut");
            visit::visit_expr_method_call(self, expr);
        }
        fn visit_macro(&mut self, mac: &'a Macro) {
            self.0 |= mentions::has_word(mac.tokens.clone(), &["mut"]);
        }
    }
    let mut items = Items(false);
    items.visit_expr(expr);
    items.0
}

/// The variables that may be a part of the value of an expression, as they are.
pub(super) fn handed_on(expr: &Expr) -> Vec<Ident> {
    let mut handed_on = HandedOn(Vec::new());
    handed_on.visit_expr(expr);
    handed_on.0
}

struct HandedOn(Vec<Ident>);

impl<'a> Visit<'a> for HandedOn {
    fn visit_expr_path(&mut self, expr: &'a ExprPath) {
        self.0.extend(expr.path.get_ident().cloned());
    }

    fn visit_expr_method_call(&mut self, expr: &'a ExprMethodCall) {
        if receiver(&expr.method) == Access::Call {
            self.visit_expr(&expr.receiver);
        }
        expr.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_reference(&mut self, expr: &'a ExprReference) {
        if root(&expr.expr).is_none() {
            visit::visit_expr_reference(self, expr);
        }
    }

    fn visit_expr_unary(&mut self, expr: &'a ExprUnary) {
        if root(&expr.expr).is_none() {
            visit::visit_expr_unary(self, expr);
        }
    }

    fn visit_macro(&mut self, mac: &'a Macro) {
        self.0.extend(mentions::in_tokens(mac.tokens.clone()).into_iter().map(|mention| mention.name));
    }

    // Operators and `await` make something new.
    fn visit_expr_binary(&mut self, _: &'a ExprBinary) {}
    fn visit_expr_await(&mut self, _: &'a ExprAwait) {}
}

/// Whether the value is of a type that is `Copy`, whatever else it is.
pub(super) fn is_literal(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Unary(expr) => !matches!(expr.op, UnOp::Deref(_)) && is_literal(&expr.expr),
        Expr::Paren(expr) => is_literal(&expr.expr),
        Expr::Array(expr) => !expr.elems.is_empty() && expr.elems.iter().all(is_literal),
        Expr::Repeat(expr) => is_literal(&expr.expr),
        Expr::Tuple(expr) => expr.elems.iter().all(is_literal),
        _ => false,
    }
}

/// Whether the value may be a slice, whose start a call can move.
pub(super) fn may_make_slice(expr: &Expr) -> bool {
    fn is_plain(expr: &Expr) -> bool {
        match expr {
            Expr::Path(_) => true,
            Expr::Field(expr) => is_plain(&expr.base),
            _ => false,
        }
    }
    !matches!(expr, Expr::Reference(expr) if is_plain(&expr.expr))
}

// ---------------------------------------------------------------------------------------------
// Types

/// The memory that values of a parameter's type may lead to.
pub(super) fn reach(ty: &Type, generics: &Generics) -> Reach {
    struct Leads<'a>(&'a Generics, bool);
    impl<'a> Visit<'a> for Leads<'_> {
        fn visit_type_reference(&mut self, _: &'a TypeReference) {
            self.1 = true;
        }
        fn visit_lifetime(&mut self, lifetime: &'a Lifetime) {
            self.1 |= lifetime.ident != "static";
        }
        fn visit_type_impl_trait(&mut self, _: &'a TypeImplTrait) {
            self.1 = true;
        }
        fn visit_type_trait_object(&mut self, _: &'a TypeTraitObject) {
            self.1 = true;
        }
        fn visit_ident(&mut self, ident: &'a Ident) {
            self.1 |= self.0.type_params().any(|param| param.ident == *ident);
        }
    }
    let leads = |ty: &Type| {
        let mut leads = Leads(generics, false);
        leads.visit_type(ty);
        leads.1
    };
    let inner = match ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() && !leads(inner) => Reach::Shared,
        _ if has_mutable_reference(inner) && !std::ptr::eq(inner, ty) => Reach::Nested,
        ty if leads(ty) => Reach::Changed,
        _ => Reach::Own,
    }
}

fn has_mutable_reference(ty: &Type) -> bool {
    struct Mutable(bool);
    impl<'a> Visit<'a> for Mutable {
        fn visit_type_reference(&mut self, ty: &'a TypeReference) {
            self.0 |= ty.mutability.is_some();
            visit::visit_type_reference(self, ty);
        }
    }
    let mut mutable = Mutable(false);
    mutable.visit_type(ty);
    mutable.0
}

/// Whether a type is surely `Copy`.
pub(super) fn is_copy(ty: &Type) -> bool {
    const NAMES: &[&str] = &[
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128",
        "usize",
    ];
    match ty {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Path(path) => path.path.get_ident().is_some_and(|name| NAMES.iter().any(|known| name == known)),
        Type::Array(array) => is_copy(&array.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_copy),
        _ => false,
    }
}

/// Whether values of the type may be, or hold, slices that a call can narrow.
pub(super) fn may_be_slice(ty: &Type) -> bool {
    let inner = match ty {
        Type::Reference(reference) => &*reference.elem,
        ty => ty,
    };
    match inner {
        Type::Path(path) => path.path.is_ident("str") || reach(inner, &Generics::default()) != Reach::Own,
        Type::Array(array) => may_be_slice(&array.elem),
        _ => true,
    }
}
