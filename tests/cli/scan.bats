#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# scan.bats - the devices of recorded nodes, as a table and as JSON; no privilege needed
#
# rooms: manager/inventory manager/match manager/expression devinfo/node

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
}

make_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/$1.node" "$node"
}

# scan the node; stdout in $output, stderr in $stderr
scan() {
	run --separate-stderr "$ctl" --root "$node" scan "$@"
}

# of FILTER... - what jq says of the JSON of a scan
of() {
	"$ctl" --root "$node" scan --json | jq -c "$@"
}

@test "scan has a row for each function, below titles" {
	make_node igb
	scan
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ ${lines[0]} == DEVICE*DRIVER*PF*VF*NETDEV*HEALTH*HOLDER ]]
	[ "${#lines[@]}" -eq 7 ]
	read -r -a row <<<"${lines[3]}"
	[ "${row[*]:0:4}" = "0000:01:10.2 vfio-pci eth0 1" ]
	read -r -a row <<<"${lines[1]}"		# a PF is no VF of itself
	[ "${row[*]:0:4}" = "0000:01:00.0 igb - -" ]
}

@test "scan --output=wide has the names of vendors and devices, and the IOMMU group" {
	make_node igb
	scan --output=wide
	[ "$status" -eq 0 ]
	[[ ${lines[0]} == *VENDOR*NAME*IOMMU*REASON* ]]
	[[ ${lines[2]} == *"Intel Corporation"*"82576 Virtual Function"* ]]
}

@test "scan --json tells which devices belong together" {
	make_node mlx5
	[ "$(of '.[] | select(.id == "0000:03:00.2") | [.bus, .pf, .pf_name, .vf_index, .link, .representor, .rdma]')" = \
		'["pci","0000:03:00.0","ens1f0np0",0,"ens1f0v0","eth3",["mlx5_2"]]' ]
	[ "$(of '.[] | select(.id == "0000:03:00.0") | [.link, .representor, .is_rdma]')" = '["ens1f0np0",null,true]' ]
	[ "$(of '.[] | select(.bus == "auxiliary") | [.id, .sf, .link, .representor]')" = \
		'["mlx5_core.sf.4",0,"enp3s0f0s88","eth2"]' ]
	[ "$(of 'map(keys[]) | map(select(startswith("_")))')" = '[]' ]	# the table's own cells
}

@test "scan shows vDPA devices with their function, or by themselves" {
	make_node vdpa
	[ "$(of 'map(.id)')" = '["0000:03:00.0","0000:04:00.0","a!b","unbound","vdpa0","vdpa1","vduse0"]' ]
	[ "$(of '.[0].vdpa')" = '["second","vdpa:0000:03:00.0"]' ]
	[ "$(of '.[] | select(.id == "vdpa1") | [.bus, .driver, .vdpa_type, .link]')" = \
		'["vdpa","virtio_vdpa",["virtio"],"eth0"]' ]
}

@test "scan tells who has a device, and of one that is not live so" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/crash.node" "$node"
	scan
	[ "$status" -eq 0 ]
	[[ $output == *0000:01:10.0*" default/web-0 (dead)"* ]]
	[[ $output == *0000:01:10.2*" sriov-net/net1 (earlier boot)"* ]]
	[[ $output == *0000:01:11.2*" default/web-5"$'\n'* ]]
	[[ $output == *0000:02:10.0*" vanished "* ]]
	[ "$(of '.[] | select(.id == "0000:01:10.2") | [.is_held, .network, .interface, .attachment_state, ._holder]')" = \
		'[true,"sriov-net","net1","earlier boot",null]' ]
}

@test "scan tells what kubelet gave, also where no attachment has it" {
	make_node igb
	cat >"$node/devinfo-node.json" <<-'X'
		{"allocations": [{"resource": "intel.com/vf", "id": "0000:01:10.0", "allocatable": true},
		 {"resource": "intel.com/vf", "id": "0000:01:10.0", "pod_namespace": "default", "pod_name": "p"},
		 {"resource": "intel.com/vf", "id": "0000:01:10.2", "allocatable": true}]}
	X
	scan
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ ${lines[2]} == 0000:01:10.0*" default/p (allocated)" ]]
	[[ ${lines[3]} == 0000:01:10.2*" -" ]]
	[ "$(of 'map(select(.resource)) | map([.id, .allocated_to])')" = '[["0000:01:10.0",["default/p"]],["0000:01:10.2",null]]' ]
	scan --json --match 'resource In intel.com/vf; allocated_to DoesNotExist'
	[ "$(jq -c 'map(.id)' <<<"$output")" = '["0000:01:10.2"]' ]
}

@test "scan says so where kubelet is there and has no answer" {
	: >"$BATS_TEST_TMPDIR/kubelet.sock"
	echo "{\"kubeletSocket\": \"$BATS_TEST_TMPDIR/kubelet.sock\"}" >"$DEVINFO_CONF"
	run --separate-stderr "$ctl" scan --timeout 200		# of this machine
	[ "$status" -eq 0 ]
	[ -n "$output" ]
	[[ $stderr == "devinfoctl: what kubelet gave is not known: "* ]]
}

@test "what only sockets tell is in the recorded tree's facts" {
	make_node mlx5
	cat >"$node/devinfo-node.json" <<-'X'
		{"functions": [{"bdf": "0000:03:00.0", "eswitch": "switchdev", "firmware": "16.35.2000"}],
		 "links": [{"name": "ens1f0np0", "up": true, "carrier": true, "operstate": "up", "speed": 25000,
		   "altnames": ["enp3s0f0np0"], "ips": ["192.0.2.1/24"]},
		  {"name": "ens1f0v0", "operstate": "down"}, {"name": "enp3s0f0s88", "operstate": "down", "up": true}],
		 "vfs": [{"pf": "ens1f0np0", "index": 10, "mac": "02:00:00:00:00:0a", "vlan": 7, "spoofchk": true}]}
	X
	[ "$(of '.[0] | [.eswitch, .firmware, .speed, .altnames, .ips]')" = \
		'["switchdev","16.35.2000",25000,["enp3s0f0np0"],["192.0.2.1/24"]]' ]
	[ "$(of '.[] | select(.vf_index == 10) | [.admin_mac, .vlan, .spoofchk, .trust]')" = \
		'["02:00:00:00:00:0a",7,true,false]' ]
	scan
	[[ ${lines[1]} == *ens1f0np0*" 25G "*switchdev* ]]
	[[ ${lines[3]} == *ens1f0v0*" down "*eth3* ]]
	[[ ${lines[6]} == *enp3s0f0s88*" no carrier "* ]]
}

@test "facts that are none are told, with what is wrong" {
	make_node igb
	echo '{"links": [{"name": "a b"}]}' >"$node/devinfo-node.json"
	scan
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == *"/devinfo-node.json: links.name: not valid"* ]]
}

@test "scan --match prints what meets the expression" {
	make_node igb
	scan --json --match 'is_vf IsTrue; driver In vfio-pci'
	[ "$status" -eq 0 ]
	[ "$(jq -c 'map(.id)' <<<"$output")" = '["0000:01:10.2"]' ]
	scan --match 'vendor In ffff'
	[ "$status" -eq 0 ]
	[ "$output" = "no device meets the expression" ]
}

@test "an expression that is none is a wrong question" {
	make_node igb
	scan --match 'vendor Like 8086'
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == "devinfoctl: --match: "*Like* ]]
	scan --match 'drivers Exists'
	[ "$status" -eq 2 ]
	[[ $stderr == *"'drivers' is no attribute of a device"*"driver"* ]]
	scan --match 'driver Gt 5'		# what it has is no number
	[ "$status" -eq 2 ]
	[[ $stderr == "devinfoctl: --match: 0000:01:00.0: "* ]]
}

@test "scan --pool goes by expressions of ours, and tells what cannot be compared" {
	make_node igb
	echo '{"resourceList": [{"resourceName": "user", "expressions": "driver In vfio-pci; is_vf IsTrue"},
		{"resourceName": "rest", "expressions": {"is_vf": {"op": "IsTrue"}}, "selectors": {"pfNames": ["eth0"]}},
		{"resourceName": "odd", "expressions": "driver Gt 3"}]}' >"$BATS_TEST_TMPDIR/config.json"
	scan --pool "$BATS_TEST_TMPDIR/config.json" --json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.[] | select(.pool) | .id, .pool]' <<<"$output")" = '["0000:01:10.0","intel.com/rest","0000:01:10.2","intel.com/user"]' ]
	[ "$stderr" = "devinfoctl: intel.com/odd: expressions cannot be told here and selects no device" ]
	echo '{"resourceList": [{"resourceName": "user", "expressions": "drivr In vfio-pci"}]}' >"$BATS_TEST_TMPDIR/config.json"
	scan --pool "$BATS_TEST_TMPDIR/config.json"
	[ "$status" -ne 0 ]
	[[ $stderr == *"resourceList[0].expressions: "*drivr*"driver?"* ]]
}

@test "scan --pool shows the sockets that a pool offers" {
	make_node igb
	echo '{"resourceList": [{"resourceName": "vhost", "deviceType": "vhostUser", "slots": 2},
		{"resourceName": "packets", "deviceType": "memif", "slots": 1, "resourcePrefix": "example.com"}]}' >"$BATS_TEST_TMPDIR/config.json"
	scan --pool "$BATS_TEST_TMPDIR/config.json" --match 'pool Exists' --json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.[] | [.id, .bus, .pool, .is_held]]' <<<"$output")" = '[["vhost-0","vhost-user","intel.com/vhost",false],["vhost-1","vhost-user","intel.com/vhost",false],["packets-0","memif","example.com/packets",false]]' ]
}

@test "scan --pool says which pool of sriov-network-device-plugin each device is in" {
	make_node subfunction
	cat >"$BATS_TEST_TMPDIR/config.json" <<-'X'
		{"resourceList": [
		 {"resourceName": "vfs", "resourcePrefix": "example.com", "selectors": {"pfNames": ["ens1f0np0#0"]}},
		 {"resourceName": "sfs", "deviceType": "auxNetDevice", "selectors": [{"auxTypes": ["sf"]}]}]}
	X
	scan --pool "$BATS_TEST_TMPDIR/config.json" --json
	[ "$status" -eq 0 ]
	[ "$(jq -c 'map([.id, .pool]) | map(select(.[1]))' <<<"$output")" = \
		'[["0000:65:00.2","example.com/vfs"],["mlx5_core.sf.4","intel.com/sfs"],["mlx5_core.sf.5","intel.com/sfs"]]' ]
	scan --pool "$BATS_TEST_TMPDIR/config.json" --match 'pool DoesNotExist'
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[0]} == *" POOL" ]]
	[[ ${lines[1]} == 0000:65:00.0* ]]
	[[ ${lines[2]} == vdpa1* ]]
	scan
	[[ $output != *POOL* ]]
}

@test "a file of pools that is none is told" {
	make_node igb
	echo '{"resourceList": [{"resourceName": "a", "selectors": {"vendor": ["8086"]}}]}' >"$BATS_TEST_TMPDIR/config.json"
	scan --pool "$BATS_TEST_TMPDIR/config.json"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *config.json*vendor* ]]
	scan --pool "$BATS_TEST_TMPDIR/none.json"
	[ "$status" -eq 2 ]
	[[ $stderr == *none.json* ]]
}

@test "a node without devices is no error" {
	mkdir "$node"
	scan
	[ "$status" -eq 0 ]
	[ "$output" = "no network devices" ]
	scan --json
	[ "$output" = "[]" ]
}
