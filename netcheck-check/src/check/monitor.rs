//! The progress line of a long check, and how Ctrl-C ends the check.
//!
//! On a terminal, a check of more than a second has a progress line. Elsewhere it writes a line after ten seconds, and then
//! one every minute, or every ten seconds with `NETCHECK_LOG=progress`. After ten seconds, what may make the check smaller
//! is said beside it. After a second, the first Ctrl-C ends it with what it has seen, as inconclusive, and the next one ends
//! the program.
//!
//! A check of more than two seconds with an engine that is not optimized says so, once.

use crate::check::forecast::Forecast;
use crate::check::spent::Spent;
use crate::error::Error;
use indicatif::{HumanBytes, HumanCount, ProgressBar};
use netcheck_runtime::search::progress::{Phase, Progress, Seen};
use std::ffi::OsString;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Once, OnceLock};
use std::time::Duration;

/// Set to `progress`, checks write a line every ten seconds where there is no terminal, and not every minute.
const LOG: &str = "NETCHECK_LOG";

/// Checks shorter than this show nothing.
const SILENCE: Duration = Duration::from_secs(1);

/// When the first line is written where there is no terminal.
const FIRST_LINE: Duration = Duration::from_secs(10);

/// How long after a line the next one is written, and with `NETCHECK_LOG=progress`.
const LINE_EVERY: Duration = Duration::from_secs(60);
const LINE_EVERY_LOGGED: Duration = Duration::from_secs(10);

/// When executions are drawn beside the search for the first time.
const FIRST_HUNT: Duration = Duration::from_secs(4);

/// How often a check has taken as long as before, when the next ones are drawn.
const HUNT_AGAIN_AFTER: u32 = 4;

/// Pieces of advice that are shown beside the line.
const ADVICE_MAX: usize = 2;

/// Checks shorter than this need no optimization.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the least counterexample is looked for, in seconds, unless the search before took longer: far longer than the
/// states take that may be visited for it.
const SHORTENING_S_MIN: u64 = 30;

/// How this crate was compiled, as the build script saw it.
const IS_OPTIMIZED: bool = !matches!(netcheck_runtime::OPT_LEVEL.as_bytes(), b"0");

/// Advice on fast checks.
const ADVICE: &str = "\
netcheck: this check takes a while, and netcheck is not optimized in this build. Checks run about ten times as fast with
these lines in the Cargo.toml at the root of your workspace (your own code is compiled as ever):

[profile.dev.package]
netcheck-runtime = { opt-level = 2, codegen-units = 16 }
netcheck-memory = { opt-level = 2 }
netcheck-models = { opt-level = 2, codegen-units = 16, debug = false }
xxhash-rust = { opt-level = 2 }
";

/// Whether lines are written, by the words of the variable.
fn logs(value: Option<OsString>) -> Result<bool, Error> {
    let Some(value) = value else { return Ok(false) };
    let value = value.to_string_lossy();
    let words: Vec<&str> = value.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    match words.iter().find(|word| **word != "progress") {
        Some(word) => {
            Err(Error::new(format!("{LOG} is \"{value}\", and \"{word}\" is not known; it can be `progress`")))
        }
        None => Ok(!words.is_empty()),
    }
}

/// Shows how far a check is, as long as it lives.
pub(super) struct Monitor {
    progress: Arc<Progress>,
    spent: Spent,
    states_max: usize,
    /// How much time the check had taken when it was first seen to look for the least counterexample.
    searched: Option<Duration>,
    forecast: Forecast,
    bar: Option<ProgressBar>,
    /// The name of the test, as far as the thread that waits for the check knows it.
    name: String,
    next_line: Duration,
    line_every: Duration,
    has_wanted_advice: bool,
    /// When executions are drawn beside the search.
    next_hunt: Duration,
    is_silent: bool,
    interrupted: Option<Arc<AtomicBool>>,
}

impl Monitor {
    /// For a check that may take so long, and visit so many states.
    ///
    /// # Errors
    /// If `NETCHECK_LOG` says what is not known.
    pub(super) fn new(
        progress: Arc<Progress>,
        duration_max: Option<Duration>,
        states_max: usize,
    ) -> Result<Self, Error> {
        let line_every = if logs(std::env::var_os(LOG))? { LINE_EVERY_LOGGED } else { LINE_EVERY };
        let thread = std::thread::current();
        let name = thread.name().filter(|name| *name != "main").map(|name| format!("{name}: ")).unwrap_or_default();
        let spent = Spent::of(duration_max);
        Ok(Monitor {
            progress,
            states_max,
            searched: None,
            forecast: Forecast::default(),
            bar: None,
            name,
            next_line: FIRST_LINE,
            line_every,
            has_wanted_advice: false,
            next_hunt: spent.in_the_middle(FIRST_HUNT),
            spent,
            is_silent: false,
            interrupted: None,
        })
    }

    /// Says what of the declarations means nothing, also where the output of a test is kept back.
    pub(super) fn warn(&self, warning: &str) {
        // A warning that can't be written is in the report.
        let _ = writeln!(std::io::stderr(), "netcheck: {}warning: {warning}", self.name);
    }

    /// Says nothing and wants no advice; it still notes how many states there will be.
    pub(super) fn silent(mut self) -> Self {
        self.is_silent = true;
        self
    }

    /// How much of its time the check has left, if there is a limit and it has not passed.
    pub(super) fn left(&self) -> Option<Duration> {
        self.spent.left().filter(|left| !left.is_zero())
    }

    /// Called every so often. The check has waited for real peers for about so long.
    pub(super) fn tick(&mut self, waited: Duration) {
        let elapsed = self.spent.time();
        if self.spent.left().is_some_and(|left| left.is_zero()) {
            self.progress.expire();
        }
        self.bound_shortening(elapsed);
        if elapsed < SILENCE {
            return;
        }
        let interrupted = self.interrupted.get_or_insert_with(interrupted);
        if interrupted.load(Ordering::Relaxed) {
            self.progress.end();
        }
        if self.progress.phase() == Phase::Serving {
            return;
        }
        let seen = self.progress.seen();
        self.progress.ask();
        let expected = (self.progress.phase() == Phase::Exploring).then(|| self.forecast.note(seen)).flatten();
        self.progress.expect(expected);
        if !self.is_silent {
            self.say(seen, expected, elapsed, waited);
        }
    }

    /// Shows how far the check is, and what may help.
    fn say(&mut self, seen: Seen, expected: Option<u64>, elapsed: Duration, waited: Duration) {
        if elapsed.saturating_sub(waited) >= PATIENCE && !IS_OPTIMIZED {
            advise();
        }
        let bar = self.bar.get_or_insert_with(ProgressBar::new_spinner);
        if elapsed >= self.spent.in_the_middle(FIRST_LINE) && !std::mem::replace(&mut self.has_wanted_advice, true) {
            self.progress.want_advice();
        }
        if elapsed >= self.next_hunt {
            self.next_hunt = elapsed * HUNT_AGAIN_AFTER;
            self.progress.want_hunt();
        }
        let advice = if elapsed >= FIRST_LINE { self.progress.take_advice() } else { Vec::new() };
        for advice in advice.iter().take(ADVICE_MAX) {
            let line = format!("netcheck: {}what may help: {advice}", self.name);
            match bar.is_hidden() {
                false => bar.println(line),
                // A line that can't be written is no loss.
                true => drop(writeln!(std::io::stderr(), "{line}")),
            }
        }
        let text = match self.progress.phase() {
            Phase::Simulating => simulated(seen, elapsed),
            Phase::Exploring => {
                let round = self.progress.round().map(|(round, why)| format!("round {round}, {why}: "));
                round.unwrap_or_default() + &text(seen, elapsed) + &in_words(seen, expected, self.states_max)
            }
            phase => format!("{phase}: {}", text(seen, elapsed)),
        };
        if bar.is_hidden() && elapsed >= self.next_line {
            self.next_line = elapsed + self.line_every;
            // A progress line that can't be written is no loss.
            let _ = writeln!(std::io::stderr(), "netcheck: {}{text}", self.name);
        }
        bar.set_message(text);
        bar.tick();
    }

    /// The search for the least counterexample may take as long as the search before, at least.
    fn bound_shortening(&mut self, elapsed: Duration) {
        if self.progress.phase() != Phase::Shortening {
            return;
        }
        let searched = *self.searched.get_or_insert(elapsed);
        let seconds = searched.as_secs().max(SHORTENING_S_MIN);
        if elapsed - searched >= Duration::from_secs(seconds) {
            self.progress.end_shortening(seconds);
        }
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Says once how checks become fast, also where the output of a test is kept back.
fn advise() {
    static SAID: Once = Once::new();
    // Advice that can't be written is no loss.
    SAID.call_once(|| drop(writeln!(std::io::stderr(), "{ADVICE}")));
}

/// Set by the first Ctrl-C, for all checks of the program.
fn interrupted() -> Arc<AtomicBool> {
    static INTERRUPTED: OnceLock<Arc<AtomicBool>> = OnceLock::new();
    let flag = INTERRUPTED.get_or_init(|| {
        let flag = Arc::new(AtomicBool::new(false));
        let interrupt = signal_hook::consts::SIGINT;
        // In this order: the second one finds the flag set. Without handlers, Ctrl-C ends the program at once.
        let _ = signal_hook::flag::register_conditional_default(interrupt, Arc::clone(&flag))
            .and_then(|_| signal_hook::flag::register(interrupt, Arc::clone(&flag)));
        flag
    });
    Arc::clone(flag)
}

fn text(seen: Seen, elapsed: Duration) -> String {
    let per_second = (seen.states as f64 / elapsed.as_secs_f64()) as u64;
    format!(
        "{} states, {}/s, {} to be expanded, depth {}, {} local states, {}",
        HumanCount(seen.states),
        HumanCount(per_second),
        HumanCount(seen.frontier),
        HumanCount(seen.depth),
        HumanCount(seen.local_states),
        HumanBytes(seen.memory_bytes)
    )
}

/// How much of a search is done, by a forecast; without one, how near its limit it is.
fn in_words(seen: Seen, states: Option<u64>, states_max: usize) -> String {
    let done = seen.states.saturating_sub(seen.frontier);
    match states {
        Some(states) => format!(", about {} % of {}", done * 100 / states, rounded(states)),
        None => format!(", {} % of `max_states`, and widening", seen.states * 100 / states_max.max(1) as u64),
    }
}

/// A number with two digits: a forecast knows no more.
fn rounded(number: u64) -> HumanCount {
    let unit = 10_u64.pow(number.max(1).ilog10().saturating_sub(1));
    HumanCount((number + unit / 2) / unit * unit)
}

fn simulated(seen: Seen, elapsed: Duration) -> String {
    let per_second = (seen.states as f64 / elapsed.as_secs_f64()) as u64;
    format!(
        "{} executions, {}/s, the longest of {} steps, {} local states, {} fault points",
        HumanCount(seen.states),
        HumanCount(per_second),
        HumanCount(seen.depth),
        HumanCount(seen.local_states),
        HumanCount(seen.fault_points)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_the_search_is() {
        let seen = Seen {
            states: 1_234_567,
            frontier: 4_321,
            depth: 57,
            local_states: 210,
            memory_bytes: 96 << 20,
            fault_points: 8,
        };
        assert_eq!(
            text(seen, Duration::from_secs(2)),
            "1,234,567 states, 617,283/s, 4,321 to be expanded, depth 57, 210 local states, 96.00 MiB"
        );
        assert_eq!(in_words(seen, Some(1_876_543), 10_000_000), ", about 65 % of 1,900,000");
        assert_eq!(in_words(seen, None, 10_000_000), ", 12 % of `max_states`, and widening");
        assert_eq!([0, 7, 14, 99, 995, 1_049].map(|number| rounded(number).0), [0, 7, 14, 99, 1_000, 1_000]);
        assert_eq!(
            simulated(seen, Duration::from_secs(2)),
            "1,234,567 executions, 617,283/s, the longest of 57 steps, 210 local states, 8 fault points"
        );
    }
}
