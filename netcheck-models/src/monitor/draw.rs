//! Drawings of monitors.

use super::automaton::{Monitor, Placed, shown};
use std::fmt::Write;

impl<E> Monitor<E> {
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

    /// The name of a state with its deadlines.
    fn state_label(&self, state: usize) -> String {
        let state = &self.states[state];
        let deadlines = state.deadlines.iter();
        let deadlines = deadlines.map(|(clock, most)| format!(", {} <= {}", self.clocks[*clock], shown(*most)));
        format!("{}{}", state.name, deadlines.collect::<String>())
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
