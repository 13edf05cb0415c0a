#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# podres.bats - the device that kubelet's PodResources says, from a real gRPC server

load helpers

setup() {
	node_up
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	before=$(snapshot "$pod")
}

teardown() {
	[ -z "${server-}" ] || kill "$server" 2>/dev/null || true
	node_down
}

asking() { conf 'del(.device) | .resourceName = "example.com/vf" | '"${1:-.}"; }

# kubelet MODE [device id...] - pod default/p1 has these of example.com/vf
kubelet() {
	jq -n '{pod_resources: [{name: "p1", namespace: "default", containers: [{name: "c", devices: [
		{resource_name: "example.com/other", device_ids: ["other0"]},
		{resource_name: "example.com/vf", device_ids: $ARGS.positional}]}]}]}' --args "${@:2}" >"$dir/pods.json"
	: >"$dir/ready"		# the one before may have said so
	"$fake/kubelet.py" --socket "$dir/kubelet.sock" --state "$dir/pods.json" --mode "$1" \
		>"$dir/ready" 2>"$dir/kubelet.log" 3>&- &
	server=$!
	for _ in {1..200}; do
		grep -q ready "$dir/ready" && return
		sleep 0.05
	done
	cat "$dir/kubelet.log"
	return 1
}

@test "the device that kubelet gave the pod is attached, whichever of its calls kubelet serves" {
	for mode in ok get-unimplemented get-disabled; do
		kubelet $mode v0
		add "$(asking)"
		added
		[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
		del "$(asking)"
		deleted
		same "$before" "$pod"
		kill "$server"
		wait "$server" || true
	done
}

@test "a pod that kubelet does not know, or that has no such device, is one clean error" {
	kubelet ok v0
	CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=nobody" add "$(asking)"
	[ "$status" -eq 1 ]
	jq -e '.code >= 100 and (.msg | test("nobody"))' <<<"$output" >/dev/null
	add "$(asking '.resourceName = "example.com/none"')"
	refused 102 'no device of resource example.com/none'
	CNI_ARGS='' add "$(asking)"
	refused 4 'K8S_POD_NAME'
	same "$before" "$pod"
}

@test "a device of kubelet's that this node does not have is one clean error" {
	kubelet ok 0000:ff:1f.7
	add "$(asking)"
	refused 102 '0000:ff:1f.7'
	same "$before" "$pod"
}

@test "a socket that is absent, a plain file or a FIFO is one clean error, within the time allowed" {
	c=$(asking '.podResourcesTimeoutMs = 500')
	within 3 add "$c"
	[ "$status" -eq 1 ]
	jq -e '.code == 105 or .code == 11' <<<"$output" >/dev/null
	touch "$dir/kubelet.sock"
	within 3 add "$c"
	[ "$status" -eq 1 ]
	rm "$dir/kubelet.sock"
	mkfifo "$dir/kubelet.sock"
	within 3 add "$c"
	[ "$status" -eq 1 ]
	same "$before" "$pod"
}

@test "R-8: a kubelet that hangs, closes early, talks nonsense, or too much, is one clean error in time" {
	for mode in hang close-early garbage big rate-limit; do
		kubelet $mode v0
		within 5 add "$(asking '.podResourcesTimeoutMs = 1000')"
		[ "$status" -eq 1 ]
		jq -es 'length == 1 and (.[0].code == 105 or .[0].code == 11)' <<<"$output" >/dev/null
		same "$before" "$pod"
		kill -KILL "$server"
		wait "$server" 2>/dev/null || true
		rm -f "$dir/kubelet.sock"
	done
}

@test "C-DEL-17: DEL never asks kubelet" {
	kubelet ok v0
	add "$(asking)"
	added
	kill "$server"
	wait "$server" || true
	within 6 del "$(asking)"
	deleted
	same "$before" "$pod"
}

@test "C-PRC-08: SIGTERM while kubelet hangs ends the ADD in good time" {
	kubelet hang v0
	env_of ADD
	ip netns exec "$node" "$plugin" <<<"$(asking)" >"$dir/out" 2>/dev/null 3>&- &
	sleep 0.5
	kill -TERM $!
	within 6 wait_for $!
	[ "$result" -eq 1 ]
	[ "$(jq .code "$dir/out")" -eq 108 ]
	same "$before" "$pod"
}
