//! Quantities that only steps of units raise, and that are as great as before where a state comes again.
//!
//! - The deliveries that are left of the datagrams under way to a port. A program that takes a datagram lowers them, and so do
//!   losses and copies that are forgone; only a send to the port raises them. Nothing is taken by a look at a datagram that
//!   stays (`peek`, `readable`).
//! - The datagrams in the mailboxes of a process, likewise.
//! - The bytes on their way from an end of a connection. A program that reads them lowers them, and so do a reset and the end
//!   of the connection; only a write raises them. The end of a stream is read any number of times.
//! - The connections that wait at a port for an `accept`. An `accept` lowers them; only a connect to the port raises them,
//!   also one that is given up.

use super::components::{Component, ComponentId};
use super::mailboxes::prepared::Call;
use super::prepared::Prepared;
use super::system::System;
use super::tcp::Prepared as Tcp;
use super::udp::Prepared as Udp;
use super::udp::prepared::{Send, SendToGroup};
use crate::operation::{Effect, Outcome, ReceiveMode, Side, tcp};
use crate::unit::automaton::{Edge, EdgeId};

use smallvec::{SmallVec, smallvec};

/// A quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Stock {
    /// The deliveries of datagrams to a port.
    Datagrams(ComponentId),
    /// The datagrams in the mailboxes of a process.
    Mail(ComponentId),
    /// The bytes from an end of a connection.
    Bytes(ComponentId, Side),
    /// The connections that wait at a port.
    Connections(ComponentId),
}

impl System {
    /// The stock that the step of an edge lowers, whatever else it does.
    pub(crate) fn taken_by(&mut self, edge: EdgeId) -> Option<Stock> {
        let Edge { source, input, .. } = *self.learner.automata.edge(edge);
        let offers = self.prepared_offers(source);
        let offer = offers.iter().find(|offer| offer.key == input.key)?;
        match (&offer.prepared, self.learner.automata.outcome(input.outcome)) {
            (&Prepared::Udp(Udp::Receive { socket, port, mode: ReceiveMode::Take, .. }), Outcome::Datagram { .. }) => {
                let port = Component::Port(self.process_of(socket.unit), port);
                Some(Stock::Datagrams(self.components.id(port)))
            }
            (Prepared::Mailboxes(prepared), Outcome::Datagram { .. }) => Some(Stock::Mail(prepared.at)),
            (Prepared::Tcp(Tcp::Read { end, peeks: false, .. }), Outcome::Bytes(bytes)) if !bytes.is_empty() => {
                Some(Stock::Bytes(end.component, end.peer()))
            }
            (Prepared::Tcp(Tcp::Accept { port, .. }), Outcome::Accepted { .. }) => Some(Stock::Connections(*port)),
            _ => None,
        }
    }

    /// The stocks that the step of an edge may raise, or a step of the network while the unit is at its source.
    pub(crate) fn raised_by(&mut self, edge: EdgeId) -> SmallVec<[Stock; 2]> {
        let Edge { source, input, .. } = *self.learner.automata.edge(edge);
        let mut raised: SmallVec<[Stock; 2]> = smallvec![];
        for offer in &*self.prepared_offers(source) {
            match &offer.prepared {
                // The connection is made before the program knows of it, or although its connect is given up.
                Prepared::Tcp(Tcp::Open(open) | Tcp::Dial(open)) => {
                    raised.extend(open.to.map(|(_, port)| Stock::Connections(port)));
                }
                _ if offer.key != input.key => {}
                Prepared::Udp(Udp::Send(Send { port, .. })) => raised.extend(port.map(Stock::Datagrams)),
                Prepared::Udp(Udp::SendToGroup(SendToGroup { hosts, .. })) => {
                    raised.extend(hosts.iter().map(|&(_, port)| Stock::Datagrams(port)));
                }
                Prepared::Mailboxes(prepared) => {
                    let sends = matches!(prepared.call, Call::Send { .. });
                    raised.extend(sends.then_some(Stock::Mail(prepared.at)));
                }
                Prepared::Tcp(Tcp::Write { end, .. }) => raised.push(Stock::Bytes(end.component, end.side)),
                _ => {}
            }
        }
        let Edge { effects, .. } = self.learner.automata.edge(edge);
        let unit = self.learner.automata.node(source).unit;
        let given_up: SmallVec<[_; 1]> = effects
            .iter()
            .filter_map(|effect| match *effect {
                Effect::Tcp(tcp::Effect::GiveUp { peer, .. }) => Some(peer),
                _ => None,
            })
            .collect();
        for peer in given_up {
            let to = self.tell(|view| view.dialed(view.process_of(unit), peer));
            raised.extend(to.map(|(_, port)| Stock::Connections(port)));
        }
        raised
    }
}
