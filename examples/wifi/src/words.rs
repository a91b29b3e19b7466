//! The words of the command `validate`, as a question.

use clap::{Args, ValueEnum};
use netcheck::capture::MacAddress;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;
use wifi::frame::Instants;
use wifi::judge::{Question, Rules};
use wifi::physical::{BYTES, Physical};

/// The arguments of `validate`.
#[derive(Args)]
pub struct Words {
    /// A pcap or pcapng file, with radiotap headers; also compressed, with a name that ends with .gz.
    pub file: PathBuf,
    /// The address of the station.
    #[arg(long, value_parser = address)]
    device: MacAddress,
    /// The capture is that of a sniffer.
    #[arg(long)]
    sniffer: bool,
    /// A sniffer misses at most this many frames of one station in 100 in a row: a station that is right only if it
    /// missed more is called wrong.
    #[arg(long, value_name = "K", requires = "sniffer", value_parser = missing)]
    missing: Option<usize>,
    /// Also writes the packets, and where the monitor is after each, as a page for a browser; only of the station's own
    /// capture.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["sniffer", "arf"])]
    pub page: Option<PathBuf>,
    /// Judge ARF rate control in place of retransmissions.
    #[arg(long)]
    arf: bool,
    /// The physical layer: 802.11a, b or g. By the channels and rates of radiotap headers if it is not said.
    #[arg(long)]
    phy: Option<Layer>,
    /// The bytes of data, with header and checksum, such as 1464 or 28..2346. If it is not said, those of the station's
    /// own capture, or for a sniffer any.
    #[arg(long, value_parser = bytes)]
    bytes: Option<RangeInclusive<usize>>,
    /// The rates of data in Mb/s, such as 1,2,5.5,11; with `--arf` in the order in which the station rises. Those of
    /// the physical layer if it is not said, the lowest first.
    #[arg(long, value_delimiter = ',', value_parser = rate)]
    rates: Option<Vec<u32>>,
    /// At which end of a frame the capture has its instant.
    #[arg(long, default_value = "by-signal")]
    instants: Captured,
    /// `To`: an Ack ends until then after data, and a retransmission after that; such as 334us. By the physical layer
    /// if it is not said.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    to: Option<Duration>,
    /// `Tm`: a retransmission ends until then after data; such as 24ms. By the physical layer and the longest data if
    /// it is not said.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    tm: Option<Duration>,
    /// The sequence number of the first packet, if the capture begins before it. Any if it is not said.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(0..=4095))]
    first: Option<u16>,
    /// How often a packet is sent again at the most, and before it is given up.
    #[arg(long, value_name = "NUMBER", default_value_t = 6, value_parser = clap::value_parser!(u16).range(1..=255))]
    retransmissions: u16,
    /// By how much instants of the capture may be wrong, such as 50us.
    #[arg(long, value_name = "TIME", default_value = "0us", value_parser = duration)]
    tolerance: Duration,
}

impl Words {
    /// The question.
    pub fn question(&self) -> Question {
        Question {
            device: Some(self.device),
            rules: if self.arf { Rules::Arf } else { Rules::Transmitter },
            is_sniffer: self.sniffer,
            missing_max: self.missing,
            physical: self.phy.map(|layer| match layer {
                Layer::A => Physical::A,
                Layer::B => Physical::B,
                Layer::G => Physical::G,
            }),
            bytes: self.bytes.clone(),
            rates: self.rates.clone(),
            instants: match self.instants {
                Captured::BySignal => Instants::BySignal,
                Captured::Starts => Instants::Starts,
                Captured::Ends => Instants::Ends,
            },
            timeout: self.to,
            latest: self.tm,
            first: self.first,
            retransmissions: Some(self.retransmissions),
            tolerance: self.tolerance,
        }
    }
}

/// A physical layer.
#[derive(Clone, Copy, ValueEnum)]
enum Layer {
    /// 802.11a: OFDM at 5 GHz.
    A,
    /// 802.11b: DSSS and CCK at 2.4 GHz.
    B,
    /// 802.11g: OFDM at 2.4 GHz, also beside 802.11b.
    G,
}

/// At which end of a frame it was captured.
#[derive(Clone, Copy, ValueEnum)]
enum Captured {
    /// The start of a frame that was sent, and the end of one that was received, which has a signal strength: as ns-3.
    BySignal,
    /// The start.
    Starts,
    /// The end.
    Ends,
}

fn address(text: &str) -> Result<MacAddress, String> {
    let byte = |digits: &str| (digits.len() == 2).then(|| u8::from_str_radix(digits, 16).ok())?;
    let bytes: Option<Vec<u8>> = text.split([':', '-']).map(byte).collect();
    let bytes = bytes.and_then(|bytes| <[u8; 6]>::try_from(bytes).ok());
    let address = bytes.map(MacAddress).ok_or("an address is six bytes, such as 00:00:00:00:00:01")?;
    if address.is_group() { Err("this is the address of a group of stations".to_owned()) } else { Ok(address) }
}

fn missing(text: &str) -> Result<usize, String> {
    let most = text.parse().ok().filter(|most| *most <= wifi::judge::WINDOW);
    most.ok_or_else(|| format!("of {0} frames at most {0} are missed", wifi::judge::WINDOW))
}

fn bytes(text: &str) -> Result<RangeInclusive<usize>, String> {
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let range = least.parse().ok().zip(most.trim_start_matches('=').parse().ok());
    let range = range.filter(|(least, most)| least <= most && BYTES.contains(least) && BYTES.contains(most));
    let words = || format!("one number, or two as in {0}..{1}, of {0} to {1}", BYTES.start(), BYTES.end());
    range.map(|(least, most)| least..=most).ok_or_else(words)
}

fn rate(text: &str) -> Result<u32, String> {
    let rate = text.parse().ok().filter(|rate: &f64| (0.5..=1000.0).contains(rate));
    rate.map(|rate| (rate * 1e6) as u32).ok_or_else(|| "a rate is a number of Mb/s, such as 5.5".to_owned())
}

fn duration(text: &str) -> Result<Duration, String> {
    let unit = text.find(|letter: char| letter.is_alphabetic() || letter == 'µ').unwrap_or(text.len());
    let (number, unit) = text.split_at(unit);
    let nanoseconds = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return Err("a time is a number with a unit of ns, us, ms or s, such as 334us".to_owned()),
    };
    let number = number.parse().ok().filter(|number: &f64| (0.0..=1e9).contains(number));
    let number = number.ok_or("a time is a number with a unit, such as 334us or 1.5ms")?;
    Ok(Duration::from_nanos((number * nanoseconds).round() as u64))
}
