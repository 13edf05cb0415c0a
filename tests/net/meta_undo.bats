#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# meta_undo.bats - what delegates cannot undo themselves, and what they must not be asked to undo
#
# rooms: cni/plugins

load helpers
load chain

setup() {
	chain_up
	cat >"$dir/bin/needy" <<-'END'
		#!/bin/bash
		# needs the namespace for its DEL, as many do
		[ "$CNI_COMMAND" != ADD ] || exec jq .prevResult
		[ -e "$CNI_NETNS" ] || { echo '{"code": 4, "msg": "needy: no namespace"}'; exit 1; }
	END
	cat >"$dir/bin/deaf" <<-'END'
		#!/bin/bash
		# is refused at once, and then cannot be stopped
		[ "$CNI_COMMAND" != ADD ] || { echo '{"code": 123, "msg": "deaf says no"}'; exit 1; }
		[ -e "$FAKE_STORE/deaf" ] || exit 0
		trap '' TERM
		touch "$FAKE_STORE/deaf.asked"
		exec sleep 600
	END
	chmod +x "$dir"/bin/{needy,deaf}
	before=$(snapshot "$pod")
}

teardown() { node_down; }

stripped='{"cniVersion":"1.0.0","name":"net","type":"devinfo"}'

# until_so COMMAND... - it succeeds
until_so() {
	for _ in {1..400}; do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.05
	done
	echo "never: $*" && return 1
}

nobody_runs() { [ -z "$(ip netns pids "$node")" ]; }
asked_for() { [[ $(order) == *"$1"* ]]; }
none_of() { [ -z "$(find "$@" -type f ! -name 'last_reserved_ip.*' ! -name lock)" ]; }

# host_device TYPE - host-device with v0, and that IPAM plugin
host_device() {
	jq -cn --argjson hl "$(ipam)" --arg type "$1" '{type: "host-device", device: "v0", ipam: (if $type == "static"
		then {type: "static", addresses: [{address: "10.6.0.2/24", gateway: "10.6.0.1"}]} else $hl end)}'
}

# A veth dies with the namespace that its other end was in, a little later.
reborn() {
	for _ in {1..100}; do ip -n "$node" link show p0 >/dev/null 2>&1 || break; sleep 0.05; done
	ip -n "$node" link add v0 address 02:00:00:00:00:0a type veth peer name p0 address 02:00:00:00:00:0b
}

# host-device 1.1.1 leaves these
tidy_v0() { ip -n "$node" link set v0 down alias ''; }

# -- an interface of somebody else's has the name --

@test "C-ADD-01: an interface that is there already is code 103, no delegate is run, and it survives" {
	pod_link
	before=$(snapshot "$pod")
	for c in "$(meta '[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "b"}]')" "$(meta "[$(bridge), $(tuning)]" '.mtu = 1400')"; do
		add "$c"
		refused 103 'net1'
		same "$before" "$pod"
	done
	[ "$(calls length)" -eq 0 ]
}

@test "C-ADD-01, C-ADD-05: the DEL that follows the refused ADD leaves the other's interface alone" {
	pod_link
	before=$(snapshot "$pod")
	c=$(meta "[$(bridge)]")
	for v in 0.3.1 1.0.0 1.1.0; do
		add "$(jq -c ".cniVersion = \"$v\"" <<<"$c")"
		refused 103 'net1'
		for _ in 1 2; do
			del "$(jq -c ".cniVersion = \"$v\"" <<<"$c")"
			deleted
			same "$before" "$pod"
		done
	done
	# of another container it is deleted
	pod_add "$pod2"
	add "$c" "$pod2"
	added
	del "$c" "$pod2"
	deleted
	bridge_gone
	same "$before" "$pod"
}

# -- the namespace is gone --

@test "C-DEL-06, C-PIT-16, C-PIT-17: host-device and sbr as delegates, the namespace gone: DEL succeeds at once, and the lease is released" {
	for type in host-local static; do
		for netns in "/run/netns/$pod" ''; do
			c=$(meta "[$(host_device $type), {type: \"sbr\"}]")
			add "$c"
			[ "$status" -eq 0 ]	# sbr is not silent
			[ $type = static ] || [ -n "$(find "$dir/ipam" -name '10.6.0.*')" ]
			ip netns del "$pod"
			within 10 del "$stripped" "$pod" net1 "$netns"
			deleted
			none_of "$dir/state" "$dir/run" "$dir/ipam"
			within 10 del "$c" "$pod" net1 "$netns"
			deleted
			reborn
			pod_add "$pod"
		done
	done
}

@test "C-DEL-06, C-ISS-40: a delegate that cannot do without the namespace does not keep DEL from succeeding, nor GC" {
	c=$(meta '[{type: "probe", tag: "a", makes: true}, {type: "needy"}, {type: "probe", tag: "b"}]' '.cniVersion = "1.1.0"')
	for verb in DEL GC; do
		forget_calls
		add "$c"
		added
		ip netns del "$pod"
		if [ $verb = DEL ]; then
			within 10 del "$stripped"
		else
			env_of GC '' '' ''
			CNI_CONTAINERID='' CNI_IFNAME='' within 10 run --separate-stderr in_node timeout 60 "$plugin" \
				<<<'{"cniVersion":"1.1.0","name":"net","type":"devinfo","cni.dev/valid-attachments":[]}'
		fi
		deleted
		asked_for 'DEL b, DEL a'
		none_of "$dir/state" "$dir/run"
		pod_add "$pod"
	done
}

@test "C-DEL-06: a delegate that fails its DEL is asked again, and once the namespace is gone for the last time" {
	add "$(meta '[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "b"}]')"
	added
	FAKE_DEL_b=error del "$stripped"
	refused 123 'the fake b'
	[ "$(records)" -eq 1 ]
	ip netns del "$pod"
	forget_calls
	FAKE_DEL_b=error del "$stripped"
	deleted
	[ "$(order)" = 'DEL b' ]
	none_of "$dir/state" "$dir/run"
}

@test "C-DEL-06, C-ADD-04: nor does it keep another container from getting the device of the dead one" {
	recorded igb
	c=$(meta '[{type: "probe", tag: "a", makes: true}, {type: "needy"}]' '.cniVersion = "1.1.0" | .deviceID = "0000:01:10.2"')
	add "$c"
	added
	ip netns del "$pod"
	pod_add "$pod2"
	within 10 add "$c" "$pod2"
	[ "$status" -eq 0 ]
	del "$stripped"
	deleted
	[ "$(records)" -eq 1 ]
	del "$stripped" "$pod2"
	deleted
	none_of "$dir/node/state/attachments" "$dir/node/run" "$dir/node/devinfo"
}

# -- a DEL that was killed --

@test "C-DEL-02, C-CON-05: a DEL again, with the record of before, after its delegates have gone through with it" {
	tidy_v0
	before=$(snapshot "$pod")
	for more in . '.mtu = 1400 | .mac = "02:00:00:00:00:77"'; do
		c=$(meta "[$(host_device host-local)]" "$more")
		add "$c"
		[ "$status" -eq 0 ]
		cp -a "$dir/state" "$dir/saved"
		del "$stripped"
		deleted
		tidy_v0
		same "$before" "$pod"
		cp -a "$dir/saved/." "$dir/state"
		[ "$(records)" -eq 1 ]
		for _ in 1 2; do
			del "$stripped"
			deleted
			tidy_v0
			same "$before" "$pod"
		done
		rm -r "$dir/saved"
	done
}

# bats test_tags=plain
@test "C-DEL-02, C-CON-05: kill -9 at each step of a DEL around host-device and sbr, then DEL: everything as before" {
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	tidy_v0
	before=$(snapshot "$pod")
	c=$(meta "[$(host_device host-local), {type: \"sbr\"}]" '.mtu = 1400')
	for call in clone fsync renameat2 unlinkat; do
		for ((n = 1; ; n++)); do
			add "$c"
			[ "$status" -eq 0 ]
			env_of DEL
			run --separate-stderr in_node timeout 60 strace -qq -o "$dir/trace" -e trace="$call" \
				-e inject="$call:signal=KILL:when=$n" "$plugin" <<<"$stripped"
			killed=$status
			del "$stripped"
			deleted && tidy_v0 && same "$before" "$pod" || { echo "at $call number $n" && return 1; }
			[ "$killed" -gt 128 ] || break
		done
		[ "$n" -gt 1 ] || [ "$call" = renameat2 ] || [ "$call" = fsync ]
	done
}

# -- an ADD that fails late --

@test "C-ADD-05: an ADD that fails after the chain has named the device leaves no record" {
	recorded igb
	c=$(meta '[{type: "probe", tag: "a", result: {interfaces: [{name: "net1", pciID: "0000:01:10.2", sandbox: "/run/netns/'"$pod"'"}]}}]' \
		'.cniVersion = "1.1.0"')
	add "$c"
	added
	[ "$(records)" -eq 1 ]
	del "$stripped"
	deleted
	for _ in 1 2; do	# the second one finds nothing of the first
		add "$(jq -c '.mtu = 1400' <<<"$c")"
		refused 7 'mtu: 0000:01:10.2 is bound to'
		none_of "$dir/node/state/attachments" "$dir/node/run" "$dir/node/devinfo"
	done
	env_of ADD
	run --separate-stderr in_node bash -c '"$1" >/dev/full' - "$plugin" <<<"$c"
	[ "$status" -eq 1 ]
	none_of "$dir/node/state/attachments" "$dir/node/run" "$dir/node/devinfo"
	forget_calls
	add "$c"
	[ "$status" -eq 0 ]
	[ "$(order)" = 'ADD a' ]
}

# -- told to stop --

# started CONF - an ADD in the background: $pid
started() {
	env_of ADD
	ip netns exec "$node" "$plugin" <<<"$1" >"$dir/out" 2>/dev/null 3>&- &
	pid=$!
}

terminated() {
	kill -TERM "$pid"
	wait_for "$pid"
}

@test "C-PRC-08: SIGTERM while an ADD that failed is undone ends it, though a delegate's DEL cannot be stopped" {
	touch "$dir/leases/deaf"
	started "$(meta '[{type: "probe", tag: "a", makes: true}, {type: "deaf"}]')"
	until_so [ -e "$dir/leases/deaf.asked" ]
	within 6 terminated
	[ "$result" -eq 1 ]
	jq -es 'length == 1 and .[0].code > 0' "$dir/out" >/dev/null
	until_so nobody_runs
	rm "$dir"/leases/deaf*
	del "$stripped"		# what there was no time for
	deleted
	same "$before" "$pod"
}

@test "C-PRC-08: SIGTERM while the last of three delegates hangs: those that had succeeded are asked to undo" {
	c=$(meta '[{type: "probe", tag: "a", makes: true}, {type: "probe", tag: "b"}, {type: "probe", tag: "c"}]')
	for how in ok hang; do
		for _ in 1 2 3; do	# a busy machine may not come to both in the second that is left
			export FAKE_ADD_c=hang FAKE_DEL_c=$how
			forget_calls
			started "$c"
			until_so asked_for 'ADD a, ADD b, ADD c'
			within 6 terminated
			[ "$result" -eq 1 ]
			jq -es 'length == 1 and .[0].code > 0' "$dir/out" >/dev/null
			asked=$(order)
			unset FAKE_ADD_c FAKE_DEL_c
			until_so nobody_runs
			del "$stripped"		# what there was no time for
			deleted
			rm -f "$dir"/leases/added-c-*
			same "$before" "$pod"
			if [[ $asked == *'DEL b'*'DEL a'* ]]; then break; fi
		done
		[[ $asked == *'DEL b'*'DEL a'* ]]
	done
}
