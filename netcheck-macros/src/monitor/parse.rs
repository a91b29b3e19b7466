//! The grammar of `monitor!`.
//!
//! ```text
//! attributes
//! visibility monitor Name (parameter: Type, …)? over Event {
//!     variable name: domain;                     a range of i64, or bool
//!     clock name;
//!     (accepting | hot)? state name (while clock <= duration && …)? {
//!         pattern (if condition)? (when clock <= duration && …)? => target { … },
//!         otherwise => target { … },             target: a state, or `reject`
//!     }
//! }
//! ```
//!
//! The block after a target has `name = value;` and `reset name, …;`. With a block, a rule needs no comma.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, BinOp, Expr, ExprBinary, Ident, Pat, Token, Type, Visibility, braced, parenthesized, token};

pub(super) struct Monitor {
    pub(super) attributes: Vec<Attribute>,
    pub(super) visibility: Visibility,
    pub(super) name: Ident,
    pub(super) parameters: Vec<Parameter>,
    pub(super) event: Type,
    pub(super) variables: Vec<Variable>,
    pub(super) clocks: Vec<Ident>,
    pub(super) states: Vec<State>,
}

pub(super) struct Parameter {
    pub(super) name: Ident,
    pub(super) of: Type,
}

pub(super) struct Variable {
    pub(super) name: Ident,
    pub(super) domain: Domain,
}

pub(super) enum Domain {
    Bool,
    Range(Expr),
}

pub(super) struct State {
    pub(super) name: Ident,
    pub(super) is_accepting: bool,
    pub(super) is_hot: bool,
    pub(super) deadlines: Vec<Constraint>,
    pub(super) rules: Vec<Rule>,
    pub(super) otherwise: Option<Otherwise>,
}

/// `clock <= duration`.
pub(super) struct Constraint {
    pub(super) clock: Ident,
    pub(super) operator: BinOp,
    pub(super) duration: Expr,
}

pub(super) struct Rule {
    pub(super) pattern: Pat,
    pub(super) condition: Option<Expr>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) target: Ident,
    pub(super) writes: Vec<Write>,
}

pub(super) struct Otherwise {
    pub(super) keyword: Ident,
    pub(super) target: Ident,
    pub(super) writes: Vec<Write>,
}

pub(super) enum Write {
    Assign { variable: Ident, value: Expr },
    Reset { clock: Ident },
}

/// The target of an `otherwise` that rejects.
pub(super) const REJECT: &str = "reject";

mod kw {
    syn::custom_keyword!(monitor);
    syn::custom_keyword!(over);
    syn::custom_keyword!(variable);
    syn::custom_keyword!(clock);
    syn::custom_keyword!(accepting);
    syn::custom_keyword!(hot);
    syn::custom_keyword!(state);
    syn::custom_keyword!(when);
    syn::custom_keyword!(otherwise);
    syn::custom_keyword!(reset);
}

impl Parse for Monitor {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility = input.parse()?;
        input.parse::<kw::monitor>()?;
        let name = input.parse()?;
        let mut parameters = Vec::new();
        if input.peek(token::Paren) {
            let inside;
            parenthesized!(inside in input);
            parameters = Punctuated::<Parameter, Token![,]>::parse_terminated(&inside)?.into_iter().collect();
        }
        input.parse::<kw::over>()?;
        let event = input.parse()?;
        let mut monitor = Monitor {
            attributes,
            visibility,
            name,
            parameters,
            event,
            variables: Vec::new(),
            clocks: Vec::new(),
            states: Vec::new(),
        };
        let body;
        braced!(body in input);
        while !body.is_empty() {
            let ahead = body.lookahead1();
            if ahead.peek(kw::variable) {
                monitor.variables.push(body.parse()?);
            } else if ahead.peek(kw::clock) {
                body.parse::<kw::clock>()?;
                monitor.clocks.push(body.parse()?);
                body.parse::<Token![;]>()?;
            } else if ahead.peek(kw::state) || ahead.peek(kw::accepting) || ahead.peek(kw::hot) {
                monitor.states.push(body.parse()?);
            } else {
                return Err(ahead.error());
            }
        }
        Ok(monitor)
    }
}

impl Parse for Parameter {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Parameter { name, of: input.parse()? })
    }
}

impl Parse for Variable {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        input.parse::<kw::variable>()?;
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let domain = match input.parse()? {
            Expr::Path(path) if path.path.is_ident("bool") => Domain::Bool,
            range => Domain::Range(range),
        };
        input.parse::<Token![;]>()?;
        Ok(Variable { name, domain })
    }
}

impl Parse for State {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let is_accepting = input.parse::<Option<kw::accepting>>()?.is_some();
        let is_hot = !is_accepting && input.parse::<Option<kw::hot>>()?.is_some();
        input.parse::<kw::state>()?;
        let name = input.parse()?;
        let mut deadlines = Vec::new();
        if input.parse::<Option<Token![while]>>()?.is_some() {
            deadlines = constraints(input.call(Expr::parse_without_eager_brace)?)?;
            for Constraint { clock, operator, .. } in &deadlines {
                if !matches!(operator, BinOp::Le(_)) {
                    let message = format!("a deadline is an upper bound: `{clock} <= duration`");
                    return Err(syn::Error::new_spanned(operator, message));
                }
            }
        }
        let mut state = State { name, is_accepting, is_hot, deadlines, rules: Vec::new(), otherwise: None };
        let body;
        braced!(body in input);
        while !body.is_empty() {
            if let Some(otherwise) = &state.otherwise {
                let message = "`otherwise` comes last: move it behind the other rules";
                return Err(syn::Error::new_spanned(&otherwise.keyword, message));
            }
            match body.peek(kw::otherwise) {
                true => state.otherwise = Some(body.parse()?),
                false => state.rules.push(body.parse()?),
            }
        }
        Ok(state)
    }
}

impl Parse for Rule {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let condition = match input.parse::<Option<Token![if]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        let constraints = match input.parse::<Option<kw::when>>()? {
            Some(_) => constraints(input.parse()?)?,
            None => Vec::new(),
        };
        if !input.peek(Token![=>]) {
            return Err(input.error("expected `if` with a condition, `when` with clocks, or `=>` and a state"));
        }
        let (target, writes) = target(input)?;
        Ok(Rule { pattern, condition, constraints, target, writes })
    }
}

impl Parse for Otherwise {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let keyword = input.parse()?;
        let (target, writes) = target(input)?;
        Ok(Otherwise { keyword, target, writes })
    }
}

/// `=> target { … },`
fn target(input: ParseStream<'_>) -> syn::Result<(Ident, Vec<Write>)> {
    input.parse::<Token![=>]>()?;
    let target = input.parse()?;
    let mut writes = Vec::new();
    let has_block = input.peek(token::Brace);
    if has_block {
        let body;
        braced!(body in input);
        while !body.is_empty() {
            write(&body, &mut writes)?;
        }
    }
    if input.parse::<Option<Token![,]>>()?.is_none() && !has_block && !input.is_empty() {
        return Err(input.error("expected a comma before this: only a rule that ends with a block goes without"));
    }
    Ok((target, writes))
}

fn write(input: ParseStream<'_>, writes: &mut Vec<Write>) -> syn::Result<()> {
    if input.peek(kw::reset) && !input.peek2(Token![=]) {
        input.parse::<kw::reset>()?;
        let clocks = Punctuated::<Ident, Token![,]>::parse_separated_nonempty(input)?;
        writes.extend(clocks.into_iter().map(|clock| Write::Reset { clock }));
    } else {
        let variable = input.parse()?;
        input.parse::<Token![=]>()?;
        writes.push(Write::Assign { variable, value: input.parse()? });
    }
    input.parse::<Token![;]>()?;
    Ok(())
}

/// Comparisons of clocks, joined by `&&`.
fn constraints(from: Expr) -> syn::Result<Vec<Constraint>> {
    let expected = "expected a clock that is compared with a duration, such as `c <= Duration::from_millis(5)`; several \
                    are joined by `&&`";
    match from {
        Expr::Paren(inside) => constraints(*inside.expr),
        Expr::Binary(ExprBinary { left, op: BinOp::And(_), right, .. }) => {
            let mut both = constraints(*left)?;
            both.extend(constraints(*right)?);
            Ok(both)
        }
        Expr::Binary(ExprBinary { left, op, right, .. }) => match (&*left, op) {
            (Expr::Path(path), BinOp::Le(_) | BinOp::Lt(_) | BinOp::Ge(_) | BinOp::Gt(_) | BinOp::Eq(_)) => {
                match path.path.get_ident() {
                    Some(clock) => Ok(vec![Constraint { clock: clock.clone(), operator: op, duration: *right }]),
                    None => Err(syn::Error::new_spanned(left, expected)),
                }
            }
            (Expr::Path(_), op) => Err(syn::Error::new_spanned(op, expected)),
            _ => Err(syn::Error::new_spanned(left, expected)),
        },
        other => Err(syn::Error::new_spanned(other, expected)),
    }
}

/// Tokens as they are usually written.
pub(super) fn text(tokens: &TokenStream) -> String {
    let mut text = tokens.to_string().replace('\n', " ");
    for (spaced, usual) in
        [(" :: ", "::"), (" (", "("), (" ,", ","), (" . ", "."), (" [", "["), (" : ", ": "), (" !(", "!(")]
    {
        text = text.replace(spaced, usual);
    }
    // A prefix operator stands at its operand.
    let mut usual = String::new();
    let mut before = None;
    let mut is_prefix = false;
    for next in text.chars() {
        if !(is_prefix && next == ' ') {
            usual.push(next);
        }
        let begins = before.is_none_or(|before| "(=<>&|,!{[+".contains(before));
        is_prefix = "*&!-".contains(next) && begins && !(next == '&' && usual.ends_with("&&"));
        if next != ' ' {
            before = Some(next);
        }
    }
    usual
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn tokens_are_shown_as_they_are_usually_written() {
        for usual in ["Packet::Data(n)", "*n == block + 1", "a && !b", "a * b", "f(&x, y.z)", "Some(-1) | None"] {
            assert_eq!(text(&usual.parse().expect("tokens")), usual);
        }
    }
}
