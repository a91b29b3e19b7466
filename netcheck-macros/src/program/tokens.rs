//! Paths in the tokens of macros: tokens that parse as expressions or statements are visited as such;
//! others, such as the branches of `select!`, are searched for what looks like a path.

use proc_macro2::{Delimiter, Group, Ident, Spacing, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Item, Path, Stmt, Token};

use super::redirect::{Place, Redirect};

impl Redirect<'_> {
    pub(super) fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        // Syntax that the parser leaves as tokens, such as a `static` without a value, would come back here as it is.
        let is_read = |expr: &Expr| !matches!(expr, Expr::Verbatim(_));
        let is_known = |stmt: &Stmt| match stmt {
            Stmt::Item(item) => !matches!(item, Item::Verbatim(_)),
            Stmt::Expr(expr, _) => is_read(expr),
            _ => true,
        };
        let list = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(tokens.clone());
        if let Some(mut list) = list.ok().filter(|list| list.iter().all(is_read)) {
            list.iter_mut().for_each(|expr| self.visit_expr_mut(expr));
            return list.into_token_stream();
        }
        let statements = Block::parse_within.parse2(tokens.clone());
        if let Some(mut statements) = statements.ok().filter(|statements| statements.iter().all(is_known)) {
            self.statements(&mut statements);
            return statements.into_iter().map(ToTokens::into_token_stream).collect();
        }
        self.loose(tokens.into_iter().collect())
    }

    fn loose(&mut self, trees: Vec<TokenTree>) -> TokenStream {
        let mut output = TokenStream::new();
        let mut index = 0;
        while let Some(tree) = trees.get(index) {
            let before = &trees[..index];
            if let Some((mut path, end)) = path(before, &trees[index..]) {
                index += end;
                let awaited = self.redirect(&mut path, place(&trees[index..]));
                path.to_tokens(&mut output);
                if let (true, Some(TokenTree::Group(arguments))) = (awaited, trees.get(index)) {
                    index += 1;
                    output.extend([TokenTree::Group(self.group(arguments, before))]);
                    output.extend(quote_spanned!(arguments.span()=> .await));
                }
                continue;
            }
            index += 1;
            output.extend([match tree {
                TokenTree::Group(group) => TokenTree::Group(self.group(group, before)),
                tree => tree.clone(),
            }]);
        }
        output
    }

    fn group(&mut self, group: &Group, before: &[TokenTree]) -> Group {
        let outside = self.may_await;
        self.may_await |= group.delimiter() == Delimiter::Brace && is_async(before);
        let mut redirected = Group::new(group.delimiter(), self.tokens(group.stream()));
        redirected.set_span(group.span());
        self.may_await = outside;
        redirected
    }
}

/// Whether a block after these tokens is `async { … }` or `async move { … }`.
fn is_async(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Ident(first), TokenTree::Ident(second)] if second == "move" => first == "async",
        [.., TokenTree::Ident(last)] => last == "async",
        _ => false,
    }
}

/// The path that the tokens begin with and its length, if it looks like one: it has several names,
/// or is called.
fn path(before: &[TokenTree], trees: &[TokenTree]) -> Option<(Path, usize)> {
    if is_part(before, trees) {
        return None;
    }
    let mut end = if begins_with_colons(trees) { 2 } else { 0 };
    let mut names = 0;
    while let Some(TokenTree::Ident(_)) = trees.get(end) {
        names += 1;
        end += 1;
        match (begins_with_colons(&trees[end..]), trees.get(end + 2)) {
            (true, Some(TokenTree::Ident(_))) => end += 2,
            _ => break,
        }
    }
    if names == 0 || names == 1 && place(&trees[end..]) == Place::Elsewhere {
        return None;
    }
    let path = Path::parse_mod_style.parse2(trees[..end].iter().cloned().collect()).ok()?;
    Some((path, end))
}

/// Whether the tokens go on with something: a method, a lifetime, a variable of a macro, the rest of
/// `<T>::f`.
fn is_part(before: &[TokenTree], trees: &[TokenTree]) -> bool {
    let is = |from_end: usize, chars: &[char]| {
        let tree = before.len().checked_sub(from_end).map(|index| &before[index]);
        matches!(tree, Some(TokenTree::Punct(punct)) if chars.contains(&punct.as_char()))
    };
    match before.last() {
        Some(TokenTree::Punct(punct)) => match punct.as_char() {
            '$' | '\'' => true,
            '.' => !is(2, &['.']),
            ':' => is(2, &[':']),
            '>' => begins_with_colons(trees) && !is(2, &['=', '-']),
            _ => false,
        },
        Some(TokenTree::Ident(ident)) => {
            ident == "fn" || begins_with_colons(trees) && (is(2, &['$']) || !is_keyword(ident))
        }
        Some(TokenTree::Group(_)) => begins_with_colons(trees),
        _ => false,
    }
}

fn is_keyword(ident: &Ident) -> bool {
    syn::parse2::<Ident>(ident.to_token_stream()).is_err()
}

fn begins_with_colons(trees: &[TokenTree]) -> bool {
    matches!(trees, [TokenTree::Punct(first), TokenTree::Punct(second), ..]
        if first.as_char() == ':' && first.spacing() == Spacing::Joint && second.as_char() == ':')
}

fn place(after: &[TokenTree]) -> Place {
    match after.first() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis => Place::Called,
        _ if begins_with_colons(after) => Place::Continued,
        _ => Place::Elsewhere,
    }
}
