//! The calls that declare what the network may do: the builders of UDP and TCP.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::ast::{Choice, Delays, DelaysKind, Length, Said, Tcp, Udp};
use super::attr::plain;

pub(super) fn udp(udp: &Udp) -> TokenStream {
    let mut calls = TokenStream::new();
    for word in ["loss", "duplication"] {
        if let Some(word) = udp.said.get(word) {
            calls.extend(quote!(.#word()));
        }
    }
    if let Some(reorder) = udp.reorder.as_ref().map(plain) {
        calls.extend(quote!(.reorder(#reorder)));
    }
    if let Some(copies) = &udp.copies {
        let copies = copies.iter().map(plain);
        calls.extend(quote!(.copies([#(#copies),*])));
    }
    if let Some(window) = udp.window.as_ref().map(plain) {
        calls.extend(quote!(.window(#window)));
    }
    if let Some(Choice { variant, .. }) = &udp.direction {
        calls.extend(quote!(.direction(::netcheck::check::Direction::#variant)));
    }
    calls.extend(delays(&udp.said, udp.delays.as_ref()));
    for process in udp.processes.iter().flatten() {
        calls.extend(quote!(.process(#process)));
    }
    if let Some(between) = &udp.between {
        calls.extend(quote!(.between([#(#between),*])));
    }
    quote!(::netcheck::check::Udp::new() #calls)
}

/// The call for `delay`, if it is said.
fn delays(said: &Said, delays: Option<&Delays>) -> Option<TokenStream> {
    let delay = said.get("delay")?;
    let duration = |length: &Length| {
        let ns = length.ns;
        quote!(::core::time::Duration::from_nanos(#ns))
    };
    Some(match delays.map(|delays| &delays.kind) {
        None => quote!(.#delay(..)),
        Some(DelaysKind::Interval { least, most: None }) => {
            let least = duration(least);
            quote!(.#delay(#least..))
        }
        Some(DelaysKind::Interval { least, most: Some(most) }) => {
            let (least, most) = (duration(least), duration(most));
            quote!(.#delay(#least..=#most))
        }
        Some(DelaysKind::Listed(listed)) => {
            let listed = listed.iter().map(duration);
            quote!(.delays([#(#listed),*]))
        }
    })
}

pub(super) fn tcp(tcp: &Tcp) -> TokenStream {
    let mut calls = TokenStream::new();
    for word in ["open", "close", "read", "write"] {
        if let Some(word) = tcp.said.get(word) {
            let fail = format_ident!("fail_{word}");
            calls.extend(quote!(.#fail()));
        }
    }
    for word in ["reset", "hang", "transient", "split"] {
        if let Some(word) = tcp.said.get(word) {
            calls.extend(quote!(.#word()));
        }
    }
    calls.extend(delays(&tcp.said, tcp.delays.as_ref()));
    if let Some(buffer) = tcp.buffer.as_ref().map(plain) {
        calls.extend(quote!(.buffer(#buffer)));
    }
    for process in tcp.processes.iter().flatten() {
        calls.extend(quote!(.process(#process)));
    }
    if let Some(Choice { variant, .. }) = &tcp.side {
        calls.extend(quote!(.side(::netcheck::check::Side::#variant)));
    }
    if let Some(first) = tcp.first.as_ref().map(plain) {
        calls.extend(quote!(.first(#first)));
    }
    quote!(::netcheck::check::Tcp::new() #calls)
}
