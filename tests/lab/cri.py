#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""cri.py - as much of a CRI client as a pod sandbox needs; Debian 12 has no crictl

    cri.py SOCKET run NAME CONFLIST [JSON]  once containerd has loaded the file CONFLIST: a sandbox
                                            default/NAME; prints its id.  JSON may hold
                                            "annotations" and "ports" (host port: container port)
    cri.py SOCKET remove ID                 stop it, stop it again as kubelet does, remove it
    cri.py SOCKET list                      the ids of all sandboxes

Requests are lists of (field number, value) of k8s.io/cri-api/pkg/apis/runtime/v1/api.proto.
"""
import json
import sys
import time
import uuid

import grpc

PATIENCE_S = 60


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def encode(fields):
    """A message; a value is a number, a text, or the fields of a message."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
            continue
        data = value.encode() if isinstance(value, str) else encode(value)
        out += varint(number << 3 | 2) + varint(len(data)) + data
    return out


def decode(data):
    """The fields of a message as {number: [value]}, where texts and messages are bytes."""
    fields, at = {}, 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while at < len(data):
        key = number()
        value = number()
        if key & 7 == 2:
            at += value
            value = data[at - value:at]
        fields.setdefault(key >> 3, []).append(value)
    return fields


class Runtime:
    def __init__(self, path):
        self.channel = grpc.insecure_channel(f"unix:{path}")

    def call(self, method, *fields):
        return decode(self.channel.unary_unary(f"/runtime.v1.RuntimeService/{method}")(
            encode(fields), timeout=PATIENCE_S, wait_for_ready=True))

    def info(self, method, *fields):
        """The verbose part of an answer, {name: JSON text}: a map is a list of (1 key, 2 value)."""
        entries = map(decode, self.call(method, *fields).get(2, []))
        return {entry[1][0].decode(): entry[2][0].decode() for entry in entries}

    def wait_for_network(self, conflist):
        """containerd notices a changed file by itself, some time later."""
        for _ in range(PATIENCE_S * 10):
            info = self.info("Status", (1, 1))
            networks = json.loads(info["cniconfig"]).get("Networks") or []
            if any(network["Config"]["Source"] == conflist for network in networks):
                return
            time.sleep(0.1)
        sys.exit(f"cri.py: containerd did not load the network: {info['lastCNILoadStatus']}")

    def run(self, name, path, options="{}"):
        with open(path, encoding="utf-8") as file:
            self.wait_for_network(file.read())
        options = json.loads(options)
        config = [(1, [(1, name), (2, str(uuid.uuid5(uuid.NAMESPACE_DNS, name))), (3, "default")]), (2, name),
                  (8, [(1, "/pods")])]
        config += [(5, [(2, port), (3, int(host))]) for host, port in
                   options.get("ports", {}).items()]
        config += [(7, [(1, key), (2, value)]) for key, value in
                   options.get("annotations", {}).items()]
        print(self.call("RunPodSandbox", (1, config))[1][0].decode())

    def remove(self, sandbox):
        for method in ("StopPodSandbox", "StopPodSandbox", "RemovePodSandbox"):
            self.call(method, (1, sandbox))

    def list(self):
        for sandbox in self.call("ListPodSandbox").get(1, []):
            print(decode(sandbox)[1][0].decode())


def main():
    socket, command, *args = sys.argv[1:]
    try:
        {"run": Runtime.run, "remove": Runtime.remove, "list": Runtime.list}[command](
            Runtime(socket), *args)
    except grpc.RpcError as error:
        sys.exit(f"cri.py: {error.code().name}: {error.details()}")


if __name__ == "__main__":
    main()
