//! The modules that may use each other in the crates at the edge of a check: files of captured packets, and real peers.

use super::layers::Row;

pub const CAPTURE: &[Row] = &[
    ("", &["capture", "decoder", "error", "packet", "trace", "wireless"]),
    ("error", &[]),
    ("packet", &[]),
    ("record", &["error"]),
    ("pcap", &["error", "record"]),
    ("pcapng", &["error", "record"]),
    ("frame", &[]),
    ("wireless", &[]),
    ("trace", &["error", "packet", "wireless"]),
    ("stream", &["packet"]),
    ("connections", &["frame", "packet", "stream"]),
    ("decoder", &["connections", "error", "frame", "packet", "trace"]),
    ("capture", &["decoder", "error", "frame", "packet", "pcap", "pcapng", "record", "trace", "wireless"]),
];

pub const PEER: &[Row] = &[
    ("", &["branches", "error", "exchange", "external", "peer"]),
    ("error", &[]),
    ("json", &[]),
    ("exchange", &["json"]),
    ("folder", &[]),
    ("log", &[]),
    ("branches", &["exchange"]),
    ("external", &["exchange"]),
    ("file", &["branches", "error", "exchange", "json"]),
    ("kernel", &["external"]),
    ("wires", &["exchange", "external", "kernel"]),
    ("process", &["error", "external", "folder", "kernel", "log"]),
    ("instance", &["branches", "error", "exchange", "external", "folder", "process", "wires"]),
    ("worker", &["branches", "error", "exchange", "external", "instance"]),
    ("peer", &["branches", "error", "exchange", "external", "file", "worker"]),
];
