# SPDX-License-Identifier: Apache-2.0
# positions.bash - the same test as owner, chained and meta; beside helpers.bash
#
# As owner it is v0 that is attached, as chained an interface that is there already, as meta what
# the bridge plugin makes on br0.
# shellcheck shell=bash

positions_up() {
	node_up
	bridge_up
}

# inside NETNS [name] - an interface that another plugin has made
inside() {
	ip -n "$1" link add name "${2:-net1}" address 02:00:00:00:00:3a type veth peer name "${2:-net1}-peer"
	ip -n "$1" link set dev "${2:-net1}" up
}

# For each position: in $position with the configuration $c, a pod of its own, and what is $before.
# An owner's device is v0, made anew because it may have died with a namespace.
in_each_position() {
	for position in owner chained meta; do
		echo "as $position"
		ip -n "$node" link del p0 2>/dev/null || true
		ip -n "$node" link add v0 address 02:00:00:00:00:0a type veth peer name p0
		ip netns del "$pod" 2>/dev/null || true
		pod_add "$pod"
		[ $position != chained ] || inside "$pod"
		c=$(request $position)
		before=$(snapshot "$pod")
		"$@"
	done
}

# request POSITION [jq filter] - each sets MTU and MAC, and asks for a lease where there is IPAM
request() {
	conf '.mtu = 1400 | .mac = "02:00:00:00:00:77" | '"$(case $1 in
	owner) echo . ;;
	chained) echo 'del(.device, .ipam) | .prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1"}]}' ;;
	meta) echo 'del(.device, .ipam) | .delegates = [{type: "bridge", bridge: "br0", ipam: {type: "fake"}}]' ;;
	esac) | ${2:-.}"
}

# attached - the ADD has done what there is to be undone
attached() {
	added && [ "$(link "$pod" net1 '"\(.address) \(.mtu)"')" = '02:00:00:00:00:77 1400' ] && [ "$(records)" -eq 1 ]
}

# clean - and the DEL has undone it
clean() { deleted && same "$before" "$pod"; }

# empty - no file of ours is left
empty() { [ "$(records)" -eq 0 ] && [ "$(leases)" -eq 0 ] && [ -z "$(ls -A "$dir/run/status")" ]; }
