//! How values of a type lie in memory.

use std::rc::Rc;

/// Where a type is described: a unit of the compilation, and where in it.
pub type Place = (usize, usize);

/// The number of a type, for this thread.
pub type TypeId = u32;

/// A type.
#[derive(Debug)]
pub struct Type {
    /// Its name, without the modules in which it lies.
    pub name: String,
    /// In bytes; `None` if it is not known, and values may reach to the end of their allocation.
    pub size: Option<usize>,
    /// The multiple of bytes at which values lie.
    pub alignment: usize,
    /// Whether each byte can be read, and none of them is a pointer to a value.
    pub is_plain: bool,
    /// How values of it lie in memory.
    pub shape: Shape,
}

/// How values of a type lie in memory.
#[derive(Debug)]
pub enum Shape {
    /// Each byte can be read.
    Bytes,
    /// Fields; what lies between them is padding.
    Struct(Vec<Field>),
    /// An enum, or a future of an `async` block or function.
    Enum {
        /// The fields of all variants.
        common: Vec<Field>,
        /// Where the number lies that tells the variants apart, and its bytes.
        discriminant: (usize, usize),
        /// The variants.
        variants: Vec<Variant>,
    },
    /// A pointer to a value.
    Pointer(TypeId),
    /// A pointer to an object, and the table of functions that tells its type.
    Object {
        /// Where the pointer lies.
        pointer: usize,
        /// Where the pointer to the table lies.
        table: usize,
        /// Whether the object lies behind two counters, as that of an `Arc` does.
        is_counted: bool,
    },
    /// So many elements.
    Array(TypeId, usize),
    /// A vector, or one that goes round in its room.
    Vector {
        /// All fields.
        fields: Vec<Field>,
        /// Where the pointer to the elements lies.
        pointer: usize,
        /// Where the number of elements lies.
        length: usize,
        /// Where the number of elements lies for which there is room.
        capacity: usize,
        /// Where the number of the first element lies, if that need not be the first in its room.
        head: Option<usize>,
        /// The type of the elements.
        element: TypeId,
    },
    /// A hash table.
    Table {
        /// All fields.
        fields: Vec<Field>,
        /// Where the pointer lies to what says which buckets are full.
        control: usize,
        /// Where the number of buckets lies, less one.
        mask: usize,
        /// The type of the buckets.
        element: TypeId,
    },
}

/// A variant of an enum.
#[derive(Debug)]
pub struct Variant {
    /// Its number; `None`: that of no other.
    pub number: Option<u64>,
    /// Its fields.
    pub fields: Vec<Field>,
    /// Whether it has fields of which it is not known where they lie: then each byte can be read.
    pub has_others: bool,
}

/// A field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Where it lies.
    pub at: usize,
    /// Its type.
    pub of: TypeId,
    /// Its name.
    pub name: &'static [u8],
}

/// Looks types up that others consist of.
pub trait Lookup {
    /// The number of the type that is described there.
    fn id(&mut self, place: Place) -> TypeId;

    /// A type.
    fn get(&mut self, id: TypeId) -> Rc<Type>;

    /// The size of a type, if it is known. Types point to themselves, so nothing else is read for it.
    fn size(&mut self, id: TypeId) -> Option<usize>;
}
