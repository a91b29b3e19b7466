//! Checks of a service with a journal: what it has said to have noted is noted after a crash.

use journal_program::{FOLDER, Syncs, client, server};
use netcheck::Network;
use netcheck::check::{Checker, Crash, Verdict};

fn network(net: &mut Network, syncs: Syncs) {
    net.daemon("server", move || server(syncs)).files([(format!("{FOLDER}/0001.log"), "")]);
    let client = || async {
        let noted = client().await.unwrap();
        assert_eq!(noted, ["a", "b", "c"], "what was said to be noted is noted");
    };
    net.process("client", client).after("server");
}

#[netcheck::model_check(whole)]
#[netcheck::model_check(whole, crash(power, process = "server"), name = with_a_power_failure)]
fn what_is_synced_with_its_name_is_kept(net: &mut Network) {
    network(net, Syncs::SegmentAndFolder);
}

#[netcheck::model_check(whole, crash(kill, process = "server"))]
fn what_is_written_survives_a_kill(net: &mut Network) {
    network(net, Syncs::Nothing);
}

#[netcheck::model_check(whole, crash(power, process = "server"), expect = panic)]
fn what_is_not_synced_is_lost(net: &mut Network) {
    network(net, Syncs::Nothing);
}

/// The bytes of a segment are durable, and its name is not.
#[netcheck::model_check(whole, crash(power, process = "server"), expect = panic)]
fn a_segment_whose_folder_is_not_synced_is_lost(net: &mut Network) {
    network(net, Syncs::Segment);
}

/// The numbers of states, and what counterexamples say of the files.
#[test]
fn searches_are_as_large_as_they_were() {
    if option_env!("NETCHECK_WHOLE").is_none() {
        println!("left out: run it with `cargo netcheck test`");
        return;
    }
    let check = |crash: Option<Crash>, syncs| {
        let checker = crash.map_or_else(Checker::new, |crash| Checker::new().crash(crash.process("server")));
        checker.check(move |net| network(net, syncs))
    };
    let all = [
        (None, Syncs::SegmentAndFolder),
        (Some(Crash::power()), Syncs::SegmentAndFolder),
        (Some(Crash::kill()), Syncs::Nothing),
    ];
    let reports = all.map(|(crash, syncs)| check(crash, syncs));
    assert!(reports.iter().all(|report| report.verdict() == Verdict::Verified));
    assert_eq!(reports.map(|report| report.states()), [24, 274, 274]);
    for syncs in [Syncs::Nothing, Syncs::Segment] {
        let report = check(Some(Crash::power()), syncs);
        let text = report.counterexample().expect("it is found").to_string();
        assert!(text.contains("`/var/lib/journal/0003.log` is written at 0: \"c\\n\""), "{text}");
        assert!(text.contains("what was not synced is lost: `var/lib/journal/0002.log`"), "{text}");
        assert!(text.contains("a sync of `var/lib/journal` after log/src/lib.rs:61 (#16) would have prevented this"), "{text}");
    }
}
