#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# ovs_life.bats - sockets with a port of a real Open vSwitch at their other end, from ADD to the end
#
# Its DPDK datapath makes the sockets; who connects to them here only connects, but for one that is
# DPDK's.
#
# rooms: cni/switch

load ../net/helpers
load peers
load ../net/socket
load ovs
load ../net/before

setup() {
	socket_up
	ovs_up "$dir/ovs"
	sockets_conf "{ovsDb: \"$ovs_db\"}"
	vsctl add-br br0 -- set bridge br0 datapath_type=netdev
	sw='.switch = {type: "ovs", bridge: "br0"}'
}

teardown() {
	local name
	for name in "${!pid[@]}"; do
		end "$name"
	done
	ovs_down "$dir/ovs"
	socket_down
}

ports() { vsctl --no-wait list-ports br0 | wc -l; }
# What there is of sockets in the switch's own directory, but for its control sockets.
switch_sockets() { find "$dir/ovs" -type s -name 'dv*' | wc -l; }

@test "C-USR-04: the application connects: the switch's socket is in the pod's directory, alone, with its mode" {
	c=$(vhost client "$sw"' | .vhostUser.gid = 1000 | .vlan = 5')
	add "$c"
	added
	result=$output
	[ "$(mode_of "$sock")" = "660 0:1000" ]
	[ "$(ls "$home")" = net1.sock ]
	[ "$(stat -c %h "$sock")" = 2 ]
	[ "$(in_pod_as 1000:1000 connect vhost-user /mnt/s/net1.sock)" = connected ]
	check "$c" "$result"
	deleted
	vsctl set port "$(vsctl list-ports br0)" tag=6
	check "$c" "$result"
	refused 101 "5"
	del '{"cniVersion":"1.1.0","name":"net","type":"devinfo"}'
	deleted
	[ "$(ports)" = 0 ]
	vsctl br-exists br0	# the last port goes, its bridge is the administrator's
	nothing_left
}

@test "a record of the version before: CHECK compares the port, DEL removes it and the switch's socket" {
	c=$(vhost client "$sw"' | .vhostUser.gid = 1000 | .vlan = 5')
	add "$c"
	added
	wrote_before socket-ovs '.socket.port = $new[0].socket.port | .socket.linked = $new[0].socket.linked'
	result=$output
	check "$c" "$result"
	deleted
	vsctl set port "$(vsctl list-ports br0)" tag=6
	check "$c" "$result"
	refused 101 "tag"
	del '{"cniVersion":"1.1.0","name":"net","type":"devinfo"}'
	deleted
	[ "$(ports)" = 0 ]
	[ "$(switch_sockets)" = 0 ]
	nothing_left
}

@test "C-USR-18: ovs-vswitchd killed between ADD and DEL: port, its stale socket and ours are gone" {
	c=$(vhost client "$sw")
	add "$c"
	added
	ovs_stop ovs-vswitchd
	[ "$(switch_sockets)" = 1 ]
	env_of DEL
	within 20 run --separate-stderr in_node timeout 60 "$plugin" <<<"$c"
	[ "$status" -eq 0 ]
	[ "$(ports)" = 0 ]
	[ "$(switch_sockets)" = 0 ]
	nothing_left
	vswitchd_up
	add "$(vhost server "$sw")"
	added
	ovs_stop ovs-vswitchd
	del "$c"
	[ "$status" -eq 0 ]
	[ "$(ports)" = 0 ]
	nothing_left
}

@test "C-USR-07: a failing wait takes the port back; an ADD while ovs-vswitchd is dead leaves nothing" {
	add "$(vhost client "$sw"' | .switch.bridge = "br7"')"
	refused 102 br7
	nothing_left
	mount -t tmpfs -o mode=755 none "$sockets"
	add "$(vhost client "$sw")"
	umount "$sockets"
	refused 102 "in one mount"
	[ "$(ports)" = 0 ]
	ovs_stop ovs-vswitchd
	within 20 add "$(vhost server "$sw"' | .switch.timeoutMs = 1000')"
	refused 11 ""
	[ "$(ports)" = 0 ]
	nothing_left
}

@test "the database outlives a reboot: DEL by the record, or GC without one, removes the port" {
	c=$(vhost server "$sw")
	add "$c"
	added
	reboot
	ip netns del "$pod"
	del "$c"
	deleted
	[ "$(ports)" = 0 ]
	[ "$(records)" = 0 ]
	pod_add "$pod2"
	mkdir -p "$sockets" "$dir/run/status"
	add "$c" "$pod2"
	added
	reboot
	rm "$dir"/state/attachments/*
	[ "$(ports)" = 1 ]
	gc "$c" '[]'
	deleted
	[ "$(ports)" = 0 ]
}

link_up() { [ "$(vsctl --bare --columns=link_state find Interface type=dpdkvhostuserclient)" = up ]; }

@test "after a reboot with DEL before Open vSwitch the same pod's new sandbox has one port and its link comes up" {
	export CNI_ARGS="K8S_POD_UID=u-7"	# both sandboxes have the same path
	c=$(vhost server "$sw"' | .vlan = 5')
	add "$c"
	added
	ovs_stop ovs-vswitchd
	ovs_stop ovsdb-server
	rm -f "$ovs_db"
	reboot
	ip netns del "$pod"
	del "$c"
	deleted
	[ "$(records)" = 0 ]
	mkdir -p "$sockets" "$dir/run/status"
	ovsdb_up
	vswitchd_up
	[ "$(ports)" = 1 ]
	pod_add "$pod2"
	c=$(vhost server "$sw"' | .vlan = 6 | .runtimeConfig.CNIDeviceInfoFile = "'"$dir"'/devinfo/cni/given"')
	add "$c" "$pod2"
	added
	result=$output
	[ "$(ports)" = 1 ]
	[ "$(vsctl get Port "$(vsctl list-ports br0)" tag)" = 6 ]
	cores=0@0,1@1 forward=txonly pod=$pod2 app
	within_patience link_up
	gc "$c" '[{"containerID":"'"$pod2"'","ifname":"net1"}]'
	deleted
	[ "$(ports)" = 1 ]
	link_up
	check "$c" "$result" "$pod2"
	deleted
	end app
	del "$c" "$pod2"
	deleted
	[ "$(ports)" = 0 ]
}

@test "a vhost-sock-dir that is no proper path: records can be read, by others, too, and DEL cleans" {
	for sub in sub/ ./sub; do
		ovs_stop ovs-vswitchd
		mkdir -p "$dir/ovs/sub"
		vsctl --no-wait set Open_vSwitch . other_config:vhost-sock-dir="$sub"
		vswitchd_up
		c=$(vhost client "$sw")
		add "$c"
		added
		[ -S "$dir/ovs/sub/$(vsctl list-ports br0)" ]
		[ "$(info '."vhost-user".path')" = /run/devinfo/sockets/net1.sock ]
		[ "$(stat -c %h "$sock")" = 2 ]
		pod_add "$pod2"
		add "$(vhost server)" "$pod2"
		added
		[ "$(records)" = 2 ]
		del "$(vhost server)" "$pod2"
		deleted
		del '{"cniVersion":"1.1.0","name":"net","type":"devinfo"}'
		deleted
		[ "$(ports)" = 0 ]
		[ "$(switch_sockets)" = 0 ]
		nothing_left
		ip netns del "$pod2"
	done
}

# given MODE - what a device plugin says of its socket
given() {
	jq -n --arg mode "$1" --arg path "$dir/dp/a.sock" \
		'{type: "vhost-user", version: "1.1.0", "vhost-user": {mode: $mode, path: $path}}' \
		>"$dir/devinfo/dp/example.com-sock-s0-device.json"
}

@test "a device plugin's socket that the application connects to is refused: no port can be behind it" {
	mkdir -p "$dir/dp" "$dir/devinfo/dp"
	peer listen vhost-user "$dir/dp/a.sock"
	c=$(jq -cn '{cniVersion: "1.1.0", name: "net", type: "devinfo", vhostUser: {}, resourceName: "example.com/sock", deviceID: "s0"} | '"$sw")
	given client
	add "$c"
	refused 7 "switch.type is 'ovs'"
	[[ $output == *"expected one of mode server"* ]]
	[ "$(ports)" = 0 ]
	[ "$(records)" = 0 ]
	kill -KILL "$peer"
	given server
	add "$c"
	added
	[ "$(ports)" = 1 ]
	del "$c"
	deleted
	[ "$(ports)" = 0 ]
}

@test "CHECK with a configuration that has no switch any more says that, and asks nobody" {
	c=$(vhost server "$sw")
	add "$c"
	added
	result=$output
	kill -STOP "$(cat "$ovs_dir/ovsdb-server.pid")"
	check "$(vhost server)" "$result"
	kill -CONT "$(cat "$ovs_dir/ovsdb-server.pid")"
	refused 101 "ADD has made it, and the configuration has no switch of type ovs"
	[[ $output != *null* ]]
	del "$c"
	deleted
}

clean() { [ "$(ports)" = 0 ] && [ "$(switch_sockets)" = 0 ] && nothing_left; }

# killed_at VERB MORE-THAN - at each change that it makes to the node, and each message to the database
killed_at() {
	local sysfault=${BUILD:-$top/build}/tests/tool/sysfault n
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	for ((n = 1; n < 60; n++)); do
		if [ "$1" = DEL ]; then
			add "$c"
			added
		fi
		env_of "$1"
		run in_node timeout 60 "$sysfault" changes kill "$n" "$plugin" <<<"$c"
		[ "$status" -ne 0 ] || break
		[ "$status" -eq 137 ]
		del "$c"
		[ "$status" -eq 0 ] || { echo "at $n: $output$stderr" && return 1; }
		for ((tries = 0; tries < 50; tries++)); do	# Open vSwitch removes its socket when it can
			clean && break
			sleep 0.1
		done
		clean || { echo "at $n" && return 1; }
	done
	echo "# $((n - 1)) changes of $1" >&3
	[ "$n" -gt "$2" ]
	[ "$n" -lt 60 ]
	del "$c"
	deleted
	clean
}

@test "kill -9 at each step of ADD: DEL takes back port, socket and directory" {
	for mode in client server; do
		c=$(vhost "$mode" "$sw")
		add "$c"	# our own directories are made once
		added
		del "$c"
		deleted
		killed_at ADD 11
	done
}

@test "kill -9 at each step of DEL: the next DEL does the rest" {
	for mode in client server; do
		c=$(vhost "$mode" "$sw")
		killed_at DEL 7
	done
}

@test "an ADD while the database is down, or hangs, leaves nothing that a DEL would have to wait for" {
	c=$(vhost server "$sw"' | .switch.timeoutMs = 500')
	kill -STOP "$(cat "$ovs_dir/ovsdb-server.pid")"
	within 20 add "$c"
	refused 11 "gave no answer in time"
	nothing_left
	kill -CONT "$(cat "$ovs_dir/ovsdb-server.pid")"
	for signal in TERM KILL; do
		ovs_stop ovsdb-server "$signal"
		add "$c"
		refused 11 "$ovs_db"
		nothing_left
		rm -f "$ovs_db"
		ovsdb_up
	done
	[ "$(ports)" = 0 ]
}

@test "a DEL whose record was lost removes the port, when its configuration names the switch" {
	c=$(vhost server "$sw")
	add "$c"
	added
	rm "$dir"/state/attachments/*
	del "$c" "$pod" net10
	deleted
	[ "$(ports)" = 1 ]
	del "$c"
	deleted
	[ "$(ports)" = 0 ]
}

@test "GC leaves the ports of those that live, net10 with net1, and those of others" {
	c=$(vhost server "$sw")
	for ifname in net1 net10; do
		add "$c" "$pod" "$ifname"
		added
	done
	vsctl add-port br0 foreign -- set interface foreign type=internal
	pod_add "$pod2"
	add "$c" "$pod2"
	added
	ip netns del "$pod2"
	gc "$c" '[{"containerID":"'"$pod"'","ifname":"net1"}]'
	deleted
	[ "$(ports)" = 3 ]	# net10's namespace lives
	for ifname in net1 net10; do
		del "$c" "$pod" "$ifname"
		deleted
	done
	[ "$(ports)" = 1 ]
	nothing_left
}

@test "a database that is gone is no reason for a DEL to fail; one that refuses is" {
	c=$(vhost server "$sw")
	add "$c"
	added
	ovs_stop ovs-vswitchd
	ovs_stop ovsdb-server
	env_of DEL
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$c"
	refused 11 "$ovs_db"
	[ "$(records)" = 1 ]
	status_of "$c"
	refused 50 "$ovs_db"
	rm -f "$ovs_db"		# as when it is restarted
	run --separate-stderr env CNI_COMMAND=DEL ip netns exec "$node" timeout 60 "$plugin" <<<"$c"
	refused 11 "$ovs_db"
	[ "$(records)" = 1 ]
	mv "$dir/ovs" "$dir/was-ovs"
	run --separate-stderr env CNI_COMMAND=DEL ip netns exec "$node" timeout 60 "$plugin" <<<"$c"
	mv "$dir/was-ovs" "$dir/ovs"
	deleted
	nothing_left
}
