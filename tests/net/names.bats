#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# names.bats - whose a record is, whatever its file is called: names that were chosen for their hash, those
# of the version before, and those of a key that was lost
#
# "net/c0ffee/net1" and "net/evil3shVP2SyVSwWig/net1" have one hash of the version before.
#
# rooms: devinfo/journal

load helpers
load before

victim=c0ffee evil=evil3shVP2SyVSwWig

setup() {
	node_up
	pod_add "$pod2"
	c=$(conf)
	on_w0=$(conf '.device = "w0"')
}

teardown() { node_down; }

# of victim|evil VERB CONF - a call of theirs, each in its own namespace
of() {
	local netns=/run/netns/$pod
	[ "$1" = "$victim" ] || netns=/run/netns/$pod2
	env_of "$2" "$1" net1 "$netns"
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$3"
}

# renamed FROM - the one record is called as the version before would have called it
renamed() {
	local file
	file=$(find "$dir/state/attachments" -name '*.json')
	[ "$(hash_before <<<"net/$1/net1")" = 3371cfe893fca213 ]
	mv "$file" "$dir/it"
	mv "$dir/it" "$dir/state/attachments/3371cfe893fca213@${file#*@}"
}

owners() { jq -r .containerID "$dir"/state/attachments/*.json | sort | paste -sd' '; }

@test "a record whose lease is left is not written over by whoever chose a name of the same hash" {
	of $victim ADD "$c"
	added
	FAKE_DEL=error of $victim DEL "$c"
	refused 11 "no addresses left"
	of $evil ADD "$c"
	added
	[ "$(owners)" = "$victim $evil" ]
	of $victim DEL "$c"
	deleted
	[ "$(owners)" = "$evil" ]
	[ "$(leases)" -eq 1 ]
	of $evil DEL "$c"
	deleted
	[ "$(records)" -eq 0 ]
	[ "$(leases)" -eq 0 ]
}

@test "nor does its call hold up the other's" {
	node_conf '{lockTimeoutMs: 500}'
	of $victim ADD "$c"
	added
	env_of ADD $evil net1 "/run/netns/$pod2"
	FAKE_ADD=hang in_node timeout 60 "$plugin" <<<"$on_w0" >"$dir/out" 3>&- &
	until [ -e "$dir/leases/calls.log" ] && [ "$(grep -c ^ADD "$dir/leases/calls.log")" -eq 2 ]; do sleep 0.02; done
	of $victim DEL "$c"
	deleted
	[ -z "$(find "$dir/state/attachments" -name '*@v0.json')" ]
}

@test "a record by the name of the version before: list, CHECK and DEL find it, and it is nobody else's" {
	for who in $victim $evil; do
		for how in true settled; do
			other=$victim
			[ $who = $evil ] || other=$evil
			of $who ADD "$c"
			added
			result=$output
			renamed $who
			$how
			of $other ADD "$c"
			refused 11 "belongs to another attachment"
			of $other DEL "$c"
			deleted
			[ "$(owners)" = $who ]
			of $who ADD "$c"
			refused 103 "attached already"
			run --separate-stderr in_node "${plugin}ctl" list --json
			[ "$(jq -r '.[] | [.container_id, .state] | join(" ")' <<<"$output")" = "$who live" ]
			of $who CHECK "$(jq -c --argjson r "$result" '.prevResult = $r' <<<"$c")"
			deleted
			of $other ADD "$on_w0"
			added
			[ "$(owners)" = "$victim $evil" ]
			of $who DEL "$c"
			deleted
			[ "$(owners)" = $other ]
			of $other DEL "$on_w0"
			deleted
			[ "$(records)" -eq 0 ]
			[ "$(leases)" -eq 0 ]
		done
	done
}

@test "a dead one by the name of the version before is released by GC, and by the next ADD of its device" {
	of $victim ADD "$c"
	added
	renamed $victim
	ip netns del "$pod"
	env_of GC
	run --separate-stderr in_node "$plugin" <<<"$(jq -c 'del(.ipam) | .cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = []' <<<"$c")"
	deleted
	[ "$(records)" -eq 0 ]

	pod_add "$pod"
	of $victim ADD "$on_w0"
	added
	renamed $victim
	ip netns del "$pod"
	until ip -n "$node" link add w0 type veth peer name q0 2>/dev/null; do sleep 0.05; done
	of $evil ADD "$on_w0"
	added
	[ "$(owners)" = "$evil" ]
}

@test "a key of the hashes that was lost loses no record" {
	for how in true settled 'rm -r "$dir/state/index"'; do
		of $victim ADD "$c"
		added
		result=$output
		rm "$dir/state/lock"
		eval "$how"
		run --separate-stderr in_node "${plugin}ctl" list --json
		[ "$(jq -r '.[] | [.container_id, .state] | join(" ")' <<<"$output")" = "$victim live" ]
		of $victim CHECK "$(jq -c --argjson r "$result" '.prevResult = $r' <<<"$c")"
		deleted
		of $evil ADD "$c"
		refused 11 "belongs to another attachment"
		of $victim ADD "$c"
		refused 103 "attached already"
		of $victim DEL "$c"
		deleted
		[ "$(records)" -eq 0 ]
		[ "$(leases)" -eq 0 ]
	done
}

@test "the entries of a damaged record that was removed go with the next GC, however young the change" {
	of $victim ADD "$c"
	added
	of $evil ADD "$on_w0"
	added
	whole
	truncate -s 50 "$dir"/state/attachments/*@v0.json
	of $victim DEL "$c"
	deleted
	[ "$(aside)" -eq 1 ]
	[ -n "$(find "$dir/state/index" -name '*@v0.json')" ]
	repair
	run ! whole
	env_of GC
	run --separate-stderr in_node "$plugin" <<<"$(jq -c --arg id $evil 'del(.ipam) | .cniVersion = "1.1.0" |
		."cni.dev/valid-attachments" = [{containerID: $id, ifname: "net1"}]' <<<"$c")"
	deleted
	[ -z "$(find "$dir/state/index" -name '*@v0.json')" ]
	[ -n "$(find "$dir/state/index" -name '*@w0.json')" ]
	of $evil DEL "$on_w0"
	deleted
}
