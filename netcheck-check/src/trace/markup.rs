//! Text and data from programs, as they may stand in a page.

use netcheck_peer::json;
use serde::Serialize;

/// Text as it may stand in an element or in a quoted attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() => escaped.extend(c.escape_default()),
            c => escaped.push(c),
        }
    }
    escaped
}

/// Data for a script. Without `<`, nothing in it can end the element that it stands in.
pub(crate) fn data(data: &impl Serialize) -> String {
    json::to_string(data).replace('<', "\\u003c")
}
