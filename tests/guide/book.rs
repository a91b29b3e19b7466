//! The pages of the guide, as far as the tests look at them.

use std::fs;
use std::path::Path;

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub(crate) fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The files in a folder and below that end so, sorted, from the root of the workspace.
pub(crate) fn files(folder: &str, ending: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut all: Vec<String> = paths.flat_map(|path| within(&path, ending)).collect();
    all.sort();
    all
}

fn within(path: &Path, ending: &str) -> Vec<String> {
    let name = path.strip_prefix(root()).expect("it lies in the workspace").display().to_string();
    if path.is_dir() {
        files(&name, ending)
    } else if path.extension().is_some_and(|extension| extension == ending) {
        vec![name]
    } else {
        Vec::new()
    }
}

/// The chapters, without the summary.
pub(crate) fn chapters() -> Vec<Page> {
    let files = files("docs/src", "md").into_iter().filter(|file| file != "docs/src/SUMMARY.md");
    files.map(|file| Page::read(&file)).collect()
}

/// A file of Markdown.
pub(crate) struct Page {
    /// From the root of the workspace.
    pub(crate) name: String,
    text: String,
}

/// A block between fences.
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) text: String,
    /// Where it begins.
    pub(crate) line: usize,
    /// Who prints it, as a comment above says.
    pub(crate) printed_by: Option<String>,
}

impl Block {
    /// Whether it is a program with tests.
    pub(crate) fn has_tests(&self) -> bool {
        let is_test = |line: &str| {
            ["#[netcheck::model_check", "#[tokio::test", "#[test]"].iter().any(|attribute| line.starts_with(attribute))
        };
        // Lines with `# ` are not shown: such a block is about an attribute, and has no tests of its own.
        self.language == "rust"
            && self.text.lines().any(is_test)
            && !self.text.lines().any(|line| line.starts_with("# "))
    }
}

impl Page {
    pub(crate) fn read(name: &str) -> Page {
        Page { name: name.to_owned(), text: read(name) }
    }

    /// A file that a link of this page leads to.
    pub(crate) fn beside(&self, link: &str) -> String {
        let folder = Path::new(&self.name).parent().expect("a file lies in a folder");
        folder.join(link).display().to_string()
    }

    pub(crate) fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        let (mut is_inside, mut above) = (false, "");
        for (number, line) in (1..).zip(self.text.lines()) {
            match line.strip_prefix("```") {
                Some(language) if !is_inside => {
                    let printed_by = above.strip_prefix("<!-- printed by ").and_then(|by| by.strip_suffix(" -->"));
                    blocks.push(Block {
                        language: language.to_owned(),
                        text: String::new(),
                        line: number,
                        printed_by: printed_by.map(str::to_owned),
                    });
                    is_inside = true;
                }
                Some(_) => is_inside = false,
                None if is_inside => {
                    let block = blocks.last_mut().expect("inside of one");
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                None => {}
            }
            above = line;
        }
        assert!(!is_inside, "{}: the last block does not end", self.name);
        blocks
    }

    /// The lines outside of blocks.
    fn prose(&self) -> impl Iterator<Item = &str> {
        let mut is_inside = false;
        self.text.lines().filter(move |line| {
            let is_fence = line.starts_with("```");
            is_inside ^= is_fence;
            !is_inside && !is_fence
        })
    }

    /// Where the links and the pictures lead.
    pub(crate) fn links(&self) -> impl Iterator<Item = &str> {
        self.prose().flat_map(|line| line.split("](").skip(1)).filter_map(|rest| rest.split(')').next())
    }

    /// The headings as links name them.
    pub(crate) fn headings(&self) -> impl Iterator<Item = String> {
        self.prose().filter(|line| line.starts_with('#')).map(|line| {
            let text = line.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
            text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
        })
    }

    /// The pieces of code in the prose, and the blocks.
    pub(crate) fn code(&self) -> Vec<String> {
        let prose = self.prose().flat_map(|line| line.split('`').skip(1).step_by(2)).map(str::to_owned);
        prose.chain(self.blocks().into_iter().map(|block| block.text)).collect()
    }
}
