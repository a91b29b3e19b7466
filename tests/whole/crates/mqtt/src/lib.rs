//! A small MQTT 3.1.1 server that counts messages, and clients of it on rumqttc.

use rumqttc::{AsyncClient, ConnectionError, Event, MqttOptions, Packet, QoS};
use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// How the server counts messages of the topic `visits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Every message, as it arrives.
    Messages,
    /// Messages with different payloads.
    Visitors,
}

#[derive(Debug)]
struct Broker {
    count: Count,
    sessions: BTreeSet<Vec<u8>>,
    visits: Vec<Vec<u8>>,
}

/// Serves on port 1883: counts what is published to `visits`, and tells the number to those who subscribe to `total`.
pub async fn server(count: Count) -> io::Result<()> {
    let listener = TcpListener::bind("0.0.0.0:1883").await?;
    let broker = Arc::new(Mutex::new(Broker { count, sessions: BTreeSet::new(), visits: Vec::new() }));
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(serve(stream, broker.clone()));
    }
}

async fn serve(stream: TcpStream, broker: Arc<Mutex<Broker>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let kind = stream.read_u8().await? >> 4;
        let mut body = vec![0; length(&mut stream).await?];
        stream.read_exact(&mut body).await?;
        let Some(answer) = broker.lock().unwrap().answer(kind, &body) else { return Ok(()) };
        stream.write_all(&answer).await?;
    }
}

/// A length of a packet: seven bits in each byte, and whether another one follows.
async fn length(stream: &mut BufReader<TcpStream>) -> io::Result<usize> {
    let (mut length, mut shift) = (0, 0);
    loop {
        let byte = stream.read_u8().await?;
        length |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            return Ok(length);
        }
    }
}

/// The string or the bytes at the start, behind their length in two bytes, and what comes after them.
fn string(bytes: &[u8]) -> (&[u8], &[u8]) {
    let (length, rest) = bytes.split_at(2);
    rest.split_at(u16::from_be_bytes([length[0], length[1]]).into())
}

impl Broker {
    /// The answer to a packet. No answer: the client disconnects.
    fn answer(&mut self, kind: u8, body: &[u8]) -> Option<Vec<u8>> {
        Some(match kind {
            // CONNECT: behind the protocol, its level, flags and the time to keep alive is the client's name.
            1 => {
                let clean = body[7] & 2 != 0;
                let (name, _) = string(&body[10..]);
                let present = !self.sessions.insert(name.to_owned()) && !clean;
                vec![0x20, 2, present.into(), 0]
            }
            // PUBLISH with QoS 1, and PUBACK.
            3 => {
                let (topic, rest) = string(body);
                let (packet, payload) = rest.split_at(2);
                let known = self.visits.iter().any(|visit| visit == payload);
                if topic == b"visits" && !(known && self.count == Count::Visitors) {
                    self.visits.push(payload.to_owned());
                }
                vec![0x40, 2, packet[0], packet[1]]
            }
            // SUBSCRIBE, SUBACK, and PUBLISH with QoS 0 of the message that is retained.
            8 => {
                let count = self.visits.len().to_string();
                let suback = [0x90, 3, body[0], body[1], 0];
                let publish = [0x31, 7 + count.len() as u8, 0, 5];
                [&suback[..], &publish, b"total", count.as_bytes()].concat()
            }
            // PINGREQ and PINGRESP.
            12 => vec![0xd0, 0],
            _ => return None,
        })
    }
}

/// What a client does if its connection fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failed {
    /// It connects again, and rumqttc publishes what is not acknowledged.
    Reconnect,
    /// It reports the error.
    GiveUp,
}

/// Publishes one visit with QoS 1, and returns the number of visits once that is acknowledged.
pub async fn visit(failed: Failed) -> Result<String, ConnectionError> {
    let mut options = MqttOptions::new("visitor", "server", 1883);
    options.set_clean_session(false);
    let (client, mut events) = AsyncClient::new(options, 10);
    client.publish("visits", QoS::AtLeastOnce, false, "a").await.expect("room for a request");
    let mut acknowledged = false;
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Packet::PubAck(_))) => {
                acknowledged = true;
                client.subscribe("total", QoS::AtMostOnce).await.expect("room for a request");
            }
            // A subscription is not repeated by rumqttc.
            Ok(Event::Incoming(Packet::ConnAck(_))) if acknowledged => {
                client.subscribe("total", QoS::AtMostOnce).await.expect("room for a request");
            }
            Ok(Event::Incoming(Packet::Publish(total))) => {
                return Ok(String::from_utf8_lossy(&total.payload).into_owned());
            }
            Ok(_) => {}
            Err(error) if failed == Failed::GiveUp => return Err(error),
            Err(_) => {}
        }
    }
}
