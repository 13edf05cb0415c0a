#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# forward.bats - Open vSwitch with its DPDK datapath between attachments, alive and dead
#
# rooms: cni/switch

load peers
load ovs

setup() {
	peers_up
	ovs_up "$dir/ovs"
	node_conf "{socketDir: \"$socks\", switchPrograms: [\"$programs/switch\"], ovsDb: \"$ovs_db\"}"
	vsctl add-br br0 -- set bridge br0 datapath_type=netdev
	cores=0@0,1@1	# a busy worker beside the switch's own threads would starve them
}

teardown() {
	peers_down
	ovs_down "$dir/ovs"
}

# oconf SIDE FILE [jq filter] - of vhost-user, with that device-info file
oconf() {
	sconf vhostUser "$1" '.switch = {type: "ovs", bridge: "br0", timeoutMs: 30000}
		| .runtimeConfig.CNIDeviceInfoFile = "'"$dir/devinfo/cni/$2"'" | '"${3:-.}"
}

# port CONTAINER COLUMN - of its interface in the database
port() { vsctl --bare --columns="$2" find Interface "external_ids:devinfo.container-id=$1"; }

link_up() { [ "$(port "$1" link_state)" = up ]; }
ports() { vsctl list-ports br0 | wc -l; }

@test "two attachments, one in each mode, and one application not root: packets there and back" {
	pod_add "$pod2"
	a=$(oconf client a '.vhostUser.gid = 65534')
	b=$(oconf server b)
	add "$b" "$pod2"
	added
	as=b given=b forward=macswap pod=$pod2 app
	within_patience link_up "$pod2"
	add "$a"
	added
	[ "$(ports)" -eq 2 ]
	[ "$(port "$pod" type) $(port "$pod2" type)" = 'dpdkvhostuser dpdkvhostuserclient' ]
	as=a given=a uid=65534 app
	within_patience has_received b || { tail -n 12 "$dir"/{a,b}.log && false; }
	within_patience has_received a || { tail -n 12 "$dir"/{a,b}.log && false; }
	end a
	del "$a"
	deleted
	[ "$(ports)" -eq 1 ]
	end b
	del "$b" "$pod2"
	deleted
	[ "$(ports)" -eq 0 ]
	nothing_left
}

@test "ovs-vswitchd is killed, and so is the application: DEL removes the port and all else" {
	for side in client server; do
		c=$(oconf "$side" given)
		add "$c"
		added
		app
		[ "$side" = client ] || within_patience link_up "$pod"
		ovs_stop ovs-vswitchd KILL
		end app
		within 60 del "$c"
		deleted
		[ -z "$(port "$pod" name)" ]
		nothing_left
		vswitchd_up
	done
}

@test "all of Open vSwitch is killed: DEL says so in time, and succeeds when the database is back" {
	c=$(oconf client given '.switch.timeoutMs = 2000')
	add "$(jq -c '.switch.timeoutMs = 30000' <<<"$c")"
	added
	ovs_stop ovs-vswitchd KILL
	ovs_stop ovsdb-server KILL
	[ -S "$ovs_db" ]
	within 20 del "$c"
	refused 11 "$ovs_db"
	[ "$(records)" -eq 1 ]
	ovsdb_up
	within 20 del "$c"
	deleted
	[ "$(ports)" -eq 0 ]
	nothing_left
}

gc() {
	env_of GC
	export CNI_CONTAINERID='' CNI_IFNAME='' CNI_NETNS=''
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c '."cni.dev/valid-attachments" = []' <<<"$c")"
}

@test "after a reboot, before Open vSwitch is up, DEL succeeds; GC removes the port from its database" {
	c=$(oconf server given)
	add "$c"
	added
	ovs_stop ovs-vswitchd KILL
	ovs_stop ovsdb-server KILL
	ip netns del "$pod"
	rm -rf "$ovs_db" "$socks" "$dir/run" "$dir/devinfo"
	sed -i 's/"bootID":"[^"]*"/"bootID":"00000000-0000-0000-0000-000000000000"/' "$dir"/state/attachments/*
	del "$c"
	deleted
	[ -z "$(find "$dir/state" -name '*.json')" ]
	ovsdb_up
	[ "$(ports)" -eq 1 ]
	gc
	deleted
	[ "$(ports)" -eq 0 ]
}
