#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# json.bats - documents that are JSON, but not what they should be
#
# rooms: conf cni/call base

load helpers

setup() { node_up; }

@test "a wrong type at any depth is code 7, or what the version asks for, and names the full path of its key" {
	while IFS=@ read -r filter text; do
		cni "$(jq -c "$filter" <<<"$good")"
		refused "${text%% *}" "${text#* }"
		[[ $output == *'"msg":"'"${text#* }"'"'* ]]
	done <<-'EOF'
		.cniVersion = 1@6 cniVersion: expected a string, got an integer
		.cniVersion = ["1.0.0"]@6 cniVersion: expected a string, got a list
		.name = 7@7 name: expected a string, got an integer
		.name = {}@7 name: expected a string, got an object
		.device = 5@7 device: expected a string, got an integer
		.device = ["v0"]@7 device: expected a string, got a list
		.deviceID = 1.5@7 deviceID: expected a string, got a number
		.pciBusID = true@7 pciBusID: expected a string, got a boolean
		.resourceName = []@7 resourceName: expected a string, got a list
		.vlan = "5"@7 vlan: expected an integer, got a string
		.vlan = 1.5@7 vlan: expected an integer, got a number
		.vlan = {"id": 5}@7 vlan: expected an integer, got an object
		.vlan = 5 | .vlanQoS = "1"@7 vlanQoS: expected an integer, got a string
		.vlan = 5 | .vlanProto = 8021@7 vlanProto: expected a string, got an integer
		.mac = 0@7 mac: expected a string, got an integer
		.mtu = "1500"@7 mtu: expected an integer, got a string
		.mtu = [1500]@7 mtu: expected an integer, got a list
		.spoofchk = true@7 spoofchk: expected a string, got a boolean
		.trust = 1@7 trust: expected a string, got an integer
		.link_state = {}@7 link_state: expected a string, got an object
		.min_tx_rate = "0"@7 min_tx_rate: expected an integer, got a string
		.max_tx_rate = false@7 max_tx_rate: expected an integer, got a boolean
		.ipam = "host-local"@7 ipam: expected an object, got a string
		.ipam = []@7 ipam: expected an object, got a list
		.ipam = {type: 5}@7 ipam.type: expected a string, got an integer
		.ipam = {type: ["static"]}@7 ipam.type: expected a string, got a list
		.dns = "192.0.2.53"@7 dns: expected an object, got a string
		.dns = {domain: 1}@7 dns.domain: expected a string, got an integer
		.dns = {nameservers: "192.0.2.53"}@7 dns.nameservers: expected a list, got a string
		.dns = {nameservers: [53]}@7 dns.nameservers[0]: expected a string, got an integer
		.dns = {search: ["a", 1]}@7 dns.search[1]: expected a string, got an integer
		.dns = {search: ["a", "b", ["c"]]}@7 dns.search[2]: expected a string, got a list
		.dns = {options: [null]}@7 dns.options[0]: expected a string, got null
		.runtimeConfig = "x"@7 runtimeConfig: expected an object, got a string
		.runtimeConfig = {deviceID: 7}@7 runtimeConfig.deviceID: expected a string, got an integer
		.runtimeConfig = {deviceID: {}}@7 runtimeConfig.deviceID: expected a string, got an object
		.runtimeConfig = {mac: []}@7 runtimeConfig.mac: expected a string, got a list
		.runtimeConfig = {CNIDeviceInfoFile: true}@7 runtimeConfig.CNIDeviceInfoFile: expected a string, got a boolean
		.stateDir = 1@7 stateDir: not in a network configuration
		.devinfoDir = {}@7 devinfoDir: not in a network configuration
		.runDir = []@7 runDir: not in a network configuration
		.kubeletSocket = true@7 kubeletSocket: not in a network configuration
		.podMayOverride = "mac"@7 podMayOverride: expected a list, got a string
		.logFile = 2@7 logFile: expected a string, got an integer
		.logLevel = 2@7 logLevel: expected a string, got an integer
		.lockTimeoutMs = "5"@7 lockTimeoutMs: expected an integer, got a string
		.podResourcesTimeoutMs = 1.5@7 podResourcesTimeoutMs: expected an integer, got a number
		.ipamTimeoutMs = null | .ipamTimeoutMs = []@7 ipamTimeoutMs: expected an integer, got a list
	EOF
	untouched
}

@test "a null anywhere is as good as nothing" {
	export CNI_ARGS='K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1'
	for key in device deviceID vlan mac mtu trust ipam dns runtimeConfig logLevel stateDir prevResult args; do
		cni "$(jq -c --arg k $key '.device = "v0" | .resourceName = "a/b" | .[$k] = null' <<<"$good")"
		refused 3 CNI_NETNS
	done
	cni "$(jq -c '.ipam.type = null | .dns.search = null | .runtimeConfig = {deviceID: null, mac: null}' <<<"$good")"
	refused 3 CNI_NETNS
}

@test "a duplicate key is refused by its name, at any depth" {
	while IFS='|' read -r text key; do
		cni "$text"
		refused 6 "network configuration: duplicate key $key"
		[[ $(jq -r .details <<<"$output") == 'line 1, column '* ]]
	done <<-'EOF'
		{"name":"a","name":"b"}|"name"
		{"name":"a","vlan":1,"ipam":{"type":"x","type":"x"}}|"type"
		{"name":"a","l":[{},{"k":{"deep":1,"deep":2}}]}|"deep"
		{"name":"a","a key of more than twenty characters":1,"a key of more than twenty characters":2}|"a key of more than twenty characters"
		{"name":"a","":1,"":2}|""
		{"name":"a","é\"":1,"é\"" : 2}|"é\""
	EOF
	untouched
}

@test "C-JSN-03: bad UTF-8 and lone surrogates, in a key we ignore, are one clean error" {
	for text in $'\xff' $'\xc3' $'\xc0\xaf' $'\xed\xa0\x80' $'\xf5\x80\x80\x80' '\ud800' '\udc00' '\ud800\ud800' '\ud800x' '\u0000' '\u12'; do
		for value in "\"$text\"" "{\"$text\":1}"; do
			cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"x\":$value}"
			refused 6 'network configuration: not valid JSON'
			iconv -f UTF-8 -t UTF-16 <<<"$output" >/dev/null
		done
	done
	cni '{"cniVersion":"1.0.0","name":"net","device":"v0","x":"\ud83d\ude00 ü"}'
	refused 3 CNI_NETNS
	untouched
}

@test "C-JSN-01, C-JSN-04: numbers as Go's float64 leaves them are accepted, where we look at them and where we do not" {
	for number in 123456789012345678901234567890 -123456789012345678901234567890 18446744073709551615 1e+21 1e300 9007199254740993 0.1 -0; do
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"mtu\":1400,\"x\":[$number]}"
		refused 3 CNI_NETNS
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"mtu\":70000,\"x\":[$number]}"
		refused 7 'mtu: expected an integer of 0 to 65535, got 70000'
	done
	for number in 1.4e3 1400.0 14e2; do
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"mtu\":$number}"
		refused 3 CNI_NETNS
	done
	for number in 1e400 -1e400; do	# Go's decoder refuses these, too
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"x\":$number}"
		refused 6 'not valid JSON'
	done
	cni '{"cniVersion":"1.0.0","name":"net","device":"v0","mtu":123456789012345678901234567890}'
	refused 7 'mtu: expected an integer'
}

# big KIND - about 10 MB of it
big() {
	case $1 in
	lists) printf '[' && yes '[],' | head -n 3333333 | tr -d '\n' && printf '[]]' ;;
	nests) printf '[' && yes "$(printf '%*s' 100 '' | tr ' ' '[')$(printf '%*s' 100 '' | tr ' ' ']')," | head -n 49751 | tr -d '\n' && printf '[]]' ;;
	depth) head -c 10000000 /dev/zero | tr '\0' '[' ;;
	objects) printf '{"a":' | head -c 5 && yes '{"a":' | head -n 2000000 | tr -d '\n' ;;
	commas) printf '[' && head -c 10000000 /dev/zero | tr '\0' ',' ;;
	quotes) printf '["' && head -c 10000000 /dev/zero | tr '\0' '\\' ;;
	digits) head -c 10000000 /dev/zero | tr '\0' 1 ;;
	esac
}

# within_memory MIB - call the plugin in so much, with what is on stdin
within_memory() {
	if grep -q __asan_init "$plugin"; then
		run --separate-stderr timeout 60 env ASAN_OPTIONS="hard_rss_limit_mb=$((2 * $1)):detect_leaks=1" "$plugin"
	else
		run --separate-stderr timeout 10 bash -c "ulimit -v $(($1 * 1024)); exec '$plugin'"
	fi
}

# bats test_tags=both, native
@test "C-REQ-11: 10 MB of nested arrays, and what else there is of that size, are refused in bounded time and memory" {
	for kind in lists nests depth objects commas quotes digits; do
		within_memory 100 < <(big $kind)
		refused 6 'network configuration'
	done
	untouched
}

# with_list ITEM N - a request that has a list of that many
with_list() {
	printf '%s,"x":[' "${good%\}}"
	yes "$1," | head -n "$2" | tr -d '\n'
	printf '0]}'
}

# bats test_tags=both, native
@test "C-REQ-11: the largest number of keys and values is taken in bounded time and memory" {
	while read -r item values; do
		n=$((999980 / values))	# the rest are the other keys
		within_memory 300 < <(with_list "$item" $n)
		refused 3 CNI_NETNS
		within_memory 300 < <(with_list "$item" $((n + 20)))
		refused 6 'over 1000000 keys and values'
	done <<-'EOF'
		{} 1
		[] 1
		0 1
		"ten-bytes-" 1
		{"k":0} 3
		[[],{}] 3
	EOF
}

@test "C-REQ-11: 2000 levels are taken, and 2100 are one clean error" {
	for how in '[ ]' '{"a": }'; do
		for levels in 2000 2100; do
			cni "${good%\}},\"x\":$(yes "${how% *}" | head -n $levels | tr -d '\n')0$(yes "${how#* }" | head -n $levels | tr -d '\n')}"
			[ $levels = 2100 ] || refused 3 CNI_NETNS
			[ $levels = 2000 ] || refused 6 'not valid JSON'
		done
	done
	untouched
}
