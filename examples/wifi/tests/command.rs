//! The command `validate`, as a user types it.

mod synthetic;

use std::path::PathBuf;
use std::process::Command;
use synthetic::file::{Heard, pcap};
use synthetic::{Fault, LAYERS, Link, Session, session};
use tempfile::TempDir;

const STATION: &str = "02:00:00:00:00:01";

/// A folder with captures.
struct Files(TempDir);

/// The exit status, and both outputs.
type Answer = (i32, String, String);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, frames: &[Heard]) {
        std::fs::write(self.path(name), pcap(frames, false)).unwrap();
    }

    /// `wifi validate` with these words, in the folder.
    fn validate(&self, words: &str) -> Answer {
        let command = Command::new(env!("CARGO_BIN_EXE_wifi"))
            .arg("validate")
            .args(words.split_whitespace())
            .current_dir(self.0.path())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (command.status.code().unwrap(), text(command.stdout), text(command.stderr))
    }
}

#[test]
fn the_exit_status_tells_right_from_wrong_errors_and_nothing() {
    let files = Files::new();
    let link = Link::of(LAYERS[0], 1);
    let Session { own, heard, .. } = session(&link);
    files.write("own.pcap", &own);
    files.write("heard.pcap", &heard);
    files.write("wrong.pcap", &session(&link.with(Fault::SendsAgain(5))).own);

    let accepted = format!("all {} events are accepted\n", own.len());
    assert_eq!(files.validate(&format!("own.pcap --device {STATION}")), (0, accepted, String::new()));
    let (status, text, errors) = files.validate(&format!("heard.pcap --device {STATION} --sniffer"));
    assert!(status == 0 && text.starts_with("the station may be right: ") && errors.is_empty(), "{text}{errors}");
    let (status, text, errors) = files.validate(&format!("wrong.pcap --device {STATION}"));
    assert!(status == 1 && text.contains("the monitor `Transmitter` rejects Data {") && errors.is_empty(), "{text}");
    let absent = "no frame of 02:00:00:00:00:07 in ";
    let (status, text, errors) = files.validate("own.pcap --device 02:00:00:00:00:07");
    assert!(status == 3 && text.starts_with(absent) && errors.is_empty(), "{text}");
    assert!(text.ends_with("of 02:00:00:00:00:01): nothing was judged\n"), "{text}");
    let (status, text, errors) = files.validate(&format!("none.pcap --device {STATION}"));
    assert!(status == 2 && text.is_empty(), "{text}");
    assert!(errors.starts_with("none.pcap: cannot be read: "), "{errors}");
}

#[test]
fn refusals_name_the_file_and_what_to_do() {
    let files = Files::new();
    let link = Link::of(LAYERS[0], 2);
    files.write("own.pcap", &session(&link).own);
    let (status, text, errors) = files.validate(&format!("own.pcap --device {STATION} --phy b"));
    assert!(status == 2 && text.is_empty(), "{text}");
    assert!(errors.starts_with("own.pcap: frame 1 has a rate of "), "{errors}");
    assert!(errors.ends_with(" Mb/s, which 802.11b does not have: say another layer with `--phy`\n"), "{errors}");
    let (status, _, errors) = files.validate(&format!("own.pcap --device {STATION} --arf --rates 6,9"));
    assert!(status == 2 && errors.contains("which is none of 6, 9: say all rates between which"), "{errors}");
    std::fs::write(files.path("text.pcap"), "no capture").unwrap();
    let (status, _, errors) = files.validate(&format!("text.pcap --device {STATION}"));
    assert_eq!((status, errors.as_str()), (2, "text.pcap: is neither a pcap nor a pcapng file\n"));
}

#[test]
fn wrong_words_are_refused_with_what_is_expected() {
    let files = Files::new();
    files.write("own.pcap", &[]);
    for (words, expected) in [
        ("", "--device <DEVICE>"),
        ("--device 1:2:3", "an address is six bytes, such as 00:00:00:00:00:01"),
        ("--device ff:ff:ff:ff:ff:ff", "this is the address of a group of stations"),
        ("--device 02:00:00:00:00:01 --phy n", "[possible values: a, b, g]"),
        ("--device 02:00:00:00:00:01 --to 334", "a time is a number with a unit of ns, us, ms or s, such as 334us"),
        ("--device 02:00:00:00:00:01 --bytes 9..10", "of 28 to 2346"),
        ("--device 02:00:00:00:00:01 --rates fast", "a rate is a number of Mb/s, such as 5.5"),
        ("--device 02:00:00:00:00:01 --retransmissions 0", "0 is not in 1..=255"),
        ("--device 02:00:00:00:00:01 --first 4096", "4096 is not in 0..=4095"),
        ("--device 02:00:00:00:00:01 --missing 5", "--sniffer"),
        ("--device 02:00:00:00:00:01 --sniffer --missing 101", "of 100 frames at most 100 are missed"),
        ("--device 02:00:00:00:00:01 --sniffer --page page.html", "cannot be used with"),
    ] {
        let (status, text, errors) = files.validate(&format!("own.pcap {words}"));
        assert!(status == 2 && text.is_empty() && errors.contains(expected), "{words}: {text}{errors}");
    }
}

#[test]
fn words_say_times_rates_and_numbers() {
    let files = Files::new();
    let link = Link { lost: 40, missed: 0, ..Link::of(LAYERS[1], 3) };
    let Session { own, heard, .. } = session(&link);
    files.write("own.pcap", &own);
    files.write("heard.pcap", &heard);
    let status = |words: &str| files.validate(&format!("{words} --device {STATION}")).0;
    assert_eq!(status("own.pcap --phy b --to 0.334ms --tm 40000us --first 4003 --retransmissions 6"), 0);
    assert_eq!(status("own.pcap --phy b --tm 2ms"), 1);
    assert_eq!(status("own.pcap --first 4004"), 1);
    assert_eq!(status("own.pcap --retransmissions 3"), 1);
    assert_eq!(status("own.pcap --to 334us --tm 300us"), 2);
    assert_eq!(status("heard.pcap --sniffer --bytes 28..2346 --rates 1,2,5.5,11 --missing 30"), 0);
    assert_eq!(status("heard.pcap --sniffer --first 4003 --tolerance 20us"), 0);
    assert_eq!(status("heard.pcap --sniffer --first 4001"), 0);
}

#[test]
fn a_page_shows_the_packets_of_the_own_capture() {
    let files = Files::new();
    let Session { own, wrong, .. } = session(&Link::of(LAYERS[2], 4).with(Fault::Skips(7)));
    files.write("own.pcap", &own);
    let (status, text, _) = files.validate(&format!("own.pcap --device {STATION} --page page.html"));
    assert!(status == 1 && text.starts_with(&format!("frame {} at ", wrong.unwrap())), "{text}");
    let page = std::fs::read_to_string(files.path("page.html")).unwrap();
    assert!(page.contains("Transmitter"), "{page}");
    let (status, _, errors) = files.validate(&format!("own.pcap --device {STATION} --page none/page.html"));
    assert!(status == 2 && errors.starts_with("none/page.html: cannot be written: "), "{errors}");
}

#[test]
fn compressed_captures_are_read() {
    let files = Files::new();
    let pairs = concat!(env!("CARGO_MANIFEST_DIR"), "/pairs");
    let (status, text, errors) = files.validate(&format!("{pairs}/right_a.dut.pcap.gz --device 00:00:00:00:00:01"));
    assert_eq!((status, text.as_str(), errors.as_str()), (0, "all 540 events are accepted\n", ""));
    let (status, text, _) =
        files.validate(&format!("{pairs}/stuck.sniffer.pcap.gz --device 00:00:00:00:00:01 --sniffer"));
    let wrong = "a definite violation: whatever the sniffer missed, frame 12 at 0.140000 s, 00:00:00:00:00:01 -> \
                 00:00:00:00:00:02 is wrong\n";
    assert!(status == 1 && text.starts_with(wrong), "{text}");
    std::fs::write(files.path("text.pcap.gz"), "not compressed").unwrap();
    let (status, _, errors) = files.validate(&format!("text.pcap.gz --device {STATION}"));
    assert!(status == 2 && errors.starts_with("text.pcap.gz: cannot be read: "), "{errors}");
}
