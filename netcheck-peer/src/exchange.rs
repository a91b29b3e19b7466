//! Inputs that go to a peer, and outputs that come from it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Something that happens to a peer. Connections and clients are counted from 0, in the order in which they came.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Input {
    /// The next connection is made, to a port of its services.
    Connected {
        /// The port, as the programs under check know it.
        port: u16,
    },
    /// Bytes come on a connection.
    Bytes {
        /// The connection.
        connection: usize,
        /// The bytes that come.
        #[serde(with = "text")]
        bytes: Vec<u8>,
    },
    /// The other end of a connection has ended its stream.
    Ended {
        /// The connection.
        connection: usize,
    },
    /// The other end of a connection has reset it.
    Reset {
        /// The connection.
        connection: usize,
    },
    /// A datagram comes.
    Datagram {
        /// The client, by the address that the datagram comes from.
        client: usize,
        /// Where it goes.
        to: Port,
        /// The bytes that come.
        #[serde(with = "text")]
        payload: Vec<u8>,
    },
    /// It is killed, with all its connections, and started again. Connections and clients are counted from 0 again.
    Killed,
}

/// Something that a peer does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// It sends bytes on a connection.
    Bytes {
        /// The connection.
        connection: usize,
        /// The bytes that it sends.
        #[serde(with = "text")]
        bytes: Vec<u8>,
    },
    /// It ends its stream of a connection.
    Ended {
        /// The connection.
        connection: usize,
    },
    /// It resets a connection, or does not accept it.
    Reset {
        /// The connection.
        connection: usize,
    },
    /// It sends a datagram.
    Datagram {
        /// The client.
        client: usize,
        /// The port that it sends from.
        from: Port,
        /// The bytes that it sends.
        #[serde(with = "text")]
        payload: Vec<u8>,
    },
}

/// A UDP port of a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Port {
    /// The port of a service, as the programs under check know it.
    Service(u16),
    /// A further port, which the peer has opened itself: counted from 0, in the order in which datagrams came from them.
    Opened(usize),
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Connected { port } => write!(f, "a connection to port {port}"),
            Input::Bytes { connection, bytes } => write!(f, "b\"{}\" on connection {connection}", bytes.escape_ascii()),
            Input::Ended { connection } => write!(f, "the end of connection {connection}"),
            Input::Reset { connection } => write!(f, "the reset of connection {connection}"),
            Input::Datagram { client, to, payload } => {
                write!(f, "datagram b\"{}\" of client {client} to {to}", payload.escape_ascii())
            }
            Input::Killed => f.write_str("a kill, and a start"),
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Output::Bytes { connection, bytes } => {
                write!(f, "b\"{}\" on connection {connection}", bytes.escape_ascii())
            }
            Output::Ended { connection } => write!(f, "the end of connection {connection}"),
            Output::Reset { connection } => write!(f, "the reset of connection {connection}"),
            Output::Datagram { client, from, payload } => {
                write!(f, "datagram b\"{}\" from {from} to client {client}", payload.escape_ascii())
            }
        }
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Port::Service(port) => write!(f, "port {port}"),
            Port::Opened(number) => write!(f, "its port no. {}", number + 1),
        }
    }
}

/// Outputs in words.
pub(crate) fn in_words(outputs: &[Output]) -> String {
    match outputs {
        [] => "nothing".to_owned(),
        outputs => outputs.iter().map(ToString::to_string).collect::<Vec<_>>().join(", then "),
    }
}

/// Bytes as text: each is the character of its number, so that ASCII can be read, compared and edited.
mod text {
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&bytes.iter().map(|&byte| char::from(byte)).collect::<String>())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        let text = String::deserialize(deserializer)?;
        let byte =
            |character| u8::try_from(character).map_err(|_| D::Error::custom("a character above U+00FF is no byte"));
        text.chars().map(byte).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn all_bytes_come_back_from_the_file() {
        let input = Input::Bytes { connection: 3, bytes: (0..=255).collect() };
        let text = json::to_string(&input);
        assert!(text.contains("ABCDEFGH"), "{text}");
        assert_eq!(json::from_str::<Input>(&text).expect("it can be read"), input);
    }

    #[test]
    fn a_character_that_is_no_byte_is_refused() {
        let text = r#"{"bytes":{"connection":0,"bytes":"Ā"}}"#;
        let error = json::from_str::<Input>(text).expect_err("U+0100 is no byte");
        assert!(error.to_string().contains("above U+00FF"), "{error}");
    }
}
