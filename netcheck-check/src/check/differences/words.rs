//! Causes of differences between local states, in words.

use super::table::{Field, PlaceId, Places, Table, Value};
use crate::error::Error;
use crate::profile::Cause;
use netcheck_memory::Cell;
use netcheck_runtime::id::NodeId;
use netcheck_runtime::unit::caller::Allocated;
use netcheck_runtime::unit::described::{Description, Origin};
use netcheck_runtime::world::system::System;

/// Fields of a cause that are named at the most.
const FIELDS_MAX: usize = 2;

/// Values of a field that are named at the most.
const VALUES_MAX: usize = 4;

/// Values from which on numbers without a gap are taken for a counter.
const COUNTED_MIN: usize = 8;

/// Characters of a type's name at the most.
const TYPE_CHARS_MAX: usize = 60;

const WORD_BYTES: usize = size_of::<u64>();

/// Puts causes into words.
pub(super) struct Words<'a> {
    pub(super) system: &'a mut System,
    pub(super) places: &'a mut Places,
    pub(super) table: &'a Table,
    /// The states of the table.
    pub(super) looked_at: &'a [NodeId],
}

impl Words<'_> {
    /// A cause, how many states it tells apart together with those before it, and how many would be left without it.
    pub(super) fn cause(&mut self, fields: &[usize], told: usize, left: usize) -> Result<Cause, Error> {
        let table = self.table;
        let mut places = Vec::new();
        for &field in fields.iter().take(FIELDS_MAX) {
            places.push(self.field(&table.fields[field])?);
        }
        let more = fields.len().saturating_sub(FIELDS_MAX);
        Ok(Cause { places, more, told, left })
    }

    fn field(&mut self, field: &Field) -> Result<String, Error> {
        let node = self.looked_at[self.table.state_with((field.place, field.columns[0]))];
        let described = self.system.learner.describe(node, true).map_err(|why| Error::new(why.0))?;
        let Some(description) = described else { return Ok("memory that is not there any more".to_owned()) };
        let of_parts = self.places.of(&description);
        let Some(part) = of_parts.iter().position(|&place| place == field.place) else {
            return Ok("memory that is not always reached in this way".to_owned());
        };
        let [start, end] = [field.columns[0] as usize, *field.columns.last().unwrap_or(&0) as usize + 1];
        let bytes = description.parts[part].cells.len().max(end) * WORD_BYTES;
        let range = format!("bytes {}..{} of {bytes}", start * WORD_BYTES, end * WORD_BYTES);
        let at = match description.origin(part) {
            Origin::Future(_, line) => format!("in the future that {line} spawns"),
            Origin::Variable(name) => format!("in `{name}`"),
            Origin::Engine(of) => format!("in what netcheck knows of {of}"),
            Origin::Allocation => {
                let Allocated { at, in_library, of } = description.allocated(part);
                let of = of.and_then(|of| type_in_words(&of)).map_or_else(String::new, |of| format!("of {of}, "));
                match (at, in_library) {
                    (Some(own), Some(library)) => format!("{of}allocated at {own}, in {library}"),
                    (Some(line), None) | (None, Some(line)) => format!("{of}allocated at {line}"),
                    (None, None) => self.reached_from(&description, &of_parts, part),
                }
            }
        };
        Ok(format!("{range} {at}: {}", self.content(field, &description, part)))
    }

    /// An allocation of which no line is known, by the root that leads there.
    fn reached_from(&self, description: &Description, of_parts: &[PlaceId], part: usize) -> String {
        let root = self.places.root_of(of_parts[part]);
        let root = of_parts.iter().position(|&place| place == root).map(|root| description.origin(root));
        match root {
            Some(Origin::Future(_, line)) => format!("behind the future that {line} spawns"),
            Some(Origin::Variable(name)) => format!("behind `{name}`"),
            Some(Origin::Engine(of)) => format!("behind what netcheck knows of {of}"),
            Some(Origin::Allocation) | None => "allocated at a line that is not known".to_owned(),
        }
    }

    /// The difference in a field, in words.
    fn content(&self, field: &Field, description: &Description, part: usize) -> String {
        if let Some(length) = length_before(description, part, field.columns[0] as usize * WORD_BYTES) {
            return format!("what is left behind the length of a buffer, which is {length}");
        }
        let of_columns = field.columns.iter().map(|&column| self.table.values((field.place, column)));
        let of_columns: Vec<Vec<Value>> = of_columns.map(|values| values.into_keys().collect()).collect();
        let pointers = |values: &[Value]| {
            let pointers = values.iter().filter_map(|value| match value {
                Value::Pointer(place, offset) => Some((*place, *offset)),
                _ => None,
            });
            pointers.collect::<Vec<_>>()
        };
        let pointed: Vec<Vec<_>> = of_columns.iter().map(|values| pointers(values)).collect();
        let is_position = |pointers: &&Vec<(PlaceId, usize)>| {
            pointers.len() > 1 && pointers.iter().all(|(place, _)| *place == pointers[0].0)
        };
        if let Some(positions) = pointed.iter().filter(is_position).max_by_key(|pointers| pointers.len()) {
            return format!("a position in a buffer, {} of them", positions.len());
        }
        let kind = |of: fn(&Value) -> bool| of_columns.iter().all(|values| values.iter().all(of));
        if kind(|value| matches!(value, Value::Stale(_) | Value::Number(0))) {
            return "what is left of addresses".to_owned();
        }
        if kind(|value| matches!(value, Value::Instant(_) | Value::Number(0))) {
            return "how long ago something was".to_owned();
        }
        match &of_columns[..] {
            [values] => numbers(values).unwrap_or_else(|| format!("{} values", values.len())),
            _ if pointed.iter().any(|pointers| !pointers.is_empty()) => "pointers to different memory".to_owned(),
            columns => {
                format!("{} words of up to {} values", columns.len(), columns.iter().map(Vec::len).max().unwrap_or(0))
            }
        }
    }
}

/// A type by its name in debug information, without the paths of modules, and not too long; `None` if it has no name.
fn type_in_words(name: &str) -> Option<String> {
    if let Some((function, _)) = name.split_once("::{async_fn_env#") {
        return Some(format!("the future of `{}`", function.rsplit("::").next().unwrap_or(function)));
    }
    if name.contains('{') {
        return None;
    }
    let is_of_path = |sign: char| sign.is_alphanumeric() || sign == '_' || sign == ':';
    let mut short = String::new();
    for part in name.split_inclusive(|sign| !is_of_path(sign)) {
        short.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    Some(match short.char_indices().nth(TYPE_CHARS_MAX) {
        Some((end, _)) => format!("`{}…`", &short[..end]),
        None => format!("`{short}`"),
    })
}

/// Numbers in words, if the values are numbers.
fn numbers(values: &[Value]) -> Option<String> {
    let numbers = values.iter().map(|value| match value {
        Value::Number(number) => Some(*number),
        _ => None,
    });
    let numbers: Vec<u64> = numbers.collect::<Option<_>>()?;
    let (first, last) = (*numbers.first()?, *numbers.last()?);
    if numbers.len() >= COUNTED_MIN && last - first < 2 * numbers.len() as u64 {
        return Some(format!("a number that counts from {first} to {last}"));
    }
    let named: Vec<String> = numbers.iter().take(VALUES_MAX).map(u64::to_string).collect();
    let more = if numbers.len() > VALUES_MAX { format!(", … ({} values)", numbers.len()) } else { String::new() };
    Some(format!("a number: {}{more}", named.join(", ")))
}

/// The length of the buffer of bytes that a part is, if an offset lies behind it: the number next to the first pointer to
/// its start, as in a `Vec<u8>` or a `BytesMut`.
fn length_before(description: &Description, part: usize, offset: usize) -> Option<u64> {
    let room = description.parts[part].cells.len() * WORD_BYTES;
    let is_capacity = |number: u64| number as usize <= room && number as usize > room / 2;
    description.parts.iter().find_map(|owner| {
        let points = |cell: &Cell| matches!(cell, Cell::Pointer { part: to, offset: 0 } if *to == part);
        let at = owner.cells.iter().position(points)?;
        let around = owner.cells[at.saturating_sub(2)..owner.cells.len().min(at + 3)].iter();
        let numbers: Vec<u64> =
            around.filter_map(|cell| if let Cell::Number(number) = cell { Some(*number) } else { None }).collect();
        let has_capacity = numbers.iter().any(|&number| is_capacity(number));
        numbers.into_iter().filter(|&number| has_capacity && !is_capacity(number) && number as usize <= offset).max()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_without_paths() {
        let told = |name| type_in_words(name);
        assert_eq!(told("u64").as_deref(), Some("`u64`"));
        assert_eq!(
            told("alloc::vec::Vec<core::option::Option<(u8, a::B)>, alloc::alloc::Global>").as_deref(),
            Some("`Vec<Option<(u8, B)>, Global>`")
        );
        assert_eq!(told("web::server::{async_fn_env#0}").as_deref(), Some("the future of `server`"));
        assert_eq!(told("web::server::{closure_env#0}"), None);
        let long = told(&"very_long::Name<".repeat(30)).expect("a name");
        assert!(long.len() < 70 && long.ends_with("…`"), "{long}");
    }

    #[test]
    fn numbers_are_told_as_what_they_are() {
        let told = |all: &[u64]| numbers(&all.iter().map(|&number| Value::Number(number)).collect::<Vec<_>>());
        assert_eq!(told(&[3, 900]).as_deref(), Some("a number: 3, 900"));
        assert_eq!(told(&[1, 20, 300, 4_000, 50_000]).as_deref(), Some("a number: 1, 20, 300, 4000, … (5 values)"));
        assert_eq!(told(&(5..20).collect::<Vec<_>>()).as_deref(), Some("a number that counts from 5 to 19"));
        assert_eq!(numbers(&[Value::Stale(1)]), None);
    }
}
