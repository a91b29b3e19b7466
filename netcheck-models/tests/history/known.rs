//! Histories in the manner of those of Herlihy and Wing, "Linearizability: A Correctness Condition for Concurrent Objects"
//! (1990), section 1, and of Lamport's example of 1979.

use netcheck_models::history::{
    Call, Consistent, Keyed, Linearizable, Queue, QueueOperation as Q, Register, RegisterAnswer as A,
    RegisterOperation as R, Sequential,
};

/// An event: a process invokes an operation, or is answered, or its call is abandoned.
enum Event<S: Sequential> {
    Invoked(&'static str, S::Operation),
    Returned(&'static str, S::Answer),
    Abandoned(&'static str),
}

use Event::{Abandoned, Invoked, Returned};

fn call(process: &str) -> Call {
    Call { process: process.into(), part: 0, number: 0 }
}

/// Tells a history events; the number of the first whose answer no order explains, with the answers that some order explains.
macro_rules! told {
    ($history:expr, $events:expr) => {{
        let mut history = $history;
        for (number, event) in (1..).zip($events) {
            match event {
                Invoked(process, operation) => history.invoked(call(process), operation.clone()),
                Returned(process, answer) => {
                    history.returned(&call(process), answer).map_err(|others| (number, others))?;
                }
                Abandoned(process) => history.abandoned(&call(process)),
            }
        }
        Ok(history)
    }};
}

fn linearizable<S: Sequential>(object: S, events: &[Event<S>]) -> Result<Linearizable<S>, (usize, Vec<S::Answer>)> {
    told!(Linearizable::new(object), events)
}

fn consistent<S: Sequential>(object: S, events: &[Event<S>]) -> Result<Consistent<S>, (usize, Vec<S::Answer>)> {
    told!(Consistent::new(object), events)
}

#[test]
fn items_that_are_put_in_at_the_same_time_come_out_in_either_order() {
    for (first, second) in [('x', 'y'), ('y', 'x')] {
        let events = [
            Invoked("a", Q::Enqueue('x')),
            Invoked("b", Q::Enqueue('y')),
            Returned("b", None),
            Returned("a", None),
            Invoked("b", Q::Dequeue),
            Returned("b", Some(first)),
            Invoked("a", Q::Dequeue),
            Returned("a", Some(second)),
        ];
        assert!(linearizable(Queue::default(), &events).is_ok());
    }
}

#[test]
fn an_item_that_was_in_before_another_one_comes_out_first() {
    let events = [
        Invoked("a", Q::Enqueue('x')),
        Returned("a", None),
        Invoked("b", Q::Enqueue('y')),
        Invoked("a", Q::Dequeue),
        Returned("b", None),
        Returned("a", Some('y')),
    ];
    let (at, others) = linearizable(Queue::default(), &events).unwrap_err();
    assert_eq!((at, others), (6, vec![Some('x')]));
    // The order within each process would be kept.
    assert!(consistent(Queue::default(), &events).is_ok());
}

#[test]
fn an_item_may_come_out_before_the_call_returns_that_puts_it_in() {
    let events = [Invoked("a", Q::Enqueue('x')), Invoked("b", Q::Dequeue), Returned("b", Some('x'))];
    assert!(linearizable(Queue::default(), &events).is_ok());
    let twice = events.into_iter().chain([Invoked("c", Q::Dequeue), Returned("c", Some('x'))]);
    let twice: Vec<_> = twice.collect();
    assert_eq!(linearizable(Queue::default(), &twice).unwrap_err(), (5, vec![None]));
    assert_eq!(consistent(Queue::default(), &twice).unwrap_err(), (5, vec![None]));
}

#[test]
fn a_read_that_follows_a_write_sees_it() {
    let write = || [Invoked("a", R::Write(1)), Returned("a", A::Written), Invoked("b", R::Read)];
    let read = |value| write().into_iter().chain([Returned("b", A::Value(value))]).collect::<Vec<_>>();
    assert!(linearizable(Register::new(0), &read(1)).is_ok());
    assert_eq!(linearizable(Register::new(0), &read(0)).unwrap_err(), (4, vec![A::Value(1)]));
    assert!(consistent(Register::new(0), &read(0)).is_ok());
}

#[test]
fn a_value_that_was_overwritten_does_not_come_back() {
    let events = [
        Invoked("a", R::Write(1)),
        Invoked("b", R::Read),
        Returned("b", A::Value(1)),
        Invoked("c", R::Read),
        Returned("c", A::Value(0)),
    ];
    assert_eq!(linearizable(Register::new(0), &events).unwrap_err(), (5, vec![A::Value(1)]));
    // Both reads of one process have to be in this order.
    let of_one = [
        Invoked("a", R::Write(1)),
        Invoked("b", R::Read),
        Returned("b", A::Value(1)),
        Invoked("b", R::Read),
        Returned("b", A::Value(0)),
    ];
    assert!(consistent(Register::new(0), &events).is_ok());
    assert_eq!(consistent(Register::new(0), &of_one).unwrap_err(), (5, vec![A::Value(1)]));
}

#[test]
fn two_processes_that_write_and_do_not_see_each_other_are_not_consistent() {
    let events = [
        Invoked("a", ('x', R::Write(1))),
        Invoked("b", ('y', R::Write(1))),
        Returned("a", A::Written),
        Returned("b", A::Written),
        Invoked("a", ('y', R::Read)),
        Invoked("b", ('x', R::Read)),
        Returned("a", A::Value(0)),
        Returned("b", A::Value(0)),
    ];
    let registers = || Keyed::new(Register::new(0));
    assert_eq!(consistent(registers(), &events).unwrap_err(), (8, vec![A::Value(1)]));
    assert_eq!(linearizable(registers(), &events).unwrap_err(), (7, vec![A::Value(1)]));
}

#[test]
fn only_one_of_two_swaps_finds_the_value() {
    let swaps = |second| {
        [
            Invoked("a", R::CompareAndSwap(0, 1)),
            Invoked("b", R::CompareAndSwap(0, 2)),
            Returned("b", A::Swapped(true)),
            Returned("a", A::Swapped(second)),
        ]
    };
    assert!(linearizable(Register::new(0), &swaps(false)).is_ok());
    assert_eq!(linearizable(Register::new(0), &swaps(true)).unwrap_err(), (4, vec![A::Swapped(false)]));
}

#[test]
fn an_abandoned_write_may_take_effect_late_or_never_but_once() {
    let begun = || vec![Invoked("a", R::Write(1)), Abandoned("a")];
    let reads = |values: &[i32]| {
        let mut events = begun();
        for &value in values {
            events.extend([Invoked("b", R::Read), Returned("b", A::Value(value))]);
        }
        linearizable(Register::new(0), &events).map(drop)
    };
    assert_eq!(reads(&[0, 0, 1, 1]), Ok(()));
    assert_eq!(reads(&[0, 1, 0]), Err((8, vec![A::Value(1)])));
}

#[test]
fn histories_return_to_where_they_were() {
    let round = |value| {
        [
            Invoked("a", R::Write(value)),
            Invoked("b", R::Read),
            Returned("b", A::Value(value)),
            Returned("a", A::Written),
        ]
    };
    let once: Vec<_> = round(1).into_iter().collect();
    let thrice: Vec<_> = round(1).into_iter().chain(round(0)).chain(round(1)).collect();
    assert_eq!(linearizable(Register::new(0), &once), linearizable(Register::new(0), &thrice));
    // Which process has written does not count.
    let other = [Invoked("c", R::Write(1)), Returned("c", A::Written)];
    assert_eq!(linearizable(Register::new(0), &once), linearizable(Register::new(0), &other));
    // An abandoned call does: it may take effect later.
    let abandoned = [Invoked("c", R::Write(1)), Returned("c", A::Written), Invoked("c", R::Write(2)), Abandoned("c")];
    assert_ne!(linearizable(Register::new(0), &once), linearizable(Register::new(0), &abandoned));
}
