//! A value that a program has emitted.

use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A value that a program has emitted. Two are equal if their types and their Debug texts are.
#[derive(Clone)]
pub struct Emission {
    pub(super) value: Arc<dyn Any + Send + Sync>,
    pub(super) text: Arc<str>,
    type_name: &'static str,
}

impl Emission {
    /// A value, which must share no memory with the program.
    pub(crate) fn new<T: fmt::Debug + Send + Sync + 'static>(value: T) -> Emission {
        let text = format!("{value:?}").into();
        Emission { value: Arc::new(value), text, type_name: type_name::<T>() }
    }

    /// The value, if it is of this type.
    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        self.value.downcast_ref()
    }

    fn key(&self) -> (TypeId, &str) {
        ((*self.value).type_id(), &self.text)
    }
}

impl PartialEq for Emission {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Emission {}

impl Hash for Emission {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl fmt::Debug for Emission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of type {}", self.text, self.type_name)
    }
}
