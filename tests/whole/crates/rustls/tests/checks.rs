//! Checks of the echo over TLS, with every crate that it uses.

use netcheck::Network;
use rustls_program::{Truncated, certificate, server, talk};

#[netcheck::model_check(whole)]
fn an_answer_is_what_was_said(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        let certificate = certificate().await.unwrap();
        assert_eq!(talk(certificate, "server", Truncated::Refused).await.unwrap(), "hello");
    };
    net.process("client", client).after("server");
}

/// A client that takes any answer but what it has said for an error.
fn talks(net: &mut Network, truncated: Truncated) {
    net.daemon("server", server);
    let client = move || async move {
        let certificate = certificate().await?;
        match talk(certificate, "server", truncated).await {
            Ok(answer) => assert_eq!(answer, "hello"),
            Err(_) => netcheck::sometimes!(true, "the echo fails"),
        }
        Ok::<(), std::io::Error>(())
    };
    net.process("client", client).after("server");
}

#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1)]
fn an_answer_is_what_was_said_or_an_error_is_seen(net: &mut Network) {
    talks(net, Truncated::Refused);
}

/// The server fails to write its answer, and the client sees the end of the stream.
#[netcheck::model_check(whole, tcp(read, write, reset), at_most = 1, expect = panic)]
fn an_answer_whose_end_is_missing_is_taken_for_a_whole_one(net: &mut Network) {
    talks(net, Truncated::Accepted);
}

#[netcheck::model_check(whole)]
fn a_certificate_of_another_name_is_refused(net: &mut Network) {
    net.daemon("server", server);
    let client = || async {
        let certificate = certificate().await.unwrap();
        let error = talk(certificate, "elsewhere", Truncated::Refused).await.unwrap_err();
        assert!(error.to_string().contains("not valid for name"), "{error}");
    };
    net.process("client", client).after("server");
}
