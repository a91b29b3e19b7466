//! Which of the program's own source lines makes a call.
//!
//! `#[track_caller]` ends at adaptors: a read by a `BufReader` seems to come from tokio. The
//! stack tells the program's own line, at a price that is paid only where it is shown, or
//! where faults are limited by source line.

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

/// The source lines that make calls, and what addresses of code stand for.
#[derive(Default)]
pub(crate) struct Callers {
    lines: Vec<Line>,
    ids: AHashMap<Line, CallerId>,
    /// By address of code: the program's own line there, if it is one.
    known: AHashMap<usize, Option<CallerId>>,
}

impl Callers {
    pub(crate) fn line(&self, caller: CallerId) -> Line {
        self.lines[caller.0 as usize].clone()
    }

    /// The innermost line of the program's own on the stack; without debug information, `location`.
    pub(crate) fn current(&mut self, location: &'static Location<'static>) -> CallerId {
        let mut found = None;
        if is_own(Path::new(location.file())) {
            return self.id(Line { file: location.file().to_owned(), number: location.line() });
        }
        backtrace::trace(|frame| {
            found = self.own_line(frame);
            found.is_none()
        });
        found.unwrap_or_else(|| self.id(Line { file: location.file().to_owned(), number: location.line() }))
    }

    fn own_line(&mut self, frame: &backtrace::Frame) -> Option<CallerId> {
        let address = frame.ip() as usize;
        if let Some(&known) = self.known.get(&address) {
            return known;
        }
        let mut own = None;
        backtrace::resolve_frame(frame, |symbol| {
            let line = symbol.filename().zip(symbol.lineno()).filter(|(file, _)| is_own(file));
            if let (None, Some((file, number))) = (&own, line) {
                own = Some(Line { file: shown(file), number });
            }
        });
        let own = own.map(|line| self.id(line));
        self.known.insert(address, own);
        own
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

/// Whether a file is the checked program's: not of the toolchain, of a registry, nor of netcheck.
fn is_own(file: &Path) -> bool {
    const NETCHECK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    let is_foreign = |part: &str| file.components().any(|component| component.as_os_str() == part);
    !file.starts_with(NETCHECK)
        && !file.starts_with("netcheck-runtime/src")
        && !["registry", "rustc", ".rustup"].into_iter().any(is_foreign)
}

/// The file as `file!()` gives it: relative to where the build was run.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}
