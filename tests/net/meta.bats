#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# meta.bats - around plugins that devinfo runs itself: what they are given, and what comes of it
#
# rooms: cni/plugins

load helpers
load chain

setup() {
	chain_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

two='[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "b"}]'
bare() { jq -cn --arg v "$1" --arg ns "/run/netns/$pod" '{cniVersion: $v, interfaces: [{name: "net1", sandbox: $ns}]}'; }

@test "C-DEL-01: delegates are added in order, each with the result before, and deleted in reverse with the last one" {
	c=$(meta "$two")
	add "$c"
	added
	[ "$(order)" = 'ADD a, ADD b' ]
	[ "$(calls '.[0].request.prevResult')" = null ]
	[ "$(calls '.[1].request.prevResult | del(.dns)')" = "$(bare 1.0.0)" ]
	[ "$(jq -c 'del(.dns)' <<<"$output")" = "$(bare 1.0.0)" ]
	del "$c"
	deleted
	[ "$(order)" = 'ADD a, ADD b, DEL b, DEL a' ]
	[ "$(calls '.[2:] | map(.request.prevResult | del(.dns)) | unique')" = "[$(bare 1.0.0)]" ]
	same "$before" "$pod"
	del "$c"
	deleted
}

@test "delegate is a list of one" {
	c=$(meta '[]' 'del(.delegates) | .delegate = {type: "probe", tag: "one", makes: true}')
	add "$c"
	added
	check "$(with_prev "$output" "$c")"
	checked
	del "$c"
	deleted
	[ "$(order)" = 'ADD one, CHECK one, DEL one' ]
	same "$before" "$pod"
}

@test "sixteen delegates work" {
	c=$(meta '[range(16) | {type: "probe", tag: "\(.)", makes: (. == 0)}]')
	add "$c"
	added
	[ "$(calls 'map(.tag | tonumber) == [range(16)]')" = true ]
	del "$c"
	deleted
	[ "$(calls '.[16:] | map(.tag | tonumber) == [range(15; -1; -1)]')" = true ]
	same "$before" "$pod"
}

@test "a delegate gets its own object with name, cniVersion and prevResult, and its stdin nothing else" {
	own='{"type":"probe","tag":"a","makes":true,"x":{"n":[1,-2.5,null,{"y":"\u00e4\u20ac"}]},"ipam":{"type":"x"}}'
	add "$(meta "[$own]" '.mtu = 1400 | .resourceName = "" | .args.cni.mac = ""')"
	added
	[ "$(calls ".[0].request == ($own + {name: \"net\", cniVersion: \"1.0.0\"})")" = true ]
}

@test "C-DLG-04: a delegate has our environment, with the verb alone replaced" {
	export CNI_ARGS='IgnoreUnknown=1;K8S_POD_NAME=p1;X=a=b' OTHER=x
	c=$(meta "$two")
	add "$c"
	added
	del "$c"
	deleted
	want=$(jq -cn --arg id "$pod" '{CNI_ARGS: env.CNI_ARGS, CNI_CONTAINERID: $id, CNI_IFNAME: "net1",
		CNI_NETNS: "/run/netns/\($id)", CNI_PATH: env.CNI_PATH}')
	[ "$(calls "map(.env | del(.CNI_COMMAND)) | unique == [$want]")" = true ]
}

@test "C-SPV-01: in each version delegates get that version, and prevResult on DEL from 0.4.0 on" {
	for v in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
		forget_calls
		c=$(meta '[{type: "probe", tag: "a", makes: true, result: (if "'$v'" < "0.3" then {ip4: {ip: "10.7.0.2/24"}}
			else {interfaces: [{name: "net1"}]} end)}, {type: "probe", tag: "b"}]' ".cniVersion = \"$v\"")
		add "$c"
		added
		[ "$(jq -r .cniVersion <<<"$output")" = $v ]
		del "$c"
		deleted
		[ "$(calls 'map(.request | .cniVersion, .prevResult.cniVersion // empty) | unique')" = "[\"$v\"]" ]
		[ "$(calls '.[2:] | map(.request | has("prevResult")) | unique')" = "[$([[ $v < 0.4 ]] && echo false || echo true)]" ]
		same "$before" "$pod"
	done
}

@test "the engine's prevResult is the first delegate's" {
	pod_link
	before=$(snapshot "$pod")
	c=$(meta '[{type: "probe", tag: "a"}, {type: "probe", tag: "b"}]' ".prevResult = $(prev) | .mtu = 1400")
	add "$c"
	added
	[ "$(calls '.[0].request.prevResult')" = "$(prev)" ]
	[ "$output" = "$(prev)" ]
	[ "$(link "$pod" net1 .mtu)" = 1400 ]
	del "$c"
	deleted
	same "$before" "$pod"
}

@test "C-REQ-10, C-JSN-05: each delegate gets the capabilities that it declares, as they came, and no other" {
	rc='{"portMappings":[{"HostPort":8080,"ContainerPort":80,"Protocol":"tcp","HostIP":""}],"bandwidth":{"IngressRate":1},
		"dns":{"Servers":["192.0.2.1"],"Options":null},"deviceID":"dev1","mac":"02:00:00:00:00:77","x.y/z":{"a":[]}}'
	add "$(meta '[{type: "probe", tag: "a", makes: true,
			capabilities: {portMappings: true, bandwidth: false, dns: "true", ips: true}},
		{type: "probe", tag: "b", capabilities: {deviceID: true, mac: true, "x.y/z": true, bandwidth: 1}},
		{type: "probe", tag: "c", capabilities: {}}, {type: "probe", tag: "d"}]' \
		".runtimeConfig = $rc | .capabilities = {portMappings: true}")"
	added
	[ "$(calls 'map(.request.runtimeConfig) == [{portMappings: '"$rc"'.portMappings},
		('"$rc"' | {deviceID, mac, "x.y/z"}), null, null]')" = true ]
	[ "$(calls 'map(.request | has("capabilities")) | unique')" = '[false]' ]
	[ "$(calls 'map(.request | has("runtimeConfig"))')" = '[true,true,false,false]' ]
}

@test "deviceID and pciBusID are given to each delegate, runtimeConfig.deviceID where it is declared" {
	for how in '.deviceID = "dev1"' '.pciBusID = "dev1"' '.runtimeConfig.deviceID = "dev1" | .deviceID = "other"'; do
		forget_calls
		c=$(meta '[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "b", capabilities: {deviceID: true}}]' "$how")
		add "$c"
		added
		del "$c"
		deleted
		[ "$(calls 'map(.request | [.deviceID, .pciBusID]) | unique')" = '[["dev1",null]]' ]
		[ "$(calls 'map(.request.runtimeConfig)')" = '[null,{"deviceID":"dev1"},{"deviceID":"dev1"},null]' ]
	done
}

@test "what the administrator wrote for a delegate himself is never overwritten" {
	add "$(meta '[{type: "probe", tag: "a", makes: true, deviceID: "mine", pciBusID: "",
		capabilities: {portMappings: true, deviceID: true, CNIDeviceInfoFile: true, mac: true},
		runtimeConfig: {portMappings: [], deviceID: "mine", CNIDeviceInfoFile: "/mine", aliases: ["x"]}}]' \
		'.runtimeConfig = {portMappings: [{HostPort: 1}], deviceID: "dev1", mac: "02:00:00:00:00:77"}')"
	added
	[ "$(calls '.[0].request | [.deviceID, .pciBusID, .runtimeConfig] == ["mine", "", {portMappings: [], deviceID: "mine",
		CNIDeviceInfoFile: "/mine", aliases: ["x"], mac: "02:00:00:00:00:77"}]')" = true ]
}

@test "a PCI function by its address: delegates are told it, the result and network-status tell it" {
	recorded igb
	c=$(meta "$two" '.cniVersion = "1.1.0" | .deviceID = "0000:01:10.2"')
	add "$c"
	added
	[ "$(calls 'map(.request | [.deviceID, .pciBusID]) | unique')" = '[["0000:01:10.2","0000:01:10.2"]]' ]
	[ "$(jq -c '.interfaces[0] | [.pciID, .mtu]' <<<"$output")" = '["0000:01:10.2",1500]' ]
	[ "$(entry '."device-info" | [.type, .pci."pci-address"]')" = '["pci","0000:01:10.2"]' ]
	[ "$(find "$dir/node/devinfo/cni" -type f | wc -l)" -eq 1 ]
	pod_add "$pod2"
	add "$c" "$pod2"
	refused 11 "0000:01:10.2 belongs to another attachment"
	del "$c"
	deleted
	[ -z "$(find "$dir/node"/{state/attachments,run,devinfo} -type f)" ]
	links "$pod" | cmp - <(links "$pod2")
}

# An info that a delegate writes.
info='{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"client","path":"/run/a.sock"}}'
writes() {
	meta '[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "w", capabilities: {CNIDeviceInfoFile: true},
		info: '"$info"'}, {type: "probe", tag: "c"}]' "${1:-.}"
}

@test "C-PIT-33: the device-info that a delegate writes is network-status's: into a file of ours, or the engine's" {
	for given in '.' ".runtimeConfig.CNIDeviceInfoFile = \"$dir/devinfo/cni/given\""; do
		forget_calls
		c=$(writes "$given")
		add "$c"
		added
		file=$(calls '.[1].request.runtimeConfig.CNIDeviceInfoFile' | jq -r .)
		[ "${file%/*}" = "$dir/devinfo/cni" ]
		[ "$given" = . ] || [ "$file" = "$dir/devinfo/cni/given" ]
		[ "$(jq -c . "$file")" = "$info" ]
		[ "$(entry '."device-info"')" = "$info" ]
		check "$(with_prev "$output" "$c")"
		checked
		del "$(jq -c '{cniVersion, name, type}' <<<"$c")"
		deleted
		[ "$(calls 'map(.request.runtimeConfig.CNIDeviceInfoFile // empty) | [length, (unique | length)]')" = '[3,1]' ]
		same "$before" "$pod"
	done
}

@test "a CNIDeviceInfoFile with a name of over 255 bytes is said, and served by a shorter one with a hash" {
	export CNI_ARGS='IgnoreUnknown=1;K8S_POD_NAMESPACE=team-a'
	name=$(printf 'n%.0s' {1..250})
	c=$(writes ".name = \"$name\" | .runtimeConfig.CNIDeviceInfoFile = \"$dir/devinfo/cni/team-a-$name-${pod}_net1\"")
	add "$c"
	added
	file=$(calls '.[1].request.runtimeConfig.CNIDeviceInfoFile' | jq -r .)
	[ "${file%/*}" = "$dir/devinfo/cni" ]
	[[ ${file##*/} == team-a-nnnn*-???????????????? ]]
	[ "$(basename "$file" | tr -d '\n' | wc -c)" -eq 255 ]
	[ "$(jq -c . "$file")" = "$info" ]
	[ "$(entry '[.name, ."device-info"]')" = '["team-a/'"$name"'",'"$info"']' ]
	grep -q "CNIDeviceInfoFile has a name of over 255 bytes.* file=${file##*/}" "$dir/log"
	check "$(with_prev "$output" "$c")"
	checked
	del "$(jq -c '{cniVersion, name, type}' <<<"$c")"
	deleted
	same "$before" "$pod"
	# without a record the plugins are told the same file
	forget_calls
	del "$c"
	deleted
	[ "$(calls '.[1].request.runtimeConfig.CNIDeviceInfoFile')" = "\"$file\"" ]
}

@test "a device-info that was there before the chain is read again after it" {
	mkdir -p "$dir/devinfo/cni"
	jq -c '."vhost-user".path = "/run/old.sock"' <<<"$info" >"$dir/devinfo/cni/given-$pod"
	add "$(writes ".runtimeConfig.CNIDeviceInfoFile = \"$dir/devinfo/cni/given-$pod\"")"
	added
	[ "$(entry '."device-info"')" = "$info" ]
}

@test "a chain that fails leaves the device-info file as it was, though a delegate wrote it" {
	c=$(writes '.delegates[2].ADD = "error"')
	add "$c"
	refused 123 'the fake c does not want to'
	[ "$(calls 'map(.request.runtimeConfig.CNIDeviceInfoFile // empty) | length')" -eq 2 ]
	same "$before" "$pod"
	echo '{"type":"vhost-user","version":"1.0.0","vhost-user":{"mode":"server","path":"/run/old.sock"}}' >"$dir/devinfo/cni/given-$pod"
	before=$(snapshot "$pod")
	add "$(jq -c '.runtimeConfig.CNIDeviceInfoFile = "'"$dir/devinfo/cni/given-$pod"'"' <<<"$c")"
	refused 123 'the fake c does not want to'
	same "$before" "$pod"
}

@test "a device-info that a delegate writes and nobody can read is code 106, and nothing is left" {
	add "$(writes '.delegates[1].info = {type: 7}')"
	refused 106 'device-info of net1'
	same "$before" "$pod"
}

@test "C-RES-02: mtu and mac are set on what the delegates have made, and the result tells it" {
	for v in 0.3.1 1.0.0 1.1.0; do
		c=$(meta "$two" ".cniVersion = \"$v\" | .mtu = 1400 | .mac = \"02:00:00:00:00:77\"")
		add "$c"
		added
		[ "$(link "$pod" net1 '"\(.address) \(.mtu)"')" = '02:00:00:00:00:77 1400' ]
		[ "$(jq -c '.interfaces[0] | [.mac, .mtu]' <<<"$output")" = \
			"[\"02:00:00:00:00:77\",$([ $v = 1.1.0 ] && echo 1400 || echo null)]" ]
		[ "$(entry '[.mac, .mtu]')" = '["02:00:00:00:00:77",1400]' ]
		del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "C-RES-08, C-DLG-07: a delegate's result of another version is converted, of an unknown one refused" {
	result='{"cniVersion":"0.4.0","interfaces":[{"name":"net1"}],"dns":{},
		"ips":[{"version":"4","address":"10.7.0.2/24","interface":0}]}'
	want='{cniVersion: "1.0.0", interfaces: [{name: "net1"}], ips: [{address: "10.7.0.2/24", interface: 0}], dns: {}}'
	for how in "result: $result" "raw: $(jq 'del(.cniVersion) | tojson' <<<"$result")"; do
		c=$(meta "[{type: \"probe\", tag: \"a\", makes: true, $how}, {type: \"probe\", tag: \"b\"}]")
		forget_calls
		add "$c"
		added
		[ "$(jq "$want == ." <<<"$output")" = true ]
		[ "$(calls '.[1].request.prevResult == ('"$want"')')" = true ]
		del "$c"
		deleted
	done
	add "$(meta "[{type: \"probe\", tag: \"a\", makes: true, result: ($result | .cniVersion = \"9.9.9\")}]")"
	refused 107 "plugin probe: result.cniVersion: '9.9.9'"
	same "$before" "$pod"
}

@test "C-RES-17: a delegate that does not know 1.1.0 is asked in 1.0.0, with a prevResult of that version" {
	first='{interfaces: [{name: "net1", mtu: 1500, pciID: "0000:03:02.0"}], routes: [{dst: "0.0.0.0/0", mtu: 1400}]}'
	c=$(meta "$two" ".cniVersion = \"1.1.0\" | .delegates[0].result = $first |
		.delegates[1].versions = [\"0.4.0\", \"1.0.0\"]")
	add "$c"
	added
	[ "$(jq -c '[.cniVersion, .interfaces[0].mtu]' <<<"$output")" = '["1.1.0",1500]' ]
	[ "$(order)" = 'ADD a, ADD b, ADD b' ]
	[ "$(calls 'map(.request | [.cniVersion, .prevResult.cniVersion])')" = '[["1.1.0",null],["1.1.0","1.1.0"],["1.0.0","1.0.0"]]' ]
	[ "$(calls '.[2].request.prevResult | [.. | objects | keys[]] | any(IN("mtu", "pciID"))')" = false ]
	check "$(with_prev "$output" "$c")"
	checked
	del "$c"
	deleted
	[ "$(calls '[.[] | select(.tag == "b" and .verb != "ADD").request.cniVersion]')" = '["1.1.0","1.0.0","1.1.0","1.0.0"]' ]
	same "$before" "$pod"
}

@test "C-CHK-06, C-DLG-06: CHECK is forwarded in order with the final result, and errors are passed up" {
	c=$(meta "$two")
	add "$c"
	added
	attached=$(snapshot "$pod")
	final=$(jq -c '.interfaces += [{name: "later"}]' <<<"$output")
	forget_calls
	check "$(with_prev "$final" "$c")"
	checked
	[ "$(order)" = 'CHECK a, CHECK b' ]
	[ "$(calls "map(.request.prevResult) | unique == [$final]")" = true ]
	for who in a b; do
		declare -x "FAKE_CHECK_$who=error"
		check "$(with_prev "$final" "$c")"
		unset "FAKE_CHECK_$who"
		refused 123 "plugin probe: the fake $who does not want to"
	done
	same "$attached" "$pod"
}

@test "C-ADD-09, C-DLG-02: delegates with a mistake are code 7 with the path of the key, and nothing is run" {
	while IFS='#' read -r what path; do
		add "$(meta "$two" "$what")"
		refused 7 "${path# }" || { echo "with $what" && return 1; }
	done <<-'END'
		.delegate = .delegates[0]# delegate and delegates exclude each other
		.delegates = [range(17) | {type: "probe"}]# delegates: expected at most 16 plugins, got 17
		.delegates = {}# delegates: expected
		.delegates = "probe"# delegates: expected
		.delegates[1] = "probe"# delegates[1]: expected an object, got a string
		.delegates[1] = null# delegates[1]: expected an object, got null
		.delegates[1].type = "../probe"# invalid delegates[1].type '../probe'
		.delegates[1].type = "/bin/true"# invalid delegates[1].type '/bin/true'
		.delegates[1].type = ".."# invalid delegates[1].type '..'
		.delegates[1].type = ""# invalid delegates[1].type ''
		.delegates[1].type = 1# delegates[1].type: expected a string
		del(.delegates[1].type)# invalid delegates[1].type ''
		.delegates[1].type = "devinfo"# delegates[1].type: devinfo cannot delegate to itself
		.delegates[0].capabilities = []# delegates[0].capabilities: expected an object
		.delegates[0].runtimeConfig = "x"# delegates[0].runtimeConfig: expected an object
		del(.delegates) | .delegate = []# delegate: expected an object
		del(.delegates) | .delegate = {type: "a/b"}# invalid delegate.type 'a/b'
		del(.delegates) | .delegate = {type: "a", capabilities: 1}# delegate.capabilities: expected an object
		.ipam = {type: "fake"}# ipam.type: the interface is
		.device = "v0"# device: the interface is
		.delegates = []# no device and no prevResult
	END
	[ "$(calls length)" -eq 0 ]
	same "$before" "$pod"
}

@test "bridge with host-local, and tuning, as delegates, in every version" {
	for v in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
		c=$(meta "[$(bridge), $(tuning '.promisc = true')]" ".cniVersion = \"$v\" | .mtu = 1400")
		add "$c"
		added
		[ "$(jq -r .cniVersion <<<"$output")" = $v ]
		[ "$(jq -r '.ip4.ip // .ips[0].address' <<<"$output" | cut -d . -f 1-3)" = 10.6.0 ]
		want=null
		[ $v != 1.1.0 ] || want=1400
		[ "$(jq '[.interfaces[]? | select(.name == "net1").mtu][0]' <<<"$output")" = $want ]
		[ "$(link "$pod" net1 .mtu)" = 1400 ]
		if [[ ! $v < 0.4 ]]; then
			check "$(with_prev "$output" "$c")"
			checked
		fi
		del "$(jq -c '{cniVersion, name, type}' <<<"$c")"
		deleted
		bridge_gone
		same "$before" "$pod"
	done
}

@test "host-device as a delegate: what we set on its device is taken back before it goes home" {
	c=$(meta '[{type: "host-device", device: "v0"}]' '.mtu = 1400 | .mac = "02:00:00:00:00:77"')
	add "$c"
	added
	run ! ip -n "$node" link show v0
	[ "$(link "$pod" net1 '"\(.address) \(.mtu)"')" = '02:00:00:00:00:77 1400' ]
	del "$c"
	deleted
	ip -n "$node" link set v0 down alias ''		# which host-device 1.1.1 leaves
	same "$before" "$pod"
}

@test "host-device as a delegate gets the name of a network device as device, and no deviceID" {
	c=$(meta '[{type: "host-device", capabilities: {deviceID: true}}, {type: "probe", capabilities: {deviceID: true}}]' \
		'.deviceID = "v0" | .runtimeConfig.deviceID = "v0"')
	add "$c"
	added
	result=$output
	run ! ip -n "$node" link show v0
	[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:0a ]
	[ "$(calls 'map(.request | [.device, .deviceID, .runtimeConfig.deviceID])')" = '[[null,"v0","v0"]]' ]
	check "$(with_prev "$result" "$c")"
	checked
	del "$(jq -c '{cniVersion, name, type}' <<<"$c")"
	deleted
	ip -n "$node" link set v0 down alias ''		# which host-device 1.1.1 leaves
	same "$before" "$pod"
	# what its versions do with an id differs: neither sees one
	cp "$fake/plugin.sh" "$dir/bin/host-device"
	forget_calls
	for own in '{}' '{hwaddr: "02:00:00:00:00:0a"}' '{device: "w0"}'; do
		add "$(meta "[{type: \"host-device\", makes: true, capabilities: {deviceID: true}} + $own]" \
			'.deviceID = "v0" | .runtimeConfig.deviceID = "v0"')"
		added
		del "$c"
		deleted
	done
	[ "$(calls 'map(.request | select(has("deviceID") or has("runtimeConfig")))')" = '[]' ]
	[ "$(calls 'map(.request | [.device, .hwaddr])')" = '[["v0",null],["v0",null],[null,"02:00:00:00:00:0a"],[null,"02:00:00:00:00:0a"],["w0",null],["w0",null]]' ]
	# nor at a DEL without a record, wherever the device is
	c=$(meta '[{type: "host-device", capabilities: {deviceID: true}}]' '.deviceID = "v0" | .runtimeConfig.deviceID = "v0"')
	for where in "$node" "$pod"; do
		[ "$where" = "$node" ] || ip -n "$node" link set v0 netns "$where"
		forget_calls
		del "$c"
		deleted
		[ "$(calls 'map(.request | [.device, .deviceID, .runtimeConfig])')" = '[["v0",null,null]]' ]
	done
}

@test "a device that only the plugins' result shows: the record gets its name, and leaves nothing in the index" {
	recorded igb
	c=$(meta '[{type: "probe", result: {interfaces: [{name: "net1", pciID: "0000:01:10.2", sandbox: "/run/netns/'"$pod"'"}]}}]' \
		'.cniVersion = "1.1.0"')
	add "$c"
	[ "$status" -eq 0 ]
	[ "$(jq -r .device "$dir"/state/attachments/*)" = 0000:01:10.2 ]
	del "$c"
	deleted
	[ "$(find "$dir/state/index" -type f)" = '' ]
}

@test "C-CON-01: many containers at once, each with its own chain, leave nothing" {
	for n in 1 2 3 4; do pod_add "dm$n-$$"; done
	c=$(meta "$two" '.mtu = 1400')
	for n in 1 2 3 4; do
		(
			env_of ADD "dm$n-$$"
			for _ in 1 2; do
				CNI_COMMAND=ADD in_node "$plugin" <<<"$c" >>"$dir/out.$n" 2>&1
				CNI_COMMAND=DEL in_node "$plugin" <<<"$c" >>"$dir/out.$n" 2>&1
			done
		) &
	done
	wait
	[ "$(cat "$dir"/out.* | jq -s 'map(select(.interfaces)) | length')" -eq 8 ]
	same "$before" "$pod"
}
