//! Rounds of a loop that repeat are drawn once, and all of them where the reader wants it.

use super::found;
use crate::browser;
use netcheck as tokio;
use netcheck::check::{Checker, Counterexample};
use serde_json::json;
use tokio::net::UdpSocket;
use tokio::time::Instant;

/// A client asks eight times, and is not content with the last answer.
fn rounds() -> Counterexample {
    found(&Checker::new(), |net| {
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            loop {
                let (_, from) = socket.recv_from(&mut [0; 1]).await.unwrap();
                socket.send_to(b"!", from).await.unwrap();
            }
        });
        let client = || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            for number in b'0'..b'8' {
                socket.send_to(&[number], "server:4000").await.unwrap();
                socket.recv(&mut [0; 1]).await.unwrap();
            }
            let _ = Instant::now();
            socket.send_to(b"thanks", "server:4000").await.unwrap();
            panic!("content");
        };
        net.process("client", client).after("server");
    })
}

/// The actions of a reader on such a page.
const USER: &str = r##"
const seen = { errors: [] };
addEventListener("error", (event) => seen.errors.push(event.message));
addEventListener("DOMContentLoaded", () => {
  const button = document.getElementById("rounds");
  const drawing = () => document.querySelector("#diagram > svg:not([hidden])");
  const rows = () => drawing().querySelectorAll(".row").length;
  const heading = () => document.querySelector("#details h2").textContent;
  const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  seen.folded = { rows: rows(), heading: heading(), button: button.textContent, hidden: button.hidden };
  seen.fold = drawing().querySelector(".fold text.what").textContent;
  seen.aside = [...document.querySelectorAll("#details p.aside")].map((line) => line.textContent.split(" -> ")[0]);
  for (const arrow of drawing().querySelectorAll(".arrow")) {
    const [from, to] = [Number(arrow.dataset.from), Number(arrow.dataset.to || 0)];
    if (from > 9 && to > 9 && to < 36) seen.errors.push("an arrow within the rounds: " + from + " to " + to);
  }
  key("Home");
  for (let count = 0; count < 8; count += 1) key("ArrowDown");
  seen.before = heading();
  key("ArrowDown");
  seen.after = heading();
  drawing().querySelector(".fold .row").dispatchEvent(new MouseEvent("click", { bubbles: true }));
  seen.open = { rows: rows(), heading: heading(), button: button.textContent };
  key("ArrowUp");
  seen.within = heading();
  button.click();
  seen.again = { rows: rows(), selected: drawing().querySelectorAll(".row.selected").length };
  const find = document.getElementById("find");
  find.value = "send \"5\"";
  find.dispatchEvent(new Event("input"));
  find.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  seen.found = { rows: rows(), heading: heading(), count: document.getElementById("found").textContent };
  document.body.dataset.seen = JSON.stringify(seen);
});
"##;

#[test]
fn rounds_that_repeat_are_drawn_once() {
    let html = rounds().html();
    assert_eq!(html.matches("<g class=\"fold\">").count(), 1, "{}", rounds());
    assert_eq!(html.matches("<svg class=\"folded\"").count(), 1);
    assert!(!found(&Checker::new(), super::connections).html().contains("class=\"fold"), "nothing repeats there");
}

#[test]
fn a_browser_folds_rounds_and_shows_them() {
    let counterexample = rounds();
    let steps = counterexample.steps().len();
    let Some(seen) = browser::seen("evidence-rounds", &counterexample.html(), USER) else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}\n{counterexample}");
    assert_eq!(seen["folded"]["heading"], format!("Step {steps} of {steps}"), "{seen}\n{counterexample}");
    assert_eq!((&seen["folded"]["button"], &seen["folded"]["hidden"]), (&json!("show all rounds"), &json!(false)));
    // Without the reading of the clock, which is told with the last step.
    assert_eq!(seen["open"]["rows"], steps - 1, "{seen}");
    let aside = format!("#{} before it: Instant::now", steps - 1);
    assert_eq!(seen["aside"], json!([aside]), "{seen}");
    assert_eq!(seen["fold"], "×8 in all: steps 5 to 8 again, 7 times", "{seen}\n{counterexample}");
    assert_eq!(seen["folded"]["rows"], 4 + 4 + 1 + 1, "{seen}\n{counterexample}");
    assert_eq!(seen["before"], format!("Step {steps} of {steps}"), "the step after the rounds: {seen}");
    assert_eq!(seen["open"]["button"], "fold rounds that repeat", "{seen}");
    assert_eq!(seen["within"], format!("Step {} of {steps}", steps - 2), "{seen}");
    assert_eq!(seen["again"], json!({ "rows": 10, "selected": 1 }), "{seen}");
    assert_eq!(seen["found"]["count"], format!("1 of {steps} steps."), "{seen}");
    assert_eq!(seen["found"]["rows"], steps - 1, "a step that was folded is shown: {seen}");
}
