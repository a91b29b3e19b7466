//! The words.

/// A word.
#[derive(Debug)]
pub struct Word {
    /// As it is written.
    pub name: &'static str,
    /// The form of what stands behind it.
    pub takes: Takes,
    /// An example of that, for messages; of a list: the whole word.
    pub example: &'static str,
    /// The meaning of its number, which is at least 1; `None`: there is none, or it may be 0.
    pub least: Option<&'static str>,
}

/// The form of what stands behind a word.
#[derive(Debug)]
pub enum Takes {
    /// It stands alone.
    Nothing,
    /// It stands alone, and the builder of its list is made by the function of its name. The first of a list is the default.
    Maker,
    /// The name of a process, with which the builder of its list is made by the function of its name.
    ProcessMaker,
    /// The same, with the names of processes, or with sets of them.
    SidesMaker,
    /// Words in parentheses, of which the builder of this name is made.
    List(&'static str, &'static [Word]),
    /// `true` or `false`.
    Boolean,
    /// `on` or `off`.
    Switch,
    /// A number that is reckoned when the check begins.
    Expression,
    /// Seconds, or a number with a unit.
    Time,
    /// A number.
    Number,
    /// A list of numbers.
    Numbers,
    /// An interval of delays, or a list of them; it may stand alone.
    Delays,
    /// An interval of delays.
    Interval,
    /// The name of a process.
    Process,
    /// The names of processes.
    Processes,
    /// One of these names, each with the variant that it stands for, of the enum of this name.
    Choice(&'static str, &'static [(&'static str, &'static str)]),
    /// One of [`SEARCHES`].
    Search,
    /// A file.
    File,
    /// A name that a function may have.
    Identifier,
}

/// An order of exploration.
#[derive(Debug)]
pub struct Order {
    /// As it is written.
    pub name: &'static str,
    /// The variant of `Search` that it stands for.
    pub variant: &'static str,
    /// Words that may stand in parentheses behind it; none: a number, or nothing.
    pub words: &'static [Word],
    /// An example with parentheses; `None`: it takes none.
    pub example: Option<&'static str>,
}

/// Words that do not go together, and why.
pub type Exclusive = (&'static str, &'static str, &'static str);

const fn word(name: &'static str, takes: Takes, example: &'static str) -> Word {
    Word { name, takes, example, least: None }
}

const fn alone(name: &'static str) -> Word {
    word(name, Takes::Nothing, "")
}

/// A word for a number that is at least 1.
const fn positive(name: &'static str, takes: Takes, example: &'static str, least: &'static str) -> Word {
    Word { name, takes, example, least: Some(least) }
}

/// The words of a check, in the order of the calls on its builder.
pub const CHECK: &[Word] = &[
    word("udp", Takes::List("Udp", UDP), "udp(loss, duplication)"),
    word("tcp", Takes::List("Tcp", TCP), "tcp(open, read)"),
    word("crash", Takes::List("Crash", CRASH), "crash(process = \"server\")"),
    word("partition", Takes::List("Partition", PARTITION), "partition(isolate = \"server\")"),
    word("fs", Takes::List("Files", FILES), "fs(prefix)"),
    word("tasks", Takes::Choice("Tasks", &[("shared", "Shared"), ("tracked", "Tracked"), ("fifo", "Fifo")]), "tracked"),
    word("deadlocks", Takes::Choice("Deadlocks", &[("each_process", "EachProcess"), ("paper", "Paper")]), "paper"),
    word("liveness", Takes::Switch, "on"),
    word("at_most", Takes::Expression, "1"),
    positive("duration", Takes::Time, "10s", "how many seconds of the programs' time are explored, at least 1"),
    word("deviations", Takes::Expression, "1"),
    word("search", Takes::Search, "dfs"),
    word("seed", Takes::Expression, "7"),
    word("max_states", Takes::Expression, "1_000_000"),
    word("max_depth", Takes::Expression, "500"),
    positive("max_messages", Takes::Expression, "100", "how many messages are written or read, at least 1"),
    word("max_memory", Takes::Expression, "2 << 30"),
    positive("max_time", Takes::Time, "30", "how many seconds the check may take, at least 1"),
    word("reduction", Takes::Boolean, "false"),
    word("subsumption", Takes::Boolean, "true"),
    word("symmetry", Takes::Boolean, "true"),
    word("store", Takes::Choice("Keep", &[("exact", "Exact"), ("fingerprint", "Fingerprint")]), "fingerprint"),
    word("threads", Takes::Number, "2"),
    word("capture", Takes::Boolean, "false"),
    word("identity", Takes::Choice("Identity", &[("history", "History"), ("memory", "Memory")]), "history"),
    word("dates", Takes::Choice("Dates", &[("absolute", "Absolute"), ("relative", "Relative")]), "relative"),
    word("audit", Takes::Boolean, "false"),
];

/// Words that belong to one test: `NETCHECK_FAULTS` has none of them.
pub const OF_TESTS: &[Word] = &[
    word("expect", Takes::Choice("Expect", EXPECTATIONS), "panic"),
    alone("snapshot"),
    alone("whole"),
    word("replay", Takes::File, "\"traces/lost_answer.json\""),
    word("name", Takes::Identifier, "lossy"),
];

const EXPECTATIONS: &[(&str, &str)] = &[
    ("panic", "Panic"),
    ("deadlock", "Deadlock"),
    ("property", "Property"),
    ("monitor", "Monitor"),
    ("liveness", "Liveness"),
    ("any", "Any"),
    ("inconclusive", "Inconclusive"),
    ("simulated", "Simulated"),
];

const HOLDS: &str = "how many packets the network holds, at least 1; 1 keeps their order";
const DIRECTIONS: &[(&str, &str)] = &[("send", "Send"), ("receive", "Receive"), ("both", "Both")];

/// The words of `udp(…)`, in the order of the calls on its builder.
pub const UDP: &[Word] = &[
    alone("loss"),
    alone("duplication"),
    positive("reorder", Takes::Number, "2", HOLDS),
    word("copies", Takes::Numbers, "[1, 0, 2]"),
    positive("window", Takes::Number, "2", HOLDS),
    word("direction", Takes::Choice("Direction", DIRECTIONS), "send"),
    word("delay", Takes::Delays, ""),
    word("process", Takes::Process, "\"client\""),
    word("processes", Takes::Processes, "[\"client\", \"server\"]"),
    word("between", Takes::Processes, "[\"client\", \"server\"]"),
];

const RETRIES: &str = "how long an OS sends again what is not acknowledged, at least 1";
const BUFFER: &str = "how many bytes are held for each direction of a connection, at least 1";

/// The words of `tcp(…)`, in the order of the calls on its builder.
pub const TCP: &[Word] = &[
    alone("open"),
    alone("close"),
    alone("read"),
    alone("write"),
    alone("reset"),
    alone("hang"),
    alone("transient"),
    alone("split"),
    word("delay", Takes::Delays, ""),
    positive("buffer", Takes::Number, "4096", BUFFER),
    positive("retries", Takes::Time, "15min", RETRIES),
    word("process", Takes::Process, "\"client\""),
    word("processes", Takes::Processes, "[\"client\", \"server\"]"),
    word("side", Takes::Choice("Side", &[("client", "Client"), ("server", "Server")]), "client"),
    positive("first", Takes::Number, "2", "how many executions of each source line may fail, at least 1"),
];

/// The words of `crash(…)`, in the order of the calls on its builder.
pub const CRASH: &[Word] = &[
    word("kill", Takes::Maker, ""),
    word("power", Takes::Maker, ""),
    word("process", Takes::Process, "\"server\""),
    word("processes", Takes::Processes, "[\"client\", \"server\"]"),
    positive("times", Takes::Number, "2", "how often each process may crash, at least 1"),
    alone("stays_down"),
    word("down", Takes::Interval, "1s..=5s"),
];

/// The words of `partition(…)`, in the order of the calls on its builder.
pub const PARTITION: &[Word] = &[
    word("isolate", Takes::ProcessMaker, "\"server\""),
    word("between", Takes::SidesMaker, "[\"client\", \"server\"]"),
    word("halves", Takes::Maker, ""),
    word("any", Takes::Maker, ""),
    alone("one_way"),
    alone("for_ever"),
    positive("times", Takes::Number, "2", "how many cuts there may be, at least 1"),
];

/// Words of `partition(…)` that say which links are cut.
pub const LINKS: &[&str] = &["isolate", "between", "halves", "any"];

const ONE_CUT: &str = "each says which links are cut; put one into a `partition(…)` of its own";

/// Words of `partition(…)` that do not go together.
pub const PARTITION_EXCLUSIVE: &[Exclusive] = &[
    ("isolate", "between", ONE_CUT),
    ("isolate", "halves", ONE_CUT),
    ("isolate", "any", ONE_CUT),
    ("between", "halves", ONE_CUT),
    ("between", "any", ONE_CUT),
    ("halves", "any", ONE_CUT),
];

/// The words of `fs(…)`, in the order of the calls on its builder.
pub const FILES: &[Word] = &[
    word("any", Takes::Maker, ""),
    word("prefix", Takes::Maker, ""),
    word("lost", Takes::Maker, ""),
    positive("torn", Takes::Number, "512", "how many bytes a block has, at least 1"),
    alone("read"),
    alone("write"),
    alone("sync"),
];

/// Words of `fs(…)` that say what a power failure leaves.
pub const LEFT: &[&str] = &["any", "prefix", "lost", "torn"];

const ONE_WAY: &str = "each says what survives; keep one";

/// Words of `fs(…)` that do not go together.
pub const FILES_EXCLUSIVE: &[Exclusive] =
    &[("any", "prefix", ONE_WAY), ("any", "lost", ONE_WAY), ("prefix", "lost", ONE_WAY)];

/// Words of `crash(…)` that do not go together, but for the names of processes.
pub const CRASH_EXCLUSIVE: &[Exclusive] =
    &[("kill", "power", "a process crashes in one way; name others in a `crash(…)` of their own")];

/// Lists that may be said several times: each packet, and each process, belongs to the first one that names it, and the cuts of
/// each partition are counted by themselves.
pub const GROUPS: &[&str] = &["udp", "crash", "partition"];

/// Lists that declare faults.
pub const FAULTS: &[&str] = &["udp", "tcp", "crash", "partition", "fs"];

/// Words of `udp(…)` that do not go together, but for the names of processes.
pub const UDP_EXCLUSIVE: &[Exclusive] = &[
    ("loss", "copies", "`copies` states in full how often each packet may arrive; put a 0 into it instead"),
    ("duplication", "copies", "`copies` states in full how often each packet may arrive; put a 2 into it instead"),
    ("reorder", "window", "both say how many packets the network holds; keep one"),
    ("process", "between", "one means all packets of a process, the other those of a link; keep one"),
    ("processes", "between", "one means all packets of processes, the other those of a link; keep one"),
];

const SEED: Word = word("seed", Takes::Expression, "7");
const RUNS: Word = positive("runs", Takes::Expression, "10_000", "how many executions are simulated, at least 1");
const TIME: Word = positive("time", Takes::Time, "30", "for how many seconds executions are simulated, at least 1");
const DEPTH: Word = positive("depth", Takes::Number, "3", "how many ordering constraints a bug needs, at least 1");
const ARRIVALS: &str = "how often a datagram arrives before the search puts it off, at least 1";

const fn order(name: &'static str, variant: &'static str) -> Order {
    Order { name, variant, words: &[], example: None }
}

/// The orders of exploration.
pub const SEARCHES: &[Order] = &[
    order("bfs", "Bfs"),
    order("dfs", "Dfs"),
    order("faults", "Faults"),
    order("joint", "Joint"),
    order("reads", "Reads"),
    Order {
        words: &[positive("retransmissions", Takes::Number, "2", ARRIVALS)],
        example: Some("network_states(retransmissions = 2)"),
        ..order("network_states", "NetworkStates")
    },
    Order { example: Some("retransmissions(2)"), ..order("retransmissions", "Retransmissions") },
    Order { words: &[SEED], example: Some("random(seed = 7)"), ..order("random", "Random") },
    Order { words: &[SEED, DEPTH], example: Some("pct(seed = 7, depth = 3)"), ..order("pct", "Pct") },
    Order {
        words: &[SEED, RUNS, TIME],
        example: Some("simulate(seed = 7, runs = 10_000)"),
        ..order("simulate", "Simulate")
    },
];
