//! Declarations that mean nothing: the report warns of them.

use netcheck::check::{Checker, Direction, Udp, Verdict};

fn warnings(checker: &Checker, names: &[&'static str]) -> Vec<String> {
    let report = checker.check(|net| {
        for name in names {
            net.process(*name, || async {});
        }
    });
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    for warning in report.warnings() {
        assert!(report.to_string().contains(&format!("\n  warning: {warning}\n")), "{report}");
    }
    report.warnings().to_vec()
}

fn of_two() -> Checker {
    Checker::new().udp(Udp::new().loss().process("client")).also_udp(Udp::new().duplication().process("server"))
}

#[test]
fn a_group_to_which_no_packet_can_belong_is_a_warning() {
    let [warning] = &warnings(&of_two(), &["client", "server"])[..] else { panic!("one warning") };
    let expected = "no packet can belong to `udp(duplication, process = \"server\")`: all packets between processes that it \
                    names belong to `udp(loss, process = \"client\")`, which is declared before it";
    assert!(warning.starts_with(expected), "{warning}");
    let both = of_two().also_udp(Udp::new().reorder(2));
    let [_, last] = &warnings(&both, &["client", "server"])[..] else { panic!("two warnings") };
    assert!(last.starts_with("no packet can belong to `udp(reorder = 2)`"), "{last}");
}

#[test]
fn a_group_takes_packets_of_third_processes() {
    assert!(warnings(&of_two(), &["client", "server", "other"]).is_empty());
    let third = of_two().also_udp(Udp::new().loss().between(["client", "other"]));
    assert!(
        warnings(&third, &["client", "server", "other"])[0].contains("`udp(loss, between = [\"client\", \"other\"])`")
    );
    let two = Checker::new()
        .udp(Udp::new().loss().between(["client", "server"]))
        .also_udp(Udp::new().loss().between(["other", "server"]))
        .also_udp(Udp::new().duplication().process("server"));
    let [warning] = &warnings(&two, &["client", "server", "other"])[..] else { panic!("one warning") };
    assert!(
        warning.contains("`udp(loss, between = [\"client\", \"server\"])` and `udp(loss, between = ["),
        "{warning}"
    );
}

#[test]
fn groups_of_one_side_each_are_no_warning() {
    let sides = Checker::new()
        .udp(Udp::new().loss().process("client").direction(Direction::Send))
        .also_udp(Udp::new().duplication().process("server").direction(Direction::Send));
    assert!(warnings(&sides, &["client", "server"]).is_empty());
    assert!(warnings(&Checker::new().udp(Udp::new().loss().process("client")), &["client"]).is_empty());
}

#[test]
fn the_words_of_a_text_are_warned_of_too() {
    let checker: Checker = "udp(loss, process = \"client\"), udp(loss, process = \"server\")".parse().unwrap();
    assert_eq!(warnings(&checker, &["client", "server"]).len(), 1);
}
