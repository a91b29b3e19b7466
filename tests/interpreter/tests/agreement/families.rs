//! The families of random systems: what is compared in each, and how much.
//!
//! `.ci/nightly agreement` compares 10,000 systems of each, and the gate the first ones of them: as many as take a few
//! seconds. Systems that the naive explorer does not come to the end of do not count.

use std::ops::Range;

use crate::crashes;
use crate::endless::Endless;
use crate::engine::Fewest;
use crate::partitions;
use crate::symmetry::{self, Symmetries};
use crate::{
    Figures, agree, agree_by, agree_where, captured, compare, endless, engine, liveness, propagation, watched,
};
use crate::{turns, unread};
use oracle::generate::{self, Size, Words};
use oracle::language::program::{Delays, Network, System, TICK_MS};
use oracle::naive::{self, Limits};

/// Systems that are compared nightly.
const NIGHTLY: u64 = 10_000;

/// A figure, what it is of the systems compared, and how many there are at least for each 1,000 seeds.
type Enough = (&'static str, fn(&Figures) -> u64, u64);

/// Figures only if all were looked at.
type Run = fn(Range<u64>) -> Option<Figures>;

fn check(seeds: Range<u64>, run: Run, enough: &[Enough], systems_min: u64) {
    let count = seeds.end - seeds.start;
    let Some(figures) = run(seeds) else { return };
    println!("{figures:?}");
    assert!(figures.systems >= systems_min, "too many were discarded: {} are left", figures.systems);
    let too_large = figures.merges.too_large;
    assert!(
        too_large * 100 <= figures.systems,
        "{too_large} configurations could not be compared without captured loops"
    );
    for (name, figure, thousandth) in enough {
        let found = figure(&figures);
        assert!(found * 1_000 >= thousandth * count, "too little happens: {found} {name} of {count} systems");
    }
}

/// A row: the name, the first seed, the seeds of the gate and those of the nightly run, what is compared, and what has
/// to happen for each 1,000 seeds.
macro_rules! families {
    ($($name:ident: $first:literal, $gate:literal, $nightly:literal, $run:expr,
        [$($figure:literal: $of:expr => $thousandth:literal),*];)*) => {
        mod gate {
            use super::*;
            $(
                #[test]
                fn $name() {
                    check($first..$first + $gate, $run, &[$(($figure, $of, $thousandth)),*], $gate / 3);
                }
            )*
        }

        mod nightly {
            use super::*;
            $(
                #[test]
                #[ignore = "takes minutes: for a nightly run, in release"]
                fn $name() {
                    check($first..$first + $nightly, $run, &[$(($figure, $of, $thousandth)),*], NIGHTLY);
                }
            )*
        }
    };
}

families! {
    random_systems_agree: 0, 19, 11_700,
        |seeds| agree(seeds, Size::Small, Words::Plain, Limits { remember: false, ..Limits::of(3_000) }),
        ["states subsumed": |figures| figures.subsumed => 200, "clean": |figures| figures.clean => 300];
    larger_random_systems_agree: 1_000_000, 10, 11_000,
        |seeds| agree(seeds, Size::Large, Words::All, Limits::of(10_000)),
        ["panics": |figures| figures.panics => 50];
    random_systems_that_select_abort_and_lock_agree: 2_000_000, 28, 10_200,
        |seeds| agree(seeds, Size::Small, Words::All, Limits::of(10_000)),
        ["panics": |figures| figures.panics => 50, "deadlocks": |figures| figures.deadlocks => 100];
    random_systems_with_streams_agree: 3_000_000, 19, 10_500,
        |seeds| agree(seeds, Size::Small, Words::Streams, Limits::of(10_000)),
        ["failures": |figures| figures.failed => 330, "reads": |figures| figures.read => 440];
    larger_random_systems_with_streams_agree: 4_000_001, 10, 10_400,
        |seeds| agree(seeds, Size::Large, Words::Streams, Limits::of(10_000)),
        ["reads": |figures| figures.read => 300];
    random_systems_with_datagrams_and_streams_agree: 5_000_000, 11, 10_500,
        |seeds| agree(seeds, Size::Small, Words::Mixed, Limits::of(10_000)),
        ["reads": |figures| figures.read => 300];
    random_systems_that_connect_again_agree: 27_000_000, 33, 12_000,
        connecting_again_agrees,
        ["failures": |figures| figures.failed => 100, "reads": |figures| figures.read => 100];
    random_systems_of_one_task_each_agree_with_captured_loops: 6_000_000, 33, 10_400,
        |seeds| agree(seeds, Size::Small, Words::Single, Limits::of(3_000)),
        ["local states merged": |figures| figures.merges.merged => 160];
    random_systems_with_endless_loops_agree: 7_000_000, 30, 14_000,
        |seeds| agree(seeds, Size::Small, Words::Loops, Limits::of(1_000)),
        ["endless": |figures| figures.endless => 250, "cycles closed": |figures| figures.merges.closed => 1_000,
            "local states merged": |figures| figures.merges.merged => 200,
            "panics": |figures| figures.panics => 80, "deadlocks": |figures| figures.deadlocks => 40];
    random_systems_in_which_something_is_endless_agree: 31_000_000, 40, 10_000,
        endless_agrees,
        ["endless": |figures| figures.endless => 500, "isolated": |figures| figures.loops.isolated => 200,
            "panics": |figures| figures.panics => 100, "deadlocks": |figures| figures.deadlocks => 50,
            "clean": |figures| figures.clean => 200, "by history": |figures| figures.loops.by_history => 30];
    random_systems_with_few_steps_out_of_turn_agree: 75_000_000, 30, 12_000,
        turns::agree,
        ["violations found": |figures| figures.bounded.found => 500,
            "found out of turn": |figures| figures.bounded.out_of_turn => 20,
            "left out": |figures| figures.bounded.left_out => 300];
    random_systems_that_never_end_with_few_steps_out_of_turn_agree: 76_000_000, 10, 12_000,
        turns::never_ending_agree,
        ["endless": |figures| figures.bounded.endless => 100];
    random_systems_that_send_to_nobody_agree: 77_000_000, 30, 12_000,
        unread::agree,
        ["sending for ever": |figures| figures.unread.sending => 500,
            "panics": |figures| figures.panics => 50, "deadlocks": |figures| figures.deadlocks => 50,
            "clean": |figures| figures.clean => 200];
    random_systems_that_send_to_nobody_in_dense_time_agree: 78_000_000, 20, 12_000,
        unread::agree_in_dense_time,
        ["sending for ever": |figures| figures.unread.sending => 300, "clean": |figures| figures.clean => 200];
    random_systems_that_never_end_agree: 61_000_000, 12, 10_000,
        never_ending_agree,
        ["endless": |figures| figures.liveness.endless => 100, "ending": |figures| figures.liveness.ending => 100,
            "ending beside something endless": |figures| figures.liveness.ending_beside => 50];
    random_systems_with_streams_in_endless_loops_agree: 37_000_000, 24, 10_000,
        endless_streams_agree,
        ["streams read for ever": |figures| figures.loops.read_for_ever => 300,
            "endless": |figures| figures.endless => 700, "failures": |figures| figures.failed => 100,
            "panics": |figures| figures.panics => 30, "deadlocks": |figures| figures.deadlocks => 50,
            "clean": |figures| figures.clean => 200];
    random_systems_that_poll_sockets_in_endless_loops_agree: 39_000_000, 30, 10_000,
        endless_polls_agree,
        ["found something": |figures| figures.found => 150, "found nothing": |figures| figures.found_nothing => 400,
            "endless": |figures| figures.endless => 450, "isolated": |figures| figures.loops.isolated => 150,
            "panics": |figures| figures.panics => 50, "deadlocks": |figures| figures.deadlocks => 50,
            "clean": |figures| figures.clean => 200, "by history": |figures| figures.loops.by_history => 30];
    random_systems_that_read_clocks_in_endless_loops_agree: 40_000_000, 40, 10_000,
        endless_clocks_agree,
        ["endless": |figures| figures.endless => 450, "panics": |figures| figures.panics => 50,
            "deadlocks": |figures| figures.deadlocks => 50, "clean": |figures| figures.clean => 200];
    random_systems_that_read_clocks_in_endless_loops_in_dense_time_agree: 41_000_000, 20, 10_000,
        endless_clocks_agree_in_dense_time,
        ["endless": |figures| figures.endless => 450, "panics": |figures| figures.panics => 50];
    random_systems_that_poll_sockets_agree: 38_000_000, 40, 11_000,
        polls_agree,
        ["found something": |figures| figures.found => 300, "found nothing": |figures| figures.found_nothing => 600,
            "panics": |figures| figures.panics => 50, "deadlocks": |figures| figures.deadlocks => 50,
            "clean": |figures| figures.clean => 200];
    tables_of_error_propagation_with_crashes_agree: 73_000_000, 15, 14_000,
        crashes::tables_agree,
        ["rows": |figures| figures.propagated.rows => 250];
    tables_of_error_propagation_agree: 8_000_000, 135, 10_500,
        tables_agree,
        ["rows": |figures| figures.propagated.rows => 250, "faults masked": |figures| figures.propagated.masked => 250,
            "panics": |figures| figures.propagated.panics => 5,
            "deadlocks": |figures| figures.propagated.deadlocks => 5,
            "ends by faults": |figures| figures.propagated.wrong => 90];
    a_search_by_faults_finds_a_violation_with_the_fewest: 8_500_000, 47, 11_000,
        fewest_faults_are_found,
        ["found": |figures| figures.fewest => 330];
    random_systems_of_tracked_tasks_agree: 9_000_000, 28, 10_400,
        |seeds| agree(seeds, Size::Small, Words::Tracked, Limits::of(3_000)),
        ["moves left out": |figures| figures.pruned => 2_500];
    random_systems_with_loss_and_reordering_agree: 10_000_000, 28, 10_300,
        |seeds| agree_where(seeds, Size::Small, Words::All, Limits::of(10_000), with_loss_and_reordering),
        ["states subsumed": |figures| figures.subsumed => 1_600,
            "panics": |figures| figures.panics => 50, "deadlocks": |figures| figures.deadlocks => 100];
    larger_random_systems_with_loss_and_reordering_agree: 11_000_000, 10, 11_100,
        |seeds| agree_where(seeds, Size::Large, Words::All, Limits::of(10_000), with_loss_and_reordering),
        ["states subsumed": |figures| figures.subsumed => 10_000];
    random_systems_with_endless_loops_loss_and_reordering_agree: 12_000_000, 18, 18_000,
        |seeds| agree_where(seeds, Size::Small, Words::Loops, Limits::of(1_000), with_loss_and_reordering),
        ["states subsumed": |figures| figures.merges.subsumed => 3_000,
            "panics": |figures| figures.panics => 20, "deadlocks": |figures| figures.deadlocks => 15];
    random_systems_of_everyday_programs_agree: 13_000_000, 72, 10_600,
        |seeds| agree(seeds, Size::Small, Words::Everyday, Limits::of(5_000)),
        ["panics": |figures| figures.panics => 60, "deadlocks": |figures| figures.deadlocks => 60,
            "clean": |figures| figures.clean => 160, "moves left out": |figures| figures.left_out.tracked => 300];
    random_systems_of_everyday_programs_with_streams_agree: 14_000_000, 38, 10_800,
        |seeds| agree(seeds, Size::Small, Words::EverydayStreams, Limits::of(5_000)),
        ["failures": |figures| figures.failed => 220, "reads": |figures| figures.read => 380,
            "clean": |figures| figures.clean => 190];
    random_systems_of_everyday_programs_with_like_processes_agree: 15_000_000, 13, 18_000,
        |seeds| agree(seeds, Size::Small, Words::EverydayLike, Limits::of(1_000)),
        ["alike": |figures| figures.left_out.symmetric => 200];
    random_systems_of_everyday_programs_with_delay_agree: 16_000_000, 44, 10_400,
        |seeds| agree(seeds, Size::Small, Words::EverydayDelay, Limits::of(5_000)),
        ["datagrams dropped": |figures| figures.dropped => 200, "datagrams overdue": |figures| figures.overdue => 100];
    random_systems_with_like_processes_agree_with_symmetry: 17_000_000, 11, 17_000,
        |seeds| agree_with_symmetry(seeds, 1_000, false),
        ["symmetries": |figures| figures.symmetries.saved => 380,
            "told apart": |figures| figures.symmetries.told_apart => 380];
    random_systems_with_like_processes_and_loops_agree_with_symmetry: 18_000_000, 22, 22_000,
        |seeds| agree_with_symmetry(seeds, 500, true),
        ["symmetries": |figures| figures.symmetries.saved => 220,
            "endless": |figures| figures.symmetries.endless => 50];
    random_systems_with_intervals_of_delays_agree: 19_000_000, 75, 12_000,
        |seeds| agree_where(seeds, Size::Small, Words::All, Limits::of(10_000), with_intervals),
        ["time-outs": |figures| figures.timeouts => 100, "panics": |figures| figures.panics => 50];
    random_systems_of_everyday_programs_with_intervals_of_delays_agree: 20_000_000, 16, 12_000,
        |seeds| agree_where(seeds, Size::Small, Words::EverydayDelay, Limits::of(5_000), with_intervals),
        ["time-outs": |figures| figures.timeouts => 100, "datagrams overdue": |figures| figures.overdue => 50];
    random_systems_with_intervals_of_delays_and_streams_agree: 21_000_000, 10, 12_000,
        |seeds| agree_where(seeds, Size::Small, Words::Mixed, Limits::of(10_000), with_intervals),
        ["reads": |figures| figures.read => 200];
    random_systems_with_listed_delays_agree: 28_000_000, 40, 12_000,
        |seeds| agree_where(seeds, Size::Small, Words::All, Limits::of(10_000), with_lists),
        ["panics": |figures| figures.panics => 50, "deadlocks": |figures| figures.deadlocks => 50];
    random_systems_of_everyday_programs_with_listed_delays_agree: 29_000_000, 60, 13_000,
        |seeds| agree_where(seeds, Size::Small, Words::EverydayDelay, Limits::of(5_000), with_lists),
        ["overdue": |figures| figures.overdue => 100];
    random_systems_with_segments_under_way_agree: 24_000_000, 19, 12_000,
        |seeds| agree_where(seeds, Size::Small, Words::Streams, Limits::of(10_000), with_segments),
        ["failures": |figures| figures.failed => 100, "reads": |figures| figures.read => 200,
            "time-outs": |figures| figures.timeouts => 50];
    random_systems_with_datagrams_and_segments_under_way_agree: 25_000_000, 11, 12_000,
        |seeds| agree_where(seeds, Size::Small, Words::Mixed, Limits::of(10_000), with_segments),
        ["reads": |figures| figures.read => 150, "time-outs": |figures| figures.timeouts => 50];
    random_systems_of_everyday_programs_with_segments_under_way_agree: 26_000_000, 11, 12_000,
        |seeds| agree_where(seeds, Size::Small, Words::EverydayStreams, Limits::of(5_000), with_segments),
        ["reads": |figures| figures.read => 150, "time-outs": |figures| figures.timeouts => 50];
    random_systems_that_read_clocks_with_segments_under_way_agree: 30_000_000, 20, 14_000,
        reading_clocks_agrees,
        ["reads": |figures| figures.read => 150, "time-outs": |figures| figures.timeouts => 50];
    random_systems_within_a_horizon_agree: 32_000_000, 40, 12_000,
        within_a_horizon_agrees,
        ["panics": |figures| figures.panics => 50, "deadlocks": |figures| figures.deadlocks => 50];
    random_systems_within_a_horizon_in_dense_time_agree: 33_000_000, 20, 12_000,
        within_a_horizon_in_dense_time_agrees,
        ["panics": |figures| figures.panics => 30, "deadlocks": |figures| figures.deadlocks => 30];
    random_systems_in_which_something_is_endless_agree_within_a_horizon: 34_000_000, 30, 10_000,
        endless_agrees_within_a_horizon,
        ["isolated": |figures| figures.loops.isolated => 200, "panics": |figures| figures.panics => 50];
    random_systems_with_like_processes_agree_within_a_horizon: 35_000_000, 22, 18_000,
        like_processes_agree_within_a_horizon,
        ["symmetries": |figures| figures.symmetries.saved => 150];
    random_monitors_agree_within_a_horizon: 36_000_000, 30, 12_000,
        monitors_agree_within_a_horizon,
        ["only rejections": |figures| figures.watched.only_rejected => 50,
            "accepted": |figures| figures.watched.accepted => 50];
    random_monitors_agree: 22_000_000, 52, 12_000,
        monitors_agree,
        ["only rejections": |figures| figures.watched.only_rejected => 100,
            "accepted": |figures| figures.watched.accepted => 100,
            "rejected for their times": |figures| figures.watched.timed => 10,
            "moves left out": |figures| figures.watched.pruned => 1_000];
    random_monitors_in_dense_time_agree: 23_000_000, 35, 12_000,
        monitors_in_dense_time_agree,
        ["only rejections": |figures| figures.watched.only_rejected => 50,
            "accepted": |figures| figures.watched.accepted => 50,
            "rejected for their times": |figures| figures.watched.timed => 10];
    random_systems_of_groups_with_intervals_of_delays_agree: 24_000_000, 10, 15_000,
        |seeds| groups_agree(seeds, &[Words::All, Words::EverydayDelay, Words::Mixed, Words::Plain]),
        ["time-outs": |figures| figures.timeouts => 100, "panics": |figures| figures.panics => 50,
            "deadlocks": |figures| figures.deadlocks => 50];
    random_systems_of_groups_with_endless_loops_in_dense_time_agree: 25_000_000, 10, 14_000,
        |seeds| groups_agree(seeds, &[Words::Loops]),
        ["endless": |figures| figures.endless => 200];
    random_systems_that_crash_agree: 42_000_000, 30, 14_000,
        crashes::datagrams_agree,
        ["panics": |figures| figures.panics => 50, "clean": |figures| figures.clean => 50];
    random_systems_with_streams_that_crash_agree: 43_000_000, 20, 14_000,
        crashes::streams_agree,
        ["reads": |figures| figures.read => 150];
    random_systems_that_crash_in_dense_time_agree: 44_000_000, 20, 16_000,
        crashes::in_dense_time_agrees,
        ["time-outs": |figures| figures.timeouts => 50];
    random_systems_with_streams_without_power_in_dense_time_agree: 74_000_000, 20, 14_000,
        crashes::streams_in_dense_time_agree,
        ["reads": |figures| figures.read => 100];
    random_systems_that_crash_within_a_horizon_agree: 45_000_000, 20, 14_000,
        crashes::within_a_horizon_agrees,
        ["panics": |figures| figures.panics => 50];
    random_systems_in_which_something_is_endless_that_crash_agree: 46_000_000, 20, 10_000,
        crashes::endless_agrees,
        ["endless": |figures| figures.endless => 400];
    random_systems_in_partitions_agree: 54_000_000, 30, 14_000,
        partitions::datagrams_agree,
        ["panics": |figures| figures.panics => 50, "clean": |figures| figures.clean => 50,
            "deadlocks": |figures| figures.deadlocks => 50];
    random_systems_with_streams_in_partitions_agree: 55_000_000, 20, 14_000,
        partitions::streams_agree,
        ["reads": |figures| figures.read => 100, "deadlocks": |figures| figures.deadlocks => 50];
    random_systems_in_partitions_that_crash_agree: 56_000_000, 20, 14_000,
        partitions::with_crashes_agree,
        ["panics": |figures| figures.panics => 20];
    random_systems_in_which_something_is_endless_in_partitions_agree: 57_000_000, 20, 10_000,
        partitions::endless_agrees,
        ["endless": |figures| figures.endless => 200];
    random_systems_in_partitions_in_dense_time_agree: 64_000_000, 20, 16_000,
        partitions::in_dense_time_agrees,
        ["time-outs": |figures| figures.timeouts => 50, "deadlocks": |figures| figures.deadlocks => 20];
    random_systems_in_partitions_that_lose_their_power_agree: 65_000_000, 20, 14_000,
        partitions::with_power_failures_agree,
        ["reads": |figures| figures.read => 50];
    random_monitors_over_systems_in_partitions_agree: 66_000_000, 30, 14_000,
        partitions::monitors_agree,
        ["only rejections": |figures| figures.watched.only_rejected => 50];
    random_systems_that_give_up_silent_hosts_agree: 71_000_000, 20, 14_000,
        crashes::silent_hosts_are_given_up,
        ["given up": |figures| figures.given_up => 100, "reads": |figures| figures.read => 100];
    random_systems_that_give_up_hosts_behind_cuts_agree: 72_000_000, 20, 14_000,
        partitions::hosts_behind_cuts_are_given_up,
        ["given up": |figures| figures.given_up => 100, "reads": |figures| figures.read => 100];
    random_systems_with_files_agree: 48_000_000, 30, 16_000,
        crashes::files_agree,
        ["clean": |figures| figures.clean => 100, "files lost": |figures| figures.lost => 200];
    random_systems_with_like_processes_that_crash_agree: 49_000_000, 40, 24_000,
        crashes::like_processes_agree,
        ["symmetries": |figures| figures.symmetries.saved => 150,
            "told apart": |figures| figures.symmetries.told_apart => 100];
    random_monitors_over_systems_that_crash_agree: 47_000_000, 30, 14_000,
        crashes::monitors_agree,
        ["only rejections": |figures| figures.watched.only_rejected => 50];
    random_monitors_over_groups_in_dense_time_agree: 26_000_000, 10, 18_000,
        monitors_over_groups_agree,
        ["only rejections": |figures| figures.watched.only_rejected => 50,
            "accepted": |figures| figures.watched.accepted => 50];
}

/// In the first two, a program ends that does not know yet of a connection of its. In the third, one of two like processes
/// waits for ever beside one that goes on; in the next, two daemons never meet, and one of them lets no time pass. In the
/// last, a read takes over what a read of another line has asked for, and only the first of each line may fail.
#[test]
fn systems_that_were_told_apart_once_agree() {
    agree(4_005_562..4_005_563, Size::Large, Words::Streams, Limits::of(10_000));
    agree(14_006_848..14_006_849, Size::Small, Words::EverydayStreams, Limits::of(5_000));
    agree_with_symmetry(18_020_250..18_020_251, 500, true);
    agree_with_symmetry(18_020_303..18_020_304, 500, true);
    agree(14_007_665..14_007_666, Size::Small, Words::EverydayStreams, Limits::of(5_000));
}

/// Compares the systems that `generate` makes of the seeds, with the words that each has.
pub fn made_otherwise_agree(
    seeds: Range<u64>,
    limits: Limits,
    words: impl Fn(u64) -> Words + Sync,
    generate: impl Fn(u64) -> System + Sync,
) -> Option<Figures> {
    agree_by(seeds, generate, |seed, system, figures| compare(system, limits, words(seed), seed, figures))
}

/// Executions of systems in which something is endless.
pub const ENDLESS_EXECUTIONS_MAX: u64 = 600;

/// Compares systems in which something goes on for ever beside everything else.
fn endless_agrees(seeds: Range<u64>) -> Option<Figures> {
    endless_agrees_where(seeds, |_, network| network.delay = false)
}

/// The same on networks that something else is declared of.
fn endless_agrees_where(seeds: Range<u64>, declare: fn(u64, &mut Network)) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX);
    endless_agrees_by(seeds, limits, |seed| generate::endless::endless_system(seed, limits, declare))
}

/// Compares whether processes have to end beside what goes on for ever. Some of the networks lose datagrams.
fn never_ending_agree(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX);
    let generate = |seed| generate::endless::system_that_may_end(seed, limits);
    agree_by(seeds, generate, |_, system: &System, figures: &mut Figures| {
        let findings = figures.explored(system, limits)?;
        liveness::disagreement(system, (&findings, limits), &mut figures.liveness)
    })
}

/// Compares systems whose endless loops use streams.
fn endless_streams_agree(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX / 2);
    endless_agrees_by(seeds, limits, |seed| generate::endless::endless_system_with_streams(seed, limits))
}

/// Compares systems whose endless loops ask sockets whether there is something.
fn endless_polls_agree(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX);
    endless_agrees_by(seeds, limits, |seed| {
        generate::endless::endless_system_that_polls(seed, limits, |_, network| network.delay = false)
    })
}

/// Compares systems whose endless loops read the clock.
fn endless_clocks_agree(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX);
    let generate =
        |seed| generate::endless::endless_system_that_reads_clocks(seed, limits, |_, network| network.delay = false);
    endless_agrees_by(seeds, limits, generate)
}

/// The same where packets take times of intervals or lists.
fn endless_clocks_agree_in_dense_time(seeds: Range<u64>) -> Option<Figures> {
    let limits = Limits::of(ENDLESS_EXECUTIONS_MAX);
    let declare = |seed: u64, network: &mut Network| match seed % 2 {
        0 => with_intervals(seed / 2, network),
        _ => with_lists(seed / 2, network),
    };
    let generate = |seed| generate::endless::endless_system_that_reads_clocks(seed, limits, declare);
    endless_agrees_by(seeds, limits, generate)
}

/// Compares systems of all kinds that ask sockets whether there is something; some of them where packets take times of
/// intervals or lists.
fn polls_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::Plain, Words::All, Words::Everyday, Words::Single, Words::EverydayDelay, Words::Mixed];
    let of = |seed: u64| words[seed as usize % words.len()];
    let generate = |seed: u64| {
        let mut system = generate::system(seed, Size::Small, of(seed));
        match (of(seed), seed / 6 % 4) {
            (Words::Plain | Words::Single, _) => {}
            (_, 0) => with_intervals(seed / 24, &mut system.network),
            (_, 1) => with_lists(seed / 24, &mut system.network),
            _ => {}
        }
        generate::polls::poll_sockets(seed, &mut system);
        system
    };
    made_otherwise_agree(seeds, Limits::of(5_000), of, generate)
}

/// Compares systems that `generate` makes small enough for the naive explorer.
pub fn endless_agrees_by(
    seeds: Range<u64>,
    limits: Limits,
    generate: impl Fn(u64) -> System + Sync,
) -> Option<Figures> {
    let disagreement = |seed, system: &System, figures: &mut Figures| {
        let findings = figures.explored(system, limits)?;
        endless::disagreement(system, &findings, (seed, limits), &mut figures.loops)
    };
    let figures = agree_by(seeds, generate, disagreement)?;
    assert_eq!(figures.discarded, 0, "none is skipped");
    let Endless { endless, by_order, .. } = figures.loops;
    assert!(by_order <= 1 + endless / 2_000, "{by_order} of {endless} checks depend on the order");
    Some(figures)
}

/// Only what happens until then is looked at: not at the start, between the timers of most systems, or after all of them.
pub fn within_a_horizon(seed: u64, network: &mut Network) {
    network.duration_ms = Some(TICK_MS * [0, 1, 2, 3, 4, 6][(seed % 6) as usize]);
}

/// Compares systems of all kinds within a horizon.
fn within_a_horizon_agrees(seeds: Range<u64>) -> Option<Figures> {
    let words = [
        Words::All,
        Words::Everyday,
        Words::Mixed,
        Words::EverydayStreams,
        Words::Tracked,
        Words::Single,
        Words::Plain,
    ];
    let of = |seed: u64| words[seed as usize % words.len()];
    let generate = |seed| {
        let mut system = generate::system(seed, Size::Small, of(seed));
        let reads = (seed / words.len() as u64).is_multiple_of(3);
        if reads && !matches!(of(seed), Words::Tracked | Words::Single) {
            generate::clocks::read_clocks(seed, &mut system);
        }
        within_a_horizon(seed / words.len() as u64, &mut system.network);
        system
    };
    made_otherwise_agree(seeds, Limits::of(5_000), of, generate)
}

/// The same where packets take times of intervals or lists.
fn within_a_horizon_in_dense_time_agrees(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::All, Words::EverydayDelay, Words::Mixed, Words::EverydayStreams, Words::Streams];
    let of = |seed: u64| words[seed as usize % words.len()];
    let generate = |seed| {
        let mut system = generate::system(seed, Size::Small, of(seed));
        match seed % 3 {
            0 => with_intervals(seed / 3, &mut system.network),
            1 => with_lists(seed / 3, &mut system.network),
            _ => with_segments(seed / 3, &mut system.network),
        }
        within_a_horizon(seed / 15, &mut system.network);
        system
    };
    made_otherwise_agree(seeds, Limits::of(5_000), of, generate)
}

/// The same where something goes on for ever.
fn endless_agrees_within_a_horizon(seeds: Range<u64>) -> Option<Figures> {
    endless_agrees_where(seeds, |seed, network| {
        network.delay = false;
        within_a_horizon(seed, network);
    })
}

/// The same where processes are alike.
fn like_processes_agree_within_a_horizon(seeds: Range<u64>) -> Option<Figures> {
    agree_with_symmetry_where(seeds, (500, true), within_a_horizon)
}

/// The same where monitors watch.
fn monitors_agree_within_a_horizon(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::All, Words::Loops, Words::Everyday, Words::Mixed];
    watched_agree(seeds, &words, Limits::of(400), |seed, network| {
        if (seed / 4).is_multiple_of(3) {
            with_intervals(seed / 12, network);
        }
        within_a_horizon(seed / 4, network);
    })
}

/// Compares systems of groups of processes with these words, in which packets take times of intervals.
fn groups_agree(seeds: Range<u64>, words: &'static [Words]) -> Option<Figures> {
    let of = |seed: u64| words[seed as usize % words.len()];
    // In all configurations, but for endless loops, which need to be captured.
    let compared = |seed| if of(seed) == Words::Loops { Words::Loops } else { Words::EverydayDelay };
    let generate = |seed| generate::apart::system_of_groups(seed, of(seed), with_intervals);
    made_otherwise_agree(seeds, Limits::of(GROUPS_EXECUTIONS_MAX), compared, generate)
}

/// Executions of several groups together at the most.
const GROUPS_EXECUTIONS_MAX: u64 = 10_000;

/// Random monitors over several groups in dense time.
fn monitors_over_groups_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::All, Words::EverydayDelay, Words::Mixed, Words::Loops];
    let generate = |seed| generate::apart::system_of_groups(seed, words[seed as usize % words.len()], with_intervals);
    let disagreement = |seed, system: &System, figures: &mut Figures| {
        watched::disagreement(system, Limits::of(GROUPS_EXECUTIONS_MAX), seed, &mut figures.watched)
    };
    let mut figures = agree_by(seeds, generate, disagreement)?;
    figures.systems = figures.watched.systems;
    Some(figures)
}

/// Compares systems whose client connects again; in a third of them, segments take time.
fn connecting_again_agrees(seeds: Range<u64>) -> Option<Figures> {
    let generate = |seed: u64| {
        let mut system = generate::redial::system_that_connects_again(seed);
        if seed.is_multiple_of(3) {
            with_segments(seed / 3, &mut system.network);
        }
        system
    };
    made_otherwise_agree(seeds, Limits::of(10_000), |_| Words::Mixed, generate)
}

/// Compares systems whose processes read clocks while segments take time: of an interval, where an instant is known by its
/// bounds, or of a list, where it is a number.
fn reading_clocks_agrees(seeds: Range<u64>) -> Option<Figures> {
    let of = |seed: u64| [Words::EverydayStreams, Words::Mixed, Words::Streams][seed as usize % 3];
    let generate = |seed: u64| {
        let mut system = generate::system(seed, Size::Small, of(seed));
        generate::clocks::read_clocks(seed, &mut system);
        with_segments(seed / 3, &mut system.network);
        system
    };
    made_otherwise_agree(seeds, Limits::of(5_000), of, generate)
}

const INTERVALS: [Delays; 8] = [
    Delays::Interval(0, Some(1)),
    Delays::Interval(1, Some(1)),
    Delays::Interval(0, Some(2)),
    Delays::Interval(1, Some(3)),
    Delays::Interval(0, None),
    Delays::Interval(1, None),
    Delays::Interval(2, None),
    Delays::Interval(0, Some(0)),
];

fn lists() -> [Delays; 4] {
    [vec![0, 2], vec![1], vec![1, 3], vec![0, 1, 4]].map(Delays::Listed)
}

/// Packets take a time of an interval, in any order.
pub fn with_intervals(seed: u64, network: &mut Network) {
    with_delays(seed, network, &INTERVALS);
}

/// Packets take a time of a list, in any order; those of one process perhaps one of an interval.
pub fn with_lists(seed: u64, network: &mut Network) {
    let lists = lists();
    with_delays(seed, network, &lists);
    if let Some((_, delays)) = &mut network.slow
        && seed % 4 == 1
    {
        *delays = INTERVALS[(seed / 4) as usize % INTERVALS.len()].clone();
    }
}

fn with_delays(seed: u64, network: &mut Network, delays: &[Delays]) {
    network.delay = true;
    network.delays = Some(delays[(seed / 3) as usize % delays.len()].clone());
    // Half of the time one process sends over a link of its own, also one where nothing takes time.
    if seed % 2 == 1 {
        network.slow = Some(((seed / 2) as usize % 2, delays[(seed / 5) as usize % delays.len()].clone()));
    }
}

/// Segments of connections take a time of an interval or of a list; datagrams, if there are any, one of an interval, any
/// time, or none.
pub fn with_segments(seed: u64, network: &mut Network) {
    let delays = match seed as usize % 12 {
        at @ ..8 => INTERVALS[at].clone(),
        at => lists()[at - 8].clone(),
    };
    network.tcp.get_or_insert_default().delay = Some(delays);
    if !(seed / 12).is_multiple_of(3) {
        with_intervals(seed / 36, network);
    }
}

/// Where packets may be lost and overtake each other, and are not counted, states are left out that others cover: of two
/// packets at a time, three, or any number.
fn with_loss_and_reordering(seed: u64, network: &mut Network) {
    network.window = [2, 3, usize::MAX][seed as usize % 3];
    network.at_most = None;
    if !network.copies.contains(&0) {
        network.copies.push(0);
    }
}

/// With a budget of one fault less, there is none. (Packets are not doubled here: that a copy does not come is a step
/// only where the budget allows it to come.)
fn fewest_faults_are_found(seeds: Range<u64>) -> Option<Figures> {
    let generate = |seed| {
        let words = if seed % 2 == 0 { Words::All } else { Words::Mixed };
        let mut system = generate::system(seed, Size::Small, words);
        system.network.copies.retain(|&copies| copies < 2);
        system
    };
    let disagreement = |_, system: &System, figures: &mut Figures| {
        if system.network.copies.is_empty() {
            return None;
        }
        figures.systems += 1;
        [true, false].into_iter().find_map(|reduction| {
            match engine::finds_the_fewest_faults(system, 3, reduction) {
                Ok(Fewest::Found) => figures.fewest += 1,
                Ok(Fewest::None) => {}
                Ok(Fewest::TooLarge) => figures.merges.too_large += 1,
                Err(difference) => return Some(format!("reduction {reduction}: {difference}")),
            }
            None
        })
    };
    agree_by(seeds, generate, disagreement)
}

/// Compares systems with like processes.
fn agree_with_symmetry(seeds: Range<u64>, executions_max: u64, has_loops: bool) -> Option<Figures> {
    agree_with_symmetry_where(seeds, (executions_max, has_loops), |_, _| ())
}

/// The same on networks that something else is declared of.
pub fn agree_with_symmetry_where(
    seeds: Range<u64>,
    (executions_max, has_loops): (u64, bool),
    declare: fn(u64, &mut Network),
) -> Option<Figures> {
    let disagreement = |seed, system: &System, figures: &mut Figures| {
        let limits = Limits::of(executions_max);
        let (findings, _) = naive::explore(system, limits)?;
        let known = (&findings, limits);
        figures.systems += 1;
        let symmetries: &mut Symmetries = &mut figures.symmetries;
        match has_loops {
            true => captured::disagreement_with_symmetry(system, known, seed, symmetries),
            false => symmetry::disagreement(system, known, seed, symmetries),
        }
    };
    let generate = |seed| {
        let mut system = generate::like_system(seed, has_loops);
        declare(seed, &mut system.network);
        system
    };
    agree_by(seeds, generate, disagreement)
}

/// Random monitors over systems of all kinds in quiet time.
fn monitors_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::Plain, Words::All, Words::Loops, Words::Everyday, Words::Mixed, Words::Single];
    watched_agree(seeds, &words, Limits::of(400), |_, network| {
        network.delay = false;
        network.tcp.iter_mut().for_each(|tcp| tcp.delay = None);
    })
}

/// Random monitors over systems in which packets take any time, or one of an interval.
fn monitors_in_dense_time_agree(seeds: Range<u64>) -> Option<Figures> {
    let words = [Words::All, Words::EverydayDelay, Words::Mixed, Words::Loops];
    let over_intervals = |seed, network: &mut Network| with_intervals(seed / words.len() as u64, network);
    watched_agree(seeds, &words, Limits::of(4_000), over_intervals)
}

/// Compares random monitors over systems with these words, on a network that `adapt` changes.
pub fn watched_agree(
    seeds: Range<u64>,
    words: &[Words],
    limits: Limits,
    adapt: impl Fn(u64, &mut Network) + Sync,
) -> Option<Figures> {
    let generate = |seed| {
        let mut system = generate::system(seed, Size::Small, words[seed as usize % words.len()]);
        adapt(seed, &mut system.network);
        system
    };
    watched_systems_agree(seeds, limits, generate)
}

/// Random monitors over the systems that `generate` makes of the seeds.
pub fn watched_systems_agree(
    seeds: Range<u64>,
    limits: Limits,
    generate: impl Fn(u64) -> System + Sync,
) -> Option<Figures> {
    let disagreement = |seed, system: &System, figures: &mut Figures| {
        watched::disagreement(system, limits, seed, &mut figures.watched)
    };
    let mut figures = agree_by(seeds, generate, disagreement)?;
    figures.systems = figures.watched.systems;
    Some(figures)
}

fn tables_agree(seeds: Range<u64>) -> Option<Figures> {
    tables_agree_where(seeds, |_, _| ())
}

/// Tables of error propagation, on networks that something else is declared of.
pub fn tables_agree_where(seeds: Range<u64>, declare: fn(u64, &mut Network)) -> Option<Figures> {
    let generate = |seed| {
        let words = [Words::Plain, Words::Streams, Words::Mixed, Words::All][seed as usize % 4];
        let mut system = generate::system(seed, Size::Small, words);
        declare(seed, &mut system.network);
        system
    };
    let disagreement =
        |_, system: &System, figures: &mut Figures| propagation::disagreement(system, &mut figures.propagated);
    let mut figures = agree_by(seeds, generate, disagreement)?;
    figures.systems = figures.propagated.systems;
    Some(figures)
}
