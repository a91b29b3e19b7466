//! Payloads as the user describes them, or as Rust literals: `"text"` where all of it is text, else `b"\xff\0a"`. JSON stands
//! there as it is, without quotes around it: `{"op":"fetch"}\n`. Of HTTP/1, the first line is shown.

use crate::unit::panics::catch;
use std::fmt::Write;
use std::str;
use std::sync::Arc;

/// The words for some bytes, if it knows any.
pub(crate) type Description = Arc<dyn Fn(&[u8]) -> Option<String> + Send + Sync>;

/// How the payloads of a check are shown.
#[derive(Clone, Default)]
pub struct Payloads {
    /// The first one that knows some bytes describes them.
    pub descriptions: Vec<Description>,
}

impl Payloads {
    /// A payload in words, or as a literal, shortened.
    pub(crate) fn show(&self, bytes: &[u8]) -> String {
        self.up_to(shown_max(bytes), bytes)
    }

    /// A payload in words, or as a literal that is shortened to `bytes_max` and the number of its bytes.
    pub fn up_to(&self, bytes_max: usize, bytes: &[u8]) -> String {
        let described = self.descriptions.iter().find_map(|description| in_words(description, bytes));
        described.unwrap_or_else(|| up_to(bytes_max, bytes))
    }
}

/// The words on one line. A description that panics, or that has nothing to say, knows none.
fn in_words(description: &Description, bytes: &[u8]) -> Option<String> {
    let words = catch(|| description(bytes)).ok().flatten()?;
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    (!words.is_empty()).then_some(words)
}

/// The most bytes of a payload that are shown, and the most if it is text.
const BYTES_MAX: usize = 32;
const TEXT_BYTES_MAX: usize = 72;

/// A payload as a literal, shortened.
pub(crate) fn payload(bytes: &[u8]) -> String {
    up_to(shown_max(bytes), bytes)
}

fn shown_max(bytes: &[u8]) -> usize {
    if let Some(line) = first_line_of_http(bytes) {
        return line.len();
    }
    let beginning = &bytes[..bytes.len().min(TEXT_BYTES_MAX)];
    if text(beginning, beginning.len() < bytes.len()).is_some() { TEXT_BYTES_MAX } else { BYTES_MAX }
}

/// The first line of a request or a response of HTTP/1.0 or 1.1 ([RFC 9112](https://www.rfc-editor.org/rfc/rfc9112), 2.1),
/// which says the most of it.
fn first_line_of_http(bytes: &[u8]) -> Option<&[u8]> {
    let line = &bytes[..bytes.windows(2).position(|pair| pair == b"\r\n")?];
    let is_version = |part: &[u8]| matches!(part, b"HTTP/1.0" | b"HTTP/1.1");
    let mut parts = line.split(|&byte| byte == b' ');
    (parts.next().is_some_and(is_version) || parts.next_back().is_some_and(is_version)).then_some(line)
}

/// A payload as a literal, shortened to `bytes_max` and the number of its bytes.
fn up_to(bytes_max: usize, bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(bytes_max)];
    let mut literal = match text(shown, shown.len() < bytes.len()) {
        Some(text) if looks_like_json(text) => as_it_is(text),
        Some(text) => format!("{text:?}"),
        None => byte_string(shown),
    };
    if shown.len() < bytes.len() {
        literal.push_str(&format!("… ({} bytes)", bytes.len()));
    }
    literal
}

/// Bytes as text, if they are; where more bytes follow, a character may be cut off at the end.
fn text(bytes: &[u8], goes_on: bool) -> Option<&str> {
    let text = match str::from_utf8(bytes) {
        Err(error) if goes_on && error.error_len().is_none() && error.valid_up_to() > 0 => {
            str::from_utf8(&bytes[..error.valid_up_to()]).ok()
        }
        text => text.ok(),
    };
    text.filter(|text| text.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\r' | '\t')))
}

/// Whether text is JSON, or begins like it, that would not be easy to read with quotes around it.
fn looks_like_json(text: &str) -> bool {
    text.starts_with(['{', '[']) && text.contains('"')
}

/// Text without quotes around it, and on one line.
fn as_it_is(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

fn byte_string(bytes: &[u8]) -> String {
    let mut literal = "b\"".to_owned();
    for &byte in bytes {
        match byte {
            0 => literal.push_str("\\0"),
            b'\'' => literal.push('\''),
            byte => write!(literal, "{}", byte.escape_ascii()).expect("a string takes all"),
        }
    }
    literal + "\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_text_where_they_can_be_read_and_byte_strings_elsewhere() {
        let known = [
            (&b"ask"[..], r#""ask""#),
            (b"", r#""""#),
            ("süß\n".as_bytes(), r#""süß\n""#),
            (b"D\0a", r#"b"D\0a""#),
            (b"it's \"\\\x7f\xff", r#"b"it's \"\\\x7f\xff""#),
            (b"{\"op\":\"fetch\"}\r\n", r#"{"op":"fetch"}\r\n"#),
            (b"GET /a HTTP/1.1\r\nhost: b\r\n\r\n", r#""GET /a HTTP/1.1"… (28 bytes)"#),
            (b"HTTP/1.0 404 Not Found\r\n\r\nit", r#""HTTP/1.0 404 Not Found"… (28 bytes)"#),
            (b"not HTTP/1.1 at all\r\nask", r#""not HTTP/1.1 at all\r\nask""#),
        ];
        for (bytes, literal) in known {
            assert_eq!(payload(bytes), literal);
        }
    }

    #[test]
    fn the_first_description_that_knows_a_payload_is_shown_on_one_line() {
        let described = |description: fn(&[u8]) -> Option<String>| -> Description { Arc::new(description) };
        let descriptions = vec![
            described(|bytes| (bytes[0] == b'D').then(|| "DATA\n 1".to_owned())),
            described(|bytes| (bytes.len() == 1).then(String::new)),
            described(|bytes| (bytes.len() < 3).then(|| "short".to_owned())),
        ];
        let payloads = Payloads { descriptions };
        let known = [(&b"D\0a"[..], "DATA 1"), (b"A", "short"), (b"", "short"), (b"\0\x01\xff", r#"b"\0\x01\xff""#)];
        for (bytes, words) in known {
            assert_eq!(payloads.show(bytes), words);
        }
    }

    #[test]
    fn a_long_payload_keeps_what_is_valid_before_an_invalid_byte() {
        assert_eq!(up_to(4, b"\xffabcdef"), "b\"\\xffabc\"… (7 bytes)");
        assert_eq!(up_to(4, b"abc\xffdef"), "b\"abc\\xff\"… (7 bytes)");
        assert_eq!(up_to(4, b"abcdef\xff"), "\"abcd\"… (7 bytes)");
        // A character that is cut is no invalid byte.
        assert_eq!(up_to(4, "abcüdef".as_bytes()), "\"abc\"… (8 bytes)");
        assert_eq!(up_to(1, "ü".as_bytes()), "b\"\\xc3\"… (2 bytes)");
    }
}
