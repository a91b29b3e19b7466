#!/usr/bin/env bash
# Captures transfers of examples/file_transfer over the loopback of a network namespace: one in which nothing is lost, and
# one through lossy.py, captured at the client's side. Run as root on Linux, from anywhere; needs cargo, tcpdump, python3,
# ip (iproute2), and editcap (Wireshark), which turns the first one into pcapng.
set -euo pipefail
cd "$(dirname "$0")"

cargo build --package netcheck --example file_transfer
target="${CARGO_TARGET_DIR:-../../../target}"
export FILE_TRANSFER="$target/debug/examples/file_transfer"

# capture FILE DEVICE SERVER_PORT [PROXY...]
capture() {
    unshare --net --pid --fork --mount-proc bash -euc '
        file=$1 device=$2 port=$3; shift 3
        ip link set lo up
        "$FILE_TRANSFER" serve --port "$port" > /dev/null &
        [ $# -eq 0 ] || "$@" &
        tcpdump --immediate-mode -i "$device" -w "$file" port 4000 or port 4001 & tcpdump=$!
        sleep 1
        "$FILE_TRANSFER" get
        sleep 1
        kill -INT "$tcpdump"; wait "$tcpdump" || true
    ' capture "$@"
}

capture /tmp/file_transfer.pcap lo 4000
editcap -F pcapng /tmp/file_transfer.pcap file_transfer.pcapng
# the device `any` makes it a Linux cooked capture
capture /tmp/file_transfer_lossy.pcap any 5000 python3 lossy.py
cp /tmp/file_transfer.pcap /tmp/file_transfer_lossy.pcap .
chmod 644 ./*.pcap ./*.pcapng
