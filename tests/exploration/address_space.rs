//! Under a limit on address space (`ulimit -v`) local states are told apart by memory all the same.

use netcheck as tokio;
use netcheck::check::{Checker, Tcp, Udp, Verdict};
use std::process::Command;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::mpsc;

/// Endless loops, which only memory closes; and a server with a task for each connection.
#[test]
#[ignore = "run in a child: under a limit"]
fn figures_are_printed() {
    let echo = Checker::new().udp(Udp::new().loss().duplication()).at_most(1).check(|net| {
        net.daemon("server", || async {
            let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
            let mut buffer = [0; 8];
            loop {
                let (length, peer) = socket.recv_from(&mut buffer).await.unwrap();
                socket.send_to(&buffer[..length], peer).await.unwrap();
            }
        });
        net.daemon("client", || async {
            let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
            socket.connect("server:4000").await.unwrap();
            let mut number = 0;
            loop {
                number = (number + 1) % 5;
                socket.send(&[number]).await.unwrap();
                _ = tokio::time::timeout(std::time::Duration::from_secs(1), socket.recv(&mut [0; 8])).await;
            }
        });
    });
    let connections = Checker::new().tcp(Tcp::new().fail_read()).at_most(1).check(|net| {
        net.daemon("server", || async {
            let listener = TcpListener::bind("0.0.0.0:80").await.unwrap();
            let (sender, mut lines) = mpsc::channel(4);
            tokio::spawn(async move { while lines.recv().await.is_some() {} });
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let sender = sender.clone();
                tokio::spawn(async move {
                    let mut line = [0; 2];
                    while let Ok(1..) = stream.read(&mut line).await {
                        _ = sender.send(line.to_vec()).await;
                    }
                });
            }
        });
        for name in ["one", "two"] {
            net.process(name, || async {
                let Ok(mut stream) = TcpStream::connect("server:80").await else { return false };
                stream.write_all(b"hi").await.is_ok()
            })
            .after("server");
        }
    });
    for report in [echo, connections] {
        assert_eq!(report.verdict(), Verdict::Verified, "{report}");
        print!("\nreport: {report}");
    }
}

/// The figures of the reports under a limit in kilobytes, or under none.
fn figures(limit: &str) -> Vec<String> {
    let program = std::env::current_exe().expect("this program has a file");
    let mut child = Command::new("sh");
    child.args(["-c", "ulimit -v $0 && exec \"$@\"", limit]).arg(program);
    child.args(["address_space::figures_are_printed", "--exact", "--ignored", "--nocapture"]);
    let output = child.output().expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{limit}: {text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(!text.contains("by history"), "{limit}: {text}");
    let reports = text.lines().filter_map(|line| line.strip_prefix("report: "));
    // How often programs are polled depends on how many runs are kept.
    reports.map(|report| report.rsplit_once(", ").expect("figures").0.to_owned()).collect()
}

#[test]
#[cfg(all(target_os = "linux", target_pointer_width = "64"))]
fn a_small_check_has_the_same_figures_under_a_limit() {
    let unlimited = figures("unlimited");
    assert_eq!(unlimited.len(), 2);
    for limit in ["7000000", "2000000"] {
        assert_eq!(figures(limit), unlimited, "{limit} kB");
    }
}
