#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# units.bats - the services get by with what systemd leaves them: the directories that they may write to,
# their capabilities, system calls and address families
#
# systemd does not run where the tests do, so that is played: a mount namespace, setpriv, and strace, which
# lets fail what systemd would.
#
# rooms: -

load helpers

setup() {
	node_up
	features=/etc/kubernetes/node-feature-discovery/features.d
	traced=$BATS_TEST_TMPDIR.trace	# not below what is read-only
	mkdir -p "$dir/features" "$dir/tools" "$dir/devinfo/cni" "$dir/devinfo/dp"
	ln -s "${plugin}ctl" "$dir/tools/devinfoctl"
	printf '#!/bin/sh\ncat\n' >"$dir/tools/kubectl"
	chmod 755 "$dir/tools/kubectl"
	PATH=$dir/tools:$PATH
	add "$(host_local)"
	added
	pod_add "$pod2"
}

teardown() {
	del "$(host_local)" || true
	node_down
}

# allowed SERVICE - the system calls that systemd lets it make, as strace has them
allowed() {
	systemd-analyze syscall-filter 2>"$dir/told" | awk -v wanted="$(sed -n 's/^SystemCallFilter=//p' "$top/install/$1")" '
		/^@/ { group = $1; next }
		NF && $1 !~ /^#/ { calls[group] = calls[group] " " $1 }
		function walk(words, word, n, i) {
			n = split(words, word)
			for (i = 1; i <= n; i++)
				if (word[i] ~ /^@/) walk(calls[word[i]])
				else print "?" word[i]
		}
		END { walk(wanted) }' | sort -u | paste -sd,
}

# start SERVICE PLACE [NAME=VALUE] - its command; all of the test is read-only, but for PLACE
start() {
	local unit=$top/install/$1 command caps calls
	command=$(sed -n 's/^ExecStart=//p' "$unit" | sed 's/\$\$/$/g; s/%%/%/g')
	caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
	[ -n "$caps" ]
	calls=$(allowed "$1")
	[[ $calls == *,?openat2,* ]]
	grep -q '^NoNewPrivileges=yes$' "$unit"
	grep -q '^SystemCallErrorNumber=EPERM$' "$unit"
	# shellcheck disable=SC2016
	run --separate-stderr in_node env ASAN_OPTIONS=detect_leaks=0 "${3:-SLICES=}" unshare -m sh -c '
		mount -t tmpfs none /etc && mkdir -p "$2" && mount --bind "$1/features" "$2" &&
		mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && mount -o remount,ro /etc &&
		mount --bind "$3" "$3" && mount -o remount,bind,rw "$3" &&
		exec strace -f -qq -o "$7" -e trace=socket -e inject="!$6:error=EPERM" \
			setpriv --bounding-set "-all,$4" --inh-caps -all --no-new-privs sh -c "$5"' \
		- "$dir" "$features" "$2" "$caps" "$command" "$calls" "$traced"
	# a socket that systemd would refuse
	run_families=$(grep -oE 'socket\(AF_[A-Z0-9]+' "$traced" | sed 's/.*(//' | sort -u |
		grep -vxFf <(sed -n 's/^RestrictAddressFamilies=//p' "$unit" | tr ' ' '\n')) || true
	[ -z "$run_families" ] || { echo "refused: $run_families" && false; }
}

@test "the service for Node Feature Discovery writes its file, and needs no more than it may do" {
	start devinfo-nfd.service "$dir/features"
	[ "$status" -eq 0 ] || { echo "$stderr" && false; }
	[ -z "$output$stderr" ]
	diff <(grep -v expiry-time "$dir/features/devinfo") <(in_node "${plugin}ctl" export nfd)
}

@test "the service for ResourceSlices keeps the generation, and needs no more than it may do" {
	start devinfo-resourceslice.service "$dir/state" "SLICES=--node-name n1"
	[ "$status" -eq 0 ] || { echo "$stderr" && false; }
	[[ $stderr != *"is not kept"* ]]
	[ "$(jq -r '.pools[0].generation' "$dir/state/resourceslices.json")" = 1 ]
	[ "$(jq -c .items <<<"$output")" = "$(in_node "${plugin}ctl" export resourceslice --node-name n1 2>"$dir/told" | jq -c .items)" ]
	# another stateDir than systemd makes: it says so, and goes on
	start devinfo-resourceslice.service "$dir/features" "SLICES=--node-name n2"
	[ "$status" -eq 0 ]
	[[ $stderr == *"is not kept"* ]]
}

@test "each system call that the undo makes by its number is one that the service that collects may make" {
	calls=,$(allowed devinfo-gc.service),
	mapfile -t made < <(grep -rhoE --include='*.c' '\<syscall\(SYS_[a-z0-9_]+' "$top"/{base,netlink,conf,devinfo,cni} | sort -u)
	[ "${#made[@]}" -ge 5 ]
	for call in "${made[@]}"; do
		[[ $calls == *",?${call#*SYS_},"* ]] || { echo "$call" && false; }
	done
}

@test "each capability that the undo raises is one that the service that collects may have" {
	caps=$(sed -n 's/^CapabilityBoundingSet=//p' "$top/install/devinfo-gc.service")
	mapfile -t raised < <(grep -rhoE 'process_raise\(CAP_[A-Z_]+' "$top/cni" | sort -u)
	[ "${#raised[@]}" -ge 2 ]
	for cap in "${raised[@]#*(}"; do
		# CAP_MKNOD: for a node where only a mount is seen, and this service may not mount
		[ "$cap" = CAP_MKNOD ] || [[ " $caps " == *" $cap "* ]] || { echo "$cap" && false; }
	done
}

@test "the service that collects may open the nodes by which it sees whether a device is in use" {
	unit=$top/install/devinfo-gc.service
	# the kernel's names for what driver_use.c and vdpa_driver.c open: /dev/vfio/GROUP, /dev/vhost-vdpa-N
	for kind in vfio vhost-vdpa; do
		grep -qx "DeviceAllow=char-$kind rw" "$unit" || { echo "$kind" && false; }
	done
	run ! grep -qE '^(PrivateDevices=yes|DevicePolicy=strict)' "$unit"
}

@test "the service that collects releases the dead, spares the living, and needs no more than it may do" {
	add "$(conf '.device = "w0"')" c2 net1 "/run/netns/$pod2"
	added
	ip -n "$pod2" link set net1 netns "$node"
	ip netns del "$pod2"
	start devinfo-gc.service "$dir"
	[ "$status" -eq 0 ] || { echo "$stderr" && false; }
	[ -z "$stderr" ]
	[ "$output" = "released net1 of container c2, network net: device w0" ]
	[ "$(link "$node" w0 .address)" = 02:00:00:00:00:1a ]
	ip -n "$pod" link show net1
	[ "$(find "$dir/state/attachments" -type f | wc -l)" -eq 1 ]
	grep -q 'socket(AF_NETLINK' "$traced"
	# where it may not write it says so, and releases nothing
	ip -n "$pod" link set net1 netns "$node"
	ip netns del "$pod"
	start devinfo-gc.service "$dir/features"
	[ "$status" -eq 1 ]
	[[ $stderr == *"Read-only file system"* ]]
	[ -z "$output" ]
	[ "$(find "$dir/state/attachments" -type f | wc -l)" -eq 1 ]
}

# make_devinfod - what the service starts ends after three seconds
make_devinfod() {
	printf '#!/bin/sh\nexec timeout -s TERM --preserve-status 3 "%sd" --config-file "%s/pools.json"\n' "$plugin" "$dir" \
		>"$dir/tools/devinfod"
	chmod 755 "$dir/tools/devinfod"
	mkdir -p "$dir/devinfo/kubelet/device-plugins"
	echo '{"resourceList": [{"resourceName": "all", "selectors": {}}]}' >"$dir/pools.json"
}

# trouble - warnings and errors of the log; under strace the leak check of what the keeper runs is one, with a sanitizer
trouble() {
	grep -E 'level=(warning|error)' <<<"$log" | if [ -n "${SAN-}" ]; then grep -v 'msg="devinfoctl gc'; else cat; fi || true
}

@test "the service that serves devices starts, serves, ends, and needs no more than it may do" {
	make_devinfod
	node_conf '{kubeletDir: "'"$dir"'/devinfo/kubelet", logFile: "'"$dir"'/devinfo/log", runDir: "'"$dir"'/devinfo/run"}'
	start devinfod.service "$dir/devinfo"
	log=$(<"$dir/devinfo/log")
	[ "$status" -eq 0 ] || { echo "$stderr$log" && false; }
	[[ $log == *'devinfod has started'*'devinfod ends'* ]]
	[ -z "$(trouble)" ] || { echo "$log" && false; }
	grep -q 'socket(AF_NETLINK' "$traced"
	[ -z "$(ls -A "$dir/devinfo/kubelet/device-plugins")" ]
	# where it may not write, it says so
	node_conf '{kubeletDir: "'"$dir"'/devinfo/kubelet", logFile: "'"$dir"'/features/log", runDir: "'"$dir"'/features/run"}'
	start devinfod.service "$dir/features"
	[[ $(<"$dir/features/log") == *level=warning*'Read-only file system'* ]] || { cat "$dir/features/log" && false; }
}

@test "the service that serves devices releases the dead by its keeper, and that needs no more than it may do" {
	make_devinfod
	node_conf '{kubeletDir: "'"$dir"'/devinfo/kubelet"}'
	add "$(host_local '.device = "w0"')" c2 net1 "/run/netns/$pod2"
	added
	ip -n "$pod2" link set net1 netns "$node"
	ip netns del "$pod2"
	start devinfod.service "$dir"
	log=$(<"$dir/log")
	[ "$status" -eq 0 ] || { echo "$stderr$log" && false; }
	[[ $log == *'said="released net1 of container c2, network net: device w0"'* ]] || { echo "$log" && false; }
	# but that it was there
	[ "$(trouble | grep -c 'msg="contradiction" check=record-dead')" -eq 1 ]
	[ "$(trouble | wc -l)" -eq 1 ] || { echo "$log" && false; }
	[ "$(link "$node" w0 .address)" = 02:00:00:00:00:1a ]
	[ "$(find "$dir/state/attachments" -type f | wc -l)" -eq 1 ]
}

@test "on a node where nothing was attached yet, the records' directory is there before the daemon is confined" {
	unit=$top/install/devinfod.service
	[ "$(grep -n '^ExecStartPre=-+' "$unit" | cut -d: -f1)" -lt "$(grep -n '^ExecStart=' "$unit" | cut -d: -f1)" ]
	run unshare -m sh -c 'mount -t tmpfs none /var/lib && umask 077 && eval "$1" &&
		stat -c "%a %n" /var/lib/cni /var/lib/cni/devinfo' - "$(sed -n 's/^ExecStartPre=-+//p' "$unit")"
	[ "$output" = $'755 /var/lib/cni\n700 /var/lib/cni/devinfo' ]
}

# says KEY SERVICE - the words of its lines, one a line
says() { sed -n "s/^$1=//p" "$top/install/$2" | tr ' ' '\n' | sort -u; }
# kept FILE - the capabilities that it keeps
kept() { grep -oE 'CAPABILITY\(CAP_[A-Z_]+' "$top/$1" | sed 's/.*(//' | sort -u; }

@test "what the service that serves devices may do is what devinfod and its keeper keep" {
	diff <(says CapabilityBoundingSet devinfod.service) \
		<(sort -u <(kept daemon/confine.c) <(kept daemon/keeper/keeper_child.c))
	[ "$(kept daemon/confine.c | paste -sd' ')" = 'CAP_DAC_READ_SEARCH CAP_NET_ADMIN CAP_SYS_ADMIN CAP_SYS_PTRACE' ]
}

@test "the keeper may do what the service that collects may, but for the network, and no more" {
	diff <(says CapabilityBoundingSet devinfo-gc.service) <(kept daemon/keeper/keeper_child.c)
	for key in CapabilityBoundingSet RestrictAddressFamilies RestrictNamespaces DevicePolicy DeviceAllow SystemCallFilter \
		ReadWritePaths ProtectSystem ProtectHome; do
		[ -n "$(says "$key" devinfo-gc.service)" ]
		[ -z "$(comm -23 <(says "$key" devinfo-gc.service) <(says "$key" devinfod.service))" ] || { echo "$key" && false; }
		[ -z "$(comm -13 <(says "$key" devinfo-gc.service) <(says "$key" devinfod.service))" ] || { echo "$key: more" && false; }
	done
	# what one of them protects and the other does not would keep the keeper from its work
	protected() { grep -E '^(Protect|Private|MemoryDeny|Lock|Restrict)[A-Za-z]*=yes$' "$top/install/$1" | sort; }
	diff <(protected devinfo-gc.service) <(protected devinfod.service)
}

@test "what the service that publishes may do is what devinfo-publish keeps" {
	diff <(says CapabilityBoundingSet devinfo-publish.service) <(kept daemon/publish/confine.c)
}
