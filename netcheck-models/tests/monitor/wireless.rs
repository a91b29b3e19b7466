//! The transmitter of 802.11 in Figure 1 of the paper, with up to six retransmissions.

use core::time::Duration;
use netcheck_models::monitor::{Guard, Guess, Monitor, Rule, Search, Sniffer, Trace, Values, Verdict};
use random::Random;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Frame {
    Data { number: i64, retry: bool },
    Ack,
}

const NUMBERS: i64 = 4096;
const US: fn(u64) -> Duration = Duration::from_micros;

fn is_data(frame: &Frame) -> bool {
    matches!(frame, Frame::Data { .. })
}

fn is_new(frame: &Frame, values: &Values<'_>) -> bool {
    *frame == Frame::Data { number: values.get("number"), retry: false }
}

fn is_retry(frame: &Frame, values: &Values<'_>) -> bool {
    *frame == Frame::Data { number: values.get("number"), retry: true }
}

fn next(_: &Frame, values: &Values<'_>) -> i64 {
    (values.get("number") + 1) % NUMBERS
}

/// After data, an acknowledgment comes within `To`, and new data after a pause; both take air time, so that few exchanges
/// fit between two packets that the sniffer heard. Without an acknowledgment, the same data comes again before `Tm`, at most six times.
fn transmitter() -> Monitor<Frame> {
    let (timeout, longest) = (US(334), US(15_000));
    let data = |retry: bool| {
        let guess = move |values: &Values<'_>| vec![Frame::Data { number: values.get("number"), retry }];
        Rule::on(if retry { "retry" } else { "data" }, is_data).guessed(guess).reset("c")
    };
    let new = || data(false).when("new", is_new).set("tries", |_, _| 0).at_least("c", US(300));
    let retry = data(true).when("again", is_retry).set("tries", |_, values| values.get("tries") + 1);
    let retry = retry.guard(Guard::more_than("c", timeout)).at_most("c", longest);
    let given_up = Rule::on("data", is_data)
        .guessed(|values| vec![Frame::Data { number: (values.get("number") + 1) % NUMBERS, retry: false }]);
    let given_up = given_up.when("next", |frame, values| {
        values.get("tries") == 6 && *frame == Frame::Data { number: next(frame, values), retry: false }
    });
    let given_up = given_up.set("number", next).set("tries", |_, _| 0).reset("c").guard(Guard::more_than("c", timeout));
    let ack = Rule::on("ack", |frame| *frame == Frame::Ack).set("number", next).reset("c");
    let ack = ack.at_least("c", US(50)).at_most("c", timeout);
    Monitor::builder("transmitter")
        .variable("number", 0..=NUMBERS - 1)
        .variable("tries", 0..=6)
        .clock("c")
        .state("idle")
        .state("sent")
        .rule("idle", "sent", new())
        .rule("sent", "idle", ack)
        .rule("sent", "sent", retry)
        .rule("sent", "sent", given_up)
        .build()
        .unwrap()
}

/// The DUT's trace and the sniffer's, of a channel that loses packets; chances are percents.
fn session(numbers: &mut Random, packets: i64, lost: u64, missed: u64) -> (Trace<Frame>, Trace<Frame>) {
    let (mut dut, mut sniffed, mut at) = (Vec::new(), Vec::new(), 0);
    for number in 0..packets {
        for attempt in 0..7 {
            at += 400 + numbers.below(1_000);
            let data = (US(at), Frame::Data { number: number % NUMBERS, retry: attempt > 0 });
            dut.push(data);
            sniffed.extend((numbers.below(100) >= missed).then_some(data));
            if numbers.below(100) < lost {
                continue; // the endpoint hears nothing
            }
            at += 100;
            let ack = (US(at), Frame::Ack);
            let arrives = numbers.below(100) >= lost;
            dut.extend(arrives.then_some(ack));
            sniffed.extend((numbers.below(100) >= missed).then_some(ack));
            if arrives {
                break;
            }
        }
    }
    let end = dut.last().unwrap().0;
    let whole = |packets| Trace::new(packets).unwrap().starting_at(US(0)).ending_at(end);
    (whole(dut), whole(sniffed))
}

fn sniffer() -> Sniffer<Frame> {
    Sniffer::of(|frame| *frame == Frame::Ack).alphabet([Frame::Ack])
}

#[test]
fn a_right_transmitter_is_accepted_and_explained_with_few_guesses() {
    let monitor = transmitter();
    for seed in 0..40 {
        let mut numbers = Random::new(seed);
        let (dut, sniffed) = session(&mut numbers, 60, 5 * (seed % 8), 10);
        let validation = monitor.validate(&dut);
        assert!(validation.is_accepted(), "{}", validation.text(&dut));
        let explained = sniffer().validate(&monitor, &sniffed).unwrap();
        let Verdict::Consistent(mutation) = &explained.verdict else { panic!("{}", explained.text(&sniffed)) };
        assert!(monitor.validate(&mutation.trace()).is_accepted());
        // The DUT's trace is a mutation, and none has fewer guesses than the one found.
        let in_both = |trace: &Trace<Frame>, other: &Trace<Frame>| {
            let other: Vec<_> = other.packets().collect();
            trace.packets().filter(|packet| !other.contains(packet)).count()
        };
        assert!(mutation.guesses() <= in_both(&dut, &sniffed) + in_both(&sniffed, &dut), "{mutation}");
        let distance = mutation.trace().jaccard(&dut, US(15_000));
        let unexplained = sniffed.jaccard(&dut, US(15_000));
        assert!(distance <= unexplained, "the mutation is at {distance}, the sniffer's trace at {unexplained}");
        let backtracking = sniffer().search(Search::Backtracking { extensions_max: 1_000_000 }).go_back(7);
        let backtracking = backtracking.num_missing(is_data, 100, 80).validate(&monitor, &sniffed).unwrap();
        assert!(!matches!(backtracking.verdict, Verdict::Violation), "{}", backtracking.text(&sniffed));
    }
}

#[test]
fn a_number_left_out_is_a_definite_violation_or_many_missed_packets() {
    let monitor = transmitter();
    // Number 1 is left out: the data and its acknowledgment are guessed as missed.
    let frame = |number| Frame::Data { number, retry: false };
    let trace = |third: (Duration, Frame)| {
        Trace::new([(US(400), frame(0)), (US(500), Frame::Ack), third]).unwrap().starting_at(US(0))
    };
    let left_out = trace((US(1_500), frame(2)));
    assert_eq!(monitor.validate(&left_out).rejected_at(), Some(3));
    let explained = sniffer().validate(&monitor, &left_out).unwrap();
    let Verdict::Consistent(mutation) = explained.verdict else { panic!("{}", explained.text(&left_out)) };
    let missed: Vec<Frame> =
        mutation.parts().iter().filter(|part| part.guess == Guess::Missed).map(|part| part.event).collect();
    assert_eq!(missed, [frame(1), Frame::Ack]);
    // In half of the time no exchange fits.
    let soon = trace((US(900), frame(2)));
    let explained = sniffer().validate(&monitor, &soon).unwrap();
    assert_eq!((explained.verdict.clone(), explained.packet), (Verdict::Violation, Some(3)));
    assert!(explained.text(&soon).starts_with("a definite violation: whatever the sniffer missed, packet 3 is wrong"));
    // A retransmission after an acknowledgment: only the sniffer may have heard the acknowledgment.
    let again = trace((US(1_000), Frame::Data { number: 0, retry: true }));
    let explained = sniffer().validate(&monitor, &again).unwrap();
    let Verdict::Consistent(mutation) = &explained.verdict else { panic!("{explained:?}") };
    assert_eq!(mutation.parts()[1].guess, Guess::Extra);
}
