#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""records.py - a record of the journal, as many other attachments': records.py RECORD FIRST COUNT

They are written beside it as the version without an index wrote them, and have devices, network
devices, device-info files and directories of sockets of their own, numbered from FIRST.  Prints
their container ids.
"""
import json
import os
import sys


def name_hash(text):
    """devinfo's own, of base/name.c."""
    h = 0xCBF29CE484222325
    for byte in text.encode():
        h = (h ^ byte) * 0x100000001B3 % 2**64
    return h


def number_device(record, number):
    """The device, by each name that it has."""
    socket = record.get("socket")
    if socket:
        socket["dir"] = f"uid{number}"
        name = socket["path"].rsplit("/", 1)[1]
        socket["path"] = f"{socket['root']}/{socket['dir']}/{name}"
        record["device"] = "sk:" + socket["path"].replace("/", ",")
    elif record.get("pci"):
        record["device"] = f"{0x9000 + (number >> 8):04x}:{number & 255:02x}:00.0"
    elif record["device"]:
        record["device"] = f"x{number}"
    if record.get("deviceID"):
        record["deviceID"] = record["device"] or f"id{number}"
    if record.get("vdpa"):
        record["vdpa"]["name"] = f"x{number}"
    if record.get("netdev"):
        record["netdev"].update(name=f"x{number}", ifindex=1000000 + number)


def main(path, first, count):
    with open(path, encoding="utf-8") as file:
        record = json.load(file)
    for number in range(first, first + count):
        container = f"{number:064x}"
        record["containerID"] = container
        if record.get("deviceInfoFile"):
            record["deviceInfoFile"] = f"{record['network']}-{container}_{record['ifname']}"
        number_device(record, number)
        owner = f"{record['network']}/{container}/{record['ifname']}"
        name = f"{name_hash(owner):016x}@{record['device']}.json"
        with open(os.path.join(os.path.dirname(path), name), "w", encoding="utf-8") as file:
            json.dump(record, file)
        print(container)


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
