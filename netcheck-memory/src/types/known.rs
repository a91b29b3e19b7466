//! The types that a thread has met.

use crate::types::debug_info::DebugInfo;
use crate::types::shape::{Field, Lookup, Place, Shape, Type, TypeId};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The types that a thread has met.
pub struct Types {
    info: &'static DebugInfo,
    places: Vec<Place>,
    ids: BTreeMap<Place, TypeId>,
    known: Vec<Option<Rc<Type>>>,
    of_tables: BTreeMap<usize, Option<TypeId>>,
    held: BTreeMap<(TypeId, usize, TypeId), bool>,
}

impl Types {
    /// No type yet; `None` if the program was compiled without full debug information.
    pub fn new() -> Option<Types> {
        let info = DebugInfo::of_executable()?;
        Some(Types {
            info,
            places: Vec::new(),
            ids: BTreeMap::new(),
            known: Vec::new(),
            of_tables: BTreeMap::new(),
            held: BTreeMap::new(),
        })
    }

    /// The type of the objects that have this table of functions.
    pub fn of_table(&mut self, table: usize) -> Option<TypeId> {
        if let Some(&known) = self.of_tables.get(&table) {
            return known;
        }
        let of = self.info.of_table(table).map(|place| self.id(place));
        self.of_tables.insert(table, of);
        of
    }

    /// Whether each byte of a structure or array can be read, and none of them is a pointer to a value.
    fn is_plain(&mut self, of: &Type) -> bool {
        match (&of.shape, of.size) {
            (Shape::Bytes, _) => true,
            (Shape::Array(element, _), _) => self.get(*element).is_plain,
            (Shape::Struct(fields), Some(size)) => {
                let mut covered: Vec<(usize, usize)> = Vec::new();
                for field in fields {
                    let of = self.get(field.of);
                    let (true, Some(bytes)) = (of.is_plain, of.size) else { return false };
                    covered.push((field.at, bytes));
                }
                covered.sort_unstable();
                let end = covered.iter().try_fold(0, |end, &(at, bytes)| (at <= end).then_some(end.max(at + bytes)));
                end == Some(size)
            }
            _ => false,
        }
    }

    /// Whether values of one type have a value of another one at a place, in some variant.
    pub fn holds(&mut self, outer: TypeId, at: usize, inner: TypeId) -> bool {
        if at == 0 && self.are_same(outer, inner) {
            return true;
        }
        if let Some(&known) = self.held.get(&(outer, at, inner)) {
            return known;
        }
        let of = self.get(outer);
        let held = match &of.shape {
            Shape::Bytes | Shape::Pointer(_) | Shape::Object { .. } => false,
            Shape::Struct(fields) | Shape::Vector { fields, .. } | Shape::Table { fields, .. } => {
                self.hold(fields, at, inner)
            }
            Shape::Enum { common, variants, .. } => {
                let all = [common].into_iter().chain(variants.iter().map(|variant| &variant.fields));
                all.into_iter().any(|fields| self.hold(fields, at, inner))
            }
            Shape::Array(element, count) => match self.get(*element).size {
                Some(size) if size > 0 => at / size < *count && self.holds(*element, at % size, inner),
                _ => false,
            },
        };
        self.held.insert((outer, at, inner), held);
        held
    }

    fn hold(&mut self, fields: &[Field], at: usize, inner: TypeId) -> bool {
        fields.iter().any(|field| {
            let size = self.get(field.of).size.unwrap_or(usize::MAX);
            let within = at.checked_sub(field.at);
            within.is_some_and(|within| (within < size || within == 0) && self.holds(field.of, within, inner))
        })
    }

    /// Whether two descriptions are of one type: each unit of a compilation has its own.
    pub fn are_same(&mut self, one: TypeId, other: TypeId) -> bool {
        if one == other {
            return true;
        }
        let (one, other) = (self.get(one), self.get(other));
        one.name == other.name && one.size == other.size && layout(&one.shape) == layout(&other.shape)
    }
}

impl Lookup for Types {
    fn id(&mut self, place: Place) -> TypeId {
        let (places, known) = (&mut self.places, &mut self.known);
        *self.ids.entry(place).or_insert_with(|| {
            places.push(place);
            known.push(None);
            places.len() as TypeId - 1
        })
    }

    fn get(&mut self, id: TypeId) -> Rc<Type> {
        if let Some(known) = &self.known[id as usize] {
            return Rc::clone(known);
        }
        let info = self.info;
        let read = info.read(self.places[id as usize], self);
        let unknown = || Type { name: String::new(), size: None, alignment: 1, is_plain: true, shape: Shape::Bytes };
        let mut read = read.unwrap_or_else(unknown);
        read.is_plain = self.is_plain(&read);
        let read = Rc::new(read);
        self.known[id as usize] = Some(Rc::clone(&read));
        read
    }

    fn size(&mut self, id: TypeId) -> Option<usize> {
        match &self.known[id as usize] {
            Some(known) => known.size,
            None => self.info.size(self.places[id as usize]),
        }
    }
}

/// Where the fields lie, and how they are called.
fn layout(shape: &Shape) -> Vec<(usize, &'static [u8])> {
    let of = |fields: &[Field]| fields.iter().map(|field| (field.at, field.name)).collect::<Vec<_>>();
    match shape {
        Shape::Struct(fields) | Shape::Vector { fields, .. } | Shape::Table { fields, .. } => of(fields),
        Shape::Enum { common, variants, .. } => [common]
            .into_iter()
            .chain(variants.iter().map(|variant| &variant.fields))
            .flat_map(|fields| of(fields))
            .collect(),
        Shape::Bytes | Shape::Pointer(_) | Shape::Object { .. } | Shape::Array(..) => Vec::new(),
    }
}
