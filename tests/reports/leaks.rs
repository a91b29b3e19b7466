//! Runs that end and leave memory behind, and runs of which the check keeps something.
//!
//! Arenas are those of the process, so a program that leaks is checked in a child.

use netcheck as tokio;
use netcheck::check::{Checker, Identity, Report, Verdict};
use std::process::Command;

/// More than there are arenas.
const RUNS: usize = 64 * 64;

/// The report's words where local states are told apart by history.
const BY_HISTORY: &str = "local states by history, not by memory";

/// One of `RUNS` numbers.
async fn choose() -> u32 {
    64 * netcheck::choose(0..64).await + netcheck::choose(0..64).await
}

fn assert_by_memory(report: &Report) {
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert!(!report.to_string().contains(BY_HISTORY), "{report}");
}

#[test]
fn any_number_of_ends_is_checked_by_memory() {
    let check = |is_shown: bool| {
        Checker::new().check(|net| {
            net.process("chooses", || async { format!("number {}", choose().await) });
            if is_shown {
                net.finally(|end| {
                    end.value::<String>("chooses").map(String::as_str)
                        == end.output("chooses").map(|text| text.trim_matches('"'))
                });
            }
        })
    };
    for report in [false, true].map(check) {
        assert_by_memory(&report);
        assert_eq!(report.outputs("chooses").len(), RUNS);
    }
}

#[netcheck::process]
async fn says(number: u32, text: String) -> String {
    format!("{text} {number}")
}

#[test]
fn any_number_of_spawned_programs_is_checked_by_memory() {
    let report = Checker::new().check(|net| {
        net.process("spawns", || async {
            let number = choose().await;
            tokio::spawn(says(number, "number".to_owned())).await.unwrap()
        });
        net.finally(|end| end.value::<String>("spawns").is_some_and(|text| text.starts_with("number ")));
    });
    assert_by_memory(&report);
    assert_eq!(report.outputs("spawns").len(), RUNS);
}

#[test]
#[ignore = "run in a child: it leaks"]
fn a_program_that_leaks() {
    let report = Checker::new().check(|net| {
        net.process("leaks", || async {
            let settings: &'static str = Box::leak("settings".to_owned().into_boxed_str());
            choose().await;
            settings.len()
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    print!("{report}");
}

#[test]
fn a_check_that_finds_no_room_for_runs_says_why() {
    if Checker::new().check(|net| _ = net.process("ends", || async {})).to_string().contains(BY_HISTORY) {
        return;
    }
    let mut child = Command::new(std::env::current_exe().expect("this program"));
    child.args(["leaks::a_program_that_leaks", "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
    let output = child.output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}");
    assert!(text.contains("runs of programs that are checked in this process have left memory behind"), "{text}");
}

/// Uses much more stack than a check needs.
fn deep(levels: u32) -> u64 {
    let frame = std::hint::black_box([u64::from(levels); 128]);
    if levels == 0 { frame[0] } else { deep(levels - 1) + frame[127] }
}

#[test]
fn each_run_has_as_much_stack() {
    for identity in [Identity::Memory, Identity::History] {
        let report = Checker::new().identity(identity).check(|net| {
            net.process("deep", || async { deep(2_000).to_string() });
            net.finally(|end| end.value::<String>("deep").is_some_and(|text| text == "2001000"));
        });
        assert_by_memory(&report);
    }
}
