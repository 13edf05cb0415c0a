#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# kubelet.bats - kubelets old, busy, starting and gone: the pod's device all the same, or no device
#
# rooms: devinfo/kubelet
# bats file_tags=plain

load helpers
load kubelet

setup() {
	node_up
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	before=$(snapshot "$pod")
	gave v0
}

teardown() {
	serve_stop
	node_down
}

# attaches [device] - an ADD does, and its DEL leaves nothing
attaches() {
	local mac
	mac=$(link "$node" "${1:-v0}" .address)
	add "$(asking)"
	added
	[ "$(link "$pod" net1 .address)" = "$mac" ]
	del "$(asking)"
	deleted
	same "$before" "$pod"
}

# refuses CODE TEXT [jq filter] - an ADD in half a second, which leaves nothing
refuses() {
	within 5 add "$(asking '.podResourcesTimeoutMs = 500 | '"${3:-.}")"
	refused "$1" "$2"
	same "$before" "$pod"
}

# asked GET LIST - so often
asked() {
	local have
	have="$(calls 'v1 Get') $(calls 'v1 List')"
	[ "$have" = "$*" ] || { echo "asked $have times" && return 1; }
}

# By either stack, which is kubelet or kubelet_js.
every_kubelet_has_it() {
	local mode
	for mode in ok get-unimplemented get-disabled crowd slow rate-limit unavailable late restart; do
		echo "$1 $mode"
		"$1" "$mode"
		attaches
		serve_stop
	done
}

no_kubelet_is_believed() {
	"$1" other-pod
	refuses 105 'default/p1'
	serve_stop
	"$1" big
	refuses 105 'more than 16777216'
	serve_stop
	"$1" late --first 1000
	refuses 105 'pod p1 in namespace default not found'
	serve_stop
	"$1" busy
	refuses 11 'rejected by rate limit'
	serve_stop
	"$1" unavailable --first 1000
	refuses 11 'kubelet is starting'
	serve_stop
	"$1" hang
	refuses 11 'PodResources Get'
	serve_stop
	"$1" stale
	refuses 11 'PodResources Get'
}

@test "kubelets of every age and mood give the pod its device: by grpcio" {
	every_kubelet_has_it kubelet
}

@test "kubelets of every age and mood give the pod its device: by grpc-js" {
	every_kubelet_has_it kubelet_js
}

@test "what kubelet gave to others, or never says, is one clean error in time: by grpcio" {
	no_kubelet_is_believed kubelet
}

@test "what kubelet gave to others, or never says, is one clean error in time: by grpc-js" {
	no_kubelet_is_believed kubelet_js
}

@test "a pod that kubelet did not know is told as that, also when its last answer does not come" {
	kubelet late-hang --first 2
	refuses 105 'pod p1 in namespace default not found (asked 3 times)'
}

@test "C-FND-02: no question is asked in vain: what answers is asked once, what is not offered once" {
	kubelet ok
	attaches
	asked 1 0
	serve_stop
	for mode in get-unimplemented get-disabled crowd; do
		kubelet $mode
		attaches
		asked 1 1
		serve_stop
	done
	kubelet no-methods
	refuses 105 'PodResources'
	asked 1 1
}

@test "C-FND-01: what may pass is asked again, until it has passed" {
	kubelet unavailable --first 5
	attaches
	asked 6 0
	serve_stop
	kubelet late --first 2
	attaches
	asked 3 0
	serve_stop
	kubelet restart
	attaches
	asked 2 0
}

@test "C-FND-06: the error at the end names the source, what it said and how often, and the log says the source" {
	kubelet busy
	add "$(asking '.podResourcesTimeoutMs = 500')"
	refused 11 'rejected by rate limit (asked '
	refused 11 'PodResources Get'
	[ "$(calls 'v1 Get')" -gt 1 ]
	[ "$(calls 'v1 List')" -eq 0 ]
	serve_stop
	kubelet get-disabled
	attaches
	grep -q 'PodResources List' "$dir/log"
}

@test "C-FND-08: a terminated pod of the same name, which old kubelets list, lends no device to this one" {
	jq '.pod_resources |= [(.[0] | .terminated = true | .containers[0].devices[1].device_ids = ["w0"])] + .' \
		"$dir/pods.json" >"$dir/both"
	mv "$dir/both" "$dir/pods.json"
	kubelet get-disabled
	refuses 11 'two pods default/p1'
	serve_stop
	kubelet ok
	attaches v0
	serve_stop
	# the checkpoint knows them apart
	checkpoint '{"-1": ["v0"]}'
	kubelet get-disabled
	attaches v0
}

@test "C-FND-03: kubelet's checkpoint has the device when the socket is absent or stale, in both forms" {
	for ids in '{"-1": ["v0"]}' '["v0"]' '{"0": ["v0"], "1": ["v0"]}'; do
		checkpoint "$ids"
		attaches v0
		kubelet stale
		attaches v0
		serve_stop
	done
	grep -q checkpoint "$dir/log"
}

@test "C-FND-05: a device of two NUMA nodes, twice in the checkpoint, is one device" {
	checkpoint '{"0": ["w0", "v0"], "1": ["v0", "w0"]}'
	for n in 1 2; do
		add "$(asking 'del(.ipam) | .name = "'"n$n"'"')" "$pod" "net$n"
		added
	done
	[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
	[ "$(link "$pod" net2 .address)" = 02:00:00:00:00:1a ]
	add "$(asking 'del(.ipam) | .name = "n3"')" "$pod" net3
	refused 102 'example.com/vf'
	for n in 1 2; do
		del "$(asking 'del(.ipam) | .name = "'"n$n"'"')" "$pod" "net$n"
		deleted
	done
	same "$before" "$pod"
}

@test "the checkpoint goes by the pod's UID and by nothing else" {
	checkpoint '{"-1": ["v0"]}'
	CNI_ARGS="${CNI_ARGS/UID=u1/UID=u0}" attaches w0
	for args in "${CNI_ARGS/UID=u1/UID=u2}" "${CNI_ARGS/;K8S_POD_UID=u1/}"; do
		CNI_ARGS=$args refuses 105 'checkpoint'
		kubelet stale
		CNI_ARGS=$args refuses 11 'checkpoint'
		serve_stop
	done
	refuses 105 'checkpoint' '.resourceName = "example.com/none"'
}

@test "kubelet is believed unless its checkpoint knows the pod's UID better, as of a pod of the same name, or a start" {
	kubelet ok
	checkpoint '{"-1": ["v0", "w0"]}'		# an init container has more
	attaches v0
	grep -q 'source="PodResources Get"' "$dir/log"
	checkpoint '{"-1": ["w0"]}'
	attaches w0
	grep -q "why=.*kubelet tells of another pod default/p1: the one of UID u1 was not given example.com/vf v0" "$dir/log"
	CNI_ARGS=${CNI_ARGS/UID=u1/UID=unknown} attaches v0
	CNI_ARGS=${CNI_ARGS/;K8S_POD_UID=u1/} attaches v0
	jq '.pod_resources = []' "$dir/pods.json" >"$dir/none"
	cp "$dir/none" "$dir/pods.json"
	attaches w0
	jq -n '{pod_resources: [{name: "p1", namespace: "default", containers: [{name: "c"}]}]}' >"$dir/pods.json"
	attaches w0
	CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=other" refuses 102 'default/p1'
}

@test "a checkpoint that is damaged, or no file, is one clean error" {
	checkpoint '{"-1": ["v0"]}'
	file=$dir/kubelet/device-plugins/kubelet_internal_checkpoint
	whole=$(<"$file")
	for text in '' '{' '[]' 'null' '{"Data": []}' "${whole:0:100}" "${whole//'["v0"]'/'["../v0"]'}" \
		"${whole//'["v0"]'/'[1]'}" "${whole//'{"-1":["v0"]}'/7}"; do
		[ "$text" != "$whole" ]
		echo "$text" >"$file"
		echo "$text"
		refuses 105 'checkpoint' '.podResourcesTimeoutMs = 100'
	done
	rm "$file"
	mkfifo "$file"
	refuses 105 'checkpoint' '.podResourcesTimeoutMs = 100'
	rm "$file"
	mkdir "$file"
	refuses 105 'checkpoint' '.podResourcesTimeoutMs = 100'
}

ready() {
	[ "$status" -eq 0 ] && [ -z "$output" ] || { echo "status $status: $output$stderr" && return 1; }
}

# status - as containerd asks
status() {
	CNI_COMMAND=STATUS CNI_CONTAINERID='' CNI_NETNS='' CNI_IFNAME='' CNI_ARGS='' \
		run --separate-stderr in_node timeout 60 "$plugin" <<<"$(asking 'del(.ipam) | .cniVersion = "1.1.0"')"
}

@test "C-FND-07: STATUS: a checkpoint is enough while kubelet is not there, neither is too little" {
	status
	refused 50 "$dir/kubelet.sock"
	checkpoint '{"-1": ["v0"]}'
	status
	ready
	kubelet stale
	status
	ready
	serve_stop
	rm "$dir/kubelet/device-plugins/kubelet_internal_checkpoint"
	kubelet stale
	status
	refused 50 "$dir/kubelet.sock"
}

# forty VERB - calls at once, each for a pod and device of its own; their statuses are in $dir/N.status
forty() {
	asking 'del(.ipam)' >"$dir/request"
	# shellcheck disable=SC2016
	ip netns exec "$node" env verb="$1" plugin="$plugin" dir="$dir" pod="$pod" bash -c '
		for n in {1..40}; do
			(
				export CNI_COMMAND=$verb CNI_CONTAINERID=$pod-$n CNI_NETNS=/run/netns/$pod-$n CNI_IFNAME=net1
				export CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=pod$n;K8S_POD_UID=uid$n"
				status=0
				"$plugin" <"$dir/request" >"$dir/$n.out" 2>&1 || status=$?
				echo $status >"$dir/$n.status"
			) &
		done
		wait' 3>&-
}

@test "C-FND-01: 40 ADDs at once all get their devices from a kubelet that answers 10, and then 100 a second" {
	for n in {1..40}; do pods+=("$pod-$n"); done
	for n in {1..40}; do
		ip netns add "$pod-$n"
		echo "link add d$n address $(printf '02:00:00:00:01:%02x' "$n") type veth peer name e$n"
	done | ip -n "$node" -batch -
	before=$(links "$node")
	jq -n '{pod_resources: [range(1; 41) | {name: "pod\(.)", namespace: "default", containers: [{name: "c",
		devices: [{resource_name: "example.com/vf", device_ids: ["d\(.)"]}]}]}]}' >"$dir/pods.json"
	kubelet rate-limit
	start=$EPOCHREALTIME
	forty ADD
	end=$EPOCHREALTIME
	echo "# 40 ADDs in $(((${end/./} - ${start/./}) / 1000)) ms, $(calls 'v1 Get') questions" >&3
	for n in {1..40}; do
		[ "$(<"$dir/$n.status")" = 0 ] || { cat "$dir/$n.out" && return 1; }
		[ "$(link "$pod-$n" net1 .address)" = "$(printf '02:00:00:00:01:%02x' "$n")" ]
	done
	[ "$(calls 'v1 Get')" -ge 40 ]
	[ "$(calls 'v1 List')" -eq 0 ]
	forty DEL
	for n in {1..40}; do
		[ "$(<"$dir/$n.status")" = 0 ] || { cat "$dir/$n.out" && return 1; }
	done
	[ "$(links "$node")" = "$before" ]
	[ "$(records)" -eq 0 ]
}
