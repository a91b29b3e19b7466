//! Programs whose futures move between tasks, as data.

/// The operations of a task, one after the other.
pub(crate) type Block = Vec<Op>;

/// How many futures, tasks and sockets there are.
pub(crate) const FUTURES: usize = 3;
pub(crate) const TASKS: usize = 2;
pub(crate) const SOCKETS: usize = 2;

/// A program: its futures, and what its first task does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Program {
    pub(crate) futures: Vec<Made>,
    pub(crate) block: Block,
}

/// A future that tasks give to each other.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) how: How,
    pub(crate) waking: Waking,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Leaf {
    Sleep(u64),
    Receive(usize),
}

/// How its leaves are polled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum How {
    /// one after the other, by whoever has the future
    Plain,
    /// one after the other, for all tasks that await it
    Shared,
    /// each only when it has woken; all outputs that are there are given together
    Queue,
}

/// Further effects of its wakers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Waking {
    /// there is none of its own
    Own,
    Nothing,
    /// a counter in memory that the waker allocates
    Counts,
    ReadsTheClock,
    Spawns,
    DropsSocket(usize),
    Panics,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Op {
    Mark(u8),
    Yield,
    Sleep(u64),
    /// to the end
    Await(usize),
    /// so long, and then it is given back
    AwaitFor(usize, u64),
    /// once, and then it is given back
    Poll(usize),
    /// polled once, given back, and then the task waits until it is woken
    UntilWoken(usize),
    Drop(usize),
    Send(usize),
    /// what the wakers have counted and read
    Show,
    Spawn(usize, Block),
    Abort(usize),
    Join(usize),
}
