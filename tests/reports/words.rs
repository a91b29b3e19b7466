//! The words of `#[model_check(…)]` as text: what NETCHECK_FAULTS holds.

use netcheck::check::{Checker, Deadlocks, Direction, Identity, Keep, Search, Side, Simulation, Tasks, Tcp, Udp};

/// What is wrong with a text.
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
    const NO_FAULTS: [&str; 13] = [
        "tasks",
        "deadlocks",
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
            "`at_most` limits faults, but none are declared: add `udp(…)` or `tcp(…)`, or leave it out",
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
            "expected `,` or the end",
            "max_memory = 2 << 30",
            "               ^",
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
             the words are `udp`, `tcp`, `tasks`, `deadlocks`, `at_most`, `search`, `seed`, `max_states`, `max_depth`, \
             `max_messages`, `max_memory`, `max_time`, `reduction`, `subsumption`, `symmetry`, `store`, `threads`, \
             `capture`, `identity`, `audit`",
            "bandwidth = 3",
            "^^^^^^^^^",
        ),
    ] {
        assert_eq!(refused(text), format!("{message}\n  {text}\n  {mark}"));
    }
}
