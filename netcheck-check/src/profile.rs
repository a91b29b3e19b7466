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
    pub(crate) differences: Option<Differences>,
}

/// Why the local states of a process differ, in a [`Profile`]: the places in its memory that tell apart the most of those that
/// wait for the same.
#[derive(Clone, Debug)]
pub struct Differences {
    pub(crate) unit: String,
    pub(crate) local_states: usize,
    pub(crate) waits: usize,
    pub(crate) looked_at: usize,
    pub(crate) different: usize,
    pub(crate) causes: Vec<Cause>,
}

/// A cause in [`Differences`]: places in memory that tell the same local states apart.
#[derive(Clone, Debug)]
pub struct Cause {
    pub(crate) places: Vec<String>,
    /// Places that tell the same states apart and are not named.
    pub(crate) more: usize,
    pub(crate) told: usize,
    pub(crate) left: usize,
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

    /// Why the local states of the process with the most that wait for the same differ; if the check was
    /// [asked](crate::check::Checker::why), and memory tells its local states apart.
    pub fn differences(&self) -> Option<&Differences> {
        self.differences.as_ref()
    }

    /// Measures that may make the check smaller, the most promising first, each a sentence.
    pub fn advice(&self) -> &[String] {
        &self.advice
    }
}

impl Differences {
    /// The name of the process, or of the isolated task as `process/function`.
    pub fn unit(&self) -> &str {
        &self.unit
    }

    /// Its local states between two polls.
    pub fn local_states(&self) -> usize {
        self.local_states
    }

    /// The local states that were looked at: those that wait for the same as many others.
    pub fn looked_at(&self) -> usize {
        self.looked_at
    }

    /// Different sets of operations that these wait for.
    pub fn waits(&self) -> usize {
        self.waits
    }

    /// The causes, the one that tells the most states apart which wait for the same first.
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }
}

impl Cause {
    /// The places: which bytes of a future, a variable or an allocation, the source line that made it, and what differs.
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// How many of the local states that were looked at this cause tells apart, together with what they wait for and the
    /// causes before it.
    pub fn told_apart(&self) -> usize {
        self.told
    }

    /// How many of them would be left without this cause, and without all places that have one value wherever it has one.
    pub fn left(&self) -> usize {
        self.left
    }
}

impl fmt::Display for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Differences { unit, local_states, looked_at, waits, different, causes } = self;
        let sample =
            if looked_at < local_states { format!(", of which {looked_at} were looked at") } else { String::new() };
        writeln!(
            f,
            "  why local states differ: \"{unit}\" has {local_states} between its polls{sample}; {different} differ, \
             {waits} of them by what they wait for, and"
        )?;
        for Cause { places, more, told, left } in causes {
            let more = if *more > 0 { format!("; {more} more places tell the same apart") } else { String::new() };
            let places = places.join("\n          ");
            writeln!(
                f,
                "    {told:>5} with {places}{more}\n          ({left} would be left without it and what it determines)"
            )?;
        }
        Ok(())
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
        self.differences.iter().try_for_each(|differences| write!(f, "{differences}"))?;
        self.advice.iter().take(ADVICE_MAX).try_for_each(|advice| writeln!(f, "  what may help: {advice}"))
    }
}
