//! The same source against the programs of others, on real sockets: each way, files of all sizes, and one of more than
//! 65,535 blocks. A program that is not installed is skipped, and the reason is printed.
//!
//! `apt-get install tftpd-hpa tftp-hpa atftp curl`; `atftpd` can't be installed together with `tftpd-hpa`, so it is also
//! looked for where `NETCHECK_ATFTPD` says.

use super::sockets::real::program::client;
use super::sockets::real::program::packet::Mode;
use super::sockets::real::program::transfer::{Failure, Settings};
use super::sockets::{SHORT, Served, contents, temporary, wish};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Bytes of files that go each way: one block more than there are numbers of blocks is tried by itself.
const SIZES: [usize; 4] = [0, 512, 513, 1 << 20];

/// Bytes of a block for the large file, where the other side can be asked for that: it is soon there then.
const SMALL_BLOCK_BYTES: usize = 8;

/// More blocks than there are numbers for them.
const MANY_BLOCKS: usize = 65_540;

fn is_installed(program: &str, argument: &str) -> bool {
    let is_there = Command::new(program).arg(argument).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !is_there {
        println!("skipped: {program} is not installed");
    }
    is_there
}

// Clients of others.

/// Puts a file with a client of others on a server of these programs, and gets it from there.
async fn goes_both_ways(
    name: &str,
    many_bytes: usize,
    put: impl Fn(&Served, &Path, bool) -> Command,
    get: impl Fn(&Served, &Path, bool) -> Command,
) {
    let served = Served::new(name).await;
    let (sent, got) = (served.directory.join("sent"), served.directory.join("got"));
    for bytes in SIZES.into_iter().chain([many_bytes]) {
        let (expected, is_large) = (contents(bytes), bytes == many_bytes);
        std::fs::write(&sent, &expected).unwrap();
        let output = put(&served, &sent, is_large).output().unwrap();
        assert!(output.status.success(), "{name} puts {bytes} bytes: {output:?}");
        assert!(std::fs::read(served.directory.join("file")).unwrap() == expected, "{name} puts {bytes} bytes");
        let _ = std::fs::remove_file(&got);
        let output = get(&served, &got, is_large).output().unwrap();
        // curl 7.88 says that it was never connected if the first block is the last one and empty.
        if name == "curl" && bytes == 0 && output.status.code() == Some(71) {
            continue;
        }
        assert!(output.status.success(), "{name} gets {bytes} bytes: {output:?}");
        assert!(std::fs::read(&got).unwrap() == expected, "{name} gets {bytes} bytes");
    }
}

fn port(served: &Served) -> &str {
    served.server.rsplit_once(':').expect("an address").1
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_gets_and_puts_files() {
    let version = Command::new("curl").arg("--version").output();
    if !version.is_ok_and(|version| String::from_utf8_lossy(&version.stdout).contains("tftp")) {
        println!("skipped: curl with TFTP is not installed");
        return;
    }
    let curl = |served: &Served, is_large: bool| {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--show-error", "--max-time", "300"]);
        curl.args(["--tftp-blksize", if is_large { "8" } else { "512" }]);
        curl.arg(format!("tftp://{}/file", served.server));
        curl
    };
    let put = |served: &Served, file: &Path, is_large: bool| {
        let mut put = curl(served, is_large);
        put.arg("--upload-file").arg(file);
        put
    };
    let get = |served: &Served, file: &Path, is_large: bool| {
        let mut get = curl(served, is_large);
        get.arg("--output").arg(file);
        get
    };
    goes_both_ways("curl", MANY_BLOCKS * SMALL_BLOCK_BYTES, put, get).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_of_tftp_hpa_gets_and_puts_files() {
    if !is_installed("tftp", "-V") {
        return;
    }
    let tftp = |served: &Served, words: [&Path; 3]| {
        let mut tftp = Command::new("tftp");
        tftp.args(["-m", "binary", "127.0.0.1", port(served), "-c"]).args(words);
        tftp
    };
    let file = Path::new("file");
    let put = |served: &Served, sent: &Path, _: bool| tftp(served, [Path::new("put"), sent, file]);
    let get = |served: &Served, got: &Path, _: bool| tftp(served, [Path::new("get"), file, got]);
    // It knows no other size of blocks.
    goes_both_ways("tftp-hpa", MANY_BLOCKS * 512, put, get).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_of_atftp_gets_and_puts_files() {
    if !is_installed("atftp", "--version") {
        return;
    }
    let atftp = |served: &Served, way: &str, (local, is_large): (&Path, bool)| {
        let mut atftp = Command::new("atftp");
        if is_large {
            atftp.args(["--option", "blksize 8"]);
        }
        atftp.args([way, "--remote-file", "file", "--local-file"]).arg(local);
        atftp.args(["127.0.0.1", port(served)]);
        atftp
    };
    let put = |served: &Served, sent: &Path, is_large| atftp(served, "--put", (sent, is_large));
    let get = |served: &Served, got: &Path, is_large| atftp(served, "--get", (got, is_large));
    goes_both_ways("atftp", MANY_BLOCKS * SMALL_BLOCK_BYTES, put, get).await;
}

// Servers of others.

/// A server that is ended with the test.
struct Other {
    child: Child,
    directory: std::path::PathBuf,
    address: String,
}

impl Other {
    /// Starts a server; `None` if it does not stay.
    async fn start(name: &str, command: impl FnOnce(&str, &Path) -> Command) -> Option<Other> {
        let directory = temporary(name);
        let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let child = command(&free.port().to_string(), &directory).spawn();
        let child = match child {
            Ok(child) => child,
            Err(error) => {
                println!("skipped: {name} does not start: {error}");
                let _ = std::fs::remove_dir_all(&directory);
                return None;
            }
        };
        let mut other = Other { child, directory, address: free.to_string() };
        // It is there when it has bound its port, which is seen by a request.
        for _ in 0..100 {
            if let Some(status) = other.child.try_wait().unwrap() {
                println!("skipped: {name} has ended at once ({status}): it may need to be root");
                return None;
            }
            let probe = wish(&other.address, "none", Mode::Octet, false);
            let settings = Settings { retries: 0, ..SHORT };
            match client::get(probe, settings).await {
                Err(Failure::Refused(..)) => return Some(other),
                _ => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
        println!("skipped: {name} does not answer");
        None
    }

    /// A file goes there and back. `name`: what the server calls a file of its directory.
    async fn goes_both_ways(&self, server: &str, name: impl Fn(&Path) -> String) {
        let file = name(&self.directory.join("file"));
        // A file that is there, and that everybody may write.
        let path = self.directory.join("file");
        std::fs::write(&path, b"").unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o666)).unwrap();
        let sizes = SIZES.map(|bytes| (bytes, 512));
        for (bytes, block_bytes) in sizes.into_iter().chain([(MANY_BLOCKS * SMALL_BLOCK_BYTES, SMALL_BLOCK_BYTES)]) {
            let sent = contents(bytes);
            let settings = Settings { block_bytes, timeout: Duration::from_secs(1), ..SHORT };
            for has_options in [false, true] {
                if !has_options && block_bytes != 512 {
                    continue;
                }
                let put = client::put(wish(&self.address, &file, Mode::Octet, has_options), &sent, settings).await;
                // atftpd 0.8 takes no file of more blocks than there are numbers, and says so.
                if server == "atftpd" && block_bytes == SMALL_BLOCK_BYTES {
                    assert!(matches!(put, Err(Failure::Refused(8, _))), "{put:?}");
                    continue;
                }
                assert_eq!(put, Ok(()), "{server}: {bytes} bytes");
                let quick = Settings { timeout: SHORT.timeout, ..settings };
                // atftpd writes a file when it has waited for the last block to come again.
                let mut got = Ok(Vec::new());
                for _ in 0..100 {
                    got = client::get(wish(&self.address, &file, Mode::Octet, has_options), quick).await;
                    if got.as_ref() == Ok(&sent) {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
                assert!(got.as_ref() == Ok(&sent), "{server}: {bytes} bytes, {:?}", got.map(|got| got.len()));
            }
        }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn first_of(programs: &[Option<String>]) -> Option<String> {
    programs.iter().flatten().find(|program| Path::new(program).exists()).cloned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_of_tftp_hpa_gives_and_takes_files() {
    let Some(program) = first_of(&[Some("/usr/sbin/in.tftpd".to_owned())]) else {
        println!("skipped: tftpd-hpa is not installed");
        return;
    };
    let command = |port: &str, _: &Path| {
        let mut command = Command::new(program);
        command.args(["--foreground", "--create", "--permissive", "--user", "root", "--address"]);
        command.arg(format!("127.0.0.1:{port}"));
        command
    };
    if let Some(other) = Other::start("in.tftpd", command).await {
        other.goes_both_ways("in.tftpd", |path| path.display().to_string()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_of_atftp_gives_and_takes_files() {
    let elsewhere = std::env::var("NETCHECK_ATFTPD").ok();
    let Some(program) = first_of(&[elsewhere, Some("/usr/sbin/atftpd".to_owned())]) else {
        println!("skipped: atftpd is not installed");
        return;
    };
    let command = |port: &str, directory: &Path| {
        let mut command = Command::new(program);
        command.args(["--daemon", "--no-fork", "--user", "root", "--group", "root", "--bind-address", "127.0.0.1"]);
        command.args(["--logfile", "/dev/null", "--port", port]).arg(directory);
        command
    };
    if let Some(other) = Other::start("atftpd", command).await {
        other.goes_both_ways("atftpd", |_| "file".to_owned()).await;
    }
}
