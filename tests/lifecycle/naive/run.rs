//! Steps of tasks.

use super::Findings;
use super::channel::{Channel, Packet};
use super::compile::Code;
use super::state::{Activity, Frame, Outcome, Phase, ProcessState, SocketState, TaskId, TaskState, Timer, Wait, World};
use crate::program::{CANCELLED, ELAPSED, EMPTY, HANDLES, Instruction, REGISTERS, SOCKETS, Task, Value, panic_message};

/// The process, and what it says.
type Panic = (usize, String);

/// The ephemeral ports are those from this one on.
const EPHEMERAL_PORT_MIN: u16 = 49_152;

impl World<'_> {
    /// A process begins; its root.
    pub fn start(&mut self, process: usize) -> TaskId {
        self.state.processes[process].phase = Phase::Running;
        let id = self.state.free_task();
        self.state.tasks.insert(id, TaskState::new(process, id, false, 0, 0));
        self.state.processes[process].root = Some(id);
        id
    }

    /// Runs a task until it waits or ends.
    pub fn run(&mut self, id: TaskId, findings: &mut Findings) -> Result<(), Panic> {
        if self.state.tasks[&id].cancelled {
            self.end(id, CANCELLED, findings);
            return Ok(());
        }
        loop {
            let code = self.code;
            let task = self.state.tasks.get_mut(&id).expect("it runs");
            let position = task.position;
            task.position += 1;
            let Some(code) = code[task.process][task.routine].get(position) else {
                let output = task.registers[0];
                self.end(id, output, findings);
                return Ok(());
            };
            let activity = match *code {
                Code::Jump { target } => {
                    task.position = target;
                    continue;
                }
                Code::JumpUnless { register, equals, target } => {
                    if task.registers[register] != equals {
                        task.position = target;
                    }
                    continue;
                }
                Code::BeginTimeout { ms, into, exit } => {
                    task.frames.push(Frame::Timeout { left: ms.into(), into, exit });
                    continue;
                }
                Code::BeginScope => {
                    findings.met.scope = true;
                    task.frames.push(Frame::Scope);
                    continue;
                }
                Code::BeginRegion { region } => {
                    findings.met.region = true;
                    let unit = task.unit;
                    let order = self.regions_of(unit).map(|(order, _)| order + 1).max().unwrap_or(0);
                    self.task(id).frames.push(Frame::Region { region, order });
                    continue;
                }
                Code::BeginInterval { ms } => {
                    task.frames.push(Frame::Interval { next: 0, period: ms.into() });
                    continue;
                }
                Code::Tick => Activity::Waiting(Wait::Tick),
                Code::End => {
                    task.frames.pop();
                    continue;
                }
                Code::Do(Instruction::Return { value }) => {
                    let output = task.value(value);
                    self.end(id, output, findings);
                    return Ok(());
                }
                Code::Do(Instruction::AssertNot { register, value, line }) => {
                    if task.registers[register] == value {
                        return Err((task.process, panic_message(task.process, task.routine, line, value)));
                    }
                    continue;
                }
                Code::Do(ref instruction) => match self.step(id, instruction) {
                    None => continue,
                    Some(activity) => activity,
                },
            };
            self.task(id).activity = activity;
            return Ok(());
        }
    }

    /// Whether what a task waits for is there, and the driver knows: nothing else of the task comes before it.
    pub fn is_there(&self, task: &TaskState) -> bool {
        let Activity::Waiting(Wait::Recv { slot, .. }) = task.activity else { return false };
        let own = self.state.channels.iter().filter(|((_, to), _)| Some(*to) == task.sockets[slot]);
        own.map(|(_, channel)| channel).any(Channel::has_seen)
    }

    /// Runs a task unless it waits for something else now.
    pub fn go_on(&mut self, id: TaskId, findings: &mut Findings) -> Result<(), Panic> {
        match self.task(id).activity {
            Activity::Runnable => self.run(id, findings),
            _ => Ok(()),
        }
    }

    fn task(&mut self, id: TaskId) -> &mut TaskState {
        self.state.tasks.get_mut(&id).expect("it runs")
    }

    /// One instruction; what the task waits for after it.
    fn step(&mut self, id: TaskId, instruction: &Instruction) -> Option<Activity> {
        let task = self.task(id);
        Some(match *instruction {
            Instruction::Sleep { ms } => Activity::Waiting(Wait::Sleep { left: ms.into() }),
            Instruction::SleepUntil { ms } => Activity::Waiting(Wait::Clock { ms }),
            Instruction::Choose { among, into } => Activity::Waiting(Wait::Choose { among, into }),
            Instruction::Set { register, value } => {
                task.registers[register] = task.value(value);
                return None;
            }
            Instruction::Add { register, value } => {
                task.registers[register] = task.registers[register].wrapping_add(task.value(value));
                return None;
            }
            Instruction::Yield => Activity::Runnable,
            Instruction::Pending => Activity::Waiting(Wait::Pending),
            Instruction::Bind { socket, port } => {
                self.close(id, socket);
                Activity::Waiting(Wait::Bind { slot: socket, port })
            }
            Instruction::Connect { socket, to, port } => {
                task.sockets[socket]?;
                Activity::Waiting(Wait::Connect { slot: socket, to, port })
            }
            Instruction::Send { socket, to, port, value } => {
                task.sockets[socket]?;
                Activity::Waiting(Wait::Send { slot: socket, to, port, value: task.value(value) })
            }
            Instruction::Reply { socket, value } => {
                task.sockets[socket]?;
                let (to, port) = task.heard[socket]?;
                Activity::Waiting(Wait::Send { slot: socket, to, port, value: task.value(value) })
            }
            Instruction::Recv { socket, into } => {
                task.sockets[socket]?;
                Activity::Waiting(Wait::Recv { slot: socket, into })
            }
            Instruction::Close { socket } => {
                self.close(id, socket);
                return None;
            }
            _ => return self.step_of_handle(id, instruction),
        })
    }

    /// The like of instructions on tasks.
    fn step_of_handle(&mut self, id: TaskId, instruction: &Instruction) -> Option<Activity> {
        match *instruction {
            Instruction::Spawn { task, handle } => {
                // A handle that is in its place is dropped first: its task's number may be free then.
                self.task(id).handles[handle] = None;
                self.task(id).handles[handle] = Some(self.spawn(id, task));
                None
            }
            Instruction::Await { handle, into, keeps } => {
                let awaited = self.task(id).handles[handle]?;
                if !keeps {
                    self.task(id).handles[handle] = None;
                }
                self.await_task(id, awaited, keeps.then_some(handle), into, None)
            }
            Instruction::Select { handles, limit_ms, which, into } => {
                match handles.map(|handle| self.state.tasks[&id].handles[handle]) {
                    [None, None] => None,
                    [Some(only), None] => self.await_task(id, only, Some(handles[0]), into, Some((which, 0))),
                    [None, Some(only)] => self.await_task(id, only, Some(handles[1]), into, Some((which, 1))),
                    [Some(one), Some(other)] => {
                        let is_ready = self.wakes(one) || self.wakes(other);
                        let left = limit_ms.map(i32::from);
                        Some(Activity::Waiting(Wait::Select { handles, left, which, into, is_ready }))
                    }
                }
            }
            Instruction::Abort { handle } => {
                let aborted = self.task(id).handles[handle]?;
                self.abort(aborted);
                None
            }
            Instruction::IsFinished { handle, into } => {
                let asked = self.task(id).handles[handle]?;
                if self.state.tasks[&asked].is_isolated {
                    return Some(Activity::Waiting(Wait::IsFinished { handle, into }));
                }
                let is_finished = self.output_of(asked).is_some();
                self.task(id).registers[into] = is_finished.into();
                None
            }
            Instruction::Detach { handle } => {
                self.task(id).handles[handle] = None;
                None
            }
            Instruction::SetSpawn { task } => {
                let spawned = self.spawn(id, task);
                self.task(id).set.push(spawned);
                None
            }
            Instruction::JoinNext { into } => {
                if self.task(id).set.is_empty() {
                    self.task(id).registers[into] = EMPTY;
                    return None;
                }
                let next = self.next_of_set(id).into_iter().find(|&next| self.wakes(next));
                let set = &self.state.tasks[&id].set;
                let has_isolated = set.iter().any(|task| self.state.tasks[task].is_isolated);
                match next {
                    Some(next) if !(has_isolated && self.reading.joins_in_any_order) => {
                        self.join(id, next, None, into);
                        None
                    }
                    _ => Some(Activity::Waiting(Wait::JoinNext { into, is_ready: next.is_some() })),
                }
            }
            Instruction::AbortAll => {
                let all = self.task(id).set.clone();
                all.into_iter().for_each(|aborted| self.abort(aborted));
                None
            }
            Instruction::DropSet => {
                self.drop_set(id);
                None
            }
            ref other => unreachable!("{other:?} is done elsewhere"),
        }
    }

    fn spawn(&mut self, by: TaskId, task: Task) -> TaskId {
        let parent = &self.state.tasks[&by];
        let id = self.state.free_task();
        let unit = if task.isolated { id } else { parent.unit };
        let argument = parent.value(task.argument);
        let spawned = TaskState::new(parent.process, unit, task.isolated, task.routine, argument);
        self.state.tasks.insert(id, spawned);
        id
    }

    /// Waits for the end of a task, if that has to be waited for.
    fn await_task(
        &mut self,
        id: TaskId,
        awaited: TaskId,
        place: Option<usize>,
        into: usize,
        won: Option<(usize, u8)>,
    ) -> Option<Activity> {
        if !self.wakes(awaited) {
            return Some(Activity::Waiting(Wait::Await { task: awaited, place, into, won }));
        }
        self.join(id, awaited, place, into);
        if let Some((which, branch)) = won {
            // As in a `select!`, the output is written last.
            let output = self.task(id).registers[into];
            self.task(id).registers[which] = branch;
            self.task(id).registers[into] = output;
        }
        None
    }

    /// A task has seen the end of another one.
    fn join(&mut self, id: TaskId, ended: TaskId, place: Option<usize>, into: usize) {
        let output = self.output_of(ended).expect("it has ended");
        let task = self.task(id);
        if let Some(place) = place {
            task.handles[place] = None;
        }
        task.set.retain(|&other| other != ended);
        task.ended.retain(|&other| other != ended);
        task.registers[into] = output;
    }

    /// Completes the operation that a task waits for.
    pub fn complete(&mut self, id: TaskId, outcome: Outcome, findings: &mut Findings) {
        let Activity::Waiting(wait) = self.task(id).activity else { unreachable!("it waits") };
        self.task(id).activity = Activity::Runnable;
        match (wait, outcome) {
            (Wait::Clock { ms }, _) => {
                // It goes on in the same poll, and waits.
                self.task(id).activity = Activity::Waiting(Wait::Sleep { left: ms.into() });
            }
            (Wait::Choose { into, .. }, Outcome::Chosen(chosen)) => self.task(id).registers[into] = chosen,
            (Wait::Await { task, place, into, won }, _) => {
                if let Some((which, branch)) = won {
                    self.task(id).registers[which] = branch;
                }
                self.join(id, task, place, into);
            }
            (Wait::JoinNext { into, .. }, Outcome::Joined(next)) => self.join(id, next, None, into),
            (Wait::Select { handles, which, into, .. }, Outcome::Joined(branch)) => {
                let won = handles.iter().position(|&handle| self.task(id).handles[handle] == Some(branch));
                let won = won.expect("one of the two");
                self.task(id).registers[which] = won as u8;
                self.join(id, branch, Some(handles[won]), into);
            }
            (Wait::IsFinished { handle, into }, _) => {
                let asked = self.task(id).handles[handle].expect("it is there");
                let is_finished = self.output_of(asked).is_some();
                self.task(id).registers[into] = is_finished.into();
            }
            (Wait::Bind { slot, port }, _) => self.bind(id, slot, port),
            (Wait::Connect { slot, to, port }, _) => {
                let socket = self.task(id).sockets[slot].expect("it is bound");
                self.state.sockets.get_mut(&socket).expect("it is open").peer = Some((to, port));
            }
            // Nothing takes it.
            (Wait::Send { .. }, Outcome::Done) => {}
            (Wait::Send { slot, to, port, value }, Outcome::Sent { copies }) => {
                let receiver = self.route(id, slot, to, port).expect("looked up in the same state");
                let (of_packet, window) = self.perturbation(id);
                let (is_ordered, may_be_lost) = (of_packet.is_none(), of_packet.is_some_and(|all| all.contains(&0)));
                if let Some(left) = &mut self.state.faults_left {
                    // A lost packet is one fault, and so is each extra copy.
                    *left -= copies.abs_diff(1);
                }
                let sender = self.task(id).sockets[slot].expect("it is bound");
                let SocketState { process, port, .. } = self.state.sockets[&sender];
                let packet = Packet {
                    value,
                    from: (process, port),
                    copies,
                    window,
                    overtaken: false,
                    is_ordered,
                    may_be_lost,
                    is_seen: false,
                };
                self.state.channels.entry((sender, receiver)).or_default().packets.push(packet);
            }
            (Wait::Recv { slot, into }, Outcome::Arrived { channel, packet }) => {
                findings.met.arrived = true;
                let channel = self.state.channels.get_mut(&channel).expect("it holds the packet");
                let overtaken = channel.newly_overtaken_by(packet);
                if let Some(left) = &mut self.state.faults_left {
                    *left -= overtaken.len();
                }
                overtaken.into_iter().for_each(|overtaken| channel.packets[overtaken].overtaken = true);
                channel.delivered.push(packet);
                let Packet { value, from, .. } = channel.packets[packet];
                let task = self.task(id);
                task.registers[into] = value;
                task.heard[slot] = Some(from);
            }
            (wait, outcome) => unreachable!("{wait:?} does not end with {outcome:?}"),
        }
    }

    /// A timer fires.
    pub fn fire(&mut self, id: TaskId, timer: Timer, findings: &mut Findings) {
        let task = self.task(id);
        let activity = std::mem::replace(&mut task.activity, Activity::Runnable);
        match timer {
            Timer::Own => match activity {
                Activity::Waiting(Wait::Sleep { .. }) => {}
                Activity::Waiting(Wait::Tick) => {
                    let Some(Frame::Interval { next, period }) = task.frames.last_mut() else { unreachable!() };
                    *next += *period;
                }
                Activity::Waiting(Wait::Select { which, into, .. }) => {
                    findings.met.elapsed = true;
                    task.registers[which] = 2;
                    task.registers[into] = ELAPSED;
                }
                other => unreachable!("{other:?} has no timer"),
            },
            Timer::Frame(frame) => {
                findings.met.elapsed = true;
                let Frame::Timeout { into, exit, .. } = task.frames[frame] else { unreachable!("a time-out") };
                task.frames.truncate(frame);
                task.position = exit;
                task.registers[into] = ELAPSED;
            }
        }
    }

    fn bind(&mut self, id: TaskId, slot: usize, port: Option<u16>) {
        let process = self.task(id).process;
        let port = port.unwrap_or_else(|| {
            let ephemeral = &mut self.state.processes[process].ephemeral;
            *ephemeral += 1;
            EPHEMERAL_PORT_MIN + *ephemeral
        });
        if self.state.sockets.values().any(|other| (other.process, other.port) == (process, port)) {
            return;
        }
        let socket = self.state.free_socket();
        self.state.sockets.insert(socket, SocketState { process, port, peer: None });
        self.task(id).sockets[slot] = Some(socket);
    }

    /// Closes a socket, if there is one; what is under way to it vanishes.
    fn close(&mut self, id: TaskId, slot: usize) {
        self.task(id).heard[slot] = None;
        if let Some(socket) = self.task(id).sockets[slot].take() {
            self.state.sockets.remove(&socket);
            self.state.channels.retain(|(_, to), _| *to != socket);
        }
    }

    fn abort(&mut self, id: TaskId) {
        if self.output_of(id).is_some() {
            return;
        }
        self.task(id).cancelled = true;
    }

    fn drop_set(&mut self, id: TaskId) {
        self.task(id).ended.clear();
        let set = std::mem::take(&mut self.task(id).set);
        set.into_iter().for_each(|aborted| self.abort(aborted));
    }

    /// A task ends, by itself or because it was aborted: what it has is dropped.
    fn end(&mut self, id: TaskId, output: u8, findings: &mut Findings) {
        let TaskState { process, unit, is_isolated, cancelled, registers, .. } = *self.task(id);
        if id == unit && !is_isolated {
            self.end_process(process, registers, findings);
            return;
        }
        findings.met.dropped |= is_isolated && cancelled;
        findings.met.ended |= is_isolated && !cancelled;
        self.let_go(id);
        let ended = Activity::Ended(output);
        *self.task(id) = TaskState { activity: ended, position: 0, ..TaskState::new(process, unit, is_isolated, 0, 0) };
        let set = self.state.tasks.values_mut().find(|task| task.set.contains(&id));
        if let Some(parent) = set {
            parent.ended.push(id);
        }
        let goes_on = |task: &TaskState| !task.cancelled && !matches!(task.activity, Activity::Ended(_));
        let is_left = |(&other, task): (&TaskId, &TaskState)| task.unit == id && other != id && goes_on(task);
        findings.met.left_behind |= is_isolated && self.state.tasks.iter().any(is_left);
    }

    /// A task lets go of its sockets, its handles and its `JoinSet`.
    fn let_go(&mut self, id: TaskId) {
        (0..SOCKETS).for_each(|slot| self.close(id, slot));
        self.drop_set(id);
        self.task(id).handles = [None; HANDLES];
    }

    /// The root ended: the tasks of its process are dropped, its sockets closed.
    fn end_process(&mut self, process: usize, registers: [u8; REGISTERS], findings: &mut Findings) {
        let output = format!("{registers:?}");
        findings.outputs[process].insert(output.clone());
        self.state.processes[process] =
            ProcessState { phase: Phase::Ended, output: Some(output), root: None, ephemeral: 0 };
        self.state.tasks.retain(|_, task| task.process != process);
        self.state.sockets.retain(|_, socket| socket.process != process);
        let open = &self.state.sockets;
        self.state.channels.retain(|(_, to), _| open.contains_key(to));
    }
}

impl TaskState {
    fn value(&self, value: Value) -> u8 {
        match value {
            Value::Constant(constant) => constant,
            Value::Register(register) => self.registers[register],
        }
    }
}
