//! States of a system.

use std::collections::{BTreeMap, BTreeSet};

use super::Reading;
use super::channel::Channel;
use super::compile::Code;
use crate::program::{HANDLES, REGISTERS, Registers, SOCKETS, System};

pub type TaskId = usize;
pub type SocketId = usize;

#[derive(Clone)]
pub struct World<'a> {
    pub system: &'a System,
    pub code: &'a [Vec<Vec<Code>>],
    pub reading: Reading,
    /// there are faults only in scopes
    pub is_scoped: bool,
    pub state: State,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub faults_left: Option<usize>,
    pub processes: Vec<ProcessState>,
    /// those that run, and those that have ended and that somebody has a handle to
    pub tasks: BTreeMap<TaskId, TaskState>,
    pub sockets: BTreeMap<SocketId, SocketState>,
    /// from a socket, which may be closed by now, to one that is open
    pub channels: BTreeMap<(SocketId, SocketId), Channel>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProcessState {
    pub phase: Phase,
    pub output: Option<String>,
    /// the unit of its root, once it has begun
    pub root: Option<TaskId>,
    /// how many ephemeral ports were given out
    pub ephemeral: u16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    Unstarted,
    Running,
    Ended,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SocketState {
    pub process: usize,
    pub port: u16,
    pub peer: Option<(usize, u16)>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TaskState {
    pub process: usize,
    /// the tasks of one memory have the same unit
    pub unit: TaskId,
    pub is_isolated: bool,
    pub routine: usize,
    /// the next instruction
    pub position: usize,
    pub registers: Registers,
    pub handles: [Option<TaskId>; HANDLES],
    /// the `JoinSet`, in the order in which its tasks were spawned
    pub set: Vec<TaskId>,
    /// those of them that have ended, in the order in which they did
    pub ended: Vec<TaskId>,
    pub sockets: [Option<SocketId>; SOCKETS],
    /// by socket, where the last datagram came from
    pub heard: [Option<(usize, u16)>; SOCKETS],
    /// the regions that it is in, the outermost first
    pub frames: Vec<Frame>,
    pub activity: Activity,
    pub cancelled: bool,
}

impl TaskState {
    pub fn new(process: usize, unit: TaskId, is_isolated: bool, routine: usize, argument: u8) -> Self {
        let mut registers = [0; REGISTERS];
        registers[0] = argument;
        TaskState {
            process,
            unit,
            is_isolated,
            routine,
            position: 0,
            registers,
            handles: [None; HANDLES],
            set: Vec::new(),
            ended: Vec::new(),
            sockets: [None; SOCKETS],
            heard: [None; SOCKETS],
            frames: Vec::new(),
            activity: Activity::Runnable,
            cancelled: false,
        }
    }

    /// The tasks that it has a handle to.
    pub fn held(&self) -> impl Iterator<Item = TaskId> {
        let waiting = match self.activity {
            Activity::Waiting(Wait::Await { task, .. }) => Some(task),
            _ => None,
        };
        self.handles.iter().flatten().chain(&self.set).copied().chain(waiting)
    }
}

/// Durations are what is left of them, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Frame {
    Scope,
    /// `order`: greater than those of the regions that tasks of the same memory were in when it was entered
    Region {
        region: usize,
        order: u32,
    },
    Timeout {
        left: i32,
        into: usize,
        exit: usize,
    },
    /// a tick that is late does not put the later ones off
    Interval {
        next: i32,
        period: i32,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Activity {
    Runnable,
    Waiting(Wait),
    /// with what a joiner writes
    Ended(u8),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Wait {
    Sleep {
        left: i32,
    },
    /// for the interval that was begun last
    Tick,
    /// for the time now, before it sleeps
    Clock {
        ms: u16,
    },
    Choose {
        among: usize,
        into: usize,
    },
    /// `place`: where the handle is, if it is kept; `won`: which branch of a `select!` this one is, and where to
    /// write it
    Await {
        task: TaskId,
        place: Option<usize>,
        into: usize,
        won: Option<(usize, u8)>,
    },
    /// `is_ready`: a branch was ready when it was first polled, so that it never waits; so too of a `JoinSet`
    Select {
        handles: [usize; 2],
        left: Option<i32>,
        which: usize,
        into: usize,
        is_ready: bool,
    },
    IsFinished {
        handle: usize,
        into: usize,
    },
    JoinNext {
        into: usize,
        is_ready: bool,
    },
    Bind {
        slot: usize,
        port: Option<u16>,
    },
    Connect {
        slot: usize,
        to: usize,
        port: u16,
    },
    Send {
        slot: usize,
        to: usize,
        port: u16,
        value: u8,
    },
    Recv {
        slot: usize,
        into: usize,
    },
    Pending,
}

impl Wait {
    /// Whether the task is in the middle of a poll.
    pub fn is_call(&self) -> bool {
        match *self {
            Wait::Clock { .. } | Wait::IsFinished { .. } => true,
            Wait::Select { is_ready, .. } | Wait::JoinNext { is_ready, .. } => is_ready,
            _ => false,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Move {
    Start { process: usize },
    Run { task: TaskId },
    Step { task: TaskId, outcome: Outcome },
    Fire { task: TaskId, timer: Timer, left: i32 },
}

#[derive(Debug, Clone, Copy)]
pub enum Outcome {
    Done,
    Sent { copies: usize },
    Chosen(u8),
    Joined(TaskId),
    Arrived { channel: (SocketId, SocketId), packet: usize },
}

#[derive(Debug, Clone, Copy)]
pub enum Timer {
    /// of what the task waits for
    Own,
    /// of a time-out around it
    Frame(usize),
}

impl<'a> World<'a> {
    pub fn new(system: &'a System, code: &'a [Vec<Vec<Code>>], reading: Reading, is_scoped: bool) -> Self {
        let unstarted = ProcessState { phase: Phase::Unstarted, output: None, root: None, ephemeral: 0 };
        let state = State {
            faults_left: system.network.at_most,
            processes: vec![unstarted; system.processes.len()],
            tasks: BTreeMap::new(),
            sockets: BTreeMap::new(),
            channels: BTreeMap::new(),
        };
        World { system, code, reading, is_scoped, state }
    }

    /// The units in which a task is in the middle of a poll, and that task.
    pub fn calling(&self) -> impl Iterator<Item = (TaskId, TaskId)> {
        self.state.tasks.iter().filter_map(|(&id, task)| match &task.activity {
            Activity::Waiting(wait) if wait.is_call() => Some((task.unit, id)),
            _ => None,
        })
    }

    /// The value that a joiner of the task writes, if it has ended.
    pub fn output_of(&self, task: TaskId) -> Option<u8> {
        match self.state.tasks[&task].activity {
            Activity::Ended(output) => Some(output),
            _ => None,
        }
    }

    /// Whether it is an ordinary task that has ended.
    pub fn wakes(&self, task: TaskId) -> bool {
        !self.state.tasks[&task].is_isolated && self.output_of(task).is_some()
    }

    /// The tasks that the `JoinSet` of this one may give next.
    pub fn next_of_set(&self, task: TaskId) -> BTreeSet<TaskId> {
        let ended = &self.state.tasks[&task].ended;
        if !self.reading.joins_in_any_order {
            return ended.first().copied().into_iter().collect();
        }
        let (isolated, ordinary): (Vec<TaskId>, Vec<TaskId>) =
            ended.iter().partition(|&ended| self.state.tasks[ended].is_isolated);
        isolated.into_iter().chain(ordinary.first().copied()).collect()
    }

    /// Whether an ordinary task has ended that this one waits for.
    pub fn is_woken(&self, task: TaskId) -> bool {
        let state = &self.state.tasks[&task];
        match state.activity {
            Activity::Waiting(Wait::Await { task: awaited, .. }) => self.wakes(awaited),
            Activity::Waiting(Wait::JoinNext { .. }) => self.next_of_set(task).into_iter().any(|next| self.wakes(next)),
            Activity::Waiting(Wait::Select { handles, .. }) => {
                handles.iter().any(|&handle| state.handles[handle].is_some_and(|branch| self.wakes(branch)))
            }
            _ => false,
        }
    }

    /// The socket that gets what this task sends.
    pub fn route(&self, task: TaskId, slot: usize, to: usize, port: u16) -> Option<SocketId> {
        let from = &self.state.sockets[&self.state.tasks[&task].sockets[slot].expect("it is bound")];
        let from = (from.process, from.port);
        let takes = |socket: &SocketState| {
            (socket.process, socket.port) == (to, port) && socket.peer.is_none_or(|peer| peer == from)
        };
        self.state.sockets.iter().find(|(_, socket)| takes(socket)).map(|(&id, _)| id)
    }

    /// All that is measured in time.
    pub fn let_time_pass(&mut self, ms: i32) {
        for packet in self.state.channels.values_mut().flat_map(|channel| &mut channel.packets) {
            packet.is_seen |= ms > 0 && !packet.may_be_lost;
        }
        for task in self.state.tasks.values_mut() {
            for frame in &mut task.frames {
                match frame {
                    Frame::Scope | Frame::Region { .. } => {}
                    Frame::Timeout { left, .. } => *left = (*left - ms).max(0),
                    Frame::Interval { next, .. } => *next -= ms,
                }
            }
            if let Activity::Waiting(Wait::Sleep { left } | Wait::Select { left: Some(left), .. }) = &mut task.activity
            {
                *left = (*left - ms).max(0);
            }
        }
    }
}

impl State {
    /// The smallest number that no task has, nor the memory of any.
    pub fn free_task(&self) -> TaskId {
        let is_used = |id| self.tasks.contains_key(&id) || self.tasks.values().any(|task| task.unit == id);
        (0..).find(|&id| !is_used(id)).expect("numbers do not run out")
    }

    pub fn free_socket(&self) -> SocketId {
        let is_used =
            |id| self.sockets.contains_key(&id) || self.channels.keys().any(|&(from, to)| from == id || to == id);
        (0..).find(|&id| !is_used(id)).expect("numbers do not run out")
    }

    /// Forgets what can make no difference any more.
    pub fn forget(&mut self) {
        let held: BTreeSet<TaskId> = self.tasks.values().flat_map(TaskState::held).collect();
        self.tasks.retain(|id, task| !matches!(task.activity, Activity::Ended(_)) || held.contains(id));
        self.channels.values_mut().for_each(Channel::forget);
        self.channels.retain(|_, channel| !channel.packets.is_empty());
    }
}
