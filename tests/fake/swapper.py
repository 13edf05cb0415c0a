#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""swapper.py - a hostile user of a pod's directory

	swapper.py DIRECTORY OUTSIDE	make, rename and remove things in it for ever, whenever it is there

Links to OUTSIDE and to files there, fifos, directories, files and sockets, at the places where the
plugin has its own.
"""
import os
import random
import socket
import sys

PLACES = ["net1.sock", "net1.sock.secret", "x", "x/y", "x/y/z", "net1.sock/y"]


def bind(at):
    s = socket.socket(socket.AF_UNIX)
    s.bind(at)
    s.close()


def choose(home, outside):
    """A place in the directory itself: it is the plugin that is to be led out of it."""
    while True:
        place = os.path.join(home, random.choice(PLACES))
        if not os.path.realpath(os.path.dirname(place)).startswith(outside):
            return place


def main(home, outside):
    makers = [
        lambda at: os.symlink(outside, at),
        lambda at: os.symlink(outside + "/victim", at),
        os.mkfifo,
        os.mkdir,
        os.mkdir,
        bind,
        lambda at: os.close(os.open(at, os.O_WRONLY | os.O_CREAT | os.O_EXCL)),
        lambda at: os.rename(at, choose(home, outside)),
        os.unlink,
        os.rmdir,
    ]
    while True:
        try:
            random.choice(makers)(choose(home, outside))
        except OSError:
            pass


main(*sys.argv[1:])
