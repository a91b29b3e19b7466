//! The way of a user: a crate of one's own with a check that fails, and what the command does about it.
//!
//! The crate is made in a temporary folder; what it depends on is built once, in a target folder that stays.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const PROGRAM: &str = r#"
#[cfg(test)]
mod tests {
    use netcheck as tokio;
    use tokio::net::UdpSocket;
    use tokio::time::{Duration, timeout};

    async fn server() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let (_, from) = socket.recv_from(&mut [0; 8]).await.unwrap();
        socket.send_to(b"answer", from).await.unwrap();
    }

    async fn client() {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"ask", "server:4000").await.unwrap();
        println!("the client has asked");
        let answer = timeout(Duration::from_secs(1), socket.recv(&mut [0; 8])).await;
        assert!(answer.is_ok(), "no answer");
    }

    #[netcheck::model_check(udp(loss))]
    fn asks_once(net: &mut netcheck::Network) {
        net.daemon("server", server);
        net.process("client", client).after("server");
    }
}
"#;

// Neither optimized nor for debuggers: the check has few states, and this is built sooner.
const PROFILE: &str = "\n[profile.dev]\ndebug = false\n";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root of the workspace")
}

/// The manifest of a package that is checked by netcheck.
fn manifest(name: &str) -> String {
    let netcheck = format!("netcheck = {{ path = {:?} }}", root().display().to_string());
    format!("[package]\nname = {name:?}\nedition = \"2024\"\n\n[dev-dependencies]\n{netcheck}\n")
}

/// A crate of a user, or a workspace.
struct Crate {
    folder: PathBuf,
    target: PathBuf,
}

impl Crate {
    fn new() -> Crate {
        let user = Crate::empty("of-a-user");
        user.write("Cargo.toml", &format!("{}{PROFILE}\n[workspace]\n", manifest("of-a-user")));
        user.write("src/lib.rs", PROGRAM);
        user
    }

    /// A workspace without a package of its own, whose packages have a check of the same name.
    fn of_two_packages() -> Crate {
        let user = Crate::empty("workspace-of-a-user");
        let workspace = format!("[workspace]\nmembers = [\"one\", \"other\"]\nresolver = \"3\"\n{PROFILE}");
        user.write("Cargo.toml", &workspace);
        for package in ["one", "other"] {
            user.write(&format!("{package}/Cargo.toml"), &manifest(package));
            user.write(&format!("{package}/src/lib.rs"), "");
            user.write(&format!("{package}/tests/checks.rs"), PROGRAM);
        }
        user
    }

    /// A folder for a crate, and a target folder that all of them share.
    fn empty(name: &str) -> Crate {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let user = Crate { folder: kept.join(name), target: kept.join("target-of-a-user") };
        let _ = fs::remove_dir_all(&user.folder);
        for entry in fs::read_dir(user.target.join("netcheck")).into_iter().flatten().flatten() {
            // The files of failing checks alone: the mirror of a workspace is beside them.
            let _ = fs::remove_file(entry.path());
        }
        fs::create_dir_all(&user.folder).expect("a folder");
        // The versions that are there already: nothing is downloaded.
        fs::copy(root().join("Cargo.lock"), user.folder.join("Cargo.lock")).expect("a file");
        user
    }

    fn write(&self, file: &str, text: &str) {
        let file = self.folder.join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    }

    fn run(&self, command: Command) -> (bool, String) {
        let output = self.prepared(command).output().expect("it runs");
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
        (output.status.success(), text)
    }

    /// A command that runs in the crate.
    fn prepared(&self, mut command: Command) -> Command {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        command.current_dir(&self.folder).env("CARGO", cargo).env("CARGO_TARGET_DIR", &self.target);
        // What cargo tells the test that runs this is not meant for the crate.
        for name in [
            "NETCHECK_REPLAY",
            "NETCHECK_EXPLORE",
            "NETCHECK_FAULTS",
            "RUSTFLAGS",
            "CARGO_MANIFEST_DIR",
            "CARGO_PKG_NAME",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn test(&self) -> (bool, String) {
        let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command.args(["test", "--lib"]);
        self.run(command)
    }

    fn netcheck(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-netcheck"));
        command.arg("netcheck").args(arguments);
        self.run(command)
    }

    /// The page that `explore` serves, which is ended then.
    fn explored(&self, name: &str) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-netcheck"));
        command.args(["netcheck", "explore", name]).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = self.prepared(command).spawn().expect("it runs");
        let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains(" is explored at http://")).expect("an address");
        let at = line.split_once("http://").and_then(|(_, rest)| rest.split_once('/')).expect("an address").0;
        let ask = |request: &str| {
            let mut stream = TcpStream::connect(at).expect("it listens");
            write!(stream, "{request} HTTP/1.0\r\nHost: {at}\r\nContent-Type: application/json\r\n\r\n")
                .expect("it reads");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("it answers");
            answer
        };
        let page = ask("GET /");
        assert!(ask("POST /end").contains("the explorer has ended"));
        assert!(!child.wait().expect("it ends").success(), "it was not checked");
        page
    }

    /// The list of at least one failing check.
    #[track_caller]
    fn lists(&self) -> String {
        let (succeeds, text) = self.netcheck(&["list"]);
        assert!(!succeeds, "{text}");
        text
    }

    #[track_caller]
    fn succeeds(&self, arguments: &[&str]) -> String {
        let (succeeds, text) = self.netcheck(arguments);
        assert!(succeeds, "{text}");
        text
    }
}

#[test]
#[ignore = "compiles netcheck as a user does, which takes a minute: for a nightly run"]
fn nightly_a_failing_check_is_listed_replayed_kept_and_cleaned() {
    let user = Crate::new();
    let (passes, text) = user.test();
    assert!(!passes && text.contains("asks_once (src/lib.rs:23) is violated"), "{text}");

    let listed = user.lists();
    assert!(
        listed.starts_with("of_a_user::tests::asks_once  (src/lib.rs:23, just now)\n    panic: client"),
        "{listed}"
    );
    let page = user.succeeds(&["open", "--print"]);
    assert!(fs::read_to_string(page.trim()).is_ok_and(|page| page.contains("asks_once")), "{page}");

    let (succeeds, replayed) = user.netcheck(&["replay", "asks_once"]);
    assert!(!succeeds, "it is violated again: {replayed}");
    assert!(replayed.contains("the client has asked\n"), "{replayed}");
    assert!(replayed.contains("asks_once replayed: panic: client panicked at"), "{replayed}");

    assert!(
        user.explored("asks_once").contains("client panicked at src/lib.rs"),
        "the page begins with the counterexample"
    );
    assert!(user.lists().contains("tests::asks_once"), "it has failed as before");

    // The check and the trace are tests now, and fail until the client is mended.
    user.succeeds(&["keep", "asks_once", "--write"]);
    let (passes, text) = user.test();
    assert!(!passes && text.contains("0 passed; 2 failed"), "{text}");
    let kept = "asks_once::replay_tests_traces_asks_once_json";
    let listed = user.lists();
    assert!(listed.contains(&format!("of_a_user::tests::{kept}  (src/lib.rs:24")), "{listed}");
    let (_, replayed) = user.netcheck(&["replay", kept]);
    assert!(replayed.contains("replayed: panic: client panicked at"), "{replayed}");
    let (_, text) = user.netcheck(&["replay", "tests::asks_once"]);
    assert!(text.contains("there is no test tests::asks_once any more"), "it is a module now: {text}");
    user.succeeds(&["clean", "tests::asks_once"]);

    let source = fs::read_to_string(user.folder.join("src/lib.rs")).expect("the source");
    let mended = source.replace("assert!(answer.is_ok(), \"no answer\")", "let _ = answer");
    fs::write(user.folder.join("src/lib.rs"), mended).expect("a file");
    let (passes, text) = user.test();
    assert!(passes && text.contains("2 passed; 0 failed"), "{text}");
    assert_eq!(user.succeeds(&["list"]), "no check failed when it was run last\n");

    let text = user.succeeds(&["why", "tests::asks_once::udp_loss"]);
    assert!(text.contains("why local states differ: \"") && text.contains("1 passed; 0 failed"), "{text}");
    let source = fs::read_to_string(user.folder.join("src/lib.rs")).expect("the source");
    let at_random = "model_check(udp(loss), search = simulate(runs = 40), expect = simulated)";
    fs::write(user.folder.join("src/lib.rs"), source.replace("model_check(udp(loss)", at_random)).expect("a file");
    let text = user.succeeds(&["swarm", "3", "test", "asks_once"]);
    assert!((1..=3).all(|share| text.contains(&format!("share {share}: nothing found"))), "{text}");
    let source = source.replace("let _ = answer", "assert!(answer.is_ok(), \"no answer\")");
    fs::write(user.folder.join("src/lib.rs"), source.replace("model_check(udp(loss)", at_random)).expect("a file");
    let (succeeds, text) = user.netcheck(&["swarm", "3", "test", "asks_once"]);
    assert!(!succeeds && text.contains(": failed") && text.contains("client panicked at"), "{text}");

    let text = user.succeeds(&["clean"]);
    assert!(text.starts_with("removed ") && text != "removed 0 files\n", "{text}");
    assert!(fs::read_dir(user.target.join("netcheck")).is_ok_and(|mut files| files.next().is_none()));
}

#[test]
#[ignore = "compiles netcheck as a user does, which takes a minute: for a nightly run"]
fn nightly_checks_of_one_name_in_two_packages_are_two_checks() {
    let user = Crate::of_two_packages();
    let tested: [(&[&str], &str); 2] = [(&["test", "--no-fail-fast"], "cargo test"), (&[], "cargo netcheck test")];
    for (plain, command) in tested {
        let (passes, text) = match plain {
            [] => user.netcheck(&["test", "--no-fail-fast"]),
            arguments => {
                let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
                command.args(arguments);
                user.run(command)
            }
        };
        assert!(!passes, "{text}");
        for package in ["one", "other"] {
            let file = user.target.join("netcheck").join(format!("{package}.checks-tests-asks_once"));
            let file = file.display();
            let replay = format!("replay: NETCHECK_REPLAY={file}.json {command} -p {package} asks_once\n");
            assert!(text.contains(&replay), "{replay}is missing in\n{text}");
            assert!(text.contains(&format!("diagram: {file}.html\n")), "{text}");
        }
        let listed = user.lists();
        assert!(
            listed.contains("one/checks::tests::asks_once  (") && listed.contains("2 checks have failed"),
            "{listed}"
        );
        let (_, text) = user.netcheck(&["replay", "asks_once"]);
        let both = "say which\n  one/checks::tests::asks_once\n  other/checks::tests::asks_once\n";
        assert!(text.contains(both), "{text}");
        let (_, replayed) = user.netcheck(&["replay", "other/checks::tests::asks_once"]);
        assert!(replayed.contains("asks_once replayed: panic: client panicked at"), "{replayed}");
        assert!(user.succeeds(&["clean"]).starts_with("removed 6 files"));
    }
}
