//! Systems whose client connects again, while an earlier connection of the same socket may live, and gives connects up.

use super::{PORTS, Random, Words, exchange};
use crate::language::program::{Instruction, Process, System, Value};

/// The first connection is mostly dropped before the second connect begins, which a task of its own waits for. The root
/// aborts it, or ends, at any time: often when the server has said by a datagram that it has accepted.
pub fn system_that_connects_again(seed: u64) -> System {
    let mut random = Random::new(seed ^ 0x4ed1a1);
    let words = if random.percent(25) { Words::Streams } else { Words::Mixed };
    let mut network = exchange::network(&mut random, words);
    // Lost bytes are the subject of other families.
    if random.percent(70) {
        network.copies = vec![1];
    }
    let client = random.below(2) as usize;
    let mut processes = [Process::default(), Process::default()];
    processes[client] = connecting(&mut random, 1 - client);
    processes[1 - client] = serving(&mut random, client);
    System { processes: processes.into(), network }
}

fn connecting(random: &mut Random, server: usize) -> Process {
    let connect = |stream| Instruction::Connect { stream, to: server, port: PORTS[0], limit_ms: None, into: stream };
    let mut root = vec![Instruction::Bind { socket: 0, port: PORTS[0] }, connect(0)];
    if random.percent(80) {
        root.push(Instruction::DropStream { stream: 0 });
    }
    let mut again = vec![connect(1)];
    for _ in 0..random.below(2) {
        again.push(said(random, 1, 1));
    }
    root.push(Instruction::Spawn { task: 1 });
    root.push(match random.below(4) {
        0 => Instruction::Yield,
        1 => said(random, 0, 0),
        _ => Instruction::Recv { socket: 0, into: 0 },
    });
    if random.percent(70) {
        root.push(Instruction::Abort { task: 1 });
        match random.below(3) {
            0 => root.push(connect(1)),
            1 => root.push(Instruction::Recv { socket: 0, into: 0 }),
            _ => {}
        }
    }
    Process {
        daemon: random.percent(80),
        registers: 2,
        sockets: 1,
        streams: 2,
        tasks: vec![root, again],
        ..Process::default()
    }
}

fn serving(random: &mut Random, client: usize) -> Process {
    let backlog = *random.weighted(&[(6, None), (1, Some(1))]);
    let mut root = vec![Instruction::Listen { listener: 0, port: PORTS[0], backlog, into: 0 }];
    root.push(Instruction::Bind { socket: 0, port: PORTS[0] });
    for stream in [0, 1] {
        root.push(Instruction::Accept { listener: 0, stream, limit_ms: None, into: stream });
    }
    for _ in 0..random.within(1, 3) {
        let stream = usize::from(random.percent(80));
        let said = said(random, stream, stream);
        root.push(said);
    }
    let tells = Instruction::Send { socket: 0, to: client, port: PORTS[0], value: Value::Constant(1) };
    for _ in 0..*random.weighted(&[(1, 0), (4, 1), (1, 2)]) {
        let at = random.within(3, root.len());
        root.insert(at, tells.clone());
    }
    Process {
        daemon: random.percent(80),
        registers: 2,
        sockets: 1,
        listeners: 1,
        streams: 2,
        tasks: vec![root],
        ..Process::default()
    }
}

/// A call on a stream.
fn said(random: &mut Random, stream: usize, into: usize) -> Instruction {
    let value = Value::Constant(1 + random.below(3) as u8);
    match random.below(8) {
        0..3 => Instruction::Write { stream, value, length: 1, limit_ms: None, into },
        3..5 => Instruction::Read { stream, bytes_max: 2, limit_ms: None, into },
        5 => Instruction::TryRead { stream, bytes_max: 2, into },
        6 => Instruction::TryWrite { stream, value, length: 1, into },
        _ => Instruction::DropStream { stream },
    }
}
