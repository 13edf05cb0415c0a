#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# statusverb.bats - STATUS: an error takes the network of the whole node down, so only what fails ADDs
#
# rooms: cni
# bats file_tags=plain

load helpers
load kubelet

setup() {
	node_up
	fake11_up
}

teardown() {
	serve_stop
	for d in state run devinfo full; do
		umount "$dir/$d" 2>/dev/null || true
	done
	node_down
}

# status CONF - as containerd asks: the variables of an attachment are there, and empty; again when
# the machine is too busy for a plugin to answer in time
status() {
	for _ in {1..20}; do
		: >"$dir/log"
		status_once "$1"
		grep -q 'in time' "$dir/log" || grep -q 'in time' <<<"$output" || return 0
	done
}

status_once() {
	CNI_COMMAND=STATUS CNI_CONTAINERID='' CNI_NETNS='' CNI_IFNAME='' CNI_ARGS='' \
		run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c '.cniVersion = "1.1.0"' <<<"$1")"
}

ready() {
	[ "$status" -eq 0 ] && [ -z "$output$stderr" ] ||
		{ echo "status $status: $output$stderr" && return 1; }
}

with_ipam() { conf '.ipam.type = "'"$1"'"'; }
delegating() { conf 'del(.device, .ipam) | .delegates = [{type: "one", mark: 1}, {type: "two"}]'; }
asking() { conf 'del(.device, .ipam) | .resourceName = "example.com/vf" | '"${1:-.}"; }	# kubelet.bash's has an IPAM

# crowded - at kubelet's place, one whose queue of connections is full
crowded() {
	serve /usr/bin/python3 -c '
import os, socket, sys

listener, peer = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[2])
listener.listen(0)
peer.connect(sys.argv[2])       # whom nobody ever accepts
print("ready", flush=True)
os.read(os.pipe()[0], 1)'
}

@test "C-STA-01: STATUS of a configuration that works is silent success, and makes nothing on a fresh node" {
	before=$(snapshot "$pod")
	for c in "$(conf 'del(.ipam)')" "$(host_local)" "$(with_ipam one)" "$(delegating)" \
		"$(conf 'del(.device, .ipam) | .delegate = {type: "bridge"}')" "$(conf 'del(.device, .ipam) | .mtu = 1400')"; do
		status "$c"
		ready
	done
	same "$before" "$pod"
	rm -r "$dir"/{state,run,devinfo}
	status "$(host_local)"
	ready
	[ ! -e "$dir/state" ]
	[ ! -e "$dir/run" ]
	[ ! -e "$dir/devinfo" ]
	rm -r "$dir/ipam"
	node_conf "{stateDir: \"$dir/ipam/a/b\", runDir: \"$dir/ipam/c\", devinfoDir: \"$dir/ipam/d\"}"
	status "$(host_local)"
	ready
	[ ! -e "$dir/ipam" ]
}

@test "C-STA-01: STATUS as containerd calls it, and with no variable of an attachment at all" {
	calls=$top/tests/cli/engine-calls
	mapfile -t env <"$calls/containerd-2.1.9-STATUS.env"
	run --separate-stderr in_node env -u CNI_ARGS -u CNI_CONTAINERID -u CNI_IFNAME -u CNI_NETNS "${env[@]}" \
		"$plugin" <"$calls/containerd-2.1.9-STATUS.json"
	ready
	run --separate-stderr in_node env -u CNI_ARGS -u CNI_CONTAINERID -u CNI_IFNAME -u CNI_NETNS CNI_COMMAND=STATUS \
		"$plugin" <"$calls/containerd-2.1.9-STATUS.json"
	ready
}

@test "C-STA-02: a directory of ours that cannot be written to is code 50, and says which" {
	for d in state run devinfo; do
		make_read_only "$dir/$d"
		status "$(conf)"
		umount "$dir/$d"
		refused 50 "write to directory '$dir/$d/"
		refused 50 'Read-only file system'
	done
	status "$(with_ipam one)"
	ready
}

@test "C-STA-02: a full file system under a directory of ours is code 50" {
	mkdir "$dir/full"
	for key in stateDir runDir devinfoDir; do
		node_conf "{$key: \"$dir/full/x\"}"
		mount -t tmpfs -o size=64k tmpfs "$dir/full"
		status "$(conf 'del(.ipam)')"
		ready
		head -c 1m /dev/zero >"$dir/full/fill" 2>/dev/null || true
		status "$(conf 'del(.ipam)')"
		umount "$dir/full"
		refused 50 "write to directory '$dir/full/x/"
		refused 50 'No space left on device'
		mount -t tmpfs -o nr_inodes=2 tmpfs "$dir/full"
		touch "$dir/full/fill"
		status "$(conf 'del(.ipam)')"
		umount "$dir/full"
		refused 50 'No space left on device'
	done
}

@test "C-STA-02: a file where a directory of ours should be is code 50" {
	for d in state run devinfo; do
		mv "$dir/$d" "$dir/away"
		echo file >"$dir/$d"
		status "$(conf)"
		rm "$dir/$d"
		mv "$dir/away" "$dir/$d"
		refused 50 "'$dir/$d/"
		refused 50 'Not a directory'
	done
	rm -r "$dir/run/status"
	echo file >"$dir/run/status"
	status "$(conf)"
	refused 50 "'$dir/run/status'"
}

@test "C-STA-02: an IPAM plugin or delegate that is missing is code 50, also where CNI_PATH is empty" {
	for c in "$(with_ipam nosuch)" "$(conf 'del(.device, .ipam) | .delegate = {type: "nosuch"}')" \
		"$(conf 'del(.device, .ipam) | .delegates = [{type: "one"}, {type: "nosuch"}]')"; do
		status "$c"
		refused 50 'plugin nosuch is in no directory of CNI_PATH'
	done
	for path in '' /nonexistent; do
		CNI_PATH=$path status "$(host_local)"
		refused 50 CNI_PATH
		CNI_PATH=$path status "$(conf 'del(.ipam)')"
		ready
	done
	echo '#!/nonexistent' >"$dir/bin/broken"
	chmod +x "$dir/bin/broken"
	status "$(with_ipam broken)"
	refused 50 'plugin broken cannot be executed'
}

@test "C-STA-02: a vDPA management device that is missing is code 50, and one that the pod's device names is not asked for" {
	local vdpa='{vdpa: {mgmtdev: "nosuch", driver: "virtio", mac: "02:00:00:00:00:01"}}'
	status "$(conf "del(.device) + $vdpa")"
	refused 50 'no vDPA management device nosuch'
	status "$(conf "del(.device) + $vdpa"' | .vdpa.mgmtdev = "pci/0000:ff:1f.7"')"
	refused 50 'no vDPA management device pci/0000:ff:1f.7'
	status "$(conf 'del(.device, .ipam) | .deviceID = "0000:ff:1f.7" | .vdpa = {create: true, driver: "vhost"}')"
	ready
}

@test "C-STA-03: STATUS is passed on to IPAM plugin and delegates that speak 1.1.0, as they would be called" {
	status "$(conf '.ipam = {type: "one", range: "r"}')"
	ready
	[ "$(<"$FAKE11/calls.log")" = 'one STATUS /@' ]
	[ "$(jq -c '[.cniVersion, .name, .type, .ipam.range]' "$FAKE11/one.STATUS.json")" = \
		'["1.1.0","net","devinfo","r"]' ]
	: >"$FAKE11/calls.log"
	echo '"1.0.0"' >"$FAKE11/two.versions"
	status "$(delegating)"
	ready
	[ "$(<"$FAKE11/calls.log")" = 'one STATUS /@' ]
	[ "$(jq -c '[.cniVersion, .name, .type, .mark]' "$FAKE11/one.STATUS.json")" = '["1.1.0","net","one",1]' ]
}

@test "C-STA-03: 50 and 51 of a plugin are passed up as they are, anything else as 50" {
	for c in "$(with_ipam two)" "$(delegating)"; do
		for code in 50 51; do
			echo "$code no good" >"$FAKE11/two.STATUS"
			status "$c"
			refused $code 'plugin two: no good'
		done
		for code in 7 11 100; do
			echo "$code no good" >"$FAKE11/two.STATUS"
			status "$c"
			refused 50 'plugin two: no good'
		done
	done
	echo '50 neither' >"$FAKE11/one.STATUS"
	status "$(delegating)"
	refused 50 'plugin one: neither'
	refused 50 'plugin two: no good'
}

@test "C-STA-05: ADD, CHECK and DEL work whatever STATUS said" {
	echo '50 no good' >"$FAKE11/one.STATUS"
	c=$(conf '.cniVersion = "1.1.0" | .ipam.type = "one"')
	status "$c"
	refused 50 'plugin one: no good'
	add "$c"
	added
	env_of CHECK
	run --separate-stderr in_node "$plugin" <<<"$(jq -c --argjson result "$output" '.prevResult = $result' <<<"$c")"
	ready
	del "$c"
	deleted
}

@test "C-STA-02: kubelet's socket has to be there when we resolve the resource ourselves" {
	status "$(asking)"
	refused 50 "kubelet's PodResources at $dir/kubelet.sock"
	touch "$dir/kubelet.sock"
	status "$(asking)"
	refused 50 "kubelet's PodResources at $dir/kubelet.sock"
	rm "$dir/kubelet.sock"
	mkfifo "$dir/kubelet.sock"
	within 10 status_once "$(asking)"
	refused 50 "kubelet's PodResources at $dir/kubelet.sock"
	rm "$dir/kubelet.sock"
	gave v0
	kubelet ok
	status "$(asking)"
	ready
	kill -KILL "$server"
	wait "$server" || true
	[ -S "$dir/kubelet.sock" ]	# and nobody behind it
	status "$(asking)"
	refused 50 "kubelet's PodResources at $dir/kubelet.sock"
	# the engine, Multus or the administrator tells the device
	for told in '.deviceID = "0000:01:00.1"' '.pciBusID = "0000:01:00.1"' '.device = "v0"' \
		'.runtimeConfig.deviceID = "0000:01:00.1"' '.capabilities.deviceID = true' 'del(.resourceName)'; do
		status "$(asking "$told")"
		ready
	done
	status "$(asking '.capabilities = {deviceID: false, mac: true}')"
	refused 50 "kubelet's PodResources"
}

@test "C-STA-04: a hundred STATUS in a row never ask kubelet, which serves a hundred questions a second" {
	gave v0
	kubelet ok
	asking '.cniVersion = "1.1.0"' >"$dir/request"
	run --separate-stderr in_node env CNI_COMMAND=STATUS sh -c '
		for i in $(seq 100); do
			"$0" <"$1" || exit
		done' "$plugin" "$dir/request"
	ready
	[ ! -s "$dir/calls" ]
}

@test "C-STA-02, C-STA-04: a plugin that hangs is no error, and is not waited for" {
	for c in "$(with_ipam one)" "$(delegating)"; do
		for verb in STATUS VERSION; do
			echo hang >"$FAKE11/one.$verb"
			within 6 status_once "$c"
			ready
			grep -q 'level=warning.*plugin one gave no answer in time' "$dir/log"
			rm "$FAKE11/one.$verb" "$dir/log"
		done
	done
}

@test "C-STA-02: a delegate that is missing is an error, also behind one that hangs" {
	echo hang >"$FAKE11/one.STATUS"
	rm "$dir/bin/two"
	within 6 status_once "$(delegating)"
	refused 50 'plugin two is in no directory of CNI_PATH'
}

# answers_nothing - a kubelet that is at the socket is code 50, unless its checkpoint is there to go by
answers_nothing() {
	rm -rf "$dir/kubelet"
	within 6 status_once "$(asking)"
	refused 50 "kubelet's PodResources at $dir/kubelet.sock"
	refused 50 'Connection timed out'
	checkpoint '{"-1": ["v0"]}'
	within 6 status_once "$(asking)"
	ready
	grep -q "level=warning.*only kubelet's checkpoint is there" "$dir/log"
	within 6 status_once "$(asking '.delegate = {type: "nosuch"}')"
	refused 50 'plugin nosuch is in no directory of CNI_PATH'
	within 6 status_once "$(asking 'del(.resourceName) | .claim = "c"')"
	refused 50 "kubelet's PodResources at $dir/kubelet.sock"
}

@test "C-STA-02, C-STA-04: a kubelet that answers nothing is code 50 in time: silent, half a greeting, too busy to accept" {
	hostile silence
	answers_nothing
	serve_stop
	hostile half-greeting
	answers_nothing
	serve_stop
	crowded
	answers_nothing
}

@test "C-STA-02: a configuration that no ADD would take is the error of the ADD" {
	status "$(conf '.vlan = 5000')"
	refused 7 vlan
	status "$(conf '.ipam.type = "a/b"')"
	refused 7 ipam.type
	status "$(conf '.delegates = [{type: "one"}]')"
	refused 7 device
	status "$(conf '.stateDir = "/var/lib/cni/devinfo"')"
	refused 7 "stateDir: not in a network configuration"
	node_conf '{stateDir: "relative"}'
	status "$(conf)"
	refused 7 stateDir
	node_conf '{nosuchkey: 1}'
	status "$(conf)"
	refused 7 nosuchkey
}

@test "C-STA-01: STATUS came with 1.1.0" {
	CNI_COMMAND=STATUS run --separate-stderr in_node "$plugin" <<<"$(conf)"
	refused 1 'config version does not allow STATUS'
}
