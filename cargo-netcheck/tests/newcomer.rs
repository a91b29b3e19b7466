//! A newcomer: a fresh crate beside a clone, README's five minutes followed to the letter, and every block of the guide
//! pasted. What is written and what is run is read from README and the guide; what is printed has to be what README shows.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// README's text, in parts.
struct Readme(String);

impl Readme {
    fn read() -> Readme {
        Readme(fs::read_to_string(root().join("README.md")).expect("README"))
    }

    /// The text between a heading, or the start, and the next heading.
    fn section(&self, heading: &str) -> &str {
        let from = if heading.is_empty() { 0 } else { self.0.find(&format!("\n## {heading}\n")).expect(heading) + 1 };
        let rest = &self.0[from..];
        let length = rest[1..].find("\n## ").map_or(rest.len(), |end| end + 1);
        &rest[..length]
    }

    /// The blocks of a language in a section.
    fn blocks(&self, heading: &str, language: &str) -> Vec<String> {
        blocks(self.section(heading), language).into_iter().map(|(_, block)| block).collect()
    }
}

/// The blocks of a language in a text, each with the line at which it begins.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut blocks = Vec::new();
    let mut inside: Option<(bool, usize, String)> = None;
    for (number, line) in (1..).zip(text.lines()) {
        match (&mut inside, line.strip_prefix("```")) {
            (None, Some(opened)) => inside = Some((opened == language, number, String::new())),
            (Some((is_meant, began, block)), Some(_)) => {
                if *is_meant {
                    blocks.push((*began, std::mem::take(block)));
                }
                inside = None;
            }
            (Some((_, _, block)), None) => *block += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    blocks
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root of the workspace")
}

/// A crate beside a clone of netcheck.
struct Newcomer {
    folder: tempfile::TempDir,
}

impl Newcomer {
    fn new(dependencies: &str) -> Newcomer {
        let folder = tempfile::tempdir().expect("a folder");
        let clone = folder.path().join("netcheck");
        #[cfg(unix)]
        std::os::unix::fs::symlink(root(), clone).expect("a link");
        #[cfg(windows)]
        std::os::windows::fs::symlink_dir(root(), clone).expect("a link");
        let newcomer = Newcomer { folder };
        newcomer.write("Cargo.toml", &format!("[package]\nname = \"mine\"\nedition = \"2024\"\n\n{dependencies}"));
        newcomer.write("src/lib.rs", "");
        // The versions that are there already: nothing is downloaded.
        fs::copy(root().join("Cargo.lock"), newcomer.path("Cargo.lock")).expect("a file");
        newcomer
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("mine").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// Runs a line as a shell would, without what cargo tells this test; says whether it succeeds, and what it prints.
    fn run(&self, line: &str) -> (bool, String) {
        let began = Instant::now();
        let mut command = Command::new(if cfg!(windows) { "cmd" } else { "sh" });
        command.args([if cfg!(windows) { "/C" } else { "-c" }, line]).current_dir(self.path("."));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO") || name.starts_with("NETCHECK"))
        {
            command.env_remove(name);
        }
        if let Some(home) = std::env::var_os("CARGO_HOME") {
            command.env("CARGO_HOME", home);
        }
        let output = command.output().expect("a shell");
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text")).concat();
        println!("{:>5.1} s  {line}", began.elapsed().as_secs_f32());
        (output.status.success(), text)
    }
}

/// The lines of a counterexample without what differs from build to build and from folder to folder: how much was
/// explored, source lines, and where files are.
fn without_numbers(text: &str) -> Vec<String> {
    let without = |line: &str| {
        let line = line.split(" is violated (").next().unwrap_or_default();
        let words = line.split(' ').map(|word| match word.split_once("answers.rs:") {
            Some((folder, _)) => format!("{folder}answers.rs"),
            None => match word.split_once("target/netcheck/") {
                Some((_, file)) => file.to_owned(),
                None => word.to_owned(),
            },
        });
        words.collect::<Vec<_>>().join(" ")
    };
    text.lines().map(without).collect()
}

#[test]
#[ignore = "compiles netcheck as a user does, which takes a minute: for a nightly run"]
fn nightly_readme_is_followed_to_the_letter() {
    let readme = Readme::read();
    let newcomer = Newcomer::new(&readme.blocks("Five minutes", "toml")[0]);
    let program = &readme.blocks("", "rust")[0];
    newcomer.write("tests/answers.rs", program);
    let line = "cargo test --test answers";
    assert!(readme.section("Five minutes").contains(&format!("`{line}`")), "README says how the program is run");
    let (passes, cold) = newcomer.run(line);
    assert!(!passes, "{cold}");
    let (_, warm) = newcomer.run(line);
    let shown = readme.blocks("What a failing check prints", "text").remove(0);
    let shown = shown.replace("tests/guide/", "tests/").replace("guide-answers", "answers");
    for printed in [cold, warm] {
        let begin = printed.find("answers_belong_to_their_requests (").unwrap_or_else(|| panic!("{printed}"));
        let end = printed.find("×2 duplicated").unwrap_or_else(|| panic!("{printed}"));
        let counterexample = &printed[begin..end + "×2 duplicated".len()];
        assert_eq!(without_numbers(counterexample), without_numbers(&shown));
        assert!(printed.contains(" is violated ("), "{printed}");
    }

    // The tests that somebody has, with the one line at the root of the crate.
    let lines = readme.blocks("Five minutes", "text");
    let root_line = lines[0].lines().next().and_then(|line| line.split("   //").next()).expect("the line");
    let manifest = fs::read_to_string(newcomer.path("Cargo.toml")).expect("a file");
    newcomer.write(
        "Cargo.toml",
        &format!("{manifest}\n[dependencies]\ntokio = {{ version = \"1\", features = [\"full\"] }}\n"),
    );
    newcomer.write("src/lib.rs", &format!("{root_line}\n{}", OWN));
    let commands: Vec<&str> = lines[1].lines().map(|line| line.split("   #").next().expect("a line").trim()).collect();
    let (passes, text) = newcomer.run(commands[0]);
    assert!(passes && text.contains("an_answer_comes ... ok"), "{text}");
    let (passes, text) = newcomer.run(commands[1]);
    assert!(!passes && text.contains("lost") && text.contains("src/lib.rs:"), "{text}");
    let (passes, text) = newcomer.run("cargo build");
    assert!(passes, "what ships is compiled against tokio: {text}");
}

/// Whether the guide does not show a line of a block.
fn is_hidden(line: &str) -> bool {
    line == "#" || line.starts_with("# ")
}

/// A Rust block of the guide, as a part of a program in which each block stands by itself.
fn pasted(name: &str, block: &str) -> String {
    let has_tests =
        block.lines().any(|line| line.starts_with("#[netcheck::model_check") || line.starts_with("#[tokio::test"));
    let (shown, hidden): (Vec<&str>, Vec<&str>) = block.lines().partition(|line| !is_hidden(line));
    match has_tests && hidden.is_empty() {
        true => format!("mod {name} {{\n{}\n}}\n", shown.join("\n")),
        // Lines that the guide does not show stand for what is around the others.
        false => {
            let lines: Vec<&str> =
                block.lines().map(|line| if is_hidden(line) { line[1..].trim_start() } else { line }).collect();
            format!("#[test]\nfn {name}() {{\n{}\n}}\n", lines.join("\n"))
        }
    }
}

/// The tests of which pages say themselves that they fail, in this environment.
fn fails(page: &str) -> impl Iterator<Item = &str> {
    page.lines()
        .filter_map(|line| Some(line.split_once(" (tests/guide/")?.0).filter(|_| line.contains(" is violated (")))
}

#[test]
#[ignore = "compiles netcheck as a user does, which takes a minute: for a nightly run"]
fn nightly_every_block_of_the_guide_works_by_itself() {
    let chapters = fs::read_dir(root().join("docs/src")).expect("the guide").map(|entry| entry.expect("a file").path());
    let chapters = chapters.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    // A block may show a part of a program, and not where it is used.
    let (mut program, mut count, mut failing) = ("#![allow(unused)]\n".to_owned(), 0, Vec::new());
    for path in chapters.chain([root().join("README.md")]) {
        let page = fs::read_to_string(&path).expect("a page");
        let name = path.file_stem().expect("a name").to_string_lossy().replace('-', "_").to_lowercase();
        for (line, block) in blocks(&page, "rust") {
            program += &pasted(&format!("{name}_{line}"), &block);
            count += 1;
        }
        failing.extend(fails(&page).map(str::to_owned));
    }
    assert!(count > 30, "{count} blocks");
    let newcomer = Newcomer::new(&Readme::read().blocks("Five minutes", "toml")[0]);
    let manifest = fs::read_to_string(newcomer.path("Cargo.toml")).expect("a file");
    let tokio = "[dependencies]\ntokio = { version = \"1\", features = [\"full\"] }\n";
    newcomer.write("Cargo.toml", &format!("{manifest}\n{tokio}"));
    newcomer.write("tests/pasted.rs", &program);
    let (_, text) = newcomer.run("cargo test --test pasted");
    assert!(text.contains("test result: "), "every block compiles: {text}");
    for test in text.lines().filter_map(|line| line.strip_prefix("test ")?.strip_suffix(" ... FAILED")) {
        let name = test.rsplit("::").next().expect("a name");
        assert!(failing.iter().any(|failing| failing == name), "{test} fails: {text}");
    }
}

/// A library with a test of its own, which takes it for granted that every datagram arrives.
const OWN: &str = r#"
use tokio::net::UdpSocket;

/// Answers each datagram with what it says.
pub async fn serve(socket: UdpSocket) -> std::io::Result<()> {
    let mut buffer = [0; 16];
    loop {
        let (length, from) = socket.recv_from(&mut buffer).await?;
        socket.send_to(&buffer[..length], from).await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_answer_comes() {
        let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = server.local_addr().unwrap();
        tokio::spawn(serve(server));
        let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        client.send_to(b"ask", address).await.unwrap();
        let mut buffer = [0; 16];
        let length = client.recv(&mut buffer).await.unwrap();
        assert_eq!(&buffer[..length], b"ask");
    }
}
"#;
