//! Registering the programs of a check.

use crate::external::{self, External};
use netcheck_peer::Peer;
use netcheck_runtime::capture;
use netcheck_runtime::coverage;
use netcheck_runtime::history::{self, Sequential};
use netcheck_runtime::operation::files::Tree;
use netcheck_runtime::property::{End, Finally, Judgement};
use netcheck_runtime::unit::payload::Payloads;
use netcheck_runtime::unit::program::RootFuture;
use netcheck_runtime::world::monitors::observer::Observer;
use std::any::{Any, TypeId, type_name};
use std::backtrace::Backtrace;
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The processes of a check and what must hold at their end.
#[derive(Clone, Default)]
pub struct Network {
    pub(crate) processes: Vec<Registered>,
    pub(crate) finally: Vec<Finally>,
    pub(crate) monitors: Vec<Observer>,
    /// How payloads are shown.
    pub(crate) payloads: Payloads,
    /// Names of `sometimes!` that must be met.
    pub(crate) claims: Vec<String>,
    /// The names that `eventually!` has to hold for.
    pub(crate) at_last: Vec<String>,
    /// Whether these processes are all there is: who waits for a next client waits in vain.
    pub(crate) closed: bool,
    /// The functions that were running when the first process was registered: the program's are among them.
    pub(crate) registering: Option<Arc<Backtrace>>,
}

/// A process as the user registered it.
#[derive(Clone)]
pub struct Registered {
    pub(crate) name: String,
    pub(crate) daemon: bool,
    /// Whether it may end with an `Err`.
    pub(crate) may_fail: bool,
    pub(crate) after: Vec<String>,
    pub(crate) args: Arc<[String]>,
    /// The files that are there at the start.
    pub(crate) files: Arc<Tree>,
    /// Begins a run, which may end with an `Err` or not.
    pub(crate) factory: Arc<dyn Fn(bool) -> RootFuture + Send + Sync>,
    /// The user's own function or closure.
    pub(crate) factory_type: TypeId,
    pub(crate) location: &'static Location<'static>,
    /// The real peer that it stands in for.
    pub(crate) peer: Option<Arc<Peer>>,
}

impl Network {
    /// A process: an address space, a host and a root async fn. `factory` is called for
    /// every fresh run of it.
    ///
    /// When the root ends, the process ends, with all its tasks. What it ended with can be
    /// asked for by its Debug text.
    ///
    /// # Panics
    /// If another process has the name, or the name can't be part of an address.
    #[track_caller]
    pub fn process<F, Fut>(&mut self, name: impl Into<String>, factory: F) -> &mut Registered
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future + 'static,
        Fut::Output: fmt::Debug + 'static,
    {
        self.register(name.into(), false, factory, Location::caller())
    }

    /// A process that may wait for ever: that it has not ended is no deadlock. Servers do not give up: that it ends with
    /// an `Err` is a violation, unless it [may fail](Registered::may_fail).
    ///
    /// # Panics
    /// If another process has the name, or the name can't be part of an address.
    #[track_caller]
    pub fn daemon<F, Fut>(&mut self, name: impl Into<String>, factory: F) -> &mut Registered
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future + 'static,
        Fut::Output: fmt::Debug + 'static,
    {
        self.register(name.into(), true, factory, Location::caller())
    }

    /// A real peer, which is not under check: its name is that of its host with the port of its first service, such as
    /// `redis:6379`. To programs under check it is a daemon like any other, and all others start after it.
    ///
    /// All declared faults happen between it and the programs: a datagram that is lost never reaches it, one that is
    /// duplicated reaches it twice, a reset is a real one. It knows no time: see [`External`] for what an answer is.
    /// Answers are kept in a file, and a check whose questions are all answered there starts no peer. With
    /// `NETCHECK_PEERS=record` they are asked anew, with `NETCHECK_PEERS=replay` a missing one is an error.
    ///
    /// # Panics
    /// If another process has the name, if it has no port, if the peer is described wrongly, or if its file can't be
    /// read.
    #[track_caller]
    pub fn external(&mut self, name: impl AsRef<str>, peer: External) -> &mut Registered {
        let peer = external::peer(name.as_ref(), &peer);
        let name = peer.name().to_owned();
        self.must_be_free(&name);
        let factory = Arc::new(external::factory(Arc::clone(&peer)));
        self.processes.push(Registered {
            name,
            daemon: true,
            may_fail: true,
            after: Vec::new(),
            args: Arc::default(),
            files: Arc::default(),
            factory,
            factory_type: TypeId::of::<External>(),
            location: Location::caller(),
            peer: Some(peer),
        });
        self.processes.last_mut().expect("just pushed")
    }

    /// A property of every end: evaluated where nothing can happen any more, with the
    /// outputs of the processes. It may return a `Result`, whose error says why the end is wrong, or a `bool`, or assert.
    /// A violation shows its source line, and what all processes ended with.
    ///
    /// ```
    /// # use netcheck_check::{check::Checker, report::Verdict};
    /// let report = Checker::new().check(|net| {
    ///     net.process("client", || async { 41 + 1 });
    ///     net.finally(|end| end.value::<i32>("client").is_some_and(|answer| answer % 2 == 0));
    /// });
    /// assert_eq!(report.verdict(), Verdict::Verified);
    /// ```
    #[track_caller]
    pub fn finally<J: Judgement>(&mut self, property: impl Fn(&End) -> J + Send + Sync + 'static) {
        self.finally.push(Finally { judge: Arc::new(move |end| property(end).judge()), location: Location::caller() });
    }

    /// A monitor that watches every execution; any number may. Where it rejects, that is a violation of its own kind,
    /// [`Monitor`](netcheck_runtime::ViolationKind::Monitor). It sees what its decoder makes events of: see
    /// [`Observer`](netcheck_runtime::monitor::Observer), and [`Observe`](netcheck_runtime::monitor::Observe) for a
    /// [`Monitor`](netcheck_runtime::monitor::Monitor) as it is.
    ///
    /// Its clocks are those of the check: time passes only while the programs wait for timers, and with `delay` while
    /// packets are under way; there a clock reads any time that their delays allow. Where nothing can happen
    /// any more, and that is no deadlock, time passes without end: a deadline that is then missed rejects the end.
    pub fn monitor(&mut self, monitor: impl Into<Observer>) {
        self.monitors.push(monitor.into());
    }

    /// An object that the programs share, by what it does for one caller at a time: their calls, which they tell with
    /// [`invoke`](netcheck_runtime::history::invoke), are *linearizable*. Each takes effect at one instant between its
    /// invocation and its return, and all answers are those of the object. A call that never returns, because its process has
    /// crashed or has dropped it, may take effect at any later time, or never.
    ///
    /// It sees the calls whose operations have the type of its own, and each key of
    /// [`invoke_on`](netcheck_runtime::history::invoke_on) has an object of its own. An answer that no order of the calls
    /// explains is a violation of the kind [`Monitor`](netcheck_runtime::ViolationKind::Monitor); its counterexample shows
    /// the calls.
    ///
    /// ```
    /// # use netcheck_check::{check::Checker, report::Verdict};
    /// # use netcheck_runtime::history::{self, Register, RegisterAnswer, RegisterOperation};
    /// let report = Checker::new().check(|net| {
    ///     net.linearizable(Register::new(0));
    ///     net.process("client", || async {
    ///         history::invoke(RegisterOperation::Write(1)).returned(RegisterAnswer::<i32>::Written);
    ///         history::invoke(RegisterOperation::<i32>::Read).returned(RegisterAnswer::Value(0));
    ///     });
    /// });
    /// let found = report.counterexample().unwrap();
    /// assert!(found.message().starts_with("Register<i32> is not linearizable: Read by client returned Value(0) at "));
    /// ```
    pub fn linearizable<S: Sequential>(&mut self, object: S) {
        self.monitors.push(history::linearizable(object));
    }

    /// As [`linearizable`](Network::linearizable), but the calls are only *sequentially consistent*: they have one order that
    /// keeps the order within each process, and explains all answers. A call may take effect before calls of others that had
    /// returned when it was invoked, as where a cache answers.
    ///
    /// This is claimed of each execution so far, and not only of whole ones. Since a call may take effect long after it has
    /// returned, all calls so far are part of the state: a program that makes calls for ever has states without end.
    pub fn sequentially_consistent<S: Sequential>(&mut self, object: S) {
        self.monitors.push(history::sequentially_consistent(object));
    }

    /// How payloads are shown in counterexamples, pages and diagrams: for binary protocols, in place of `b"\0\x03\0\x01ab"`.
    /// `None` where it does not know some bytes: they may be any part of what a program sends or reads. Several may be
    /// given; the first that knows some bytes describes them.
    ///
    /// It changes nothing but words. If it panics, the bytes are shown as they are.
    ///
    /// ```
    /// # use netcheck_check::Network;
    /// fn check(net: &mut Network) {
    ///     net.describe(|bytes| match bytes {
    ///         [0, 3, high, low, data @ ..] => Some(format!("DATA {} {data:?}", u16::from_be_bytes([*high, *low]))),
    ///         _ => None,
    ///     });
    /// }
    /// ```
    pub fn describe(&mut self, description: impl Fn(&[u8]) -> Option<String> + Send + Sync + 'static) {
        self.payloads.descriptions.push(Arc::new(description));
    }

    /// The `sometimes!` of this name has to hold in some execution, even if no execution comes to
    /// where it stands. (Those that are met have to hold anyway.)
    pub fn sometimes(&mut self, name: impl Into<String>) {
        self.claims.push(name.into());
    }

    /// The `eventually!` of this name has to hold at last: in every execution that ends, and in every fair one that goes on for
    /// ever, as far as these are [looked for](crate::check::Checker::liveness). It is a monitor with a state that has to be
    /// left.
    pub fn eventually(&mut self, name: impl Into<String>) {
        let name = name.into();
        if !self.at_last.contains(&name) {
            self.monitor(coverage::comes_at_last(&name));
            self.at_last.push(name);
        }
    }

    #[track_caller]
    fn register<F, Fut>(
        &mut self,
        name: String,
        daemon: bool,
        factory: F,
        location: &'static Location<'static>,
    ) -> &mut Registered
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future + 'static,
        Fut::Output: fmt::Debug + 'static,
    {
        self.must_be_free(&name);
        self.registering.get_or_insert_with(|| Arc::new(Backtrace::force_capture()));
        let factory_type = TypeId::of::<F>();
        let factory: Arc<dyn Fn(bool) -> RootFuture + Send + Sync> = Arc::new(move |may_fail| {
            let future = factory();
            Box::pin(async move {
                let output = capture::root(future, type_name::<Fut>()).await;
                let text = format!("{output:?}");
                if !may_fail && is_failure::<Fut::Output>(&text) {
                    coverage::daemon_failed(&text, location);
                }
                (text, Rc::new(output) as Rc<dyn Any>)
            })
        });
        let may_fail = !daemon;
        let files = Tree::declared([]).expect("no file is wrong");
        self.processes.push(Registered {
            name,
            daemon,
            may_fail,
            after: Vec::new(),
            args: Arc::default(),
            files: Arc::new(files),
            factory,
            factory_type,
            location,
            peer: None,
        });
        self.processes.last_mut().expect("just pushed")
    }

    #[track_caller]
    fn must_be_free(&self, name: &str) {
        let taken = self.processes.iter().any(|process| process.name == name);
        assert!(!taken, "two processes are named \"{name}\"; give each a name of its own");
        assert!(
            !name.is_empty() && name != "localhost" && name != "network" && !name.contains([':', '/']),
            "\"{name}\" can't name a process: a name is part of addresses, so not empty, `localhost` or `network`, \
             and without `:` and `/`"
        );
    }
}

/// Whether an output with this Debug text is an `Err`: of a `Result`, and not of a type whose text begins alike.
fn is_failure<T>(text: &str) -> bool {
    type_name::<T>().starts_with("core::result::Result<") && text.starts_with("Err(")
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.processes).finish()
    }
}

impl Registered {
    /// The same for processes that may be alike: registered with one function, in one way. A real peer is like no other.
    pub(crate) fn kind(&self) -> impl PartialEq + use<> {
        let peer = self.peer.as_ref().map(Arc::as_ptr);
        (self.factory_type, self.daemon, self.may_fail, peer, self.args.to_vec(), Arc::clone(&self.files))
    }

    /// Starts once the named process has first waited: it has done all that it can do
    /// without an answer, so that its sockets are bound. May be called for several. Processes
    /// that start after each other never start: that is an error of the check.
    pub fn after(&mut self, name: impl Into<String>) -> &mut Self {
        self.after.push(name.into());
        self
    }

    /// The arguments that the process finds, after its name, in `netcheck::env::args`: also where a `main` with
    /// `#[tokio::main]` that is registered reads `std::env::args()`, or `Cli::parse()` as clap has it.
    ///
    /// ```
    /// # use netcheck_check::check::Checker;
    /// # use netcheck_runtime::env;
    /// let report = Checker::new().check(|net| {
    ///     net.process("proxy", || async { env::args().collect::<Vec<_>>() }).args(["--port", "80"]);
    /// });
    /// assert_eq!(report.outputs("proxy"), [r#"["proxy", "--port", "80"]"#]);
    /// ```
    pub fn args(&mut self, args: impl IntoIterator<Item = impl Into<String>>) -> &mut Self {
        self.args = args.into_iter().map(Into::into).collect();
        self
    }

    /// The files that are on the disk of the process's host at the start, with the directories that lead to them, and
    /// empty ones otherwise but for `/tmp`. A path that does not begin with `/` begins at the working directory, which is
    /// `/`. What is in them at the end, [`End::files`] tells.
    ///
    /// ```
    /// # use netcheck_check::check::Checker;
    /// # use netcheck_runtime::fs;
    /// let report = Checker::new().check(|net| {
    ///     net.process("server", || async { fs::read_to_string("data/log").await.unwrap() }).files([("data/log", b"begun")]);
    /// });
    /// assert_eq!(report.outputs("server"), [r#""begun""#]);
    /// ```
    ///
    /// # Panics
    /// If a path names no file: it ends with `/`, goes through `..` or through another file, or stands twice.
    #[track_caller]
    pub fn files(&mut self, files: impl IntoIterator<Item = (impl AsRef<Path>, impl AsRef<[u8]>)>) -> &mut Self {
        let files: Vec<_> = files.into_iter().collect();
        let bytes = files.iter().map(|(path, bytes)| (path.as_ref().as_os_str().as_encoded_bytes(), bytes.as_ref()));
        self.files = match Tree::declared(bytes) {
            Ok(tree) => Arc::new(tree.by_content()),
            Err(path) => {
                panic!("\"{}\" can't be the path of one more file of a process", String::from_utf8_lossy(path))
            }
        };
        self
    }

    /// A daemon may end with an `Err`, as others may anyway: that is no violation.
    pub fn may_fail(&mut self) -> &mut Self {
        self.may_fail = true;
        self
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("name", &self.name).field("daemon", &self.daemon).finish_non_exhaustive()
    }
}
