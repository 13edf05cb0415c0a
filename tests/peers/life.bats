#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# life.bats - DEL and GC after the application, the switch or the whole machine has died
#
# rooms: cni/socket

load peers

setup() { peers_up; }
teardown() { peers_down; }

gc() {
	env_of GC
	export CNI_CONTAINERID='' CNI_IFNAME='' CNI_NETNS=''
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c '
		."cni.dev/valid-attachments" = '"${1:-[]}" <<<"$c")"
}

# check - of the attachment of connected
check() {
	env_of CHECK
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c --argjson r "$result" '.prevResult = $r' <<<"$c")"
}
checked() { deleted; }

# connected KIND SIDE - an attachment with its application at work
connected() {
	c=$(sconf "$@")
	add "$c"
	added
	result=$output
	app
	both_receive
}

# dead KIND SIDE - kill -9 of the application, and of the switch
dead() {
	connected "$@"
	end app
	end_hooked
	within 10 del "$c"
	deleted
	nothing_left
	del "$c"
	deleted
}

@test "memif: application and switch are killed: DEL cleans, whoever made the socket" {
	dead memif slave
	dead memif master
}

@test "vhost-user: application and switch are killed: DEL cleans, whoever made the socket" {
	dead vhostUser client
	dead vhostUser server
}

@test "the pod dies with its namespace while packets pass: DEL cleans" {
	connected vhostUser server
	killed "${pid[app]}"
	ip netns del "$pod"
	del "$c"
	deleted
	nothing_left
}

# rebooted [state] - nobody lives, /run is empty, and the state when it was there, too
rebooted() {
	end app
	end_hooked
	ip netns del "$pod"
	rm -rf "$socks" "$dir/run" "$dir/devinfo" "$dir/${1:-run}"
	[ ! -d "$dir/state" ] || sed -i \
		's/"bootID":"[^"]*"/"bootID":"00000000-0000-0000-0000-000000000000"/' "$dir"/state/attachments/*
}

none() { [ -z "$(find "$dir/state" -name '*.json' 2>/dev/null)" ] && [ ! -d "$socks/$pod" ]; }

@test "after a reboot DEL succeeds, with the record and without" {
	for lost in run state; do
		connected vhostUser client
		rebooted "$lost"
		del "$c"
		deleted
		none
		del "$c"
		deleted
		pod_add "$pod"
	done
}

@test "after a reboot GC succeeds" {
	connected memif master
	rebooted
	gc
	deleted
	none
}

# more - than $n packets
more() { (($(received app) > n)); }

@test "GC ends an attachment that nobody keeps, and leaves one with its packets" {
	connected vhostUser server
	pod_add "$pod2"
	add "$(jq -c '.runtimeConfig.CNIDeviceInfoFile |= sub("given"; "other")' <<<"$c")" "$pod2" net2
	added
	ip netns del "$pod2"	# of one that lives GC takes nothing
	gc "$(jq -cn --arg id "$pod" '[{containerID: $id, ifname: "net1"}]')"
	deleted
	[ "$(records)" -eq 1 ]
	[ ! -e "$socks/$pod2" ]
	n=$(received app)
	within_patience more
	end app
	del "$c"
	deleted
	nothing_left
}

# still_passes KIND SIDE - whatever CHECK does to find out that somebody listens
still_passes() {
	connected "$@"
	check
	checked
	check
	checked
	n=$(received app)
	within_patience more
	end app
	del "$c"
	deleted
}

# nobody_listens - of the node, at a socket of a pod's
nobody_listens() { in_node awk '$4 == "00010000" && /\/net1[.]sock$/ { found = 1 } END { exit found }' /proc/net/unix; }

@test "CHECK leaves applications and switches that listen unharmed, and misses a switch that is dead" {
	still_passes memif slave
	still_passes memif master
	connected vhostUser client
	check
	checked
	not nobody_listens
	end_hooked
	within_patience nobody_listens
	check
	refused 101 'but nobody listens'
	refused 101 'no testpmd'	# the hook was asked as well
	del "$c"
	deleted
	nothing_left
}

# waits_for_switch KIND SIDE - the application listens before there is a switch, and CHECK looks
waits_for_switch() {
	c=$(sconf "$1" "$2" 'del(.switch)')
	add "$c"
	added
	result=$output
	cp "$dir/devinfo/cni/given" "$dir/kept"
	app
	within_patience test -S "$socks/$pod/net1.sock"
	for _ in 1 2 3; do
		check
		checked
	done
	del "$c"	# its namespace lives: kept, and not disturbed either
	deleted
	grep -q 'somebody still listens: kept' "$dir/log"
	: >"$dir/log"
	output=$result
	switch "$("$ctl" args dpdk --side peer --path "$socks/$pod/net1.sock" "$dir/kept")"
	both_receive
	end app
	end switch
}

@test "an application that waits for its switch is not taken for another by CHECK and DEL" {
	for kind in "vhostUser server" "memif master"; do
		# shellcheck disable=SC2086
		waits_for_switch $kind
		rm -rf "${socks:?}/$pod"
	done
}

@test "net1, net10 and net11 of one pod are each their own: a DEL of one leaves the others' packets" {
	connected vhostUser server
	for ifname in net10 net11; do
		add "$(jq -c '.runtimeConfig.CNIDeviceInfoFile += "'$ifname'"' <<<"$c")" "$pod" $ifname
		added
	done
	c10=$(jq -c '.runtimeConfig.CNIDeviceInfoFile += "net10"' <<<"$c")
	c11=$(jq -c '.runtimeConfig.CNIDeviceInfoFile += "net11"' <<<"$c")
	del "$c10" "$pod" net10
	deleted
	[ "$(records)" -eq 2 ]
	[ -S "$socks/$pod/net1.sock" ]
	n=$(received app)
	within_patience more
	end app
	del "$c"
	deleted
	[ "$(records)" -eq 1 ]
	del "$c11" "$pod" net11
	deleted
	nothing_left
}
