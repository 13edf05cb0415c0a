#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# earlier.bats - stateDir, runDir and devinfoDir are changed while pods run: nothing of these is lost
#
# rooms: devinfo/journal

load helpers
load kubelet

setup() {
	node_up
	rm -r "$DEVINFO_CONF.dirs"
	before=$(snapshot)
}

teardown() {
	umount "$dir/ro" 2>/dev/null || true
	serve_stop
	node_down
}

# moved [JSON] - the node's file names other directories from now on
moved() { node_conf "{stateDir: \"$dir/new/state\", runDir: \"$dir/new/run\", devinfoDir: \"$dir/new/devinfo\"} + ${1:-{\}}"; }

noted() { jq -r '.dirs[].stateDir' "$DEVINFO_CONF.dirs/dirs.json"; }

# pretend - the host has a device of that name again, as it has one that is bound to vfio or the like
pretend() { ip -n "$node" link add v0 type veth peer name vx; }

ctl() { run --separate-stderr in_node timeout 60 "${plugin}ctl" "$@"; }

# call VERB CONF - of the attachment, or of none
call() {
	env_of "$1"
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$2"
}
status_verb() { CNI_CONTAINERID='' CNI_IFNAME='' CNI_NETNS='' CNI_COMMAND=STATUS run --separate-stderr in_node timeout 60 "$plugin" <<<"$(conf 'del(.ipam) | .cniVersion = "1.1.0"')"; }

@test "CHECK and DEL go by the record where stateDir was before, and give all back" {
	c=$(fixed)
	add "$c"
	added
	moved
	call CHECK "$(jq -c --argjson r "$output" '.prevResult = $r' <<<"$c")"
	[ "$status" -eq 0 ] || { echo "$output" && false; }
	del "$c"
	deleted
	same "$before"
	[ "$(records)" -eq 0 ]
	call CHECK "$(jq -c --argjson r "{\"cniVersion\":\"1.0.0\"}" '.prevResult = $r' <<<"$c")"
	refused 101 "no record"
}

@test "DEL tells that its record where stateDir was before is damaged" {
	add "$(conf)"
	added
	echo '{"version":1,' >"$(echo "$dir"/state/attachments/*.json)"
	rm "$dir/run/status/$pod.json"
	moved
	: >"$dir/log"
	del "$(conf)"
	deleted
	grep -q 'level=warning .*msg="its record is damaged: what only that tells is not restored' "$dir/log"
	[ "$(aside)" -eq 1 ]
	repair
	: >"$dir/log"
	del "$(conf)"
	deleted
	[[ $(<"$dir/log") != *"level=warning"* ]]
}

@test "ADD is refused a device that a living pod has by a record where stateDir was before" {
	pod_add "$pod2"
	add "$(conf)"
	added
	pretend
	moved
	add "$(conf)" "$pod2"
	refused 11 "device v0 belongs to another attachment"
	refused 11 "its record is in '$dir/state', which stateDir was before"
	[ "$(find "$dir/new/state/attachments" -name '*.json' | wc -l)" -eq 0 ]
	add "$(conf '.device = "w0"')"
	refused 11 "has a record already"
	add "$(conf '.device = "w0"')" "$pod2"	# others are given as ever
	added
	ip -n "$node" link del v0
	del "$(conf)"
	deleted
}

@test "of the devices that kubelet gave, ADD takes one that none has by a record where stateDir was before" {
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	gave v0 w0
	kubelet ok
	add "$(asking 'del(.ipam) | .name = "default"')" "$pod" eth0
	added
	pretend
	moved
	run --separate-stderr in_node timeout 60 "${plugin}ctl" resolve default/p1 --resource example.com/vf --json
	[ "$(jq -c 'map([.device, .state, .chosen])' <<<"$output")" = '[["v0","attached",false],["w0","free",true]]' ]
	add "$(asking 'del(.ipam)')" "$pod" net1
	added
	[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:1a ]
	add "$(asking 'del(.ipam) | .name = "third"')" "$pod" net2
	[ "$status" -eq 1 ]
	ip -n "$node" link del v0
}

@test "a directory of sockets is kept as long as one has it, be its record where stateDir was before or not" {
	mkdir "$dir/s"
	for first in net1 net2; do
		node_conf "{socketDir: \"$dir/s\"}"
		add "$(conf 'del(.device, .ipam) | .vhostUser = {mode: "server"}')" "$pod" net1
		added
		moved "{socketDir: \"$dir/s\"}"
		add "$(conf 'del(.device, .ipam) | .vhostUser = {mode: "server"}')" "$pod" net2
		added
		touch "$dir/s/$pod/of-the-pod"
		del "$(conf 'del(.device, .ipam) | .vhostUser = {mode: "server"}')" "$pod" "$first"
		deleted
		[ -e "$dir/s/$pod/of-the-pod" ]
		last=$([ "$first" = net1 ] && echo net2 || echo net1)
		del "$(conf 'del(.device, .ipam) | .vhostUser = {mode: "server"}')" "$pod" "$last"
		deleted
		[ ! -e "$dir/s/$pod" ]
	done
}

# hold FILE - all locks of a journal that has no record
hold() {
	mkdir -p -m 700 "$(dirname "$1")"
	head -c 16 /dev/urandom >"$1"
	chmod 600 "$1"
	python3 -c 'import fcntl, sys, time
f = open(sys.argv[1], "r+")
fcntl.lockf(f, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(600)' "$1" >"$dir/held" 3>&- &
	holder=$!
	for _ in {1..500}; do
		[ ! -s "$dir/held" ] || return 0
		sleep 0.02
	done
	return 1
}

@test "calls by a record where stateDir was before and by today's exclude each other at what both may have" {
	plain=$(conf 'del(.ipam)')
	socket=$(conf 'del(.device, .ipam) | .vhostUser = {mode: "server"} |
		.runtimeConfig.CNIDeviceInfoFile = "'"$dir"'/devinfo/cni/given"')
	mkdir "$dir/s"
	node_conf "{socketDir: \"$dir/s\"}"
	add "$plain"
	added
	add "$socket" "$pod" net2
	added
	node_conf "{stateDir: \"$dir/new/state\", socketDir: \"$dir/s\", lockTimeoutMs: 100}"
	add "$socket" "$pod" net3
	refused 103 "device-info file 'given' belongs to another attachment"
	rm -r "$dir/new"
	hold "$dir/new/state/lock"
	del "$socket" "$pod" net2
	refused 11 "lock $dir/s: held by another call of this plugin"
	[ -e "$dir/s/$pod" ]
	del "$plain"
	refused 11 "lock status/$pod.json: held by another call of this plugin"
	grep -q 'msg="a device-info file is kept" file=given why="lock device-info/given: held by another call' "$dir/log"
	kill "$holder"
	wait "$holder" || true
	del "$socket" "$pod" net2
	deleted
	[ ! -e "$dir/s/$pod" ]
	[ ! -e "$dir/devinfo/cni/given" ]
	del "$plain"
	deleted
	same "$before"
}

@test "a call by a record where stateDir was before sees today's records, be today's directories noted or not" {
	socket=$(conf 'del(.device, .ipam) | .vhostUser = {mode: "server"}')
	mkdir "$dir/s" "$dir/ro"
	node_conf "{socketDir: \"$dir/s\"}"
	add "$socket"
	added
	moved "{socketDir: \"$dir/s\"}"
	cp -a "$DEVINFO_CONF" "$DEVINFO_CONF.dirs" "$dir/ro"
	make_read_only "$dir/ro"
	export DEVINFO_CONF=$dir/ro/devinfo.json
	add "$socket" "$pod" net2
	added
	[ "$(noted)" = "$dir/state" ]
	touch "$dir/s/$pod/of-the-pod"
	del "$socket"
	deleted
	[ "$(records)" -eq 0 ]
	[ -e "$dir/s/$pod/of-the-pod" ]
	del "$socket" "$pod" net2
	deleted
	[ ! -e "$dir/s/$pod" ]
}

@test "one attachment is enough to know on which file system its stateDir is" {
	mkdir "$dir/disk"
	mount -t tmpfs none "$dir/disk"
	node_conf "{stateDir: \"$dir/disk/state\"}"
	add "$(conf)"
	added
	umount -l "$dir/disk"
	moved
	status_verb
	refused 50 "the file system that it was on is not mounted"
	del "$(conf)"
	refused 11 "the file system that it was on is not mounted"
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2
	refused 11 "the file system that it was on is not mounted"
}

@test "a stateDir of before whose file system is not mounted is out of sight, and one that was removed is empty" {
	mkdir "$dir/keep" "$dir/disk"
	mount -t tmpfs none "$dir/keep"
	mount --bind "$dir/keep" "$dir/disk"
	node_conf "{stateDir: \"$dir/disk/state\"}"
	add "$(conf)"
	added
	moved
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2
	added
	umount "$dir/disk"
	ip -n "$node" link add x0 type veth peer name y0
	add "$(conf 'del(.ipam) | .device = "x0"')" "$pod" net3
	refused 11 "earlier stateDir '$dir/disk/state': the file system that it was on is not mounted"
	refused 11 "remove its element from $DEVINFO_CONF.dirs/dirs.json"
	status_verb
	refused 50 "the file system that it was on is not mounted"
	ctl doctor --json
	[ "$(jq -r '.[] | select(.check == "dir-earlier") | "\(.severity) \(.object)"' <<<"$output")" = "error $DEVINFO_CONF.dirs" ]
	[[ $output == *"earlier stateDir '$dir/disk/state': the file system that it was on is not mounted"* ]]
	del "$(conf)"
	refused 11 "the file system that it was on is not mounted"
	touch -d '1 hour ago' "$DEVINFO_CONF.dirs/dirs.json"
	add "$(conf 'del(.ipam) | .device = "x0"')" "$pod" net3
	refused 11 "is not mounted"
	noted | grep -qx "$dir/disk/state"	# and is not forgotten
	del "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2	# has its record where stateDir is
	deleted
	mount --bind "$dir/keep" "$dir/disk"
	del "$(conf)"
	deleted
	[ "$(leases)" -eq 0 ]
	rm -r "$dir/disk/state"
	add "$(conf 'del(.ipam) | .device = "x0"')" "$pod" net3
	added
	del "$(conf 'del(.ipam) | .device = "x0"')" "$pod" net3
	deleted
	# of another boot no pod lives
	umount "$dir/disk"
	jq -c --arg d "$dir/disk/state" '.dirs = [{stateDir: $d, runDir: "/r", devinfoDir: "/d",
		fileSystem: "00000000-0000-0000-0000-000000000000 1"}]' \
		"$DEVINFO_CONF.dirs/dirs.json" >"$dir/dirs" && cat "$dir/dirs" >"$DEVINFO_CONF.dirs/dirs.json"
	add "$(conf 'del(.ipam) | .device = "x0"')" "$pod" net3
	added
}

@test "ADD cleans up after a dead owner where stateDir was before" {
	pod_add gone-"$id"
	add "$(conf)" gone-"$id"
	added
	ip -n gone-"$id" link set net1 netns "$node" name v0
	ip netns del gone-"$id"
	moved
	add "$(conf)"
	added
	[ "$(records)" -eq 0 ]
	del "$(conf)"
	deleted
	[ "$(leases)" -eq 0 ]
}

@test "STATUS, doctor and list tell of records where stateDir was before, until they are gone" {
	add "$(conf 'del(.ipam)')"
	added
	status_verb
	[ "$status" -eq 0 ] || { echo "$output" && false; }
	node_conf "{stateDir: \"$dir/new\"}"
	status_verb
	refused 50 "1 records are left in '$dir/state', which stateDir was before"
	ctl doctor --json
	[ "$status" -eq 1 ]
	[ "$(jq -r '.[] | select(.check == "dir-earlier") | "\(.severity) \(.object)"' <<<"$output")" = "error $dir/state" ]
	[ "$(jq -c '[.[] | select(.check == "status-entry")]' <<<"$output")" = "[]" ]
	ctl list --json
	[ "$(jq -r '.[] | "\(.container_id) \(.state) \(.state_dir)"' <<<"$output")" = "$pod live $dir/state" ]
	[[ $stderr == *"1 records are in $dir/state, which stateDir was before"* ]]
	ctl drift --json
	[ "$(jq -r '.[].drift' <<<"$output")" = "as made" ]
	ctl repair --json
	[ -e "$dir/run/status/$pod.json" ]
	[ "$(records)" -eq 1 ]
	del "$(conf 'del(.ipam)')"
	deleted
	same "$before"
	status_verb
	[ "$status" -eq 0 ]
	ctl doctor --json
	[ "$(jq -c '[.[] | select(.check == "dir-earlier")]' <<<"$output")" = "[]" ]
}

@test "GC, devinfoctl gc and repair release the dead where stateDir was before, and spare the living" {
	for tool in "$plugin" gc repair; do
		pod_add "gone-$id"
		node_conf '{}'
		add "$(conf 'del(.ipam)')" "gone-$id"
		added
		add "$(conf 'del(.ipam) | .device = "w0"')"
		added
		ip -n "gone-$id" link set net1 netns "$node" name v0
		ip netns del "gone-$id"
		moved
		if [ "$tool" = "$plugin" ]; then
			run --separate-stderr in_node env -u CNI_CONTAINERID -u CNI_NETNS -u CNI_IFNAME CNI_COMMAND=GC timeout 60 \
				"$plugin" <<<"$(conf 'del(.ipam) | .cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = []')"
			[ "$status" -eq 0 ] || { echo "$output" && false; }
		else
			ctl "$tool"
		fi
		[ "$(records)" -eq 1 ] || { echo "$tool: $output$stderr" && false; }
		[ -e "$dir/run/status/$pod.json" ]
		[ ! -e "$dir/run/status/gone-$id.json" ]
		del "$(conf 'del(.ipam) | .device = "w0"')"
		deleted
		same "$before"
	done
}

@test "a directory is noted once, in a file of root's, and forgotten when it has no record" {
	add "$(conf)"
	added
	[ "$(noted)" = "$dir/state" ]
	[ "$(stat -c %a "$DEVINFO_CONF.dirs" "$DEVINFO_CONF.dirs/dirs.json")" = "700
600" ]
	inode=$(stat -c %i "$DEVINFO_CONF.dirs/dirs.json")
	del "$(conf)"
	add "$(conf)"
	added
	[ "$(stat -c %i "$DEVINFO_CONF.dirs/dirs.json")" = "$inode" ]
	moved
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2
	added
	[ "$(noted)" = "$dir/state
$dir/new/state" ]
	del "$(conf)"
	deleted
	add "$(conf)"
	added
	[ "$(noted | wc -l)" -eq 2 ]	# a call that has read the file as it was may still be at work
	del "$(conf)"
	touch -d '1 hour ago' "$DEVINFO_CONF.dirs/dirs.json"
	add "$(conf)"
	added
	[ "$(noted)" = "$dir/new/state" ]
	mv "$dir/new/state" "$dir/moved"	# with a link at its place it is the same journal
	ln -s "$dir/moved" "$dir/new/state"
	node_conf "{stateDir: \"$dir/moved\"}"
	del "$(conf)"
	deleted
	del "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2
	deleted
	status_verb
	[ "$status" -eq 0 ]
}

@test "what is noted and cannot be believed: ADD is refused, DEL does not say that it is done" {
	add "$(conf)"
	added
	chmod 777 "$DEVINFO_CONF.dirs"
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2
	refused 100 "$DEVINFO_CONF.dirs"
	del "$(conf)" "$pod" net2
	refused 100 "$DEVINFO_CONF.dirs"
	status_verb
	refused 50 "$DEVINFO_CONF.dirs"
	del "$(conf)"		# its own record is where it was
	deleted
	ctl repair --json
	[ "$(jq -r '.[] | select(.check == "dir-earlier") | .result' <<<"$output")" = repaired ]
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2
	added
	for text in '{' '{"version":2,"dirs":[]}' '{"version":1,"dirs":[{"stateDir":"x"}]}'; do
		echo "$text" >"$DEVINFO_CONF.dirs/dirs.json"
		add "$(conf)"
		[ "$status" -eq 1 ]
		[[ $output == *"$DEVINFO_CONF.dirs"* ]]
	done
	rm -r "$DEVINFO_CONF.dirs"
	add "$(conf)"
	added
}

@test "where nothing can be noted ADD warns, and doctor tells" {
	mkdir "$dir/ro"
	cp "$DEVINFO_CONF" "$dir/ro"
	make_read_only "$dir/ro"
	export DEVINFO_CONF=$dir/ro/devinfo.json
	add "$(conf)"
	added
	grep -q 'stateDir must not be changed while pods run' "$dir/log"
	ctl doctor --json
	[ "$(jq -r '.[] | select(.check == "dir-earlier") | "\(.severity) \(.object)"' <<<"$output")" = "warning $DEVINFO_CONF.dirs" ]
	del "$(conf)"
	deleted
}

# strange FAULT CALL - the first ADD here, with a fault at each such system call of the note
strange() {
	env_of ADD
	ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -f -qq -o /dev/null -e trace="$2" \
		-e inject="$2:$1:when=1" "$plugin" <<<"$(conf)"
}

@test "the note fails or its ADD is killed at it: the one goes on without, a DEL ends the other" {
	for call in fsync linkat renameat2 mkdirat; do
		strange error=ENOSPC "$call"
		added
		del "$(conf)"
		deleted
		rm -rf "$DEVINFO_CONF.dirs"
	done
	for call in fsync linkat mkdirat; do
		strange signal=KILL "$call"
		[ "$status" -ne 0 ]
		[ "$(records)" -eq 0 ]
		add "$(conf)"
		added
		[ "$(noted)" = "$dir/state" ]
		del "$(conf)"
		deleted
		same "$before"
		rm -r "$DEVINFO_CONF.dirs"
	done
}

@test "a node's file that is no JSON any more: DEL, gc, list and explain go by the directories of the latest ADD" {
	moved
	add "$(conf)"
	added
	echo "{\"stateDir\": \"$dir/new/state\"" >"$DEVINFO_CONF"
	ctl list --json
	[ "$(jq -r '.[].container_id' <<<"$output")" = "$pod" ]
	[[ $stderr == *"and the directories of the latest ADD"* ]]
	ctl gc
	[ "$status" -eq 0 ] || { echo "$output$stderr" && false; }
	ctl explain default/none
	[[ $stderr == *"$DEVINFO_CONF"* ]]
	[[ $output == *"no attachment is of pod default/none"* ]]
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod" net2
	refused 7 "$DEVINFO_CONF"
	del "$(conf)"
	deleted
	[ "$(find "$dir/new/state/attachments" -name '*.json' | wc -l)" -eq 0 ]
	[ "$(leases)" -eq 0 ]
}

# at_home VERB CONF [ifname] - with the node's file at its usual place, and the test's /var/lib/cni and /run/devinfo
at_home() {
	env_of "$1" "$pod" "${3:-net1}"
	run --separate-stderr in_node timeout 60 env -u DEVINFO_CONF sh -c "$as_var_lib_cni"' &&
		mount -t tmpfs none /etc && mkdir -p /etc/cni/net.d/devinfo.d && cp "$1" /etc/cni/net.d/devinfo.d &&
		mkdir -p /run/devinfo && mount --bind "$2" /run/devinfo && exec "$3"' \
		"$dir/cni" "$dir/devinfo.json" "$dir/run" "$plugin" <<<"$2"
}

@test "the default directories need no note, and are looked at when the node's file names others" {
	mkdir "$dir/cni"
	set_dir='{cniPath: "'"$dir"'/bin", logFile: "'"$dir"'/log"'
	jq -cn "$set_dir}" >"$dir/devinfo.json"
	at_home ADD "$(conf)"
	added
	[ ! -e "$dir/cni/devinfo.dirs" ]
	[ "$(ls "$dir/cni/devinfo/attachments" | wc -l)" -eq 1 ]
	jq -cn "$set_dir, stateDir: \"$dir/new\"}" >"$dir/devinfo.json"
	at_home ADD "$(conf 'del(.ipam) | .device = "w0"')" net2
	added
	[ "$(jq -r '.dirs[].stateDir' "$dir/cni/devinfo.dirs/dirs.json")" = "$dir/new" ]
	at_home DEL "$(conf)"
	deleted
	[ "$(ls "$dir/cni/devinfo/attachments" | wc -l)" -eq 0 ]
	jq -cn "$set_dir}" >"$dir/devinfo.json"
	at_home DEL "$(conf 'del(.ipam) | .device = "w0"')" net2
	deleted
	[ "$(leases)" -eq 0 ]
}
