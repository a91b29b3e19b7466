//! Loops that send to a port where nobody receives. To the naive explorer no socket is bound there, so that what they send is
//! lost at once. With a socket that nobody reads nothing else may happen. (Without it, the process binds one at another port,
//! since it may crash before and after that.)

use super::super::Random;
use super::{TRIES, endless_system, is_finite};
use crate::language::program::{Instruction, Network, System, Value, change};
use crate::naive::Limits;

/// The port where nobody receives.
const PORT: u16 = 4020;

/// A port to which nothing is sent.
const OTHER_PORT: u16 = 4021;

/// The first port from which is sent there; each task has one of its own.
const SENDING_PORT: u16 = 4030;

/// A random system with loops, some of which send to a port of the process `holder`.
pub fn system_that_sends_to_nobody(
    seed: u64,
    (limits, holder): (Limits, fn(u64, &System) -> usize),
    declare: fn(u64, &mut Network),
) -> System {
    let mut random = Random::new(seed ^ 0x0dea_f000);
    let mut last = None;
    for _ in 0..TRIES {
        let system = endless_system(random.number(), limits, declare);
        for percent in [80, 40, 10] {
            let mut sending = system.clone();
            let to = holder(seed, &system);
            let sends = send(&mut random, &mut sending, (to, percent));
            let process = &mut sending.processes[to];
            process.tasks[0].insert(0, Instruction::Bind { socket: process.sockets, port: OTHER_PORT });
            process.sockets += 1;
            if sends && is_finite(&sending, limits) {
                return sending;
            }
        }
        last = Some(system);
    }
    last.expect("one was tried")
}

/// The same system where the process binds its socket at that port.
pub fn with_a_socket(system: &System, holder: usize) -> System {
    let mut system = system.clone();
    if let Some(Instruction::Bind { port, .. }) = system.processes[holder].tasks[0].first_mut()
        && *port == OTHER_PORT
    {
        *port = PORT;
    }
    system
}

/// Whether something is sent to that port.
pub fn sends(system: &System) -> bool {
    system.to_string().contains(&format!(":{PORT}"))
}

/// Adds sends to so many percent of all loops that never end; says whether there are any.
fn send(random: &mut Random, system: &mut System, (to, percent): (usize, u64)) -> bool {
    let mut is_any = false;
    for process in &mut system.processes {
        for (index, task) in process.tasks.iter_mut().enumerate() {
            let (mut is_here, socket) = (false, process.sockets);
            change(task, &mut |instruction| {
                if let Instruction::Forever { body } = instruction
                    && random.percent(percent)
                {
                    is_here = true;
                    let value = Value::Constant(1 + random.below(2) as u8);
                    let at = random.below(body.len() as u64 + 1) as usize;
                    body.insert(at, Instruction::Send { socket, to, port: PORT, value });
                }
            });
            if is_here {
                task.insert(0, Instruction::Bind { socket, port: SENDING_PORT + index as u16 });
                process.sockets += 1;
            }
            is_any |= is_here;
        }
    }
    is_any
}
