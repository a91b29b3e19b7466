//! A function whose body stays tokens: neither attribute looks into it, so nothing in it can be
//! misunderstood, and rustc alone judges its syntax.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Ident, Receiver, ReceiverKind, Signature, Type, Visibility, parse_quote_spanned, token};

#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    /// The braces and what is between them.
    pub(crate) body: TokenTree,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        let sig = input.parse()?;
        if !input.peek(token::Brace) {
            return Err(input.error("expected a function with a body"));
        }
        Ok(Function { attrs, vis, sig, body: input.parse()? })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attrs);
        self.vis.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}

/// The variant of `netcheck::__private::ShouldPanic` for this function.
pub(crate) fn should_panic(function: &Function) -> Ident {
    let should_panic = function.attrs.iter().any(|attr| attr_name(attr) == "should_panic");
    Ident::new(if should_panic { "Yes" } else { "No" }, Span::call_site())
}

/// The last segment of an attribute's path: `test` for both `#[test]` and `#[tokio::test]`.
pub(crate) fn attr_name(attr: &Attribute) -> String {
    attr.path().segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// The type of `self`: that which is written, or which its shorthand stands for.
pub(crate) fn receiver_type(receiver: &Receiver) -> Type {
    let span = receiver.self_token.span;
    match &receiver.kind {
        ReceiverKind::Typed(_, ty) => (**ty).clone(),
        ReceiverKind::Reference(and, lifetime, mutability) => {
            parse_quote_spanned!(span=> #and #lifetime #mutability Self)
        }
        _ => parse_quote_spanned!(span=> Self),
    }
}
