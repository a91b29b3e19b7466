//! What `netcheck::tracked` has in place of the types of `tokio::sync` that count does what tokio's do: random sequences of
//! calls and polls are made on both, one at a time, and every result is compared, every wake-up, and when values are cloned
//! and dropped.
//!
//! - `NETCHECK_CALLS_SEED=17` makes that sequence only, and prints it.
//! - `NETCHECK_CALLS_SEEDS=5000..90000` makes these instead.
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the sequences are for")]

mod checked;
mod real;
mod record;

use std::collections::BTreeMap;
use std::ops::Range;

/// Steps of a sequence.
const STEPS: usize = 60;

/// The lines of each step.
type Record = Vec<Vec<String>>;

fn agree(real: fn(u64, usize) -> Record, checked: fn(u64, usize) -> Record, seeds: Range<u64>) {
    let (seeds, is_chosen) = chosen().map_or((seeds, false), |seeds| (seeds, true));
    let mut calls: BTreeMap<String, usize> = BTreeMap::new();
    let mut woken = 0;
    for seed in seeds {
        let [expected, seen] = [real, checked].map(|record| record(seed, STEPS));
        if is_chosen {
            println!("{seed}: {seen:#?}");
        }
        if let Some(step) = (0..expected.len().max(seen.len())).find(|&step| expected.get(step) != seen.get(step)) {
            panic!(
                "seed {seed}, step {step}: tokio {:?}, netcheck {:?}, after\n{:#?}",
                expected.get(step),
                seen.get(step),
                &expected[..step]
            );
        }
        for step in &seen {
            let call = step[0].split(['(', ' ']).next().unwrap_or_default();
            *calls.entry(call.to_owned()).or_default() += 1;
            woken += step.iter().filter(|line| line.starts_with("woken")).count();
        }
    }
    println!("{woken} wake-ups, {calls:?}");
    assert!(is_chosen || woken > 1_000, "too little happens: {woken} wake-ups, {calls:?}");
}

fn chosen() -> Option<Range<u64>> {
    random::seeds_asked_for("CALLS")
}

macro_rules! agree {
    ($($(#[$docs:meta])* $name:ident: $area:ident::$record:ident;)*) => { $(
        $(#[$docs])*
        #[test]
        fn $name() {
            agree(real::$area::$record, checked::$area::$record, 0..5_000);
        }
    )* };
}

agree! {
    bounded_channels_do_what_tokios_do: mpsc::bounded;
    unbounded_channels_do_what_tokios_do: mpsc::unbounded;
    broadcasts_do_what_tokios_do: broadcast::broadcast;
    /// But for the order of wake-ups, which is tokio's chance.
    watched_values_do_what_tokios_do: watch::watch;
    notifications_do_what_tokios_do: notify::notify;
    /// But for the order of wake-ups, as above.
    barriers_do_what_tokios_do: notify::barrier;
}
