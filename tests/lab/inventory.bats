#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# inventory.bats - the devices of a live node: what the kernel says of VFs and vDPA by netlink
bats_require_minimum_version 1.5.0
load helpers

scan() { "$BUILD/bin/devinfoctl" scan --json "$@" >/tmp/scan.json; }
# of ID FILTER - of one device
of() { jq -c --arg id "$1" ".[] | select(.id == \$id) | $2" /tmp/scan.json; }

teardown() {
	ip link set "$(netdev_of "$PF1")" vf 1 mac 00:00:00:00:00:00 vlan 0 spoofchk on
	timeout 60 vdpa dev del scan0 2>/dev/null || true
}

@test "scan of a live node: PFs, VFs as their PF shows them, firmware, vDPA devices" {
	lab_up
	modprobe -a vhost_vdpa vdpa_sim_net
	pf=$(netdev_of "$PF1") v=$(vf "$PF1" 1)
	ip link set "$pf" vf 1 mac 02:00:00:00:00:07 vlan 7 qos 3 spoofchk off
	ip link property add dev "$pf" altname the-first-port
	vdpa dev add name scan0 mgmtdev vdpasim_net mac 02:00:00:00:00:08
	scan
	ip link property del dev "$pf" altname the-first-port
	[ "$(of "$v" '[.driver, .pf, .pf_name, .vf_index, .admin_mac, .vlan, .qos, .spoofchk]')" = \
		"[\"igbvf\",\"$PF1\",\"$pf\",1,\"02:00:00:00:00:07\",7,3,false]" ]
	[ "$(of "$v" '[.link, .iommu_group != null, .health]')" = "[\"$(netdev_of "$v")\",true,\"changed\"]" ]
	[ "$(of "$PF1" '[.driver, .total_vfs, .num_vfs, .altnames, .carrier, .speed]')" = \
		"[\"igb\",7,$VFS,[\"the-first-port\"],true,1000]" ]
	[ "$(of "$PF1" '.firmware != null and .driver_version != null and .numa_node == null')" = true ]
	[ "$(of scan0 '[.bus, .driver, .vdpa_type, .mac]')" = \
		'["vdpa","vhost_vdpa",["vhost"],"02:00:00:00:00:08"]' ]
	scan --match 'is_vf IsTrue; vlan Gt 6'
	[ "$(jq -c 'map(.id)' /tmp/scan.json)" = "[\"$v\"]" ]
}
