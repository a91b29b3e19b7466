use super::monitor;
use crate::testing::messages;

fn refused(body: &str) -> Vec<String> {
    messages(&monitor(format!("monitor M over E {{ {body} }}").parse().expect("tokens")))
}

#[test]
fn all_mistakes_are_told_at_once() {
    let told = refused(
        "variable n: 0..=2; variable n: bool; clock c; clock d; \
         state a { X if n > 0 when e <= LIMIT => b { m = 1; n = 0; n = 1; reset c, f; }, otherwise => reject { reset d; } } \
         state b {} state z { otherwise => z }",
    );
    let expected = [
        "the name `n` is declared twice",
        "no clock is named `e`; declared: `c`, `d`",
        "no variable is named `m`; declared: `n`, `n`",
        "the rule assigns `n` twice",
        "no clock is named `f`; declared: `c`, `d`",
        "nothing comes after a rejection: leave this out",
        "the state `b` says nothing about any event: add rules, or `otherwise => reject`",
        "no rules lead from `a`, the first state, to `z`",
        "the clock `c` is never compared: use it in a `when` or `while`, or leave it out",
        "the clock `d` is never compared: use it in a `when` or `while`, or leave it out",
    ];
    assert_eq!(told, expected);
}

#[test]
fn mistakes_of_the_grammar_say_what_is_expected() {
    for (body, expected) in [
        ("", "the monitor has no state: add one with `state name { … }`"),
        ("state a { X -> a }", "expected `if` with a condition, `when` with clocks, or `=>` and a state"),
        ("state a { X => a Y => a }", "expected a comma before this: only a rule that ends with a block goes without"),
        ("state a { otherwise => a, X => a }", "`otherwise` comes last: move it behind the other rules"),
        ("state a while c >= T { X => a }", "a deadline is an upper bound: `c <= duration`"),
        ("state a { X when 5 => a }", "expected a clock that is compared with a duration"),
        ("clock c; state a { X => a }", "the clock `c` is never reset: add `reset c;` to a rule, or leave it out"),
        ("state a { X => b }", "no state is named `b`; declared: `a`"),
        ("state a { X => a { n = 1; } }", "no variable is named `n`; none is declared: add `variable n: 0..=1;`"),
        ("rule a", "expected one of"),
    ] {
        let told = refused(body);
        assert!(told.len() == 1 && told[0].contains(expected), "{body}: {told:?}");
    }
}
