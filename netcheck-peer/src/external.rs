//! Declarations of real peers: how one is started or where it is, and how its answers are taken.

use crate::exchange::Output;
use std::ffi::OsString;
use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The silence after which a peer has answered, unless said otherwise.
const SETTLE: Duration = Duration::from_millis(50);

/// A real peer: a server that is not under check, and that programs under check talk to.
///
/// ```no_run
/// # use netcheck_peer::External;
/// let redis = External::command("redis-server").args(["--port", "{port}", "--save", ""]);
/// let there_already = External::at("127.0.0.1:6379").reset(|| { /* FLUSHALL */ });
/// # let _ = (redis, there_already);
/// ```
///
/// It is fed over loopback sockets. Its answer to an input is all that it sends until it has been silent for a while
/// ([`External::settle`]). What it would send later, of itself, is left out: no time passes for it.
#[derive(Clone)]
pub struct External {
    pub(crate) source: Source,
    pub(crate) services: Vec<Service>,
    pub(crate) first_protocol: Protocol,
    pub(crate) settle: Duration,
    pub(crate) mask: Option<Mask>,
    pub(crate) is_nondeterministic: bool,
    pub(crate) minds_pieces: bool,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) allows_remote: bool,
}

/// Where fresh instances of a peer come from.
#[derive(Clone)]
pub(crate) enum Source {
    /// They are started.
    Command(Command),
    /// The peer is there already; the function makes it as good as new.
    At { address: String, reset: Option<Reset> },
}

/// A command that starts an instance.
#[derive(Clone)]
pub(crate) struct Command {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) directory: Option<PathBuf>,
    pub(crate) ready: Ready,
}

/// When an instance that was started can be talked to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ready {
    /// It accepts connections at its TCP ports, and its UDP ports are bound.
    Listens,
    /// It has printed this.
    Printed(String),
    /// So long after its start.
    After(Duration),
}

/// A port of a peer, as the programs under check know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Service {
    /// Whether it takes connections or datagrams.
    pub protocol: Protocol,
    /// The port.
    pub port: u16,
}

/// A protocol of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Connections.
    Tcp,
    /// Datagrams.
    Udp,
}

/// Makes a peer that is there already as good as new.
pub(crate) type Reset = Arc<dyn Fn() + Send + Sync>;

/// Replaces what is different each time.
pub(crate) type Mask = Arc<dyn Fn(&[u8]) -> Vec<u8> + Send + Sync>;

impl Command {
    /// Whether it is given a folder of its own.
    pub(crate) fn wants_folder(&self) -> bool {
        let environment = self.environment.iter().map(|(_, value)| value);
        let is_directory =
            self.directory.as_deref().is_some_and(|directory| directory.to_string_lossy().contains("{dir}"));
        is_directory || self.arguments.iter().chain(environment).any(|word| word.contains("{dir}"))
    }
}

impl External {
    /// A peer of which a fresh instance is started for each run, by a command; it ends with the run, with all processes
    /// of its group.
    ///
    /// In arguments and in the values of [`External::env`], `{port}` stands for the real port of its first service, and
    /// `{port:6380}` for that of its service at 6380. They are free ports of the loopback address. `{dir}` stands for a folder
    /// of the instance's own: it is empty at first, a kill (`crash(process = …)`) leaves it as it is, and it is removed with the
    /// instance.
    pub fn command(program: impl Into<OsString>) -> Self {
        External::of(Source::Command(Command {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            directory: None,
            ready: Ready::Listens,
        }))
    }

    /// A peer that is there already, at an address such as `127.0.0.1:6379`: the first service's. Only one run talks to
    /// it at a time. Without [`External::reset`] it has to be as good as new when all connections to it have ended.
    pub fn at(address: impl Into<String>) -> Self {
        External::of(Source::At { address: address.into(), reset: None })
    }

    fn of(source: Source) -> Self {
        External {
            source,
            services: Vec::new(),
            first_protocol: Protocol::Tcp,
            settle: SETTLE,
            mask: None,
            is_nondeterministic: false,
            minds_pieces: false,
            cache: None,
            allows_remote: false,
        }
    }

    /// Adds arguments to its command.
    ///
    /// # Panics
    /// If it is no command.
    #[must_use]
    pub fn args<A: Into<String>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        self.its_command("args").arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the environment of its command.
    ///
    /// # Panics
    /// If it is no command.
    #[must_use]
    pub fn env(mut self, variable: impl Into<String>, value: impl Into<String>) -> Self {
        self.its_command("env").environment.push((variable.into(), value.into()));
        self
    }

    /// Sets the directory that its command is run in; `{dir}` is the folder of the instance.
    ///
    /// # Panics
    /// If it is no command.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.its_command("current_dir").directory = Some(directory.into());
        self
    }

    /// It can be talked to as soon as it has printed this text, and not as soon as its ports are open. (To find that
    /// out, Linux is asked; elsewhere a connection is made and closed again.)
    ///
    /// # Panics
    /// If it is no command.
    #[must_use]
    pub fn ready_when(mut self, printed: impl Into<String>) -> Self {
        self.its_command("ready_when").ready = Ready::Printed(printed.into());
        self
    }

    /// It can be talked to so long after its start, and not as soon as its ports are open.
    ///
    /// # Panics
    /// If it is no command.
    #[must_use]
    pub fn ready_after(mut self, delay: Duration) -> Self {
        self.its_command("ready_after").ready = Ready::After(delay);
        self
    }

    /// How a peer that is there already is made as good as new; called before each run, when all connections of the last
    /// one have ended.
    ///
    /// # Panics
    /// If it is a command: each run has a fresh instance.
    #[must_use]
    pub fn reset(mut self, make_new: impl Fn() + Send + Sync + 'static) -> Self {
        match &mut self.source {
            Source::At { reset, .. } => *reset = Some(Arc::new(make_new)),
            Source::Command(_) => panic!("`reset` is for `External::at`: a command is started anew for each run"),
        }
        self
    }

    /// The port of its name takes datagrams; without this, connections.
    #[must_use]
    pub fn udp(mut self) -> Self {
        self.first_protocol = Protocol::Udp;
        self
    }

    /// It has a further port, which takes connections.
    #[must_use]
    pub fn tcp_port(mut self, port: u16) -> Self {
        self.services.push(Service { protocol: Protocol::Tcp, port });
        self
    }

    /// It has a further port, which takes datagrams.
    #[must_use]
    pub fn udp_port(mut self, port: u16) -> Self {
        self.services.push(Service { protocol: Protocol::Udp, port });
        self
    }

    /// The silence after which it has answered; 50 ms, unless said otherwise. It has to be longer than the peer takes to
    /// answer, and shorter than its own timers.
    #[must_use]
    pub fn settle(mut self, silence: Duration) -> Self {
        self.settle = silence;
        self
    }

    /// Parts of two answers are equal if this function makes them equal: it replaces dates and random identifiers,
    /// which are different each time. It is given all bytes that the peer sends on one connection in one answer, or one
    /// datagram. The programs get the first answer as it was.
    #[must_use]
    pub fn mask(mut self, mask: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static) -> Self {
        self.mask = Some(Arc::new(mask));
        self
    }

    /// It may answer the same history in several ways. Each history is fed several times, and the check explores all
    /// answers that were seen. There may be others: so this is a sample of them.
    #[must_use]
    pub fn nondeterministic(mut self) -> Self {
        self.is_nondeterministic = true;
        self
    }

    /// It may answer otherwise if bytes of a stream come in other pieces. Without this, bytes that come in two pieces,
    /// without an answer between them, are taken for the same history as in one: there are few ways to send so many
    /// bytes then, and not all in which they can be cut. Where pieces come that were fed in one before, the answers are
    /// compared.
    #[must_use]
    pub fn minds_pieces(mut self) -> Self {
        self.minds_pieces = true;
        self
    }

    /// The file that its answers are kept in, such as one that is committed. Without this:
    /// `target/netcheck/cache/NAME.json`.
    #[must_use]
    pub fn cache(mut self, file: impl Into<PathBuf>) -> Self {
        self.cache = Some(file.into());
        self
    }

    /// Its address need not be one of this machine's loopback addresses.
    #[must_use]
    pub fn allow_remote(mut self) -> Self {
        self.allows_remote = true;
        self
    }

    /// Whether the program of its command is there; true of a peer that is there already. A test that needs a program
    /// which not everybody has can ask, and be skipped.
    pub fn is_installed(&self) -> bool {
        let Source::Command(Command { program, .. }) = &self.source else { return true };
        let is_file = |path: &Path| path.is_file() || path.with_extension("exe").is_file();
        if Path::new(program).components().count() > 1 {
            return is_file(Path::new(program));
        }
        std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| is_file(&folder.join(program))))
    }

    fn its_command(&mut self, method: &str) -> &mut Command {
        match &mut self.source {
            Source::Command(command) => command,
            Source::At { address, .. } => panic!("`{method}` is for `External::command`: {address} is there already"),
        }
    }

    /// Names it: the first service is at the port of the name, `redis:6379`. Returns its name and its services.
    ///
    /// # Errors
    /// If its name or its ports are wrong, in words.
    pub fn named(&self, name: &str) -> Result<(String, Vec<Service>), String> {
        let (host, port) = match name.rsplit_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (name, None),
        };
        let first = port.map(|port| {
            let port = port.parse().ok().filter(|&port| port > 0);
            port.map(|port| Service { protocol: self.first_protocol, port })
                .ok_or_else(|| format!("\"{name}\" does not end with a port, such as in \"{host}:6379\""))
        });
        let services: Vec<Service> = first.transpose()?.into_iter().chain(self.services.iter().copied()).collect();
        if services.is_empty() {
            return Err(format!("\"{name}\" has no port: write \"{name}:6379\""));
        }
        let doubles = (1..services.len()).find(|&at| services[..at].contains(&services[at]));
        if let Some(at) = doubles {
            return Err(format!("\"{name}\" has port {} twice", services[at].port));
        }
        self.address()?;
        Ok((host.to_owned(), services))
    }

    /// Whether an instance can be killed, and started again: it is started by a command.
    pub fn can_be_killed(&self) -> bool {
        matches!(self.source, Source::Command(_))
    }

    /// The address of a peer that is there already.
    pub(crate) fn address(&self) -> Result<Option<SocketAddr>, String> {
        let Source::At { address, .. } = &self.source else { return Ok(None) };
        let found =
            address.to_socket_addrs().map_err(|error| format!("{address} is no address with a port: {error}"))?;
        let all: Vec<SocketAddr> = found.collect();
        let remote = all.iter().map(SocketAddr::ip).find(|ip| !self.allows_remote && !ip.is_loopback());
        match (remote, all.first()) {
            (Some(ip), _) => Err(format!(
                "{address} is at {ip}, not on this machine: checks send it everything that can be sent. If that is meant, \
                 say `.allow_remote()`"
            )),
            (None, Some(&first)) => Ok(Some(first)),
            (None, None) => Err(format!("{address} leads to no address")),
        }
    }

    /// The address that instances are asked to listen at.
    pub(crate) const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    /// Says which peer it is: answers of one that is described differently are not its own.
    pub(crate) fn description(&self) -> String {
        match &self.source {
            Source::At { address, .. } => format!("at {address}"),
            Source::Command(command) => {
                let words = std::iter::once(command.program.to_string_lossy().into_owned()).chain(
                    command.arguments.iter().map(|word| if word.is_empty() { "''".to_owned() } else { word.clone() }),
                );
                let environment = command.environment.iter().map(|(variable, value)| format!("{variable}={value}"));
                environment.chain(words).collect::<Vec<_>>().join(" ")
            }
        }
    }

    /// An answer without the parts that differ each time.
    pub(crate) fn masked(&self, outputs: &[Output]) -> Vec<Output> {
        let Some(mask) = &self.mask else { return outputs.to_vec() };
        let masked = |output: &Output| match output {
            Output::Bytes { connection, bytes } => Output::Bytes { connection: *connection, bytes: mask(bytes) },
            Output::Datagram { client, from, payload } => {
                Output::Datagram { client: *client, from: *from, payload: mask(payload) }
            }
            Output::Ended { .. } | Output::Reset { .. } => output.clone(),
        };
        outputs.iter().map(masked).collect()
    }
}

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("External").field("peer", &self.description()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_name_gives_its_first_port() {
        let (host, services) = External::command("x").udp().tcp_port(80).named("dns:53").expect("it is right");
        let first = Service { protocol: Protocol::Udp, port: 53 };
        assert_eq!((&*host, &*services), ("dns", &[first, Service { protocol: Protocol::Tcp, port: 80 }][..]));
    }

    #[test]
    fn wrong_names_and_addresses_are_refused_in_words() {
        let refused = |external: External, name| external.named(name).expect_err("it is wrong");
        assert!(refused(External::command("x"), "redis").contains("write \"redis:6379\""));
        assert!(refused(External::command("x"), "redis:many").contains("does not end with a port"));
        assert!(refused(External::command("x").tcp_port(80), "www:80").contains("port 80 twice"));
        assert!(refused(External::at("192.0.2.1:80"), "www:80").contains("allow_remote"));
        assert!(refused(External::at("nonsense"), "www:80").contains("no address with a port"));
        assert!(External::at("192.0.2.1:80").allow_remote().named("www:80").is_ok());
        assert!(External::at("127.0.0.1:80").named("www:80").is_ok());
    }

    #[test]
    fn programs_are_looked_for_where_the_shell_would() {
        assert!(External::command("sh").is_installed());
        assert!(!External::command("no-such-program-anywhere").is_installed());
        assert!(External::command("/bin/sh").is_installed());
        assert!(External::at("127.0.0.1:1").is_installed());
    }
}
