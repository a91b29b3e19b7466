//! Why local states differ: the place in memory is named, with the line that made it.

use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Checker, Differences, Report, Verdict};
use std::cell::Cell;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

/// Counts in a box what nothing depends on, in a loop that closes after 40 rounds.
async fn counts_in_a_box() {
    let mut count = Box::new(0_u64);
    loop {
        sleep(Duration::from_secs(1)).await;
        *count = (*count + 1) % 40;
    }
}

const LINE_OF_THE_BOX: u32 = line!() - 7;

/// Leaves bytes behind the length of a buffer.
async fn leaves_bytes() {
    let mut buffer: Vec<u8> = Vec::with_capacity(64);
    loop {
        for text in ["one", "another", "a third"] {
            buffer.clear();
            buffer.extend_from_slice(text.as_bytes());
            buffer.clear();
            sleep(Duration::from_secs(1)).await;
        }
    }
}

thread_local! {
    static COUNT: Cell<u32> = const { Cell::new(0) };
}

async fn counts_in_a_thread_local() {
    loop {
        sleep(Duration::from_secs(1)).await;
        COUNT.set((COUNT.get() + 1) % 12);
    }
}

fn asked(program: impl Fn(&mut Network)) -> Report {
    Checker::new().why(true).check(|net| program(net))
}

fn differences(report: &Report) -> &Differences {
    report.profile().differences().unwrap_or_else(|| panic!("memory tells local states apart: {report}"))
}

#[test]
fn a_counter_is_named_with_its_line() {
    let report = asked(|net| _ = net.daemon("counter", counts_in_a_box));
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let differences = differences(&report);
    assert_eq!((differences.unit(), differences.waits()), ("counter", 1), "{report}");
    assert_eq!(differences.looked_at(), differences.local_states());
    let first = &differences.causes()[0];
    let place = &first.places()[0];
    assert!(place.contains(&format!("allocated at {}:{LINE_OF_THE_BOX}", file!())), "{place}");
    assert!(place.starts_with("bytes 0..8 of 16 "), "{place}");
    assert!(place.ends_with("a number that counts from 0 to 39"), "{place}");
    assert_eq!(first.told_apart(), 40, "{report}");
    assert!(first.left() < 5, "{report}");
    let text = report.to_string();
    assert!(text.contains("why local states differ: \"counter\" has "), "{text}");
}

#[test]
fn bytes_behind_a_length_are_told() {
    let report = asked(|net| _ = net.daemon("buffer", leaves_bytes));
    let places = differences(&report).causes().iter().flat_map(|cause| cause.places());
    assert!(places.clone().any(|place| place.contains("what is left behind the length of a buffer")), "{report}");
}

#[test]
fn a_variable_is_named() {
    let report = asked(|net| _ = net.daemon("counter", counts_in_a_thread_local));
    let place = &differences(&report).causes()[0].places()[0];
    assert!(place.contains("differences::COUNT`: a number that counts from 0 to 11"), "{report}");
}

/// The connections of a server, in which reads and timers begin in any order.
#[test]
fn the_order_in_which_operations_began_is_no_local_state() {
    async fn serve(mut stream: TcpStream) {
        let mut byte = Box::new([0]);
        while stream.read(&mut *byte).await.is_ok_and(|read| read > 0) {
            sleep(Duration::from_secs(1)).await;
        }
    }
    async fn server() {
        let listener = TcpListener::bind("0.0.0.0:1").await.unwrap();
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(serve(stream));
        }
    }
    async fn client() {
        let mut stream = TcpStream::connect("server:1").await.unwrap();
        loop {
            stream.write_all(b"x").await.unwrap();
            sleep(Duration::from_secs(2)).await;
        }
    }
    let report = asked(|net| {
        net.daemon("server", server);
        net.daemon("one", client).after("server");
        net.daemon("two", client).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let differences = differences(&report);
    // With keys by the order in which operations begin, it waits for 37 sets of them, in 78 local states.
    assert_eq!((differences.unit(), differences.waits()), ("server", 25), "{report}");
    assert!(differences.looked_at() < 60, "{report}");
}

/// A loop that nothing closes: the report says so without being asked.
#[test]
fn a_check_that_is_too_big_says_why() {
    let report = Checker::new().max_states(500).check(|net| {
        net.daemon("counter", || async {
            let mut count = 0_u64;
            loop {
                sleep(Duration::from_secs(1)).await;
                count += 1;
                std::hint::black_box(count);
            }
        });
    });
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let text = report.to_string();
    let line = text.lines().find(|line| line.contains("a number that counts from ")).expect("the counter is named");
    assert!(line.contains(&format!("behind the future that {}", file!())), "{text}");
}

/// A buffer of the crate `bytes` goes on behind what was taken from it: a check of the whole program has another one.
#[test]
fn buffers_of_bytes_that_walk_on_are_named_with_what_helps() {
    async fn takes_from_a_buffer() {
        let mut buffer = bytes::BytesMut::with_capacity(8_192);
        loop {
            sleep(Duration::from_secs(1)).await;
            buffer.extend_from_slice(b"a line");
            drop(buffer.split_to(6));
        }
    }
    let report = Checker::new().max_states(500).check(|net| {
        net.daemon("lines", takes_from_a_buffer);
    });
    assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
    let first = report.profile().advice().first().expect("there is advice");
    assert!(first.contains("crate `bytes`") && first.contains("`cargo netcheck test`"), "{report}");
}

/// Comparing local states changes no figure.
#[test]
fn the_question_changes_no_figure() {
    let network = |net: &mut Network| {
        net.daemon("counter", counts_in_a_box);
        net.daemon("buffer", leaves_bytes);
    };
    let [asked, unasked] = [true, false].map(|why| Checker::new().why(why).check(network));
    let figures = |report: &Report| (report.verdict(), report.states(), report.transitions(), report.local_states());
    assert_eq!(figures(&asked), figures(&unasked));
    assert!(asked.profile().differences().is_some() && unasked.profile().differences().is_none());
}

/// Nothing is said where memory does not tell local states apart, or there are no two.
#[test]
fn where_there_is_nothing_to_say_nothing_is_said() {
    let by_history = Checker::new().identity(netcheck::check::Identity::History).why(true);
    let report = by_history.check(|net| _ = net.process("it", || async { sleep(Duration::from_secs(1)).await }));
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert!(report.profile().differences().is_none(), "{report}");
    let report = asked(|net| _ = net.process("it", || async { sleep(Duration::from_secs(1)).await }));
    assert!(report.profile().differences().is_none(), "{report}");
}
