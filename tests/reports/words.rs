//! The words of `#[model_check(…)]` as text: what NETCHECK_FAULTS holds.

use netcheck::Network;
use netcheck::check::{
    Checker, Crash, Dates, Deadlocks, Direction, Files, Identity, Keep, Partition, Search, Side, Simulation, Tasks,
    Tcp, Udp, Verdict,
};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::{TcpListener, TcpStream, UdpSocket};
use netcheck::time::{Duration, timeout};

/// The mistake in a text.
fn refused(text: &str) -> String {
    match text.parse::<Checker>() {
        Ok(_) => panic!("{text} is accepted"),
        Err(error) => error.to_string(),
    }
}

macro_rules! table {
    (accepted { $($words:literal => { $($calls:tt)* })* } refused { $($refused:literal)* }) => {
        /// Each text, with the checker that it means.
        fn accepted() -> Vec<(&'static str, Checker)> {
            vec![$(($words, Checker::new() $($calls)*)),*]
        }

        const REFUSED: &[&str] = &[$($refused),*];
    };
}

include!("../../netcheck-macros/src/model_check/table.in");

#[test]
fn a_text_means_what_the_attribute_means() {
    for (text, expected) in accepted() {
        let checker: Checker = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(format!("{checker:?}"), format!("{expected:?}"), "{text}");
    }
}

#[test]
fn a_counterexample_says_its_faults_in_these_words() {
    const NO_FAULTS: [&str; 15] = [
        "tasks",
        "deadlocks",
        "liveness",
        "search",
        "seed",
        "max",
        "reduction",
        "subsumption",
        "symmetry",
        "store",
        "threads",
        "capture",
        "identity",
        "dates",
        "audit",
    ];
    let is_fault = |text: &str| NO_FAULTS.iter().all(|word| !text.starts_with(word));
    for (text, checker) in accepted().into_iter().filter(|(text, _)| is_fault(text)) {
        let report = checker.check(|net| {
            net.process("a", || async { panic!("at once") });
            net.daemon("b", || async {});
        });
        let faults = report.counterexample().and_then(|found| found.faults()).expect("it panics");
        let again: Checker = faults.parse().unwrap_or_else(|error| panic!("{faults}: {error}"));
        assert_eq!(format!("{again:?}"), format!("{checker:?}"), "{text}");
    }
}

#[test]
fn a_text_is_refused_where_the_attribute_is() {
    for text in REFUSED {
        assert!(refused(text).contains(&format!("\n  {text}\n")), "{}", refused(text));
    }
}

#[test]
fn the_table_has_every_word() {
    let accepted = accepted();
    for list in ["zzz", "udp(zzz)", "tcp(zzz)"] {
        let message = refused(list);
        let (_, known) = message.split_once("words").expect("the known words are listed");
        for word in known.split('`').filter(|part| part.starts_with(char::is_alphabetic) && !list.contains(part)) {
            let said = |text: &str| text.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|said| said == word);
            assert!(accepted.iter().any(|(text, _)| said(text)), "{word} is not in the table");
        }
    }
}

/// Sums and products of limits, and what is made for so many, have to take them.
#[test]
fn any_number_is_taken_by_every_word_that_takes_numbers() {
    let words = [
        "udp(loss), at_most = NUMBER",
        "udp(loss), at_most = NUMBER, search = faults",
        "udp(reorder = NUMBER)",
        "udp(window = NUMBER)",
        "tcp(buffer = NUMBER)",
        "tcp(read, first = NUMBER)",
        "seed = NUMBER",
        "seed = NUMBER, search = pct",
        "max_states = NUMBER",
        "max_depth = NUMBER",
        "max_depth = NUMBER, search = dfs",
        "max_messages = NUMBER",
        "max_memory = NUMBER",
        "max_time = NUMBER",
        "search = random(seed = NUMBER)",
        "search = pct(depth = NUMBER)",
        "search = pct(depth = NUMBER, seed = NUMBER)",
        "search = retransmissions(NUMBER)",
        "search = network_states(retransmissions = NUMBER)",
        "search = simulate(runs = 2, seed = NUMBER)",
        "search = simulate(runs = 2), max_depth = NUMBER",
        "search = simulate(runs = 2), max_time = NUMBER",
    ];
    for word in words {
        for number in [u64::MAX, u64::MAX - 1, 1 << 63, (1 << 63) - 1, u64::MAX / 1_000_000_000, 1 << 32] {
            let text = word.replace("NUMBER", &number.to_string());
            let checker: Checker = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| checker.try_check(numbers)));
            let checked = checked.unwrap_or_else(|_| panic!("{text} panics"));
            let report = checked.unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_ne!(report.verdict(), Verdict::Violated, "{text}: {report}");
        }
    }
}

/// A client and a server, by UDP and by TCP, with time-outs.
fn numbers(net: &mut Network) {
    net.daemon("server", || async {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (length, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        socket.send_to(&[length as u8], from).await.unwrap();
        if let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.write_all(b"hello").await;
        }
    });
    net.process("client", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        for _ in 0..2 {
            socket.send_to(b"ask", "server:4000").await.unwrap();
        }
        let _ = timeout(Duration::from_millis(20), socket.recv(&mut [0; 8])).await;
        if let Ok(mut stream) = TcpStream::connect("server:80").await {
            let _ = timeout(Duration::from_secs(1), stream.read(&mut [0; 8])).await;
        }
    })
    .after("server");
}

#[test]
fn spaces_and_lines_do_not_matter() {
    let spread = " udp ( loss ,\n\tprocesses = [ \"a\" , \"b\" , ] , ) , search = random ( seed = 7 ) , ";
    let tight = "udp(loss,processes=[\"a\",\"b\"]),search=random(seed=7)";
    let [spread, tight] = [spread, tight].map(|text| text.parse::<Checker>().unwrap());
    assert_eq!(format!("{spread:?}"), format!("{tight:?}"));
    assert_eq!(format!("{:?}", " \n".parse::<Checker>().unwrap()), format!("{:?}", Checker::new()));
    assert!(refused("tcp(read,\n first = 0)").contains("\n  tcp(read,  first = 0)\n"));
}

#[test]
#[rustfmt::skip]
fn a_mistake_is_shown_where_it_stands_with_what_was_expected() {
    for (message, text, mark) in [
        (
            "`loss` is a word of `udp`, not of `tcp`: write `udp(loss, …)`",
            "tcp(loss)",
            "    ^^^^",
        ),
        (
            "`process` is a word of `udp` and of `tcp`: write it in the parentheses of one of them",
            "process = \"a\"",
            "^^^^^^^",
        ),
        (
            "`at_most` is no word of `udp`: write it after `udp(…)`, not inside",
            "udp(loss, at_most = 1)",
            "          ^^^^^^^",
        ),
        (
            "`expect` says what one check finds: write it at the test",
            "expect = panic",
            "^^^^^^",
        ),
        (
            "`name` is what one of several checks is called: write it at the test",
            "udp(loss), name = lossy",
            "           ^^^^",
        ),
        (
            "`at_most` limits faults, but none are declared: add `udp(…)`, `tcp(…)`, `crash(…)` or `partition(…)`, or \
             leave it out",
            "tasks = tracked, at_most = 1",
            "                 ^^^^^^^",
        ),
        (
            "expected `,` or `)`",
            "udp(loss duplication)",
            "         ^",
        ),
        (
            "expected `,` or `)`",
            "udp(loss",
            "        ^",
        ),
        (
            "expected a word",
            "udp(loss), , at_most = 1",
            "           ^",
        ),
        (
            "expected a word or `)`",
            "tcp(read, process = \"café\", 7)",
            "                            ^",
        ),
        (
            "expected a value",
            "at_most =",
            "         ^",
        ),
        (
            "expected a closing quote",
            "udp(loss, process = \"client)",
            "                            ^",
        ),
        (
            "expected `,` or `]`",
            "udp(copies = [1, 2)",
            "                  ^",
        ),
        (
            "a packet can arrive at most 255 times",
            "udp(copies = [1, 300])",
            "                 ^^^",
        ),
        (
            "`first` is how many executions of each source line may fail, at least 1",
            "tcp(read, first = 0 )",
            "                  ^",
        ),
        (
            "expected `send`, `receive` or `both`, found `rceive`, did you mean `receive`?",
            "udp(loss, direction = rceive ), at_most = 1",
            "                      ^^^^^^",
        ),
        (
            "expected `exact` or `fingerprint`, found `fingerprints`, did you mean `fingerprint`?",
            "udp(loss), store = fingerprints",
            "                   ^^^^^^^^^^^^",
        ),
        (
            "expected `true` or `false`, found `on`",
            "subsumption = on",
            "              ^^",
        ),
        (
            "`max_memory` needs a value: write `max_memory = 2_000_000_000`",
            "max_memory",
            "^^^^^^^^^^",
        ),
        (
            "expected a whole number, such as `2`",
            "max_memory = 2GiB",
            "             ^^^^",
        ),
        (
            "expected a number",
            "max_memory = 2 << ",
            "                  ^",
        ),
        (
            "expected a number",
            "max_memory = 2 << GiB",
            "                  ^",
        ),
        (
            "expected `)`",
            "max_memory = 2 * (3 + 4, seed = 7",
            "                       ^",
        ),
        (
            "this number is too large",
            "seed = 7, max_memory = 3 << 63, max_states = 7",
            "                       ^^^^^^^",
        ),
        (
            "this number is less than zero",
            "max_states = 1 - 2",
            "             ^^^^^",
        ),
        (
            "expected a number",
            "max_memory = 2 ** 30",
            "                ^",
        ),
        (
            "unknown word `los`, did you mean `loss`?\n\
             the words of `udp` are `loss`, `duplication`, `reorder`, `copies`, `window`, `direction`, `delay`, \
             `process`, `processes`, `between`",
            "at_most = 1, udp(los)",
            "                 ^^^",
        ),
        (
            "expected `seed`: write `random(seed = 7)`",
            "search = random(depth = 7)",
            "                ^^^^^",
        ),
        (
            "`depth` is how many ordering constraints a bug needs, at least 1",
            "search = pct(depth = 0)",
            "                     ^",
        ),
        (
            "`faults` takes nothing in parentheses: write just `faults`",
            "search = faults(seed = 7)",
            "         ^^^^^^",
        ),
        (
            "`runs` is how many executions are simulated, at least 1",
            "search = simulate(seed = 7, runs = 0)",
            "                                   ^",
        ),
        (
            "expected `seed`, `runs` or `time`: write `simulate(seed = 7, runs = 10_000)`",
            "search = simulate(depth = 7)",
            "                  ^^^^^",
        ),
        (
            "`joint` takes nothing in parentheses: write just `joint`",
            "search = joint(depth = 7)",
            "         ^^^^^",
        ),
        (
            "write `network_states(retransmissions = 2)`, or just `network_states`",
            "search = network_states(2)",
            "                        ^",
        ),
        (
            "`retransmissions` is how often a datagram arrives before the search puts it off, at least 1",
            "search = network_states(retransmissions = 0)",
            "                                          ^",
        ),
        (
            "this is how often a datagram arrives before the search puts it off, at least 1",
            "search = retransmissions(0)",
            "                         ^",
        ),
        (
            "write `retransmissions(2)`, or just `retransmissions`",
            "search = retransmissions(arrivals = 2)",
            "         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        ),
        (
            "write `random(seed = 7)`, or just `random`",
            "search = random(7)",
            "                ^",
        ),
        (
            "`max_messages` is how many messages are written or read, at least 1",
            "search = joint, max_messages = 0",
            "                               ^",
        ),
        (
            "unknown word `bandwidth`\n\
             the words are `udp`, `tcp`, `crash`, `partition`, `fs`, `tasks`, `deadlocks`, `liveness`, `at_most`, `duration`, `deviations`, `search`, `seed`, `max_states`, \
             `max_depth`, `max_messages`, `max_memory`, `max_time`, `reduction`, `subsumption`, `symmetry`, `store`, `threads`, \
             `capture`, `identity`, `dates`, `audit`",
            "bandwidth = 3",
            "^^^^^^^^^",
        ),
    ] {
        assert_eq!(refused(text), format!("{message}\n  {text}\n  {mark}"));
    }
}
