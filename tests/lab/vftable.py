#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""vftable.py - the VFs of a network device as the kernel tells them, one a line

    vftable.py IFNAME

    NUMBER MAC VLAN QOS PROTO MIN-RATE MAX-RATE SPOOFCHK LINK-STATE TRUST

Without a tag its protocol means nothing, and is "-".  ip(8) asks for statistics too, and shows 28
of 250 VFs: the list's length, of 16 bits, has wrapped.  Without statistics it does from 335 on, so
the list is followed by the number of VFs, not by its length.
"""
import socket
import struct
import sys

RTM_GETLINK, RTM_NEWLINK = 18, 16
IFLA_NUM_VF, IFLA_VFINFO_LIST, IFLA_EXT_MASK = 21, 22, 29
VF_MAC, VF_SPOOFCHK, VF_LINK_STATE, VF_RATE, VF_TRUST, VF_VLAN_LIST = 1, 4, 5, 6, 9, 12
VF_AND_NO_STATISTICS = 1 | 8


def attributes(data):
    """Each (type, payload, all that follows), to the end of data."""
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        yield kind & 0x3fff, data[4:length], data[4:]
        data = data[(length + 3) & ~3:]


def ask(index):
    """The PF's RTM_NEWLINK behind its header."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as s:
        body = struct.pack("=BxHiII", 0, 0, index, 0, 0)
        body += struct.pack("=HHI", 8, IFLA_EXT_MASK, VF_AND_NO_STATISTICS)
        s.sendto(struct.pack("=IHHII", 16 + len(body), RTM_GETLINK, 1, 1, 0) + body, (0, 0))
        answer = s.recv(1 << 20)
    kind, = struct.unpack_from("=H", answer, 4)
    if kind != RTM_NEWLINK:
        sys.exit(f"the kernel's answer is of type {kind}: {answer[:20].hex()}")
    return answer[32:]


def row(info):
    a = {kind: payload for kind, payload, _ in attributes(info)}
    number, mac = struct.unpack_from("=I6s", a[VF_MAC])
    vlan_info = next(attributes(a[VF_VLAN_LIST]))[1]
    _, vlan, qos = struct.unpack_from("=III", vlan_info)
    proto = vlan_info[12:14].hex() if vlan or qos else "-"
    _, low, high = struct.unpack("=III", a[VF_RATE])
    settings = [struct.unpack("=II", a[k])[1] for k in (VF_SPOOFCHK, VF_LINK_STATE, VF_TRUST)]
    return f"{number} {mac.hex(':')} {vlan} {qos} {proto} {low} {high} " + " ".join(
        map(str, settings))


def main():
    count = 0
    for kind, payload, rest in attributes(ask(socket.if_nametoindex(sys.argv[1]))):
        if kind == IFLA_NUM_VF:
            count, = struct.unpack("=I", payload)
        if kind == IFLA_VFINFO_LIST:
            for _, (_, info, _) in zip(range(count), attributes(rest)):
                print(row(info))
            return


main()
