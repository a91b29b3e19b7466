//! `cargo netcheck keep`.

use crate::Result;
use crate::failed::{Failed, Origin};
use crate::workspace::Workspace;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::ExitCode;

pub(crate) fn run(workspace: &Workspace, failed: &Failed, to: &Path, writes: bool) -> Result<ExitCode> {
    if failed.origin == Origin::Trace {
        return Err(format!("{} runs a kept trace already: {}", failed.test, failed.violation));
    }
    if failed.origin == Origin::AsyncTest && writes {
        return Err(format!(
            "{0} is an async test, whose body is to be moved to a function first\n  `cargo netcheck keep {0}` copies the \
             trace, and prints the test",
            failed.test
        ));
    }
    let trace = failed.trace()?;
    let package = workspace.package_folder(failed);
    let source = if writes { Some(Source::find(workspace, failed)?) } else { None };
    let kept = copy(trace, &package, &destination(failed, &package, trace, to)?)?;
    println!("kept {}", package.join(&kept).display());
    let file = kept.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
    let settings = if failed.settings.is_empty() { String::new() } else { format!(", {}", failed.settings) };
    let words = format!("(replay = {file:?}{settings})");
    match (failed.origin, source) {
        (Origin::AsyncTest, _) => print_async(failed, &words),
        (_, Some(source)) => source.add(&words, failed)?,
        (_, None) => println!(
            "add this above `fn {}` ({}:{}), or let `--write` do so:\n\n    #[netcheck::model_check{words}]\n",
            failed.function,
            failed.file.display(),
            failed.line
        ),
    }
    if failed.origin == Origin::Check {
        println!(
            "a function with two attributes is a module of tests: `cargo test {}` runs all of them",
            failed.function
        );
    }
    println!("the test fails as long as this execution is violated, and passes when it is not any more");
    Ok(ExitCode::SUCCESS)
}

/// A `#[netcheck::test]` takes no trace: its body, called by a `#[model_check]`, does.
fn print_async(failed: &Failed, words: &str) {
    let function = &failed.function;
    println!(
        "move the body of `{function}` ({}:{}) to an async function that both tests call, and add:\n\n    \
         #[netcheck::model_check{words}]\n    \
         fn {function}_again(net: &mut netcheck::Network) {{\n        \
         net.process(\"test\", || the_body_of_{function}());\n    }}\n",
        failed.file.display(),
        failed.line
    );
}

/// The file to copy a trace to, from the folder of the package. In a folder, one that is free, or that holds the trace
/// already.
fn destination(failed: &Failed, package: &Path, trace: &Path, to: &Path) -> Result<PathBuf> {
    let to = to.strip_prefix(package).unwrap_or(to);
    if !to.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
        return Err(format!(
            "{} is not in the folder of the package, {}\n  a trace is committed with its test",
            to.display(),
            package.display()
        ));
    }
    // `./a` is `a`.
    let to: PathBuf = to.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let is_same = |file: &Path| fs::read(file).is_ok_and(|kept| fs::read(trace).is_ok_and(|trace| trace == kept));
    let is_usable = |file: &Path| !package.join(file).exists() || is_same(&package.join(file));
    if to.extension().is_some_and(|extension| extension == "json") {
        return match is_usable(&to) {
            true => Ok(to),
            false => Err(format!(
                "{} is there already, and is not this trace\n  choose another name, or remove it",
                package.join(to).display()
            )),
        };
    }
    let numbered = |number: usize| match number {
        1 => format!("{}.json", failed.function),
        number => format!("{}_{number}.json", failed.function),
    };
    let mut files = (1..).map(|number| to.join(numbered(number)));
    files.find(|file| is_usable(file)).ok_or_else(|| "every name is taken".to_owned())
}

fn copy(trace: &Path, package: &Path, file: &Path) -> Result<PathBuf> {
    let kept = package.join(file);
    let wrong = |error: std::io::Error| format!("{}: {error}", kept.display());
    fs::create_dir_all(kept.parent().unwrap_or(package)).map_err(wrong)?;
    fs::read(trace).and_then(|trace| replace(&kept, &trace)).map_err(wrong)?;
    Ok(file.to_owned())
}

/// The source file of a test, as lines, and the line of its function.
#[derive(Debug)]
struct Source {
    file: PathBuf,
    text: String,
    /// From 0.
    line: usize,
}

impl Source {
    /// Finds the function, also if it has moved since the check failed.
    fn find(workspace: &Workspace, failed: &Failed) -> Result<Source> {
        let by_hand = "without `--write`, the attribute is printed for you to add it";
        // The compiler names files from the root of the workspace, or from the folder of a package elsewhere.
        let candidates = [workspace.root.join(&failed.file), workspace.package_folder(failed).join(&failed.file)];
        let file = candidates.into_iter().find(|file| file.exists());
        let file = file.ok_or_else(|| format!("{} is not there any more\n  {by_hand}", failed.file.display()))?;
        let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let declares = |line: &&str| declares(line, &failed.function);
        let as_before =
            failed.line.checked_sub(1).filter(|line| text.lines().nth(*line).as_ref().is_some_and(declares));
        let mut moved = text.lines().enumerate().filter(|(_, line)| declares(line)).map(|(number, _)| number);
        let line = match (as_before, moved.next(), moved.next()) {
            (Some(line), ..) | (None, Some(line), None) => line,
            (None, None, _) => {
                return Err(format!("{} has no `fn {}` any more\n  {by_hand}", file.display(), failed.function));
            }
            (None, Some(_), Some(_)) => {
                return Err(format!(
                    "{} has changed, and has more than one `fn {}`\n  {by_hand}; or run the check again, which notes the line",
                    file.display(),
                    failed.function
                ));
            }
        };
        Ok(Source { file, text, line })
    }

    /// Writes the attribute above the function, called as the attribute there is.
    fn add(self, words: &str, failed: &Failed) -> Result<()> {
        let Source { file, text, line } = self;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let indent: String = lines[line].chars().take_while(|c| c.is_whitespace()).collect();
        let end = if lines[line].ends_with("\r\n") { "\r\n" } else { "\n" };
        let path = lines[..line].iter().rev().find_map(|line| attribute(line)).unwrap_or("netcheck::model_check");
        let attribute = format!("{indent}#[{path}{words}]{end}");
        if lines[..line].iter().rev().take_while(|line| !line.trim().is_empty()).any(|line| line.contains(words)) {
            println!("`fn {}` has the attribute already", failed.function);
            return Ok(());
        }
        let written: String =
            lines[..line].iter().copied().chain([attribute.as_str()]).chain(lines[line..].iter().copied()).collect();
        replace(&file, written.as_bytes()).map_err(|error| format!("{}: {error}", file.display()))?;
        println!("added to {}:{}: {}", file.display(), line + 1, attribute.trim());
        Ok(())
    }
}

/// Puts other contents in the place of a file, if there is one: somebody who is reading it, or an interrupt, finds the old
/// ones or the new ones.
fn replace(file: &Path, contents: &[u8]) -> io::Result<()> {
    // A link stays one.
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let unfinished = file.with_extension(format!("{}.tmp", std::process::id()));
    fs::write(&unfinished, contents)?;
    if let Ok(before) = fs::metadata(&file) {
        fs::set_permissions(&unfinished, before.permissions())?;
    }
    fs::rename(&unfinished, file)
}

/// Whether a line begins the function of this name.
fn declares(line: &str, function: &str) -> bool {
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("fn ") {
        let after = after.trim_start().trim_start_matches("r#");
        let is_word = before.chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let is_named = after.strip_prefix(function).is_some_and(|rest| rest.trim_start().starts_with(['(', '<']));
        if is_word && is_named && !before.trim_start().starts_with("//") {
            return true;
        }
        rest = after;
    }
    false
}

/// How the attribute is called in a line that begins one.
fn attribute(line: &str) -> Option<&str> {
    let (path, _) = line.trim_start().strip_prefix("#[")?.split_once("model_check")?;
    let is_path = path.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    let start = line.find("#[")? + 2;
    is_path.then(|| &line[start..start + path.len() + "model_check".len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_found_by_its_name() {
        assert!(declares("fn asks(net: &mut Network) {", "asks"));
        assert!(declares("    pub(crate) async fn asks(net: &mut Network) -> io::Result<()> {", "asks"));
        assert!(declares("fn r#try(net: &mut Network) {", "try"));
        assert!(!declares("fn asks_twice(net: &mut Network) {", "asks"));
        assert!(!declares("// as fn asks(net)", "asks"));
        assert!(!declares("    asks(net);", "asks"));
    }

    #[test]
    fn a_file_that_is_being_read_is_replaced_and_not_written_in_place() {
        use std::io::Read;
        let folder = std::env::temp_dir().join(format!("cargo-netcheck-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("source.rs");
        fs::write(&file, "before").expect("a file");
        let mut reader = fs::File::open(&file).expect("it can be read");
        replace(&file, b"after").expect("it can be written");
        let mut read = String::new();
        reader.read_to_string(&mut read).expect("it can be read");
        assert_eq!((read.as_str(), fs::read_to_string(&file).unwrap().as_str()), ("before", "after"));
        assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1, "nothing unfinished is left");
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn an_attribute_is_called_as_the_one_that_is_there() {
        assert_eq!(attribute("    #[netcheck::model_check(udp(loss))]"), Some("netcheck::model_check"));
        assert_eq!(attribute("#[model_check]"), Some("model_check"));
        assert_eq!(attribute("#[doc = \"model_check\"]"), None);
        assert_eq!(attribute("// #[model_check]"), None);
    }
}
