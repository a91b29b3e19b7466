//! Refuses functions that cannot become a process.
//!
//! A borrow is refused here, by its syntax, because the compiler would otherwise speak of lifetimes
//! in code that the user did not write. Types are judged by `Isolated`, not here.

use syn::visit::{self, Visit};
use syn::{
    FnArg, GenericParam, Lifetime, ReceiverKind, ReturnType, Safety, Type, TypeFnPtr, TypeImplTrait, TypeReference,
};

use crate::ctxt::Ctxt;
use crate::function::{Function, receiver_type};

/// The longest tuple that implements the runtime's `Arguments`.
const ARGUMENTS_MAX: usize = 12;

pub(super) fn function(function: &Function, cx: &Ctxt) {
    let sig = &function.sig;
    if sig.asyncness.is_none() {
        cx.error(sig.fn_token, "a process is an async function: write `async fn`");
    }
    if let Some(constness) = &sig.constness {
        cx.error(constness, "a process can't be `const`");
    }
    if let Safety::Unsafe(unsafety) = &sig.safety {
        cx.error(
            unsafety,
            "a process can't be `unsafe`: nobody is there to uphold its conditions when it is re-created",
        );
    }
    if let Some(abi) = &sig.abi {
        cx.error(abi, "a process can't be `extern`");
    }
    if let Some(variadic) = &sig.variadic {
        cx.error(variadic, "a process has a fixed list of arguments");
    }
    for param in &sig.generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            cx.error(lifetime, "a process is isolated: it can't borrow, so it has no lifetimes; take owned values");
        }
    }
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(receiver) if matches!(receiver.kind, ReceiverKind::Reference(..)) => cx.error(
                receiver,
                "a process is isolated: it can't borrow `self`; take `self` by value, or what it needs of it",
            ),
            FnArg::Receiver(receiver) => {
                let mut visitor = Argument { cx, take: "`self` itself".to_owned(), refused: false };
                visitor.visit_type(&receiver_type(receiver));
            }
            FnArg::Typed(argument) => {
                let mut visitor = Argument { cx, take: take_instead(&argument.ty), refused: false };
                visitor.visit_type(&argument.ty);
            }
        }
    }
    if let Some(one_more) = sig.inputs.iter().nth(ARGUMENTS_MAX) {
        cx.error(
            one_more,
            format_args!("a process takes at most {ARGUMENTS_MAX} arguments: put some of them into a struct"),
        );
    }
    if let ReturnType::Type(_, ty) = &sig.output {
        Output { cx }.visit_type(ty);
    }
}

/// The type to take in place of a borrowed argument.
fn take_instead(ty: &Type) -> String {
    let Type::Reference(TypeReference { elem, .. }) = ty else {
        return "an owned value".to_owned();
    };
    match &**elem {
        Type::Path(path) if path.path.is_ident("str") => "a `String`".to_owned(),
        Type::Path(path) if path.path.is_ident("Path") => "a `PathBuf`".to_owned(),
        Type::Path(path) => match path.path.segments.last() {
            Some(last) if last.arguments.is_empty() => format!("the `{}` itself", last.ident),
            _ => "the value itself".to_owned(),
        },
        Type::Slice(_) => "a `Vec`".to_owned(),
        _ => "the value itself".to_owned(),
    }
}

/// Looks for borrows and `impl Trait`.
struct Argument<'a> {
    cx: &'a Ctxt,
    take: String,
    /// One argument is reported once.
    refused: bool,
}

impl Argument<'_> {
    fn refuse_borrow(&mut self, at: impl quote::ToTokens) {
        if !self.refused {
            self.cx.error(at, format_args!("a process is isolated: it can't borrow; take {}", self.take));
        }
        self.refused = true;
    }
}

impl Visit<'_> for Argument<'_> {
    fn visit_type_reference(&mut self, reference: &TypeReference) {
        if is_static(reference.lifetime.as_ref()) {
            visit::visit_type(self, &reference.elem);
        } else {
            self.refuse_borrow(reference);
        }
    }

    fn visit_lifetime(&mut self, lifetime: &Lifetime) {
        if !is_static(Some(lifetime)) {
            self.refuse_borrow(lifetime);
        }
    }

    fn visit_type_impl_trait(&mut self, ty: &TypeImplTrait) {
        self.cx.error(
            ty,
            "a process needs the type of each argument: name it, or write a generic parameter instead of `impl`",
        );
    }

    // The borrows in `fn(&str)` and `Fn(&str)` are those of calls.
    fn visit_type_fn_ptr(&mut self, _: &TypeFnPtr) {}
    fn visit_parenthesized_generic_arguments(&mut self, _: &syn::ParenthesizedGenericArguments) {}
}

struct Output<'a> {
    cx: &'a Ctxt,
}

impl Visit<'_> for Output<'_> {
    fn visit_type_reference(&mut self, reference: &TypeReference) {
        if is_static(reference.lifetime.as_ref()) {
            visit::visit_type(self, &reference.elem);
        } else {
            self.cx.error(reference, "a process is isolated: it can't return a borrow; return an owned value");
        }
    }

    fn visit_type_impl_trait(&mut self, ty: &TypeImplTrait) {
        self.cx.error(ty, "a process needs the type that it returns: name it instead of `impl`");
    }

    fn visit_type_fn_ptr(&mut self, _: &TypeFnPtr) {}
    fn visit_parenthesized_generic_arguments(&mut self, _: &syn::ParenthesizedGenericArguments) {}
}

fn is_static(lifetime: Option<&Lifetime>) -> bool {
    lifetime.is_some_and(|lifetime| lifetime.ident == "static")
}
