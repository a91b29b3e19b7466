//! The automata of processes, and monitors, drawn on the page of a counterexample.

use crate::trace::automaton::{Automaton, Kind, Node};
use crate::trace::chart::shortened;
use crate::trace::counterexample::Counterexample;
use crate::trace::layout::{Layout, Link, Rect, Route, layout};
use crate::trace::markup::escaped;
use crate::trace::merge::{Readable, readable};
use crate::trace::situation::{REJECTS, Situations};
use crate::trace::step::{self, Step};
use std::collections::BTreeMap;

/// Lines of a label, and characters of a line.
const LINES_MAX: usize = 4;
const LINE_CHARS_MAX: usize = 36;

// Lengths in pixels.
const LINE: i32 = 14;
const PADDING: i32 = 6;

/// A section for each automaton; empty if there is none.
pub(crate) fn machines(automata: &[Automaton]) -> String {
    let each = automata.iter().enumerate().map(|(index, automaton)| {
        let name = escaped(automaton.name());
        let Some(Readable { automaton: drawn, steps }) = readable(automaton) else {
            let count = automaton.nodes() + automaton.left_out();
            let words = format!("{count} local states, too many to be read: <code>Report::automaton</code> has them");
            return format!("<section>\n<h2>{name} <small>{words}</small></h2>\n</section>\n");
        };
        let rest = match automaton.left_out() {
            0 => String::new(),
            count => format!(" <small>without {count} local states that are farther from the start</small>"),
        };
        let (all, nodes) = (automaton.nodes(), drawn.nodes());
        let merged = match steps {
            None if all == nodes => String::new(),
            None => format!(" <small>{all} local states: those that cannot be told apart from outside are one</small>"),
            Some(steps) => format!(
                " <small>{all} local states: those that do the same for {steps} steps are drawn as one, so that it may go on \
                 as no execution does</small>"
            ),
        };
        format!("<section>\n<h2>{name}{merged}{rest}</h2>\n{}</section>\n", Drawing::new(&drawn).svg(index, &name))
    });
    let sections: String = each.collect();
    if sections.is_empty() {
        return String::new();
    }
    format!(
        "<details id=\"machines\">\n<summary>State machines: what each process was seen to do, and the monitors</summary>\n{sections}</details>\n"
    )
}

/// For each automaton: the nodes that its process or monitor comes to, each with the number of the step, and `None` from
/// where on that is not known.
pub(crate) fn walks(automata: &[Automaton], counterexample: &Counterexample) -> Vec<Vec<(usize, Option<usize>)>> {
    let is_monitor =
        |automaton: &Automaton| matches!(automaton.nodes.first(), Some(Node { kind: Kind::State { .. }, .. }));
    let walk = |automaton: &Automaton| match readable(automaton) {
        None => Vec::new(),
        Some(Readable { automaton, .. }) if is_monitor(&automaton) => {
            walk_of_monitor(&automaton, counterexample.situations())
        }
        Some(Readable { automaton, .. }) => walk(&automaton, counterexample.steps()),
    };
    automata.iter().map(walk).collect()
}

/// Where the monitor may be in several states, none is marked. Where it rejects, it stays.
fn walk_of_monitor(automaton: &Automaton, situations: Option<&Situations>) -> Vec<(usize, Option<usize>)> {
    let node = |words: &str| {
        let is_at = |node: &Node| match &node.kind {
            Kind::State { name, .. } => {
                words.strip_prefix(&format!("`{name}`")).is_some_and(|values| !values.contains(", or `"))
            }
            _ => false,
        };
        automaton.nodes.iter().position(is_at)
    };
    let walk = situations.map(|situations| situations.walk(automaton.name())).unwrap_or_default();
    walk.into_iter().filter(|(_, words)| *words != REJECTS).map(|(step, words)| (step, node(words))).collect()
}

/// Steps are found by their words. Several edges may read the same: then each is followed.
fn walk(automaton: &Automaton, steps: &[Step]) -> Vec<(usize, Option<usize>)> {
    let mut here: Vec<usize> = (0..automaton.nodes.len()).filter(|&node| automaton.nodes[node].is_first).collect();
    let only = |nodes: &[usize]| match nodes {
        [only] => Some(*only),
        _ => None,
    };
    let mut walk = vec![(0, only(&here))];
    for (number, step) in (1..).zip(steps).filter(|(_, step)| step.process == automaton.name) {
        let label = label(step);
        let edges = automaton.edges.iter().filter(|edge| here.contains(&edge.from) && edge.label == label);
        let mut next: Vec<usize> = edges.filter_map(|edge| edge.to).collect();
        next.sort();
        next.dedup();
        walk.push((number, only(&next)));
        here = next;
    }
    walk
}

/// A step as it is written at an edge: without the time that passed, and without the ready operations.
fn label(step: &Step) -> String {
    let outcome = match step.kind {
        step::Kind::Timer if step.outcome.starts_with("elapsed") => "elapsed",
        step::Kind::Receive if step.outcome == "readable" => "done",
        _ => &step.outcome,
    };
    Automaton::label(step.task.unwrap_or(0), &step.operation, outcome)
}

/// The edges from one node to another.
struct Edges<'a> {
    from: usize,
    to: Option<usize>,
    labels: Vec<&'a str>,
}

struct Drawing<'a> {
    nodes: &'a [Node],
    edges: Vec<Edges<'a>>,
    layout: Layout,
}

impl<'a> Drawing<'a> {
    fn new(automaton: &'a Automaton) -> Drawing<'a> {
        let nodes = &automaton.nodes[..];
        let mut edges: BTreeMap<(usize, Option<usize>), Vec<&str>> = BTreeMap::new();
        for edge in &automaton.edges {
            edges.entry((edge.from, edge.to)).or_default().push(&edge.label);
        }
        let edges: Vec<Edges<'_>> = edges.into_iter().map(|((from, to), labels)| Edges { from, to, labels }).collect();
        let sizes: Vec<(i32, i32)> = (0..).zip(nodes).map(|(number, node)| size(&lines_of(node, number))).collect();
        let first: Vec<usize> = (0..nodes.len()).filter(|&node| nodes[node].is_first).collect();
        let links: Vec<Link> =
            edges.iter().map(|edges| Link { from: edges.from, to: edges.to, label: size(&edges.lines()) }).collect();
        let layout = layout(&sizes, &first, &links);
        Drawing { nodes, edges, layout }
    }

    fn svg(&self, index: usize, name: &str) -> String {
        let Layout { width, height, .. } = self.layout;
        let mut svg = format!("<svg width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{name}\">\n");
        for (index, edges) in self.edges.iter().enumerate() {
            let (label, route) = (self.layout.labels[index], self.layout.routes[index]);
            let to = edges.to.map(|to| self.layout.nodes[to]).unwrap_or_default();
            let path = path(self.layout.nodes[edges.from], label, to, route);
            let class = match route {
                Route::Back { .. } | Route::Loop => "edge back",
                Route::On | Route::Out => "edge",
            };
            svg.push_str(&format!("<g class=\"{class}\"><title>{}</title>{path}", escaped(&edges.labels.join("\n"))));
            svg.push_str(&words(&edges.lines(), label));
            svg.push_str("</g>\n");
        }
        for (number, node) in self.nodes.iter().enumerate() {
            svg.push_str(&self.node(index, number, node));
        }
        svg + "</svg>\n"
    }

    fn node(&self, index: usize, number: usize, node: &Node) -> String {
        let place = self.layout.nodes[number];
        let Rect { x, y, width, height } = place;
        let class = match node.kind {
            Kind::Live if node.is_first => "node first",
            Kind::State { .. } if node.is_first => "node first",
            Kind::Live | Kind::State { .. } => "node",
            Kind::Ended(_) => "node ended",
            Kind::Panicked(_) => "node panicked",
        };
        let title = node.words().map(|words| format!("<title>{}</title>", escaped(&words))).unwrap_or_default();
        format!(
            "<g class=\"{class}\" data-machine=\"{index}\" data-node=\"{number}\">{title}\
             <rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\"/>{}</g>\n",
            words(&lines_of(node, number), place)
        )
    }
}

impl Edges<'_> {
    fn lines(&self) -> Vec<String> {
        let shown = if self.labels.len() > LINES_MAX { LINES_MAX - 1 } else { self.labels.len() };
        let mut lines: Vec<String> =
            self.labels[..shown].iter().map(|label| shortened(label, LINE_CHARS_MAX)).collect();
        if shown < self.labels.len() {
            lines.push(format!("and {} more", self.labels.len() - shown));
        }
        lines
    }
}

/// The text in a node.
fn lines_of(node: &Node, number: usize) -> Vec<String> {
    let Some(words) = node.words() else { return vec![number.to_string()] };
    if matches!(node.kind, Kind::State { .. }) {
        return vec![shortened(&words, LINE_CHARS_MAX)];
    }
    // The place of a captured loop stands alone.
    let (place, values) = match node.captured.as_ref().and(words.split_once(": ")) {
        Some((place, values)) => (place, Some(values)),
        None => (words.as_str(), None),
    };
    let place = place.strip_prefix("at ").map_or(place, |place| place.rsplit('/').next().unwrap_or(place));
    let mut lines = vec![shortened(&format!("{number} {place}"), LINE_CHARS_MAX)];
    let mut line = String::new();
    for value in values.into_iter().flat_map(|values| values.split_inclusive(", ")) {
        if !line.is_empty() && line.chars().count() + value.chars().count() > LINE_CHARS_MAX {
            lines.push(std::mem::take(&mut line));
        }
        line.push_str(value);
    }
    lines.extend((!line.is_empty()).then_some(line));
    let lines_max = LINES_MAX.min(lines.len());
    lines[..lines_max].iter().map(|line| shortened(line, LINE_CHARS_MAX)).collect()
}

/// The size of a box around some lines of a font whose characters are all as wide as each other.
fn size(lines: &[String]) -> (i32, i32) {
    let chars = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    let width = i32::try_from(chars * 34 / 5).unwrap_or(i32::MAX / 2);
    (width + 2 * PADDING, LINE * i32::try_from(lines.len()).unwrap_or(1) + PADDING)
}

fn words(lines: &[String], place: Rect) -> String {
    let x = place.x + PADDING;
    let line = |(number, line): (i32, &String)| {
        format!("<text x=\"{x}\" y=\"{}\">{}</text>", place.y + PADDING / 2 + LINE * number + 11, escaped(line))
    };
    (0..).zip(lines).map(line).collect()
}

/// From a node to the label of an edge, and on from there.
fn path(from: Rect, label: Rect, to: Rect, route: Route) -> String {
    let (y, end) = (label.middle(), (to.x, to.middle()));
    let curve = |(from_x, from_y): (i32, i32), (to_x, to_y): (i32, i32)| {
        let middle = i32::midpoint(from_x, to_x);
        format!("M{from_x} {from_y}C{middle} {from_y} {middle} {to_y} {to_x} {to_y}")
    };
    let there = curve((from.right(), from.middle()), (label.x, y));
    let (on, ((x, y), turn)) = match route {
        Route::On => (curve((label.right(), y), end), (end, "")),
        Route::Loop => {
            let start = (from.right(), from.middle() + 5);
            (curve((label.x, y + 4), start), (start, " rotate(180)"))
        }
        Route::Back { down, y: below, up } => {
            (format!("M{} {y}H{down}V{below}H{up}V{}H{}", label.right(), end.1, end.0), (end, ""))
        }
        Route::Out => (format!("M{} {y}h12", label.right()), ((label.right() + 14, y), "")),
    };
    let head = format!("<path class=\"head\" d=\"M-7 -4L0 0L-7 4\" transform=\"translate({x} {y}){turn}\"/>");
    format!("<path d=\"{there}\"/><path d=\"{on}\"/>{head}")
}
