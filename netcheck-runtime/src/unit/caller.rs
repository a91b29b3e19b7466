//! The program's own source line of a call.
//!
//! `#[track_caller]` ends at adaptors: a read by a `BufReader` seems to come from tokio. A backtrace finds the
//! program's own line. It is expensive, so it is taken only if the line is shown or faults are limited by source line, and
//! once for each way in which functions have called each other: their return addresses stand for their lines.

use crate::id::CallerId;
use crate::unit::source_line::{file_and_line, in_the_registry};
use ahash::AHashMap;
use std::backtrace::Backtrace;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::panic::Location;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// A source line.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) number: u32,
}

/// The module that polls programs.
const ENGINE: &str = "netcheck_runtime::unit::instance";

/// Where functions of the engine stand that run within polls, from the workspace on.
const ENGINES: [&str; 3] = ["netcheck-runtime/src", "netcheck-memory/src", "netcheck-check/src"];

/// The source lines of calls.
#[derive(Default)]
pub(crate) struct Callers {
    lines: Vec<Line>,
    ids: AHashMap<Line, CallerId>,
    /// Where `file!()` begins, once a file was seen that it names, if that is known: the folder of the workspace. Tests are run
    /// in that of their package.
    root: OnceCell<Option<PathBuf>>,
}

impl Callers {
    pub(crate) fn line(&self, caller: CallerId) -> Line {
        self.lines[caller.0 as usize].clone()
    }

    /// The innermost source line of the program in the current poll. If none is found, or without debug information:
    /// that of the program when it spawned the task.
    pub(crate) fn current(
        &mut self,
        location: &'static Location<'static>,
        task: Option<CallerId>,
        backtraces: &Backtraces,
    ) -> CallerId {
        let line = |location: &Location<'_>| Line { file: location.file().to_owned(), number: location.line() };
        if is_own(Path::new(location.file())) {
            self.root.get_or_init(|| root_of(Path::new(location.file())));
            return self.id(line(location));
        }
        self.running(backtraces).or(task).unwrap_or_else(|| self.id(line(location)))
    }

    /// The innermost source line of the program in the current poll, wherever it has called; `None` if none is found, or
    /// without debug information.
    pub(crate) fn running(&mut self, backtraces: &Backtraces) -> Option<CallerId> {
        let own = backtraces.current().line.clone()?;
        Some(self.id(own.from(self.root.get().and_then(Option::as_deref))))
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
pub(super) fn is_own(file: &Path) -> bool {
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
        && !ENGINES.into_iter().any(|engine| below.starts_with(engine))
        && !["registry", "rustc", ".rustup"].into_iter().any(is_foreign)
        && !is_beside_the_mirror(file)
}

/// Whether a file is of a crate that stands beside the mirror of the user's packages, where netcheck stands in place of tokio
/// in every crate.
fn is_beside_the_mirror(file: &Path) -> bool {
    let parts: Vec<_> = file.components().map(|part| part.as_os_str()).collect();
    let is_beside = |parts: &[&OsStr]| {
        parts[0] == "netcheck"
            && parts[1] == "whole"
            && ["netcheck", "tokio", "upstream"].iter().any(|beside| parts[2] == *beside)
    };
    parts.windows(3).any(is_beside)
}

/// A file of a library that calls tokio: neither the program's nor tokio's.
pub(super) fn is_of_a_library(file: &Path) -> bool {
    let is_a_version = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    let is_tokios = |path: &str| path.starts_with("netcheck") || path.strip_prefix("tokio-").is_some_and(is_a_version);
    file.to_str().and_then(in_the_registry).is_some_and(|path| !is_tokios(path))
}

/// The folder above this one from which a relative path leads to a file.
fn root_of(file: &Path) -> Option<PathBuf> {
    let here = std::env::current_dir().ok().filter(|_| file.is_relative())?;
    here.ancestors().find(|above| above.join(file).is_file()).map(Path::to_owned)
}

impl Line {
    /// With a path that begins at another folder, if the file lies there.
    fn from(self, root: Option<&Path>) -> Line {
        let from = |root: &Path| {
            let file = std::env::current_dir().ok()?.join(&self.file);
            Some(file.strip_prefix(root).ok()?.display().to_string())
        };
        match root.and_then(from) {
            Some(file) => Line { file, ..self },
            None => self,
        }
    }
}

/// The file as `file!()` gives it: relative to the directory of the build.
fn shown(file: &Path) -> String {
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| file.strip_prefix(here).ok().map(Path::to_path_buf));
    relative.unwrap_or_else(|| file.to_path_buf()).display().to_string()
}

/// Whether this build has source lines of the program, by the functions that were running when it registered something.
pub fn are_lines_known(registering: &Backtrace) -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    frames(&registering.to_string()).any(|(_, line)| line.is_some_and(|(file, _)| is_own(&here.join(file))))
}

/// A function of a library that the program has called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Within {
    /// Without a path, if the function is inlined.
    pub(crate) name: String,
    /// Told by the file if its line is known, which it is of each that is inlined; otherwise by the name.
    pub(crate) module: String,
}

impl Within {
    pub(crate) fn new(name: &str, file: Option<&Path>) -> Self {
        // A backtrace numbers its functions.
        let name = name.trim().split_once(": ").map_or(name, |(_, name)| name);
        Within { name: name.to_owned(), module: file.map_or_else(|| module_of_name(name), module_of_file) }
    }

    /// Whether it is of a module, whose path may begin within a crate, or of a module below that one.
    pub(crate) fn is_of(&self, module: &str) -> bool {
        format!("::{}::", self.module).contains(&format!("::{module}::"))
    }
}

/// The path of a module by its file: of `tokio-1.44.0/src/sync/mpsc/mod.rs`, `tokio::sync::mpsc`.
fn module_of_file(file: &Path) -> String {
    let path = file.with_extension("").to_string_lossy().replace(['/', '\\'], "::").replace('-', "_");
    let path = path.strip_suffix("::mod").or(path.strip_suffix("::lib")).unwrap_or(&path);
    // A registry keeps its packages in a folder of this name, too.
    let Some((package, within)) = path.rsplit_once("::src") else {
        return path.to_owned();
    };
    let is_version = |part: &str| part.starts_with(|first: char| first.is_ascii_digit());
    let package = package.rsplit_once('_').filter(|(_, last)| is_version(last)).map_or(package, |(name, _)| name);
    format!("{package}{within}")
}

/// The path in a function's name, which is that of its type if it has one: of
/// `<tokio::sync::batch_semaphore::Acquire as core::future::future::Future>::poll`, the first.
fn module_of_name(name: &str) -> String {
    let name = name.trim_start_matches(['<', '&']);
    name.split(['<', '>', ' ']).next().unwrap_or(name).to_owned()
}

/// The running functions of a poll.
#[derive(Debug)]
pub(crate) struct Running {
    /// The innermost line of the program.
    pub(crate) line: Option<Line>,
    /// The functions within it, innermost first.
    pub(crate) within: Vec<Within>,
}

impl Running {
    /// In the current poll.
    pub(crate) fn now() -> Self {
        // The files with debug information are the machine's.
        let backtrace = netcheck_memory::without_source(|| Backtrace::force_capture().to_string());
        let mut within = Vec::new();
        let line = own_line(&backtrace, |name, line| within.push(Within::new(name, line.map(|(file, _)| file))));
        Running { line, within }
    }
}

/// The running functions of polls, each by the return addresses on the stack.
#[derive(Debug, Default)]
pub(crate) struct Backtraces(Mutex<AHashMap<Vec<usize>, Arc<Running>>>);

impl Backtraces {
    /// In the current poll.
    pub(crate) fn current(&self) -> Arc<Running> {
        let Some(addresses) = netcheck_memory::return_addresses() else {
            return Arc::new(Running::now());
        };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(addresses).or_insert_with(|| Arc::new(Running::now())))
    }
}

/// The innermost line of the program in a backtrace, not looking beyond the engine's executor; `passed` is called with
/// the functions within it, and with their lines if they are known.
fn own_line(backtrace: &str, mut passed: impl FnMut(&str, Option<(&Path, u32)>)) -> Option<Line> {
    let here = std::env::current_dir().unwrap_or_default();
    for (name, line) in frames(backtrace) {
        let line = line.map(|(file, number)| (here.join(file), number));
        if let Some((file, number)) = line.as_ref().filter(|(file, _)| is_own(file)) {
            return Some(Line { file: shown(file), number: *number });
        }
        passed(name, line.as_ref().map(|(file, number)| (file.as_path(), *number)));
        if name.contains(ENGINE) {
            return None;
        }
    }
    None
}

/// The code that has allocated memory, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allocated {
    /// The innermost line of the program, as `file:line`.
    pub at: Option<String>,
    /// The line of a library within that.
    pub in_library: Option<String>,
    /// The type that a box, a vector or another collection of the standard library holds there.
    pub of: Option<String>,
}

impl Allocated {
    /// By the functions that were running.
    pub(super) fn by(backtrace: &str) -> Self {
        let (mut in_library, mut of) = (None, None);
        let own = own_line(backtrace, |name, line| {
            let Some((file, number)) = line.filter(|_| in_library.is_none()) else { return };
            if is_of_a_library(file) {
                in_library = Some(file_and_line(&file.display().to_string(), number));
            } else if file.to_string_lossy().contains("library/alloc/src") {
                of = type_in(name).or(of.take());
            }
        });
        Allocated { at: own.map(|line| file_and_line(&line.file, line.number)), in_library, of }
    }
}

/// The first type parameter in the name of a function, as debug information has it: of `new<u8, alloc::alloc::Global>`, `u8`.
fn type_in(name: &str) -> Option<String> {
    let (_, parameters) = name.trim().strip_suffix('>')?.split_once('<')?;
    let mut depth = 0;
    let end = parameters.find(|sign| {
        depth += match sign {
            '<' | '(' | '[' => 1,
            '>' | ')' | ']' => -1,
            _ => 0,
        };
        sign == ',' && depth == 0
    });
    let first = &parameters[..end.unwrap_or(parameters.len())];
    (first != "alloc::alloc::Global").then(|| first.to_owned())
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

    /// Tests are run in the folder of their package.
    #[test]
    fn lines_of_a_package_are_told_from_the_folder_of_its_workspace() {
        let root = root_of(Path::new(file!())).expect("this file is there");
        let line = Line { file: "src/unit/caller.rs".to_owned(), number: 1 };
        assert_eq!(line.clone().from(Some(&root)).file, file!());
        assert_eq!(line.clone().from(None), line);
        assert_eq!(root_of(Path::new("src/nowhere.rs")), None);
    }

    #[test]
    fn an_allocation_is_told_by_what_is_running() {
        let backtrace = "   0: netcheck_memory::allocator::allocate
             at /home/.cargo/registry/src/index/netcheck-memory-0.1.0/src/allocator.rs:99:5
   1: with_capacity_in<core::option::Option<(u8, u16)>, alloc::alloc::Global>
             at /rustc/5980/library/alloc/src/raw_vec/mod.rs:150:15
   2: with_capacity<core::option::Option<(u8, u16)>>
             at /rustc/5980/library/alloc/src/vec/mod.rs:478:9
   3: <hyper::Buffer>::new
             at /root/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/hyper-1.6.0/src/buffer.rs:7:9
   4: new<program::Outer>
             at /rustc/5980/library/alloc/src/boxed.rs:9:9
   5: program::server::{{closure}}
             at ./examples/echo/program.rs:17:40
";
        let expected = Allocated {
            at: Some("examples/echo/program.rs:17".to_owned()),
            in_library: Some("hyper-1.6.0/src/buffer.rs:7".to_owned()),
            of: Some("core::option::Option<(u8, u16)>".to_owned()),
        };
        assert_eq!(Allocated::by(backtrace), expected);
        assert_eq!(Allocated::by(""), Allocated::default());
        assert_eq!(type_in("new<alloc::alloc::Global>"), None);
        assert_eq!(type_in("<program::Own as core::task::wake::Wake>::wake"), None);
    }

    #[test]
    fn beyond_the_executor_no_line_is_the_programs() {
        let inner: Vec<&str> = BACKTRACE.lines().skip(6).collect();
        assert_eq!(own_line(&inner.join("\n"), |_, _| ()), None);
    }

    #[test]
    fn a_function_is_of_the_module_of_its_file_or_of_its_name() {
        let known = |name, file| Within::new(name, Some(Path::new(file)));
        let named = |name| Within::new(name, None);
        let of_mpsc = [
            known("3: send", "/registry/src/index/tokio-1.44.0/src/sync/mpsc/bounded.rs"),
            known("3: send", r"C:\registry\src\index\tokio-1.44.0\src\sync\mpsc\bounded.rs"),
            named("3: <tokio::sync::mpsc::bounded::Sender<u8>>::send::{closure#0}"),
            named("3: tokio::sync::mpsc::bounded::channel"),
        ];
        assert!(of_mpsc.iter().all(|one| one.is_of("tokio::sync::mpsc::bounded") && one.is_of("sync::mpsc")));
        assert!(!of_mpsc.iter().any(|one| one.is_of("mpsc::unbounded") || one.is_of("sync::mp")));
        assert!(known("new", "./netcheck-runtime/src/task/mod.rs").is_of("netcheck_runtime::task"));
        assert!(known("new", "/registry/netcheck-runtime-0.1.0/src/lib.rs").is_of("netcheck_runtime"));
        assert!(!named("<program::Own as core::task::wake::Wake>::wake").is_of("core::task::wake"));
    }

    #[test]
    fn a_path_with_colons_keeps_them() {
        assert_eq!(place_of(r"C:\program\main.rs:12:5"), Some((r"C:\program\main.rs", 12)));
        assert_eq!(place_of("nowhere"), None);
    }
}
