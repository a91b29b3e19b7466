//! The functions that poll futures: they say where a future's variables lie that share a name.
//!
//! LLVM takes two members of one name in one structure for the same. So of two variables `pinned` of a future, which is what
//! two calls of `pin!` make, the description of the future says where the first one lies, twice. The function that polls the
//! future is described by its variables, each for itself: a variable that is kept over an await lies so many bytes behind
//! what the function was called with, any other one on the stack.
//!
//! # Why no variable is left out
//!
//! Only functions count that were compiled without optimization, so that each variable lies in one place for all of its
//! life; a list of places is a sign of the contrary. And a name is only known if each of its variables has a place there,
//! if the described field is among these, and if there are as many as any variant of the future has. What is more than that
//! does no harm: it is read in addition.

use crate::types::executable::{Bytes, Executable};
use crate::types::future::is_future;
use crate::types::shape::Place;
use gimli::{AttributeValue, EntriesTreeNode, Operation, UnitOffset};
use std::collections::BTreeMap;

/// The functions that poll futures.
pub struct Polls {
    /// The paths of futures, by where they are described.
    paths: BTreeMap<Place, Vec<u8>>,
    /// The functions that poll the future with a path. Each unit that calls it may have one.
    functions: BTreeMap<Vec<u8>, Vec<Place>>,
}

/// A variable of a future.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Where in the future it lies.
    pub at: usize,
    /// Its type.
    pub of: Place,
}

impl Polls {
    /// The functions of an executable.
    pub fn of(executable: &Executable) -> Polls {
        let mut polls = Polls { paths: BTreeMap::new(), functions: BTreeMap::new() };
        for unit in 0..executable.units.len() {
            // A unit that can't be read has no functions.
            let _ = polls.add(executable, unit);
        }
        polls
    }

    fn add(&mut self, executable: &Executable, number: usize) -> gimli::Result<()> {
        let mut entries = executable.units[number].entries_raw(None)?;
        // The names of the modules and functions around, each with its depth.
        let mut around: Vec<(isize, &[u8])> = Vec::new();
        while !entries.is_empty() {
            let (depth, offset) = (entries.next_depth(), entries.next_offset());
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            let tag = abbreviation.tag();
            if !matches!(tag, gimli::DW_TAG_namespace | gimli::DW_TAG_structure_type | gimli::DW_TAG_subprogram) {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let (mut name, mut has_code): (&[u8], bool) = (b"", false);
            for &specification in abbreviation.attributes() {
                let attribute = entries.read_attribute(specification)?;
                match attribute.name() {
                    gimli::DW_AT_name => name = executable.text(number, attribute.value()),
                    gimli::DW_AT_low_pc => has_code = true,
                    _ => {}
                }
            }
            around.truncate(around.partition_point(|&(outer, _)| outer < depth));
            if tag == gimli::DW_TAG_namespace {
                around.push((depth, name));
            } else if is_future(name) {
                let place = (number, offset.0);
                let path =
                    |own: &[u8]| around.iter().map(|&(_, name)| name).chain([own]).collect::<Vec<_>>().join(&b':');
                if tag == gimli::DW_TAG_structure_type {
                    self.paths.insert(place, path(name));
                } else if has_code && let Some(future) = polled(name) {
                    self.functions.entry(path(&future)).or_default().push(place);
                }
            }
        }
        Ok(())
    }

    /// The variables of a future that is described there, with each name of which all places are known. Where several
    /// functions poll it, all that know a name's places have to agree.
    pub fn variables(&self, executable: &Executable, future: Place) -> BTreeMap<&'static [u8], Vec<Variable>> {
        let functions = self.paths.get(&future).and_then(|path| self.functions.get(path));
        let mut answers: BTreeMap<_, Vec<Vec<Variable>>> = BTreeMap::new();
        for described in functions.into_iter().flatten().filter_map(|&function| variables_of(executable, function)) {
            for (name, known) in described {
                answers.entry(name).or_default().extend(known);
            }
        }
        let places = |known: &[Variable]| known.iter().map(|variable| variable.at).collect::<Vec<_>>();
        answers.retain(|_, known| known.windows(2).all(|pair| places(&pair[0]) == places(&pair[1])));
        answers.into_iter().filter_map(|(name, mut known)| Some((name, known.pop()?))).collect()
    }
}

/// The variables of a function with each name; `None`: it is not known where all of them lie.
type Variables = BTreeMap<&'static [u8], Option<Vec<Variable>>>;

/// Where a variable is.
enum Lies {
    /// So many bytes behind the address that lies at a place of the stack.
    Behind { pointer: i64, at: usize },
    /// Elsewhere, on the stack or nowhere.
    Elsewhere,
    /// It is not said.
    Unknown,
}

/// A variable of a function, and where it is.
type Described = (&'static [u8], Place, Lies);

/// The variables of a future, by the function that polls it; `None` if the function was optimized.
fn variables_of(executable: &Executable, (number, offset): Place) -> Option<Variables> {
    let unit = &executable.units[number];
    let mut all = Vec::new();
    let mut tree = unit.entries_tree(Some(UnitOffset(offset))).ok()?;
    add_variables(executable, number, tree.root().ok()?, &mut all)?;
    let mut pointers: BTreeMap<i64, usize> = BTreeMap::new();
    for (_, _, lies) in &all {
        if let Lies::Behind { pointer, .. } = lies {
            *pointers.entry(*pointer).or_default() += 1;
        }
    }
    // Nearly all of the variables behind pointers are the future's.
    let (&future, _) = pointers.iter().max_by_key(|(_, count)| **count)?;
    let mut variables = Variables::new();
    for (name, of, lies) in all {
        let known = variables.entry(name).or_insert_with(|| Some(Vec::new()));
        match lies {
            Lies::Behind { pointer, at } if pointer == future => {
                known.iter_mut().for_each(|all| all.push(Variable { at, of }))
            }
            Lies::Behind { .. } | Lies::Elsewhere => {}
            Lies::Unknown => *known = None,
        }
    }
    variables.values_mut().flatten().for_each(|known| known.sort_unstable_by_key(|variable| variable.at));
    Some(variables)
}

/// Adds the variables of a function or of a block in it, but not of what was inlined; `None` if the function was optimized.
fn add_variables(
    executable: &Executable,
    number: usize,
    block: EntriesTreeNode<'_, '_, Bytes>,
    all: &mut Vec<Described>,
) -> Option<()> {
    let mut children = block.children();
    while let Some(child) = children.next().ok()? {
        let entry = child.entry();
        match entry.tag() {
            gimli::DW_TAG_lexical_block => add_variables(executable, number, child, all)?,
            gimli::DW_TAG_variable => {
                let lies = match entry.attr_value(gimli::DW_AT_location) {
                    Some(AttributeValue::Exprloc(location)) => lies(executable, number, location),
                    // A list of places.
                    Some(_) => return None,
                    None => Lies::Unknown,
                };
                let of = entry.attr_value(gimli::DW_AT_type).and_then(|of| executable.place(number, of));
                match of {
                    Some(of) => all.push((executable.name(number, entry), of, lies)),
                    None => return None,
                }
            }
            _ => {}
        }
    }
    Some(())
}

/// Where a variable is by its location.
fn lies(executable: &Executable, number: usize, location: gimli::Expression<Bytes>) -> Lies {
    let mut operations = location.operations(executable.units[number].encoding());
    let mut all = Vec::new();
    loop {
        match operations.next() {
            Ok(Some(operation)) => all.push(operation),
            Ok(None) => break,
            Err(_) => return Lies::Unknown,
        }
    }
    let behind = |pointer: i64, at: u64| at.try_into().map_or(Lies::Unknown, |at| Lies::Behind { pointer, at });
    match all[..] {
        [Operation::FrameOffset { .. }] => Lies::Elsewhere,
        [Operation::FrameOffset { offset }, Operation::Deref { .. }] => behind(offset, 0),
        [Operation::FrameOffset { offset }, Operation::Deref { .. }, Operation::PlusConstant { value }] => {
            behind(offset, value)
        }
        // A variable that was captured by reference lies where the future points.
        [Operation::FrameOffset { .. }, Operation::Deref { .. }, ref rest @ ..]
            if rest.iter().all(|then| matches!(then, Operation::Deref { .. } | Operation::PlusConstant { .. })) =>
        {
            Lies::Elsewhere
        }
        _ => Lies::Unknown,
    }
}

/// The name of the future that a function with this name polls: `{async_block_env#0}<T>` of `{async_block#0}<T>`.
fn polled(name: &[u8]) -> Option<Vec<u8>> {
    let number = name.iter().position(|&byte| byte == b'#')?;
    Some([&name[..number], b"_env", &name[number..]].concat())
}
