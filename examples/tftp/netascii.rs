//! Text as it is sent in the mode `netascii`: RFC 764's, where a line ends with CR LF and a CR alone is CR NUL.

/// A text of this machine for the network.
pub fn encode(text: &[u8]) -> Vec<u8> {
    let mut sent = Vec::with_capacity(text.len());
    for &byte in text {
        match byte {
            b'\n' => sent.extend(b"\r\n"),
            b'\r' => sent.extend(b"\r\0"),
            byte => sent.push(byte),
        }
    }
    sent
}

/// A text from the network for this machine. A CR before anything else stays as it is.
pub fn decode(sent: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(sent.len());
    let mut bytes = sent.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.next_if_eq(&b'\n').is_some() => text.push(b'\n'),
            b'\r' if bytes.next_if_eq(&0).is_some() => text.push(b'\r'),
            byte => text.push(byte),
        }
    }
    text
}
