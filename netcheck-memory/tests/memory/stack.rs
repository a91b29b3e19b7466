//! The stack and the registers.

use netcheck_memory::{call_with_clean_registers, wipe_stack};
use std::hint::black_box;
use std::panic::{self, AssertUnwindSafe};

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

#[test]
fn stale_bytes_of_earlier_calls_are_gone_after_a_wipe() {
    const BYTES: usize = 4096;

    #[inline(never)]
    fn leave_behind() {
        black_box(&mut [0xee_u8; BYTES]);
    }

    #[inline(never)]
    fn stale() -> usize {
        let bytes = black_box(std::mem::MaybeUninit::<[u8; BYTES]>::uninit());
        let start = (&raw const bytes).cast::<u8>();
        // SAFETY: the bytes are on this thread's stack; volatile, so that what is there is read.
        (0..BYTES).filter(|&byte| unsafe { black_box(start).add(byte).read_volatile() } == 0xee).count()
    }

    leave_behind();
    wipe_stack::<{ 4 * BYTES }>();
    assert_eq!(stale(), 0);
}
