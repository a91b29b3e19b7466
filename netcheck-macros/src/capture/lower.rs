//! From the syntax of a body to what it does with its variables, in the order of evaluation.

use std::collections::BTreeSet;

use syn::{
    Arm, BinOp, Block, Expr, ExprClosure, ExprForLoop, ExprIf, ExprMatch, FnArg, Ident, Item, Label, Lifetime, Local,
    Pat, ReceiverKind, Signature, Stmt, UnOp,
};

use super::borrows;
use super::flow::{Access, Event, Flow, Loop, LoopKey, Node, NodeId, Reach, Variable, VariableId};
use super::macros::{self, Macro};
use super::mentions::{self, Mention};
use super::scopes::{Scopes, bindings};

use crate::function::receiver_type;

const NOT_UNDERSTOOD: &str = "its function has `unsafe` code or syntax that is not understood";

pub(super) fn lower(sig: &Signature, body: &Block) -> Flow {
    let mut lower = Lower::default();
    lower.node(Event::Nothing);
    lower.parameters(sig);
    lower.block(body);
    lower.flow
}

/// Where `break` and `continue` go.
struct Target {
    label: Option<Ident>,
    after: NodeId,
    /// The head of a loop; a labelled block has none.
    head: Option<NodeId>,
}

#[derive(Default)]
struct Lower {
    flow: Flow,
    scopes: Scopes,
    at: Option<NodeId>,
    targets: Vec<Target>,
    /// How many closures and async blocks stand around, and whether one of them is `move`.
    inside: usize,
    moves: bool,
    /// How many macros stand around.
    in_macros: usize,
}

impl Lower {
    // -----------------------------------------------------------------------------------------
    // The graph

    /// Something that is done next.
    fn node(&mut self, event: Event) -> NodeId {
        let id = NodeId(self.flow.nodes.len());
        self.flow.nodes.push(Node { event, before: Vec::from_iter(self.at) });
        self.at = Some(id);
        id
    }

    /// Nothing comes next.
    fn stop(&mut self) {
        self.at = None;
    }

    /// A point that is reached from elsewhere only.
    fn point(&mut self) -> NodeId {
        let at = self.at.take();
        let point = self.node(Event::Nothing);
        self.at = at;
        point
    }

    /// The next event may happen at `point`.
    fn goes_to(&mut self, point: NodeId) {
        if let Some(at) = self.at {
            self.flow.nodes[point.0].before.push(at);
        }
    }

    /// Goes on where any of these ends.
    fn join(&mut self, ends: impl IntoIterator<Item = Option<NodeId>>) {
        self.at = None;
        let before: Vec<NodeId> = ends.into_iter().flatten().collect();
        if !before.is_empty() {
            let point = self.node(Event::Nothing);
            self.flow.nodes[point.0].before = before;
        }
    }

    /// Events that may happen or not.
    fn perhaps(&mut self, what: impl FnOnce(&mut Self)) {
        let skipped = self.at;
        what(self);
        let done = self.at;
        self.join([skipped, done]);
    }

    fn scope(&mut self, what: impl FnOnce(&mut Self)) {
        let depth = self.scopes.depth();
        what(self);
        self.scopes.leave(depth);
    }

    // -----------------------------------------------------------------------------------------
    // Variables

    fn parameters(&mut self, sig: &Signature) {
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(receiver) => {
                    let ident = Ident::new("self", receiver.self_token.span);
                    let reach = borrows::reach(&receiver_type(receiver), &sig.generics);
                    let is_borrowed = matches!(receiver.kind, ReceiverKind::Reference(..));
                    let reach = if is_borrowed { reach } else { Reach::Changed.max(reach) };
                    self.variable(ident, reach, false, false);
                }
                FnArg::Typed(argument) => {
                    let ty = &*argument.ty;
                    let reach = borrows::reach(ty, &sig.generics);
                    let (is_copy, is_slice) = (borrows::is_copy(ty), borrows::may_be_slice(ty));
                    let is_name = matches!(&*argument.pat, Pat::Ident(_));
                    for binding in bindings(&argument.pat) {
                        self.variable(binding.ident, reach, is_copy && is_name, is_slice || !is_name);
                    }
                }
            }
        }
    }

    /// A variable that has a value from the start.
    fn variable(&mut self, ident: Ident, reach: Reach, is_copy: bool, is_slice: bool) -> VariableId {
        let id = self.declare(ident, reach, is_copy, is_slice);
        self.node(Event::Assign(id));
        id
    }

    fn declare(&mut self, ident: Ident, reach: Reach, is_copy: bool, is_slice: bool) -> VariableId {
        let id = VariableId(self.flow.variables.len());
        self.flow.variables.push(Variable { ident: ident.clone(), reach, is_copy, is_slice });
        self.scopes.add(ident, id);
        self.node(Event::Declare(id));
        id
    }

    /// The names of a pattern get their values from `from`.
    fn pattern(&mut self, pat: &Pat, from: Option<&Expr>) {
        self.pattern_conditions(pat);
        let borrowed = from.map(|from| self.borrowed(from)).unwrap_or_default();
        let derived = from.map(|from| self.derived(from)).unwrap_or_default();
        let root = from.and_then(place).and_then(|(name, _)| self.scopes.find(name));
        let is_name = matches!(pat, Pat::Ident(_) | Pat::Type(_));
        let is_copy = is_name && from.is_some_and(borrows::is_literal) || typed(pat).is_some_and(borrows::is_copy);
        let is_slice =
            !is_name || from.is_some_and(borrows::may_make_slice) || typed(pat).is_some_and(borrows::may_be_slice);
        for binding in bindings(pat) {
            let id = self.variable(binding.ident, Reach::Own, is_copy, is_slice);
            self.made_from(id, &borrowed, &derived);
            if binding.borrows
                && let Some(root) = root
            {
                self.flow.borrows.insert((id, root));
            }
        }
    }

    /// Constants and ends of ranges in patterns may be expressions that mention nothing; a macro
    /// may be anything.
    fn pattern_conditions(&mut self, pat: &Pat) {
        if macros::in_pattern(pat) {
            self.flow.opaque = Some(NOT_UNDERSTOOD);
        }
    }

    fn made_from(&mut self, id: VariableId, borrowed: &BTreeSet<VariableId>, derived: &BTreeSet<VariableId>) {
        self.flow.borrows.extend(borrowed.iter().map(|&from| (id, from)));
        self.flow.derived.extend(derived.iter().filter(|&&from| from != id).map(|&from| (id, from)));
    }

    fn borrowed(&self, from: &Expr) -> BTreeSet<VariableId> {
        borrows::mutably_borrowed(from).iter().filter_map(|name| self.scopes.find(name)).collect()
    }

    fn derived(&self, from: &Expr) -> BTreeSet<VariableId> {
        borrows::handed_on(from).iter().filter_map(|name| self.scopes.find(name)).collect()
    }

    fn use_name(&mut self, name: &Ident, field: Option<String>, access: Access) {
        if let Some(variable) = self.scopes.find(name) {
            // A closure runs later: it takes the variables that it mentions, or borrows them.
            let access = match access {
                access if self.inside == 0 => access,
                Access::Guess => Access::Guess,
                _ if self.moves => Access::Operand,
                Access::Take => Access::Operand,
                access => access,
            };
            self.node(Event::Use(variable, field, access));
        }
    }

    fn guess(&mut self, mentions: Vec<Mention>) {
        for Mention { name, field } in mentions {
            self.use_name(&name, field, Access::Guess);
        }
    }

    // -----------------------------------------------------------------------------------------
    // Statements

    fn block(&mut self, block: &Block) {
        self.scope(|lower| block.stmts.iter().for_each(|stmt| lower.statement(stmt)));
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Local(local) => self.local(local),
            Stmt::Item(Item::Macro(item)) => self.macro_rules(&item.mac, item.ident.as_ref()),
            Stmt::Item(_) => {}
            Stmt::Expr(expr, _) => self.expr(expr),
            Stmt::Macro(stmt) => self.mac(&stmt.mac),
        }
    }

    fn local(&mut self, local: &Local) {
        let Some(init) = &local.init else {
            let is_copy = typed(&local.pat).is_some_and(borrows::is_copy);
            for binding in bindings(&local.pat) {
                self.declare(binding.ident, Reach::Own, is_copy, true);
            }
            return;
        };
        self.scrutinee(&init.expr, &local.pat);
        if let Some((_, diverge)) = &init.diverge {
            let matched = self.at;
            self.expr(diverge);
            self.at = matched;
        }
        self.pattern(&local.pat, Some(&init.expr));
    }

    /// The expression that a pattern is matched against: moved, if the pattern is just a name.
    fn scrutinee(&mut self, expr: &Expr, pat: &Pat) {
        let access = match pat {
            Pat::Ident(pat) if pat.by_ref.is_none() => Access::Take,
            Pat::Type(_) => Access::Take,
            Pat::Wild(_) => Access::Look,
            _ => Access::Operand,
        };
        self.place(expr, access);
    }

    // -----------------------------------------------------------------------------------------
    // Expressions

    fn exprs<'a>(&mut self, exprs: impl IntoIterator<Item = &'a Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    /// An expression whose value is used.
    fn expr(&mut self, expr: &Expr) {
        self.place(expr, Access::Take);
    }

    /// An expression that names a variable, or a part of one, is used in this way; any other is
    /// evaluated.
    fn place(&mut self, expr: &Expr, access: Access) {
        if let Some((name, field)) = place(expr) {
            return self.use_name(name, field, access);
        }
        match expr {
            Expr::Array(expr) => self.exprs(&expr.elems),
            Expr::Assign(expr) => {
                self.expr(&expr.right);
                self.assign(&expr.left, &expr.right);
            }
            Expr::Async(expr) => self.later(expr.capture.is_some(), |lower| lower.block(&expr.block)),
            Expr::Await(expr) => self.expr(&expr.base),
            Expr::Binary(expr) => self.binary(expr),
            Expr::Block(expr) => self.labelled(expr.label.as_ref(), |lower| lower.block(&expr.block)),
            Expr::Break(expr) => {
                self.exprs(expr.expr.as_deref());
                self.leave(expr.label.as_ref(), |target| Some(target.after));
            }
            Expr::Call(expr) => {
                self.place(&expr.func, Access::Call);
                self.exprs(&expr.args);
                if borrows::never_returns(&expr.func) {
                    self.stop();
                }
            }
            Expr::Cast(expr) => self.place(&expr.expr, Access::Operand),
            Expr::Closure(expr) => self.closure(expr),
            Expr::Continue(expr) => self.leave(expr.label.as_ref(), |target| target.head),
            Expr::Field(expr) => self.place(&expr.base, field_access(access)),
            Expr::ForLoop(each) => self.for_loop(expr, each),
            Expr::Group(expr) => self.place(&expr.expr, access),
            Expr::If(expr) => self.branch(expr),
            Expr::Index(expr) => {
                self.place(&expr.expr, Access::Look);
                self.expr(&expr.index);
            }
            Expr::Let(expr) => {
                self.scrutinee(&expr.expr, &expr.pat);
                self.pattern(&expr.pat, Some(&expr.expr));
            }
            Expr::Lit(_) | Expr::Infer(_) | Expr::Path(_) | Expr::Const(_) => {}
            Expr::Loop(endless) => {
                self.looped(expr, endless.label.as_ref(), false, |lower, _| lower.block(&endless.body));
            }
            Expr::Macro(expr) => self.mac(&expr.mac),
            Expr::Match(expr) => self.matched(expr),
            Expr::MethodCall(expr) => {
                let access = borrows::receiver(&expr.method);
                self.place(&expr.receiver, access);
                self.exprs(&expr.args);
            }
            Expr::Paren(expr) => self.place(&expr.expr, access),
            Expr::Range(expr) => self.exprs(expr.start.iter().chain(&expr.end).map(|end| &**end)),
            Expr::Reference(expr) => {
                self.place(&expr.expr, if expr.mutability.is_some() { Access::Lend } else { Access::Look });
            }
            Expr::Repeat(expr) => self.expr(&expr.expr),
            Expr::Return(expr) => {
                self.exprs(expr.expr.as_deref());
                self.stop();
            }
            Expr::Struct(expr) => {
                self.exprs(expr.fields.iter().map(|field| &field.expr));
                expr.rest.iter().for_each(|rest| self.place(rest, Access::Operand));
            }
            Expr::Try(expr) => self.expr(&expr.expr),
            Expr::Tuple(expr) => self.exprs(&expr.elems),
            Expr::Unary(expr) => match expr.op {
                UnOp::Deref(_) => self.place(&expr.expr, Access::Look),
                _ => self.place(&expr.expr, Access::Operand),
            },
            Expr::While(repeated) => {
                self.looped(expr, repeated.label.as_ref(), false, |lower, after| {
                    let mut otherwise = Vec::new();
                    lower.condition(&repeated.cond, &mut otherwise);
                    lower.block(&repeated.body);
                    lower.flow.nodes[after.0].before.extend(otherwise);
                });
            }
            // `unsafe`, and what is new: nothing is known of it.
            _ => self.flow.opaque = Some(NOT_UNDERSTOOD),
        }
    }

    fn assign(&mut self, left: &Expr, right: &Expr) {
        match left {
            Expr::Path(_) | Expr::Field(_) => match place(left) {
                Some((name, field)) => self.assign_name(name, field, right),
                None => self.place(left, Access::Look),
            },
            Expr::Paren(left) => self.assign(&left.expr, right),
            Expr::Group(left) => self.assign(&left.expr, right),
            Expr::Tuple(left) => left.elems.iter().for_each(|left| self.assign(left, right)),
            Expr::Array(left) => left.elems.iter().for_each(|left| self.assign(left, right)),
            Expr::Call(left) => left.args.iter().for_each(|left| self.assign(left, right)),
            Expr::Struct(left) => left.fields.iter().for_each(|field| self.assign(&field.expr, right)),
            left => self.place(left, Access::Look),
        }
    }

    fn assign_name(&mut self, name: &Ident, field: Option<String>, right: &Expr) {
        let Some(variable) = self.scopes.find(name) else { return };
        let (borrowed, derived) = (self.borrowed(right), self.derived(right));
        self.made_from(variable, &borrowed, &derived);
        self.flow.variables[variable.0].is_copy |= field.is_none() && borrows::is_literal(right);
        match (self.inside, field) {
            (0, None) => self.node(Event::Assign(variable)),
            (0, Some(field)) => self.node(Event::Change(variable, field)),
            (_, field) => self.node(Event::Use(variable, field, Access::Lend)),
        };
    }

    fn binary(&mut self, expr: &syn::ExprBinary) {
        let access = match expr.op {
            BinOp::And(_) | BinOp::Or(_) => {
                self.place(&expr.left, Access::Operand);
                return self.perhaps(|lower| lower.place(&expr.right, Access::Operand));
            }
            BinOp::Eq(_) | BinOp::Ne(_) | BinOp::Lt(_) | BinOp::Le(_) | BinOp::Gt(_) | BinOp::Ge(_) => Access::Look,
            _ => Access::Operand,
        };
        // In `x += y`, `y` comes first where both are primitive; else `x` is only borrowed.
        self.place(&expr.left, if is_compound(&expr.op) { Access::Look } else { access });
        self.place(&expr.right, access);
    }

    /// A condition; `otherwise` gets the points from which it goes on if it does not hold.
    fn condition(&mut self, expr: &Expr, otherwise: &mut Vec<NodeId>) {
        match expr {
            Expr::Binary(expr) if matches!(expr.op, BinOp::And(_)) => {
                self.condition(&expr.left, otherwise);
                self.condition(&expr.right, otherwise);
            }
            Expr::Let(expr) => {
                self.scrutinee(&expr.expr, &expr.pat);
                otherwise.extend(self.at);
                self.pattern(&expr.pat, Some(&expr.expr));
            }
            Expr::Paren(expr) => self.condition(&expr.expr, otherwise),
            expr => {
                self.place(expr, Access::Operand);
                otherwise.extend(self.at);
            }
        }
    }

    fn branch(&mut self, expr: &ExprIf) {
        let mut otherwise = Vec::new();
        self.scope(|lower| {
            lower.condition(&expr.cond, &mut otherwise);
            lower.block(&expr.then_branch);
        });
        let then = self.at;
        self.join(otherwise.into_iter().map(Some));
        if let Some((_, branch)) = &expr.else_branch {
            self.expr(branch);
        }
        let otherwise = self.at;
        self.join([then, otherwise]);
    }

    fn matched(&mut self, expr: &ExprMatch) {
        let arms: Vec<(&Pat, Option<&Expr>, &Expr)> = expr.arms.iter().map(parts_of).collect();
        let access = match arms.iter().any(|(pat, ..)| matches!(pat, Pat::Ident(_))) {
            true => Access::Operand,
            false if arms.iter().all(|(pat, ..)| bindings(pat).is_empty()) => Access::Look,
            false => Access::Operand,
        };
        self.place(&expr.expr, access);
        let mut from = self.at;
        let mut ends = Vec::new();
        for (pat, guard, body) in arms {
            self.at = from;
            self.scope(|lower| {
                lower.pattern(pat, Some(&expr.expr));
                if let Some(guard) = guard {
                    let mut otherwise = Vec::new();
                    lower.condition(guard, &mut otherwise);
                    let holds = lower.at;
                    lower.join(otherwise.into_iter().map(Some).chain([from]));
                    from = lower.at;
                    lower.at = holds;
                }
                lower.expr(body);
            });
            ends.push(self.at);
        }
        self.join(ends);
    }

    // -----------------------------------------------------------------------------------------
    // Loops and labels

    fn labelled(&mut self, label: Option<&Label>, what: impl FnOnce(&mut Self)) {
        let Some(label) = label else { return what(self) };
        let after = self.point();
        self.targets.push(Target { label: Some(label.name.ident.clone()), after, head: None });
        what(self);
        self.targets.pop();
        self.goes_to(after);
        self.at = Some(after);
    }

    fn for_loop(&mut self, expr: &Expr, each: &ExprForLoop) {
        self.expr(&each.expr);
        let (borrowed, derived) = (self.borrowed(&each.expr), self.derived(&each.expr));
        let leads_on = |id: &VariableId| {
            matches!(self.flow.variable(*id).reach, Reach::Changed | Reach::Nested)
                || self.flow.borrows.iter().any(|(from, _)| from == id)
        };
        let changes_items = borrows::lends_items(&each.expr) && !borrowed.is_empty() || derived.iter().any(leads_on);
        self.looped(expr, each.label.as_ref(), changes_items, |lower, after| {
            lower.goes_to(after);
            lower.pattern(&each.pat, Some(&each.expr));
            lower.block(&each.body);
        });
    }

    fn looped(
        &mut self,
        expr: &Expr,
        label: Option<&Label>,
        changes_items: bool,
        body: impl FnOnce(&mut Self, NodeId),
    ) {
        let after = self.point();
        let head = self.node(Event::Nothing);
        let visible = self.scopes.visible();
        self.targets.push(Target { label: label.map(|label| label.name.ident.clone()), after, head: Some(head) });
        let first = self.flow.nodes.len();
        self.scope(|lower| body(lower, after));
        self.goes_to(head);
        self.targets.pop();
        if self.inside == 0 && self.in_macros == 0 {
            let nodes = first..self.flow.nodes.len();
            self.flow.loops.push(Loop { key: LoopKey::of(expr), head, nodes, visible, changes_items });
        }
        self.at = (!self.flow.nodes[after.0].before.is_empty()).then_some(after);
    }

    fn leave(&mut self, label: Option<&Lifetime>, to: impl Fn(&Target) -> Option<NodeId>) {
        let target = self.targets.iter().rev().find(|target| match label {
            Some(label) => target.label.as_ref() == Some(&label.ident),
            None => target.head.is_some(),
        });
        if let Some(point) = target.and_then(to) {
            self.goes_to(point);
        }
        self.stop();
    }

    // -----------------------------------------------------------------------------------------
    // Closures and macros

    /// A closure or an async block: done at any time from here on, or never.
    fn later(&mut self, moves: bool, what: impl FnOnce(&mut Self)) {
        let targets = std::mem::take(&mut self.targets);
        let moved = self.moves;
        self.moves |= moves;
        self.inside += 1;
        let before = self.at;
        self.scope(what);
        self.inside -= 1;
        self.moves = moved;
        self.targets = targets;
        // It may have returned from anywhere.
        let mentioned: Vec<NodeId> = match before {
            Some(before) => (before.0 + 1..self.flow.nodes.len()).map(NodeId).collect(),
            None => Vec::new(),
        };
        let ends = mentioned.into_iter().filter(|&id| self.is_use(id)).map(Some);
        let ends: Vec<Option<NodeId>> = ends.chain([before, self.at]).collect();
        self.join(ends);
    }

    fn is_use(&self, id: NodeId) -> bool {
        matches!(self.flow.nodes[id.0].event, Event::Use(..))
    }

    fn closure(&mut self, closure: &ExprClosure) {
        self.later(closure.capture.is_some(), |lower| {
            closure.inputs.iter().for_each(|pat| lower.pattern(pat, None));
            lower.expr(&closure.body);
        });
    }

    fn mac(&mut self, mac: &syn::Macro) {
        self.in_macros += 1;
        self.understood(mac);
        self.in_macros -= 1;
    }

    fn understood(&mut self, mac: &syn::Macro) {
        match macros::understand(mac) {
            Macro::Values { values, text, access, returns } => {
                // The message of an assertion is evaluated only if it fails.
                values.iter().for_each(|value| self.perhaps(|lower| lower.place(value, access)));
                for Mention { name, field } in text {
                    self.use_name(&name, field, Access::Look);
                }
                if !returns {
                    self.stop();
                }
            }
            Macro::Select { branches, otherwise } => self.select(&branches, otherwise.as_ref()),
            Macro::Unknown => self.unknown(mac),
        }
    }

    /// All futures are made, then one handler is run.
    fn select(&mut self, branches: &[macros::Branch], otherwise: Option<&Expr>) {
        for branch in branches {
            self.exprs(&branch.condition);
            self.perhaps(|lower| lower.expr(&branch.future));
        }
        let from = self.at;
        let mut ends = Vec::new();
        for branch in branches {
            self.at = from;
            self.scope(|lower| {
                lower.pattern(&branch.pat, None);
                lower.expr(&branch.handler);
            });
            ends.push(self.at);
        }
        if let Some(otherwise) = otherwise {
            self.at = from;
            self.expr(otherwise);
            ends.push(self.at);
        }
        self.join(ends);
    }

    /// A macro of the function's own may use variables that its calls do not name, and may be
    /// called as one that is understood.
    fn macro_rules(&mut self, mac: &syn::Macro, name: Option<&Ident>) {
        let mentions = mentions::in_tokens(mac.tokens.clone());
        let uses_variables = mentions.iter().any(|mention| self.scopes.find(&mention.name).is_some());
        if uses_variables || name.is_some_and(macros::is_understood) {
            self.flow.opaque = Some("its function has a macro of its own that may use variables");
        }
    }

    /// Any of its names may be a variable's, and it may leave any loop that stands around it: what
    /// it is made of need not show in what it is given.
    fn unknown(&mut self, mac: &syn::Macro) {
        self.guess(mentions::in_tokens(mac.tokens.clone()));
        let points: Vec<NodeId> =
            self.targets.iter().flat_map(|target| [Some(target.after), target.head]).flatten().collect();
        points.into_iter().for_each(|point| self.goes_to(point));
        if mentions::has_word(mac.tokens.clone(), &["unsafe"]) {
            self.flow.opaque = Some(NOT_UNDERSTOOD);
        }
    }
}

/// `x` or `x.field`; of `x.field.inner`, only `x.field` counts.
fn place(expr: &Expr) -> Option<(&Ident, Option<String>)> {
    match expr {
        Expr::Path(path) if path.qself.is_none() => path.path.get_ident().map(|name| (name, None)),
        Expr::Field(field) => {
            let (name, outer) = place(&field.base)?;
            let own = || match &field.member {
                syn::Member::Named(name) => name.to_string(),
                syn::Member::Unnamed(index) => index.index.to_string(),
            };
            Some((name, Some(outer.unwrap_or_else(own))))
        }
        Expr::Paren(expr) => place(&expr.expr),
        Expr::Group(expr) => place(&expr.expr),
        _ => None,
    }
}

/// A part of a temporary value: only what it is read from counts.
fn field_access(access: Access) -> Access {
    match access {
        Access::Take | Access::Operand => Access::Operand,
        access => access,
    }
}

fn is_compound(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

fn typed(pat: &Pat) -> Option<&syn::Type> {
    match pat {
        Pat::Type(pat) => Some(&pat.ty),
        _ => None,
    }
}

/// The pattern of an arm without its guard, the guard, and the body.
fn parts_of(arm: &Arm) -> (&Pat, Option<&Expr>, &Expr) {
    match &arm.pat {
        Pat::Guard(guarded) => (&guarded.pat, Some(&guarded.guard), &arm.body),
        pat => (pat, None, &arm.body),
    }
}
