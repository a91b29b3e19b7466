//! The thread-local generators of `rand`, `fastrand` and `futures`.
//!
//! `rand::rng()`, `rand::random()` and the functions of `fastrand` draw from a generator that a thread-local variable
//! keeps. It would go on from poll to poll, and from program to program, so that what a program draws would depend on
//! what else was polled. So each poll has these variables as a new thread has them: `rand` then makes a generator anew,
//! which takes its seed from the [source](crate::Source) of the poll, and `fastrand`, which would take its seed from the
//! clock and the number of the thread, finds one that the source has given. `futures::select!` draws in which order it polls
//! its futures: it finds the same number in each poll, so that it has one order there, and what it draws is no state.
//! Afterwards the variables are as before.
//!
//! The variables are found by name, in the executable's table of symbols (`symbols`), once in a program. They are taken
//! for what they are only if a variable of this module, which the same code of the standard library keeps, is found
//! there too, at its place. Otherwise nothing is done, and a program that draws from them is not deterministic.

use crate::source::{self, Source};
use crate::symbols::{self, Kind, Variable};
use crate::{place, platform};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

/// Part of the mangled name of the variable, in each version of `rand` from 0.8 on and each way of mangling.
const OF_RAND: &str = "4rand4rngs6thread14THREAD_RNG_KEY";
const OF_FASTRAND: &str = "8fastrand10global_rng3RNG";
/// `futures::select!` draws from it in which order it polls.
const OF_FUTURES: &str = "12futures_util11async_await6random6random3RNG";
const OF_THIS: &str = "15netcheck_memory10generators5PROBE";

/// Where a generator of `futures` begins in each poll.
const BEGIN_OF_FUTURES: u64 = 0x6e65_7463_6865_636b;

/// The most variables that are looked after: one for each version of a crate.
const VARIABLES_MAX: usize = 12;
/// The bytes of each: an address or a number, and whether it is there.
const BYTES: usize = 16;

type Bytes = [u8; BYTES];
type Destructor = unsafe extern "C" fn(*mut u8);

thread_local! {
    /// As `fastrand` keeps its generator: a number that is computed at its first use.
    static PROBE: Cell<u64> = Cell::new(computed_at_first_use());
    /// The start of this thread's block of variables; 0 before it is known.
    static BLOCK: Cell<usize> = const { Cell::new(0) };
    /// The seed that `fastrand` has found in the current poll.
    static SEED: Cell<Option<u64>> = const { Cell::new(None) };
    /// The destructors of the variables that the current poll has initialised.
    static DESTRUCTORS: Cell<[Option<(Destructor, *mut u8)>; VARIABLES_MAX]> =
        const { Cell::new([None; VARIABLES_MAX]) };
}

/// The number does not matter, but that it is no constant.
#[inline(never)]
fn computed_at_first_use() -> u64 {
    std::hint::black_box(0)
}

/// The variables of this program.
#[derive(Default)]
struct Found {
    /// Generators of `rand`, by their distance from the start of a block, with the bytes that they have in a new thread.
    lazy: Vec<(usize, Bytes)>,
    /// Generators of `fastrand`, in the same way.
    words: Vec<(usize, Bytes)>,
    /// The generators of `futures`, in the same way.
    orders: Vec<(usize, Bytes)>,
    /// A number that was computed, as bytes; the number itself is at this index.
    computed: Bytes,
    number_at: usize,
}

impl Found {
    fn all(&self) -> impl Iterator<Item = &(usize, Bytes)> {
        self.lazy.iter().chain(&self.words).chain(&self.orders)
    }

    /// The bytes of a number that was computed.
    fn computed(&self, number: u64) -> Bytes {
        let mut bytes = self.computed;
        bytes[self.number_at..self.number_at + 8].copy_from_slice(&number.to_ne_bytes());
        bytes
    }
}

fn found() -> &'static Found {
    static FOUND: OnceLock<Found> = OnceLock::new();
    FOUND.get_or_init(|| place::outside(|| source::without_source(|| search().unwrap_or_default())))
}

fn search() -> Option<Found> {
    let locals = platform::thread_locals()?;
    let named = |part| symbols::named(part).filter(|variable| variable.kind == Kind::ThreadLocal);
    let at = PROBE.with(|probe| ptr::from_ref(probe).addr());
    let fits = |variable: &&Variable| {
        let end = locals.block.start.saturating_add(variable.offset).saturating_add(BYTES);
        variable.bytes == BYTES && end <= locals.block.end
    };
    let of_this = named(OF_THIS).find(fits)?;
    let number_at = at.checked_sub(locals.block.start.checked_add(of_this.offset)?).filter(|&at| at + 8 <= BYTES)?;
    // SAFETY: the bytes are the variable's, on this thread, which the look at it has initialised.
    let computed = unsafe { read(locals.block.start + of_this.offset) };
    let with_new = |variable: &Variable| (variable.offset, locals.new_bytes::<BYTES>(variable.offset));
    let found = |part| named(part).filter(fits).map(with_new).take(VARIABLES_MAX / 3).collect();
    let [lazy, words, orders] = [OF_RAND, OF_FASTRAND, OF_FUTURES].map(found);
    Some(Found { lazy, words, orders, computed, number_at })
}

/// Whether a variable is one of these, by its mangled name.
pub(crate) fn are_of(mangled: &str) -> bool {
    [OF_RAND, OF_FASTRAND, OF_FUTURES].iter().any(|part| mangled.contains(part))
}

/// The start of this thread's block of variables, if the program has generators.
fn block() -> Option<usize> {
    found().all().next()?;
    if BLOCK.get() == 0 {
        BLOCK.set(place::outside(platform::thread_locals)?.block.start);
    }
    Some(BLOCK.get())
}

/// Calls a function that has this source of randomness and time, on this thread, and generators of its own.
///
/// Where the system's functions are not interposed (see [`interposes`](crate::interposes)), it just calls the function.
pub fn with_source<R>(source: &dyn Source, function: impl FnOnce() -> R) -> R {
    if !source::interposes() {
        return function();
    }
    source::during(source, || {
        let _fresh = block().map(Fresh::new);
        function()
    })
}

/// Until it is dropped, the generators of this thread are those of the poll that begins.
struct Fresh {
    /// The bytes of the variables before, in the order of `Found::all`.
    before: [MaybeUninit<Bytes>; VARIABLES_MAX],
    block: usize,
    seed: Option<u64>,
    destructors: [Option<(Destructor, *mut u8)>; VARIABLES_MAX],
}

impl Fresh {
    fn new(block: usize) -> Fresh {
        let mut before = [MaybeUninit::uninit(); VARIABLES_MAX];
        for (before, (offset, _)) in before.iter_mut().zip(found().all()) {
            // SAFETY: the variable is this thread's, of this size, and is not being written.
            before.write(unsafe { read(block + offset) });
        }
        let destructors = DESTRUCTORS.replace([None; VARIABLES_MAX]);
        let seed = SEED.take();
        begin(block);
        Fresh { before, block, seed, destructors }
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        end(self.block);
        DESTRUCTORS.set(self.destructors);
        SEED.set(self.seed);
        for (before, (offset, _)) in self.before.iter().zip(found().all()) {
            // SAFETY: `new` has written the first ones of `before`, as many as there are variables. The variable is this
            // thread's, its value was destroyed, and the bytes are those that it had before.
            unsafe { write(self.block + offset, before.assume_init()) };
        }
    }
}

/// From here on, the generators of this thread are new ones: what is drawn does not depend on what was drawn before, but
/// for the count of it that the [source](crate::Source) keeps. It does nothing on a thread that has no source.
pub fn renew() {
    if source::exists()
        && let Some(block) = block()
    {
        end(block);
        begin(block);
    }
}

/// Makes the variables those of a new thread, but for a seed in those of `fastrand`.
fn begin(block: usize) {
    for (offset, new) in &found().lazy {
        // SAFETY: the variable is this thread's. Its value was saved or destroyed, and nothing refers to it: `rand` does
        // so only while it takes a copy of the `Rc` in it. The bytes are those of a variable that is not initialised.
        unsafe { write(block + offset, *new) };
    }
    for (offset, _) in &found().orders {
        // SAFETY: the variable is this thread's, and keeps a number; the bytes are those of one that is initialised.
        unsafe { write(block + offset, found().computed(BEGIN_OF_FUTURES)) };
    }
    SEED.set(if found().words.is_empty() { None } else { source::ask(|source| source.seed()) });
    if let Some(seed) = SEED.get() {
        for (index, (offset, _)) in (0..).zip(&found().words) {
            // SAFETY: the variable is this thread's, and keeps a number; the bytes are those of one that is initialised.
            unsafe { write(block + offset, found().computed(seed ^ index)) };
        }
    }
}

/// Destroys the values of the variables, and tells the source whether a seed was used.
fn end(block: usize) {
    for (destructor, variable) in DESTRUCTORS.replace([None; VARIABLES_MAX]).into_iter().flatten() {
        // SAFETY: the standard library has registered the destructor for this thread-local variable, to be called on
        // this thread when the thread needs it no more. Its next use finds it not initialised.
        unsafe { destructor(variable) };
    }
    if let Some(seed) = SEED.take() {
        let is_used = |(index, (offset, _)): (u64, &(usize, Bytes))| {
            // SAFETY: the variable is this thread's, and is not being written.
            unsafe { read(block + offset) != found().computed(seed ^ index) }
        };
        if (0..).zip(&found().words).any(is_used) {
            source::ask(|source| source.seed_was_used());
        }
    }
}

/// Takes over a destructor that is registered, if the variable is a generator's: it is called when the poll ends.
#[allow(dead_code, reason = "called where the registration is interposed")]
pub(crate) fn adopt(destructor: Destructor, variable: *mut u8) -> bool {
    let is_generator = |block: usize| found().lazy.iter().any(|(offset, _)| block + offset == variable.addr());
    if !block().is_some_and(is_generator) {
        return false;
    }
    let mut all = DESTRUCTORS.get();
    let Some(free) = all.iter_mut().find(|entry| entry.is_none()) else { return false };
    *free = Some((destructor, variable));
    DESTRUCTORS.set(all);
    true
}

/// # Safety
///
/// A thread-local variable of this thread with this size is there, and nobody writes it meanwhile.
unsafe fn read(address: usize) -> Bytes {
    // SAFETY: the caller's promise; bytes need no alignment. Volatile, because other code writes them.
    unsafe { ptr::with_exposed_provenance::<Bytes>(address).read_volatile() }
}

/// # Safety
///
/// As [`read`], and the bytes are a value that the variable may have.
unsafe fn write(address: usize, bytes: Bytes) {
    // SAFETY: the caller's promise.
    unsafe { ptr::with_exposed_provenance_mut::<Bytes>(address).write_volatile(bytes) };
}
