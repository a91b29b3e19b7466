//! Captures of a device and of a sniffer beside it.

use crate::frame::{Frame, Instants, Reading, Refused, origin_of, trace_of};
use crate::physical::Physical;
use flate2::read::GzDecoder;
use netcheck::capture::{Capture, CaptureTrace, MacAddress, WirelessFrame};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The device under test in pairs that ns-3 makes.
pub const DEVICE: MacAddress = MacAddress([0, 0, 0, 0, 0, 1]);

/// One link, as the device and the sniffer saw it.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Frames that the device sent and received.
    pub own: CaptureTrace<Frame, WirelessFrame>,
    /// Frames that the sniffer heard.
    pub heard: CaptureTrace<Frame, WirelessFrame>,
}

impl Pair {
    /// From two captures of 802.11b; instants count from a second before that of the device.
    ///
    /// # Errors
    ///
    /// If one is not a capture, or frames overlap.
    pub fn parse(own: &[u8], heard: &[u8]) -> Result<Pair, Refused> {
        let (own, heard) = (Capture::parse(own)?, Capture::parse(heard)?);
        let origin = origin_of(&own);
        let reading = Reading { physical: Physical::B, instants: Instants::BySignal };
        let trace = |capture| trace_of(capture, DEVICE, origin, reading);
        Ok(Pair { own: trace(&own)?, heard: trace(&heard)? })
    }

    /// One of the compressed pairs of `examples/wifi/pairs`.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or it is not a pair.
    pub fn committed(name: &str) -> io::Result<Pair> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("pairs");
        let read = |of: &str| {
            let mut bytes = Vec::new();
            let file = fs::File::open(folder.join(format!("{name}.{of}.pcap.gz")))?;
            GzDecoder::new(file).read_to_end(&mut bytes)?;
            Ok::<_, io::Error>(bytes)
        };
        Pair::parse(&read("dut")?, &read("sniffer")?).map_err(io::Error::other)
    }
}

/// A link that ns-3 simulates: the words of `ns3/pair.cc`.
#[derive(Clone, Debug)]
pub struct Link {
    /// The probability that a frame is lost between the device and the sniffer.
    pub device_sniffer: f64,
    /// Between the endpoint and the sniffer.
    pub endpoint_sniffer: f64,
    /// Between the endpoint and the device.
    pub endpoint_device: f64,
    /// `right`, `skip` or `stuck`.
    pub sequence: &'static str,
    /// `right`, `afterAck` or `never`.
    pub retransmission: &'static str,
    /// The seed of everything random.
    pub seed: u64,
}

/// Makes pairs with ns-3.
#[derive(Clone, Debug)]
pub struct Maker {
    /// The program that `ns3/make.sh` builds.
    pub program: PathBuf,
    /// Seconds of each capture.
    pub seconds: u64,
}

impl Maker {
    /// Simulates a link.
    ///
    /// # Errors
    ///
    /// If the program is not there or fails, or makes no captures.
    pub fn make(&self, link: &Link) -> io::Result<Pair> {
        let folder = tempfile::tempdir()?;
        let [own, heard] = ["dut.pcap", "sniffer.pcap"].map(|name| folder.path().join(name));
        let Link { device_sniffer, endpoint_sniffer, endpoint_device, sequence, retransmission, seed } = link;
        let output = Command::new(&self.program)
            .args([format!("--ds={device_sniffer}"), format!("--es={endpoint_sniffer}")])
            .args([format!("--ed={endpoint_device}"), format!("--seed={seed}"), format!("--seconds={}", self.seconds)])
            .args([format!("--sequence={sequence}"), format!("--retransmission={retransmission}")])
            .args([format!("--dut={}", own.display()), format!("--sniffer={}", heard.display())])
            .output()?;
        if !output.status.success() {
            return Err(io::Error::other(String::from_utf8_lossy(&output.stderr).into_owned()));
        }
        Pair::parse(&fs::read(own)?, &fs::read(heard)?).map_err(io::Error::other)
    }
}
