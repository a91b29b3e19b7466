//! A name server that knows one name, and a client of it.

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::A;
use hickory_resolver::proto::rr::{RData, Record, RecordType};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use tokio::net::UdpSocket;

/// The only name that there is, and its address.
pub const NAME: &str = "shop.example.";
pub const ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 7);

/// The answer to a request, if that is one.
fn answer(request: &[u8]) -> Option<Vec<u8>> {
    let mut message = Message::from_vec(request).ok()?.into_response();
    let query = message.queries.first()?;
    let name = query.name().clone();
    if name.to_ascii().eq_ignore_ascii_case(NAME) {
        if query.query_type() == RecordType::A {
            message.add_answer(Record::from_rdata(name, 60, RData::A(A(ADDRESS))));
        }
    } else {
        message.metadata.response_code = ResponseCode::NXDomain;
    }
    message.to_vec().ok()
}

/// Answers on port 53.
pub async fn dns() -> io::Result<()> {
    let socket = UdpSocket::bind("0.0.0.0:53").await?;
    let mut buffer = [0; 512];
    loop {
        let (length, client) = socket.recv_from(&mut buffer).await?;
        if let Some(answer) = answer(&buffer[..length]) {
            socket.send_to(&answer, client).await?;
        }
    }
}

/// The IPv4 addresses of a name, from the name server at this address.
pub async fn look_up(name: &str, server: IpAddr) -> Result<Vec<Ipv4Addr>, NetError> {
    let config = ResolverConfig::from_name_servers(vec![NameServerConfig::udp(server)]);
    let resolver = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default()).build()?;
    let lookup = resolver.ipv4_lookup(name).await?;
    let address = |record: &Record| match record.data {
        RData::A(A(address)) => Some(address),
        _ => None,
    };
    Ok(lookup.answers().iter().filter_map(address).collect())
}
