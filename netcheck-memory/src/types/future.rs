//! How the future of an `async` block, function or closure lies in memory.

use crate::types::shape::{Field, Lookup, Shape, Variant};
use std::collections::{BTreeMap, BTreeSet};

/// The variables of a future with each name.
pub type Variables = BTreeMap<&'static [u8], Vec<Field>>;

/// Whether a name is that of the future of an `async` block, function or closure, or of the function that polls it.
pub fn is_future(name: &[u8]) -> bool {
    [&b"{async_"[..], b"{gen_", b"{coroutine"].iter().any(|beginning| name.starts_with(beginning))
}

/// Whether it is one of the structures that such a future consists of.
pub fn is_variant_of_future(name: &str) -> bool {
    matches!(name, "Unresumed" | "Returned" | "Panicked") || name.starts_with("Suspend")
}

/// The number of the variant of a future that was not polled yet.
const UNPOLLED: u64 = 0;

/// The shape of a future. Each of its variants is a structure, with the variables that are kept over one await, and then
/// what the future was made with.
///
/// The compiler describes the first of several fields with one name, again and again. Where the future was made with one of
/// them, that one is described in the variant that was not polled yet. Of others, `variables` says where all lie that share
/// the name, and all are read. An `async fn` moves its arguments into variables before its first await, and an `async` block
/// keeps what it captures.
pub fn future(
    name: &str,
    discriminant: (usize, usize),
    variants: &[Variant],
    types: &mut dyn Lookup,
    variables: impl FnOnce(&mut dyn Lookup) -> Variables,
) -> Shape {
    let mut fields_of = |variant: &Variant| match &variant.fields[..] {
        [Field { at: 0, of, .. }] => match &types.get(*of).shape {
            Shape::Struct(fields) => Some(fields.clone()),
            _ => None,
        },
        _ => None,
    };
    let all: Option<Vec<Vec<Field>>> = variants.iter().map(&mut fields_of).collect();
    let unpolled = variants.iter().position(|variant| variant.number == Some(UNPOLLED));
    let (Some(all), Some(unpolled)) = (all, unpolled) else { return Shape::Bytes };
    let made_with = &all[unpolled];
    let moves_all = name.starts_with("{async_fn");
    let is_argument = |field: &Field| moves_all && made_with.iter().any(|argument| argument.at == field.at);
    let mut known =
        if all.iter().all(|fields| hidden(fields, made_with).is_empty()) { Variables::new() } else { variables(types) };
    known.retain(|name, variables| all.iter().all(|fields| are_all(variables, name, fields)));
    let described = variants.iter().zip(&all).map(|(variant, fields)| {
        if variant.number == Some(UNPOLLED) {
            return Variant { number: variant.number, fields: made_with.clone(), has_others: false };
        }
        let hidden = hidden(fields, made_with);
        let is_moved = |field: &Field| {
            moves_all
                && repeats(fields, field.name) == 1
                && made_with.iter().any(|argument| argument.name == field.name)
        };
        let mut kept: Vec<Field> = fields.iter().filter(|field| !is_moved(field)).copied().collect();
        for variables in hidden.iter().filter_map(|name| known.get(name)) {
            kept.extend(variables.iter().filter(|field| !is_argument(field)));
        }
        let has_others = hidden.iter().any(|name| !known.contains_key(name));
        Variant { number: variant.number, fields: kept, has_others }
    });
    let common = if moves_all { Vec::new() } else { made_with.clone() };
    Shape::Enum { common, discriminant, variants: described.collect() }
}

/// How many of a variant's fields have a name.
fn repeats(fields: &[Field], name: &[u8]) -> usize {
    fields.iter().filter(|field| field.name == name).count()
}

/// The names of a variant's fields that are not all described.
fn hidden(fields: &[Field], made_with: &[Field]) -> BTreeSet<&'static [u8]> {
    let is_hidden = |field: &&Field| repeats(fields, field.name) > 1 + usize::from(repeats(made_with, field.name) > 0);
    fields.iter().filter(is_hidden).map(|field| field.name).collect()
}

/// Whether these may be all variables with a name that a variant keeps: as many, and with the one that is described.
fn are_all(variables: &[Field], name: &[u8], fields: &[Field]) -> bool {
    let count = repeats(fields, name);
    let mut described = fields.iter().filter(|field| field.name == name);
    count < 2
        || count <= variables.len() && described.all(|field| variables.iter().any(|variable| variable.at == field.at))
}
