//! Declarations with mistakes, texts and drawings.

use core::ops::RangeInclusive;
use core::time::Duration;
use netcheck_models::monitor::{Guard, Monitor, Rule, Run, Sniffer, Trace};

const MS: fn(u64) -> Duration = Duration::from_millis;

/// The acknowledgment of a numbered packet, modulo 2, within 10 ms.
fn alternating() -> Monitor<(char, i64)> {
    Monitor::builder("alternating")
        .variable("next", 0..=1)
        .clock("c")
        .state("idle")
        .state("sent")
        .accepting("idle")
        .deadline("sent", "c", MS(10))
        .rule("idle", "sent", Rule::on("data", |e: &(char, i64)| e.0 == 'd').when("n == next", is_next).reset("c"))
        .rule(
            "sent",
            "sent",
            Rule::on("data", |e: &(char, i64)| e.0 == 'd').when("n == next", is_next).at_least("c", MS(3)),
        )
        .rule(
            "sent",
            "idle",
            Rule::on("ack", |e: &(char, i64)| e.0 == 'a')
                .when("n == next", is_next)
                .set("next", |_, values| 1 - values.get("next")),
        )
        .build()
        .unwrap()
}

fn is_next(event: &(char, i64), values: &netcheck_models::monitor::Values<'_>) -> bool {
    event.1 == values.get("next")
}

fn trace(packets: &[(u64, char, i64)]) -> Trace<(char, i64)> {
    Trace::new(packets.iter().map(|(at, letter, number)| (MS(*at), (*letter, *number)))).unwrap()
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let mistakes = Monitor::<u8>::builder("wrong")
        .state("a")
        .state("a")
        .state("lonely")
        .clock("never_reset")
        .clock("never_compared")
        .variable("empty", RangeInclusive::new(1, 0))
        .accepting("nowhere")
        .deadline("a", "unknown", MS(1))
        .rule("a", "b", Rule::on("1", |e| *e == 1).set("y", |_, _| 1).reset("never_compared"))
        .rule(
            "a",
            "a",
            Rule::on("2", |e| *e == 2).guard(Guard::more_than("never_reset", MS(1)).or(Guard::less_than("z", MS(2)))),
        )
        .build()
        .unwrap_err();
    let expected = [
        "state `a` is declared twice",
        "domain of the variable `empty` is empty",
        "a deadline names the unknown clock `unknown`",
        "`accepting` names the unknown state `nowhere`",
        "names the unknown state `b`",
        "names the unknown variable `y`",
        "names the unknown clock `z`",
        "no rules lead from `a` to the state `lonely`",
        "the clock `never_compared` is never compared",
        "the clock `never_reset` is never reset",
    ];
    assert_eq!(mistakes.texts().len(), expected.len(), "{mistakes}");
    for text in expected {
        assert!(mistakes.texts().iter().any(|mistake| mistake.contains(text)), "no `{text}` in:\n{mistakes}");
    }
    assert_eq!(Monitor::<u8>::builder("none").build().unwrap_err().texts().len(), 1);
}

#[test]
fn a_hot_state_is_no_end() {
    let build = |accepting: &[&str]| {
        let turns = Monitor::builder("turns").state("idle").state("asked").hot("asked");
        let turns = turns.rule("idle", "asked", Rule::on("ask", |e: &(char, i64)| e.0 == 'a')).rule(
            "asked",
            "idle",
            Rule::on("get", |e: &(char, i64)| e.0 == 'g'),
        );
        accepting.iter().fold(turns, |turns, state| turns.accepting(state)).build()
    };
    let monitor = build(&[]).unwrap();
    assert!(monitor.has_hot() && monitor.judges_ends());
    assert!(monitor.validate(&trace(&[(0, 'a', 0), (1, 'g', 0)])).is_accepted());
    let left = monitor.validate(&trace(&[(0, 'a', 0)]));
    let rejection = left.rejection().unwrap();
    assert!(rejection.is_end() && rejection.to_string().contains("`asked` has to be left"), "{rejection}");
    assert!(monitor.to_dot().contains("asked, hot"));
    assert!(build(&["idle"]).is_ok());
    let mistakes = build(&["asked"]).unwrap_err();
    assert_eq!(mistakes.texts().len(), 1, "{mistakes}");
    assert!(mistakes.to_string().contains("the state `asked` is accepting and hot"), "{mistakes}");
}

#[test]
fn a_rejection_names_the_event_the_rules_and_their_lines() {
    let monitor = alternating();
    let trace = trace(&[(0, 'd', 0), (2, 'a', 0), (4, 'd', 0), (5, 'a', 0)]);
    let validation = monitor.validate(&trace);
    assert_eq!(validation.rejected_at(), Some(3));
    let text = validation.text(&trace);
    assert!(text.starts_with("at packet 3, the monitor `alternating` rejects ('d', 0)\n"), "{text}");
    assert!(text.contains("in `idle` with next = 1, expected:"), "{text}");
    assert!(text.contains("data if n == next leads to `sent` (netcheck-models/tests/monitor/declared.rs:"), "{text}");
    assert!(text.contains("its condition does not hold"), "{text}");
    assert!(text.contains(">     3           4ms  ('d', 0)\n"), "{text}");
}

#[test]
fn time_that_passes_a_deadline_is_rejected_before_the_next_packet_and_at_the_end() {
    let monitor = alternating();
    let late = monitor.validate(&trace(&[(0, 'd', 0), (10, 'd', 0), (11, 'a', 0)]));
    assert!(late.rejected_at() == Some(3) && late.rejection().unwrap().is_deadline(), "{late:?}");
    assert!(late.rejection().unwrap().to_string().contains("must be left while c <= 10ms"));
    let early = monitor.validate(&trace(&[(0, 'd', 0), (2, 'd', 0)]));
    assert!(early.rejection().unwrap().to_string().contains("c reads 2ms"), "{early:?}");
    let unfinished = monitor.validate(&trace(&[(0, 'd', 0)]));
    assert!(unfinished.rejected_at() == Some(2) && unfinished.rejection().unwrap().is_end(), "{unfinished:?}");
    let silent = monitor.validate(&trace(&[(0, 'd', 0)]).ending_at(MS(11)));
    assert!(silent.rejection().unwrap().is_deadline(), "{silent:?}");
}

#[test]
fn a_run_stays_where_it_was_after_a_rejection() {
    let monitor = alternating();
    let mut run = Run::new(&monitor, MS(100));
    run.step(&('d', 0), MS(101)).unwrap();
    let before = run.configurations().clone();
    run.step(&('a', 1), MS(101)).unwrap_err();
    assert_eq!(*run.configurations(), before);
    assert_eq!(monitor.describe(&before), ["`sent` with next = 0"]);
    run.step(&('a', 0), MS(105)).unwrap();
    run.finish(MS(900)).unwrap();
}

#[test]
fn events_outside_of_what_is_observed_change_nothing() {
    let monitor = Monitor::builder("even")
        .observes(|e: &u8| e.is_multiple_of(2))
        .state("s")
        .rule("s", "s", Rule::on("zero", |e| *e == 0))
        .build()
        .unwrap();
    let trace = |events: &[u8]| Trace::new(events.iter().map(|e| (MS(1), *e))).unwrap();
    assert!(monitor.validate(&trace(&[0, 1, 3, 0])).is_accepted());
    assert_eq!(monitor.validate(&trace(&[1, 0, 2])).rejected_at(), Some(3));
}

#[test]
fn traces_out_of_order_and_sniffers_without_packets_are_refused() {
    let unordered = Trace::new([(MS(1), 'a'), (MS(2), 'b'), (MS(1), 'c')]).unwrap_err();
    assert_eq!(unordered.packet, 3);
    let sniffer = Sniffer::of(|e: &(char, i64)| e.0 == 'a').alphabet([('d', 0)]);
    let unclear = sniffer.validate(&alternating(), &trace(&[(0, 'd', 0)])).unwrap_err();
    assert_eq!(unclear.rules, ["ack"]);
}

#[test]
fn drawings_show_states_deadlines_guards_and_resets() {
    let mermaid = alternating().to_mermaid();
    assert_eq!(
        mermaid,
        "stateDiagram-v2\n    s0 : idle\n    s0 --> [*]\n    s1 : sent, c <= 10ms\n    [*] --> s0\n    \
         s0 --> s1 : data if n == next / reset c\n    s1 --> s1 : data if (n == next and c >= 3ms)\n    \
         s1 --> s0 : ack if n == next / set next\n"
    );
    let dot = alternating().to_dot();
    assert!(dot.contains("s0 [shape=doublecircle, label=\"idle\"]"), "{dot}");
    assert!(dot.contains("s0 -> s1 [label=\"data if n == next / reset c\"]"), "{dot}");
}
