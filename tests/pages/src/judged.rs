//! The page of a trace that a monitor judges.

use crate::evidence::seen_in_a_browser;
use netcheck::monitor::{Monitor, Rule, Trace};
use serde_json::json;
use std::time::Duration;

/// A step for each packet, and where the monitor is after it.
#[test]
fn a_trace_that_a_monitor_judges_has_a_page() {
    let ms = Duration::from_millis;
    let monitor = Monitor::builder("in turn")
        .clock("since")
        .state("idle")
        .state("asked")
        .deadline("asked", "since", ms(10))
        .rule("idle", "asked", Rule::on("question", |packet: &&str| *packet == "ask?").reset("since"))
        .rule("asked", "idle", Rule::on("answer", |packet| *packet == "<so>"))
        .build()
        .unwrap();
    let packets = |last| Trace::new([(ms(5), "ask?"), (ms(8), "<so>"), (ms(20), "ask?"), (ms(31), last)]).unwrap();
    let good = packets("<so>").starting_at(ms(1));
    assert!(!monitor.validate(&good).is_accepted(), "11 ms are too long");
    let html = netcheck::monitor::page(&monitor, &good);
    for part in
        ["at packet 4, the monitor `in turn` rejects: a deadline has passed", "4: &quot;&lt;so&gt;&quot;", "+3ms"]
    {
        assert!(html.contains(part), "{part}\n{html}");
    }
    assert!(!html.contains("<dt>faults</dt>"), "there is no check");
    let accepted = Trace::new([(ms(5), "ask?"), (ms(8), "<so>")]).unwrap();
    assert!(netcheck::monitor::page(&monitor, &accepted).contains("all 2 packets are accepted"));
    let unanswered = Trace::new([(ms(5), "ask?")]).unwrap().ending_at(ms(40));
    assert!(netcheck::monitor::page(&monitor, &unanswered).contains("at the end of the trace, the monitor"));
    let Some(seen) = seen_in_a_browser("judged", &html) else { return };
    assert_eq!(seen["errors"], json!([]), "{seen}");
    assert_eq!(seen["states"], json!({ "monitor in turn": "rejects" }), "{seen}");
    assert_eq!(seen["here"]["first"], json!(["0: asked, since <= 10ms"]), "after the first packet: {seen}");
    assert_eq!((&seen["lanes"], &seen["arrows"]), (&json!(1), &json!(0)), "{seen}");
}

/// The packets before the rejection are shown of a long trace.
#[test]
fn a_page_of_a_long_trace_leaves_out_its_beginning() {
    let monitor = Monitor::builder("small").state("all").rule("all", "all", Rule::on("small", |n: &u32| *n < 2_999));
    let trace = Trace::new((0..4_000).map(|n| (Duration::from_millis(n.into()), n))).unwrap();
    let html = netcheck::monitor::page(&monitor.build().unwrap(), &trace);
    assert!(html.contains("at packet 3000, the monitor `small` rejects 2999"), "{}", &html[..2_000]);
    assert!(html.contains("the first 1000 packets are not shown") && html.contains(">1001: 1000<"));
    assert!(!html.contains("3001: 3000"), "what comes after the rejection says nothing");
}
