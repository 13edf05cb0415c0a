#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""unix_peer.py - the other end of an attachment's socket, be it a switch or an application

	unix_peer.py [-u UID[:GID]] listen TYPE PATH	bind, listen, say "ready", accept for ever
	unix_peer.py [-u UID[:GID]] bind TYPE PATH	the same without listening
	unix_peer.py [-u UID[:GID]] stale TYPE PATH	bind and end: a socket that nobody has
	unix_peer.py [-u UID[:GID]] connect TYPE PATH	connect, say "connected", or why not

TYPE is vhost-user (a stream) or memif (packets in sequence).  A path may be of any length.
"""
import os
import socket
import sys

TYPES = {"vhost-user": socket.SOCK_STREAM, "memif": socket.SOCK_SEQPACKET}


def become(text):
    uid, _, gid = text.partition(":")
    os.setgroups([])
    os.setgid(int(gid or uid))
    os.setuid(int(uid))


def main(args):
    if args[0] == "-u":
        become(args[1])
        args = args[2:]
    command, kind, path = args
    s = socket.socket(socket.AF_UNIX, TYPES[kind])
    os.chdir(os.path.dirname(path))
    name = os.path.basename(path)
    if command == "connect":
        s.connect(name)
        print("connected", flush=True)
        return
    s.bind(name)
    if command == "stale":
        return
    if command == "listen":
        s.listen(8)
    print("ready", flush=True)
    kept = []
    while True:
        if command == "listen":
            kept.append(s.accept())
            del kept[:-8]
        else:
            socket.socketpair()[0].recv(1)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as e:
        print(e.strerror)
        sys.exit(1)
