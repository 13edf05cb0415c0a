#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# leaks.bats - what somebody has left who is no more, on recorded nodes; no privilege needed
#
# The node of each test has one attachment that lives, a VF, and nothing is left of anybody: what a
# test finds it has made itself, by exactly one thing.
#
# rooms: manager/doctor devinfo/journal cni/attach

bats_require_minimum_version 1.5.0
load ../compare

names() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	state=$node/var/lib/cni/devinfo run=$node/run/devinfo devinfo=$node/var/run/k8s.cni.cncf.io/devinfo
	record=60490cf82448bcf3@0000:01:10.0.json
}

setup_file() {
	node=$BATS_FILE_TMPDIR/node
	names
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	mkdir -p "$state"/{attachments,pods,index} "$run"/{status,links} "$devinfo"/{cni,dp} \
		"$node"/run/netns "$node"/var/lib/cni/{results,multus,sriov/pci} "$node/proc/sys/kernel/random"
	chmod 700 "$state" "$state"/*
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >"$node/proc/sys/kernel/random/boot_id"
	echo 0x1003 >"$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/net/eth0/flags"
	echo 1 >"$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/net/eth0/carrier"
	cp "$top/tests/node/before/vf.json" "$state/attachments/$record"
	cp "$top/tests/node/before/status.json" "$run/status/a.json"
	info '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0"}}' cni/lab-a_net1
	touch "$node/run/netns/a"
	echo '{"kind":"cniCacheV1","containerId":"a","ifName":"net1","networkName":"lab","result":{"interfaces":
		[{"name":"net1","sandbox":"/run/netns/a"}]}}' >"$node/var/lib/cni/results/lab-a-net1"
	facts '{}'
}

setup() {
	set +T
	node=$BATS_TEST_TMPDIR/node
	names
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
	cp -a "$BATS_FILE_TMPDIR/node" "$node"
}

# facts JSON - what the node says where there are no files, and these members
facts() {
	jq -cn '{vfs: [{pf: "eth0", index: 0, vlan: 100, trust: true, spoofchk: true, link_state: "auto"},
			{pf: "eth0", index: 1, trust: false, spoofchk: true, link_state: "auto"}],
		attachments: [{file: "'"$record"'", state: "live"}]} + '"$1" >"$node/devinfo-node.json"
}

# vf JSON - the second VF with these attributes; nobody has it, and it has no driver but as told
vf() {
	rm -f "$node"/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2/driver
	facts '{vfs: [{pf: "eth0", index: 0, vlan: 100, trust: true, spoofchk: true, link_state: "auto"},
		{pf: "eth0", index: 1, trust: false, spoofchk: true, link_state: "auto"} + '"$1"']}'
}

info() { echo "$1" >"$devinfo/$2"; }

# old PATH... - they were changed long before the node was recorded
old() { touch -d '3 days ago' "$@"; }

# leaks - the findings of the checks for leaks: check, what becomes of it, and the object below the root
leaks() {
	run --separate-stderr "$ctl" --root "$node" repair --dry-run --json
	[ -z "$stderr" ] || { echo "$stderr" && return 1; }
	[ "$status" -lt 2 ]
	found=$(jq -r '.[] | select(.check | IN("record-dead", "record-earlier-boot", "record-released", "record-damaged",
		"record-version", "record-unreadable", "vf-changed", "driver-override", "info-file", "dp-file-gone",
		"dp-file-unknown", "status-entry", "ledger-file", "link-nowhere", "index-entry", "ovs-port",
		"sriov-allocation", "libcni-cache", "multus-cache", "netns-mount", "lease-dead", "lease-lost", "check-failed")) |
		"\(.check): \(.result): \(.object)"' <<<"$output")
}

# finds LINE - this, and nothing else; $what is what people are told
finds() {
	leaks
	[ "$found" = "$1" ] || { echo "found: $found" && return 1; }
	what=$(jq -r '.[] | select(.check == "'"${1%%:*}"'").what' <<<"$output")
	# scan and doctor say the same of a VF
	[ "$("$ctl" --root "$node" scan --json | jq -r '.[] | select(.health == "changed").id')" = \
		"$(jq -r '.[] | select(.check | IN("vf-changed", "driver-override")).object' <<<"$output")" ]
}

@test "nothing is found on a node where all that lives has what it has" {
	old "$node"/var/lib/cni/results/* "$devinfo"/*/* "$run"/status/*
	finds ""
}

@test "record-dead: the namespace of an attachment is gone" {
	facts "{attachments: [{file: \"$record\", state: \"dead\"}]}"
	finds "record-dead: would repair: /var/lib/cni/devinfo/attachments/$record"
	[ "$what" = "device 0000:01:10.0, net1 of container a, network lab: its network namespace is gone" ]
	[ "$status" -eq 1 ]
}

@test "record-earlier-boot: the node was started since" {
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000002 >"$node/proc/sys/kernel/random/boot_id"
	finds "record-earlier-boot: would repair: /var/lib/cni/devinfo/attachments/$record"
}

@test "record-released: a lease or a file is still to be released" {
	sed -i 's/"released":false/"released":true/' "$state/attachments/$record"
	finds "record-released: by hand: /var/lib/cni/devinfo/attachments/$record"	# its container lives
	rm "$node/run/netns/a"
	finds "record-released: would repair: /var/lib/cni/devinfo/attachments/$record"
}

@test "a lease that takes the network's configuration is left to who has that" {
	jq -c '.leaseOf = "host-local" | del(.ipamType, .request)' "$top/tests/node/before/vf.json" >"$state/attachments/$record"
	facts "{attachments: [{file: \"$record\", state: \"dead\"}]}"
	finds "record-dead: by hand: /var/lib/cni/devinfo/attachments/$record"
	[ "$status" -eq 1 ]
}

@test "record-damaged: a record that is torn, and one that was put aside, are left to people" {
	truncate -s 500 "$state/attachments/$record"
	finds "record-damaged: by hand: /var/lib/cni/devinfo/attachments/$record"
	[[ $what == "device 0000:01:10.0, net1 of container a, network lab: "* ]]
	mv "$state/attachments/$record" "$state/attachments/$record.damaged"
	finds "record-damaged: by hand: /var/lib/cni/devinfo/attachments/$record.damaged"
}

@test "record-damaged: one of another owner or mode is to be checked and given back to root" {
	chmod 0666 "$state/attachments/$record"
	finds "record-damaged: by hand: /var/lib/cni/devinfo/attachments/$record"
	[[ $(jq -r '.[] | select(.check == "record-damaged").advice' <<<"$("$ctl" --root "$node" doctor --json)") == \
		*"check its content, then give it back to root: chown root, chmod 600"* ]]
	chmod 0600 "$state/attachments/$record"
	finds ""
}

@test "record-version: another version's record is left to that" {
	sed -i 's/"version":1,/"version":9,/' "$state/attachments/$record"
	finds "record-version: by hand: /var/lib/cni/devinfo/attachments/$record"
}

@test "vf-changed: nobody has a VF, and it has a VLAN, rates, trust, or a link state" {
	while read -r attribute text; do
		vf "$attribute"
		finds "vf-changed: by hand: 0000:01:10.2"
		[ "$what" = "nobody has it, and VF 1 of eth0 has $text" ]
	done <<-'END'
		{vlan:5,qos:2} vlan 5 qos 2
		{max_tx_rate:100} min_tx_rate 0 max_tx_rate 100
		{link_state:"enable"} link state enable
	END
	facts '{vfs: [{pf: "eth0", index: 0, spoofchk: true, trust: false},
		{pf: "eth0", index: 1, spoofchk: true, trust: true}]}'
	finds "vf-changed: by hand: 0000:01:10.2"
	[ "$what" = "nobody has it, and VF 1 of eth0 has trust on" ]
}

@test "vf-changed: that of a device plugin is repaired" {
	vf '{vlan: 5}'
	info '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.2"}}' dp/example.com-vf-0000:01:10.2-device.json
	finds "vf-changed: would repair: 0000:01:10.2"
}

@test "vf-changed: what all VFs of a PF have is the administrator's" {
	vf '{trust: true, vlan: 100}'
	finds ""
}

@test "vf-changed: while kubelet does not say what pods have, nobody can tell" {
	vf '{vlan: 5}'
	jq -c '.node = {kubelet_asked: true, kubelet_error: "no answer"}' "$node/devinfo-node.json" >"$BATS_TEST_TMPDIR/facts"
	mv "$BATS_TEST_TMPDIR/facts" "$node/devinfo-node.json"
	finds "vf-changed: by hand: 0000:01:10.2"	# nor is there a kubelet
	mkdir -p "$node/var/lib/kubelet"
	finds ""
}

@test "vf-changed: a VF is somebody's that a program may have, or another namespace" {
	facts '{vfs: [{pf: "eth0", index: 1, spoofchk: true, trust: false, vlan: 5}]}'	# vfio-pci, no kubelet
	finds ""
	vf '{vlan: 5}'
	ln -s ../../../../bus/pci/drivers/igbvf "$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2/driver"
	finds ""
}

@test "vf-changed: a VF is sriov-cni's while the namespace lives that it was given to" {
	vf '{vlan: 5}'
	echo -n /run/netns/a >"$node/var/lib/cni/sriov/pci/0000:01:10.2"
	finds ""
	echo -n /run/netns/b >"$node/var/lib/cni/sriov/pci/0000:01:10.2"
	finds "vf-changed: by hand: 0000:01:10.2
sriov-allocation: by hand: /var/lib/cni/sriov/pci/0000:01:10.2"
}

@test "vf-changed: a VF is the host's that has an address there, or a device on top" {
	rm "$state/attachments/$record" "$run/status/a.json" "$devinfo/cni/lab-a_net1"
	facts '{links: [{name: "eth4", up: true, ips: ["192.0.2.1/24"]}]}'
	finds ""
	facts '{links: [{name: "eth4", up: true, ips: ["fe80::1/64"]}]}'
	ln -s ../../../../../../virtual/net/macvtap0 "$node/sys/class/net/eth4/upper_macvtap0"
	finds ""
	rm "$node/sys/class/net/eth4/upper_macvtap0"
	finds "vf-changed: by hand: 0000:01:10.0"
}

# reach TEXT [BDF] [HEALTH] - the finding vf-out-of-reach of 0000:01:10.2 is this, and scan says it; "" is none
reach() {
	local bdf=${2:-0000:01:10.2}
	run --separate-stderr "$ctl" --root "$node" doctor --json
	[[ $output == "["* ]] || { echo "$output$stderr" && return 1; }
	[ "$(jq -r '.[] | select(.check == "vf-out-of-reach" and .severity != "skipped") | "\(.severity) \(.object) \(.what)"' <<<"$output")" = \
		"${1:+info $bdf nobody is known to have it, and $1}" ] || { echo "$output" && return 1; }
	run --separate-stderr "$ctl" --root "$node" scan --json
	[ "$(jq -r '.[] | select(.id == "'"$bdf"'") | "\(.health) \(.health_reason // "")"' <<<"$output")" = \
		"${3:-ok} ${1:+nobody is known to have it, and $1}" ] || { echo "$output" && return 1; }
}

@test "vf-out-of-reach: a VF that nobody has is in another network namespace, without a driver, or has something on it" {
	d=$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2
	reach ""	# vfio-pci
	rm "$d/driver"
	reach "no driver is bound" "" degraded
	echo none >"$d/driver_override"
	reach ""
	rm "$d/driver_override"
	ln -s ../../../../bus/pci/drivers/ifcvf "$d/driver"
	reach ""	# this driver makes none
	mkdir -p "$d/virtio3/net"
	reach "its network device is in another network namespace"
	rm -r "$d/virtio3"
	ln -sfn ../../../../bus/pci/drivers/igbvf "$d/driver"
	mkdir "$d/net"
	reach "its network device is in another network namespace"
	# what other plugins have is no ill health of the node
	run --separate-stderr "$ctl" --root "$node" export nfd
	[[ $output == *"health=ok"* ]]
	[[ $output != *"health=degraded"* ]]
	echo -n /run/netns/a >"$node/var/lib/cni/sriov/pci/0000:01:10.2"
	reach ""
	rm "$node/var/lib/cni/sriov/pci/0000:01:10.2"
	facts '{node: {kubelet_asked: true}, allocations: [{pod_namespace: "default", pod_name: "p", container: "c",
		resource: "example.com/vf", id: "0000:01:10.2"}]}'
	reach ""
	# one that the host uses is told, and is no fault
	echo -n /run/netns/a >"$node/var/lib/cni/sriov/pci/0000:01:10.2"
	rm "$state/attachments/$record" "$run/status/a.json" "$devinfo/cni/lab-a_net1"
	facts '{vfs: [], links: [{name: "eth4", xdp: 17}]}'
	reach "an XDP program (id 17) is on its network device" 0000:01:10.0
	ln -s ../../../../../../virtual/net/macvtap0 "$node/sys/class/net/eth4/upper_macvtap0"
	reach "macvtap0 is built on its network device" 0000:01:10.0
}

@test "driver-override: a function is kept for a driver that it does not have" {
	echo vfio-pci >"$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2/driver_override"
	finds ""
	echo uio_pci_generic >"$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2/driver_override"
	finds "driver-override: by hand: 0000:01:10.2"
	echo none >"$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:10.2/driver_override"
	finds ""
}

# lease ADDRESS TEXT [DIR] - of host-local, long ago; the attachment that lives has its own beside it
lease() {
	local dir=$node${3:-/var/lib/cni/networks/lab}
	mkdir -p "$dir"
	[ $# -gt 2 ] || printf 'a\r\nnet1' | tee "$dir/10.56.0.1" >"$dir/fd56::1"
	printf '%b' "$2" >"$dir/$1"
	touch -d '2 hours ago' "$dir/$1"
}

# result FILE CONTAINER NETNS [CONFIG] - libcni's
result() {
	jq -cn '{kind: "cniCacheV1", containerId: "'"$2"'", netns: "'"$3"'"} + if "'"${4:+x}"'" == "" then {} else
		{config: "'"$(base64 -w0 <<<"${4-}")"'"} end' >"$node/var/lib/cni/results/$1"
}

@test "lease-dead: a lease of host-local is one when libcni's results or records tell that the container is dead" {
	lease 10.56.0.9 'gone\r\nnet1'
	lease fd56::9 'gone\r\nnet1'
	lease 10.56.0.8 gone
	lease last_reserved_ip.0 10.56.0.9
	lease lock ''
	lease 10.56.0.7 'gone\r\nnet1\r\nmore' /var/lib/cni/networks
	finds ""		# of a container that nobody knows nothing is said
	result other-gone-eth0 gone /run/netns/b
	for netns in /proc/4711/ns/net /run/elsewhere/b /run/netns/a; do
		result lab-gone-net1 gone "$netns"	# out of sight, or living
		[ "$netns" = /run/netns/a ] || rm "$node/var/lib/cni/results/other-gone-eth0"
		finds ""
		result other-gone-eth0 gone /run/netns/b
	done
	rm "$node/var/lib/cni/results/lab-gone-net1"
	dead="lease-dead: would repair: /var/lib/cni/networks/lab/10.56.0.8
lease-dead: would repair: /var/lib/cni/networks/lab/10.56.0.9
lease-dead: would repair: /var/lib/cni/networks/lab/fd56::9"
	finds "$dead"
	[[ $output == *"address 10.56.0.9 of network lab is leased for net1 of container gone, which is dead"* ]]
	touch "$node/var/lib/cni/networks/lab/10.56.0.9"	# an ADD may be at work
	finds "$(sed '/0\.9$/d' <<<"$dead")"
	chmod 666 "$node/var/lib/cni/networks/lab/10.56.0.8"	# anybody may have written it
	finds "lease-dead: would repair: /var/lib/cni/networks/lab/fd56::9"
	lease fd56::9 'a\r\nnet1'
	finds ""
}

@test "lease-dead: a record of the container tells as well, but for the lease of its own attachment" {
	lease 10.56.0.9 'a\r\nnet1'
	lease 10.56.0.10 'a\r\nnet2'
	rm "$node/var/lib/cni/results/lab-a-net1"
	finds ""
	facts '{attachments: [{file: "'"$record"'", state: "dead"}]}'
	run --separate-stderr "$ctl" --root "$node" doctor --json
	[ "$(jq -r '.[] | select(.check == "lease-dead").object' <<<"$output")" = /var/lib/cni/networks/lab/10.56.0.10 ]
}

@test "lease-lost: the lease of a living pod is gone, or another container's" {
	dir=/var/lib/cni/networks/lab
	lost="lease-lost: by hand: $dir/10.56.0.1"
	lease 10.56.0.9 'c\r\nnet1'
	finds ""
	rm "$node$dir/10.56.0.1"
	finds "$lost"
	[ "$what" = "net1 of container a, network lab, has the address, and there is no such lease" ]
	[ "$status" -eq 1 ]
	lease 10.56.0.9 'c\r\nnet1'
	printf 'b\r\nnet1' >"$node$dir/10.56.0.1"
	finds ""		# it is young: an ADD or DEL may be at work
	touch -d '2 hours ago' "$node$dir/10.56.0.1"
	finds "$lost"
	[ "$what" = "net1 of container a, network lab, has the address, and the lease is that of net1 of container b" ]
	printf 'a\r\nnet2' >"$node$dir/10.56.0.1"
	touch -d '2 hours ago' "$node$dir/10.56.0.1"
	finds "$lost"
	printf a >"$node$dir/10.56.0.1"		# of a host-local that knows no interfaces
	touch -d '2 hours ago' "$node$dir/10.56.0.1"
	rm "$node$dir/fd56::1"
	finds "lease-lost: by hand: $dir/fd56::1"
	# nothing is said of what is dead
	facts '{attachments: [{file: "'"$record"'", state: "dead"}]}'
	leaks
	[[ $found != *lease-lost* ]]
}

# ipam FILTER - the living attachment's record, its ipam changed by a filter of jq
ipam() {
	jq -c '.request |= (fromjson | '"$1"' | tojson) | .ipamType = (.request | fromjson | .ipam.type // "host-local")' \
		"$top/tests/node/before/vf.json" >"$state/attachments/$record"
}

@test "lease-lost: where leases cannot be seen, or are none of host-local's, it is said that nobody looked" {
	unseen() { [[ $("$ctl" --root "$node" doctor --json | jq -r '.[] | select(.severity == "skipped" and .check == "lease-lost").what') == "$1"* ]]; }
	finds ""
	unseen "of 1 living attachments with an address of host-local, their network's directory"
	lease 10.56.0.9 'c\r\nnet1'
	rm "$node"/var/lib/cni/networks/lab/{10.56.0.1,fd56::1}
	ipam '.ipam.dataDir = "/srv/leases"'
	finds ""
	unseen "of 1 living attachments"
	mkdir -p "$node/srv/leases/other"
	finds ""
	ipam '.ipam.type = "whereabouts"'
	finds ""
	unseen "no living attachment has an address of host-local"
	ipam '.ipam = {type: "host-local", DATADIR: "/srv/leases"}'
	mkdir "$node/srv/leases/lab"
	finds "lease-lost: by hand: /srv/leases/lab/10.56.0.1
lease-lost: by hand: /srv/leases/lab/fd56::1"
	rm "$run/status/a.json"
	finds ""
	unseen "of 1 living attachments"
}

@test "lease-dead: the directory is where a configuration of the node, or of libcni's, has it" {
	mkdir -p "$node/etc/cni/net.d"
	lease 10.1.0.1 'gone\r\nnet1' /srv/leases/one
	lease 10.2.0.1 'gone\r\nnet1' /srv/more/two
	lease 10.3.0.1 'gone\r\nnet1' /srv/other/three
	result one-gone-net1 gone /run/netns/b '{"cniVersion":"1.0.0","name":"one","plugins":[{"type":"bridge",
		"ipam":{"type":"host-local","dataDir":"/srv/leases"}},{"type":"x","ipam":{"type":"y","dataDir":"/srv/other"}}]}'
	finds "lease-dead: would repair: /srv/leases/one/10.1.0.1"
	echo '{"cniVersion":"1.0.0","name":"two","type":"bridge","ipam":{"type":"host-local","dataDir":"/srv/more"}}' \
		>"$node/etc/cni/net.d/10-two.conf"
	run --separate-stderr "$ctl" --root "$node" doctor --json
	[ "$(jq -r '.[] | select(.check == "lease-dead").object' <<<"$output")" = "/srv/leases/one/10.1.0.1
/srv/more/two/10.2.0.1" ]
}

# told - what lease-dead tells, and what it did not look at
told() { "$ctl" --root "$node" doctor --json 2>/dev/null | jq -r '.[] | select(.check == "lease-dead") | .object + .what'; }

@test "lease-dead: a directory with too many files, and too many directories, hide no other leases, and are told" {
	mkdir -p "$node/etc/cni/net.d" "$node/srv/a/many"
	dead="/srv/b/two/10.2.0.1address 10.2.0.1 of network two is leased for net1 of container gone, which is dead"
	result one-gone-net1 gone /run/netns/b
	lease 10.2.0.1 'gone\r\nnet1' /srv/b/two
	jq -cn '{cniVersion: "1.0.0", name: "many", plugins: [range(70) | {type: "bridge", ipam: {type: "host-local",
		dataDir: "/srv/\(if . == 0 then "a" elif . == 1 then "b" else . end)"}}]}' >"$node/etc/cni/net.d/10-many.conflist"
	[ "$(told)" = "$dead
configurations name over 64 directories of leases: /srv/63 and others are not looked at" ]
	jq -c '.plugins |= .[:2]' "$node/etc/cni/net.d/10-many.conflist" >"$node/two"
	mv "$node/two" "$node/etc/cni/net.d/10-many.conflist"
	[ "$(told)" = "$dead" ]
	(cd "$node/srv/a/many" && seq 131073 | xargs touch)
	[ "$(told)" = "$dead
/srv/a has over 131072 files: the others are not looked at" ]
}

@test "info-file: a device-info file whose container nobody knows" {
	info '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.2"}}' cni/default-net-b_net1
	finds ""		# an ADD may be at work
	old "$devinfo/cni/default-net-b_net1"
	finds "info-file: by hand: /var/run/k8s.cni.cncf.io/devinfo/cni/default-net-b_net1"
	touch "$node/var/lib/cni/results/net-b-net1"	# another plugin's attachment
	finds ""
	mv "$node/var/lib/cni/results/net-b-net1" "$node/var/lib/cni/multus/b"
	finds ""
	rm -r "$node"/var/lib/cni/{multus,results}	# nobody can tell
	finds ""
	mkdir "$node/var/lib/cni/results"
	echo torn >"$state/attachments/0123456789abcdef@x.json"
	finds "record-damaged: by hand: /var/lib/cni/devinfo/attachments/0123456789abcdef@x.json"
}

@test "info-file: one whose name tells no container is left to people" {
	info '{}' cni/mine
	old "$devinfo/cni/mine"
	finds "info-file: by hand: /var/run/k8s.cni.cncf.io/devinfo/cni/mine"
}

@test "dp-file-gone: a device plugin's file is about a device that the node does not have" {
	info '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:99:00.0"}}' dp/example.com-vf-0000:99:00.0-device.json
	finds "dp-file-gone: would repair: /var/run/k8s.cni.cncf.io/devinfo/dp/example.com-vf-0000:99:00.0-device.json"
	[ "$what" = "it is about 0000:99:00.0, which this node does not have" ]
}

@test "dp-file-unknown: a device plugin's file is of a resource that kubelet does not know" {
	info '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.2"}}' dp/example.com-vf-0000:01:10.2-device.json
	facts '{node: {kubelet_asked: true},
		allocations: [{resource: "example.com/vf", id: "0000:01:10.2", allocatable: true}]}'
	finds ""
	facts '{node: {kubelet_asked: true},
		allocations: [{resource: "example.com/nic", id: "0000:01:10.2", allocatable: true}]}'
	finds "dp-file-unknown: by hand: /var/run/k8s.cni.cncf.io/devinfo/dp/example.com-vf-0000:01:10.2-device.json"
	facts '{node: {kubelet_asked: true, kubelet_error: "no answer"},
		allocations: [{resource: "example.com/nic", id: "0000:01:10.2", allocatable: true}]}'
	finds ""
}

@test "status-entry: network-status tells of an attachment that is none" {
	jq -c '. + [{name: "default/lab", interface: "net2"}]' "$run/status/a.json" >"$run/status/new"
	mv "$run/status/new" "$run/status/a.json"
	finds "status-entry: by hand: /run/devinfo/status/a.json"	# who has lost a record has not ended
	[ "$what" = "it tells of net2 in network lab, which the journal does not know, and nothing tells whether its container lives" ]
	echo nonsense >"$run/status/b.json"
	cp "$top/tests/node/before/status.json" "$run/status/a.json"
	finds ""
	old "$run/status/b.json"
	finds "status-entry: by hand: /run/devinfo/status/b.json"
	[ "$what" = "the file is damaged: it is no JSON list of entries" ]
	# its record need not be lost: nobody is told to delete the pod for that
	[[ $(jq -r '.[] | select(.check == "status-entry").advice' <<<"$("$ctl" --root "$node" doctor --json)") != *"record is lost"* ]]
	echo '[]' >"$run/status/b.json"
	old "$run/status/b.json"
	finds "status-entry: by hand: /run/devinfo/status/b.json"
	[ "$what" = "it has no entry" ]
}

@test "status-entry: of an attachment that lives, although its record is lost, it is left to people" {
	jq -c '. + [{name: "default/lab", interface: "net2"}]' "$run/status/a.json" >"$run/status/new"
	mv "$run/status/new" "$run/status/a.json"
	sed 's/"net1"/"net2"/g' "$node/var/lib/cni/results/lab-a-net1" >"$node/var/lib/cni/results/lab-a-net2"
	finds "status-entry: by hand: /run/devinfo/status/a.json"
	[ "$what" = "it tells of net2 in network lab, which the journal does not know, and whose container lives" ]
	sed -i 's|netns/a|netns/b|' "$node/var/lib/cni/results/lab-a-net2"
	finds "status-entry: would repair: /run/devinfo/status/a.json"
	echo '{"torn":' >"$node/var/lib/cni/results/lab-a-net2"
	finds "status-entry: by hand: /run/devinfo/status/a.json"
}

@test "ledger-file: none of a pod's attachments has a record, for over a day" {
	cp "$top/tests/node/before/ledger.json" "$state/pods/default_p1@0123456789abcdef.json"
	chmod 600 "$state"/pods/*
	finds ""
	old "$state"/pods/*
	finds "ledger-file: would repair: /var/lib/cni/devinfo/pods/default_p1@0123456789abcdef.json"
	[ "$status" -eq 0 ]	# nothing that anybody would have to act on
	sed -i 's/"c1"/"a"/g; s/"net"/"lab"/' "$state"/pods/*
	old "$state"/pods/*
	finds ""
}

@test "link-nowhere: a short link leads to a directory of sockets that is gone" {
	mkdir -p "$node/run/devinfo/sockets/uid1"
	ln -s /run/devinfo/sockets/uid1 "$run/links/0123456789ab"
	finds ""
	rmdir "$node/run/devinfo/sockets/uid1"
	finds "link-nowhere: would repair: /run/devinfo/links/0123456789ab"
}

@test "index-entry: the index of the journal leads to a record that is gone" {
	mkdir -m 700 "$state/index/01"
	touch "$state/index/01/0123456789abcdef.$record"
	finds ""
	touch "$state/index/01/0123456789abcdef.0123456789abcdef@x.json"
	finds ""		# the journal was changed a moment ago: by a call at work
	old "$state/attachments"
	finds "index-entry: would repair: /var/lib/cni/devinfo/index"
}

@test "sriov-allocation: sriov-cni has given a VF to a namespace that is gone" {
	echo -n /var/run/netns/b >"$node/var/lib/cni/sriov/pci/0000:01:10.2"
	touch "$node/var/run/netns/b" 2>/dev/null || { mkdir -p "$node/var/run/netns" && touch "$node/var/run/netns/b"; }
	finds ""
	rm "$node/var/run/netns/b"
	finds "sriov-allocation: by hand: /var/lib/cni/sriov/pci/0000:01:10.2"
}

@test "libcni-cache: no DEL has come for a container whose namespace is gone" {
	for where in results multus/results; do
		mkdir -p "$node/var/lib/cni/$where"
		sed 's/"a"/"b"/; s|netns/a|netns/b|' "$node/var/lib/cni/results/lab-a-net1" >"$node/var/lib/cni/$where/lab-b-net1"
		finds ""
		old "$node/var/lib/cni/$where/lab-b-net1"
		finds "libcni-cache: by hand: /var/lib/cni/$where/lab-b-net1"
		rm "$node/var/lib/cni/$where/lab-b-net1"
	done
}

@test "multus-cache: Multus remembers a container that nobody else knows" {
	id=$(printf '%064d' 7)
	echo '[]' >"$node/var/lib/cni/multus/$id"
	finds ""
	old "$node/var/lib/cni/multus/$id"
	finds "multus-cache: by hand: /var/lib/cni/multus/$id"
	touch "$node/var/lib/cni/results/cbr0-$id-eth0"
	finds ""
}

@test "names that are no text are told as they can be, and no file of ours has one" {
	echo '[]' >"$run/status/$(printf 'x\377y').json"
	ln -s /nowhere "$run/links/$(printf 'x\377y')"
	info '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:99:00.0"}}' cni/ü-b_net1
	cp "$devinfo/cni/ü-b_net1" "$devinfo/dp/ü-device.json"
	old "$run"/status/x* "$devinfo"/*/*
	finds ""
	sed 's|netns/a|netns/b|; s/"a"/"b"/' "$node/var/lib/cni/results/lab-a-net1" >"$node/var/lib/cni/results/$(printf 'x\377y')"
	old "$node"/var/lib/cni/results/x*
	finds "libcni-cache: by hand: /var/lib/cni/results/x?y"
}

@test "a recorded node is not repaired, but for --dry-run; which changes nothing" {
	facts "{attachments: [{file: \"$record\", state: \"dead\"}]}"
	old "$devinfo"/*/*
	before=$(find "$node" -printf '%p %T@ %s\n' | sort)
	run --separate-stderr "$ctl" --root "$node" repair
	[ "$status" -eq 2 ]
	[[ $stderr == "devinfoctl: a recorded node is not repaired, but for --dry-run"* ]]
	leaks
	[ "$(find "$node" -printf '%p %T@ %s\n' | sort)" = "$before" ]
}

@test "people get a line for each finding" {
	facts "{attachments: [{file: \"$record\", state: \"dead\"}]}"
	run --separate-stderr "$ctl" --root "$node" repair --dry-run
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == RESULT*CHECK*OBJECT ]]
	[[ $output == *"would repair  record-dead"*"/attachments/$record"*"its network namespace is gone"* ]]
}
