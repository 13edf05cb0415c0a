#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""hostile.py - a PodResources server that does what no gRPC server does, for tests

    hostile.py --socket PATH --mode MODE

HTTP/2 frames made by hand, without a look at what the client sends.  "ready" is printed once calls
are accepted; SIGTERM ends it.  Every fault at every byte is in tests/unit/devinfo/grpc/test_client.c; here are those
that a whole ADD has to survive.
"""
import argparse
import contextlib
import itertools
import os
import signal
import socket
import threading
import time

DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = \
    0, 1, 3, 4, 6, 7, 8, 9
END_STREAM, ACK, END_HEADERS, PADDED = 1, 1, 4, 8


def frame(kind, flags, stream, payload=b""):
    return (len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") +
            payload)


def header(name, value):
    """HPACK's plainest form: a literal, not indexed, not compressed."""
    return bytes((0, len(name))) + name + bytes((len(value),)) + value


def field(number, value):
    """A text or message of protobuf, of less than 128 bytes."""
    return bytes((number << 3 | 2, len(value))) + value


def message(text, compressed=0, announced=None):
    length = len(text) if announced is None else announced
    return frame(DATA, 0, 1, bytes((compressed,)) + length.to_bytes(4, "big") + text)


OPENING = frame(SETTINGS, 0, 0) + frame(SETTINGS, ACK, 0)
HEAD = OPENING + frame(HEADERS, END_HEADERS, 1,
                       header(b":status", b"200") + header(b"content-type", b"application/grpc"))
# pod default/p1 has the device v0 of example.com/vf
POD = field(1, field(1, b"p1") + field(2, b"default") + field(3, field(1, b"c") + field(
    2, field(1, b"example.com/vf") + field(2, b"v0"))))
TRAILERS = frame(HEADERS, END_HEADERS | END_STREAM, 1, header(b"grpc-status", b"0"))
ANSWER = HEAD + message(POD) + TRAILERS


def single_bytes(text):
    for at in range(len(text)):
        time.sleep(0.001)
        yield text[at:at + 1]


def for_ever(opening, more):
    return itertools.chain([opening], itertools.repeat(more))


# What is done after the last byte; the client's end of it is always read to the end.

def keep_silent(_connection):
    pass


def half_close(connection):
    connection.shutdown(socket.SHUT_WR)


def close(connection):
    connection.shutdown(socket.SHUT_RDWR)


# What is sent, in pieces, and what then.
MODES = {
    "answer": ("the right answer for pod default/p1", lambda: [ANSWER], keep_silent),
    "single-bytes": ("the same, a byte at a time", lambda: single_bytes(ANSWER), keep_silent),
    "close-early": ("nothing", lambda: [], close),
    "half-close": ("headers and no more, but it goes on listening", lambda: [HEAD], half_close),
    "silence": ("nothing, and the connection stays", lambda: [], keep_silent),
    "half-greeting": ("half of a frame, and the connection stays", lambda: [OPENING[:5]],
                      keep_silent),
    "half-answer": ("half of the answer, and the connection stays",
                    lambda: [HEAD + message(POD)[:20]], keep_silent),
    "garbage": ("HTTP/1.1", lambda: [b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"],
                keep_silent),
    "bad-hpack": ("headers that refer to an entry there never was",
                  lambda: [OPENING + frame(HEADERS, END_HEADERS, 1, b"\xff" * 8)], keep_silent),
    "oversize": ("a length of 4 GiB", lambda: [HEAD + message(b"x", announced=2 ** 32 - 1)],
                 keep_silent),
    "compressed": ("the flag of a compressed message",
                   lambda: [HEAD + message(POD, compressed=1) + TRAILERS], keep_silent),
    "no-status": ("trailers without grpc-status", lambda: [
        HEAD + message(POD) + frame(HEADERS, END_HEADERS | END_STREAM, 1, header(b"x", b"y"))],
        keep_silent),
    "goaway": ("GOAWAY inside the message", lambda: [
        HEAD + message(POD, announced=1000) + frame(GOAWAY, 0, 0, bytes(7) + b"\x02")], close),
    "rst": ("RST_STREAM inside the message", lambda: [
        HEAD + message(POD, announced=1000) + frame(RST_STREAM, 0, 1, bytes(3) + b"\x08")],
        keep_silent),
    "no-window": ("a WINDOW_UPDATE of 0",
                  lambda: [HEAD + frame(WINDOW_UPDATE, 0, 1, bytes(4))], keep_silent),
    "settings-flood": ("SETTINGS without end",
                       lambda: for_ever(HEAD, frame(SETTINGS, 0, 0) * 1000), close),
    "ping-flood": ("PING without end",
                   lambda: for_ever(HEAD, frame(PING, 0, 0, bytes(8)) * 1000), close),
    "window-flood": ("WINDOW_UPDATE without end", lambda: for_ever(
        HEAD, frame(WINDOW_UPDATE, 0, 1, bytes(3) + b"\x01") * 1000), close),
    "unknown-flood": ("frames of a type that nobody knows, without end",
                      lambda: for_ever(HEAD, frame(0xfa, 0, 0, bytes(100)) * 1000), close),
    "endless-headers": ("headers that never end", lambda: for_ever(
        OPENING + frame(HEADERS, 0, 1, header(b":status", b"200")),
        frame(CONTINUATION, 0, 1, header(b"x", b"y" * 100) * 100)), close),
    "endless-data": ("empty DATA without end",
                     lambda: for_ever(HEAD, frame(DATA, 0, 1) * 1000), close),
    "padded-data": ("DATA of padding alone, without end", lambda: for_ever(
        HEAD, frame(DATA, PADDED, 1, b"\xff" + bytes(255)) * 100), close),
}


def serve(connection, pieces, then):
    with connection, contextlib.suppress(OSError):     # the client may go whenever it likes
        connection.recv(4096)
        for piece in pieces():
            connection.sendall(piece)
        then(connection)
        while connection.recv(4096):
            pass


def accept(listener, pieces, then):
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0], pieces, then),
                         daemon=True).start()


def main():
    parser = argparse.ArgumentParser(
        formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__,
        epilog="modes:\n" + "\n".join(f"  {name:<20}{mode[0]}" for name, mode in MODES.items()))
    parser.add_argument("--socket", required=True)
    parser.add_argument("--mode", required=True, choices=MODES, metavar="MODE")
    args = parser.parse_args()
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)
    if os.path.lexists(args.socket):
        os.unlink(args.socket)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(args.socket)
    listener.listen(64)
    threading.Thread(target=accept, args=(listener, *MODES[args.mode][1:]), daemon=True).start()
    print("ready", flush=True)
    signal.sigwait(stop)
    os.unlink(args.socket)


if __name__ == "__main__":
    main()
