#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# inventory.bats - the devices of a live node: what the kernel says of VFs and vDPA by netlink
#
# rooms: manager/inventory
bats_require_minimum_version 1.5.0
load helpers

scan() { "$BUILD/bin/devinfoctl" scan --json "$@" >/tmp/scan.json; }
# of ID FILTER - of one device
of() { jq -c --arg id "$1" ".[] | select(.id == \$id) | $2" /tmp/scan.json; }

teardown() {
	ip link set "$(netdev_of "$PF1")" vf 1 mac 00:00:00:00:00:00 vlan 0 spoofchk on
	timeout 60 vdpa dev del scan0 2>/dev/null || true
	pod_del a
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

# shape FILE - the names of the members of its rows: those of a VF's row, where some are not
shape() {
	sed '/^[!=] /d' "$1" | jq -c '[(if type == "array" then . else .stages end)[] |
		select(.driver == null or .driver == "igbvf") | keys[]] | unique'
}

@test "of a live node with a pod every command answers in the shape of the recorded node's" {
	local expected=tests/node/expected/igb-pods pod=default/web-0 command v
	lab_up
	v=$(vf "$PF1" 0)
	pod_new a
	conf "$v" '.vlan = 100' >/tmp/a.json
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=${pod%/*};K8S_POD_NAME=${pod#*/}"
	CNI_ARGS+=";K8S_POD_INFRA_CONTAINER_ID=a;K8S_POD_UID=$(< /proc/sys/kernel/random/uuid)"
	call ADD a net1 </tmp/a.json
	for command in list drift status explain; do
		of_pod=()
		[[ $command == [ld]* ]] || of_pod=("$pod")
		"$BUILD/bin/devinfoctl" "$command" "${of_pod[@]}" --json >/tmp/now.json
		[ "$(shape /tmp/now.json)" = "$(shape "$expected/$command.json")" ]
		"$BUILD/bin/devinfoctl" "$command" "${of_pod[@]}" >/tmp/now
		[ "$(head -1 /tmp/now | tr -s ' ')" = "$(head -1 "$expected/$command.txt" | tr -s ' ')" ]
	done
	# there are no kubelet and no NUMA node here; the VFs have error counters and a driver that tells of itself
	scan
	[ "$(jq -nc --argjson now "$(shape /tmp/scan.json)" --argjson recorded "$(shape "$expected/scan.json")" \
		'[$recorded - $now, $now - $recorded]')" = \
		'[["allocated_to","numa_node","resource"],["aer_correctable","aer_fatal","aer_nonfatal","driver_version"]]' ]
	[ "$("$BUILD/bin/devinfoctl" scan | head -1 | tr -s ' ')" = "$(head -1 "$expected/scan.txt" | tr -s ' ')" ]
	[ "$(of "$v" '[.pod, .network, .interface, .attachment_state, .vlan]')" = "[\"$pod\",\"lab\",\"net1\",\"live\",100]" ]
	[ "$("$BUILD/bin/devinfoctl" show "$v" | jq -c '[keys[], (.pci | keys[])]')" = \
		"$(jq -c '[keys[], (.pci | keys[])]' "$expected/show.json")" ]
	[ "$("$BUILD/bin/devinfoctl" repair)" = "nothing to repair" ]
	call DEL a net1 </tmp/a.json
	run "$BUILD/bin/devinfoctl" status "$pod"
	[ "$status" -eq 1 ]
}
