//! Code around programs: runtimes that are built by hand, signals, an async `main`.

// The whole crate sees netcheck as tokio.
extern crate netcheck as tokio;

use netcheck::check::{Checker, Verdict, ViolationKind};
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

fn build() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).thread_name("worker").enable_io().enable_time().enable_all();
    builder.build().expect("a runtime")
}

/// The message of a panic of `program` in a check.
fn panic_in_a_check<F: Future<Output = ()> + 'static>(program: fn() -> F) -> String {
    let report = Checker::new().check(|net| {
        net.process("it", program);
    });
    let counterexample = report.counterexample().expect("it panics");
    assert_eq!(counterexample.kind(), ViolationKind::Panic);
    counterexample.message().to_owned()
}

#[test]
fn to_block_panics_at_the_line_of_the_caller_and_says_what_to_do() {
    let on_a_runtime = panic_in_a_check(|| async { build().block_on(async {}) });
    let on_a_handle = panic_in_a_check(|| async { Handle::current().block_on(async {}) });
    for (message, line) in [(on_a_runtime, line!() - 2), (on_a_handle, line!() - 1)] {
        let (place, advice) = message.split_once(": ").expect("a place, and what to do");
        assert_eq!(place, format!("it panicked at tests/runtime.rs:{line}"));
        assert!(advice.starts_with("`block_on` blocks, which nothing can do in a check: register"), "{advice}");
    }
}

#[test]
#[should_panic(expected = "`block_on` blocks, which nothing can do in a check")]
fn to_block_panics_outside_a_check_too() {
    Builder::new_current_thread().build().unwrap().block_on(async {});
}

#[test]
#[should_panic(expected = "only work inside a check")]
fn outside_a_check_there_is_no_current_runtime() {
    Handle::current();
}

#[test]
fn whether_there_is_a_current_runtime_can_be_asked() {
    let error = Handle::try_current().unwrap_err();
    assert!(error.is_missing_context() && !error.is_thread_local_destroyed());
    assert_eq!(error.to_string(), "there is no check that runs this code");
    assert_eq!(tokio::task::try_id(), None);
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let current = Handle::try_current().unwrap();
            let closures = [current.spawn_blocking(|| 1), build().spawn_blocking(|| 2)];
            let mut sum = 0;
            for closure in closures {
                sum += closure.await.unwrap();
            }
            sum
        });
    });
    assert_eq!((report.verdict(), report.outputs("it")), (Verdict::Verified, &["3".to_owned()][..]));
}

#[test]
fn tasks_are_spawned_on_whatever_runtime() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let runtime = Runtime::new().unwrap();
            let tasks =
                [build().spawn(async { 1 }), runtime.handle().clone().spawn(async { 2 }), tokio::spawn(async { 3 })];
            let mut sum = 0;
            for task in tasks {
                sum += task.await.unwrap();
            }
            sum
        });
    });
    assert_eq!((report.verdict(), report.outputs("it")), (Verdict::Verified, &["6".to_owned()][..]));
}

/// std's clock is the check's: both instants are one point in time.
#[tokio::test]
async fn an_instant_of_std_is_one_of_tokios() {
    let (there, here) = (std::time::Instant::now(), tokio::time::Instant::now());
    let start = there + Duration::from_secs(1);
    let mut interval = tokio::time::interval_at(start.into(), Duration::from_secs(1));
    let first = interval.tick().await;
    assert_eq!((first - here, tokio::time::Instant::from(start)), (Duration::from_secs(1), first));
    let back: std::time::Instant = first.into();
    assert_eq!((back, std::time::Instant::from(here)), (start, there));
}

/// Calls to the system of a crate that knows no netcheck.
#[test]
fn names_that_std_looks_up_are_hosts_of_the_check() {
    use std::net::ToSocketAddrs;
    async fn looks_up(name: &'static str) -> Result<Vec<String>, String> {
        let addresses = (name, 80).to_socket_addrs().map_err(|error| error.to_string())?;
        Ok(addresses.map(|address| address.to_string()).collect())
    }
    let report = Checker::new().check(|net| {
        net.daemon("server", std::future::pending::<()>);
        net.process("known", || async { looks_up("server").await.unwrap() });
        net.process("itself", || async { looks_up("localhost").await.unwrap() });
        net.process("unknown", || async { looks_up("nobody.example").await.unwrap_err().contains("lookup") });
    });
    assert_eq!(report.outputs("known"), ["[\"10.0.0.1:80\"]"], "{report}");
    assert_eq!(report.outputs("itself"), ["[\"127.0.0.1:80\"]"], "{report}");
    assert_eq!(report.outputs("unknown"), ["true"], "{report}");
}

/// A connector makes a socket of std, sets options of it, and hands it to tokio.
#[test]
fn a_socket_of_std_becomes_one_of_the_check() {
    let report = Checker::new().check(|net| {
        net.daemon("server", || async {
            tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap().accept().await.unwrap()
        });
        let connects = || async {
            let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
            socket.set_nonblocking(true).unwrap();
            let socket = tokio::net::TcpSocket::from_std_stream(socket.into());
            let stream = socket.connect("10.0.0.1:80".parse().unwrap()).await.unwrap();
            stream.peer_addr().unwrap().to_string()
        };
        net.process("client", connects).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client"), ["\"10.0.0.1:80\""]);
}

/// A client makes its stream one of std for a moment, or borrows its descriptor, to set options of it.
#[test]
fn options_of_the_operating_system_can_be_set_of_a_stream() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let keep_alive = socket2::TcpKeepalive::new().with_time(Duration::from_secs(60));
    let report = Checker::new().check(|net| {
        net.daemon("server", || async {
            let listener = tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"hello").await.unwrap();
            stream
        });
        let keep_alive = keep_alive.clone();
        let connects = move || {
            let keep_alive = keep_alive.clone();
            async move {
                let stream = tokio::net::TcpStream::connect("server:80").await.unwrap();
                socket2::SockRef::from(&stream).set_tcp_keepalive(&keep_alive).unwrap();
                let stream = stream.into_std().unwrap();
                stream.set_nodelay(true).unwrap();
                let mut stream = tokio::net::TcpStream::from_std(stream).unwrap();
                let mut bytes = [0; 5];
                stream.read_exact(&mut bytes).await.unwrap();
                (stream.peer_addr().unwrap().to_string(), bytes == *b"hello")
            }
        };
        net.process("client", connects).after("server");
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("client"), ["(\"10.0.0.1:80\", true)"]);
}

#[test]
fn a_socket_that_stays_one_of_std_is_named() {
    let error = Checker::new()
        .try_check(|net| {
            net.daemon("server", || async {
                tokio::net::TcpListener::bind("0.0.0.0:80").await.unwrap().accept().await.unwrap()
            });
            let connects = || async {
                let stream = tokio::net::TcpStream::connect("server:80").await.unwrap().into_std().unwrap();
                tokio::time::sleep(Duration::from_secs(1)).await;
                drop(stream);
            };
            net.process("client", connects).after("server");
        })
        .expect_err("nobody sees what is done with it");
    assert!(error.to_string().contains("`into_std`"), "{error}");
}

#[test]
fn nobody_presses_ctrl_c() {
    async fn until_ctrl_c() -> &'static str {
        tokio::select! {
            pressed = tokio::signal::ctrl_c() => pressed.map(|()| "pressed").unwrap(),
            () = tokio::time::sleep(Duration::from_secs(60)) => "slept",
        }
    }
    let report = Checker::new().check(|net| {
        net.process("impatient", until_ctrl_c);
        net.daemon("patient", tokio::signal::ctrl_c);
    });
    assert_eq!((report.verdict(), report.outputs("impatient")), (Verdict::Verified, &["\"slept\"".to_owned()][..]));
    let report = Checker::new().check(|net| {
        net.process("patient", || async { tokio::signal::ctrl_c().await });
    });
    let message = report.counterexample().expect("it never ends").message();
    let line = line!() - 3;
    let expected = format!(
        "nothing can happen any more\n  \
         patient waits for Ctrl-C (nobody presses it in a check) at tests/runtime.rs:{line}\n  \
         probably to blame: patient, which is the only task left there: nobody else could end the wait"
    );
    assert_eq!(message, expected);
}

/// As in a program: `#[tokio::main]`, compiled for its tests, and a test.
mod program {
    use std::num::ParseIntError;

    #[tokio::main]
    pub(super) async fn main() -> Result<(), Box<dyn std::error::Error>> {
        let port: u16 = std::env::var("PORT")?.parse()?;
        serve(port).await?;
        Ok(())
    }

    #[tokio::main(flavor = "current_thread")]
    pub(super) async fn serve_twice(port: u16, also: &str) -> Result<u16, ParseIntError> {
        serve(port).await?;
        serve(also.parse()?).await
    }

    async fn serve(port: u16) -> Result<u16, ParseIntError> {
        Ok(port)
    }

    #[::tokio::test]
    async fn the_program_serves() -> Result<(), ParseIntError> {
        assert_eq!(::tokio::spawn(serve(80)).await.expect("no panic")?, 80);
        Ok(())
    }
}

#[test]
fn a_main_is_a_process_like_others() {
    let report = netcheck::check::Checker::new().check(|net| {
        net.process("program", || async { program::main().await.map_err(|error| error.to_string()) });
    });
    assert_eq!(report.outputs("program"), [r#"Err("environment variable not found")"#]);
}

#[test]
#[should_panic(expected = "build it against tokio to run it; in a check, register what it runs as a process")]
fn a_function_that_runs_a_runtime_says_what_to_do() {
    let _ = program::serve_twice(1, "2");
}

/// Programs that read arguments.
mod arguments {
    pub mod plain {
        #[allow(unused_imports, reason = "in test builds, arguments are read from the check")]
        use std::env;

        #[tokio::main]
        pub async fn main() -> Result<(String, Vec<String>), std::num::ParseIntError> {
            let name = std::env::args_os().next().unwrap().into_string().unwrap();
            for port in env::args().skip(1) {
                port.parse::<u16>()?;
            }
            Ok((name, env::args().skip(1).collect()))
        }
    }

    pub mod with_clap {
        use clap::Parser;

        #[derive(Debug, Parser)]
        struct Cli {
            #[arg(long)]
            port: u16,
        }

        #[tokio::main]
        pub async fn main() -> u16 {
            let Cli { port } = Cli::parse();
            port
        }
    }
}

#[test]
fn a_main_reads_the_arguments_that_the_check_gives_it() {
    let report = Checker::new().symmetry(true).check(|net| {
        net.process("one", arguments::plain::main).args(["80", "81"]);
        net.process("other", arguments::plain::main);
        net.process("wrong", arguments::plain::main).args(["x"]);
        net.process("clap", arguments::with_clap::main).args(["--port", "4000"]);
        net.process("direct", || async { netcheck::env::args().len() }).args(vec!["a".to_owned()]);
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.outputs("one"), [r#"Ok(("one", ["80", "81"]))"#]);
    assert_eq!(report.outputs("other"), [r#"Ok(("other", []))"#]);
    assert_eq!(report.outputs("wrong"), ["Err(ParseIntError { kind: InvalidDigit })"]);
    assert_eq!(report.outputs("clap"), ["4000"]);
    assert_eq!(report.outputs("direct"), ["2"]);
    assert!(report.like_processes().is_empty(), "they have other arguments");
}

#[test]
fn outside_of_a_check_the_arguments_are_the_real_ones() {
    assert!(netcheck::env::args_os().eq(std::env::args_os()));
}
