//! The types that the executable's debug information describes.

use crate::types::executable::{self, Bytes, Entry, Executable, number};
use crate::types::future::{Variables, future, is_future, is_variant_of_future};
use crate::types::polls::{Polls, Variable};
use crate::types::shape::{Field, Lookup, Place, Shape, Type, TypeId, Variant};
use gimli::{AttributeValue, DwAt, EntriesTreeNode, UnitOffset};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

/// The debug information of the executable.
pub struct DebugInfo {
    executable: Executable,
    /// The types of objects, by where in the executable their tables of functions lie.
    of_tables: BTreeMap<u64, Place>,
    /// The functions that poll futures, once some future's variables are to be found by them.
    polls: OnceLock<Polls>,
}

impl DebugInfo {
    /// The debug information of the executable; `None` if it can't be read, or tells no types. To be called where
    /// allocations are the system's, and no source is asked.
    pub fn of_executable() -> Option<&'static DebugInfo> {
        static READ: OnceLock<Option<DebugInfo>> = OnceLock::new();
        READ.get_or_init(|| DebugInfo::read_executable().filter(|info| !info.of_tables.is_empty())).as_ref()
    }

    fn read_executable() -> Option<DebugInfo> {
        let executable = Executable::read()?;
        let mut info = DebugInfo { executable, of_tables: BTreeMap::new(), polls: OnceLock::new() };
        for number in 0..info.executable.units.len() {
            let tables = info.tables_of(number).ok()?;
            info.of_tables.extend(tables);
        }
        Some(info)
    }

    /// The tables of functions that a unit describes, and the types of their objects.
    fn tables_of(&self, number: usize) -> gimli::Result<Vec<(u64, Place)>> {
        let Executable { dwarf, units, .. } = &self.executable;
        let unit = &units[number];
        let mut tables = Vec::new();
        let mut entries = unit.entries_raw(None)?;
        while !entries.is_empty() {
            let Some(abbreviation) = entries.read_abbreviation()? else { continue };
            if abbreviation.tag() != gimli::DW_TAG_variable {
                entries.skip_attributes(abbreviation.attributes())?;
                continue;
            }
            let (mut is_table, mut address, mut of) = (false, None, None);
            for &specification in abbreviation.attributes() {
                let attribute = entries.read_attribute(specification)?;
                match (attribute.name(), attribute.value()) {
                    (gimli::DW_AT_name, name) => {
                        is_table = dwarf.attr_string(unit, name)?.slice().ends_with(b"{vtable}");
                    }
                    (gimli::DW_AT_location, AttributeValue::Exprloc(location)) => {
                        address = match location.operations(unit.encoding()).next()? {
                            Some(gimli::Operation::Address { address }) => Some(address),
                            Some(gimli::Operation::AddressIndex { index }) => Some(dwarf.address(unit, index)?),
                            _ => None,
                        };
                    }
                    (gimli::DW_AT_type, AttributeValue::UnitRef(table)) => of = Some(table),
                    _ => {}
                }
            }
            if let (true, Some(address), Some(table)) = (is_table, address, of)
                && let Some(AttributeValue::UnitRef(of)) = unit.entry(table)?.attr_value(gimli::DW_AT_containing_type)
            {
                tables.push((address, (number, of.0)));
            }
        }
        Ok(tables)
    }

    /// Where the type of the objects is described that have this table of functions.
    pub fn of_table(&self, address: usize) -> Option<Place> {
        self.of_tables.get(&(address.checked_sub(self.executable.loaded_at)? as u64)).copied()
    }

    /// The size of a type, if it is said there.
    pub fn size(&self, (number, offset): Place) -> Option<usize> {
        let entry = self.executable.units[number].entry(UnitOffset(offset)).ok()?;
        match entry.tag() {
            gimli::DW_TAG_pointer_type => Some(size_of::<usize>()),
            _ => executable::number(&entry, gimli::DW_AT_byte_size),
        }
    }

    /// Reads the description of a type.
    pub fn read(&self, (number, offset): Place, types: &mut dyn Lookup) -> Option<Type> {
        let unit = &self.executable.units[number];
        let mut tree = unit.entries_tree(Some(UnitOffset(offset))).ok()?;
        let reader = Reader { info: self, number };
        reader.read(tree.root().ok()?, types)
    }

    /// The variables of a future with each name of which it is known where all of them lie.
    fn variables(&self, future: Place, types: &mut dyn Lookup) -> Variables {
        let polls = self.polls.get_or_init(|| Polls::of(&self.executable));
        let mut field = |name, variable: Variable| Field { at: variable.at, of: types.id(variable.of), name };
        let known = polls.variables(&self.executable, future).into_iter();
        known.map(|(name, all)| (name, all.into_iter().map(|variable| field(name, variable)).collect())).collect()
    }
}

/// Where the number lies that tells variants apart, if there are several, and the variants.
type Variants = (Option<(usize, usize)>, Vec<Variant>);

/// Reads descriptions in one unit.
struct Reader<'a> {
    info: &'a DebugInfo,
    number: usize,
}

impl Reader<'_> {
    fn read(&self, root: EntriesTreeNode<'_, '_, Bytes>, types: &mut dyn Lookup) -> Option<Type> {
        let entry = root.entry();
        let size = number(entry, gimli::DW_AT_byte_size);
        let name = String::from_utf8_lossy(self.name(entry)).into_owned();
        let of = self.reference(entry, gimli::DW_AT_type, types);
        let alignment = number(entry, gimli::DW_AT_alignment).filter(|alignment| *alignment > 0);
        let (size, shape) = match entry.tag() {
            gimli::DW_TAG_pointer_type => {
                let shape = of.filter(|&of| is_told(types, of)).map_or(Shape::Bytes, Shape::Pointer);
                (Some(size.unwrap_or(size_of::<usize>())), shape)
            }
            gimli::DW_TAG_array_type => {
                let (element, mut count, mut children) = (of?, None, root.children());
                while let Some(child) = children.next().ok()? {
                    let bound = || number(child.entry(), gimli::DW_AT_upper_bound)?.checked_add(1);
                    count = number(child.entry(), gimli::DW_AT_count).or_else(bound);
                }
                (Some(types.get(element).size?.checked_mul(count?)?), Shape::Array(element, count?))
            }
            gimli::DW_TAG_structure_type => (size, self.structure(root, &name, types)?),
            _ => (size, Shape::Bytes),
        };
        Some(Type { name, size, alignment: alignment.unwrap_or(1), is_plain: false, shape })
    }

    fn structure(&self, root: EntriesTreeNode<'_, '_, Bytes>, name: &str, types: &mut dyn Lookup) -> Option<Shape> {
        let (mut fields, mut element, mut part) = (Vec::new(), None, None);
        let place = (self.number, root.entry().offset().0);
        let mut children = root.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_member => fields.push(self.field(entry, types)?),
                gimli::DW_TAG_template_type_parameter if self.name(entry) == b"T" => {
                    element = self.reference(entry, gimli::DW_AT_type, types);
                }
                gimli::DW_TAG_variant_part => part = Some(self.variants(child, types)?),
                _ => {}
            }
        }
        let at = |name: &str| Some(fields.iter().find(|field| field.name == name.as_bytes())?.at);
        if let (Some(pointer), Some(table)) = (at("pointer"), at("vtable")) {
            // `dyn Future` and `(dyn Future + Send)`
            let name = name.replacen("<(dyn", "<dyn", 1).replacen("(dyn", "dyn", 1);
            let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| name.starts_with(beginning));
            return Some(match () {
                () if begins(&OBJECTS) => Shape::Object { pointer, table, is_counted: false },
                () if begins(&COUNTED) => Shape::Object { pointer, table, is_counted: true },
                () => Shape::Bytes,
            });
        }
        if let Some(element) = element
            && let Some(shape) = container(name, &fields, element, types)
        {
            return Some(shape);
        }
        Some(match part {
            None if has_repeated(&fields) && !is_variant_of_future(name) => Shape::Bytes,
            None => Shape::Struct(fields),
            Some((Some(discriminant), variants)) if is_future(name.as_bytes()) => {
                future(name, discriminant, &variants, types, |types| self.info.variables(place, types))
            }
            Some((Some(discriminant), variants)) => Shape::Enum { common: fields, discriminant, variants },
            // An enum of one variant has no number.
            Some((None, mut variants)) if variants.len() == 1 => {
                fields.append(&mut variants[0].fields);
                Shape::Struct(fields)
            }
            Some((None, _)) => Shape::Bytes,
        })
    }

    /// Where the number of the variant lies, and the variants.
    fn variants(&self, part: EntriesTreeNode<'_, '_, Bytes>, types: &mut dyn Lookup) -> Option<Variants> {
        let told_by = match part.entry().attr_value(gimli::DW_AT_discr) {
            Some(AttributeValue::UnitRef(offset)) => Some(offset),
            _ => None,
        };
        let (mut discriminant, mut variants) = (None, Vec::new());
        let mut children = part.children();
        while let Some(child) = children.next().ok()? {
            let entry = child.entry();
            if Some(entry.offset()) == told_by {
                let field = self.field(entry, types)?;
                // Numbers of 128 bits are not read.
                let bytes = types.get(field.of).size.filter(|bytes| (1..=size_of::<u64>()).contains(bytes))?;
                discriminant = Some((field.at, bytes));
            }
            if entry.tag() != gimli::DW_TAG_variant {
                continue;
            }
            let number = match entry.attr_value(gimli::DW_AT_discr_value) {
                None => None,
                Some(value) => Some(value.udata_value().or_else(|| Some(value.sdata_value()?.cast_unsigned()))?),
            };
            let (mut fields, mut members) = (Vec::new(), child.children());
            while let Some(member) = members.next().ok()? {
                if member.entry().tag() == gimli::DW_TAG_member {
                    fields.push(self.field(member.entry(), types)?);
                }
            }
            variants.push(Variant { number, fields, has_others: false });
        }
        let others = variants.iter().filter(|variant| variant.number.is_none()).count();
        (discriminant.is_none() || others <= 1).then_some((discriminant, variants))
    }

    fn field(&self, entry: &Entry, types: &mut dyn Lookup) -> Option<Field> {
        let at = number(entry, gimli::DW_AT_data_member_location)?;
        Some(Field { at, of: self.reference(entry, gimli::DW_AT_type, types)?, name: self.name(entry) })
    }

    /// The type that an attribute refers to.
    fn reference(&self, entry: &Entry, attribute: DwAt, types: &mut dyn Lookup) -> Option<TypeId> {
        let place = self.info.executable.place(self.number, entry.attr_value(attribute)?)?;
        Some(types.id(place))
    }

    fn name(&self, entry: &Entry) -> &'static [u8] {
        self.info.executable.name(self.number, entry)
    }
}

/// Where a field of a field … lies in a structure.
fn path(types: &mut dyn Lookup, fields: &[Field], names: &[&str]) -> Option<usize> {
    let (first, rest) = names.split_first()?;
    let field = fields.iter().find(|field| field.name == first.as_bytes())?;
    if rest.is_empty() {
        return Some(field.at);
    }
    let of = types.get(field.of);
    let (Shape::Struct(inner) | Shape::Vector { fields: inner, .. }) = &of.shape else { return None };
    Some(field.at + path(types, inner, rest)?)
}

/// Whether some fields have one name.
fn has_repeated(fields: &[Field]) -> bool {
    let names: BTreeSet<&[u8]> = fields.iter().map(|field| field.name).collect();
    names.len() < fields.len()
}

/// A vector or a hash table of the standard library, as it lies in memory since Rust 1.85.
fn container(name: &str, fields: &[Field], element: TypeId, types: &mut dyn Lookup) -> Option<Shape> {
    let is = |of: &str| name.strip_prefix(of).is_some_and(|rest| rest.starts_with('<'));
    let mut at = |names: &[&str]| path(types, fields, names);
    if is("Vec") || is("VecDeque") {
        let head = if is("Vec") { None } else { Some(at(&["head"])?) };
        let (pointer, capacity) = (at(&["buf", "inner", "ptr"])?, at(&["buf", "inner", "cap"])?);
        return Some(Shape::Vector {
            fields: fields.to_vec(),
            pointer,
            length: at(&["len"])?,
            capacity,
            head,
            element,
        });
    }
    if is("RawTable") {
        let (control, mask) = (at(&["table", "ctrl"])?, at(&["table", "bucket_mask"])?);
        return Some(Shape::Table { fields: fields.to_vec(), control, mask, element });
    }
    None
}

/// How the names of pointers to objects begin.
const OBJECTS: [&str; 5] = ["alloc::boxed::Box<dyn ", "&dyn ", "&mut dyn ", "*const dyn ", "*mut dyn "];

/// How the names of pointers to objects behind two counters begin.
const COUNTED: [&str; 2] = ["*const alloc::sync::ArcInner<dyn ", "*const alloc::rc::RcInner<dyn "];

/// Whether a pointer to a type says what lies there: one to a byte or to nothing may point to anything.
fn is_told(types: &mut dyn Lookup, of: TypeId) -> bool {
    types.size(of).is_some_and(|size| size > 1)
}
