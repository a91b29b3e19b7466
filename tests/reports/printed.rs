//! Text that programs make up, as it is printed: with its control characters escaped.

use netcheck::Network;
use netcheck::check::{Checker, Counterexample};
use netcheck::net::UdpSocket;
use std::fmt;

/// Clears the screen, goes to the start of the line, and is green.
const FORGED: &str = "\x1b[2J\r\x1b[32mverified\x1b[0m\x07\u{9b}1A\ton\ntwo lines";
const ESCAPED: &str = "\\u{1b}[2J\\r\\u{1b}[32mverified\\u{1b}[0m\\u{7}\\u{9b}1A\\ton\ntwo lines";

/// Whose text is forged.
struct Forged;

impl fmt::Debug for Forged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(FORGED)
    }
}

fn assert_printable(text: &str) {
    let control = text.chars().find(|c| c.is_control() && *c != '\n');
    assert_eq!(control, None, "{text:?}");
}

/// All texts in which a violation is told.
fn texts(name: &str, network: impl Fn(&mut Network)) -> Vec<String> {
    let report = Checker::new().check(&network);
    let found = report.counterexample().unwrap_or_else(|| panic!("{name}: {report}"));
    let loaded = Counterexample::from_json(&found.to_json()).expect("a trace");
    let again = Checker::new().replay(&network, &loaded).expect("it can be run again").expect("it is violated again");
    let [html, mermaid] = [found.html(), found.mermaid()];
    let texts =
        [report.to_string(), found.to_string(), format!("{found:#}"), loaded.to_string(), found.without_lines()];
    let texts: Vec<String> = texts.into_iter().chain([found.message().to_owned(), again]).collect();
    texts.iter().chain([&mermaid]).for_each(|text| assert_printable(text));
    assert!(!html.contains(['\x1b', '\r', '\x07', '\u{9b}']), "{html}");
    texts
}

#[test]
fn violations_have_no_control_characters_in_any_text() {
    type Register = fn(&mut Network);
    let forged: [(&str, Register); 5] = [
        ("panic", |net| _ = net.process("p", || async { panic!("{FORGED}") })),
        ("payload", |net| _ = net.process("p", || async { std::panic::panic_any(FORGED.to_owned()) })),
        ("claim", |net| {
            net.process("p", || async {
                netcheck::always!(
                    netcheck::choose([true, false]).await,
                    "\x1b[2J\r\x1b[32mverified\x1b[0m\x07\u{9b}1A\ton\ntwo lines"
                )
            });
        }),
        ("finally", |net| {
            net.process("p", || async {});
            net.finally(|_| Err::<(), String>(FORGED.to_owned()));
        }),
        ("output", |net| {
            net.process("p", || async { Forged });
            net.finally(|_| false);
        }),
    ];
    for (name, network) in forged {
        for text in texts(name, network) {
            assert!(text.contains(ESCAPED), "{name}: {text}");
        }
    }
}

#[test]
fn steps_errors_and_tables_have_no_control_characters() {
    let network = |net: &mut Network| {
        net.describe(|_| Some("\x1b[2Jnothing".to_owned()));
        net.process("p\x1b[1A", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"!", "10.0.0.9:1").await.unwrap();
            panic!("now");
        });
    };
    let texts = texts("steps", network);
    assert!(texts[0].contains("p\\u{1b}[1A") && texts[0].contains("\\u{1b}[2Jnothing"), "{}", texts[0]);
    let error = Checker::new().try_check(|net| _ = net.process("a\x1bb", || async {}).after("c\x1bd"));
    let error = error.expect_err("there is no such process").to_string();
    assert_printable(&error);
    assert!(error.contains("c\\u{1b}d"), "{error}");
    let table = Checker::new().propagation(network).to_string();
    assert_printable(&table);
    let claims = Checker::new().check(|net| {
        net.process("p", || async { netcheck::sometimes!(false, "\x1b[8mhidden") });
    });
    assert!(claims.to_string().contains("\\u{1b}[8mhidden"), "{claims}");
    assert_printable(&claims.to_string());
}
