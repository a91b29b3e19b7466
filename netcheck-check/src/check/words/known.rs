//! Messages about words that are not known.

/// The message for a word that is none of `known`: the nearest one if it is near, and all of them.
pub(super) fn nearest_of(found: &str, known: &[&str], whose: &str) -> String {
    let all: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
    format!("unknown word `{found}`{}\n{whose} {}", hint(found, known), all.join(", "))
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

/// The one of `known` that was probably meant: up to a third of its letters may be wrong, or it is another word for the
/// same.
pub(super) fn hint(found: &str, known: &[&str]) -> String {
    let synonym = SYNONYMS.iter().find(|(other, word)| *other == found.to_lowercase() && known.contains(word));
    if let Some((_, word)) = synonym {
        return format!(", did you mean `{word}`?");
    }
    let near = known.iter().map(|word| (strsim::osa_distance(&found.to_lowercase(), word), word));
    let near =
        near.filter(|(mistakes, word)| *mistakes <= (word.len() / 3).max(1)).min_by_key(|(mistakes, _)| *mistakes);
    near.map(|(_, word)| format!(", did you mean `{word}`?")).unwrap_or_default()
}

/// "`a` or `b`", "`a`, `b` or `c`".
pub(super) fn either(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => quoted.concat(),
    }
}
