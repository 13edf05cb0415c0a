#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# parallel.bats - many attachments at once over all VFs of both PFs
#
# rooms: cni/attach
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	lab_up
	mkdir -p /var/lib/cni
}

# Two pods one after the other on one VF; the next is refused while this one holds it.  On a busy machine
# fourteen IPAM plugins at once take longer than an ADD and a DEL wait unless they are told to.
lane() {	# PF INDEX
	local id k pod patience='.ipamTimeoutMs = 120000 | .addTimeoutMs = 120000 | .delTimeoutMs = 120000'
	id=$(vf "$1" "$2")
	for k in 1 2; do
		pod=p-${1:5:2}-$2-$k
		pod_new "$pod"
		conf "$id" '.vlan = '$((100 + $2))' | .mac = "02:00:00:00:'"${1:5:2}:0$2"'" | '"$patience" >"/tmp/$pod.json"
		call ADD "$pod" net1 <"/tmp/$pod.json"
		[ "$(ip -n "$pod" -j link show net1 | jq -r '.[0].address')" = "02:00:00:00:${1:5:2}:0$2" ]
		pod_new "x$pod"
		call ADD "x$pod" net1 <"/tmp/$pod.json" 2>/dev/null && return 1
		[ "$(jq .code <<<"$answer")" = 11 ]
		call DEL "$pod" net1 <"/tmp/$pod.json"
		pod_del "$pod"
		pod_del "x$pod"
		echo done >>"/tmp/lane.$1.$2"
	done
}

@test "C-PIT-21, R-9, C-ISS-28: 28 ADD/DEL pairs on 14 VFs at once leave no difference and no file" {
	local pf i pids=() pid failed=0
	before=$(snapshot)
	for pf in "$PF1" "$PF2"; do
		for ((i = 0; i < VFS; i++)); do
			lane "$pf" "$i" 3>&- &
			pids+=($!)
		done
	done
	for pid in "${pids[@]}"; do
		wait "$pid" || failed=1
	done
	[ "$failed" = 0 ]
	[ "$(cat /tmp/lane.* | wc -l)" = 28 ]
	same "$before"
	[ -z "$(find /var/lib/cni/devinfo/attachments /run/devinfo/status /var/run/k8s.cni.cncf.io/devinfo/cni -type f)" ]
}

@test "the next pod's ADD meets this pod's DEL: it is served, or told to try again" {
	id=$(vf "$PF1" 0)
	conf "$id" '.vlan = 100 | .mac = "02:00:00:00:57:01"' >/tmp/a.json
	conf "$id" '.vlan = 200' >/tmp/b.json
	pod_new a
	pod_new b
	before=$(snapshot)
	for round in 1 2 3 4; do
		call ADD a net1 </tmp/a.json
		(call DEL a net1 </tmp/a.json) 3>&- &
		sleep "0.0$round"
		rc=0
		call ADD b net1 </tmp/b.json || rc=$?
		wait $!
		[ "$rc" = 0 ] || [ "$(jq .code <<<"$answer")" = 11 ]
		if [ "$rc" = 0 ]; then
			ip -j -d link show "$(netdev_of "$PF1")" | jq -e '.[0].vfinfo_list[0].vlan_list[0].vlan == 200'
		fi
		call DEL b net1 </tmp/b.json
		same "$before"
	done
	pod_del a
	pod_del b
}

@test "an ADD and a DEL of a VF open as many files with 300 attachments of VFs as with none" {
	pod_new a
	conf "$(vf "$PF1" 0)" '.vlan = 100' >/tmp/a.json
	costs_the_same
	pod_del a
}
