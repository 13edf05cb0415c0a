#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# validate_conf.bats - devinfoctl validate-conf: all that is wrong with a configuration, at once

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	# it looks at no node: not at one whose file is missing, either
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/none.json
	good='{"cniVersion":"1.1.0","name":"net","type":"devinfo","device":"v0"}'
}

# validate JSON - on standard input
validate() {
	run --separate-stderr "$ctl" validate-conf - <<<"$1"
	[ -z "$stderr" ] || { echo "$stderr" && return 1; }
}

# finds JSON LINE... - exactly these, and status 1
finds() {
	validate "$1"
	[ "$status" -eq 1 ] || { echo "status $status: $output" && return 1; }
	[ "$output" = "$(printf -- '-: %s\n' "${@:2}")" ] || { echo "$output" && return 1; }
}

# passes JSON LINE... - the same with status 0
passes() {
	validate "$1"
	[ "$status" -eq 0 ] || { echo "status $status: $output" && return 1; }
	[ "$output" = "$(printf -- '-: %s\n' "${@:2}")" ] || { echo "$output" && return 1; }
}

# with FILTER - the good one, changed
with() { jq -c "$1" <<<"$good"; }

# definition JSON - a NetworkAttachmentDefinition of this configuration
definition() {
	jq -cn --arg c "$1" '{apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition",
		metadata: {name: "net", namespace: "default"}, spec: {config: $c}}'
}

@test "every example passes validate-conf, without a word" {
	run --separate-stderr "$ctl" validate-conf "$top"/conf/examples/*
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq "$(find "$top/conf/examples" -type f | wc -l)" ]
	for line in "${lines[@]}"; do
		[[ $line == *'.conflist: ok (conflist, 1 of '[1-3]' plugins checked)' ]]
	done
	for example in "$top"/conf/examples/*; do
		passes "$(definition "$(<"$example")")" \
			"ok (NetworkAttachmentDefinition, 1 of $(jq '.plugins | length' "$example") plugins checked)"
	done
}

@test "the examples of devinfo.conf(5) pass validate-conf" {
	local n=0
	awk '/^\.Bd -literal/ { text = ""; inside = 1; next } /^\.Ed/ { inside = 0
			if (text ~ /^{/) { n++; printf "%s", text > ("'"$BATS_TEST_TMPDIR"'/example" n) } }
		inside { text = text $0 "\n" }' "$top/install/man/devinfo.conf.5"
	for example in "$BATS_TEST_TMPDIR"/example*; do
		run --separate-stderr "$ctl" validate-conf "$example"
		[ "$status" -eq 0 ] || { echo "$output" && return 1; }
		[[ $output == *": ok ("* ]]
		n=$((n + 1))
	done
	[ "$n" -ge 3 ]
}

@test "all values that are wrong are told at once" {
	finds "$(with '.vlan = 9999 | .mtu = -5 | .trust = "yes" | .switch = {type: "ovs", bridge: "a/b", timeoutMs: 0}')" \
		'vlan: expected an integer of 0 to 4094, got 9999' \
		"invalid trust 'yes': must be off or on" \
		'mtu: expected an integer of 0 to 65535, got -5' \
		"invalid switch.bridge 'a/b': must be the name of a bridge" \
		'switch.timeoutMs: expected an integer of 1 to 60000, got 0'
	finds "$(with '.trunk = [{id: 9999}, {minID: "a"}] | .VDPA = {Driver: "x", create: 1}')" \
		'trunk[0].id: expected an integer of 1 to 4094, got 9999' \
		'trunk[1].minID: expected an integer, got a string' \
		"invalid vdpa.driver 'x': must be vhost or virtio" \
		'vdpa.create: expected a boolean, got an integer'
}

@test "a typing error in what the runtime and the pod say is a finding; what is others' there is not" {
	finds "$(with '.runtimeConfig = {macc: "02:00:00:00:00:01", portMappings: []} | .args = {cni: {mtuu: 1, labels: []}}')" \
		'runtimeConfig.macc: unknown key, did you mean mac?' \
		'args.cni.mtuu: unknown key, did you mean mtu?'
}

@test "a typing error at the top is a finding with the nearest key" {
	finds "$(with '.vlna = 7')" 'vlna: unknown key, did you mean vlan?'
	finds "$(with '.cniversion = .cniVersion | del(.cniVersion) | .ipam = {type: "static"}')" \
		'cniversion: unknown key, did you mean cniVersion?'
	finds "$(with '.capabilities = {deviceId: true} | .dns = {nameserver: ["192.0.2.1"]}')" \
		'dns.nameserver: unknown key, did you mean nameservers?' \
		'capabilities.deviceId: unknown key, did you mean deviceID?'
	finds "$(with '.type = "devinof"')" "type: unknown plugin 'devinof', did you mean devinfo?"
	finds "$(with 'del(.type)')" 'type: missing'
	finds "$(with '.type = 5')" 'type: expected a string, got an integer'
}

@test "an unknown key that is near to none is told, and no finding" {
	passes "$(with '.foo = 1')" "foo: unknown key (ignored: may be another plugin's)" 'ok (configuration, 1 of 1 plugins checked)'
	passes "$(with '._vlna = 1 | .["x-vlna"] = 1 | .["cni.dev/vlna"] = 1 | .Master = "eth0" | .ipMasq = false |
		.VLAN = 7 | .ipam = {type: "x", tpye: 1}')" 'ok (configuration, 1 of 1 plugins checked)'
}

@test "all is told at once, each with its place, and what the parser says besides" {
	finds '{"cniVersion":"1.1.0","name":"net","disableChek":true,"vlan":7,"plugins":[
			{"type":"bridge","bridge":"b","vlna":7},
			{"type":"devinfo","vlna":7,"mtu":"x","stateDir":"/x","trunk":[{"id":1},{"id":2,"mnID":1}]},
			{"type":"sriov","vdpa":{"drivr":"vhost"},"device":"v0"}, 5]}' \
		'disableChek: unknown key, did you mean disableCheck?' \
		'vlan: without effect here, set it in an object of plugins' \
		'plugins[1].vlna: unknown key, did you mean vlan?' \
		"plugins[1].stateDir: not in a network configuration, set this in the node's own file: stateDir" \
		'plugins[1].trunk[1].mnID: unknown key, did you mean minID?' \
		'plugins[1]: mtu: expected an integer, got a string' \
		'plugins[2].vdpa.drivr: unknown key, did you mean driver?' \
		'plugins[2]: device: v0: not together with vdpa' \
		'plugins[3]: expected an object, got an integer'
	finds '{"cniVersion":"1.1.0","name":"net","plugins":[{"type":"devinfo","device":"v0"},{"type":"devinfo","mtu":1400},
			{"type":"tuning"},{"type":"devinfo","vlan":7}]}' \
		'plugins[1]: one devinfo per list, this is another' 'plugins[3]: one devinfo per list, this is another'
	finds '{"cniVersion":"1.1.0","name":"net","plugins":[{"type":"bridge"},{"type":"devinfo","vhostUser":{"mdoe":"server"}}]}' \
		'plugins[1].vhostUser.mdoe: unknown key, did you mean mode?' \
		"plugins[1]: vhostUser: the interface is another plugin's here, and a socket has none"
	finds '{"cniVersion":"1.1.0","name":"net","plugins":[{"type":"devinfo","memif":{"role":"slave","switchDir":"/x","id":-1},
			"switch":{"type":"ovs","bridge":"b","db":"/x","foo":1}}]}' \
		"plugins[0].memif.switchDir: not in a network configuration, set this in the node's own file: switchDir" \
		"plugins[0].switch.db: not in a network configuration, set this in the node's own file: ovsDb" \
		'plugins[0].switch.foo: unknown key' \
		'plugins[0]: memif.id: expected an integer of 0 to 4294967295, got -1'
}

@test "a place in a chain, and the version, are those of the list" {
	finds '{"cniVersion":"1.1.0","name":"net","plugins":[{"type":"bridge"},{"type":"devinfo","device":"v0"}]}' \
		"plugins[1]: device: the interface is another plugin's here"
	finds '{"cniVersion":"7","name":"net","plugins":[{"type":"bridge"},{"type":"devinfo"}]}' \
		'plugins[1]: incompatible CNI versions (config is "7", plugin supports ["0.1.0" "0.2.0" "0.3.0" "0.3.1" "0.4.0" "1.0.0" "1.1.0"])'
	finds '{"cniVersion":"1.1.0","plugins":[{"type":"devinfo"}]}' 'plugins[0]: missing network name'
	finds '{"cniVersion":"1.1.0","name":"net","plugins":[]}' 'plugins: no plugin in it'
	finds '{"cniVersion":"1.1.0","name":"net","plugins":{}}' 'plugins: expected a list, got an object'
	passes '{"cniVersion":"1.1.0","name":"net","plugins":[{"type":"bridge"}]}' 'ok (conflist, 0 of 1 plugins checked)'
}

@test "what another controller, or the node's file, has yet to say is no finding" {
	passes "$(with '.ibKubernetesEnabled = true')" 'ok (configuration, 1 of 1 plugins checked)'
	passes "$(with '.mtu = 1400 | .args = {cni: {mtu: 1500}}')" 'ok (configuration, 1 of 1 plugins checked)'
}

@test "of a NetworkAttachmentDefinition spec.config is checked, whose name may be the definition's" {
	passes "$(definition "$(with 'del(.name)')")" 'ok (NetworkAttachmentDefinition, 1 of 1 plugins checked)'
	passes "$(definition "" | jq -c 'del(.spec)')" 'spec.config: absent (the configuration is a file of the node)' \
		'ok (NetworkAttachmentDefinition)'
	finds "$(definition "$(with '{name, cniVersion, plugins: [{type, vlna: 7, device}]}')")" \
		'spec.config: plugins[0].vlna: unknown key, did you mean vlan?'
	finds "$(definition "$(with '.vlna = 7 | .mtu = -1')")" 'spec.config: vlna: unknown key, did you mean vlan?' \
		'spec.config: mtu: expected an integer of 0 to 65535, got -1'
	finds "$(definition '[]')" 'spec.config: expected an object, got a list'
	finds "$(definition "$good" | jq -c '.spec = {confg: "x"}')" 'spec.confg: unknown key, did you mean config?' \
		'spec.config: absent (the configuration is a file of the node)'
	finds "$(definition "$good" | jq -c '.spec.config = {}')" 'spec.config: expected a string, got an object'
	finds "$(definition "$good" | jq -c '.kind = "Pod"')" "kind: 'Pod': expected NetworkAttachmentDefinition"
	validate "$(definition '{"name":')"
	[ "$status" -eq 1 ]
	[[ $output == '-: spec.config: not valid JSON'* ]]
	validate "$(definition '{"name":"n","type":"devinfo","vlan":1,"vlan":2}')"
	[ "$status" -eq 1 ]
	[[ $output == '-: spec.config: '*vlan* ]]
}

@test "the node's file is checked as that, every setting of it" {
	passes '{}' "ok (the node's file)"
	passes '{"stateDir":"/x","logLevel":"debug","root":"/"}' "ok (the node's file)"
	finds '{"statedir":"/x","foo":1,"runDir":"x","lockTimeoutMs":0,"logLevel":"loud","logFile":"x","root":7,"vlan":7}' \
		'statedir: unknown key, did you mean stateDir?' 'foo: unknown key' \
		"invalid runDir 'x': must be an absolute path" 'lockTimeoutMs: expected an integer of 1 to 120000, got 0' \
		"logLevel: invalid value 'loud': must be error, warning, info or debug" \
		"logFile: invalid value 'x': must be an absolute path" 'root: expected a string, got an integer' \
		'vlan: unknown key'
}

@test "several files are all checked, and one that cannot be read is a finding" {
	cd "$BATS_TEST_TMPDIR"
	echo "$good" >good
	with '.vlna = 7' >bad
	echo '[' >torn
	echo '[]' >list
	run --separate-stderr "$ctl" validate-conf good bad torn list absent
	[ "$status" -eq 1 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = 'good: ok (configuration, 1 of 1 plugins checked)' ]
	[ "${lines[1]}" = 'bad: vlna: unknown key, did you mean vlan?' ]
	[[ ${lines[2]} == 'torn: not valid JSON'* ]]
	[ "${lines[3]}" = 'list: expected an object, got a list' ]
	[[ ${lines[4]} == "absent: open 'absent'"* ]]
	[ "${#lines[@]}" -eq 5 ]
}

@test "what a configuration says cannot steer the terminal" {
	finds "$(with '.["vla\u001b"] = 1 | .["vl\u00e4n"] = 1')" 'vla\x1b: unknown key, did you mean vlan?' \
		"vl\xc3\xa4n: unknown key (ignored: may be another plugin's)"
}

@test "sharedDir and mappedDir are another plugin's, unless host or container is userspace-cni's" {
	passes "$(with '.sharedDir = 7 | .mappedDir = "{x"')" 'ok (configuration, 1 of 1 plugins checked)'
	passes "$(with '.sharedDir = 7 | .host = {name: "h"}')" 'ok (configuration, 1 of 1 plugins checked)'
	finds "$(with 'del(.device) | .host = {iftype: "memif", memif: {role: "master"}} | .sharedDir = 7')" \
		'sharedDir: expected a string, got an integer'
}

@test "a wrong question to validate-conf ends with status 2" {
	local -a questions=(validate-conf 'validate-conf --root / x' 'validate-conf --bogus x' 'validate-con x')
	for question in "${questions[@]}"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$ctl" $question
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
}
