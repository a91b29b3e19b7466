//! Starting a peer, and ending it with all processes that it has started.

use crate::error::Error;
use crate::external::{Command, External, Protocol, Ready, Service};
use crate::kernel;
use crate::log::Log;
use std::io;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time that a peer may take to open its ports.
const READY_WITHIN: Duration = Duration::from_secs(10);

/// The pause between two looks whether it is ready, at first and at the most.
const PAUSE: Duration = Duration::from_millis(2);
const PAUSE_MAX: Duration = Duration::from_millis(50);

/// How long the outputs of a process that has ended are read on at the most.
const LAST_WORDS_WITHIN: Duration = Duration::from_secs(1);

/// Free ports are chosen before the peer opens them, so another program may take one meanwhile: then others are tried.
const ATTEMPTS: usize = 4;

/// A process that ends when this value is dropped, with its process group.
pub(crate) struct Process {
    child: Child,
    log: Log,
    /// Ends the group when its input ends, and removes the folder: also if this program is killed.
    #[cfg(unix)]
    guard: Child,
}

impl Process {
    /// Starts a peer and waits until it is ready. Returns the real address of each service, too.
    pub(crate) fn start(
        command: &Command,
        services: &[Service],
        folder: Option<&Path>,
    ) -> Result<(Process, Vec<SocketAddr>), Error> {
        let mut attempt = 1;
        loop {
            let addresses = free_addresses(services)?;
            let mut process = Process::spawn(command, services, &addresses, folder)?;
            match process.wait_until_ready(command, services, &addresses) {
                Ok(()) => return Ok((process, addresses)),
                Err(_) if attempt < ATTEMPTS && process.log.text().to_lowercase().contains("in use") => {
                    attempt += 1;
                    process.kill();
                }
                Err(error) => return Err(error.printed(&process.log.text())),
            }
        }
    }

    fn spawn(
        command: &Command,
        services: &[Service],
        addresses: &[SocketAddr],
        folder: Option<&Path>,
    ) -> Result<Process, Error> {
        let in_folder = |word: &str| match folder {
            Some(folder) => word.replace("{dir}", &folder.to_string_lossy()),
            None => word.to_owned(),
        };
        let filled = |word: &String| in_folder(&with_ports(word, services, addresses));
        let mut spawned = std::process::Command::new(&command.program);
        spawned.args(command.arguments.iter().map(filled));
        spawned.envs(command.environment.iter().map(|(variable, value)| (variable, filled(value))));
        spawned.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(directory) = &command.directory {
            spawned.current_dir(in_folder(&directory.to_string_lossy()));
        }
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut spawned, 0);
        let mut child = spawned.spawn().map_err(|error| not_started(command, &error))?;
        #[cfg(unix)]
        let guard = match guard_of(&child, folder) {
            Ok(guard) => guard,
            Err(error) => {
                let _ = child.kill();
                return Err(Error::new(format!("no shell could be started that ends the peer: {error}")));
            }
        };
        let log = Log::default();
        child.stdout.take().into_iter().for_each(|output| log.follow(output));
        child.stderr.take().into_iter().for_each(|output| log.follow(output));
        Ok(Process {
            child,
            log,
            #[cfg(unix)]
            guard,
        })
    }

    fn wait_until_ready(
        &mut self,
        command: &Command,
        services: &[Service],
        addresses: &[SocketAddr],
    ) -> Result<(), Error> {
        let begun = Instant::now();
        let name = command.program.to_string_lossy();
        loop {
            let missing = match &command.ready {
                Ready::After(delay) => (begun.elapsed() < *delay).then(String::new),
                Ready::Printed(text) => (!self.log.text().contains(text)).then(|| format!("printed \"{text}\"")),
                Ready::Listens => {
                    let closed = services
                        .iter()
                        .zip(addresses)
                        .find(|(service, address)| !kernel::is_open(**service, **address));
                    closed.map(|(service, address)| {
                        format!("opened {address}, which is its port {}: is it told by `{{port}}`?", service.port)
                    })
                }
            };
            if let Some(how) = self.ended() {
                return Err(Error::new(format!("{name} was started, and {how} before it could be talked to")));
            }
            let Some(missing) = missing else { return Ok(()) };
            if begun.elapsed() > READY_WITHIN && !matches!(command.ready, Ready::After(_)) {
                return Err(Error::new(format!("{name} has not {missing} within {} s", READY_WITHIN.as_secs())));
            }
            // The kernel's tables take it milliseconds to write, in which the peer would not get on.
            thread::sleep((begun.elapsed() / 4).clamp(PAUSE, PAUSE_MAX));
        }
    }

    /// Kills it, and leaves its folder as it is.
    pub(crate) fn kill(mut self) {
        #[cfg(unix)]
        if let Some(input) = &mut self.guard.stdin {
            // A guard that is gone removes nothing.
            let _ = io::Write::write_all(input, b"keep\n");
        }
        drop(self);
    }

    /// How it has ended, if it has.
    pub(crate) fn ended(&mut self) -> Option<String> {
        match self.child.try_wait() {
            Ok(Some(status)) => {
                self.log.settle(LAST_WORDS_WITHIN);
                Some(format!("ended ({status})"))
            }
            Ok(None) => None,
            Err(error) => Some(format!("is not known any more ({error})")),
        }
    }

    /// Whether a thread of it, or of a process that it has started, runs or waits for a processor: silence may mean
    /// then that it had no turn yet. Only Linux says so.
    pub(crate) fn is_busy(&self) -> bool {
        kernel::is_busy(self.child.id())
    }

    /// The text that it has printed.
    pub(crate) fn printed(&self) -> String {
        self.log.text()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        {
            drop(self.guard.stdin.take());
            let _ = self.guard.wait();
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The guard's script: the folder of a peer goes with it, unless it is told to keep it.
#[cfg(unix)]
const GUARD: &str = r#"read -r end; kill -s KILL -- "-$1"
[ "$end" = keep ] || [ -z "$2" ] || rm -rf -- "$2" || { sleep 1; rm -rf -- "$2"; }"#;

/// A shell that waits for the end of its input and kills the group of `child` then. It is in a group of its own: Ctrl-C
/// must not end it before the group.
#[cfg(unix)]
fn guard_of(child: &Child, folder: Option<&Path>) -> io::Result<Child> {
    let mut guard = std::process::Command::new("sh");
    guard.args(["-c", GUARD, "sh", &child.id().to_string()]).arg(folder.unwrap_or(Path::new("")));
    guard.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut guard, 0);
    guard.spawn()
}

fn not_started(command: &Command, error: &io::Error) -> Error {
    let name = command.program.to_string_lossy();
    Error::new(match error.kind() {
        io::ErrorKind::NotFound => format!(
            "there is no program {name} here\n  install it, give its path, or check with its recorded answers \
             (`.cache(\"FILE\")`, NETCHECK_PEERS=replay)"
        ),
        _ => format!("{name} could not be started: {error}"),
    })
}

/// A text in which `{port}` and `{port:NUMBER}` are replaced by real ports.
fn with_ports(text: &str, services: &[Service], addresses: &[SocketAddr]) -> String {
    let mut text = text.replace("{port}", &addresses[0].port().to_string());
    for (service, address) in services.iter().zip(addresses) {
        text = text.replace(&format!("{{port:{}}}", service.port), &address.port().to_string());
    }
    text
}

/// A free port for each service.
fn free_addresses(services: &[Service]) -> Result<Vec<SocketAddr>, Error> {
    enum Bound {
        Tcp(TcpListener),
        Udp(UdpSocket),
    }
    let bind = |service: &Service| {
        let any = (External::LOOPBACK, 0);
        match service.protocol {
            Protocol::Tcp => TcpListener::bind(any).map(Bound::Tcp),
            Protocol::Udp => UdpSocket::bind(any).map(Bound::Udp),
        }
    };
    // All are bound before the first is freed, so they differ.
    let bound: io::Result<Vec<Bound>> = services.iter().map(bind).collect();
    let address = |bound: &Bound| match bound {
        Bound::Tcp(listener) => listener.local_addr(),
        Bound::Udp(socket) => socket.local_addr(),
    };
    let addresses = bound.and_then(|bound| bound.iter().map(address).collect());
    addresses.map_err(|error| Error::new(format!("no free port on the loopback address: {error}")))
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::folder::Folder;

    fn sleeps(folder: &Folder) -> Process {
        let command = Command {
            program: "sleep".into(),
            arguments: vec!["1000".to_owned()],
            environment: Vec::new(),
            directory: None,
            ready: Ready::After(Duration::ZERO),
        };
        let services = [Service { protocol: Protocol::Tcp, port: 80 }];
        std::fs::write(folder.path().join("file"), "text").unwrap();
        Process::start(&command, &services, Some(folder.path())).expect("it is started").0
    }

    #[test]
    fn a_folder_outlives_a_kill_and_not_the_program_that_has_started_its_peer() {
        let folder = Folder::new().unwrap();
        sleeps(&folder).kill();
        assert!(folder.path().join("file").exists());
        let mut left = sleeps(&folder);
        // As it ends with this program.
        drop(left.guard.stdin.take());
        left.guard.wait().unwrap();
        assert!(!folder.path().exists());
    }
}
