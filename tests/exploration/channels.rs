//! Loops that send for ever: with tokio's own channels there are ever more local states, with those of
//! `netcheck::tracked` there are not. What ends, ends in the same way with both.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the programs are for")]

mod counterless;
mod own;

use netcheck::Network;
use netcheck::check::{Checker, Identity, Report, Verdict};
use netcheck::task::JoinSet;
use netcheck::time::{Duration, sleep};

/// More than any of the loops has.
const STATES_MAX: usize = 400;

fn check(identity: Identity, network: fn(&mut Network)) -> Report {
    Checker::new().identity(identity).max_states(STATES_MAX).check(network)
}

macro_rules! endless {
    ($($name:ident),* $(,)?) => { $(
        #[test]
        fn $name() {
            let counts = check(Identity::Memory, own::programs::$name);
            assert_eq!(counts.verdict(), Verdict::Inconclusive, "{counts}");
            let closes = check(Identity::Memory, counterless::programs::$name);
            assert_eq!(closes.verdict(), Verdict::Verified, "{closes}");
            println!("{} states", closes.states());
            let by_history = check(Identity::History, counterless::programs::$name);
            assert_eq!(by_history.verdict(), Verdict::Inconclusive, "{by_history}");
        }
    )* };
}

endless! {
    bounded_channels,
    unbounded_channels,
    broadcasts,
    watched_values,
    notifications_of_all,
    rounds_of_a_barrier,
}

/// A set of tasks is netcheck's own type.
#[test]
fn sets_of_tasks_close() {
    let report = check(Identity::Memory, |net| {
        net.daemon("it", || async {
            let mut tasks = JoinSet::new();
            loop {
                tasks.spawn(sleep(Duration::from_secs(1)));
                tasks.spawn(sleep(Duration::from_secs(1)));
                tasks.join_next().await.unwrap().unwrap();
                tasks.detach_all();
            }
        });
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
}

#[test]
fn what_ends_ends_in_the_same_way() {
    let ends: [[fn(&mut Network); 2]; 2] =
        [[own::programs::lags, counterless::programs::lags], [own::programs::races, counterless::programs::races]];
    for [own, counterless] in ends {
        for identity in [Identity::Memory, Identity::History] {
            let [expected, seen] = [own, counterless].map(|network| Checker::new().identity(identity).check(network));
            assert_eq!(expected.verdict(), Verdict::Verified, "{expected}");
            assert_eq!(seen.verdict(), Verdict::Verified, "{seen}");
            assert_eq!(seen.outputs("it"), expected.outputs("it"), "{identity:?}");
            if identity == Identity::History {
                assert_eq!(seen.states(), expected.states());
            }
        }
    }
}

/// Counts without a channel.
fn counts_by_itself(net: &mut Network) {
    net.daemon("it", || async {
        let mut rounds = 0_u64;
        loop {
            sleep(Duration::from_secs(1)).await;
            rounds += 1;
            assert!(rounds < u64::MAX);
        }
    });
}

/// The profile names a process whose channels count, and only such a one.
#[test]
fn the_report_says_which_channels_count() {
    let report = check(Identity::Memory, own::programs::bounded_channels);
    let process = &report.profile().processes()[0];
    assert_eq!(process.channels_at().len(), 1, "{process:?}");
    assert!(process.channels_at()[0].contains("channels/programs.rs:"), "{process:?}");
    assert!(process.waits() * 4 < process.local_states(), "{process:?}");
    let advice = report.profile().advice().first().expect("some advice");
    assert!(advice.contains("channels of tokio's own (at ") && advice.contains("netcheck_tracked"), "{report}");

    let closes = check(Identity::Memory, counterless::programs::bounded_channels);
    assert!(closes.profile().processes()[0].channels_at().is_empty(), "{closes}");
    let others = [check(Identity::History, own::programs::bounded_channels), check(Identity::Memory, counts_by_itself)];
    for report in others {
        assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
        assert!(!report.profile().advice().iter().any(|advice| advice.contains("netcheck_tracked")), "{report}");
    }
}
