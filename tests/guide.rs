//! The user's guide under docs/, and the README: what they show is what happens.
//!
//! Their Rust blocks are doctests of the crate, by src/guide.rs and src/lib.rs. Blocks with tests in them are files
//! of tests/guide/ besides, which run here, and outputs are compared with what those tests print.
//!
//! `UPDATE_GOLDEN=1 cargo test --test guide` writes the outputs anew, and the trace that they are about.

#[path = "guide/book.rs"]
mod book;
#[path = "guide/printed.rs"]
mod printed;

// Programs that the guide shows.
#[path = "guide/answers.rs"]
mod answers;
#[path = "guide/automaton.rs"]
mod automaton;
#[path = "guide/changed.rs"]
mod changed;
#[path = "guide/counted.rs"]
mod counted;
#[path = "guide/deadlock.rs"]
mod deadlock;
#[path = "guide/kept.rs"]
mod kept;
#[path = "guide/lasso.rs"]
mod lasso;
#[path = "guide/mended.rs"]
mod mended;
#[path = "guide/ordinary.rs"]
mod ordinary;

use book::{Block, Page, read, root};
use netcheck_words::{CHECK, OF_TESTS, SEARCHES, TCP, Takes, UDP};
use std::collections::BTreeSet;
use std::fs;

/// Languages of blocks: Rust is compiled and run, `text` is compared, the others are for shells and manifests.
const LANGUAGES: &[&str] = &["rust", "rust,compile_fail", "text", "sh", "toml"];

/// Pages with blocks of `text` that other tests look at (tests/systems/echo.rs), or that show lines of a program's files.
const LOOKED_AT_ELSEWHERE: &[&str] = &["README.md", "docs/src/propagation.md"];

/// A picture of a page must not make a checkout large.
const IMAGE_BYTES_MAX: u64 = 150 * 1024;

/// Fails with all that is wrong.
#[track_caller]
fn none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The chapters, and the README.
fn pages() -> Vec<Page> {
    book::chapters().into_iter().chain([Page::read("README.md")]).collect()
}

// The book as a whole.

#[test]
fn the_summary_has_every_chapter_once_and_no_other() {
    let summary = Page::read("docs/src/SUMMARY.md");
    let mut listed: Vec<String> = summary.links().map(|link| format!("docs/src/{link}")).collect();
    let mut chapters: Vec<String> = book::chapters().into_iter().map(|chapter| chapter.name).collect();
    listed.sort();
    chapters.sort();
    assert_eq!(listed, chapters);
}

#[test]
fn the_examples_of_every_chapter_are_doctests() {
    let doctests = read("src/guide.rs");
    for chapter in book::chapters() {
        let file = format!("\"{}\",", chapter.name.trim_start_matches("docs/src/"));
        assert_eq!(doctests.matches(&file).count(), 1, "src/guide.rs has {file} once");
    }
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    for page in pages().into_iter().chain([Page::read("docs/README.md"), Page::read("ARCHITECTURE.md")]) {
        for link in page.links().filter(|link| !link.contains("://")) {
            let (file, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.name.clone() } else { page.beside(file) };
            if !root().join(&target).exists() {
                wrong.push(format!("{}: there is no {target}", page.name));
            } else if !heading.is_empty() && !Page::read(&target).headings().any(|other| other == heading) {
                wrong.push(format!("{}: {target} has no heading #{heading}", page.name));
            }
        }
    }
    none(&wrong);
}

#[test]
fn pictures_are_shown_and_stand_alone() {
    let shown: BTreeSet<String> = pages().iter().flat_map(|page| page.links().map(|link| page.beside(link))).collect();
    let mut wrong = Vec::new();
    for entry in fs::read_dir(root().join("docs/src/images")).expect("the pictures").map(|entry| entry.expect("a file"))
    {
        let name = format!("docs/src/images/{}", entry.file_name().display());
        if !shown.contains(&name) {
            wrong.push(format!("{name}: no page shows it"));
        }
        if entry.metadata().expect("a size").len() > IMAGE_BYTES_MAX {
            wrong.push(format!("{name}: more than {IMAGE_BYTES_MAX} bytes"));
        }
        if !name.ends_with(".svg") {
            continue;
        }
        let text = read(&name);
        for part in ["<title>", "class=\"card\"", "prefers-color-scheme: dark"] {
            if !text.contains(part) {
                wrong.push(format!("{name}: {part} is missing: what it shows, and on which ground, in light and dark"));
            }
        }
        let apart = text.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        if ["://", "<script", "href"].iter().any(|part| apart.contains(part)) {
            wrong.push(format!("{name}: it loads something"));
        }
    }
    none(&wrong);
}

// Words that have to be explained.

/// Whether the pages say a word as code, alone or in a longer piece.
fn is_said(pages: &[Page], word: &str) -> bool {
    pages.iter().flat_map(Page::code).any(|code| code.split(|c: char| !is_part_of_a_word(c)).any(|part| part == word))
}

fn is_part_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The words outside of quotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').step_by(2).flat_map(|text| text.split(|c: char| !is_part_of_a_word(c)))
}

/// The words of the attribute, and the names that stand for their values: what its table accepts, and all words.
fn grammar() -> BTreeSet<String> {
    let table = read("netcheck-macros/src/model_check/table.in");
    let (accepted, _) = table.split_once("refused {").expect("a table");
    let rows = accepted.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" =>"));
    let rows: Vec<String> = rows.map(|(row, _)| row.replace("\\\"", "\"")).collect();
    let all = [CHECK, OF_TESTS, UDP, TCP].into_iter().flatten();
    let names = all.flat_map(|word| match word.takes {
        Takes::Choice(_, names) => names.iter().map(|(name, _)| *name).chain([word.name]).collect(),
        Takes::Switch => vec![word.name, "on", "off"],
        _ => vec![word.name],
    });
    let all = rows.iter().flat_map(|row| words(row)).chain(names).chain(SEARCHES.iter().map(|order| order.name));
    all.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).map(str::to_owned).collect()
}

#[test]
fn every_word_of_the_attribute_is_explained() {
    let (pages, grammar) = (book::chapters(), grammar());
    for known in ["udp", "loss", "split", "at_most", "random", "seed", "inconclusive", "snapshot", "fingerprint"] {
        assert!(grammar.contains(known), "{known} is a word: {grammar:?}");
    }
    let missing = grammar.iter().filter(|word| !is_said(&pages, word));
    none(&missing.map(|word| format!("docs/src/: no chapter explains `{word}`")).collect::<Vec<_>>());
}

/// Words that say how much, and of whom.
const NO_FAULTS: &[&str] =
    &["copies", "window", "process", "processes", "between", "buffer", "retries", "side", "first"];

#[test]
fn every_fault_has_a_picture() {
    let page = Page::read("docs/src/faults.md");
    let udp = UDP.iter().map(|word| (word.name, format!("images/{}.svg", word.name)));
    let tcp = TCP.iter().map(|word| (word.name, format!("images/tcp-{}.svg", word.name)));
    let faults: Vec<(&str, String)> = udp.chain(tcp).filter(|(word, _)| !NO_FAULTS.contains(word)).collect();
    assert!(faults.len() > 10, "{faults:?}");
    let missing = faults.iter().filter(|(_, picture)| !page.links().any(|link| link == picture));
    none(&missing.map(|(word, picture)| format!("{}: `{word}` has no {picture}", page.name)).collect::<Vec<_>>());
}

#[test]
fn every_variable_of_the_environment_is_mentioned() {
    let mut variables = BTreeSet::new();
    for file in book::files("netcheck-check/src", "rs") {
        for text in read(&file).split('"').filter(|text| text.starts_with("NETCHECK_")) {
            variables.extend(text.split(|c: char| !is_part_of_a_word(c)).take(1).map(str::to_owned));
        }
    }
    assert!(variables.contains("NETCHECK_REPLAY") && variables.len() >= 3, "{variables:?}");
    let pages = book::chapters();
    let missing = variables.iter().filter(|variable| !is_said(&pages, variable));
    none(&missing.map(|variable| format!("docs/src/: no chapter mentions `{variable}`")).collect::<Vec<_>>());
}

// The README.

/// A README is read by somebody who does not know yet whether to go on.
#[test]
fn the_readme_is_short() {
    let lines = read("README.md").lines().count();
    assert!(lines <= 180, "{lines} lines: what is for users belongs into the guide");
}

// The blocks.

#[test]
fn every_block_has_a_language_that_somebody_looks_at() {
    let mut wrong = Vec::new();
    for page in pages() {
        for Block { language, line, printed_by, .. } in page.blocks() {
            let place = format!("{}:{line}", page.name);
            if !LANGUAGES.contains(&language.as_str()) {
                wrong.push(format!("{place}: `{language}` is none of {LANGUAGES:?}"));
            }
            if language == "text" && printed_by.is_none() && !LOOKED_AT_ELSEWHERE.contains(&page.name.as_str()) {
                wrong.push(format!("{place}: put `<!-- printed by … -->` above it, or call it something else"));
            }
        }
    }
    none(&wrong);
}

/// A block with tests is a file of tests/guide/, where they run, but for `#[ignore]`, which stands for a comment.
#[test]
fn blocks_with_tests_run_here() {
    let programs: Vec<String> = book::files("tests/guide", "rs").iter().map(|file| read(file)).collect();
    let mut wrong = Vec::new();
    for page in pages() {
        for block in page.blocks().into_iter().filter(Block::has_tests) {
            if !programs.iter().any(|program| is_program(&block.text, program)) {
                wrong.push(format!("{}:{}: it is no file of tests/guide/", page.name, block.line));
            }
        }
    }
    none(&wrong);
}

fn is_program(block: &str, program: &str) -> bool {
    let is_shown =
        |(shown, line): (&str, &str)| shown == line || line.starts_with("#[ignore") && shown.starts_with("//");
    block.lines().count() == program.lines().count() && block.lines().zip(program.lines()).all(is_shown)
}

#[test]
fn outputs_are_what_is_printed() {
    printed::refresh_trace();
    let mut wrong = Vec::new();
    for page in pages() {
        let mut text = read(&page.name);
        for Block { text: shown, printed_by, line, .. } in page.blocks() {
            let Some(by) = printed_by else { continue };
            let printed = printed::by(&by);
            if without_counts(&shown) == without_counts(&printed) {
                continue;
            }
            if printed::is_updating() {
                let before = format!("<!-- printed by {by} -->\n```text\n");
                text = text.replacen(&format!("{before}{shown}```"), &format!("{before}{printed}```"), 1);
            } else {
                wrong.push(format!("{}:{line}: {by} prints something else now:\n{printed}", page.name));
            }
        }
        if printed::is_updating() {
            fs::write(root().join(&page.name), text).expect("it is written");
        }
    }
    assert!(wrong.is_empty(), "\n{}\n(UPDATE_GOLDEN=1 cargo test --test guide writes them anew)", wrong.join("\n"));
}

/// Local states are told apart by memory, of which a compiler leaves some as it was: how many there are, and which bytes
/// of the memory that a future points to tell them apart, differs from build to build.
fn without_counts(text: &str) -> String {
    let without_digits = |text: &str| text.replace(|c: char| c.is_ascii_digit(), "");
    let line = |line: &str| match (line.rsplit_once(" ("), line.split_once(" behind the future that ")) {
        (Some((before, counts)), _) if counts.ends_with("polls of the programs)") => {
            format!("{before} ({}\n", without_digits(counts))
        }
        (_, Some((bytes, future))) => format!("{} behind the future that {future}\n", without_digits(bytes)),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A search polls the client many times, and each time it prints a line.
#[test]
fn a_failing_check_shows_what_its_execution_prints_and_nothing_of_the_search() {
    let output = printed::child("deadlock::the_answer_comes", &[]);
    let shown = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
    assert_eq!(shown.matches("the client has written").count(), 1, "{shown}");
}

#[test]
fn the_trace_of_the_guide_is_the_one_that_its_first_example_saves() {
    printed::refresh_trace();
    let kept = netcheck::check::Counterexample::from_json(&read(printed::TRACE)).expect("a trace");
    assert_eq!(printed::counterexample("answers::answers_belong_to_their_requests").to_string(), kept.to_string());
}

/// The advice of a slow check stands in the README and the guide.
#[test]
fn the_lines_that_make_checks_fast_are_the_same_everywhere() {
    let lines = |file: &str| {
        let text = read(file);
        let lines = text.lines().skip_while(|line| *line != "[profile.dev.package]");
        let lines: Vec<String> =
            lines.take_while(|line| line.contains("rofile") || line.contains('=')).map(str::to_owned).collect();
        lines
    };
    let advised = lines("netcheck-check/src/check/monitor.rs");
    assert_eq!(advised.len(), 5);
    assert_eq!([lines("README.md"), lines("docs/src/getting-started.md")], [advised.clone(), advised]);
}
