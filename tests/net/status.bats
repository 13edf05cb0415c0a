#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# status.bats - the network-status file of a sandbox
#
# rooms: cni/call

load helpers

setup() { node_up; }
teardown() { node_down; }

@test "the network-status of an attachment has name, interface, addresses, MAC, MTU, DNS and gateways" {
	c=$(host_local '.cniVersion = "0.3.1" | .dns = {nameservers: ["10.1.0.53"]}')
	add "$c"
	added
	diff <(jq -n '[{name: "net", interface: "net1", ips: ["10.1.0.2", "fd00:1::2"], mac: "02:00:00:00:00:0a",
		mtu: 1500, dns: {nameservers: ["10.1.0.53"]}, gateway: ["10.1.0.1", "fd00:1::1"],
		"default-route": ["10.1.0.1", "fd00:1::1"]}]') <(jq . "$dir/run/status/$pod.json")
	[ "$(stat -c %a "$dir/run/status/$pod.json")" = 644 ]
}

@test "a default route makes gateway and default-route, and eth0 is the default network" {
	export FAKE_RESULT='{"ips":[{"address":"10.9.0.2/24","gateway":"10.9.0.1"}],"routes":[{"dst":"0.0.0.0/0","gw":"10.9.0.1"}]}'
	add "$(conf)" "$pod" eth0
	added
	[ "$(jq -c '.[0] | [.default, .gateway, ."default-route"]' "$dir/run/status/$pod.json")" = \
		'[true,["10.9.0.1"],["10.9.0.1"]]' ]
}

@test "two attachments of one sandbox are one list, and DELs take them away one by one" {
	second=$(conf '.device = "w0" | .name = "second" | del(.ipam)')
	add "$(conf)"
	added
	add "$second" "$pod" net2
	added
	[ "$(jq -r 'map("\(.name)/\(.interface)") | join(" ")' "$dir/run/status/$pod.json")" = 'net/net1 second/net2' ]
	del "$(conf)"
	deleted
	[ "$(jq -r 'map("\(.name)/\(.interface)") | join(" ")' "$dir/run/status/$pod.json")" = second/net2 ]
	del "$second" "$pod" net2
	deleted
	[ -z "$(ls -A "$dir/run/status")" ]
}

@test "of one network twice in a sandbox a DEL takes away the entry of its own interface" {
	other=$(conf '.device = "w0" | del(.ipam)')
	for first in net1 net2; do
		add "$(conf)" "$pod" net1
		added
		add "$other" "$pod" net2
		added
		[ "$(jq -r 'map("\(.name)/\(.interface)") | join(" ")' "$dir/run/status/$pod.json")" = 'net/net1 net/net2' ]
		if [ "$first" = net1 ]; then
			c=$(conf) left=net2
		else
			c=$other left=net1
		fi
		kept=$(jq -c --arg left "$left" 'map(select(.interface == $left))' "$dir/run/status/$pod.json")
		del "$c" "$pod" "$first"
		deleted
		[ "$(jq -c . "$dir/run/status/$pod.json")" = "$kept" ]
		[ "$(records)" = 1 ]
		ip -n "$pod" link show "$left"
		del "$(conf)" "$pod" "$left"
		deleted
		[ -z "$(ls -A "$dir/run/status")" ]
		[ "$(records)" = 0 ]
	done
}

@test "DEL shortens the list of a sandbox on a full file system, or removes it with a warning" {
	second=$(conf '.device = "w0" | .name = "second" | del(.ipam)')
	mount -t tmpfs -o size=32k tmpfs "$dir/run"
	mkdir "$dir/run/status"
	for how in rewritten removed; do
		add "$(conf)"
		added
		add "$second" "$pod" net2
		added
		head -c 1m /dev/zero >"$dir/run/fill" 2>/dev/null || true
		: >"$dir/log"
		if [ "$how" = rewritten ]; then
			del "$(conf)"
			now=$(jq -r 'map("\(.name)/\(.interface)") | join(" ")' "$dir/run/status/$pod.json")
		else	# somebody is faster
			env_of DEL
			ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -qq -o /dev/null \
				-e trace=linkat -e inject=linkat:error=ENOSPC "$plugin" <<<"$(conf)"
			now=$(ls "$dir/run/status")
		fi
		rm "$dir/run/fill"
		[ "$status" -eq 0 ] || { echo "$output" && return 1; }
		if [ "$how" = rewritten ]; then
			[ "$now" = second/net2 ]
			[ "$(grep -c level=warning "$dir/log")" -eq 0 ]
		else
			[ -z "$now" ]
			grep -q 'level=warning.*network-status: removed" file=.* entries=1 error="No space' "$dir/log"
		fi
		[ "$(records)" = 1 ]
		del "$second" "$pod" net2
		deleted
		[ "$(records)" = 0 ]
	done
	umount "$dir/run"
}

@test "an ADD that fails leaves no entry, and no file where there was none" {
	FAKE_ADD=error add "$(conf)"
	refused 11 'no addresses'
	[ -z "$(ls -A "$dir/run/status")" ]
	add "$(conf)"
	added
	FAKE_ADD=error add "$(conf '.device = "w0" | .name = "second"')" "$pod" net2
	refused 11 'no addresses'
	[ "$(jq length "$dir/run/status/$pod.json")" -eq 1 ]
}

@test "a device without PCI behind it has no device-info, and none is written" {
	add "$(conf)"
	added
	[ "$(jq '.[0] | has("device-info")' "$dir/run/status/$pod.json")" = false ]
	[ -z "$(find "$dir/devinfo" -type f)" ]
}

@test "a pod that is called as a namespace of the system has a network-status like any other" {
	export CNI_ARGS='IgnoreUnknown=1;K8S_POD_NAMESPACE=apps;K8S_POD_NAME=kube-system'
	add "$(conf 'del(.ipam)')"
	added
	[ "$(jq -r '.[0].interface' "$dir/run/status/$pod.json")" = net1 ]
}

@test "C-SEC-03: a CNIDeviceInfoFile outside its directory is refused, and nothing is written or deleted" {
	echo canary >"$dir/canary"
	mkdir -p "$dir/devinfo/cni" "$dir/elsewhere"
	ln -s "$dir/elsewhere" "$dir/devinfo/cni/link"
	before=$(snapshot "$pod")
	for file in "$dir/canary" "$dir/devinfo/cni/../../canary" "$dir/devinfo/cni/link/x" "$dir/devinfo/x" relative \
		"$dir/devinfo/cni/" "$dir/devinfo/cni/.."; do
		add "$(conf '.runtimeConfig.CNIDeviceInfoFile = "'"$file"'"')"
		refused 7 CNIDeviceInfoFile || refused 106 CNIDeviceInfoFile
		same "$before" "$pod"
		del "$(conf '.runtimeConfig.CNIDeviceInfoFile = "'"$file"'"')"
		deleted
	done
	[ "$(cat "$dir/canary")" = canary ]
	[ -z "$(ls -A "$dir/elsewhere")" ]
}

@test "the name has the namespace of the definition, as Multus has it, where the one who runs us tells it" {
	export CNI_ARGS='IgnoreUnknown=1;K8S_POD_NAMESPACE=team-a;K8S_POD_NAME=p1'
	base=$(conf 'del(.ipam)')
	while read -r want filter; do
		c=$(jq -c "$filter" <<<"$base")
		add "$c"
		added
		[ "$(jq -r '.[0].name' "$dir/run/status/$pod.json")" = "$want" ]
		env_of CHECK
		run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c --argjson r "$output" '.prevResult = $r' <<<"$c")"
		deleted
		del "$base"
		deleted
		[ -z "$(ls -A "$dir/run/status")" ]
	done <<-END
		net .
		team-a/net .runtimeConfig.CNIDeviceInfoFile = "$dir/devinfo/cni/team-a-net-${pod}_net1"
		default/net .runtimeConfig.CNIDeviceInfoFile = "$dir/devinfo/cni/default-net-${pod}_net1"
		net .runtimeConfig.CNIDeviceInfoFile = "$dir/devinfo/cni/default-my-net-${pod}_net1"
		net .runtimeConfig.CNIDeviceInfoFile = "$dir/devinfo/cni/default-other-${pod}_net1"
		net .runtimeConfig.CNIDeviceInfoFile = "$dir/devinfo/cni/given"
		default/net .runtimeConfig["io.kubernetes.cri.pod-annotations"]["k8s.v1.cni.cncf.io/networks"] = "[{\"name\":\"default/net\"}]"
		team-a/net .runtimeConfig["io.kubernetes.cri.pod-annotations"]["k8s.v1.cni.cncf.io/networks"] = "[{\"name\":\"net\"}]"
	END
}
