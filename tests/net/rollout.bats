#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# rollout.bats - another version is installed, rolled back, removed while pods come and go
#
# The other version is the same program with other bytes.  A call that has begun ends as if nothing
# had happened; what cannot be found is the runtime's to call again.
#
# rooms: cni devinfo/journal
# bats file_tags=plain

load helpers
load positions
load socket

setup() {
	socket_up
	cni=$dir/cni install=$top/install/install.sh
	{ cat "$plugin" && echo of another version; } >"$dir/other"
	chmod +x "$dir/other"
	mkdir "$cni"
	mkdir "$dir/one" && cp "$plugin" "$dir/one"
	"$install" "$dir/one/devinfo" "$cni" >/dev/null
}
teardown() { socket_down; }

# put FILE - is installed as the plugin
put() {
	cat "$1" >"$dir/one/devinfo"
	DESTDIR='' "$install" "$dir/one/devinfo" "$cni" >/dev/null
}

# worker N - ADD and DEL of device xN in pod N until $dir/stop is there: a line a call in $dir/calls.N
worker() {
	local verb status
	export CNI_CONTAINERID=c$1 CNI_IFNAME=net1 CNI_NETNS=/run/netns/$pod-$1
	until [ -e "$dir/stop" ]; do
		for verb in ADD DEL; do
			status=0
			CNI_COMMAND=$verb "$cni/devinfo" <"$dir/conf.$1" >"$dir/out.$1" 2>"$dir/err.$1" || status=$?
			echo "$verb $status $(<"$dir/out.$1")$(<"$dir/err.$1")" >>"$dir/calls.$1"
		done
	done
}

@test "24 ADD and DEL at a time while another version is installed and rolled back, and then none: no call fails of it" {
	local n calls pids=()
	for ((n = 1; n <= 24; n++)); do
		pod_add "$pod-$n"
		echo "link add x$n type veth peer name y$n"
		conf ".device = \"x$n\" | .mtu = 1400" >"$dir/conf.$n"
	done >"$dir/batch"
	ip -n "$node" -b "$dir/batch"
	before=$(snapshot)
	export dir cni pod
	for ((n = 1; n <= 24; n++)); do
		ip netns exec "$node" bash -c "$(declare -f worker); worker $n" 3>&- &
		pids+=($!)
	done
	for ((n = calls = 0; n < 6 || calls < 150; n++)); do
		[ "$n" -lt 100 ]
		sleep 0.2
		put "$dir/other"
		sleep 0.2
		put "$plugin"
		calls=$(cat "$dir"/calls.* | wc -l)
	done
	run ! grep -hvE '^(ADD 0 \{"cniVersion"|DEL 0 $)' "$dir"/calls.*
	rm "$cni/devinfo"
	sleep 0.3
	touch "$dir/stop"
	wait "${pids[@]}"
	echo "# $calls calls beside $((2 * n)) installations" >&3
	# what began before has ended well, and the others are not found
	run ! grep -hvE '^(ADD 0 \{"cniVersion"|DEL 0 $|(ADD|DEL) 127 .*No such file)' "$dir"/calls.*
	grep -q ' 127 ' "$dir"/calls.*
	put "$dir/other"
	for ((n = 1; n <= 24; n++)); do
		del "$(<"$dir/conf.$n")" "c$n" net1 "/run/netns/$pod-$n"
		deleted
	done
	same "$before"
	[ "$(find "$cni" -type f)" = "$cni/devinfo" ]
}

# gated VERB - a call of the installed plugin for $c, until its IPAM plugin waits for $dir/go: $pid
gated() {
	rm -f "$dir"/{go,asked}
	env_of "$1"
	ip netns exec "$node" "$cni/devinfo" <<<"$c" >"$dir/out" 2>"$dir/err" 3>&- &
	pid=$!
	until [ -e "$dir/asked" ]; do sleep 0.02; done
}

@test "a call whose program is replaced or removed under way ends as if it were not, and runs others' plugins" {
	cat >"$dir/bin/slow" <<-EOF
		#!/bin/sh
		cat >/dev/null
		[ "\$CNI_COMMAND" != VERSION ] || exec echo '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}'
		touch "$dir/asked"
		until [ -e "$dir/go" ]; do sleep 0.02; done
		echo '{"cniVersion":"1.0.0","ips":[{"address":"10.9.0.2/24"}]}'
	EOF
	chmod +x "$dir/bin/slow"
	c=$(conf '.mtu = 1400 | .ipam.type = "slow"')
	before=$(snapshot "$pod")
	for how in replaced removed; do
		for verb in ADD DEL; do
			gated "$verb"
			if [ $how = replaced ]; then put "$dir/other"; else rm "$cni/devinfo"; fi
			touch "$dir/go"
			wait_for "$pid"
			[ "$result" -eq 0 ] || { cat "$dir/out" "$dir/err" && false; }
			[ "$verb" = ADD ] || [ ! -s "$dir/out" ]
			put "$plugin"
		done
		same "$before" "$pod"
	done
	# an ADD that fails afterwards is rolled back, by the program that is no more
	gated ADD
	rm "$cni/devinfo"
	kill "$pid"
	touch "$dir/go"
	wait_for "$pid"
	[ "$result" -eq 1 ]
	jq -es 'length == 1 and .[0].code > 0' "$dir/out" >/dev/null
	same "$before" "$pod"
}

# of_version N - the record is one of that version
of_version() { sed -i "s/\"version\":[0-9]*,/\"version\":$1,/" "$dir"/state/attachments/*.json; }

@test "rolled back to a version that cannot read a record: it says which, and leaves all alone; the newer one releases" {
	bridge_up
	in_each_position rolled_back
	position=socket c=$(vhost server)
	before=$(snapshot "$pod")
	rolled_back
	nothing_left
}

rolled_back() {
	local attached_as result
	add "$c"
	added
	result=$output
	of_version 2
	attached_as=$(snapshot "$pod")
	env_of CHECK
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c --argjson p "$result" '.prevResult = $p' <<<"$c")"
	refused 11 "it is of version 2, this program writes 1"
	del "$c"
	refused 11 "it is of version 2, this program writes 1"
	add "$c"
	refused 11 "it is of version 2, this program writes 1"
	run --separate-stderr in_node timeout 60 "${plugin}ctl" gc
	[ "$status" -eq 0 ] || { echo "gc: $output$stderr" && return 1; }
	[ "$output$stderr" = "devinfoctl: records of another version of devinfo, which this one cannot read and leaves alone: 1; see devinfo(8)" ]
	run --separate-stderr in_node timeout 60 "${plugin}ctl" repair
	env_of GC '' '' ''
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c '.cniVersion = "1.1.0" | del(.ipam) | ."cni.dev/valid-attachments" = []' <<<"$c")"
	same "$attached_as" "$pod"
	of_version 1
	del "$c"
	deleted
	same "$before" "$pod"
}
