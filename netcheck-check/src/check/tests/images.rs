//! One history has one image, wherever a run lies and whatever the engine has done before.
//!
//! The program here is compiled as those of users are, without optimization: it leaves more bytes behind than an optimized
//! one.

use netcheck_memory::{Arena, engine_region};
use netcheck_models::host::Addresses;
use netcheck_runtime::id::{NodeId, OutcomeId, SocketId, UnitId};
use netcheck_runtime::operation::{Input, Offer, Operation, OperationKey, Outcome, ReceiveMode, storage, udp};
use netcheck_runtime::unit::identity::memory::ImageId;
use netcheck_runtime::unit::instance::{Instance, Rest};
use netcheck_runtime::unit::names::Host;
use netcheck_runtime::unit::payload::Payloads;
use netcheck_runtime::unit::poll::operations::Pending;
use netcheck_runtime::unit::program::Program;
use netcheck_runtime::unit::shared::{Dating, Modes, Shared, Statics, Untyped};
use netcheck_runtime::unit::watchdog::Watch;
use std::any::Any;
use std::hint::black_box;
use std::panic::Location;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

const SOCKET: SocketId = SocketId { unit: UnitId(0), index: 0 };

/// The senders of the datagrams that are received.
const SENDERS: [&str; 2] = ["10.0.0.2:4000", "[::1]:5000"];

fn shared() -> Rc<Shared> {
    let addresses = Addresses { v4: "10.0.0.1".parse().expect("one"), v6: "::1".parse().expect("one") };
    let modes = Modes {
        traces: false,
        explains: false,
        tracks: false,
        queues: false,
        captures: false,
        remembers: true,
        unread: None,
        untyped_max: Untyped { nodes: usize::MAX, states: usize::MAX },
        file_failures: storage::Failures::default(),
        dating: Dating::Latest,
        relative_dates: false,
        reach_ns: 1,
        shows_outputs: false,
        executions_max: 0,
        seed: 0,
        copies_bytes_max: 0,
        written_bytes_max: 65_536,
        statics: Statics::Shared,
    };
    let host = Host { name: "one".to_owned(), addresses, args: Arc::default(), files: Arc::default() };
    Rc::new(Shared::new(vec![host], Payloads::default(), modes, Arc::<Watch>::default()))
}

/// Keeps some of what it receives, and answers: what lies between is left of the calls.
async fn keep() {
    let here = Location::caller();
    let (mut bytes, mut last, mut buffer) = (Vec::new(), None, [0; 4]);
    loop {
        let receive = udp::Operation::Receive { socket: SOCKET, port: 4000, mode: ReceiveMode::Take };
        let Outcome::Datagram { from, payload } = Pending::new(Operation::Udp(receive), here).await else {
            unreachable!("a receive ends with a datagram")
        };
        let own = SENDERS[0].parse().expect("an address");
        let send =
            udp::Operation::Send { socket: SOCKET, from: own, to: from, payload: Arc::from(&payload[..]), reach: None };
        assert_eq!(Pending::new(Operation::Udp(send), here).await, Outcome::Done);
        buffer[..payload.len()].copy_from_slice(&payload);
        bytes.push(Some((payload.len() as u8, buffer[0])));
        last = (bytes.len() % 2 == 0).then_some(Box::new((from, payload.first().copied()))).or(last);
        bytes.truncate(3);
        assert!(last.as_ref().is_none_or(|last| SENDERS.contains(&&*last.0.to_string())));
    }
}

/// The images after each step of a history.
fn images(shared: &Rc<Shared>) -> Vec<ImageId> {
    let root = || async {
        keep().await;
        (String::new(), Rc::new(()) as Rc<dyn Any>)
    };
    let program = Program::new(Box::new(move || Box::pin(root())), Location::caller());
    let mut instance = Instance::new(SOCKET.unit, NodeId(9), shared);
    let (mut key, mut outcome) = (OperationKey::START, Outcome::Done);
    (0..16_u32)
        .map(|step| {
            let input = Input { key, outcome: OutcomeId(step) };
            let stepped = instance.step(&program, NodeId(10 + step), &[input], &outcome, [], None);
            let Rest::Waits(offers) = stepped.rest else { panic!("it waits for ever") };
            let [Offer { key: next, .. }] = offers[..] else { panic!("for one operation") };
            // It lies elsewhere in each run.
            let payload: Arc<[u8]> = vec![step as u8; 1 + step as usize % 3].into();
            let from = SENDERS[step as usize / 2 % 2].parse().expect("an address");
            (key, outcome) = (next, if step % 2 == 0 { Outcome::Datagram { from, payload } } else { Outcome::Done });
            stepped.image.expect("there is an arena")
        })
        .collect()
}

/// Calls a function further down the stack, with other numbers in the frames above and below it.
#[inline(never)]
fn below<R>(frames: usize, function: &mut dyn FnMut() -> R) -> R {
    let numbers = black_box([frames as u64 * 0x0101_0101_0101; 40]);
    let result = if frames == 0 { function() } else { below(frames - 1, function) };
    black_box(numbers);
    result
}

#[test]
fn one_history_has_one_image() {
    // Where memory does not tell local states apart, there are no images.
    if Arena::new().is_none() {
        return;
    }
    let alone = images(&shared());
    let shared_by_runs = shared();
    let mut held = Vec::new();
    for round in 0..20 {
        // The next run lies in another arena, and the engine's memory is cut up in another way.
        held.extend(Arena::new());
        engine_region(|| std::mem::forget(black_box(vec![round as u8; 7 + 13 * round])));
        assert_eq!(below(round, &mut || images(&shared_by_runs)), alone, "round {round}");
    }
    // An image may hold addresses of variables of the thread, so that it is another one on another thread.
    let on_another_thread = || {
        let alone = images(&shared());
        let other = Arena::new();
        assert_eq!(below(3, &mut || images(&shared())), alone, "on another thread");
        drop(other);
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(on_another_thread);
        }
    });
}
