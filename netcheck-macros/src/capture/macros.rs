//! Macros whose tokens are understood: those that take values, and `select!`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit::Visit;
use syn::{Expr, ExprLit, Ident, Lit, Pat, Token};

use super::flow::Access;
use super::mentions::{self, Mention};
use crate::select::{Select, parse_branches};

pub(super) enum Macro {
    /// Evaluates expressions one after the other, and names variables in a text.
    Values {
        values: Vec<Expr>,
        text: Vec<Mention>,
        access: Access,
        returns: bool,
    },
    Select {
        branches: Vec<Branch>,
        otherwise: Option<Expr>,
    },
    Unknown,
}

pub(super) struct Branch {
    pub(super) pat: Pat,
    pub(super) future: Expr,
    pub(super) condition: Option<Expr>,
    pub(super) handler: Expr,
}

const FORMATTING: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "format",
    "format_args",
    "print",
    "println",
    "write",
    "writeln",
];

const DIVERGING: &[&str] = &["panic", "todo", "unimplemented", "unreachable"];

const TAKING: &[&str] = &["dbg", "join", "pin", "try_join", "vec"];

/// Macros that await what they are given.
pub(super) const AWAITING: &[&str] = &["join", "select", "try_join"];

/// Whether macros are understood that are called so.
pub(super) fn is_understood(name: &Ident) -> bool {
    name == "select" || [FORMATTING, DIVERGING, TAKING].iter().any(|names| names.iter().any(|known| name == known))
}

pub(super) fn understand(mac: &syn::Macro) -> Macro {
    let name = name(mac);
    let is_in = |names: &[&str]| names.contains(&name.as_str());
    let understood = match () {
        () if name == "select" => select(mac.tokens.clone()),
        () if is_in(FORMATTING) => values(mac, Access::Look, true),
        () if is_in(DIVERGING) => values(mac, Access::Look, false),
        () if is_in(TAKING) => values(mac, Access::Operand, true),
        () => None,
    };
    understood.unwrap_or(Macro::Unknown)
}

/// The last segment of a macro's path.
pub(super) fn name(mac: &syn::Macro) -> String {
    mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default()
}

/// `"{x}", y, name = z`, or `x; n`.
fn values(mac: &syn::Macro, access: Access, returns: bool) -> Option<Macro> {
    let list = Punctuated::<Expr, Token![,]>::parse_terminated;
    let repeat = |input: syn::parse::ParseStream<'_>| {
        let value = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(vec![value, input.parse()?])
    };
    let tokens = &mac.tokens;
    let values = match list.parse2(tokens.clone()) {
        Ok(values) => values.into_iter().collect(),
        Err(_) => repeat.parse2(tokens.clone()).ok()?,
    };
    let mut text = Vec::new();
    let mut named = Vec::new();
    let values = values.into_iter().map(|value| match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), attrs }) => {
            text.extend(mentions::in_format_string(&literal));
            Expr::Lit(ExprLit { lit: Lit::Str(literal), attrs })
        }
        Expr::Assign(assign) => {
            named.extend(match &*assign.left {
                Expr::Path(path) => path.path.get_ident().cloned(),
                _ => None,
            });
            *assign.right
        }
        value => value,
    });
    let values = values.collect();
    text.retain(|mention| !named.contains(&mention.name));
    Some(Macro::Values { values, text, access, returns })
}

fn select(tokens: TokenStream) -> Option<Macro> {
    let Select { branches, otherwise, .. } = parse_branches(quote!(() #tokens)).ok()?;
    let branches = branches.into_iter().map(|branch| {
        let handler = syn::parse2(branch.handler).ok()?;
        Some(Branch { pat: branch.pat, future: branch.future, condition: branch.condition, handler })
    });
    let branches = branches.collect::<Option<Vec<_>>>()?;
    let otherwise = match otherwise {
        Some(otherwise) => Some(syn::parse2(otherwise).ok()?),
        None => None,
    };
    Some(Macro::Select { branches, otherwise })
}

/// Whether a macro stands in a pattern.
pub(super) fn in_pattern(pat: &Pat) -> bool {
    struct Macros(bool);
    impl<'a> Visit<'a> for Macros {
        fn visit_macro(&mut self, _: &'a syn::Macro) {
            self.0 = true;
        }
    }
    let mut macros = Macros(false);
    macros.visit_pat(pat);
    macros.0
}
