//! The stack and the registers.

use crate::arena;
use netcheck_memory::{Cloned, Handed, call_on_program_stack, call_with_clean_registers, engine, outside, wipe_stack};
use std::hint::black_box;
use std::panic::{self, AssertUnwindSafe};
use std::process::Command;

#[test]
fn a_call_with_clean_registers_returns_what_the_function_returns() {
    let text = "captured".to_owned();
    let kept = black_box([1_u64, 2, 3, 4, 5, 6, 7, 8]);
    let floats = black_box([1.5_f64, 2.5, 3.5]);
    let result = call_with_clean_registers(|| format!("{text} {}", call_with_clean_registers(|| 5)));
    assert_eq!(result, "captured 5");
    assert_eq!(kept.iter().sum::<u64>(), 36);
    assert_eq!(floats.iter().sum::<f64>(), 7.5);
}

#[test]
fn a_panic_goes_on_in_the_caller() {
    let panic = panic::catch_unwind(|| call_with_clean_registers(|| panic::resume_unwind(Box::new("reason"))));
    assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"reason"));
    let message =
        panic::catch_unwind(AssertUnwindSafe(|| call_with_clean_registers(|| -> u8 { black_box(None).unwrap() })));
    assert!(message.is_err());
}

#[cfg(target_arch = "x86_64")]
#[test]
fn registers_are_zero_when_the_function_is_entered() {
    use std::arch::asm;
    // Values that differ from zero, which the compiler keeps in registers around the call.
    let values: [u64; 12] = black_box(std::array::from_fn(|number| 0x1111_1111_1111_1111 * (number as u64 + 1)));
    extern "C" fn registers(found: *mut [u64; 6]) {
        let found = found.cast::<u64>();
        // SAFETY: the registers are only read, and `found` has room for them.
        unsafe {
            asm!(
                "mov [{found} + 0], r12", "mov [{found} + 8], r13", "mov [{found} + 16], r14",
                "mov [{found} + 24], r15", "mov [{found} + 32], rbx", "movq [{found} + 40], xmm9",
                found = in(reg) found,
            );
        }
    }
    let sum: u64 = values.iter().fold(0, |sum, value| sum.wrapping_add(*value));
    let mut found = [1; 6];
    call_with_clean_registers(|| registers(&raw mut found));
    assert_eq!(values.iter().fold(0_u64, |sum, value| sum.wrapping_add(*value)), sum);
    // The closure and what stands between it and the trampoline may use some; not all of them.
    assert!(found.iter().filter(|&&register| register == 0).count() >= 3, "{found:x?}");
}

const BYTES: usize = 4096;

/// An address may have the bytes that are looked for, by chance.
const BYTES_OF_AN_ADDRESS: usize = size_of::<usize>();

#[inline(never)]
fn leave_behind() {
    black_box(&mut [0xee_u8; BYTES]);
}

#[inline(never)]
fn stale() -> usize {
    const WORDS: usize = BYTES / size_of::<u64>();
    let words = black_box(std::mem::MaybeUninit::<[u64; WORDS]>::uninit());
    let start = (&raw const words).cast::<u64>();
    // No address consists of these bytes, of which the frames of other calls are full.
    let is_stale = |word: u64| word == u64::from_ne_bytes([0xee; 8]);
    // SAFETY: the words are on this thread's stack; volatile, so that what is there is read.
    size_of::<u64>()
        * (0..WORDS).filter(|&word| is_stale(unsafe { black_box(start).add(word).read_volatile() })).count()
}

#[test]
fn stale_bytes_of_earlier_calls_are_gone_after_a_wipe() {
    leave_behind();
    wipe_stack::<{ 4 * BYTES }>();
    assert_eq!(stale(), 0);
}

/// The address of a variable of the function that calls this.
fn here() -> usize {
    let variable = 0_u8;
    black_box(&raw const variable).addr()
}

#[test]
fn the_engine_leaves_nothing_on_the_stack_of_a_program() {
    let arena = arena();
    // Other calls use the stack, so that the next ones overlay the engine's frames if they are there.
    let after = arena.enter(|| {
        wipe_stack::<{ 4 * BYTES }>();
        engine(leave_behind);
        stale()
    });
    assert_eq!(after, 0);
}

#[test]
fn the_engine_has_a_stack_of_its_own_in_an_arena_only() {
    let (own, arena) = (here(), arena());
    let is_near = |address: usize| address.abs_diff(own) < 1 << 16;
    assert!(engine(|| is_near(here())), "no arena, so no program");
    arena.enter(|| {
        assert!(is_near(here()));
        engine(|| {
            let first = here();
            assert!(!is_near(first));
            engine(|| assert!(here().abs_diff(first) < 1 << 16, "on it already"));
            // Where the engine calls a program that calls the engine, the stack is taken.
            outside(|| arena.enter(|| engine(|| assert!(here().abs_diff(first) < 1 << 16))));
        });
        engine(|| assert!(!is_near(here()), "it is free again"));
    });
}

#[test]
fn a_panic_on_the_stack_of_the_engine_goes_on_in_the_caller() {
    let arena = arena();
    for _ in 0..3 {
        let panic = panic::catch_unwind(AssertUnwindSafe(|| {
            arena.enter(|| engine(|| -> () { panic::resume_unwind(Box::new("reason")) }));
        }));
        assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"reason"));
    }
    let (text, numbers) = arena.enter(|| engine(|| Cloned(("result".to_owned(), black_box([1.5_f64, 2.5]))))).0;
    assert_eq!((text.as_str(), numbers), ("result", [1.5, 2.5]));
}

/// A result whose variants differ in size, so that most bytes of the small one mean nothing.
#[expect(clippy::large_enum_variant, reason = "it is what is tested")]
enum Sized {
    Small(u8),
    Large([u64; 60]),
}

impl Handed for Sized {
    fn handed(&self) -> Self {
        match self {
            Sized::Small(number) => Sized::Small(number.handed()),
            Sized::Large(numbers) => Sized::Large(black_box(*numbers)),
        }
    }
}

#[inline(never)]
fn result(is_small: bool) -> Sized {
    if is_small { Sized::Small(black_box(3)) } else { Sized::Large(black_box([0xeeee_eeee_eeee_eeee; 60])) }
}

#[inline(never)]
fn take_large() {
    assert!(matches!(engine(|| result(black_box(false))), Sized::Large(_)));
}

#[inline(never)]
fn small() -> Box<Sized> {
    black_box(Box::new(engine(|| result(black_box(true)))))
}

#[test]
fn the_bytes_of_a_result_that_mean_nothing_are_not_the_engines() {
    let arena = arena();
    let found = arena.enter(|| {
        wipe_stack::<{ 4 * BYTES }>();
        // Where the next result will lie on the engine's stack, and in the frames below it.
        take_large();
        wipe_stack::<{ 4 * BYTES }>();
        engine(leave_behind);
        let result = small();
        assert!(matches!(*result, Sized::Small(3)));
        let start = (&raw const *result).cast::<u8>();
        // SAFETY: the bytes are those of the box; volatile, so that what is there is read.
        let in_box = (0..size_of::<Sized>()).filter(|&byte| unsafe { start.add(byte).read_volatile() } == 0xee).count();
        (in_box, stale())
    });
    assert!(found.0 < BYTES_OF_AN_ADDRESS && found.1 == 0, "{found:?}");
    let large = arena.enter(|| engine(|| result(black_box(false))));
    assert!(matches!(large, Sized::Large(numbers) if numbers == [0xeeee_eeee_eeee_eeee; 60]));
}

#[test]
fn a_result_is_the_programs_memory_and_the_engines_copy_is_freed() {
    let arena = arena();
    let shared = std::sync::Arc::new(5_u64);
    arena.enter(|| {
        let (text, one) = engine(|| ("text".to_owned(), std::sync::Arc::clone(&shared)));
        assert!(arena.contains(text.as_ptr()) && text == "text");
        assert!(std::sync::Arc::ptr_eq(&one, &shared));
        assert_eq!(std::sync::Arc::strong_count(&shared), 2);
    });
    assert_eq!(arena.live(), 0);
}

#[inline(never)]
fn calls_the_engine() -> String {
    engine(|| outside(|| std::backtrace::Backtrace::force_capture().to_string()))
}

#[test]
fn a_backtrace_on_the_stack_of_the_engine_shows_the_program() {
    let arena = arena();
    let frames = arena.enter(calls_the_engine);
    assert!(frames.contains("calls_the_engine"), "{frames}");
    assert!(frames.contains("a_backtrace_on_the_stack_of_the_engine_shows_the_program"), "{frames}");
}

#[test]
fn each_thread_has_a_stack_for_the_engine() {
    let used = |_| {
        std::thread::spawn(|| {
            let arena = arena();
            arena.enter(|| engine(here))
        })
    };
    let threads: Vec<_> = (0..8).map(used).collect();
    let addresses: Vec<usize> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(addresses.iter().all(|&address| address != 0));
    // A stack of a thread that has ended is another thread's.
    let in_turn: Vec<usize> = (0..8).map(|number| used(number).join().unwrap()).collect();
    let mut distinct = in_turn.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() < in_turn.len(), "{in_turn:x?}");
}

/// Leaves bytes behind in so many frames, one below the other.
#[inline(never)]
fn leave_behind_below(frames: usize) {
    black_box(&mut [0xee_u8; BYTES]);
    if frames > 1 {
        leave_behind_below(frames - 1);
    }
    black_box(());
}

/// How many of the bytes that [`leave_behind_below`] has left behind are there, in as many frames.
#[inline(never)]
fn stale_below(frames: usize) -> usize {
    let below = if frames > 1 { stale_below(frames - 1) } else { 0 };
    below + stale()
}

#[test]
fn each_call_finds_zeros_however_much_of_the_stack_the_one_before_has_used() {
    for frames in [1, 10, 40, 100, 400, 1_000, 20] {
        assert!(
            call_on_program_stack(|| {
                leave_behind_below(frames);
                stale_below(frames)
            }) > 0
        );
        assert_eq!(call_on_program_stack(|| stale_below(frames)), 0, "{frames} frames of {BYTES} bytes");
    }
}

#[test]
fn a_thread_finds_zeros_on_the_stack_of_one_that_has_ended() {
    let left = |frames: usize| std::thread::spawn(move || call_on_program_stack(|| leave_behind_below(frames)));
    for frames in [50, 200] {
        left(frames).join().unwrap();
        let found = std::thread::spawn(move || call_on_program_stack(|| stale_below(frames))).join().unwrap();
        assert_eq!(found, 0, "{frames} frames of {BYTES} bytes");
    }
}

/// Uses up any stack.
#[expect(unconditional_recursion, reason = "it overflows the stack")]
fn calls_itself(depth: u64) -> u64 {
    black_box([depth; 64])[63] + calls_itself(depth + 1)
}

/// In a process of its own, which it ends.
#[test]
fn a_program_that_overflows_its_stack_is_told_so() {
    const OVERFLOWS: &str = "NETCHECK_MEMORY_OVERFLOWS";
    if std::env::var_os(OVERFLOWS).is_some() {
        let arena = arena();
        call_on_program_stack(|| arena.enter(|| black_box(calls_itself(0))));
    }
    let name = "stack::a_program_that_overflows_its_stack_is_told_so";
    let program = std::env::current_exe().unwrap();
    let ended = Command::new(program).args(["--exact", name, "--nocapture"]).env(OVERFLOWS, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("overflowed its stack of 8 MiB"), "{said}");
}
