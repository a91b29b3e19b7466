//! Monitors in dense time, asked about one execution whose instants are known: they go where a run with readings goes.

use crate::random::{Spec, packets};
use core::time::Duration;
use netcheck_models::monitor::{Asked, Configurations, Marked, Monitor, Question};
use random::Random;
use std::collections::BTreeSet;

/// A monitor with the instants of its marks.
struct Beside<'a> {
    monitor: &'a Monitor<u8>,
    configurations: Configurations,
    marks: Vec<u64>,
    questions: usize,
}

impl Beside<'_> {
    /// Asks again with one more answer, until there is no question any more; says whether the monitor rejects.
    fn go(&mut self, now: u64, attempt: impl Fn(&[bool]) -> Result<Marked, Question>) -> bool {
        let mut answers = Vec::new();
        let marked = loop {
            match attempt(&answers) {
                Ok(marked) => break marked,
                Err(Question { mark, ns, asked }) => {
                    let since = now - self.marks[mark as usize];
                    answers.push(match asked {
                        Asked::IsAtMost | Asked::IsSurelyAtMost => since <= ns,
                        Asked::IsSurelyMore => since > ns,
                    });
                }
            }
        };
        self.questions += answers.len();
        let Ok(to) = marked.to else { return true };
        let instant = |mark: &Option<u32>| mark.map_or(now, |mark| self.marks[mark as usize]);
        self.marks = marked.marks.iter().map(instant).collect();
        assert!(self.marks.windows(2).all(|pair| pair[0] < pair[1]), "by age, each instant once: {:?}", self.marks);
        self.configurations = to;
        false
    }

    /// Takes the next packet; says whether the monitor rejects it, or the time before.
    fn take(&mut self, at: u64, letter: u8) -> bool {
        let (monitor, before) = (self.monitor, self.configurations.clone());
        if self.go(at, |answers| monitor.pass_marked(&before, answers)) {
            return true;
        }
        let before = self.configurations.clone();
        self.go(at, |answers| monitor.step_marked(&before, &letter, answers))
    }
}

#[test]
fn with_known_instants_a_monitor_in_dense_time_goes_where_a_run_goes() {
    let (mut rejected, mut questions, mut marks) = (0, 0, 0);
    for seed in 100_000..120_000 {
        let mut numbers = Random::new(seed);
        let spec = Spec::random(&mut numbers);
        let (packets, _) = packets(&mut numbers, 8);
        let monitor = spec.monitor();
        let mut beside = Beside { monitor: &monitor, configurations: monitor.initial(), marks: vec![0], questions: 0 };
        let mut run = netcheck_models::monitor::Run::new(&monitor, Duration::ZERO);
        for &(at, letter) in &packets {
            let expected = run.step(&letter, Duration::from_nanos(at));
            let is_rejected = beside.take(at, letter);
            assert_eq!(is_rejected, expected.is_err(), "seed {seed}: {spec:?} on {packets:?} at {at}");
            if is_rejected {
                rejected += 1;
                break;
            }
            let words = |configurations| monitor.describe(configurations).into_iter().collect::<BTreeSet<_>>();
            assert_eq!(words(&beside.configurations), words(run.configurations()), "seed {seed}: {spec:?}");
            let ended = [&beside.configurations, run.configurations()].map(|at| monitor.pass(at, Duration::MAX));
            assert_eq!(ended[0].is_ok(), ended[1].is_ok(), "seed {seed}: {spec:?}, time without end");
            marks += beside.marks.len();
        }
        questions += beside.questions;
    }
    assert!(rejected > 5_000 && questions > 50_000 && marks > 10_000, "{rejected}, {questions}, {marks}");
}
