//! The code that has allocated each piece of a program's memory, for readers who ask why two images differ.
//!
//! It is noted on the engine's stack and in the system's memory, so that a run in which it is noted finds the same bytes on
//! its own stack, and its allocations at the same places, as any other one.

use crate::place::Stay;
use crate::return_addresses::{is_one_running, return_addresses};
use crate::stacks::call_on_engine_stack;
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;

/// The code that has allocated memory of programs.
#[derive(Debug, Default)]
pub struct Allocations {
    /// By address: the place of the code in `backtraces`. The last allocation at an address counts.
    by_address: BTreeMap<usize, usize>,
    /// By the return addresses on the stack.
    numbers: BTreeMap<Vec<usize>, usize>,
    backtraces: Vec<Backtrace>,
}

thread_local! {
    // Without a destructor: allocators are asked even while a thread ends, and then this says that nothing is noted.
    static IS_NOTED: Cell<bool> = const { Cell::new(false) };
    static NOTED: RefCell<Option<Allocations>> = const { RefCell::new(None) };
}

impl Allocations {
    /// The functions that were running when the memory at an address was allocated.
    #[must_use]
    pub fn of(&self, address: usize) -> Option<&Backtrace> {
        Some(&self.backtraces[*self.by_address.get(&address)?])
    }

    fn note(&mut self, address: usize) {
        let Some(addresses) = return_addresses() else { return };
        let next = self.backtraces.len();
        if !self.numbers.contains_key(&addresses) {
            if is_one_running(&addresses, &with_the_lock()) {
                return;
            }
            self.numbers.insert(addresses.clone(), next);
            self.backtraces.push(Backtrace::force_capture());
        }
        self.by_address.insert(address, self.numbers[&addresses]);
    }
}

/// The functions of the standard library that make or write a backtrace: they hold a lock, and a backtrace that is made
/// within one of them would wait for it.
fn with_the_lock() -> [usize; 4] {
    type Write = fn(&Backtrace, &mut fmt::Formatter<'_>) -> fmt::Result;
    let writing = [<Backtrace as fmt::Debug>::fmt, <Backtrace as fmt::Display>::fmt].map(|write: Write| write as usize);
    [
        Backtrace::capture as fn() -> Backtrace as usize,
        Backtrace::force_capture as fn() -> Backtrace as usize,
        writing[0],
        writing[1],
    ]
}

/// Calls a function, and notes which code allocates memory in arenas on this thread meanwhile.
pub fn recording_allocations<R>(function: impl FnOnce() -> R) -> (R, Allocations) {
    let before = NOTED.replace(Some(Allocations::default()));
    let was_noted = IS_NOTED.replace(true);
    let result = function();
    IS_NOTED.set(was_noted);
    (result, NOTED.replace(before).unwrap_or_default())
}

/// Notes that a program has allocated memory at an address, if that is asked for.
#[inline]
pub(crate) fn note(address: usize) {
    #[cold]
    #[inline(never)]
    fn note(address: usize) {
        // A panic writes a backtrace of its own meanwhile, perhaps.
        if std::thread::panicking() {
            return;
        }
        call_on_engine_stack(|| {
            let _stay = Stay::outside();
            NOTED.with_borrow_mut(|noted| noted.as_mut().map_or((), |noted| noted.note(address)));
        });
    }
    if IS_NOTED.get() {
        note(address);
    }
}
