#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# ovsdb.bats - ports of a real Open vSwitch: made, told apart, checked, removed, and every refusal
#
# One switch for all tests, with DPDK; those that break theirs have one of their own.  port is
# cni/switch/switch.h by hand.
#
# rooms: cni/switch
# shellcheck disable=SC2030,SC2031,SC2154 # of ovs.bash and bats

bats_require_minimum_version 1.5.0
load ../compare
load ovs

setup_file() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	export OVS_SHARED=$BATS_FILE_TMPDIR/ovs
	ovs_up "$OVS_SHARED"
	vsctl add-br br0 -- set bridge br0 datapath_type=netdev \
		-- add-br kernel -- set bridge kernel datapath_type=system
}

teardown_file() { ovs_down "$BATS_FILE_TMPDIR/ovs"; }

setup() {
	ovs_env "$OVS_SHARED"
	dir=$BATS_TEST_TMPDIR
	port=${BUILD:-$BATS_TEST_DIRNAME/../../build}/tests/peers/port
	id=c$BATS_TEST_NUMBER
	sock=$dir/net1.sock
	before=$(dump)
}

teardown() {
	if [ "$ovs_dir" != "$OVS_SHARED" ]; then
		ovs_down "$ovs_dir"
	fi
}

# own_switch [--no-dpdk] - one for this test alone
own_switch() {
	ovs_up "$BATS_TEST_TMPDIR/ovs" "$@"
	vsctl add-br br0 -- set bridge br0 datapath_type=netdev
	before=$(dump)
}

# dump - what others than the counters of changes may see
dump() {
	vsctl --format=csv --columns=name,external_ids list Port
	vsctl --format=csv --columns=name,type,options,external_ids list Interface
}

# call VERB KEY=VALUE... - with this test's switch and attachment
call() {
	local verb=$1
	shift
	run --separate-stderr "$port" "$verb" db="$ovs_db" containerID="$id" switchPath="$sock" "$@"
}

works() {
	call "$@"
	[ "$status" -eq 0 ] || { echo "$stderr" >&2; return 1; }
}

# refused CODE "message" "details" - patterns
# shellcheck disable=SC2154
refused() {
	echo "$stderr" >&2
	[ "$status" -eq 1 ]
	# shellcheck disable=SC2053
	[[ ${stderr_lines[0]} = "$1: "$2 && ${stderr_lines[1]-} = ${3-} ]]
}

unchanged() { [ "$(dump)" = "$before" ]; }

# name - of this attachment's port, as the database has it
name() { vsctl --bare --columns=name find Port "external_ids:devinfo.container-id=$id"; }

@test "C-USR-15: a port for an application that listens: type, path, VLANs, MTU, whose it is; DEL removes it" {
	works attach vlan=5 trunk=7 trunk=9 mtu=1400 mac=02:00:00:00:00:01
	n=$(name)
	[[ $n =~ ^dv[0-9a-f]{12}$ ]]
	[ "$(vsctl get Interface "$n" type)" = dpdkvhostuserclient ]
	[ "$(vsctl get Interface "$n" options:vhost-server-path)" = "\"$sock\"" ]
	[ "$(vsctl get Interface "$n" mtu_request)" = 1400 ]
	[ "$(vsctl get Interface "$n" external_ids:attached-mac)" = '"02:00:00:00:00:01"' ]
	[ "$(vsctl get Interface "$n" ofport)" -gt 0 ]
	[ "$(vsctl get Port "$n" tag trunks vlan_mode | tr '\n' ' ')" = "5 [7, 9] native-untagged " ]
	[[ "$(vsctl get Port "$n" external_ids | tr -d '"')" =~ ^\{attached-mac=02:00:00:00:00:01,\ devinfo.container-id=$id,\ devinfo.ifname=net1,\ devinfo.network=net,\ devinfo.node=[0-9a-f]{16},\ devinfo.socket=$sock\}$ ]]
	[ "$(vsctl iface-to-br "$n")" = br0 ]
	works check vlan=5 trunk=7 trunk=9 mtu=1400
	[ -z "$output" ]
	works detach
	unchanged
}

@test "C-USR-15: without VLANs and MTU, neither is set; with a VLAN alone it is an access port" {
	works attach
	[ "$(vsctl get Port "$(name)" tag trunks vlan_mode | tr '\n' ' ')" = "[] [] [] " ]
	[ "$(vsctl get Interface "$(name)" mtu_request)" = "[]" ]
	works detach
	works attach vlan=100
	[ "$(vsctl get Port "$(name)" tag trunks vlan_mode | tr '\n' ' ')" = "100 [] [] " ]
	works detach
	unchanged
}

@test "for an application that connects, OVS has made the socket, where switch_socket says" {
	works attach listens=0
	[ "$(vsctl get Interface "$(name)" type)" = dpdkvhostuser ]
	n=$(name)
	works socket listens=0
	[ "$output" = "$ovs_dir/$n" ]
	[ -S "$output" ]
	works socket
	[ -z "$output" ]
	works detach listens=0
	unchanged
}

@test "the directory of OVS's sockets is the one its database says, or the one we are told" {
	own_switch --no-dpdk
	n=$("$port" socket db="$ovs_db" containerID="$id" listens=0)
	vsctl --no-wait set Open_vSwitch . other_config:vhost-sock-dir=sub/dir
	works socket listens=0
	[ "$output" = "$ovs_dir/sub/dir/${n##*/}" ]
	works socket listens=0 socketDir=/elsewhere
	[ "$output" = "/elsewhere/${n##*/}" ]
	for sub in sub/ ./sub /sub sub/./ .//sub; do	# OVS takes them all
		vsctl --no-wait set Open_vSwitch . other_config:vhost-sock-dir="$sub"
		works socket listens=0
		[ "$output" = "$ovs_dir/sub/${n##*/}" ]
	done
	vsctl --no-wait set Open_vSwitch . other_config:vhost-sock-dir=a//b
	works socket listens=0
	[ "$output" = "$ovs_dir/a/b/${n##*/}" ]
	vsctl --no-wait set Open_vSwitch . other_config:vhost-sock-dir=./
	works socket listens=0
	[ "$output" = "$n" ]
	vsctl --no-wait set Open_vSwitch . 'other_config:vhost-sock-dir="a b"'
	call socket listens=0
	refused 7 "invalid socket of Open vSwitch *must be printable bytes*"
	vsctl --no-wait set Open_vSwitch . other_config:vhost-sock-dir=../up
	call socket listens=0
	refused 7 "vhost-sock-dir of Open vSwitch is '../up': *"
	works socket listens=0 socketDir=/elsewhere
	vsctl --no-wait set Open_vSwitch . other_config:vhost-sock-dir="$(printf '%0100d' 0)"
	call socket listens=0
	refused 7 "*over 107" "File name too long"
}

@test "C-USR-02: DEL is the same when called twice, and knows net1 from net10 and one container from another" {
	works attach ifname=net1
	works attach ifname=net10 switchPath="$dir/10"
	works attach containerID="$id-2" switchPath="$dir/2"
	[ "$(vsctl --bare --columns=name find Port external_ids:devinfo.network=net | grep -c .)" -eq 3 ]
	works detach ifname=net1
	works detach ifname=net1
	[ "$(vsctl --bare --columns=external_ids find Port external_ids:devinfo.network=net |
		grep -oE 'container-id=[^ ]*|ifname=[^ ]*' | sort | tr '\n' ' ')" = \
		"container-id=$id container-id=$id-2 ifname=net1 ifname=net10 " ]
	works detach ifname=net10
	works detach containerID="$id-2"
	unchanged
}

@test "DEL needs no configuration" {
	works attach
	works detach forget=1
	unchanged
}

@test "an ADD after one that did not finish takes its port's place, with what is asked now" {
	works attach vlan=5
	works attach vlan=6 switchPath="$dir/other.sock"
	[ "$(vsctl get Port "$(name)" tag)" = 6 ]
	[ "$(vsctl get Interface "$(name)" options:vhost-server-path)" = "\"$dir/other.sock\"" ]
	[ "$(vsctl get Interface "$(name)" error)" = "[]" ]
	works detach
	unchanged
}

@test "C-USR-09: CHECK tells each difference" {
	works attach vlan=5 trunk=7 mtu=1400
	vsctl set Port "$(name)" tag=6 trunks=7,8 vlan_mode=access \
		-- set Interface "$(name)" mtu_request=1300
	works check vlan=5 trunk=7 mtu=1400
	[[ $output = *"tag: expected 5, got 6"* && $output = *"trunks: expected 1 VLANs, got 1 of them and 2 in all"* ]]
	[[ $output = *"vlan_mode: expected 'native-untagged', got 'access'"* ]]
	[[ $output = *"mtu_request: expected 1400, got 1300"* ]]
	[ "${#lines[@]}" -eq 4 ]
	works check
	[[ $output = *"tag: expected none, got 6"* && $output = *"trunks: expected 0 VLANs, got 0 of them and 2 in all"* ]]
	[[ $output = *"mtu_request: expected none, got 1300"* && $output = *"vlan_mode: expected '', got 'access'"* ]]
	[ "${#lines[@]}" -eq 4 ]
	works check vlan=6 trunk=7 trunk=8 mtu=1300 switchPath=/other
	[[ $output = *"vhost-server-path: expected '/other', got '$sock'"* ]]
	n=$(name)
	vsctl del-port "$n"
	works check
	[ "$output" = "port $n of Open vSwitch: expected it on bridge br0, got none" ]
	vsctl add-port br0 "$n" -- set interface "$n" type=dpdkvhostuserclient
	works check	# its name, but another's
	[ "$output" = "port $n of Open vSwitch: expected it on bridge br0, got none" ]
	vsctl del-port "$n"
	works detach
	unchanged
}

@test "a bridge that is not there is said, by ADD and by STATUS" {
	call attach bridge=absent
	refused 102 "port dv* of bridge absent: Open vSwitch has no bridge 'absent'"
	call probe bridge=absent
	refused 102 "Open vSwitch has no bridge 'absent'"
	works probe
	unchanged
}

@test "a bridge of the kernel's datapath is refused: it would take the port and do nothing" {
	call attach bridge=kernel
	refused 102 "*: bridge 'kernel' of Open vSwitch has datapath_type 'system': vhost-user needs 'netdev'"
	call probe bridge=kernel
	refused 102 "bridge 'kernel' of *"
	unchanged
}

@test "a name that is taken is refused, and its owner keeps it; DEL does not touch it" {
	n=$("$port" socket db="$ovs_db" containerID="$id" listens=0)
	n=${n##*/}
	vsctl add-port br0 "$n" -- set interface "$n" type=dpdkvhostuserclient
	with_other=$(dump)
	call attach
	refused 103 "port $n of bridge br0: Open vSwitch has a port or interface '$n' already" \
		"File exists; it is none of ours"
	works detach
	[ "$(dump)" = "$with_other" ]
	vsctl set Port "$n" external_ids:devinfo.container-id=else
	call attach
	refused 103 "*" "File exists; it is of another attachment"
	vsctl del-port "$n"
	unchanged
}

@test "a path that another port has is refused, and its owner keeps it; DEL does not touch it" {
	vsctl add-port br0 foreign -- set interface foreign type=dpdkvhostuserclient \
		options:vhost-server-path="$sock"
	with_other=$(dump)
	call attach
	refused 103 "port dv* of bridge br0: another interface of Open vSwitch has the path '$sock' already" \
		"Address already in use; it is none of ours"
	works detach
	[ "$(dump)" = "$with_other" ]
	works attach listens=0	# where the application connects the switch's socket has another name
	works detach listens=0
	[ "$(dump)" = "$with_other" ]
	vsctl del-port foreign
	works attach containerID=else path=/elsewhere/net1.sock
	with_other=$(dump)
	call attach
	refused 103 "port dv* of bridge br0: another interface of Open vSwitch has the path '$sock' already" \
		"Address already in use; it is of another attachment"
	[ "$(dump)" = "$with_other" ]
	works detach containerID=else
	works attach containerID=old path="$sock"	# by its interface ours, and by its port not
	n=$(vsctl --bare --columns=name find Port external_ids:devinfo.container-id=old)
	vsctl clear Port "$n" external_ids
	call attach
	refused 103 "*" "Address already in use; it is of another attachment"
	vsctl del-port "$n"
	works attach containerID=else stateDir=/elsewhere
	call attach
	refused 103 "*" "Address already in use; it is of another attachment, of another node or stateDir"
	works detach containerID=else
	unchanged
}

@test "a port that was left with the attachment's socket is replaced, whichever side listened" {
	for was in 0 1; do
		for is in 0 1; do
			works attach containerID=old vlan=5 listens="$was"
			works attach vlan=6 listens="$is"
			[ -z "$(vsctl --bare --columns=name find Port external_ids:devinfo.container-id=old)" ]
			[ "$(vsctl get Port "$(name)" tag)" = 6 ]
			[ "$(vsctl get Interface "$(name)" error)" = "[]" ]
			works gc keep="$id"
			works check vlan=6 listens="$is"
			[ -z "$output" ]
			works detach listens="$is"
			unchanged
		done
	done
}

@test "what OVS says in its error column is the error of ADD: without DPDK there are no such ports" {
	own_switch --no-dpdk
	call attach
	refused 102 "port dv* of bridge br0: Open vSwitch cannot make it" \
		"*Address family not supported*; DPDK is not initialised in it (dpdk_initialized is false)"
	works detach
	unchanged
}

@test "OVS reports a path that it cannot make a socket for" {
	works attach	# an application that listens may come later: that path need not be there
	works detach
	n=$("$port" socket db="$ovs_db" containerID="$id" listens=0)
	mkdir "$n"	# in the way
	call attach listens=0
	rmdir "$n"
	refused 102 "*: Open vSwitch cannot make it" "*could not open network device*"
	works detach
	unchanged
}

@test "no database: ADD and STATUS say so, DEL and GC go on" {
	db=$dir/absent/db.sock
	call attach db="$db"
	refused 11 "port dv* of bridge br0: database of Open vSwitch at $db: open the socket" \
		"No such file or directory"
	call probe db="$db"
	refused 11 "database of Open vSwitch at $db: open the socket" "No such file or directory"
	works detach db="$db"
	[[ $stderr = *'level=warning'*'Open vSwitch is not there'* ]]
	works forget db="$db"
	works gc db="$db"
}

@test "a database that is being restarted: DEL is to be tried again, and then the port goes" {
	own_switch
	works attach
	ovs_stop ovsdb-server TERM	# in order: it takes its socket away
	[ ! -e "$ovs_db" ]
	call detach
	refused 11 "database of Open vSwitch at $ovs_db: open the socket" "No such file or directory"
	ovsdb_up
	[ -n "$(name)" ]
	works detach
	unchanged
}

@test "without a record the port is found by whose it is" {
	works attach
	works attach ifname=net10 switchPath="$dir/10"
	works forget
	[ "$(vsctl --bare --columns=external_ids find Port "external_ids:devinfo.container-id=$id" |
		grep -oE 'ifname=[^ ]*')" = ifname=net10 ]
	works forget
	works forget ifname=net10
	unchanged
}

@test "a socket that nobody listens on: ADD and STATUS say so, DEL is to be tried again" {
	own_switch --no-dpdk
	ovs_stop ovsdb-server KILL	# leaves its socket
	for verb in attach detach probe gc check socket; do
		call "$verb" listens=0
		refused 11 "*database of Open vSwitch at $ovs_db: connect" "Connection refused"
	done
	touch "$dir/file"
	call attach db="$dir/file"
	refused 11 "*the path is not a socket" "Socket operation on non-socket"
}

@test "a database that hangs holds nobody for longer than timeoutMs, and nothing is left later" {
	own_switch --no-dpdk
	kill -STOP "$(cat "$ovs_dir/ovsdb-server.pid")"
	start=$SECONDS
	for verb in attach detach probe gc check socket; do
		call "$verb" timeoutMs=300 listens=0
		refused 11 "*the database of Open vSwitch gave no answer in time" "Connection timed out"
	done
	[ $((SECONDS - start)) -lt 20 ]
	kill -CONT "$(cat "$ovs_dir/ovsdb-server.pid")"
	works detach
	unchanged
}

@test "without ovs-vswitchd, ADD is not held, and DEL removes the port all the same" {
	own_switch --no-dpdk
	ovs_stop ovs-vswitchd KILL
	call attach timeoutMs=1000
	refused 11 "port dv* of bridge br0: ovs-vswitchd has not made it in time: does it run?" \
		"Connection timed out"
	[ -n "$(name)" ]
	works detach timeoutMs=1000
	[[ $stderr = *'level=warning'*'has not confirmed'* ]]
	[ -z "$(name)" ]
}

@test "C-USR-18: ovs-vswitchd and ovsdb-server are killed between ADD and DEL: the port goes" {
	own_switch
	works attach
	ovs_stop ovs-vswitchd KILL
	works detach timeoutMs=1000
	[ -z "$(name)" ]
	vswitchd_up
	works attach
	ovs_stop ovsdb-server KILL
	call detach
	refused 11 "*: connect" "Connection refused"
	rm -f "$ovs_db"
	ovsdb_up	# the database is on disk, and the port in it
	[ -n "$(name)" ]
	works detach
	unchanged
}

@test "the database was wiped between ADD and DEL: nothing is left to remove" {
	own_switch
	works attach
	ovs_stop ovsdb-server TERM
	rm -f "$ovs_dir/conf.db"
	ovsdb-tool create "$ovs_dir/conf.db" /usr/share/openvswitch/vswitch.ovsschema
	ovsdb_up
	works detach
	vsctl --no-wait init
	works detach
	works gc
	call attach
	refused 102 "*: Open vSwitch has no bridge 'br0'"
	call check
	[[ $output = *"expected it on bridge br0, got none" ]]
}

@test "C-USR-20: GC removes the ports of a network's attachments that nobody keeps, and no other" {
	works attach containerID=kept switchPath="$dir/1"
	works attach containerID=lost switchPath="$dir/2"
	works attach containerID=lost ifname=net2 switchPath="$dir/3"
	works attach containerID=lost-too network=other switchPath="$dir/4"
	works gc keep=kept keep=not-there
	[ "$(vsctl --bare --columns=external_ids find Port external_ids:devinfo.ifname=net1 |
		grep -oE 'container-id=[^ ]*' | sort | tr '\n' ' ')" = "container-id=kept container-id=lost-too " ]
	[ -z "$(vsctl --bare --columns=name find Port external_ids:devinfo.ifname=net2)" ]
	works gc network=other
	works gc
	unchanged
}

@test "GC leaves the ports of another node, of another stateDir, and those that do not say whose" {
	works attach containerID=here switchPath="$dir/1"
	works attach containerID=there stateDir=/elsewhere switchPath="$dir/2"
	works attach containerID=nowhere switchPath="$dir/3"
	n=$(vsctl --bare --columns=name find Port external_ids:devinfo.container-id=nowhere)
	vsctl remove Port "$n" external_ids devinfo.node
	works gc
	[ "$(vsctl --bare --columns=external_ids find Port external_ids:devinfo.network=net |
		grep -oE 'container-id=[^ ]*' | sort | tr '\n' ' ')" = "container-id=nowhere container-id=there " ]
	works gc stateDir=/elsewhere
	works detach containerID=nowhere
	unchanged
}

# Not by the plugin, whose lock an attachment has.
@test "two ADDs of one attachment at a time: one port is left, and who lost it was told" {
	for i in 1 2; do
		"$port" attach db="$ovs_db" containerID="$id" switchPath="$sock" 2>"$dir/said.$i" &
		pids[i]=$!
	done
	good=0
	for i in 1 2; do
		if wait "${pids[i]}"; then
			good=$((good + 1))
		else
			grep -E '^(103|11): port dv.*(another removed it|others change|exists|already)' "$dir/said.$i"
		fi
	done
	[ "$good" -ge 1 ]
	[ "$(name | grep -c .)" -eq 1 ]
	works check
	[ -z "$output" ]
	works detach
	unchanged
}

@test "two ADDs with one path at a time: one has it, and the other one was told" {
	for i in 1 2; do
		"$port" attach db="$ovs_db" containerID="$id-$i" path="$dir/$i" switchPath="$sock" 2>"$dir/said.$i" &
		pids[i]=$!
	done
	good=0
	for i in 1 2; do
		if wait "${pids[i]}"; then
			good=$((good + 1))
		else
			grep -E "^103: port dv.* has the path '$sock' already" "$dir/said.$i"
		fi
	done
	[ "$good" -eq 1 ]
	[ "$(vsctl --bare --columns=name find Interface options:vhost-server-path="$sock" | grep -c .)" -eq 1 ]
	works detach containerID="$id-1"
	works detach containerID="$id-2"
	unchanged
}

@test "many at a time, each its own port" {
	for i in {1..8}; do
		"$port" attach db="$ovs_db" containerID="$id-$i" switchPath="$dir/$i" &
		pids[i]=$!
	done
	for i in {1..8}; do wait "${pids[i]}"; done
	[ "$(vsctl --bare --columns=name find Port external_ids:devinfo.network=net | grep -c .)" -eq 8 ]
	for i in {1..8}; do
		"$port" detach db="$ovs_db" containerID="$id-$i" &
		pids[i]=$!
	done
	for i in {1..8}; do wait "${pids[i]}"; done
	unchanged
}
