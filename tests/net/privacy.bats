#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# privacy.bats - what is another attachment's: its device-info file, and its names in our words
#
# The error of an ADD becomes an event of the pod, which its user reads; the log is the node's.
#
# rooms: cni/attach cni base

load helpers
load socket

setup() {
	socket_up
	pod_add "$pod2"
	node_conf '{socketDir: "\($d)/s", hostDirs: ["*"], switchPrograms: ["'"$program"'"], lockTimeoutMs: 5000}'
	c=$(vhost server)
	victim=$dir/devinfo/cni/net-${pod}_net1
}

teardown() { socket_down; }

# named FILE [jq filter] - a tenant's configuration that names this file for its own
named() { vhost server '.name = "tenant" | .runtimeConfig.CNIDeviceInfoFile = "'"$1"'" | '"${2:-.}"; }

# tell-tale words of pod 1's: error texts must have none of them
tells_nothing() {
	[[ $output != *"$pod"* && $output != *victim* && $output != *net1* ]] || { echo "$output" && return 1; }
}

@test "the file of a live attachment is not given to another: 103, and nothing is changed" {
	add "$c"
	added
	before=$(snapshot "$pod" "$pod2")
	for given in "$victim" "$dir/devinfo/cni/../cni/net-${pod}_net1" "$dir/devinfo//cni/net-${pod}_net1"; do
		add "$(named "$given")" "$pod2" net7
		case $given in
		*..*) refused 7 "CNIDeviceInfoFile" ;;
		*) refused 103 "device-info file 'net-${pod}_net1' belongs to another attachment" ;;
		esac
		same "$before" "$pod" "$pod2"
		[ ! -e "$sockets/$pod2" ]
		# what an engine does then: it is not the caller's to remove
		del "$(named "$given")" "$pod2" net7
		deleted
		same "$before" "$pod" "$pod2"
	done
	# as an interface's, as that of a chain, and as what says which socket is the pod's
	add "$(conf '.name = "tenant" | .runtimeConfig.CNIDeviceInfoFile = "'"$victim"'"')" "$pod2" net7
	refused 103 "belongs to another attachment"
	cp "$fake/plugin.sh" "$dir/bin/a"
	add "$(conf 'del(.device, .ipam) | .name = "tenant" | .delegates = [{type: "a", makes: true}]
		| .runtimeConfig.CNIDeviceInfoFile = "'"$victim"'"')" "$pod2" net7
	refused 103 "belongs to another attachment"
	add "$(named "$victim" 'del(.vhostUser) | .runtimeConfig.deviceID = "s0"')" "$pod2" net7
	refused 103 "belongs to another attachment"
	logged "of interface net1 of container $pod of network net"
	same "$before" "$pod" "$pod2"
	del "$c"
	deleted
	nothing_left
}

@test "a file that is in no record of ours is another plugin's: 103, and nobody of us removes it" {
	mkdir -p "$dir/devinfo/cni"
	cp "$fake/plugin.sh" "$dir/bin/a"
	for name in default-sriov-0123456789ab_net1 "default-net-x${pod}_net1"; do
		echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/old.sock"}}' >"$dir/devinfo/cni/$name"
		before=$(snapshot "$pod")
		for one in "$(named "$dir/devinfo/cni/$name")" "$(conf '.runtimeConfig.CNIDeviceInfoFile = "'"$dir/devinfo/cni/$name"'"')" \
			"$(conf 'del(.device, .ipam) | .delegates = [{type: "a", makes: true, capabilities: {CNIDeviceInfoFile: true}}]
				| .runtimeConfig.CNIDeviceInfoFile = "'"$dir/devinfo/cni/$name"'"')"; do
			add "$one"
			refused 103 "device-info file '$name' is there, and no attachment of ours has made it"
			[[ $output == *"remove $dir/devinfo/cni/$name"* ]]
			same "$before" "$pod"
			del "$one"
			deleted
			same "$before" "$pod"
		done
	done
	# what the delegates of the last DEL were told
	[ "$(grep '^{' "$FAKE_STORE/calls.log" | jq -sc 'map(select(.verb == "DEL") | .request.runtimeConfig.CNIDeviceInfoFile) | unique')" = '[null]' ]
}

@test "a file without its owner's name is his who has it first, and the next one's after his end" {
	add "$(named "$dir/devinfo/cni/any")"
	added
	before=$(snapshot "$pod" "$pod2")
	add "$(named "$dir/devinfo/cni/any")" "$pod2"
	refused 103 "device-info file 'any' belongs to another attachment"
	same "$before" "$pod" "$pod2"
	ip netns del "$pod"
	add "$(named "$dir/devinfo/cni/any")" "$pod2"
	added
	[ "$(jq -r '."vhost-user".mode' "$dir/devinfo/cni/any")" = server ]
	# the dead one's DEL comes late: it is not his any more
	del "$(named "$dir/devinfo/cni/any")"
	deleted
	[ -e "$dir/devinfo/cni/any" ]
	grep -q 'a device-info file is kept.* file=any' "$dir/log"
	[ "$(records)" = 1 ]
	del "$(named "$dir/devinfo/cni/any")" "$pod2"
	deleted
	nothing_left
}

@test "a tenant that has taken another's name before it cannot keep it, nor take it away" {
	add "$(named "$victim")" "$pod2" net7
	added
	add "$c"
	added
	[ "$(jq -r '."vhost-user".path' "$victim")" = /run/devinfo/sockets/net1.sock ]
	ours=$(sha256sum "$victim")
	del "$(named "$victim")" "$pod2" net7
	deleted
	[ "$(sha256sum "$victim")" = "$ours" ]
	del "$c"
	deleted
	nothing_left
}

@test "two ADDs at once that name one file: one has it, the other is refused" {
	for _ in 1 2 3 4 5 6 7 8; do
		for id in "$pod" "$pod2"; do
			env_of ADD "$id"
			in_node timeout 60 "$plugin" <<<"$(named "$dir/devinfo/cni/any")" >"$dir/out.$id" &
		done
		wait || true
		[ "$(jq -s 'map(.code // 0) | sort' "$dir/out.$pod" "$dir/out.$pod2" | tr -d ' \n')" = '[0,103]' ]
		for id in "$pod" "$pod2"; do
			del "$(named "$dir/devinfo/cni/any")" "$id"
			deleted
		done
		nothing_left
	done
}

@test "no error of a pod's names another pod's container, interface or network" {
	node_conf '{socketDir: "\($d)/s", hostDirs: ["*"], switchPrograms: ["'"$program"'"], lockTimeoutMs: 200}'
	add "$(conf '.name = "victim" | del(.ipam)')"
	added
	add "$(conf '.name = "tenant" | del(.ipam)')" "$pod2" eth7
	refused 11 "device v0 belongs to another attachment"
	tells_nothing
	logged "of interface net1 of container $pod of network victim"
	add "$(vhost server '.name = "victim" | .vhostUser += {hostDir: "both", uid: 1000}')" "$pod" net1s
	added
	add "$(vhost server '.name = "tenant" | .vhostUser += {hostDir: "both", socket: "b", uid: 7}')" "$pod2" eth7
	refused 103 "'$sockets/both' is there already"
	[[ $output == *"another attachment has the directory"* ]]
	tells_nothing
	logged "of interface net1s of container $pod of network victim"
}

@test "what a dead pod has left that cannot be cleaned up is told without its names" {
	both=$(hooked "$(vhost server '.vhostUser += {hostDir: "both", socket: "a"}')")
	add "$(jq -c '.name = "victim"' <<<"$both")"
	added
	ip netns del "$pod"
	echo "no port victim-$pod-net1" >"$dir/switch.del"
	add "$(jq -c '.name = "tenant"' <<<"$both")" "$pod2" eth7
	[ "$status" -eq 1 ]
	[[ $(jq -r .msg <<<"$output") == "clean up $sockets/both/a after the container that had it"* ]]
	tells_nothing
	logged "no port victim-$pod-net1"
	logged "container $pod"
	rm "$dir/switch.del"
	add "$(jq -c '.name = "tenant"' <<<"$both")" "$pod2" eth7
	added
}
