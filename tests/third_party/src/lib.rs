//! Protocol code that knows nothing of netcheck, as it comes from crates.io, on its streams:
//! tokio-util's codecs, hyper, tokio-tungstenite.
//!
//! The programs under `third_party/` are compiled twice. Against tokio, each runs once, on real
//! loopback sockets; against netcheck, it is checked. Every request is answered, or an error is
//! seen: the programs end in every execution, and judge what they get.
//!
//! How far `split` can be taken: n bytes can be cut in 2^(n-1) ways, when they are written and
//! again when they are read, and where they were cut is part of the history that a local state
//! is. A few bytes each way are explored to the end; the heads of HTTP have some fifty. Those
//! are walked through at random up to a limit, and cut evenly, to the end, by small buffers.
#![cfg(test)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]
#![allow(clippy::duplicate_mod, reason = "to be compiled against both is what the programs are for")]

mod checked;
mod drawn;
mod real;
mod servers;

use netcheck::check::{Checker, Identity, Report, Search, Tcp, Verdict, ViolationKind};
use std::fmt::Debug;
use std::future::Future;

/// A server and a client on real sockets.
macro_rules! on_loopback {
    ($server:path, $client:path) => {{
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a listener");
            let address = listener.local_addr().expect("an address").to_string();
            tokio::join!($server(listener), $client(&address))
        })
    }};
}

mod combined;

/// A server and a client, checked.
fn check<S, C>(
    checker: &Checker,
    server: impl Fn(netcheck::net::TcpListener) -> S + Copy + Send + Sync + 'static,
    client: impl Fn(&'static str) -> C + Copy + Send + Sync + 'static,
) -> Report
where
    S: Future<Output: Debug + 'static> + 'static,
    C: Future<Output: Debug + 'static> + 'static,
{
    checker.clone().identity(Identity::History).check(|net| {
        net.process("server", move || async move { server(listener().await).await });
        net.process("client", move || client("server:4000")).after("server");
    })
}

async fn listener() -> netcheck::net::TcpListener {
    netcheck::net::TcpListener::bind("0.0.0.0:4000").await.expect("the port is free")
}

/// Failures of an established connection.
fn failures() -> Tcp {
    Tcp::new().fail_read().fail_write().fail_close().reset()
}

fn one_failure(tcp: Tcp) -> Checker {
    Checker::new().tcp(tcp).at_most(1)
}

#[track_caller]
fn verified(report: &Report, states: usize) {
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    assert_eq!(report.states(), states, "{report}");
}

#[track_caller]
fn ended_with(report: &Report, server: &[&str], client: &[&str]) {
    assert_eq!(report.outputs("server"), server);
    assert_eq!(report.outputs("client"), client);
}

#[track_caller]
fn may_end_with(report: &Report, process: &str, output: &str) {
    assert!(report.outputs(process).iter().any(|text| text == output), "{:?}", report.outputs(process));
}

/// Nothing is wrong in the first states of a random walk, with cuts everywhere, and with a failure besides.
#[track_caller]
fn walk<S, C>(
    states: usize,
    server: impl Fn(netcheck::net::TcpListener) -> S + Copy + Send + Sync + 'static,
    client: impl Fn(&'static str) -> C + Copy + Send + Sync + 'static,
) where
    S: Future<Output: Debug + 'static> + 'static,
    C: Future<Output: Debug + 'static> + 'static,
{
    for checker in [Checker::new().tcp(Tcp::new().split()), one_failure(failures().split())] {
        let report = check(&checker.search(Search::Random { seed: 1 }).max_states(states), server, client);
        assert_eq!(report.verdict(), Verdict::Inconclusive, "{report}");
        assert!(report.limit().is_some_and(|limit| limit.contains(&states.to_string())), "{report}");
        assert!(report.terminals() > 0, "the walk comes to ends: {report}");
    }
}

fn owned<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.map(str::to_owned).to_vec()
}

mod codecs {
    use super::checked::codecs::{answer_lines, answer_with_lengths, ask_in_lines, ask_with_lengths};
    use super::*;

    const SERVED: &str = r#"Ok(["ab", "c"])"#;
    const ANSWERED: &str = r#"Ok(["AB", "C"])"#;

    fn both(checker: &Checker) -> [Report; 2] {
        [check(checker, answer_lines, ask_in_lines), check(checker, answer_with_lengths, ask_with_lengths)]
    }

    #[test]
    fn requests_are_answered_on_real_sockets() {
        for both in [
            on_loopback!(real::codecs::answer_lines, real::codecs::ask_in_lines),
            on_loopback!(real::codecs::answer_with_lengths, real::codecs::ask_with_lengths),
        ] {
            assert_eq!(both, (Ok(owned(["ab", "c"])), Ok(owned(["AB", "C"]))));
        }
    }

    #[test]
    fn requests_are_answered_however_they_are_cut() {
        for (reduction, states) in [(true, 9_498), (false, 9_498)] {
            for report in both(&Checker::new().tcp(Tcp::new().split()).reduction(reduction)) {
                verified(&report, states);
                ended_with(&report, &[SERVED], &[ANSWERED]);
            }
        }
    }

    #[test]
    fn a_failure_between_frames_is_seen() {
        for (reduction, states) in [(true, 49), (false, 49)] {
            for report in both(&one_failure(failures()).reduction(reduction)) {
                verified(&report, states);
                let failed = ["Err(BrokenPipe)", "Err(ConnectionReset)"];
                ended_with(
                    &report,
                    &[&failed[..], &[SERVED, r#"Ok(["ab"])"#, "Ok([])"]].concat(),
                    &[&failed[..], &["Err(UnexpectedEof)", ANSWERED]].concat(),
                );
            }
        }
    }

    #[test]
    fn frames_with_lengths_are_whole_or_an_error() {
        let report = check(&one_failure(failures().split()), answer_with_lengths, ask_with_lengths);
        verified(&report, 10_284);
        // The codec says that bytes remain.
        may_end_with(&report, "server", "Err(Other)");
    }

    /// `LinesCodec` takes what stands before the end of the stream for a line. The end is also
    /// what a failed write of the peer's looks like.
    #[test]
    fn a_line_that_a_failure_cut_off_is_taken_for_a_line() {
        let report = check(&one_failure(Tcp::new().fail_write().split()), answer_lines, ask_in_lines);
        assert_eq!(report.verdict(), Verdict::Violated, "{report}");
        let counterexample = report.counterexample().expect("just said");
        assert_eq!(counterexample.kind(), ViolationKind::Panic);
        let text = counterexample.to_string();
        assert!(text.contains(r#"a request that nobody sent: "a""#), "{text}");
        assert!(text.contains(r#"write "b\n" (to server:4000) -> broken pipe"#), "{text}");
    }
}

mod http {
    use super::checked::http::{answer, ask, serve};
    use super::*;

    const ANSWERED: &str = r#"[Ok("AB"), Ok("C")]"#;

    #[test]
    fn requests_are_answered_on_real_sockets() {
        let both = on_loopback!(real::http::answer, real::http::ask);
        assert_eq!(both, (Ok(()), vec![Ok("AB".to_owned()), Ok("C".to_owned())]));
    }

    #[test]
    fn both_requests_are_answered_on_one_connection() {
        let report = check(&Checker::new(), answer, ask);
        verified(&report, 79);
        ended_with(&report, &["Ok(())"], &[ANSWERED]);
    }

    #[test]
    fn each_request_is_answered_or_has_an_error() {
        for (reduction, states) in [(true, 820), (false, 1_094)] {
            let report = check(&one_failure(failures()).reduction(reduction), answer, ask);
            verified(&report, states);
            let expected = [
                r#"[Err("Connection reset by peer (os error 104)")]"#,
                r#"[Err("channel closed"), Err("channel closed")]"#,
                r#"[Err("connection closed before message completed"), Err("channel closed")]"#,
                r#"[Err("connection error"), Err("channel closed")]"#,
                r#"[Err("error writing a body to connection"), Err("channel closed")]"#,
                r#"[Err("operation was canceled"), Err("channel closed")]"#,
                r#"[Ok("AB"), Err("channel closed")]"#,
                r#"[Ok("AB"), Err("connection closed before message completed")]"#,
                r#"[Ok("AB"), Err("connection error")]"#,
                r#"[Ok("AB"), Err("error writing a body to connection")]"#,
                r#"[Ok("AB"), Err("operation was canceled")]"#,
                ANSWERED,
            ];
            assert_eq!(report.outputs("client"), expected);
        }
    }

    #[test]
    fn small_buffers_cut_requests_and_answers() {
        for (bytes, states) in [(7, 3_550), (16, 1_956), (64, 820)] {
            let report = check(&one_failure(failures().buffer(bytes)), answer, ask);
            verified(&report, states);
            may_end_with(&report, "client", ANSWERED);
        }
    }

    #[test]
    fn nothing_is_wrong_in_a_walk_through_cuts_and_failures() {
        walk(2_500, answer, ask);
    }

    #[test]
    #[ignore = "takes a minute: for a nightly run"]
    fn nightly_nothing_is_wrong_in_a_long_walk_through_cuts_and_failures() {
        walk(30_000, answer, ask);
    }

    #[netcheck::process]
    async fn connection(stream: netcheck::net::TcpStream) -> Result<(), String> {
        serve(stream).await
    }

    async fn answer_two() -> Vec<Result<(), String>> {
        let listener = listener().await;
        let mut connections = Vec::new();
        for _ in 0..2 {
            let (stream, _) = listener.accept().await.expect("accepting can not fail");
            connections.push(netcheck::spawn(connection(stream)));
        }
        let mut ended = Vec::new();
        for connection in connections {
            ended.push(connection.await.expect("nobody aborts it"));
        }
        ended
    }

    /// Isolated tasks are learned one by one. As tasks of one unit, their interleavings would be
    /// its local states: a million global ones do not reach an end.
    #[test]
    fn each_connection_of_a_server_is_a_task_of_its_own() {
        for (tcp, states) in [(Tcp::new(), 2_310), (failures(), 38_988)] {
            let report = one_failure(tcp).identity(Identity::History).check(|net| {
                net.process("server", answer_two);
                for client in ["a", "b"] {
                    net.process(client, || ask("server:4000")).after("server");
                }
            });
            verified(&report, states);
            may_end_with(&report, "a", ANSWERED);
        }
    }
}

mod websocket {
    use super::checked::websocket::{answer, ask, ask_with_random_masks, hear, tell};
    use super::*;

    const ANSWERED: &str = r#"Ok("AB")"#;

    #[test]
    fn texts_are_exchanged_on_real_sockets() {
        for both in [
            on_loopback!(real::websocket::answer, real::websocket::ask),
            on_loopback!(real::websocket::answer, real::websocket::ask_with_random_masks),
        ] {
            assert_eq!(both, (Ok(owned(["ab"])), Ok("AB".to_owned())));
        }
        let both = on_loopback!(real::websocket::tell, real::websocket::hear);
        assert_eq!(both, (Ok(()), Ok("a".to_owned())));
    }

    #[test]
    fn a_text_is_answered_and_both_close() {
        let report = check(&Checker::new(), answer, ask);
        verified(&report, 52);
        ended_with(&report, &[r#"Ok(["ab"])"#], &[ANSWERED]);
    }

    #[test]
    fn the_text_is_answered_or_an_error_is_seen() {
        for (reduction, states) in [(true, 273), (false, 273)] {
            let report = check(&one_failure(failures()).reduction(reduction), answer, ask);
            verified(&report, states);
            let failed = [
                r#"Err("IO error: Broken pipe (os error 32)")"#,
                r#"Err("IO error: Connection reset by peer (os error 104)")"#,
                r#"Err("WebSocket protocol error: Connection reset without closing handshake")"#,
                r#"Err("WebSocket protocol error: Handshake not finished")"#,
            ];
            ended_with(&report, &[&failed[..], &[r#"Ok(["ab"])"#]].concat(), &[&failed[..], &[ANSWERED]].concat());
        }
    }

    #[test]
    fn small_buffers_cut_the_handshake() {
        for (bytes, states) in [(7, 3_486), (16, 1_672), (64, 601)] {
            let report = check(&one_failure(failures().buffer(bytes)), answer, ask);
            verified(&report, states);
            may_end_with(&report, "client", ANSWERED);
        }
    }

    /// tungstenite allows 64 small reads in a handshake; the request has more bytes than that.
    #[test]
    fn a_handshake_byte_by_byte_is_taken_for_an_attack() {
        let report = check(&Checker::new().tcp(Tcp::new().buffer(1)), answer, ask);
        verified(&report, 786);
        let broken = r#"Err("IO error: Broken pipe (os error 32)")"#;
        ended_with(&report, &[r#"Err("Attack attempt detected")"#], &[broken]);
    }

    #[test]
    #[ignore = "takes many minutes: for a nightly run"]
    fn nightly_frames_may_be_cut_and_fail_anywhere() {
        let report = check(&one_failure(failures().split()), tell, hear);
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        may_end_with(&report, "client", r#"Ok("a")"#);
    }

    #[test]
    fn nothing_is_wrong_in_a_walk_through_cuts_and_failures() {
        walk(2_500, answer, ask);
    }

    #[test]
    #[ignore = "takes a minute: for a nightly run"]
    fn nightly_nothing_is_wrong_in_a_long_walk_through_cuts_and_failures() {
        walk(30_000, answer, ask);
    }

    /// The masks that tungstenite draws are fixed in a check, so they change nothing.
    #[test]
    fn random_masks_are_the_same_in_each_run() {
        for (reduction, states) in [(true, 273), (false, 273)] {
            for seed in [0, 7] {
                let checker = one_failure(failures()).reduction(reduction).seed(seed);
                let [fixed, drawn] = [check(&checker, answer, ask), check(&checker, answer, ask_with_random_masks)];
                verified(&drawn, states);
                for process in ["server", "client"] {
                    assert_eq!(drawn.outputs(process), fixed.outputs(process));
                }
            }
        }
    }
}
