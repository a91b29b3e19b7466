//! The client of `examples/tftp` against a server of TFTP that others have written: atftpd.
//!
//! The server's answer is what it sends until it has been silent for 50 ms. It sends its last packet again after five
//! seconds, so that is never part of an answer: the client is checked against a server that does not send again of itself.
//! Whatever is lost, it is the client that has to notice.

#[path = "../../../../examples/tftp/checked.rs"]
#[allow(dead_code, reason = "the example uses the rest")]
mod checked;

use super::if_installed;
use checked::Way;
use checked::program::client::{self, Wish};
use checked::program::packet::Mode;
use checked::program::transfer::{Failure, Settings, Version};
use checked::specification::{self, Receiving, Sending, Transmitting};
use netcheck::External;
use netcheck::check::{Checker, Report, Udp, Verdict};
use std::time::Duration;
use tempfile::TempDir;

/// Bytes of a file with two blocks, one full and one short.
const FILE_BYTES: usize = 515;

/// How often the client sends a packet again at the most.
const RETRIES: u32 = 2;

fn contents() -> Vec<u8> {
    (0..FILE_BYTES).map(|index| (index % 251) as u8).collect()
}

/// A directory that is served, and the answers of its server.
struct Served {
    directory: TempDir,
}

impl Served {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a folder for the files");
        std::fs::write(directory.path().join("old"), contents()).expect("it can be written");
        Served { directory }
    }

    /// The server, if it is installed. It begins without the file that is put there.
    fn server(&self) -> Option<External> {
        if_installed(External::command("atftpd"))?;
        let directory = self.directory.path().to_str().expect("its name is text");
        let script = r#"rm -f "$1/new"; exec atftpd --daemon --no-fork --bind-address 127.0.0.1 --port "$0" --user "$(id -un)" --group "$(id -gn)" --logfile - "$1""#;
        let server = External::command("sh").args(["-c", script, "{port}", directory]).udp();
        Some(server.cache(self.directory.path().join("answers.json")))
    }
}

/// Checks a transfer of the file, under one loss or duplication.
fn check(server: &External, way: Way, version: Version) -> Report {
    let settings = Settings { block_bytes: 512, timeout: Duration::from_secs(1), retries: RETRIES, version };
    let server = server.clone();
    Checker::new().udp(Udp::new().loss().duplication()).at_most(1).check(move |net| {
        match way {
            Way::Read => net.monitor(specification::of(Receiving::new(2), "client")),
            Way::Write => net.monitor(specification::of(Sending::new(2), "client")),
        };
        net.monitor(specification::of(Transmitting::new(i64::from(RETRIES)), "client"));
        net.external("server:69", server.clone());
        net.process("client", move || transfer(way, settings));
    })
}

async fn transfer(way: Way, settings: Settings) -> Result<(), Failure> {
    let wish = |file: &str| {
        let (file, server) = (file.to_owned(), "server:69".to_owned());
        Wish { file, mode: Mode::Octet, server, has_options: false }
    };
    match way {
        Way::Write => client::put(wish("new"), &contents(), settings).await,
        Way::Read => {
            assert_eq!(client::get(wish("old"), settings).await?, contents(), "the file arrives as it was sent");
            Ok(())
        }
    }
}

#[test]
fn a_transfer_with_a_server_of_others_is_right_whatever_gets_lost_or_comes_twice() {
    let served = Served::new();
    let Some(server) = served.server() else { return };
    // If the server's last Ack is lost, its side of the transfer is over.
    for (way, outputs) in [(Way::Read, &["Ok(())"][..]), (Way::Write, &["Err(Silence)", "Ok(())"])] {
        let report = check(&server, way, Version::Corrected);
        assert_eq!(report.verdict(), Verdict::Verified, "{way:?}: {report}");
        assert_eq!(report.outputs("client"), outputs, "{way:?}");
        let again = check(&server, way, Version::Corrected);
        let (_, counts) = &again.peers()[0];
        assert_eq!((again.states(), counts.learned, counts.runs), (report.states(), 0, 0), "from the file: {again}");
    }
}

#[test]
fn known_faults_of_clients_are_found_with_a_server_of_others() {
    let served = Served::new();
    let Some(server) = served.server() else { return };
    let faults = [
        (Way::Read, Version::FixedTimeout, "the monitor `Transmitting` rejects Waits(1000)"),
        (Way::Read, Version::NoFinalAckAgain, "the monitor `Receiving` rejects TimeIsUp"),
        (Way::Write, Version::Apprentice, "the monitor `Sending` rejects SendsData(1)"),
    ];
    for (way, version, found) in faults {
        let report = check(&server, way, version);
        assert_eq!(report.verdict(), Verdict::Violated, "{version:?}: {report}");
        assert!(report.to_string().contains(found), "{version:?}: {report}");
    }
}
