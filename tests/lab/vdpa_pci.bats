#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# vdpa_pci.bats - vDPA devices on PCI functions, by vp_vdpa: addresses, names, two on one function
#
# The two functions are on one wire.  The last test leaves two devices on one of them, which
# vp_vdpa cannot delete one by one: asked for the first it deletes the second, and then fails.
#
# rooms: cni/vdpa
bats_require_minimum_version 1.5.0
load helpers
load vdpa

setup() {
	lines_of_test_only
	vp_bind $F1
	vp_bind $F2
	pod_new a
	pod_new b
	before=$(everything)
}

teardown() {
	local d p
	for p in a b; do
		call DEL $p net1 <<<'{"cniVersion": "1.1.0", "name": "lab"}' || true
		pod_del $p
	done
	[ -z "${kubelet:-}" ] || kill "$kubelet" || true
	[ -n "${crowded:-}" ] || for d in $(devices); do timeout 60 vdpa dev del "$d"; done
}

@test "C-VDP-08: made on functions, by address and by management device: two pods ping each other over the wire" {
	vconf '.deviceID = "0000:03:00.0" | .vdpa = {create: true, driver: "virtio"}' >/tmp/a.json
	vconf '.vdpa = {mgmtdev: "pci/0000:04:00.0", driver: "virtio"}' >/tmp/b.json
	call ADD a net1 </tmp/a.json
	jq -e '.interfaces == [{name: "net1", mac: "52:54:00:00:03:00", mtu: 1500, sandbox: "/run/netns/a", pciID: "0000:03:00.0"}]' <<<"$answer"
	check /tmp/a.json
	virtio=$(cd /sys/bus/pci/devices/$F1 && echo virtio*)
	info | jq -e --arg v "$virtio" '.vdpa == {"parent-device": .vdpa["parent-device"], driver: "virtio",
		path: "/sys/bus/virtio/devices/\($v)", "pci-address": "0000:03:00.0"}'
	call ADD b net1 </tmp/b.json
	jq -e '.interfaces[0].pciID == "0000:04:00.0" and .interfaces[0].mac == "52:54:00:00:04:00"' <<<"$answer"
	to=$(jq -r '.ips[0].address | sub("/.*"; "")' <<<"$answer")
	reaches a "$to"
	# the function is taken
	pod_new c
	call ADD c net1 </tmp/a.json || true
	failed 11 ''
	pod_del c
	call DEL a net1 </tmp/a.json
	call DEL b net1 </tmp/b.json
	as_before
}

@test "C-VDP-01: given, by address, by bus and address, by name, and by the function alone" {
	vdpa dev add name vp0 mgmtdev pci/$F1
	given=$(everything)
	for id in '"0000:03:00.0" | .vdpa = {}' '"0000:03:00.0" | .vdpa = {driver: "vhost"}' \
		'"pci/0000:03:00.0"' '"vp0"' '"0000:03:00.0"'; do
		vconf ".deviceID = $id" >/tmp/a.json
		call ADD a net1 </tmp/a.json
		echo "$id: $answer"
		jq -e '.interfaces == [{name: "net1", mac: "52:54:00:00:03:00", sandbox: "/run/netns/a", pciID: "0000:03:00.0"}]' <<<"$answer"
		info | jq -e --arg p "/dev/$(node_of vp0)" '.vdpa == {"parent-device": "vp0", driver: "vhost", path: $p, "pci-address": "0000:03:00.0"}'
		check /tmp/a.json
		call DEL a net1 </tmp/a.json
		before=$given as_before
	done
	rebind vp0 virtio_vdpa
	given=$(numbered)
	vconf '.deviceID = "0000:03:00.0" | .mtu = 1400 | .mac = "02:00:00:00:62:01"' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	jq -e '.interfaces == [{name: "net1", mac: "02:00:00:00:62:01", mtu: 1400, sandbox: "/run/netns/a", pciID: "0000:03:00.0"}]' <<<"$answer"
	check /tmp/a.json
	ip netns del a		# and the interface comes home on its own
	call DEL a net1 </tmp/a.json
	again numbered "$given"
}

# example FILE: the configuration that a runtime makes of it
example() { jq -c '{cniVersion, name} + .plugins[0]' "conf/examples/$1"; }

@test "C-VDP-07: the examples, with what kubelet gave the pods: a function to make one on, and a device" {
	vdpa dev add name vp1 mgmtdev pci/$F2
	given=$(everything)
	cat >/tmp/state.json <<-JSON
		{"pod_resources": [{"name": "p1", "namespace": "default", "containers": [{"name": "c", "devices": [
				{"resource_name": "example.com/vf", "device_ids": ["$F1"]}]}]},
			{"name": "p2", "namespace": "default", "containers": [{"name": "c", "devices": [
				{"resource_name": "example.com/vdpa", "device_ids": ["$F2"]}]}]}]}
	JSON
	start_kubelet /tmp/state.json
	example vdpa-virtio.conflist >/tmp/a.json
	example vdpa-vhost.conflist >/tmp/b.json
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=1"
	call ADD a net1 </tmp/a.json
	jq -e '.interfaces == [{name: "net1", mac: "52:54:00:00:03:00", mtu: 1500, sandbox: "/run/netns/a", pciID: "0000:03:00.0"}]
		and (.ips[0].address | startswith("10.59.0."))' <<<"$answer"
	check /tmp/a.json
	CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p2;K8S_POD_UID=2"
	call ADD b net1 </tmp/b.json
	jq -e '.interfaces == [{name: "net1", mac: "52:54:00:00:04:00", sandbox: "/run/netns/b", pciID: "0000:04:00.0"}]' <<<"$answer"
	[ "$(stat -c '%u:%g %a' "/dev/$(node_of vp1)")" = '107:107 660' ]
	info vdpa-vhost-b_net1 | jq -e --arg p "/dev/$(node_of vp1)" '.vdpa == {"parent-device": "vp1", driver: "vhost",
		path: $p, "pci-address": "0000:04:00.0"}'
	call DEL b net1 </tmp/b.json
	call DEL a net1 </tmp/a.json
	before=$given as_before
}

@test "C-VDP-01, C-VDP-02: two devices on one function: the right one, or a refusal; no DEL deletes another's" {
	crowded=1
	vconf '.deviceID = "0000:04:00.0" | .vdpa = {create: true, driver: "vhost"}' >/tmp/b.json
	vdpa dev add name one mgmtdev pci/$F2
	before=$(everything)
	refused 103 'has vDPA device one already' /tmp/b.json

	vdpa dev add name two mgmtdev pci/$F2
	before=$(everything)
	vconf '.deviceID = "0000:04:00.0"' >/tmp/a.json
	refused 102 'has several vDPA devices.*one.*two' /tmp/a.json
	# unless the device plugin says which it is
	vconf '.deviceID = "0000:04:00.0" | .resourceName = "lab/vdpa"' >/tmp/a.json
	for name in two one; do
		dp $F2 "{\"parent-device\": \"$name\", driver: \"vhost\", path: \"/dev/$(node_of $name)\"}"
		call ADD a net1 </tmp/a.json
		info | jq -e --arg n $name '.vdpa["parent-device"] == $n'
		check /tmp/a.json
		call DEL a net1 </tmp/a.json
	done
	dp $F2 '{"parent-device": "three", driver: "vhost"}'
	refused_at_once 102 "several vDPA devices.*none of them is 'three'.*'two'" /tmp/a.json
	failed 102 "none of them is 'three'.*'one'"
	rm /var/run/k8s.cni.cncf.io/devinfo/dp/lab-vdpa-*
	as_before
	for name in one two; do		# by what came with the driver
		vconf ".deviceID = \"$name\""' | .vdpa = {driver: "virtio", switchDriver: true}' >/tmp/a.json
		call ADD a net1 </tmp/a.json
		echo "$name: $answer"
		[ "$(driver_of $name)" = virtio_vdpa ]
		info | jq -e --arg n $name '.vdpa["parent-device"] == $n'
		check /tmp/a.json
		call DEL a net1 </tmp/a.json
		as_before
	done
	# two pods have them at the same time, and nobody the function
	vconf '.deviceID = "one"' >/tmp/a.json
	vconf '.deviceID = "two"' >/tmp/b.json
	call ADD a net1 </tmp/a.json
	call ADD b net1 </tmp/b.json
	info lab-b_net1 | jq -e '.vdpa["parent-device"] == "two"'
	pod_new c
	for id in one two $F2; do
		call ADD c net1 <<<"$(vconf ".deviceID = \"$id\"")" || true
		failed 11 "device $F2 belongs to another attachment"
	done
	pod_del c
	call DEL a net1 </tmp/a.json
	call DEL b net1 </tmp/b.json
	as_before

	rebind one virtio_vdpa
	before=$(everything)
	vconf '.deviceID = "one"' >/tmp/a.json
	call ADD a net1 </tmp/a.json	# the only one that has a virtio device
	call DEL a net1 </tmp/a.json
	as_before
	rebind two virtio_vdpa
	before=$(everything)
	refused 102 'which' /tmp/a.json
}

@test "somebody makes another device on the function of ours: it is not deleted in place of that" {
	crowded=1
	vconf '.deviceID = "0000:03:00.0" | .vdpa = {create: true, driver: "vhost"}' >/tmp/a.json
	call ADD a net1 </tmp/a.json
	vdpa dev add name other mgmtdev pci/$F1
	before=$(vdpa -j dev show)
	call DEL a net1 </tmp/a.json || true
	jq -e '.code == 11 and (.msg + .details | test("other"))' <<<"$answer"
	[ "$(vdpa -j dev show)" = "$before" ]
}
