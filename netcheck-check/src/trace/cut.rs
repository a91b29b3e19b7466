//! Where a long payload is cut: around what differs from the payload before, and not after its beginning.

/// Characters of a payload that are shown, and those among them that it has in common with the one before.
const SHOWN: usize = 72;
const COMMON: usize = 16;

/// The words of a step in which its `payload` is cut off before it differs from the one `before`, with what differs in its
/// place.
pub(crate) fn around(what: &str, payload: &str, before: &str) -> Option<String> {
    let (start, end, shown) = cut_off(what, payload)?;
    let common = payload.chars().zip(before.chars()).take_while(|(one, other)| one == other).count();
    if common < shown || common == payload.chars().count() {
        return None;
    }
    let rest: Vec<char> = payload.chars().skip(common.saturating_sub(COMMON)).collect();
    let differs: String = rest.iter().take(SHOWN).collect();
    let goes_on = if rest.len() > SHOWN { "…" } else { "" };
    let bytes = what[start..end].rfind(" (").map_or("", |at| &what[start..end][at..]);
    Some(format!("{}…{differs}{goes_on}{bytes}{}", &what[..start], &what[end..]))
}

/// Where the words have the beginning of a payload and the number of its bytes, and how many of its characters.
fn cut_off(what: &str, payload: &str) -> Option<(usize, usize, usize)> {
    let cut = what.find("… (")?;
    let end = cut + what[cut..].find(" bytes)")? + " bytes)".len();
    let beginning = what[..cut].strip_suffix('"').unwrap_or(&what[..cut]);
    let begins = beginning.char_indices().find(|&(at, _)| payload.starts_with(&beginning[at..]))?.0;
    Some((begins, end, beginning[begins..].chars().count()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_behind_the_cut_is_shown_in_place_of_the_beginning() {
        let payload = |last: &str| format!("{{\"text\":\"{}\",\"last\":{last}}}", "x".repeat(90));
        let (one, other) = (payload("1"), payload("2"));
        let what = format!("write {}… (110 bytes) (to s:80) -> 110 bytes", &other[..72]);
        let expected = "write …xxxxxxx\",\"last\":2} (110 bytes) (to s:80) -> 110 bytes";
        assert_eq!(around(&what, &other, &one).as_deref(), Some(expected));
        assert_eq!(around(&what, &other, "{\"text\":\"y"), None, "it differs where it is shown");
        assert_eq!(around(&what, &other, &other), None);
        assert_eq!(around("write \"ask\" (to s:80)", "\"ask\"", "\"asked\""), None, "all of it is shown");
    }

    #[test]
    fn what_goes_on_is_cut_again() {
        let (one, other) = (format!("\"{}b\"", "a".repeat(100)), format!("\"{}\"", "a".repeat(300)));
        let what = format!("send {}\"… (300 bytes) to s:80", &other[..73]);
        let expected = format!("send …{}… (300 bytes) to s:80", "a".repeat(72));
        assert_eq!(around(&what, &other, &one), Some(expected));
    }
}
