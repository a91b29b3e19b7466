//! Where a path leads, and which steps could come next.

use crate::error::Error;
use crate::explore::hunt::{Hunted, hunt};
use crate::explore::query::{Look, Query, Search};
use crate::replay::{End, Replayed, look_up, replay, script};
use crate::trace::counterexample::Counterexample;
use crate::trace::describe::describe;
use crate::trace::flow::Flow;
use crate::trace::html;
use crate::trace::situation::Situations;
use crate::trace::source;
use crate::trace::step::{Doing, Step};
use netcheck_peer::json;
use netcheck_runtime::property::Properties;
use netcheck_runtime::reduction::successors::Successors;
use netcheck_runtime::violation::{Found, ViolationKind};
use netcheck_runtime::world::components::StateVector;
use netcheck_runtime::world::step::Transition;
use netcheck_runtime::world::system::{Interrupt, System};
use serde::Serialize;

/// An answer to the page.
pub(crate) enum Answer {
    Json(String),
    Html(String),
    Text(String),
    /// It can't be answered, and why.
    Refused(String),
}

/// Answers what the page asks.
pub(crate) struct Explorer<'a> {
    pub(crate) properties: &'a Properties,
    /// The declared faults, for files.
    pub(crate) faults: String,
    /// Whether a search is to be given up.
    pub(crate) is_over: &'a dyn Fn() -> bool,
}

/// Where a path leads.
#[derive(Serialize)]
struct Place {
    /// The steps as they read now: up to a violation, if a step violates a property.
    steps: Vec<Shown>,
    situations: Situations,
    next: Vec<Next>,
    /// The violated property, if one is violated here.
    violation: Option<String>,
}

/// A step, and what a reader sees of it.
#[derive(Serialize)]
struct Shown {
    step: Step,
    who: String,
    what: String,
    /// The acts of the network in words.
    did: Vec<String>,
}

/// A step that could come next.
#[derive(Serialize)]
struct Next {
    #[serde(flatten)]
    shown: Shown,
    /// The property that it violates.
    violation: Option<String>,
    /// Whether it is the one that comes next in the execution that the page knows.
    is_then: bool,
}

/// The answer to a search.
#[derive(Serialize)]
struct Way {
    /// The whole path to the wanted state, if one was found.
    steps: Option<Vec<Step>>,
    message: String,
}

impl Shown {
    fn of(step: Step) -> Shown {
        let did = step.network.iter().map(Doing::to_string).collect();
        Shown { who: step.who(), what: step.what(), did, step }
    }
}

impl Explorer<'_> {
    /// Answers a query, in a system at its start.
    pub(crate) fn answer(
        &self,
        system: &mut System,
        initial: &StateVector,
        query: &Query,
    ) -> Result<Answer, Interrupt> {
        // Instants that were found for a part of a path need not fit what comes after it.
        let steps: Vec<Step> = query.steps().iter().map(|step| Step { timing: None, ..step.clone() }).collect();
        let mut replayed = replay(system, initial, self.properties, &steps)?;
        if let End::Diverged { expected, possible } = &replayed.end {
            let number = replayed.steps.len() + 1;
            return Ok(Answer::Refused(Error::diverged(number, expected, possible).to_string()));
        }
        source::read_lines(&mut replayed.steps);
        Ok(match query {
            Query::Look(look) => json(&self.place(system, look, replayed)?),
            Query::Search(search) => json(&self.way(system, search, replayed)?),
            Query::Trace(_) => Answer::Json(self.kept(replayed).to_json()),
            Query::Diagram(_) => Answer::Html(html::page(&self.kept(replayed), &[], "", None)),
            Query::Mermaid(_) => Answer::Text(self.kept(replayed).mermaid()),
        })
    }

    fn place(&self, system: &mut System, look: &Look, replayed: Replayed) -> Result<Place, Interrupt> {
        let Replayed { steps, situations, at, end, .. } = replayed;
        let mut next = Vec::new();
        if let Some(at) = &at {
            self.add_next(system, at, steps.len() + 1, &mut next)?;
            if let Some(then) = &look.then {
                self.mark(system, at, (steps.len() + 1, then), &mut next)?;
            }
        }
        let steps = steps.into_iter().map(Shown::of).collect();
        Ok(Place { steps, situations, next, violation: violation(end).map(|found| found.to_string()) })
    }

    /// Adds every step that is possible in a state; it has this number.
    fn add_next(
        &self,
        system: &mut System,
        at: &(StateVector, Flow),
        number: usize,
        next: &mut Vec<Next>,
    ) -> Result<(), Interrupt> {
        for transition in Successors::default().within(system, &at.0, None)?.to_vec() {
            let Some(mut step) = describe(system, &at.0, &transition) else { continue };
            step.alternative = next.iter().filter(|other| other.shown.step.is(&step)).count() as u32;
            next.push(self.next(system, at, &transition, (number, step)));
        }
        Ok(())
    }

    /// Marks the step that comes next in the execution that the page knows. It is added if it is possible only where
    /// the network is quiet among some processes, as a reduced search has taken it.
    fn mark(
        &self,
        system: &mut System,
        at: &(StateVector, Flow),
        (number, then): (usize, &Step),
        next: &mut Vec<Next>,
    ) -> Result<(), Interrupt> {
        let is_then = |next: &&mut Next| {
            let step = &next.shown.step;
            then.among.is_empty() && step.is(then) && step.alternative == then.alternative
        };
        if let Some(next) = next.iter_mut().find(is_then) {
            next.is_then = true;
        } else if let Ok((transition, step)) = look_up(system, &mut Successors::default(), &at.0, then)? {
            let then = self.next(system, at, &transition, (number, step));
            next.push(Next { is_then: true, ..then });
        }
        Ok(())
    }

    fn next(
        &self,
        system: &mut System,
        (_, flow): &(StateVector, Flow),
        transition: &Transition,
        (number, mut step): (usize, Step),
    ) -> Next {
        flow.clone().trace(system, transition, number as u32, &mut step);
        source::read_lines(std::slice::from_mut(&mut step));
        let violation = self.properties.step(system, transition).map(|found| found.to_string());
        Next { shown: Shown::of(step), violation, is_then: false }
    }

    fn way(&self, system: &mut System, search: &Search, replayed: Replayed) -> Result<Way, Interrupt> {
        let not = |message: &str| Ok(Way { steps: None, message: message.to_owned() });
        if search.text.trim().is_empty() {
            return not("say what is looked for: a part of what a process waits for, of a step, or of a violation");
        }
        let Replayed { mut steps, at, .. } = replayed;
        let Some((state, _)) = at else { return not("nothing comes after a violation: go back to search from there") };
        let Hunted { path, visited, is_complete } = hunt(system, self.properties, &state, search, self.is_over)?;
        let states = match visited {
            1 => "1 state".to_owned(),
            visited => format!("{visited} states"),
        };
        let Some(path) = path else {
            return not(&match is_complete {
                true => format!("not found: there are no others than the {states} that were visited from here"),
                false => format!("not found within {states}, and there are more"),
            });
        };
        let message = match path.len() {
            0 => "it holds here already".to_owned(),
            1 => format!("found after one step, within {states}"),
            count => format!("found after {count} steps, within {states}"),
        };
        steps.extend(script(system, &path)?);
        Ok(Way { steps: Some(steps), message })
    }

    /// A path as it is kept in a file.
    fn kept(&self, replayed: Replayed) -> Counterexample {
        let Replayed { steps, situations, history, end, .. } = replayed;
        let found = violation(end).unwrap_or_else(|| Found {
            kind: ViolationKind::None,
            message: "nothing is violated up to here".to_owned(),
            units: Vec::new(),
            at_rest: Vec::new(),
            is_error: false,
        });
        Counterexample::new(found, self.faults.clone(), steps, situations).with_history(history)
    }
}

fn violation(end: End) -> Option<Found> {
    match end {
        End::Violated(found) => Some(found),
        End::Held | End::Diverged { .. } => None,
    }
}

fn json(answer: &impl Serialize) -> Answer {
    Answer::Json(json::to_string(answer))
}
