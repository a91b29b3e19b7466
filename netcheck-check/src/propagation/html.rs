//! Error propagation as a page for a browser: faults on the left, processes on the right, and an effect of a fault on a
//! process as an edge between them.
//!
//! The page is complete in itself and has no script. All text from programs is escaped.

use super::text::{or_none, shown, totals};
use super::{Effect, Mode, Propagation, Row};
use crate::trace::chart::shortened;
use crate::trace::markup::escaped;

const STYLE: &str = include_str!("propagation.css");

/// The policy for the browser: nothing may be loaded or run.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

// Lengths in pixels.
const LINE: usize = 20;
const GAP: usize = 14;
const FAULT: usize = 400;
const LABELS: usize = 170;
const CURVES: usize = 220;
const PROCESS: usize = 180;
const MARGIN: usize = 8;

// Lengths in characters that fit there.
const FAULT_CHARS_MAX: usize = 52;
const NAME_CHARS_MAX: usize = 22;

/// The page of a table.
pub(super) fn page(of: &Propagation) -> String {
    let limit = of.limit.as_ref().map(|limit| format!("<p class=\"limit\">Incomplete: {}</p>\n", escaped(limit)));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>error propagation</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>Error propagation under <code>{faults}</code></h1>\n{limit}<p>{totals}</p>\n\
         <div class=\"graph\">{graph}</div>\n\
         <h2>Without faults</h2>\n{reference}\n<h2>After a fault</h2>\n{rows}\n</body>\n</html>\n",
        faults = escaped(or_none(&of.faults)),
        limit = limit.unwrap_or_default(),
        totals = escaped(&totals(of)),
        graph = graph(of),
        reference = reference(of),
        rows = rows(of),
    )
}

/// The positions of faults and processes in the graph.
struct Layout {
    /// The upper edges of the faults, and the lower edge of the last one.
    tops: Vec<usize>,
    height: usize,
    processes: usize,
}

impl Layout {
    fn of(of: &Propagation) -> Layout {
        let mut top = MARGIN;
        let mut tops = Vec::new();
        for row in &of.rows {
            tops.push(top);
            top += height(row) + GAP;
        }
        let least = of.reference.len() * (2 * LINE + GAP) + MARGIN;
        Layout { tops, height: top.max(least), processes: of.reference.len() }
    }

    /// The middle of a process.
    fn process(&self, index: usize) -> usize {
        self.height * (2 * index + 1) / (2 * self.processes.max(1))
    }
}

/// Two lines for the fault, and one for each process that sees it.
fn height(row: &Row) -> usize {
    LINE * edges(row).len().max(2) + LINE / 2
}

/// The processes that see a fault, each with its modes.
fn edges(row: &Row) -> Vec<(&str, Vec<Mode>)> {
    let mut edges: Vec<(&str, Vec<Mode>)> = Vec::new();
    for Effect { process, mode, .. } in row.failures() {
        match edges.last_mut() {
            Some((last, modes)) if last == process => modes.push(*mode),
            _ => edges.push((process, vec![*mode])),
        }
    }
    edges
}

fn graph(of: &Propagation) -> String {
    let layout = Layout::of(of);
    let width = FAULT + LABELS + CURVES + PROCESS + 2 * MARGIN;
    let height = layout.height;
    let mut svg = format!("<svg width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"fault to process\">\n");
    for (row, &top) in of.rows.iter().zip(&layout.tops) {
        for (index, (process, modes)) in edges(row).into_iter().enumerate() {
            let to = of.reference.iter().position(|other| other.name == process).unwrap_or(0);
            svg.push_str(&edge(top + LINE * index + LINE * 3 / 4, layout.process(to), (process, &modes)));
        }
    }
    for (number, (row, &top)) in (1..).zip(of.rows.iter().zip(&layout.tops)) {
        svg.push_str(&fault(number, row, top));
    }
    for (index, process) in of.reference.iter().enumerate() {
        let (x, y) = (MARGIN + FAULT + LABELS + CURVES, layout.process(index));
        svg.push_str(&format!(
            "<g class=\"process\"><title>{}</title><rect x=\"{x}\" y=\"{}\" width=\"{PROCESS}\" height=\"{}\" rx=\"4\"/>\
             <text x=\"{}\" y=\"{}\">{}</text></g>\n",
            escaped(&process.name),
            y - LINE,
            2 * LINE,
            x + 10,
            y + 4,
            escaped(&shortened(&process.name, NAME_CHARS_MAX)),
        ));
    }
    svg + "</svg>"
}

fn fault(number: usize, row: &Row, top: usize) -> String {
    let (masked, class) = match (row.masked, row.ends) {
        (true, _) => (", masked", "fault masked"),
        (_, 0) => (", no end", "fault"),
        _ => ("", "fault"),
    };
    let peer = row.fault.peer.as_ref().map(|peer| format!(" ({peer})")).unwrap_or_default();
    let first = format!("#{number} {}: {}{peer}: {}", row.fault.process, row.fault.operation, row.fault.did);
    format!(
        "<g class=\"{class}\"><title>{}</title>\
         <rect x=\"{MARGIN}\" y=\"{top}\" width=\"{FAULT}\" height=\"{}\" rx=\"4\"/>\
         <text x=\"{}\" y=\"{}\">{}</text><text class=\"aside\" x=\"{}\" y=\"{}\">{}{masked}</text></g>\n",
        escaped(&row.fault.to_string()),
        height(row),
        MARGIN + 10,
        top + LINE,
        escaped(&shortened(&first, FAULT_CHARS_MAX)),
        MARGIN + 10,
        top + 2 * LINE - 2,
        escaped(&from_the_end(&row.fault.location, FAULT_CHARS_MAX - 10)),
    )
}

/// From a fault to a process; the label stands where the edge begins, so that no two labels meet.
fn edge(from_y: usize, to_y: usize, (process, modes): (&str, &[Mode])) -> String {
    let (from_x, bend) = (MARGIN + FAULT, MARGIN + FAULT + LABELS);
    let (to_x, middle) = (bend + CURVES, bend + CURVES / 2);
    let label: Vec<String> = modes.iter().map(Mode::to_string).collect();
    let worst = modes.iter().max().copied().unwrap_or(Mode::Correct);
    format!(
        "<g class=\"edge {}\" data-to=\"{}\">\
         <path d=\"M{from_x} {from_y}H{bend}C{middle} {from_y} {middle} {to_y} {to_x} {to_y}\"/>\
         <circle cx=\"{to_x}\" cy=\"{to_y}\" r=\"3\"/><text x=\"{}\" y=\"{}\">{}</text></g>\n",
        class(worst),
        escaped(process),
        from_x + 6,
        from_y - 4,
        label.join(", "),
    )
}

fn class(mode: Mode) -> &'static str {
    match mode {
        Mode::Correct => "ok",
        Mode::Error => "error",
        Mode::Wrong => "wrong",
        Mode::Omission | Mode::Deadlock => "stuck",
        Mode::Crash => "crash",
    }
}

fn reference(of: &Propagation) -> String {
    let each = of.reference.iter().flat_map(|process| {
        let daemon = if process.daemon { " (daemon)" } else { "" };
        process.endings.iter().map(move |ending| {
            let (name, how, text) = (escaped(&process.name), ending.how(), escaped(&shown(ending.text())));
            format!("<tr><td>{name}{daemon}</td><td>{how}</td><td><code>{text}</code></td></tr>\n")
        })
    });
    format!("<table>\n<tr><th>process</th><th>ends</th><th>with</th></tr>\n{}</table>", each.collect::<String>())
}

fn rows(of: &Propagation) -> String {
    let each = (1..).zip(&of.rows).map(|(number, row)| {
        let effects: Vec<&Effect> = row.failures().collect();
        let endings = |effect: &Effect| {
            let texts = effect.endings.iter().map(|ending| escaped(&shown(ending.text())));
            format!(
                "<p><b class=\"{}\">{}: {}</b> <code>{}</code></p>",
                class(effect.mode),
                escaped(&effect.process),
                effect.mode,
                texts.collect::<Vec<_>>().join("</code> <code>")
            )
        };
        let seen: String = effects.into_iter().map(endings).collect();
        let correct = match row.ends {
            0 => "no end".to_owned(),
            ends => format!("{} of {ends}", row.correct_ends),
        };
        let fault = escaped(&row.fault.to_string());
        format!("<tr><td>{number}</td><td>{fault}</td><td>{correct}</td><td>{seen}</td></tr>\n")
    });
    format!(
        "<table>\n<tr><th>#</th><th>fault</th><th>correct ends</th><th>seen</th></tr>\n{}</table>",
        each.collect::<String>()
    )
}

/// The last characters of a text.
fn from_the_end(text: &str, chars_max: usize) -> String {
    match text.chars().count().checked_sub(chars_max) {
        None | Some(0) => text.to_owned(),
        Some(more) => ['…'].into_iter().chain(text.chars().skip(more + 1)).collect(),
    }
}
