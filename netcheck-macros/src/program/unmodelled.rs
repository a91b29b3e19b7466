//! Calls that a check cannot model, and what to write in their place.

/// Paths, each with all that lies in it, and the advice. The first row that matches counts.
const UNMODELLED: &[(&[&str], &str)] = &[
    (&["std::thread::spawn", "std::thread::scope", "std::thread::Builder"], TASKS),
    (
        &["std::thread::park", "std::thread::park_timeout"],
        "a check schedules tasks, not threads: `tokio::spawn` a task, and let it wait in `tokio::sync::Notify`",
    ),
    (&["std::thread::sleep_ms"], "write `std::thread::sleep` or `tokio::time::sleep`, which take a `Duration`"),
    (
        &["std::net::UdpSocket", "std::net::TcpStream", "std::net::TcpListener"],
        "it blocks on the real network: use the type of that name in `tokio::net`",
    ),
    (
        &["std::net::ToSocketAddrs"],
        "it asks the real resolver: use `tokio::net::lookup_host(…).await`, or `tokio::net::ToSocketAddrs` as a bound",
    ),
    (
        &["std::os::unix::net::UnixStream", "std::os::unix::net::UnixListener", "std::os::unix::net::UnixDatagram"],
        "it blocks on the real system: use the type of that name in `tokio::net`",
    ),
    (
        &["tokio::net::unix::pipe::OpenOptions"],
        "it leads to other programs: use `tokio::net::unix::pipe::pipe`, or `tokio::io::simplex` between tasks",
    ),
    (
        &[
            "std::os::unix::fs::symlink",
            "std::os::unix::fs::chown",
            "std::os::unix::fs::fchown",
            "std::os::unix::fs::lchown",
            "std::os::unix::fs::chroot",
            "std::os::unix::fs::mkfifo",
        ],
        "the files of a check have one user, and are files and directories only",
    ),
    (&["std::process::exit", "std::process::abort"], "it would end the whole check: return, or panic"),
    (
        &["std::process", "tokio::process"],
        "another program can't be stopped at every step: pass what it answers as an argument, \
         or write it as a process of the check",
    ),
    (
        &["std::io::stdin", "std::io::Stdin", "tokio::io::stdin", "tokio::io::Stdin"],
        "pass the input as an argument, or let `netcheck::choose` choose it",
    ),
    (
        &["tokio::io::stdout", "tokio::io::Stdout", "tokio::io::stderr", "tokio::io::Stderr"],
        "write with `println!` or `eprintln!`",
    ),
    (
        &["tokio::task::spawn_blocking", "tokio::task::block_in_place"],
        "call the closure directly if it is pure; if it does I/O, pass the result as an argument",
    ),
];

const TASKS: &str = "a check schedules tasks, not threads: use `tokio::spawn`";

/// It blocks, but where a function can wait it does as well as the asynchronous one.
const SLEEP: &str = "std::thread::sleep";

pub(super) const SLEEP_ADVICE: &str = "`std::thread::sleep` would stop the whole check: \
    in the body of an async fn or an async block, a call of it becomes `tokio::time::sleep(…).await`; \
    make the function around it async";

/// Why a path is refused.
pub(super) fn advice(path: &[String]) -> Option<String> {
    UNMODELLED.iter().find_map(|(rows, advice)| {
        let row = rows.iter().find(|row| is_prefix(row.split("::"), path))?;
        Some(format!("`{row}` can't be modelled; {advice}"))
    })
}

pub(super) fn is_sleep(path: &[String]) -> bool {
    SLEEP.split("::").eq(path.iter())
}

/// Whether it matters that this path is reached, or can be reached through it.
pub(super) fn concerns(path: &[String]) -> bool {
    let rows = UNMODELLED.iter().flat_map(|(rows, _)| rows.iter());
    let leads_to = |row: &str| path.iter().zip(row.split("::")).all(|(name, part)| name == part);
    rows.copied().chain([SLEEP]).any(leads_to)
}

fn is_prefix<'a>(mut row: impl Iterator<Item = &'a str>, path: &[String]) -> bool {
    let mut names = path.iter();
    row.all(|part| names.next().is_some_and(|name| name == part))
}
