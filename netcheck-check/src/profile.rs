//! The profile of a check: where its size comes from, and what may make it smaller.

use std::fmt;

/// Processes and components that are printed at the most.
const PRINTED_MAX: usize = 4;

/// Pieces of advice that are printed at the most.
const ADVICE_MAX: usize = 3;

/// Where the size of a check comes from, and what may make it smaller; from
/// [`Report::profile`](crate::report::Report::profile).
#[derive(Clone, Debug, Default)]
pub struct Profile {
    pub(crate) processes: Vec<ProcessProfile>,
    pub(crate) components: Vec<ComponentProfile>,
    pub(crate) advice: Vec<String>,
}

/// A process in a [`Profile`].
#[derive(Clone, Debug, Default)]
pub struct ProcessProfile {
    pub(crate) name: String,
    pub(crate) local_states: usize,
    pub(crate) tasks: usize,
    pub(crate) spawned_at: Vec<String>,
    pub(crate) channels_at: Vec<String>,
    /// Different sets of operations that its local states wait for.
    pub(crate) waits: usize,
}

/// A component of the states in a [`Profile`] that is no process.
#[derive(Clone, Debug)]
pub(crate) struct ComponentProfile {
    pub(crate) name: String,
    /// Different ones in a sample of the states.
    pub(crate) values: usize,
    pub(crate) is_clock: bool,
}

impl Profile {
    /// The processes, those with the most local states first.
    pub fn processes(&self) -> &[ProcessProfile] {
        &self.processes
    }

    /// The other components of the states that have the most values, such as datagrams under way or timers; each with
    /// the number of different values in a sample of up to 4,096 states. Empty if only fingerprints of states were kept.
    pub fn components(&self) -> impl Iterator<Item = (&str, usize)> {
        self.components.iter().map(|component| (component.name.as_str(), component.values))
    }

    /// What may make the check smaller, the most promising first, each a sentence.
    pub fn advice(&self) -> &[String] {
        &self.advice
    }
}

impl ProcessProfile {
    /// The name of the process.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Local states that were learned of it and of its isolated tasks.
    pub fn local_states(&self) -> usize {
        self.local_states
    }

    /// Tasks that share its memory and wait for something at the same time, at the most.
    pub fn tasks(&self) -> usize {
        self.tasks
    }

    /// The source lines that spawn tasks which share its memory, as `file:line`.
    pub fn spawned_at(&self) -> &[String] {
        &self.spawned_at
    }

    /// The source lines that make channels of tokio's own types, as `file:line`. Such a channel counts its messages or
    /// versions, so that local states differ by their number alone.
    pub fn channels_at(&self) -> &[String] {
        &self.channels_at
    }

    /// Different sets of operations for which its tasks wait, over all its local states.
    pub fn waits(&self) -> usize {
        self.waits
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = |process: &ProcessProfile| {
            let ProcessProfile { name, local_states, tasks, .. } = process;
            let tasks = if *tasks > 1 { format!(" ({tasks} tasks)") } else { String::new() };
            format!("\"{name}\" {local_states}{tasks}")
        };
        let of_processes: Vec<String> = self.processes.iter().take(PRINTED_MAX).map(local).collect();
        writeln!(f, "  local states: {}", of_processes.join(", "))?;
        let values = |component: &ComponentProfile| format!("{} ({} values)", component.name, component.values);
        let of_components: Vec<String> = self.components.iter().take(PRINTED_MAX).map(values).collect();
        if !of_components.is_empty() {
            writeln!(f, "  what else differs between states: {}", of_components.join(", "))?;
        }
        self.advice.iter().take(ADVICE_MAX).try_for_each(|advice| writeln!(f, "  what may help: {advice}"))
    }
}
