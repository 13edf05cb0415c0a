#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# pitfalls.bats - what users of other plugins have met, by the numbers of the checklist
#
# Only those that no other file shows.
#
# rooms: cni cni/attach cni/call
# bats file_tags=plain

load helpers
load positions

setup() {
	positions_up
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
}

teardown() {
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || true
	node_down
}

# killed VERB CALL N - a call that dies at its N-th such system call
killed() {
	env_of "$1"
	run --separate-stderr in_node timeout 60 strace -qq -o "$dir/trace" -e trace="$2" \
		-e inject="$2:signal=KILL:when=$3" "$plugin" <<<"$c"
}

# gc [jq filter] - with no attachment of the network alive
gc() {
	env_of GC
	export CNI_CONTAINERID='' CNI_IFNAME='' CNI_NETNS=''
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c 'del(.prevResult) | .cniVersion = "1.1.0" |
		."cni.dev/valid-attachments" = [] | '"${1:-.}" <<<"$c")"
}

# host-local keeps its leases on the disk: they outlive a reboot, and only a DEL gives them back.
on_disk() {
	c=$(jq -c --arg d "$dir/ipam" '{type: "host-local", dataDir: $d, subnet: "10.1.0.0/29"} as $ipam |
		if .ipam then .ipam = $ipam else . end | if .delegates then .delegates[0].ipam = $ipam else . end' <<<"$c")
}

addresses() { find "$dir/ipam" -name '10.1.0.*' | wc -l; }

never_deleted() {
	on_disk
	killed ADD linkat 2	# only the network-status is missing
	[ "$status" -gt 128 ]
	[ "$(records)" -eq 1 ]
	[ $position = chained ] || [ "$(addresses)" -eq 1 ]
	ip netns del "$pod"
	gc
	deleted
	empty
	[ "$(addresses)" -eq 0 ]
}

@test "C-PIT-05: an ADD that was killed, and no DEL: GC releases lease and record when the container is gone" {
	in_each_position never_deleted
}

both_killed() {
	for call in 'sendto 1' 'sendto 3' 'unlinkat 1'; do
		killed ADD linkat 2
		[ "$status" -gt 128 ]
		[ "$(records)" -eq 1 ]
		# shellcheck disable=SC2086
		killed DEL $call
		[ "$status" -gt 128 ] || deleted	# it may have had less to do
		del "$c"
		clean
	done
}

@test "C-PIT-06: an ADD that was killed, a DEL that was killed: the next DEL restores" {
	in_each_position both_killed
}

spoilt_files() {
	for damage in ': >"$file"' 'truncate -s 9 "$file"' 'echo nonsense >"$file"'; do
		for name in "run/status/$pod.json" state/lock; do
			file=$dir/$name
			add "$c"
			attached
			eval "$damage"
			del "$c"
			clean
			eval "$damage"	# and before the ADD
			add "$c"
			attached
			del "$c"
			clean
		done
	done
}

@test "C-PIT-09, C-PIT-10: a network-status or lock file that is empty, cut off or nonsense is in nobody's way" {
	: >"$dir/state/lock"
	in_each_position spoilt_files
}

refused_once() {
	[ $position != chained ] || return 0	# it asks nobody
	add "$c"
	attached
	for _ in 1 2; do
		FAKE_DEL=error del "$c"
		refused 11 'no addresses left'
		[ "$(records)" -eq 1 ]
		[ "$(leases)" -eq 1 ]
	done
	del "$c"
	clean
}

@test "C-PIT-11, C-ISS-02: the record outlives a DEL whose plugin fails, and the next DEL asks the plugin again" {
	in_each_position refused_once
}

@test "C-PIT-12: DEL goes on after a plugin that fails, and the next DEL asks that one only" {
	cat >"$dir/bin/stubborn" <<-'END'
		#!/bin/bash
		[ "$CNI_COMMAND" != ADD ] || exec jq .prevResult
		echo "$CNI_COMMAND" >>"$FAKE_STORE/calls.log"
		[ ! -e "$FAKE_STORE/refuse" ] || { echo '{"code": 123, "msg": "not today"}'; exit 1; }
	END
	chmod +x "$dir/bin/stubborn"
	before=$(snapshot "$pod")
	c=$(request meta '.delegates += [{type: "stubborn"}]')
	add "$c"
	attached
	: >"$dir/leases/refuse"
	del "$c"
	refused 123 'not today'
	[ "$(leases)" -eq 0 ]
	run ! ip -n "$pod" link show net1
	rm "$dir/leases/refuse" "$dir/leases/calls.log"
	del "$c"
	clean
	[ "$(cat "$dir/leases/calls.log")" = DEL ]
}

none_empty() {
	for call in linkat fsync renameat2 unlinkat; do
		for ((n = 1; ; n++)); do
			killed ADD $call $n
			[ "$status" -gt 128 ] || break
			[ -z "$(find "$dir"/state/attachments "$dir"/run "$dir"/devinfo -type f -size 0)" ]
			del "$c"
			clean
		done
		added
		del "$c"
		clean
	done
}

@test "C-PIT-14: whenever an ADD is killed, no file of ours is empty" {
	in_each_position none_empty
}

# reboot [state] - of the namespaces and /run, and of the state when it was there, too, nothing is
# left; v0 has the same address and number as before.  The pod's interface is deleted first: with a
# namespace it dies when the kernel comes to it, and bridge's end of it would be there for a while.
reboot() {
	ip -n "$pod" link del net1
	ip netns del "$pod"
	ip -n "$node" link del p0 2>/dev/null || true
	ip -n "$node" link add v0 index "$number" mtu 1450 address 02:00:00:00:00:0a type veth peer name p0
	sed -i 's/"bootID":"[^"]*"/"bootID":"00000000-0000-0000-0000-000000000000"/' "$dir"/state/attachments/*
	rm -rf "$dir/run" "$dir/devinfo" "$dir/${1-run}"
	today=$(links "$node")
}

after_reboot() {
	[ $position != chained ] || return 0	# it keeps nothing
	number=$(link "$node" v0 .ifindex)
	for lost in run state; do
		on_disk
		add "$c"
		attached
		[ "$(addresses)" -eq 1 ]
		reboot $lost
		del "$c"
		deleted
		[ "$(addresses)" -eq 0 ]
		[ "$(find "$dir/state" -name '*.json' 2>/dev/null | wc -l)" -eq 0 ]
		[ "$(links "$node")" = "$today" ]
		pod_add "$pod"
	done
	add "$c"
	attached
	reboot
	gc
	deleted
	[ "$(addresses)" -eq 0 ]
	[ "$(records)" -eq 0 ]
	[ "$(links "$node")" = "$today" ]
	mkdir -p "$dir/run" "$dir/devinfo"
}

@test "C-PIT-15: after a reboot DEL and GC release the address, and touch none of today's devices" {
	in_each_position after_reboot
}

without_netns() {
	[ $position != chained ] || return 0	# it asks nobody
	on_disk
	touch "$dir/plain"
	for netns in "/run/netns/$pod" '' "$dir/plain"; do
		add "$c"
		attached
		[ "$(addresses)" -eq 1 ]
		ip netns del "$pod"
		del "$c" "$pod" net1 "$netns"
		deleted
		[ "$(addresses)" -eq 0 ]
		pod_add "$pod"
		[ $position != owner ] || reborn
	done
}

# A veth dies with the namespace that its other end was in, a little later.
reborn() {
	for _ in {1..100}; do ip -n "$node" link show p0 >/dev/null 2>&1 || break; sleep 0.05; done
	ip -n "$node" link add v0 address 02:00:00:00:00:0a type veth peer name p0
}

@test "C-PIT-16, C-ISS-13: the IPAM plugin is asked to release when the namespace is gone" {
	in_each_position without_netns
}

record_lost() {
	add "$c"
	attached
	rm "$dir"/state/attachments/*
	for _ in 1 2; do
		del "$c"
		deleted
		empty
	done
	case $position in	# what only the record knew
	owner) ip -n "$pod" link set net1 down mtu 1500 address 02:00:00:00:00:0a netns "$node" name v0 ;;
	chained) ip -n "$pod" link set net1 mtu 1500 address 02:00:00:00:00:3a ;;
	esac
	same "$before" "$pod"
	add "$c"
	attached
	del "$c"
	clean
}

@test "C-PIT-18: a record that is missing keeps no DEL from succeeding, and no later ADD" {
	in_each_position record_lost
}

retries() {
	[ $position != chained ] || return 0	# it waits for nobody
	rm -f "$dir/leases/calls.log"
	env_of ADD
	FAKE_ADD=hang ip netns exec "$node" "$plugin" <<<"$c" >"$dir/add" 2>&1 3>&- &
	old=$!
	for _ in {1..200}; do [ ! -s "$dir/leases/calls.log" ] || break; sleep 0.05; done
	for _ in 1 2 3; do
		within 6 add "$c"
		refused 11 "lock"
		within 6 del "$c"
		refused 11 "lock"
	done
	[ "$(wc -l <"$dir/leases/calls.log")" -eq 1 ]
	kill -KILL $old
	wait_for $old
	add "$c"
	added || [[ $stderr == *'undoing an unfinished ADD'* ]]
	del "$c"
	clean
}

@test "C-PIT-29, C-ISS-05: while an old ADD still runs, each retry of it and each DEL is told to try again" {
	node_conf '{lockTimeoutMs: 200}'
	in_each_position retries
}

# What the device plugin wrote about a device that is none of PCI's.
memif() {
	mkdir -p "$dir/devinfo/dp"
	echo '{"type":"memif","version":"1.1.0","memif":{"role":"slave","path":"/run/m.sock","mode":"ethernet"}}' \
		>"$dir/devinfo/dp/example.com-memif-mem1-device.json"
	inside "$pod"
	c=$(request chained '.resourceName = "example.com/memif" | .deviceID = "mem1"')
}

@test "C-PIT-33: device-info is in the network-status without the capability, and without a CNIDeviceInfoFile" {
	memif
	before=$(snapshot "$pod")
	add "$c"
	attached
	[ "$(jq -c '.[0]."device-info"' "$dir/run/status/$pod.json")" = \
		'{"memif":{"mode":"ethernet","path":"/run/m.sock","role":"slave"},"type":"memif","version":"1.1.0"}' ]
	del "$c"
	clean
}

@test "C-PIT-35: directories are made 0755 and files 0644, and one that was there is replaced as a whole" {
	memif
	umask 0777
	add "$c"
	umask 022
	added
	file=$dir/devinfo/cni/net-${pod}_net1
	[ "$(stat -c %a "$dir/devinfo/cni" "$file" | xargs)" = '755 644' ]
	[ "$(stat -c %a "$dir/run/status" "$dir/run/status/$pod.json" | xargs)" = '755 644' ]
	del "$c"
	deleted
	# a reader that has the old file open goes on with it
	cp "$dir/devinfo/dp/example.com-memif-mem1-device.json" "$file"
	chmod 0444 "$file"
	exec 5<"$file"
	add "$c"
	added
	[ "$(stat -c %a "$file")" = 644 ]
	cmp - "$dir/devinfo/dp/example.com-memif-mem1-device.json" <&5
	[ "$(stat -L -c %i /proc/self/fd/5)" != "$(stat -c %i "$file")" ]
	exec 5<&-
	del "$c"
	deleted
	[ ! -e "$file" ]
}

# Both in place on the same interface: only the networks' names tell them apart.
@test "C-PIT-36: what is kept of one container and interface is kept for each network" {
	inside "$pod"
	one=$(request chained '.name = "one" | del(.mac)')
	two=$(request chained '.name = "two" | del(.mtu)')
	before=$(snapshot "$pod")
	add "$one"
	added
	add "$two"
	added
	[ "$(records)" -eq 2 ]
	[ "$(jq -c 'map(.name)' "$dir/run/status/$pod.json")" = '["one","two"]' ]
	del "$one"
	deleted
	[ "$(link "$pod" net1 '"\(.address) \(.mtu)"')" = '02:00:00:00:00:77 1500' ]
	[ "$(jq -c 'map(.name)' "$dir/run/status/$pod.json")" = '["two"]' ]
	del "$two"
	clean
}

# kubelet MODE COUNT - which knows that many pods, the last one with device v0
kubelet() {
	jq -n --argjson n "$2" '{pod_resources: ([range($n - 1) | {name: "other\(.)", namespace: "default",
			containers: [{name: "c", devices: [{resource_name: "example.com/vf", device_ids: ["other\(.)"]}]}]}] +
		[{name: "p1", namespace: "default",
			containers: [{name: "c", devices: [{resource_name: "example.com/vf", device_ids: ["v0"]}]}]}])}' \
		>"$dir/pods.json"
	"$fake/kubelet.py" --socket "$dir/kubelet.sock" --state "$dir/pods.json" --mode "$1" \
		>"$dir/ready" 2>"$dir/kubelet.log" 3>&- &
	server=$!
	for _ in {1..200}; do ! grep -q ready "$dir/ready" || return 0; sleep 0.05; done
	cat "$dir/kubelet.log"
	return 1
}

@test "C-PIT-34: an answer of kubelet's above 4 MiB is read, one above 16 MiB is one clean error" {
	export CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
	c=$(conf 'del(.device, .ipam) | .resourceName = "example.com/vf" | .podResourcesTimeoutMs = 60000')
	ip -n "$node" link add v0 address 02:00:00:00:00:0a type veth peer name p0 2>/dev/null || true
	before=$(snapshot "$pod")
	kubelet get-unimplemented 80000
	add "$c"
	added
	[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
	del "$c"
	clean
	kill "$server"
	wait "$server" || true
	kubelet big 1
	add "$c"
	refused 105 ''
	same "$before" "$pod"
}
