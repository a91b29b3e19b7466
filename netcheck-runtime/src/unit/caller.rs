//! The program's own source line of a call.
//!
//! `#[track_caller]` ends at adaptors: a read by a `BufReader` seems to come from tokio. A backtrace finds the
//! program's own line. It is expensive, and taken only if the line is shown or faults are limited by source line.

use crate::id::CallerId;
use ahash::AHashMap;
use std::panic::Location;
use std::path::Path;

/// A source line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) number: u32,
}

/// The owner of the code that a frame of the stack runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Frame {
    Own(CallerId),
    /// A dependency's, or the standard library's.
    Foreign,
    /// The engine's executor: frames further out are not the program's.
    Engine,
}

/// The module that polls programs.
const ENGINE: &str = "netcheck_runtime::unit::instance";

/// The source lines of calls, and the code at the addresses of backtraces.
#[derive(Default)]
pub(crate) struct Callers {
    lines: Vec<Line>,
    ids: AHashMap<Line, CallerId>,
    /// The owners of addresses of code.
    known: AHashMap<usize, Frame>,
}

impl Callers {
    pub(crate) fn line(&self, caller: CallerId) -> Line {
        self.lines[caller.0 as usize].clone()
    }

    /// The innermost source line of the program in the current poll. If none is found, or without debug information:
    /// the line that spawned the task.
    pub(crate) fn current(
        &mut self,
        location: &'static Location<'static>,
        task: Option<&'static Location<'static>>,
    ) -> CallerId {
        let line = |location: &Location<'_>| Line { file: location.file().to_owned(), number: location.line() };
        if is_own(Path::new(location.file())) {
            return self.id(line(location));
        }
        let mut found = Frame::Foreign;
        backtrace::trace(|frame| {
            found = self.frame(frame);
            found == Frame::Foreign
        });
        match found {
            Frame::Own(caller) => caller,
            _ => self.id(line(task.unwrap_or(location))),
        }
    }

    fn frame(&mut self, frame: &backtrace::Frame) -> Frame {
        let address = frame.ip() as usize;
        if let Some(&known) = self.known.get(&address) {
            return known;
        }
        let mut own = None;
        let mut is_engine = false;
        backtrace::resolve_frame(frame, |symbol| {
            let name = symbol.name().map(|name| name.to_string());
            is_engine |= name.is_some_and(|name| name.contains(ENGINE));
            let line = symbol.filename().zip(symbol.lineno()).filter(|(file, _)| is_own(file));
            if let (None, Some((file, number))) = (&own, line) {
                own = Some(Line { file: shown(file), number });
            }
        });
        let frame = match own {
            Some(line) => Frame::Own(self.id(line)),
            None if is_engine => Frame::Engine,
            None => Frame::Foreign,
        };
        self.known.insert(address, frame);
        frame
    }

    fn id(&mut self, line: Line) -> CallerId {
        let next = CallerId(self.lines.len() as u32);
        let id = *self.ids.entry(line.clone()).or_insert(next);
        if id == next {
            self.lines.push(line);
        }
        id
    }
}

/// Whether a file belongs to the checked program, and not to the toolchain, a registry or netcheck.
fn is_own(file: &Path) -> bool {
    if file.extension().is_none_or(|extension| extension != "rs") {
        return false;
    }
    let is_foreign = |part: &str| file.components().any(|component| component.as_os_str() == part);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    // Below the workspace, or relative to it.
    let below = workspace.and_then(|workspace| file.strip_prefix(workspace).ok()).unwrap_or(file);
    !["netcheck-runtime/src", "netcheck-memory/src"].into_iter().any(|engine| below.starts_with(engine))
        && !["registry", "rustc", ".rustup"].into_iter().any(is_foreign)
}

/// The file as `file!()` gives it: relative to the directory of the build.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}

/// Whether this build has source lines: tested with the line of this call.
pub(crate) fn are_lines_known() -> bool {
    let mut known = false;
    backtrace::trace(|frame| {
        backtrace::resolve_frame(frame, |symbol| {
            known |= symbol.lineno().is_some() && symbol.filename().is_some_and(|file| file.ends_with("unit/caller.rs"))
        });
        !known
    });
    known
}
