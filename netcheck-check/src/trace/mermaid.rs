//! A counterexample as a Mermaid sequence diagram.
//!
//! Mermaid draws a message at one moment: one that arrives stands at its arrival, and one that does not at its sending.
//! Both name the step that sent it.

use crate::trace::chart::{Arrow, Chart, Fate, Lane, What, shortened};
use crate::trace::counterexample::Counterexample;
use crate::trace::fold::asides;
use crate::trace::relation::{is_related, related};
use crate::trace::step::{Doing, Kind, Step};
use netcheck_runtime::violation::ViolationKind;

const LABEL_CHARS_MAX: usize = 40;

impl Counterexample {
    /// As a sequence diagram in Mermaid, for issues and pull requests.
    pub fn mermaid(&self) -> String {
        diagram(self)
    }
}

/// The text of the diagram, without the fence of a code block.
fn diagram(counterexample: &Counterexample) -> String {
    let steps = counterexample.steps();
    let chart = Chart::of(steps);
    let related = related(steps, counterexample.units());
    let is_shown = |step: &Step| is_related(step, related.as_ref());
    let mut lines = vec!["sequenceDiagram".to_owned()];
    for (index, Lane { process, task }) in chart.lanes.iter().enumerate() {
        let first = steps.iter().find(|step| chart.lane_of(step) == Some(index));
        if first.is_some_and(is_shown) {
            let task = task.map(|task| format!(" (task {task})")).unwrap_or_default();
            lines.push(format!("    participant p{index} as {}", escaped(&format!("{process}{task}"))));
        }
    }
    let mut messages: Vec<(usize, String)> =
        chart.arrows.iter().filter_map(|arrow| message(&chart, steps, arrow)).collect();
    messages.sort_by_key(|(at, _)| *at);
    let asides = asides(steps);
    let mut repeats = false;
    for (number, step) in (1..).zip(steps).filter(|(number, step)| is_shown(step) && asides[number - 1].is_none()) {
        if counterexample.loop_from().is_some_and(|from| number > from) && !repeats {
            repeats = true;
            lines.push("    loop for ever".to_owned());
        }
        let first = messages.partition_point(|(at, _)| *at < number);
        let drawn = messages[first..].iter().take_while(|(at, _)| *at == number);
        lines.extend(drawn.map(|(_, line)| line.clone()));
        lines.extend(note(&chart, number, step));
    }
    lines.extend(repeats.then(|| "    end".to_owned()));
    lines.extend(violation(&chart, counterexample));
    lines.join("\n") + "\n"
}

/// An arrow, with the number of the step at which it is drawn.
fn message(chart: &Chart, steps: &[Step], arrow: &Arrow) -> Option<(usize, String)> {
    let sent = &steps[arrow.from - 1];
    let (at, toward, sign, fate) = match arrow.fate {
        Fate::Arrived { step, copy, overtook } => {
            let copy = if copy > 1 { format!(" ×{copy}") } else { String::new() };
            let overtook = if overtook { " ↷" } else { "" };
            (step, chart.lane_of(&steps[step - 1]), "->>", format!("{copy}{overtook}"))
        }
        Fate::Lost { toward, .. } => (arrow.from, toward, "-x", " ✗ lost".to_owned()),
        Fate::Failed { toward } => (arrow.from, toward, "-x", failure(sent)),
        Fate::UnderWay { toward } => (arrow.from, toward, "--)", " (has not arrived)".to_owned()),
    };
    let what = match (arrow.what, &sent.payload) {
        (What::Connection, _) => "connect".to_owned(),
        (What::Datagram | What::Bytes, Some(payload)) => shortened(payload, LABEL_CHARS_MAX),
        _ => steps[at - 1].outcome.clone(),
    };
    let when = if at == arrow.from { at.to_string() } else { format!("{}→{at}", arrow.from) };
    let from = chart.lane_of(sent)?;
    let to = toward.unwrap_or(from);
    Some((at, format!("    p{from}{sign}p{to}: {}", escaped(&format!("{when} {what}{fate}")))))
}

fn failure(step: &Step) -> String {
    match step.failed {
        true => format!(" ✗ {}", step.outcome),
        false if step.network.contains(&Doing::CutOff) => " ✗ the link is cut".to_owned(),
        false => " ✗ nobody is bound there".to_owned(),
    }
}

/// The acts of a step that no arrow shows.
fn note(chart: &Chart, number: usize, step: &Step) -> Option<String> {
    let is_drawn = match step.kind {
        _ if step.is_restart() => false,
        Kind::Run | Kind::Bind if !step.failed => true,
        Kind::Connect => true,
        Kind::Send | Kind::Write | Kind::Shutdown => !step.failed || !step.arrived.is_empty(),
        _ => !step.arrived.is_empty(),
    };
    let over = match chart.lane_of(step) {
        Some(lane) => format!("p{lane}"),
        None => span(0, chart.lanes.len().checked_sub(1)?),
    };
    let is_shown = |doing: &&Doing| matches!(doing, Doing::Failed | Doing::FailedAlone | Doing::Reset | Doing::Hung);
    let doings: String = step.network.iter().filter(is_shown).map(|doing| format!(" {doing}")).collect();
    let words = format!("{number} {}{doings}", shortened(&step.what().replace("->", "→"), LABEL_CHARS_MAX));
    (!is_drawn).then(|| format!("    Note over {over}: {}", escaped(&words)))
}

/// The violation, if there is one, over the lanes on which it happened.
fn violation(chart: &Chart, counterexample: &Counterexample) -> Option<String> {
    if counterexample.kind() == ViolationKind::None {
        return None;
    }
    let units = counterexample.units();
    let is_hit = |index: &usize| units.is_empty() || units.contains(&chart.lanes[*index].process);
    let lanes: Vec<usize> = (0..chart.lanes.len()).filter(is_hit).collect();
    let (first, last) = (lanes.first()?, lanes.last()?);
    let message = counterexample.message().lines().next().unwrap_or_default();
    let words = escaped(&format!("✗ {}: {message}", counterexample.kind()));
    Some(format!("    Note over {}: {words}", span(*first, *last)))
}

fn span(first: usize, last: usize) -> String {
    if first == last { format!("p{first}") } else { format!("p{first},p{last}") }
}

/// Text without characters that mean something to Mermaid, or to the page that shows it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '#' | ';' | '<' | '>' | '&' | '%' => escaped.push_str(&format!("#{};", c as u32)),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}
