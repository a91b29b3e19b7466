//! The page of a table, as a browser finds it.

use super::{browser, connection, pipeline};
use html5gum::{DefaultEmitter, Token, Tokenizer};
use netcheck as tokio;
use netcheck::check::{Checker, Propagation, Tcp, Udp};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tokio::net::UdpSocket;

/// The contents of a page: how many elements of each class, and of each tag; the attributes.
#[derive(Debug, Default)]
struct Page {
    classes: BTreeMap<String, usize>,
    tags: BTreeMap<String, usize>,
    attributes: BTreeSet<String>,
    /// To which processes edges lead.
    edges: Vec<String>,
}

impl Page {
    fn of(html: &str) -> Page {
        let mut page = Page::default();
        let mut emitter = DefaultEmitter::default();
        // In styles, no tags are read.
        emitter.naively_switch_states(true);
        for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
            let Token::StartTag(tag) = token else { continue };
            let attributes: BTreeMap<String, String> =
                tag.attributes.iter().map(|(name, value)| (text(name), text(&value.value))).collect();
            for class in attributes.get("class").into_iter().flat_map(|classes| classes.split(' ')) {
                *page.classes.entry(class.to_owned()).or_default() += 1;
            }
            page.edges.extend(attributes.get("data-to").cloned());
            *page.tags.entry(text(&tag.name)).or_default() += 1;
            page.attributes.extend(attributes.into_keys());
        }
        page
    }

    fn class(&self, class: &str) -> usize {
        self.classes.get(class).copied().unwrap_or(0)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the page is text")
}

fn tables() -> [Propagation; 2] {
    let datagrams = Checker::new().udp(Udp::new().loss().duplication().reorder(2)).propagation(pipeline);
    let all = Tcp::new().fail_open().fail_read().fail_write().hang();
    [datagrams, Checker::new().tcp(all).propagation(|net| connection(net, true))]
}

/// A process that ends with what it is sent.
fn repeating(payload: &'static str) -> Propagation {
    Checker::new().udp(Udp::new().loss()).propagation(|net| {
        net.process("<i>&\"'", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 100];
            let length = socket.recv(&mut buffer).await.unwrap();
            assert_ne!(&buffer[..length], b"", "{}", String::from_utf8_lossy(&buffer[..length]));
            String::from_utf8(buffer[..length].to_vec()).unwrap()
        });
        let sender = move || async move {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.send_to(payload.as_bytes(), "<i>&\"':4000").await.unwrap();
        };
        net.process("sender", sender).after("<i>&\"'");
    })
}

const SCRIPT: &str = "</title></svg><script>seen.errors.push('it ran')</script><b onclick=x>";

#[test]
fn a_page_has_the_faults_processes_and_edges_of_the_table() {
    for table in tables() {
        let page = Page::of(&table.html());
        assert_eq!(page.class("fault"), table.rows().len(), "{table}");
        assert_eq!(page.class("masked"), table.masked().count(), "{table}");
        assert_eq!(page.class("process"), table.reference().len(), "{table}");
        let edges: Vec<String> = table
            .rows()
            .iter()
            .flat_map(|row| {
                let mut processes: Vec<String> = row.failures().map(|effect| effect.process.clone()).collect();
                processes.dedup();
                processes
            })
            .collect();
        assert_eq!(page.edges, edges, "{table}");
    }
}

#[test]
fn edges_are_labelled_with_what_is_seen() {
    let [datagrams, connections] = tables().map(|table| table.html());
    for label in [">wrong value</text>", ">wrong value, deadlock</text>"] {
        assert_eq!(datagrams.contains(label), !label.contains("deadlock"), "{label}");
    }
    for label in [">crash</text>", ">error</text>", ">omission</text>"] {
        assert!(connections.contains(label), "{label}");
    }
}

#[test]
fn a_page_says_that_it_is_incomplete() {
    let whole = Checker::new().udp(Udp::new().loss()).propagation(pipeline);
    assert!(!whole.html().contains("Incomplete"));
    let cut = Checker::new().udp(Udp::new().loss()).max_states(whole.states() / 2).propagation(pipeline);
    assert!(cut.html().contains("<p class=\"limit\">Incomplete: max_states"), "{cut}");
}

#[test]
fn what_a_program_says_is_inert_and_nothing_is_loaded() {
    let html = repeating(SCRIPT).html();
    let page = Page::of(&html);
    for tag in ["script", "i", "link", "img", "image", "use", "iframe", "object", "foreignobject"] {
        assert!(!page.tags.contains_key(tag), "{tag}: {page:?}");
    }
    for attribute in ["src", "href", "xlink:href", "srcset", "style", "onclick", "onload"] {
        assert!(!page.attributes.contains(attribute), "{attribute}");
    }
    for text in ["url(", "@import", "http://", "https://"] {
        assert!(!html.contains(text), "{text}");
    }
    assert!(html.contains("content=\"default-src 'none'; style-src 'unsafe-inline'\""), "the browser is told so");
    assert!(html.contains("&lt;script&gt;seen.errors"), "it is shown: {html}");
}

#[test]
fn both_themes_have_readable_contrast() {
    browser::assert_readable(
        &repeating("x").html(),
        &["page", "panel"],
        &["text", "aside", "good", "error", "odd", "bad"],
    );
}

/// Looks at a page, and leaves what it saw in an attribute.
const USER: &str = include_str!("user.js");

/// The part of a page that `USER` saw, in a browser; `None` if there is none.
fn seen_in_a_browser(name: &str, html: &str) -> Option<Value> {
    browser::seen(&format!("propagation-{name}"), html, USER)
}

#[test]
fn a_browser_draws_the_graph() {
    for (name, table) in ["datagrams", "connections"].into_iter().zip(tables()) {
        let Some(seen) = seen_in_a_browser(name, &table.html()) else { return };
        assert_eq!(seen["errors"], json!([]), "{seen}");
        assert_eq!(seen["faults"], json!(table.rows().len()), "{seen}");
        assert_eq!(seen["processes"], json!(table.reference().len()), "{seen}");
        assert_eq!(seen["edges"], json!(Page::of(&table.html()).edges.len()), "{seen}");
        assert_eq!(seen["overlaps"], json!([]), "labels do not meet: {seen}");
        assert_eq!(seen["outside"], json!([]), "what is in a box stays in it: {seen}");
    }
}

#[test]
fn a_script_in_a_value_does_not_run_in_a_browser() {
    let Some(seen) = seen_in_a_browser("script", &repeating(SCRIPT).html()) else { return };
    assert_eq!((&seen["errors"], &seen["faults"]), (&json!([]), &json!(1)), "{seen}");
}
