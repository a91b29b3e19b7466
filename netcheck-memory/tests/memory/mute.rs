//! Output of muted threads.

use netcheck_memory::{
    has_dropped_output, interposes, is_muted, mute, operation_begins, poll_begins, poll_ends, start_apart, take_output,
};
use std::io::Write;
use std::panic::{self, AssertUnwindSafe, Location};
use std::process::Command;
use std::thread;

/// The result of a function on a muted thread whose output the harness does not keep back.
fn muted<R: Send + 'static>(function: impl FnOnce() -> R + Send + 'static) -> R {
    let thread = start_apart(|| {
        thread::spawn(|| {
            mute();
            function()
        })
    });
    thread.join().unwrap()
}

#[test]
fn what_a_muted_thread_prints_is_kept_until_it_is_taken() {
    if !interposes() {
        return;
    }
    muted(|| {
        assert!(is_muted() && !has_dropped_output());
        println!("first");
        eprint!("second");
        eprintln!(" {}", 3);
        assert!(has_dropped_output());
        // The order of standard output and standard error among each other is that of their lines.
        assert_eq!(take_output(), b"first\nsecond 3\n");
        assert_eq!(take_output(), b"");
        let bytes = vec![b'x'; 100_000];
        std::io::stderr().write_all(&bytes).unwrap();
        assert_eq!(take_output().len(), 1 << 16);
    });
}

#[test]
fn other_threads_and_other_files_are_heard() {
    assert!(!is_muted() && !has_dropped_output());
    let file = std::env::temp_dir().join(format!("netcheck-mute-{}", std::process::id()));
    let name = file.clone();
    muted(move || {
        std::fs::write(&name, "kept").unwrap();
        assert!(!has_dropped_output(), "it is no standard stream");
        assert!(is_muted());
        assert!(!thread::spawn(is_muted).join().unwrap());
    });
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    std::fs::remove_file(file).unwrap();
}

#[test]
fn a_thread_apart_gives_results_and_panics_back() {
    let here = thread::current().id();
    assert_eq!(start_apart(|| (5, "five".to_owned())), (5, "five".to_owned()));
    assert!(start_apart(|| thread::current().id()) != here || !interposes());
    let panic = panic::catch_unwind(AssertUnwindSafe(|| start_apart(|| panic::resume_unwind(Box::new("reason")))));
    assert_eq!(panic.unwrap_err().downcast_ref::<&str>(), Some(&"reason"));
}

/// In a process of its own, which it ends.
#[test]
fn a_muted_thread_that_ends_the_process_says_which_poll_it_was() {
    const ABORTS: &str = "NETCHECK_MEMORY_ABORTS";
    if !interposes() {
        return;
    }
    if std::env::var_os(ABORTS).is_some() {
        muted(|| {
            poll_begins("earlier");
            poll_ends();
            poll_begins("client");
            println!("{}", "x".repeat(100_000));
            println!("this was the last");
            operation_begins(Location::caller());
            std::process::abort()
        });
    }
    let name = "mute::a_muted_thread_that_ends_the_process_says_which_poll_it_was";
    let program = std::env::current_exe().unwrap();
    let ended = Command::new(program).args(["--exact", name, "--nocapture"]).env(ABORTS, "1").output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success());
    for part in
        ["is ended by a poll of process \"client\", after the operation at ", "mute.rs:", "xxx\nthis was the last\n"]
    {
        assert!(said.contains(part), "{part} is missing in {said}");
    }
    assert!(!said.contains("earlier") && said.len() < 2_000, "{said}");
}
