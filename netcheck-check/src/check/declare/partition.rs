//! Declaring that the network falls apart.

use super::known_process;
use crate::error::Error;
use netcheck_models::host::reach::{self, Cut, splits};

/// More hosts have too many subsets.
const SPLIT_MAX: usize = 12;

/// Cuts are counted.
const TIMES_MAX: usize = 255;

/// Declared cuts of the network.
///
/// A cut stops all that the hosts on one side of it send to those on the other: datagrams are lost, connects wait, and what
/// goes over a TCP connection waits and comes in order when the cut heals. What was under way when the cut was made may
/// have come or not: of each channel of datagrams any last ones are lost, and of what each end of a connection has written
/// any last writes wait. A cut may be made at any time, and heals at any later one. Each cut is a fault for
/// [`Checker::at_most`](crate::check::Checker::at_most). Where datagrams take time (`delay`), one is lost that is sent over a
/// link that is cut, or whose link is cut when it would arrive. Not with `delay` in `tcp(…)`, nor with `delay` and `window`
/// together.
#[derive(Clone, Debug)]
#[must_use]
pub struct Partition {
    what: What,
    one_way: bool,
    for_ever: bool,
    times: u32,
}

/// The links that are cut together.
#[derive(Clone, Debug)]
enum What {
    Isolate(String),
    Between([Hosts; 2]),
    Halves,
    Any,
}

/// The processes on one side of a cut.
///
/// # Examples
///
/// ```
/// use netcheck_check::check::Partition;
///
/// // The link between two processes, and the links from two processes to a third.
/// drop(Partition::between(["client", "server"]));
/// drop(Partition::between([&["client", "proxy"][..], &["server"]]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hosts(Vec<String>);

impl From<&str> for Hosts {
    fn from(process: &str) -> Hosts {
        Hosts(vec![process.to_owned()])
    }
}

impl From<String> for Hosts {
    fn from(process: String) -> Hosts {
        Hosts(vec![process])
    }
}

impl From<&String> for Hosts {
    fn from(process: &String) -> Hosts {
        Hosts(vec![process.clone()])
    }
}

impl<P: Into<String>> From<Vec<P>> for Hosts {
    fn from(processes: Vec<P>) -> Hosts {
        Hosts(processes.into_iter().map(Into::into).collect())
    }
}

impl<P: Clone + Into<String>> From<&[P]> for Hosts {
    fn from(processes: &[P]) -> Hosts {
        Hosts(processes.iter().cloned().map(Into::into).collect())
    }
}

impl Partition {
    /// All links between this process and the others.
    pub fn isolate(process: impl Into<String>) -> Self {
        Partition::of(What::Isolate(process.into()))
    }

    /// The links between these two processes, or between each process of the first set and each of the second.
    pub fn between(sides: [impl Into<Hosts>; 2]) -> Self {
        Partition::of(What::Between(sides.map(Into::into)))
    }

    /// The links between two halves of the processes, in each way to halve them. Of an odd number, one half has one more.
    pub fn halves() -> Self {
        Partition::of(What::Halves)
    }

    /// The links between some processes and the others, in each way to choose them.
    pub fn any() -> Self {
        Partition::of(What::Any)
    }

    fn of(what: What) -> Self {
        Partition { what, one_way: false, for_ever: false, times: 1 }
    }

    /// Only one direction is cut: from the isolated process to the others, from the first process or set to the second, and from
    /// one side to the other, whichever it is.
    pub fn one_way(mut self) -> Self {
        self.one_way = true;
        self
    }

    /// A cut never heals. Who waits for something behind it is in a deadlock.
    pub fn for_ever(mut self) -> Self {
        self.for_ever = true;
        self
    }

    /// How many cuts there may be in one execution, unless it is one.
    ///
    /// # Panics
    /// If `times` is 0, or over 255.
    #[track_caller]
    pub fn times(mut self, times: usize) -> Self {
        assert!((1..=TIMES_MAX).contains(&times), "there are from 1 to 255 cuts: `times` says how many there may be");
        self.times = times as u32;
        self
    }

    /// As a word of the attribute.
    pub(in crate::check) fn in_words(&self) -> String {
        let what = match &self.what {
            What::Isolate(process) => format!("isolate = {process:?}"),
            What::Between([Hosts(one), Hosts(other)]) => match (&one[..], &other[..]) {
                ([one], [other]) => format!("between = {:?}", [one, other]),
                _ => format!("between = {:?}", [one, other]),
            },
            What::Halves => "halves".to_owned(),
            What::Any => "any".to_owned(),
        };
        let said = |said: bool, word: &str| said.then(|| word.to_owned());
        let times = (self.times > 1).then(|| format!("times = {}", self.times));
        let words = [Some(what), said(self.one_way, "one_way"), said(self.for_ever, "for_ever"), times];
        format!("partition({})", words.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }

    pub(in crate::check) fn partition(&self, names: &[&str]) -> Result<reach::Partition, Error> {
        let number = |what: &str, name: &String| known_process(what, name, names).map(|process| process.0);
        let hosts = u32::try_from(names.len()).expect("there are fewer processes");
        let sides = |accepts: &dyn Fn(usize) -> bool| match names.len() > SPLIT_MAX {
            true => Err(Error::new(format!(
                "`partition` splits the hosts of all processes, and {hosts} have too many subsets to try each (at most \
                 {SPLIT_MAX}): say which link or process, as in `partition(isolate = {:?})`",
                names[0]
            ))),
            false => Ok(splits(hosts, accepts).collect::<Vec<_>>()),
        };
        let sides: Vec<(Vec<u32>, Vec<u32>)> = match &self.what {
            What::Isolate(process) => {
                let isolated = number("partition(isolate = …)", process)?;
                vec![(vec![isolated], (0..hosts).filter(|&host| host != isolated).collect())]
            }
            What::Between(sides) => {
                let numbers = |Hosts(names): &Hosts| {
                    names.iter().map(|name| number("partition(between = …)", name)).collect::<Result<Vec<u32>, Error>>()
                };
                let [one, other] = sides.each_ref().map(numbers);
                vec![(one?, other?)]
            }
            What::Halves => sides(&|smaller| smaller == names.len() / 2)?,
            What::Any => sides(&|_| true)?,
        };
        let is_of_all = matches!(self.what, What::Halves | What::Any);
        let cuts = sides.into_iter().flat_map(|(one, other)| match self.one_way {
            true => {
                let back = is_of_all.then(|| Cut::between(&other, &one));
                [Some(Cut::between(&one, &other)), back]
            }
            false => [Some(Cut::between(&one, &other).both_ways()), None],
        });
        let cuts: Vec<Cut> = cuts.flatten().filter(|cut| !cut.is_empty()).collect();
        if cuts.is_empty() {
            return Err(Error::new(format!(
                "`{}` cuts no link: there has to be another process on the other side",
                self.in_words()
            )));
        }
        Ok(reach::Partition { cuts, times: self.times, heals: !self.for_ever })
    }
}
