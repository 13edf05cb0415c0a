#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# devinfod.bats - the daemon on recorded nodes: its options, and what it tells of each device
#
# rooms: daemon daemon/loop daemon/offer daemon/reconcile daemon/watch manager/report

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	PATH=${BUILD:-$top/build}/bin:$PATH
	dir=$BATS_TEST_TMPDIR
	export DEVINFO_CONF=$dir/devinfo.json
	jq -n --arg root "$dir/root" '{root: $root, logFile: "/log"}' >"$DEVINFO_CONF"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/root"
	daemon=''
}

teardown() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null || true
}

# pools SELECTORS: the configuration with one pool
pools() { jq -n --argjson selectors "$1" '{resourceList: [{resourceName: "vf", $selectors}]}' >"$dir/pools.json"; }

# daemon OPTION...: it runs, and has told that it has started
daemon() {
	devinfod --config-file "$dir/pools.json" "$@" 3>&- &
	daemon=$!
	waits_for 'devinfod has started'
}

# waits_for TEXT: it is in the log, within two seconds
waits_for() {
	for ((i = 0; i < 200; i++)); do
		! grep -qF -- "$1" "$dir/root/log" 2>/dev/null || return 0
		sleep 0.01
	done
	cat "$dir/root/log"
	return 1
}

# stop SIGNAL: it ends by itself, with success
stop() {
	kill "-$1" "$daemon"
	wait "$daemon"
	daemon=''
	grep -q 'devinfod ends' "$dir/root/log"
}

@test "help and version are printed, in Go's form of options as well" {
	run --separate-stderr devinfod -help
	[ "$status" -eq 0 ]
	[[ $output == Usage:* && -z $stderr ]]
	run --separate-stderr devinfod --version
	[ "$status" -eq 0 ]
	[ "${output/devinfod/devinfoctl}" = "$(devinfoctl --version)" ]
	run --separate-stderr devinfod --version >/dev/full
	[ "$status" -eq 0 ]
}

@test "a wrong option is told, and nothing is begun" {
	for options in --config-file=relative --resource-prefix=Not_A_Name --use-cdi=perhaps --what operand; do
		run --separate-stderr devinfod "$options"
		[ "$status" -eq 2 ]
		[[ $stderr == *devinfod:* && -z $output ]]
	done
}

@test "without pools, or with a mistake in them, it does not start" {
	run --separate-stderr devinfod --config-file "$dir/pools.json"
	[ "$status" -eq 1 ]
	[[ $(<"$dir/root/log") == *"$dir/pools.json: there is no such file"* ]]
	pools '{"driver": ["igbvf"]}'
	run --separate-stderr devinfod --config-file "$dir/pools.json"
	[ "$status" -eq 1 ]
	[[ $(<"$dir/root/log") == *"driver"* ]]
}

@test "each device of a pool is told with its health, and it ends when it is told to" {
	pools '{"drivers": ["igbvf", "vfio-pci"]}'
	daemon --resource-prefix=example.com -v 5 -logtostderr --log-dir=sriovdp --log-level=10
	grep -q 'options of another log are ignored.* option=v$' "$dir/root/log"
	mapfile -t told < <(grep -o 'resource=.* health=.*' "$dir/root/log")
	[ "${#told[@]}" -eq 2 ]
	[ "${told[0]}" = 'resource=example.com/vf device=0000:01:10.0 health=Unhealthy why="its PF eth0 is down"' ]
	[ "${told[1]}" = 'resource=example.com/vf device=0000:01:10.2 health=Unhealthy why="its PF eth0 is down"' ]
	stop TERM
}

@test "the pools are read again at a signal, and a mistake in them keeps the former" {
	pools '{"drivers": ["igbvf"]}'
	daemon
	run ! grep -q 'device=0000:01:10.2' "$dir/root/log"
	pools '{"drivers": ["vfio-pci"]}'
	kill -HUP "$daemon"
	waits_for 'msg="device is offered no more" resource=intel.com/vf device=0000:01:10.0'
	grep -q 'resource=intel.com/vf device=0000:01:10.2' "$dir/root/log"
	echo '{' >"$dir/pools.json"
	kill -HUP "$daemon"
	waits_for 'the pools are not read again'
	run ! grep -q 'offered no more.*0000:01:10.2' "$dir/root/log"
	stop INT
}

@test "a log that was renamed goes on under its name after a signal" {
	pools '{"drivers": ["igbvf"]}'
	daemon
	mv "$dir/root/log" "$dir/root/log.1"
	kill -HUP "$daemon"
	waits_for 'the pools are read'
	run ! grep -q 'the pools are read' "$dir/root/log.1"
	stop TERM
}

@test "the service manager is told of the start, of a reload and of the end" {
	pools '{"drivers": ["igbvf"]}'
	python3 - "$dir/notify" >"$dir/root/log.told" 3>&- <<-'END' &
		import socket, sys
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1])
		s.settimeout(20)
		told = ""
		while "STOPPING" not in told:
		    told = s.recv(4096).decode().split("\n")[0]
		    print(told, flush=True)
	END
	for ((i = 0; i < 500; i++)); do [ ! -S "$dir/notify" ] || break; sleep 0.01; done
	NOTIFY_SOCKET=$dir/notify WATCHDOG_USEC=200000 daemon
	kill -HUP "$daemon"
	waits_for 'the pools are read'
	sleep 0.3
	stop TERM
	wait
	[ "$(uniq "$dir/root/log.told" | grep -v WATCHDOG | paste -sd' ')" = 'READY=1 RELOADING=1 READY=1 STOPPING=1' ]
	[ "$(grep -c WATCHDOG=1 "$dir/root/log.told")" -ge 2 ]
}

# bats test_tags=native
@test "what it does not need it has given up: capabilities, and the calls that execute and mount" {
	pools '{"drivers": ["igbvf"]}'
	daemon
	status=$(<"/proc/$daemon/status")
	[[ $status == *NoNewPrivs:$'\t1\n'* ]]
	[[ $status == *Seccomp:$'\t2\n'* ]]
	# SYS_ADMIN, SYS_PTRACE, NET_ADMIN, DAC_READ_SEARCH
	permitted=$(sed -n 's/^CapPrm:\t//p' <<<"$status")
	[ $((0x$permitted & ~0x281004)) -eq 0 ]
	[ "$permitted" = "$(sed -n 's/^CapEff:\t//p' <<<"$status")" ]
	[ "$(awk '/^Max core file size/ { print $5 $6 }' "/proc/$daemon/limits")" = 00 ]
	stop TERM
}

# raise_pf: the VFs of the node can be used
raise_pf() { echo 0x1003 >"$dir/root/sys/class/net/eth0/flags"; }

@test "a file that changes is noticed: pools, and rules that taint devices" {
	raise_pf
	pools '{"drivers": ["igbvf"]}'
	daemon
	grep -q 'device=0000:01:10.0 health=Healthy why=""' "$dir/root/log"
	overrides=$dir/root/etc/cni/net.d/devinfo.d/overrides
	mkdir -p "$overrides"
	cat >"$overrides/taint.yaml" <<-'END'
		apiVersion: resource.k8s.io/v1alpha3
		kind: DeviceTaintRule
		metadata: {name: broken-cable}
		spec:
		  deviceSelector: {device: "0000-01-10-0"}
		  taint: {key: example.com/cable, effect: NoSchedule}
	END
	waits_for 'device=0000:01:10.0 health=Unhealthy why="it is tainted example.com/cable:NoSchedule, by DeviceTaintRule broken-cable"'
	echo "spec: {" >"$overrides/wrong.yaml"
	waits_for 'level=warning'
	rm "$overrides"/*
	for ((i = 0; i < 200; i++)); do
		[ "$(grep -c 'device=0000:01:10.0 health=Healthy' "$dir/root/log")" -lt 2 ] || break
		sleep 0.01
	done
	[ "$(grep -c 'device=0000:01:10.0 health=Healthy' "$dir/root/log")" -eq 2 ]
	pools '{"drivers": ["vfio-pci"]}'
	waits_for 'resource=intel.com/vf device=0000:01:10.2 health=Healthy'
	[ "$(grep -c level=warning "$dir/root/log")" -le 2 ]
	stop TERM
}

@test "a node has one: a second is refused, and may start when the first has ended" {
	pools '{"drivers": ["igbvf"]}'
	daemon
	run --separate-stderr devinfod --config-file "$dir/pools.json"
	[ "$status" -eq 1 ]
	grep -q "another devinfod has '/run/devinfo/devinfod.lock': only one serves a node" "$dir/root/log"
	kill -KILL "$daemon"
	wait "$daemon" || true
	rm "$dir/root/log"
	daemon
	stop TERM
}

@test "without devinfod watch and events say where they looked and what to start, and take no operand" {
	for command in watch 'watch --json' events 'events --output=wide'; do
		# shellcheck disable=SC2086 # a word, or two
		run --separate-stderr devinfoctl $command
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[ "$stderr" = "devinfoctl: devinfod does not run here: nobody listens at '/run/devinfo/devinfod.sock'; start it, as with 'systemctl start devinfod'" ]
	done
	# what is there and is no socket is another matter
	mkdir -p "$dir/root/run/devinfo/devinfod.sock"
	run --separate-stderr devinfoctl events
	[ "$status" -eq 1 ]
	[ "$stderr" = "devinfoctl: devinfod's socket '/run/devinfo/devinfod.sock': the path is not a socket (Socket operation on non-socket)" ]
	for command in watch events; do
		run --separate-stderr devinfoctl "$command" all
		[ "$status" -eq 2 ]
		[ -z "$output" ]
	done
	run --separate-stderr devinfoctl watch --output=wide
	[ "$status" -eq 2 ]
}

# facts FILTER: of the recorded node
facts() {
	jq "$1" "$dir/root/devinfo-node.json" >"$dir/facts"
	mv "$dir/facts" "$dir/root/devinfo-node.json"
}

# contradictions: those that are told, CHECK OBJECT
contradictions() { sed -n 's/.* msg="contradiction" check=\([^ ]*\) object="\([^"]*\)".*/\1 \2/p' "$dir/root/log"; }

@test "at the start each contradiction between journal, ledger, kubelet and the node is told, once" {
	rm -rf "$dir/root"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" "$dir/root"
	pools '{"drivers": ["igbvf", "vfio-pci"]}'
	daemon
	[ -z "$(contradictions)" ]
	stop TERM
	rm "$dir/root/log"
	facts '.allocations |= map(if .id == "0000:01:10.0" and .pod_name == "web-0" then .pod_name = "web-9" else . end)
		| .allocations += [{resource: "intel.com/sriov_netdevice", id: "0000:01:10.7", pod_namespace: "default", pod_name: "q"}]
		| .attachments[1].state = "dead"'
	ledger=/var/lib/cni/devinfo/pods/default_p1@0123456789abcdef.json
	cp "$top/tests/node/before/ledger.json" "$dir/root$ledger"
	chmod 600 "$dir/root$ledger"
	touch -d '3 days ago' "$dir/root$ledger"
	# the disk has it from before, and the next call will fail by it
	damaged=/var/lib/cni/devinfo/attachments/0123456789abcdef@0000:01:10.6.json
	(umask 077; echo '{' >"$dir/root$damaged")
	daemon
	contradictions
	[ "$(contradictions | sort)" = "given-gone 0000:01:10.7
holder 0000:01:10.0
ledger-file $ledger
record-damaged $damaged
record-dead /var/lib/cni/devinfo/attachments/981b85271fa7be4c@0000:01:10.2.json" ]
	grep -q 'check=holder .*what="pod default/web-0 has it as net1, and kubelet gave it to pod default/web-9"' "$dir/root/log"
	kill -HUP "$daemon"
	waits_for 'the pools are read'
	[ "$(contradictions | wc -l)" -eq 5 ]
	stop TERM
}

@test "while kubelet does not answer nothing is said of what it gave" {
	rm -rf "$dir/root"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" "$dir/root"
	pools '{"drivers": ["igbvf", "vfio-pci"]}'
	facts '.node.kubelet_error = "it does not listen"
		| .allocations += [{resource: "intel.com/sriov_netdevice", id: "0000:01:10.7", pod_namespace: "default", pod_name: "q"}]'
	daemon
	[ -z "$(contradictions)" ]
}
