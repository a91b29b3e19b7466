//! The calls on an object up to an answer that no order of them explains: as data, and as bars in time.

use netcheck_runtime::world::monitors::story::{Lane, Story};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Calls that are shown at the most: the last ones.
const CALLS_MAX: usize = 40;

/// The calls on an object up to an answer that no order of them explains.
///
/// Its `Display` form has a line for each call, with a bar from its invocation to its return.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallHistory {
    /// The type of the object.
    pub object: String,
    /// The property that the history has not: `linearizable`, or `sequentially consistent`.
    pub property: String,
    /// The calls on the object, in the order in which they were invoked.
    pub calls: Vec<CallBar>,
    /// The index of the call whose answer no order explains.
    pub unexplained: usize,
    /// An order that explains all answers before that one, as indices of calls: the longest part of the history that has one.
    pub order: Vec<usize>,
}

/// A call on an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallBar {
    /// The process that has made the call.
    pub process: String,
    /// The operation, with the key of its object if it has one.
    pub operation: String,
    /// The answer; `None` if the call has not returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The number of the step with which it began, from 1 on.
    pub began: usize,
    /// The number of the step with which it returned, or was dropped; `None` if it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<usize>,
    /// The places of both among the events of all calls, which tell the order of those in one step.
    place: (usize, Option<usize>),
}

impl From<Story> for CallHistory {
    fn from(story: Story) -> CallHistory {
        let Story { object, property, calls, unexplained, order } = story;
        let mut places: Vec<usize> =
            calls.iter().flat_map(|call| [Some(call.began.0), call.over.map(|over| over.0)]).flatten().collect();
        places.sort_unstable();
        let place = |event: usize| places.partition_point(|place| *place < event);
        let bar = |Lane { process, operation, answer, began, over }: Lane| CallBar {
            place: (place(began.0), over.map(|over| place(over.0))),
            process,
            operation,
            answer,
            began: began.1,
            over: over.map(|over| over.1),
        };
        CallHistory { object, property, calls: calls.into_iter().map(bar).collect(), unexplained, order }
    }
}

impl CallBar {
    /// The operation and its answer.
    fn what(&self) -> String {
        match &self.answer {
            Some(answer) => format!("{} → {answer}", self.operation),
            None => self.operation.clone(),
        }
    }

    /// The bar, of so many places.
    fn drawn(&self, places: usize) -> String {
        let (began, over) = self.place;
        let bar = match over {
            Some(over) => format!("├{}┤", "──".repeat(over - began - 1) + "─"),
            None => format!("├{}", "──".repeat(places - began - 1) + "─ …"),
        };
        format!("{}{bar}", "  ".repeat(began))
    }
}

impl CallHistory {
    /// A line for each call, and one for the order.
    pub(crate) fn lines(&self) -> Vec<String> {
        let first = self.calls.len().saturating_sub(CALLS_MAX);
        let shown = &self.calls[first..];
        let start = shown.iter().map(|call| call.place.0).min().unwrap_or(0);
        let shift = |call: &CallBar| CallBar {
            place: (call.place.0 - start, call.place.1.map(|over| over - start)),
            ..call.clone()
        };
        let shown: Vec<CallBar> = shown.iter().map(shift).collect();
        let ends = shown.iter().map(|call| call.place.1.unwrap_or(call.place.0) + 1);
        let places = ends.max().unwrap_or(0);
        let width = |text: &String| text.chars().count();
        let who = shown.iter().map(|call| width(&call.process)).max().unwrap_or(0);
        let bars: Vec<String> = shown.iter().map(|call| call.drawn(places)).collect();
        let bar_width = bars.iter().map(width).max().unwrap_or(0);
        let mut lines = Vec::new();
        if first > 0 {
            lines.push(format!("… {first} calls before"));
        }
        for (number, (call, bar)) in (first..).zip(shown.iter().zip(&bars)) {
            let steps = match call.over {
                Some(over) => format!("#{} to #{over}", call.began),
                None => format!("from #{} on", call.began),
            };
            let mark = if number == self.unexplained { "  ✗ no order explains this answer" } else { "" };
            lines.push(format!("{:who$}  {bar:bar_width$}  {}  ({steps}){mark}", call.process, call.what()));
        }
        lines.push(match &self.order[..] {
            [] => "no call has to come before it".to_owned(),
            order => {
                let each = order.iter().map(|&call| {
                    let call = &self.calls[call];
                    format!("{} by {}", call.what(), call.process)
                });
                format!("in order before that answer: {}", each.collect::<Vec<_>>().join(", "))
            }
        });
        lines
    }
}

impl fmt::Display for CallHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}
