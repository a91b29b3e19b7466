//! The record of a loop's head, or why there is none.

use std::collections::BTreeSet;

use syn::Ident;

use super::facts::{Live, State};
use super::flow::{Access, Event, Flow, Loop, Reach, Variable, VariableId};

/// Something that a head records.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) ident: Ident,
    pub(super) field: Option<String>,
    /// Only its destructor will see it.
    pub(super) if_dropped: bool,
}

/// Why a loop is not captured.
pub(super) type Reason = String;

pub(super) fn head(flow: &Flow, of: &Loop) -> Result<Vec<Recorded>, Reason> {
    if let Some(reason) = flow.opaque {
        return Err(reason.to_owned());
    }
    if of.changes_items {
        return Err("the items of its iterator may change what they borrow".to_owned());
    }
    let mentioned: BTreeSet<VariableId> = flow.events(of).filter_map(Event::variable).collect();
    let mut recorded = Vec::new();
    let mut ids = BTreeSet::new();
    for &id in of.visible.iter().filter(|id| mentioned.contains(id)) {
        let of_variable = variable(flow, of, id)?;
        if !of_variable.is_empty() {
            ids.insert(id);
        }
        recorded.extend(of_variable);
    }
    borrows(flow, of, &ids)?;
    Ok(recorded)
}

fn variable(flow: &Flow, of: &Loop, id: VariableId) -> Result<Vec<Recorded>, Reason> {
    let Variable { ident, reach, .. } = flow.variable(id);
    let whole = |if_dropped| Ok(vec![Recorded { ident: ident.clone(), field: None, if_dropped }]);
    let unsure = || Err(format!("`{ident}` may be moved or not yet assigned when its head is reached"));
    if ident.to_string().starts_with(char::is_uppercase) {
        return Err(format!("`{ident}` may be a constant, or a variable"));
    }
    let live = Live::at(flow, id, of.head);
    let state = State::at(flow, id, of.head);
    if *reach == Reach::Nested {
        return Err(format!("`{ident}` may change what other references lead to"));
    }
    match () {
        () if live.is_surely() && state.unassigned => {
            if state.is_gone() {
                Ok(Vec::new())
            } else {
                unsure()
            }
        }
        () if live.whole => whole(false),
        () if live.is_surely() && state.broken => fields(flow, of, id, live),
        () if live.is_surely() => whole(false),
        // If a macro moves it that may be reached from here, it is there.
        () if !live.perhaps.is_empty() => match State::without(flow, id, of.head, &live.perhaps).is_whole() {
            true => whole(false),
            false => unsure(),
        },
        () if *reach != Reach::Own => {
            if state.is_whole() {
                whole(false)
            } else {
                unsure()
            }
        }
        () if state.is_whole() => whole(true),
        () if state.is_gone() => Ok(Vec::new()),
        () => unsure(),
    }
}

/// The fields that are used of a variable that has perhaps lost others: a field that may be lost
/// must be used as it is, for then it is there.
fn fields(flow: &Flow, of: &Loop, id: VariableId, live: Live) -> Result<Vec<Recorded>, Reason> {
    let ident = &flow.variable(id).ident;
    let is_lost = |field: &str| {
        flow.nodes.iter().any(|node| match &node.event {
            Event::Use(of, Some(used), access) => {
                *of == id && used == field && !matches!(access, Access::Look | Access::Lend)
            }
            _ => false,
        })
    };
    let is_told = |event: &Event| match event {
        Event::Use(_, field, access) => field.is_some() && *access != Access::Guess,
        Event::Change(_, field) => !is_lost(field),
        _ => false,
    };
    if !flow.events(of).filter(|event| event.variable() == Some(id)).all(is_told) {
        return Err(format!("a part of `{ident}` may be moved when its head is reached"));
    }
    let recorded = |field| Recorded { ident: ident.clone(), field: Some(field), if_dropped: false };
    Ok(live.fields.into_iter().map(recorded).collect())
}

/// Refuses what cannot be told from the recorded variables because some borrow others.
fn borrows(flow: &Flow, of: &Loop, ids: &BTreeSet<VariableId>) -> Result<(), Reason> {
    for &id in ids {
        let ident = &flow.variable(id).ident;
        let borrowed = borrowed_by(flow, id);
        if let Some(&other) = borrowed.iter().find(|other| ids.contains(other)) {
            return Err(format!("`{ident}` may borrow `{}`, and both are used", flow.variable(other).ident));
        }
        if let Some(&through) = borrowed.iter().find(|&&other| leads_on(flow, other)) {
            let through = &flow.variable(through).ident;
            return Err(format!("`{ident}` may change what `{through}` borrows"));
        }
        if leads_on(flow, id) && flow.events(of).any(|event| hands_away(flow.variable(id), id, event)) {
            return Err(format!("`{ident}` borrows mutably, and may borrow something else later"));
        }
    }
    Ok(())
}

/// Whether memory that is not the variable's own can be changed through it.
fn leads_on(flow: &Flow, id: VariableId) -> bool {
    matches!(flow.variable(id).reach, Reach::Changed | Reach::Nested)
        || flow.borrows.iter().any(|&(from, _)| from == id)
}

/// All that a variable may borrow mutably, also through others.
fn borrowed_by(flow: &Flow, id: VariableId) -> BTreeSet<VariableId> {
    let mut all = BTreeSet::new();
    let mut open = vec![id];
    while let Some(id) = open.pop() {
        let borrowed = flow.borrows.iter().filter(|(from, _)| *from == id).map(|&(_, to)| to);
        let derived = flow.derived.iter().filter(|&&(from, to)| from == id && leads_on(flow, to)).map(|&(_, to)| to);
        for to in borrowed.chain(derived) {
            if all.insert(to) {
                open.push(to);
            }
        }
    }
    all.remove(&id);
    all
}

/// Whether a variable that borrows may borrow something else after this.
fn hands_away(variable: &Variable, id: VariableId, event: &Event) -> bool {
    match *event {
        Event::Assign(of) | Event::Change(of, _) => of == id,
        Event::Use(of, _, Access::Lend | Access::Guess) => of == id,
        Event::Use(of, _, Access::Call) => of == id && variable.is_slice,
        _ => false,
    }
}
