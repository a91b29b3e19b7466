//! The echo server and its clients (papers/tcp-transmission-failures.txt, section 5), the
//! program of `examples/echo`: which failures reveal the fault of the paper's Table 6.

#[path = "../../examples/echo/checked.rs"]
pub(crate) mod checked;
#[path = "../../examples/echo/failures.rs"]
pub(crate) mod failures;

use checked::check;
use checked::program::Version::{Corrected, Seeded};
use failures::{Category, failing};
use netcheck::check::{Mode, Report, Verdict, ViolationKind};

const ALL_ANSWERS: &str = r#"Ok(["Echo 0", "Echo 1", "Echo 2"])"#;

fn figures(report: &Report) -> (Verdict, usize, u64) {
    (report.verdict(), report.states(), report.transitions())
}

#[test]
fn without_failures_every_client_gets_every_answer() {
    for version in [Seeded, Corrected] {
        let report = check(version, failing(&[]));
        assert_eq!(figures(&report), (Verdict::Verified, 1_937, 3_771), "{report}");
        assert_eq!(report.outputs("client-1"), [ALL_ANSWERS]);
        assert_eq!(report.outputs("client-2"), [ALL_ANSWERS]);
    }
}

/// Whatever can happen with some of the failures can happen with all of them.
#[test]
fn with_all_failures_together_a_client_gets_every_answer_or_an_error() {
    let report = check(Corrected, failing(&Category::ALL));
    assert_eq!(figures(&report), (Verdict::Verified, 29_433, 78_942), "{report}");
    let errors = ["BrokenPipe", "ConnectionReset", "NotConnected", "TimedOut", "UnexpectedEof"];
    let errors = errors.map(|error| format!("Err({error})"));
    let expected: Vec<String> = errors.into_iter().chain([ALL_ANSWERS.to_owned()]).collect();
    assert_eq!(report.outputs("client-1"), expected);
    assert_eq!(report.outputs("client-2"), expected);
}

#[test]
fn the_missing_answer_is_found_by_failing_writes_alone() {
    for category in Category::ALL {
        let report = check(Seeded, failing(&[category]));
        if category == Category::Write {
            let counterexample = report.counterexample().expect("a violation has one");
            assert_eq!(counterexample.kind(), ViolationKind::Panic, "{report}");
            assert!(counterexample.message().contains("each line is answered"), "{report}");
            let name = "an_answer_that_cannot_be_written_is_the_end_of_the_stream";
            insta::assert_snapshot!(name, counterexample.without_lines());
        } else {
            assert_eq!(report.verdict(), Verdict::Verified, "{category:?}: {report}");
        }
    }
}

#[netcheck::model_check(tcp(write), expect = panic, snapshot)]
fn an_answer_that_cannot_be_written_is_the_end_of_the_stream(net: &mut netcheck::Network) {
    checked::register(net, Seeded);
}

#[test]
fn only_answers_that_cannot_be_written_crash_a_client_as_the_guide_says() {
    let table = checked::propagation(Seeded, failing(&[Category::Write]));
    let crashes = table.seen().filter(|row| row.failures().any(|effect| effect.mode == Mode::Crash));
    assert_eq!(crashes.map(|row| row.fault.process.as_str()).collect::<Vec<_>>(), ["server"; 2], "{table}");
    assert!(include_str!("../../docs/src/propagation.md").contains(&format!("{table}```\n")), "{table}");
}
