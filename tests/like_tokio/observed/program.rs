//! Small async programs, as data.

/// The operations of a task, one after the other.
pub(crate) type Block = Vec<Op>;

/// How many cells there are that the tasks share.
pub(crate) const CELLS: usize = 2;
/// How many tasks a program may have besides its first.
pub(crate) const TASKS: usize = 2;
/// How many if tasks have only one order.
pub(crate) const ORDERED_TASKS: usize = 5;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    /// is seen in the trace
    Mark(u8),
    /// adds one to a cell
    Add(usize),
    /// what is in a cell is seen in the trace
    Show(usize),
    Yield,
    Sleep(u64),
    Timeout(u64, Block),
    Pending,
    Send,
    TrySend,
    Recv,
    TryRecv,
    DropSender,
    OneshotSend,
    OneshotRecv,
    BroadcastSend,
    BroadcastRecv,
    WatchSend,
    WatchChanged,
    NotifyOne,
    NotifyWaiters,
    Notified,
    Locked(Block),
    Permitted(Block),
    /// its end is seen in the trace, also when it is dropped before
    Guarded(Block),
    Spawn(usize, Block),
    Join(usize),
    Abort(usize),
    Both(Block, Block),
    Repeat(usize, Block),
    Select(Select),
    /// a `select!` in a loop, of a future that is kept and one that is made anew each time
    Kept {
        biased: bool,
        times: usize,
        kept: Block,
        fresh: Block,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Select {
    pub(crate) biased: bool,
    /// two or three
    pub(crate) branches: Vec<Branch>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Branch {
    /// The branch is there only if this cell is even.
    pub(crate) guard: Option<usize>,
    /// Its value matches its pattern only if this cell is even at its end.
    pub(crate) pattern: Option<usize>,
    pub(crate) future: Block,
    pub(crate) handler: Block,
}

impl Op {
    /// The blocks in it.
    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Op::Timeout(_, block)
            | Op::Locked(block)
            | Op::Permitted(block)
            | Op::Guarded(block)
            | Op::Spawn(_, block)
            | Op::Repeat(_, block) => vec![block],
            Op::Both(one, other) | Op::Kept { kept: one, fresh: other, .. } => vec![one, other],
            Op::Select(select) => {
                select.branches.iter_mut().flat_map(|branch| [&mut branch.future, &mut branch.handler]).collect()
            }
            _ => Vec::new(),
        }
    }
}
