//! hyper's client, checked, and web servers that others have written, where they are installed.

use super::checked::web::get_twice;
use netcheck::External;
use netcheck::check::{Checker, Report, Tcp, Verdict};
use std::path::Path;
use tempfile::TempDir;

/// The page's text.
const TEXT: &str = "It works.";

/// A folder with the page, and what the servers write there.
fn website() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    std::fs::write(folder.path().join("page"), TEXT).expect("it can be written");
    folder
}

/// The configuration of nginx, in a folder and at a port.
const NGINX: &str = r#"
daemon off;
master_process off;
pid nginx-PORT.pid;
error_log stderr;
events {}
http {
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server { listen 127.0.0.1:PORT; root FOLDER; }
}
"#;

fn nginx(folder: &Path) -> External {
    std::fs::write(folder.join("nginx"), NGINX.replace("FOLDER", text(folder))).expect("it can be written");
    let script = r#"sed "s/PORT/$0/" nginx > nginx-$0.conf; exec nginx -p . -c nginx-$0.conf"#;
    External::command("sh").args(["-c", script, "{port}"]).current_dir(folder)
}

fn python(folder: &Path) -> External {
    External::command("python3")
        .args(["-m", "http.server", "--bind", "127.0.0.1", "--protocol", "HTTP/1.1", "{port}"])
        .current_dir(folder)
}

fn text(folder: &Path) -> &str {
    folder.to_str().expect("its name is text")
}

/// An answer without its date, which is another one in each run.
fn without_date(answer: &[u8]) -> Vec<u8> {
    let text = String::from_utf8_lossy(answer);
    let lines = text.split_inclusive("\r\n").filter(|line| !line.starts_with("Date: "));
    lines.collect::<String>().into_bytes()
}

/// Gets the page twice on one connection, under one failure.
fn check(server: External, folder: &Path) -> Report {
    let server = server.mask(without_date).cache(folder.join("answers.json"));
    let failures = Tcp::new().fail_read().fail_write().reset();
    Checker::new().tcp(failures).at_most(1).check(move |net| {
        net.external("web:80", server.clone());
        net.process("client", || async {
            let pages = get_twice("web:80", "/page").await;
            let right = |page: &String| *page == format!("200 {TEXT}");
            assert!(pages.iter().flatten().flatten().all(right), "a page is right, or there is an error: {pages:?}");
            pages
        });
    })
}

/// Checks the client against a server, and once more from the file of its answers.
fn is_right(server: impl Fn(&Path) -> External, program: &str) {
    if !External::command(program).is_installed() {
        eprintln!("skipped: {program} is not installed");
        return;
    }
    let folder = website();
    let report = check(server(folder.path()), folder.path());
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    let pages = format!("Ok([Ok(\"200 {TEXT}\"), Ok(\"200 {TEXT}\")])");
    assert!(report.outputs("client").contains(&pages), "{:?}", report.outputs("client"));
    assert!(report.outputs("client").len() > 3, "each call fails once: {:?}", report.outputs("client"));
    let again = check(server(folder.path()), folder.path());
    let (_, counts) = &again.peers()[0];
    assert_eq!((again.states(), counts.learned, counts.runs), (report.states(), 0, 0), "from the file: {again}");
    println!("{program}: {report}{again}");
}

#[test]
fn pages_of_nginx_are_right_or_there_is_an_error() {
    is_right(nginx, "nginx");
}

#[test]
fn pages_of_pythons_server_are_right_or_there_is_an_error() {
    is_right(python, "python3");
}
