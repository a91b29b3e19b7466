//! Random graphs of objects: equal ones have equal images, whatever was allocated in between and in whatever order.

use crate::arena;
use netcheck_memory::{Arena, Image};
use proptest::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

/// An object that points to others. Never freed: the arena is one of a test.
#[expect(dead_code, reason = "images read it")]
struct Object {
    /// As large as it is aligned: padding would hold stale bytes of the stack.
    value: u64,
    padding: Vec<u8>,
    edges: RefCell<Vec<&'static Object>>,
}

/// A graph: for each object a value and the objects that it points to.
#[derive(Clone, Debug)]
struct Graph(Vec<(u8, Vec<usize>)>);

fn graph() -> impl Strategy<Value = Graph> {
    prop::collection::vec((0..4_u8, prop::collection::vec(any::<usize>(), 0..4)), 1..12).prop_map(|mut objects| {
        let count = objects.len();
        objects.iter_mut().for_each(|(_, edges)| edges.iter_mut().for_each(|edge| *edge %= count));
        Graph(objects)
    })
}

impl Graph {
    /// The image from the first object, with the objects allocated in an order, and others in between.
    fn image(&self, arena: &Arena, keys: &[u32], noise: usize) -> Image {
        let kept = Rc::new(RefCell::new(Vec::new()));
        let roots = arena.enter(|| {
            let mut order: Vec<usize> = (0..self.0.len()).collect();
            order.sort_by_key(|&object| keys[object % keys.len()]);
            let mut objects: Vec<Option<&'static Object>> = vec![None; self.0.len()];
            for object in order {
                kept.borrow_mut().extend((0..noise).map(|number| vec![0_u8; 20 * number + 1]));
                let value = self.0[object].0;
                let padding = vec![value; 40 * usize::from(value)];
                objects[object] =
                    Some(Box::leak(Box::new(Object { value: u64::from(value), padding, edges: RefCell::default() })));
            }
            let objects: Vec<&'static Object> = objects.into_iter().flatten().collect();
            for (object, (_, edges)) in objects.iter().zip(&self.0) {
                let mut targets = Vec::with_capacity(edges.len());
                targets.extend(edges.iter().map(|&edge| objects[edge]));
                *object.edges.borrow_mut() = targets;
            }
            objects[0]
        });
        arena.full_image(|scan| scan.pointer(roots)).unwrap()
    }

    /// A canonical form that shares no code with images: the graph in the order of a breadth-first traversal.
    fn canonical(&self) -> Vec<(u8, Vec<usize>)> {
        let mut order = vec![0];
        let mut next = 0;
        while let Some(&object) = order.get(next) {
            for &edge in &self.0[object].1 {
                if !order.contains(&edge) {
                    order.push(edge);
                }
            }
            next += 1;
        }
        let place = |object: usize| order.iter().position(|&other| other == object).unwrap();
        order
            .iter()
            .map(|&object| (self.0[object].0, self.0[object].1.iter().map(|&edge| place(edge)).collect()))
            .collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn images_are_equal_exactly_if_graphs_are(
        left in graph(),
        other in graph(),
        change in prop::option::of((any::<usize>(), any::<usize>())),
        keys in prop::collection::vec(any::<u32>(), 12),
        noise in 0..3_usize,
    ) {
        // The same graph, one with a single edge moved, or another one.
        let right = match change {
            Some((object, edge)) => {
                let mut changed = left.clone();
                let count = changed.0.len();
                if let Some(target) = changed.0[object % count].1.first_mut() {
                    *target = edge % count;
                }
                changed
            }
            None if noise == 0 => other,
            None => left.clone(),
        };
        let (first, second) = arenas();
        let (one, two) = (left.image(first, &[0], 0), right.image(second, &keys, noise));
        assert_eq!(one == two, left.canonical() == right.canonical(), "{left:?} {right:?}");
        assert_eq!(one.digest() == two.digest(), one == two);
    }
}

/// A pair of arenas for all cases, as what the objects leave is never freed; nor are the arenas, which would be retired
/// while other tests count.
fn arenas() -> &'static (Arena, Arena) {
    static ARENAS: OnceLock<(Arena, Arena)> = OnceLock::new();
    ARENAS.get_or_init(|| (arena(), arena()))
}
