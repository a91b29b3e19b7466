//! Combinators of `futures`, on tokio and checked.

use super::checked::combinators::{
    a_task_runs_while_sleeps_end, panics_are_caught, read_beside_a_timer, sleeps_end_in_turn, write_late,
};
use super::*;

/// The outputs of a program, on tokio's paused clock and in each execution.
#[track_caller]
fn ends_with<R, C>(real: R, checked: impl Fn() -> C + Copy + Send + Sync + 'static, end: &R::Output)
where
    R: Future<Output: Debug + PartialEq>,
    C: Future<Output: Debug + 'static> + 'static,
{
    let mut paused = tokio::runtime::Builder::new_current_thread();
    let paused = paused.enable_all().start_paused(true).build().expect("a runtime");
    assert_eq!(&paused.block_on(real), end);
    let report = Checker::new().check(|net| {
        net.process("it", checked);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("it"), [format!("{end:?}")]);
}

#[test]
fn sleeps_end_by_their_own_wakers() {
    ends_with(real::combinators::sleeps_end_in_turn(), sleeps_end_in_turn, &vec![5, 30, 60]);
}

#[test]
fn a_task_runs_beside() {
    ends_with(real::combinators::a_task_runs_while_sleeps_end(), a_task_runs_while_sleeps_end, &(vec![1, 2], 3));
}

/// A program that catches panics catches its own, and none of the check's.
#[test]
fn panics_of_the_program_are_caught() {
    ends_with(real::combinators::panics_are_caught(), panics_are_caught, &(Some(1), true));
}

#[test]
fn a_read_that_loses_a_select_goes_on() {
    let both = on_loopback!(real::combinators::read_beside_a_timer, real::combinators::write_late);
    assert_eq!(both.0, 3);
    let report = check(&Checker::new(), read_beside_a_timer, write_late);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("server"), ["3"]);
}
