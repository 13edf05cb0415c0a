#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# ovs_left.bats - devinfoctl repair: ports in the database of a real Open vSwitch that nobody has
#
# Its ovsdb-server alone: what ovs-vswitchd makes of the database is in ovs_life.bats.
#
# rooms: manager/doctor

load ../net/helpers
load ovs

setup() {
	node_up
	mkdir -p "$dir"/ovs "$dir"/lib/{results,multus}
	ovs_env_here "$dir/ovs"
	node_conf "{ovsDb: \"$ovs_db\"}"
	ovsdb-tool create "$dir/ovs/conf.db" /usr/share/openvswitch/vswitch.ovsschema
	ovsdb_up
	vsctl --no-wait init -- add-br br0
	here=$(node_name "$dir/state")
}

teardown() {
	ovs_stop ovsdb-server
	node_down
}

# node_name STATE-DIR - what ports of this node say in external_ids
node_name() {
	local id
	read -r id </etc/machine-id || id=uninitialized
	[ "$id" != uninitialized ] || id=$(hostname)
	/usr/bin/python3 -c 'import functools, sys
print("%016x" % functools.reduce(lambda h, b: (h ^ b) * 0x100000001b3 % 2**64, sys.argv[1].encode(), 0xcbf29ce484222325))' "$id$1"
}

# port NAME CONTAINER NODE - of net1 in network net
port() {
	vsctl --no-wait add-port br0 "$1" -- set port "$1" external_ids:devinfo.container-id="$2" \
		external_ids:devinfo.ifname=net1 external_ids:devinfo.network=net external_ids:devinfo.node="$3"
}

# mend [OPTION...] - $rows are those about ports
mend() {
	run --separate-stderr in_node timeout 60 sh -c "$as_var_lib_cni"' && exec "$@"' "$dir/lib" \
		"${before[@]}" "${plugin}ctl" repair --json "$@"
	rows=$(jq -r '.[] | select(.check == "ovs-port") | "\(.result): \(.object)"' <<<"${output:-[]}")
}

# dies CONTAINER - libcni knows it, and its namespace is gone
dies() { echo '{"containerId":"'"$1"'","netns":"/run/netns/gone"}' >"$dir/lib/results/net-$1-net1"; }

ports() { vsctl --no-wait list-ports br0 | tr '\n' ' '; }

@test "a port without attachment is removed; one that has one, another node's and others' stay" {
	add "$(conf)"
	added
	port dvlives "$pod" "$here"
	port dvgone gone "$here"
	dies gone
	port dvother gone 0123456789abcdef
	vsctl --no-wait add-port br0 mine
	port dvunknown lost "$here"		# its record is lost, and nothing tells whether it lives
	mend --dry-run
	[ "$rows" = "would repair: dvgone
by hand: dvunknown" ]
	[ "$(ports)" = "dvgone dvlives dvother dvunknown mine " ]
	mend
	[ "$rows" = "repaired: dvgone
by hand: dvunknown" ]
	vsctl --no-wait del-port dvunknown
	[ "$(ports)" = "dvlives dvother mine " ]
	mend
	[ -z "$rows" ]
}

@test "the port of an attachment that lives stays, although its record is lost" {
	port dvlives "$pod" "$here"
	echo '{"containerId":"'"$pod"'","netns":"/run/netns/'"$pod"'"}' >"$dir/lib/results/net-$pod-net1"
	mend
	[ "$rows" = "by hand: dvlives" ]
	[ "$(ports)" = "dvlives " ]
	ip netns del "$pod"
	mend
	[ "$rows" = "repaired: dvlives" ]
}

@test "kill -9 at each change that repair makes: the next one does the rest" {
	local sysfault=${BUILD:-$top/build}/tests/tool/sysfault n
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	dies gone
	for ((n = 1; n < 20; n++)); do
		[[ $(ports) == *dvgone* ]] || port dvgone gone "$here"
		before=("$sysfault" changes kill "$n")
		mend
		[ "$status" -ne 137 ] && break
		before=()
		mend
		[ -z "$(ports)" ]
		mend
		[ -z "$rows" ]
	done
	[ "$n" -gt 2 ]
	[ "$n" -lt 20 ]
}
