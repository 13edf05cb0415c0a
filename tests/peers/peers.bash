# SPDX-License-Identifier: Apache-2.0
# peers.bash - what the tests with real peers share: DPDK's testpmd as application and as switch
#
# The application runs in the network namespace of a pod and sees nothing of the host's directories
# but the one that its pod mounts; the switch runs on the host.  One sends and the other sends back,
# so that each of them receives; both are slow to start on a machine that is busy: everything here
# waits for what happens, and fails only after $patience.
# shellcheck shell=bash
# shellcheck disable=SC2154 # dir, pod, node, output and so on are of helpers.bash and bats

load ../net/helpers

ctl=${BUILD:-$top/build}/bin/devinfoctl
patience=${PATIENCE:-30}	# seconds
declare -gA pid	# by name; bats loads this within a function

peers_up() {
	node_up
	type -P dpdk-testpmd >/dev/null || skip "needs dpdk-testpmd"
	socks=$dir/s at=/run/devinfo/sockets
	mkdir "$dir/dpdk"
	programs=$(mktemp -d /run/devinfo-test.XXXXXX)	# where nobody but root may write, unlike /tmp
	install -m 755 "$BATS_TEST_DIRNAME/switch.sh" "$programs/switch"
	cp "$programs/switch" "$dir/bin/switch"		# for plugins
	node_conf "{socketDir: \"$socks\", hostDirs: [\"d\"], switchPrograms: [\"$programs/switch\"]}"
}

peers_down() {
	local name
	for name in "${!pid[@]}"; do
		end "$name"
	done
	for name in "$dir"/switch-*.pid; do
		[ ! -s "$name" ] || killed "$(<"$name")"
	done
	rm -rf "${programs:-/none}"
	node_down
}

# -- configurations and calls; check and gc are those of the other tests

# sconf KIND SIDE [jq filter] - memif or vhostUser, and the application's role or mode; testpmd is
# the switch, by the exec hook.  Default "slave" and "client" is what the host listens for.
sconf() {
	jq -cn --arg dir "$dir" --arg hook "$programs/switch" --arg kind "$1" --arg side "$2" '{
		cniVersion: "1.1.0", name: "net", type: "devinfo", runtimeConfig: {CNIDeviceInfoFile: "\($dir)/devinfo/cni/given"},
		switch: {type: "exec", path: $hook, config: {dir: $dir}},
		($kind): {waitMs: 30000, (if $kind == "memif" then "role" else "mode" end): $side}}
		| '"${3:-.}"
}

# socket - of the result, as the host sees it
socket() { jq -er '.interfaces[0].socketPath' <<<"$output"; }

# emitted [jq filter] - of the device-info file
emitted() { jq -er "${1:-.}" "$dir/devinfo/cni/${given:-given}"; }

# not COMMAND... - fails when it succeeds, unlike "!" in the midst of a test
not() { ! "$@"; }

# nothing_left - of any attachment
nothing_left() {
	local left
	left=$(find "$dir/s" "$dir/state/attachments" "$dir/run/status" "$dir/devinfo" -mindepth 1 \
		! -path "$dir/devinfo/cni" ! -path "$dir/devinfo/dp" 2>/dev/null) || true
	[ -z "$left" ] || { echo "left: $left" && return 1; }
}

# within_patience COMMAND... - until it succeeds
within_patience() {
	local limit=$((SECONDS + patience))
	until "$@"; do
		((SECONDS < limit)) || { echo "not within $patience s: $*" && return 1; }
		sleep 0.05
	done
}

# -- processes: a name, and its output in $dir/NAME.log

# launch NAME COMMAND... - for at most a minute; testpmd is asked for its counters all the time
launch() {
	timeout -s KILL 60 "${@:2}" >"$dir/$1.log" 2>&1 3>&- \
		< <(exec 3>&-; while sleep 0.2 && echo 'show port stats 0'; do :; done 2>/dev/null) &
	pid[$1]=$!
}

# killed GROUP - of processes: at once, and they are gone when it returns; what they made stays
killed() {
	kill -KILL -- "-$1" 2>/dev/null || true
	within_patience group_gone "$1"
}
# A leader may be a zombie while a thread of it still has the sockets; their number is told, for a list of
# threads ends early when one of them dies meanwhile.
group_gone() {
	! ps -eo pgid=,nlwp=,stat= | awk -v g="$1" '$1 == g && !($3 ~ /^Z/ && $2 <= 1) { alive = 1 } END { exit !alive }'
}

# end NAME
end() {
	killed "${pid[$1]}"
	{ wait "${pid[$1]}" || true; } 2>/dev/null
	unset "pid[$1]"
}

# end_hooked [interface] - the switch of the exec hook
end_hooked() { killed "$(<"$dir/switch-${1:-net1}.pid")"; }

# complains NAME TEXT - it has said that; testpmd goes on without its device
complains() {
	within_patience grep -qsE -- "$2" "$dir/$1.log" || { tail -n 20 "$dir/$1.log" && return 1; }
}

# -- testpmd

# pmd LCORES FORWARD DEVICE-ARGUMENT... - $pmd: the command
pmd() {
	pmd=(dpdk-testpmd --lcores "$1" --no-huge -m 48 --no-pci --no-telemetry --no-shconf
		--file-prefix "$2-$id" "${@:3}" -- --total-num-mbufs=2048 --no-mlockall --disable-link-check
		--port-topology=loop --forward-mode="$2" --auto-start -i)
}

# switch DEVICE-ARGUMENT - sends back what it receives, as that of the exec hook does
switch() {
	local pmd
	pmd 0@1,1@1 io "$1"
	launch switch env RUNTIME_DIRECTORY="$dir/dpdk" "${pmd[@]}"
}

# app - started from the emitted file $given, in the pod, which has the directory of the result's
# socket where the file says: it sends, and counts what comes back.  As user $uid of group $gid;
# $as is its name, $forward what it does instead, $cores where its threads run.
app() {
	local args at
	at=$(dirname "$(emitted '(.memif // ."vhost-user").path')")
	mapfile -t args < <("$ctl" args dpdk "$dir/devinfo/cni/${given:-given}")
	pod_pmd "$(dirname "$(socket)")" "${args[@]}"
}

# pod_pmd DIRECTORY DEVICE-ARGUMENT... - the host's directory is $at in the pod
pod_pmd() {
	local pmd
	pmd "${cores:-0@0,1@0}" "${forward:-flowgen}" "${@:2}"
	in_pod "$1" "${pmd[@]}"
}

# in_pod DIRECTORY COMMAND...
in_pod() {
	# shellcheck disable=SC2016
	launch "${as:-app}" ip netns exec "$pod" bash -euc '
		host=$1 at=$2 hidden=$3 uid=$4 gid=$5
		shift 5
		mount -t tmpfs tmpfs /mnt
		mkdir /mnt/sockets
		mount --bind "$host" /mnt/sockets
		mount -t tmpfs -o mode=755 tmpfs /run
		install -d -m 700 -o "$uid" -g "$gid" /run/app
		mkdir -p "$at"
		mount --bind /mnt/sockets "$at"
		mount -t tmpfs -o mode=755 tmpfs "$hidden"
		umount -l /mnt
		export RUNTIME_DIRECTORY=/run/app
		cd /
		exec setpriv --reuid "$uid" --regid "$gid" --clear-groups --inh-caps=-all "$@"
	' pod "$1" "$at" "$dir" "${uid:-0}" "${gid:-${uid:-0}}" "${@:2}"
}

# received NAME - the packets: the largest number it has told, for memif's begin anew
received() {
	sed -nE 's/^  RX-packets: ([0-9]+) .*/\1/p' "$dir/$1.log" 2>/dev/null | sort -n | tail -n 1
}

has_received() { [ "$(received "$1")" -gt 0 ] 2>/dev/null; }

# both_receive - and show what they said if one does not
both_receive() {
	{ within_patience has_received switch && within_patience has_received app; } ||
		{ tail -n 12 "$dir/switch.log" "$dir/app.log" && return 1; }
}

