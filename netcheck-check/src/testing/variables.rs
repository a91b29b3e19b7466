//! Variables of the environment that say how a test is checked, whatever it declares.

use super::Failure;
use crate::check::seed::Share;
use crate::check::{Checker, Unread};

/// Set to 1, a test says why the local states of its programs differ.
const WHY: &str = "NETCHECK_WHY";

/// Set to a word, a test says what becomes of bytes of memory that no program can read.
const UNREAD: &str = "NETCHECK_UNREAD";

/// Set to `3/16`, a test draws the third of sixteen shares of its random executions.
const SWARM: &str = "NETCHECK_SWARM";

/// The check as the environment wants it.
///
/// # Errors
/// If a variable says what is not known.
pub(super) fn obeyed(checker: &Checker, whose: &str) -> Result<Checker, Failure> {
    let asks_why = std::env::var_os(WHY).is_some_and(|value| value != "0");
    let mut checker = if asks_why { checker.clone().why(true) } else { checker.clone() };
    if let Some(unread) = read(UNREAD, whose, Unread::of_word)? {
        checker = checker.unread(unread);
    }
    if let Some(share) = read(SWARM, whose, str::parse::<Share>)? {
        match checker.of_share(share) {
            Some(of_share) => checker = of_share,
            None => eprintln!(
                "netcheck: {whose}: {SWARM} has no effect: nothing of this check is drawn. \
                 `search = simulate`, `search = random` and `search = pct` draw executions"
            ),
        }
    }
    Ok(checker)
}

/// Whether a test checks a share of what it declares.
pub(super) fn is_share() -> bool {
    std::env::var_os(SWARM).is_some()
}

/// The value of a variable, if it is set; `of_word` gives it, or else says what is expected.
fn read<T>(
    variable: &str,
    whose: &str,
    of_word: impl FnOnce(&str) -> Result<T, &'static str>,
) -> Result<Option<T>, Failure> {
    let Some(word) = std::env::var_os(variable) else { return Ok(None) };
    let word = word.to_string_lossy();
    let wrong = |expected| format!("can't be checked: {variable} is `{word}`, and not {expected}");
    of_word(&word).map(Some).map_err(|expected| Failure::no_answer(whose, &wrong(expected)))
}
