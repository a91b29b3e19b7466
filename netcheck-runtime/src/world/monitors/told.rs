//! Values that programs tell of their calls on objects.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::Location;
use std::sync::Arc;

/// A value of any type. Two are equal if their types are equal and they are.
#[derive(Clone)]
pub struct Told {
    value: Arc<dyn Comparable>,
    text: Arc<str>,
    type_name: &'static str,
}

/// Values whose type is erased, and that can be compared and hashed all the same.
pub(super) trait Comparable: Any + Send + Sync {
    fn is(&self, other: &dyn Any) -> bool;

    fn hash_to(&self, state: &mut dyn Hasher);
}

impl<T: Eq + Hash + Send + Sync + 'static> Comparable for T {
    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn hash_to(&self, mut state: &mut dyn Hasher) {
        self.hash(&mut state);
    }
}

impl Told {
    /// A value, which must share no memory with the program.
    pub(crate) fn new<T: Eq + Hash + fmt::Debug + Send + Sync + 'static>(value: T) -> Told {
        let text = format!("{value:?}").into();
        Told { value: Arc::new(value), text, type_name: type_name::<T>() }
    }

    /// The value, if it is of this type.
    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.any().downcast_ref()
    }

    pub(super) fn any(&self) -> &(dyn Any + Send + Sync) {
        &*self.value
    }

    /// Its Debug text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn type_name(&self) -> &'static str {
        self.type_name
    }
}

impl PartialEq for Told {
    fn eq(&self, other: &Self) -> bool {
        self.value.is(other.any())
    }
}

impl Eq for Told {}

impl Hash for Told {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.any().type_id().hash(state);
        self.value.hash_to(state);
    }
}

impl fmt::Debug for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A call that a program begins. Its number is used again once the call is over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Invocation {
    pub(crate) number: u32,
    /// The key of the object; `()` without one.
    pub(crate) key: Told,
    pub(crate) operation: Told,
}

/// The end of a call: its answer, or `None` if the program will never tell one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Conclusion {
    pub(crate) number: u32,
    /// The type of the call's operation.
    pub(crate) of: TypeId,
    pub(crate) answer: Option<(Told, &'static Location<'static>)>,
}
