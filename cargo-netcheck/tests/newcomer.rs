//! A newcomer: a fresh crate beside a clone, and README's five minutes followed to the letter. What is written and what is
//! run is read from README; what is printed has to be what README shows.

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
        let mut blocks = Vec::new();
        let mut inside: Option<(bool, String)> = None;
        for line in self.section(heading).lines() {
            match (&mut inside, line.strip_prefix("```")) {
                (None, Some(opened)) => inside = Some((opened == language, String::new())),
                (Some((is_meant, block)), Some(_)) => {
                    if *is_meant {
                        blocks.push(std::mem::take(block));
                    }
                    inside = None;
                }
                (Some((_, block)), None) => *block += &format!("{line}\n"),
                (None, None) => {}
            }
        }
        blocks
    }
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
