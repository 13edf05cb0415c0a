#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# sweep.bats - the points of tests/net/sweep.bats with devices that only the machine has: a VF, a vDPA device
#
# rooms: cni/vf cni/vdpa
# bats file_tags=long
bats_require_minimum_version 1.5.0
load helpers

setup_file() {
	lab_up
	modprobe -a vhost_vdpa vdpa_sim_net
	mkdir -p /var/lib/cni /tmp/scene
	cp -r "$BUILD/tests/tool" /tmp
}

setup() {
	lines_of_test_only
	pod_new a
}

teardown() {
	call DEL a net1 <<<'{"cniVersion": "1.1.0", "name": "lab"}' || true
	pod_del a
}

# swept POSITION REQUEST BURY VERBS - in a run that takes some points, of these verbs alone
swept() {
	local n=${SWEEP_N-1} seed=${SWEEP_SEED-29} verbs=null status=0
	# to find the points of a verb takes this machine as long as to try some of them: all verbs are "make sweep"'s
	[ -n "${SWEEP_N-}" ] || verbs=$4
	jq -cn --arg position "$1" --argjson r "$2" --arg bury "$3" --argjson verbs "$verbs" --arg plugin "$DEVINFO" '{
		position: $position, dir: "/tmp/scene", plugin: $plugin, tools: "/tmp/tool", pod: "/run/netns/a", bury: $bury,
		folders: ["/var/lib/cni", "/run/devinfo", "/var/run/k8s.cni.cncf.io"],
		names: ["/sys/bus/pci/drivers/*/0*", "/sys/bus/vdpa/devices/*", "/sys/bus/vdpa/drivers/*/*", "/dev/vhost-vdpa-*"],
		env: {CNI_CONTAINERID: "a", CNI_IFNAME: "net1"},
		requests: {ADD: $r, CHECK: $r, DEL: $r, GC: ($r | ."cni.dev/valid-attachments" = []), STATUS: $r, VERSION: $r}}
		+ if $verbs then {verbs: $verbs} else {} end' >/tmp/scene.json
	[ "$n" = all ] || echo "# SWEEP_N=$n SWEEP_SEED=$seed" >&3
	N=$n SEED=$seed tests/tool/sweep.py </tmp/scene.json >/tmp/said 2>/tmp/trouble || status=$?
	grep '^# |' /tmp/said >&3 || true
	[ "$status" -eq 0 ] || { grep -v '^# |' /tmp/said || true; cat /tmp/trouble; return 1; }
}

# bats test_tags=vf
@test "vf: whatever fails, one answer, and nothing is left" {
	swept vf "$(conf "$(vf "$PF1" 0)" 'del(.ipam) | .cniVersion = "1.1.0" | .vlan = 100 | .vlanQoS = 2 | .trust = "on" |
		.mac = "02:00:00:00:56:0a" | .mtu = 1400')" 'ip -n a link set net1 netns 1' '["ADD", "DEL"]'
}

# bats test_tags=vdpa
@test "vdpa: whatever fails, one answer, and nothing is left" {
	swept vdpa '{"cniVersion": "1.1.0", "name": "lab", "type": "devinfo",
		"vdpa": {"mgmtdev": "vdpasim_net", "driver": "vhost", "nodeMode": "0660", "mac": "02:00:00:00:61:04"}}' '' '["ADD", "GC"]'
}
