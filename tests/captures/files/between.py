"""Stands between a client and a server of TFTP: 127.0.0.2:69 is the client's server, and 127.0.0.3 the server's client.
Packets are counted from 1 in each direction, requests too. Arguments say what becomes of some of them: `c3=0`, the third
one of the client is lost; `s2=2`, the second one of the server comes twice; `s2=0.5`, it comes half a second late; and
`s2=1+0.5`, it comes at once, and a copy half a second later. All others come once, at once."""

import select
import socket
import sys
import time

CLIENTS, SERVERS, SERVER = ("127.0.0.2", 69), "127.0.0.3", ("127.0.0.1", 69)


def delays(fate):
    at_once = {"0": [], "1": [0], "2": [0, 0]}
    if fate in at_once:
        return at_once[fate]
    return [0, float(fate.split("+")[1])] if "+" in fate else [float(fate)]


fates = dict(argument.split("=") for argument in sys.argv[1:])
listens = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
listens.bind(CLIENTS)
# for each transfer: the socket that talks to the client and the client's address, and those of the server
transfers = []
counts = {"c": 0, "s": 0}
due = []


def pass_on(side, data, by, to):
    counts[side] += 1
    for delay in delays(fates.get(f"{side}{counts[side]}", "1")):
        due.append((time.monotonic() + delay, data, by, to))


while True:
    due.sort(key=lambda one: one[0])
    while due and due[0][0] <= time.monotonic():
        _, data, by, to = due.pop(0)
        by.sendto(data, to)
    patience = max(0, due[0][0] - time.monotonic()) if due else None
    sockets = [listens] + [one for transfer in transfers for one in (transfer["to_client"], transfer["to_server"])]
    for readable in select.select(sockets, [], [], patience)[0]:
        data, address = readable.recvfrom(65536)
        if readable is listens:
            known = [transfer for transfer in transfers if transfer["client"] == address]
            if known and known[-1]["server"] == SERVER:
                pass_on("c", data, known[-1]["to_server"], SERVER)
                continue
            pair = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
            pair[0].bind((CLIENTS[0], 0))
            pair[1].bind((SERVERS, 0))
            transfers.append({"to_client": pair[0], "client": address, "to_server": pair[1], "server": SERVER})
            pass_on("c", data, pair[1], SERVER)
            continue
        for transfer in transfers:
            if readable is transfer["to_client"]:
                pass_on("c", data, transfer["to_server"], transfer["server"])
            elif readable is transfer["to_server"]:
                transfer["server"] = address
                pass_on("s", data, transfer["to_client"], transfer["client"])
