//! Ways to kill mutants of the programs: the check of all delays, and each of the paper's methods with a small budget.
//!
//! `.ci/mutants` runs these tests on each mutant. All of them pass on the programs as they are.

mod counterparts;
#[path = "../../tests/systems/tftp/packets.rs"]
mod packets;

use checked::{Serving, Transfer, Way, any_delay};
use netcheck::check::{Checker, Udp, Verdict};
use std::time::Duration;
use tftp::checked;
use tftp::checked::program::transfer::Version;
use tftp::methods::{Budget, Method};

/// Seconds until the check of a transfer is given up, without optimization on a busy machine.
const PATIENCE_S: u64 = 300;

#[track_caller]
fn is_right(transfer: Transfer) {
    let report = transfer.check_within(any_delay(), PATIENCE_S);
    assert_eq!(report.verdict(), Verdict::Verified, "{transfer:?}: {report}");
    assert_eq!(report.outputs("client"), ["Err(Silence)", "Ok(())"], "{transfer:?}");
}

#[test]
fn check_write() {
    is_right(Transfer::corrected(Way::Write, 2, 1));
    is_right(Transfer::corrected(Way::Write, 1, 2));
}

#[test]
fn check_read() {
    is_right(Transfer::corrected(Way::Read, 2, 1));
    is_right(Transfer::corrected(Way::Read, 1, 2));
}

/// A server that is there for ever, with late requests.
#[test]
fn check_always() {
    for way in [Way::Write, Way::Read] {
        is_right(Transfer { serving: Serving::Always, ..Transfer::corrected(way, 1, 1) });
    }
    is_right(Transfer { serving: Serving::Always, ..Transfer::corrected(Way::Read, 2, 1) });
}

/// One packet is lost, and sent again: each transfer comes to its end.
#[test]
fn check_one_loss() {
    let loses = Udp::new().loss().delay(Duration::ZERO..=Duration::from_millis(400));
    for way in [Way::Write, Way::Read] {
        let checker = Checker::new().udp(loses.clone()).at_most(1).max_time(Duration::from_secs(PATIENCE_S));
        let report = checker.check(|net| Transfer::corrected(way, 2, 2).register(net));
        assert_eq!(report.verdict(), Verdict::Verified, "{way:?}: {report}");
        assert_eq!(report.outputs("client"), ["Ok(())"], "{way:?}");
    }
}

/// The size of blocks is agreed on.
#[test]
fn check_options() {
    for way in [Way::Write, Way::Read] {
        is_right(Transfer { has_options: true, ..Transfer::corrected(way, 2, 0) });
    }
}

/// No time-out is so short that a fast network needs it.
#[test]
fn check_fast_network() {
    let fast = Udp::new().delay(Duration::ZERO..=Duration::from_millis(400));
    for way in [Way::Write, Way::Read] {
        let transfer = Transfer::corrected(way, 3, 4);
        let at_once = Transfer { serving: Serving::Always, ..Transfer::corrected(way, 1, 0) };
        for transfer in [transfer, Transfer { has_options: true, ..transfer }, at_once] {
            let report = transfer.check_within(fast.clone(), PATIENCE_S);
            assert_eq!(report.verdict(), Verdict::Verified, "{transfer:?}: {report}");
            assert_eq!(report.outputs("client"), ["Ok(())"], "{transfer:?}");
        }
    }
}

/// The versions with faults have them.
#[test]
fn check_faults() {
    for version in [
        Version::FixedTimeout,
        Version::Apprentice,
        Version::FinalAckForAnyData,
        Version::NoFinalAckAgain,
        Version::OnceTooOften,
        Version::BlockTooMany,
    ] {
        let transfer = Transfer { version, ..Transfer::corrected(Way::Write, 2, 1) };
        let report = transfer.check_within(any_delay(), PATIENCE_S);
        assert_eq!(report.verdict(), Verdict::Violated, "{version:?}: {report}");
    }
}

/// The budget of a method for one mutant.
const BUDGET: Budget = Budget { executions: 2_000, states: 4_000, time: Duration::from_secs(60) };

#[track_caller]
fn finds_nothing(method: Method) {
    // The paper's transfer.
    let outcome = method.run(Transfer::corrected(Way::Write, 3, 4), BUDGET);
    assert!(!outcome.is_violated(), "{}", outcome.report);
}

/// A test for each method, so that the log of a mutant says which ones have killed it.
macro_rules! methods {
    ($($name:ident: $method:expr),* $(,)?) => {
        $(
            #[test]
            #[ignore = "compares methods on mutants, which takes as long as all checks: .ci/mutants"]
            fn $name() {
                finds_nothing($method);
            }
        )*
    };
}

methods! {
    method_spd: Method::Spd,
    method_ran: Method::Ran,
    method_ns: Method::Ns,
    method_pr1: Method::Pr(1),
    method_nspr1: Method::NsPr(1),
    method_pr2: Method::Pr(2),
    method_nspr2: Method::NsPr(2),
    method_pr5: Method::Pr(5),
    method_exhaustive: Method::Exhaustive,
}
