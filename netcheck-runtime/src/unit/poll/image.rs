//! The image of a unit's memory: its futures, its statics and thread-locals, the heap that they reach, and everything that
//! the engine knows of the unit and that its future depends on. These are the operations that it waits for, with the wakers
//! of the futures that wait, its sockets and timers, its tasks, and the isolated tasks that it has spawned.

use crate::id::TaskId;
use crate::unit::identity::checkpoint::Values;
use crate::unit::identity::memory::ImageId;
use crate::unit::poll::context::Context;
use netcheck_memory::{Held, Instants, Part, Scan};
use std::panic::Location;

impl Context {
    /// The image of the unit's memory after a step, if all of it can be seen; with the instants that it holds, or else those
    /// that the run was told.
    ///
    /// # Panics
    /// If two images of the check have the same digest and are found to differ.
    pub(in crate::unit) fn image(&self) -> (Option<ImageId>, Held) {
        match self.dated_image() {
            Some((image, held)) => (Some(image), held),
            None => (None, self.last_held()),
        }
    }

    /// Writes what the check says over the bytes of the unit's memory that no program can read.
    pub(in crate::unit) fn overwrite_unread(&self) {
        let number = self.shared.modes.unread.or_else(|| self.shared.clears.get().then_some(0));
        if let (Some(number), Some(arena)) = (number, self.arena()) {
            self.with_roots(|roots| arena.overwrite_unread(roots, number));
        }
    }

    fn dated_image(&self) -> Option<(ImageId, Held)> {
        let arena = self.arena()?;
        let (digest, held) = self.with_roots(|roots| arena.dated_image(roots))?;
        let sample = &self.shared.images;
        if sample.borrow().is_due(digest) {
            let agrees = sample.borrow_mut().agrees(self.with_roots(|roots| arena.full_image(roots))?);
            assert!(agrees, "two different images of memory have the digest {digest:?}");
        }
        Some((ImageId(digest), held))
    }

    /// The image in parts, if all of the memory can be seen.
    pub(in crate::unit) fn parts(&self) -> Option<Vec<Part>> {
        self.with_roots(|roots| self.arena()?.parts(roots))
    }

    /// The futures of the unit's tasks: their addresses, and the lines that have spawned them.
    pub(in crate::unit) fn futures(&self) -> Vec<(usize, TaskId, &'static Location<'static>)> {
        let state = self.state();
        let futures = state.tasks.all.iter().filter_map(|(&id, task)| {
            let future = task.future.as_ref()?;
            Some((std::ptr::from_ref(&**future).cast::<()>().addr(), id, task.location))
        });
        futures.collect()
    }

    /// The statics and thread-locals that have other values than the first, in the order of the image.
    pub(in crate::unit) fn changed_variables(&self) -> Vec<&'static str> {
        self.variables.names()
    }

    /// Calls a function with one that names the roots of the image.
    fn with_roots<R>(&self, function: impl FnOnce(&dyn Fn(&mut Scan<'_>)) -> R) -> R {
        let recognised = self.instants();
        let state = self.state();
        let mut values = Values::default();
        let ends = state.record_sections(&mut values);
        function(&|scan| {
            scan.recognise(recognised);
            let mut start = 0;
            for end in ends {
                scan.bytes(&values.bytes[start..end]);
                start = end;
            }
            match recognised {
                Instants::None => values.instants.iter().for_each(|&ns| scan.word(ns as u64)),
                _ => values.instants.iter().for_each(|&ns| scan.instant(ns)),
            }
            state.tasks.scan(scan);
            state.operations.scan(scan);
            self.variables.scan(scan);
        })
    }
}
