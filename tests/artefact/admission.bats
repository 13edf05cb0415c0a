#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# admission.bats - the policies of devinfo-publish allow what it asks for, and nothing of another node
#
# rooms: -

load helpers

setup() {
	dir=$BATS_TEST_TMPDIR
	"$top/tests/artefact/manifests.py" render "$top/install/manifests/overlays/publish" |
		jq -c 'select(.kind == "ValidatingAdmissionPolicy")' >"$dir/policies"
	[ "$(wc -l <"$dir/policies")" = 4 ]
	user='{username: "system:serviceaccount:devinfo:devinfo-publish", extra: {"authentication.kubernetes.io/node-name": ["n1"]}}'
}

# judged REQUEST: of each line of standard input, EXPECTED|FILTER, the filter of jq makes a request of this one, of which that is said
judged() {
	local expected filter
	while IFS='|' read -r expected filter; do
		jq -c "$filter" <<<"$1" >>"$dir/requests"
		echo "$filter" >>"$dir/filters"
		echo "$expected" >>"$dir/want"
	done
	"$top/tests/artefact/admission.py" "$build/tests/upstream/answer" "$dir/policies" <"$dir/requests" >"$dir/said"
	diff <(paste "$dir/filters" "$dir/want") <(paste "$dir/filters" "$dir/said")
}

network='"k8s.v1.cni.cncf.io/network-status"'

@test "of pods the one annotation is changed, of its own node's" {
	pod=$(jq -nc "{resource: \"/v1/pods/status\", operation: \"UPDATE\", userInfo: $user, oldObject: {apiVersion: \"v1\", kind: \"Pod\", metadata:
		{name: \"web-0\", namespace: \"shop\", labels: {app: \"web\"}, annotations: {a: \"b\", c: \"d\"}}, spec: {nodeName: \"n1\",
		containers: [{name: \"c\", image: \"i\"}]}, status: {phase: \"Running\", conditions: []}}} |
		.object = .oldObject | .object.metadata.annotations[$network] = \"[]\"")
	judged "$pod" <<-END
		allowed|.
		allowed|.resource = "/v1/pods"
		allowed|.oldObject = .object
		allowed|.oldObject.metadata.annotations[$network] = "[1]"
		allowed|del(.oldObject.metadata.annotations) | del(.object.metadata.annotations["a", "c"])
		allowed|del(.oldObject.status) | del(.object.status)
		of no policy|.userInfo.username = "system:serviceaccount:devinfo:other"
		of no policy|.operation = "CREATE"
		the pod is another node's|.userInfo.extra["authentication.kubernetes.io/node-name"] = ["n2"]
		the pod is another node's|(.object, .oldObject).spec.nodeName = "n2"
		the pod is another node's|del((.object, .oldObject).spec.nodeName)
		the pod is another node's|del(.userInfo.extra)
		the pod is another node's|del(.userInfo.extra[]) | del((.object, .oldObject).spec.nodeName)
		more than an annotation is changed|.object.spec.containers[0].image = "evil"
		more than an annotation is changed|.object.status.phase = "Failed"
		more than an annotation is changed|.object.status.conditions = [{type: "Ready", status: "False"}]
		more than an annotation is changed|del(.object.status)
		more than an annotation is changed|.object.metadata.labels.app = "db"
		more than an annotation is changed|del(.object.metadata.labels)
		more than an annotation is changed|.object.metadata.finalizers = ["example.com/x"]
		more than an annotation is changed|.object.metadata.ownerReferences = [{kind: "Node", name: "n1"}]
		another annotation than network-status is changed|.object.metadata.annotations.a = "x"
		another annotation than network-status is changed|.object.metadata.annotations.new = "x"
		another annotation than network-status is changed|del(.object.metadata.annotations.a)
		another annotation than network-status is changed|del(.object.metadata.annotations)
	END
}

@test "slices are those of the node, of its pool and of our driver" {
	slice=$(jq -nc "{resource: \"resource.k8s.io/v1/resourceslices\", operation: \"CREATE\", userInfo: $user, object: {apiVersion: \"resource.k8s.io/v1\",
		kind: \"ResourceSlice\", metadata: {name: \"n1-devinfo.cni.dev-0\"}, spec: {driver: \"devinfo.cni.dev\", nodeName: \"n1\",
		pool: {name: \"n1\", generation: 1, resourceSliceCount: 1}, devices: []}}}")
	delete='.operation = "DELETE" | .oldObject = .object | .object = null'
	judged "$slice" <<-END
		allowed|.
		allowed|.resource = "resource.k8s.io/v1beta1/resourceslices"
		allowed|.operation = "UPDATE" | .oldObject = .object | .object.spec.pool.generation = 2
		allowed|$delete
		of no policy|.userInfo.username = "system:node:n1"
		the slice is another node's|.userInfo.extra["authentication.kubernetes.io/node-name"] = ["n2"]
		the slice is another node's|.object.spec.nodeName = "n2"
		the slice is another node's|del(.object.spec.nodeName) | .object.spec.allNodes = true
		the slice is another node's|del(.userInfo.extra) | del(.object.spec.nodeName)
		the slice is another node's|.object.spec.nodeName = "n2" | $delete
		the slice is of a pool that is not this node's|.object.spec.pool.name = "n2"
		the slice is of a pool that is not this node's|.object.spec.pool.name = "n2" | $delete
		the slice is another driver's|.object.spec.driver = "gpu.example.com"
		the slice is another driver's|.object.spec.driver = "gpu.example.com" | $delete
	END
}

@test "a NodeFeature is the node's by its name and its label" {
	feature=$(jq -nc "{resource: \"nfd.k8s-sigs.io/v1alpha1/nodefeatures\", operation: \"CREATE\", userInfo: $user, object: {kind: \"NodeFeature\",
		apiVersion: \"nfd.k8s-sigs.io/v1alpha1\", metadata: {name: \"devinfo-n1\", namespace: \"node-feature-discovery\",
		labels: {\"nfd.node.kubernetes.io/node-name\": \"n1\"}}, spec: {labels: {}, features: {}}}}")
	judged "$feature" <<-END
		allowed|.
		allowed|.operation = "UPDATE" | .oldObject = .object | .object.spec.labels.a = "b"
		allowed|.operation = "DELETE" | .oldObject = .object | .object = null
		of no policy|.userInfo.username = "system:serviceaccount:nfd:nfd-worker"
		the features are another node's|.userInfo.extra["authentication.kubernetes.io/node-name"] = ["n2"]
		the features are another node's|.object.metadata.name = "devinfo-n2"
		the features are another node's|.object.metadata.name = "n1"
		the features are another node's|.object.metadata.labels["nfd.node.kubernetes.io/node-name"] = "n2"
		the features are another node's|del(.object.metadata.labels)
		the features are another node's|del(.userInfo.extra) | .object.metadata.name = "devinfo-"
		the features are another node's|.object.metadata.name = "devinfo-n2" | .operation = "DELETE" | .oldObject = .object | .object = null
	END
}

@test "Events are on the node and of its name, and of one that is there the count alone is changed" {
	event=$(jq -nc "{resource: \"events.k8s.io/v1/events\", operation: \"CREATE\", userInfo: $user, object: {apiVersion: \"events.k8s.io/v1\", kind: \"Event\",
		metadata: {name: \"n1.0123456789abcdef\", namespace: \"default\"}, reportingController: \"devinfo.cni.dev/publish\",
		reportingInstance: \"n1\", action: \"CheckHealth\", reason: \"DeviceUnhealthy\", type: \"Warning\", note: \"a device\",
		regarding: {apiVersion: \"v1\", kind: \"Node\", name: \"n1\", uid: \"u\"}}}")
	update='.operation = "UPDATE" | .oldObject = .object'
	long=$(printf 'n%.0s' {1..230})
	judged "$event" <<-END
		allowed|.
		allowed|$update | .object.series = {count: 2}
		of no policy|.userInfo.username = "system:serviceaccount:kube-system:other"
		allowed|(.userInfo.extra[][0], .object.regarding.name) = "$long" | .object.metadata.name = "${long:0:200}.0123456789abcdef"
		the Event is of something else than this node|.userInfo.extra["authentication.kubernetes.io/node-name"] = ["n2"]
		the Event is of something else than this node|.object.regarding.name = "n2"
		the Event is of something else than this node|.object.regarding.kind = "Pod"
		the Event is of something else than this node|del(.userInfo.extra) | .object.regarding.name = ""
		the Event is of something else than this node|.object.regarding.name = "n2" | $update | .object.series = {count: 2}
		the Event has a name of another node's|.object.metadata.name = "n2.0123456789abcdef"
		the Event has a name of another node's|.object.metadata.name = "n1-0123456789abcdef"
		the Event has a name of another node's|.object.metadata.name = "n1.n2.0123456789abcdef"
		the Event has a name of another node's|.object.metadata.name = "n1.0123456789abcde"
		the Event has a name of another node's|.object.metadata.name = "n1"
		the Event has a name of another node's|.object.metadata.name = "n2.0123456789abcdef" | $update | .object.series = {count: 2}
		more than the count of an Event is changed|$update | .object.note = "all is well"
		more than the count of an Event is changed|$update | .object.reason = "DeviceHealthy"
		more than the count of an Event is changed|$update | .object.type = "Normal"
		more than the count of an Event is changed|$update | .object.action = "Ignore"
		more than the count of an Event is changed|$update | .object.regarding.uid = "other"
		more than the count of an Event is changed|$update | .oldObject.regarding.name = "n2"
		the Event is somebody else's|.object.reportingController = "kubelet"
		the Event is somebody else's|$update | .oldObject.reportingController = "kubelet"
	END
}
