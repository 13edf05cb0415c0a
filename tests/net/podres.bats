#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# podres.bats - the device that kubelet's PodResources says, from a real gRPC server
#
# rooms: devinfo/kubelet

load helpers
load kubelet

setup() {
	node_up
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	before=$(snapshot "$pod")
}

teardown() {
	serve_stop
	node_down
}

# clean_error CODE... - one of these is all that an ADD has to show of this server.  What is no time-out has time.
clean_error() {
	local ms=500
	[ "$1" = 11 ] || ms=20000
	within $((4 + ms / 1000)) add "$(asking ".podResourcesTimeoutMs = $ms")"
	[ "$status" -eq 1 ] && jq -es --arg codes " $* " \
		'length == 1 and (.[0].code as $code | $codes | contains(" \($code) "))' <<<"$output" >/dev/null ||
		{ echo "$mode: status $status: $output" && return 1; }
	same "$before" "$pod"
	serve_stop
}

@test "the device that kubelet gave the pod is attached, whichever of its calls kubelet serves" {
	gave v0
	for mode in ok get-unimplemented get-disabled; do
		kubelet $mode
		add "$(asking)"
		added
		[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
		del "$(asking)"
		deleted
		same "$before" "$pod"
		serve_stop
	done
}

@test "a pod that kubelet does not know, or that has no such device, is one clean error" {
	gave v0
	kubelet ok
	CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=nobody" add "$(asking)"
	[ "$status" -eq 1 ]
	jq -e '.code >= 100 and (.msg | test("nobody"))' <<<"$output" >/dev/null
	add "$(asking '.resourceName = "example.com/none"')"
	refused 102 'no device of resource example.com/none'
	CNI_ARGS='' add "$(asking)"
	refused 4 'K8S_POD_NAME'
	same "$before" "$pod"
}

@test "C-ARG-07: CNI_ARGS that cannot be a pod's, or a device's, are refused before kubelet is asked; others do not mind" {
	local good=$CNI_ARGS
	gave v0
	kubelet ok
	for bad in 'K8S_POD_NAME=../p1' 'K8S_POD_NAME=P1' $'K8S_POD_NAME=p1\nlevel=info' 'K8S_POD_NAME=p1-' 'K8S_POD_NAME=p_1' \
		'K8S_POD_NAMESPACE=..' 'K8S_POD_NAMESPACE=a.b' 'K8S_POD_NAMESPACE=default/p2' 'K8S_POD_UID=u/1' \
		'deviceID=../v0' $'deviceID=v0\e[2J'; do
		for c in "$(asking)" "$(asking 'del(.ipam) | .prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1",
			sandbox: "/run/netns/'"$pod"'"}]}')"; do
			CNI_ARGS="$good;$bad" add "$c"
			refused 4 "CNI_ARGS: ${bad%%=*} '$(tr '\n\033' '  ' <<<"${bad#*=}" | sed 's/ *$//')' is not a "
			[[ $output != *[[:cntrl:]]* ]]
			same "$before" "$pod"
		done
	done
	[ "$(wc -l <"$dir/calls")" -eq 0 ]
	[ "$(grep -c '^level=info' "$dir/log")" -eq 0 ]
	CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAME=Some_Container" add "$(conf)"	# podman's, which is no pod
	added
}

@test "without kubelet's socket who names no device, or misspells its key, is told at once what to write and what the pod has" {
	local nothing
	nothing=$(conf 'del(.device) | .podResourcesTimeoutMs = 60000')
	checkpoint '{"-1": ["v0"]}'
	within 10 add "$nothing"
	refused 7 'no device and no prevResult: one of deviceID, device, resourceName, claim'
	refused 7 "kubelet, to ask for a claim, is not there: no '$dir/kubelet.sock'"
	refused 7 "pod default/p1, by kubelet's checkpoint; it has example.com/other other0, example.com/vf v0"
	within 10 add "$(jq -c '.resourceNam = "example.com/vf"' <<<"$nothing")"
	refused 7 'resourceNam: unknown key, did you mean resourceName?'
	refused 7 'example.com/vf v0'
	CNI_ARGS="$CNI_ARGS;K8S_POD_UID=u9" within 10 add "$nothing"
	refused 7 'what pod default/p1 has is not known: '
	CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1" within 10 add "$nothing"
	refused 7 'what pod default/p1 has is not known, nor is its UID'
	same "$before" "$pod"
}

@test "a device of kubelet's that this node does not have is one clean error" {
	gave 0000:ff:1f.7
	kubelet ok
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

@test "R-8, C-FND-03: a kubelet that hangs, closes early, talks nonsense, or too much, is one clean error in time" {
	gave v0
	for mode in hang busy; do
		kubelet $mode
		clean_error 11
	done
	kubelet big
	clean_error 105
	for mode in close-early half-close silence half-answer goaway rst; do
		hostile $mode
		clean_error 11
	done
	for mode in garbage bad-hpack oversize compressed no-status no-window; do
		hostile $mode
		clean_error 105
	done
}

@test "R-8: frames without end are an error at a limit, whatever time there is" {
	gave v0
	for mode in settings-flood ping-flood window-flood unknown-flood endless-headers endless-data padded-data; do
		hostile $mode
		within 10 add "$(asking '.podResourcesTimeoutMs = 60000')"
		refused 105 'PodResources Get'
		serve_stop
	done
	same "$before" "$pod"
}

@test "an answer that comes a byte at a time is an answer" {
	for mode in answer single-bytes; do
		hostile $mode
		add "$(asking)"
		added
		del "$(asking)"
		deleted
		serve_stop
	done
	same "$before" "$pod"
}

@test "C-DEL-17, C-FND-14: DEL never asks kubelet" {
	gave v0
	kubelet ok
	add "$(asking)"
	added
	serve_stop
	within 6 del "$(asking)"
	deleted
	same "$before" "$pod"
}

@test "C-PRC-08: SIGTERM while kubelet hangs, or is busy, ends the ADD in good time" {
	gave v0
	env_of ADD
	for mode in hang busy; do
		kubelet $mode
		ip netns exec "$node" "$plugin" <<<"$(asking)" >"$dir/out" 2>/dev/null 3>&- &
		sleep 0.5
		kill -TERM $!
		within 6 wait_for $!
		[ "$result" -eq 1 ]
		[ "$(jq .code "$dir/out")" -eq 108 ]
		same "$before" "$pod"
		serve_stop
	done
}
