//! The rules of a random server: a table, made from a seed.

/// An event that a server meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A connection is made.
    Connected,
    /// A byte comes on a connection.
    Byte(u8),
    /// The client has ended a connection.
    Ended,
    /// A connection has failed.
    Failed,
    /// A datagram of one byte comes.
    Datagram(u8),
}

/// The server's answer to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Nothing,
    /// It sends its state on the connection, or to the client of the datagram.
    Answer,
    /// It sends its state on the first connection that is open.
    AnswerFirst,
    /// It ends its stream of the connection.
    End,
    /// It resets the connection.
    Reset,
}

/// A table of what a server does, with the state that it has come to.
#[derive(Clone, Debug)]
pub struct Rules {
    seed: u64,
    state: u8,
}

/// The number of states.
const STATES: u64 = 5;

impl Rules {
    pub fn new(seed: u64) -> Self {
        Rules { seed, state: 0 }
    }

    /// Takes an event: the action, and the byte that it may send.
    pub fn take(&mut self, event: Event) -> (Action, u8) {
        let event = match event {
            Event::Connected => 0,
            Event::Ended => 1,
            Event::Failed => 2,
            Event::Byte(byte) => 16 + u64::from(byte),
            Event::Datagram(byte) => 32 + u64::from(byte),
        };
        let drawn = mixed(self.seed, u64::from(self.state) << 8 | event);
        self.state = u8::try_from(drawn % STATES).expect("a small number");
        let action = match drawn >> 8 & 15 {
            0..3 => Action::Nothing,
            3..10 => Action::Answer,
            10..13 => Action::AnswerFirst,
            13..15 => Action::End,
            _ => Action::Reset,
        };
        (action, b'0' + self.state)
    }
}

/// A number that follows from two others, without a pattern.
pub fn mixed(seed: u64, number: u64) -> u64 {
    random::mixed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(number.wrapping_mul(0xbf58_476d_1ce4_e5b9)))
}
