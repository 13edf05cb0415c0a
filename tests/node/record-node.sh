#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# record-node.sh - write down what this machine's /sys says about its network devices
#
#	tests/node/record-node.sh >tests/node/NAME.node
#
# Prints the small part of /sys that the project reads: every PCI network function, vDPA and net
# device, one line per file, link or directory.  make-node.sh turns the text into a tree again.
# MAC addresses and serial numbers are not recorded; phys_switch_id is, for representors need it.

set -euo pipefail
shopt -s nullglob

show_file() {	# attributes that cannot be read (EOPNOTSUPP) are as good as absent
	local value=
	[ -r "$1" ] || return 0
	{ read -r value <"$1" || [ -n "$value" ]; } 2>/dev/null || return 0
	printf 'file %s %s\n' "${1#/}" "$value"
}

show_link() {
	[ -L "$1" ] || return 0
	printf 'link %s %s\n' "${1#/}" "$(readlink "$1")"
}

show_netdevs() {	# the directory net/ of a device
	local d f
	for d in "$1"/net/*; do
		for f in ifindex phys_port_name phys_switch_id; do
			show_file "$d/$f"
		done
		show_link "$d/device"
	done
}

show_function() {	# one PCI function, by its place below /sys/devices
	local f
	for f in vendor device class sriov_numvfs sriov_totalvfs; do
		show_file "$1/$f"
	done
	for f in "$1"/{driver,iommu_group,physfn,subsystem} "$1"/virtfn*; do
		show_link "$f"
	done
	for f in "$1"/infiniband/*; do
		printf 'dir %s\n' "${f#/}"
	done
	for f in "$1" "$1"/virtio[0-9]*; do
		show_netdevs "$f"
	done
}

show_vdpa() {	# NAME: one vDPA device, by its place below /sys/devices
	local dir f
	dir=$(readlink -f "/sys/bus/vdpa/devices/$1")
	show_link "/sys/bus/vdpa/devices/$1"
	show_link "$dir/driver"
	for f in "$dir"/vhost-vdpa-[0-9]*; do
		show_file "$f/dev"
	done
	for f in "$dir"/virtio[0-9]*; do
		show_netdevs "$f"
	done
	for f in "$dir"/virtio[0-9]* "$dir"/../virtio[0-9]*; do
		printf 'dir %s\n' "$(realpath "$f" | cut -c 2-)"
	done
}

printf '# recorded by record-node.sh on Linux %s\n' "$(uname -r)"
for link in /sys/bus/pci/devices/*; do
	class=$(<"$link/class")
	[[ $class == 0x02* ]] || continue
	show_link "$link"
	show_function "$(readlink -f "$link")"
done
for link in /sys/bus/vdpa/devices/*; do
	[[ $link == *' '* ]] || show_vdpa "${link##*/}"
done
for link in /sys/bus/virtio/devices/*; do
	show_link "$link"
done
for link in /sys/class/infiniband/*; do
	show_link "$link"
done
for link in /sys/class/net/*; do
	show_link "$link"
	dir=$(readlink -f "$link")
	[[ $dir != /sys/devices/virtual/* ]] || show_file "$dir/ifindex"
done
