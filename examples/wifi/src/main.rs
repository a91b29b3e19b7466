//! Judges captures of 802.11, and makes the figures of the study.
//!
//! ```text
//! cargo run --release -p wifi -- validate FILE.pcap --device 00:00:00:00:00:01
//! cargo run --release -p wifi -- validate FILE.pcap --device 00:00:00:00:00:01 --sniffer
//! examples/wifi/ns3/make.sh && cargo run --release -p wifi -- study
//! ```

use clap::{Parser, Subcommand};
use netcheck::capture::{Capture, MacAddress};
use netcheck::monitor::{IntoMonitor, Verdict};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wifi::frame::{origin_of, trace_of};
use wifi::pairs::Maker;
use wifi::study::{Detection, Rates, detection, distance, plot_detection, plot_distance};
use wifi::transmitter::Transmitter;
use wifi::{arf, arf::Arf};

#[derive(Parser)]
#[command(about = "Judges stations of 802.11 by captures")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Whether a station sends as it may, by its own capture or by that of a sniffer.
    Validate {
        /// A pcap or pcapng file, with radiotap headers.
        file: PathBuf,
        /// The address of the station.
        #[arg(long, value_parser = address)]
        device: MacAddress,
        /// The capture is that of a sniffer.
        #[arg(long)]
        sniffer: bool,
        /// Also writes the packets, and where the monitor is after each, as a page for a browser; only of the station's
        /// own capture.
        #[arg(long, conflicts_with_all = ["sniffer", "arf"])]
        page: Option<PathBuf>,
        /// Judge ARF rate control in place of retransmissions; only the station's own capture.
        #[arg(long, conflicts_with = "sniffer")]
        arf: bool,
    },
    /// Makes Figures 4 and 5 of "Wireless Protocol Validation Under Uncertainty" with ns-3.
    Study {
        /// What `ns3/make.sh` builds.
        #[arg(long, default_value = "target/wifi/pair")]
        program: PathBuf,
        /// Where the figures go.
        #[arg(long, default_value = "target/wifi")]
        folder: PathBuf,
        /// Seconds of each capture.
        #[arg(long, default_value_t = 30)]
        seconds: u64,
        /// Figure 4: steps of each probability of loss from 0 to 0.5.
        #[arg(long, default_value_t = 10)]
        steps: u32,
        /// Figure 5: pairs for each of 51 probabilities of loss.
        #[arg(long, default_value_t = 20)]
        runs: u32,
    },
}

fn address(text: &str) -> Result<MacAddress, String> {
    let bytes: Option<Vec<u8>> = text.split(':').map(|byte| u8::from_str_radix(byte, 16).ok()).collect();
    let bytes = bytes.and_then(|bytes| <[u8; 6]>::try_from(bytes).ok());
    bytes.map(MacAddress).ok_or_else(|| "an address is six bytes, such as 00:00:00:00:00:01".to_owned())
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Validate { file, device, sniffer, page, arf } => {
            validate(&file, device, (sniffer, arf), page.as_deref())
        }
        Command::Study { program, folder, seconds, steps, runs } => {
            study(&Maker { program, seconds }, &folder, steps, runs).map(|()| true)
        }
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether the station may be right.
fn validate(
    file: &Path,
    device: MacAddress,
    (is_sniffer, is_arf): (bool, bool),
    page: Option<&Path>,
) -> Result<bool, Box<dyn Error>> {
    let capture = Capture::read(file)?;
    if is_arf {
        let validation = arf::trace_of(&capture, device)?.validate(&Arf::default().into_monitor());
        print!("{validation}");
        return Ok(validation.is_accepted());
    }
    let monitor = Transmitter::default().monitor();
    let trace = trace_of(&capture, device, origin_of(&capture))?;
    if !is_sniffer {
        let validation = trace.validate(&monitor);
        print!("{validation}");
        if let Some(page) = page {
            std::fs::write(page, netcheck::monitor::page(&monitor, trace.trace()))?;
        }
        return Ok(validation.is_accepted());
    }
    let explained = Transmitter::sniffer().validate(&monitor, trace.trace())?;
    match &explained.verdict {
        Verdict::Consistent(mutation) => {
            println!(
                "the station may be right: {} guesses explain {} frames",
                mutation.guesses(),
                trace.packets().len()
            );
        }
        _ => print!("{}", explained.text(trace.trace())),
    }
    Ok(matches!(explained.verdict, Verdict::Consistent(_)))
}

/// The bounds `k` of `NumMissing` in Figure 5.
const BOUNDS: [usize; 5] = [10, 15, 20, 25, 30];

fn study(maker: &Maker, folder: &Path, steps: u32, runs: u32) -> Result<(), Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let distances = distance(maker, steps)?;
    let alarms = distances.iter().filter(|distance| distance.jaccard.is_none()).count();
    let guesses: usize = distances.iter().map(|distance| distance.guesses).sum();
    println!("{} pairs without bugs: {alarms} false alarms, {guesses} guesses", distances.len());
    plot_distance(&folder.join("distance.svg"), &distances)?;
    let detections = detection(maker, runs, &BOUNDS)?;
    let wrong = detections.iter().filter(|pair| pair.is_wrong).count();
    println!("{} pairs, in {wrong} of which the device is wrong", detections.len());
    row("definite violations", &detections, |pair| pair.is_definite);
    for most in BOUNDS {
        row(&format!("exact search, k = {most}"), &detections, |pair| pair.is_definite || pair.missing > most);
    }
    for (index, most) in BOUNDS.into_iter().enumerate() {
        row(&format!("Algorithm 2, k = {most}"), &detections, |pair| pair.by_backtracking[index] == Some(true));
        let unknown = detections.iter().filter(|pair| pair.by_backtracking[index].is_none()).count();
        println!("{:28} gave up on {unknown} pairs", "");
    }
    plot_detection(&folder.join("detection.svg"), &detections, &BOUNDS)?;
    println!("figures: {0}/distance.svg, {0}/detection.svg", folder.display());
    Ok(())
}

fn row(name: &str, pairs: &[Detection], reports: impl Fn(&Detection) -> bool) {
    let Rates { precision, recall } = Rates::of(pairs.iter(), reports);
    println!("{name:28} precision {precision:.3}  recall {recall:.3}");
}
