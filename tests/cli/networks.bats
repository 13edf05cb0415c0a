#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# networks.bats - devinfoctl networks: what a directory has, what is wrong with it, and what a pod asks for
#
# rooms: devinfo/network devinfo/manifest manager/ctl

load devinfoctl

setup() {
	ctl_up
	mkdir net.d
	# it looks at no node: not at one whose file is missing, either
	export DEVINFO_CONF=$PWD/none.json
}

# definition NAMESPACE NAME [CONFIG [ANNOTATIONS]] - a NetworkAttachmentDefinition, one line of JSON
definition() {
	jq -cn --arg s "$1" --arg n "$2" --arg c "${3-}" --argjson a "${4-null}" '{apiVersion: "k8s.cni.cncf.io/v1",
		kind: "NetworkAttachmentDefinition", metadata: {namespace: $s, name: $n, annotations: $a}, spec: {config: $c}}'
}

# pod NAMESPACE NETWORKS [DEFAULT-NETWORK] - a Pod with these annotations
pod() {
	jq -cn --arg s "$1" --arg n "$2" --arg d "${3-}" '{apiVersion: "v1", kind: "Pod", metadata: {namespace: $s, name: "p1",
		annotations: ({"k8s.v1.cni.cncf.io/networks": $n, other: "x"} + if $d == "" then {} else {"v1.multus-cni.io/default-network": $d} end)}}'
}

# some networks, of two namespaces
some() {
	definition default sriov '{"cniVersion":"1.0.0","type":"devinfo","vlan":7}' \
		'{"k8s.v1.cni.cncf.io/resourceName":"intel.com/vf"}' >net.d/a.json
	definition apps sriov '{"cniVersion":"1.1.0","name":"x","plugins":[{"type":"macvlan","capabilities":{"mac":true}},{"type":"tuning"}]}' >>net.d/a.json
	definition apps bridge >>net.d/a.json
	echo '{"cniVersion":"0.4.0","name":"bridge","plugins":[{"type":"bridge"}]}' >net.d/bridge.conflist
}

# networks [ARGUMENT...] - $output and $stderr
networks() { run --separate-stderr "$ctl" networks net.d "$@"; }

@test "networks prints a row for each definition and configuration of a directory" {
	some
	networks
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	says 'NETWORK        PLUGINS         RESOURCE      SOURCE           STATE' \
		'bridge         bridge          -             bridge.conflist  ok' \
		'apps/bridge    bridge          -             a.json#3         ok' \
		'apps/sriov     macvlan,tuning  -             a.json#2         ok' \
		'default/sriov  devinfo         intel.com/vf  a.json#1         ok'
	networks --output=name
	says bridge apps/bridge apps/sriov default/sriov
	networks --output=wide
	[ "${lines[2]}" = 'apps/bridge    bridge          -             0.4.0    bridge  bridge.conflist  a.json#3         ok' ]
	networks --json
	[ "$(jq -c '.[3] | del(.problems)' <<<"$output")" = '{"config":"a.json#1","name":"sriov","network":"default/sriov","plugins":["devinfo"],"resource":"intel.com/vf","source":"a.json#1","state":"ok","version":"1.0.0"}' ]
}

@test "what kubectl prints of all namespaces, in YAML, are the same networks" {
	some
	networks --json
	jq 'map(del(.source, .config, .problems))' <<<"$output" >before
	python3 - net.d/a.json >list.yaml <<-'END'
		import json, sys
		print("apiVersion: v1\nkind: List\nitems:")
		for line in open(sys.argv[1]):
		    d = json.loads(line)
		    m = d["metadata"]
		    print("- apiVersion: %s\n  kind: %s\n  metadata:\n    name: %s\n    namespace: %s" %
		          (d["apiVersion"], d["kind"], m["name"], m["namespace"]))
		    for key, value in (m["annotations"] or {}).items():
		        print("    annotations:\n      %s: %s" % (key, value))
		    if d["spec"]["config"]:
		        print("  spec:\n    config: |")
		        print("\n".join("      " + x for x in json.dumps(json.loads(d["spec"]["config"]), indent=2).split("\n")))
		    else:
		        print("  spec: {}")
	END
	rm net.d/a.json
	mv list.yaml net.d
	networks --json
	[ "$status" -eq 0 ]
	jq 'map(del(.source, .config, .problems))' <<<"$output" | diff before -
}

@test "each example of a configuration is a network" {
	for example in "$top"/conf/examples/*.conflist; do
		rm -f net.d/*
		cp "$example" net.d
		networks --json
		if grep -q podNetworks "$example"; then		# the runtime's own entry, and no definition
			[ "$status" -eq 1 ]
			[[ $(jq -r '.[0].problems[0].text' <<<"$output") == *podNetworks* ]]
			continue
		fi
		[ "$status" -eq 0 ]
		[ "$(jq -r 'map(.state) | join(" ")' <<<"$output")" = ok ]
	done
	rm net.d/*
	cp "$top"/conf/examples/networks/* net.d
	networks --json
	[ "$status" -eq 0 ]
	[ "$(jq -r 'map(.network + " " + .state) | sort | join(", ")' <<<"$output")" = 'default/macvlan ok, default/memif ok, default/vf ok' ]
}

@test "what is wrong is told, and keeps no other network away" {
	some
	definition apps empty '{"cniVersion":"1.0.0","type":"devinfo","vlan":9999,"trust":"yes"}' >net.d/b.yaml
	definition apps lost '' >net.d/c.json
	definition apps typo '{"cniVersion":"1.0.0","type":"devinfo","vlna":1}' >net.d/d.json
	definition default sriov '{"cniVersion":"1.0.0","type":"x"}' >net.d/e.json
	echo '{' >net.d/f.conf
	echo '{"cniVersion":"1.0.0"}' >net.d/g.json
	ln -s bridge.conflist net.d/h.conf
	echo '{"name":"B_a","type":"x","cniVersion":"1.0.0"}' >net.d/i.conf
	networks
	[ "$status" -eq 1 ]
	diff -u - <(echo "$stderr") <<-'END'
		devinfoctl: f.conf: error: not valid JSON (line 2, column 0: string or '}' expected near end of file)
		devinfoctl: net.d: error: open 'h.conf' (Too many levels of symbolic links)
		devinfoctl: g.json: error: expected a NetworkAttachmentDefinition or a configuration of CNI, which has plugins or a type
		devinfoctl: i.conf: B_a: warning: name: no pod can name it: that is of lower-case letters, digits, '-' and '.'
		devinfoctl: b.yaml: apps/empty: error: spec.config: vlan: expected an integer of 0 to 4094, got 9999
		devinfoctl: b.yaml: apps/empty: error: spec.config: invalid trust 'yes': must be off or on
		devinfoctl: c.json: apps/lost: error: spec.config is empty, and 'net.d' has no configuration of the name lost
		devinfoctl: d.json: apps/typo: warning: spec.config: vlna: unknown key, did you mean vlan?
		devinfoctl: a.json#1: default/sriov: error: default/sriov is in a.json#1 and in e.json
		devinfoctl: e.json: default/sriov: error: default/sriov is in a.json#1 and in e.json
	END
	says 'NETWORK        PLUGINS         RESOURCE  SOURCE           STATE' \
		'-              -               -         f.conf           error' \
		'-              -               -         net.d            error' \
		'-              -               -         g.json           error' \
		'B_a            x               -         i.conf           warning' \
		'bridge         bridge          -         bridge.conflist  ok' \
		'apps/bridge    bridge          -         a.json#3         ok' \
		'apps/empty     devinfo         -         b.yaml           error' \
		'apps/lost      -               -         c.json           error' \
		'apps/sriov     macvlan,tuning  -         a.json#2         ok' \
		'apps/typo      devinfo         -         d.json           warning' \
		'default/sriov  -               -         a.json#1         error' \
		'default/sriov  -               -         e.json           error'
	networks --json
	[ "$status" -eq 1 ]
	[ -z "$stderr" ]
	[ "$(jq -r '.[] | select(.network == "apps/typo") | .problems[0] | "\(.file) \(.level) \(.text)"' <<<"$output")" = \
		'd.json warning spec.config: vlna: unknown key, did you mean vlan?' ]
	networks --output=name
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = B_a ]
}

@test "a directory of more than all programs read is refused by its name" {
	local i
	for i in {1..17}; do
		(echo "a: "; head -c 1000000 /dev/zero | tr '\0' ' ') >"net.d/large$i.yaml"
	done
	networks
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == "devinfoctl: net.d: the files of '.' have more than 16777216 bytes"* ]]
}

@test "resourceName beside plugins is the network's, here alone" {
	echo '{"cniVersion":"1.0.0","name":"a","resourceName":"intel.com/vf","plugins":[{"type":"sriov-x"}]}' >net.d/a.conflist
	definition apps b "$(<net.d/a.conflist)" >net.d/b.json
	networks
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	says 'NETWORK  PLUGINS  RESOURCE      SOURCE      STATE' \
		'a        sriov-x  intel.com/vf  a.conflist  ok' \
		'apps/b   sriov-x  intel.com/vf  b.json      ok'
	run "$ctl" validate-conf net.d/a.conflist
	[[ $output == *'warning: resourceName: without effect here'* ]]
}

@test "a warning alone is no bad news" {
	definition apps typo '{"cniVersion":"1.0.0","type":"devinfo","vlna":1}' >net.d/d.json
	networks
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = 'apps/typo  devinfo  -         d.json  warning' ]
}

@test "a directory may be empty, and have other files" {
	echo '{' >net.d/README.md
	echo '{"kind":"Namespace","metadata":{"name":"x"}}' >net.d/x.json
	networks
	[ "$status" -eq 0 ]
	[ "$output" = 'no networks' ]
	networks --json
	[ "$output" = '[]' ]
}

@test "with a pod the rows are its attachments, the default network first" {
	some
	pod apps 'sriov@eth5, default/sriov,bridge,bridge' default/sriov >pod.json
	networks --pod-file pod.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	says 'INTERFACE  NETWORK        PLUGINS         RESOURCE      SOURCE    STATE' \
		'eth0       default/sriov  devinfo         intel.com/vf  a.json#1  ok' \
		'eth5       apps/sriov     macvlan,tuning  -             a.json#2  ok' \
		'net2       default/sriov  devinfo         intel.com/vf  a.json#1  ok' \
		'net3       apps/bridge    bridge          -             a.json#3  ok' \
		'net4       apps/bridge    bridge          -             a.json#3  ok'
	pod apps '[{"name": "sriov", "mac": "02-00-00-00-00-0A"}, {"name": "bridge", "deviceID": "0000:01:10.0"}]' >pod.json
	run --separate-stderr "$ctl" networks net.d --pod-file - --json <pod.json
	[ "$status" -eq 0 ]
	[ "$(jq -c '.[] | [.interface, .network, .default, .mac, .device, .config]' <<<"$output" | xargs -d'\n')" = \
		'["net1","apps/sriov",false,"02:00:00:00:00:0a",null,"a.json#2"] ["net2","apps/bridge",false,null,"0000:01:10.0","bridge.conflist"]' ]
	# a namespace that is not said is kubectl's
	jq 'del(.metadata.namespace)' pod.json >other.json
	networks --pod-file other.json --output=name
	says net1 net2
}

@test "a pod that asks for what is not there, or for what no plugin does, is told so" {
	some
	echo '{' >net.d/torn.conf
	pod apps '[{"name": "sirov"}, {"name": "sriov", "ips": ["10.0.0.1"], "macc": "x"}, {"name": "x", "namespace": "default"}]' >pod.json
	networks --pod-file pod.json
	[ "$status" -eq 1 ]
	diff -u - <(echo "$stderr") <<-'END'
		devinfoctl: net.d: warning: torn.conf: not valid JSON
		devinfoctl: pod.json: warning: k8s.v1.cni.cncf.io/networks[1].macc: unknown key, did you mean mac?
		devinfoctl: pod.json: apps/sirov: error: no network apps/sirov in 'net.d', did you mean sriov? (1 files or objects of it are wrong, and were passed over; there are 4 networks: see devinfoctl networks)
		devinfoctl: a.json#2: apps/sriov: error: ips: no plugin of network apps/sriov declares the capability ips, so it would have no effect
		devinfoctl: pod.json: default/x: error: no network default/x in 'net.d' (1 files or objects of it are wrong, and were passed over; there are 4 networks: see devinfoctl networks)
	END
	says 'INTERFACE  NETWORK     PLUGINS         RESOURCE  SOURCE    STATE' \
		'net1       apps/sirov  -               -         pod.json  error' \
		'net2       apps/sriov  macvlan,tuning  -         a.json#2  error' \
		'net3       default/x   -               -         pod.json  error'
	# whose networks are there has no bad news from a file that is torn
	pod apps sriov >pod.json
	networks --pod-file pod.json
	[ "$status" -eq 0 ]
}

@test "an annotation that is wrong is told with element and key" {
	some
	pod apps '[{"name": "sriov"}, {"name": "sriov", "mac": 7}]' >pod.json
	networks --pod-file pod.json
	[ "$status" -eq 1 ]
	[ "$stderr" = 'devinfoctl: pod.json: error: k8s.v1.cni.cncf.io/networks[1].mac: expected a string, got an integer' ]
	pod apps 'a/b/c' >pod.json
	networks --pod-file pod.json
	[ "$status" -eq 1 ]
	[ "$stderr" = "devinfoctl: pod.json: error: invalid k8s.v1.cni.cncf.io/networks[0] 'a/b/c': must be [NAMESPACE/]NAME[@INTERFACE]" ]
	pod apps '' >pod.json
	networks --pod-file pod.json
	[ "$status" -eq 0 ]
	[ "$output" = 'the pod asks for no network' ]
}

@test "a wrong question to networks ends with status 2" {
	some
	pod apps a >pod.json
	cat pod.json pod.json >two.json
	local -a told=(
		"open the directory 'none' (No such file or directory)"
		"open the directory 'pod.json' (Not a directory)"
		"two.json: expected one Pod, got 2 objects"
		"net.d/bridge.conflist: expected a Pod, got an object of kind ''"
		"none.json: open 'none.json' (No such file or directory)"
	) questions=(none pod.json 'net.d --pod-file two.json' 'net.d --pod-file net.d/bridge.conflist' 'net.d --pod-file none.json')
	for at in "${!questions[@]}"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ctl" networks ${questions[at]}
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$stderr" = "devinfoctl: ${told[at]}" ]
	done
	for question in 'net.d more' '--root / net.d' '--devinfo-dir /x net.d' '--state-dir /x net.d'; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ctl" networks $question
		[ "$status" -eq 2 ]
	done
}

# the_nodes KEYS - networks without a directory, of a node whose file says that
the_nodes() {
	mkdir -p node/etc/nets
	echo "$1" >none.json
	run --separate-stderr "$ctl" networks --root node "${@:2}"
}

@test "without a directory it is the node's networksDir, read as by the plugin" {
	some
	the_nodes '{}'
	[ "$status" -eq 2 ]
	[ "$stderr" = "devinfoctl: networks: expected a directory, for the node's file does not have networksDir" ]
	the_nodes '{"networksDir": "/etc/none"}'
	[ "$status" -eq 2 ]
	[ "$stderr" = "devinfoctl: open the directory '/etc/none' (No such file or directory)" ]
	mv net.d/* node/etc/nets
	chmod 644 node/etc/nets/*
	the_nodes '{"networksDir": "/etc/nets"}'
	[ "$status" -eq 0 ]
	says 'NETWORK        PLUGINS         RESOURCE      SOURCE           STATE' \
		'bridge         bridge          -             bridge.conflist  ok' \
		'apps/bridge    bridge          -             a.json#3         ok' \
		'apps/sriov     macvlan,tuning  -             a.json#2         ok' \
		'default/sriov  devinfo         intel.com/vf  a.json#1         ok'
	# what others may write is not followed, and a directory of the operand may be anybody's
	chmod g+w node/etc/nets/a.json
	the_nodes '{"networksDir": "/etc/nets"}'
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: /etc/nets: error: 'a.json' has owner "*" and mode 0664: must be root's, and not writable by others" ]]
	[ "${#lines[@]}" -eq 3 ]
	run "$ctl" networks node/etc/nets --output=name
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 4 ]
	chmod g+w node/etc/nets
	the_nodes '{"networksDir": "/etc/nets"}'
	[ "$status" -eq 2 ]
	[[ $stderr == "devinfoctl: '/etc/nets' has owner "*" and mode 0775: must be root's, and not writable by others" ]]
}

@test "a pod may name networks of other namespaces as the node's file says" {
	some
	mkdir -p node/etc
	cp -r net.d node/etc/nets
	chmod 755 node/etc/nets
	chmod 644 node/etc/nets/*
	pod apps 'sriov,default/sriov,other/bridge' >pod.json
	the_nodes '{"networksDir": "/etc/nets"}' --pod-file pod.json
	[ "$status" -eq 0 ]
	the_nodes '{"networksDir": "/etc/nets", "namespaceIsolation": true}' --pod-file pod.json
	[ "$status" -eq 1 ]
	[ "$stderr" = "devinfoctl: pod.json: other/bridge: error: network other/bridge: a pod of namespace apps may not have networks of another one (namespaceIsolation is true in the node's file, and globalNamespaces does not list other)" ]
	says 'INTERFACE  NETWORK        PLUGINS         RESOURCE      SOURCE    STATE' \
		'net1       apps/sriov     macvlan,tuning  -             a.json#2  ok' \
		'net2       default/sriov  devinfo         intel.com/vf  a.json#1  ok' \
		'net3       other/bridge   -               -             pod.json  error'
	the_nodes '{"networksDir": "/etc/nets", "namespaceIsolation": true, "globalNamespaces": ["other"]}' --pod-file pod.json
	[ "$status" -eq 1 ]
	[[ $stderr == *'pod.json: default/sriov: error: '* ]]
	# of a directory alone no node says anything
	echo '{"namespaceIsolation": true}' >none.json
	run "$ctl" networks net.d --pod-file pod.json
	[ "$status" -eq 0 ]
}
