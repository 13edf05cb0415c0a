#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# pod_gc.bats - networks of pods that have died: GC, doctor, stateDir that has changed
#
# rooms: cni/pod devinfo/journal manager/doctor

load helpers
load chain
load pod

setup() {
	pod_up
	four
	ctl=${plugin}ctl
	conf=$(asking 'mv,mixed,own')
}

teardown() { node_down; }

# gc [ATTACHMENT...] - with these listed
gc() {
	env_of GC
	unset CNI_CONTAINERID CNI_IFNAME CNI_NETNS
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c '.cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = $ARGS.positional' \
		--jsonargs "$@" <<<"$conf")"
}
listed() { jq -cn --arg id "$pod" '{containerID: $id, ifname: "eth0"}'; }

# dies - the pod's namespace goes, and what was in it comes home or ends
dies() {
	ip -n "$pod" link set eth0 netns "$node" name v0
	ip -n "$pod" link set net3 netns "$node" name w0
	ip netns del "$pod"
	pods=()
}

finding() { in_node "$ctl" doctor --json "$@" | jq -c '.[] | select(.check == "pod-networks") | [.severity, .object]'; }

@test "GC releases the networks of a dead container, not those of a listed or living one" {
	add "$conf" "$pod" eth0
	added
	gc
	deleted
	[ "$(records)" -eq 4 ]
	dies
	gc "$(listed)"
	deleted
	[ "$(find "$dir/state/networks" -type f | wc -l)" -eq 1 ]
	gc
	deleted
	[ -z "$(left)" ] || { left && return 1; }
	[ "$(calls 'map(select(.verb == "DEL")) | length')" -eq 2 ]
	[ "$(calls 'map(.env.CNI_ARGS | sub(".*CONTAINER_ID="; "")) | unique')" = "[\"$pod\"]" ]
	ip -n "$node" link show v0 && ip -n "$node" link show w0
}

@test "doctor tells networks whose container is gone, after a while, and no others" {
	add "$conf" "$pod" eth0
	added
	file=$(echo "$dir"/state/networks/*.json)
	touch -d '1 hour ago' "$file"
	[ -z "$(finding)" ]
	dies
	[ "$(finding)" = "[\"warning\",\"$file\"]" ]
	touch "$file"
	[ -z "$(finding)" ]
	gc
	deleted
	truncate -s 20 "$file"
	[ "$(finding)" = "[\"warning\",\"$file\"]" ]
	mv "$file" "$file.damaged"
	[ "$(finding)" = "[\"warning\",\"$file.damaged\"]" ]
}

@test "a DEL finds the networks in the stateDir that they were attached by, and nothing is left there" {
	before=$(snapshot "$pod")
	add "$conf" "$pod" eth0
	added
	mkdir -m 700 "$dir/other"
	networks_conf "{stateDir: \"$dir/other\"}"
	check "$(with_prev "$output" "$conf")" "$pod" eth0
	checked
	del "$conf" "$pod" eth0
	deleted
	same "$before" "$pod"
	[ -z "$(left)" ] || { left && return 1; }
}

@test "a record that is damaged is put aside: the DEL releases the default network, and the others have records of their own" {
	add "$conf" "$pod" eth0
	added
	truncate -s 40 "$dir"/state/networks/*.json
	del "$conf" "$pod" eth0
	deleted
	ls "$dir"/state/networks/*.json.damaged
	[ "$(records)" -eq 3 ]
	dies2() { ip -n "$pod" link set net3 netns "$node" name w0; ip netns del "$pod"; pods=(); }
	dies2
	settled
	in_node "$ctl" gc
	[ "$(records)" -eq 0 ]
}

@test "a container of the same name that is attached while GC waits for it is not released" {
	definition slow '{"cniVersion":"1.0.0","plugins":[{"type":"slow"},{"type":"devinfo"}]}'
	cat >"$dir/bin/slow" <<-'EOT'
		#!/bin/sh
		cat >/dev/null
		case $CNI_COMMAND in
		ADD)
			nsenter --net="$CNI_NETNS" ip link add "$CNI_IFNAME" type veth peer name x || exit
			echo '{"cniVersion":"1.0.0","interfaces":[{"name":"'"$CNI_IFNAME"'","sandbox":"'"$CNI_NETNS"'"}]}'
			;;
		DEL) echo "$CNI_NETNS" >"$FAKE_STORE/slow" && sleep 2 ;;
		esac
	EOT
	chmod +x "$dir/bin/slow"
	conf=$(asking 'slow')
	add "$conf" "$pod" eth0
	added
	ip -n "$pod" link set eth0 netns "$node" name v0
	ip netns del "$pod"
	pods=()
	pod_add "$pod"
	env_of ADD "$pod" eth0
	ip netns exec "$node" "$plugin" <<<"$conf" >"$dir/out" 2>"$dir/err" 3>&- &
	adding=$!
	until [ -e "$dir/leases/slow" ]; do sleep 0.05; done
	gc
	deleted
	wait "$adding" || { cat "$dir/out" && return 1; }
	# nothing of a namespace that is gone is another one's of this path
	[ "$(<"$dir/leases/slow")" = '' ]
	ip -n "$pod" link show eth0
	[ "$(records)" -eq 2 ]
	ls "$dir"/state/networks/*.json
}

@test "a DEL that a plugin keeps from its end leaves that network alone in the record, and the next one does no other again" {
	definition mixed "$(jq -cn '{cniVersion: "1.0.0", name: "mixed", plugins: [{type: "macvlan", master: "p0"}, {type: "devinfo"},
		{type: "probe", tag: "mixed"}]}')"
	add "$conf" "$pod" eth0
	added
	forget_calls
	FAKE_DEL_mixed=error del "$conf" "$pod" eth0
	refused 123 'interface net2, network apps/mixed'
	[ "$(jq -c '[.attachments[].definition]' "$dir"/state/networks/*.json)" = '["apps/mixed"]' ]
	[ "$(records)" -eq 0 ]
	ip -n "$node" link show v0 && ip -n "$node" link show w0
	[ "$(order)" = 'DEL mixed, DEL mv' ]
	forget_calls
	del "$conf" "$pod" eth0
	deleted
	[ "$(order)" = 'DEL mixed' ]
	[ -z "$(left)" ]
}

@test "a DEL of many networks ends with its time, and the next one goes on from there" {
	networks_conf '{delTimeoutMs: 3000}'
	definition slow '{"cniVersion":"1.0.0","plugins":[{"type":"devinfo","device":"w0"},{"type":"probe","tag":"slow"}]}'
	conf=$(asking 'mv,mixed,slow')
	add "$conf" "$pod" eth0
	added
	begun=$SECONDS
	FAKE_DEL_slow=hang del "$conf" "$pod" eth0
	[ "$status" -eq 1 ]
	[ $((SECONDS - begun)) -le 8 ]
	[ "$(jq -c '[.attachments[].definition]' "$dir"/state/networks/*.json)" = '["apps/slow"]' ]
	del "$conf" "$pod" eth0
	deleted
	[ -z "$(left)" ] || { left && return 1; }
	ip -n "$node" link show v0 && ip -n "$node" link show w0
}
