//! Programs whose memory is hard to compare: each keeps its state in another structure. Whatever tells local states
//! apart, they end with the same outputs.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, LinkedList, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use netcheck as tokio;
use netcheck::check::{Checker, Identity, Report};
use tokio::sync::Notify;
use tokio::task::yield_now;

/// A state of small numbers: the latest few that were added, in order.
trait Structure: Default + 'static {
    /// Adds a number at the end.
    fn add(&mut self, number: u8);
    /// Removes the first number.
    fn remove(&mut self);
    /// Changes how the numbers lie in memory, and nothing else.
    fn stir(&mut self);
    fn numbers(&self) -> Vec<u8>;
}

impl Structure for Vec<u8> {
    fn add(&mut self, number: u8) {
        self.push(number);
    }

    fn remove(&mut self) {
        if !self.is_empty() {
            Vec::remove(self, 0);
        }
    }

    fn stir(&mut self) {
        self.reserve(40);
        self.shrink_to_fit();
    }

    fn numbers(&self) -> Vec<u8> {
        self.clone()
    }
}

/// A ring: equal contents begin at different places.
impl Structure for VecDeque<u8> {
    fn add(&mut self, number: u8) {
        self.push_back(number);
    }

    fn remove(&mut self) {
        self.pop_front();
    }

    fn stir(&mut self) {
        self.rotate_left(self.len() / 2);
        self.rotate_right(self.len() / 2);
    }

    fn numbers(&self) -> Vec<u8> {
        self.iter().copied().collect()
    }
}

impl Structure for LinkedList<Box<u8>> {
    fn add(&mut self, number: u8) {
        self.push_back(Box::new(number));
    }

    fn remove(&mut self) {
        self.pop_front();
    }

    /// The same nodes in the same order, allocated in another one.
    fn stir(&mut self) {
        let last = self.pop_back();
        *self = self.iter().rev().cloned().collect::<Vec<_>>().into_iter().rev().chain(last).collect();
    }

    fn numbers(&self) -> Vec<u8> {
        self.iter().map(|number| **number).collect()
    }
}

/// The first and the last of a list whose nodes point both ways: `Rc` in cycles, broken when the list is dropped.
#[derive(Default)]
struct Cycle(Vec<Rc<Node>>);

struct Node {
    number: u8,
    others: RefCell<Vec<Rc<Node>>>,
}

impl Structure for Cycle {
    fn add(&mut self, number: u8) {
        let node = Rc::new(Node { number, others: RefCell::default() });
        for other in &self.0 {
            other.others.borrow_mut().push(Rc::clone(&node));
            node.others.borrow_mut().push(Rc::clone(other));
        }
        self.0.push(node);
    }

    fn remove(&mut self) {
        if self.0.is_empty() {
            return;
        }
        let first = self.0.remove(0);
        first.others.borrow_mut().clear();
        self.0.iter().for_each(|node| node.others.borrow_mut().retain(|other| !Rc::ptr_eq(other, &first)));
    }

    fn stir(&mut self) {
        for node in &self.0 {
            let others = node.others.borrow().clone();
            *node.others.borrow_mut() = others;
        }
    }

    fn numbers(&self) -> Vec<u8> {
        self.0.iter().map(|node| node.number + node.others.borrow().len() as u8).collect()
    }
}

impl Drop for Cycle {
    fn drop(&mut self) {
        self.0.iter().for_each(|node| node.others.borrow_mut().clear());
    }
}

/// Strings that are shared if they are equal: which of them are one tells states apart.
#[derive(Default)]
struct Interned {
    texts: BTreeSet<Arc<str>>,
    order: Vec<Arc<str>>,
}

impl Structure for Interned {
    fn add(&mut self, number: u8) {
        let text: Arc<str> = number.to_string().into();
        let known = self.texts.get(&text).cloned();
        let text = known.unwrap_or_else(|| {
            self.texts.insert(Arc::clone(&text));
            text
        });
        self.order.push(text);
    }

    fn remove(&mut self) {
        if !self.order.is_empty() {
            self.order.remove(0);
        }
    }

    /// Forgets which strings are shared.
    fn stir(&mut self) {
        self.order = self.order.iter().map(|text| Arc::from(&**text)).collect();
    }

    fn numbers(&self) -> Vec<u8> {
        let is_shared = |text: &Arc<str>| self.texts.get(text).is_some_and(|known| Arc::ptr_eq(known, text));
        self.order.iter().map(|text| text.parse::<u8>().unwrap() * 2 + u8::from(is_shared(text))).collect()
    }
}

#[allow(clippy::disallowed_types, reason = "nobody iterates over it")]
#[derive(Default)]
struct Table {
    by_place: std::collections::HashMap<u32, u8>,
    first: u32,
    next: u32,
}

impl Structure for Table {
    fn add(&mut self, number: u8) {
        self.by_place.insert(self.next, number);
        self.next += 1;
    }

    fn remove(&mut self) {
        if self.by_place.remove(&self.first).is_some() {
            self.first += 1;
        }
    }

    fn stir(&mut self) {
        self.by_place.reserve(20);
        self.by_place.shrink_to_fit();
    }

    fn numbers(&self) -> Vec<u8> {
        (self.first..self.next).map(|place| self.by_place[&place]).collect()
    }
}

/// Over-aligned numbers, and keys of no size.
#[derive(Default)]
struct Aligned(BTreeMap<usize, (Wide, [(); 3])>, usize);

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Wide(u8);

impl Structure for Aligned {
    fn add(&mut self, number: u8) {
        self.0.insert(self.1, (Wide(number), [(); 3]));
        self.1 += 1;
    }

    fn remove(&mut self) {
        self.0.pop_first();
    }

    fn stir(&mut self) {
        self.0 = self.0.iter().rev().map(|(&key, &value)| (key, value)).collect();
    }

    fn numbers(&self) -> Vec<u8> {
        self.0.values().map(|(Wide(number), _)| *number).collect()
    }
}

/// Numbers that look like the addresses of what lies beside them.
#[derive(Default)]
struct Addresses(Vec<(Box<u8>, usize)>);

impl Structure for Addresses {
    fn add(&mut self, number: u8) {
        let number = Box::new(number);
        let address = std::ptr::from_ref(&*number).addr();
        self.0.push((number, address));
    }

    fn remove(&mut self) {
        if !self.0.is_empty() {
            self.0.remove(0);
        }
    }

    /// The addresses of other boxes, and of none.
    fn stir(&mut self) {
        let first = self.0.first().map_or(0, |(_, address)| *address);
        self.0.iter_mut().for_each(|(_, address)| *address = first);
    }

    fn numbers(&self) -> Vec<u8> {
        let is_at = |(number, address): &(Box<u8>, usize)| std::ptr::from_ref(&**number).addr() == *address;
        self.0.iter().map(|pair| *pair.0 * 2 + u8::from(is_at(pair))).collect()
    }
}

/// Buffers that share one allocation: their pointers have tags in the lowest bit, and point to its inside.
#[derive(Default)]
struct Tagged(Vec<Bytes>);

impl Structure for Tagged {
    fn add(&mut self, number: u8) {
        let mut both = Bytes::from(vec![number, number + 1]);
        let first = both.split_to(1);
        self.0.push(if number == 1 { both } else { first });
    }

    fn remove(&mut self) {
        if !self.0.is_empty() {
            self.0.remove(0);
        }
    }

    /// One allocation for each, whose pointer has the tag; a clone has none.
    fn stir(&mut self) {
        self.0 = self.0.iter().map(|bytes| Bytes::from(bytes.to_vec().into_boxed_slice())).collect();
        self.0.iter_mut().skip(1).for_each(|bytes| *bytes = bytes.clone());
    }

    fn numbers(&self) -> Vec<u8> {
        self.0.iter().map(|bytes| bytes[0]).collect()
    }
}

/// A buffer that consists of whole slabs: it is made shorter where it lies.
#[derive(Default)]
struct Large(Vec<u8>);

impl Structure for Large {
    fn add(&mut self, number: u8) {
        self.0.reserve_exact(150_000);
        self.0.push(number);
    }

    fn remove(&mut self) {
        self.0.pop();
    }

    fn stir(&mut self) {
        self.0.resize(140_000 + self.0.len(), 7);
        self.0.truncate(self.0.len() - 140_000);
        self.0.shrink_to(70_000);
    }

    fn numbers(&self) -> Vec<u8> {
        self.0.clone()
    }
}

const ROUNDS: usize = 4;

/// Changes a structure a few times, as the explorer chooses, with an await between the changes.
async fn change<S: Structure>() -> Vec<u8> {
    let mut structure = S::default();
    for _ in 0..ROUNDS {
        match netcheck::choose(0..5_u8).await {
            number @ 0..3 => structure.add(number),
            3 => structure.remove(),
            _ => structure.stir(),
        }
        yield_now().await;
    }
    structure.numbers()
}

/// Holds an iterator, and so a pointer to the end of a slice, across awaits; the slice lies in the future itself.
async fn iterate() -> Vec<u8> {
    let numbers = [1_u8, 2, 3, 4];
    let mut rest = numbers.iter();
    let mut seen = Vec::new();
    for _ in 0..ROUNDS {
        match netcheck::choose(0..3).await {
            0 => seen.extend(rest.next()),
            1 => seen.extend(rest.next_back()),
            _ => rest = numbers[..numbers.len() - seen.len()].iter(),
        }
        yield_now().await;
    }
    seen.push(rest.len() as u8);
    seen
}

/// A task frees what another one has allocated.
async fn hand_over() -> Vec<u8> {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<Vec<u8>>();
    let task = tokio::spawn(async move {
        let mut sum = Vec::new();
        while let Some(numbers) = receiver.recv().await {
            sum.push(numbers.iter().sum());
        }
        sum
    });
    for _ in 0..2 {
        let count = netcheck::choose(0..3_usize).await;
        sender.send(vec![count as u8; count]).unwrap();
        yield_now().await;
    }
    drop(sender);
    task.await.unwrap()
}

/// Three tasks wait in a list whose links lie in their own futures, in an order that the explorer chooses, and one of
/// them gives up.
async fn wait_in_line() -> Vec<u8> {
    let (notify, order) = (Rc::new(Notify::new()), Rc::new(RefCell::new(Vec::new())));
    let set = tokio::task::LocalSet::new();
    let mut tasks = Vec::new();
    for _ in 0..2 {
        let number = netcheck::choose(0..2_u8).await;
        let (notify, order) = (Rc::clone(&notify), Rc::clone(&order));
        tasks.push(set.spawn_local(async move {
            notify.notified().await;
            order.borrow_mut().push(number);
        }));
    }
    let gives_up = netcheck::choose(0..3_usize).await;
    if let Some(task) = tasks.get(gives_up) {
        task.abort();
    }
    let chosen = Rc::clone(&order);
    set.run_until(async move {
        for _ in 0..2 {
            yield_now().await;
            notify.notify_one();
        }
        yield_now().await;
    })
    .await;
    chosen.take()
}

/// A word of which only the first bytes mean anything: a number over an address.
#[repr(align(8))]
struct Word([u8; 8]);

impl Word {
    fn over<T>(address: &T, number: u16) -> Word {
        let mut bytes = (&raw const *address).addr().to_le_bytes();
        bytes[..2].copy_from_slice(&number.to_le_bytes());
        Word(bytes)
    }

    fn number(&self) -> u16 {
        u16::from_le_bytes([self.0[0], self.0[1]])
    }
}

/// A number whose padding holds the rest of an address, as compilers leave it behind: of a variable, of freed memory, of
/// memory in use, of an object of the engine.
async fn overlay() -> Vec<u8> {
    let used = Box::new([1_u64; 40]);
    let socket = tokio::net::UdpSocket::bind("0.0.0.0:4000").await.unwrap();
    let which = netcheck::choose(0..4).await;
    // Equal within 16 bytes, within 256 bytes, and within a page.
    let number = netcheck::choose([3, 19, 35, 0x0103, 0x1003, 0x1013]).await;
    let word = match which {
        0 => Word::over(&number, number),
        1 => Word::over(&*Box::new([1_u64; 30]), number),
        2 => Word::over(&*used, number),
        _ => Word::over(&socket, number),
    };
    yield_now().await;
    std::hint::black_box((&used, &socket));
    word.number().to_le_bytes().to_vec()
}

type Factory = fn() -> std::pin::Pin<Box<dyn Future<Output = Vec<u8>>>>;

fn check(factory: Factory, identity: Identity, reduction: bool, threads: usize) -> Report {
    let checker = Checker::new().identity(identity).reduction(reduction).threads(threads);
    checker.check(move |net| {
        net.process("one", factory);
    })
}

#[test]
fn structures_end_the_same_whatever_tells_local_states_apart() {
    let programs: [(&str, Factory); 14] = [
        ("vector", || Box::pin(change::<Vec<u8>>())),
        ("ring", || Box::pin(change::<VecDeque<u8>>())),
        ("linked list", || Box::pin(change::<LinkedList<Box<u8>>>())),
        ("cycle", || Box::pin(change::<Cycle>())),
        ("interned", || Box::pin(change::<Interned>())),
        ("hash map", || Box::pin(change::<Table>())),
        ("aligned", || Box::pin(change::<Aligned>())),
        ("tagged", || Box::pin(change::<Tagged>())),
        ("large", || Box::pin(change::<Large>())),
        ("line", || Box::pin(wait_in_line())),
        ("addresses", || Box::pin(change::<Addresses>())),
        ("iterator", || Box::pin(iterate())),
        ("channel", || Box::pin(hand_over())),
        ("overlay", || Box::pin(overlay())),
    ];
    for (name, factory) in programs {
        for reduction in [true, false] {
            let by_history = check(factory, Identity::History, reduction, 1);
            let by_memory = check(factory, Identity::Memory, reduction, 1);
            assert_eq!(by_memory.outputs("one"), by_history.outputs("one"), "{name}");
            assert!(by_memory.local_states() <= by_history.local_states(), "{name}");
            // More than 255 runs are live, so the same number of states can't be asked for (`netcheck_memory::image`).
            let again = check(factory, Identity::Memory, reduction, 2);
            assert_eq!(again.outputs("one"), by_history.outputs("one"), "{name}");
            assert!(again.local_states() <= by_history.local_states(), "{name}");
        }
    }
}

/// State that no image shows is found out: a static, where tests run at the same time. Each run sees what others have left.
#[test]
fn a_state_in_a_static_is_an_error() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let checker = Checker::new().identity(Identity::Memory);
    let checked = checker.try_check(|net| {
        net.process("counts", || async {
            COUNT.store(0, Ordering::Relaxed);
            for _ in 0..4 {
                COUNT.fetch_add(netcheck::choose(0..2).await, Ordering::Relaxed);
                yield_now().await;
            }
            assert!(COUNT.load(Ordering::Relaxed) < 4);
        });
    });
    let error = checked.expect_err("a static is no memory of the program").to_string();
    assert!(error.contains("process \"counts\""), "{error}");
}
