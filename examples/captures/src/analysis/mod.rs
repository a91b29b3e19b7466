//! From a capture to what is wrong in it.
//!
//! [`transfers`] finds the transfers, [`side`] what each side has done, and [`follow`] where a monitor rejects that. The
//! packets and the monitors are those of the example `tftp`.

mod follow;
mod program;
mod side;
#[path = "../../../tftp/specification.rs"]
#[allow(dead_code, reason = "what a check sees is not what a capture has")]
mod specification;
mod transfers;
mod verdict;

pub use side::Times;
pub use transfers::Side;

use netcheck_capture::{Capture, Error};
use std::fmt::Write;
use verdict::{explained, judge, summary, title};

/// How a capture is judged.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The port that requests are sent to.
    pub port: u16,
    /// The sides that are judged; `None`: both, and it is not known where the capture was made.
    pub at: Option<&'a [Side]>,
    pub times: Times,
    /// How often a packet may be sent again.
    pub retries: u16,
}

/// The verdict on a capture.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    pub text: String,
    pub transfers: usize,
    /// The sides that are wrong, each with the number of its transfer and of the packet.
    pub wrong: Vec<(usize, Side, usize)>,
}

/// Says what is wrong in a capture.
///
/// # Errors
///
/// If its packets are not in the order of their instants.
pub fn analysis(capture: &Capture, settings: &Settings<'_>) -> Result<Analysis, Error> {
    capture.trace(|_| Some(()))?;
    let transfers = transfers::transfers(capture, settings.port);
    let mut said = Analysis {
        text: format!("{} packets, transfers: {}\n", capture.packets(), transfers.len()),
        transfers: transfers.len(),
        wrong: Vec::new(),
    };
    let mut is_unsure = false;
    for (number, transfer) in (1..).zip(&transfers) {
        say(&mut said.text, format_args!("\ntransfer {number}: {}\n  {}\n", title(transfer), summary(transfer)));
        for &side in settings.at.unwrap_or(&[Side::Client, Side::Server]) {
            if transfer.peer.is_none() && side == Side::Server {
                continue;
            }
            let Some(rejected) = judge(transfer, side, settings, capture.lasted()) else {
                say(&mut said.text, format_args!("  the {side} keeps to the specification\n"));
                continue;
            };
            let is_elsewhere = settings.at.is_none() && transfer.client.ip() != transfer.server.ip();
            is_unsure |= is_elsewhere;
            let unless = match is_elsewhere {
                true => ", unless packets were lost between it and the place of the capture",
                false => "",
            };
            let packet = transfer.packets[rejected.packet].place.number;
            say(&mut said.text, format_args!("  the {side} is WRONG at packet {packet}{unless}:\n"));
            for line in explained(transfer, &rejected).lines() {
                say(&mut said.text, format_args!("    {line}\n"));
            }
            said.wrong.push((number, side, packet));
        }
    }
    if is_unsure {
        said.text +=
            "\nsay where the capture was made, and only that side is judged: --at client, --at server, or --at both\n";
    }
    Ok(said)
}

fn say(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("a text takes all");
}
