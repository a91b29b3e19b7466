//! A counterexample as a page for a browser: a sequence diagram to step through.
//!
//! The page is complete in itself: it loads nothing, and says so to the browser. The diagram is drawn here, and the
//! automata of the processes below it; the script only selects steps in them. All text from programs is escaped, in the
//! page and in the data for the script.

use crate::trace::automaton::Automaton;
use crate::trace::axis::Axis;
use crate::trace::chart::{Arrow, Band, Chart, Fate, Lane, Life, What, shortened};
use crate::trace::columns::{Columns, NUMBER};
use crate::trace::counterexample::Counterexample;
use crate::trace::fold::{Rounds, asides, rounds};
use crate::trace::machine::{machines, walks};
use crate::trace::markup::{data, escaped};
use crate::trace::step::{Doing, Kind, Step, Timing};
use crate::trace::text::NOT_LEAST;
use netcheck_runtime::violation::ViolationKind;
use serde::Serialize;
use std::collections::BTreeSet;

pub(crate) const STYLE: &str = include_str!("diagram.css");
const SCRIPT: &str = include_str!("diagram.js");

/// The policy for the browser: nothing may be loaded.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

// Lengths in pixels.
const ROW: usize = 32;
const LANES_HEIGHT: usize = 44;

impl Counterexample {
    /// As a page for a browser, complete in itself: a sequence diagram to step through. The page of a
    /// [`Report`](crate::report::Report::html) has the state machines of the processes too.
    pub fn html(&self) -> String {
        page(self, &[], "", None)
    }
}

/// The page of a counterexample; `name` is that of the check, `replay` the command that runs it again.
pub(crate) fn page(
    counterexample: &Counterexample,
    automata: &[Automaton],
    name: &str,
    replay: Option<&str>,
) -> String {
    let drawing = Drawing::new(counterexample, Vec::new());
    let diagrams = diagrams(counterexample, &drawing);
    let kind = counterexample.kind();
    let term = |name: &str, value: &str| format!("<dt>{name}</dt><dd><code>{}</code></dd>", escaped(value));
    let faults = match counterexample.faults() {
        Some("") => term("faults", "none"),
        Some(faults) => term("faults", faults),
        None => String::new(),
    };
    let note = if counterexample.may_not_be_least() { term("note", NOT_LEAST) } else { String::new() };
    let calls = match counterexample.history() {
        Some(history) => format!("<pre class=\"message\">{}</pre>\n", escaped(&history.to_string())),
        None => String::new(),
    };
    let replay = replay.map(|command| term("replay", command)).unwrap_or_default();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{kind} {title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1><span class=\"kind\">{kind}</span> {title}</h1>\n<pre class=\"message\">{message}</pre>\n\
         {calls}<dl>{faults}{note}{replay}</dl>\n\
         <p class=\"legend\">Keys: arrows step, Home and End go to the ends; or click a row, or point at it. \
         ✗ lost or failed, ×2 duplicated, ↷ overtook, ○ not arrived by the end; a lane breaks where its process crashes; nothing comes through a band between lanes.</p>\n\
         <p class=\"legend\"><input id=\"find\" type=\"search\" placeholder=\"find: /\" aria-label=\"find steps\"> \
         <span id=\"found\" aria-live=\"polite\"></span> Enter goes to the next one found. A click on the name of a lane \
         dims the steps of others. <button id=\"rounds\" type=\"button\" hidden></button></p>\n</header>\n\
         <main>\n<div id=\"diagram\" tabindex=\"0\" aria-label=\"sequence diagram\">\n{lanes}\n{diagrams}\n</div>\n\
         <canvas id=\"map\" width=\"14\" aria-hidden=\"true\"></canvas>\n\
         <aside id=\"details\" aria-live=\"polite\"><h2>{count} steps</h2></aside>\n</main>\n{machines}\
         <script type=\"application/json\" id=\"steps\">{steps}</script>\n\
         <script type=\"application/json\" id=\"situations\">{situations}</script>\n\
         <script type=\"application/json\" id=\"walks\">{walks}</script>\n<script>\n{SCRIPT}</script>\n\
         </body>\n</html>\n",
        title = escaped(name),
        message = escaped(counterexample.message()),
        lanes = drawing.lanes(),
        count = counterexample.steps().len(),
        steps = steps_data(counterexample.steps()),
        situations = data(&counterexample.situations()),
        machines = machines(automata),
        walks = data(&walks(automata, counterexample)),
    )
}

/// The diagram; if rounds repeat, as two: with one round in place of many, and whole, until the reader asks for it hidden.
fn diagrams(counterexample: &Counterexample, whole: &Drawing<'_>) -> String {
    let steps = counterexample.steps();
    // On an axis of time, each step has its place.
    let rounds = if steps.iter().any(|step| step.timing.is_some()) { Vec::new() } else { rounds(steps) };
    match rounds.is_empty() {
        true => whole.diagram(""),
        false => Drawing::new(counterexample, rounds).diagram(" class=\"folded\"") + "\n" + &whole.diagram(" hidden"),
    }
}

fn steps_data(steps: &[Step]) -> String {
    /// A step, when it happens, and the acts of the network in words.
    #[derive(Serialize)]
    struct Shown<'a> {
        #[serde(flatten)]
        step: &'a Step,
        #[serde(skip_serializing_if = "Option::is_none")]
        when: Option<String>,
        did: Vec<String>,
        /// The number of the step that it is told with.
        #[serde(skip_serializing_if = "Option::is_none")]
        with: Option<usize>,
    }
    fn shown((step, with): (&Step, Option<usize>)) -> Shown<'_> {
        let when = step.timing.as_ref().map(Timing::in_words);
        Shown { step, when, did: step.network.iter().map(Doing::to_string).collect(), with }
    }
    let steps: Vec<Shown<'_>> = steps.iter().zip(asides(steps)).map(shown).collect();
    data(&steps)
}

struct Drawing<'a> {
    counterexample: &'a Counterexample,
    steps: &'a [Step],
    chart: Chart,
    /// Rounds of which only the first is drawn.
    rounds: Vec<Rounds>,
    /// For each step, by its number less one: the number of the step at whose row it stands.
    rows: Vec<usize>,
    axis: Axis,
    columns: Columns,
}

impl Drawing<'_> {
    fn new(counterexample: &Counterexample, rounds: Vec<Rounds>) -> Drawing<'_> {
        let steps = counterexample.steps();
        let mut chart = Chart::of(steps);
        // Where packets take time, a datagram arrives with a step of the network, and is only taken by its receiver.
        let is_delivery = |step: usize| steps[step - 1].is_of_network();
        let arrived_at = |arrow: &Arrow| if let Fate::Arrived { step, .. } = arrow.fate { Some(step) } else { None };
        let delivered: BTreeSet<usize> = chart
            .arrows
            .iter()
            .filter(|arrow| arrived_at(arrow).is_some_and(is_delivery))
            .map(|arrow| arrow.from)
            .collect();
        chart.arrows.retain(|arrow| !delivered.contains(&arrow.from) || arrived_at(arrow).is_none_or(is_delivery));
        let mut rows: Vec<usize> = (1..).zip(asides(steps)).map(|(number, with)| with.unwrap_or(number)).collect();
        for left_out in rounds.iter().map(|rounds| rounds.left_out()) {
            let first = *left_out.start();
            left_out.for_each(|number| rows[number - 1] = first);
        }
        // An aside before a step that is left out stands with it.
        let rows: Vec<usize> = rows.iter().map(|&row| rows[row - 1]).collect();
        let axis = Axis::of(steps, &rows, ROW);
        let mut of_lanes = vec![0; chart.lanes.len()];
        steps.iter().filter_map(|step| chart.lane_of(step)).for_each(|lane| of_lanes[lane] += 1);
        let columns = Columns::of(&of_lanes);
        Drawing { counterexample, steps, chart, rounds, rows, axis, columns }
    }

    /// The rounds that are left out from this step on.
    fn left_out_from(&self, number: usize) -> Option<Rounds> {
        self.rounds.iter().copied().find(|rounds| *rounds.left_out().start() == number)
    }

    fn is_left_out(&self, number: usize) -> bool {
        self.rounds.iter().any(|rounds| rounds.left_out().contains(&number))
    }

    /// The steps that have rows of their own.
    fn shown(&self) -> impl Iterator<Item = (usize, &Step)> {
        (1..).zip(self.steps).filter(|&(number, _)| self.rows[number - 1] == number)
    }

    /// The names of the lanes, which stay when the diagram is scrolled.
    fn lanes(&self) -> String {
        let mut svg =
            format!("<div class=\"lanes\"><svg width=\"{}\" height=\"{LANES_HEIGHT}\">", self.columns.width());
        for (index, Lane { process, task }) in self.chart.lanes.iter().enumerate() {
            let x = self.columns.middle(index);
            let task = task.map(|task| format!("<text class=\"task\" x=\"{x}\" y=\"36\">task {task}</text>"));
            svg.push_str(&format!(
                "<g class=\"lane\" data-process=\"{0}\"><title>{0}</title><text class=\"name\" x=\"{x}\" y=\"20\">{1}</text>{2}</g>",
                escaped(process),
                escaped(&shortened(process, self.columns.name_chars(index))),
                task.unwrap_or_default()
            ));
        }
        svg + "</svg></div>"
    }

    fn diagram(&self, attributes: &str) -> String {
        let (width, height) = (self.columns.width(), self.axis.end() + ROW + ROW / 2);
        let mut svg = format!("<svg{attributes} width=\"{width}\" height=\"{height}\" role=\"img\">");
        for (number, step) in self.shown() {
            match self.left_out_from(number) {
                Some(rounds) => svg.push_str(&self.fold(rounds)),
                None => svg.push_str(&self.row(number, step)),
            }
        }
        svg.push_str("<g class=\"over\">");
        for passes in self.axis.passes() {
            let (y, line) = (passes.y, passes.y + 4);
            svg.push_str(&format!(
                "<path class=\"passes\" d=\"M{} {y}H{width}\"/><text class=\"instant\" x=\"8\" y=\"{line}\">{}</text>",
                NUMBER + (self.columns.lanes() - NUMBER) / 2,
                passes.words
            ));
        }
        for band in self.chart.bands(self.steps) {
            svg.push_str(&self.band(&band));
        }
        for index in 0..self.chart.lanes.len() {
            svg.push_str(&self.lane(index));
        }
        let has_end =
            |arrow: &&Arrow| !self.is_left_out(arrow.from) || end_of(arrow).is_some_and(|to| !self.is_left_out(to));
        for arrow in self.chart.arrows.iter().filter(has_end) {
            svg.push_str(&self.arrow(arrow));
        }
        for (number, step) in self.shown().filter(|&(number, _)| !self.is_left_out(number)) {
            svg.push_str(&self.at(number, step));
        }
        svg.push_str(&self.loop_for_ever());
        svg.push_str(&self.violation());
        svg + "</g></svg>"
    }

    /// A cut, between the lanes that it keeps apart.
    fn band(&self, Band { between, from, to }: &Band) -> String {
        let (top, end) = (self.axis.middle(*from), to.map_or(self.axis.end() + ROW, |to| self.axis.middle(to)));
        let between = between.iter().map(|&(one, other)| {
            let (left, right) = (self.columns.middle(one) + 6, self.columns.middle(other) - 6);
            let (width, height) = (right.saturating_sub(left), end.saturating_sub(top));
            format!("<rect class=\"cut\" x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/>")
        });
        between.collect()
    }

    /// A bracket around the steps that are repeated for ever.
    fn loop_for_ever(&self) -> String {
        let steps = self.steps.len();
        let Some(from) = self.counterexample.loop_from().filter(|from| *from < steps) else { return String::new() };
        let (top, end, first) = (self.axis.top(self.rows[from]) + 3, self.axis.end() - 3, from + 1);
        let bracket = format!("<path class=\"loop\" fill=\"none\" stroke=\"currentColor\" d=\"M6 {top}H2V{end}H6\">");
        format!("{bracket}<title>then for ever: steps {first} to {steps}</title></path>")
    }

    /// The line of a lane, with a break where its process crashes.
    fn lane(&self, index: usize) -> String {
        let x = self.columns.middle(index);
        let mut svg = String::new();
        for Life { from, to } in self.chart.lives(index, self.steps) {
            let top = from.map_or(0, |number| self.axis.middle(number));
            let end = to.map_or(self.axis.end() + ROW, |number| self.axis.middle(number));
            svg.push_str(&format!("<path class=\"life\" d=\"M{x} {top}V{end}\"/>"));
            if to.is_some_and(|number| !self.is_left_out(number)) {
                let (left, right) = (x - 9, x + 9);
                let (low, high) = (end + 10, end + 4);
                svg.push_str(&format!(
                    "<path class=\"break\" d=\"M{left} {low}L{right} {high}M{left} {}L{right} {}\"/>",
                    low + 5,
                    high + 5
                ));
            }
        }
        svg
    }

    /// The row that can be clicked: the whole width of a step.
    fn row(&self, number: usize, step: &Step) -> String {
        let top = self.axis.top(number);
        let words = escaped(&shortened(&step.what(), self.columns.words_chars()));
        format!(
            "<g data-step=\"{number}\"><title>{title}</title>\
             <rect class=\"row\" data-step=\"{number}\" x=\"0\" y=\"{top}\" width=\"{width}\" height=\"{ROW}\"/>\
             <text class=\"over number\" x=\"8\" y=\"{line}\">{number}</text>\
             <text class=\"over what\" x=\"{NUMBER}\" y=\"{line}\">{words}</text></g>\n",
            title = escaped(&hint(number, step)),
            width = self.columns.width(),
            line = top + ROW / 2 + 4,
        )
    }

    /// The row that stands for the rounds that are left out; a click shows them.
    fn fold(&self, rounds: Rounds) -> String {
        let left_out = rounds.left_out();
        let (first, last) = (*left_out.start(), *left_out.end());
        let (top, count) = (self.axis.top(first), rounds.rounds - 1);
        let round = match (rounds.first, first - 1) {
            (only, end) if only == end => format!("step {only}"),
            (begin, end) => format!("steps {begin} to {end}"),
        };
        let words = format!("×{} in all: {round} again, {count} times", rounds.rounds);
        format!(
            "<g class=\"fold\"><title>steps {first} to {last}: a click shows them</title>\
             <rect class=\"row\" x=\"0\" y=\"{top}\" width=\"{width}\" height=\"{ROW}\"/>\
             <text class=\"over number\" x=\"8\" y=\"{line}\">⋮</text>\
             <text class=\"over what\" x=\"{NUMBER}\" y=\"{line}\">{words}</text></g>\n",
            width = self.columns.width(),
            line = top + ROW / 2 + 4,
        )
    }

    /// A step on its lane: a dot, and the words that no arrow says.
    fn at(&self, number: usize, step: &Step) -> String {
        let y = self.axis.middle(number);
        let Some(lane) = self.chart.lane_of(step) else {
            let (from, to) = (self.columns.lanes(), self.columns.width());
            let class = if step.network.is_empty() { "network quiet" } else { "network" };
            return format!("<path class=\"{class}\" d=\"M{from} {y}H{to}\"/>");
        };
        let class = match step.kind {
            _ if step.failed || step.kind == Kind::Crash => "at failed",
            Kind::Run | Kind::Bind | Kind::Other => "at quiet",
            _ => "at",
        };
        let mut svg = format!(
            "<circle class=\"{class}\" data-at=\"{number}\" cx=\"{}\" cy=\"{y}\" r=\"4\"/>",
            self.columns.middle(lane)
        );
        let mut marks: Vec<String> = step.network.iter().filter_map(mark).collect();
        if step.failed {
            marks.push(format!("✗ {}", step.outcome));
        }
        let (text, class) = match (marks.is_empty(), step.kind) {
            (false, Kind::Crash) => (marks.join(" "), "label bad"),
            (false, _) => (marks.join(" "), if step.failed { "label bad" } else { "label odd" }),
            (true, _) if step.is_restart() => (step.operation.clone(), "label odd"),
            (true, Kind::Timer) => (step.outcome.clone(), "label odd"),
            (true, Kind::Send | Kind::Write) => (step.payload.clone().unwrap_or_default(), "label"),
            (true, Kind::Connect) => ("connect".to_owned(), "label"),
            _ => return svg,
        };
        let is_left = self.is_left(number, lane);
        let middle = self.columns.middle(lane);
        let (class, x) = match is_left {
            true => (format!("{class} end"), middle - 8),
            false => (class.to_owned(), middle + 8),
        };
        let text = escaped(&shortened(&text, self.columns.label_chars(lane, is_left)));
        svg.push_str(&format!("<text class=\"{class}\" x=\"{x}\" y=\"{}\">{text}</text>", y - 5));
        svg
    }

    /// Whether a step's label stands on the left: on the side to which it sends, or away from the side from which it
    /// receives.
    fn is_left(&self, number: usize, lane: usize) -> bool {
        if let Some(&from) = self.steps[number - 1].arrived.first() {
            return self
                .steps
                .get(from.wrapping_sub(1))
                .and_then(|sent| self.chart.lane_of(sent))
                .is_some_and(|from| from > lane);
        }
        let leads = self.chart.arrows.iter().find(|arrow| arrow.from == number).and_then(|arrow| self.toward(arrow));
        leads.is_some_and(|to| to < lane)
    }

    /// The lane of a step; of one of the network, that of the process which it reaches.
    fn lane_of(&self, step: &Step) -> Option<usize> {
        let reached = || self.chart.toward(step).filter(|_| step.is_of_network());
        self.chart.lane_of(step).or_else(reached)
    }

    /// The lane that an arrow leads to.
    fn toward(&self, arrow: &Arrow) -> Option<usize> {
        match arrow.fate {
            Fate::Arrived { step, .. } => {
                let to = self.lane_of(&self.steps[step - 1]);
                to.or_else(|| self.chart.toward(&self.steps[arrow.from - 1]))
            }
            Fate::Lost { toward, .. } | Fate::Failed { toward } | Fate::UnderWay { toward } => toward,
        }
    }

    fn arrow(&self, arrow: &Arrow) -> String {
        let Some(lane) = self.lane_of(&self.steps[arrow.from - 1]) else { return String::new() };
        let y = |number| self.axis.middle(number);
        let x = |lane| self.columns.middle(lane);
        let (from_x, from_y) = (x(lane), y(arrow.from));
        let half = self.columns.half(lane);
        let what = match arrow.what {
            What::Datagram => "datagram",
            What::Bytes => "bytes",
            What::Connection => "connection",
            What::End => "end",
        };
        let (fate, to) = match arrow.fate {
            Fate::Arrived { step, copy: 2.., .. } => ("arrived copy", Some(step)),
            Fate::Arrived { step, overtook: true, .. } => ("arrived overtook", Some(step)),
            Fate::Arrived { step, .. } => ("arrived", Some(step)),
            Fate::Lost { step, .. } => ("lost", Some(step)),
            Fate::Failed { .. } => ("failed", None),
            Fate::UnderWay { .. } => ("under-way", None),
        };
        let drawn = match (arrow.fate, self.toward(arrow)) {
            (Fate::Arrived { step, .. }, Some(to)) if to != lane => line((from_x, from_y), (x(to), y(step))),
            (Fate::Arrived { step, .. }, _) => bow((from_x, from_y), y(step), half / 2),
            (fate, to) => {
                let is_left = to.is_some_and(|to| to < lane);
                let end = if is_left { from_x - half } else { from_x + half };
                let down = from_y + ROW / 4;
                let sign = match fate {
                    Fate::UnderWay { .. } => format!("<circle cx=\"{end}\" cy=\"{down}\" r=\"4\"/>"),
                    _ => format!("<text x=\"{end}\" y=\"{down}\">✗</text>"),
                };
                format!("<path d=\"M{from_x} {from_y}L{end} {down}\"/>{sign}")
            }
        };
        let to = to.map(|to| format!(" data-to=\"{to}\"")).unwrap_or_default();
        format!("<g class=\"arrow {what} {fate}\" data-from=\"{}\"{to}>{drawn}</g>\n", arrow.from)
    }

    /// The last row: the violation, if there is one, and its lanes.
    fn violation(&self) -> String {
        if self.counterexample.kind() == ViolationKind::None {
            return String::new();
        }
        let top = self.axis.end();
        let line = top + ROW / 2;
        let words = self.counterexample.message().lines().next().unwrap_or_default();
        let words = format!("✗ {}: {words}", self.counterexample.kind());
        let mut svg = format!(
            "<rect class=\"violation\" x=\"1\" y=\"{top}\" width=\"{}\" height=\"{ROW}\"/>\
             <text class=\"violated\" x=\"8\" y=\"{}\">{}</text>",
            self.columns.width() - 2,
            line + 4,
            escaped(&shortened(&words, self.columns.words_chars() + 4))
        );
        let units = self.counterexample.units();
        for (index, _) in self.chart.lanes.iter().enumerate().filter(|(_, lane)| units.contains(&lane.process)) {
            svg.push_str(&format!(
                "<text class=\"violated name\" x=\"{}\" y=\"{}\">✗</text>",
                self.columns.middle(index),
                line + 4
            ));
        }
        svg
    }
}

/// The step with which an arrow ends, if it is another one.
fn end_of(arrow: &Arrow) -> Option<usize> {
    match arrow.fate {
        Fate::Arrived { step, .. } | Fate::Lost { step, .. } => Some(step),
        Fate::Failed { .. } | Fate::UnderWay { .. } => None,
    }
}

/// An arrow from lane to lane.
fn line((from_x, from_y): (usize, usize), (to_x, to_y): (usize, usize)) -> String {
    let (across, down) = (to_x as f64 - from_x as f64, to_y as f64 - from_y as f64);
    let head = head((to_x, to_y), down.atan2(across).to_degrees());
    format!("<path d=\"M{from_x} {from_y}L{to_x} {to_y}\"/>{head}")
}

/// An arrow within one lane, which goes so far out of it.
fn bow((x, from_y): (usize, usize), to_y: usize, out: usize) -> String {
    let out = x + out;
    let head = head((x, to_y), 180.0);
    format!("<path d=\"M{x} {from_y}C{out} {from_y} {out} {to_y} {x} {to_y}\"/>{head}")
}

/// The head of an arrow, before the dot that it leads to.
fn head((x, y): (usize, usize), degrees: f64) -> String {
    format!("<path class=\"head\" d=\"M-13 -4L-5 0L-13 4\" transform=\"translate({x} {y}) rotate({degrees:.0})\"/>")
}

/// An act of the network in a short word, if it shows.
fn mark(doing: &Doing) -> Option<String> {
    match doing {
        Doing::Duplicated { copy } => Some(format!("×{copy}")),
        Doing::Overtook { sent: Some(sent), .. } => Some(format!("↷ #{sent}")),
        Doing::Overtook { .. } => Some("↷".to_owned()),
        Doing::Reset => Some("! reset".to_owned()),
        Doing::GivenUp => Some("! given up".to_owned()),
        Doing::CutOff => Some("✗ cut off".to_owned()),
        Doing::Killed => Some("✗ killed".to_owned()),
        Doing::Silenced => Some("✗ no power".to_owned()),
        _ => None,
    }
}

/// The text that is shown while the pointer rests on a step.
fn hint(number: usize, step: &Step) -> String {
    let place = step.place().map(|place| format!("\n{place}"));
    let source = step.source.as_ref().map(|source| format!("\n  {source}"));
    let doings: String = step.network.iter().map(|doing| format!("\n{doing}")).collect();
    let remarks: String = step.remarks.iter().map(|remark| format!("\n{remark}")).collect();
    format!(
        "{number}. {}\n{}{}{}{remarks}{doings}",
        step.who(),
        step.what(),
        place.unwrap_or_default(),
        source.unwrap_or_default()
    )
}
