//! Moves that may come next in the naive explorer.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;

use super::connections::{Alternative, Connections, Due, End, Transfer};
use super::datagrams::Channel;
use super::files::Files;
use super::helpless::{self, UNKNOWN, Units};
use super::operation::{Left, Move, Operation, Timer, Wait};
use super::state::{Activity, Endpoint, Interval, Phase, Socket, TaskState, World, side_of};
use crate::language::everyday::LATER_MS;
use crate::language::program::{self, Delays, Event, Failure, Side};

/// The parts of one unit of time, beside monitors.
const FRACTIONS: u32 = 5;

impl World<'_> {
    /// Everything that may happen next.
    pub(super) fn moves(&self) -> Vec<Move> {
        if let (false, Some(delays)) = (self.state.connections.is_decided(), self.delays()) {
            let windows = delays.windows(|ticks| self.state.now_ms + ticks * program::TICK_MS);
            return windows.into_iter().map(|due| Move::Decide { due }).collect();
        }
        let mut others = Vec::new();
        let mut deliveries = Vec::new();
        let mut timers = Vec::new();
        let mut failures = Vec::new();
        let mut late = Vec::new();
        for (process, state) in self.state.processes.iter().enumerate() {
            if state.phase == Phase::Unstarted {
                others.push(Move::Start { process });
            }
            late.extend(self.restarts(process));
            self.add_file_calls(process, &mut others, &mut failures);
            failures.extend(self.crashes(process));
            let is_isolated = |task: usize| self.system.processes[process].isolated.contains(&task);
            let mut shared = (0..state.tasks.len()).filter(|&task| !is_isolated(task));
            let is_calling = |task: usize| state.is_calling(task, self.state.now_ms);
            let shared_calling = shared.find(|&task| is_calling(task));
            let (objects, interval) = (&state.objects, state.interval);
            for (task, state) in state.tasks.iter().enumerate() {
                let fire =
                    |deadline_ms| Move::Fire { process, task, deadline_ms: i64::from(deadline_ms), timer: Timer::Own };
                // An isolated task is a unit of its own: its calls keep nobody else from anything.
                let calling = match is_isolated(task) {
                    true => is_calling(task).then_some(task),
                    false => shared_calling,
                };
                if calling.is_some_and(|calling| calling != task) {
                    continue;
                }
                // nothing else of the task comes before what is there
                let is_limited = !self.is_there(process, task);
                let wait = match state.activity {
                    Activity::Unspawned | Activity::Ended => continue,
                    Activity::Waiting(wait) if !state.cancelled || calling.is_some() => wait,
                    Activity::Waiting(_) | Activity::Runnable => {
                        others.push(Move::Run { process, task });
                        continue;
                    }
                };
                match wait {
                    Wait::Bind { .. } => others.push(Move::Bind { process, task }),
                    Wait::ConnectDatagrams { .. } => others.push(Move::Connect { process, task }),
                    Wait::Send { socket, to, .. } => match self.may_come((process, socket.port), to) {
                        true => others.extend(self.copies().into_iter().flat_map(|copies| {
                            let step = move |listed| Move::Send { process, task, copies: Some(copies), listed };
                            self.listed(process, copies).into_iter().map(step)
                        })),
                        false => others.push(Move::Send { process, task, copies: None, listed: Vec::new() }),
                    },
                    Wait::Choose { among, .. } => {
                        others.extend((0..among).map(|choice| Move::Choose { process, task, choice }));
                    }
                    Wait::Clock { .. } => others.push(Move::ReadClock { process, task }),
                    Wait::Recv { sockets, deadline_ms, outer_ms, .. } => {
                        deliveries.extend(self.deliveries((process, task), &sockets));
                        others.extend(self.takes((process, task), &sockets));
                        timers.extend(deadline_ms.filter(|_| is_limited).map(fire));
                        // what is inside is polled first
                        let is_first = |outer_ms: &u32| deadline_ms.is_none_or(|inner_ms| *outer_ms < inner_ms);
                        timers.extend(outer_ms.filter(|_| is_limited).filter(is_first).map(|deadline_ms| Move::Fire {
                            process,
                            task,
                            deadline_ms: i64::from(deadline_ms),
                            timer: Timer::Outer,
                        }));
                    }
                    Wait::TryReceive { socket, .. } => {
                        others.extend(self.deliveries((process, task), &[socket]));
                        others.extend(self.takes((process, task), &[socket]));
                        let is_known = self.has_arrived(process, &[socket]);
                        others.extend((!is_known).then_some(Move::FindNothing { process, task }));
                    }
                    Wait::Object { .. } if objects.is_ready(task) => others.push(Move::Run { process, task }),
                    Wait::Object { deadline_ms, .. } => timers.extend(deadline_ms.map(fire)),
                    Wait::Tick { deadline_ms, .. } => {
                        let deadline = interval.expect("it ticks").next_ms;
                        timers.push(Move::Fire { process, task, deadline_ms: deadline, timer: Timer::Tick });
                        // what is inside is polled first
                        let is_first = |limit_ms: &u32| i64::from(*limit_ms) < deadline;
                        timers.extend(deadline_ms.filter(is_first).map(fire));
                    }
                    Wait::Sleep { deadline_ms, .. } => timers.push(fire(deadline_ms)),
                    Wait::Join { deadline, .. } => timers.extend(deadline.map(|(deadline_ms, _)| fire(deadline_ms))),
                    Wait::Lock | Wait::File { .. } | Wait::FileCall => {}
                    Wait::Called { .. } => others.push(Move::Run { process, task }),
                    Wait::Tcp { operation, deadline_ms, may_fail, .. } => {
                        let is_made = matches!(operation, Operation::Connect { called: None, .. });
                        let step = |is_failure| {
                            move |alternative: Alternative| match alternative.event {
                                Event::Connected | Event::Failed(ErrorKind::ConnectionRefused) if is_made => {
                                    Move::Establish { process, task, alternative }
                                }
                                _ => Move::Tcp { process, task, alternative, is_failure },
                            }
                        };
                        let takes_time = self.system.takes_time();
                        let answers =
                            if operation.is_answered() && !takes_time { &mut deliveries } else { &mut others };
                        answers.extend(self.alternatives(process, operation).into_iter().map(step(false)));
                        if may_fail && self.state.faults_left != Some(0) {
                            failures.extend(self.failures(process, operation).into_iter().map(step(true)));
                            failures.extend(self.may_hang(operation).then_some(Move::Hang { process, task }));
                        }
                        timers.extend(deadline_ms.filter(|_| is_limited).map(fire));
                    }
                }
            }
        }
        for (&link, channel) in self.state.datagrams.under_way() {
            let packets = (0..channel.packets.len()).filter(|&packet| self.may_deliver(channel, packet));
            deliveries.extend(packets.map(|packet| Move::Arrive { link, packet }));
        }
        let connections = &self.state.connections;
        others.extend(
            connections.welcome(|host| self.is_silent(host)).into_iter().map(|connection| Move::Knock { connection }),
        );
        if self.system.takes_time() {
            let due = connections.first_in_line().filter(|(_, (earliest_ms, _))| *earliest_ms <= self.state.now_ms);
            deliveries.extend(due.map(|(from, _)| Move::ComeOut { from }));
        }
        failures.extend(self.cuts());
        late.extend(self.heals());
        let deadline = |timer: &Move| match timer {
            Move::Fire { deadline_ms, .. } => *deadline_ms,
            _ => unreachable!("only timers"),
        };
        let (expired, mut running): (Vec<Move>, Vec<Move>) =
            timers.into_iter().partition(|timer| deadline(timer) <= i64::from(self.state.now_ms));
        others.extend(expired);
        let mut beyond = self.cut_off_at_horizon(&mut running) | self.given_up_at_horizon();
        let network = &self.system.network;
        let streams_take_time = self.system.takes_time();
        let is_held_up = deliveries.iter().any(|delivery| match delivery {
            Move::Tcp { .. } | Move::Establish { .. } => true,
            Move::ComeOut { .. } => false,
            _ => !network.delay,
        });
        let time_may_pass = others.is_empty() && !is_held_up;
        if time_may_pass {
            if network.delay || streams_take_time {
                others.extend(
                    self.tick(!running.is_empty(), !deliveries.is_empty() || !failures.is_empty() || !late.is_empty()),
                );
                running.clear();
                beyond |= self.cut_off_under_way();
            }
            let earliest = running.iter().map(deadline).min();
            let given_up_ms = self.gives_up_next_ms().filter(|ms| earliest.is_none_or(|earliest| *ms <= earliest));
            if given_up_ms.is_some() {
                running.clear();
                others.extend(given_up_ms.map(|until_ms| Move::Pass { until_ms, must: true }));
            }
            running.retain(|timer| Some(deadline(timer)) == earliest);
            let until_ms =
                earliest.filter(|_| given_up_ms.is_none()).filter(|_| !failures.is_empty() || !late.is_empty());
            others.extend(until_ms.map(|until_ms| Move::Pass { until_ms, must: true }));
            others.extend(running);
        } else {
            let alone = self.pass_alone(&others, &deliveries, &running);
            others.extend(alone);
        }
        others.extend(deliveries);
        others.extend(failures);
        others.extend(late);
        others.extend((beyond != 0).then_some(Move::Beyond { units: beyond }));
        others
    }

    /// The crashes of a process that is not in the middle of something.
    fn crashes(&self, process: usize) -> Vec<Move> {
        let Some(declared) = &self.system.network.crash else { return Vec::new() };
        let state = &self.state.processes[process];
        let may_crash = state.phase == Phase::Running
            && (declared.processes.is_empty() || declared.processes.contains(&process))
            && state.crashes < declared.times
            && self.state.faults_left != Some(0)
            && state.calling(self.state.now_ms).is_none();
        let returns = [true, false].into_iter().filter(|returns| may_crash && (*returns || declared.stays_down));
        let lefts = if declared.power { self.left_by_power_failure(process) } else { vec![None] };
        let crashes = |returns| lefts.iter().cloned().map(move |left| Move::Crash { process, returns, left });
        returns.flat_map(crashes).collect()
    }

    /// The calls on files that are begun: one in the middle of what a task does comes before all others.
    fn add_file_calls(&self, process: usize, others: &mut Vec<Move>, failures: &mut Vec<Move>) {
        let state = &self.state.processes[process];
        let begun = state.files.begun();
        let is_calling = |task: &TaskState| task.activity == Activity::Waiting(Wait::FileCall);
        let indices = match state.calling(self.state.now_ms).is_some() {
            true if state.tasks.iter().any(is_calling) => begun - 1..begun,
            true => return,
            false => 0..begun,
        };
        for index in indices {
            others.push(Move::Call { process, index, fails: false });
            let may_fail = state.files.may_fail(index, self.system.network.failing_files);
            let fails = may_fail && self.state.faults_left != Some(0);
            failures.extend(fails.then_some(Move::Call { process, index, fails: true }));
        }
    }

    /// The starts of a process that has crashed, with each image of its files.
    fn restarts(&self, process: usize) -> Vec<Move> {
        let state = &self.state.processes[process];
        let Some(declared) = self.system.network.crash.as_ref().filter(|_| state.phase == Phase::Crashed) else {
            return Vec::new();
        };
        if state.back.is_some_and(|(earliest_ms, _)| earliest_ms > self.state.now_ms) {
            return Vec::new();
        }
        let disk = &state.files.disk;
        let images = if declared.power { disk.images(declared.left) } else { BTreeSet::from([disk.seen()]) };
        let files = |image| Box::new(Files::left(disk.left_with(image)));
        images.into_iter().map(|image| Move::Restart { process, files: files(image) }).collect()
    }

    /// All that may be left of what is under way from a process.
    fn left_by_power_failure(&self, process: usize) -> Vec<Option<Left>> {
        let mut channels = vec![self.state.channels.clone()];
        for (&link, channel) in &self.state.channels {
            let ((sender, _), (receiver, _)) = link;
            if sender == process && receiver != process {
                let cut = |count| channel.without_last(count);
                let ways: Vec<Channel> = (0..=channel.backlog()).map(cut).collect();
                let with = |channels: &BTreeMap<(Endpoint, Endpoint), Channel>, way: &Channel| {
                    let mut with = channels.clone();
                    with.insert(link, way.clone());
                    with
                };
                channels = channels.iter().flat_map(|all| ways.iter().map(|way| with(all, way))).collect();
            }
        }
        let split = self.system.network.tcp.as_ref().is_some_and(|tcp| tcp.split);
        let connections = self.state.connections.silence(process, split);
        let both = |connections: &Connections| {
            let connections = connections.clone();
            let left = move |channels: &BTreeMap<(Endpoint, Endpoint), Channel>| {
                Some(Box::new((connections.clone(), channels.clone())))
            };
            channels.iter().map(left).collect::<Vec<_>>()
        };
        connections.iter().flat_map(both).collect()
    }

    /// Whether the host of a process has no power.
    pub(super) fn is_silent(&self, process: usize) -> bool {
        let is_down = matches!(self.state.processes[process].phase, Phase::Crashed | Phase::Down);
        is_down && self.system.network.crash.as_ref().is_some_and(|crash| crash.power)
    }

    /// Takes away the timers that are due beyond the horizon of their units; the units that wait for them.
    fn cut_off_at_horizon(&self, running: &mut Vec<Move>) -> Units {
        let horizons_ms = &self.state.horizons_ms;
        let mut beyond = 0;
        running.retain(|timer| {
            let (Move::Fire { deadline_ms, .. }, unit) = (timer, helpless::mover(self.system, timer)) else {
                unreachable!("only timers")
            };
            let horizon_ms = horizons_ms.get(unit.trailing_zeros() as usize);
            let is_within = horizon_ms.is_none_or(|horizon_ms| *deadline_ms <= i64::from(*horizon_ms));
            beyond |= if is_within { 0 } else { unit };
            is_within
        });
        beyond
    }

    /// The processes whose next tick was given up and lies beyond the horizon: it is not known whether it is waited for then.
    fn given_up_at_horizon(&self) -> Units {
        let processes = self.state.processes.iter().zip(&self.state.horizons_ms).enumerate();
        let is_late =
            |interval: Interval, horizon_ms: u32| interval.is_given_up && interval.next_ms > i64::from(horizon_ms);
        let given_up = processes.filter(|(_, (process, horizon_ms))| {
            process.phase == Phase::Running && process.interval.is_some_and(|interval| is_late(interval, **horizon_ms))
        });
        given_up.fold(0, |all, (process, _)| all | 1 << process)
    }

    /// [`UNKNOWN`], if the horizon cuts off packets under way to somebody: a segment, or a datagram that has to come, can't come before it,
    /// or there are only datagrams and none of them can.
    fn cut_off_under_way(&self) -> Units {
        let Some(&horizon_ms) = self.state.horizons_ms.iter().min() else { return 0 };
        let is_late = |&(earliest_ms, _): &Due| earliest_ms > horizon_ms;
        let datagrams: Vec<Due> = self.dues_of_taken().collect();
        let segments = self.state.connections.first_in_line().filter(|_| self.system.takes_time());
        let segments: Vec<Due> = segments.map(|(_, due)| due).collect();
        let has_none_in_time = segments.is_empty() && !datagrams.is_empty() && datagrams.iter().all(is_late);
        let has_to_come = |due: &Due| is_late(due) && due.1.is_some();
        let is_cut_off = has_none_in_time || datagrams.iter().any(has_to_come) || segments.iter().any(is_late);
        if is_cut_off { UNKNOWN } else { 0 }
    }

    /// Whether what a task waits for is there, so that a wait which begins is over at once. A datagram in flight may have
    /// arrived or not, unless time has passed since.
    pub(super) fn is_there(&self, process: usize, task: usize) -> bool {
        let state = &self.state.processes[process];
        let TaskState { activity: Activity::Waiting(wait), cancelled: false, .. } = state.tasks[task] else {
            return false;
        };
        match wait {
            Wait::Recv { sockets, .. } => self.has_arrived(process, &sockets),
            Wait::Tcp { operation, .. } => {
                let connections = &self.state.connections;
                let is_known = match operation {
                    Operation::Read { ends, .. } => ends.into_iter().any(|end| connections.is_known(end)),
                    Operation::Accept { ports, .. } => {
                        ports.into_iter().any(|port| connections.has_known((process, port)))
                    }
                    Operation::Write { end: (_, side), .. } => side == 0,
                    _ => false,
                };
                is_known && !self.alternatives(process, operation).is_empty()
            }
            _ => false,
        }
    }

    /// The deliveries to a receive from these sockets, of the datagrams that are under way to them in quiet time.
    fn deliveries<'a>(
        &'a self,
        (process, task): (usize, usize),
        sockets: &'a [Socket],
    ) -> impl Iterator<Item = Move> + 'a {
        self.channels_to(process, sockets).flat_map(move |(&channel, sent)| {
            let packets = (0..sent.packets.len()).filter(|&packet| self.may_deliver(sent, packet));
            packets.map(move |packet| Move::Deliver { process, task, channel, packet })
        })
    }

    /// With `delay`: the datagrams in the buffers of these sockets that a receive may take.
    fn takes(&self, (process, task): (usize, usize), sockets: &[Socket]) -> impl Iterator<Item = Move> {
        let is_ordered = self.system.network.delays.is_some();
        let buffers = self.state.datagrams.to_be_taken(process, sockets, is_ordered);
        buffers.into_iter().map(move |buffer| Move::Take { process, task, buffer })
    }

    fn channels_to<'a>(
        &'a self,
        process: usize,
        sockets: &'a [Socket],
    ) -> impl Iterator<Item = (&'a (Endpoint, Endpoint), &'a Channel)> {
        self.state.channels.iter().filter(move |((_, (receiver, number)), _)| {
            *receiver == process && sockets.iter().any(|socket| socket.number == *number)
        })
    }

    /// Whether a receive from these sockets is sure to be given something. In quiet time: the driver of the process knows of
    /// a packet, since the process has had nothing to run after it was sent; a packet that has come since may be seen or not,
    /// since tokio tries the socket only if the driver has told of something to be read, and lets it go on being readable
    /// after a receive. With `delay`: something is in a buffer, and what comes later has not arrived.
    fn has_arrived(&self, process: usize, sockets: &[Socket]) -> bool {
        let is_ordered = self.system.network.delays.is_some();
        self.channels_to(process, sockets).any(|(_, channel)| channel.has_seen())
            || !self.state.datagrams.to_be_taken(process, sockets, is_ordered).is_empty()
    }

    /// With `delay` time passes in units: no arrival and no deadline is skipped, and by whole units as much can happen as
    /// by any others, since all times are multiples of them. Not where it makes no difference.
    ///
    /// A monitor also tells apart what is later than some unit and earlier than the next one, so that beside monitors
    /// there are fractions of units, enough of them for that many instants between two units to differ.
    fn tick(&self, is_waited_for: bool, may_go_on: bool) -> Option<Move> {
        let now_ms = self.state.now_ms;
        let is_watched = self.system.network.watched;
        let tick_ms = if is_watched { program::TICK_MS / FRACTIONS } else { program::TICK_MS };
        assert_eq!(now_ms % tick_ms, 0, "all times are whole units");
        if self.state.horizons_ms.iter().any(|&horizon_ms| now_ms + tick_ms > horizon_ms) {
            return None;
        }
        let connections = &self.state.connections;
        let is_timed = self.system.takes_time();
        let mut due: Vec<Due> = self.state.datagrams.dues().collect();
        let back: Vec<Due> = self.state.processes.iter().filter_map(|process| process.back).collect();
        due.extend(&back);
        if is_timed {
            due.extend(connections.first_in_line().map(|(_, due)| due));
        }
        if due.iter().any(|&(_, latest_ms)| latest_ms.is_some_and(|latest_ms| latest_ms <= now_ms)) {
            return None;
        }
        due.extend(connections.in_line());
        let must = is_waited_for
            || back.iter().any(|&(earliest_ms, _)| earliest_ms > now_ms)
            || connections.in_line().next().is_some()
            || due.iter().any(|(_, latest_ms)| latest_ms.is_some());
        let ticks = self.state.processes.iter().filter_map(|process| process.interval);
        let stamps = self.state.processes.iter().flat_map(|process| process.stamps_ms).flatten();
        let is_seen = is_watched && may_go_on
            || due.iter().any(|&(earliest_ms, _)| earliest_ms > now_ms)
            || ticks.into_iter().any(|interval| interval.next_ms > i64::from(now_ms))
            || stamps.into_iter().any(|stamp_ms| i64::from(now_ms) < stamp_ms + LATER_MS);
        (must || is_seen).then(|| Move::Pass { until_ms: i64::from(now_ms + tick_ms), must })
    }

    /// Whether an execution may end here: nothing has to happen any more.
    pub(super) fn may_rest(&self, moves: &[Move]) -> bool {
        moves.iter().all(|next| match next {
            Move::Pass { must, .. } => !must,
            Move::Arrive { link, packet } => {
                self.system.network.delays.is_some() && self.state.datagrams.may_stay_away(link, *packet)
            }
            other => other.is_failure(),
        })
    }

    /// How an operation on a listener or stream can end; none: it waits.
    fn alternatives(&self, process: usize, operation: Operation) -> Vec<Alternative> {
        let connections = &self.state.connections;
        let transfer = self.transfer();
        match operation {
            Operation::Listen { port, backlog, .. } => {
                vec![connections.listen((process, port), backlog.unwrap_or(1024))]
            }
            Operation::Accept { ports: [port, _], listeners: None, .. } => {
                connections.accept((process, port)).into_iter().collect()
            }
            Operation::Accept { ports, listeners: Some(listeners), .. } => {
                let each = ports.into_iter().zip(listeners).collect::<BTreeSet<(u16, usize)>>();
                let accepts = |(port, listener)| {
                    let mut accepted = connections.accept((process, port))?;
                    if let Event::Accepted { from } = accepted.event {
                        accepted.event = Event::AcceptedBy { listener, from };
                    }
                    Some(accepted)
                };
                each.into_iter().filter_map(accepts).collect()
            }
            _ if self.is_given_up(operation) => vec![connections.failing(ErrorKind::TimedOut)],
            Operation::Connect { hangs: true, .. } => Vec::new(),
            Operation::Connect { called: Some(connection), .. } => {
                connections.answered(connection).into_iter().collect()
            }
            Operation::Connect { to, .. } if self.is_silent(to.0) || self.is_unreachable(process, to.0) => Vec::new(),
            Operation::Connect { to, .. } => connections.connect(process, to).into_iter().collect(),
            Operation::Write { end, value, length } => {
                connections.write(end, &program::payload(value, length), transfer)
            }
            Operation::Read { ends, bytes_max } => {
                let ends: BTreeSet<End> = ends.into_iter().collect();
                ends.into_iter().flat_map(|end| connections.read(end, bytes_max, transfer)).collect()
            }
            Operation::TryWrite { end, value, length } => {
                let written = connections.write(end, &program::payload(value, length), transfer);
                if written.is_empty() { vec![connections.failing(ErrorKind::WouldBlock)] } else { written }
            }
            Operation::TryRead { end, bytes_max } => {
                let read = connections.read(end, bytes_max, transfer);
                if read.is_empty() { vec![connections.failing(ErrorKind::WouldBlock)] } else { read }
            }
            Operation::Shutdown { end } => vec![connections.shut_down(end)],
        }
    }

    /// How long segments take.
    pub(super) fn delays(&self) -> Option<&Delays> {
        self.system.network.tcp.as_ref()?.delay.as_ref()
    }

    fn transfer(&self) -> Transfer {
        let tcp = self.system.network.tcp.as_ref();
        let split = tcp.is_some_and(|tcp| tcp.split);
        let cuts = split && matches!(self.delays(), Some(Delays::Interval(..)));
        Transfer::declared(split, cuts, tcp.and_then(|tcp| tcp.buffer))
    }

    /// How an operation can end in a declared failure.
    fn failures(&self, process: usize, operation: Operation) -> Vec<Alternative> {
        let connections = &self.state.connections;
        let open = |side| self.is_declared(Failure::Open, side);
        let at = |failure, end: End| self.is_declared(failure, side_of(end));
        match operation {
            _ if self.is_given_up(operation) => Vec::new(),
            Operation::Listen { .. } | Operation::Connect { hangs: true, .. } => Vec::new(),
            Operation::Connect { called: Some(connection), .. } => {
                open(Side::Client).then(|| connections.call_fails(connection)).flatten().into_iter().collect()
            }
            Operation::Connect { .. } => {
                open(Side::Client).then(|| connections.failing(ErrorKind::TimedOut)).into_iter().collect()
            }
            Operation::Accept { ports, .. } if open(Side::Server) => {
                let ports = BTreeSet::from(ports);
                ports.into_iter().filter_map(|port| self.alone(connections.accept_fails((process, port)))).collect()
            }
            Operation::Accept { .. } => Vec::new(),
            Operation::Shutdown { end } => {
                let close = at(Failure::Close, end).then(|| connections.shutdown_fails(end)).flatten();
                self.alone(close).into_iter().collect()
            }
            Operation::Write { end, .. } | Operation::TryWrite { end, .. } => {
                let write = at(Failure::Write, end).then(|| connections.write_fails(end)).flatten();
                let reset = at(Failure::Reset, end).then(|| connections.resets(end, self.is_split()));
                self.alone(write).into_iter().chain(reset.into_iter().flatten()).collect()
            }
            Operation::Read { ends, .. } => {
                let ends: BTreeSet<End> = ends.into_iter().collect();
                ends.into_iter().flat_map(|end| self.read_failures(end)).collect()
            }
            Operation::TryRead { end, .. } => self.read_failures(end),
        }
    }

    /// Whether a failure of an operation on a connection leaves the connection as it was.
    fn is_transient(&self) -> bool {
        self.system.network.tcp.as_ref().is_some_and(|tcp| tcp.transient)
    }

    /// A failure that leaves the connection as it was, where that is declared.
    fn alone(&self, failure: Option<Alternative>) -> Option<Alternative> {
        let alone = || self.state.connections.failing(ErrorKind::OutOfMemory);
        failure.map(|failure| if self.is_transient() { alone() } else { failure })
    }

    fn read_failures(&self, end: End) -> Vec<Alternative> {
        let connections = &self.state.connections;
        let read = self.is_declared(Failure::Read, side_of(end)).then(|| connections.read_fails(end)).flatten();
        let reset = self.is_declared(Failure::Reset, side_of(end)).then(|| connections.resets(end, self.is_split()));
        self.alone(read).into_iter().chain(reset.into_iter().flatten()).collect()
    }

    fn may_hang(&self, operation: Operation) -> bool {
        let is_unheard = |called: Option<usize>| called.is_none_or(|called| self.state.connections.is_unheard(called));
        matches!(operation, Operation::Connect { hangs: false, called, .. } if is_unheard(called))
            && !self.is_given_up(operation)
            && self.is_declared(Failure::Hang, Side::Client)
    }

    /// Whether a connect has had no answer for too long.
    pub(super) fn is_given_up(&self, operation: Operation) -> bool {
        matches!(operation, Operation::Connect { until_ms: Some(until_ms), .. } if until_ms <= self.state.now_ms)
    }

    /// The next instant at which a host gives up something.
    fn gives_up_next_ms(&self) -> Option<i64> {
        let tasks = self.state.processes.iter().flat_map(|process| &process.tasks);
        let calls = tasks.filter(|task| !task.cancelled).filter_map(TaskState::operation);
        let connects = calls.filter_map(|operation| match operation {
            Operation::Connect { until_ms, .. } if !self.is_given_up(operation) => until_ms,
            _ => None,
        });
        self.state.connections.deadline_ms().into_iter().chain(connects).min().map(i64::from)
    }

    fn is_declared(&self, failure: Failure, side: Side) -> bool {
        let declared = self.system.network.tcp.as_ref();
        declared.is_some_and(|tcp| tcp.failures.contains(&failure) && tcp.side.is_none_or(|only| only == side))
    }
}
