#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# request.bats - variables and requests that engines really send, one by one
#
# rooms: cni/call conf

load helpers

setup() { node_up; }

# Where ADD stops that has nothing wrong but its namespace.
passes() { refused 3 CNI_NETNS; }

@test "C-ENV-01: each required variable, unset or empty, is code 4 and named" {
	for verb in ADD CHECK DEL; do
		for name in CNI_CONTAINERID CNI_NETNS CNI_IFNAME; do
			[ "$verb $name" != 'DEL CNI_NETNS' ] || continue
			for how in "-u $name" "$name="; do
				# shellcheck disable=SC2086
				run --separate-stderr env $how CNI_COMMAND=$verb "$plugin" <<<"$good"
				refused 4 "required env variables [$name] missing"
			done
		done
	done
	run --separate-stderr env CNI_COMMAND= "$plugin" <<<"$good"
	refused 4 'required env variables [CNI_COMMAND] missing'
	untouched
}

@test "C-ENV-07: an interface name of 15 bytes, and odd ones that the kernel takes, are valid" {
	for CNI_IFNAME in 123456789012345 a.b-c_d é ... '@'; do
		cni "$good"
		passes
	done
}

@test "C-ENV-09: CNI_PATH may be missing or empty" {
	for how in '-u CNI_PATH' CNI_PATH=; do
		# shellcheck disable=SC2086
		run --separate-stderr env $how "$plugin" <<<"$good"
		passes
		# shellcheck disable=SC2086
		run --separate-stderr env $how CNI_COMMAND=DEL "$plugin" <<<"$good"
		[ "$status" -eq 0 ]
		[ -z "$output$stderr" ]
	done
}

@test "C-ENV-10: variables of an attachment, empty or malformed, do not matter to GC, STATUS and VERSION" {
	for CNI_COMMAND in GC STATUS VERSION; do
		for value in '' ../x; do
			CNI_CONTAINERID=$value CNI_NETNS=$value CNI_IFNAME=$value CNI_ARGS=$value \
				cni '{"cniVersion":"1.1.0","name":"net","type":"devinfo"}'
			[[ ! $output =~ CNI_(CONTAINERID|NETNS|IFNAME|ARGS) ]]
			[ "$CNI_COMMAND" != VERSION ] || [ "$status" -eq 0 ]
		done
	done
}

@test "C-ENV-12, C-PIT-17: DEL works with CNI_NETNS empty and unset, in every version that has prevResult on it or not" {
	for v in 0.3.1 0.4.0 1.0.0 1.1.0; do
		for how in '-u CNI_NETNS' CNI_NETNS=; do
			# shellcheck disable=SC2086
			run --separate-stderr env $how CNI_COMMAND=DEL "$plugin" <<<"$(jq -c --arg v $v '.cniVersion = $v' <<<"$good")"
			[ "$status" -eq 0 ]
			[ -z "$output$stderr" ]
		done
	done
	untouched
}

@test "C-REQ-08, C-REQ-09, C-REQ-10: what a request may carry besides is ignored" {
	for members in '{x: {y: [1, null]}}' '{args: {cni: {labels: [{key: "a", value: "b"}], ips: ["x"]}, other: 5}}' '{args: 7}' \
		'{capabilities: {portMappings: true, nonsense: 5}}' '{prevResult: null}' '{runtimeConfig: {nonsense: {a: 1}}}' \
		'{"cni.dev/valid-attachments": 5, "cni.dev/attachments": null, "cni.dev/x": {}}' '{disableCheck: "true"}'; do
		cni "$(jq -c ". + $members" <<<"$good")"
		passes
		CNI_COMMAND=DEL cni "$(jq -c ". + $members" <<<"$good")"
		[ "$status" -eq 0 ]
		[ -z "$output$stderr" ]
	done
	untouched
}

@test "C-ARG-04: the CNI_ARGS of CRI-O, containerd, podman and Multus are accepted" {
	id=$(printf 'ab%.0s' {1..32})
	for CNI_ARGS in "IgnoreUnknown=1;K8S_POD_NAMESPACE=ns;K8S_POD_NAME=p;K8S_POD_INFRA_CONTAINER_ID=$id;K8S_POD_UID=u-1" \
		"K8S_POD_UID=;K8S_POD_NAME=;IgnoreUnknown=true" "IgnoreUnknown=1;K8S_POD_NAME=t1" \
		"IgnoreUnknown=true;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p3;K8S_POD_UID=u;K8S_POD_UID=u;IgnoreUnknown=1;K8S_POD_NAME=p3"; do
		cni "$good"
		passes
	done
}

@test "C-ARG-05, C-ARG-06, C-ARG-07, C-PIT-23: unknown and malformed CNI_ARGS are no reason to refuse an ADD" {
	for CNI_ARGS in UNKNOWN=1 'UNKNOWN=1;IgnoreUnknown=0' 'IgnoreUnknown=maybe' A ';' ';;A=;=B;=' 'K8S_POD_NAME=a=b=c' \
		"X=$(printf 'a%.0s' {1..20000})" $'A=\n\t"' 'A=é'; do
		cni "$good"
		passes
	done
	CNI_ARGS="X=$(printf 'a%.0s' {1..70000})"
	cni "$good"
	refused 4 'CNI_ARGS: over 65536 bytes'
	CNI_COMMAND=DEL cni "$good"
	[ "$status" -eq 0 ]
	untouched
}

@test "C-ARG-01, C-ARG-02, C-JSN-05: runtimeConfig by every convention, as Go structs too, is accepted" {
	cni "$(jq -c '.capabilities = {portMappings: true, bandwidth: true, dns: true, ipRanges: true, ips: true, mac: true}
		| .runtimeConfig = {
			portMappings: [{HostPort: 8080, ContainerPort: 80, Protocol: "tcp", HostIP: ""},
				{hostPort: 8080, containerPort: 80, protocol: "tcp", hostIP: "127.0.0.1"}],
			bandwidth: {IngressRate: 1000, IngressBurst: 1000, EgressRate: 0, EgressBurst: 0},
			ipRanges: [[{Subnet: "10.1.2.0/24"}], [{subnet: "10.1.3.0/24"}]],
			dns: {Servers: ["127.0.0.1"], Searches: ["."], Options: null},
			ips: ["10.1.2.3/24"], mac: "02:00:00:00:00:09", infinibandGUID: "c2:11:22:33:44:55:66:77",
			deviceID: "0000:03:02.0", aliases: {net: ["a"]}, cgroupPath: "/kubepods/x",
			"io.kubernetes.cri.pod-annotations": {"k8s.v1.cni.cncf.io/networks": "none"}}
		| .args.cni = {labels: [{key: "app", value: "x"}], ips: ["10.1.2.4/24"], sysctl: {"net.ipv4.ip_forward": "1"}}
		| del(.device)' <<<"$good")"
	passes
}

@test "C-ERR-01, C-ERR-03, C-PIT-04: an error is one object on stdout, code and message set, and exit status 1" {
	for CNI_COMMAND in ADD CHECK DEL GC STATUS NONSENSE ''; do
		for text in '' '{' '{"cniVersion":"9.9.9","name":"a"}' '{"cniVersion":"1.1.0","name":"a b"}'; do
			cni "$text"
			[ "$status" -eq 1 ]
			[ "${#lines[@]}" -eq 1 ]
			jq -es 'length == 1 and (.[0] | (.code | . > 0 and . < 999 and floor == .) and (.msg | type == "string" and length > 0)
				and ((keys - ["cniVersion", "code", "details", "msg"]) == []))' <<<"$output"
		done
	done
}

@test "C-ERR-02: an error has the version of the request, or our newest where that is not known" {
	for v in 0.3.1 0.4.0 1.0.0 1.1.0; do
		cni "$(jq -c --arg v $v '.cniVersion = $v' <<<"$good")"
		[ "$(jq -r .cniVersion <<<"$output")" = "$v" ]
		for wrong in '.name = "a b"' '.name = 7' 'del(.name)' '.runtimeConfig = []' '.stateDir = "/x"'; do
			cni "$(jq -c --arg v $v ".cniVersion = \$v | $wrong" <<<"$good")"
			[ "$status" -eq 1 ]
			[ "$(jq -r .cniVersion <<<"$output")" = "$v" ]
		done
	done
	for text in '' '{"cniVersion":"9.9.9","name":"a"}' '{"cniVersion":7,"name":"a"}'; do
		cni "$text"
		[ "$(jq -r .cniVersion <<<"$output")" = 1.1.0 ]
	done
}

@test "C-VER-05: the versions are listed ascending, none twice, the newest of the specification among them" {
	CNI_COMMAND=VERSION cni '{}'
	jq -r '.supportedVersions[]' <<<"$output" >"$BATS_TEST_TMPDIR/versions"
	sort -uV "$BATS_TEST_TMPDIR/versions" | diff "$BATS_TEST_TMPDIR/versions" -
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/versions")" = 1.1.0 ]
}

@test "C-VER-01, C-VER-06: whatever comes with VERSION, its answer has both members and is no error" {
	CNI_COMMAND=VERSION
	for text in '' '{' 'null' '{"cniVersion":null}' '{"cniVersion":""}' '{"cniVersion":"x"}' '{"cniVersion":"1.0.0"} {}' \
		"{\"cniVersion\":\"0.4.0\",\"x\":\"$(printf 'a%.0s' {1..10000})\"}"; do
		cni "$text"
		[ "$status" -eq 0 ]
		jq -es 'length == 1 and (.[0] | (.cniVersion | length > 0) and (.supportedVersions | length > 3) and (has("code") | not))' <<<"$output"
	done
}

@test "C-PIT-28: nerdctl's DEL before each ADD, with an empty namespace, is silent success" {
	CNI_NETNS= CNI_COMMAND=DEL cni "$good"
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	untouched
}

@test "C-PIT-31: a device, an ipam or a runtimeConfig that is missing or empty is one clean error, or fine" {
	for change in 'del(.device)' '.device = ""' '.device = null' '.device = "" | .deviceID = "" | .resourceName = ""' '.device = "" | .runtimeConfig = {}'; do
		cni "$(jq -c "$change" <<<"$good")"
		refused 7 'no device'
	done
	for change in '.ipam = {}' '.ipam = null' '.ipam.type = ""' '.dns = {}' '.runtimeConfig = {}' '.runtimeConfig.deviceID = ""'; do
		cni "$(jq -c "$change" <<<"$good")"
		passes
	done
	untouched
}
