#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# before.bats - attachments that the version before has made: CHECK, DEL and GC go by its records
#
# Its records are those of tests/node/before, with what is this node's put in: namespaces, numbers of
# interfaces, directories.
#
# rooms: devinfo/journal cni

load helpers
load socket
load before

setup() { socket_up; }
teardown() { socket_down; }

@test "a moved network device: CHECK finds it, DEL brings it home with name, MTU and alternative names" {
	ip -n "$node" link property add dev v0 altname enp1s0f0v0
	before=$(snapshot)
	c=$(conf '.mtu = 1400')
	add "$c"
	added
	wrote_before netdev '.netdev.ifindex = $new[0].netdev.ifindex'
	result=$output
	check "$c" "$result"
	deleted
	ip -n "$pod" link set net1 mtu 1300
	check "$c" "$result"
	refused 101 'mtu'
	del "$c"
	deleted
	same "$before"
	[ "$(records)" -eq 0 ]
}

@test "a socket: CHECK finds it, DEL asks its switch and removes it; GC does the same of a dead one" {
	c=$(hooked "$(memif master '.memif += {secret: "hush-hush-1", uid: 1000, gid: 1000}')")
	add "$c"
	added
	wrote_before socket-memif-exec
	result=$output
	check "$c" "$result"
	deleted
	chmod 755 "$home"
	check "$c" "$result"
	refused 101 'mode of the directory'
	del "$c"
	deleted
	nothing_left
	jq -e --arg s "$sock" '.hostPath == $s and .secretFile == "\($s).secret"' "$dir/switch.del.json"
	rm "$dir/switch.del.json"

	add "$c"
	added
	wrote_before socket-memif-exec
	ip netns del "$pod"
	gc "$c" '[]'
	deleted
	nothing_left
	jq -e --arg s "$sock" '.hostPath == $s' "$dir/switch.del.json"
}

@test "a switch is told what the ADD said, whatever else in its request would be refused today" {
	c=$(hooked "$(memif slave '.vlan = 7 | .memif.id = 3')")
	for told in '.mtu = -5' '.driver = 7' '.memif.waitMs = -1' '.memif.rloe = "x"' '.runtimeConfig = 7'; do
		add "$c"
		added
		jq -c ".request |= (fromjson | $told | tojson)" "$dir"/state/attachments/*.json >"$dir/odd"
		cat "$dir/odd" >"$(echo "$dir"/state/attachments/*.json)"
		del '{"cniVersion":"1.1.0","name":"net","type":"devinfo"}'
		deleted
		nothing_left
		jq -e --arg s "$sock" --arg d "$dir" '.hostPath == $s and .config.dir == $d and .vlan == 7 and .id == 3' "$dir/switch.del.json"
		rm "$dir/switch.del.json"
	done
}

@test "a directory that was changed for a pod: DEL ends, and leaves it as the administrator's" {
	mkdir -m 711 "$home"
	chown 7:8 "$home"
	c=$(vhost server)
	add "$c"
	added
	wrote_before socket-directory
	check "$c" "$output"
	deleted
	del "$c"
	deleted
	[ "$(records)" -eq 0 ]
	[ "$(mode_of "$home")" = "711 7:8" ]
}

@test "a device plugin's socket: CHECK tells when its file is gone, DEL leaves it alone" {
	mkdir -p "$dir/dp" "$dir/devinfo/dp"
	jq -cn --arg p "$dir/dp/a.sock" '{type: "vhost-user", version: "1.1.0", "vhost-user": {mode: "client", path: $p}}' \
		>"$dir/devinfo/dp/example.com-sock-s0-device.json"
	c='{"cniVersion":"1.1.0","name":"net","type":"devinfo","resourceName":"example.com/sock","deviceID":"s0"}'
	peer listen vhost-user "$dir/dp/a.sock"
	add "$c"
	added
	wrote_before socket-given
	result=$output
	check "$c" "$result"
	deleted
	mv "$dir/dp/a.sock" "$dir/dp/b.sock"
	check "$c" "$result"
	refused 101 "$dir/dp/a.sock"
	mv "$dir/dp/b.sock" "$dir/dp/a.sock"
	del "$c"
	deleted
	nothing_left
	[ "$("$fake/unix_peer.py" connect vhost-user "$dir/dp/a.sock")" = connected ]
}

@test "a lease that sriov-cni had asked for is released with the configuration of the DEL" {
	c=$(conf)
	add "$c"
	added
	result=$output
	wrote_before lease-of
	rm -r "$dir/run/status"
	check "$c" "$result"
	refused 101 "interface"
	del "$c"
	deleted
	[ "$(leases)" -eq 0 ]
	[ "$(records)" -eq 0 ]
	# the device has been given back: what is there now is not the record's
	ip -n "$pod" link show net1
}
