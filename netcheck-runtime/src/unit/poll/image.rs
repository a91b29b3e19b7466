//! The image of a unit's memory: its futures, the heap that they reach, and everything that the engine knows of the unit
//! and that its future depends on. These are the operations that it waits for, with the wakers of the futures that wait,
//! its sockets and timers, its tasks, and the isolated tasks that it has spawned.

use crate::unit::identity::checkpoint::Values;
use crate::unit::identity::memory::ImageId;
use crate::unit::poll::context::Context;
use netcheck_memory::Scan;

impl Context {
    /// The image of the unit's memory after a step; `None` if not all of it can be seen.
    ///
    /// # Panics
    /// If two images of the check have the same digest and are found to differ.
    pub(in crate::unit) fn image(&self) -> Option<ImageId> {
        let arena = self.arena()?;
        let state = self.state();
        let mut values = Values::default();
        state.record_between_steps(&mut values);
        let roots = |scan: &mut Scan<'_>| {
            scan.bytes(&values.bytes);
            state.tasks.scan(scan);
            state.operations.scan(scan);
        };
        let digest = arena.image(roots)?;
        let sample = &self.shared.images;
        if sample.borrow().is_due(digest) {
            let agrees = sample.borrow_mut().agrees(arena.full_image(roots)?);
            assert!(agrees, "two different images of memory have the digest {digest:?}");
        }
        Some(ImageId(digest))
    }
}
