#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# refuse.bats - ADDs that must not succeed: one error, and everything as it was
#
# rooms: cni/attach cni/vf cni/netdev

load helpers

setup() {
	node_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

@test "C-ADD-01: a name that the container has already is code 103, and that interface is left alone" {
	ip -n "$pod" link add net1 type veth peer name other
	ip -n "$pod" addr add 192.0.2.9/24 dev net1
	ip -n "$pod" link set net1 up
	before=$(snapshot "$pod")
	add "$(conf)"
	refused 103 'interface net1 already'
	same "$before" "$pod"
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "C-ENV-05, C-ENV-07: malformed names are code 4, and nothing is touched" {
	add "$(conf)" "$pod" 1234567890123456
	refused 4 'over 15 bytes'
	add "$(conf)" "$pod" a/b
	refused 4 CNI_IFNAME
	add "$(conf)" ../x net1 "/run/netns/$pod"
	refused 4 CNI_CONTAINERID
	same "$before" "$pod"
}

@test "C-ADD-02, C-ADD-03: a namespace that is missing, a plain file or the node's own is refused, and nothing is touched" {
	touch "$dir/file"
	mkfifo "$dir/fifo"
	add "$(conf)" "$pod" net1 "$dir/none"
	refused 3 CNI_NETNS
	[ ! -e "$dir/none" ]
	add "$(conf)" "$pod" net1 "$dir/file"
	refused 8 'not a network namespace'
	add "$(conf)" "$pod" net1 "$dir/fifo"
	refused 8 'not a network namespace'
	add "$(conf)" "$pod" net1 "/run/netns/$node"
	refused 8 "plugin's own network namespace"
	same "$before" "$pod"
}

@test "a device that the node does not have, and the loopback device, are code 102" {
	add "$(conf '.device = "nosuch"')"
	refused 102 'nosuch'
	add "$(conf '.device = "lo"')"
	refused 102 'loopback'
	add "$(conf 'del(.device) | .deviceID = "0000:ff:1f.7"')"
	refused 102 '0000:ff:1f.7'
	add "$(conf 'del(.device) | .deviceID = "nosuch"')"
	refused 102 'nosuch'
	same "$before" "$pod"
}

@test "attributes of a VF are refused for a device that is none" {
	add "$(conf '.vlan = 100')"
	refused 7 'not an SR-IOV virtual function'
	add "$(conf '.trust = "on"')"
	refused 7 'not an SR-IOV virtual function'
	same "$before" "$pod"
}

@test "an MTU or MAC that the kernel refuses is code 104 with the kernel's words, and restored" {
	add "$(conf '.mtu = 20')"
	refused 104 'set mtu 20 on v0'
	same "$before" "$pod"
	[ "$(leases)" -eq 0 ]
}

@test "a device of another live attachment is code 11, and the log names its owner" {
	add "$(conf)"
	added
	pod_add "$pod2"
	before=$(snapshot "$pod" "$pod2")
	add "$(conf '.name = "second"')" "$pod2" net7
	refused 11 "device v0 belongs to another attachment"
	logged "of interface net1 of container $pod of network net"
	same "$before" "$pod" "$pod2"
	del "$(conf '.name = "second"')" "$pod2" net7
	deleted
	same "$before" "$pod" "$pod2"
}

@test "C-ADD-04: the same ADD again is code 103, and the saved state of before survives it" {
	add "$(conf '.mtu = 1400')"
	added
	attached=$(snapshot "$pod")
	add "$(conf '.mtu = 1300')"
	refused 103 'attached already'
	same "$attached" "$pod"
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "C-ADD-06: an IPAM plugin that fails is asked to release, its code is ours, and nothing is left" {
	for how in error leased-error; do
		: >"$dir/leases/calls.log"
		FAKE_ADD=$how add "$(conf)"
		refused 11 'plugin fake: '
		[ "$(cut -d ' ' -f 1 "$dir/leases/calls.log" | tr '\n' ' ')" = 'ADD DEL ' ]
		same "$before" "$pod"
	done
}

@test "C-ADD-06, C-DLG-07: an IPAM plugin that dies, floods, says nothing or nonsense is code 107, and nothing is left" {
	for how in signal status words codeless zero silent garbage two list flood; do
		FAKE_ADD=$how add "$(conf)"
		refused 107 'plugin fake'
		same "$before" "$pod"
	done
	[ "$(records)" -eq 0 ]
}

@test "C-ADD-06: an IPAM result that cannot be applied is refused, and nothing is left" {
	for text in '{"ips":[{"address":"10.1.0.2"}]}' '{"ips":[]}' '{"ips":[{"address":"10.1.0.2/24"}],"routes":[{"dst":"x"}]}'; do
		FAKE_RESULT=$text add "$(conf)"
		refused 107 'plugin fake'
		same "$before" "$pod"
	done
	# the kernel's turn to refuse: a gateway that no address reaches
	FAKE_RESULT='{"ips":[{"address":"10.1.0.2/24"}],"routes":[{"dst":"0.0.0.0/0","gw":"192.0.2.1"}]}' add "$(conf)"
	refused 104 'net1'
	same "$before" "$pod"
	[ "$(leases)" -eq 0 ]
}

@test "an IPAM plugin that hangs is given up after ipamTimeoutMs, and nothing is left" {
	FAKE_ADD=hang within 5 add "$(conf '.ipamTimeoutMs = 300')"
	refused 11 'no answer in time'
	same "$before" "$pod"
	FAKE_ADD=deaf within 5 add "$(conf '.ipamTimeoutMs = 300')"
	refused 11 'did not end in time'
	same "$before" "$pod"
	[ -z "$(ip netns pids "$node")" ]
}

@test "an IPAM plugin that is absent, or not to be executed, is one clean error, and nothing is left" {
	add "$(conf '.ipam.type = "nosuch"')"
	refused 107 'plugin nosuch is in no directory of CNI_PATH'
	same "$before" "$pod"
	touch "$dir/bin/half"
	add "$(conf '.ipam.type = "half"')"
	refused 107 'plugin half'
	same "$before" "$pod"
	CNI_PATH='' add "$(conf)"
	refused 4 CNI_PATH
	same "$before" "$pod"
}

@test "the real dhcp plugin without its daemon is one clean error, and the device is home again" {
	add "$(conf '.ipam = {type: "dhcp"}')"
	[ "$status" -eq 1 ]
	jq -es 'length == 1 and .[0].code > 0' <<<"$output" >/dev/null
	[ "$(link "$node" v0 .ifname)" = v0 ]
}

@test "C-ADD-08, C-PRC-01: a result that cannot be delivered is taken back" {
	for to in '>&-' '>/dev/full' '| :'; do
		env_of ADD
		run in_node bash -c "{ sleep 0.2; '$plugin' 2>/dev/null; } $to; exit \${PIPESTATUS[0]}" <<<"$(conf)"
		[ "$status" -eq 1 ]
		same "$before" "$pod"
	done
}

@test "C-PRC-04: an ADD that may not write files is one clean error, and nothing is left" {
	del "$(conf)"	# the file of the locks has its key from the first call of a node
	env_of ADD
	run --separate-stderr in_node bash -c "ulimit -f 0; exec '$plugin' 2>/dev/null" <<<"$(conf)"
	refused 5 'journal record'
	same "$before" "$pod"
}

@test "C-PRC-05: a state directory that is read-only or a file is one clean error, and nothing is left" {
	node_conf '{stateDir: "/proc/devinfo"}'
	add "$(conf)"
	refused 5 '/proc/devinfo'
	touch "$dir/file"
	node_conf "{stateDir: \"$dir/file\"}"
	add "$(conf)"
	refused 5 "$dir/file"
	same "$before" "$pod"
}

@test "C-PRC-05: a runtime directory that cannot be made is one clean error, and everything is rolled back" {
	node_conf '{runDir: "/proc/devinfo"}'
	add "$(conf)"
	refused 5 'network-status'
	same "$before" "$pod"
	[ "$(leases)" -eq 0 ]
}

@test "C-PRC-03: whatever number of file descriptors an ADD may open, it succeeds or is rolled back" {
	for n in 5 6 7 8 9 10 11 12 13 14 16 20; do
		env_of ADD
		run --separate-stderr in_node bash -c "exec prlimit --nofile=$n '$plugin' 3>&- 2>/dev/null" <<<"$(conf)"
		jq -es 'length == 1' <<<"$output" >/dev/null
		if [ "$status" -eq 0 ]; then
			del "$(conf)"
			deleted
		else
			del "$(conf)"	# what cannot be undone without descriptors, DEL does
			deleted
		fi
		same "$before" "$pod"
	done
}

@test "C-PRC-08: SIGTERM while IPAM hangs ends the ADD in good time, rolled back" {
	env_of ADD
	FAKE_ADD=hang ip netns exec "$node" "$plugin" <<<"$(conf)" >"$dir/out" 2>/dev/null 3>&- &
	pid=$!
	until grep -q ADD "$dir/leases/calls.log" 2>/dev/null; do sleep 0.05; done
	sleep 0.1
	kill -TERM "$pid"
	within 6 wait_for "$pid"
	lines=("$(<"$dir/out")") output=$(<"$dir/out") status=$result
	refused 108 ''
	same "$before" "$pod"
	[ "$(leases)" -eq 0 ]
}

@test "C-PRC-08: SIGTERM while IPAM hangs at ADD and at DEL brings the device home in good time" {
	env_of ADD
	FAKE_ADD=hang FAKE_DEL=hang ip netns exec "$node" "$plugin" <<<"$(conf)" >"$dir/out" 2>/dev/null 3>&- &
	pid=$!
	until grep -q ADD "$dir/leases/calls.log" 2>/dev/null; do sleep 0.05; done
	sleep 0.1
	kill -TERM "$pid"
	within 6 wait_for "$pid"
	[ "$result" -eq 1 ]
	[ "$(jq .code "$dir/out")" -eq 108 ]
	[ "$(link "$node" v0 .ifname)" = v0 ]
	del "$(conf)"	# the lease is left for it
	deleted
	same "$before" "$pod"
}

@test "C-DLG-05: kill -9 while IPAM hangs takes the IPAM plugin along, and DEL restores" {
	env_of ADD
	FAKE_ADD=hang ip netns exec "$node" "$plugin" <<<"$(conf)" >"$dir/out" 2>/dev/null &
	pid=$!
	until grep -q ADD "$dir/leases/calls.log" 2>/dev/null; do sleep 0.05; done
	sleep 0.1
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	sleep 0.1
	[ -z "$(ip netns pids "$node")" ]
	[ "$(records)" -eq 1 ]
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "C-ADD-10: an ADD after a killed one undoes what that left, and works" {
	env_of ADD
	FAKE_ADD=hang ip netns exec "$node" "$plugin" <<<"$(conf '.mtu = 1400')" >"$dir/out" 2>/dev/null &
	pid=$!
	until grep -q ADD "$dir/leases/calls.log" 2>/dev/null; do sleep 0.05; done
	kill -KILL "$pid"
	wait "$pid" 2>/dev/null || true
	add "$(conf)"
	[ "$status" -eq 0 ]
	[ "$(link "$pod" net1 .mtu)" = 1500 ]
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "a port of a bridge is not taken away from it" {
	ip -n "$node" link add br0 type bridge
	ip -n "$node" link set v0 master br0
	before=$(snapshot "$pod")
	add "$(conf)"
	refused 102 "v0 is a port of br0 of the host"
	same "$before" "$pod"
}

@test "a namespace by a relative path is refused" {
	before=$(snapshot "$pod")
	add "$(conf)" "$pod" net1 "netns/$pod"
	refused 4 CNI_NETNS
	same "$before" "$pod"
}

@test "dns of a wrong type is refused, the configuration's and the IPAM plugin's" {
	before=$(snapshot "$pod")
	add "$(conf '.dns = {nameservers: 5}')"
	refused 7 dns.nameservers
	add "$(conf '.dns = {search: ["a", 1]}')"
	refused 7 dns.search
	same "$before" "$pod"
}

@test "the host's end of another pod's veth is refused: 102, and nothing is changed" {
	pod_add "$pod2"
	ip -n "$node" link add cali1 type veth peer name eth0 netns "$pod2"
	before=$(snapshot "$pod" "$pod2")
	add "$(conf '.device = "cali1"')"
	refused 102 "cali1 is one end of a veth pair whose other end is in another namespace"
	same "$before" "$pod" "$pod2"
}
