//! A program that can be started any number of times.

use crate::id::SocketId;
use crate::operation::Stream;
use crate::unit::poll::handles::Kept;
use std::any::Any;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;

/// A program's root future. It resolves to the output and to the output's Debug text.
pub type RootFuture = Pin<Box<dyn Future<Output = (String, Rc<dyn Any>)>>>;

/// A program that can be started any number of times.
pub struct Program {
    pub(crate) factory: Box<dyn Fn() -> RootFuture>,
    pub(crate) location: &'static Location<'static>,
    /// The sockets that it is given at its start, with their records at the time when it was spawned.
    pub(crate) sockets: Vec<(SocketId, Box<dyn Kept>)>,
    /// The streams that it takes over at its start.
    pub(crate) streams: Vec<Stream>,
}

impl Program {
    /// A program that is given nothing.
    pub fn new(factory: Box<dyn Fn() -> RootFuture>, location: &'static Location<'static>) -> Self {
        Program { factory, location, sockets: Vec::new(), streams: Vec::new() }
    }
}
