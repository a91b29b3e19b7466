//! The packets of TFTP: RFC 1350 section 5, and the options of RFC 2347 to 2349.

use std::fmt;

/// The bytes of a block, unless another size is agreed on.
pub const BLOCK_BYTES: usize = 512;

/// A packet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Packet {
    Read(Request),
    Write(Request),
    Data {
        block: u16,
        bytes: Vec<u8>,
    },
    Ack {
        block: u16,
    },
    Error {
        code: u16,
        message: String,
    },
    /// The options that the server takes (RFC 2347).
    OptionAck(Options),
}

/// As the RFC names it, such as `DATA 1 "ab"`.
impl fmt::Display for Packet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Packet::Read(request) => write!(f, "RRQ {} {}", request.file, request.mode.name()),
            Packet::Write(request) => write!(f, "WRQ {} {}", request.file, request.mode.name()),
            Packet::Data { block, bytes } if bytes.len() <= 16 => {
                write!(f, "DATA {block} \"{}\"", bytes.escape_ascii())
            }
            Packet::Data { block, bytes } => write!(f, "DATA {block} ({} bytes)", bytes.len()),
            Packet::Ack { block } => write!(f, "ACK {block}"),
            Packet::Error { code, message } => write!(f, "ERROR {code} {message}"),
            Packet::OptionAck(_) => write!(f, "OACK"),
        }
    }
}

/// A request to read or to write a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Request {
    pub file: String,
    pub mode: Mode,
    pub options: Options,
}

/// How a file is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// As it is.
    Octet,
    /// As text of the network: lines end with CR LF.
    Netascii,
}

/// Options of a request; `None`: not asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Options {
    /// `blksize`: bytes of a block (RFC 2348).
    pub block_bytes: Option<u16>,
    /// `timeout`: seconds until a packet is sent again, for the first time (RFC 2349).
    pub timeout_s: Option<u8>,
    /// `tsize`: bytes of the file; 0 in a request to read, which asks for it (RFC 2349).
    pub size_bytes: Option<u64>,
}

/// The codes of errors.
pub mod code {
    pub const NOT_FOUND: u16 = 1;
    pub const ACCESS_VIOLATION: u16 = 2;
    pub const DISK_FULL: u16 = 3;
    pub const ILLEGAL: u16 = 4;
    pub const UNKNOWN_TRANSFER: u16 = 5;
}

/// Bytes that are no packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this is no packet of TFTP")
    }
}

impl Packet {
    pub fn parse(bytes: &[u8]) -> Result<Packet, Malformed> {
        let [0, operation, rest @ ..] = bytes else { return Err(Malformed) };
        let number = || rest.first_chunk().map(|number| u16::from_be_bytes(*number)).ok_or(Malformed);
        match operation {
            1 => Request::parse(rest).map(Packet::Read),
            2 => Request::parse(rest).map(Packet::Write),
            3 => Ok(Packet::Data { block: number()?, bytes: rest[2..].to_vec() }),
            4 => Ok(Packet::Ack { block: number()? }),
            5 => {
                let message = rest.get(2..).and_then(|rest| rest.split(|byte| *byte == 0).next()).unwrap_or_default();
                Ok(Packet::Error { code: number()?, message: String::from_utf8_lossy(message).into_owned() })
            }
            6 => Ok(Packet::OptionAck(Options::parse(&texts(rest)?))),
            _ => Err(Malformed),
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let numbered = |operation: u8, number: u16| [[0, operation], number.to_be_bytes()].concat();
        match self {
            Packet::Read(request) => request.to_bytes(1),
            Packet::Write(request) => request.to_bytes(2),
            Packet::Data { block, bytes } => [numbered(3, *block), bytes.clone()].concat(),
            Packet::Ack { block } => numbered(4, *block),
            Packet::Error { code, message } => [&numbered(5, *code)[..], message.as_bytes(), &[0]].concat(),
            Packet::OptionAck(options) => {
                let mut bytes = vec![0, 6];
                options.write(&mut bytes);
                bytes
            }
        }
    }
}

impl Mode {
    fn name(self) -> &'static str {
        match self {
            Mode::Octet => "octet",
            Mode::Netascii => "netascii",
        }
    }
}

impl Request {
    fn parse(bytes: &[u8]) -> Result<Request, Malformed> {
        let texts = texts(bytes)?;
        let [file, mode, options @ ..] = &texts[..] else { return Err(Malformed) };
        let mode = match mode.to_ascii_lowercase().as_str() {
            "octet" => Mode::Octet,
            "netascii" => Mode::Netascii,
            _ => return Err(Malformed),
        };
        Ok(Request { file: file.clone(), mode, options: Options::parse(options) })
    }

    fn to_bytes(&self, operation: u8) -> Vec<u8> {
        let mut bytes = vec![0, operation];
        write_texts(&mut bytes, &[&self.file, self.mode.name()]);
        self.options.write(&mut bytes);
        bytes
    }
}

impl Options {
    /// Names and values in turn. What is not known, or can't be, is left out, as RFC 2347 asks.
    fn parse(texts: &[String]) -> Options {
        let mut options = Options::default();
        for pair in texts.chunks_exact(2) {
            match pair[0].to_ascii_lowercase().as_str() {
                "blksize" => options.block_bytes = pair[1].parse().ok().filter(|bytes| (8..=65_464).contains(bytes)),
                "timeout" => options.timeout_s = pair[1].parse().ok().filter(|seconds| *seconds > 0),
                "tsize" => options.size_bytes = pair[1].parse().ok(),
                _ => {}
            }
        }
        options
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        let mut option = |name: &str, value: Option<u64>| {
            if let Some(value) = value {
                write_texts(bytes, &[name, &value.to_string()]);
            }
        };
        option("blksize", self.block_bytes.map(u64::from));
        option("timeout", self.timeout_s.map(u64::from));
        option("tsize", self.size_bytes);
    }

    pub fn are_empty(&self) -> bool {
        *self == Options::default()
    }
}

/// Texts that each end with a zero.
fn texts(bytes: &[u8]) -> Result<Vec<String>, Malformed> {
    let bytes = bytes.strip_suffix(&[0]).ok_or(Malformed)?;
    let text = |text: &[u8]| String::from_utf8(text.to_vec()).map_err(|_| Malformed);
    bytes.split(|byte| *byte == 0).map(text).collect()
}

fn write_texts(bytes: &mut Vec<u8>, texts: &[&str]) {
    for text in texts {
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
    }
}
