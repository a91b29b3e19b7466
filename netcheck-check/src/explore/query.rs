//! Questions of the page, as data.

use crate::trace::step::Step;
use netcheck_peer::json;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// States that a search may visit unless the page says otherwise.
const STATES_MAX: usize = 20_000;

/// A question of the page.
pub(crate) enum Query {
    Look(Look),
    Search(Search),
    /// A path as a file that can be replayed.
    Trace(Path),
    /// A path as a page of its own.
    Diagram(Path),
    /// A path as a Mermaid diagram.
    Mermaid(Path),
}

/// Steps from the start.
#[derive(Deserialize)]
pub(crate) struct Path {
    pub(crate) steps: Vec<Step>,
}

/// Where a path leads.
#[derive(Deserialize)]
pub(crate) struct Look {
    pub(crate) steps: Vec<Step>,
    /// The step that comes next in the execution that the page knows, to be marked among the others.
    #[serde(default)]
    pub(crate) then: Option<Box<Step>>,
}

/// A way from the end of a path to a state that is wanted.
#[derive(Deserialize)]
pub(crate) struct Search {
    pub(crate) steps: Vec<Step>,
    /// Is in what a process waits for or ended with, in a step, or in a violation; case does not matter.
    pub(crate) text: String,
    /// Only of this process or isolated task.
    #[serde(default)]
    pub(crate) process: Option<String>,
    /// Distinct states to visit at the most.
    #[serde(default = "states_max")]
    pub(crate) states_max: usize,
}

fn states_max() -> usize {
    STATES_MAX
}

impl Query {
    /// The question at this path, with this body; `None` if nothing can be asked there.
    pub(crate) fn of(path: &str, body: &str) -> Option<Result<Query, String>> {
        Some(match path {
            "/look" => read(body).map(Query::Look),
            "/search" => read(body).map(Query::Search),
            "/trace" => read(body).map(Query::Trace),
            "/diagram" => read(body).map(Query::Diagram),
            "/mermaid" => read(body).map(Query::Mermaid),
            _ => return None,
        })
    }

    /// The path that it is about.
    pub(crate) fn steps(&self) -> &[Step] {
        match self {
            Query::Look(Look { steps, .. })
            | Query::Search(Search { steps, .. })
            | Query::Trace(Path { steps })
            | Query::Diagram(Path { steps })
            | Query::Mermaid(Path { steps }) => steps,
        }
    }
}

fn read<T: DeserializeOwned>(body: &str) -> Result<T, String> {
    json::from_str(body).map_err(|error| format!("this is not what the explorer can be asked here: {error}"))
}
