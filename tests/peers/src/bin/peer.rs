//! Servers of a few lines, on the standard library's sockets: what tests start as real peers.
#![allow(clippy::disallowed_methods, reason = "real programs wait, and read the clock")]
#![allow(clippy::zombie_processes, reason = "whether anything is left behind is what a test looks at")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

/// The number that the counter has come to.
static COUNT: AtomicU32 = AtomicU32::new(0);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (behaviour, port, folder) = match &arguments[..] {
        [behaviour, port] => (behaviour.as_str(), port.parse::<u16>().expect("a port"), ""),
        [behaviour, port, folder] => (behaviour.as_str(), port.parse().expect("a port"), folder.as_str()),
        _ => panic!("peer BEHAVIOUR PORT [FOLDER], and not {arguments:?}"),
    };
    println!("{behaviour} begins");
    match behaviour {
        "counter" => serve(port, counter),
        "echo" => serve(port, echo),
        "greeter" => serve(port, greeter),
        "ledger" => ledger(port, &Path::new(folder).join("count"), 1),
        "lazy" => ledger(port, &Path::new(folder).join("count"), 2),
        "once" => {
            std::fs::File::create_new(Path::new(folder).join("lock")).expect("nobody has been here");
            serve(port, echo);
        }
        "dies" => serve(port, dies),
        "chatters" => serve(port, chatters),
        "clock" => serve(port, clock),
        "dice" => serve(port, dice),
        "resets" => serve(port, resets),
        "parent" => {
            let child = Command::new("sleep").arg("1000").spawn().expect("a child");
            println!("child {}", child.id());
            serve(port, echo);
        }
        "datagrams" => datagrams(port),
        "transfers" => transfers(port),
        "elsewhere" => serve(0, echo),
        "quits" => panic!("I don't want to"),
        other => panic!("there is no {other}"),
    }
}

/// Serves each connection on a thread.
fn serve(port: u16, each: fn(TcpStream)) {
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
    for stream in listener.incoming().flatten() {
        thread::spawn(move || each(stream));
    }
}

fn lines(stream: &TcpStream) -> impl Iterator<Item = String> + use<> {
    BufReader::new(stream.try_clone().expect("a second handle")).lines().map_while(Result::ok)
}

/// Each line is answered by the next number.
fn counter(mut stream: TcpStream) {
    for _ in lines(&stream) {
        let count = COUNT.fetch_add(1, Ordering::SeqCst) + 1;
        let _ = stream.write_all(format!("{count}\n").as_bytes());
    }
}

/// Each line is answered by the next number. Every so many, the number is written to a file first, from which a server that starts
/// goes on.
fn ledger(port: u16, file: &Path, every: u32) {
    let mut count = std::fs::read_to_string(file).map_or(0, |text| text.parse().expect("a number"));
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
    for mut stream in listener.incoming().flatten() {
        for _ in lines(&stream) {
            count += 1;
            if u32::is_multiple_of(count, every) {
                std::fs::write(file, count.to_string()).expect("the folder is there");
            }
            let _ = stream.write_all(format!("{count}\n").as_bytes());
        }
    }
}

fn echo(mut stream: TcpStream) {
    let mut buffer = [0; 1024];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        let _ = stream.write_all(&buffer[..length]);
    }
}

/// Speaks first, and ends the connection itself.
fn greeter(mut stream: TcpStream) {
    let _ = stream.write_all(b"hello\n");
    let name = lines(&stream).next().unwrap_or_default();
    let _ = stream.write_all(format!("goodbye {name}\n").as_bytes());
}

fn dies(stream: TcpStream) {
    let _ = lines(&stream).next();
    eprintln!("out of memory, or so");
    std::process::exit(3);
}

/// Never stops sending.
fn chatters(mut stream: TcpStream) {
    while stream.write_all(b"and another thing, ").is_ok() {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Answers with something that is different each time.
fn clock(mut stream: TcpStream) {
    for _ in lines(&stream) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        let _ = stream.write_all(format!("time={}\n", now.as_nanos()).as_bytes());
    }
}

/// Answers `heads` or `tails`.
fn dice(mut stream: TcpStream) {
    for _ in lines(&stream) {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        let side = if (now.as_nanos() / 1000).is_multiple_of(2) { "heads\n" } else { "tails\n" };
        let _ = stream.write_all(side.as_bytes());
    }
}

/// Closes with bytes unread, which resets the connection.
fn resets(stream: TcpStream) {
    let _ = stream.peek(&mut [0]);
}

/// Answers each datagram with the number of those so far.
fn datagrams(port: u16) {
    let socket = UdpSocket::bind(("127.0.0.1", port)).expect("the port is free");
    let mut buffer = [0; 2048];
    let mut count = 0;
    while let Ok((length, from)) = socket.recv_from(&mut buffer) {
        count += 1;
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        let _ = socket.send_to(format!("{count}:{text}").as_bytes(), from);
    }
}

/// Answers each first datagram of a client from a new port, and goes on there.
fn transfers(port: u16) {
    let socket = UdpSocket::bind(("127.0.0.1", port)).expect("the port is free");
    let mut buffer = [0; 2048];
    while let Ok((length, from)) = socket.recv_from(&mut buffer) {
        let request = buffer[..length].to_vec();
        thread::spawn(move || {
            let own = UdpSocket::bind(("127.0.0.1", 0)).expect("a free port");
            let _ = own.send_to(&[b"begun ", &request[..]].concat(), from);
            let mut buffer = [0; 2048];
            while let Ok((length, from)) = own.recv_from(&mut buffer) {
                let _ = own.send_to(&[b"more ", &buffer[..length]].concat(), from);
            }
        });
    }
}
