#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""consumers.py - read network-status and device-info files by the rules of programs that do

	consumers.py kubevirt INTERFACE... <VALUE	the annotation's value
	consumers.py app-netutil ID... <VALUE
	consumers.py ovs-cni FILE

Each prints what it has understood, and ends with status 1 and the reason where the program would
have nothing of it.  The rules are told here in our words:

kubevirt	kubevirt/kubevirt, pkg/network/deviceinfo and pkg/network/namescheme: the value is
		decoded into the Go client's types, so a member of another JSON type spoils all of it.
		Entries go by their interface, and the last of one name counts.  One interface for
		SR-IOV without device-info.pci.pci-address, and none gets its address.  Interfaces are
		called eth0, net<number>, or pod and 11 digits of a hash.  The interfaces that are asked
		for are those of SR-IOV.
app-netutil	openshift/app-netutil, lib/v1alpha/network.go: the downward API's file has a line for
		each annotation, name="value" with what Go's %q escapes.  A line of 64 KiB or more ends
		the reading.  It is split at each '=', and one that is not two parts is passed over; then
		every '\\n', backslash and blank is taken out of the value.  Ids of PCIDEVICE_* variables
		are looked for in pci.pci-address and vdpa.pci-address in any case of letters; one that
		is in none is given to whoever is next, which is a guess, and an error here.
ovs-cni		k8snetworkplumbingwg/ovs-cni, pkg/deviceinfo and pkg/vdpa: CNIDeviceInfoFile is read and
		decoded; of type vdpa with its map the path counts, of vhost-user the mode has to be
		client and the path not empty.
"""

import json
import re
import sys

KEY = "k8s.v1.cni.cncf.io/network-status"
LINE_MAX = 64 * 1024

INFO = {
    "type": str, "version": str,
    "pci": {"pci-address": str, "vhost-net": str, "rdma-device": str, "pf-pci-address": str,
            "representor-device": str},
    "vdpa": {"parent-device": str, "driver": str, "path": str, "pci-address": str,
             "pf-pci-address": str, "representor-device": str},
    "vhost-user": {"mode": str, "path": str},
    "memif": {"role": str, "path": str, "mode": str},
}
ENTRY = {
    "name": str, "interface": str, "ips": [str], "mac": str, "mtu": int, "default": bool,
    "dns": {"nameservers": [str], "domain": str, "search": [str], "options": [str]},
    "device-info": INFO, "gateway": [str],
}


def die(why):
    sys.exit("consumers.py: " + why)


def decode(value, types, where):
    """As Go decodes: members that it does not know are passed over, others have their types."""
    if isinstance(types, dict):
        if not isinstance(value, dict):
            die(f"{where} is no object")
        for key, of in types.items():
            if key in value and value[key] is not None:
                decode(value[key], of, f"{where}.{key}")
    elif isinstance(types, list):
        if not isinstance(value, list):
            die(f"{where} is no list")
        for one in value:
            decode(one, types[0], where + "[]")
    elif not isinstance(value, types) or (types is int and isinstance(value, bool)):
        die(f"{where} is no {types.__name__}")


def statuses(text):
    try:
        value = json.loads(text)
    except ValueError as why:
        die(f"no JSON: {why}")
    decode(value, [ENTRY], "")
    return value


def info_of(entry, kind):
    return (entry.get("device-info") or {}).get(kind) or {}


def kubevirt(interfaces):
    by_name = {e["interface"]: e for e in statuses(sys.stdin.read())}
    for name in by_name:
        if not re.fullmatch(r"eth0|net[0-9]+|pod[0-9a-f]{11}", name):
            die(f"{name} is no interface of a virtual machine")
    for name in interfaces:
        if not info_of(by_name[name], "pci").get("pci-address"):
            die(f"{name} has no device-info.pci.pci-address, so none has")
    for name, entry in by_name.items():
        info = entry.get("device-info")
        print(name, *([info["type"]] + list(info[info["type"]].values())[:1] if info else []))


def quoted(text):
    """As Go's %q has it, of what is ASCII."""
    return json.dumps(text)


def app_netutil(ids):
    line = f"{KEY}={quoted(sys.stdin.read().rstrip())}"
    print(f"{len(line)} bytes", file=sys.stderr)
    if len(line) >= LINE_MAX:
        die("the line is too long")
    parts = line.split("=")
    if len(parts) != 2:
        die(f"the line has {len(parts)} parts")
    value = parts[1].replace("\\n", "").replace("\\", "").replace(" ", "")[1:-1]
    entries = statuses(value)
    told = [info_of(e, kind).get("pci-address", "").lower()
            for e in entries for kind in ("pci", "vdpa")]
    for one in ids:
        if one.lower() not in told:
            die(f"whose {one} is would be guessed")
    for entry in entries:
        print(entry["interface"], (entry.get("device-info") or {}).get("type", "host"),
              *entry.get("ips", []))


def ovs_cni(file):
    with open(file[0], encoding="utf-8") as f:
        info = json.load(f)
    decode(info, INFO, "")
    if info.get("type") == "vdpa" and info.get("vdpa"):
        if not info["vdpa"].get("path"):
            die("no vdpa path")
        print("vdpa", info["vdpa"]["path"])
    elif info.get("type") == "vhost-user":
        if (info.get("vhost-user") or {}).get("mode") != "client":
            die("vhost-user's mode is not client")
        if not info["vhost-user"].get("path"):
            die("no vhost-user path")
        print("vhost-user", info["vhost-user"]["path"])
    else:
        print("veth")


{"kubevirt": kubevirt, "app-netutil": app_netutil, "ovs-cni": ovs_cni}[sys.argv[1]](sys.argv[2:])
