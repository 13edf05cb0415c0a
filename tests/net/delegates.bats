#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# delegates.bats - delegates that fail, die or are gone, and a devinfo that dies among them
#
# rooms: cni/plugins
# bats file_tags=plain

load helpers
load chain

setup() {
	chain_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

three='[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "b"}, {type: "probe", tag: "c"}]'
stripped='{"cniVersion":"1.0.0","name":"net","type":"devinfo"}'

# A log of who was asked, the first time and again.
asked() { [ "$(order)" = "$1" ] || { order && return 1; }; }

@test "C-ADD-05: when a delegate's ADD fails, exactly those that were asked are deleted, and its error is ours" {
	for who in 0 1 2; do
		forget_calls
		add "$(meta "$three" ".delegates[$who].ADD = \"error\" | .mtu = 1400")"
		refused 123 "plugin probe: the fake $(jq -nr --argjson n $who '["a", "b", "c"][$n]') does not want to; it was told so"
		asked "$(case $who in
			0) echo ADD a, DEL a ;;
			1) echo ADD a, ADD b, DEL b, DEL a ;;
			2) echo ADD a, ADD b, ADD c, DEL c, DEL b, DEL a ;;
		esac)"
		same "$before" "$pod"
		del "$(meta "$three")"
		deleted
	done
}

@test "C-DLG-07: a delegate that dies, or says nothing or nonsense, is code 107, and nothing is left" {
	while read -r how; do
		add "$(meta "$three" ".delegates[1] += $how")"
		refused 107 'plugin probe' || { echo "with $how" && return 1; }
		same "$before" "$pod"
	done <<-'END'
		{"ADD":"signal"}
		{"ADD":"words"}
		{"ADD":"nonsense"}
		{"raw":""}
		{"raw":"null"}
		{"raw":"this is not a JSON"}
		{"raw":"{} {}"}
		{"raw":"[]"}
		{"result":{"cniVersion":"9.9.9"}}
		{"result":{"cniVersion":7}}
		{"result":{"interfaces":[null]}}
		{"result":{"ips":[{"address":"x"}]}}
		{"result":{"ips":[{"address":"10.7.0.2/24","interface":0}]}}
	END
	[ "$(calls 'map(select(.verb == "DEL")) | length')" -eq 26 ]
	[ "$(calls 'map(select(.tag == "c")) | length')" -eq 0 ]
}

@test "C-CON-06: a delegate that hangs is ended in time, code 11, and nothing is left" {
	within 30 add "$(meta "$three" '.delegates[1].ADD = "hang" | .ipamTimeoutMs = 3000')"
	refused 11 'plugin probe gave no answer in time'
	asked 'ADD a, ADD b, DEL b, DEL a'
	same "$before" "$pod"
	[ -z "$(ip netns pids "$node")" ]
}

@test "C-DLG-01: a delegate that is in no directory of CNI_PATH is code 107, and what was added is deleted" {
	add "$(meta "$three" '.delegates[1].type = "nosuch"')"
	refused 107 'plugin nosuch is in no directory of CNI_PATH'
	asked 'ADD a, DEL a'
	same "$before" "$pod"
	CNI_PATH='' add "$(meta "$three")"
	refused 4 'CNI_PATH'
	same "$before" "$pod"
}

@test "C-ADD-05: a delegate that was refused for good and fails its DEL as well does not keep anything" {
	FAKE_DEL_b=error add "$(meta "$three" '.delegates[1].ADD = "error"')"
	refused 123 'the fake b'
	asked 'ADD a, ADD b, DEL b, DEL a'
	[ "$(records)" -eq 0 ]
}

@test "C-ADD-05: what cannot be rolled back now is told, kept, and done by DEL" {
	FAKE_DEL_a=error add "$(meta "$three" '.delegates[2].ADD = "error"')"
	refused 123 'the fake c does not want to'
	[[ $(jq -r .details <<<"$output") == *'undoing it'*'the fake a does not want to'* ]]
	[ "$(records)" -eq 1 ]
	forget_calls
	del "$stripped"
	deleted
	asked 'DEL a'
	same "$before" "$pod"
}

@test "C-ADD-05: an interface that no delegate made is code 102, and the chain is deleted" {
	add "$(meta "$three" 'del(.delegates[0].makes)')"
	refused 102 'the container has no interface net1'
	asked 'ADD a, ADD b, ADD c, DEL c, DEL b, DEL a'
	same "$before" "$pod"
}

@test "C-ADD-05: an MTU that the kernel refuses takes the whole chain back" {
	add "$(meta "$three" '.mac = "02:00:00:00:00:77" | .mtu = 20')"
	refused 104 'configure net1 in the container'
	asked 'ADD a, ADD b, ADD c, DEL c, DEL b, DEL a'
	same "$before" "$pod"
}

@test "C-ADD-08: a result that nobody takes is taken back, with all delegates" {
	env_of ADD
	run --separate-stderr in_node bash -c '"$1" >/dev/full' - "$plugin" <<<"$(meta "$three")"
	[ "$status" -eq 1 ]
	asked 'ADD a, ADD b, ADD c, DEL c, DEL b, DEL a'
	same "$before" "$pod"
}

@test "C-PRC-08: SIGTERM among the delegates ends the ADD, rolled back" {
	env_of ADD
	in_node "$plugin" <<<"$(meta "$three" '.delegates[1].ADD = "hang"')" >"$dir/out" 2>"$dir/err" 3>&- &
	until_asked 'ADD b'
	within 6 stop_and_wait TERM
	[ "$result" -eq 1 ]
	jq -es 'length == 1 and .[0].code > 0' "$dir/out" >/dev/null
	del "$stripped"		# what there was no time for, on a slow machine
	deleted
	same "$before" "$pod"
}

# until_asked CALL - the probe has it on its list
until_asked() {
	for _ in {1..400}; do
		[[ $(order) != *"$1" ]] || return 0
		sleep 0.05
	done
	return 1
}

# The plugin itself, which is a child of the job in the background.
stop_and_wait() {
	local job=$! pid
	pid=$(pgrep -x -P "$job" devinfo) || pid=$job
	kill -"$1" "$pid"
	wait_for "$job"
}

@test "C-DEL-01: DEL goes on after a delegate that fails, tells all errors, and asks again only who failed" {
	add "$(meta "$three" '.mtu = 1400')"
	added
	forget_calls
	FAKE_DEL_c=error FAKE_DEL_b=error del "$stripped"
	refused 123 'the fake c does not want to'
	refused 123 'the fake b does not want to'
	asked 'DEL c, DEL b, DEL a'
	[ -z "$(ls -A "$dir/run/status")" ]
	[ "$(records)" -eq 1 ]
	FAKE_DEL_b=signal del "$stripped"
	refused 107 'plugin probe died of signal 9'
	asked 'DEL c, DEL b, DEL a, DEL c, DEL b'
	del "$stripped"
	deleted
	asked 'DEL c, DEL b, DEL a, DEL c, DEL b, DEL b'
	same "$before" "$pod"
}

@test "C-DEL-01: an interface that cannot be restored keeps no delegate from its DEL, all errors are told" {
	add "$(meta "$three" '.mtu = 1400 | .mac = "02:00:00:00:00:77"')"
	added
	forget_calls
	env_of DEL
	FAKE_DEL_b=error ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -qq -o /dev/null \
		-e trace=sendto -e inject=sendto:error=ENOBUFS "$plugin" <<<"$stripped"
	refused 104 'send a netlink request'
	refused 104 'the fake b does not want to'
	asked 'DEL c, DEL b, DEL a'
	[ -z "$(ls -A "$dir/run/status")" ]
	[ "$(records)" -eq 1 ]
	del "$stripped"
	deleted
	asked 'DEL c, DEL b, DEL a, DEL b'
	same "$before" "$pod"
}

@test "C-DEL-01, C-CON-06: a delegate that hangs in DEL is ended in time, and the others are asked all the same" {
	add "$(meta "$three")"
	added
	node_conf '{ipamTimeoutMs: 3000}'
	FAKE_DEL_b=hang within 30 del "$stripped"
	refused 11 'plugin probe gave no answer in time'
	asked 'ADD a, ADD b, ADD c, DEL c, DEL b, DEL a'
	del "$stripped"
	deleted
	same "$before" "$pod"
}

@test "a dead owner's delegates are deleted for it before its device goes to the next container" {
	recorded igb
	c=$(meta "$three" '.deviceID = "0000:01:10.2"')
	add "$c"
	[ "$status" -eq 0 ]
	ip netns del "$pod"
	pod_add "$pod2"
	forget_calls
	add "$c" "$pod2"
	[ "$status" -eq 0 ]
	asked 'DEL c, DEL b, DEL a, ADD a, ADD b, ADD c'
	[ "$(calls '.[:3] | map(.env | [.CNI_CONTAINERID, .CNI_IFNAME, .CNI_NETNS]) | unique')" = "[[\"$pod\",\"net1\",\"\"]]" ]
	[ "$(calls '.[3:] | map(.env.CNI_CONTAINERID) | unique')" = "[\"$pod2\"]" ]
	forget_calls
	del "$stripped"
	deleted
	asked ''
	del "$stripped" "$pod2"
	deleted
	asked 'DEL c, DEL b, DEL a'
	[ -z "$(find "$dir/node"/{state/attachments,run,devinfo} -type f)" ]
}

@test "a dead owner's delegate that hangs keeps no device from the next, and DEL asks it again" {
	recorded igb
	c=$(meta "$three" '.deviceID = "0000:01:10.2"')
	add "$c"
	[ "$status" -eq 0 ]
	ip netns del "$pod"
	pod_add "$pod2"
	forget_calls
	FAKE_DEL_b=hang within 30 add "$c" "$pod2"
	[ "$status" -eq 0 ]
	asked 'DEL c, DEL b, DEL a, ADD a, ADD b, ADD c'
	[ "$(jq -c 'select(.containerID == "'"$pod"'") | [.released, .delegatesLeft]' "$dir"/state/attachments/*)" = '[true,2]' ]
	forget_calls
	del "$stripped"
	deleted
	asked 'DEL b'
	[ "$(find "$dir/leases" -name "added-*-$pod-*")" = '' ]
	[ "$(records)" -eq 1 ]
}

@test "a DEL that is told to stop leaves the delegates of a dead container that it has not asked for the next" {
	add "$(meta "$three")"
	added
	ip netns del "$pod"
	forget_calls
	env_of DEL
	FAKE_DEL_b=hang in_node "$plugin" <<<"$stripped" >"$dir/out" 2>"$dir/err" 3>&- &
	until_asked 'DEL b'
	stop_and_wait TERM
	[ "$result" -ne 0 ]
	[ "$(jq .delegatesLeft "$dir"/state/attachments/*)" -eq 3 ]
	forget_calls
	del "$stripped"
	deleted
	asked 'DEL b, DEL a'
	[ "$(records)" -eq 0 ]
}

@test "an ADD does not clean up after a dead owner, known by an id alone, while that has its own DEL" {
	c=$(meta "$three" '.deviceID = "dev1"')
	add "$c"
	added
	[ "$(jq -r .device "$dir"/state/attachments/*)" = '' ]
	ip netns del "$pod"
	pod_add "$pod2"
	forget_calls
	env_of DEL
	FAKE_DEL_c=hang in_node "$plugin" <<<"$stripped" >"$dir/out" 2>"$dir/err" 3>&- &
	until_asked 'DEL c'
	add "$c" "$pod2"
	refused 11 'device dev1: the container that had it is being cleaned up'
	[[ $output != *"$pod"* ]]
	asked 'DEL c'
	stop_and_wait KILL
	forget_calls
	add "$c" "$pod2"
	[ "$status" -eq 0 ]
	asked 'DEL c, DEL b, DEL a, ADD a, ADD b, ADD c'
	[ "$(records)" -eq 1 ]
}

@test "C-PIT-13, C-DEL-04: a stripped or another DEL asks the delegates of the ADD, with their whole configuration" {
	before=$(snapshot "$pod")
	mine='.runtimeConfig = {portMappings: [{HostPort: 1}], deviceID: "dev1"} |
		.delegates[1] += {nested: {ranges: [[{subnet: "10.0.0.0/8"}]]},
			capabilities: {portMappings: true, CNIDeviceInfoFile: true}}'
	for how in "$stripped" '{"cniVersion":"0.3.1","name":"net"}' "$(meta '[{type: "probe", tag: "other"}]')" \
		'{"cniVersion":"1.0.0","name":"net","type":"devinfo","delegates":[{"type":"../x"}],"prevResult":[]}'; do
		forget_calls
		add "$(meta "$three" "$mine")"
		added
		final=$output
		CNI_PATH='' del "$how"
		deleted
		asked 'ADD a, ADD b, ADD c, DEL c, DEL b, DEL a'
		[ "$(calls 'map(.request | del(.prevResult)) | .[:3] == (.[3:] | reverse)')" = true ]
		[ "$(calls ".[3:] | map(.request.prevResult) | unique == [$final]")" = true ]
		same "$before" "$pod"
	done
}

@test "C-DEL-06, C-DLG-06: DEL without a namespace, or after it has gone, asks every delegate, and nothing is left" {
	add "$(meta "$three")"
	added
	ip netns del "$pod"
	del "$stripped" "$pod" net1 ''
	deleted
	asked 'ADD a, ADD b, ADD c, DEL c, DEL b, DEL a'
	[ "$(calls '.[3:] | map(.env.CNI_NETNS) | unique')" = '[""]' ]
	[ "$(records)" -eq 0 ]
	[ -z "$(find "$dir/run" -type f)" ]
	[ -z "$(find "$dir/leases" -name 'added-*')" ]
}

@test "C-DEL-03, C-DEL-14: DEL without a record asks the delegates of its configuration, whatever they say" {
	add "$(meta "$three" '.delegates[0].DEL = "error"')"
	added
	rm -r "$dir/state" "$dir/run"
	forget_calls
	del "$(meta "$three" '.delegates[1].DEL = "error" | .prevResult = '"$output")"
	deleted
	asked 'DEL c, DEL b, DEL a'
	[ "$(find "$dir/leases" -name 'added-*' | grep -c added-b)" -eq 1 ]
	forget_calls
	del "$stripped"
	deleted
	asked ''
}

@test "C-DEL-13: DEL with a damaged record asks the delegates of its configuration, and puts it aside" {
	for damage in ': >"$r"' 'truncate -s 300 "$r"' 'echo garbage >"$r"'; do
		add "$(meta "$three")"
		added
		r=$(find "$dir/state/attachments" -type f)
		eval "$damage"
		del "$(meta "$three")"
		deleted
		[ "$(aside)" -eq 1 ]
		repair
		rm -f "$dir/run/status/$pod.json"
		same "$before" "$pod"
	done
}

@test "C-ADD-04: the same ADD again is code 103 and asks nobody" {
	add "$(meta "$three")"
	added
	attached=$(snapshot "$pod")
	add "$(meta "$three")"
	refused 103 'attached already'
	asked 'ADD a, ADD b, ADD c'
	same "$attached" "$pod"
}

@test "C-CON-05: kill -9 while a delegate runs, then DEL: nobody is left, and nothing" {
	for who in 0 1 2; do
		forget_calls
		env_of ADD
		c=$(meta "$three" ".delegates[$who] += {ADD: \"hang\", capabilities: {CNIDeviceInfoFile: true},
			info: {type: \"memif\", version: \"1.1.0\", memif: {path: \"/x\"}}}")
		in_node "$plugin" <<<"$c" >"$dir/out" 2>"$dir/err" 3>&- &
		until_asked "ADD $(jq -nr --argjson n $who '["a", "b", "c"][$n]')"
		for _ in {1..100}; do [ -z "$(find "$dir/devinfo" -type f)" ] || break; sleep 0.05; done
		stop_and_wait KILL
		[ -n "$(find "$dir/devinfo" -type f)" ]
		[ ! -s "$dir/out" ]
		for _ in {1..100}; do [ -n "$(ip netns pids "$node")" ] || break; sleep 0.05; done
		[ -z "$(ip netns pids "$node")" ]
		forget_calls
		del "$stripped"
		deleted
		asked 'DEL c, DEL b, DEL a'	# it was not written down how far it came
		same "$before" "$pod"
	done
}

@test "C-CON-05, C-ADD-04: an ADD after one that was killed undoes that first" {
	env_of ADD
	in_node "$plugin" <<<"$(meta "$three" '.delegates[1].ADD = "hang"')" >"$dir/out" 2>"$dir/err" 3>&- &
	until_asked 'ADD b'
	stop_and_wait KILL
	forget_calls
	add "$(meta "$three")"
	[ "$status" -eq 0 ]
	asked 'DEL c, DEL b, DEL a, ADD a, ADD b, ADD c'
	del "$stripped"
	deleted
	same "$before" "$pod"
}

@test "C-CON-05: kill -9 in the middle of a DEL, then DEL: nothing is left" {
	add "$(meta "$three" '.delegates[1].DEL = "ok"')"
	added
	env_of DEL
	FAKE_DEL_b=hang in_node "$plugin" <<<"$stripped" >"$dir/out" 2>"$dir/err" 3>&- &
	until_asked 'DEL b'
	stop_and_wait KILL
	del "$stripped"
	deleted
	same "$before" "$pod"
}

@test "C-ISS-05: a DEL that has to wait for a delegate holds up no other container's" {
	pod_add "$pod2"
	before=$(snapshot "$pod" "$pod2")
	for name in "$pod" "$pod2"; do
		add "$(meta "$three")" "$name"
		added
	done
	env_of DEL
	FAKE_DEL_c=hang in_node "$plugin" <<<"$stripped" >"$dir/out" 2>"$dir/err" 3>&- &
	until_asked 'DEL c'
	del "$(jq -c '.lockTimeoutMs = 100' <<<"$stripped")" "$pod2"
	stop_and_wait KILL
	deleted
	del "$stripped"
	deleted
	same "$before" "$pod" "$pod2"
}

# traced NAME [strace option...] - a call of the real chain under strace
real=
traced() {
	run --separate-stderr in_node timeout 60 strace -qq -o "$dir/trace" -e trace="$1" "${@:2}" "$plugin" <<<"$real"
}

# killed_at VERB CALL - at each such call of it; DEL does the rest
killed_at() {
	local n total=1
	for ((n = 0; n <= total; n++)); do
		[ "$1" = ADD ] || { env_of ADD && in_node "$plugin" <<<"$real" >/dev/null; }
		env_of "$1"
		if [ "$n" -eq 0 ]; then
			traced "$2"
			[ "$status" -eq 0 ]
			total=$(grep -c "^$2(" "$dir/trace")
			echo "# $2 of $1: $total times" >&3
		else
			traced "$2" -e inject="$2:signal=KILL:when=$n"
			[ "$status" -gt 128 ] || { echo "it did not die" && return 1; }
		fi
		del "$stripped"
		deleted && same "$before" "$pod" || { echo "at $2 number $n of $1" && return 1; }
	done
}

real_chain() {
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	real=$(meta "[{type: \"macvlan\", master: \"p0\", ipam: $(ipam)}, $(tuning '.mtu = 1300 | .mac = "02:00:00:00:00:88"')]" \
		'.mtu = 1280 | .mac = "02:00:00:00:00:77"')
	ip -n "$node" link set p0 up
	env_of ADD
	in_node "$plugin" <<<"$real" >/dev/null
	del "$stripped"
	deleted
	before=$(snapshot "$pod")
}

@test "C-CON-05, R-2: kill -9 at each step of an ADD around real plugins, then DEL: everything as before" {
	real_chain
	killed_at ADD clone
	killed_at ADD fsync
	killed_at ADD linkat
	killed_at ADD sendto
}

@test "C-CON-05, R-2: kill -9 at each step of a DEL around real plugins, then DEL: everything as before" {
	real_chain
	killed_at DEL clone
	killed_at DEL unlinkat
	killed_at DEL sendto
}
