"""Stands between the client and the server of examples/file_transfer: ports 4000 and 4001 are the client's side, 5000 and
5001 the server's. UDP datagrams are counted in both directions: each third one is lost, and each fourth one doubled."""

import socket
import threading

CLIENT_SIDE, SERVER_SIDE = 4000, 5000


def copies(count):
    return 0 if count % 3 == 0 else 2 if count % 4 == 0 else 1


def datagrams():
    client_side = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client_side.bind(("127.0.0.1", CLIENT_SIDE))
    server_side = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server_side.connect(("127.0.0.1", SERVER_SIDE))
    lock, state = threading.Lock(), {"count": 0, "client": None}

    def relay(receive, send):
        while True:
            data = receive()
            with lock:
                state["count"] += 1
                times = copies(state["count"])
            for _ in range(times):
                send(data)

    def from_client():
        data, state["client"] = client_side.recvfrom(2048)
        return data

    to_client = lambda data: client_side.sendto(data, state["client"])
    threading.Thread(target=relay, args=(from_client, server_side.send), daemon=True).start()
    relay(lambda: server_side.recv(2048), to_client)


def copy(source, target):
    while data := source.recv(2048):
        target.sendall(data)
    target.shutdown(socket.SHUT_WR)


def connections():
    listener = socket.create_server(("127.0.0.1", CLIENT_SIDE + 1))
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", SERVER_SIDE + 1))
        for pair in [(client, server), (server, client)]:
            threading.Thread(target=copy, args=pair, daemon=True).start()


threading.Thread(target=connections, daemon=True).start()
datagrams()
