//! Isolated tasks: a type-level proof that they share no memory, so that centralization preserves separate address
//! spaces.

mod argument;

#[doc(hidden)]
pub use argument::{Argument, Arguments, CloneForEachRun, Copying, Handle, argument, cloned};

use crate::capture;
use crate::id::{SocketId, UnitId};
use crate::operation::Stream;
use crate::unit::poll::context::{self, Context as UnitContext};
use crate::unit::poll::frames::Activation;
use crate::unit::program::{Program, RootFuture};
use argument::Handles;
use netcheck_memory::{engine, outside};
use std::any::{Any, type_name};
use std::fmt;
use std::future::Future;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A socket inside a value, reported by [`Isolated`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HandleId(pub(crate) SocketId);

/// Values that share no memory with other tasks: plain values and netcheck's own handles.
///
/// Arguments and results of `#[netcheck::process]` functions are isolated, so that the task can be learned separately
/// from its spawner. `Mutex`, `RefCell`, atomics, channels and raw pointers are not isolated. Derive it for types of
/// your own: `#[derive(netcheck::Isolated)]`.
///
/// In addition, an argument is `Clone`, or one of netcheck's streams, which the task takes over.
#[diagnostic::on_unimplemented(
    message = "`{Self}` may share memory with other tasks, so it can't cross into an isolated process",
    label = "not `Isolated`",
    note = "pass plain values, a `TcpStream` or an `Arc<UdpSocket>`, and exchange everything else by messages",
    note = "for a type of your own that shares no memory: `#[derive(netcheck::Isolated)]`",
    note = "tasks that do share memory: spawn a plain async fn or block, without `#[netcheck::process]`"
)]
pub trait Isolated {
    /// Calls `visitor` for every socket inside.
    #[doc(hidden)]
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        let _ = visitor;
    }
}

macro_rules! isolated_values {
    ($($type:ty),* $(,)?) => { $(impl Isolated for $type {})* };
}

isolated_values!(
    (),
    bool,
    char,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    f32,
    f64,
    String,
    str,
    std::time::Duration,
    std::net::IpAddr,
    std::net::Ipv4Addr,
    std::net::Ipv6Addr,
    std::net::SocketAddr,
    std::net::SocketAddrV4,
    std::net::SocketAddrV6,
    std::io::ErrorKind,
    std::num::NonZeroU8,
    std::num::NonZeroU16,
    std::num::NonZeroU32,
    std::num::NonZeroU64,
    std::num::NonZeroUsize,
    std::convert::Infallible,
);

impl Isolated for &'static str {}

/// As an argument or a result, another unit gets it, which has another clock: it is a number.
impl Isolated for crate::time::Instant {
    fn visit_handles(&self, _: &mut dyn FnMut(HandleId)) {
        crate::time::number();
    }
}

macro_rules! isolated_containers {
    ($($container:ident $(:: $path:ident)* <$($parameter:ident),+>),* $(,)?) => { $(
        impl<$($parameter: Isolated),+> Isolated for $container $(:: $path)* <$($parameter),+> {
            fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
                for item in self {
                    item.visit_handles(visitor);
                }
            }
        }
    )* };
}

isolated_containers!(
    Vec<T>,
    std::collections::VecDeque<T>,
    std::collections::BTreeSet<T>,
    std::collections::LinkedList<T>,
);

impl<T: Isolated> Isolated for Option<T> {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        if let Some(value) = self {
            value.visit_handles(visitor);
        }
    }
}

impl<T: Isolated> Isolated for [T] {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        self.iter().for_each(|item| item.visit_handles(visitor));
    }
}

impl<T: Isolated, const N: usize> Isolated for [T; N] {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        self.as_slice().visit_handles(visitor);
    }
}

impl<K: Isolated, V: Isolated> Isolated for std::collections::BTreeMap<K, V> {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        for (key, value) in self {
            key.visit_handles(visitor);
            value.visit_handles(visitor);
        }
    }
}

impl<T: Isolated, E: Isolated> Isolated for Result<T, E> {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        match self {
            Ok(value) => value.visit_handles(visitor),
            Err(error) => error.visit_handles(visitor),
        }
    }
}

impl<T: Isolated + ?Sized> Isolated for Box<T> {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        (**self).visit_handles(visitor);
    }
}

impl<T: Isolated + ?Sized> Isolated for Rc<T> {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        (**self).visit_handles(visitor);
    }
}

/// Shared, but immutable.
impl<T: Isolated + ?Sized> Isolated for Arc<T> {
    fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
        (**self).visit_handles(visitor);
    }
}

impl<T> Isolated for std::marker::PhantomData<T> {}

macro_rules! isolated_tuples {
    ($($($name:ident)+),* $(,)?) => { $(
        impl<$($name: Isolated),+> Isolated for ($($name,)+) {
            #[allow(non_snake_case, reason = "a tuple's fields are named as their types")]
            fn visit_handles(&self, visitor: &mut dyn FnMut(HandleId)) {
                let ($($name,)+) = self;
                $($name.visit_handles(visitor);)+
            }
        }
    )* };
}

isolated_tuples!(
    A, A B, A B C, A B C D, A B C D E, A B C D E F, A B C D E F G, A B C D E F G H,
    A B C D E F G H I, A B C D E F G H I J, A B C D E F G H I J K, A B C D E F G H I J K L,
);

/// The return value of a `#[netcheck::process]` function: a task that can be started any number of times.
///
/// A spawned process is a unit of its own, explored as a separate automaton; an awaited process runs inside the caller
/// like any async fn.
pub struct Process<T> {
    make: Arc<dyn Make<T>>,
    handles: Handles,
    name: &'static str,
    inside: Option<Pin<Box<dyn Future<Output = T> + Send>>>,
    /// The name of the function's own future.
    inner: &'static str,
    activation: Option<Activation>,
    /// Converts the output for the engine to keep.
    keep: fn(T) -> (String, Rc<dyn Any>),
    /// Converts the kept output for the task that joins.
    give: fn(&Rc<dyn Any>) -> Option<T>,
}

/// Makes the future of each run.
trait Make<T>: Send + Sync {
    fn future(&self) -> Pin<Box<dyn Future<Output = T> + Send>>;

    /// The same, with arguments of its own.
    fn duplicate(&self) -> Arc<dyn Make<T>>;
}

/// A function, and its arguments.
struct Call<A, F> {
    arguments: A,
    call: F,
}

impl<A, F, Fut> Make<Fut::Output> for Call<A, F>
where
    A: Arguments + Send + Sync + 'static,
    F: Fn(A::Values) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future + Send + 'static,
{
    fn future(&self) -> Pin<Box<dyn Future<Output = Fut::Output> + Send>> {
        Box::pin((self.call)(self.arguments.values()))
    }

    fn duplicate(&self) -> Arc<dyn Make<Fut::Output>> {
        Arc::new(Call { arguments: self.arguments.duplicate(), call: self.call.clone() })
    }
}

/// Makes a process value; called by the expansion of `#[netcheck::process]`.
#[doc(hidden)]
pub fn process<A, F, Fut>(name: &'static str, arguments: A, call: F) -> Process<Fut::Output>
where
    A: Arguments + Send + Sync + 'static,
    F: Fn(A::Values) -> Fut + Clone + Send + Sync + 'static,
    Fut: Future + Send + 'static,
    Fut::Output: Isolated + Clone + fmt::Debug + 'static,
{
    let handles = arguments.handles();
    Process {
        make: Arc::new(Call { arguments, call }),
        handles,
        name,
        inside: None,
        inner: type_name::<Fut>(),
        activation: None,
        keep: |output| (format!("{output:?}"), Rc::new(output)),
        give: |kept| kept.downcast_ref().cloned(),
    }
}

impl<T: 'static> Process<T> {
    /// Spawns a unit of its own.
    pub(crate) fn spawn_unit(self, location: &'static Location<'static>) -> UnitId {
        let context = context::current();
        // The program outlives the run, and so the memory of the run. No pointer to it may be left on the stack of the
        // one that spawns it, from where it could get into a future.
        engine(|| outside(|| self.spawn_unit_of(&context, location)))
    }

    fn spawn_unit_of(self, context: &UnitContext, location: &'static Location<'static>) -> UnitId {
        let Handles { shared, moved } = self.handles;
        let handed = shared.iter().chain(&moved);
        let sockets = handed.map(|&socket| (socket, context.kept_for_another_unit(socket))).collect();
        let streams: Vec<Stream> = moved.iter().filter_map(|&socket| context.stream_of(socket)).collect();
        // Their numbers become free here, because the task closes the sockets.
        moved.iter().for_each(|&socket| context.forget_socket(socket));
        let (keep, inner) = (self.keep, self.inner);
        let make = self.make.duplicate();
        let program = Program {
            factory: Box::new(move || {
                let future = make.future();
                let root: RootFuture = Box::pin(async move { keep(capture::root(future, inner).await) });
                root
            }),
            location,
            sockets,
            streams: streams.clone(),
        };
        context.spawn_unit(self.name, shared, streams.into(), Rc::new(program))
    }
}

impl<T> Process<T> {
    /// The conversion of the kept output for the task that joins.
    pub(crate) fn value(&self) -> fn(&Rc<dyn Any>) -> Option<T> {
        self.give
    }
}

impl<T> Future for Process<T> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let Process { make, inside, inner, activation, .. } = &mut *self;
        let is_new = inside.is_none();
        let inside = inside.get_or_insert_with(|| make.future()).as_mut();
        let is_direct = |name, activation: Option<Activation>| name == type_name::<Self>() && activation.is_none();
        match context::try_current() {
            Some(context) => context.call((inner, false), is_new, activation, is_direct, || inside.poll(cx)),
            None => inside.poll(cx),
        }
    }
}

impl<T> fmt::Debug for Process<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("name", &self.name).finish_non_exhaustive()
    }
}
