//! Answers of a peer: from what is known of it, or by asking it.

use crate::branches::{Branch, Branches};
use crate::error::Error;
use crate::exchange::{Input, Output};
use crate::external::{External, Service};
use crate::file;
use crate::worker::Worker;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The variable that says whether peers are asked.
const VARIABLE: &str = "NETCHECK_PEERS";

/// The time between two writes of the file.
const SAVED_EVERY: Duration = Duration::from_secs(5);

/// A real peer with all that is known of it.
pub struct Peer {
    name: String,
    services: Vec<Service>,
    description: String,
    is_nondeterministic: bool,
    minds_pieces: bool,
    can_be_killed: bool,
    path: PathBuf,
    mode: Mode,
    branches: Arc<Mutex<Branches>>,
    asked: Mutex<Asked>,
    runs: Arc<AtomicU64>,
    worker: Mutex<Link>,
}

/// Where answers come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// From the file, and what is not there from the peer.
    Auto,
    /// From the peer; the file is written anew.
    Record,
    /// From the file alone.
    Replay,
}

/// The questions so far.
#[derive(Default)]
struct Asked {
    /// The number of answers that were given to each question: it must not change, as a check relies on it.
    answers: BTreeMap<Branch, Vec<(Input, usize)>>,
    from_cache: u64,
    learned: u64,
    spent: Duration,
    saved: Option<Instant>,
    is_unsaved: bool,
}

/// The way to the thread that talks to the peer.
struct Link {
    questions: Sender<(Branch, Input)>,
    answers: Receiver<Result<(), Error>>,
}

/// One way in which a peer answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The history that it leads to.
    pub branch: Branch,
    /// The peer's outputs.
    pub outputs: Vec<Output>,
}

/// How much was asked of a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeerCounts {
    /// Questions that were answered without it.
    pub from_cache: u64,
    /// Questions that it was asked.
    pub learned: u64,
    /// Instances of it that were started, or connected to anew.
    pub runs: u64,
    /// The time that it took.
    pub spent: Duration,
}

impl fmt::Display for PeerCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PeerCounts { from_cache, learned, runs, spent } = *self;
        match learned {
            0 => write!(f, "{from_cache} answers from its file, none asked for"),
            _ => write!(
                f,
                "{from_cache} answers from its file, {learned} asked for in {runs} runs, which took {:.1} s",
                spent.as_secs_f64()
            ),
        }
    }
}

impl Peer {
    /// The peer of a name; its answers are kept below `folder`, unless it says where.
    ///
    /// # Errors
    /// If it is described wrongly, or the file of its answers can't be read.
    pub fn new(name: &str, external: &External, folder: &Path) -> Result<Peer, Error> {
        let (name, services) = external.named(name).map_err(Error::new)?;
        let mode = mode()?;
        let path = external.cache.clone().unwrap_or_else(|| folder.join(format!("{name}.json")));
        let description = external.description();
        let known = match mode {
            Mode::Record => Branches::default(),
            Mode::Auto | Mode::Replay => file::read(&path, &description)?,
        };
        let (branches, runs) = (Arc::new(Mutex::new(known)), Arc::new(AtomicU64::new(0)));
        let (questions, asked) = channel::<(Branch, Input)>();
        let (answered, answers) = channel();
        let mut worker =
            Worker::new(name.clone(), external.clone(), services.clone(), Arc::clone(&branches), Arc::clone(&runs));
        let work = move || {
            for (branch, input) in asked {
                if answered.send(worker.learn(branch, &input)).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().name(format!("netcheck: peer {name}")).spawn(work);
        thread.map_err(|error| Error::new(format!("no thread for external \"{name}\": {error}")))?;
        Ok(Peer {
            name,
            services,
            description,
            is_nondeterministic: external.is_nondeterministic,
            minds_pieces: external.minds_pieces || external.is_nondeterministic,
            can_be_killed: external.can_be_killed(),
            path,
            mode,
            branches,
            asked: Mutex::default(),
            runs,
            worker: Mutex::new(Link { questions, answers }),
        })
    }

    /// The name of its host.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it can be killed ([`Input::Killed`]).
    pub fn can_be_killed(&self) -> bool {
        self.can_be_killed
    }

    /// Its ports.
    pub fn services(&self) -> &[Service] {
        &self.services
    }

    /// Its answer to an input after a history: one way, unless it is
    /// declared to have several. Asked again, the answer is the same.
    ///
    /// Blocks while the peer is asked.
    ///
    /// # Errors
    /// If it can't be started, dies, does not stop sending, contradicts itself, or may not be asked.
    pub fn answers(&self, at: Branch, input: &Input) -> Result<Vec<Answer>, Error> {
        let mut asked = lock(&self.asked);
        let (asked_at, asked_input) = (at, input);
        let (at, input) = match self.minds_pieces {
            true => (at, input.clone()),
            false => lock(&self.branches).in_one_piece(at, input),
        };
        let input = &input;
        let known = lock(&self.branches).after(at, input).len();
        let given = asked.answers.get(&at).into_iter().flatten().find(|(question, _)| question == input);
        match given {
            Some((_, given)) if known > *given => return Err(self.grown(at, input)),
            Some(_) => {}
            None => {
                if known > 0 {
                    asked.from_cache += 1;
                } else {
                    self.learn(&mut asked, asked_at, asked_input)?;
                }
                let count = lock(&self.branches).after(at, input).len();
                asked.answers.entry(at).or_default().push((input.clone(), count));
            }
        }
        let branches = lock(&self.branches);
        let following = branches.after(at, input);
        let answer = |branch| Answer { branch, outputs: branches.step(branch).answer.to_vec() };
        Ok(following.into_iter().map(answer).collect())
    }

    /// How much was asked.
    pub fn counts(&self) -> PeerCounts {
        let asked = lock(&self.asked);
        let Asked { from_cache, learned, spent, .. } = *asked;
        PeerCounts { from_cache, learned, runs: self.runs.load(Ordering::Relaxed), spent }
    }

    fn learn(&self, asked: &mut Asked, at: Branch, input: &Input) -> Result<(), Error> {
        if self.mode == Mode::Replay {
            return Err(Error::new(format!(
                "external \"{}\": {} has no answer to {input} after the same history, and {VARIABLE}=replay forbids to \
                 ask the peer\n  \
                 run the test where the peer is, without {VARIABLE} or with {VARIABLE}=record, and keep the file",
                self.name,
                self.path.display()
            )));
        }
        let begun = Instant::now();
        let link = lock(&self.worker);
        let gone = |_| Error::new(format!("the thread of external \"{}\" has ended", self.name));
        link.questions.send((at, input.clone())).map_err(|_| gone(()))?;
        let learned = link.answers.recv().map_err(|_| gone(()));
        asked.learned += 1;
        asked.spent += begun.elapsed();
        asked.is_unsaved = true;
        // Learned answers are kept, also if the next question has none.
        if learned.as_ref().is_ok_and(Result::is_err) || asked.saved.is_none_or(|at| at.elapsed() > SAVED_EVERY) {
            self.save(asked)?;
        }
        learned?
    }

    fn save(&self, asked: &mut Asked) -> Result<(), Error> {
        let anew = self.mode == Mode::Record && asked.saved.is_none();
        let branches = lock(&self.branches).clone();
        file::save(&self.path, &self.description, &branches, anew)?;
        (asked.saved, asked.is_unsaved) = (Some(Instant::now()), false);
        Ok(())
    }

    fn grown(&self, at: Branch, input: &Input) -> Error {
        debug_assert!(self.is_nondeterministic);
        let steps = lock(&self.branches).history(at).len();
        Error::new(format!(
            "external \"{}\" has answered {input}, after {steps} earlier inputs, in a way that was not seen before\n  \
             it is among its known answers now: run the check again",
            self.name
        ))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded_nothing = self.mode == Mode::Record && asked.saved.is_none();
        if (asked.is_unsaved || recorded_nothing)
            && let Err(error) = self.save(&mut asked)
        {
            eprintln!("netcheck: the answers of external \"{}\" are lost: {error}", self.name);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn mode() -> Result<Mode, Error> {
    match std::env::var(VARIABLE).ok().as_deref() {
        None | Some("" | "auto") => Ok(Mode::Auto),
        Some("record") => Ok(Mode::Record),
        Some("replay") => Ok(Mode::Replay),
        Some(other) => Err(Error::new(format!("{VARIABLE} is \"{other}\"; it can be `auto`, `record` or `replay`"))),
    }
}
