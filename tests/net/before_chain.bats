#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# before_chain.bats - the same as before.bats, of interfaces that other plugins have made
#
# rooms: devinfo/journal cni/plugins
bats_require_minimum_version 1.5.0

load helpers
load chain
load before

setup() { chain_up; }
teardown() { node_down; }

@test "an interface that was changed in the container: CHECK compares it, DEL gives MAC and MTU back" {
	pod_link
	before=$(snapshot "$pod")
	c=$(chained '.mtu = 1400 | .mac = "02:00:00:00:00:77"')
	add "$c"
	added
	wrote_before chained '.netdev.ifindex = $new[0].netdev.ifindex'
	c=$(with_prev "$output" "$c")
	check "$c"
	checked
	ip -n "$pod" link set net1 mtu 1300
	check "$c"
	refused 101 'mtu'
	del "$c"
	deleted
	same "$before" "$pod"
	[ "$(records)" -eq 0 ]
}

@test "delegates of the version before are asked for CHECK and DEL, with what they had answered" {
	before=$(snapshot "$pod")
	c=$(meta '[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "b"}]')
	add "$c"
	added
	wrote_before meta '.netdev = $new[0].netdev'
	check "$(with_prev "$output" "$c")"
	checked
	del '{"cniVersion":"1.0.0","name":"net","type":"devinfo"}'
	deleted
	[ "$(order)" = 'ADD a, ADD b, CHECK a, CHECK b, DEL b, DEL a' ]
	[ "$(calls '.[4].request.prevResult.interfaces')" = "[{\"name\":\"net1\",\"sandbox\":\"/run/netns/$pod\"}]" ]
	same "$before" "$pod"
	[ "$(records)" -eq 0 ]
}

@test "a DEL asks the plugins of a request that would be refused today" {
	before=$(snapshot "$pod")
	c=$(meta '[{type: "probe", tag: "a", makes: true}]')
	for told in '.vlan = 9999' '.memif = {role: "slave", acl: "user:7:rw"}' '.args = 7' '.runtimeConfig = "x"'; do
		forget_calls
		add "$c"
		added
		wrote_before meta '.netdev = $new[0].netdev | .delegatesLeft = 1 | .delegatesAdded = 1 | .request |= (fromjson |
			del(.delegates[1]) | '"$told"' | tojson)'
		del '{"cniVersion":"1.0.0","name":"net","type":"devinfo"}'
		deleted
		[ "$(order)" = 'ADD a, DEL a' ]
		same "$before" "$pod"
		[ "$(records)" -eq 0 ]
	done
}
