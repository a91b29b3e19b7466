//! Drawings of monitors.

use super::automaton::{Monitor, Placed};
use super::guard::shown;
use std::fmt::Write;

/// The drawing of a monitor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The name of each state, and its label: the name with the deadlines. The first one is where the monitor begins.
    pub states: Vec<(String, String)>,
    /// The rules: from which state to which, and the label.
    pub rules: Vec<(usize, usize, String)>,
}

impl<E> Monitor<E> {
    /// The states and rules of the monitor, for drawings of other kinds.
    #[must_use]
    pub fn drawing(&self) -> Drawing {
        let states = self.states.iter().enumerate();
        let rules = self.rules.iter();
        Drawing {
            states: states.map(|(number, state)| (state.name.clone(), self.state_label(number))).collect(),
            rules: rules.map(|placed| (placed.from, placed.to, self.rule_label(placed))).collect(),
        }
    }

    /// The monitor as a Mermaid state diagram.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        // In a label, Mermaid ends a statement at `;` and takes `#` for the begin of an entity.
        let escaped =
            |text: String| text.replace('#', "#35;").replace(';', "#59;").replace(':', "#58;").replace('"', "#quot;");
        let mut drawn = "stateDiagram-v2\n".to_owned();
        for (state, declared) in self.states.iter().enumerate() {
            let label = escaped(self.state_label(state));
            writeln!(drawn, "    s{state} : {label}").expect("a text takes all");
            if declared.accepting {
                writeln!(drawn, "    s{state} --> [*]").expect("a text takes all");
            }
        }
        writeln!(drawn, "    [*] --> s0").expect("a text takes all");
        for placed in &self.rules {
            let label = escaped(self.rule_label(placed));
            writeln!(drawn, "    s{} --> s{} : {label}", placed.from, placed.to).expect("a text takes all");
        }
        drawn
    }

    /// The monitor in the language of Graphviz.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let escaped = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
        let mut drawn = format!("digraph \"{}\" {{\n    start [shape=point]\n    start -> s0\n", escaped(&self.name));
        for (state, declared) in self.states.iter().enumerate() {
            let shape = if declared.accepting { "doublecircle" } else { "circle" };
            let label = escaped(&self.state_label(state));
            writeln!(drawn, "    s{state} [shape={shape}, label=\"{label}\"]").expect("a text takes all");
        }
        for placed in &self.rules {
            let label = escaped(&self.rule_label(placed));
            writeln!(drawn, "    s{} -> s{} [label=\"{label}\"]", placed.from, placed.to).expect("a text takes all");
        }
        drawn + "}\n"
    }

    /// The name of a state, whether it is hot, and its deadlines.
    fn state_label(&self, state: usize) -> String {
        let state = &self.states[state];
        let deadlines = state.deadlines.iter();
        let deadlines = deadlines.map(|(clock, most)| format!(", {} <= {}", self.clocks[*clock], shown(*most)));
        let hot = if state.hot { ", hot" } else { "" };
        format!("{}{hot}{}", state.name, deadlines.collect::<String>())
    }

    /// The event and the guard of a rule, and after a slash what it writes.
    fn rule_label(&self, placed: &Placed<E>) -> String {
        let sets = placed.assigned.iter().map(|variable| format!("set {}", self.variables[*variable]));
        let resets = placed.resets.iter().map(|clock| format!("reset {}", self.clocks[*clock]));
        let writes: Vec<String> = sets.chain(resets).collect();
        let slash = if writes.is_empty() { "" } else { " / " };
        format!("{}{slash}{}", placed.words(), writes.join(", "))
    }
}
