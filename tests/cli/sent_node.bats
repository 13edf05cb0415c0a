#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# sent_node.bats - a recorded node that somebody made to do harm: no command hangs, crashes, leaves the
# tree or sends the terminal anything but text.  No privilege needed
#
# rooms: base manager/inventory

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	set +T
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" "$node"
	eth=$(readlink -f "$node/sys/class/net/ens4f0")
}

# does STATUS COMMAND... - it ends so, and in time
does() {
	run --separate-stderr timeout 20 "$ctl" --root "$node" "${@:2}"
	# shellcheck disable=SC2154
	[ "$status" -eq "$1" ] || { echo "$status: $output$stderr" && return 1; }
}

# facts FILTER - the node's, changed
facts() {
	jq -c "$1" "$node/devinfo-node.json" >"$BATS_TEST_TMPDIR/facts"
	cat "$BATS_TEST_TMPDIR/facts" >"$node/devinfo-node.json"
}

# all - every command that looks at a node; none may be ended by a signal or the clock
all() {
	local command
	for command in 'scan --output=wide' 'scan --json' 'list --output=wide' 'list --json' drift doctor \
		'repair --dry-run' 'explain default/web-0' 'status default/web-0' 'show 0000:01:10.0' \
		"record-node $BATS_TEST_TMPDIR/all.tar"; do
		rm -f "$BATS_TEST_TMPDIR/all.tar"
		# shellcheck disable=SC2086
		run --separate-stderr timeout 20 "$ctl" --root "$node" $command
		[ "$status" -lt 2 ] || { echo "$command: $status: $stderr" && return 1; }
		plain "$output$stderr"
	done
}

# plain TEXT - printable ASCII and ends of lines
plain() {
	! LC_ALL=C grep -q '[^[:print:][:space:]]' <<<"$1" || { cat -v <<<"$1" && return 1; }
}

@test "mounts that are a FIFO, or without end, are not known" {
	rm -f "$node/proc/mounts"
	mkfifo "$node/proc/mounts"
	does 0 doctor
	rm "$node/proc/mounts"
	truncate -s 1T "$node/proc/mounts"
	does 0 doctor
}

@test "a FIFO, a directory, a link to itself or a device in place of any file: nothing waits or follows" {
	loop() { ln -s "${1##*/}" "$1"; }
	device() { mknod "$1" c 0 0; }
	for make in mkfifo mkdir loop device; do
		rm -rf "$node"
		"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" "$node"
		while read -r file; do
			rm "$file"
			"$make" "$file"
		done < <(find "$node" -type f ! -name devinfo-node.json ! -path '*/proc/sys/*')
		all
	done
}

@test "links of devices that lead in a circle, or out of the tree, are not followed by record-node" {
	for name in a b c; do
		mkdir -p "$node/sys/devices/x/$name"
		echo 02:00:5e:00:53:01 >"$node/sys/devices/x/$name/address"
	done
	ln -s . "$node/sys/devices/x/a/device"
	ln -s ../../devices/x/a "$node/sys/class/net/loop"
	ln -s ../x/b "$node/sys/devices/x/b/l"
	ln -s l "$node/sys/devices/x/b/device"
	ln -s ../../devices/x/b "$node/sys/class/net/grow"
	ln -s ../../devices/x/../../../../../c "$node/sys/class/net/out"
	ln -s ../../devices/x/./c "$node/sys/class/net/dot"
	all
	run ! grep -E '(^|/)\.\.?(/|$)' <(tar -tf "$BATS_TEST_TMPDIR/all.tar")
}

@test "names that are no UTF-8, or that a terminal takes for commands, come out as text" {
	esc=$'\xc2\x9b2J' bad=$'n\xff\xfe'
	mkdir "$node/sys/class/net/$bad" "$node/sys/class/net/$esc"
	echo "$esc" | tee "$eth/operstate" >"$eth/phys_port_name"
	facts '.links += [{name: "ens4f0", altnames: ["\u009b2J", "\u001b[2J"]}]'
	echo '{"type":"pci","version":"1.1.0'"$esc"'","pci":{"pci-address":"0000:01:10.0"}}' \
		>"$node/var/run/k8s.cni.cncf.io/devinfo/cni/$esc"
	all
	does 0 scan --json
	[ "$(jq -r '.[] | select(.link == "ens4f0").altnames[0]' <<<"$output")" = "$esc" ]
	does 1 validate "$node/var/run/k8s.cni.cncf.io/devinfo/cni/$esc"
	plain "$output"
}

@test "a device that has no name in the list of PCI ids" {
	echo 0xfff9 >"$(readlink -f "$node/sys/bus/pci/devices/0000:01:00.0")/device"
	does 0 scan --json
	[ "$(jq -r '.[] | select(.id == "0000:01:00.0") | .vendor_name, .device_name' <<<"$output")" = "Intel Corporation
null" ]
}

@test "a stage whose words are cut within a character is told all the same" {
	local id
	mkdir -p "$node/var/lib/cni/results"
	id=$(jq -r .containerID "$node"/var/lib/cni/devinfo/attachments/*@0000:01:10.0.json)
	jq -nc --arg c "$(jq -nc '{type: "devinfo", resourceName: ("a" + "\u00e9" * 60)}' | base64 -w0)" '{config: $c}' \
		>"$node/var/lib/cni/results/sriov-net-$id-net1"
	does 0 explain default/web-0
	[[ $output == *'net1       request     ok     network sriov-net asked for resourceName a'* ]]
}

@test "facts that contradict each other and sysfs: a VF that is its own PF, circles, the same twice" {
	facts '.functions = [
			{bdf: "0000:01:10.0", is_vf: true, vf_index: 2147483647, pf_bdf: "0000:01:10.0", num_vfs: 2147483647},
			{bdf: "0000:01:00.0", is_vf: true, pf_bdf: "0000:01:10.0"},
			{bdf: "0000:99:00.0", is_vf: true, pf_bdf: "0000:99:00.0"},
			{bdf: "0000:99:00.0", is_vf: true, pf_bdf: "0000:99:00.1"}] |
		.vfs += .vfs | .links = [{name: "ens4f0", parent: "0000:99:00.0"}, {name: "lo"}, {name: "lo"}] |
		.rdmas = [{name: "a", parent: "a"}, {name: "a", parent: "0000:99:00.0"}] |
		.vdpas = [{name: "v", bdf: "0000:99:00.0", auxiliary: "v", netdev: "lo"}]'
	all
}

@test "repair of such a tree does not even open a log in it" {
	echo '{"logFile":"/var/log/devinfo.log"}' >"$DEVINFO_CONF"
	mkdir -p "$node/var/log"
	does 2 repair
	does 0 repair --dry-run
	[ ! -e "$node/var/log/devinfo.log" ]
}
