# SPDX-License-Identifier: Apache-2.0
# kubelet.bash - servers in kubelet's place, for tests that have loaded helpers
# shellcheck shell=bash disable=SC2154 # set by helpers.bash

socket_path() { echo "$dir/kubelet.sock"; }

# asking [jq filter] - a configuration that has kubelet say which device
asking() { conf 'del(.device) | .resourceName = "example.com/vf" | '"${1:-.}"; }

# gave [device id...] - these of example.com/vf are pod default/p1's
gave() {
	jq -n '{pod_resources: [{name: "p1", namespace: "default", containers: [{name: "c", devices: [
		{resource_name: "example.com/other", device_ids: ["other0"]},
		{resource_name: "example.com/vf", device_ids: $ARGS.positional}]}]}]}' --args "$@" >"$dir/pods.json"
}

# serve PROGRAM [argument...] - until it is ready; its process is $server
serve() {
	: >"$dir/ready"		# the one before may have said so
	"$@" --socket "$(socket_path)" >"$dir/ready" 2>"$dir/kubelet.log" 3>&- &
	server=$!
	for _ in {1..400}; do
		! grep -q ready "$dir/ready" || return 0
		sleep 0.05
	done
	cat "$dir/kubelet.log"
	return 1
}

# kubelet MODE [option...] - by grpcio; calls METHOD says how often it was asked
kubelet() {
	: >"$dir/calls"
	serve "$fake/kubelet.py" --state "$dir/pods.json" --calls "$dir/calls" --mode "$@"
}
calls() { grep -cxF "$1" "$dir/calls" || true; }

# kubelet_js MODE [option...] - the same by grpc-js
kubelet_js() {
	local modules=${BUILD:-$top/build}/kubelet-js/node_modules
	[ -e "$modules/.package-lock.json" ] || skip "grpc-js is not installed, see GNUmakefile"
	NODE_PATH=$modules serve node "$fake/kubelet-js/kubelet.js" --state "$dir/pods.json" --mode "$@"
}

hostile() { serve "$fake/hostile.py" --mode "$1"; }

serve_stop() {
	[ -n "${server-}" ] || return 0
	kill "$server" 2>/dev/null || true
	wait "$server" 2>/dev/null || true
	server=
	rm -f "$(socket_path)"
}

# checkpoint DEVICEIDS - kubelet's, where pod u1 has devices of example.com/vf in this form; another
# pod, maybe of the same name, has w0
checkpoint() {
	mkdir -p "$dir/kubelet/device-plugins"
	jq -cn --argjson ids "$1" '
		def entry($uid; $resource; $ids): {PodUID: $uid, ContainerName: "c", ResourceName: $resource,
			DeviceIDs: $ids, AllocResp: "CgA="};
		{Data: {PodDeviceEntries: [entry("u0"; "example.com/vf"; {"0": ["w0"]}),
				entry("u1"; "example.com/other"; {"-1": ["other0"]}), entry("u1"; "example.com/vf"; $ids)],
			RegisteredDevices: {"example.com/vf": ["v0", "w0"]}}, Checksum: 1234567890}' \
		>"$dir/kubelet/device-plugins/kubelet_internal_checkpoint"
}
