//! Checks with the reduction and without it.

use netcheck::check::{Checker, Report, Verdict};

/// The report of a check with the reduction and without it, which find the same.
pub(crate) fn checked(checker: Checker, register: impl Fn(&mut netcheck::Network) + Copy) -> Report {
    let [reduced, all] = [true, false].map(|reduction| checker.clone().reduction(reduction).check(|net| register(net)));
    assert_eq!(reduced.verdict(), all.verdict(), "{reduced}\n{all}");
    if reduced.verdict() == Verdict::Verified {
        for name in ["client", "server"] {
            assert_eq!(reduced.outputs(name), all.outputs(name));
        }
    }
    reduced
}
