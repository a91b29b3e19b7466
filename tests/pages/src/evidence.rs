//! Counterexamples in the forms that people read: text, JSON, Mermaid, and a page for a browser.

mod events;
mod lanes;
mod rounds;

use super::browser;
use html5gum::{DefaultEmitter, Token, Tokenizer};
use netcheck as tokio;
use netcheck::Network;
use netcheck::check::{Automaton, Checker, Counterexample, Direction, Doing, Report, Side, Step, Tcp, Udp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

// The systems. Their lines are in the snapshots.

/// The counterexample of a check.
fn found(checker: &Checker, network: impl FnOnce(&mut Network)) -> Counterexample {
    let report = checker.check(network);
    report.counterexample().unwrap_or_else(|| panic!("something is violated: {report}")).clone()
}

/// Datagrams that arrive in one given way.
fn datagrams(udp: Udp, sent: &'static [&'static str], arriving: &'static [&'static str]) -> Counterexample {
    found(&Checker::new().udp(udp), arrivals(sent, arriving))
}

fn arrivals(sent: &'static [&'static str], arriving: &'static [&'static str]) -> impl Fn(&mut Network) + Copy {
    move |net: &mut Network| {
        net.daemon("receiver", move || async move {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 64];
            for expected in arriving {
                let (length, _) = socket.recv_from(&mut buffer).await.unwrap();
                if &buffer[..length] != expected.as_bytes() {
                    return;
                }
            }
            panic!("it has arrived so");
        });
        let sender = move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for payload in sent {
                socket.send_to(payload.as_bytes(), "receiver:4000").await.unwrap();
            }
        };
        net.process("sender", sender).after("receiver");
    }
}

/// The first overtaken, and then twice.
const DISORDER: (&[&str], &[&str]) = (&["a", "b"], &["b", "a", "a"]);

fn disorder() -> Counterexample {
    datagrams(Udp::new().loss().duplication().reorder(2), DISORDER.0, DISORDER.1)
}

/// A client that is refused, tries again after a while, and is left before it has read all.
fn connections(net: &mut Network) {
    net.process("server", || async {
        let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 16];
        tokio::time::sleep(Duration::from_secs(1)).await;
        let length = stream.read(&mut buffer).await.unwrap();
        stream.write_all(&buffer[..length]).await.unwrap();
    });
    net.process("client", || async {
        if TcpStream::connect("server:80").await.is_ok() {
            return;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut stream = TcpStream::connect("server:80").await.unwrap();
        stream.write_all(b"he").await.unwrap();
        stream.write_all(b"llo").await.unwrap();
        let mut answer = [0; 16];
        assert_eq!(stream.read(&mut answer).await.unwrap(), 5);
        assert_ne!(stream.read(&mut answer).await.unwrap(), 0, "there is more");
    });
}

/// Two waiting for each other, and two that have nothing to do with them.
fn apart() -> Counterexample {
    found(&Checker::new(), |net| {
        net.process("stuck", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.unwrap();
            socket.send_to(b"?", "mute:1").await.unwrap();
            socket.recv_from(&mut [0; 8]).await.unwrap();
        });
        net.daemon("mute", || async {
            let socket = UdpSocket::bind("0.0.0.0:1").await.unwrap();
            socket.recv_from(&mut [0; 8]).await.unwrap();
        });
        net.process("listener", || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            socket.recv_from(&mut [0; 8]).await.unwrap();
        });
        let talker = || async {
            let socket = UdpSocket::bind("0.0.0.0:2").await.unwrap();
            socket.send_to(b"!", "listener:2").await.unwrap();
        };
        net.process("talker", talker).after("listener");
    })
}

/// A trace of many steps; those of `disorder` again and again, each time at other source lines: rounds would be drawn once.
fn long(steps: usize) -> Counterexample {
    let mut trace: Value = serde_json::from_str(&disorder().to_json()).unwrap();
    let once = trace["steps"].as_array().unwrap().clone();
    let all = (0..steps).map(|index| {
        let (round, mut step) = (index / once.len(), once[index % once.len()].clone());
        let moved = |number: &Value| json!(number.as_u64().unwrap() as usize + round * once.len());
        if let Some(arrived) = step.get_mut("arrived").and_then(Value::as_array_mut) {
            arrived.iter_mut().for_each(|number| *number = moved(number));
        }
        if step["location"].is_string() {
            step["location"] = json!(format!("evidence.rs:{round}"));
        }
        step
    });
    trace["steps"] = all.collect();
    let changes = trace["situations"]["changes"].as_array().unwrap().clone();
    let after = |index: usize| changes[1 + index % once.len()].clone();
    trace["situations"]["changes"] = changes[..1].iter().cloned().chain((0..steps).map(after)).collect();
    Counterexample::from_json(&trace.to_string()).unwrap()
}

// Data of steps.

fn step<'a>(counterexample: &'a Counterexample, operation: &str, outcome: &str) -> (usize, &'a Step) {
    let mut numbered = (1..).zip(counterexample.steps());
    let found = numbered.find(|(_, step)| step.operation.contains(operation) && step.outcome.contains(outcome));
    found.unwrap_or_else(|| panic!("{operation} -> {outcome} is missing in {counterexample}"))
}

#[test]
fn what_arrives_names_the_step_that_sent_it() {
    let found = disorder();
    let (a, b) = (step(&found, "send \"a\"", "").0, step(&found, "send \"b\"", "").0);
    let last = &found.steps()[found.steps().len() - 3..];
    let arrived: Vec<&[usize]> = last.iter().map(|step| &step.arrived[..]).collect();
    assert_eq!(arrived, [[b], [a], [a]]);
    let overtaken = Doing::Overtook { datagram: "\"a\" from sender:49168".to_owned(), sent: Some(a) };
    assert_eq!(last[0].network, [overtaken]);
    assert_eq!(last[1].network, []);
    assert_eq!(last[2].network, [Doing::Duplicated { copy: 2 }]);
}

#[test]
fn datagrams_with_the_same_content_are_told_apart() {
    let found = datagrams(Udp::new().loss(), &["a", "a", "b", "a"], &["a", "b", "a"]);
    let sent = |payload: &str| -> Vec<usize> {
        let operation = format!("send \"{payload}\" to receiver:4000");
        let steps = (1..).zip(found.steps());
        steps.filter(|(_, step)| step.operation == operation).map(|(number, _)| number).collect()
    };
    let (a, b) = (sent("a"), sent("b"));
    let arrivals: Vec<usize> = found.steps().iter().flat_map(|step| step.arrived.clone()).collect();
    let lost: Vec<usize> = found.steps().iter().flat_map(|step| &step.network).filter_map(lost).collect();
    assert!(arrivals == [a[0], b[0], a[2]] && lost == [a[1]] || arrivals == [a[1], b[0], a[2]] && lost == [a[0]]);
}

#[test]
fn what_both_sides_perturb_is_traced_through_both() {
    let udp = Udp::new().duplication().reorder(2).direction(Direction::Both);
    let found = datagrams(udp, &["a", "b"], &["b", "a", "b", "a", "a"]);
    let (a, b) = (step(&found, "send \"a\"", "").0, step(&found, "send \"b\"", "").0);
    let arrivals: Vec<usize> = found.steps().iter().flat_map(|step| step.arrived.clone()).collect();
    assert_eq!(arrivals, [b, a, b, a, a], "{found}");
}

#[test]
fn a_datagram_that_was_peeked_at_is_the_one_that_is_taken() {
    let found = found(&Checker::new().udp(Udp::new().reorder(2)), |net| {
        net.daemon("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 1];
            socket.peek_from(&mut buffer).await.unwrap();
            if &buffer == b"b" {
                socket.recv_from(&mut buffer).await.unwrap();
                socket.readable().await.unwrap();
                panic!("it is the second");
            }
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for payload in [b"a", b"b"] {
                socket.send_to(payload, "receiver:4000").await.unwrap();
            }
        };
        net.process("sender", sender).after("receiver");
    });
    let (a, b) = (step(&found, "send \"a\"", "").0, step(&found, "send \"b\"", "").0);
    for (operation, sent) in [("peek", b), ("recv", b), ("readable", a)] {
        assert_eq!(step(&found, operation, "").1.arrived, [sent], "{found}");
    }
}

fn lost(doing: &Doing) -> Option<usize> {
    match doing {
        Doing::Lost { sent, .. } => *sent,
        _ => None,
    }
}

#[test]
fn what_is_given_up_for_lost_names_the_step_that_sent_it() {
    let found = found(&Checker::new().udp(Udp::new().loss()), |net| {
        net.process("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.recv_from(&mut [0; 8]).await.unwrap();
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"a", "receiver:4000").await.unwrap();
        };
        net.process("sender", sender).after("receiver");
    });
    let (sent, _) = step(&found, "send \"a\"", "");
    let (_, network) = step(&found, "lose what is under way", "");
    assert_eq!(network.network.iter().filter_map(lost).collect::<Vec<_>>(), [sent]);
}

#[test]
fn a_read_names_every_write_that_it_got_bytes_of_and_the_end_of_a_stream_who_ended_it() {
    let found = found(&Checker::new().tcp(Tcp::new()), |net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = [0; 3];
            while stream.read(&mut buffer).await.unwrap() > 0 {}
            panic!("the end");
        });
        let client = || async {
            let mut stream = TcpStream::connect("server:80").await.unwrap();
            stream.write_all(b"he").await.unwrap();
            stream.write_all(b"llo").await.unwrap();
            stream.shutdown().await.unwrap();
            let _ = stream.read(&mut [0; 8]).await.unwrap();
        };
        net.process("client", client).after("server");
    });
    let number = |operation: &str| step(&found, operation, "").0;
    let (he, llo) = (number("write \"he\""), number("write \"llo\""));
    assert_eq!(step(&found, "accept", "").1.arrived, [step(&found, "connect server:80", "connected").0]);
    let reads: BTreeSet<usize> =
        found.steps().iter().filter(|step| step.payload.is_some()).flat_map(|step| step.arrived.clone()).collect();
    assert!(reads.contains(&he) && reads.contains(&llo), "{found}");
    assert_eq!(step(&found, "read", "end of stream").1.arrived, [number("shutdown")]);
}

#[test]
fn an_error_names_the_step_at_which_the_other_end_failed() {
    let found = found(&Checker::new().tcp(Tcp::new().fail_read().side(Side::Server)), |net| {
        net.process("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 8]).await;
        });
        let client = || async {
            // The reset may come before the client knows of the connection.
            let Ok(mut stream) = TcpStream::connect("server:80").await else { return };
            stream.write_all(b"x").await.unwrap();
            let _ = stream.read(&mut [0; 8]).await.unwrap();
        };
        net.process("client", client).after("server");
    });
    let (broken, at) = step(&found, "read (with client", "connection reset");
    assert_eq!((&at.network[..], at.failed), (&[Doing::Reset][..], true));
    assert_eq!(step(&found, "(to server", "connection reset").1.arrived, [broken]);
    assert!(found.to_string().contains("! reset"), "{found}");
}

// Text.

#[test]
fn text_marks_what_the_network_does() {
    insta::assert_snapshot!(disorder());
}

#[test]
fn steps_of_others_are_folded() {
    let found = apart();
    assert_eq!(found.units(), ["stuck"]);
    insta::assert_snapshot!(found);
}

#[test]
fn the_alternate_form_has_the_source_lines() {
    let text = format!("{:#}", disorder());
    assert!(text.contains("| socket.send_to(payload.as_bytes(), \"receiver:4000\").await.unwrap();\n"), "{text}");
    assert!(!disorder().to_string().contains("socket.send_to"), "what is pinned does not depend on what can be read");
}

// JSON.

#[test]
fn the_json_form_is_pinned() {
    insta::assert_snapshot!(disorder().to_json());
}

#[test]
fn the_json_form_is_read_again() {
    for found in [disorder(), found(&Checker::new(), connections), apart()] {
        assert_eq!(Counterexample::from_json(&found.to_json()), Ok(found));
    }
}

#[test]
fn other_versions_and_other_texts_are_refused() {
    let error = Counterexample::from_json(r#"{ "version": 9, "steps": [] }"#).unwrap_err();
    assert_eq!(error, "it has version 9, and this netcheck reads version 1: run the check again to make a new one");
    for text in ["", "[]", "{}", r#"{ "version": 1, "kind": "panic" }"#] {
        let error = Counterexample::from_json(text).unwrap_err();
        assert!(error.starts_with("not a counterexample: "), "{error}");
    }
}

// Mermaid.

#[test]
fn mermaid_draws_what_the_network_does() {
    let lost = datagrams(Udp::new().loss(), &["a", "b"], &["b"]);
    let all = [disorder(), lost, found(&Checker::new(), connections), apart()];
    insta::assert_snapshot!(all.map(|found| found.mermaid()).join("\n"));
}

#[test]
fn mermaid_text_is_escaped() {
    const PAYLOADS: &[&str] = &["#;<b>&%%{init}%%"];
    let text = datagrams(Udp::new().loss(), PAYLOADS, PAYLOADS).mermaid();
    assert!(text.contains("5→6 \"#35;#59;#60;b#62;#38;#37;#37;{init}#37;#37;\""), "{text}");
}

// The page.

/// The contents of a page for a browser.
#[derive(Debug, Default)]
struct Page {
    lanes: usize,
    rows: Vec<usize>,
    /// By their classes: the numbers of the steps that they lead from and to.
    arrows: BTreeMap<String, Vec<(usize, Option<usize>)>>,
    tags: BTreeMap<String, usize>,
    attributes: BTreeSet<String>,
}

impl Page {
    fn of(html: &str) -> Page {
        let mut page = Page::default();
        let mut emitter = DefaultEmitter::default();
        // In scripts and styles, no tags are read.
        emitter.naively_switch_states(true);
        for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
            let Token::StartTag(tag) = token else { continue };
            let attributes: BTreeMap<String, String> =
                tag.attributes.iter().map(|(name, value)| (text(name), text(&value.value))).collect();
            let number = |name: &str| attributes.get(name).map(|number| number.parse::<usize>().expect("a number"));
            let class = attributes.get("class").cloned().unwrap_or_default();
            if class == "lane" {
                page.lanes += 1;
            } else if class == "row" {
                page.rows.push(number("data-step").expect("a row is of a step"));
            } else if let Some(class) = class.strip_prefix("arrow ") {
                let ends = (number("data-from").expect("it begins somewhere"), number("data-to"));
                page.arrows.entry(class.to_owned()).or_default().push(ends);
            }
            *page.tags.entry(text(&tag.name)).or_default() += 1;
            page.attributes.extend(attributes.into_keys());
        }
        page
    }

    fn all_arrows(&self) -> usize {
        self.arrows.values().map(Vec::len).sum()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the page is text")
}

/// How many arrows the steps speak of.
fn arrows_of(steps: &[Step]) -> usize {
    let settled: Vec<usize> = steps
        .iter()
        .flat_map(|step| step.network.iter().filter_map(lost).chain(step.arrived.iter().copied()))
        .collect();
    let sends = ["send ", "write ", "connect server"];
    // A connect that returns has an arrow, and the answer that comes before it has none.
    let is_answer = |step: &Step| ["established", "refused"].contains(&step.outcome.as_str());
    let unsettled = (1..).zip(steps).filter(|(number, step)| {
        sends.iter().any(|word| step.operation.starts_with(word)) && !settled.contains(number) && !is_answer(step)
    });
    settled.len() + unsettled.count()
}

#[test]
fn a_page_has_the_lanes_and_arrows_that_the_steps_speak_of() {
    let lost = datagrams(Udp::new().loss(), &["a", "b"], &["b"]);
    for found in [disorder(), lost, found(&Checker::new(), connections), apart()] {
        let page = Page::of(&found.html());
        let lanes: BTreeSet<_> = found.steps().iter().map(|step| (&step.process, step.task)).collect();
        assert_eq!(page.lanes, lanes.len(), "{found}");
        // A connection that is made is told with the connect.
        let rows = (1..).zip(found.steps()).filter(|(_, step)| step.outcome != "established");
        assert_eq!(page.rows, rows.map(|(number, _)| number).collect::<Vec<_>>(), "{found}");
        assert_eq!(page.all_arrows(), arrows_of(found.steps()), "{found}\n{page:?}");
    }
}

#[test]
fn loss_duplication_overtaking_and_failed_connections_are_drawn_as_such() {
    let page = Page::of(&disorder().html());
    assert_eq!(page.arrows["datagram arrived overtook"], [(6, Some(7))]);
    assert_eq!(page.arrows["datagram arrived"], [(5, Some(8))]);
    assert_eq!(page.arrows["datagram arrived copy"], [(5, Some(9))]);
    let page = Page::of(&datagrams(Udp::new().loss(), &["a", "b"], &["b"]).html());
    assert_eq!(page.arrows["datagram lost"], [(5, Some(7))]);
    let found = found(&Checker::new(), connections);
    let page = Page::of(&found.html());
    assert_eq!(page.arrows["connection failed"], [(step(&found, "connect", "connection refused").0, None)]);
    assert!(found.html().contains(">elapsed after 1s</text>"), "timers are drawn");
}

#[test]
fn what_has_not_arrived_by_the_end_is_drawn_as_such() {
    let found = found(&Checker::new(), |net| {
        net.daemon("receiver", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            socket.recv_from(&mut [0; 8]).await.unwrap();
        });
        let sender = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(b"a", "receiver:4000").await.unwrap();
            panic!("too early");
        };
        net.process("sender", sender).after("receiver");
    });
    let page = Page::of(&found.html());
    assert_eq!(page.arrows["datagram under-way"], [(step(&found, "send \"a\"", "").0, None)]);
    assert!(found.mermaid().contains("\"a\" (has not arrived)"));
}

#[test]
fn what_a_program_says_is_inert() {
    const PAYLOADS: &[&str] = &["</script><script>'\"&x"];
    let found = datagrams(Udp::new().loss(), PAYLOADS, PAYLOADS);
    let html = found.html();
    let page = Page::of(&html);
    // The steps, where everybody is by name and in its machine, and the script that goes through them.
    assert_eq!(page.tags["script"], 4, "{page:?}");
    assert_eq!(html.matches("</script").count(), 4);
    let (_, data) = html.split_once("<script type=\"application/json\" id=\"steps\">").expect("the steps");
    let (data, _) = data.split_once("</script>").expect("their end");
    let steps: Value = serde_json::from_str(data).expect("JSON");
    let mut payloads = steps.as_array().unwrap().iter().filter_map(|step| step["payload"].as_str());
    assert!(payloads.all(|payload| payload == format!("{:?}", PAYLOADS[0])), "{steps}");
}

#[test]
fn a_page_loads_nothing() {
    let html = counted(&["x"]).html().expect("it is violated");
    let page = Page::of(&html);
    for attribute in ["src", "href", "xlink:href", "srcset", "style", "onclick", "onload"] {
        assert!(!page.attributes.contains(attribute), "{attribute}");
    }
    for tag in ["link", "img", "image", "use", "iframe", "object", "foreignobject"] {
        assert!(!page.tags.contains_key(tag), "{tag}");
    }
    for text in ["url(", "@import", "http://", "https://", "fetch(", "innerHTML", "eval("] {
        assert!(!html.contains(text), "{text}");
    }
    assert!(html.contains("content=\"default-src 'none'; "), "the browser is told so");
}

#[test]
fn a_trace_of_5000_steps_is_drawn() {
    let found = long(5_000);
    let html = found.html();
    let page = Page::of(&html);
    assert_eq!((page.rows.len(), page.lanes), (5_000, 2));
    assert_eq!(page.all_arrows(), 1_666);
    assert!(html.len() < 8 << 20, "{} bytes", html.len());
    assert_eq!(found.mermaid().matches("->>").count(), 1_665);
}

#[test]
fn both_themes_have_readable_contrast() {
    browser::assert_readable(
        &disorder().html(),
        &["page", "panel", "select"],
        &["text", "aside", "datagram", "stream", "odd", "bad"],
    );
}

/// Goes through a page as a user would, and leaves what it saw in an attribute.
const USER: &str = include_str!("evidence/user.js");

/// The part of a page that `USER` saw, in a browser; `None` if there is none.
pub(crate) fn seen_in_a_browser(name: &str, html: &str) -> Option<Value> {
    browser::seen(&format!("evidence-{name}"), html, USER)
}

#[test]
fn a_browser_shows_a_page_and_steps_through_it() {
    let html = disorder().html();
    let Some(seen) = seen_in_a_browser("disorder", &html) else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}");
    assert_eq!(
        seen["keys"],
        json!([9, 9, 9, 8, 1, 1]),
        "the violated step at open; down, down, end, up, home, up: {seen}"
    );
    assert_eq!((&seen["lanes"], &seen["arrows"]), (&json!(2), &json!(3)), "{seen}");
    assert!(seen["details"].as_str().is_some_and(|text| text.starts_with("Step 1 of 9")), "{seen}");
    let at = |text: &str| format!("tests/pages/src/evidence.rs:{}", line_of(text));
    let pointed = json!({
        "receiver": format!("recv on port 4000 {}", at("let (length, _) = socket.recv_from(&mut buffer)")),
        "sender": format!("bind 0.0.0.0:0 {}", at("UdpSocket::bind(\"0.0.0.0:0\")")),
    });
    assert_eq!(seen["pointed"], json!({ "heading": "Step 3 of 9", "states": pointed }), "{seen}");
    assert_eq!(seen["left"], "Step 1 of 9", "the one that is selected");
    let sends = json!({
        "focused": true,
        "count": "2 of 9 steps.",
        "found": [5, 6],
        "way": [5, 6, 5],
        "left": ["", 0, 0],
    });
    assert_eq!(seen["finds"], sends, "by /, Enter, Enter, Shift and Enter, Escape: {seen}");
    assert_eq!(seen["only"], json!([4, 0]), "the steps of the other process are dimmed, and shown again: {seen}");
    assert_eq!(seen["mapped"], true, "{seen}");
    let panicked = format!("panicked at {}: it has arrived so", at("panic!(\"it has arrived so\")"));
    let last = json!({ "receiver": panicked, "sender": "ended with ()" });
    assert_eq!((&seen["states"], &seen["moved"]), (&last, &json!(["receiver"])), "{seen}");
}

/// Where packets take time, the page has the instants, and room for the time between them.
#[test]
fn a_page_shows_the_time_that_passes() {
    let delay = Udp::new().delay(Duration::from_millis(3)..=Duration::from_millis(5));
    let found = datagrams(delay, &["a"], &["a"]);
    let html = found.html();
    for part in ["0.003 s  +3ms", r#""when":"0.003 s (possible between 0.003 s and 0.005 s)""#] {
        assert!(html.contains(part), "{part}: {found}");
    }
    assert_eq!(html.matches("class=\"instant\"").count(), 1, "time passes once: {found}");
    assert_eq!(html.matches("<g class=\"arrow ").count(), 1, "from the send to the arrival, not to the receive, too");
    assert!(!disorder().html().contains("class=\"instant\""), "no time passes where packets take none");
    let Some(seen) = seen_in_a_browser("time", &html) else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}");
}

#[test]
fn where_everybody_is_is_told_by_task_and_operation() {
    let found = found(&Checker::new(), |net| {
        net.process("both", || async {
            let one = UdpSocket::bind("0.0.0.0:1").await.unwrap();
            let other = tokio::spawn(async {
                let listener = TcpListener::bind("0.0.0.0:2").await.unwrap();
                listener.accept().await.map(|_| ()).unwrap();
            });
            let (timer, mut buffer) = (tokio::time::sleep(Duration::from_secs(1)), [0; 8]);
            tokio::select! {
                _ = one.recv_from(&mut buffer) => {}
                () = timer => panic!("too late"),
            }
            other.await.unwrap();
        });
        net.process("never", || async {}).after("silent");
        net.daemon("silent", || async { netcheck::choose([1]).await });
    });
    let json: Value = serde_json::from_str(&found.to_json()).unwrap();
    let (states, changes) = (&json["situations"]["states"], json["situations"]["changes"].as_array().unwrap());
    assert_eq!(changes.len(), found.steps().len() + 1);
    let is_in = |process: &str, state: &Value| {
        changes.iter().filter_map(|changes| changes[process].as_u64()).any(|index| states[index as usize] == *state)
    };
    let pending = |task: Option<u32>, operation: &str, line: u32| match task {
        Some(task) => {
            json!({ "task": task, "operation": operation, "location": format!("tests/pages/src/evidence.rs:{line}") })
        }
        None => json!({ "operation": operation, "location": format!("tests/pages/src/evidence.rs:{line}") }),
    };
    let spawned = line_of("let other = tokio::spawn");
    let waiting = [
        pending(Some(1), "accept on 0.0.0.0:2", spawned + 2),
        pending(None, "recv on port 1", spawned + 6),
        pending(None, "timer", spawned + 4),
    ];
    assert!(is_in("both", &json!({ "pending": waiting })), "{json:#}");
    assert!(is_in("never", &json!({ "is": "has not started" })), "{json:#}");
}

/// Counts what arrives until it is told to stop, and does not like to be told twice.
#[netcheck::process]
async fn counts() {
    let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let (mut count, mut told) = (0, BTreeSet::new());
    loop {
        let mut buffer = [0; 32];
        let (length, _) = socket.recv_from(&mut buffer).await.unwrap();
        count = (count + 1) % 3;
        assert!(told.insert(buffer[..length].to_vec()), "twice");
    }
}

fn counted(payloads: &'static [&'static str]) -> Report {
    Checker::new().udp(Udp::new().loss().duplication()).check(|net| {
        net.daemon("counter", counts);
        let speaker = move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for payload in payloads {
                socket.send_to(payload.as_bytes(), "counter:4000").await.unwrap();
            }
        };
        net.process("speaker", speaker).after("counter");
    })
}

#[test]
fn a_page_draws_the_automata_of_the_processes() {
    let report = counted(&["x", "y", "z"]);
    let html = report.html().expect("it is violated");
    let page = Page::of(&html);
    for (index, automaton) in report.automata().iter().enumerate() {
        assert_eq!(html.matches(&format!("data-machine=\"{index}\" data-node=")).count(), automaton.nodes());
        assert!(html.contains(&format!("<h2>{}</h2>", automaton.name())));
    }
    assert_eq!(page.tags["details"], 1);
    let line = line_of("let mut buffer = [0; 32]") - 1;
    let title = format!("<title>at tests/pages/src/evidence.rs:{line}: count = 1, told = {{[120]}}</title>");
    assert!(html.contains(&title), "{title}");
    assert!(!report.counterexample().expect("a violation").html().contains("<details"), "it knows no automata");
}

#[test]
fn a_page_draws_states_as_one_until_they_can_be_read() {
    let report = Checker::new().check(|net| {
        net.process("it", || async { netcheck::choose(0..20).await * 20 + netcheck::choose(0..20).await });
        net.finally(|end| end.output("it") != Some("399"));
    });
    let html = report.html().expect("it is violated");
    // Before the start, before each choice, and the end.
    assert_eq!(html.matches("data-machine=\"0\" data-node=").count(), 4);
    let all = report.automaton("it").nodes();
    assert!(
        html.contains(&format!("{all} local states: those that do the same for 3 steps are drawn as one")),
        "{html}"
    );
    assert!(html.contains("and 17 more"), "of the edges");
}

#[test]
fn a_page_draws_nothing_that_cannot_be_read() {
    let report = Checker::new().check(|net| {
        net.process("it", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for number in 0..100 {
                socket.send_to(format!("{number}").as_bytes(), "it:1").await.unwrap();
            }
            panic!("at last");
        });
    });
    let html = report.html().expect("it is violated");
    assert_eq!(html.matches("data-machine=\"0\" data-node=").count(), 0);
    let all = report.automaton("it").nodes();
    assert!(html.contains(&format!("{all} local states, too many to be read")), "{all}");
}

#[test]
fn a_browser_shows_where_the_processes_are_in_their_automata() {
    let report = counted(&["x", "</title></text><script>seen.errors.push('it ran')</script>", "y"]);
    let Some(seen) = seen_in_a_browser("machines", &report.html().expect("it is violated")) else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}");
    let nodes: usize = report.automata().iter().map(Automaton::nodes).sum();
    assert_eq!(seen["nodes"], nodes, "{seen}");
    let here = json!({
        "first": ["0: 1", "1: 0"],
        "pointed": [format!("0: 2 evidence.rs:{}", line_of("let mut buffer = [0; 32]") - 1), "1: 1"],
        "last": ["0: 7 panicked at tests/pages/src/evide…", "1: 3"],
    });
    assert_eq!(seen["here"], here, "{seen}");
}

/// The number of the first line of this file with a text.
fn line_of(text: &str) -> u32 {
    let mut lines = (1..).zip(include_str!("evidence.rs").lines());
    lines.find(|(_, line)| line.contains(text)).expect("it is there").0
}

#[test]
fn a_script_as_a_payload_does_not_run_in_a_browser() {
    const PAYLOADS: &[&str] = &["</script><script>seen.errors.push('it ran')</script>"];
    let html = datagrams(Udp::new().loss(), PAYLOADS, PAYLOADS).html();
    let Some(seen) = seen_in_a_browser("script", &html) else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}");
}

#[test]
fn a_browser_shows_5000_steps_and_scrolls_through_them() {
    let Some(seen) = seen_in_a_browser("long", &long(5_000).html()) else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}");
    assert_eq!(seen["keys"], json!([5_000, 5_000, 5_000, 4_999, 1, 1]), "{seen}");
    assert!(seen["scrolled"].as_f64().is_some_and(|pixels| pixels > 100_000.0), "{seen}");
}
