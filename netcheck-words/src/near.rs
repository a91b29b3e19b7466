//! Messages about words that are not known.

/// The message for a word that is none of `known`: the nearest one if it is near, and all of them.
pub fn unknown(found: &str, known: &[&str], whose: &str) -> String {
    let hint = hint(found.strip_prefix("r#").unwrap_or(found), known);
    format!("unknown word `{found}`{hint}\n{whose} {}", enumerate(known))
}

/// The question whether the one of `known` was meant that is near.
pub fn hint(found: &str, known: &[&str]) -> String {
    nearest(found, known).map(|word| format!(", did you mean `{word}`?")).unwrap_or_default()
}

/// "`a`", "`a` or `b`", "`a`, `b` or `c`".
pub fn either(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        None => String::new(),
        Some((only, [])) => only.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

fn enumerate(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

/// Words of other tools and of everyday speech, with ours.
const SYNONYMS: [(&str, &str); 19] = [
    ("budget", "at_most"),
    ("faults", "at_most"),
    ("max_faults", "at_most"),
    ("limit", "max_states"),
    ("states", "max_states"),
    ("depth", "max_depth"),
    ("memory", "max_memory"),
    ("timeout", "max_time"),
    ("time", "max_time"),
    ("workers", "threads"),
    ("drop", "loss"),
    ("dropped", "loss"),
    ("lost", "loss"),
    ("duplicate", "duplication"),
    ("dup", "duplication"),
    ("latency", "delay"),
    ("jitter", "delay"),
    ("connect", "open"),
    ("fragment", "split"),
];

/// The one of `known` that `found` was probably meant to be: up to a third of its letters may be
/// wrong, and two neighbours swapped count as one mistake; or it is another word for the same.
pub fn nearest<'a>(found: &str, known: &[&'a str]) -> Option<&'a str> {
    let found = found.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(other, _)| *other == found).map(|(_, word)| *word);
    if let Some(word) = known.iter().find(|word| synonym == Some(word)) {
        return Some(word);
    }
    known
        .iter()
        .map(|&word| (distance(&found, word), word))
        .filter(|&(mistakes, word)| mistakes <= (word.len() / 3).max(1))
        .min_by_key(|&(mistakes, _)| mistakes)
        .map(|(_, word)| word)
}

/// Insertions, deletions, substitutions and swaps of neighbours between `a` and `b` (optimal string
/// alignment).
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = substituted.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &["loss", "duplication", "reorder", "delay"];

    #[test]
    fn a_near_miss_is_recognized() {
        assert_eq!(nearest("los", KNOWN), Some("loss"));
        assert_eq!(nearest("Loss", KNOWN), Some("loss"));
        assert_eq!(nearest("duplicate", KNOWN), Some("duplication"));
        assert_eq!(nearest("reodrer", KNOWN), Some("reorder"));
    }

    #[test]
    fn a_different_word_is_not_a_near_miss() {
        assert_eq!(nearest("corruption", KNOWN), None);
        assert_eq!(nearest("up", KNOWN), None);
    }

    #[test]
    fn swapped_neighbours_are_one_mistake() {
        assert_eq!(distance("dealy", "delay"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }
}
