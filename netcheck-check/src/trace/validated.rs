//! A trace that a monitor judges, as a page for a browser: the page of a counterexample, with a step for each packet.

use crate::trace::automaton::Automaton;
use crate::trace::counterexample::Counterexample;
use crate::trace::html;
use crate::trace::situation::{REJECTS, Situations};
use crate::trace::step::{Step, Timing};
use netcheck_models::monitor::{Monitor, Run, Trace};
use netcheck_runtime::violation::{Found, ViolationKind};
use std::fmt;
use std::time::Duration;

/// Packets that are shown at the most: the last ones up to the rejection.
const PACKETS_MAX: usize = 2_000;

/// A monitor's verdict on a trace, as a page for a browser, complete in itself: the packets on an axis of time, where
/// the monitor is after each, why it rejects, and the monitor itself, with the state after the selected packet marked.
///
/// The same as [`Monitor::validate`] says in words. Of a long trace, the 2,000 packets before the rejection are shown.
///
/// # Examples
///
/// ```
/// # use netcheck_check::page;
/// # use netcheck_runtime::monitor::{Monitor, Rule, Trace};
/// # use std::time::Duration;
/// let twice = Monitor::builder("never twice")
///     .state("none")
///     .state("one")
///     .rule("none", "one", Rule::on("packet", |_: &u8| true))
///     .build()
///     .unwrap();
/// let ms = Duration::from_millis;
/// let page = page(&twice, &Trace::new([(ms(0), 1), (ms(3), 2)]).unwrap());
/// assert!(page.contains("at packet 2, the monitor `never twice` rejects 2"));
/// ```
#[must_use]
pub fn page<E: fmt::Debug>(monitor: &Monitor<E>, trace: &Trace<E>) -> String {
    let validation = monitor.validate(trace);
    let all = trace.packets().count();
    let last = validation.rejected_at().map_or(all, |packet| packet.min(all));
    let first = last.saturating_sub(PACKETS_MAX);
    let mut run = Run::new(monitor, trace.start());
    let mut words = Vec::new();
    let mut steps = Vec::new();
    for (index, (at, event)) in trace.packets().enumerate().take(last) {
        if index == first {
            words.push(monitor.describe(run.configurations()).join(", or "));
        }
        let is_taken = run.step(event, at).is_ok();
        if index >= first {
            words.push(if is_taken {
                monitor.describe(run.configurations()).join(", or ")
            } else {
                REJECTS.to_owned()
            });
            steps.push(packet(index + 1, at.saturating_sub(trace.start()), format!("{event:?}")));
        }
    }
    let name = format!("monitor {}", monitor.name());
    let mut message = validation.to_string();
    if first > 0 {
        message += &format!("\nthe first {first} packets are not shown");
    }
    let kind = if validation.is_accepted() { ViolationKind::None } else { ViolationKind::Monitor };
    let units = if validation.is_accepted() { Vec::new() } else { vec![TRACE.to_owned()] };
    let found = Found { kind, message, units, at_rest: Vec::new(), is_error: false };
    let situations = Situations::of_monitor(&name, words);
    let shown = Counterexample::new(found, String::new(), steps, situations).without_faults();
    let automata = [Automaton::of_monitor(name, monitor.drawing())];
    html::page(&shown, &automata, "trace", None)
}

/// The lane of the packets.
const TRACE: &str = "trace";

fn packet(number: usize, at: Duration, event: String) -> Step {
    let at_ns = u64::try_from(at.as_nanos()).unwrap_or(u64::MAX);
    Step {
        process: TRACE.to_owned(),
        operation: format!("{number}: {event}"),
        outcome: "done".to_owned(),
        timing: Some(Timing { at_ns, earliest_ns: at_ns, latest_ns: Some(at_ns) }),
        ..Step::default()
    }
}
