//! Checks of the name server and its client, with every crate that they use.

use hickory_program::{ADDRESS, NAME, dns, look_up};
use netcheck::Network;
use std::net::{IpAddr, Ipv4Addr};

/// The address of the first process.
const DNS: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));

#[netcheck::model_check(whole)]
fn a_name_is_answered(net: &mut Network) {
    net.daemon("dns", dns);
    let asks = || async { assert_eq!(look_up(NAME, DNS).await.unwrap(), [ADDRESS]) };
    net.process("client", asks).after("dns");
}

#[netcheck::model_check(whole, udp(loss, duplication), at_most = 1)]
fn a_name_is_answered_though_a_packet_gets_lost_or_arrives_twice(net: &mut Network) {
    net.daemon("dns", dns);
    let asks = || async { assert_eq!(look_up(NAME, DNS).await.unwrap(), [ADDRESS]) };
    net.process("client", asks).after("dns");
}

#[netcheck::model_check(whole, udp(loss, duplication))]
fn a_name_is_answered_or_the_look_up_fails(net: &mut Network) {
    net.daemon("dns", dns);
    let asks = || async {
        match look_up(NAME, DNS).await {
            Ok(addresses) => assert_eq!(addresses, [ADDRESS]),
            Err(_) => netcheck::sometimes!(true, "a look-up fails"),
        }
    };
    net.process("client", asks).after("dns");
}
