//! The page of the explorer in a real browser: what a script of the user's sees when it presses the buttons.

use super::http::{Explorer, exchange};
use super::{asks_once, lossy, lost};
use crate::browser;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

/// A user who walks around: from the step before the violation to another step, back, and to the end by a search.
const USER: &str = r##"
const seen = { errors: [] };
addEventListener("error", (event) => seen.errors.push(event.message));
addEventListener("unhandledrejection", (event) => seen.errors.push(String(event.reason)));
addEventListener("securitypolicyviolation", (event) => seen.errors.push(event.violatedDirective));
addEventListener("DOMContentLoaded", async () => {
  const all = (query) => [...document.querySelectorAll(query)];
  const one = (query) => document.querySelector(query);
  const title = () => one("#path h2")?.textContent;
  async function until(what, done) {
    for (let tries = 0; tries < 400; tries++) {
      if (done()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    seen.errors.push("never: " + what + "; " + one("#said").textContent);
  }
  const press = async (query, steps) => {
    one(query).click();
    await until(query + " leads to " + steps, () => title() === "The path: " + steps + " steps");
  };
  const count = all.bind(null, "#path .step");
  await until("it begins", () => all("#next .step").length > 0);
  const steps = count().length;
  seen.begin = [title(), all("#path .ahead").length, all("#next .then").length, one("#next h2").textContent];
  seen.places = all("#places dt").map((place) => place.textContent);
  await press("#forward", steps);
  seen.violation = one("#next .violation").textContent.split("\n")[0];
  await press("#back", steps - 1);
  await press("#start", 0);
  seen.first = all("#next .step").map((step) => step.textContent.replace(/explorer\.rs:\d+/, "explorer.rs"));
  await press("#next .step", 1);
  await press("#path li:nth-child(3) .step", 3);
  const other = one("#next .step:not(:has(.then))");
  if (other) { other.click(); await until("another step", () => title() === "The path: 4 steps" && count().length === 4); }
  one("#wanted").value = "ended with 10";
  one("#search button").click();
  await until("it is found", () => one("#said").textContent.startsWith("found after"));
  seen.found = one("#places").textContent.includes("ended with 10");
  one("#drawing").open = true;
  await until("a diagram", () => one("#drawing iframe")?.srcdoc.includes("<svg"));
  one("#wanted").value = "nowhere";
  one("#search button").click();
  await until("it is not found", () => one("#said").textContent.startsWith("not found"));
  one("#reload").click();
  await until("the loaded execution", () => title() === "The path: " + (steps - 1) + " steps");
  seen.tags = all("b").length;
  seen.wide = document.documentElement.scrollWidth > innerWidth;
  document.body.dataset.seen = JSON.stringify(seen);
});
"##;

/// Passes requests of the browser on, and adds the user to the page.
fn pass_on(listener: &TcpListener, explorer: &str) {
    let own = listener.local_addr().expect("an address").to_string();
    for stream in listener.incoming() {
        let stream = stream.expect("a browser");
        if !pass_one(stream, &own, explorer) {
            return;
        }
    }
}

/// Whether others may follow.
fn pass_one(mut stream: TcpStream, own: &str, explorer: &str) -> bool {
    let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return true;
        }
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a number");
        }
        if lower.starts_with("connection:") {
            continue;
        }
        head.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    if head.starts_with("GET /stop ") {
        return false;
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let head = head.replace(own, explorer).replacen("HTTP/1.1", "HTTP/1.0", 1);
    let (answered, mut text) = exchange(explorer, &(head + std::str::from_utf8(&body).expect("text")));
    text = text.replacen("<head>", &format!("<head><script>{USER}</script>"), 1);
    let kept = answered.lines().filter(|line| !line.to_lowercase().starts_with("content-length"));
    let kept: Vec<&str> = kept.filter(|line| !line.to_lowercase().starts_with("connection")).collect();
    let head = format!("{}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", kept.join("\r\n"), text.len());
    // A browser that has seen enough may be gone.
    let _ = stream.write_all((head + &text).as_bytes());
    true
}

#[test]
fn a_browser_shows_the_page_and_its_buttons_work() {
    let counterexample = lost();
    let steps = counterexample.steps().len();
    let explorer = Explorer::start(&lossy(), asks_once, Some(counterexample));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = listener.local_addr().expect("an address").to_string();
    let address = explorer.address.clone();
    let passing = std::thread::spawn(move || pass_on(&listener, &address));
    let seen = browser::seen_at("explorer", &format!("http://{own}/"));
    TcpStream::connect(&own).expect("it listens").write_all(b"GET /stop HTTP/1.0\r\n\r\n").expect("it reads");
    passing.join().expect("it passes on");
    explorer.end();
    let Some(seen) = seen else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}");
    let begin = json!([format!("The path: {} steps", steps - 1), 1, 1, "What could have come next"]);
    assert_eq!(seen["begin"], begin, "{seen}");
    assert_eq!(seen["places"], json!(["client", "server"]), "{seen}");
    assert_eq!(seen["violation"], "✗ deadlock: nothing can happen any more", "{seen}");
    assert!(seen["first"][0].as_str().is_some_and(|first| first.starts_with("1serverstart")), "{seen}");
    assert_eq!((&seen["found"], &seen["tags"], &seen["wide"]), (&json!(true), &json!(0), &json!(false)), "{seen}");
}

#[test]
fn the_page_can_be_read_light_and_dark() {
    let explorer = Explorer::start(&lossy(), asks_once, None);
    let get = format!("GET / HTTP/1.0\r\nHost: {}\r\n\r\n", explorer.address);
    let (_, page) = exchange(&explorer.address, &get);
    browser::assert_readable(&page, &["page", "panel", "select"], &["text", "bad"]);
    browser::assert_readable(&page, &["page", "panel"], &["aside", "stream"]);
    assert!(!page.contains("http://") && !page.contains("https://"), "it loads nothing from elsewhere");
    explorer.end();
}
