//! Random programs on Unix domain sockets: isolated tasks of one process that make calls which do not wait. With the
//! reduction and without, a check ends with the same verdict and the same outputs.

use netcheck as tokio;
use netcheck::check::{Checker, Tcp, Verdict};
use random::Random;
use std::io;
use tokio::io::AsyncWriteExt;
use tokio::net::{UnixDatagram, UnixListener, UnixStream};

/// Names of listeners and of sockets for datagrams.
const PATHS: [&str; 2] = ["/run/one", "/run/two"];
const NAMES: [&str; 2] = ["/run/three", "/run/four"];

/// The sockets of one task.
#[derive(Default, Hash)]
struct Sockets {
    listener: Option<UnixListener>,
    stream: Option<UnixStream>,
    datagram: Option<UnixDatagram>,
}

fn told<T>(result: io::Result<T>) -> String {
    result.map_or_else(|error| format!("{:?}", error.kind()), |_| "ok".to_owned())
}

/// A call, told by a number, and its outcome.
async fn call(sockets: &mut Sockets, number: u8) -> String {
    let which = usize::from(number % 2);
    let Sockets { listener, stream, datagram } = sockets;
    match (number / 2, stream, datagram) {
        (0, ..) => {
            *listener = None;
            let bound = UnixListener::bind(PATHS[which]);
            let text = told(bound.as_ref().map_err(|error| error.kind().into()));
            *listener = bound.ok();
            text
        }
        (1 | 2, stream, _) => {
            *stream = None;
            match UnixStream::connect(PATHS[which]).await {
                Ok(connected) => {
                    *stream = Some(connected);
                    "ok".to_owned()
                }
                Err(error) => format!("{:?}", error.kind()),
            }
        }
        (3, stream, _) => {
            let Some(listener) = listener else { return String::new() };
            tokio::select! {
                biased;
                accepted = listener.accept() => {
                    *stream = Some(accepted.unwrap().0);
                    "accepted".to_owned()
                }
                () = async {} => "nobody".to_owned(),
            }
        }
        (4, Some(stream), _) => told(stream.try_write(b"x")),
        (5, Some(stream), _) => {
            let read = stream.try_read(&mut [0; 4]);
            read.map_or_else(|error| format!("{:?}", error.kind()), |length| length.to_string())
        }
        (6, Some(stream), _) if which == 0 => told(stream.shutdown().await),
        (6, stream, datagram) => {
            (*stream, *datagram) = (None, None);
            "dropped".to_owned()
        }
        (7, _, datagram) => {
            *datagram = None;
            let bound = UnixDatagram::bind(NAMES[which]);
            let text = told(bound.as_ref().map_err(|error| error.kind().into()));
            *datagram = bound.ok();
            text
        }
        (8, _, Some(datagram)) => told(datagram.try_send_to(b"d", NAMES[which])),
        (9, _, Some(datagram)) if which == 0 => told(datagram.try_recv(&mut [0; 4])),
        (9, _, Some(datagram)) => told(datagram.connect(NAMES[0])),
        (10, _, Some(datagram)) => told(datagram.try_send(b"d")),
        _ => String::new(),
    }
}

#[netcheck::process]
async fn task(calls: Vec<u8>) -> String {
    let mut sockets = Sockets::default();
    let mut seen = Vec::new();
    for number in calls {
        seen.push(call(&mut sockets, number).await);
    }
    seen.join(" ")
}

async fn all(tasks: Vec<Vec<u8>>) -> Vec<String> {
    let tasks: Vec<_> = tasks.into_iter().map(|calls| tokio::spawn(task(calls))).collect();
    let mut outputs = Vec::new();
    for task in tasks {
        outputs.push(task.await.unwrap());
    }
    outputs
}

#[test]
fn random_programs_end_alike_with_the_reduction_and_without() {
    let (mut states, mut outputs) = ([0, 0], 0);
    for seed in 0..120 {
        let mut numbers = Random::new(seed);
        let (count, length) = if seed % 3 == 0 { (3, 3) } else { (2, 6) };
        // Each task binds something first.
        let first = |task: u8, numbers: &mut Random| [0, 14][numbers.index(2)] + task % 2;
        let tasks: Vec<Vec<u8>> = (0..count)
            .map(|task| {
                let first = first(task, &mut numbers);
                [first].into_iter().chain((0..length).map(|_| 2 + numbers.below(20) as u8)).collect()
            })
            .collect();
        let [reduced, full] = [true, false].map(|reduction| {
            // The faults of the network make no difference.
            let tcp = if seed % 2 == 0 { Tcp::new() } else { Tcp::new().reset().split() };
            Checker::new().tcp(tcp).reduction(reduction).check(|net| {
                let tasks = tasks.clone();
                net.process("it", move || all(tasks.clone()));
            })
        });
        for report in [&reduced, &full] {
            assert_eq!(report.verdict(), Verdict::Verified, "{seed}: {tasks:?} {report}");
        }
        assert_eq!(reduced.outputs("it"), full.outputs("it"), "{seed}: {tasks:?}");
        outputs += full.outputs("it").len();
        states = [states[0] + reduced.states(), states[1] + full.states()];
    }
    assert!(outputs > 600, "the calls of the tasks depend on each other: {outputs} outputs");
    assert!(states[0] < states[1], "the reduction leaves something out: {states:?}");
}
