#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# units.bats - the services and timers that tell the cluster of the node's devices: what they run, on a
# recorded node; no privilege needed
#
# That they get by with what they may do is tests/net/units.bats.
#
# rooms: manager/ctl
# bats file_tags=plain

load devinfoctl

setup() {
	ctl_up
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" node
	mkdir bin
	printf '#!/bin/sh\nexec "%s" --root "%s" "$@"\n' "$ctl" "$PWD/node" >bin/devinfoctl
	printf '#!/bin/sh\necho "$*" >called\ncat >given\n' >bin/kubectl
	chmod 755 bin/*
	PATH=$PWD/bin:$PATH
	features=/etc/kubernetes/node-feature-discovery/features.d
}

# start SERVICE [NAME=VALUE]: its command, as systemd reads it
start() {
	local command
	command=$(sed -n 's/^ExecStart=//p' "$top/install/$1" | sed 's/\$\$/$/g; s/%%/%/g')
	run --separate-stderr env "${2:-SLICES=}" sh -c "$command"
}

@test "the service for Node Feature Discovery writes where its worker reads, more often than the file expires" {
	start devinfo-nfd.service
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	diff <(grep -v '^# +expiry-time=' "node$features/devinfo") <("$ctl" --root node export nfd)
	grep -q '^# +expiry-time=' "node$features/devinfo"
	grep -qF "$features" "$top/install/man/devinfoctl.8"
	# systemd makes this directory, and lets the service write to no other
	[ "/etc/$(sed -n 's/^ConfigurationDirectory=//p' "$top/install/devinfo-nfd.service")" = "$features" ]
	minutes=$(sed -n 's/^OnUnitInactiveSec=\([0-9]*\)min$/\1/p' "$top/install/devinfo-nfd.timer")
	expires=$(sed -n 's/^ExecStart=.*--expires \([0-9]*\) .*/\1/p' "$top/install/devinfo-nfd.service")
	[ $((3 * minutes * 60)) -lt "$expires" ]
}

@test "the service for ResourceSlices applies what is exported, and nothing of an export that fails" {
	start devinfo-resourceslice.service "SLICES=--node-name n1 --driver nic.example.com"
	[ "$status" -eq 0 ]
	[ "$(cat called)" = "apply -f -" ]
	diff given <("$ctl" --root node export resourceslice --node-name n1 --driver nic.example.com)
	rm called
	start devinfo-resourceslice.service "SLICES=--node-name N"
	[ "$status" -ne 0 ]
	[ ! -e called ]
	printf '#!/bin/sh\ncat >/dev/null\nexit 3\n' >bin/kubectl
	start devinfo-resourceslice.service "SLICES=--node-name n1"
	[ "$status" -eq 3 ]
}

@test "each timer has its service, and systemd understands them all" {
	for timer in "$top"/install/*.timer; do
		[ -e "${timer%.timer}.service" ]
		grep -q '^WantedBy=timers.target$' "$timer"
	done
	for unit in "$top"/install/*.service "$top"/install/*.timer; do
		sed "s,^ExecStart=devinfo\(ctl\|d\|-publish\)\>,ExecStart=${ctl%ctl}\1," "$unit" >"${unit##*/}"
		# no setting twice, and each in the form NAME=VALUE
		run ! grep -vE '^(#.*|\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.*|)$' "$unit"
		[ -z "$(grep -oE '^[A-Z][A-Za-z]+=' "$unit" | grep -vxE '(Environment|DeviceAllow)=' | sort | uniq -d)" ]
	done
	run systemd-analyze verify --man=no ./*.service ./*.timer
	[ "$status" -eq 0 ]
	[ -z "$output" ] || { echo "$output" && false; }
}

@test "each service is hardened, and says in a comment what it needs" {
	for unit in "$top"/install/*.service; do
		for setting in ProtectSystem=strict NoNewPrivileges=yes SystemCallArchitectures=native \
			SystemCallErrorNumber=EPERM ProtectKernelModules=yes ProtectControlGroups=yes \
			ProtectClock=yes ProtectKernelLogs=yes ProtectHostname=yes LockPersonality=yes RestrictRealtime=yes; do
			grep -qx "$setting" "$unit" || { echo "${unit##*/}: $setting" && false; }
		done
		grep -qxE 'RestrictNamespaces=(net|yes)' "$unit" || { echo "${unit##*/}: namespaces" && false; }
		for setting in CapabilityBoundingSet RestrictAddressFamilies SystemCallFilter; do
			grep -qE "^$setting=[A-Z@]" "$unit" || { echo "${unit##*/}: $setting" && false; }
		done
		# by systemd's own measure: 10 is none at all
		said=$(systemd-analyze security --offline=true --threshold=50 --no-pager "$unit" 2>&1)
		[[ $said == *"exposure level for ${unit##*/}: "[0-4].* ]]
	done
	# whether a container lives is seen at the path of its namespace, wherever that is
	run ! grep -E '^(PrivateTmp|ProtectHome=(yes|tmpfs)|InaccessiblePaths|TemporaryFileSystem|PrivateNetwork|ProtectProc)' \
		"$top/install/devinfo-gc.service"
}

@test "the directories for one boot are made as an ADD makes them" {
	systemd-tmpfiles --root="$PWD/made" --create "$top/install/tmpfiles.conf"
	for place in run_dir:/status devinfo_dir:/cni devinfo_dir:/dp; do
		dir=$(sed -nE "s/^[[:space:]]*\.${place%:*} = \"([^\"]*)\",.*/\1/p" "$top/base/host.c")
		[ -n "$dir" ]
		dir=${dir/#\/var\/run/\/run}${place#*:}
		[ "$(stat -c %a "made$dir")" = 755 ] || { echo "$dir" && false; }
	done
}
