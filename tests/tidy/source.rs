//! Reads the sources of the workspace: files, modules, and the paths that they use.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file's name from the root of the workspace, with `/`.
pub fn shown(file: &Path) -> String {
    let parts = file.strip_prefix(root()).unwrap_or(file).components();
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}

pub fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Every Rust file of the workspace.
pub fn sources() -> Vec<PathBuf> {
    let folders = [
        "src",
        "tests",
        "examples",
        "benches",
        "cargo-netcheck",
        "netcheck-capture",
        "netcheck-check",
        "netcheck-macros",
        "netcheck-memory",
        "netcheck-models",
        "netcheck-runtime",
        "netcheck-words",
    ];
    folders.iter().flat_map(|folder| rust_files(&root().join(folder))).collect()
}

/// The Rust files of a folder and of those in it, but for what cargo builds: packages that are no members of the workspace
/// have a `target` of their own.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    entries.retain(|entry| !entry.ends_with("target"));
    let files = entries.into_iter().flat_map(|entry| match entry.is_dir() {
        true => rust_files(&entry),
        false => Vec::from_iter(entry.extension().is_some_and(|extension| extension == "rs").then_some(entry)),
    });
    files.collect()
}

pub fn source_folder(package: &str) -> PathBuf {
    let folder = match package {
        "netcheck" => root().to_owned(),
        package if package.starts_with("netcheck") || matches!(package, "benches" | "cargo-netcheck") => {
            root().join(package)
        }
        "captures" | "interpreter" | "oracle" | "pages" | "peers" | "random" | "third-party" | "ui" => {
            root().join("tests").join(package.replace('-', "_"))
        }
        "tftp" | "wifi" => root().join("examples").join(package),
        "tftp-captures" => root().join("examples/captures"),
        package => root().join("tests/crates").join(package),
    };
    folder.join("src")
}

/// The crate whose modules rows of other crates name.
const ENGINE: &str = "netcheck_runtime";

/// The files of a crate, each with the module that it is.
pub struct Package {
    pub files: Vec<(PathBuf, Vec<String>)>,
    pub modules: BTreeSet<String>,
}

impl Package {
    pub fn read(package: &str) -> Package {
        let folder = source_folder(package);
        let files: Vec<(PathBuf, Vec<String>)> = rust_files(&folder)
            .into_iter()
            .map(|file| {
                let inside = file.strip_prefix(&folder).expect("it lies there").with_extension("");
                let mut module: Vec<String> =
                    inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
                module.pop_if(|last| ["mod", "lib", "main"].contains(&last.as_str()));
                (file, module)
            })
            .collect();
        let mut modules: BTreeSet<String> = files.iter().map(|(_, module)| module.join("::")).collect();
        if package == "netcheck-check" {
            let engine = Package::read("netcheck-runtime").modules;
            modules
                .extend(engine.iter().filter(|module| !module.is_empty()).map(|module| format!("{ENGINE}::{module}")));
        }
        Package { files, modules }
    }

    /// The module of this crate or of the engine that a path leads into; `None` of a path into another crate.
    pub fn reached(&self, path: &[String]) -> Option<String> {
        match path.split_first()? {
            (head, rest) if head == "crate" => Some(self.module_of(rest)),
            (head, _) if head == ENGINE => Some(self.module_of(path)).filter(|module| !module.is_empty()),
            _ => None,
        }
    }

    /// The module that a path from the crate root leads into.
    pub fn module_of(&self, path: &[String]) -> String {
        let prefixes = (0..=path.len()).rev().map(|length| path[..length].join("::"));
        prefixes.into_iter().find(|prefix| self.modules.contains(prefix)).unwrap_or_default()
    }
}

impl Package {
    /// The sets of files that use each other in a circle, by module, sorted.
    pub fn circles(&self) -> Vec<Vec<String>> {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (file, module) in &self.files {
            let from = module.join("::");
            let used = paths(&tokens(&read(file)), module);
            let used = used.iter().filter(|used| used.path.first().is_some_and(|head| head == "crate"));
            let to = used.map(|used| self.module_of(&used.path[1..])).filter(|to| !is_in(to, &from));
            uses.entry(from.clone()).or_default().extend(to);
        }
        let reached = |from: &String| {
            let (mut met, mut open) = (BTreeSet::new(), vec![from]);
            while let Some(module) = open.pop() {
                open.extend(uses[module].iter().filter(|next| met.insert((*next).clone())));
            }
            met
        };
        let reaches: BTreeMap<&String, BTreeSet<String>> =
            uses.keys().map(|module| (module, reached(module))).collect();
        let circle_of = |module: &String| {
            let others = reaches[module].iter().filter(|other| reaches[other].contains(module));
            others.cloned().collect::<Vec<String>>()
        };
        let circles: BTreeSet<Vec<String>> = uses.keys().map(circle_of).filter(|circle| circle.len() > 1).collect();
        circles.into_iter().collect()
    }
}

/// Whether `path` is `prefix` or lies in it; everything lies in the root.
pub fn is_in(path: &str, prefix: &str) -> bool {
    prefix.is_empty() || path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// An identifier, `::`, or any other single character. Comments are left out, literals are `"`.
pub struct Token {
    pub text: String,
    pub line: usize,
}

pub fn tokens(source: &str) -> Vec<Token> {
    let source: Vec<char> = source.chars().collect();
    let at = |index: usize| source.get(index).copied().unwrap_or('\0');
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let (mut index, mut line) = (0, 1);
    while index < source.len() {
        let (start, first_line) = (index, line);
        let mut text = None;
        match (at(index), at(index + 1)) {
            ('/', '/') => index += source[index..].iter().take_while(|c| **c != '\n').count(),
            ('/', '*') => {
                let mut depth = 0;
                loop {
                    match (at(index), at(index + 1)) {
                        ('/', '*') => depth += 1,
                        ('*', '/') => depth -= 1,
                        _ => {
                            index += 1;
                            continue;
                        }
                    }
                    index += 2;
                    if depth == 0 {
                        break;
                    }
                }
            }
            ('"', _) => {
                index = after_quoted(&source, index, '"');
                text = Some("\"".to_owned());
            }
            ('\'', '\\') => index = after_quoted(&source, index, '\''),
            ('\'', _) if at(index + 2) == '\'' => index += 3,
            // A lifetime.
            ('\'', _) => index += 1 + source[index + 1..].iter().take_while(|c| is_word(**c)).count(),
            (':', ':') => {
                index += 2;
                text = Some("::".to_owned());
            }
            (c, _) if is_word(c) => {
                index += source[index..].iter().take_while(|c| is_word(**c)).count();
                let word: String = source[start..index].iter().collect();
                let hashes = source[index..].iter().take_while(|c| **c == '#').count();
                if ["r", "br", "cr"].contains(&word.as_str()) && at(index + hashes) == '"' {
                    index += hashes + 1;
                    let closes = |from: usize| at(from) == '"' && (1..=hashes).all(|n| at(from + n) == '#');
                    index += (index..source.len()).take_while(|from| !closes(*from)).count() + 1 + hashes;
                    text = Some("\"".to_owned());
                } else {
                    text = Some(word);
                }
            }
            (c, _) => {
                index += 1;
                text = (!c.is_whitespace()).then(|| c.to_string());
            }
        }
        line += source[start..index.min(source.len())].iter().filter(|c| **c == '\n').count();
        tokens.extend(text.map(|text| Token { text, line: first_line }));
    }
    tokens
}

/// The index after a literal in quotes.
fn after_quoted(source: &[char], start: usize, quote: char) -> usize {
    let mut index = start + 1;
    while index < source.len() && source[index] != quote {
        index += if source[index] == '\\' { 2 } else { 1 };
    }
    index + 1
}

/// A path as it is used: from `crate` where it is one of the own crate's, and the module it stands in.
pub struct Used {
    pub path: Vec<String>,
    pub module: Vec<String>,
    pub line: usize,
}

/// Every path in a file of several segments, or in a `use`, that begins at a crate or with
/// `self` or `super`.
pub fn paths(tokens: &[Token], file: &[String]) -> Vec<Used> {
    let at = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut used = Vec::new();
    // Modules in the file: name and the depth of braces outside.
    let mut inside: Vec<(String, usize)> = Vec::new();
    let mut depth = 0;
    let mut index = 0;
    while index < tokens.len() {
        match at(index) {
            "mod" if at(index + 2) == "{" => inside.push((at(index + 1).to_owned(), depth)),
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inside.pop_if(|(_, outside)| *outside == depth);
            }
            // `pub(in …)` says who may use, and uses nothing.
            "in" if at(index.wrapping_sub(1)) == "(" => {
                index += tokens[index..].iter().take_while(|token| token.text != ")").count();
                continue;
            }
            head if at(index + 1) == "::" && is_name(head) && !["::", "$"].contains(&at(index.wrapping_sub(1))) => {
                let module: Vec<String> =
                    file.iter().cloned().chain(inside.iter().map(|(name, _)| name.clone())).collect();
                let mut prefix = vec!["crate".to_owned()];
                match head {
                    "crate" => {}
                    "self" => prefix.extend(module.iter().cloned()),
                    "super" => prefix.extend(module[..module.len().saturating_sub(1)].iter().cloned()),
                    other => prefix = vec![other.to_owned()],
                }
                let mut leaves = Vec::new();
                index = tree(tokens, index + 2, &prefix, &mut leaves);
                used.extend(leaves.into_iter().map(|(path, line)| Used { path, module: module.clone(), line }));
                continue;
            }
            _ => {}
        }
        index += 1;
    }
    used
}

/// Collects the leaves of a `use` tree, or the one path, that goes on at `index` after a `::`.
fn tree(tokens: &[Token], mut index: usize, prefix: &[String], leaves: &mut Vec<(Vec<String>, usize)>) -> usize {
    let at = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let line = tokens.get(index).map_or(0, |token| token.line);
    match at(index) {
        "{" => {
            index += 1;
            while index < tokens.len() && at(index) != "}" {
                index = if at(index) == "," { index + 1 } else { tree(tokens, index, prefix, leaves) };
            }
            index + 1
        }
        "super" if at(index + 1) == "::" => tree(tokens, index + 2, &prefix[..prefix.len().saturating_sub(1)], leaves),
        "self" | "*" => {
            leaves.push((prefix.to_vec(), line));
            skip_alias(tokens, index + 1)
        }
        word if is_name(word) => {
            let path: Vec<String> = prefix.iter().cloned().chain([word.to_owned()]).collect();
            if at(index + 1) == "::" && at(index + 2) != "<" {
                return tree(tokens, index + 2, &path, leaves);
            }
            leaves.push((path, line));
            skip_alias(tokens, index + 1)
        }
        // `::<…>` of something without a path.
        _ => {
            leaves.push((prefix.to_vec(), line));
            index
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// The index after `as name`.
fn skip_alias(tokens: &[Token], index: usize) -> usize {
    if tokens.get(index).is_some_and(|token| token.text == "as") { index + 2 } else { index }
}
