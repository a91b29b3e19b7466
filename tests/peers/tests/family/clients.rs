//! Random clients of a server, and the faults on their way.

use crate::rules::mixed;
use crate::{TCP, UDP};
use netcheck::Network;
use netcheck::check::{Checker, Tcp, Udp};
use netcheck::io::{AsyncReadExt, AsyncWriteExt};
use netcheck::net::{TcpStream, UdpSocket};
use netcheck::time::timeout;
use std::io;
use std::time::Duration;

/// How long a client waits for what may not come.
const PATIENCE: Duration = Duration::from_millis(10);

/// An act of a client with its connection or socket.
#[derive(Clone, Copy, Debug)]
enum Act {
    Write(u8),
    /// Reads a byte, and waits for it as long as it takes.
    Read,
    /// Reads a byte unless that takes long.
    TryRead,
    /// Ends its connection.
    Shutdown,
    Send(u8),
    TryReceive,
}

/// The faults that are declared.
#[derive(Clone, Copy, Debug)]
enum Faults {
    None,
    Reads,
    Writes,
    Opens,
    Split,
    Resets,
    Loss,
    Duplication,
}

/// The clients of a system.
#[derive(Clone, Debug)]
pub struct Clients {
    acts: Vec<Vec<Act>>,
    faults: Faults,
}

impl Clients {
    pub fn new(seed: u64) -> Self {
        let mut drawn = 0;
        let mut draw = |below: u64| {
            drawn += 1;
            mixed(seed ^ 0xc11e, drawn) % below
        };
        let count = 1 + draw(2);
        let acts = (0..count).map(|_| {
            let is_stream = draw(3) < 2;
            let length = 1 + draw(if count == 1 { 4 } else { 2 });
            let act = |draw: &mut dyn FnMut(u64) -> u64| match (is_stream, draw(10)) {
                (true, 0..4) => Act::Write(draw(3) as u8),
                (true, 4) => Act::Read,
                (true, 5..9) => Act::TryRead,
                (true, _) => Act::Shutdown,
                (false, 0..5) => Act::Send(draw(3) as u8),
                (false, _) => Act::TryReceive,
            };
            (0..length).map(|_| act(&mut draw)).collect()
        });
        let acts: Vec<Vec<Act>> = acts.collect();
        let all = [
            Faults::None,
            Faults::Reads,
            Faults::Writes,
            Faults::Opens,
            Faults::Split,
            Faults::Resets,
            Faults::Loss,
            Faults::Duplication,
        ];
        let faults = all[(mixed(seed ^ 0xfa17, 0) % all.len() as u64) as usize];
        Clients { acts, faults }
    }

    /// The names of the clients.
    pub fn names(&self) -> impl Iterator<Item = String> {
        (0..self.acts.len()).map(|number| format!("client{number}"))
    }

    pub fn checker(&self) -> Checker {
        let checker = Checker::new().at_most(1);
        match self.faults {
            Faults::None => Checker::new(),
            Faults::Reads => checker.tcp(Tcp::new().fail_read()),
            Faults::Writes => checker.tcp(Tcp::new().fail_write()),
            Faults::Opens => checker.tcp(Tcp::new().fail_open()),
            Faults::Split => checker.tcp(Tcp::new().split()),
            Faults::Resets => checker.tcp(Tcp::new().reset()),
            Faults::Loss => checker.udp(Udp::new().loss()),
            Faults::Duplication => checker.udp(Udp::new().duplication()),
        }
    }

    pub fn register(&self, net: &mut Network) {
        for (name, acts) in self.names().zip(&self.acts) {
            let acts = acts.clone();
            let is_stream = matches!(acts[0], Act::Write(_) | Act::Read | Act::TryRead | Act::Shutdown);
            net.process(name, move || client(acts.clone(), is_stream)).after("server");
        }
    }
}

/// The results of a client's acts.
async fn client(acts: Vec<Act>, is_stream: bool) -> Vec<String> {
    let mut seen = Vec::new();
    let result = if is_stream { on_stream(&acts, &mut seen).await } else { on_socket(&acts, &mut seen).await };
    if let Err(error) = result {
        seen.push(format!("{:?}", error.kind()));
    }
    seen
}

async fn on_stream(acts: &[Act], seen: &mut Vec<String>) -> io::Result<()> {
    let mut stream = TcpStream::connect(("server", TCP)).await?;
    for act in acts {
        match act {
            Act::Write(byte) => stream.write_all(&[*byte]).await?,
            Act::Read => seen.push(format!("{}", stream.read_u8().await?)),
            Act::TryRead => match timeout(PATIENCE, stream.read_u8()).await {
                Ok(read) => seen.push(format!("{}", read?)),
                Err(_) => seen.push("late".to_owned()),
            },
            Act::Shutdown => stream.shutdown().await?,
            Act::Send(_) | Act::TryReceive => unreachable!("for sockets"),
        }
    }
    Ok(())
}

async fn on_socket(acts: &[Act], seen: &mut Vec<String>) -> io::Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:0").await?;
    for act in acts {
        match act {
            Act::Send(byte) => {
                socket.send_to(&[*byte], ("server", UDP)).await?;
            }
            _ => {
                let mut buffer = [0; 4];
                match timeout(PATIENCE, socket.recv_from(&mut buffer)).await {
                    Ok(received) => seen.push(format!("{:?}", &buffer[..received?.0])),
                    Err(_) => seen.push("late".to_owned()),
                }
            }
        }
    }
    Ok(())
}
