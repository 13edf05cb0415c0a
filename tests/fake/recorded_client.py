#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""recorded_client.py - say to a gRPC server what kubelet's own library (grpc-go) once said

	recorded_client.py SOCKET RECORDING [METHOD MESSAGE]

RECORDING is one of tests/node/{podresources,device-plugin}/*.hex: all that its client sent goes out line by line, byte
for byte, the next one where it had something from the server.  With METHOD the path in its HEADERS is that one, and DATA has
MESSAGE, hexadecimal; nothing else differs, neither the flags and order of frames nor the other headers.

Prints a line for each frame of a stream that comes back, until the last one ends or nothing has come for a second:
"headers", "data HEX" (the message, without its prefix) or, when it ends the stream, "end".
"""
import socket
import sys

DATA, HEADERS, END_STREAM = 0, 1, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
PATH = 0x45		# a literal value, to be indexed, of the name that HPACK's static table has as 5


def read_recording(path):
    """What each side sent, a tuple of a read: (sign, bytes)."""
    with open(path, encoding="ascii") as file:
        return [(sign, bytes.fromhex(text)) for sign, text in (line.split() for line in file)]


def frames(data):
    """(type, flags, stream, payload) of each whole frame, and the bytes behind them."""
    found = []
    while len(data) >= 9 and len(data) >= 9 + int.from_bytes(data[:3], "big"):
        end = 9 + int.from_bytes(data[:3], "big")
        found.append((data[3], data[4], int.from_bytes(data[5:9], "big"), data[9:end]))
        data = data[end:]
    return found, data


def with_path(block, method):
    at = block.index(PATH)		# behind :method and :scheme, a byte each
    end = at + 2 + (block[at + 1] & 0x7F)
    return block[:at + 1] + bytes([len(method)]) + method.encode() + block[end:]


def changed(data, method, message):
    """The same bytes, with another path and message."""
    start = len(PREFACE) if data.startswith(PREFACE) else 0
    out = data[:start]
    for kind, flags, stream, payload in frames(data[start:])[0]:
        if kind == HEADERS:
            payload = with_path(payload, method)
        elif kind == DATA:
            payload = b"\0" + len(message).to_bytes(4, "big") + message
        out += len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload
    return out


def begins_call(data):
    return any(kind == HEADERS for kind, _, _, _ in frames(data[len(PREFACE):] if data.startswith(PREFACE) else data)[0])


def main():
    if len(sys.argv) not in (3, 5):
        sys.exit("usage: recorded_client.py SOCKET RECORDING [METHOD MESSAGE]")
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(sys.argv[1])
    peer.settimeout(1)
    rest = b""
    lines = read_recording(sys.argv[2])
    calls = sum(sign == ">" and begins_call(data) for sign, data in lines)
    unsent = sum(sign == ">" for sign, _ in lines)
    for sign, data in lines + [("<", b"")] * 100:
        if sign == ">":
            calls -= begins_call(data)
            unsent -= 1
            peer.sendall(changed(data, sys.argv[3], bytes.fromhex(sys.argv[4])) if len(sys.argv) == 5 else data)
            continue
        try:
            more = peer.recv(1 << 20)
        except TimeoutError:
            if unsent == 0:
                return
            continue
        found, rest = frames(rest + more)
        for kind, flags, _, payload in found:
            if kind == HEADERS:
                print("headers", flush=True)
            elif kind == DATA:
                print("data", payload[5:].hex(), flush=True)
            if kind in (DATA, HEADERS) and flags & END_STREAM:
                print("end", flush=True)
                if calls == 0:
                    return
        if not more:
            sys.exit("closed")


main()
