//! Text from programs as it may be printed.
//!
//! Messages of panics, names of claims, reasons of `finally`, outputs and payloads are text that a program makes up. On a
//! terminal its control characters would move the cursor, change colours, or hide what stands before; in a snapshot nobody
//! would see them. All of it passes here where it is printed.

use std::borrow::Cow;

/// The text with its control characters escaped, but for ends of lines.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let is_escaped = |c: char| c.is_control() && c != '\n';
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut printable = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_escaped(c) {
            true => printable.extend(c.escape_default()),
            false => printable.push(c),
        }
    }
    Cow::Owned(printable)
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn control_characters_are_escaped_and_lines_kept() {
        let known = [
            ("süß, \"it's\" \\n {}\nand more\n", "süß, \"it's\" \\n {}\nand more\n"),
            ("\x1b[31mred\x1b[0m", "\\u{1b}[31mred\\u{1b}[0m"),
            ("a\rb\tc\0\x08\x7f\u{9b}2J", "a\\rb\\tc\\u{0}\\u{8}\\u{7f}\\u{9b}2J"),
        ];
        for (text, expected) in known {
            assert_eq!(printable(text), expected);
            assert_eq!(printable(expected), expected, "it is printable");
        }
    }
}
