//! Facts about a variable at a point of a body.

use std::collections::BTreeSet;

use super::flow::{Access, Event, Flow, NodeId, VariableId};

/// Whether a later use may see what a variable holds at a point.
pub(super) struct Live {
    /// The whole variable.
    pub(super) whole: bool,
    /// Fields of it.
    pub(super) fields: BTreeSet<String>,
    /// Where a macro may use it.
    pub(super) perhaps: BTreeSet<NodeId>,
}

impl Live {
    pub(super) fn at(flow: &Flow, variable: VariableId, point: NodeId) -> Live {
        let mut live = Live { whole: false, fields: BTreeSet::new(), perhaps: BTreeSet::new() };
        for id in until_assigned(flow, variable, point) {
            match &flow.nodes[id].event {
                Event::Use(of, _, Access::Guess) if *of == variable => {
                    live.perhaps.insert(NodeId(id));
                }
                Event::Use(of, None, _) if *of == variable => live.whole = true,
                Event::Use(of, Some(field), _) | Event::Change(of, field) if *of == variable => {
                    live.fields.insert(field.clone());
                }
                _ => {}
            }
        }
        live
    }

    pub(super) fn is_surely(&self) -> bool {
        self.whole || !self.fields.is_empty()
    }
}

/// Events that may come after a point before the variable gets another value.
fn until_assigned(flow: &Flow, variable: VariableId, point: NodeId) -> Vec<usize> {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); flow.nodes.len()];
    for (id, node) in flow.nodes.iter().enumerate() {
        node.before.iter().for_each(|before| after[before.0].push(id));
    }
    let mut seen = vec![false; flow.nodes.len()];
    let mut found = Vec::new();
    let mut open = vec![point.0];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        found.push(id);
        let kills = matches!(flow.nodes[id].event, Event::Assign(of) | Event::Declare(of) if of == variable);
        if !kills {
            open.extend(&after[id]);
        }
    }
    found
}

/// The values that a variable may hold at a point, over all ways that lead there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// Nothing yet.
    pub(super) unassigned: bool,
    /// A value.
    pub(super) held: bool,
    /// Nothing any more.
    pub(super) moved: bool,
    /// A value of which a part may be gone.
    pub(super) broken: bool,
}

impl State {
    pub(super) fn at(flow: &Flow, variable: VariableId, point: NodeId) -> State {
        State::without(flow, variable, point, &BTreeSet::new())
    }

    /// As if nothing were done at some nodes.
    pub(super) fn without(flow: &Flow, variable: VariableId, point: NodeId, ignored: &BTreeSet<NodeId>) -> State {
        let mut states = vec![State::default(); flow.nodes.len()];
        let is_copy = flow.variable(variable).is_copy;
        loop {
            let mut grew = false;
            for (id, node) in flow.nodes.iter().enumerate() {
                let before = node.before.iter().fold(State::default(), |state, before| state.or(states[before.0]));
                let state = match ignored.contains(&NodeId(id)) {
                    true => before,
                    false => before.after(&node.event, variable, is_copy),
                };
                grew |= states[id] != state;
                states[id] = state;
            }
            if !grew {
                return states[point.0];
            }
        }
    }

    /// There is a value on every way.
    pub(super) fn is_whole(self) -> bool {
        self == State { held: true, ..State::default() }
    }

    /// There is a value on no way.
    pub(super) fn is_gone(self) -> bool {
        !self.held
    }

    fn or(self, other: State) -> State {
        State {
            unassigned: self.unassigned || other.unassigned,
            held: self.held || other.held,
            moved: self.moved || other.moved,
            broken: self.broken || other.broken,
        }
    }

    fn after(self, event: &Event, variable: VariableId, is_copy: bool) -> State {
        match *event {
            Event::Declare(of) if of == variable => State { unassigned: true, ..State::default() },
            Event::Assign(of) if of == variable => State { held: true, ..State::default() },
            Event::Use(of, ref field, access) if of == variable && !is_copy && self.held => match (field, access) {
                (_, Access::Look | Access::Lend) => self,
                (None, Access::Take) => State { held: false, moved: true, broken: false, ..self },
                (None, _) => State { moved: true, ..self },
                (Some(_), _) => State { broken: true, ..self },
            },
            _ => self,
        }
    }
}
