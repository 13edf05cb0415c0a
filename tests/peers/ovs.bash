# SPDX-License-Identifier: Apache-2.0
# ovs.bash - an Open vSwitch of the tests' own: all its files in one directory, its interfaces in a
# network namespace of its own, or in the caller's; no hugepages, no NIC
# shellcheck shell=bash
#
#	ovs_up DIR [--no-dpdk]	starts ovsdb-server and ovs-vswitchd
#	ovs_up_here DIR		the same without DPDK, in the caller's network namespace
#	ovs_down DIR		stops both, whatever state they are in
#	ovsdb_up, vswitchd_up, ovs_stop ovsdb-server|ovs-vswitchd	one of them; DIR is $ovs_dir
#	vsctl ...		ovs-vsctl for it; OVS_WAIT_S says how long it may take
#
# After ovs_up, or ovs_env, $ovs_dir is DIR and $ovs_db the path of its database's socket.

ovs_env() {
	ovs_dir=$1 ovs_db=$1/db.sock
	ovs_ns=ovs-$(printf '%s' "$1" | cksum | cut -d ' ' -f 1)
	export OVS_RUNDIR=$1 OVS_DBDIR=$1 OVS_LOGDIR=$1 OVS_SYSCONFDIR=$1
}

# in_ovs COMMAND... - in its network namespace
in_ovs() {
	[ -n "$ovs_ns" ] || { "$@"; return; }
	ip netns exec "$ovs_ns" "$@"
}

vsctl() { ovs-vsctl --timeout="${OVS_WAIT_S:-10}" --db="unix:$ovs_db" "$@"; }

# The descriptor 3 is bats's: it would wait for who keeps it.
ovsdb_up() {
	in_ovs ovsdb-server "$ovs_dir/conf.db" --remote="punix:$ovs_db" --no-chdir \
		--pidfile="$ovs_dir/ovsdb-server.pid" --log-file="$ovs_dir/ovsdb.log" \
		--detach </dev/null >"$ovs_dir/ovsdb.out" 2>&1 3>&-
}

vswitchd_up() {
	local program=/usr/lib/openvswitch-switch-dpdk/ovs-vswitchd-dpdk
	[ -n "$ovs_ns" ] || program=/usr/lib/openvswitch-switch/ovs-vswitchd
	in_ovs "$program" "unix:$ovs_db" \
		--no-chdir --pidfile="$ovs_dir/ovs-vswitchd.pid" --log-file="$ovs_dir/vswitchd.log" \
		--detach </dev/null >"$ovs_dir/vswitchd.out" 2>&1 3>&- ||
		{ tail -n 20 "$ovs_dir/vswitchd.out" >&2; return 1; }
}

ovs_up() {
	ovs_env "$1"
	mkdir -p "$1"
	ip netns add "$ovs_ns"
	ovsdb-tool create "$1/conf.db" /usr/share/openvswitch/vswitch.ovsschema
	ovsdb_up
	vsctl --no-wait init
	# --legacy-mem: OVS adds --in-memory otherwise, which does not go with --no-huge
	[ "${2-}" = --no-dpdk ] || vsctl --no-wait set Open_vSwitch . other_config:dpdk-init=true \
		other_config:dpdk-extra="--no-huge --legacy-mem --no-pci -m 512 --no-telemetry --file-prefix=$ovs_ns" \
		other_config:dpdk-lcore-mask=0x1 other_config:pmd-cpu-mask=0x2
	vswitchd_up
}

ovs_env_here() { ovs_env "$1"; ovs_ns=''; }

ovs_up_here() {
	ovs_env_here "$1"
	mkdir -p "$1"
	ovsdb-tool create "$1/conf.db" /usr/share/openvswitch/vswitch.ovsschema
	ovsdb_up
	vsctl --no-wait init
	vswitchd_up
}

# ovs_stop NAME [SIGNAL] - and it is gone
ovs_stop() {
	local pid i
	pid=$(cat "$ovs_dir/$1.pid" 2>/dev/null) || return 0
	kill "-${2:-KILL}" "$pid" 2>/dev/null || return 0
	kill -CONT "$pid" 2>/dev/null || true
	for ((i = 0; i < 100; i++)); do
		grep -qE '^State:\s[^ZX]' "/proc/$pid/status" 2>/dev/null || break
		sleep .05
	done
	rm -f "$ovs_dir/$1.pid"
}

ovs_down() {
	ovs_env "$1"
	ovs_stop ovs-vswitchd
	ovs_stop ovsdb-server
	ip netns del "$ovs_ns" 2>/dev/null || true
}
