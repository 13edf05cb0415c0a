#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# devinfod_watch.bats - devinfod's own socket on a recorded node: who follows it, well and badly
#
# rooms: daemon/report daemon/serve manager/report

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	PATH=${BUILD:-$top/build}/bin:$PATH
	dir=$BATS_TEST_TMPDIR
	# a socket's path has 107 bytes, and the directory of a test many of these
	short=$(mktemp -d "${TMPDIR:-/tmp}/dXXXX")
	node=$short/n
	socket=$node/run/devinfo/devinfod.sock
	# not what this machine has in /etc
	export DEVINFO_CONF=$dir/devinfo.json
	echo "{\"root\": \"$node\"}" >"$DEVINFO_CONF"
}

teardown() {
	local pid
	for pid in ${reader-} ${devinfod-}; do
		kill -CONT "$pid" 2>/dev/null || true
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "${short-}" ] || rm -rf "$short"
}

# Two VFs that nobody has, of a PF that is up.
idle_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	flags=$node/sys/bus/pci/devices/0000:01:00.0/net/eth0/flags
	echo 0x1003 >"$flags"
	echo 1 >"${flags%flags}carrier"
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}]}' >"$dir/config.json"
}

# Three VFs, of which two pods have two.
pods_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" "$node"
	records=$node/var/lib/cni/devinfo/attachments
	echo '{"resourceList": [{"resourceName": "sriov_netdevice", "selectors": {"drivers": ["igbvf"]}}]}' >"$dir/config.json"
}

# -- the two programs --

daemon_start() {
	devinfod --config-file "$dir/config.json" >>"$dir/log" 2>&1 3>&- &
	devinfod=$!
	within test -S "$socket"
}

daemon_kill() {
	kill -KILL "$devinfod"
	wait "$devinfod" || true
	devinfod=
}

daemon_stop() {
	kill -TERM "$devinfod"
	wait "$devinfod"
	devinfod=
}

# changed - sysfs is a tree of files here, of which no kernel tells
changed() { kill -HUP "$devinfod"; }

# follow [option...] - what it prints is in $dir/seen
follow() {
	: >"$dir/seen"
	devinfoctl watch "$@" >"$dir/seen" 2>"$dir/said" 3>&- &
	reader=$!
}

# reader_ends STATUS
reader_ends() {
	local status=0
	wait "$reader" || status=$?
	reader=
	[ "$status" -eq "$1" ]
}

# within COMMAND... - it holds within ten seconds
within() {
	for _ in {1..400}; do
		! "$@" || return 0
		sleep 0.025
	done
	echo "$*: never"
	cat "$dir/seen" "$dir/said" "$dir/log" || true
	return 1
}

# said N FILTER - at least so many objects of `watch --json`
said() { [ "$(jq -n "[inputs | select($2)] | length" "$dir/seen")" -ge "$1" ]; }

# saw N FILTER - within ten seconds
saw() { within said "$1" "$2"; }

# is_well - by the last line
is_well() { [ "$(jq -rs 'last | .health' "$dir/seen")" = healthy ]; }

# grows - beyond what it was
grows() { [ "$(wc -l <"$dir/seen")" -gt "$had" ]; }

# flap - the PF goes down and up, thirty times
flap() {
	for i in {1..60}; do
		echo $((4098 + i % 2)) >"$flags"
		changed
		sleep 0.02
	done
}

# rss - in KiB, between two looks: one takes as much again while it lasts
rss() {
	for _ in {1..10}; do
		awk '/^VmRSS/ { print $2 }' "/proc/$devinfod/status"
		sleep 0.02
	done | sort -n | head -n 1
}

# -- what is told --

@test "the list comes first, then a change of health with its reason, and its end" {
	idle_node
	daemon_start
	follow --json
	saw 2 '.change == "listed"'
	[ "$(jq -c '[.resource, .device, .health, .why, .pod]' "$dir/seen")" = \
		$'["intel.com/vf","0000:01:10.0","healthy",null,null]\n["intel.com/vf","0000:01:10.2","healthy",null,null]' ]
	echo 0x1002 >"$flags"
	changed
	saw 2 '.change == "changed" and .health == "unhealthy"'
	[ "$(jq -r 'select(.change == "changed") | .why' "$dir/seen" | sort -u)" = 'its PF eth0 is down' ]
	[[ "$(jq -r 'select(.change == "changed") | .at' "$dir/seen" | head -n 1)" =~ ^2[0-9]{3}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$ ]]
	echo 0x1003 >"$flags"
	changed
	saw 2 '.change == "changed" and .health == "healthy"'
	# a look without a change tells nothing
	changed
	changed
	sleep 0.3
	[ "$(wc -l <"$dir/seen")" -eq 6 ]
	kill -INT "$reader"
	reader_ends 0
	[ ! -s "$dir/said" ]
}

@test "for people each change is a line below its title" {
	idle_node
	daemon_start
	follow
	within grep -q '0000:01:10.2' "$dir/seen"
	rm "$node/sys/bus/pci/devices/0000:01:10.2"
	changed
	within grep -q gone "$dir/seen"
	kill -TERM "$reader"
	reader_ends 0
	[[ "$(head -n 1 "$dir/seen")" =~ ^TIME\ +CHANGE\ +RESOURCE\ +DEVICE\ +HEALTH\ +POD\ +INTERFACE\ +WHY$ ]]
	[[ "$(sed -n 2p "$dir/seen")" =~ ^2[^\ ]+Z\ +listed\ +intel.com/vf\ +0000:01:10.0\ +healthy\ +-\ +-\ +-$ ]]
	[[ "$(tail -n 1 "$dir/seen")" =~ ^2[^\ ]+Z\ +gone\ +intel.com/vf\ +0000:01:10.2\ +-\ +-\ +-\ +-$ ]]
}

@test "who has a device is told by the pod's name, when it gets and when it loses it" {
	pods_node
	daemon_start
	follow --json
	saw 3 '.change == "listed"'
	[ "$(jq -c 'select(.device == "0000:01:10.0") | [.pod, .pod_namespace, .pod_name, .pod_uid, .container, .interface, .network]' "$dir/seen")" = \
		'["default/web-0","default","web-0","0a7f1c9e-90b6-4a65-8f43-4a1f2f2b3c10","app","net1","sriov-net"]' ]
	[ "$(jq -c 'select(.device == "0000:01:10.6") | .pod' "$dir/seen")" = null ]
	# the attachment ends; kubelet has given the device to that pod still
	mv "$records"/*@0000:01:10.0.json "$dir/record"
	changed
	saw 1 '.change == "changed" and .device == "0000:01:10.0" and .pod == "default/web-0" and .interface == null'
	mv "$dir/record" "$records/e3b19bb70776af4c@0000:01:10.0.json"
	changed
	saw 1 '.change == "changed" and .device == "0000:01:10.0" and .interface == "net1"'
	[ "$(jq -c 'select(.change == "changed") | .device' "$dir/seen" | sort -u)" = '"0000:01:10.0"' ]
	# since goes on from where it was: the list of another reader has the time of the change
	since=$(jq -r 'select(.change == "changed") | .since' "$dir/seen" | tail -n 1)
	kill -INT "$reader"
	reader_ends 0
	changed
	follow --json
	saw 3 '.change == "listed"'
	[ "$(jq -r 'select(.device == "0000:01:10.0") | .since' "$dir/seen")" = "$since" ]
	[ "$(jq -r 'select(.device == "0000:01:10.0") | .at' "$dir/seen")" = "$since" ]
}

@test "a device that is gone, and one that comes back" {
	idle_node
	daemon_start
	follow --json
	saw 2 '.change == "listed"'
	mv "$node/sys/bus/pci/devices/0000:01:10.2" "$dir/gone"
	changed
	saw 1 '.change == "gone"'
	[ "$(jq -c 'select(.change == "gone") | [.resource, .device, .health]' "$dir/seen")" = '["intel.com/vf","0000:01:10.2",null]' ]
	mv "$dir/gone" "$node/sys/bus/pci/devices/0000:01:10.2"
	changed
	saw 1 '.change == "changed" and .device == "0000:01:10.2" and .health == "healthy"'
	# the resource ends with its devices
	echo '{"resourceList": [{"resourceName": "other", "selectors": {"pfNames": ["eth0"]}}]}' >"$dir/config.json"
	changed
	saw 2 '.change == "gone" and .resource == "intel.com/vf" and (.at | . != null)'
	saw 2 '.change == "changed" and .resource == "intel.com/other"'
	# the log has been told the same, and all of the first look
	[ "$(sed -nE 's/.* msg="(device[a-z ]*)" resource=([^ ]*) device=([^ ]*)( health=([^ ]*))?.*/\1 \2 \3 \5/p' "$dir/log")" = "\
device intel.com/vf 0000:01:10.0 Healthy
device intel.com/vf 0000:01:10.2 Healthy
device is offered no more intel.com/vf 0000:01:10.2 
device intel.com/vf 0000:01:10.2 Healthy
device intel.com/other 0000:01:10.0 Healthy
device intel.com/other 0000:01:10.2 Healthy
device is offered no more intel.com/vf 0000:01:10.0 
device is offered no more intel.com/vf 0000:01:10.2 " ]
}

@test "events are the last changes, with their times and what was gone" {
	idle_node
	daemon_start
	run --separate-stderr devinfoctl events
	[ "$status" -eq 0 ]
	[ "$output" = "no changes since devinfod has started" ]
	follow --json
	saw 2 '.change == "listed"'
	echo 0x1002 >"$flags"
	changed
	saw 2 '.change == "changed"'
	rm "$node/sys/bus/pci/devices/0000:01:10.2"
	changed
	saw 1 '.change == "gone"'
	run --separate-stderr devinfoctl events --json
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.[] | [.change, .device, .health]]' <<<"$output")" = \
		'[["changed","0000:01:10.0","unhealthy"],["changed","0000:01:10.2","unhealthy"],["gone","0000:01:10.2","unhealthy"]]' ]
	[ "$(jq -r '.[2].at' <<<"$output")" = "$(jq -r 'select(.change == "gone") | .at' "$dir/seen")" ]
	run --separate-stderr devinfoctl events
	[ "${#lines[@]}" -eq 4 ]
	[[ ${lines[1]} == *Z\ *changed*intel.com/vf*0000:01:10.0*unhealthy*"is down"* ]]
	# forgotten with the daemon
	daemon_stop
	reader_ends 1
	daemon_start
	run --separate-stderr devinfoctl events --json
	[ "$output" = '[]' ]
}

# -- who starts when --

@test "without the daemon both commands say so, what to start, and where they looked" {
	idle_node
	for command in watch events; do
		run --separate-stderr devinfoctl "$command"
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[ "$stderr" = "devinfoctl: devinfod does not run here: nobody listens at '/run/devinfo/devinfod.sock'; start it, as with 'systemctl start devinfod'" ]
	done
	# nor with a socket that a dead one has left
	daemon_start
	daemon_kill
	[ -S "$socket" ]
	run --separate-stderr devinfoctl watch
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: devinfod does not run here: "* ]]
	# all others are as before
	devinfoctl scan >"$dir/scan"
	grep -q 01:10.0 "$dir/scan"
}

@test "who follows hears that the daemon has ended, and the next one replaces the socket of a dead one" {
	idle_node
	daemon_start
	[ "$(stat -c '%F %a %u' "$socket")" = "socket 600 $(id -u)" ]
	follow --json
	saw 2 '.change == "listed"'
	daemon_kill
	reader_ends 1
	[[ "$(cat "$dir/said")" == "devinfoctl: devinfod has gone, or breaks off: "* ]]
	daemon_start
	within devinfoctl events
	daemon_stop
	[ ! -e "$socket" ]
}

@test "a socket that has its name listens" {
	idle_node
	# leaks are looked for by tracing, too
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -qq -o "$dir/trace" -e trace=listen -e inject=listen:delay_enter=500000 \
		devinfod --config-file "$dir/config.json" >>"$dir/log" 2>&1 3>&- &
	devinfod=$!
	within test -S "$socket"
	reader=$(pgrep -P "$devinfod" -o)
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])' "$socket"
	kill -TERM "$reader"
	reader=
	wait "$devinfod"
	devinfod=
	grep -q 'listen(.*DELAYED' "$dir/trace"
	[ -z "$(find "$node" -name '*.new')" ]
}

@test "a second daemon ends, and leaves the socket of the first" {
	idle_node
	daemon_start
	before=$(stat -c %i "$socket")
	run devinfod --config-file "$dir/config.json"
	[ "$status" -eq 1 ]
	[[ $output == *"another devinfod has '/run/devinfo/devinfod.lock'"* ]]
	[ "$(stat -c %i "$socket")" = "$before" ]
	devinfoctl events
}

# started N: so often devinfod has
started() { [ "$(grep -c 'msg="devinfod has started"' "$dir/log")" -eq "$1" ]; }

@test "who wipes the directory of the lock lets no second daemon serve beside the first" {
	idle_node
	daemon_start
	lock=$node/run/devinfo/devinfod.lock
	rm -r "$node/run/devinfo"
	changed
	within test -S "$socket"
	run timeout 10 devinfod --config-file "$dir/config.json"
	[ "$status" -eq 1 ]
	[[ $output == *"another devinfod has '/run/devinfo/devinfod.lock'"* ]]
	devinfoctl events
	# a look without a change opens nothing for good
	before=$(ls "/proc/$devinfod/fd" | wc -l)
	changed
	sleep 0.2
	changed
	sleep 0.2
	[ "$(ls "/proc/$devinfod/fd" | wc -l)" -le "$before" ]
	# one that starts before the first has looked is the one from then on, and has its files
	rm -r "$node/run/devinfo"
	reader=$devinfod
	daemon_start
	within started 2
	before=$(stat -c %i "$socket")
	kill -HUP "$reader"
	within test ! -e "/proc/$reader/exe"
	reader_ends 1
	grep -q "msg=\"devinfod ends: another devinfod has '/run/devinfo/devinfod.lock'" "$dir/log"
	[ "$(stat -c %i "$socket")" = "$before" ]
	devinfoctl events
	[ "$(ls "$node"/var/run/k8s.cni.cncf.io/devinfo/dp | wc -l)" -eq 2 ]
}

@test "a socket that was removed is there again after the next look" {
	idle_node
	daemon_start
	follow --json
	saw 2 '.change == "listed"'
	rm "$socket"
	changed
	within test -S "$socket"
	devinfoctl events
	# and who followed does so still
	echo 0x1002 >"$flags"
	changed
	saw 2 '.change == "changed"'
}

# -- others at the socket --

@test "another implementation of gRPC follows by report.proto" {
	modules=${BUILD:-$top/build}/kubelet-js/node_modules
	[ -e "$modules/.package-lock.json" ] || skip "grpc-js is not installed, see GNUmakefile"
	pods_node
	daemon_start
	run --separate-stderr env NODE_PATH="$modules" node -e '
		const grpc = require("@grpc/grpc-js")
		const proto = require("@grpc/proto-loader").loadSync(process.argv[1], { keepCase: true, longs: Number })
		const Node = grpc.loadPackageDefinition(proto).devinfo.v1.Node
		const stream = new Node("unix:" + process.argv[2], grpc.credentials.createInsecure()).Watch({ past: true })
		stream.on("data", (m) => { console.log(JSON.stringify(m)); stream.cancel() })
		stream.on("error", (e) => process.exit(e.code === grpc.status.CANCELLED ? 0 : 1))
	' "$top/manager/report/report.proto" "$socket"
	[ "$status" -eq 0 ]
	[ "$(jq -c '[.complete, (.devices | length), .past]' <<<"$output")" = '[true,3,null]' ] ||
		[ "$(jq -c '[.complete, (.devices | length), .past]' <<<"$output")" = '[true,3,[]]' ]
	[ "$(jq -c '.devices[0] | [.resource, .id, .healthy, .pod_name, .container, .interface]' <<<"$output")" = \
		'["intel.com/sriov_netdevice","0000:01:10.0",true,"web-0","app","net1"]' ]
	[ "$(jq '.devices[0].since_unix_ms' <<<"$output")" -gt 1700000000000 ]
}

# bats test_tags=plain
@test "a reader that is stopped holds nobody up, and reads on" {
	idle_node
	daemon_start
	follow --json
	saw 2 '.change == "listed"'
	# the first looks take memory that later ones use again
	flap
	saw 2 '.change == "changed"'
	devinfoctl events >"$dir/events"
	before=$(rss)
	kill -STOP "$reader"
	had=$(wc -l <"$dir/seen")
	flap
	# others are served meanwhile
	devinfoctl events --json >"$dir/events"
	[ "$(jq length "$dir/events")" -ge 2 ]
	[ "$(jq length "$dir/events")" -le 256 ]
	# a sanitizer keeps what is freed for a while
	[ -n "${SAN-}" ] || [ "$(rss)" -lt $((before + 1024)) ]
	[ "$(wc -l <"$dir/seen")" -eq "$had" ]
	kill -CONT "$reader"
	echo 0x1002 >"$flags"
	changed
	within grows
	# who was stopped reads on
	echo 0x1003 >"$flags"
	changed
	within is_well
}

# bats test_tags=plain
@test "clients that speak nonsense, ask too much or are a thousand hinder nobody" {
	idle_node
	daemon_start
	follow --json
	saw 2 '.change == "listed"'
	before=$(rss)
	python3 - "$socket" <<-'END'
		import os, socket, sys

		PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

		def frame(kind, flags, stream, payload=b""):
		    return (len(payload).to_bytes(3, "big") + bytes((kind, flags)) +
		            stream.to_bytes(4, "big") + payload)

		def header(name, value):
		    return bytes((0, len(name))) + name + bytes((len(value),)) + value

		def connect():
		    s = socket.socket(socket.AF_UNIX)
		    s.settimeout(5)
		    s.connect(sys.argv[1])
		    return s

		def send(s, data):
		    try:
		        s.sendall(data)
		    except (BrokenPipeError, ConnectionResetError):
		        pass

		def until_closed(s):
		    got = b""
		    try:
		        while data := s.recv(65536):
		            got += data
		    except (ConnectionResetError, TimeoutError) as e:
		        assert not isinstance(e, TimeoutError), "nobody has closed"
		    return got

		HEADERS = (header(b":method", b"POST") + header(b":scheme", b"http") +
		           header(b":path", b"/devinfo.v1.Node/Watch") + header(b":authority", b"x") +
		           header(b"content-type", b"application/grpc"))
		BEGIN = PREFACE + frame(4, 0, 0) + frame(1, 4, 1, HEADERS)

		# no HTTP/2 at all, and a broken frame
		for nonsense in (b"GET / HTTP/1.1\r\n\r\n", os.urandom(70000), PREFACE + os.urandom(5000),
		                 PREFACE + frame(4, 0, 0) + frame(1, 4, 1, os.urandom(300)),
		                 BEGIN + frame(9, 4, 1, b"x" * 100)):
		    s = connect()
		    send(s, nonsense)
		    s.shutdown(socket.SHUT_WR)
		    until_closed(s)
		# a message of 4 GiB is refused when it is announced: a status alone, and RST_STREAM
		s = connect()
		send(s, BEGIN + frame(0, 0, 1, b"\0\xff\xff\xff\xff" + b"x" * 4000))
		got, kinds = b"", []
		while 3 not in kinds:
		    got += s.recv(65536)
		    while len(got) >= 9 and len(got) >= 9 + int.from_bytes(got[:3], "big"):
		        kinds.append(got[3])
		        got = got[9 + int.from_bytes(got[:3], "big"):]
		assert 0 not in kinds, kinds
		s.close()
		# one that asks for ever and hears nothing: it is not listened to
		s = connect()
		s.settimeout(1)
		try:
		    for i in range(1, 100000, 2):
		        send(s, (PREFACE + frame(4, 0, 0) if i == 1 else b"") +
		             frame(1, 4, i, HEADERS) + frame(0, 1, i, b"\0\0\0\0\2\b\1"))
		    assert False, "it has heard 50,000 calls"
		except TimeoutError:
		    pass
		s.close()
		# floods of frames that ask nothing
		s = connect()
		send(s, PREFACE + frame(4, 0, 0))
		for _ in range(200):
		    send(s, frame(6, 1, 0, b"x" * 8) * 1000)
		until_closed(s)
		# a thousand at once
		many = []
		for _ in range(1000):
		    try:
		        many.append(connect())
		    except (BlockingIOError, TimeoutError):
		        pass
		assert len(many) > 100, len(many)
	END
	[ -n "${SAN-}" ] || [ "$(rss)" -lt $((before + 2048)) ]
	# one line tells that nobody was let in, not a thousand
	within grep -q 'msg="nobody is let in" why="more than 16 connections"' "$dir/log"
	[ "$(grep -c 'nobody is let in' "$dir/log")" -le 10 ]
	# who followed does so still, and the next one may
	echo 0x1002 >"$flags"
	changed
	saw 2 '.change == "changed" and .health == "unhealthy"'
	within devinfoctl events
	[ "$(wc -l <"$dir/seen")" -eq 4 ]
}
