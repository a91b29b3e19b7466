//! Programs that read clocks and wait for timers, as data.

/// The operations of a program, one after the other.
pub(crate) type Block = Vec<Op>;

/// How many instants a program may keep.
pub(crate) const SLOTS: usize = 2;

/// An instant that is kept in a slot, so many milliseconds later. Nothing is done with one that is not there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct From {
    pub(crate) slot: usize,
    pub(crate) plus_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Missed {
    Burst,
    Delay,
    Skip,
}

/// All durations are in milliseconds: tokio's timers are no finer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Op {
    Sleep(u64),
    SleepUntil(From),
    /// Keeps the present instant.
    Read(usize),
    /// Keeps another one.
    Derive(usize, From),
    Forget(usize),
    /// The time since an instant is seen in the trace.
    Elapsed(From),
    /// The order of two instants and the time between them are seen in the trace.
    Between(From, usize),
    /// An interval that ticks now, in place of the one before.
    Every(u64, Missed),
    /// An interval that ticks a millisecond from now, in place of the one before.
    EveryAfter(u64, Missed),
    EveryAt(From, u64, Missed),
    /// Whether there was a tick in time is seen in the trace; its instant may be kept.
    Tick {
        within_ms: Option<u64>,
        kept: Option<usize>,
    },
    Reset,
    ResetImmediately,
    ResetAfter(u64),
    ResetAt(From),
    /// A timer in place of the one before.
    Timer(u64),
    TimerUntil(From),
    ResetTimer(From),
    AwaitTimer,
    /// Whether it has fired is seen in the trace.
    PollTimer,
    /// Keeps the instant for which the timer is set.
    Deadline(usize),
    /// Whether it came in time is seen in the trace.
    Timeout(u64, Block),
    TimeoutAt(From, Block),
    /// Which of two ends first is seen in the trace.
    Select(Block, Block),
    Join(Block, Block),
}

impl Op {
    fn blocks_mut(&mut self) -> Vec<&mut Block> {
        match self {
            Op::Timeout(_, block) | Op::TimeoutAt(_, block) => vec![block],
            Op::Select(one, other) | Op::Join(one, other) => vec![one, other],
            _ => Vec::new(),
        }
    }
}

/// Whether it waits for one timer at a time.
pub(crate) fn is_sequential(program: &Block) -> bool {
    let waits = |op: &Op| matches!(op, Op::Tick { within_ms: Some(_), .. } | Op::PollTimer);
    program.iter().all(|op| op.clone().blocks_mut().is_empty() && !waits(op))
}

/// Whether it makes an instant from another one.
pub(crate) fn derives(program: &Block) -> bool {
    program.iter().any(|op| match op {
        Op::Derive(..) => true,
        op => op.clone().blocks_mut().into_iter().any(|block| derives(block)),
    })
}

/// The program with one thing less, in each way.
pub(crate) fn smaller(program: &Block) -> Vec<Block> {
    let mut all = Vec::new();
    for index in 0..program.len() {
        let with = |ops: Vec<Op>| {
            let mut changed = program.clone();
            changed.splice(index..=index, ops);
            changed
        };
        all.push(with(Vec::new()));
        let mut op = program[index].clone();
        let blocks: Vec<Block> = op.blocks_mut().into_iter().map(|block| block.clone()).collect();
        for (place, block) in blocks.into_iter().enumerate() {
            for smaller in smaller(&block) {
                let mut op = program[index].clone();
                *op.blocks_mut()[place] = smaller;
                all.push(with(vec![op]));
            }
            all.push(with(block));
        }
    }
    all
}
