//! The events of a body with its variables, as a graph.
//!
//! A node is one thing that is done; its edges lead back to what may be done just before it.

use std::collections::BTreeSet;
use std::ops::Range;

use syn::Expr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VariableId(pub(super) usize);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeId(pub(super) usize);

/// A variable of the body.
#[derive(Debug)]
pub(super) struct Variable {
    pub(super) ident: syn::Ident,
    /// The memory that it may lead to besides its own.
    pub(super) reach: Reach,
    /// Surely `Copy`: it is never moved.
    pub(super) is_copy: bool,
    /// It may be a slice, which a call can narrow.
    pub(super) is_slice: bool,
}

/// The memory elsewhere that a variable's type may lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Nothing; what it borrows of other variables is known by its assignments.
    Own,
    /// Memory of the caller that cannot be changed through it.
    Shared,
    /// Memory of the caller that can be changed through it.
    Changed,
    /// References through which memory can be changed, and which can be changed themselves.
    Nested,
}

/// How a variable is mentioned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Not moved.
    Look,
    /// The receiver of a method that may change it.
    Call,
    /// Borrowed mutably, as a whole.
    Lend,
    /// By value: moved, unless it is `Copy`.
    Take,
    /// Moved or not.
    Operand,
    /// A name in a macro that nobody here understands; perhaps no mention at all.
    Guess,
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Nothing,
    /// Declared without a value.
    Declare(VariableId),
    /// The whole variable gets a value.
    Assign(VariableId),
    /// A field of it gets a value.
    Change(VariableId, String),
    /// Used, as a whole or in a field only.
    Use(VariableId, Option<String>, Access),
}

impl Event {
    pub(super) fn variable(&self) -> Option<VariableId> {
        match *self {
            Event::Nothing => None,
            Event::Declare(variable)
            | Event::Assign(variable)
            | Event::Change(variable, _)
            | Event::Use(variable, ..) => Some(variable),
        }
    }
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) event: Event,
    pub(super) before: Vec<NodeId>,
}

/// A loop of the body itself.
#[derive(Debug)]
pub(super) struct Loop {
    pub(super) key: LoopKey,
    pub(super) head: NodeId,
    /// Its condition and its body.
    pub(super) nodes: Range<usize>,
    /// The variables that can be named at its head.
    pub(super) visible: Vec<VariableId>,
    /// Its iterator may lead to memory that its items change.
    pub(super) changes_items: bool,
}

/// A loop's place in the syntax tree, which stays until the loop is rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LoopKey(usize);

impl LoopKey {
    pub(super) fn of(expr: &Expr) -> Self {
        LoopKey(std::ptr::from_ref(expr).addr())
    }
}

#[derive(Debug, Default)]
pub(super) struct Flow {
    pub(super) variables: Vec<Variable>,
    pub(super) nodes: Vec<Node>,
    pub(super) loops: Vec<Loop>,
    /// The first may borrow the second mutably.
    pub(super) borrows: BTreeSet<(VariableId, VariableId)>,
    /// The first may have been made from the second.
    pub(super) derived: BTreeSet<(VariableId, VariableId)>,
    /// Why nothing can be captured.
    pub(super) opaque: Option<&'static str>,
}

impl Flow {
    pub(super) fn variable(&self, id: VariableId) -> &Variable {
        &self.variables[id.0]
    }

    /// The events in a loop.
    pub(super) fn events(&self, of: &Loop) -> impl Iterator<Item = &Event> {
        self.nodes[of.nodes.clone()].iter().map(|node| &node.event)
    }
}
