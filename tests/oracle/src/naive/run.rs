//! How a task of the naive explorer runs, from one wait to the next.

use super::operation::{Operation, Wait};
use super::state::{Activity, Code, Phase, ProcessState, Slot, Socket, World};
use super::{Findings, RUN_MAX};
use crate::language::automaton::{Sighted, What};
use crate::language::program::{Instruction, Output, Value, name, panic_message};

pub(super) fn compile(task: &[Instruction]) -> Vec<Code> {
    fn append(code: &mut Vec<Code>, block: &[Instruction]) {
        for instruction in block {
            match instruction {
                Instruction::If { register, equals, then, otherwise } => {
                    let branch = code.len();
                    code.push(Code::Jump { target: 0 });
                    append(code, then);
                    let exit = code.len();
                    code.push(Code::Jump { target: 0 });
                    let target = code.len();
                    code[branch] = Code::JumpUnless { register: *register, equals: *equals, target };
                    append(code, otherwise);
                    let target = code.len();
                    code[exit] = Code::Jump { target };
                }
                Instruction::Repeat { times, body } => {
                    for _ in 0..*times {
                        append(code, body);
                    }
                }
                Instruction::Until { register, equals, body } => {
                    let head = code.len();
                    code.push(Code::JumpUnless { register: *register, equals: *equals, target: head + 2 });
                    code.push(Code::Jump { target: 0 });
                    append(code, body);
                    code.push(Code::Jump { target: head });
                    code[head + 1] = Code::Jump { target: code.len() };
                }
                Instruction::Forever { body } => {
                    let head = code.len();
                    append(code, body);
                    code.push(Code::Jump { target: head });
                }
                Instruction::Locked { body } => {
                    code.push(Code::Lock);
                    append(code, body);
                    code.push(Code::Unlock);
                }
                simple => code.push(Code::Do(simple.clone())),
            }
        }
    }
    let mut code = Vec::new();
    append(&mut code, task);
    code
}

impl World<'_> {
    /// Runs one task until it waits or ends.
    pub(super) fn run(&mut self, process: usize, task: usize, findings: &mut Findings) -> Result<(), (String, String)> {
        let now_ms = self.state.now_ms;
        let code = &self.code[process][task];
        let tcp = self.system.network.tcp.as_ref();
        let first = tcp.and_then(|tcp| tcp.first);
        let is_watched = self.system.network.watched;
        let is_timed = self.system.takes_time();
        let isolated = &self.system.processes[process].isolated;
        let failing = self.system.network.failing_files;
        let is_named = tcp.is_some_and(|tcp| tcp.processes.is_empty() || tcp.processes.contains(&process));
        let state = &mut self.state.processes[process];
        // an abort waits for the next await
        let is_cancelled = state.tasks[task].cancelled && !state.is_calling(task, now_ms);
        if let Activity::Waiting(Wait::Object { into, .. }) = state.tasks[task].activity
            && !is_cancelled
        {
            state.registers[into] = state.objects.finish(task);
        }
        if let Activity::Waiting(Wait::Called { result: Some((into, value)) }) = state.tasks[task].activity
            && !is_cancelled
        {
            state.registers[into] = value;
        }
        state.tasks[task].activity = Activity::Runnable;
        let mut run = 0;
        let activity = loop {
            run += 1;
            if run > RUN_MAX {
                self.runs_on = true;
            }
            if is_cancelled || self.runs_on {
                break Activity::Ended;
            }
            let position = state.tasks[task].position;
            state.tasks[task].position += 1;
            let instruction = match code.get(position) {
                None => break Activity::Ended,
                Some(Code::Jump { target }) => {
                    state.tasks[task].position = *target;
                    continue;
                }
                Some(Code::JumpUnless { register, equals, target }) => {
                    if state.registers[*register] != *equals {
                        state.tasks[task].position = *target;
                    }
                    continue;
                }
                Some(Code::Lock) => {
                    state.mutex.push_back(task);
                    if state.mutex.len() > 1 {
                        break Activity::Waiting(Wait::Lock);
                    }
                    continue;
                }
                Some(Code::Unlock) => {
                    state.release(task);
                    continue;
                }
                Some(Code::Do(instruction)) => instruction,
            };
            let value_of = |value: Value| match value {
                Value::Constant(constant) => constant,
                Value::Register(register) => state.registers[register],
            };
            let receive = |[one, other]: [(Socket, usize); 2], into, deadline_ms| {
                let (sockets, slots) = ([one.0, other.0], [one.1, other.1]);
                Activity::Waiting(Wait::Recv { sockets, slots, into, deadline_ms, outer_ms: None })
            };
            let begin = |state: &mut ProcessState, operation: Operation, limit_ms: Option<u16>, into| {
                let deadline_ms = limit_ms.map(|ms| now_ms + u32::from(ms));
                let may_fail = is_named && state.is_among_first(operation.kind(), first);
                Activity::Waiting(Wait::Tcp { operation, into, deadline_ms, may_fail })
            };
            match *instruction {
                Instruction::Bind { socket, port } => {
                    if let Some(wait) = state.begin_to_bind(socket, port) {
                        break Activity::Waiting(wait);
                    }
                }
                Instruction::Send { socket, to, port, value } => {
                    if let Some(socket) = state.sockets[socket].value() {
                        break Activity::Waiting(Wait::Send { socket, to: (to, port), value: value_of(value) });
                    }
                }
                Instruction::Reply { socket, value } => {
                    if let (Some(to), Some(socket)) = (state.heard[socket], state.sockets[socket].value()) {
                        break Activity::Waiting(Wait::Send { socket, to, value: value_of(value) });
                    }
                }
                Instruction::Recv { socket, into } => {
                    if let Some(bound) = state.sockets[socket].value() {
                        break receive([(bound, socket); 2], into, None);
                    }
                }
                Instruction::Select { sockets: [first, second], into } => {
                    let sockets = match (state.sockets[first].value(), state.sockets[second].value()) {
                        (Some(one), Some(other)) => [(one, first), (other, second)],
                        (Some(one), None) => [(one, first); 2],
                        (None, Some(other)) => [(other, second); 2],
                        (None, None) => continue,
                    };
                    break receive(sockets, into, None);
                }
                Instruction::RecvTimeout { socket, ms, into } => {
                    if let Some(bound) = state.sockets[socket].value() {
                        break receive([(bound, socket); 2], into, Some(now_ms + u32::from(ms)));
                    }
                }
                Instruction::TryReceive { socket: slot, into } => {
                    if let Some(socket) = state.sockets[slot].value() {
                        break Activity::Waiting(Wait::TryReceive { socket, slot, into });
                    }
                }
                Instruction::Everyday(word) => {
                    if let Some(wait) = state.everyday(task, now_ms, word) {
                        break Activity::Waiting(wait);
                    }
                }
                Instruction::File(call) => {
                    if let Some((wait, again)) = state.call_files(task, call, failing) {
                        state.tasks[task].position -= usize::from(again);
                        break Activity::Waiting(wait);
                    }
                }
                Instruction::Sleep { ms } => {
                    break Activity::Waiting(Wait::Sleep { deadline_ms: now_ms + u32::from(ms), is_over: false });
                }
                Instruction::Choose { among, into } => break Activity::Waiting(Wait::Choose { among, into }),
                Instruction::Set { register, value } => {
                    let value = value_of(value);
                    state.registers[register] = value;
                    if is_watched {
                        self.sighted.push(Sighted { what: What::Emitted, process, value });
                    }
                }
                Instruction::Add { register, value } => {
                    let value = state.registers[register].wrapping_add(value_of(value));
                    state.registers[register] = value;
                    if is_watched {
                        self.sighted.push(Sighted { what: What::Emitted, process, value });
                    }
                }
                Instruction::Spawn { task } => {
                    let spawned = &mut state.tasks[task];
                    if spawned.activity == Activity::Unspawned {
                        spawned.activity = Activity::Runnable;
                        spawned.handle = true;
                    }
                }
                // An isolated task is a unit of its own: to learn of its end is a step, before which other tasks may move.
                Instruction::Join { task: joined } => {
                    if std::mem::take(&mut state.tasks[joined].handle) {
                        match state.tasks[joined].activity == Activity::Ended {
                            false => break Activity::Waiting(Wait::Join { task: joined, deadline: None }),
                            true if isolated.contains(&joined) => break Activity::Runnable,
                            true => {}
                        }
                    }
                }
                Instruction::JoinTimeout { task: joined, ms, into } => {
                    if std::mem::take(&mut state.tasks[joined].handle) {
                        let deadline = Some((now_ms + u32::from(ms), into));
                        match state.tasks[joined].activity == Activity::Ended {
                            false => break Activity::Waiting(Wait::Join { task: joined, deadline }),
                            true if isolated.contains(&joined) => break Activity::Runnable,
                            true => {}
                        }
                    }
                }
                Instruction::Abort { task: aborted } => {
                    let aborted = &mut state.tasks[aborted];
                    aborted.cancelled |= aborted.handle;
                }
                Instruction::Listen { listener, port, backlog, into } => {
                    if state.listeners[listener] == Slot::Closed {
                        state.listeners[listener] = Slot::Opening;
                        break begin(state, Operation::Listen { listener, port, backlog }, None, into);
                    }
                }
                Instruction::Accept { listener, stream, limit_ms, into } => {
                    if let (Slot::Open(port), Slot::Closed) = (state.listeners[listener], state.streams[stream]) {
                        state.streams[stream] = Slot::Opening;
                        let operation = Operation::Accept { ports: [port; 2], listeners: None, stream };
                        break begin(state, operation, limit_ms, into);
                    }
                }
                Instruction::SelectAccept { listeners: [first, second], stream, into } => {
                    let ports = match (state.listeners[first].value(), state.listeners[second].value()) {
                        (Some(one), Some(other)) => [(one, first), (other, second)],
                        (Some(one), None) => [(one, first); 2],
                        (None, Some(other)) => [(other, second); 2],
                        (None, None) => continue,
                    };
                    if state.streams[stream] == Slot::Closed {
                        state.streams[stream] = Slot::Opening;
                        let listeners = Some(ports.map(|(_, listener)| listener));
                        let operation = Operation::Accept { ports: ports.map(|(port, _)| port), listeners, stream };
                        break begin(state, operation, None, into);
                    }
                }
                Instruction::Connect { stream, to, port, limit_ms, into } => {
                    if state.streams[stream] == Slot::Closed {
                        state.streams[stream] = Slot::Opening;
                        let called = is_timed.then(|| self.state.connections.call(process, (to, port)));
                        let retries_ms = self.system.network.tcp.as_ref().and_then(|tcp| tcp.retries_ms);
                        let until_ms = retries_ms.map(|retries_ms| now_ms + retries_ms);
                        let operation = Operation::Connect { to: (to, port), stream, hangs: false, called, until_ms };
                        break begin(state, operation, limit_ms, into);
                    }
                }
                Instruction::Write { stream, value, length, limit_ms, into } => {
                    if let Some(end) = state.to_write(stream) {
                        let operation = Operation::Write { end, value: value_of(value), length };
                        break begin(state, operation, limit_ms, into);
                    }
                }
                Instruction::TryWrite { stream, value, length, into } => {
                    if let Some(end) = state.to_write(stream) {
                        let operation = Operation::TryWrite { end, value: value_of(value), length };
                        break begin(state, operation, None, into);
                    }
                }
                Instruction::Shutdown { stream, into } => {
                    if let Some(end) = state.to_write(stream) {
                        break begin(state, Operation::Shutdown { end }, None, into);
                    }
                }
                Instruction::Read { stream, bytes_max, limit_ms, into } => {
                    if let Some(end) = state.to_read(stream) {
                        break begin(state, Operation::Read { ends: [end; 2], bytes_max }, limit_ms, into);
                    }
                }
                Instruction::SelectRead { streams: [first, second], bytes_max, into } => {
                    let ends = match (state.to_read(first), state.to_read(second)) {
                        (Some(first), Some(second)) => [first, second],
                        (Some(only), None) | (None, Some(only)) => [only; 2],
                        (None, None) => continue,
                    };
                    break begin(state, Operation::Read { ends, bytes_max }, None, into);
                }
                Instruction::TryRead { stream, bytes_max, into } => {
                    if let Some(end) = state.to_read(stream) {
                        break begin(state, Operation::TryRead { end, bytes_max }, None, into);
                    }
                }
                Instruction::ZeroLinger { stream } => {
                    if let Slot::Open(end) = state.streams[stream] {
                        self.state.connections.set_zero_linger(end);
                    }
                }
                Instruction::DropStream { stream } => state.streams[stream].close(),
                Instruction::DropListener { listener } => state.listeners[listener].close(),
                Instruction::Yield => break Activity::Runnable,
                Instruction::AssertNot { register, value } => {
                    if state.registers[register] == value {
                        return Err((name(process), panic_message(register, value)));
                    }
                }
                Instruction::End => break Activity::Ended,
                Instruction::If { .. }
                | Instruction::Repeat { .. }
                | Instruction::Until { .. }
                | Instruction::Forever { .. }
                | Instruction::Locked { .. } => unreachable!("compiled away"),
            }
        };
        state.tasks[task].activity = activity;
        if activity == Activity::Ended {
            if task == 0 {
                self.end(process, findings);
            } else {
                state.release(task);
                for waiting in &mut state.tasks {
                    if matches!(waiting.activity, Activity::Waiting(Wait::Join { task: joined, .. }) if joined == task)
                    {
                        waiting.activity = Activity::Runnable;
                    }
                }
            }
        }
        Ok(())
    }

    /// The root ended: its tasks are dropped, its sockets closed.
    fn end(&mut self, process: usize, findings: &mut Findings) {
        let state = &mut self.state.processes[process];
        let mut registers = state.registers.clone();
        self.system.processes[process].isolated_registers().into_iter().for_each(|register| registers[register] = 0);
        let output = format!("{:?}", Output { registers, log: state.log.clone() });
        findings.outputs[process].insert(output.clone());
        state.output = Some(output);
        state.phase = Phase::Ended;
        state.files.end();
        for task in &mut state.tasks {
            task.activity = Activity::Ended;
        }
        self.sight(What::Ended, process, 0);
    }
}
