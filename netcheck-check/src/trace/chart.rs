//! The lanes and arrows of a sequence diagram, apart from how they are drawn.

use crate::trace::asked::Asked;
use crate::trace::step::{Doing, Kind, Step, process};

/// Lanes, by their first steps, and arrows, by the steps with which they end.
#[derive(Debug, Default)]
pub(crate) struct Chart {
    pub(crate) lanes: Vec<Lane>,
    pub(crate) arrows: Vec<Arrow>,
}

/// A task of a process, or an isolated task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lane {
    pub(crate) process: String,
    pub(crate) task: Option<u32>,
}

/// A part of a lane in which its process is up, without a crash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Life {
    /// The step with which it begins; `None`: it is there from the start.
    pub(crate) from: Option<usize>,
    /// The crash with which it ends; `None`: it lasts to the end.
    pub(crate) to: Option<usize>,
}

/// A message that one step sent, and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    pub(crate) what: What,
    /// The number of the step that sent it, from 1 on.
    pub(crate) from: usize,
    pub(crate) fate: Fate,
}

/// The kind of message that an arrow stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    Datagram,
    Bytes,
    Connection,
    /// The end of a stream, or its reset.
    End,
}

/// The fate of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It arrived with a step; `copy`: for the how manieth time.
    Arrived { step: usize, copy: u8, overtook: bool },
    /// It cannot arrive any more since a step.
    Lost { step: usize, toward: Option<usize> },
    /// It was refused, or failed, or no socket was there.
    Failed { toward: Option<usize> },
    /// It has not arrived by the end.
    UnderWay { toward: Option<usize> },
}

impl Chart {
    pub(crate) fn of(steps: &[Step]) -> Chart {
        let mut chart = Chart::default();
        for step in steps.iter().filter(|step| !step.is_of_network()) {
            if chart.lane_of(step).is_none() {
                chart.lanes.push(Lane { process: step.process.clone(), task: step.task });
            }
        }
        let mut is_settled = vec![false; steps.len()];
        for (number, step) in (1..).zip(steps) {
            for (from, fate) in chart.ends_with(number, step, steps) {
                is_settled[from - 1] = true;
                let is_end = from != number && (step.failed || step.kind == Kind::Read && step.payload.is_none());
                let what = if is_end { What::End } else { what(&steps[from - 1]) };
                chart.arrows.push(Arrow { what, from, fate });
            }
        }
        let begins = |number: usize, step: &Step| step.kind == Kind::Connect && is_sent_with(steps, number, step);
        let sends = |number: usize, step: &Step| {
            (matches!(step.kind, Kind::Send | Kind::Write) || begins(number, step)) && !step.failed
        };
        for (number, step) in (1..).zip(steps).filter(|(number, step)| sends(*number, step) && !is_settled[number - 1])
        {
            let fate = Fate::UnderWay { toward: chart.toward(step) };
            chart.arrows.push(Arrow { what: what(step), from: number, fate });
        }
        chart
    }

    /// The lane of a step; `None` for the network's.
    pub(crate) fn lane_of(&self, step: &Step) -> Option<usize> {
        self.lanes.iter().position(|lane| lane.process == step.process && lane.task == step.task)
    }

    /// The parts of a lane, which breaks where its process crashes. The next one begins where the process starts again, and
    /// that of another task with its first step.
    pub(crate) fn lives(&self, index: usize, steps: &[Step]) -> Vec<Life> {
        let lane = &self.lanes[index];
        let own = process(&lane.process);
        let is_root = lane.task.is_none() && lane.process == own;
        let (mut lives, mut last, mut has_begun) = (Vec::new(), Some(Life { from: None, to: None }), is_root);
        for (number, step) in (1..).zip(steps).filter(|(_, step)| process(&step.process) == own) {
            if step.is_crash() && has_begun {
                lives.extend(last.take().map(|life| Life { to: Some(number), ..life }));
            } else if self.lane_of(step) == Some(index) {
                has_begun = true;
                last.get_or_insert(Life { from: Some(number), to: None });
            }
        }
        lives.extend(last);
        lives
    }

    /// The lane of the process at the other end, whichever of its tasks it would be.
    pub(crate) fn toward(&self, step: &Step) -> Option<usize> {
        let peer = step.peer.as_deref()?;
        let of_peer =
            |lane: &Lane| lane.process.strip_prefix(peer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        self.lanes.iter().position(of_peer)
    }

    /// The messages whose fate is decided with a step: the step that sent each, and its fate.
    fn ends_with(&self, number: usize, step: &Step, steps: &[Step]) -> Vec<(usize, Fate)> {
        let is_known = |&(from, _): &(usize, Fate)| (1..=number).contains(&from);
        let copy = step.network.iter().find_map(|doing| match doing {
            Doing::Duplicated { copy } => Some(*copy),
            _ => None,
        });
        let overtook = step.network.iter().any(|doing| matches!(doing, Doing::Overtook { .. }));
        let arrived = Fate::Arrived { step: number, copy: copy.unwrap_or(1), overtook };
        let mut ends: Vec<(usize, Fate)> = step.arrived.iter().map(|&from| (from, arrived)).collect();
        for doing in &step.network {
            if let Doing::Lost { sent: Some(from), .. } = *doing {
                let toward = steps.get(from.wrapping_sub(1)).and_then(|sent| self.toward(sent));
                ends.push((from, Fate::Lost { step: number, toward }));
            }
        }
        let is_unbound = step.network.contains(&Doing::Unbound) || step.network.contains(&Doing::CutOff);
        if is_unbound || step.failed && step.kind == Kind::Connect {
            ends.push((number, Fate::Failed { toward: self.toward(step) }));
        }
        ends.retain(is_known);
        ends
    }
}

/// A cut, with the lanes between which nothing comes through.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Band {
    /// Neighbours on different sides.
    pub(crate) between: Vec<(usize, usize)>,
    /// The step of the cut.
    pub(crate) from: usize,
    /// The step of its heal.
    pub(crate) to: Option<usize>,
}

impl Chart {
    /// The cuts of an execution.
    pub(crate) fn bands(&self, steps: &[Step]) -> Vec<Band> {
        let mut bands = Vec::new();
        for (number, step) in (1..).zip(steps) {
            let Asked::Cut(sides) = &step.asked else { continue };
            let heals = |(_, step): &(usize, &Step)| matches!(&step.asked, Asked::Heal(healed) if healed == sides);
            let to = (1..).zip(steps).skip(number).find(heals).map(|(to, _)| to);
            let side = |lane: &Lane| {
                let own = process(&lane.process).to_owned();
                if sides.one.contains(&own) { Some(0) } else { sides.other.contains(&own).then_some(1) }
            };
            let lanes: Vec<(usize, i32)> =
                self.lanes.iter().enumerate().filter_map(|(index, lane)| Some((index, side(lane)?))).collect();
            let apart = lanes.windows(2).filter(|pair| pair[0].1 != pair[1].1);
            bands.push(Band { between: apart.map(|pair| (pair[0].0, pair[1].0)).collect(), from: number, to });
        }
        bands
    }
}

/// Whether a connect is drawn from this step on: the one that makes the connection, or the one that returns it where that is
/// the next. A connect that is answered over time was sent with an earlier step, and a refusal is drawn where it returns.
fn is_sent_with(steps: &[Step], number: usize, step: &Step) -> bool {
    let is_dial = |step: &Step| matches!(step.asked, Asked::Dial { .. });
    let is_of_same = |other: &Step| {
        (&other.process, other.task, &other.operation) == (&step.process, step.task, &step.operation)
            && other.kind == Kind::Connect
    };
    match is_dial(step) {
        true => step.outcome != "refused" && !steps.get(number).is_some_and(is_of_same),
        false => {
            let before = &steps[..number - 1];
            let last = before.iter().rposition(|other| is_of_same(other) && is_dial(other));
            step.arrived.is_empty() && last.is_none_or(|last| last + 1 == before.len())
        }
    }
}

fn what(sent: &Step) -> What {
    match sent.kind {
        Kind::Send => What::Datagram,
        Kind::Write if !sent.failed => What::Bytes,
        Kind::Connect => What::Connection,
        _ => What::End,
    }
}

/// The beginning of a text that is too long for its place.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        Some(_) => text.chars().take(chars_max - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}
