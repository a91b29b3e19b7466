//! The variables of programs: statics and thread-locals.
//!
//! They are a process's memory as much as its heap is: two processes have a copy each, and one that starts again has the
//! first values. A check runs many processes, and many runs of each, in one. So each run has its [`Own`] values: before it is
//! polled they are put in place of those that are there, and afterwards they are kept and the others put back. A run that
//! begins has the values that are there when the check begins ([`First`]).
//!
//! # Whose variables they are
//!
//! Variables of programs are those of the executable that are written, by its table of symbols (`symbols`), but for
//! those of the standard library, netcheck's own, those of the generators that [`generators`] looks after, and of the
//! few crates that keep what belongs to the machine or to its threads ([`OF_THE_MACHINE`]), or that netcheck runs on
//! other threads ([`OF_OTHER_THREADS`]). Variables of C code have no crate in their names, and stay as they are. An
//! executable without symbols has none of them: its runs share everything, as they do on systems that are not supported.
//!
//! # Why a swap is sound
//!
//! A run's values are in place exactly while the run is polled, and while its destructors run; so what a program reads of a
//! variable is what it has last written there, or the first value. What is read and written besides belongs to the test and
//! to the engine, which find the values that they have left. Moving a variable's bytes away and back is no move of its
//! value: it lies at its own address whenever code of its program runs.
//!
//! No other thread may use the variable meanwhile. A thread-local is its thread's alone. Statics are taken over
//! only where the caller promises that no other thread runs code of programs ([`First::new`]); where it does not, they are
//! watched: the names of those that a poll has changed are noted.
//!
//! # What they are in an image
//!
//! A value that differs from the first one is a root of the image of its run: the number of its variable, and its words as
//! those of any object. A value that does not differ is none: so what a run has set back is as if it was never written.
//! With that the [argument](crate::image) holds as it does for the heap, since the values are a part of the run's memory
//! that is named among the roots.
//!
//! # What only they hold
//!
//! A thread-local's destructor is called when its run ends. Nothing drops a static, so what a `OnceLock` has allocated is
//! live when its run has ended. It is freed then, if all that is live in the arena can be reached from the run's variables
//! ([`Arena::free_held`](crate::Arena::free_held)). A test that keeps a `&'static` reference into such memory, got through
//! something that was allocated before the check, would find it gone; if it keeps anything else of the run as well, its
//! arena is retired as a whole.

use crate::image::Scan;
use crate::symbols::{self, Kind, Variable};
use crate::{generators, place, platform, source};
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

/// Crates of the standard library.
const OF_STD: &[&str] =
    &["std", "core", "alloc", "test", "std_detect", "panic_unwind", "panic_abort", "unwind", "proc_macro", "__rustc"];

/// Crates that keep, for the whole system process, what belongs to the machine or to its threads: which instructions and
/// system calls there are (`memchr`, `getrandom`), which threads wait (`parking_lot_core`), and the reactor and its signals.
const OF_THE_MACHINE: &[&str] = &["memchr", "getrandom", "parking_lot_core", "tokio", "mio", "signal_hook_registry"];

/// Crates that run on threads of netcheck's own, while programs are polled: those that explore, and the one that shows how
/// far a check is.
const OF_OTHER_THREADS: &[&str] = &[
    "rayon",
    "rayon_core",
    "crossbeam_epoch",
    "crossbeam_deque",
    "crossbeam_utils",
    "indicatif",
    "console",
    "colorchoice",
];

/// Part of a mangled name.
const OF_LOCAL: &str = "15netcheck_memory9variables5LOCAL";

const WORD_BYTES: usize = size_of::<u64>();

type Destructor = unsafe extern "C" fn(*mut u8);

thread_local! {
    /// A variable of this module, by which the place of a thread's block of variables is found.
    static LOCAL: Cell<usize> = const { Cell::new(0) };
    /// The start of this thread's block of variables; 0 before it is known.
    static BLOCK: Cell<usize> = const { Cell::new(0) };
    /// The destructors of the thread-locals of the run whose values are in place; `None` if those of no run are.
    static DESTRUCTORS: RefCell<Option<Vec<(Destructor, *mut u8)>>> = const { RefCell::new(None) };
}

/// A variable of a program.
struct Found {
    name: String,
    kind: Kind,
    /// Where it is: an address, or the distance from the start of a thread's block.
    at: usize,
    bytes: usize,
    /// Its first word in [`First::words`].
    first: usize,
}

impl Found {
    fn address(&self, block: usize) -> usize {
        match self.kind {
            Kind::Static => self.at,
            Kind::ThreadLocal => block + self.at,
        }
    }

    /// Its words in a copy of all variables: enough for its bytes, wherever in its first word they begin.
    fn words(&self) -> Range<usize> {
        self.first..self.first + words_of(self.bytes)
    }
}

const fn words_of(bytes: usize) -> usize {
    bytes.div_ceil(WORD_BYTES) + 1
}

fn found() -> &'static [Found] {
    static FOUND: OnceLock<Vec<Found>> = OnceLock::new();
    FOUND.get_or_init(|| place::outside(|| source::without_source(|| search().unwrap_or_default())))
}

fn search() -> Option<Vec<Found>> {
    if !source::interposes() {
        return None;
    }
    let block = platform::thread_locals()?.block;
    let executable = symbols::load_address()?;
    let is_local = |of: &&Variable| of.kind == Kind::ThreadLocal && of.bytes == WORD_BYTES;
    let local = LOCAL.with(|local| ptr::from_ref(local).addr());
    if local != block.start + symbols::named(OF_LOCAL).find(is_local)?.offset {
        return None;
    }
    let mut first = 0;
    let of_programs = symbols::variables().iter().filter(|variable| variable.bytes > 0 && is_of_a_program(variable));
    let placed = of_programs.map(|&Variable { ref name, kind, offset, bytes }| {
        let at = if kind == Kind::Static { executable + offset } else { offset };
        let found = Found { name: readable(name), kind, at, bytes, first };
        first += words_of(bytes);
        found
    });
    Some(placed.filter(|found| found.kind == Kind::Static || found.at + found.bytes <= block.len()).collect())
}

/// Whether a variable is one of a program, by its mangled name.
fn is_of_a_program(variable: &Variable) -> bool {
    let mangled = &variable.name;
    if !["_ZN", "_R"].iter().any(|start| mangled.starts_with(start)) || generators::are_of(mangled) {
        return false;
    }
    match symbols::crate_of_path(mangled) {
        Some(name) => is_crate_of_a_program(name),
        None => is_of_a_program_by_path(&format!("{:#}", rustc_demangle::demangle(mangled))),
    }
}

/// Whether a variable is one of a program, by its path.
fn is_of_a_program_by_path(path: &str) -> bool {
    // `<A as B>::f`: a function that one of their crates has.
    let implementor_and_trait = path.split("::<").next().unwrap_or(path).split(" as ").take(2);
    let mut crates = implementor_and_trait.map(|path| {
        let path = path.trim_start_matches(|sign: char| !sign.is_alphanumeric() && sign != '_');
        path.split(|sign: char| !sign.is_alphanumeric() && sign != '_').next().unwrap_or(path)
    });
    crates.any(is_crate_of_a_program)
}

fn is_crate_of_a_program(name: &str) -> bool {
    let is_excluded = [OF_STD, OF_THE_MACHINE, OF_OTHER_THREADS].iter().any(|of| of.contains(&name));
    !name.is_empty() && !name.starts_with("netcheck") && !is_excluded
}

/// The path of a variable, without what the macro `thread_local!` wraps it in.
fn readable(mangled: &str) -> String {
    let name = format!("{:#}", rustc_demangle::demangle(mangled));
    let end = ["::{{constant}}", "::{K#", "::{constant#", "::__KEY", "::__getit"]
        .iter()
        .filter_map(|part| name.find(part))
        .min();
    name[..end.unwrap_or(name.len())].to_owned()
}

/// The start of this thread's block of variables.
fn block() -> usize {
    if BLOCK.get() == 0
        && let Some(locals) = place::outside(platform::thread_locals)
    {
        BLOCK.set(locals.block.start);
    }
    BLOCK.get()
}

/// A value of a variable: its words, of which the first and the last may be used in part.
#[derive(Clone, Debug)]
struct Value {
    /// Its index in [`found`].
    variable: usize,
    words: Box<[u64]>,
}

/// The values of a program's variables that a run has made others than the first.
#[derive(Clone, Debug, Default)]
pub struct Own {
    /// By variable.
    changed: RefCell<Vec<Value>>,
    /// Destructors of thread-locals that have a value.
    destructors: RefCell<Vec<(Destructor, *mut u8)>>,
    /// Whether they are in place.
    is_in_place: Cell<bool>,
}

impl Own {
    /// Whether the run has made no value another than the first.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.changed.borrow().is_empty() && self.destructors.borrow().is_empty()
    }

    /// Whether this holds for one of the words of the values.
    pub(crate) fn has_word(&self, holds: impl Fn(u64) -> bool) -> bool {
        self.changed.borrow().iter().any(|value| value.words.iter().any(|&word| holds(word)))
    }

    /// Makes them those of another moment of the run, or of a new one. None of them is in place.
    pub fn put_back(&self, before: &Own) {
        self.changed.replace(before.changed.borrow().clone());
        self.destructors.replace(before.destructors.borrow().clone());
    }

    /// The paths of the variables, in the order in which [`Own::scan`] adds them.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        self.changed.borrow().iter().map(|value| &*found()[value.variable].name).collect()
    }

    /// Adds the values to an image: two roots for each variable, of which the second is the value.
    pub fn scan(&self, scan: &mut Scan<'_>) {
        for Value { variable, words } in &*self.changed.borrow() {
            scan.word(*variable as u64);
            scan.object::<[u64]>(words);
        }
    }
}

/// The values that a program's variables have when its runs begin.
pub struct First {
    words: Vec<u64>,
    owns_statics: bool,
    /// Statics that a poll has changed.
    changed: RefCell<BTreeSet<usize>>,
}

impl First {
    /// The values that are there now. Only this thread is to use them.
    ///
    /// `owns_statics`: whether each run has statics of its own. Then no other thread of this system process may run code of
    /// programs while one of their runs is polled: neither other checks, nor tests that use the same crates.
    #[must_use]
    pub fn new(owns_statics: bool) -> First {
        place::outside(|| {
            let block = block();
            let mut words = vec![0; found().last().map_or(0, |last| last.words().end)];
            for variable in found() {
                read(variable.address(block), variable.bytes, &mut words[variable.words()]);
            }
            First { words, owns_statics, changed: RefCell::default() }
        })
    }

    /// Calls a function of a program while the values of a run are in place of those that are there.
    pub fn during<R>(&self, own: &Own, function: impl FnOnce() -> R) -> R {
        if self.words.is_empty() || own.is_in_place.replace(true) {
            return function();
        }
        let _swapped = Swapped::new(self, own);
        function()
    }

    /// The statics that polls have changed: each by its path.
    #[must_use]
    pub fn changed_statics(&self) -> Vec<&'static str> {
        self.changed.borrow().iter().map(|&variable| &*found()[variable].name).collect()
    }

    /// The values that are there and differ from these.
    fn differing(&self, block: usize) -> Vec<Value> {
        let mut differing = Vec::new();
        for (index, variable) in found().iter().enumerate() {
            let first = &self.words[variable.words()];
            if !is_equal(variable.address(block), variable.bytes, first) {
                let mut words = vec![0; first.len()].into_boxed_slice();
                read(variable.address(block), variable.bytes, &mut words);
                differing.push(Value { variable: index, words });
            }
        }
        differing
    }

    fn takes_over(&self, variable: usize) -> bool {
        self.owns_statics || found()[variable].kind == Kind::ThreadLocal
    }

    /// Puts the first value of a variable in place.
    fn put_first(&self, variable: usize, block: usize) {
        put(variable, &self.words[found()[variable].words()], block);
    }
}

/// Until it is dropped, the values of a run are in place.
struct Swapped<'a> {
    first: &'a First,
    own: &'a Own,
    block: usize,
    /// The values that were there before and are not the first ones.
    before: Vec<Value>,
    destructors: Option<Vec<(Destructor, *mut u8)>>,
}

impl<'a> Swapped<'a> {
    fn new(first: &'a First, own: &'a Own) -> Swapped<'a> {
        place::outside(|| {
            let block = block();
            let before = first.differing(block);
            for value in before.iter().filter(|value| first.takes_over(value.variable)) {
                first.put_first(value.variable, block);
            }
            own.changed.borrow().iter().for_each(|value| put(value.variable, &value.words, block));
            let destructors = DESTRUCTORS.replace(Some(own.destructors.take()));
            Swapped { first, own, block, before, destructors }
        })
    }
}

impl Drop for Swapped<'_> {
    fn drop(&mut self) {
        place::outside(|| {
            let Swapped { first, own, block, .. } = *self;
            let (changed, others) =
                first.differing(block).into_iter().partition::<Vec<_>, _>(|value| first.takes_over(value.variable));
            for value in &changed {
                first.put_first(value.variable, block);
            }
            for value in self.before.iter().filter(|value| first.takes_over(value.variable)) {
                put(value.variable, &value.words, block);
            }
            let is_new = |value: &&Value| {
                found()[value.variable].kind == Kind::Static
                    && !self.before.iter().any(|before| before.variable == value.variable)
            };
            let statics = changed.iter().chain(&others).filter(is_new);
            first.changed.borrow_mut().extend(statics.map(|value| value.variable));
            own.changed.replace(changed);
            own.destructors.replace(DESTRUCTORS.replace(self.destructors.take()).unwrap_or_default());
            own.is_in_place.set(false);
        });
    }
}

/// Takes over a destructor that is registered, if its thread-local is one of the run whose values are in place.
#[allow(dead_code, reason = "called where the registration is interposed")]
pub(crate) fn adopt(destructor: Destructor, variable: *mut u8) -> bool {
    let Some(at) = variable.addr().checked_sub(BLOCK.get()).filter(|_| BLOCK.get() != 0) else { return false };
    let is_its = |found: &Found| found.kind == Kind::ThreadLocal && (found.at..found.at + found.bytes).contains(&at);
    place::outside(|| {
        DESTRUCTORS.with_borrow_mut(|destructors| {
            let Some(destructors) = destructors.as_mut().filter(|_| found().iter().any(is_its)) else { return false };
            destructors.push((destructor, variable));
            true
        })
    })
}

/// Destroys the values of the thread-locals of the run whose values are in place, the last one first, as when its thread
/// ends.
pub fn destroy_thread_locals() {
    while let Some((destructor, variable)) =
        DESTRUCTORS.with_borrow_mut(|destructors| destructors.as_mut().and_then(Vec::pop))
    {
        // SAFETY: the standard library has registered the destructor for this thread-local, to be called on this thread
        // when the thread needs it no more, and its value is in place. Its next use finds that it was destroyed.
        unsafe { destructor(variable) };
    }
}

/// Puts a value of a variable in place.
fn put(variable: usize, words: &[u64], block: usize) {
    let found = &found()[variable];
    let start = found.address(block);
    for byte in 0..found.bytes {
        let place = start % WORD_BYTES + byte;
        let value = words[place / WORD_BYTES].to_ne_bytes()[place % WORD_BYTES];
        // SAFETY: the byte is one of a variable that is written, of the executable or of this thread. Only this thread uses
        // it (the promise of `First::new`), and no reference to it is used before its own bytes are back. Atomic, so that a
        // broken promise is no more than a wrong value.
        unsafe { AtomicU8::from_ptr(ptr::with_exposed_provenance_mut(start + byte)) }.store(value, Ordering::Relaxed);
    }
}

/// Reads so many bytes as words that begin at multiples of a word; other bytes of these are zero.
fn read(start: usize, bytes: usize, words: &mut [u64]) {
    words.fill(0);
    for (word, value) in words.iter_mut().zip(words_at(start, bytes)) {
        *word = value;
    }
}

fn is_equal(start: usize, bytes: usize, words: &[u64]) -> bool {
    words.iter().zip(words_at(start, bytes)).all(|(&word, value)| word == value)
}

/// So many bytes as words that begin at multiples of a word; other bytes of these are zero.
fn words_at(start: usize, bytes: usize) -> impl Iterator<Item = u64> {
    let end = start + bytes;
    (start - start % WORD_BYTES..end).step_by(WORD_BYTES).map(move |word| {
        if word >= start && word + WORD_BYTES <= end {
            // SAFETY: the word is aligned, and lies in a variable of the executable or of this thread. Atomic, since other
            // threads may use a static that is only watched.
            return unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(word)) }.load(Ordering::Relaxed);
        }
        (word.max(start)..end.min(word + WORD_BYTES)).fold(0, |value, byte| {
            // SAFETY: as above.
            let read = unsafe { AtomicU8::from_ptr(ptr::with_exposed_provenance_mut(byte)) }.load(Ordering::Relaxed);
            value | u64::from(read) << (8 * (byte - word))
        })
    })
}
