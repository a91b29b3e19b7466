//! Work that is shared among threads.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

/// Does the work for each item on as many threads as there are cores, and says now and then how far it is. The results
/// are in the order of the items.
pub(super) fn each<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> io::Result<R> + Sync) -> io::Result<Vec<R>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    let mut results = results.lock().expect("no thread panics with it");
                    results.push((index, result));
                    if results.len().is_multiple_of(100) {
                        eprintln!("{} of {} pairs", results.len(), items.len());
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no thread panics with it");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
