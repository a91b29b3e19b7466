//! Effects of the naive explorer's moves.

use std::collections::BTreeSet;

use super::NOWHERE;
use super::connections::Alternative;
use super::datagrams::Packet;
use super::files::Files;
use super::helpless::Units;
use super::operation::{Move, Operation, Timer, Wait};
use super::state::{Activity, Code, Endpoint, OpenSocket, Phase, Slot, TaskState, World};
use crate::language::automaton::What;
use crate::language::everyday::{Everyday, OUTER_ELAPSED};
use crate::language::program::{Delays, ELAPSED, Event, FAILED, Instruction, TICK_MS};
use crate::naive::Findings;

impl World<'_> {
    /// Does one move; an error is a panic of the program.
    pub(super) fn make(&mut self, chosen: &Move, findings: &mut Findings) -> Result<(), (String, String)> {
        self.step(chosen, findings)?;
        self.close();
        self.state.connections.owe(self.state.now_ms);
        if let Some(delays @ Delays::Interval(..)) = self.delays() {
            let windows = delays.windows(|ticks| self.state.now_ms + ticks * TICK_MS);
            windows.into_iter().for_each(|due| self.state.connections.decide(due));
        }
        Ok(())
    }

    fn step(&mut self, chosen: &Move, findings: &mut Findings) -> Result<(), (String, String)> {
        match *chosen {
            Move::Start { process } => {
                self.state.processes[process].phase = Phase::Running;
                self.sight(What::Started, process, 0);
                self.run(process, 0, findings)
            }
            Move::Crash { process, returns, ref left } => {
                self.use_fault(true);
                if let Some(left) = left.clone() {
                    (self.state.connections, self.state.channels) = *left;
                }
                self.sight(What::Crashed, process, 0);
                let phase = if returns { Phase::Crashed } else { Phase::Down };
                let power = self.system.network.crash.as_ref().is_some_and(|crash| crash.power);
                self.state.processes[process].crash(&self.system.processes[process], phase, power);
                let down = self.system.network.crash.as_ref().and_then(|crash| crash.down).filter(|_| returns);
                let at = |ticks: u32| self.state.now_ms + ticks * TICK_MS;
                self.state.processes[process].back = down.map(|(least, most)| (at(least), most.map(at)));
                Ok(())
            }
            Move::Cut { number, ref left } => {
                self.use_fault(true);
                self.sight(What::Cut, 0, 0);
                self.make_cut(number, (**left).clone());
                Ok(())
            }
            Move::Heal { number } => {
                self.sight(What::Healed, 0, 0);
                self.heal_cut(number);
                Ok(())
            }
            Move::Restart { process, ref files } => {
                self.state.processes[process].phase = Phase::Running;
                self.state.processes[process].back = None;
                findings.lost |= files.disk.seen() != self.state.processes[process].files.disk.seen();
                self.state.processes[process].files = Files::clone(files);
                self.state.connections.come_back(process);
                self.sight(What::Restarted, process, 0);
                self.run(process, 0, findings)
            }
            Move::Run { process, task } => self.run(process, task, findings),
            Move::Call { process, index, fails } => {
                self.use_fault(fails);
                findings.failed |= fails;
                // Without a wait in between, the task goes on.
                let calling = self.state.processes[process].calling(self.state.now_ms);
                self.call(process, index, fails);
                calling.map_or(Ok(()), |task| self.run(process, task, findings))
            }
            Move::Bind { process, task } => {
                let Wait::Bind { socket, port, number } = self.wait(process, task) else { unreachable!() };
                let bound = self.bind(process, number, port);
                self.state.processes[process].sockets[socket] = bound.map_or(Slot::Closed, Slot::Open);
                self.run(process, task, findings)
            }
            Move::Connect { process, task } => {
                let Wait::ConnectDatagrams { socket, peer } = self.wait(process, task) else { unreachable!() };
                let open = OpenSocket { port: socket.port, peer: Some(peer) };
                self.state.processes[process].open.insert(socket.number, open);
                self.run(process, task, findings)
            }
            Move::Send { process, task, copies, ref listed } => {
                let Wait::Send { socket, to, value } = self.wait(process, task) else { unreachable!() };
                self.sight(What::Departed, process, value);
                if let Some(copies) = copies {
                    self.dispatch((process, socket), to, value, (copies, listed));
                }
                self.run(process, task, findings)
            }
            Move::Choose { process, task, choice } => {
                let Wait::Choose { into, .. } = self.wait(process, task) else { unreachable!() };
                self.state.processes[process].registers[into] = choice as u8;
                self.run(process, task, findings)
            }
            Move::ReadClock { process, task } => {
                let Wait::Clock { which, over } = self.wait(process, task) else { unreachable!() };
                self.state.processes[process].read_clock(self.state.now_ms, which, over);
                self.run(process, task, findings)
            }
            Move::Deliver { process, task, channel, packet } => {
                let arriving = self.state.channels.get_mut(&channel).expect("it holds the packet");
                let Packet { value, from_port, .. } = arriving.deliver(packet, &mut self.state.faults_left);
                findings.found |= matches!(self.wait(process, task), Wait::TryReceive { .. });
                self.receive((process, task), channel, (value, from_port));
                self.sight(What::Arrived, process, value);
                self.run(process, task, findings)
            }
            Move::Arrive { link, packet } => {
                self.arrive(link, packet, findings);
                Ok(())
            }
            Move::Take { process, task, buffer } => {
                findings.found |= matches!(self.wait(process, task), Wait::TryReceive { .. });
                let datagram = self.state.datagrams.take(buffer);
                self.sight(What::Arrived, process, datagram.0);
                self.receive((process, task), buffer, datagram);
                self.run(process, task, findings)
            }
            Move::FindNothing { process, task } => {
                let Wait::TryReceive { into, .. } = self.wait(process, task) else { unreachable!() };
                findings.found_nothing = true;
                self.state.processes[process].registers[into] = FAILED;
                self.run(process, task, findings)
            }
            Move::Pass { until_ms, .. } => {
                self.pass(until_ms);
                Ok(())
            }
            Move::PassAlone { units, ms } => {
                self.let_pass(units, ms);
                self.look(units);
                Ok(())
            }
            Move::Fire { process, task, deadline_ms, timer } => {
                self.pass(deadline_ms);
                self.sight(What::Fired, process, 0);
                let wait = self.wait(process, task);
                if let Wait::Recv { into, .. }
                | Wait::Join { deadline: Some((_, into)), .. }
                | Wait::Tick { into, .. }
                | Wait::Object { into, .. } = wait
                {
                    let state = &mut self.state.processes[process];
                    findings.timeout_elapsed |= timer != Timer::Tick;
                    state.registers[into] = match timer {
                        Timer::Own => ELAPSED,
                        Timer::Outer => OUTER_ELAPSED,
                        Timer::Tick => 0,
                    };
                    if let (Wait::Tick { stamp, .. }, Some(interval)) = (wait, &mut state.interval) {
                        if let (Timer::Tick, Some(which)) = (timer, stamp) {
                            state.stamps_ms[which] = Some(interval.next_ms);
                        }
                        // Without a horizon it makes no difference.
                        interval.is_given_up = timer != Timer::Tick && !self.state.horizons_ms.is_empty();
                        interval.next_ms += if timer == Timer::Tick { i64::from(interval.period_ms) } else { 0 };
                    }
                    if let Wait::Object { .. } = wait {
                        state.objects.withdraw(task);
                        // what it waited for is not there any more
                        state.tasks[task].activity = Activity::Runnable;
                    }
                }
                if let Wait::Tcp { operation, into, .. } = wait {
                    findings.timeout_elapsed = true;
                    // Its first packet was sent long ago: the listener gets a connection that is closed at once.
                    if let Operation::Connect { to, hangs: false, called: None, .. } = operation
                        && !self.is_unreachable(process, to.0)
                        && !self.is_given_up(operation)
                        && let Some(connected) = self.state.connections.connect(process, to)
                    {
                        self.state.connections = connected.after;
                    }
                    let event = (Event::Elapsed, !self.system.processes[process].without_log);
                    self.state.processes[process].finish(operation, into, None, event);
                }
                self.run(process, task, findings)
            }
            Move::Tcp { process, task, ref alternative, is_failure } => {
                let Wait::Tcp { operation, into, .. } = self.wait(process, task) else { unreachable!() };
                let Alternative { mut event, after, opened } = alternative.clone();
                if let (Event::Accepted { from } | Event::AcceptedBy { from, .. }, true) =
                    (&mut event, self.system.network.anonymous)
                {
                    *from = 0;
                }
                match event {
                    Event::Connected => self.sight(What::Connected, process, 0),
                    Event::Accepted { .. } | Event::AcceptedBy { .. } => self.sight(What::Accepted, process, 0),
                    _ => {}
                }
                findings.failed |= is_failure;
                findings.read |= matches!(event, Event::Read(_));
                findings.given_up |= !is_failure && matches!(event, Event::Failed(std::io::ErrorKind::TimedOut));
                self.use_fault(is_failure);
                self.state.connections = after;
                let is_logged = !self.system.processes[process].without_log;
                self.state.processes[process].finish(operation, into, opened, (event, is_logged));
                self.run(process, task, findings)
            }
            Move::Establish { process, task, ref alternative } => {
                self.state.connections = alternative.after.clone();
                let made = alternative.opened.map(|(connection, _)| connection);
                let connection = self.state.connections.answer(process, made);
                let waiting = &mut self.state.processes[process].tasks[task];
                if let Activity::Waiting(Wait::Tcp { operation: Operation::Connect { called, until_ms, .. }, .. }) =
                    &mut waiting.activity
                {
                    (*called, *until_ms) = (Some(connection), None);
                }
                Ok(())
            }
            Move::ComeOut { from } => {
                let is_silent = self.is_silent(self.state.connections.receiver(from));
                self.state.connections.come_out(from, is_silent);
                Ok(())
            }
            Move::Knock { connection } => {
                self.state.connections.knock(connection, false);
                Ok(())
            }
            Move::Decide { due } => {
                assert!(self.state.connections.decide_first(due), "something is to be decided");
                Ok(())
            }
            Move::Beyond { .. } => unreachable!("it is no step"),
            Move::Hang { process, task } => {
                self.use_fault(true);
                if let Wait::Tcp { operation: Operation::Connect { called: Some(connection), .. }, .. } =
                    self.wait(process, task)
                {
                    self.state.connections.remove(connection);
                }
                let task = &mut self.state.processes[process].tasks[task];
                if let Activity::Waiting(Wait::Tcp { operation: Operation::Connect { hangs, .. }, .. }) =
                    &mut task.activity
                {
                    *hangs = true;
                }
                Ok(())
            }
        }
    }

    fn pass(&mut self, until_ms: i64) {
        let until_ms = until_ms.max(0) as u32;
        if until_ms > self.state.now_ms {
            self.stop_at_horizon(until_ms);
            self.state.now_ms = until_ms;
            self.look(Units::MAX);
            self.state.connections.let_pass(until_ms);
        }
    }

    /// A receive ends, with what was sent and the port it was sent from.
    fn receive(&mut self, (process, task): (usize, usize), channel: (Endpoint, Endpoint), datagram: (u8, u16)) {
        let ((sender, _), (_, number)) = channel;
        let (into, slot) = match self.wait(process, task) {
            Wait::Recv { into, sockets, slots, .. } => {
                let waits = sockets.iter().position(|socket| socket.number == number).expect("it waits for it");
                (into, slots[waits])
            }
            Wait::TryReceive { into, slot, .. } => (into, slot),
            other => unreachable!("no receive: {other:?}"),
        };
        let (value, from_port) = datagram;
        self.state.processes[process].registers[into] = value;
        let replies = |code: &Code| match code {
            Code::Do(Instruction::Reply { .. }) => true,
            Code::Do(Instruction::Everyday(word)) => matches!(word, Everyday::ConnectBack { .. }),
            _ => false,
        };
        if slot != NOWHERE && self.code[process].iter().flatten().any(replies) {
            self.state.processes[process].heard[slot] = Some((sender, from_port));
        }
    }

    fn use_fault(&mut self, is_fault: bool) {
        if let Some(left) = &mut self.state.faults_left {
            *left -= usize::from(is_fault);
        }
    }

    /// Drops the listeners and streams that nobody has any more.
    fn close(&mut self) {
        let mut listeners = BTreeSet::new();
        let mut ends = BTreeSet::new();
        for (process, state) in self.state.processes.iter().enumerate() {
            if state.phase != Phase::Running {
                continue;
            }
            listeners.extend(state.listeners.iter().filter_map(Slot::value).map(|port| (process, port)));
            ends.extend(state.streams.iter().filter_map(Slot::value));
            for operation in state.tasks.iter().filter_map(TaskState::operation) {
                match operation {
                    Operation::Accept { ports, .. } => listeners.extend(ports.map(|port| (process, port))),
                    Operation::Read { ends: read, .. } => ends.extend(read),
                    Operation::Write { end, .. }
                    | Operation::TryWrite { end, .. }
                    | Operation::TryRead { end, .. }
                    | Operation::Shutdown { end } => {
                        ends.insert(end);
                    }
                    Operation::Connect { called: Some(connection), hangs: false, .. } => {
                        ends.insert((connection, 0));
                    }
                    Operation::Listen { .. } | Operation::Connect { .. } => {}
                }
            }
        }
        self.state.connections.retain(&listeners, &ends);
        self.close_sockets();
    }

    pub(super) fn wait(&self, process: usize, task: usize) -> Wait {
        match self.state.processes[process].tasks[task].activity {
            Activity::Waiting(wait) => wait,
            other => unreachable!("the task is {other:?}"),
        }
    }
}
