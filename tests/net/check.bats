#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# check.bats - CHECK: what differs from what ADD has left is named, what others have added is not
#
# rooms: cni/attach cni/netdev cni

load helpers

setup() {
	node_up
	fake11_up
}

teardown() {
	for d in state run devinfo; do
		umount "$dir/$d" 2>/dev/null || true
	done
	node_down
}

# attach CONF - an ADD; its configuration and result are those of the CHECKs to come
attach() {
	conf=$1
	add "$conf"
	added
	result=$output
}

# check [jq filter of the request] [container id] [ifname] [netns]
check() {
	local request
	request=$(jq -c --argjson result "$result" ".prevResult = \$result | ${1:-.}" <<<"$conf")
	env_of CHECK "${@:2}"
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$request"
}

checked() {
	[ "$status" -eq 0 ] && [ -z "$output$stderr" ] ||
		{ echo "status $status: $output$stderr" && return 1; }
}

# differs TEXT... - one error that names all of these differences
differs() {
	local text
	for text; do
		refused 101 "$text"
	done
}

# differences - how many are named
differences() { jq -r .details <<<"$output" | awk -F '; ' '{ print NF }'; }

# pod_has MAC - the container gets an interface of another plugin's, and $prev is the result of that
pod_has() {
	ip -n "$pod" link add net1 address "$1" type veth peer name peer1
	ip -n "$pod" link set net1 up
	ip -n "$pod" link set peer1 up
	prev='{cniVersion: "1.0.0", interfaces: [{name: "net1", mac: "'$1'", sandbox: "/run/netns/'$pod'"}]}'
}

# attach_chained - in place, with a device-info file that was there before: the only kind without PCI
attach_chained() {
	file=$dir/devinfo/cni/default-net-$pod
	mkdir -p "${file%/*}"
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/vhost/s1"}}' >"$file"
	pod_has 02:00:00:00:00:2a
	attach "$(conf 'del(.device, .ipam) | .mtu = 1400 | .mac = "02:00:00:00:00:77" | .prevResult = '"$prev"' |
		.runtimeConfig.CNIDeviceInfoFile = "'"$file"'"')"
}

@test "C-CHK-01: CHECK without prevResult is a clean error, and changes nothing" {
	attach "$(conf)"
	before=$(snapshot "$pod")
	check 'del(.prevResult)'
	refused 7 'prevResult: CHECK needs it'
	check '.prevResult = null'
	refused 7 'prevResult: CHECK needs it'
	check '.prevResult = []'
	refused 7 'prevResult: expected an object'
	check '.prevResult.ips = [{address: "nonsense"}]'
	refused 7 'prevResult.ips[0].address'
	same "$before" "$pod"
}

# bats test_tags=attach
@test "C-CHK-02: CHECK right after ADD succeeds silently and changes nothing, in every version that has it" {
	for version in 0.4.0 1.0.0 1.1.0; do
		attach "$(host_local '.mtu = 1400 | .mac = "02:00:00:00:00:77" | .cniVersion = "'$version'"')"
		before=$(snapshot "$pod")
		check
		checked
		check
		checked
		same "$before" "$pod"
		del "$conf"
		deleted
	done
	attach "$(conf '.cniVersion = "0.3.1"')"
	check
	refused 1 'config version does not allow CHECK'
}

@test "C-CHK-02: CHECK writes, removes and makes nothing: damaged records, locks, read-only directories" {
	attach "$(conf)"
	rm "$dir/state/lock"
	for d in state run devinfo; do
		make_read_only "$dir/$d"
	done
	check
	umount "$dir/state" "$dir/run" "$dir/devinfo"
	checked
	truncate -s 100 "$dir"/state/attachments/*
	before=$(snapshot "$pod")
	check
	differs 'there is no record of interface net1'
	same "$before" "$pod"
	[ ! -e "$dir/state/lock" ]
}

@test "C-CHK-03: the namespace of the ADD is gone, or another one lies at its path" {
	attach "$(conf)"
	ip netns del "$pod"
	check
	refused 3 "CNI_NETNS: open '/run/netns/$pod'"
	ip netns add "$pod"	# often with the number of the one before
	ip -n "$pod" link add net1 type veth peer name other
	ip -n "$pod" link set net1 up
	check
	differs "netns: /run/netns/$pod is another namespace than that of the ADD"
	[ "$(records)" -eq 1 ]
}

@test "C-CHK-03: the interface is gone, renamed, down, at home, or another one has its name" {
	attach "$(conf 'del(.ipam)')"
	ip -n "$pod" link set net1 down
	check
	differs 'state: expected up, got down'
	ip -n "$pod" link set net1 name renamed up
	check
	differs 'interface: it is called renamed'
	ip -n "$pod" link add net1 address 02:00:00:00:00:0a type veth peer name other
	ip -n "$pod" link set net1 up
	check
	differs 'interface: it is called renamed'
	ip -n "$pod" link set renamed netns "$node" name v0
	check
	differs 'interface: net1 is not in the container but on the host'
	ip -n "$node" link del v0
	check
	differs 'interface: net1 is not in the container'
}

@test "C-CHK-03: another interface that has name and number of ours is told apart by its address" {
	attach "$(conf 'del(.ipam)')"
	number=$(link "$pod" net1 .ifindex)
	ip -n "$pod" link del net1
	ip -n "$pod" link add net1 index "$number" address 02:00:00:00:00:99 type veth peer name other
	ip -n "$pod" link set net1 up
	check
	[ "$status" -eq 1 ]
	[ "$(jq .code <<<"$output")" -eq 101 ]
}

@test "C-CHK-03: MAC, MTU, addresses and routes that differ are named, each for itself" {
	ip -n "$node" link set p0 up	# or each route is told to be down
	attach "$(host_local '.mtu = 1400')"
	ip -n "$pod" link set net1 mtu 1300
	check
	differs 'mtu: expected 1400, got 1300'
	[ "$(differences)" -eq 1 ]
	ip -n "$pod" link set net1 mtu 1400 address 02:00:00:00:00:99
	check
	differs 'mac: expected 02:00:00:00:00:0a, got 02:00:00:00:00:99'
	[ "$(differences)" -eq 1 ]
	ip -n "$pod" link set net1 address 02:00:00:00:00:0a
	for route in 198.51.100.0/24 0.0.0.0/0 ::/0; do
		was=$(ip -n "$pod" route show "$route" dev net1)
		[ -n "$was" ] || was=$(ip -n "$pod" -6 route show "$route" dev net1)
		ip -n "$pod" route del "$route"
		check
		differs "route: to $route is gone"
		[ "$(differences)" -eq 1 ]
		# shellcheck disable=SC2086
		ip -n "$pod" route add $was dev net1
	done
	check
	checked
	ip -n "$pod" addr del 10.1.0.2/24 dev net1
	check
	differs 'address: 10.1.0.2/24 is gone'
	ip -n "$pod" addr add 10.1.0.2/25 dev net1	# another prefix length is another address
	check
	differs 'address: 10.1.0.2/24 is gone'
	ip -n "$pod" addr add 10.1.0.2/24 dev net1
	ip -n "$pod" addr del fd00:1::2/64 dev net1
	check
	differs 'address: fd00:1::2/64 is gone'
}

@test "C-CHK-03: a route that goes another way now is gone" {
	attach "$(host_local '.mtu = 1400')"
	ip -n "$pod" route replace 198.51.100.0/24 via 10.1.0.7 dev net1
	check
	differs 'route: to 198.51.100.0/24 is gone'
	ip -n "$pod" link add other type veth peer name other2
	ip -n "$pod" link set other up
	ip -n "$pod" route replace 198.51.100.0/24 via 10.1.0.9 dev other onlink
	check
	differs 'route: to 198.51.100.0/24 is gone'
}

@test "C-CHK-03: all differences are in one error" {
	attach "$(host_local '.mtu = 1400')"
	ip -n "$pod" link set net1 mtu 1300 address 02:00:00:00:00:99
	ip -n "$pod" addr flush dev net1
	rm "$dir/run/status/$pod.json" "$dir"/ipam/net/{10.1.0.2,fd00:1::2}
	before=$(snapshot "$pod")
	check
	differs "interface net1 of container $pod is not as ADD left it" 'mtu: expected 1400' 'mac: expected' \
		'address: ' 'route: ' 'network-status: the entry is gone' 'plugin host-local: '
	same "$before" "$pod"
}

@test "C-CHK-03: prevResult has no such interface, has it in another sandbox, or as another one" {
	attach "$(conf)"
	check '.prevResult.interfaces = [] | del(.prevResult.ips[].interface)'
	differs 'prevResult: it has no interface net1'
	check 'del(.prevResult.interfaces) | del(.prevResult.ips[].interface)'
	differs 'prevResult: it has no interface net1'
	check '.prevResult.interfaces[0].sandbox = "/run/netns/other"'
	differs "prevResult: sandbox is /run/netns/other, not /run/netns/$pod"
	check '.prevResult.interfaces[0].mac = "02:00:00:00:00:99"'
	differs 'mac: expected 02:00:00:00:00:99, got 02:00:00:00:00:0a'
	check '.prevResult.ips += [{address: "10.9.0.3/24", interface: 0}]'
	differs 'address: 10.9.0.3/24 is gone'
	check '.prevResult.routes += [{dst: "203.0.113.0/24"}]'
	differs 'route: to 203.0.113.0/24 is gone'
	check '.cniVersion = "1.1.0" | .prevResult.cniVersion = "1.1.0" | .prevResult.interfaces[0].mtu = 1300'
	differs 'mtu: expected 1300, got 1500'
}

@test "C-CHK-03, C-CHK-04: record, network-status entry or the whole file is gone" {
	attach "$(conf)"
	cp "$dir/run/status/$pod.json" "$dir/whole"
	rm "$dir/run/status/$pod.json"
	check
	differs 'network-status: the entry is gone'
	jq '.[0].interface = "net7"' "$dir/whole" >"$dir/run/status/$pod.json"
	check
	differs 'network-status: the entry is gone'
	echo garbage >"$dir/run/status/$pod.json"
	check
	differs 'network-status: the file is damaged: it is no JSON list of entries'
	cp "$dir/whole" "$dir/run/status/$pod.json"
	check
	checked
	check '.name = "other"'
	differs "there is no record of interface net1 of container $pod"
	check . "$pod" net2
	differs 'there is no record of interface net2'
	del "$conf"
	deleted
	check
	differs "there is no record of interface net1 of container $pod"
	rm -r "$dir/state"
	check
	differs 'there is no record of interface net1'
	[ ! -e "$dir/state" ]
}

@test "C-CHK-04: the device-info file is gone, is another one, or cannot be read" {
	attach_chained
	check
	checked
	cp "$file" "$dir/whole"
	rm "$file"
	check
	differs 'device-info: the file is gone'
	sed s/s1/s2/ "$dir/whole" >"$file"
	check
	differs 'device-info: the file is not what network-status says'
	echo garbage >"$file"
	check
	differs 'device-info: '
	cp "$dir/whole" "$file"
	check
	checked
}

# bats test_tags=attach
@test "C-CHK-02, C-CHK-03: CHECK of a chained attachment looks at what we set on another plugin's interface" {
	attach_chained
	before=$(snapshot "$pod")
	check
	checked
	same "$before" "$pod"
	ip -n "$pod" link set net1 mtu 1300 address 02:00:00:00:00:99 down
	check
	differs 'mtu: expected 1400, got 1300' 'mac: expected 02:00:00:00:00:77, got 02:00:00:00:00:99' 'state: expected up'
	ip -n "$pod" link set net1 mtu 1400 address 02:00:00:00:00:77 name net9 up
	check
	differs 'interface: '
	ip -n "$pod" link del net9
	check
	differs 'interface: net1 is not in the container'
}

@test "C-CHK-05: what later plugins have added or changed, and say in prevResult, is no difference" {
	attach "$(host_local '.mtu = 1400 | .cniVersion = "1.1.0"')"
	ip -n "$pod" addr add 192.0.2.7/24 dev net1
	ip -n "$pod" addr add 2001:db8::7/64 dev net1
	ip -n "$pod" route add 203.0.113.0/24 via 192.0.2.1 dev net1
	ip -n "$pod" route add 198.51.100.0/24 via 192.0.2.1 dev net1 metric 50
	ip -n "$pod" link add extra type veth peer name extra2
	check
	checked
	ip -n "$pod" link set net1 mtu 1300 address 02:00:00:00:00:99 promisc on alias other
	check '.prevResult.interfaces[0] += {mtu: 1300, mac: "02:00:00:00:00:99"} |
		.prevResult.interfaces += [{name: "extra", sandbox: "/run/netns/'"$pod"'"}, {name: "net1"}] |
		.prevResult.dns.search = ["example.org"] | .prevResult.unheard = true'
	checked
}

@test "C-CHK-06: the IPAM plugin is asked, and host-local misses its lease" {
	attach "$(host_local '.cniVersion = "1.1.0"')"	# Debian's knows 1.0.0 only
	check
	checked
	rm "$dir"/ipam/net/{10.1.0.2,fd00:1::2}
	check
	[ "$status" -eq 1 ]
	[[ $(jq -r .msg <<<"$output") == 'plugin host-local: '* ]]
}

@test "C-CHK-06: the IPAM plugin's CHECK is one of this attachment and of its version, its error is ours" {
	attach "$(conf '.cniVersion = "1.1.0" | .ipam.type = "one"')"
	check
	checked
	[ "$(tail -n 1 "$FAKE11/calls.log")" = "one CHECK $pod/net1@/run/netns/$pod" ]
	[ "$(jq -r .cniVersion "$FAKE11/one.CHECK.json")" = 1.1.0 ]
	[ "$(jq -c .prevResult "$FAKE11/one.CHECK.json")" = "$(jq -c . <<<"$result")" ]
	echo '112 the lease is gone' >"$FAKE11/one.CHECK"
	check
	refused 112 'plugin one: the lease is gone'
	rm "$dir/bin/one"
	check
	refused 107 'plugin one is in no directory of CNI_PATH'
}

@test "C-CHK-06: a hanging IPAM plugin is given up in time" {
	attach "$(conf '.cniVersion = "1.1.0" | .ipam.type = "one"')"
	echo hang >"$FAKE11/one.CHECK"
	node_conf '{ipamTimeoutMs: 300}'
	within 10 check
	refused 11 'plugin one gave no answer in time'
}

@test "C-CHK-06: delegates are asked, each with prevResult, and all their errors are passed up" {
	attach "$(conf 'del(.device, .ipam) | .cniVersion = "1.1.0" | .delegates = [{type: "one"}, {type: "two"}]')"
	before=$(snapshot "$pod")
	: >"$FAKE11/calls.log"
	check
	checked
	same "$before" "$pod"
	diff - "$FAKE11/calls.log" <<-EOT
		one CHECK $pod/net1@/run/netns/$pod
		two CHECK $pod/net1@/run/netns/$pod
	EOT
	for name in one two; do
		[ "$(jq -r .type "$FAKE11/$name.CHECK.json")" = $name ]
		[ "$(jq -r '.prevResult.interfaces[0].name' "$FAKE11/$name.CHECK.json")" = net1 ]
	done
	echo '111 ours is gone' >"$FAKE11/one.CHECK"
	echo '112 mine too' >"$FAKE11/two.CHECK"
	check
	refused 111 'plugin one: ours is gone'
	refused 111 'plugin two: mine too'
	ip -n "$pod" link set net1 down
	check
	differs 'state: expected up, got down' 'plugin one: ours is gone' 'plugin two: mine too'
}
