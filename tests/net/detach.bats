#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# detach.bats - DELs in every state that an engine, a pod or a reboot leaves behind
#
# rooms: cni/attach cni/netdev devinfo/journal netlink

load helpers

setup() {
	node_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# bats test_tags=attach
@test "C-DEL-01, C-DEL-02, C-ISS-34: DEL succeeds silently, and a second and a third time" {
	add "$(host_local)"
	added
	for _ in 1 2 3; do
		del "$(host_local)"
		deleted
		[ -z "$stderr" ]
		same "$before" "$pod"
	done
}

@test "C-DEL-03: DEL without any ADD succeeds, and asks IPAM all the same" {
	del "$(conf)"
	deleted
	[ "$(cut -d ' ' -f 1 "$dir/leases/calls.log")" = DEL ]
	same "$before" "$pod"
	FAKE_DEL=error del "$(conf)"	# it may know nothing either
	deleted
}

@test "C-DEL-03, C-DEL-14: DEL succeeds where no state directory was ever made" {
	rm -r "$dir/state" "$dir/run"
	del "$(conf)"
	deleted
	[ ! -e "$dir/state" ]
}

@test "C-DEL-06, C-ISS-33: DEL with an empty or missing CNI_NETNS restores everything" {
	add "$(conf)"
	added
	del "$(conf)" "$pod" net1 ''
	deleted
	same "$before" "$pod"
	add "$(conf)"
	added
	env_of DEL
	run --separate-stderr in_node env -u CNI_NETNS "$plugin" <<<"$(conf)"
	deleted
	same "$before" "$pod"
}

@test "C-DEL-06, C-DEL-10, C-DEL-12, C-ISS-13: DEL after the namespace was deleted releases lease, record and status" {
	add "$(conf)"
	added
	ip netns del "$pod"
	del "$(conf)"
	deleted
	[ "$(leases)" -eq 0 ]
	[ "$(records)" -eq 0 ]
	[ -z "$(ls -A "$dir/run/status")" ]
	[ ! -e "/run/netns/$pod" ]
}

@test "C-DEL-07, C-SEC-01, C-ISS-26: DEL succeeds when the namespace's path is a plain file, a directory or a FIFO by now" {
	for make in 'touch' 'mkdir' 'mkfifo'; do
		add "$(conf)"
		added
		# the same namespace, but its path shows something else
		$make "$dir/was"
		umount "/run/netns/$pod"
		rm "/run/netns/$pod"
		mv "$dir/was" "/run/netns/$pod"
		within 5 del "$(conf)"
		rm -rf "/run/netns/$pod"
		deleted
		[ "$(leases)" -eq 0 ]
		[ "$(records)" -eq 0 ]
		ip netns del "$node"
		ip netns add "$node"
		ip -n "$node" link add v0 type veth peer name p0
		pod_add "$pod"
	done
}

@test "C-DEL-08, C-ISS-14, C-ISS-40: DEL succeeds when the interface was deleted in the pod" {
	add "$(conf)"
	added
	ip -n "$pod" link del net1
	del "$(conf)"
	deleted
	[ "$(records)" -eq 0 ]
	[ "$(leases)" -eq 0 ]
}

@test "an interface that the pod renamed, set down or gave another MTU is restored" {
	add "$(conf)"
	added
	ip -n "$pod" link set net1 down
	ip -n "$pod" link set net1 name renamed mtu 900
	ip -n "$pod" link set renamed up
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "another interface that took the name in the pod is never touched" {
	add "$(conf)"
	added
	ip -n "$pod" link set net1 down name renamed
	ip -n "$pod" link add net1 type veth peer name other
	ip -n "$pod" addr add 192.0.2.9/24 dev net1
	foreign=$(link "$pod" net1 '"\(.ifindex) \(.address)"')
	del "$(conf)"
	deleted
	[ "$(link "$pod" net1 '"\(.ifindex) \(.address)"')" = "$foreign" ]
	[ "$(ip -n "$pod" -j addr show net1 | jq -r '.[0].addr_info[0].local')" = 192.0.2.9 ]
	[ "$(link "$node" v0 .address)" = 02:00:00:00:00:0a ]
}

@test "another interface that got the number of ours, which was deleted in the pod, is never touched" {
	add "$(conf)"
	added
	number=$(link "$pod" net1 .ifindex)
	ip -n "$pod" link del net1
	ip -n "$pod" link add other index "$number" type veth peer name other2
	foreign=$(links "$pod")
	del "$(conf)"
	deleted
	[ "$(links "$pod")" = "$foreign" ]
	[ "$(records)" -eq 0 ]
}

@test "a name that was taken at home meanwhile does not keep the device in the pod" {
	add "$(conf)"
	added
	ip -n "$node" link add v0 type veth peer name x0
	del "$(conf)"
	deleted
	[ -z "$(ip -n "$pod" -j link | jq -r '.[] | select(.ifname != "lo") | .ifname')" ]
	ip -n "$node" -j link | jq -e 'any(.[]; .address == "02:00:00:00:00:0a")' >/dev/null
}

@test "C-DEL-13: DEL succeeds with a record that is empty, truncated or garbage, and puts it aside" {
	for damage in ': >"$r"' 'truncate -s 100 "$r"' 'echo garbage >"$r"' 'head -c 5000 /dev/urandom >"$r"'; do
		add "$(conf)"
		added
		r=$(find "$dir/state/attachments" -type f)
		eval "$damage"
		del "$(conf)"
		deleted
		[ "$(records)" -eq 0 ]
		[ "$(leases)" -eq 0 ]
		[ "$(aside)" -eq 1 ]
		grep -q 'level=warning .*a damaged record is put aside.*@v0.json.damaged device=v0 ' "$dir/log"
		del "$(conf)"
		deleted
		[ "$(aside)" -eq 1 ]
		# what the record knew is not restored: the pod's end brings the device home
		ip -n "$pod" link set net1 netns "$node" down name v0
		add "$(conf)"
		refused 103 'device v0 is not given away: its record'
		[ "$(ip -n "$node" -j link show v0 | jq -r '.[].operstate')" = DOWN ]
		[ "$(leases)" -eq 0 ]
		add "$(conf '.device = "w0"')" "$pod" net2
		added
		del "$(conf '.device = "w0"')" "$pod" net2
		deleted
		repair
	done
}

@test "DEL of an attachment whose record is lost says that its device is not put back; a second DEL has nothing to say" {
	add "$(conf)"
	added
	rm "$dir"/state/attachments/*.json
	del "$(conf)"
	deleted
	[[ $(<"$dir/log") == *"level=warning"*"the record of this attachment is lost or damaged: its device is not put back"* ]]
	: >"$dir/log"
	del "$(conf)"
	deleted
	[[ $(<"$dir/log") != *"level=warning"* ]]
}

@test "a record's devinfoDir and runDir that others may write, and are no settings, are left alone" {
	add "$(conf)"
	added
	sed -i "s|\"devinfoDir\":\"[^\"]*\"|\"devinfoDir\":\"$dir/theirs\"|; s|\"runDir\":\"[^\"]*\"|\"runDir\":\"$dir/theirs\"|" \
		"$dir"/state/attachments/*
	mkdir -p "$dir/theirs/status" "$dir/theirs/cni"
	cp "$dir/run/status/$pod.json" "$dir/theirs/status"
	chmod 777 "$dir/theirs"
	del "$(conf)"
	deleted
	[ "$(grep -c "a record's directory is left alone.*'$dir/theirs' has owner" "$dir/log")" -ge 1 ]
	[ -e "$dir/theirs/status/$pod.json" ]
	[ -z "$(ls -A "$dir/run/status")" ]
	[ "$(records)" -eq 0 ]
}

@test "C-DEL-14, C-ISS-39: DEL succeeds when the state was wiped, and releases the lease" {
	add "$(conf)"
	added
	rm -r "$dir/state" "$dir/run"
	del "$(conf)"
	deleted
	[ "$(leases)" -eq 0 ]
}

@test "C-DEL-16: DEL with a read-only state directory restores what it can, is an error, and succeeds later" {
	add "$(conf)"
	added
	make_read_only "$dir/state"
	del "$(conf)"
	umount "$dir/state"
	refused 5 'journal record'
	[ "$(link "$node" v0 .ifname)" = v0 ]
	[ "$(leases)" -eq 0 ]
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "C-DEL-16: DEL that cannot remove the network-status entry restores, is an error, and succeeds later" {
	add "$(conf)"
	added
	make_read_only "$dir/run"
	del "$(conf)"
	umount "$dir/run"
	refused 5 network-status
	[ "$(link "$node" v0 .ifname)" = v0 ]
	[ "$(leases)" -eq 0 ]
	[ "$(records)" -eq 1 ]
	del "$(conf)"
	deleted
	[ -z "$(ls -A "$dir/run/status")" ]
	[ "$(records)" -eq 0 ]
	same "$before" "$pod"
}

@test "C-DEL-16: DEL of an attachment we never made succeeds with a read-only state directory" {
	make_read_only "$dir/state"
	del "$(conf)"
	umount "$dir/state"
	deleted
}

@test "C-DEL-16: DEL of an attachment we never made succeeds on a full disk, with and without a lock there" {
	mkdir "$dir/full"
	mount -t tmpfs -o size=64k,nr_inodes=7 tmpfs "$dir/full"
	mkdir -p "$dir/full/state/attachments" "$dir/full/run/status"
	node_conf "{stateDir: \"$dir/full/state\", runDir: \"$dir/full/run\"}"
	touch "$dir/full/state/lock"		# as an ADD leaves it that finds no room for its key
	head -c 1m /dev/zero >"$dir/full/fill" 2>/dev/null || true
	del "$(conf)"
	empty=$status$output
	rm "$dir/full/state/lock"
	touch "$dir/full/last"			# and no inode
	del "$(conf)"
	none=$status$output
	run touch "$dir/full/state/lock"	# it was full
	full=$status
	mount -o remount,ro "$dir/full"
	del "$(conf)"
	read_only=$status$output
	umount "$dir/full"
	node_conf '{}'
	[ "$full" -eq 1 ]
	[ "$empty" = 0 ]
	[ "$none" = 0 ]
	[ "$read_only" = 0 ]
}

@test "C-DEL-16: DEL restores everything on a full disk" {
	full_disk_del "$(conf)"
	deleted
	[ -z "$left" ]
	same "$before" "$pod"
}

@test "C-DEL-04, C-DEL-05: DEL does not need, and does not believe, the configuration" {
	for c in '{"cniVersion":"1.0.0","name":"net"}' '{"cniVersion":"0.3.1","name":"net","device":"w0","ipam":7}' \
		"$(conf '.device = "a/b" | .vlan = "x" | .prevResult = {ips: [null]} | .runtimeConfig = []')"; do
		add "$(conf)"
		added
		CNI_ARGS='A;=;B' del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "C-DEL-04: DEL asks the IPAM plugin of the ADD with the request of the ADD" {
	add "$(conf '.cniVersion = "0.4.0"')"
	added
	CNI_PATH='' del '{"cniVersion":"1.0.0","name":"net","ipam":{"type":"nosuch"}}'
	deleted
	[ "$(tail -n 1 "$dir/leases/calls.log")" = 'DEL 0.4.0' ]
	[ "$(leases)" -eq 0 ]
}

@test "no program is run from a path in a record: DEL goes by its CNI_PATH, else by the node's cniPath" {
	add "$(conf)"
	added
	mkdir "$dir/evil"
	printf '#!/bin/sh\ntouch %s\n' "$dir/evil/ran" >"$dir/evil/fake"
	chmod 755 "$dir/evil/fake"
	sed -i 's|"request":|"cniPath":"'"$dir/evil"'",&|' "$dir"/state/attachments/*.json
	CNI_PATH='' del "$(conf)"
	deleted
	[ ! -e "$dir/evil/ran" ]
	[ "$(leases)" -eq 0 ]
}

@test "a DEL whose IPAM fails restores the device, is an error, and succeeds when IPAM works again" {
	add "$(conf)"
	added
	FAKE_DEL=error del "$(conf)"
	refused 11 'no addresses left'
	[ "$(link "$node" v0 .ifname)" = v0 ]
	[ -z "$(ls -A "$dir/run/status")" ]
	[ "$(records)" -eq 1 ]
	# the device may go on to the next pod, and the old DEL leaves it alone there
	pod_add "$pod2"
	add "$(conf '.name = "second"')" "$pod2"
	added
	del "$(conf)"
	deleted
	[ "$(link "$pod2" net1 .ifname)" = net1 ]
	[ "$(records)" -eq 1 ]
	del "$(conf '.name = "second"')" "$pod2"
	deleted
	same "$before" "$pod"
}

@test "C-ERR-06: an error of DEL has no words that engines take for success" {
	add "$(conf)"
	added
	rm "$dir/bin/fake"
	del "$(conf)"
	[ "$status" -eq 1 ]
	run ! grep -Eiq 'not found|no such file or directory' <<<"$output"
}

# dies - $pod, whose veth dies with it: another one of the same name is on the host again
dies() {
	ip netns del "$pod"
	for _ in {1..50}; do ip -n "$node" link show p0 >/dev/null 2>&1 || break; sleep 0.05; done
	ip -n "$node" link add v0 address 02:00:00:00:00:0a type veth peer name p0
}

@test "a network gives its DEL no less time than the node does, for then its device would never come back" {
	c=$(conf '.delTimeoutMs = 1 | .ipamTimeoutMs = 1')
	add "$(conf)"
	added
	del "$c"
	deleted
	[ "$(leases)" -eq 0 ]
	same "$before" "$pod"
}

@test "a dead owner's lease that cannot be released fails no ADD: it is logged, and left in the record" {
	node_conf '{ipamTimeoutMs: 1000}'
	add "$(conf)"
	added
	dies
	pod_add "$pod2"
	export FAKE_DEL
	for FAKE_DEL in error hang; do
		add "$(conf '.name = "second"')" "$pod2"
		[ "$status" -eq 0 ]
		[ "$(jq -c 'select(.containerID == "'"$pod"'") | .released' "$dir"/state/attachments/*)" = true ]
		grep -q "not released, and left for DEL or GC.*owner=$pod/net1" "$dir/log"
		FAKE_DEL=ok del "$(conf '.name = "second"')" "$pod2"
		deleted
		sed -i 's/"released":true/"released":false/' "$dir"/state/attachments/*	# once more
	done
	FAKE_DEL=ok del "$(conf)" "$pod"
	deleted
	[ "$(leases)" -eq 0 ]
	[ "$(records)" -eq 0 ]
}

@test "a dead owner's device goes to the next pod, and the old DEL does not touch it there" {
	add "$(conf)"
	added
	dies
	pod_add "$pod2"
	add "$(conf)" "$pod2"
	[ "$status" -eq 0 ]
	# nothing of the dead one waits for a DEL, which need not come
	[ "$(find "$dir"/{leases,run,state/attachments} -type f -name "*$pod*")" = "" ]
	[ "$(leases)" -eq 1 ]
	[ "$(records)" -eq 1 ]
	attached=$(link "$pod2" net1 '"\(.ifindex) \(.address)"')
	del "$(conf)" "$pod" net1
	deleted
	[ "$(link "$pod2" net1 '"\(.ifindex) \(.address)"')" = "$attached" ]
	[ "$(leases)" -eq 1 ]
	del "$(conf)" "$pod2"
	deleted
	[ "$(leases)" -eq 0 ]
	[ "$(records)" -eq 0 ]
	[ "$(link "$node" v0 .address)" = 02:00:00:00:00:0a ]
}

@test "C-ISS-14: a record of an earlier boot restores nothing onto today's devices" {
	add "$(conf '.mtu = 1400')"
	added
	sed -i 's/"bootID":"[^"]*"/"bootID":"00000000-0000-0000-0000-000000000000"/' "$dir"/state/attachments/*
	inside=$(link "$pod" net1 '"\(.ifindex) \(.mtu)"')
	del "$(conf)"
	deleted
	[ "$(link "$pod" net1 '"\(.ifindex) \(.mtu)"')" = "$inside" ]
	[ "$(leases)" -eq 0 ]
	[ "$(records)" -eq 0 ]
}

@test "C-CON-01: many containers at once, each with ADD and DEL, leave nothing" {
	for i in {1..8}; do
		ip -n "$node" link add "m$i" type veth peer name "n$i"
		pod_add "dm$i-$$"
	done
	before=$(snapshot)
	for i in {1..8}; do
		(
			env_of ADD "dm$i-$$"
			c=$(host_local ".device = \"m$i\"")
			for _ in 1 2 3; do
				CNI_COMMAND=ADD in_node "$plugin" <<<"$c" >>"$dir/out.$i" 2>&1
				CNI_COMMAND=DEL in_node "$plugin" <<<"$c" >>"$dir/out.$i" 2>&1
			done
		) &
	done
	wait
	[ "$(cat "$dir"/out.* | jq -s 'map(select(.interfaces)) | length')" -eq 24 ]
	same "$before"
}

@test "C-ISS-18: what the pod did to the device is undone: promiscuous, all multicast, alias, queue length" {
	before=$(snapshot "$pod")
	add "$(conf)"
	added
	ip -n "$pod" link set net1 promisc on allmulticast on alias evil txqueuelen 3 mtu 1300
	del "$(conf)"
	deleted
	same "$before" "$pod"
	[ "$(link "$node" v0 '"\(.promiscuity) \(.txqlen) \(.ifalias)"')" = "0 1000 null" ]
}

@test "a new namespace with the old one's path and number is not the owner's" {
	add "$(conf)"
	added
	number=$(link "$pod" net1 .ifindex)
	ip netns del "$pod"
	ip netns add "$pod"	# the kernel uses the inode number again at once
	ip -n "$pod" link add net1 index "$number" type veth peer name other
	foreign=$(ip -n "$pod" -d -j link)
	del "$(conf)"
	deleted
	[ "$(ip -n "$pod" -d -j link)" = "$foreign" ]
	[ "$(records)" -eq 0 ]
}

@test "DEL goes on with a node file and a log that are wrong, ADD does not" {
	before=$(snapshot "$pod")
	for wrong in '{nosuchkey: 1}' '{lockTimeoutMs: 0}' '{logFile: "/nonexistent/x.log"}'; do
		node_conf '{}'
		add "$(conf)"
		added
		node_conf "$wrong"
		rm -f "$dir/log"
		del "$(conf)"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		# into the log, unless that is what is wrong
		[[ $stderr$(cat "$dir/log" 2>/dev/null) == *level=warning* ]]
		same "$before" "$pod"
	done
	node_conf '{nosuchkey: 1}'
	add "$(conf)"
	refused 7 nosuchkey
	same "$before" "$pod"
}

@test "DEL finds the files where ADD has put them, whatever the node's file says by then" {
	before=$(snapshot "$pod")
	add "$(conf)"
	added
	node_conf '{runDir: "/nonexistent/run", devinfoDir: "/nonexistent/devinfo"}'
	del "$(conf)"
	deleted
	same "$before" "$pod"
}

@test "an engine that ignores SIGCHLD does not hide an IPAM plugin's failure" {
	add "$(conf)"
	added
	env_of DEL
	FAKE_DEL=error run --separate-stderr in_node /usr/bin/python3 -c \
		'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' \
		"$plugin" <<<"$(conf)"
	[ "$status" -eq 1 ]
	[ "$(records)" -eq 1 ]
	del "$(conf)"
	deleted
	[ "$(records)" -eq 0 ]
}

@test "the device's number is taken at home: it comes home with another one, and is restored all the same" {
	ip -n "$node" link add t0 index 4711 type veth peer name t1
	add "$(conf '.device = "t0" | .mtu = 1400 | .mac = "02:00:00:00:00:78"')"
	added
	mac=$(jq -r '.netdev.addr' "$dir"/state/attachments/*)
	ip -n "$node" link add u0 index 4711 type veth peer name u1
	other=$(link "$node" u0 '"\(.address) \(.mtu)"')
	del "$(conf)"
	deleted
	[ "$(link "$node" t0 '"\(.address | gsub(":"; "")) \(.mtu)"')" = "$mac 1500" ]
	[ "$(link "$node" u0 '"\(.address) \(.mtu)"')" = "$other" ]
	[ "$(records)" -eq 0 ]
}

@test "an ADD that comes again is refused wherever the network-status files lie by now" {
	add "$(conf)"
	added
	inside=$(link "$pod" net1 .ifindex)
	node_conf '{runDir: "/nonexistent/run"}'
	add "$(conf)"
	refused 103 "attached already"
	[ "$(link "$pod" net1 .ifindex)" = "$inside" ]
	del "$(conf)"
	deleted
}

@test "DEL does not look into another journal than the one that was meant" {
	add "$(conf)"
	added
	cp "$DEVINFO_CONF" "$dir/good"
	node_conf '{stateDir: "relative"}'
	del "$(conf)"
	[ "$status" -eq 1 ]
	cp "$dir/good" "$DEVINFO_CONF"
	del "$(conf)"
	deleted
	[ "$(records)" -eq 0 ]
}

@test "a node's file that is no JSON: ADD is refused, DEL goes by the defaults, and says so" {
	for text in '{"logLevel":' '' '[]'; do
		echo "$text" >"$DEVINFO_CONF"
		add "$(conf)"
		refused 7 "$DEVINFO_CONF"
		del "$(conf)"
		deleted
		[[ $stderr == *"$DEVINFO_CONF"* ]]
	done
	rm -r "$DEVINFO_CONF.dirs"	# where none are noted
	for text in '{"stateDir":"/x"' '{root: /x'; do	# the record may be there
		echo "$text" >"$DEVINFO_CONF"
		del "$(conf)"
		[ "$status" -eq 1 ]
	done
	head -c 64 /dev/zero >"$DEVINFO_CONF"		# what was in it nobody knows
	del "$(conf)"
	[ "$status" -eq 1 ]
}
