//! The program's own source line of a call.
//!
//! `#[track_caller]` ends at adaptors: a read by a `BufReader` seems to come from tokio. A backtrace finds the
//! program's own line. It is expensive, and taken only if the line is shown or faults are limited by source line.

use crate::id::CallerId;
use ahash::AHashMap;
use std::backtrace::Backtrace;
use std::panic::Location;
use std::path::Path;

/// A source line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) number: u32,
}

/// The module that polls programs.
const ENGINE: &str = "netcheck_runtime::unit::instance";

/// The source lines of calls.
#[derive(Default)]
pub(crate) struct Callers {
    lines: Vec<Line>,
    ids: AHashMap<Line, CallerId>,
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
        let own = own_line(&Backtrace::force_capture().to_string(), |_, _| ());
        self.id(own.unwrap_or_else(|| line(task.unwrap_or(location))))
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
    let in_workspace = workspace.and_then(|workspace| file.strip_prefix(workspace).ok());
    // Macros that users call stand in the facade.
    let is_facade = in_workspace.is_some_and(|file| file.starts_with("src"));
    // Below the workspace, or relative to it.
    let below = in_workspace.unwrap_or(file);
    !is_facade
        && !["netcheck-runtime/src", "netcheck-memory/src"].into_iter().any(|engine| below.starts_with(engine))
        && !["registry", "rustc", ".rustup"].into_iter().any(is_foreign)
}

/// The file as `file!()` gives it: relative to the directory of the build.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}

/// Whether this build has source lines: tested with the line of this call.
pub fn are_lines_known() -> bool {
    let backtrace = Backtrace::force_capture().to_string();
    frames(&backtrace).any(|(_, line)| line.is_some_and(|(file, _)| Path::new(file).ends_with("unit/caller.rs")))
}

/// A function of a library that the program has called. Of one that is inlined, the name has no path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Within {
    pub(crate) name: String,
    pub(crate) file: String,
}

/// The innermost line of the program in the current poll, and the functions within it, innermost first.
pub(crate) fn current() -> (Option<Line>, Vec<Within>) {
    let backtrace = Backtrace::force_capture().to_string();
    let mut within = Vec::new();
    let passed = |name: &str, file: &Path| {
        let name = name.trim().split_once(": ").map_or(name, |(_, name)| name).to_owned();
        within.push(Within { name, file: file.to_string_lossy().replace('\\', "/") });
    };
    (own_line(&backtrace, passed), within)
}

/// The innermost line of the program in a backtrace, not looking beyond the engine's executor; `passed` is called with
/// the functions within it, and their files.
fn own_line(backtrace: &str, mut passed: impl FnMut(&str, &Path)) -> Option<Line> {
    let here = std::env::current_dir().unwrap_or_default();
    for (name, line) in frames(backtrace) {
        let line = line.map(|(file, number)| (here.join(file), number));
        match line {
            Some((file, number)) if is_own(&file) => return Some(Line { file: shown(&file), number }),
            Some((file, _)) => passed(name, &file),
            None => {}
        }
        if name.contains(ENGINE) {
            return None;
        }
    }
    None
}

/// The frames of a backtrace as the standard library prints it, innermost first: the name of the function, then on a
/// line of its own, if it is known, `at FILE:LINE:COLUMN`.
fn frames(backtrace: &str) -> impl Iterator<Item = (&str, Option<(&str, u32)>)> {
    let mut lines = backtrace.lines().peekable();
    std::iter::from_fn(move || {
        let name = lines.next()?;
        let place = lines.next_if(|line| line.trim_start().starts_with("at "));
        Some((name, place.and_then(|place| place_of(place.trim().trim_start_matches("at ")))))
    })
}

/// The file and the line in `FILE:LINE:COLUMN`; a file below the current directory begins with `./`.
fn place_of(place: &str) -> Option<(&str, u32)> {
    let (place, _column) = place.rsplit_once(':')?;
    let (file, line) = place.rsplit_once(':')?;
    Some((file.strip_prefix("./").unwrap_or(file), line.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKTRACE: &str = "   0: netcheck_runtime::unit::caller::Callers::current
             at /home/.cargo/registry/netcheck-runtime/src/unit/caller.rs:49:31
   1: <tokio::io::util::read_exact::ReadExact<A> as core::future::future::Future>::poll
             at /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/tokio-1.54.1/src/io/util/read_exact.rs:54:13
   2: program::server::{{closure}}
             at ./examples/echo/program.rs:17:40
   3: no line is known of this function
   4: <netcheck_runtime::unit::instance::Instance>::poll
             at /home/.cargo/registry/netcheck-runtime/src/unit/instance.rs:220:30
   5: program::test
             at ./tests/outside.rs:3:1
";

    #[test]
    fn a_backtrace_leads_to_the_innermost_line_of_the_program() {
        let shown: Vec<Option<(&str, u32)>> = frames(BACKTRACE).map(|(_, line)| line).collect();
        assert_eq!(shown[2], Some(("examples/echo/program.rs", 17)));
        assert_eq!((shown[3], shown.len()), (None, 6));
        let line = Line { file: "examples/echo/program.rs".to_owned(), number: 17 };
        assert_eq!(own_line(BACKTRACE, |_, _| ()), Some(line));
    }

    #[test]
    fn beyond_the_executor_no_line_is_the_programs() {
        let inner: Vec<&str> = BACKTRACE.lines().skip(6).collect();
        assert_eq!(own_line(&inner.join("\n"), |_, _| ()), None);
    }

    #[test]
    fn a_path_with_colons_keeps_them() {
        assert_eq!(place_of(r"C:\program\main.rs:12:5"), Some((r"C:\program\main.rs", 12)));
        assert_eq!(place_of("nowhere"), None);
    }
}
