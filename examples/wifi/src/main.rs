//! Judges captures of 802.11, and makes the figures of the study.
//!
//! ```text
//! cargo run --release -p wifi -- validate FILE.pcap --device 00:00:00:00:00:01
//! cargo run --release -p wifi -- validate FILE.pcap --device 00:00:00:00:00:01 --sniffer
//! examples/wifi/ns3/make.sh && cargo run --release -p wifi -- study
//! ```

mod words;

use clap::{Parser, Subcommand};
use flate2::read::GzDecoder;
use netcheck::capture::Capture;
use std::error::Error;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wifi::frame::{Reading, parts, trace_of};
use wifi::judge::{Judgement, Question, judge, transmitter};
use wifi::pairs::Maker;
use wifi::physical::Physical;
use wifi::study::{Detection, Rates, detection, distance, plot_detection, plot_distance};
use words::Words;

#[derive(Parser)]
#[command(about = "Judges stations of 802.11 by captures")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// The end of the text of `validate --help`.
const STATUS: &str = "Exit status: 0 if the station is right, or may be by what a sniffer heard; 1 if it is wrong; 2 \
                      for an error; 3 if nothing was judged.";

#[derive(Subcommand)]
enum Command {
    /// Whether a station sends as it may, by its own capture or by that of a sniffer.
    #[command(after_help = STATUS)]
    Validate(Words),
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
        /// Figure 5: probabilities of loss between the stations, from 0 to 0.5.
        #[arg(long, default_value_t = 51)]
        losses: u32,
        /// Figure 5: pairs for each of these probabilities.
        #[arg(long, default_value_t = 20)]
        runs: u32,
    },
}

/// The exit status where nothing was judged.
const NOTHING: u8 = 3;

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Validate(words) => validate(&words),
        Command::Study { program, folder, seconds, steps, losses, runs } => {
            study(&Maker { program, seconds }, &folder, steps, (losses, runs)).map(|()| ExitCode::SUCCESS)
        }
    };
    result.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}

/// Whether the station may be right.
fn validate(words: &Words) -> Result<ExitCode, Box<dyn Error>> {
    let capture = read(&words.file)?;
    let question = words.question();
    let judgement = judge(&capture, &question).map_err(|refused| format!("{}: {refused}", words.file.display()))?;
    let (text, status) = match judgement {
        Judgement::Right(text) => (text, ExitCode::SUCCESS),
        Judgement::Wrong(text) => (text, ExitCode::FAILURE),
        Judgement::Nothing(text) => {
            print!("{text}");
            return Ok(ExitCode::from(NOTHING));
        }
    };
    print!("{text}");
    if let Some(page) = &words.page {
        write_page(&capture, &question, page)?;
    }
    Ok(status)
}

/// Reads a capture file, which is compressed if its name ends with `.gz`.
fn read(path: &Path) -> Result<Capture, Box<dyn Error>> {
    if path.extension().is_none_or(|extension| extension != "gz") {
        return Ok(Capture::read(path)?);
    }
    let mut bytes = Vec::new();
    let unread = |error: io::Error| format!("{}: cannot be read: {error}", path.display());
    let file = fs::File::open(path).map_err(unread)?;
    GzDecoder::new(file).read_to_end(&mut bytes).map_err(unread)?;
    Capture::parse(&bytes).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// Writes the packets of the station's own capture, and where the monitor is after each.
fn write_page(capture: &Capture, question: &Question, page: &Path) -> Result<(), Box<dyn Error>> {
    let frames = capture.frames();
    let device = question.device.expect("a question is about a device");
    let physical = question.physical.or_else(|| Physical::of(frames)).expect("the capture was judged");
    let reading = Reading { physical, instants: question.instants };
    let monitor = transmitter(frames, &parts(frames, device), question, physical)?.monitor();
    let trace = trace_of(capture, device, capture.began(), reading)?;
    fs::write(page, netcheck::monitor::page(&monitor, trace.trace()))
        .map_err(|error| format!("{}: cannot be written: {error}", page.display()))?;
    Ok(())
}

/// The bounds `k` of `NumMissing` in Figure 5, and a greater one.
const BOUNDS: [usize; 6] = [10, 15, 20, 25, 30, 40];

fn study(maker: &Maker, folder: &Path, steps: u32, (losses, runs): (u32, u32)) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(folder)?;
    let distances = distance(maker, steps)?;
    let alarms = distances.iter().filter(|distance| distance.jaccard.is_none()).count();
    let guesses: usize = distances.iter().map(|distance| distance.guesses).sum();
    println!("{} pairs without bugs: {alarms} false alarms, {guesses} guesses", distances.len());
    plot_distance(&folder.join("distance.svg"), &distances)?;
    let detections = detection(maker, (losses, runs), &BOUNDS)?;
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
