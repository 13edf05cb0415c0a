#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# result.bats - prevResult of every shape, in and out again of a chained ADD
#
# rooms: cni/call

load helpers
load chain

setup() {
	chain_up
	pod_link
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# All that version VERSION can say, of both families.
full() {
	jq -cn --arg v "$1" --arg ns "/run/netns/$pod" '
		{nameservers: ["10.5.0.53"], domain: "example.org", search: ["example.org"],
			options: ["ndots:2"]} as $dns |
		if $v < "0.3" then {cniVersion: $v, $dns,
			ip4: {ip: "10.5.0.2/24", gateway: "10.5.0.1", routes: [{dst: "0.0.0.0/0", gw: "10.5.0.1"}]},
			ip6: {ip: "fd00:5::2/64", gateway: "fd00:5::1", routes: [{dst: "::/0", gw: "fd00:5::1"}]}}
		else {cniVersion: $v, $dns,
			interfaces: [{name: "hnet1", mac: "02:00:00:00:00:2b"},
				{name: "net1", mac: "02:00:00:00:00:2a", sandbox: $ns}],
			ips: [{address: "10.5.0.2/24", gateway: "10.5.0.1", interface: 1},
				{address: "fd00:5::2/64", gateway: "fd00:5::1", interface: 1}],
			routes: [{dst: "0.0.0.0/0", gw: "10.5.0.1"}, {dst: "::/0", gw: "fd00:5::1"}, {dst: "198.51.100.0/24"}]} end |
		if $v >= "0.3" and $v < "1" then .ips[0].version = "4" | .ips[1].version = "6" else . end |
		if $v >= "1.1" then .interfaces[1] += {mtu: 1500, socketPath: "/run/a.sock", pciID: "0000:03:02.0"} |
			.routes[0] += {mtu: 1400, advmss: 1360, priority: 50, table: 0, scope: 0} else . end'
}

# behind PREVRESULT [jq filter] - a configuration with it
behind() {
	jq -cn --argjson prev "$1" '{cniVersion: ($prev.cniVersion? // "1.0.0"), name: "net", type: "devinfo", prevResult: $prev}
		| '"${2:-.}"
}

unchanged() { diff <(jq . <<<"$1") <(jq . <<<"$output"); }

@test "C-RES-01, C-RES-02, C-RES-03, C-RES-20: both families, in every version's shape, pass unharmed" {
	for v in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
		prev=$(full $v)
		add "$(behind "$prev")"
		added
		unchanged "$prev"
		[ "$(entry .ips)" = '["10.5.0.2","fd00:5::2"]' ]
		[ "$(entry .gateway)" = '["10.5.0.1","fd00:5::1"]' ]
		[ "$(entry .dns.domain)" = '"example.org"' ]
		del "$(behind "$prev")"
		deleted
		same "$before" "$pod"
	done
}

@test "C-RES-20: hundreds of interfaces and thousands of routes pass unharmed" {
	full 1.1.0 | jq -c '.interfaces += [range(300) | {name: "if\(.)", sandbox: "/run/netns/x"}]
		| .routes += [range(4000) | {dst: "10.\(. / 250 | floor).\(. % 250).0/24"}]
		| .ips += [range(300) | {address: "10.9.\(. % 250).9/24", interface: (. + 2)}]' >"$dir/large"
	env_of ADD
	run --separate-stderr in_node "$plugin" < <(
		jq -c '{cniVersion, name: "net", type: "devinfo", prevResult: ., mtu: 1400}' "$dir/large")
	added
	jq '.interfaces[1].mtu = 1400' "$dir/large" | cmp - <(jq . <<<"$output")
	del "$(behind "$(full 1.1.0)")"
	deleted
	same "$before" "$pod"
}

@test "C-RES-19: members that no version knows survive, wherever they are" {
	prev=$(full 1.0.0 | jq -c '. + {x: {y: [1, null]}} | .interfaces[1].speed = 100 | .ips[0].label = "a" |
		.routes[0].proto = "static" | .dns.ttl = 1.5')
	add "$(behind "$prev" '.mac = "02:00:00:00:00:77"')"
	added
	unchanged "$(jq -c '.interfaces[1].mac = "02:00:00:00:00:77"' <<<"$prev")"
}

@test "C-RES-10: prevResult of another version than the configuration's is code 7, without one it has that" {
	add "$(behind "$(full 0.4.0)" '.cniVersion = "1.0.0" | .mtu = 1400')"
	refused 7 "prevResult.cniVersion: '0.4.0'"
	add "$(behind "$(full 1.0.0)" '.prevResult.cniVersion = "9.9.9" | .mtu = 1400')"
	refused 7 "prevResult.cniVersion: '9.9.9'"
	same "$before" "$pod"
	for gone in 'del(.prevResult.cniVersion)' '.prevResult.cniVersion = ""'; do
		add "$(behind "$(full 0.4.0)" "$gone | .mtu = 1400")"
		added
		unchanged "$(full 0.4.0)"
		del "$(behind "$(full 0.4.0)")"
		deleted
	done
}

@test "C-RES-04, C-RES-11, C-RES-12: a prevResult with a mistake is code 7 with the path of the key, nothing changed" {
	while IFS='|' read -r what path; do
		add "$(behind "$(full 1.1.0)" ".mtu = 1400 | .prevResult$what")"
		refused 7 "${path# }" || { echo "with $what" && return 1; }
	done <<-'END'
		 = 7| prevResult: expected an object
		 = []| prevResult: expected an object
		.cniVersion = 1| prevResult.cniVersion: expected a string
		.interfaces = {}| prevResult.interfaces: expected
		.interfaces[0] = null| prevResult.interfaces[0]: expected an object, got null
		.interfaces[1].name = 1| prevResult.interfaces[1].name: expected a string
		.interfaces[1].mtu = -1| prevResult.interfaces[1].mtu
		.ips = "x"| prevResult.ips: expected
		.ips[1] = null| prevResult.ips[1]: expected an object, got null
		.ips[0].address = "10.5.0.2"| prevResult.ips[0].address: '10.5.0.2'
		.ips[0].address = "10.5.0.2/33"| prevResult.ips[0].address: '10.5.0.2/33'
		.ips[0].address = null| prevResult.ips[0].address: missing
		.ips[1].gateway = "x"| prevResult.ips[1].gateway: 'x'
		.ips[0].interface = 2| prevResult.ips[0].interface: 2
		.ips[0].interface = -1| prevResult.ips[0].interface
		.ips[0].interface = 9223372036854775807| prevResult.ips[0].interface
		.ips[0].interface = "1"| prevResult.ips[0].interface: expected
		.routes[0] = null| prevResult.routes[0]: expected an object, got null
		.routes[0].dst = "default"| prevResult.routes[0].dst: 'default'
		.routes[0].gw = "10.5.0"| prevResult.routes[0].gw: '10.5.0'
		.routes[0].scope = 256| prevResult.routes[0].scope
		.dns = []| prevResult.dns: expected an object
		.dns.search = [1]| prevResult.dns.search[0]: expected a string
	END
	same "$before" "$pod"
	add "$(behind "$(full 0.2.0)" '.prevResult.ip4.ip = "x"')"
	refused 7 "prevResult.ip4.ip: 'x'"
	add "$(behind "$(full 0.2.0)" '.prevResult.ip6.routes = [null]')"
	refused 7 'prevResult.ip6.routes[0]'
	same "$before" "$pod"
}

@test "C-RES-04: interface: null and gateway: \"\" are as if they were not there" {
	add "$(behind "$(full 1.0.0)" '.prevResult.ips[0].interface = null | .prevResult.ips[1].gateway = ""')"
	added
	[ "$(jq '.ips[0].interface' <<<"$output")" = null ]
	[ "$(entry .ips)" = '["10.5.0.2","fd00:5::2"]' ]
}

@test "C-RES-13: behind no plugin, without a device of its own, ADD is code 7; prevResult: null is none" {
	for c in 'del(.prevResult)' '.prevResult = null'; do
		add "$(chained "$c | .mtu = 1400")"
		refused 7 'no device and no prevResult'
	done
	same "$before" "$pod"
}

@test "C-RES-14: a prevResult without interfaces, addresses and dns is enough where no address is needed" {
	for v in 0.3.1 1.0.0 1.1.0; do
		for prev in '{}' '{interfaces: [], ips: [], routes: []}' '{interfaces: [{name: "net1"}]}' \
			'{interfaces: null, dns: null}'; do
			prev=$(jq -cn --arg v $v '{cniVersion: $v} + '"$prev")
			add "$(behind "$prev" '.mac = "02:00:00:00:00:77"')"
			added
			unchanged "$(jq 'if .interfaces[0] then .interfaces[0].mac = $mac else . end' \
				--arg mac 02:00:00:00:00:77 <<<"$prev")"
			[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:77 ]
			del "$(behind "$prev")"
			deleted
		done
	done
	same "$before" "$pod"
}

@test "C-RES-15, C-PIT-32: in 0.2.0 and before, a prevResult without an address is refused before anything is done" {
	for v in 0.1.0 0.2.0; do
		env_of ADD
		run --separate-stderr in_node strace -f -qq -o "$dir/trace" -e trace=sendto,linkat "$plugin" \
			<<<"$(behind "{\"cniVersion\":\"$v\",\"dns\":{}}" '.mtu = 1400')"
		refused 7 "cniVersion $v needs an address"
		run ! grep -E 'RTM_(NEW|SET|DEL)LINK|linkat' "$dir/trace"
		same "$before" "$pod"
	done
}

@test "C-RES-17: keys of 1.1.0 never come into an older result, not even by a newer plugin" {
	ip -n "$pod" link del net1
	newer=$(full 1.1.0)
	for v in 0.3.1 0.4.0 1.0.0; do
		c=$(meta "[{type: \"probe\", tag: \"a\", makes: true, result: $newer}]" '.cniVersion = "'$v'" | .mtu = 1400')
		add "$c"
		added
		unchanged "$(full $v)"
		del "$c"
		deleted
	done
}

@test "C-RES-16: of many addresses 0.2.0 is told the first of each family, with its routes" {
	ip -n "$pod" link del net1
	result='{cniVersion: "1.0.0", ips: [{address: "10.5.0.2/24"}, {address: "10.5.0.3/24"}, {address: "fd00:5::2/64"}],
		routes: [{dst: "::/0", gw: "fd00:5::1"}, {dst: "0.0.0.0/0", gw: "10.5.0.1"}]}'
	add "$(meta "[{type: \"probe\", tag: \"a\", makes: true, result: $result}]" '.cniVersion = "0.2.0"')"
	added
	unchanged '{"cniVersion":"0.2.0","ip4":{"ip":"10.5.0.2/24","routes":[{"dst":"0.0.0.0/0","gw":"10.5.0.1"}]},
		"ip6":{"ip":"fd00:5::2/64","routes":[{"dst":"::/0","gw":"fd00:5::1"}]}}'
}

@test "dns of the configuration goes before that of prevResult, whose maker was told of the pod's own" {
	add "$(behind "$(full 1.0.0)" '.dns = {nameservers: ["192.0.2.1"]} |
		.runtimeConfig.dns = {Servers: ["192.0.2.2"], Options: null}')"
	added
	[ "$(jq -c .dns <<<"$output")" = '{"nameservers":["192.0.2.1"]}' ]
}
