//! The memory of several local states as a table: a row for each state, a column for each word that differs.

use ahash::{AHashMap, AHashSet, RandomState};
use netcheck_memory::Cell;
use netcheck_runtime::id::TaskId;
use netcheck_runtime::unit::described::{Description, Origin};
use std::collections::BTreeMap;
use std::hash::Hash;

/// Columns with so many others between them belong to one field.
const GAP_MAX: u32 = 1;

/// The way to a part of a memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Way {
    /// A root, by its place among all.
    Root(usize),
    Future(TaskId),
    Variable(&'static str),
    /// Behind the pointer in a word of another part.
    Behind(PlaceId, usize),
}

/// A part of a memory, by the way that leads there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct PlaceId(u32);

/// The ways to parts of memories, by number.
#[derive(Default)]
pub(super) struct Places {
    numbers: AHashMap<Way, PlaceId>,
    /// By place: the root that leads there.
    roots: Vec<PlaceId>,
}

impl Places {
    fn id(&mut self, way: Way) -> PlaceId {
        let next = PlaceId(self.roots.len() as u32);
        let root = if let Way::Behind(before, _) = way { self.root_of(before) } else { next };
        let number = *self.numbers.entry(way).or_insert(next);
        if number == next {
            self.roots.push(root);
        }
        number
    }

    /// The root that leads to a place.
    pub(super) fn root_of(&self, place: PlaceId) -> PlaceId {
        self.roots[place.0 as usize]
    }

    /// The places of all parts of a memory.
    pub(super) fn of(&mut self, description: &Description) -> Vec<PlaceId> {
        let parts = &description.parts;
        let mut places: Vec<Option<PlaceId>> = vec![None; parts.len()];
        for (number, part) in parts.iter().enumerate() {
            let way = match description.origin(number) {
                Origin::Future(task, _) => Some(Way::Future(task)),
                Origin::Variable(name) => Some(Way::Variable(name)),
                Origin::Engine(_) => Some(Way::Root(number)),
                Origin::Allocation => None,
            };
            // An allocation is numbered when it is reached, so its place is known by now.
            let place = match way {
                Some(way) => *places[number].insert(self.id(way)),
                None => places[number].expect("a part is reached from one before it"),
            };
            for (at, cell) in part.cells.iter().enumerate() {
                if let Cell::Pointer { part: to, .. } = *cell
                    && places[to].is_none()
                {
                    places[to] = Some(self.id(Way::Behind(place, at)));
                }
            }
        }
        places.into_iter().flatten().collect()
    }
}

/// A word of a place.
pub(super) type Column = (PlaceId, u32);

/// The value of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Value {
    Number(u64),
    /// A pointer to a place, and the offset there.
    Pointer(PlaceId, usize),
    /// Nanoseconds before the latest instant.
    Instant(u64),
    Stale(u64),
}

/// The value of a word that a state does not have.
const ABSENT: Value = Value::Number(0);

/// Words next to each other that differ.
pub(super) struct Field {
    pub(super) place: PlaceId,
    pub(super) columns: Vec<u32>,
    /// Where it is not as in the first state: the state, and the part of the field in its sum.
    parts: Vec<(u32, u64)>,
}

/// Fields that tell the same states apart.
pub(super) struct Cause {
    pub(super) fields: Vec<usize>,
    /// For each state, which of the values it has.
    classes: Vec<u32>,
}

impl Cause {
    /// Whether states with one value of this have one value of another.
    fn determines(&self, other: &Cause) -> bool {
        let mut values: AHashMap<u32, u32> = AHashMap::new();
        let pairs = self.classes.iter().zip(&other.classes);
        pairs.into_iter().all(|(&own, &others)| *values.entry(own).or_insert(others) == others)
    }
}

/// The memory of several local states.
pub(super) struct Table {
    hasher: RandomState,
    first: AHashMap<Column, Value>,
    /// The states in which a word is not as in the first, for each word that differs.
    others: BTreeMap<Column, Vec<(u32, Value)>>,
    /// For each state: what it waits for, and the sum of its words that differ.
    sums: Vec<(u64, u64)>,
    pub(super) fields: Vec<Field>,
}

impl Table {
    pub(super) fn new() -> Self {
        let hasher = RandomState::with_seeds(5, 6, 7, 8);
        Table { hasher, first: AHashMap::new(), others: BTreeMap::new(), sums: Vec::new(), fields: Vec::new() }
    }

    /// Adds a state; `waits`: the number of the set of operations that it waits for.
    pub(super) fn add(&mut self, places: &mut Places, description: &Description, waits: u64) {
        let of_parts = places.of(description);
        let mut values: AHashMap<Column, Value> = AHashMap::new();
        for (part, &place) in description.parts.iter().zip(&of_parts) {
            for (at, &cell) in (0..).zip(&part.cells) {
                let value = match cell {
                    Cell::Number(number) => Value::Number(number),
                    Cell::Pointer { part, offset } => Value::Pointer(of_parts[part], offset),
                    Cell::Instant(before) => Value::Instant(before),
                    Cell::Stale(rest) => Value::Stale(rest),
                };
                if value != ABSENT {
                    values.insert((place, at), value);
                }
            }
        }
        self.add_values(values, waits);
    }

    fn add_values(&mut self, values: AHashMap<Column, Value>, waits: u64) {
        let state = self.sums.len() as u32;
        self.sums.push((waits, 0));
        if state == 0 {
            self.first = values;
            return;
        }
        let gone = self.first.keys().filter(|column| !values.contains_key(column)).map(|&column| (column, ABSENT));
        let gone: Vec<(Column, Value)> = gone.collect();
        let other = values.into_iter().filter(|(column, value)| self.first.get(column) != Some(value));
        for (column, value) in other.chain(gone) {
            self.others.entry(column).or_default().push((state, value));
        }
    }

    /// Makes fields of the columns.
    pub(super) fn make_fields(&mut self) {
        for (&(place, at), others) in &self.others {
            let is_next = |field: &Field| {
                field.place == place && field.columns.last().is_some_and(|last| at - last <= 1 + GAP_MAX)
            };
            if !self.fields.last().is_some_and(is_next) {
                self.fields.push(Field { place, columns: Vec::new(), parts: Vec::new() });
            }
            let Some(field) = self.fields.last_mut() else { continue };
            field.columns.push(at);
            for &(state, value) in others {
                let part = self.hasher.hash_one((place, at, value));
                self.sums[state as usize].1 = self.sums[state as usize].1.wrapping_add(part);
                field.parts.push((state, part));
            }
        }
        for field in &mut self.fields {
            field.parts.sort_unstable();
            field.parts.dedup_by(|next, last| {
                let is_same = next.0 == last.0;
                if is_same {
                    last.1 = last.1.wrapping_add(next.1);
                }
                is_same
            });
        }
    }

    /// The causes: sets of fields that tell the same states apart.
    pub(super) fn causes(&self) -> Vec<Cause> {
        let mut causes: Vec<Cause> = Vec::new();
        let mut known: AHashMap<Vec<u32>, usize> = AHashMap::new();
        for (number, field) in self.fields.iter().enumerate() {
            let classes = self.classes(field);
            match known.get(&classes) {
                Some(&cause) => causes[cause].fields.push(number),
                None => {
                    known.insert(classes.clone(), causes.len());
                    causes.push(Cause { fields: vec![number], classes });
                }
            }
        }
        causes
    }

    /// For each state, which of the values of a field it has.
    fn classes(&self, field: &Field) -> Vec<u32> {
        let mut classes: AHashMap<u64, u32> = AHashMap::from_iter([(0, 0)]);
        let mut parts = field.parts.iter().copied().peekable();
        let of_states = (0..self.sums.len() as u32).map(|state| {
            let part = parts.next_if(|&(at, _)| at == state).map_or(0, |(_, part)| part);
            let next = classes.len() as u32;
            *classes.entry(part).or_insert(next)
        });
        of_states.collect()
    }

    /// How many states differ.
    pub(super) fn distinct(&self) -> usize {
        self.sums.iter().collect::<AHashSet<_>>().len()
    }

    /// How many states would differ without a cause, and without all fields that have one value wherever it has one.
    pub(super) fn distinct_without(&self, cause: &Cause, causes: &[Cause]) -> usize {
        let mut sums = self.sums.clone();
        let determined = causes.iter().filter(|other| cause.determines(other)).flat_map(|other| &other.fields);
        for &(state, part) in determined.flat_map(|&field| &self.fields[field].parts) {
            sums[state as usize].1 = sums[state as usize].1.wrapping_sub(part);
        }
        sums.into_iter().collect::<AHashSet<_>>().len()
    }

    /// The states as only what they wait for tells them apart: a number for each.
    pub(super) fn by_waits(&self) -> Vec<u64> {
        self.sums.iter().map(|(waits, _)| *waits).collect()
    }

    /// The states as some numbers and a cause tell them apart.
    pub(super) fn told_apart(&self, numbers: &[u64], cause: &Cause) -> Vec<u64> {
        numbers.iter().zip(&cause.classes).map(|pair| self.hasher.hash_one(pair)).collect()
    }

    /// The values of a column, and the states that have them.
    pub(super) fn values(&self, column: Column) -> BTreeMap<Value, u32> {
        let first = self.first.get(&column).copied().unwrap_or(ABSENT);
        let others = self.others.get(&column).into_iter().flatten();
        let mut values = BTreeMap::from_iter([(first, 0)]);
        others.for_each(|&(state, value)| _ = values.entry(value).or_insert(state));
        values
    }

    /// The first state in which a word is not zero.
    pub(super) fn state_with(&self, column: Column) -> usize {
        let values = self.values(column).into_iter().filter(|&(value, _)| value != ABSENT);
        values.map(|(_, state)| state as usize).min().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The words of some states, in rows of few places, and what each waits for.
    fn states() -> impl Strategy<Value = Vec<(u64, Vec<u64>)>> {
        prop::collection::vec((0..2_u64, prop::collection::vec(0..3_u64, 12)), 1..20)
    }

    /// Words of one place with gaps between some of them.
    fn column(word: usize) -> Column {
        (PlaceId(word as u32 / 6), [0, 1, 3, 6, 7, 10][word % 6])
    }

    fn table(states: &[(u64, Vec<u64>)]) -> Table {
        let mut table = Table::new();
        for (waits, words) in states {
            let values = words.iter().enumerate().map(|(word, &value)| (column(word), Value::Number(value)));
            table.add_values(values.filter(|(_, value)| *value != ABSENT).collect(), *waits);
        }
        table.make_fields();
        table
    }

    /// The states as only some words tell them apart, by the definition.
    fn with_words(states: &[(u64, Vec<u64>)], counts: impl Fn(usize) -> bool) -> usize {
        let words = |words: &[u64]| {
            words.iter().enumerate().filter(|(word, _)| counts(*word)).map(|(_, &value)| value).collect()
        };
        states.iter().map(|(waits, all)| (*waits, words(all))).collect::<BTreeSet<(u64, Vec<u64>)>>().len()
    }

    /// Whether states with equal words of one set have equal words of another one.
    fn determines(states: &[(u64, Vec<u64>)], one: &[usize], other: &[usize]) -> bool {
        let of = |state: usize, words: &[usize]| words.iter().map(|&word| states[state].1[word]).collect::<Vec<_>>();
        let all = 0..states.len();
        all.clone().all(|a| all.clone().all(|b| of(a, one) != of(b, one) || of(a, other) == of(b, other)))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn figures_are_those_of_the_definition(states in states()) {
            let table = table(&states);
            let causes = table.causes();
            let words = |cause: &Cause| {
                let columns = cause.fields.iter().map(|&field| &table.fields[field]);
                let columns: Vec<Column> =
                    columns.flat_map(|field| field.columns.iter().map(|&at| (field.place, at))).collect();
                (0..12).filter(|&word| columns.contains(&column(word))).collect::<Vec<_>>()
            };
            assert_eq!(table.distinct(), with_words(&states, |_| true));
            let mut numbers = table.by_waits();
            let mut counted = Vec::new();
            for cause in &causes {
                let of_cause = words(cause);
                let gone: Vec<usize> = causes
                    .iter()
                    .map(words)
                    .filter(|other| determines(&states, &of_cause, other))
                    .flatten()
                    .collect();
                assert_eq!(table.distinct_without(cause, &causes), with_words(&states, |word| !gone.contains(&word)));
                counted.extend(of_cause);
                numbers = table.told_apart(&numbers, cause);
                let told = numbers.iter().collect::<BTreeSet<_>>().len();
                assert_eq!(told, with_words(&states, |word| counted.contains(&word)));
            }
            assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), table.distinct(), "all of them tell all apart");
        }
    }
}
