//! `cargo netcheck list`.

use crate::Result;
use crate::failed::{Failed, Notes};
use std::process::ExitCode;
use std::time::{Duration, SystemTime};

pub(crate) fn run(notes: &Notes) -> Result<ExitCode> {
    let all = notes.still_there()?;
    if all.is_empty() {
        println!("no check failed when it was run last");
        return Ok(ExitCode::SUCCESS);
    }
    for failed in &all {
        println!("{}", entry(failed));
    }
    let count = match all.len() {
        1 => "1 check has failed".to_owned(),
        count => format!("{count} checks have failed"),
    };
    println!(
        "{count}; `cargo netcheck` can `open` the page of one, `replay` it, `explore` around it, `keep` it as a test, and `clean` the list"
    );
    // As `cargo test` does.
    Ok(ExitCode::FAILURE)
}

fn entry(failed: &Failed) -> String {
    let ago = failed.at.and_then(|at| SystemTime::elapsed(&at).ok()).map_or_else(String::new, in_words);
    let place = format!("{}:{}", failed.file.display(), failed.line);
    let without = if failed.trace.is_none() { "\n    no counterexample" } else { "" };
    format!("{}  ({place}{ago})\n    {}{without}", failed.full_name(), failed.violation)
}

/// How long ago, to the unit that matters.
fn in_words(ago: Duration) -> String {
    let seconds = ago.as_secs();
    let units = [("day", 86_400), ("hour", 3_600), ("minute", 60)];
    match units.iter().find(|(_, length)| seconds >= *length) {
        None => ", just now".to_owned(),
        Some((unit, length)) => {
            let count = seconds / length;
            format!(", {count} {unit}{} ago", if count == 1 { "" } else { "s" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_unit() {
        let told = |seconds| in_words(Duration::from_secs(seconds));
        assert_eq!(told(59), ", just now");
        assert_eq!(told(60), ", 1 minute ago");
        assert_eq!(told(7_199), ", 1 hour ago");
        assert_eq!(told(3 * 86_400), ", 3 days ago");
    }
}
