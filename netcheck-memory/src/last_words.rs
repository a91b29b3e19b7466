//! Messages when a program ends the process: by a stack overflow, `abort`, a panic while another one unwinds, or for
//! want of memory.
//!
//! The output of a [muted](crate::mute) thread is dropped, also what the standard library says of the reason. So a thread
//! keeps the end of what it has written, and which poll it runs. Nothing here allocates: it may be called in a handler of
//! signals, on a small stack.

use std::cell::{Cell, RefCell};
use std::panic::Location;

/// Bytes that are kept of the name of what is polled, and of the end of the output.
const NAME_BYTES_MAX: usize = 128;
const TAIL_BYTES_MAX: usize = 1024;

thread_local! {
    // Without destructors: they are read while a thread ends.
    static POLLED: RefCell<Text<NAME_BYTES_MAX>> = const { RefCell::new(Text::EMPTY) };
    static OPERATION: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
    static TAIL: RefCell<Text<TAIL_BYTES_MAX>> = const { RefCell::new(Text::EMPTY) };
}

/// The end of a text.
struct Text<const BYTES_MAX: usize> {
    bytes: [u8; BYTES_MAX],
    /// Bytes that were added in all.
    added: usize,
}

impl<const BYTES_MAX: usize> Text<BYTES_MAX> {
    const EMPTY: Self = Text { bytes: [0; BYTES_MAX], added: 0 };

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.bytes[self.added % BYTES_MAX] = byte;
            self.added += 1;
        }
    }

    /// The kept bytes, in two parts.
    fn parts(&self) -> [&[u8]; 2] {
        if self.added <= BYTES_MAX {
            return [&self.bytes[..self.added], &[]];
        }
        let (end, beginning) = self.bytes.split_at(self.added % BYTES_MAX);
        [beginning, end]
    }
}

/// This thread begins to poll the program of this name.
pub fn poll_begins(name: &str) {
    OPERATION.set(None);
    let _ = POLLED.try_with(|polled| {
        if let Ok(mut polled) = polled.try_borrow_mut() {
            *polled = Text::EMPTY;
            polled.add(name.as_bytes());
        }
    });
}

/// The program begins an operation.
pub fn operation_begins(location: &'static Location<'static>) {
    OPERATION.set(Some(location));
}

/// The poll has ended.
pub fn poll_ends() {
    poll_begins("");
}

/// Keeps the end of what this thread writes.
pub(crate) fn keep(bytes: &[u8]) {
    let _ = TAIL.try_with(|tail| {
        if let Ok(mut tail) = tail.try_borrow_mut() {
            tail.add(&bytes[bytes.len().saturating_sub(TAIL_BYTES_MAX)..]);
        }
    });
}

/// Says in parts why the process ends.
#[allow(dead_code, reason = "the interposed functions call it, where there are some")]
pub(crate) fn say(write: impl Fn(&[u8])) {
    let _ = POLLED.try_with(|polled| {
        let Ok(polled) = polled.try_borrow() else { return };
        if polled.added == 0 {
            return;
        }
        write(b"\nnetcheck: the test program is ended by a poll of process \"");
        polled.parts().into_iter().for_each(&write);
        match OPERATION.get() {
            Some(location) => {
                write(b"\", after the operation at ");
                write(location.file().as_bytes());
                write(b":");
                let mut digits = [0; 10];
                write(decimal(location.line(), &mut digits));
            }
            None => write(b"\", before its first operation in this poll"),
        }
        write(
            b"\n  usual causes: a stack overflow (recursion without an end, a large array), `std::process::abort`, a panic \
              in a destructor while another one unwinds, memory that can't be had\n",
        );
    });
    let _ = TAIL.try_with(|tail| {
        let Ok(tail) = tail.try_borrow() else { return };
        if tail.added > 0 {
            write(b"  the last that was printed:\n");
            tail.parts().into_iter().for_each(&write);
            write(b"\n");
        }
    });
}

/// A number in decimal, at the end of some room for it.
fn decimal(mut number: u32, digits: &mut [u8; 10]) -> &[u8] {
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return &digits[first..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_what_is_written_is_kept() {
        let mut text = Text::<4>::EMPTY;
        for (added, kept) in [("", ""), ("ab", "ab"), ("cd", "abcd"), ("e", "bcde"), ("fghijk", "hijk")] {
            text.add(added.as_bytes());
            assert_eq!(text.parts().concat(), kept.as_bytes());
        }
    }

    #[test]
    fn numbers_are_decimal() {
        for number in [0, 7, 10, 4_096, u32::MAX] {
            assert_eq!(decimal(number, &mut [0; 10]), number.to_string().as_bytes());
        }
    }
}
