//! Pages as a browser shows them, and the colors in them.

use html5gum::{Token, Tokenizer};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// The colors of a page by name, in each of its themes.
fn themes(html: &str) -> Vec<BTreeMap<&str, &str>> {
    let blocks = html.split(":root {").skip(1).map(|block| {
        let (block, _) = block.split_once('}').expect("the end of a block");
        let lines = block.lines().filter_map(|line| line.trim().strip_prefix("--")?.split_once(": "));
        lines.map(|(name, color)| (name, color.trim_end_matches(';'))).collect()
    });
    blocks.collect()
}

/// Texts of these colors can be read on these backgrounds, light and dark, and lines be seen.
pub fn assert_readable(html: &str, backgrounds: &[&str], texts: &[&str]) {
    let themes = themes(html);
    assert_eq!(themes.len(), 2, "light and dark");
    for theme in &themes {
        for &background in backgrounds {
            for &text in texts {
                let contrast = contrast(theme[text], theme[background]);
                assert!(contrast >= 4.5, "{text} on {background}: {contrast:.1}");
            }
            assert!(contrast(theme["line"], theme[background]) >= 2.0);
        }
    }
}

/// The contrast ratio of two colors (WCAG 2.2).
fn contrast(a: &str, b: &str) -> f64 {
    let luminance = |color: &str| {
        let channel = |at: usize| {
            let value = f64::from(u8::from_str_radix(&color[at..at + 2], 16).expect("#rrggbb")) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The part of a page that a script of the user's saw, in a browser: it leaves that in an attribute. `None` if there is none.
pub fn seen(name: &str, html: &str, user: &str) -> Option<Value> {
    let page = folder().join(format!("{name}.html"));
    // First of all: it sees errors of the page's own script too, and stands before a policy that forbids scripts.
    let html = html.replacen("<head>", &format!("<head><script>{user}</script>"), 1);
    std::fs::write(&page, html).expect("a page to look at");
    seen_at(name, &format!("file://{}", page.display()))
}

/// As [`seen`], of a page that has the user's script already.
pub fn seen_at(name: &str, url: &str) -> Option<Value> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut programs = std::env::split_paths(&path).flat_map(|folder| names.map(|name| folder.join(name)));
    let Some(browser) = programs.find(|program| program.is_file()) else {
        println!("skipped: none of {} is installed", names.join(", "));
        return None;
    };
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom"])
        .arg("--window-size=1280,900")
        .arg(format!("--user-data-dir={}", folder().join(format!("browser-{name}")).display()))
        .arg(url)
        .output()
        .expect("a browser runs");
    let dom = String::from_utf8(output.stdout).expect("text");
    let mut tags = Tokenizer::new(&dom).flatten().filter_map(|token| match token {
        Token::StartTag(tag) if *tag.name == b"body"[..] => Some(tag),
        _ => None,
    });
    let seen = tags.next().and_then(|body| {
        Some(String::from_utf8(body.attributes.get(&b"data-seen"[..])?.value.to_vec()).expect("text"))
    });
    let seen = seen.unwrap_or_else(|| panic!("nothing was seen: {}", String::from_utf8_lossy(&output.stderr)));
    Some(serde_json::from_str(&seen).expect("JSON"))
}

/// Where pages, and what browsers keep of them, are put.
fn folder() -> PathBuf {
    let folder = std::env::current_exe().expect("this program").with_file_name("in-a-browser");
    std::fs::create_dir_all(&folder).expect("a place beside this program");
    folder
}
