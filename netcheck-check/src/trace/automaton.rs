//! The learned automaton of one process or isolated task, as a drawing.
//!
//! Data and its forms only. Nodes are numbered from the start, breadth first, by what their edges
//! say: the numbers are the same in every run.

use crate::trace::chart::shortened;
use netcheck_models::monitor::Drawing;
use std::fmt::Write;

const LABEL_CHARS_MAX: usize = 80;

/// The protocol that a process really speaks: its local states, and the steps between them.
///
/// It has the steps that the executions of the last search have taken: all steps of the process if the verdict is
/// `Verified`. A node may stand for several pasts that are the same from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    pub(crate) name: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    /// The number of learned nodes that are left out.
    pub(crate) left_out: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    /// The head of a loop that tells it from others, and the values of the variables there.
    pub(crate) captured: Option<String>,
    /// Whether the process, or a task of this name, begins here.
    pub(crate) is_first: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The process goes on, or waits.
    Live,
    /// The process has ended with this output.
    Ended(String),
    /// The process has panicked so.
    Panicked(String),
    /// A state of a monitor, and its label.
    State { name: String, label: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    /// `None`: to a node that was left out.
    pub(crate) to: Option<usize>,
    /// The question to the world, and its answer.
    pub(crate) label: String,
}

impl Automaton {
    /// The process, or `process/function` for isolated tasks.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many local states it has here.
    pub fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many steps there are between them.
    pub fn edges(&self) -> usize {
        self.edges.len()
    }

    /// How many local states were learned and left out: those farthest from the start.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// A monitor: its states and rules.
    pub(crate) fn of_monitor(name: String, Drawing { states, rules }: Drawing) -> Automaton {
        let node =
            |(number, (name, label))| Node { kind: Kind::State { name, label }, captured: None, is_first: number == 0 };
        let edge = |(from, to, label)| Edge { from, to: Some(to), label };
        let nodes = states.into_iter().enumerate().map(node).collect();
        Automaton { name, nodes, edges: rules.into_iter().map(edge).collect(), left_out: 0 }
    }

    /// The label of the edge of a task's operation and its outcome.
    pub(crate) fn label(task: u32, operation: &str, outcome: &str) -> String {
        let task = if task > 0 { format!("task {task}: ") } else { String::new() };
        match outcome {
            "done" => format!("{task}{operation}"),
            outcome => format!("{task}{operation} → {outcome}"),
        }
    }

    /// For Graphviz.
    pub fn dot(&self) -> String {
        let mut text = format!("digraph \"{}\" {{\n    node [shape=circle];\n", quoted(&self.name));
        for (number, node) in self.nodes.iter().enumerate() {
            let label = quoted(&node.label(number));
            let shape = match node.kind {
                Kind::Live if node.captured.is_some() => ", shape=box",
                Kind::Live | Kind::State { .. } => "",
                Kind::Ended(_) => ", shape=box, peripheries=2",
                Kind::Panicked(_) => ", shape=box, color=red",
            };
            line(&mut text, format_args!("n{number} [label=\"{label}\"{shape}];"));
            if node.is_first {
                line(&mut text, format_args!("start{number} [shape=point];"));
                line(&mut text, format_args!("start{number} -> n{number};"));
            }
        }
        if let Some(rest) = self.rest() {
            line(&mut text, format_args!("rest [label=\"{rest}\", shape=plaintext];"));
        }
        for edge in &self.edges {
            let to = edge.to.map_or("rest".to_owned(), |to| format!("n{to}"));
            line(&mut text, format_args!("n{} -> {to} [label=\"{}\"];", edge.from, quoted(&edge.label())));
        }
        text + "}\n"
    }

    /// As a state diagram in Mermaid, for issues and pull requests, without the fence of a code block.
    pub fn mermaid(&self) -> String {
        let mut text = "stateDiagram-v2\n".to_owned();
        let mut panicked = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            line(&mut text, format_args!("state \"{}\" as n{number}", escaped(&node.label(number))));
            if node.is_first {
                line(&mut text, format_args!("[*] --> n{number}"));
            }
            match node.kind {
                Kind::Live | Kind::State { .. } => {}
                Kind::Ended(_) => line(&mut text, format_args!("n{number} --> [*]")),
                Kind::Panicked(_) => panicked.push(format!("n{number}")),
            }
        }
        if let Some(rest) = self.rest() {
            line(&mut text, format_args!("state \"{rest}\" as rest"));
        }
        for edge in &self.edges {
            let to = edge.to.map_or("rest".to_owned(), |to| format!("n{to}"));
            line(&mut text, format_args!("n{} --> {to}: {}", edge.from, escaped(&edge.label())));
        }
        if !panicked.is_empty() {
            line(&mut text, format_args!("classDef panicked stroke:#d00,stroke-width:2px"));
            line(&mut text, format_args!("class {} panicked", panicked.join(",")));
        }
        text
    }

    fn rest(&self) -> Option<String> {
        match self.left_out {
            0 => None,
            1 => Some("1 more".to_owned()),
            count => Some(format!("{count} more")),
        }
    }
}

impl Node {
    fn label(&self, number: usize) -> String {
        match self.words() {
            Some(words) => shortened(&format!("{number} {words}"), LABEL_CHARS_MAX),
            None => number.to_string(),
        }
    }

    /// The words in the node, if there are any.
    pub(crate) fn words(&self) -> Option<String> {
        match &self.kind {
            Kind::Live => self.captured.as_ref().map(|captured| format!("at {captured}")),
            Kind::Ended(output) => Some(format!("ended with {output}")),
            Kind::Panicked(panic) => Some(format!("panicked {panic}")),
            Kind::State { label, .. } => Some(label.clone()),
        }
    }
}

impl Edge {
    fn label(&self) -> String {
        shortened(&self.label, LABEL_CHARS_MAX)
    }
}

fn line(text: &mut String, words: std::fmt::Arguments<'_>) {
    writeln!(text, "    {words}").expect("a string takes everything");
}

/// Text between the quotes of DOT.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push(' '),
            c => quoted.push(c),
        }
    }
    quoted
}

/// Text without characters that mean something to Mermaid, to Markdown, or to the page that shows it.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("#lt;"),
            '>' => escaped.push_str("#gt;"),
            '&' => escaped.push_str("#amp;"),
            '"' => escaped.push_str("#quot;"),
            c if c.is_control() => escaped.push(' '),
            c if c.is_ascii_punctuation() && !".,-()/!?'+=@".contains(c) => {
                escaped.push_str(&format!("#{};", u32::from(c)));
            }
            c => escaped.push(c),
        }
    }
    escaped
}
