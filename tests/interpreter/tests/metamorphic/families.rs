//! Parents with tasks that share nothing, as data: the random ones, and smaller ones.
//!
//! A task has a socket of its own, gets plain values and ends with plain values, so that it may be an ordinary task or
//! an isolated one. Its parent waits for it, or does not, in every way that there is.

use std::fmt::{self, Display};

use crate::run::permutation;
use random::Random;

/// Processes, and whether datagrams may be lost.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Families {
    pub loss: bool,
    pub families: Vec<Family>,
}

/// A process: what its root does, and what each task does that the root may spawn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Family {
    pub daemon: bool,
    pub parent: Vec<Deed>,
    pub children: Vec<Vec<Act>>,
}

/// A deed of a parent. A deed that needs a handle which the parent does not hold does nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Deed {
    /// once for each child
    Spawn {
        child: usize,
    },
    Await {
        child: usize,
    },
    /// keeps the handle when the time is up
    AwaitAtMost {
        child: usize,
        ms: u64,
    },
    /// in a `select!`; keeps the other handle
    AwaitEither {
        first: usize,
        second: usize,
    },
    Abort {
        child: usize,
    },
    /// once everybody else had a chance to run: without it, no ordinary task can have ended since the parent ran last
    AskFinished {
        child: usize,
    },
    /// drops the handle
    Detach {
        child: usize,
    },
    /// once for each child, instead of `Spawn`
    SpawnIntoSet {
        child: usize,
    },
    JoinNext,
    JoinNextAtMost {
        ms: u64,
    },
    AbortSet,
    Sleep {
        ms: u64,
    },
    Choose {
        among: usize,
    },
    Yield,
    WaitForEver,
}

/// An act of a task that shares nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, netcheck::Isolated)]
pub enum Act {
    Sleep {
        ms: u64,
    },
    /// a `timeout` of `limit_ms` around a sleep of `ms`
    SleepAtMost {
        ms: u64,
        limit_ms: u64,
    },
    Choose {
        among: usize,
    },
    Yield,
    /// to the socket of a child of a process
    Send {
        process: usize,
        child: usize,
        value: u8,
    },
    Receive,
    ReceiveAtMost {
        ms: u64,
    },
    /// panics if this is the last value that the task has got
    AssertNot {
        value: u8,
    },
    WaitForEver,
}

impl Act {
    pub fn needs_socket(self) -> bool {
        matches!(self, Act::Send { .. } | Act::Receive | Act::ReceiveAtMost { .. })
    }
}

impl Family {
    /// Whether the parent selects on the handle of a task that it has spawned or aborted in the same poll.
    fn selects_at_once(&self) -> bool {
        let mut touched = Vec::new();
        self.parent.iter().any(|deed| {
            match *deed {
                Deed::Spawn { child } | Deed::Abort { child } => touched.push(child),
                Deed::AwaitEither { first, second } => return touched.contains(&first) || touched.contains(&second),
                Deed::Yield | Deed::Sleep { .. } => touched.clear(),
                _ => {}
            }
            false
        })
    }
}

impl Families {
    /// Whether isolated tasks do just what ordinary ones do. An isolated task runs as on another thread: at one instant
    /// it may end before or after its parent's patience is over, nobody knows in which order such tasks ended that
    /// a set gives, and it may end in the parent's poll that spawns or aborts it.
    pub fn are_alike_isolated(&self) -> bool {
        let has_set = |family: &Family| family.parent.iter().any(|deed| matches!(deed, Deed::SpawnIntoSet { .. }));
        !self.families.iter().any(|family| has_set(family) || family.selects_at_once()) && !self.has_ties()
    }

    /// Whether two timers may fire at one instant. They do not if each is longer than all shorter ones together.
    fn has_ties(&self) -> bool {
        let mut families = self.clone();
        let mut lengths = Vec::new();
        families.for_all_timers(&mut |ms| lengths.push(*ms));
        lengths.sort_unstable();
        let mut all_shorter = 0;
        lengths.into_iter().any(|ms| {
            let is_tied = ms <= all_shorter;
            all_shorter += ms;
            is_tied
        })
    }

    /// Gives each timer a power of two, in any order.
    fn untie(&mut self, random: &mut Random) {
        let mut count = 0;
        self.for_all_timers(&mut |_| count += 1);
        let mut powers = permutation(random, count).into_iter();
        self.for_all_timers(&mut |ms| *ms = 1 << powers.next().expect("one for each"));
    }

    fn for_all_timers(&mut self, visit: &mut impl FnMut(&mut u64)) {
        for family in &mut self.families {
            for deed in &mut family.parent {
                if let Deed::AwaitAtMost { ms, .. } | Deed::JoinNextAtMost { ms } | Deed::Sleep { ms } = deed {
                    visit(ms);
                }
            }
            for act in family.children.iter_mut().flatten() {
                match act {
                    Act::Sleep { ms } | Act::ReceiveAtMost { ms } => visit(ms),
                    Act::SleepAtMost { ms, limit_ms } => {
                        visit(ms);
                        visit(limit_ms);
                    }
                    _ => {}
                }
            }
        }
    }
}

const PAUSES_MS: [u64; 5] = [10, 10, 10, 20, 30];

/// In which ways parents look at the ends of their tasks: each of these does what those before it do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ways {
    /// waits for one or for either, in time or not; detaches and aborts
    Await,
    /// asks whether one has ended, too
    Ask,
    /// has them in a `JoinSet`, too
    Set,
}

/// Whether the parents may wait for ever.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parents {
    Processes,
    Daemons,
}

/// In those of odd seeds no two timers fire at one instant.
pub fn families(seed: u64, parents: Parents, ways: Ways) -> Families {
    let mut random = Random::new(seed ^ 0xfa41_1135);
    let processes = if random.percent(70) { 1 } else { 2 };
    let quiet = random.percent(60);
    let counts: Vec<usize> = (0..processes).map(|_| random.one_of(&[1, 2, 2, 2, 2, 3])).collect();
    let family = |&children: &usize| {
        let mut parent = parent(&mut random, children, ways);
        if random.percent(if parents == Parents::Daemons { 15 } else { 3 }) {
            parent.push(Deed::WaitForEver);
        }
        let children = (0..children).map(|_| child(&mut random, &counts, quiet));
        Family { children: children.collect(), parent, daemon: parents == Parents::Daemons }
    };
    let families = counts.iter().map(family).collect();
    let mut families = Families { loss: random.percent(30), families };
    if !seed.is_multiple_of(2) {
        families.untie(&mut random);
    }
    families
}

fn parent(random: &mut Random, children: usize, ways: Ways) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let has_set = ways == Ways::Set && random.percent(70);
    for child in 0..children {
        deeds.push(if has_set { Deed::SpawnIntoSet { child } } else { Deed::Spawn { child } });
        if random.percent(25) {
            deeds.push(pause(random));
        }
    }
    for _ in 0..random.index(4) + 1 {
        let (child, ms) = (random.index(children), random.one_of(&PAUSES_MS));
        deeds.push(match (random.index(11), has_set) {
            (0..4, true) => Deed::JoinNext,
            (4..6, true) => Deed::JoinNextAtMost { ms },
            (6, true) => Deed::AbortSet,
            (0..3, false) => Deed::Await { child },
            (3, false) => Deed::AwaitAtMost { child, ms },
            (4, false) => Deed::AwaitEither { first: child, second: random.index(children) },
            (5, false) => Deed::Abort { child },
            (6, false) => Deed::Detach { child },
            (7..9, false) if ways >= Ways::Ask => Deed::AskFinished { child },
            _ => pause(random),
        });
    }
    deeds
}

fn pause(random: &mut Random) -> Deed {
    match random.index(4) {
        0 => Deed::Yield,
        1 => Deed::Choose { among: 2 },
        _ => Deed::Sleep { ms: random.one_of(&PAUSES_MS) },
    }
}

fn child(random: &mut Random, counts: &[usize], quiet: bool) -> Vec<Act> {
    let mut acts = Vec::new();
    for _ in 0..random.index(3) + 1 {
        let ms = random.one_of(&PAUSES_MS);
        acts.push(match random.index(14) {
            0..5 => Act::Sleep { ms },
            5 => Act::SleepAtMost { ms, limit_ms: random.one_of(&PAUSES_MS) },
            6 => Act::Yield,
            7 if random.percent(40) => Act::WaitForEver,
            8 | 9 => {
                let process = random.index(counts.len());
                Act::Send { process, child: random.index(counts[process]), value: 1 + random.index(2) as u8 }
            }
            10 if random.percent(40) => Act::Receive,
            11 | 12 => Act::ReceiveAtMost { ms },
            _ => Act::Choose { among: 2 },
        });
        if !quiet && random.percent(15) {
            acts.push(Act::AssertNot { value: random.index(3) as u8 });
        }
    }
    acts
}

/// One of each that a relation was found to fail on.
pub fn found() -> Vec<Families> {
    use Deed::*;
    let family = |daemon, parent: &[Deed], children: &[&[Act]]| {
        let children = children.iter().map(|acts| acts.to_vec()).collect();
        Families { loss: false, families: vec![Family { daemon, parent: parent.to_vec(), children }] }
    };
    let (sleep, elapses) = (Act::Sleep { ms: 10 }, Act::SleepAtMost { ms: 20, limit_ms: 10 });
    let spawn = Spawn { child: 0 };
    let into_set = |child| SpawnIntoSet { child };
    vec![
        // a daemon that waits for a task with a timer
        family(true, &[spawn, Await { child: 0 }], &[&[sleep]]),
        family(true, &[into_set(0), JoinNext], &[&[sleep]]),
        // and which waits for one, while another one has a timer
        family(true, &[spawn, Spawn { child: 1 }, Await { child: 1 }], &[&[Act::ReceiveAtMost { ms: 30 }], &[]]),
        // it is not seen to have ended as soon as it is aborted
        family(false, &[spawn, Abort { child: 0 }, AskFinished { child: 0 }], &[&[]]),
        // its end and the end of the parent's patience, at one instant
        family(
            false,
            &[spawn, AwaitAtMost { child: 0, ms: 10 }, Abort { child: 0 }, Await { child: 0 }],
            &[&[elapses]],
        ),
        // tasks come out of a set in the order in which they ended
        family(false, &[into_set(0), into_set(1), Sleep { ms: 10 }, JoinNext], &[&[], &[elapses]]),
        family(false, &[into_set(0), Sleep { ms: 30 }, into_set(1), JoinNextAtMost { ms: 10 }], &[&[], &[]]),
        // a parent that asks whether a task has ended, and then waits for it
        family(false, &[spawn, AskFinished { child: 0 }, Await { child: 0 }], &[&[]]),
        // the timers of a tracked parent and of its task
        family(false, &[spawn, AwaitAtMost { child: 0, ms: 30 }], &[&[sleep]]),
        family(false, &[into_set(0), JoinNextAtMost { ms: 20 }], &[&[Act::Sleep { ms: 20 }]]),
    ]
}

impl Display for Families {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "udp({})", if self.loss { "loss" } else { "" })?;
        for (index, Family { daemon, parent, children }) in self.families.iter().enumerate() {
            writeln!(f, "{} p{index}: {parent:?}", if *daemon { "daemon" } else { "process" })?;
            for (index, child) in children.iter().enumerate() {
                writeln!(f, "  child {index}: {child:?}")?;
            }
        }
        Ok(())
    }
}

/// The smallest that can be reached by leaving things out while it still fails.
pub fn shrink(families: &Families, fails: &mut dyn FnMut(&Families) -> bool) -> Families {
    let mut smallest = families.clone();
    while let Some(smaller) = smaller(&smallest).into_iter().find(|smaller| fails(smaller)) {
        smallest = smaller;
    }
    smallest
}

fn smaller(families: &Families) -> Vec<Families> {
    let mut candidates = Vec::new();
    let mut change = |to: &dyn Fn(&mut Families)| {
        let mut candidate = families.clone();
        to(&mut candidate);
        if candidate != *families {
            candidates.push(candidate);
        }
    };
    for (index, family) in families.families.iter().enumerate() {
        change(&|families| families.families[index].parent.clear());
        for deed in 0..family.parent.len() {
            change(&|families| _ = families.families[index].parent.remove(deed));
        }
        for (child, acts) in family.children.iter().enumerate() {
            for act in 0..acts.len() {
                change(&|families| _ = families.families[index].children[child].remove(act));
            }
        }
    }
    change(&|families| families.loss = false);
    candidates
}
