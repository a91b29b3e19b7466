use proc_macro2::TokenStream;

use super::attribute;
use crate::testing::{assert_documented, messages};

const FUNCTION: &str = "fn name(net: &mut netcheck::Network) {}";

fn expand(words: &str, function: &str) -> TokenStream {
    attribute(words.parse().unwrap(), function.parse().unwrap())
}

#[track_caller]
fn assert_refused(words: &str, expected: &[&str]) {
    let messages = messages(&expand(words, FUNCTION));
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
    for (message, expected) in messages.iter().zip(expected) {
        assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
    }
}

#[track_caller]
fn assert_function_refused(function: &str, expected: &[&str]) {
    let output = expand("", function);
    let messages = messages(&output);
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
    for (message, expected) in messages.iter().zip(expected) {
        assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
    }
}

/// The calls on the builder that the words become, without spaces and paths.
fn calls(words: &str) -> String {
    let output = expand(words, FUNCTION).to_string().replace(' ', "");
    let begin = "let__checker=::netcheck::check::Checker::new()";
    let start = output.find(begin).unwrap_or_else(|| panic!("{output}")) + begin.len();
    let end = start + output[start..].find(';').unwrap();
    output[start..end].replace("::netcheck::check::", "")
}

#[test]
fn the_expansion_in_the_docs_is_the_true_one() {
    assert_documented(include_str!("expand.rs"), |example| {
        let mut function: syn::ItemFn = syn::parse2(example).unwrap();
        let at = function.attrs.iter().position(|attr| attr.path().is_ident("model_check")).unwrap();
        let words = function.attrs.remove(at).meta.require_list().unwrap().tokens.clone();
        attribute(words, quote::quote!(#function))
    });
}

macro_rules! table {
    (accepted { $($words:literal => { $($calls:tt)* })* } refused { $($refused:literal)* }) => {
        const ACCEPTED: &[(&str, &str)] = &[$(($words, stringify!($($calls)*))),*];
        const REFUSED: &[&str] = &[$($refused),*];
    };
}

include!("table.in");

#[test]
fn each_word_is_a_call_on_the_builder() {
    let limits = (
        "udp(loss), max_memory = 2 << 30, max_states = LIMIT, at_most = N + 1",
        ".udp(Udp::new().loss()).at_most(N + 1).max_states(LIMIT).max_memory(2 << 30)",
    );
    for (words, expected) in ACCEPTED.iter().chain([&limits]) {
        let expected: String = expected.split_whitespace().collect();
        assert_eq!(calls(words), expected, "{words}");
    }
}

#[test]
fn what_the_table_refuses_is_refused() {
    for words in REFUSED {
        let output = words.parse().map(|words| attribute(words, FUNCTION.parse().unwrap()));
        assert!(output.is_err() || !messages(&output.unwrap()).is_empty(), "{words}");
    }
}

#[test]
fn the_table_has_every_word() {
    for list in ["zzz", "udp(zzz)", "tcp(zzz)"] {
        let message = messages(&expand(list, FUNCTION)).concat();
        let (_, known) = message.split_once("the words of").expect("the known words are listed");
        for word in known.split('`').filter(|part| part.starts_with(char::is_alphabetic)) {
            let said = |text: &str| text.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|said| said == word);
            let of_one_check = ["model_check", "expect", "snapshot", "whole", "replay", "name"].contains(&word);
            assert!(of_one_check || ACCEPTED.iter().any(|(text, _)| said(text)), "{word} is not in the table");
        }
    }
}

/// These are no tests of a whole build.
#[test]
fn a_test_of_a_whole_program_is_ignored_elsewhere() {
    let ignored = |words: &str, function: &str| expand(words, function).to_string().matches("# [ignore").count();
    assert_eq!(ignored("whole", FUNCTION), 1);
    assert_eq!(ignored("udp(loss), whole, name = lossy", FUNCTION), 1);
    assert_eq!(ignored("udp(loss)", FUNCTION), 0);
    assert_eq!(ignored("whole", &format!("#[ignore = \"slow\"] {FUNCTION}")), 1);
    assert_refused("whole = true", &["whole"]);
}

#[test]
fn the_lengths_of_delays_are_handed_on() {
    let from_nanos = |ns: u64| format!("::core::time::Duration::from_nanos({ns}u64)");
    for (delays, expected) in [
        ("delay", ".delay(..)".to_owned()),
        ("delay = 1ms..=200ms", format!(".delay({}..={})", from_nanos(1_000_000), from_nanos(200_000_000))),
        ("delay = 7us..", format!(".delay({}..)", from_nanos(7_000))),
        ("delay = 1min..", format!(".delay({}..)", from_nanos(60_000_000_000))),
        ("delay = [1_000ns, 2s]", format!(".delays([{},{}])", from_nanos(1_000), from_nanos(2_000_000_000))),
    ] {
        assert_eq!(calls(&format!("udp(loss, {delays})")), format!(".udp(Udp::new().loss(){expected})"));
        assert_eq!(calls(&format!("tcp(split, {delays})")), format!(".tcp(Tcp::new().split(){expected})"));
    }
}

#[test]
fn delays_that_make_no_sense_are_refused() {
    for (delays, expected) in [
        ("1ms..200ms", "the longest delay belongs to the interval: write `..=`"),
        ("..=200ms", "an interval of delays has a lower bound"),
        ("..", "an interval of delays has a lower bound"),
        ("200ms..=1ms", "no delay is at least `200ms` and at most `1ms`"),
        ("5ms", "write `[5ms]`"),
        ("5", "write `5ms`"),
        ("5..", "a delay needs a unit"),
        ("5sec..", "unknown unit `sec`"),
        ("0.5s..", "a whole number of some unit"),
        ("\"5ms\"..", "without quotes"),
        ("LEAST..", "expected a delay, such as `200ms`"),
        ("interval()", "expected an interval"),
        ("[]", "no delay is listed"),
        ("[1000us, 1ms]", "listed twice"),
        ("99999999999999min..", "too long"),
    ] {
        assert_refused(&format!("udp(delay = {delays})"), &[expected]);
        assert_refused(&format!("tcp(delay = {delays})"), &[expected]);
    }
    assert_refused("udp(delay = [1, 2s, X])", &["needs a unit", "expected a delay"]);
    assert_refused("udp(delay(1ms..))", &["expected a word", "takes an interval or a list"]);
    assert_refused("udp(delay(loss))", &["takes an interval or a list"]);
    assert_refused("tcp(delay(loss))", &["takes an interval or a list"]);
    assert_refused("udp(delay = 1ms.., reorder = 2)", &["`reorder` can't be combined with the lengths"]);
    assert_refused("udp(window = 2, delay = [1ms])", &["`window` can't be combined with the lengths"]);
}

#[test]
fn what_is_expected_and_pinned_is_handed_on() {
    for (words, expected) in [
        ("", "Expect :: Verified"),
        ("expect = panic", "Expect :: Panic"),
        ("expect = deadlock", "Expect :: Deadlock"),
        ("expect = property", "Expect :: Property"),
        ("expect = monitor", "Expect :: Monitor"),
        ("expect = any, snapshot", "Expect :: Any"),
        ("expect = inconclusive", "Expect :: Inconclusive"),
        ("search = simulate, expect = simulated", "Expect :: Simulated"),
    ] {
        let output = expand(words, FUNCTION).to_string();
        assert!(output.contains(expected), "{output}");
        assert_eq!(output.contains("assert_snapshot"), words.contains("snapshot"), "{output}");
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    assert_refused(
        "udp(los, copies = [], loss, window = 0, loss), search = bsf, at_least = 1, max_depth, at_most =",
        &[
            "`at_most` lacks its value",
            "unknown word `los`, did you mean `loss`?",
            "`loss` is said twice",
            "expected `bfs`, `dfs`, `faults`, `joint`, `reads`, `network_states`, `retransmissions`, `random`, `pct` or \
             `simulate`, found `bsf`, did you mean `bfs`?",
            "unknown word `at_least`",
            "`max_depth` needs a value",
            "`loss` can't be combined with `copies`",
            "`window` is how many packets",
            "`copies` is empty",
        ],
    );
}

#[test]
fn an_unknown_word_is_met_with_the_known_ones() {
    assert_refused(
        "udb(loss)",
        &["unknown word `udb`, did you mean `udp`?\nthe words of `model_check` are `udp`, `tcp`"],
    );
    assert_refused("udp(loss), budget = 1", &["unknown word `budget`, did you mean `at_most`?"]);
    assert_refused("udp(dropped)", &["unknown word `dropped`, did you mean `loss`?"]);
    assert_refused("bandwidth = 3", &["unknown word `bandwidth`\nthe words"]);
    assert_refused("loss", &["`loss` is a word of `udp`: write `udp(loss, …)`"]);
    assert_refused("udp(loss, at_most = 1)", &["`at_most` is a word of `model_check` itself"]);
    assert_refused("tcp(opne)", &["unknown word `opne`, did you mean `open`?\nthe words of `tcp` are `open`, `close`"]);
    assert_refused("tcp(read, at_most = 1)", &["write it after `tcp(…)`, not inside"]);
    assert_refused("hang", &["`hang` is a word of `tcp`: write `tcp(hang, …)`"]);
    assert_refused("tcp(loss)", &["`loss` is a word of `udp`, not of `tcp`: write `udp(loss, …)`"]);
    assert_refused("udp(read)", &["`read` is a word of `tcp`, not of `udp`: write `tcp(read, …)`"]);
    assert_refused("process = \"a\"", &["`process` is a word of `udp` and of `tcp`"]);
}

#[test]
fn words_that_do_not_go_together_are_refused() {
    assert_refused("udp(copies = [1], loss)", &["put a 0 into it"]);
    assert_refused("udp(copies = [1], duplication)", &["put a 2 into it"]);
    assert_refused("udp(reorder = 2, window = 2)", &["can't be combined with `window`"]);
    assert_refused("udp(loss, process = \"a\", processes = [\"b\"])", &["put all names into `processes`"]);
    assert_refused("tcp(read, process = \"a\", processes = [\"b\"])", &["put all names into `processes`"]);
    assert_refused("snapshot", &["`snapshot` without `expect`"]);
    assert_refused("at_most = 1", &["`at_most` limits faults, but none are declared"]);
    assert_refused("snapshot, expect = inconclusive", &["can't be combined with `snapshot`"]);
    // A mistake in a word does not count as its absence.
    assert_refused("snapshot, expect = panik", &["did you mean `panic`?"]);
}

#[test]
fn values_are_checked() {
    assert_refused("udp(reorder = 0)", &["at least 1"]);
    assert_refused("udp(reorder = -1)", &["expected a whole number"]);
    assert_refused("udp(reorder = N)", &["expected a whole number"]);
    assert_refused("udp(reorder = 2u8)", &["write `2`, without `u8`"]);
    assert_refused("udp(window = 99999999999999999999)", &["too large"]);
    assert_refused("udp(copies = [\"x\", 1.5])", &["expected a whole number", "expected a whole number"]);
    assert_refused("udp(copies = 1)", &["expected a list"]);
    assert_refused("udp(copies = [1, 0, 1])", &["1 is listed twice"]);
    assert_refused("udp(loss, process = client)", &["in quotes"]);
    assert_refused("udp(loss, processes = [])", &["`processes` is empty"]);
    assert_refused("udp(loss, processes = [\"a\", \"a\", \"\"])", &["\"a\" is named twice", "this one is empty"]);
    assert_refused("udp(loss, direction = up)", &["expected `send`, `receive` or `both`, found `up`"]);
    assert_refused("udp(loss = true)", &["`loss` stands alone"]);
    assert_refused("udp(loss(often))", &["`loss` stands alone"]);
    assert_refused("udp", &["in parentheses"]);
    assert_refused("udp = loss", &["in parentheses"]);
    assert_refused("udp()", &["names no fault"]);
    assert_refused("udp(direction = send)", &["names no fault"]);
    assert_refused(
        "tcp(buffer = 0)",
        &["`buffer` is how many bytes are held for each direction of a connection, at least 1"],
    );
    assert_refused(
        "tcp(read, first = 0)",
        &["`first` is how many executions of each source line may fail, at least 1"],
    );
    assert_refused("tcp(buffer)", &["write `buffer = 4096`"]);
    assert_refused("tcp(buffer = SIZE)", &["expected a whole number"]);
    assert_refused("tcp(read, first = 2u32)", &["write `2`, without `u32`"]);
    assert_refused("tcp(read, side = peer)", &["expected `client` or `server`, found `peer`"]);
    assert_refused("tcp(read, side = \"client\")", &["expected `client` or `server`, without quotes"]);
    assert_refused("tcp(read, process = client)", &["in quotes"]);
    assert_refused("tcp(read, processes = [\"a\", \"a\", \"\"])", &["\"a\" is named twice", "this one is empty"]);
    assert_refused("tcp(split = true, read(often))", &["`split` stands alone", "`read` stands alone"]);
    assert_refused("tcp(read, read)", &["`read` is said twice: keep one"]);
    assert_refused("tcp(read), tcp(write)", &["`tcp` is said twice: put its words into one list"]);
    assert_refused("tcp", &["write `tcp(open, read)`"]);
    assert_refused("tcp = open", &["in parentheses"]);
    assert_refused("tcp()", &["`tcp` names no failure"]);
    assert_refused("reduction = off", &["expected `true` or `false`"]);
    assert_refused("max_memory", &["write `max_memory = 2 << 30`"]);
    assert_refused("subsumption = on", &["expected `true` or `false`"]);
    assert_refused("subsumption", &["write `subsumption = true`"]);
    assert_refused("symmetry = on", &["expected `true` or `false`"]);
    assert_refused("symmetry", &["write `symmetry = true`"]);
    assert_refused(
        "store = fingerprints",
        &["expected `exact` or `fingerprint`, found `fingerprints`, did you mean `fingerprint`?"],
    );
    assert_refused("store = \"exact\"", &["expected `exact` or `fingerprint`, without quotes"]);
    assert_refused("store(exact)", &["`store` needs a value: write `store = fingerprint`"]);
    assert_refused("capture = off", &["expected `true` or `false`"]);
    assert_refused("search = bfs(seed = 1)", &["write just `bfs`"]);
    assert_refused("search = random(sed = 1)", &["expected `seed`: write `random(seed = 7)`"]);
    assert_refused("search = random(7)", &["write `random(seed = 7)`"]);
    assert_refused("search = random()", &["write `random(seed = 7)`"]);
    assert_refused("search = pct(sed = 1, 7)", &["expected `seed` or `depth`", "write `pct(seed = 7, depth = 3)`"]);
    assert_refused("max_time = 0", &["`max_time` is how many seconds the check may take, at least 1"]);
    assert_refused("max_time = 3h", &["unknown unit `h`: a time is in `ns`, `us`, `ms`, `s` or `min`"]);
    assert_refused("max_time = 1.5s", &["a time is a whole number of some unit: write `1500ms`"]);
    assert_refused("search = simulate(runs = 0)", &["`runs` is how many executions are simulated, at least 1"]);
    assert_refused("search = simulate(runs = 1, time = 2)", &["`runs` and `time` both say when the simulation ends"]);
    assert_refused("expect = simulated", &["only a simulation ends as `simulated`: add `search = simulate`"]);
    assert_refused("max_messages = 0", &["`max_messages` is how many messages are written or read, at least 1"]);
    assert_refused("search = pct(depth = 0)", &["`depth` is how many ordering constraints a bug needs, at least 1"]);
    assert_refused("search = pct(depth = two, depth = 2)", &["expected a whole number", "`depth` is said twice"]);
    let arrivals = "this is how often a datagram arrives before the search puts it off, at least 1";
    assert_refused("search = retransmissions(0)", &[arrivals]);
    assert_refused("search = retransmissions(2, 3)", &["write `retransmissions(2)`, or just `retransmissions`"; 2]);
    assert_refused("search = retransmissions(copies = 2)", &["write `retransmissions(2)`"]);
    assert_refused("search = network_states(retransmissions = 0)", &[arrivals]);
    assert_refused("search = network_states(2)", &["write `network_states(retransmissions = 2)`"]);
    assert_refused("search = network_states(copies = 2)", &["expected `retransmissions`: write"]);
    assert_refused("search(dfs)", &["`search` needs a value: write `search = dfs`"]);
    assert_refused("expect = 3", &["expected `panic`, `deadlock`"]);
}

#[test]
fn a_seed_needs_a_value() {
    assert_refused("seed", &["write `seed = 7`"]);
    // Beside a mistake in another word.
    assert_refused("search = rendom, seed = 7", &["did you mean `random`?"]);
    assert_refused("search = pct(7), seed = 7", &["or just `pct`"]);
}

#[test]
fn a_limit_of_failures_without_a_failure_is_refused() {
    for (limit, word) in [("process = \"a\"", "process"), ("side = client", "side"), ("first = 2", "first")] {
        let expected = format!("`{word}` limits failures, but `tcp` names none");
        assert_refused(&format!("tcp({limit})"), &[&expected]);
        assert_refused(&format!("tcp(split, buffer = 8, {limit})"), &[&expected]);
    }
    assert_refused(
        "tcp(side = client, processes = [\"a\"])",
        &["`processes` limits failures", "`side` limits failures"],
    );
    assert_refused("udp(), tcp(first = 2)", &["`udp` names no fault", "`first` limits failures"]);
    // A mistake in a word does not count as its absence.
    assert_refused("tcp(raed, first = 2)", &["did you mean `read`?"]);
    assert_refused("tcp(read = 1, first = 2)", &["`read` stands alone"]);
}

#[test]
fn a_function_that_cannot_be_a_check_is_refused() {
    assert_function_refused("fn f() {}", &["takes the network"]);
    assert_function_refused(
        "fn f(net: &mut Network, other: u32, more: u32) {}",
        &["remove this one", "remove this one"],
    );
    assert_function_refused("unsafe fn f(net: &mut Network) {}", &["can't be `unsafe`"]);
    assert_function_refused("fn f<T>(net: &mut Network) where T: Clone {}", &["can't be generic"]);
    assert_function_refused("fn f(net: &mut Network) -> impl Termination {}", &["write that type"]);
    assert_function_refused("fn f(net: &mut Network) -> ! {}", &["never returns"]);
    assert_function_refused("fn f(&self) {}", &["a check is a free function"]);
    assert_function_refused("#[test] fn f(net: &mut Network) {}", &["already makes this function a test"]);
    assert_function_refused("#[tokio::test] fn f(net: &mut Network) {}", &["already makes this function a test"]);
    assert_function_refused("const fn f<T>() -> ! {}", &["const", "generic", "never returns", "takes the network"]);
    assert_function_refused("struct S;", &["goes on a function"]);
    for output in ["()", "Result<(), E>", "Outcome"] {
        for asyncness in ["", "async"] {
            let output = expand("", &format!("{asyncness} fn f(net: &mut Network) -> {output} {{}}"));
            assert_eq!(messages(&output), [""; 0]);
        }
    }
}

/// The tests of a function, in order.
fn names(first: &str, function: &str) -> Vec<String> {
    let output = expand(first, function).to_string();
    let named = |part: &str| Some(part.split_once("name : \"")?.1.split_once('"')?.0.to_owned());
    output.split("TestInfo").skip(1).map(|part| named(part).expect("each test has a name")).collect()
}

#[test]
fn a_test_is_named_after_its_words() {
    for (words, name) in [
        ("", "schedules"),
        ("udp(loss)", "udp_loss"),
        ("at_most = 1, tcp(open, read,), snapshot, whole, expect = any", "at_most_1_tcp_open_read_expect_any"),
        ("udp(copies = [1, 0, 2_0usize], process = \"Key Value\")", "udp_copies_1_0_2_0usize_process_key_value"),
        ("search = random(seed = 7), max_states = LIMIT << 2", "search_random_seed_7_max_states_limit_2"),
        ("udp(loss, process = \"→\")", "udp_loss_process"),
        ("name = lossy, udp(loss)", "lossy"),
    ] {
        let function = format!("#[netcheck::model_check(search = dfs)] {FUNCTION}");
        assert_eq!(names(words, &function), [format!("name::{name}"), "name::search_dfs".to_owned()]);
    }
    // One test needs no other name, but may have one.
    assert_eq!(names("udp(loss)", FUNCTION), ["name"]);
    assert_eq!(names("udp(loss), name = lossy", FUNCTION), ["name::lossy"]);
    assert_eq!(names("", "fn r#match(net: &mut Network) {}"), ["match"]);
    assert_eq!(names("name = r#fn", "fn r#match(net: &mut Network) {}"), ["match::fn"]);
}

#[test]
fn a_name_is_one_word_and_given_once() {
    for words in ["name = a::b", "name = self", "name = crate", "name = 3", "name = _", "name = (a)"] {
        assert_refused(words, &["such as `lossy`"]);
    }
    assert_refused("name = \"lossy\"", &["without quotes"]);
    assert_refused("name", &["write `name = lossy`"]);
    assert_refused("name = fn", &["`fn` is a keyword of Rust, and no value of `name`"]);
    assert_refused("udp(loss, name = lossy)", &["`name` is a word of `model_check` itself"]);
    for (first, others) in [
        ("name = a", "#[model_check(udp(loss), name = a)]"),
        ("name = udp_loss", "#[model_check] #[netcheck::model_check(udp(loss))]"),
        ("udp(loss)", "#[model_check(udp(loss))]"),
        ("", "#[model_check()]"),
    ] {
        let output = expand(first, &format!("{others} {FUNCTION}"));
        let messages = messages(&output);
        assert!(matches!(&messages[..], [message] if message.contains("another check")), "{messages:#?}");
    }
}

#[test]
fn the_mistakes_of_all_attributes_are_reported_at_once() {
    let output = expand("udp(los)", &format!("#[model_check(udp())] #[model_check = \"tcp\"] async {FUNCTION}"));
    let messages = messages(&output);
    let expected = ["did you mean `loss`?", "names no fault", "in parentheses"];
    assert!(messages.iter().zip(expected).all(|(message, expected)| message.contains(expected)), "{messages:#?}");
    assert_eq!(messages.len(), expected.len());
    assert!(!output.to_string().contains("model_check]"), "{output}");
}

#[test]
fn what_should_panic_expects_nothing_else() {
    let function = format!("#[should_panic(expected = \"why\")] #[model_check(expect = any)] {FUNCTION}");
    let messages = messages(&expand("expect = panic", &function));
    assert_eq!(messages.len(), 2);
    assert!(messages.iter().all(|message| message.contains("can't be combined with `#[should_panic]`")));
    let output = expand("", &format!("#[should_panic] {FUNCTION}")).to_string();
    assert!(output.contains("ShouldPanic :: Yes"), "{output}");
}

#[test]
fn the_tests_of_a_function_are_ignored_together() {
    let function =
        format!("/// Doc.\n #[ignore = \"slow\"] #[model_check(search = dfs)] #[allow(unused)] pub {FUNCTION}");
    let output = expand("", &function).to_string();
    let (function, module) = output.split_once("mod name").expect("a module");
    assert!(function.starts_with("# [doc = \" Doc.\"] # [allow (unused)] # [cfg (test)] pub fn name"), "{function}");
    assert_eq!((function.matches("ignore").count(), module.matches("# [ignore = \"slow\"]").count()), (0, 2));
}

#[test]
fn the_users_function_is_emitted_despite_its_mistakes() {
    let output = expand("lossy", "#[test] #[ignore] /// Doc.\n pub fn f(net: &mut Network) { body() }").to_string();
    assert!(output.contains("pub fn f (net : & mut Network) { body () }"), "{output}");
    assert!(!output.contains("ignore") && !output.contains("# [test]"), "{output}");
    let output = expand("", "struct S;").to_string();
    assert!(output.contains("struct S ;"), "{output}");
}
