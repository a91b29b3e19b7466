use super::*;
use crate::world::store::{Keep, Store};

/// The ids of so many states.
fn states<const N: usize>() -> [StateId; N] {
    let mut store = Store::new(Keep::Exact);
    std::array::from_fn(|word| store.insert(&[word as u32], None).0)
}

fn new(state: StateId) -> Successor {
    Successor {
        state,
        is_new: true,
        unit: None,
        local: None,
        faults: 0,
        is_fault: false,
        message: None,
        score: 0,
        network: 0,
        delivered: None,
    }
}

fn by(unit: u32, state: StateId) -> Successor {
    Successor { unit: Some(UnitId(unit)), ..new(state) }
}

fn datagram(number: u32) -> Delivered {
    Delivered { channel: 3, datagram: number }
}

/// Everything, in order.
fn drained(mut frontier: Frontier) -> Vec<StateId> {
    std::iter::from_fn(|| frontier.pop()).collect()
}

#[test]
fn every_frontier_gives_each_state_once() {
    const SEARCHES: [Search; 12] = [
        Search::Bfs,
        Search::Dfs,
        Search::Faults,
        Search::Joint,
        Search::Reads,
        Search::NetworkStates { retransmissions: None },
        Search::NetworkStates { retransmissions: Some(1) },
        Search::Retransmissions { arrivals: 0 },
        Search::Retransmissions { arrivals: 2 },
        Search::Random { seed: 3 },
        Search::Pct { seed: 3, depth: 3 },
        Search::Pct { seed: 4, depth: 0 },
    ];
    let all = states::<400>();
    let frontiers = SEARCHES.iter().map(|search| Frontier::new(*search, all[0])).chain([Frontier::best(all[0])]);
    for mut frontier in frontiers {
        // A graph in which each state leads to three others, met before or not.
        let mut met = vec![false; all.len()];
        met[0] = true;
        let mut popped = Vec::new();
        while let Some(state) = frontier.pop() {
            let at = all.iter().position(|other| *other == state).expect("one of them");
            popped.push(at);
            let successor = |step: usize| {
                let to = (at * 3 + step * 7 + 1) % all.len();
                let is_new = !std::mem::replace(&mut met[to], true);
                let message = [None, Some(Message::Written), Some(Message::Read)][(at + step) % 3];
                let delivered = (step == 2).then(|| datagram(at as u32 % 5));
                let (faults, score, network) = (step as u32, to as i64 % 5, to as u64 % 50);
                Successor { is_new, faults, message, score, network, delivered, ..by(step as u32, all[to]) }
            };
            let successors: Vec<Successor> = (0..3).map(successor).collect();
            frontier.extend(&successors);
        }
        assert_eq!(popped.len(), met.iter().filter(|met| **met).count());
        assert!(popped.len() > 300, "most of it is connected");
        popped.sort_unstable();
        popped.dedup();
        assert_eq!(popped.len(), met.iter().filter(|met| **met).count(), "once");
        assert_eq!(frontier.len(), 0);
    }
}

#[test]
fn a_queue_and_a_stack_keep_the_order_of_exploration() {
    let [first, a, b, c] = states();
    for (search, expected) in [(Search::Bfs, [a, b, c]), (Search::Dfs, [a, b, c])] {
        let mut frontier = Frontier::new(search, first);
        assert_eq!(frontier.pop(), Some(first));
        frontier.extend(&[new(a), new(b), new(c)]);
        assert_eq!(drained(frontier), expected);
    }
}

#[test]
fn fewer_faults_come_first_and_then_fewer_steps() {
    let [first, lost, sent, twice, received, later] = states();
    let with = |faults, state| Successor { faults, ..new(state) };
    let mut frontier = Frontier::new(Search::Faults, first);
    assert_eq!(frontier.pop(), Some(first));
    frontier.extend(&[with(1, lost), with(2, twice), with(0, sent)]);
    assert_eq!((frontier.pop(), frontier.faults()), (Some(sent), 0));
    frontier.extend(&[with(0, received)]);
    assert_eq!((frontier.pop(), frontier.faults()), (Some(received), 0));
    frontier.extend(&[with(1, later)]);
    assert_eq!((frontier.pop(), frontier.faults()), (Some(lost), 1));
    assert_eq!((frontier.pop(), frontier.faults()), (Some(later), 1));
    assert_eq!((frontier.pop(), frontier.faults()), (Some(twice), 2));
}

#[test]
fn a_state_that_is_met_again_with_fewer_faults_is_moved_to_the_front() {
    let [first, dear, cheap, shared, other] = states();
    let again = |faults, state| Successor { faults, is_new: false, ..new(state) };
    let with = |faults, state| Successor { faults, ..new(state) };
    let mut frontier = Frontier::new(Search::Faults, first);
    frontier.pop();
    frontier.extend(&[with(3, shared), with(0, cheap), with(2, dear), with(2, other)]);
    assert_eq!(frontier.pop(), Some(cheap));
    assert!(frontier.prefers(&again(1, shared)));
    assert!(!frontier.prefers(&again(3, shared)), "as many faults, and more steps");
    frontier.extend(&[again(1, shared), again(0, first)]);
    assert_eq!(frontier.len(), 3);
    assert_eq!((frontier.pop(), frontier.faults()), (Some(shared), 1));
    assert!(!frontier.prefers(&again(0, first)), "it had its turn");
    assert_eq!(drained(frontier), [dear, other], "the old place of the shared one is empty");
}

#[test]
fn a_state_with_a_known_network_waits_until_no_other_is_left() {
    let [first, a, same, b, below, known] = states();
    let with = |network, state| Successor { network, ..new(state) };
    let mut frontier = Frontier::new(Search::NetworkStates { retransmissions: None }, first);
    assert_eq!(frontier.pop(), Some(first));
    frontier.extend(&[with(7, a), with(7, same), with(8, b)]);
    assert_eq!(frontier.pop(), Some(a));
    frontier.extend(&[with(9, below)]);
    assert_eq!(frontier.pop(), Some(below));
    assert_eq!(frontier.pop(), Some(b), "another one has the network of `same`");
    frontier.extend(&[with(9, known)]);
    assert_eq!(frontier.len(), 2);
    assert_eq!(drained(frontier), [same, known]);
}

#[test]
fn what_arrives_too_often_comes_later() {
    let [first, once, twice, thrice, other, later] = states();
    let with = |number, state| Successor { delivered: Some(datagram(number)), ..new(state) };
    let mut frontier = Frontier::new(Search::Retransmissions { arrivals: 2 }, first);
    assert_eq!(frontier.pop(), Some(first));
    frontier.extend(&[with(1, once), new(later)]);
    assert_eq!(frontier.pop(), Some(once));
    frontier.extend(&[with(1, twice)]);
    assert_eq!(frontier.pop(), Some(twice));
    frontier.extend(&[with(1, thrice), with(2, other)]);
    assert_eq!(frontier.pop(), Some(other));
    assert_eq!(frontier.pop(), Some(later));
    // Here nothing has arrived: on this way, its third arrival is the first.
    let again = Successor { is_new: false, ..with(1, thrice) };
    assert!(frontier.prefers(&again));
    assert!(!frontier.prefers(&Successor { state: other, ..again }), "it had its turn");
    frontier.extend(&[again, Successor { state: other, ..again }]);
    assert_eq!(frontier.len(), 1);
    assert_eq!(drained(frontier), [thrice]);
}

#[test]
fn repetitions_come_before_networks() {
    let [first, a, same, repeated, below] = states();
    let with = |network, state| Successor { network, ..new(state) };
    let repeating = |network, state| Successor { delivered: Some(datagram(1)), ..with(network, state) };
    let mut frontier = Frontier::new(Search::NetworkStates { retransmissions: Some(1) }, first);
    frontier.pop();
    frontier.extend(&[repeating(7, a), with(7, same)]);
    assert_eq!(frontier.pop(), Some(a));
    frontier.extend(&[repeating(8, repeated), with(7, below)]);
    assert_eq!(drained(frontier), [below, same, repeated]);
}

#[test]
fn fewer_messages_come_first_then_writes_and_between_them_the_search_is_depth_first() {
    let [first, read, written, local, beside, under, later] = states();
    let with = |message, state| Successor { message: Some(message), ..new(state) };
    let mut frontier = Frontier::new(Search::Joint, first);
    assert_eq!(frontier.pop(), Some(first));
    frontier.extend(&[with(Message::Read, read), with(Message::Written, written), new(local), new(beside)]);
    assert_eq!(frontier.pop(), Some(local), "no message");
    frontier.extend(&[new(under)]);
    assert_eq!((frontier.pop(), frontier.pop()), (Some(under), Some(beside)), "depth-first");
    assert_eq!(frontier.pop(), Some(written));
    frontier.extend(&[with(Message::Written, later)]);
    assert_eq!(drained(frontier), [read, later], "one message, and then two");
}

#[test]
fn a_state_that_is_met_again_with_fewer_messages_is_moved_to_the_front() {
    let [first, local, shared, other, last] = states();
    let with = |message, state| Successor { message: Some(message), ..new(state) };
    let again = |message, state| Successor { message, is_new: false, ..new(state) };
    let mut frontier = Frontier::new(Search::Joint, first);
    frontier.pop();
    frontier.extend(&[with(Message::Read, shared), with(Message::Written, other), new(local)]);
    assert_eq!(frontier.pop(), Some(local));
    assert!(frontier.prefers(&again(None, shared)) && frontier.prefers(&again(Some(Message::Written), shared)));
    assert!(!frontier.prefers(&again(Some(Message::Read), shared)), "as many messages, and a read");
    frontier.extend(&[with(Message::Written, last), again(None, shared), again(None, first)]);
    assert_eq!(frontier.len(), 3);
    assert_eq!(frontier.pop(), Some(shared));
    assert!(!frontier.prefers(&again(None, first)), "it had its turn");
    assert_eq!(drained(frontier), [other, last], "the old place of the shared one is empty");
}

#[test]
fn a_read_is_as_long_as_eight_other_steps() {
    let [first, read, written, sent, other, beside] = states();
    let with = |message, state| Successor { message: Some(message), ..new(state) };
    let mut frontier = Frontier::new(Search::Reads, first);
    frontier.pop();
    frontier.extend(&[with(Message::Read, read), with(Message::Written, written), new(beside)]);
    assert_eq!((frontier.pop(), frontier.pop()), (Some(written), Some(beside)), "breadth-first");
    frontier.extend(&[new(sent)]);
    for step in 2..8 {
        assert_eq!(frontier.pop(), Some(sent), "{step} steps");
        frontier.extend(&[Successor { is_new: true, ..new(sent) }]);
    }
    frontier.extend(&[new(other)]);
    assert_eq!(drained(frontier), [read, sent, other], "after 8 steps");
}

#[test]
fn a_state_that_is_met_again_without_a_read_is_moved_to_the_front() {
    let [first, shared, other, local] = states();
    let with = |message, state| Successor { message: Some(message), ..new(state) };
    let again = |state| Successor { is_new: false, ..new(state) };
    let mut frontier = Frontier::new(Search::Reads, first);
    frontier.pop();
    frontier.extend(&[with(Message::Read, other), with(Message::Read, shared), new(local)]);
    assert_eq!(frontier.pop(), Some(local));
    assert!(frontier.prefers(&again(shared)) && !frontier.prefers(&again(first)));
    frontier.extend(&[again(shared)]);
    assert_eq!(drained(frontier), [shared, other]);
}

#[test]
fn the_highest_score_comes_first_and_of_equal_ones_the_older() {
    let [first, low, high, old, young] = states();
    let scored = |score, state| Successor { score, faults: 1, ..new(state) };
    let mut frontier = Frontier::best(first);
    frontier.pop();
    frontier.extend(&[scored(-5, low), scored(7, old), scored(9, high), scored(7, young)]);
    assert_eq!((frontier.pop(), frontier.faults()), (Some(high), 1));
    frontier.extend(&[scored(7, first)]);
    assert_eq!((frontier.pop(), frontier.pop()), (Some(old), Some(young)));
    assert_eq!((frontier.pop(), frontier.faults()), (Some(first), 2));
    assert_eq!(frontier.pop(), Some(low));
}

/// The units that move in the first walk over a grid in which unit 0 can take `steps[0]` steps and unit 1 `steps[1]`.
fn first_walk(search: Search, steps: [usize; 2]) -> String {
    let all = states::<4096>();
    let index = |[a, b]: [usize; 2]| a * 64 + b;
    let mut frontier = Frontier::new(search, all[0]);
    let mut met = vec![false; all.len()];
    let (mut at, mut moves) = ([0, 0], String::new());
    frontier.pop();
    while at != steps {
        let possible = [0, 1].into_iter().filter(|&unit| at[unit] < steps[unit]);
        let successors = possible.map(|unit| {
            let mut to = at;
            to[unit] += 1;
            let is_new = !std::mem::replace(&mut met[index(to)], true);
            Successor { is_new, ..by(unit as u32, all[index(to)]) }
        });
        let successors: Vec<Successor> = successors.collect();
        frontier.extend(&successors);
        let next = frontier.pop().expect("a walk goes on while somebody can move");
        let unit = [0, 1].into_iter().find(|&unit| {
            let mut to = at;
            to[unit] += 1;
            all[index(to)] == next
        });
        let unit = unit.expect("the next state is a successor of the last one");
        at[unit] += 1;
        moves.push(if unit == 0 { 'a' } else { 'b' });
    }
    moves
}

#[test]
fn a_walk_by_priorities_without_change_points_runs_one_unit_after_the_other() {
    let walks: Vec<String> = (0..40).map(|seed| first_walk(Search::Pct { seed, depth: 1 }, [30, 30])).collect();
    let (ab, ba) = ("a".repeat(30) + &"b".repeat(30), "b".repeat(30) + &"a".repeat(30));
    assert!(walks.iter().all(|walk| *walk == ab || *walk == ba), "{walks:?}");
    assert!(walks.contains(&ab) && walks.contains(&ba));
}

#[test]
fn each_change_point_switches_once() {
    let switches = |walk: &str| walk.as_bytes().windows(2).filter(|pair| pair[0] != pair[1]).count();
    for depth in [2, 3, 4] {
        let walks = (0..200).map(|seed| first_walk(Search::Pct { seed, depth }, [60, 60]));
        let switched: Vec<usize> = walks.map(|walk| switches(&walk)).collect();
        // One switch is where the first unit is at its end.
        assert!(switched.iter().all(|&switches| switches <= depth), "{depth}: {switched:?}");
        let all = switched.iter().filter(|&&switches| switches == depth).count();
        assert!(all >= 5, "{depth}: {all} of 200");
    }
}

#[test]
fn the_same_seed_gives_the_same_walk_and_another_one_another() {
    let walk = |seed| first_walk(Search::Pct { seed, depth: 3 }, [60, 60]);
    assert_eq!(walk(1), walk(1));
    assert!((2..12).any(|seed| walk(seed) != walk(1)));
}
