//! The paper's two protocols, asking again for as long as it takes: verified for any number of
//! time-outs, losses and copies. (The examples give up after some; here nobody does.)

use netcheck::check::{Checker, Identity, Report, Udp, Verdict, ViolationKind};

/// papers/udp-net-iocache.txt, section 4.1.
#[netcheck::program]
mod alphabet {
    use std::time::Duration;
    use tokio::net::UdpSocket;
    use tokio::time::timeout;

    const OFFSET: u8 = b'a' - b'0';

    pub async fn server() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let mut request = [0];
            let (_, client) = socket.recv_from(&mut request).await.unwrap();
            socket.send_to(&[request[0] + OFFSET], client).await.unwrap();
        }
    }

    /// Asks for each letter until it comes. The careless client takes any letter for it.
    pub async fn client(requests: u8, careful: bool) -> String {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.connect("server:4000").await.unwrap();
        let mut word = String::new();
        for request in 0..requests {
            word.push(letter(&socket, b'0' + request, careful).await as char);
        }
        word
    }

    async fn letter(socket: &UdpSocket, digit: u8, careful: bool) -> u8 {
        loop {
            socket.send(&[digit]).await.unwrap();
            let mut response = [0];
            while let Ok(received) = timeout(Duration::from_secs(1), socket.recv(&mut response)).await {
                received.unwrap();
                if !careful || response[0] == digit + OFFSET {
                    return response[0];
                }
            }
        }
    }
}

/// papers/udp-net-iocache.txt, section 4.2, Algorithms 7 and 8.
#[netcheck::program]
mod file_transfer {
    use std::collections::BTreeSet;
    use std::time::Duration;
    use tokio::net::UdpSocket;
    use tokio::time::timeout;

    const FILES: [&[&str]; 2] = [&["spring", "summer"], &["north", "east"]];

    pub async fn server() {
        let socket = UdpSocket::bind("0.0.0.0:4000").await.unwrap();
        loop {
            let mut request = [0; 8];
            let (length, client) = socket.recv_from(&mut request).await.unwrap();
            let (file, missing) = request[..length].split_first().unwrap();
            for &number in missing {
                let contents = FILES[usize::from(*file)][usize::from(number)].as_bytes();
                let packet = [&[*file, number], contents].concat();
                socket.send_to(&packet, client).await.unwrap();
            }
        }
    }

    /// The seeded client takes any packet with the number of a missing one.
    pub async fn client(seeded: bool) {
        let socket = UdpSocket::bind("0.0.0.0:0").await.unwrap();
        socket.connect("server:4000").await.unwrap();
        for (file, reference) in (0..).zip(FILES) {
            let data = get_file(&socket, file, reference.len(), seeded).await;
            assert_eq!(data, reference, "file {file} was received wrong");
        }
    }

    async fn get_file(socket: &UdpSocket, file: u8, packets: usize, seeded: bool) -> Vec<String> {
        let mut data = vec![String::new(); packets];
        let mut missing: BTreeSet<u8> = (0..).take(packets).collect();
        request(socket, file, &missing).await;
        while !missing.is_empty() {
            let mut packet = [0; 16];
            let Ok(received) = timeout(Duration::from_secs(1), socket.recv(&mut packet)).await else {
                request(socket, file, &missing).await;
                continue;
            };
            let [of, number, contents @ ..] = &packet[..received.unwrap()] else { continue };
            if (seeded || *of == file) && missing.remove(number) {
                data[usize::from(*number)] = String::from_utf8_lossy(contents).into_owned();
            }
        }
        data
    }

    async fn request(socket: &UdpSocket, file: u8, missing: &BTreeSet<u8>) {
        let numbers: Vec<u8> = std::iter::once(file).chain(missing.iter().copied()).collect();
        socket.send(&numbers).await.unwrap();
    }
}

/// Loops that are not captured close by memory alone.
const WITHOUT_CAPTURE: [(Identity, Verdict); 2] =
    [(Identity::History, Verdict::Inconclusive), (Identity::Memory, Verdict::Verified)];

fn check_alphabet(checker: &Checker, requests: u8, careful: bool) -> Report {
    checker.check(move |net| {
        net.daemon("server", alphabet::server);
        net.process("client", move || alphabet::client(requests, careful)).after("server");
        net.finally(move |end| end.output("client") == Some(&format!("{:?}", &"abcdefgh"[..usize::from(requests)])));
    })
}

#[test]
fn the_alphabet_comes_whatever_is_lost() {
    // Reduced, the server is parked at the end.
    for (reduction, first) in [(false, 11), (true, 12)] {
        let checker = Checker::new().udp(Udp::new().loss()).reduction(reduction);
        // Linear in the requests.
        for (requests, states) in (1..=6).map(|requests| (requests, 5 * usize::from(requests) + first)) {
            let report = check_alphabet(&checker, requests, true);
            assert_eq!((report.verdict(), report.states()), (Verdict::Verified, states), "{requests}: {report}");
        }
        for (identity, verdict) in WITHOUT_CAPTURE {
            let uncaptured = checker.clone().capture(false).identity(identity).max_states(5_000);
            assert_eq!(check_alphabet(&uncaptured, 1, true).verdict(), verdict);
        }
    }
}

#[test]
fn the_alphabet_comes_whatever_is_doubled_too() {
    let checker = Checker::new().udp(Udp::new().loss().duplication());
    assert_eq!(check_alphabet(&checker, 3, true).verdict(), Verdict::Verified);
    let report = check_alphabet(&checker, 3, false);
    let counterexample = report.counterexample().expect("a copy of a letter is taken for the next one");
    assert_eq!(counterexample.kind(), ViolationKind::Property);
}

fn check_file_transfer(checker: &Checker, seeded: bool) -> Report {
    checker.check(move |net| {
        net.daemon("server", file_transfer::server);
        net.process("client", move || file_transfer::client(seeded)).after("server");
    })
}

#[test]
fn files_come_whatever_is_lost_or_doubled() {
    let checker = Checker::new().udp(Udp::new().loss().duplication());
    let report = check_file_transfer(&checker, false);
    assert_eq!(report.verdict(), Verdict::Verified, "{report}");
    for (identity, verdict) in WITHOUT_CAPTURE {
        let uncaptured = checker.clone().capture(false).identity(identity).max_states(20_000);
        assert_eq!(check_file_transfer(&uncaptured, false).verdict(), verdict);
    }
    let report = check_file_transfer(&checker, true);
    let counterexample = report.counterexample().expect("the seeded fault");
    assert!(counterexample.message().contains("file 1 was received wrong"), "{report}");
}

/// Each state has the channels of many others, with more copies in them, or in another order.
#[test]
fn states_that_others_cover_are_most_of_those_with_copies_that_overtake() {
    let states = |window, requests| {
        [false, true].map(|subsumption| {
            let udp = Udp::new().loss().duplication().reorder(window);
            let report = check_alphabet(&Checker::new().udp(udp).subsumption(subsumption), requests, true);
            assert_eq!(report.verdict(), Verdict::Verified, "{requests}: {report}");
            report.states()
        })
    };
    for (window, pinned) in [
        (1, [[23, 23], [63, 54], [103, 85]]),
        (2, [[23, 23], [113, 68], [1_601, 364]]),
        (3, [[23, 23], [104, 61], [3_396, 328]]),
        (usize::MAX, [[23, 23], [101, 59], [1_968, 189]]),
    ] {
        assert_eq!([1, 2, 3].map(|requests| states(window, requests)), pinned, "{window}");
    }
}

/// It asks again only when nothing is under way any more, so that there is nothing to leave out.
#[test]
fn the_alphabet_comes_however_packets_overtake() {
    for (subsumption, window) in [(false, 2), (true, 2), (true, usize::MAX)] {
        let checker = Checker::new().udp(Udp::new().loss().reorder(window)).subsumption(subsumption);
        let states = (1..=6).map(|requests| {
            let report = check_alphabet(&checker, requests, true);
            assert_eq!((report.verdict(), report.subsumed()), (Verdict::Verified, 0), "{requests}: {report}");
            report.states()
        });
        assert_eq!(states.collect::<Vec<_>>(), [17, 22, 27, 32, 37, 42]);
    }
}
