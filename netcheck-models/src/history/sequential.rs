//! Objects by what they do for one caller at a time, and the names of calls.

use super::bag::Table;
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// An object by what it does when it is used by one caller at a time: its state, and how each operation changes it and is
/// answered.
///
/// `apply` must depend on nothing else than the state and the operation, and equal states must behave equally.
///
/// # Examples
///
/// A counter:
///
/// ```
/// use netcheck_models::history::Sequential;
///
/// #[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
/// struct Counter(u64);
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// struct Add(u64);
///
/// impl Sequential for Counter {
///     type Operation = Add;
///     type Answer = u64;
///
///     fn apply(&mut self, Add(number): &Add) -> u64 {
///         self.0 += number;
///         self.0
///     }
/// }
///
/// let mut counter = Counter::default();
/// assert_eq!([counter.apply(&Add(2)), counter.apply(&Add(3))], [2, 5]);
/// ```
pub trait Sequential: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// The operations, with their arguments.
    type Operation: Clone + Eq + Hash + Debug + Send + Sync + 'static;
    /// The answers.
    type Answer: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// Applies an operation, and says how it is answered.
    fn apply(&mut self, operation: &Self::Operation) -> Self::Answer;
}

/// The name of a call that has not returned. A number is used again when its call is over, so that histories return to
/// the same names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Call {
    /// The process that has made the call.
    pub process: Arc<str>,
    /// The part of the process that numbers its calls by itself.
    pub part: u32,
    /// The number among its calls that have not returned.
    pub number: u32,
}

/// Objects that are alike, each with its key. The object of a key is made when the key is first used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Keyed<K, S> {
    initial: S,
    /// Without those that are as they began.
    objects: Table<K, S>,
}

impl<K, S> Keyed<K, S> {
    /// Objects that all begin in this state.
    #[must_use]
    pub fn new(initial: S) -> Self {
        Keyed { initial, objects: Table::default() }
    }
}

impl<K, S> Sequential for Keyed<K, S>
where
    K: Clone + Eq + Hash + Debug + Send + Sync + 'static,
    S: Sequential,
{
    type Operation = (K, S::Operation);
    type Answer = S::Answer;

    fn apply(&mut self, (key, operation): &(K, S::Operation)) -> S::Answer {
        let mut object = self.objects.get(key).unwrap_or(&self.initial).clone();
        let answer = object.apply(operation);
        let changed = (object != self.initial).then_some(object);
        self.objects.put(key, changed);
        answer
    }
}
