#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# neighbours.bats - what plugins before and behind us change, older ones drop, and readers do not take
#
# rooms: cni/call
# bats file_tags=plain

load helpers
load chain

setup() { chain_up; }

teardown() { node_down; }

# answered - the last ADD went well; plugins that it ran may have talked on stderr
answered() {
	[ "$status" -eq 0 ] || { echo "$output$stderr" && return 1; }
	result=$output
}

# with_result CONF [jq filter of the result] - CHECK's request
with_result() { jq -c --argjson r "$result" '.prevResult = ($r | '"${2:-.}"')' <<<"$1"; }

gc() {
	env_of GC '' '' ''
	CNI_CONTAINERID='' CNI_IFNAME='' run --separate-stderr in_node timeout 60 "$plugin" \
		<<<'{"cniVersion":"1.1.0","name":"net","type":"devinfo","cni.dev/valid-attachments":[]}'
}

# -- behind an owner --

# owner [jq filter] - it gives v0 an address and the default route
owner() { fixed '.ipam.routes = [{dst: "0.0.0.0/0"}] | '"${1:-.}"; }

# drifts TEXT CONF [jq filter of the result]
drifts() {
	check "$(with_result "${@:2}")"
	refused 101 "$1"
}

@test "C-CHK-05: CHECK goes well with sbr behind, which moves the routes into a table of its own" {
	ip -n "$node" link set p0 up
	for v in 0.4.0 1.0.0; do
		c=$(owner ".cniVersion = \"$v\"")
		list=$(jq -c '{cniVersion, name, plugins: [del(.cniVersion, .name), {type: "sbr"}]}' <<<"$c")
		list_add "$list"
		[ -z "$(ip -n "$pod" route show default)" ]
		[ -n "$(ip -n "$pod" route show table 100)" ]
		attached=$(snapshot "$pod")
		check "$(with_result "$c")"
		checked
		same "$attached" "$pod"
		ip -n "$pod" addr add 10.2.0.6/32 dev net1
		ip -n "$pod" addr del 10.2.0.5/24 dev net1
		drifts 'address: 10.2.0.5/24 is gone' "$c"
		ip -n "$pod" addr del 10.2.0.6/32 dev net1
		ip -n "$pod" addr add 10.2.0.5/24 dev net1	# by which sbr finds its rule
		list_del "$list"
	done
}

# A later plugin's interface, with an address and a route.
later='.interfaces += [{name: "later", sandbox: .interfaces[0].sandbox}] | .ips += [{address: "10.9.0.3/24",
	gateway: "10.9.0.1", interface: 1}] | .routes += [{dst: "203.0.113.0/24", gw: "10.9.0.1"}]'
add_later() {
	ip -n "$pod" link add later type veth peer name later2
	ip -n "$pod" link set later2 up
	ip -n "$pod" link set later up
	ip -n "$pod" addr add 10.9.0.3/24 dev later
	ip -n "$pod" route add 203.0.113.0/24 via 10.9.0.1
}

@test "C-CHK-05: what a later plugin has added for an interface of its own is not looked for on ours" {
	ip -n "$node" link set p0 up
	for v in 0.4.0 1.0.0 1.1.0; do
		c=$(owner ".cniVersion = \"$v\"")
		add "$c"
		answered
		add_later
		how=$later
		[ $v != 0.4.0 ] || how+=' | .ips[1].version = "4"'
		attached=$(snapshot "$pod")
		check "$(with_result "$c" "$how")"
		checked
		same "$attached" "$pod"
		# ours is still missed
		ip -n "$pod" route del default
		drifts 'route: to 0.0.0.0/0 is gone' "$c" "$how"
		drifts 'route: to 0.0.0.0/0 is gone' "$c"
		ip -n "$pod" route add default via 10.2.0.1
		check "$(with_result "$c" "$how")"
		checked
		ip -n "$pod" addr add 10.2.0.5/32 dev net1	# another prefix length is another address
		ip -n "$pod" addr del 10.2.0.5/24 dev net1
		drifts 'address: 10.2.0.5/24 is gone' "$c" "$how"
		del "$c"
		deleted
		ip -n "$pod" link del later
	done
}

@test "C-CHK-05: an address of ours that lies on a later plugin's interface by now is gone" {
	c=$(owner)
	add "$c"
	answered
	add_later
	ip -n "$pod" addr del 10.2.0.5/24 dev net1
	ip -n "$pod" addr add 10.2.0.5/24 dev later
	drifts 'address: 10.2.0.5/24 is gone' "$c" "$later"
}

# -- behind others --

@test "C-CHK-02: CHECK right after an ADD in place goes well, though the interface is down" {
	pod_link
	ip -n "$pod" link set net1 down
	c=$(chained '.mtu = 1400')
	add "$c"
	answered
	attached=$(snapshot "$pod")
	check "$(with_result "$c")"
	checked
	same "$attached" "$pod"
	ip -n "$pod" link set net1 up
	check "$(with_result "$c")"
	checked
	del "$c"
	deleted
	# one that was up is missed when it goes down
	add "$c"
	answered
	ip -n "$pod" link set net1 down
	drifts 'state: expected up, got down' "$c"
}

@test "C-CHK-04: MAC and MTU that we have set are looked at, though prevResult does not name the interface" {
	pod_link
	c=$(chained '.mtu = 1400 | .mac = "02:00:00:00:00:77" | .prevResult.interfaces = [{name: "hnet1"}] | del(.prevResult.ips[].interface)')
	add "$c"
	answered
	check "$(with_result "$c")"
	checked
	ip -n "$pod" link set net1 address 02:00:00:00:00:99
	drifts 'mac: expected 02:00:00:00:00:77, got 02:00:00:00:00:99' "$c"
	ip -n "$pod" link set net1 address 02:00:00:00:00:77 mtu 1300
	drifts 'mtu: expected 1400, got 1300' "$c"
	ip -n "$pod" link set net1 mtu 1400
	# a later plugin that says what it has set goes before us
	ip -n "$pod" link set net1 address 02:00:00:00:00:99
	check "$(with_result "$c" '.interfaces += [{name: "net1", mac: "02:00:00:00:00:99"}]')"
	checked
}

# -- nobody listens --

# unread - an ADD in place whose result is too long for a pipe that nobody reads: $pid
unread() {
	pod_link
	before=$(snapshot "$pod")
	c=$(chained '.mtu = 1400 | .prevResult.routes = [range(4000) | {dst: "10.\(. / 250 | floor).\(. % 250).0/24", gw: "10.5.0.1"}]')
	mkfifo "$dir/fifo"
	exec 6<>"$dir/fifo"
	env_of ADD
	ip netns exec "$node" "$plugin" <<<"$c" >"$dir/fifo" 2>/dev/null 3>&- 6>&- &
	pid=$!
	for _ in {1..200}; do [ ! -e "$dir/run/status/$pod.json" ] || break; sleep 0.05; done
	sleep 0.5	# the entry comes last: then it writes
}

# ended SECONDS - $pid has ended by itself by then; $result
ended() {
	for ((i = 0; i < $1 * 20; i++)); do
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.05
	done
	kill -KILL "$pid" 2>/dev/null && echo "still there after $1 s" && return 1
	wait_for "$pid"
}

@test "C-PRC-08: SIGTERM while nobody reads the result ends the ADD, rolled back" {
	unread
	[ "$(link "$pod" net1 .mtu)" = 1400 ]
	kill -TERM "$pid"
	ended 6
	exec 6<&-
	[ "$result" -eq 1 ]
	same "$before" "$pod"
}

@test "C-PRC-08: an ADD whose result nobody reads ends by itself, rolled back" {
	unread
	ended 30
	exec 6<&-
	[ "$result" -eq 1 ]
	same "$before" "$pod"
}

@test "C-PRC-08: a result that is read late, and by little, is taken whole" {
	unread
	sleep 1
	head -c 1000 <&6 >"$dir/got"
	sleep 1
	cat <"$dir/fifo" >>"$dir/got" 3>&- 6>&- &
	reader=$!
	exec 6<&-
	ended 30
	[ "$result" -eq 0 ]
	wait_for "$reader"
	[ "$(jq -c '.routes | length' "$dir/got")" -eq 4000 ]
	del "$c"
	deleted
	same "$before" "$pod"
}

# -- a plugin that is older than the request --

prev11() { prev | jq -c '.cniVersion = "1.1.0" | '"$1"; }

@test "C-RES-02, C-RES-03: what 1.1.0 has added comes through a delegate that knows 1.0.0 only" {
	pod_link
	before=$(snapshot "$pod")
	c=$(meta "[$(tuning)]" '.cniVersion = "1.1.0" | .prevResult = '"$(prev11 '.interfaces[0] += {mac: "02:00:00:00:00:3a", mtu: 1450, pciID: "0000:07:00.1", socketPath: "/run/vhost/a.sock"} |
		.interfaces[1] += {mtu: 1500, socketPath: "/run/vhost/b.sock"} |
		.routes = [{dst: "0.0.0.0/0", gw: "10.5.0.1", mtu: 1400, advmss: 1360, priority: 100, table: 0, scope: 0},
			{dst: "198.51.100.0/24", table: 100, scope: 253}, {dst: "203.0.113.0/24"}, {dst: "2001:db8::/32", priority: 7}]')")
	add "$c"
	answered
	diff <(jq .prevResult <<<"$c") <(jq . <<<"$output")
	check "$(with_result "$c")"
	checked
	del "$c"
	deleted
	same "$before" "$pod"
}

@test "C-RES-03: routes that differ only in what 1.1.0 has added are not mixed up by an older delegate" {
	pod_link
	c=$(meta "[$(tuning)]" '.cniVersion = "1.1.0" | .prevResult = '"$(prev11 '.routes = [{dst: "0.0.0.0/0", gw: "10.5.0.1"},
		{dst: "0.0.0.0/0", gw: "10.5.0.1", table: 100}, {dst: "0.0.0.0/0", gw: "10.5.0.1", table: 200, mtu: 1400}]')")
	add "$c"
	answered
	diff <(jq .prevResult.routes <<<"$c") <(jq .routes <<<"$output")
}

@test "C-RES-02: what a delegate that knows 1.0.0 only has changed, added or taken away is in the result" {
	pod_link
	c=$(meta '[{type: "probe", tag: "a", versions: ["1.0.0"], result: {interfaces: [{name: "new0"}, {name: "net1", mac: "02:00:00:00:00:2a",
			sandbox: "/run/netns/'"$pod"'"}], ips: [{address: "10.5.0.7/24", interface: 1}], routes: [{dst: "203.0.113.0/24"}, {dst: "0.0.0.0/0", gw: "10.5.0.9"}]}}]' \
		'.cniVersion = "1.1.0" | .prevResult = '"$(prev11 '.interfaces[0].socketPath = "/run/vhost/a.sock" |
		.interfaces[1] += {socketPath: "/run/vhost/b.sock"} |
		.routes = [{dst: "0.0.0.0/0", gw: "10.5.0.1", mtu: 1400}, {dst: "203.0.113.0/24", table: 5}]')")
	add "$c"
	answered
	[ "$(jq -c '.interfaces | map(.name)' <<<"$output")" = '["new0","net1"]' ]
	[ "$(jq -c '.interfaces | map(.socketPath)' <<<"$output")" = '[null,"/run/vhost/b.sock"]' ]
	[ "$(jq -c '.ips | map(.address)' <<<"$output")" = '["10.5.0.7/24"]' ]
	[ "$(jq -c '.routes | map([.dst, .gw, .mtu, .table])' <<<"$output")" = \
		'[["203.0.113.0/24",null,null,5],["0.0.0.0/0","10.5.0.9",null,null]]' ]
}

# -- what delegates are told --

one_probe() { meta '[{type: "probe", tag: "a", makes: true} + '"$1"', {type: "probe", tag: "b"}]' ".cniVersion = \"1.1.0\" | $2"; }

@test "C-REQ-10: a delegate whose runtimeConfig is null gets the capabilities that it declares" {
	c=$(one_probe '{runtimeConfig: null, capabilities: {portMappings: true, mac: true}}' \
		'.runtimeConfig = {portMappings: [{HostPort: 1}], mac: "02:00:00:00:00:77"}')
	add "$c"
	answered
	[ "$(calls '.[0].request.runtimeConfig')" = '{"mac":"02:00:00:00:00:77","portMappings":[{"HostPort":1}]}' ]
	[ "$(calls '.[1].request | has("runtimeConfig")')" = false ]
}

# told OWN CONF - deviceID and pciBusID that the first delegate is told, and the second one
told() {
	forget_calls
	add "$(one_probe "$1" "$2")"
	answered
	del "$stripped"
	deleted
	calls '.[:2] | map(.request | [.deviceID, .pciBusID])'
}

stripped='{"cniVersion":"1.1.0","name":"net","type":"devinfo"}'

@test "C-DLG-04: a delegate with a device of its own is told of no other, under neither name" {
	recorded igb
	ours='["0000:01:10.2","0000:01:10.2"]'
	[ "$(told '{}' '.deviceID = "0000:01:10.2"')" = "[$ours,$ours]" ]
	[ "$(told '{deviceID: "0000:01:10.0"}' '.deviceID = "0000:01:10.2"')" = "[[\"0000:01:10.0\",null],$ours]" ]
	[ "$(told '{pciBusID: "0000:01:10.0"}' '.deviceID = "0000:01:10.2"')" = "[[null,\"0000:01:10.0\"],$ours]" ]
}

@test "C-DLG-04: a device id that is no PCI address is told as deviceID alone" {
	recorded igb
	[ "$(told '{}' '.deviceID = "mem1"')" = '[["mem1",null],["mem1",null]]' ]
	[ "$(told '{pciBusID: "0000:01:10.0"}' '.deviceID = "mem1"')" = '[[null,"0000:01:10.0"],["mem1",null]]' ]
}

# -- in the node's own namespace --

@test "C-PIT-02, C-DEL-01, C-GC-03: with CNI_NETNS_OVERRIDE the node's own namespace is one like any other" {
	ip -n "$node" link add net1 address 02:00:00:00:00:2a type veth peer name n1
	ip -n "$node" link set net1 up
	before=$(snapshot "$pod")
	c=$(chained '.mtu = 1400 | .prevResult.interfaces[1].sandbox = "/run/netns/'"$node"'"')
	export CNI_NETNS_OVERRIDE=1
	add "$c" host net1 "/run/netns/$node"
	answered
	[ "$(link "$node" net1 .mtu)" = 1400 ]
	attached=$(snapshot "$pod")
	check "$(with_result "$c")" host net1 "/run/netns/$node"
	checked
	for override in 1 ''; do
		CNI_NETNS_OVERRIDE=$override del "$(jq -c '.name = "other"' <<<"$c")" host net1 "/run/netns/$node"
		deleted
		gc
		deleted
		same "$attached" "$pod"
	done
	CNI_NETNS_OVERRIDE=1 del "$c" host net1 "/run/netns/$node"
	deleted
	same "$before" "$pod"
	add "$c" host net1 "/run/netns/$node"
	answered
	unset CNI_NETNS_OVERRIDE
	del '{"cniVersion":"1.0.0","name":"net","type":"devinfo"}' host net1 ''
	deleted
	same "$before" "$pod"
}
