#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# validate_conf.bats - devinfoctl validate-conf: all that is wrong with a configuration, at once
#
# rooms: conf manager/ctl

bats_require_minimum_version 1.5.0
load ../compare

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

# says STATUS LINE... - exactly these, each an error where it does not say what it is
says() {
	local line want=()
	for line in "${@:2}"; do
		[[ $line == ok\ * || $line == warning:* || $line == info:* ]] || line="error: $line"
		want+=("-: ${where:+$where: }$line")
	done
	[ "$status" -eq "$1" ] || { echo "status $status: $output" && return 1; }
	[ "$output" = "$(printf '%s\n' "${want[@]}")" ] || { echo "$output" && return 1; }
}

# finds JSON LINE... - exactly these, and status 1
finds() {
	validate "$1"
	says 1 "${@:2}"
}

# passes JSON LINE... - the same with status 0
passes() {
	validate "$1"
	says 0 "${@:2}"
}

# with FILTER - the good one, changed
with() { jq -c "$1" <<<"$good"; }

# definition JSON - a NetworkAttachmentDefinition of this configuration
definition() {
	jq -cn --arg c "$1" '{apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition",
		metadata: {name: "net", namespace: "default"}, spec: {config: $c}}'
}

# -- the same configurations by an ADD, on an empty node, where a good one ends at its namespace --

# adds JSON - the plugin's answer: $code, $msg up to what is not ASCII, and what it logs in $log
adds() {
	run --separate-stderr timeout 20 "${ctl%ctl}" <<<"$1"
	[ "$status" -eq 1 ]
	code=$(jq .code <<<"$output")
	msg=$(jq -r .msg <<<"$output" | LC_ALL=C sed 's/[^ -~].*//')
	log=$stderr
}

# as_pod - an ADD for a pod of Kubernetes
as_pod() {
	mkdir -p "$BATS_TEST_TMPDIR/node"
	DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{\"root\":\"$BATS_TEST_TMPDIR/node\"}" >"$DEVINFO_CONF"
	export CNI_COMMAND=ADD CNI_CONTAINERID=c0ffee CNI_NETNS=/run/netns/none CNI_IFNAME=net1 CNI_PATH=/usr/lib/cni
	export CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
}

# -- what it says --

@test "every example passes validate-conf, without a word" {
	run --separate-stderr "$ctl" validate-conf "$top"/conf/examples/networks/*
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq "$(cat "$top"/conf/examples/networks/* | grep -c '^kind: NetworkAttachmentDefinition')" ]
	for line in "${lines[@]}"; do
		[[ $line == *': ok (NetworkAttachmentDefinition, '* ]]
	done
	run --separate-stderr "$ctl" validate-conf "$top"/conf/examples/*.conflist
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq "$(find "$top/conf/examples" -maxdepth 1 -type f | wc -l)" ]
	for line in "${lines[@]}"; do
		[[ $line == *'.conflist: ok (conflist, 1 of '[1-3]' plugins checked)' ]]
	done
	for example in "$top"/conf/examples/*.conflist; do
		grep -q podNetworks "$example" && continue	# no definition may say that
		where=default/net passes "$(definition "$(<"$example")")" \
			"ok (NetworkAttachmentDefinition, 1 of $(jq '.plugins | length' "$example") plugins checked)"
	done
}

@test "the examples of devinfo.conf(5) pass validate-conf" {
	local n=0
	awk '/^\.Bd -literal/ { text = ""; inside = 1; next } /^\.Ed/ { inside = 0
			if (text ~ /^{/ || text ~ /^kind: NetworkA|\nkind: NetworkA/) {
				n++; printf "%s", text > ("'"$BATS_TEST_TMPDIR"'/example" n) } }
		inside { text = text $0 "\n" }' "$top/install/man/devinfo.conf.5"
	for example in "$BATS_TEST_TMPDIR"/example*; do
		run --separate-stderr "$ctl" validate-conf "$example"
		[ "$status" -eq 0 ] || { echo "$output" && return 1; }
		[[ $output == *": ok ("* ]]
		n=$((n + 1))
	done
	[ "$n" -eq 7 ]
}

@test "podNetworks needs the pod's annotations, and belongs into no definition" {
	passes "$(with '.podNetworks = true | .capabilities = {"io.kubernetes.cri.pod-annotations": true}')" \
		'ok (configuration, 1 of 1 plugins checked)'
	passes "$(with '.podNetworks = false')" 'ok (configuration, 1 of 1 plugins checked)'
	finds "$(with '.PodNetworks = true | .capabilities = {"io.kubernetes.cri.pod-annotations": false}')" \
		'podNetworks: needs the capability io.kubernetes.cri.pod-annotations, by which the runtime tells which networks a pod asks for'
	finds "$(with '{cniVersion, name, plugins: [{type: "bridge"}, {type: "devinfo", podNetworks: true}]}')" \
		'plugins[1]: podNetworks: needs the capability io.kubernetes.cri.pod-annotations, by which the runtime tells which networks a pod asks for'
	where=default/net finds "$(definition "$(with '.podNetworks = true | .capabilities = {"io.kubernetes.cri.pod-annotations": true}')")" \
		'spec.config: podNetworks: not in a definition, but in the configuration that the runtime has'
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

@test "a typing error in what the runtime and the pod say is warned of; what is others' there is not" {
	passes "$(with '.runtimeConfig = {macc: "02:00:00:00:00:01", portMappings: []} | .args = {cni: {mtuu: 1, labels: []}}')" \
		'warning: runtimeConfig.macc: unknown key, did you mean mac?' \
		'warning: args.cni.mtuu: unknown key, did you mean mtu?' \
		'ok (configuration, 1 of 1 plugins checked, 2 warnings)'
}

@test "a typing error at the top is warned of, as an ADD does, with the nearest key" {
	passes "$(with '.vlna = 7')" 'warning: vlna: unknown key, did you mean vlan?' \
		'ok (configuration, 1 of 1 plugins checked, 1 warning)'
	passes "$(with '.cniversion = .cniVersion | del(.cniVersion) | .ipam = {type: "static"}')" \
		'warning: cniversion: unknown key, did you mean cniVersion?' \
		'ok (configuration, 1 of 1 plugins checked, 1 warning)'
	passes "$(with '.capabilities = {deviceId: true} | .dns = {nameserver: ["192.0.2.1"]}')" \
		'warning: dns.nameserver: unknown key, did you mean nameservers?' \
		'warning: capabilities.deviceId: unknown key, did you mean deviceID?' \
		'ok (configuration, 1 of 1 plugins checked, 2 warnings)'
	finds "$(with '.type = "devinof"')" "type: unknown plugin 'devinof', did you mean devinfo?"
	finds "$(with 'del(.type)')" 'type: missing'
	finds "$(with '.type = 5')" 'type: expected a string, got an integer'
}

@test "an unknown key that is near to none is told, and no finding" {
	passes "$(with '.foo = 1')" "info: foo: unknown key (ignored: may be another plugin's)" 'ok (configuration, 1 of 1 plugins checked)'
	passes "$(with '._vlna = 1 | .["x-vlna"] = 1 | .["cni.dev/vlna"] = 1 | .Master = "eth0" | .ipMasq = false |
		.VLAN = 7 | .ipam = {type: "x", tpye: 1}')" 'ok (configuration, 1 of 1 plugins checked)'
}

@test "all is told at once, each with its place, and what the parser says besides" {
	finds '{"cniVersion":"1.1.0","name":"net","disableChek":true,"vlan":7,"plugins":[
			{"type":"bridge","bridge":"b","vlna":7},
			{"type":"devinfo","vlna":7,"mtu":"x","stateDir":"/x","trunk":[{"id":1},{"id":2,"mnID":1}]},
			{"type":"sriov","vdpa":{"drivr":"vhost"},"device":"v0"}, 5]}' \
		'warning: disableChek: unknown key, did you mean disableCheck?' \
		'warning: vlan: without effect here, set it in an object of plugins' \
		'warning: plugins[1].vlna: unknown key, did you mean vlan?' \
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
	local where=default/net

	passes "$(definition "$(with 'del(.name)')")" 'ok (NetworkAttachmentDefinition, 1 of 1 plugins checked)'
	passes "$(definition "" | jq -c 'del(.spec)')" 'info: spec.config: absent (the configuration is a file of the node)' \
		'ok (NetworkAttachmentDefinition)'
	passes "$(definition "$(with '{name, cniVersion, plugins: [{type, vlna: 7, device}]}')")" \
		'warning: spec.config: plugins[0].vlna: unknown key, did you mean vlan?' \
		'ok (NetworkAttachmentDefinition, 1 of 1 plugins checked, 1 warning)'
	finds "$(definition "$(with '.vlna = 7 | .mtu = -1')")" 'warning: spec.config: vlna: unknown key, did you mean vlan?' \
		'spec.config: mtu: expected an integer of 0 to 65535, got -1'
	finds "$(definition '[]')" 'spec.config: expected an object, got a list'
	passes "$(definition "$good" | jq -c '.spec = {confg: "x"}')" 'warning: spec.confg: unknown key, did you mean config?' \
		'info: spec.config: absent (the configuration is a file of the node)' 'ok (NetworkAttachmentDefinition, 1 warning)'
	finds "$(definition "$good" | jq -c '.spec.config = {}')" 'spec.config: expected a string, got an object'
	finds "$(definition "$good" | jq -c '.kind = "Pod"')" "kind: 'Pod': expected NetworkAttachmentDefinition"
	validate "$(definition '{"name":')"
	[ "$status" -eq 1 ]
	[[ $output == '-: default/net: error: spec.config: not valid JSON'* ]]
	validate "$(definition '{"name":"n","type":"devinfo","vlan":1,"vlan":2}')"
	[ "$status" -eq 1 ]
	[[ $output == '-: default/net: error: spec.config: '*vlan* ]]
}

@test "the node's file is checked as that, every setting of it" {
	passes '{}' "ok (the node's file)"
	passes '{"stateDir":"/x","logLevel":"debug","root":"/"}' "ok (the node's file)"
	finds '{"statedir":"/x","foo":1,"runDir":"x","lockTimeoutMs":0,"logLevel":"loud","logFile":"x","root":7,"vlan":7}' \
		'statedir: unknown key, did you mean stateDir?' 'foo: unknown key' \
		"invalid runDir 'x': must be an absolute path" 'lockTimeoutMs: expected an integer of 1 to 120000, got 0' \
		"warning: logLevel is not known, and not used: 'loud': must be error, warning, info or debug" \
		"warning: logFile is not an absolute path, and not used: 'x'" 'root: expected a string, got an integer' \
		'vlan: unknown key'
}

@test "several files are all checked, and one that cannot be read is a finding" {
	cd "$BATS_TEST_TMPDIR"
	echo "$good" >good
	with '.mtu = -1' >bad
	echo '{' >torn
	echo '[]' >list
	run --separate-stderr "$ctl" validate-conf good bad torn list absent
	[ "$status" -eq 1 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = 'good: ok (configuration, 1 of 1 plugins checked)' ]
	[ "${lines[1]}" = 'bad: error: mtu: expected an integer of 0 to 65535, got -1' ]
	[[ ${lines[2]} == 'torn: error: not valid JSON'* ]]
	[ "${lines[3]}" = 'list: error: expected an object, got a list' ]
	[[ ${lines[4]} == "absent: error: open 'absent'"* ]]
	[ "${#lines[@]}" -eq 5 ]
}

@test "what a configuration says cannot steer the terminal" {
	passes "$(with '.["vla\u001b"] = 1 | .["vl\u00e4n"] = 1')" 'warning: vla\x1b: unknown key, did you mean vlan?' \
		"info: vl\xc3\xa4n: unknown key (ignored: may be another plugin's)" \
		'ok (configuration, 1 of 1 plugins checked, 1 warning)'
}

@test "sharedDir and mappedDir are another plugin's, unless host or container is userspace-cni's" {
	passes "$(with '.sharedDir = 7 | .mappedDir = "{x"')" 'ok (configuration, 1 of 1 plugins checked)'
	passes "$(with '.sharedDir = 7 | .host = {name: "h"}')" 'ok (configuration, 1 of 1 plugins checked)'
	finds "$(with 'del(.device) | .host = {iftype: "memif", memif: {role: "master"}} | .sharedDir = 7')" \
		'sharedDir: expected a string, got an integer'
}

@test "what an ADD refuses by its configuration validate-conf tells as an error, in the same words" {
	local n=0 filter want conf
	as_pod
	while IFS=@ read -r filter want; do
		conf=$(with "$filter")
		adds "$conf"
		[[ $code == [1-9] && $code != 3 ]] || { echo "ADD of $conf: $code $msg" && return 1; }
		[[ $msg == *"$want"* ]] || { echo "ADD of $conf: $msg" && return 1; }
		validate "$conf"
		[ "$status" -eq 1 ] || { echo "$conf: $output" && return 1; }
		[[ ${lines[0]} == "-: error: $msg"* ]] || { echo "$conf: $output, ADD: $msg" && return 1; }
		n=$((n + 1))
	done <<-'EOF'
		.cniVersion = "7"@incompatible CNI versions
		.cniVersion = 1@cniVersion: expected a string, got an integer
		del(.name)@missing network name
		.name = "a b"@invalid name 'a b'
		.vlan = 4095@vlan: expected an integer of 0 to 4094, got 4095
		.vlan = "5"@vlan: expected an integer, got a string
		.vlanQoS = 3@vlanQoS: 3 needs a vlan above 0
		.vlanProto = "802.1ad"@vlanProto: 802.1ad needs a vlan
		.trust = "true"@invalid trust 'true': must be off or on
		.min_tx_rate = 9 | .max_tx_rate = 5@min_tx_rate: 9 is above max_tx_rate 5
		.mac = "zz"@invalid mac 'zz': must be a unicast Ethernet address
		.mac = "00:00:00:00:00:00"@invalid mac '00:00:00:00:00:00'
		.mac = "01:00:5e:00:00:01"@invalid mac '01:00:5e:00:00:01'
		.mac = "02:00:00:00:00"@invalid mac '02:00:00:00:00'
		.capabilities = {mac: true} | .runtimeConfig = {mac: "zz"}@invalid runtimeConfig.mac 'zz'
		.args = {cni: {mac: "01:00:00:00:00:01"}}@invalid args.cni.mac '01:00:00:00:00:01'
		.mtu = 70000@mtu: expected an integer of 0 to 65535, got 70000
		.driver = "vfio-pci" | .mtu = 1400@mtu: with driver vfio-pci there is no network device
		.driver = "igbvf"@driver: 'igbvf' is none for user space
		.guid = "zz"@invalid guid 'zz'
		del(.device) | .deviceID = "../x"@invalid deviceID '../x'
		del(.device) | .deviceID = "01:10.0"@invalid deviceID '01:10.0': the domain is missing, 0000:01:10.0?
		del(.device) | .pciBusID = "01:10.0"@invalid deviceID '01:10.0': the domain is missing, 0000:01:10.0?
		.deviceID = "0000:01:10.0" | .pciBusID = "0000:01:10.1"@contradict each other
		.device = "a/b"@invalid device 'a/b'
		.resourceName = "a/../b"@invalid resourceName 'a/../b'
		.deviceOptional = true@deviceOptional: there is no other plugin's interface to pass on
		.ipam = {ranges: []}@ipam.type: missing, and ipam has ranges
		.ipam = {type: "", subnet: "10.0.0.0/24"}@ipam.type: missing, and ipam has subnet
		.ipam = {type: "../x"}@invalid ipam.type '../x'
		.ipam = "host-local"@ipam: expected an object, got a string
		.cniVersion = "0.2.0"@ipam: a result of cniVersion 0.2.0 needs an address
		.dns = {nameservers: [53]}@dns.nameservers[0]: expected a string, got an integer
		.vdpa = {driver: "vhost"}@device: v0: not together with vdpa
		del(.device) | .vdpa = {drivr: "vhost"}@vdpa.drivr: unknown key, did you mean driver?
		.trunk = [{id: 1, mnID: 2}]@trunk[0].mnID: unknown key, did you mean minID?
		.stateDir = "/x"@stateDir: not in a network configuration
		.lockTimeoutMs = 0@lockTimeoutMs: expected an integer of 1 to 120000, got 0
		.logLevel = 3@logLevel: expected a string, got an integer
		.vhostUser = {mode: "server"}@device: not together with vhostUser
		del(.device) | .delegate = {type: "devinfo"}@delegate.type: devinfo cannot delegate to itself
		del(.device) | .delegate = {type: "a/b"}@invalid delegate.type 'a/b'
		del(.device) | .delegate = {type: "bridge", "deviceıd": "x"}@delegate 0 (bridge): invalid key
		.delegate = {type: "bridge"}@device: the interface is another plugin's here
		.delegate = {type: "a"} | .delegates = []@delegate and delegates exclude each other
		.podMayOverride = ["vlan"]@invalid podMayOverride[0] 'vlan'
	EOF
	[ "$n" -ge 40 ]
}

@test "what an ADD logs and goes on without validate-conf tells as a warning; the rest it passes in silence" {
	local n=0 filter word conf line
	as_pod
	while IFS=@ read -r filter word; do
		conf=$(with "$filter")
		adds "$conf"
		[ "$code" -eq 3 ] || { echo "ADD of $conf: $code $msg" && return 1; }
		validate "$conf"
		[ "$status" -eq 0 ] || { echo "$conf: $output" && return 1; }
		if [ "$word" ]; then
			[[ $log == *"$word"* ]] || { echo "ADD of $conf: $log" && return 1; }
			[[ ${lines[0]} == "-: warning: $word"* ]] || { echo "$conf: $output" && return 1; }
			[ "${lines[1]}" = '-: ok (configuration, 1 of 1 plugins checked, 1 warning)' ]
		else
			[[ $log != *'level=warning'* ]] || { echo "ADD of $conf: $log" && return 1; }
			[ "$output" = '-: ok (configuration, 1 of 1 plugins checked)' ] || { echo "$conf: $output" && return 1; }
		fi
		n=$((n + 1))
	done <<-'EOF'
		.vlna = 7@vlna: unknown key, did you mean vlan?
		.macAddress = "02:00:00:00:00:01"@macAddress: unknown key, use mac instead
		.master = "eth0"@master: unknown key, use deviceID, device or resourceName instead
		.l2enable = true@l2enable: unknown key, leave ipam out instead
		.dpdk = {dpdk_driver: "vfio-pci"}@dpdk: unknown key, use driver instead
		.vlanID = 5@vlanID: unknown key, use vlan instead
		.hwaddr = "02:00:00:00:00:01"@hwaddr: unknown key, use device or deviceID instead
		.kernelpath = "/sys/devices/x"@kernelpath: unknown key, use device or deviceID instead
		.promisc = true@promisc: unknown key, use the plugin tuning behind this one instead
		.logLevel = "loud"@logLevel is not known, and not used
		.logFile = "sriov.log"@the network's logFile is not used: logFile: 'sriov.log'
		.@
		.Master = "eth0"@
		.mac = "02:00:00:00:00:01"@
		.ipam = {}@
		.ipam = null@
		.ipam = {type: ""}@
		.ipam = {subnet: null}@
		.ipam = {Type: "host-local"}@
		.logLevel = "panic"@
		.logFile = "/var/log/devinfo/sriov.log"@
		del(.device) | .pciBusID = "0000:01:10.0"@
		del(.device) | .deviceID = "pci:0000:01:10.0"@
		del(.device) | .resourceName = "example.com/vf"@
		del(.device)@
	EOF
	[ "$n" -ge 25 ]
}

@test "the node's file: an ADD is refused where validate-conf tells an error, and goes on where it warns" {
	local n=0 members want
	as_pod
	while IFS=@ read -r members want; do
		jq -c ". + $members" <<<"{\"root\":\"$BATS_TEST_TMPDIR/node\"}" >"$DEVINFO_CONF"
		adds "$good"
		validate "$(<"$DEVINFO_CONF")"
		if [[ $want == warning:* ]]; then
			[ "$code" -eq 3 ]
			[ "$status" -eq 0 ]
			[[ $log == *"${want#*: }"* ]]
			[[ ${lines[0]} == "-: $want"* ]]
		else
			[ "$code" -eq 7 ]
			[ "$status" -eq 1 ]
			[[ $msg == *"$want"* ]] || { echo "$msg" && return 1; }
			[[ ${lines[0]} == "-: error: "*"$want"* ]] || { echo "$output" && return 1; }
		fi
		n=$((n + 1))
	done <<-'EOF'
		{logLevel: "loud"}@warning: logLevel is not known, and not used
		{logFile: "x"}@warning: logFile is not an absolute path, and not used
		{logLevel: 3}@logLevel: expected a string, got an integer
		{runDir: "x"}@invalid runDir 'x': must be an absolute path
		{devices: "none"}@invalid devices 'none': must be any or kubelet
		{allowPlugins: ["a/b"]}@invalid allowPlugins[0] 'a/b'
		{addTimeoutMs: 0}@addTimeoutMs: expected an integer of 1 to 240000, got 0
	EOF
	[ "$n" -eq 7 ]
	echo "{\"root\":\"$BATS_TEST_TMPDIR/node\",\"statedir\":\"/x\"}" >"$DEVINFO_CONF"
	adds "$good"
	[ "$code" -eq 7 ]
	[[ $msg == *"unknown key 'statedir', did you mean stateDir?" ]]
	finds "$(<"$DEVINFO_CONF")" 'statedir: unknown key, did you mean stateDir?'
}

@test "objects of Kubernetes are read as kubectl takes and prints them, each by its name" {
	local bad nads
	bad=$(with '.mac = "zz"')
	nads=$(jq -cs '{apiVersion: "v1", kind: "List", items: .}' < <(definition "$good"
		definition "$bad" | jq -c '.metadata = {name: "b", namespace: "prod"}'
		definition "$(with '.l2enable = true')" | jq -c '.metadata = {name: "c"}'))
	cat >"$BATS_TEST_TMPDIR/nads.yaml" <<-EOF
		apiVersion: k8s.cni.cncf.io/v1
		kind: NetworkAttachmentDefinition
		metadata:
		  name: net
		  namespace: default
		spec:
		  config: '$good'
		---
		---
		apiVersion: v1
		kind: Namespace
		metadata: {name: x}
		---
		apiVersion: k8s.cni.cncf.io/v1
		kind: NetworkAttachmentDefinition
		metadata:
		  name: b
		  namespace: prod
		spec:
		  config: |
		    $bad
		---
		apiVersion: k8s.cni.cncf.io/v1
		kind: NetworkAttachmentDefinition
		metadata: {name: c}
		spec: {config: '$(with '.l2enable = true')'}
	EOF
	validate "$nads"
	[ "$status" -eq 1 ]
	[ "$output" = "$(cat <<-'EOF'
		-#1: default/net: ok (NetworkAttachmentDefinition, 1 of 1 plugins checked)
		-#2: prod/b: error: spec.config: invalid mac 'zz': must be a unicast Ethernet address
		-#3: c: warning: spec.config: l2enable: unknown key, leave ipam out instead
		-#3: c: ok (NetworkAttachmentDefinition, 1 of 1 plugins checked, 1 warning)
	EOF
	)" ]
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr "$ctl" validate-conf nads.yaml
	[ "$status" -eq 1 ]
	[ "$output" = "$(cat <<-'EOF'
		nads.yaml#1: default/net: ok (NetworkAttachmentDefinition, 1 of 1 plugins checked)
		nads.yaml#3: prod/b: error: spec.config: invalid mac 'zz': must be a unicast Ethernet address
		nads.yaml#4: c: warning: spec.config: l2enable: unknown key, leave ipam out instead
		nads.yaml#4: c: ok (NetworkAttachmentDefinition, 1 of 1 plugins checked, 1 warning)
	EOF
	)" ]
	run --separate-stderr "$ctl" validate-conf --json nads.yaml
	[ "$status" -eq 1 ]
	jq -e '[.[] | [.file, .object, .kind, .ok, .plugins, .checked]] == [
		["nads.yaml#1", "default/net", "NetworkAttachmentDefinition", true, 1, 1],
		["nads.yaml#3", "prod/b", "NetworkAttachmentDefinition", false, 1, 1],
		["nads.yaml#4", "c", "NetworkAttachmentDefinition", true, 1, 1]]' <<<"$output"
	jq -e '[.[].problems[] | [.file, .line, .level, .text]] == [
		["nads.yaml#3", 0, "error", "spec.config: invalid mac \u0027zz\u0027: must be a unicast Ethernet address"],
		["nads.yaml#4", 0, "warning", "spec.config: l2enable: unknown key, leave ipam out instead"]]' <<<"$output"
}

@test "what is no object of Kubernetes is one document of JSON, and nothing at all is an error" {
	finds "$(printf 'cniVersion: 1.1.0\nname: net\ntype: devinfo\ndevice: v0\n')" 'not JSON: of YAML, only objects of Kubernetes are read'
	validate "$good$good"
	[ "$status" -eq 1 ]
	[[ ${lines[0]} == '-#1: error: a configuration with others in its file'* ]]
	finds '' 'expected a configuration or a NetworkAttachmentDefinition, got none among 0 objects'
	finds '{"apiVersion":"v1","kind":"List","items":[]}' \
		'expected a configuration or a NetworkAttachmentDefinition, got none among 0 objects'
	validate '{"apiVersion":"v1","kind":"List","items":[{"kind":"Pod"},{"kind":"Node"}]}'
	says 1 'expected a configuration or a NetworkAttachmentDefinition, got none among 2 objects'
	validate "$(printf 'kind: NetworkAttachmentDefiniton\nspec: {}\n---\nkind: Pod\n')"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "-#1: error: kind: 'NetworkAttachmentDefiniton': expected NetworkAttachmentDefinition" ]
	run --separate-stderr "$ctl" validate-conf --json /nowhere/x
	[ "$status" -eq 1 ]
	jq -e 'length == 1 and .[0].ok == false and .[0].kind == "file" and (.[0].problems[0].text | startswith("open directory"))' <<<"$output"
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
