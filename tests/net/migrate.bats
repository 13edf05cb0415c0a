#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# migrate.bats - in the place of sriov-cni: its name, and its records
#
# Without a VF: the device of a record has vanished here, so what is left is its lease and its files.
# What is done to a VF is in tests/lab/migrate.bats.
#
# rooms: cni/sriovcni
# bats file_tags=plain

load helpers

setup() {
	node_up
	old=$dir/sriov
	mkdir -p "$old/pci/vf_lock"
	node_conf '{sriovStateDir: "\($d)/sriov"}'
	c=$(conf '.type = "sriov" | del(.device) | .deviceID = "0000:ff:1f.7"')
}
teardown() { node_down; }

# record POD [jq filter] - what sriov-cni has of it
record() {
	jq -c --arg id 0000:ff:1f.7 '{cniVersion, name, type: "sriov", ipam: {type: .ipam.type}, dns: {}, deviceID: $id,
		MAC: "", MTU: 1500, Master: "ens1f0", VFID: 0, vlan: 100, vlanQoS: 0, vlanProto: "802.1q", runtimeConfig: {},
		OrigVfState: {HostIFName: "ens1f0v0", SpoofChk: true, Trust: false, AdminMAC: "00:00:00:00:00:00",
		EffectiveMAC: "3a:00:00:00:00:01", Vlan: 0, VlanQoS: 0, VlanProto: 33024, MinTxRate: 0, MaxTxRate: 0,
		LinkState: 0, MTU: 1500}} | '"${2:-.}" <<<"$c" >"$old/$1-net1"
	echo -n "${3-/run/netns/$1}" >"$old/pci/0000:ff:1f.7"
}

none_left() {
	[ -z "$(find "$old" -type f ! -name '*.lock')" ] || { find "$old" -type f && return 1; }
	[ "$(records)" -eq 0 ]
}

@test "C-ISS-14: DEL of an old pod whose VF has vanished: the lease and the files, and once more" {
	record "$pod"
	env_of ADD
	"$dir/bin/fake" <<<"$c" >/dev/null
	[ "$(leases)" -eq 1 ]
	del "$c"
	deleted
	none_left
	[ "$(leases)" -eq 0 ]
	del "$c"
	deleted
}

@test "an IPAM plugin that fails keeps the record for the next DEL" {
	record "$pod"
	export FAKE_DEL=fail
	del "$c"
	[ "$status" -eq 1 ]
	[ "$(records)" -eq 1 ]
	unset FAKE_DEL
	del "$c"
	deleted
	none_left
}

@test "files that are torn, foreign or of another shape are said so and left alone, and DEL succeeds" {
	for text in '' '{' '[]' '{"name":"net"}' '{"name":"net","deviceID":"../../x","OrigVfState":{}}'; do
		printf '%s' "$text" >"$old/$pod-net1"
		del "$c"
		deleted
		[ "$(cat "$old/$pod-net1")" = "$text" ]
		grep -q "left alone: sriov-cni's '$pod-net1'" "$dir/log"
		rm "$dir/log"
	done
	rm "$old/$pod-net1"
	ln -s "$DEVINFO_CONF" "$old/$pod-net1"
	del "$c"
	deleted
	[ -L "$old/$pod-net1" ]
}

@test "the plugin that is chained behind sriov-cni leaves it its own" {
	ln -s "$fake/plugin.sh" "$dir/bin/sriov"
	for filter in . 'del(.ipam.type)'; do
		record "$pod" "$filter"
		del "$(conf 'del(.device, .ipam) | .prevResult = {cniVersion: "1.0.0"}')"
		deleted
		[ -e "$old/$pod-net1" ]
		grep -q "made by another plugin that is still there" "$dir/log"
		rm "$dir/log"
	done
	# with the type and the IPAM plugin changed it is ours all the same
	record "$pod"
	del "$(conf '.ipam.type = "host-local" | del(.device)')"
	deleted
	none_left
	rm "$dir/bin/sriov"
	# and so it is where nobody else has the name
	ln -s "$plugin" "$dir/bin/sriov"
	record "$pod"
	del "$(conf 'del(.device, .ipam) | .prevResult = {cniVersion: "1.0.0"}')"
	deleted
	none_left
	rm "$dir/bin/sriov"
	record "$pod"
	del "$(conf 'del(.device, .ipam) | .prevResult = {cniVersion: "1.0.0"}')"
	deleted
	none_left
}

# broken N ERRNO POD NETNS - a DEL whose N-th openat2 fails for once; false when it had not so many
broken() {
	env_of DEL "$3" net1 "$4"
	run --separate-stderr in_node timeout 60 strace -qq -f -o "$dir/trace" -e trace=openat2 \
		-e inject="openat2:error=$2:when=$1" "$plugin" <<<"$c"
	grep -q INJECTED "$dir/trace"
}

@test "what cannot be read for now is an error, and never a reason to leave the VF or to take another's" {
	pod_add "$pod2"
	failed=0
	for ((n = 1; ; n++)); do
		record "$pod"
		broken "$n" ENFILE "$pod" "" || break
		# an answer of 0 has ended it
		[ "$status" -ne 0 ] || [ ! -e "$old/$pod-net1" ] || { echo "$n: $output$stderr" && return 1; }
		failed=$((failed + (status != 0)))
		del "$c"
		deleted
		none_left
	done
	echo "$failed of $n"
	[ "$failed" -ge 5 ]
	for ((n = 1; ; n++)); do
		record "$pod" . "/run/netns/$pod2"
		broken "$n" ENFILE "$pod" /run/netns/nosuch || break
		[ -e "$old/pci/0000:ff:1f.7" ] || { echo "$n: $output$stderr" && return 1; }
	done
	[ "$n" -ge 10 ]
}

@test "killed while it takes over a VF with older records, a DEL is ended by the next one" {
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	tries=0
	for sc in linkat renameat fsync unlinkat; do
		for ((n = 1; n < 40; n++)); do
			for p in old older "$pod"; do
				env_of ADD "$p"
				"$dir/bin/fake" <<<"$c" >/dev/null
				record "$p" . /run/netns/nosuch
			done
			touch -d '-2 minutes' "$old/older-net1"
			touch -d '-1 minute' "$old/old-net1"
			env_of DEL
			rc=0
			in_node strace -qq -o "$dir/trace" -e trace="$sc" -e inject="$sc:signal=SIGKILL:when=$n" "$plugin" \
				<<<"$c" >/dev/null 2>&1 || rc=$?
			[ "$rc" -eq 0 ] || [ "$rc" -eq 137 ]
			# until the VF is in the journal, what is known of it stays
			[ -e "$old/older-net1" ] || [ ! -e "$old/$pod-net1" ] || grep -q "\"$pod\"" "$dir"/state/attachments/*
			for p in "$pod" older old; do
				del "$c" "$p" net1 ""
				deleted
			done
			none_left
			[ "$(leases)" -eq 0 ]
			[ "$rc" -eq 137 ] || break
			tries=$((tries + 1))
		done
	done
	echo "$tries tries"
	[ "$tries" -ge 10 ]
}

@test "DEL and GC of a dead pod whose VF a living one has leave that as it is, and CHECK knows it still" {
	pod_add "$pod2"
	c=$(host_local '.type = "sriov" | del(.device) | .deviceID = "0000:ff:1f.7"')
	record "$pod" . /run/netns/nosuch
	touch -d '-1 minute' "$old/$pod-net1"
	record "$pod2"
	files=$(cd "$old" && sha256sum "$pod2-net1" pci/0*)
	env_of CHECK "$pod2"
	check=$(jq -c '.cniVersion = "1.0.0" | .prevResult = {cniVersion: "1.0.0", interfaces: [{name: "net1",
		sandbox: "/run/netns/'"$pod2"'"}]}' <<<"$c")
	run --separate-stderr in_node "$plugin" <<<"$check"
	before=$output
	[[ $before == *"not as sriov-cni left it"* ]]
	for verb in DEL GC; do
		env_of "$verb" "$pod" net1 ""
		run --separate-stderr in_node "$plugin" <<<"$(jq -c '.cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = [
			{containerID: "'"$pod2"'", ifname: "net1"}]' <<<"$c")"
		[ "$status" -eq 0 ] || { echo "$verb: $output$stderr" && return 1; }
		[ "$files" = "$(cd "$old" && sha256sum "$pod2-net1" pci/0*)" ]
		[ "$(records)" -eq 0 ]
		env_of CHECK "$pod2"
		run --separate-stderr in_node "$plugin" <<<"$check"
		[ "$output" = "$before" ]
	done
	jq -e .OrigVfState "$old/$pod-net1"
	del "$c" "$pod2"
	deleted
	none_left
}

@test "a name that the pod's interface has is no original to be sure of, and the log says so" {
	record "$pod" '.OrigVfState.HostIFName = "net1" | .OrigVfState.Vlan = 100'
	del "$c"
	deleted
	grep -q "took for the VF's original what an earlier pod may have left" "$dir/log"
}

@test "while sriov-cni holds its lock of the VF, DEL waits, but not for ever" {
	record "$pod"
	node_conf '{sriovStateDir: "\($d)/sriov", lockTimeoutMs: 200}'
	flock "$old/pci/vf_lock/0000:ff:1f.7.lock" sleep 20 3>&- &
	holder=$!
	for _ in {1..100}; do flock -n "$old/pci/vf_lock/0000:ff:1f.7.lock" true || break; sleep 0.05; done
	within 10 del "$c"
	refused 11 "held by sriov-cni"
	[ -e "$old/$pod-net1" ]
	pkill -P "$holder" || true
	kill "$holder" 2>/dev/null || true
	wait_for "$holder"
	del "$c"
	deleted
	none_left
}

@test "GC takes what is dead, keeps what lives, and what is of another network" {
	gc() { env_of GC; run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c '.cniVersion = "1.1.0" |
		."cni.dev/valid-attachments" = []' <<<"$c")"; }
	c=$(host_local '.type = "sriov" | del(.device) | .deviceID = "0000:ff:1f.7"')
	env_of ADD
	/usr/lib/cni/host-local <<<"$c" >/dev/null
	[ "$(grep -l "$pod" "$dir"/ipam/net/* | wc -l)" -eq 2 ]
	record "$pod"
	record other '.name = "other" | .deviceID = "0000:ff:1f.6"' "/run/netns/$pod"
	gc
	[ "$status" -eq 0 ]
	[ -e "$old/$pod-net1" ]
	[ -e "$old/other-net1" ]
	echo -n /run/netns/nosuch >"$old/pci/0000:ff:1f.7"
	gc
	[ "$status" -eq 0 ]
	[ ! -e "$old/$pod-net1" ]
	[ -e "$old/other-net1" ]
	[ "$(records)" -eq 0 ]
	[ "$(grep -l "$pod" "$dir"/ipam/net/* | wc -l)" -eq 0 ]
}

@test "an attachment of ib-sriov-cni is warned about" {
	mkdir -p "$dir/root/var/lib/cni/ib-sriov-cni"
	mkdir -p "$dir/root/proc/sys/kernel/random"
	cp /proc/sys/kernel/random/boot_id "$dir/root/proc/sys/kernel/random/"
	node_conf '{root: "\($d)/root", logFile: ""}'
	echo '{}' >"$dir/root/var/lib/cni/ib-sriov-cni/$pod-net1"
	del "$(conf 'del(.device, .ipam)')"
	deleted
	[[ $stderr == *"made by ib-sriov-cni, and not released"* ]]
	del "$(conf 'del(.device, .ipam)')" "$pod" net2
	deleted
	[ -z "$stderr" ]
}

@test "called by the name of another plugin it is the same program" {
	ln -s "$plugin" "$dir/bin/sriov"
	plugin=$dir/bin/sriov
	add "$(conf '.type = "sriov"')"
	added
	del "$(conf '.type = "sriov"')"
	deleted
	[ "$(records)" -eq 0 ]
}

@test "a delegate, or an IPAM plugin, that is this program, a copy of it, or leads to it is refused at once" {
	before=$(snapshot "$pod")
	ln -s "$plugin" "$dir/bin/sriov"
	ln "$plugin" "$dir/bin/hard" 2>/dev/null || ln -s "$plugin" "$dir/bin/hard"
	cp "$plugin" "$dir/bin/copy"
	{ cat "$plugin" && echo of another version; } >"$dir/bin/later"
	printf '#!/bin/sh\nexec "%s"\n' "$plugin" >"$dir/bin/between"
	chmod +x "$dir/bin/later" "$dir/bin/between"
	for name in sriov hard copy later between; do
		within 5 add "$(conf '{cniVersion, name, type, delegate: {type: "'$name'", device: .device}}')"
		refused 7 "plugin $name: devinfo cannot be run by devinfo"
		within 5 add "$(conf '.ipam.type = "'$name'"')"
		refused 7 "plugin $name: devinfo cannot be run by devinfo"
		same "$before" "$pod"
	done
	# nor does it end what it has not begun
	for verb in VERSION STATUS GC CHECK DEL; do
		env_of "$verb"
		DEVINFO_DEPTH=1 run --separate-stderr in_node "$plugin" <<<"$(conf)"
		refused 7 "devinfo cannot be run by devinfo"
	done
}
