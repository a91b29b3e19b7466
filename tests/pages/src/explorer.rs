//! The explorer: what it answers over a real socket, whom it refuses, and its page in a browser.

mod http;
mod shown;

use http::{Explorer, address, exchange, post, request};
use netcheck as tokio;
use netcheck::check::{Checker, Counterexample, Udp, ViolationKind};
use netcheck::{Network, model_check};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use tokio::net::UdpSocket;

/// A client that asks without a timeout, and says so in tags.
fn asks_once(net: &mut Network) {
    net.daemon("server", || async {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        let mut buffer = [0; 32];
        let (length, from) = socket.recv_from(&mut buffer).await.unwrap();
        socket.send_to(&buffer[..length], from).await.unwrap();
    });
    net.process("client", || async {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.send_to(b"<b>ask</b>", "server:4000").await.unwrap();
        socket.recv(&mut [0; 32]).await.unwrap()
    })
    .after("server");
}

fn lossy() -> Checker {
    Checker::new().udp(Udp::new().loss().duplication())
}

fn explorer() -> Explorer {
    Explorer::start(&lossy(), asks_once, None)
}

fn lost() -> Counterexample {
    let report = lossy().check(asks_once);
    report.counterexample().unwrap_or_else(|| panic!("something is violated: {report}")).clone()
}

fn steps_of(counterexample: &Counterexample) -> Vec<Value> {
    let trace: Value = serde_json::from_str(&counterexample.to_json()).expect("JSON");
    trace["steps"].as_array().expect("steps").clone()
}

/// The steps that could come next.
fn next(place: &Value) -> Vec<Value> {
    place["next"].as_array().expect("steps").iter().map(|next| next["step"].clone()).collect()
}

/// Takes the first possible step, as long as there is one.
fn first_to_the_end(explorer: &Explorer) -> Vec<Value> {
    let mut path = Vec::new();
    while let Some(step) = next(&explorer.look(&path)).first() {
        path.push(step.clone());
    }
    path
}

#[test]
fn a_path_is_taken_step_by_step_and_back() {
    let explorer = explorer();
    let start = explorer.look(&[]);
    let who: Vec<&str> = start["next"].as_array().unwrap().iter().map(|next| next["who"].as_str().unwrap()).collect();
    assert_eq!(who, ["server"], "the client comes after it: {start}");
    assert_eq!(start["next"][0]["what"], "start");
    let path = first_to_the_end(&explorer);
    assert!(path.len() >= 6, "{path:?}");
    let end = explorer.look(&path);
    assert_eq!(end["steps"].as_array().unwrap().len(), path.len());
    assert_eq!(end["situations"]["changes"].as_array().unwrap().len(), path.len() + 1);
    // Back: it is as it was.
    assert_eq!(explorer.look(&[]), start);
    for count in 0..path.len() {
        assert!(next(&explorer.look(&path[..count])).contains(&path[count]), "step {}", count + 1);
    }
    explorer.end();
}

#[test]
fn an_arrival_is_possible_besides_its_loss_and_names_the_step_that_sent_it() {
    let explorer = explorer();
    let sent = explorer.ask("/search", &json!({ "steps": [], "text": "recv", "process": "client" }));
    let path = sent["steps"].as_array().expect("it sends").clone();
    let next = next(&explorer.look(&path));
    let arrival = next.iter().find(|step| step["kind"] == "receive").expect("it may arrive");
    assert_eq!(arrival["arrived"], json!([path.len()]), "{arrival}");
    let place = explorer.look(&[&path[..], std::slice::from_ref(arrival)].concat());
    assert_eq!(place["steps"][path.len()]["step"]["arrived"], json!([path.len()]));
    explorer.end();
}

#[test]
fn every_step_of_a_counterexample_can_be_jumped_to_and_is_among_those_that_could_come() {
    let counterexample = lost();
    let (steps, explorer) = (steps_of(&counterexample), Explorer::start(&lossy(), asks_once, Some(counterexample)));
    let mut others = 0;
    for (count, then) in steps.iter().enumerate() {
        let place = explorer.ask("/look", &json!({ "steps": steps[..count], "then": then }));
        let next = place["next"].as_array().unwrap();
        assert_eq!(next.iter().filter(|next| next["is_then"] == true).count(), 1, "step {}: {place}", count + 1);
        assert_eq!(place["violation"], Value::Null);
        others += next.len() - 1;
    }
    assert!(others > 0, "something else could have happened");
    let end = explorer.look(&steps);
    assert!(end["violation"].as_str().unwrap().starts_with("deadlock: "), "{end}");
    let (_, page) = exchange(&explorer.address, &format!("GET / HTTP/1.0\r\nHost: {}\r\n\r\n", explorer.address));
    assert!(page.contains("deadlock: nothing can happen any more"), "the page begins with it");
    assert!(!page.contains("<b>ask"), "escaped");
    explorer.end();
}

#[test]
fn a_state_is_found_by_what_a_process_does_by_a_step_or_by_a_violation() {
    let explorer = explorer();
    let search = |text: &str, process: Option<&str>| {
        let way = explorer.ask("/search", &json!({ "steps": [], "text": text, "process": process }));
        assert!(way["message"].as_str().unwrap().starts_with("found after "), "{way}");
        let steps = way["steps"].as_array().unwrap().clone();
        let place = explorer.look(&steps);
        assert_eq!(place["steps"].as_array().unwrap().len(), steps.len(), "the way can be taken");
        (steps, place)
    };
    let (steps, place) = search("DEADLOCK", None);
    assert!(place["violation"].as_str().unwrap().starts_with("deadlock: "), "{place}");
    assert_eq!(steps.len(), steps_of(&lost()).len(), "breadth-first");
    let (_, place) = search("ended with", Some("server"));
    assert!(place["situations"].to_string().contains("ended with ()"), "{place}");
    let (_, place) = search("ended with", Some("client"));
    assert!(place["situations"].to_string().contains("ended with 10"), "{place}");
    let (steps, place) = search("✗ lost", None);
    let did = &place["steps"][steps.len() - 1]["did"][0];
    assert!(did.as_str().is_some_and(|did| did.starts_with("✗ lost: \"<b>ask</b>\"")), "{place}");
    explorer.end();
}

#[test]
fn what_is_not_found_says_how_much_was_visited() {
    let explorer = explorer();
    let message = |query: Value| {
        let way = explorer.ask("/search", &query);
        assert_eq!(way["steps"], Value::Null, "{way}");
        way["message"].as_str().unwrap().to_owned()
    };
    let nowhere = message(json!({ "steps": [], "text": "nowhere" }));
    assert!(nowhere.starts_with("not found: there are no others than the "), "{nowhere}");
    let bounded = message(json!({ "steps": [], "text": "nowhere", "states_max": 3 }));
    assert_eq!(bounded, "not found within 3 states, and there are more");
    assert!(message(json!({ "steps": [], "text": " " })).starts_with("say what is looked for"));
    let here = explorer.ask("/search", &json!({ "steps": [], "text": "has not started" }));
    assert_eq!((&here["steps"], here["message"].as_str().unwrap()), (&json!([]), "it holds here already"));
    explorer.end();
}

#[test]
fn a_path_is_kept_as_a_trace_that_replays_and_as_a_diagram() {
    let explorer = explorer();
    let kept = |steps: &[Value]| {
        let (status, trace) = explorer.post("/trace", &json!({ "steps": steps }).to_string());
        assert_eq!(status, 200, "{trace}");
        Counterexample::from_json(&trace).expect("a trace")
    };
    let way = explorer.ask("/search", &json!({ "steps": [], "text": "deadlock" }));
    let steps = way["steps"].as_array().unwrap();
    let violated = kept(steps);
    assert_eq!((violated.kind(), violated.faults()), (ViolationKind::Deadlock, lost().faults()));
    let again = lossy().replay(asks_once, &violated).expect("it fits").expect("it is violated");
    assert!(again.starts_with("deadlock: "), "{again}");
    // Its faults are in the file.
    let part = kept(&steps[..steps.len() - 1]);
    assert_eq!((part.kind(), part.steps().len()), (ViolationKind::None, steps.len() - 1));
    assert_eq!(lossy().replay(asks_once, &part).expect("it fits"), None);
    assert!(!part.mermaid().contains("no violation") && !part.html().contains("class=\"violation\""));
    let query = json!({ "steps": steps }).to_string();
    assert_eq!(explorer.post("/diagram", &query), (200, violated.html()));
    assert_eq!(explorer.post("/mermaid", &query), (200, violated.mermaid()));
    explorer.end();
}

#[test]
fn what_can_not_be_answered_is_refused_with_a_sentence() {
    let explorer = explorer();
    let path = first_to_the_end(&explorer);
    let impossible = json!({ "steps": [path[0], path[0]] }).to_string();
    let (status, why) = explorer.post("/look", &impossible);
    assert_eq!(status, 400);
    assert!(why.contains("step 2 is not possible") && why.contains("possible now:"), "{why}");
    for (body, expected) in [
        ("{", "IncompleteDocument"),
        ("{}", "missing field `steps`"),
        ("{\"steps\": [{\"process\": 1}]}", "expected JSON value type String but got Number"),
        ("{\"steps\": [{\"process\": \"x\", \"operation\": \"y\", \"outcome\": \"z\"}]}", "missing field `asked`"),
        (
            "{\"steps\": [{\"process\": \"x\", \"operation\": \"y\", \"outcome\": \"z\", \"asked\": {\"call\": \"start\"}}]}",
            "step 1 is not possible",
        ),
    ] {
        for path in ["/look", "/trace", "/diagram", "/mermaid"] {
            let (status, why) = explorer.post(path, body);
            assert_eq!(status, 400, "{path} {body}");
            assert!(why.contains(expected), "{path} {body}: {why}");
        }
    }
    assert_eq!(explorer.post("/search", "{\"steps\": []}").0, 400);
    assert_eq!(explorer.post("/nowhere", "{}").0, 404);
    assert_eq!(explorer.look(&[])["next"][0]["what"], "start", "it answers still");
    explorer.end();
}

#[test]
fn only_its_own_page_is_answered() {
    let explorer = explorer();
    let at = &explorer.address;
    let port = at.rsplit_once(':').unwrap().1;
    let status = |text: String| request(at, &text);
    let json = "Content-Type: application/json\r\nContent-Length: 12\r\n";
    let body = "{\"steps\":[]}";
    for host in [at.clone(), format!("localhost:{port}")] {
        assert_eq!(status(format!("GET / HTTP/1.0\r\nHost: {host}\r\n\r\n")).0, 200);
        let origin = format!("Origin: http://{host}\r\n");
        assert_eq!(status(format!("POST /look HTTP/1.0\r\nHost: {host}\r\n{origin}{json}\r\n{body}")).0, 200);
    }
    for host in ["Host: example.com\r\n".to_owned(), format!("Host: evil.com:{port}\r\n"), String::new()] {
        let (refused, why) = status(format!("GET / HTTP/1.0\r\n{host}\r\n"));
        assert_eq!(refused, 403, "{host}");
        assert!(why.contains("and nowhere else"), "{why}");
        assert_eq!(status(format!("POST /end HTTP/1.0\r\n{host}{json}\r\n{body}")).0, 403);
    }
    let own = format!("Host: {at}\r\n");
    for origin in ["http://example.com", "null", "https://127.0.0.1"] {
        assert_eq!(status(format!("POST /end HTTP/1.0\r\n{own}Origin: {origin}\r\n{json}\r\n{body}")).0, 403);
    }
    // A request that a form of another page could send.
    assert_eq!(
        status(format!("POST /end HTTP/1.0\r\n{own}Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n")).0,
        415
    );
    assert_eq!(status(format!("GET /end HTTP/1.0\r\n{own}\r\n")).0, 404);
    let (head, _) = exchange(at, &format!("GET / HTTP/1.0\r\n{own}\r\n"));
    assert!(head.contains("default-src 'none'") && head.contains("frame-ancestors 'none'"), "{head}");
    explorer.end();
}

#[model_check(udp(loss, duplication))]
#[ignore = "run in a child: it is explored"]
fn explored(net: &mut Network) {
    asks_once(net);
}

/// Explores that test in a child, and ends it: what the page was, and what the child has printed.
fn child(wish: &str) -> (String, String) {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["explorer::explored", "--exact", "--include-ignored"]).env("NETCHECK_EXPLORE", wish);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
    let line = lines.find_map(|line| line.ok().filter(|line| line.contains(" is explored at "))).expect("the address");
    let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("the address");
    let address = address(url);
    let page = exchange(&address, &format!("GET / HTTP/1.0\r\nHost: {address}\r\n\r\n")).1;
    assert_eq!(post(&address, "/end", "{}").0, 200);
    let mut text = String::new();
    child.stdout.take().expect("it is piped").read_to_string(&mut text).expect("text");
    assert!(!child.wait().expect("it ends").success(), "it was not checked: {text}");
    (page, text)
}

#[test]
fn a_test_is_explored_in_place_of_its_check_and_does_not_pass() {
    let (page, text) = child("1");
    assert!(page.contains("\"loaded\":null"), "{page}");
    let said = "explored was explored, not checked: without NETCHECK_EXPLORE it is checked";
    assert!(text.contains(said), "{text}");
    let file = std::env::current_exe().expect("this program").with_file_name("explored.json");
    std::fs::write(&file, lost().to_json()).expect("a trace");
    let (page, _) = child(file.to_str().expect("a path of letters"));
    assert!(page.contains("deadlock: nothing can happen any more"), "{page}");
}

#[test]
fn a_file_that_can_not_be_read_is_named() {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["explorer::explored", "--exact", "--include-ignored"]).env("NETCHECK_EXPLORE", "nowhere.json");
    let output = command.output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(!output.status.success() && text.contains("can't be explored: nowhere.json: "), "{text}");
}
