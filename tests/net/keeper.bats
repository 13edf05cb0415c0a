#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# keeper.bats - devinfod releases what the dead have left, by a process that may do so and does nothing else
#
# The node's network devices are those of a recorded one, whose sysfs is mounted; all else is this machine's, so it is live.
#
# rooms: daemon/keeper

load helpers

setup() {
	node_up
	make_sys
	daemon_dir=$dir/tools
	mkdir "$daemon_dir"
	cp "${plugin}d" "$daemon_dir/devinfod"
	ln -s "${plugin}ctl" "$daemon_dir/devinfoctl"
	node_conf '{devinfod: {gcInterval: 600}}'
	mkdir -p "$dir/kubelet/device-plugins"
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"drivers": ["igbvf"]}}]}' >"$dir/pools.json"
	daemon=''
}

teardown() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null || true
	node_down
}

make_sys() {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/recorded"
	for pf in 0000:01:00.0/net/eth0 0000:02:00.0/net/eth1; do
		echo 0x1003 >"$dir/recorded/sys/bus/pci/devices/$pf/flags"
		echo 1 >"$dir/recorded/sys/bus/pci/devices/$pf/carrier"
	done
}

# keeper_of PID - by its name: a look has children, too, for a moment
keeper_of() {
	local pid
	for pid in $(<"/proc/$1/task/$1/children"); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != devinfod-keeper ] || echo "$pid"
	done
}

# daemon - it runs in the node, and has told that it has started
daemon() {
	: >"$dir/log"
	# shellcheck disable=SC2016
	ip netns exec "$node" unshare -m sh -c 'mount --bind "$1/recorded/sys" /sys && exec "$1/tools/devinfod" --config-file "$1/pools.json"' \
		- "$dir" >"$dir/err" 2>&1 3>&- &
	daemon=$!
	waits_for 'devinfod has started'
	for _ in {1..20}; do
		keeper=$(keeper_of "$daemon")
		[ -z "$keeper" ] || break
		sleep 0.05
	done
}

# waits_for TEXT [N] - it is in the log so many times, within ten seconds
waits_for() {
	for _ in {1..200}; do
		[ "$(grep -cF -- "$1" "$dir/log")" -lt "${2-1}" ] || return 0
		sleep 0.05
	done
	cat "$dir/log" "$dir/err"
	return 1
}

# ends PID - within five seconds
ends() {
	for _ in {1..100}; do
		[ -e "/proc/$1" ] || return 0
		sleep 0.05
	done
	ps -ef
	return 1
}

# put_record CONTAINER [MEMBERS] - a record of an attachment of 0000:01:10.0, whose namespace there is not
put_record() {
	local h=$((0xcbf29ce484222325)) owner="net/$1/net1" i
	for ((i = 0; i < ${#owner}; i++)); do
		h=$(((h ^ $(printf '%d' "'${owner:i:1}")) * 0x100000001b3))
	done
	record=$dir/state/attachments/$(printf '%016x' "$h")@0000:01:10.0.json
	(umask 077; jq -cn --arg id "$1" --arg boot "$(</proc/sys/kernel/random/boot_id)" --arg d "$dir" '{version: 1, network: "net",
		containerID: $id, ifname: "net1", netns: "/run/netns/no-\($id)", netnsDev: 4, netnsIno: 5, netnsCookie: 6,
		bootID: $boot, device: "0000:01:10.0", deviceID: "0000:01:10.0", pci: true, released: false, sole: true, vfSet: 0,
		devinfoDir: "\($d)/devinfo", runDir: "\($d)/run", request: "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"type\":\"devinfo\"}"}
		+ '"${2:-{\}}" >"$record.new")
	mv "$record.new" "$record"
}

# fake TEXT - what is run in place of devinfoctl
fake() {
	rm -f "$daemon_dir/devinfoctl"
	printf '#!/bin/sh\n%s\n' "$1" >"$daemon_dir/devinfoctl"
	chmod 755 "$daemon_dir/devinfoctl"
}

# first_run, and first_run_ends - devinfoctl is run, and when it has been, for the first time
first_run() { fake "\"${plugin}ctl\" \"\$@\"; r=\$?; : >\"$dir/ran\"; exit \$r"; }
first_run_ends() {
	for _ in {1..200}; do [ ! -e "$dir/ran" ] || return 0; sleep 0.05; done
	return 1
}

sick='device=0000:01:10.0 health=Unhealthy why="an attachment has not given it back'
healthy='device=0000:01:10.0 health=Healthy why=""'

@test "what a container of an earlier boot has left is not offered, and is released at the start" {
	put_record c1 '{bootID: "5b8a5b1e-0c6b-4e0e-8e0a-000000000001"}'
	daemon
	waits_for "$sick: its record is there (earlier boot)"
	waits_for "$healthy"
	[ ! -e "$record" ]
	# what it says comes when it has ended, which nothing orders behind the look
	waits_for 'msg="devinfoctl gc" said="released net1 of container c1, network net: device 0000:01:10.0"'
	[ "$(grep -n "$sick" "$dir/log" | cut -d: -f1)" -lt "$(grep -n "$healthy" "$dir/log" | cut -d: -f1)" ]
}

@test "one that dies while devinfod runs keeps its device for some seconds" {
	# the run at the start would release it as soon as it is there
	first_run
	daemon
	first_run_ends
	waits_for "$healthy"
	put_record c2
	waits_for "$sick: its record is there (dead)"
	waits_for "$healthy" 2
	[ ! -e "$record" ]
}

@test "what lives is left alone" {
	put_record c3 "{netns: \"/run/netns/$pod\"} + $(stat -Lc '{netnsDev: %d, netnsIno: %i, netnsCookie: 0}' "/run/netns/$pod")"
	first_run
	daemon
	first_run_ends
	[ -e "$record" ]
	run ! grep -q 'level=\(warning\|error\)' "$dir/log"
}

@test "a record that cannot be released is tried ever later, and told once" {
	: >"$dir/runs"
	put_record c4 '{ipamType: "host-local", leaseOf: "host-local"}'
	fake "echo run >>\"$dir/runs\"; echo 'the lease needs its network' >&2; exit 1"
	daemon
	for _ in {1..200}; do [ "$(wc -l <"$dir/runs")" -lt 2 ] || break; sleep 0.05; done
	# at the start, after 6 seconds, and after 12 more: a look that finds it asks no earlier
	[ "$(wc -l <"$dir/runs")" -eq 2 ]
	kill -HUP "$daemon"
	sleep 4
	[ "$(wc -l <"$dir/runs")" -eq 2 ]
	[ "$(grep -c 'level=warning.*said="the lease needs its network"' "$dir/log")" -eq 1 ]
	[ "$(grep -c 'devinfoctl gc failed' "$dir/log")" -eq 1 ]
	kill -0 "$daemon"
}

# bats test_tags=native
@test "the keeper has what a release needs, and the daemon has not" {
	daemon
	status=$(<"/proc/$keeper/status")
	[[ $status == *NoNewPrivs:$'\t1\n'* ]]
	want=0
	for cap in $(sed -n 's/^CapabilityBoundingSet=//p' "$top/install/devinfo-gc.service"); do
		want=$((want | 1 << $(awk -v name="$cap" '$1 == "#define" && $2 == name && $3 ~ /^[0-9]+$/ { print $3 }' /usr/include/linux/capability.h)))
	done
	[ $((0x$(sed -n 's/^CapPrm:\t//p' <<<"$status"))) -eq "$want" ]
	[ $((0x$(sed -n 's/^CapPrm:\t//p' "/proc/$daemon/status") & ~0x281004)) -eq 0 ]
	[ "$(cat "/proc/$keeper/comm")" = devinfod-keeper ]
	# its log, if that is standard error, and the daemon
	[ "$(ls "/proc/$keeper/fd" | paste -sd' ')" = '0 1 2 3' ]
	[[ $(readlink "/proc/$keeper/fd/3") == socket:* ]]
}

@test "what is run is beside devinfod, in an environment of its own" {
	fake "env >\"$dir/env\"; echo \"\$*\" >\"$dir/args\"; cat >>\"$dir/args\"; echo nothing to release"
	mkdir "$dir/other"
	printf '#!/bin/sh\n: >"%s/wrong"\n' "$dir" >"$dir/other/devinfoctl"
	chmod 755 "$dir/other/devinfoctl"
	PATH=$dir/other:$PATH SECRET=1 LD_DEBUG_OUTPUT=/nowhere daemon
	for _ in {1..100}; do [ ! -s "$dir/args" ] || break; sleep 0.05; done
	[ "$(<"$dir/args")" = gc ]
	[ "$(grep -v '^\(PWD\|_\|SHLVL\)=' "$dir/env" | sort | paste -sd' ')" = \
		"DEVINFO_CONF=$DEVINFO_CONF LC_ALL=C PATH=/usr/sbin:/usr/bin:/sbin:/bin" ]
	[ ! -e "$dir/wrong" ]
	run ! grep -q 'devinfoctl gc' "$dir/log"
}

@test "the keeper ends with devinfod, however that ends, and so does what runs" {
	fake "echo \$\$ >\"$dir/pid\"; exec sleep 1000"
	for signal in TERM KILL; do
		rm -f "$dir/pid"
		daemon
		for _ in {1..100}; do [ ! -s "$dir/pid" ] || break; sleep 0.05; done
		[ -e "/proc/$(<"$dir/pid")" ]
		[ -e "/proc/$keeper" ]
		kill "-$signal" "$daemon"
		wait "$daemon" || true
		daemon=''
		ends "$(<"$dir/pid")"
		ends "$keeper"
	done
}

@test "without its keeper devinfod goes on, and says so" {
	daemon
	kill -TERM "$keeper"	# a service manager's, to all processes, is not for it
	sleep 0.2
	[ -e "/proc/$keeper" ]
	kill -KILL "$keeper"
	waits_for 'the process that releases what the dead have left has ended'
	ends "$keeper"
	kill -HUP "$daemon"
	waits_for 'the pools are read'
	put_record c5
	waits_for "$sick: its record is there (dead)"
	kill -0 "$daemon"
}

@test "a program that cannot be run, or prints too much, is told within bounds" {
	rm "$daemon_dir/devinfoctl"
	daemon
	waits_for "said=\"cannot execute $daemon_dir/devinfoctl: No such file or directory\""
	kill -KILL "$daemon"
	wait "$daemon" || true
	fake 'yes "a line that is printed again and again" | head -n 100000; echo "bell" >&2'
	daemon
	waits_for 'said="a line that is printed again and again"' 100
	[ "$(grep -c said= "$dir/log")" -le $((16384 / 39 + 1)) ]
}

@test "with gcInterval 0 there is no keeper, nor on a recorded node" {
	node_conf '{devinfod: {gcInterval: 0}}'
	daemon
	[ -z "$keeper" ]
	kill -KILL "$daemon"
	wait "$daemon" || true
	node_conf '{root: "'"$dir"'/recorded", logFile: null}'
	mkdir -p "$dir/recorded/var/lib/kubelet/device-plugins"
	"$daemon_dir/devinfod" --config-file "$dir/pools.json" 2>"$dir/log" 3>&- &
	daemon=$!
	waits_for 'devinfod has started'
	[ -z "$(keeper_of "$daemon")" ]
}
