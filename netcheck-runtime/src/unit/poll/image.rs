//! The image of a unit's memory: its futures, its statics and thread-locals, the heap that they reach, and everything that
//! the engine knows of the unit and that its future depends on. These are the operations that it waits for, with the wakers
//! of the futures that wait, its sockets and timers, its tasks, and the isolated tasks that it has spawned.

use crate::unit::identity::checkpoint::Values;
use crate::unit::identity::memory::ImageId;
use crate::unit::poll::context::Context;
use netcheck_memory::{Dated, Instants, Scan};

impl Context {
    /// The image of the unit's memory after a step, if all of it can be seen; with the instants that it holds, or else the last
    /// one that the run was told.
    ///
    /// # Panics
    /// If two images of the check have the same digest and are found to differ.
    pub(in crate::unit) fn image(&self) -> (Option<ImageId>, Option<Dated>) {
        let image = self.dated_image();
        let dated = image.map_or_else(|| self.last_dated(), |(_, dated)| dated);
        (image.map(|(image, _)| image), dated)
    }

    fn dated_image(&self) -> Option<(ImageId, Option<Dated>)> {
        let arena = self.arena()?;
        let recognised = self.instants();
        let state = self.state();
        let mut values = Values::default();
        state.record_between_steps(&mut values);
        let roots = |scan: &mut Scan<'_>| {
            scan.recognise(recognised);
            scan.bytes(&values.bytes);
            match recognised {
                Instants::None => values.instants.iter().for_each(|&ns| scan.word(ns as u64)),
                Instants::Own(_) | Instants::All(_) => values.instants.iter().for_each(|&ns| scan.instant(ns)),
            }
            state.tasks.scan(scan);
            state.operations.scan(scan);
            self.variables.scan(scan);
        };
        let (digest, dated) = arena.dated_image(roots)?;
        let sample = &self.shared.images;
        if sample.borrow().is_due(digest) {
            let agrees = sample.borrow_mut().agrees(arena.full_image(roots)?);
            assert!(agrees, "two different images of memory have the digest {digest:?}");
        }
        Some((ImageId(digest), dated))
    }
}
