#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# repair.bats - devinfoctl repair: what is left of whom is mended, and nothing else
#
# What the checks find is in tests/cli/leaks.bats; VFs are in tests/lab.
#
# rooms: manager/doctor cni/attach

load helpers

setup() {
	node_up
	node_conf "{socketDir: \"$dir/sockets\"}"
	mkdir -p "$dir"/lib/{results,multus} "$dir"/devinfo/{cni,dp} "$dir"/{sockets,run/links,state/pods,state/index/01}
	chmod 700 "$dir"/state/{pods,index,index/01}
	chmod 755 "$dir/run/links"
	c=$(conf)
}

teardown() { node_down; }

# mend [OPTION...] - with the caches of libcni and Multus in $dir/lib; $rows are those about leaks
mend() {
	run --separate-stderr in_node timeout 60 \
		sh -c "$as_var_lib_cni"' && exec "$@"' "$dir/lib" "${before[@]}" "${plugin}ctl" repair --json "$@"
	rows=$(jq -r '.[] | select(.check | test("^(record|info|dp-file|status|ledger|link|index|netns|vf|ovs)-")) |
		"\(.check): \(.result)"' <<<"${output:-[]}")
	rows=${rows/index-entry: gone/index-entry: repaired}	# whoever looks into a journal may have done it
}

# mended LINE... - of rows, in their order
mended() {
	[ "$rows" = "$(printf '%s\n' "$@")" ] || { echo "$rows"; jq -r '.[] | "\(.check) \(.why)"' <<<"$output"; return 1; }
}

old() { touch -d '3 days ago' "$@"; }

# all that is left of somebody, but for attachments, VFs (tests/lab) and ports (tests/peers)
litter() {
	echo '[{"name":"net","interface":"net1"}]' >"$dir/run/status/gone.json"
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"ffff:99:00.0"}}' \
		>"$dir/devinfo/dp/example.com-vf-ffff:99:00.0-device.json"
	ln -sfn "$dir/sockets/gone" "$dir/run/links/0123456789ab"
	cp "$top/tests/node/before/ledger.json" "$dir/state/pods/default_p1@0123456789abcdef.json"
	chmod 600 "$dir"/state/pods/*
	touch "$dir/state/index/01/0123456789abcdef.0123456789abcdef@x.json"
	chmod 775 "$dir/run/links"
	echo '{"containerId":"gone","netns":"/run/netns/gone"}' >"$dir/lib/results/net-gone-net1"
	old "$dir"/devinfo/*/* "$dir"/run/status/gone.json "$dir"/state/pods/*
	settled		# the index is looked at again
}
no_litter() {
	[ ! -e "$dir/run/status/gone.json" ]
	[ -z "$(find "$dir"/devinfo/*/ "$dir"/state/pods "$dir"/run/links ! -type d)" ]
	[ "$(stat -c %a "$dir/run/links")" = 755 ]
}

# dies - an attachment whose container is gone, and whose device came home as hardware does
dies() {
	pod_add dead-"$id"
	add "$c" dead-"$id"
	added
	ip -n dead-"$id" link set net1 netns "$node" name v0
	ip netns del dead-"$id"
}

all_released() {
	[ "$(records)" -eq 0 ]
	[ "$(leases)" -eq 0 ]
	[ -z "$(find "$dir"/run/status "$dir"/devinfo/cni -type f)" ]
}

leaks=("dp-file-gone: repaired" "link-nowhere: repaired" "record-dead: repaired" "status-entry: repaired"
	"index-entry: repaired" "ledger-file: repaired")

@test "what is left is mended, one by one with a reason, after which nothing is found; what lives stays" {
	add "$(jq -c '.device = "w0"' <<<"$c")" "$pod" net2
	added
	was=$(snapshot "$pod")
	dies
	litter
	mend --dry-run
	mended "${leaks[@]/repaired/would repair}"
	[ "$status" -eq 1 ]
	mend
	mended "${leaks[@]}"
	grep -q 'msg="repaired by devinfoctl" check=record-dead' "$dir/log"
	no_litter
	same "$was" "$pod"
	mend
	mended
	same "$was" "$pod"
}

@test "kill -9 at each change that repair makes: the next one does the rest" {
	local sysfault=${BUILD:-$top/build}/tests/tool/sysfault n
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	was=$(snapshot)
	for ((n = 1; n < 60; n++)); do
		dies
		litter
		before=("$sysfault" changes kill "$n")
		mend
		[ "$status" -ne 137 ] && break
		before=()
		mend
		[[ $rows != *failed* ]] || { echo "at $n: $rows" && return 1; }
		no_litter || { echo "at $n" && return 1; }
		same "$was" || { echo "at $n" && return 1; }
		mend
		mended
	done
	echo "# $((n - 1)) changes" >&3
	[ "$n" -gt 8 ]
	[ "$n" -lt 60 ]
}

@test "what another call is at work on is not touched, and told" {
	node_conf "{socketDir: \"$dir/sockets\", lockTimeoutMs: 100}"
	dies
	litter
	take_locks
	mend
	give_locks
	[ "$status" -eq 1 ]
	[[ $rows == *"record-dead: failed"* ]]
	[[ $rows == *"status-entry: failed"* ]]
	[[ $rows == *"link-nowhere: failed"* ]]
	[ -e "$dir/run/status/gone.json" ]
	[ -L "$dir/run/links/0123456789ab" ]
	[ "$(records)" -eq 1 ]
	mend
	[[ $rows != *failed* ]]
	no_litter
	[ "$(records)" -eq 0 ]
}

@test "a namespace's name that is a plain file by now: what is in the way is told, and then it is released" {
	pod_add dead-"$id"
	add "$c" dead-"$id"
	added
	ip -n dead-"$id" link set net1 netns "$node" name v0
	umount /run/netns/dead-"$id"
	mend
	[[ $rows == *"record-dead: failed"* ]]
	[ "$(jq -r '.[] | select(.check == "record-dead").why' <<<"$output" | grep -c "on the node itself, remove what is left at that path")" = 1 ] ||
		{ echo "$output" && false; }
	[ "$(records)" -eq 1 ]
	ip netns del dead-"$id"
	mend
	[[ $rows == *"record-dead: repaired"* ]]
	[ "$(records)" -eq 0 ]
}

# take_locks, give_locks - all of them, as an ADD that has all names
take_locks() {
	python3 - "$dir/state/lock" <<-'END' 3>&- &
		import fcntl, struct, sys, time
		f = open(sys.argv[1], "r+b")
		fcntl.fcntl(f, fcntl.F_OFD_SETLK, struct.pack("hhqqi", fcntl.F_WRLCK, 0, 0, 0, 0))
		time.sleep(60)
	END
	job=$!
	for _ in {1..100}; do
		grep -q "OFDLCK .*:$(stat -c %i "$dir/state/lock") " /proc/locks && return
		sleep 0.05
	done
	return 1
}
give_locks() {
	kill "$job"
	wait "$job" 2>/dev/null || true
}

@test "what has changed since it was found is left as it is" {
	dies
	litter
	take_locks
	in_node timeout 60 sh -c "$as_var_lib_cni"' && exec "$@"' "$dir/lib" "${plugin}ctl" repair --json >"$dir/out" 3>&- &
	local mending=$!
	# the first remedy needs no lock, the second waits for one
	for _ in {1..500}; do
		[ -e "$dir/devinfo/dp/example.com-vf-ffff:99:00.0-device.json" ] || break
		sleep 0.02
	done
	mv "$dir"/state/attachments/*.json "$dir/record"
	rm "$dir/run/status/gone.json"
	give_locks
	wait "$mending" || true
	[ "$(jq -r '.[] | select(.result == "gone" and .check != "index-entry").check' "$dir/out")" = "record-dead
status-entry" ] || { jq -c '.[] | [.result, .check, .why]' "$dir/out" && return 1; }
	[ "$(records)" -eq 0 ]
}

@test "what is left of an attachment of an earlier boot is released, and of one whose device was given back" {
	dies
	sed -i 's/"bootID":"[^"]*"/"bootID":"6b1e7a2c-58a5-4d0b-9a4e-000000000001"/' "$dir"/state/attachments/*.json
	mend
	mended "record-earlier-boot: repaired"
	all_released
	add "$c"
	added
	FAKE_DEL=error del "$c"
	[ "$(jq .released "$dir"/state/attachments/*.json)" = true ]
	mend
	mended "record-released: by hand"	# by its DEL
	[ "$(records)" -eq 1 ]
	ip netns del "$pod"
	mend
	mended "record-released: repaired"
	all_released
	mend
	mended
}

@test "network-status of an attachment that lives stays, although its record is lost" {
	add "$c"
	added
	mkdir "$dir/lost"
	mv "$dir"/state/attachments/*.json "$dir/lost"
	echo '{"kind":"cniCacheV1","containerId":"'"$pod"'","netns":"/run/netns/'"$pod"'"}' >"$dir/lib/results/net-$pod-net1"
	settled
	mend
	mended "status-entry: by hand" "index-entry: repaired"
	[ -e "$dir/run/status/$pod.json" ]
	ip netns del "$pod"
	mend
	mended "status-entry: repaired"
	[ ! -e "$dir/run/status/$pod.json" ]
}

@test "nothing of a container is removed where nothing tells that it is dead: its record is lost, and libcni knows nothing" {
	add "$c"
	added
	rm "$dir"/state/attachments/*.json
	echo '{"type":"memif","version":"1.1.0","memif":{"role":"master","path":"/m"}}' >"$dir/devinfo/cni/default-net-${pod}_net1"
	echo nonsense >"$dir/run/status/spoilt.json"
	old "$dir"/devinfo/cni/* "$dir"/run/status/*
	settled
	find "$dir"/devinfo "$dir"/run -type f | sort >"$dir/was"
	for known in info-file: status-entry: ; do
		mend
		[ "$(grep -c "^$known by hand" <<<"$rows")" -ge 1 ]
		[ "$(grep -c '^status-entry: by hand' <<<"$rows")" -eq 2 ]
		[ -z "$(grep -vE '^(info-file|status-entry): by hand|^index-entry: ' <<<"$rows")" ]
		[ "$status" -eq 1 ]
		[[ $(jq -r '.[] | select(.check == "status-entry").what' <<<"$output") == *"nothing tells whether its container lives"* ]]
		find "$dir"/devinfo "$dir"/run -type f | sort | cmp "$dir/was"
		run in_node timeout 60 sh -c "$as_var_lib_cni"' && exec "$@"' "$dir/lib" "${plugin}ctl" doctor
		[ "$status" -eq 1 ]
		[[ $output != *healthy* ]]
		rm -rf "$dir"/lib/*	# nor any cache: whose a file in cni/ is, nobody can tell then
	done
}

@test "an attachment is not released where its namespace cannot be seen" {
	add "$c"
	added
	was=$(snapshot "$pod")
	run --separate-stderr in_node timeout 60 unshare -m \
		sh -ec "$as_var_lib_cni"'; mount -t tmpfs tmpfs /run; mkdir /run/netns; : >"/run/netns/$2"
			exec "$1" repair --json' "$dir/lib" "${plugin}ctl" "$pod"
	[ "$status" -eq 1 ]
	[[ $(jq -r '.[] | select(.check == "record-dead") | .result + ": " + .why' <<<"$output") == \
		"failed: "*"/run/netns/$pod"*"run this on the node itself"* ]]
	same "$was" "$pod"
}

@test "a link that a record has, or that leads elsewhere, is not removed" {
	long=$dir/$(printf '%0*d' $((94 - ${#dir})) 0)	# the path of its socket would be too long
	node_conf "{socketDir: \"$long\"}"
	mkdir -m 755 "$long"
	add '{"cniVersion": "1.1.0", "name": "net", "type": "devinfo", "vhostUser": {"mode": "server"}}'
	added
	link=$(find "$dir/run/links" -type l)
	[ -L "$link" ]
	rm -r "${long:?}"/*
	ln -s /nowhere "$dir/run/links/0123456789ab"
	mend
	mended "link-nowhere: failed"
	[ "$(jq -r '.[] | select(.check == "link-nowhere").object' <<<"$output")" = "$dir/run/links/0123456789ab" ]
	[ -L "$dir/run/links/0123456789ab" ]
	[ -L "$link" ]
}

@test "a record that the disk does not give is left to people" {
	dies
	record=$(find "$dir/state/attachments" -name '*.json')
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	before=(strace -qq -o /dev/null -P "$record" -e trace=read,pread64 -e inject=read,pread64:error=EIO)
	mend
	mended "record-unreadable: by hand"
	[ "$status" -eq 1 ]
	before=()
	mend
	mended "record-dead: repaired"
}

@test "whether an attachment lives cannot be told: that is a finding, and it is left to people" {
	add "$c"
	added
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	before=(strace -qq -o /dev/null -P "/run/netns/$pod" -e trace=open,openat,openat2 -e inject=open,openat,openat2:error=EIO)
	mend
	[ "$(jq -r '.[] | select(.check == "check-failed") | .result + ": " + .object' <<<"$output")" = "by hand: record-dead" ]
	[[ $(jq -r '.[] | select(.check == "check-failed").what' <<<"$output") == *"whether $(ls "$dir/state/attachments") lives: "*"/run/netns/$pod"* ]]
	[ "$status" -eq 1 ]
	[ "$(records)" -eq 1 ]
}

# modes - of what others may write to, what became of it
modes() { jq -r '.[] | select(.check | IN("dir-mode", "file-mode")) | "\(.result): \(.object)"' <<<"$output"; }

@test "a directory of ours that others may write to is taken from them, and nothing else of it changes" {
	chmod 1777 "$dir/run"
	mend
	[ "$(modes)" = "repaired: $dir/run" ]
	[ "$(stat -c %a "$dir/run")" = 1755 ]
	chmod 770 "$dir/state"
	mend
	[ "$(modes)" = "repaired: $dir/state" ]
	[ "$(stat -c %a "$dir/state")" = 750 ]
	chmod 775 "$dir/sockets"
	mend
	[ "$(modes)" = "repaired: $dir/sockets" ]
	mend
	[ -z "$(modes)" ]
	chmod 775 "$dir/run/links"
	chown 1 "$dir/run/links"
	mend
	[ "$(modes)" = "by hand: $dir/run/links" ]
	[ "$(stat -c %a "$dir/run/links")" = 775 ]
}

@test "a status file or a device-info file that others may write to is taken from them, and keeps what it says" {
	add '{"cniVersion": "1.1.0", "name": "net", "type": "devinfo", "vhostUser": {"mode": "server"}}'
	added
	said=$(cat "$dir/run/status/$pod.json")
	info=$(find "$dir/devinfo/cni" -type f)
	[ -f "$info" ]
	chmod 666 "$info"
	chmod 1666 "$dir/run/status/$pod.json"
	mend
	[ "$(modes)" = "repaired: $info
repaired: $dir/run/status/$pod.json" ]
	[ "$(stat -c %a "$dir/run/status/$pod.json")" = 1644 ]
	[ "$(cat "$dir/run/status/$pod.json")" = "$said" ]
	[ "$(stat -c %a "$info")" = 644 ]
	chown 1 "$dir/run/status/$pod.json"
	mend
	[ "$(modes)" = "by hand: $dir/run/status/$pod.json" ]
}

@test "a name of a namespace whose mount is gone is left to people" {
	run --separate-stderr in_node timeout 60 unshare -m \
		sh -ec "$as_var_lib_cni"'; mount -t tmpfs tmpfs /run/netns; touch -d "1 hour ago" /run/netns/gone
			touch /run/netns/young; exec "$1" repair --json' "$dir/lib" "${plugin}ctl"
	[ "$(jq -r '.[] | select(.check == "netns-mount") | .result + ": " + .object' <<<"$output")" = \
		"by hand: /run/netns/gone" ]
}
