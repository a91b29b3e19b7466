//! More lanes than a window has room for: that of the selected step is in sight, and the words beside the lanes where
//! both fit.

mod breaks;

use super::found;
use crate::browser;
use netcheck as tokio;
use netcheck::check::{Checker, Counterexample, Tasks};
use serde_json::json;
use tokio::task::JoinSet;

const TASKS: usize = 12;

/// A task after the other waits for ever.
fn many() -> Counterexample {
    found(&Checker::new().tasks(Tasks::Fifo), |net| {
        net.process("all", || async {
            let mut tasks = JoinSet::new();
            for _ in 0..TASKS {
                tasks.spawn(std::future::pending::<()>());
            }
            tasks.join_next().await;
        });
    })
}

/// The actions of a reader on such a page.
const USER: &str = r##"
const seen = { errors: [] };
addEventListener("error", (event) => seen.errors.push(event.message));
addEventListener("DOMContentLoaded", () => {
  const diagram = document.getElementById("diagram");
  const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  const heading = () => document.querySelector("#details h2").textContent;
  const look = () => {
    const box = diagram.getBoundingClientRect();
    const at = diagram.querySelector(`[data-at="${heading().split(" ")[1]}"]`).getBoundingClientRect();
    return { heading: heading(), inSight: at.left >= box.left && at.right <= box.right, words: diagram.scrollLeft === 0 };
  };
  seen.last = look();
  key("Home");
  seen.first = look();
  key("End");
  seen.again = look();
  document.body.dataset.seen = JSON.stringify(seen);
});
"##;

#[test]
fn a_browser_shows_the_lane_of_the_selected_step() {
    let counterexample = many();
    let steps = counterexample.steps().len();
    assert_eq!(steps, TASKS + 1, "{counterexample}");
    let Some(seen) = browser::seen("evidence-lanes", &counterexample.html(), USER) else { return };
    let at = |step: usize, words: bool| json!({ "heading": format!("Step {step} of {steps}"), "inSight": true, "words": words });
    assert_eq!(seen["errors"], json!([]), "{seen}\n{counterexample}");
    assert_eq!((&seen["last"], &seen["first"]), (&at(steps, false), &at(1, true)), "{counterexample}");
    assert_eq!(seen["again"], at(steps, false), "{counterexample}");
}
