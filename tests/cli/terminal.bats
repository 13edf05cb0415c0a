#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# terminal.bats - what devinfoctl shows on a terminal, and what it keeps from it
#
# rooms: manager/ctl
# bats file_tags=plain

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	info=$node/var/run/k8s.cni.cncf.io/devinfo
	cd "$BATS_TEST_TMPDIR"
	export DEVINFO_CONF=$PWD/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/crash.node" "$node"
}

# clean ARGUMENT... - nothing but printable ASCII and ends of lines is said, on either stream
clean() {
	"$ctl" --root "$node" "$@" >said 2>&1 || true
	[ -s said ]
	! LC_ALL=C grep -anP '[^\n -~]' said || { echo "$*" && return 1; }
}

@test "names that others have chosen cannot steer the terminal, wherever they stand" {
	clear=$'\e[2J' c1=$'\xc2\x9b31m'
	touch -d '2 days ago' "$info/cni/$clear" "$info/dp/$clear-device.json" "$node/run/devinfo/status/$clear.json"
	cp "$node/etc/cni/net.d/20-sriov-net.conflist" "$node/etc/cni/net.d/30-$clear.conflist"
	jq -c '.name = "\u001b[2J" | .plugins[0] += {"\u001b[2J": 1, type: "\u001b[2J"}' \
		"$node/etc/cni/net.d/20-sriov-net.conflist" >"$node/etc/cni/net.d/31-a.conflist"
	jq -c '.plugins[0]["vlan\u001b[2J"] = 1' "$node/etc/cni/net.d/20-sriov-net.conflist" >"$node/etc/cni/net.d/32-a.conflist"
	printf '{"version":%s' "$clear" >"$node/var/lib/cni/devinfo/attachments/0123456789abcdef@$clear.json"
	record=$node/var/lib/cni/devinfo/attachments/cb859e040fe57d6c@0000:01:11.2.json
	(umask 077 && jq -c '.netns = "/run/\u001b[2J"' "$record" >new && cat new >"$record")
	echo '{"type":"\u001b[2J","version":"1.1.0"}' >"$(echo "$info"/cni/*11fe*)"
	jq -c --arg c "$c1" '.allocations += [{resource: ("a/" + $c), id: "\u001b[2J", pod_namespace: "default", pod_name: "web-5", container: "\u001b[2J"},
		{resource: "intel.com/sriov_netdevice", id: "0000:01:11.4", pod_namespace: "default", pod_name: "\u001b[2J"}] |
		.links[0].altnames += ["\u001b[2J"] | .functions[0].firmware = "\u001b[2J" | .node.kubelet_error = $c |
		.attachments[1].drift = "drifted: \u001b[2J"' "$node/devinfo-node.json" >new
	mv new "$node/devinfo-node.json"
	for command in 'scan --output=wide' 'list --output=wide' drift doctor 'doctor --output=wide' 'repair --dry-run' \
			'status default/web-5' 'explain default/web-5' 'explain default/web-0'; do
		# shellcheck disable=SC2086
		clean $command
	done
	echo '{"type":"\u001b[2J","version":"1.1.0"}' >"$clear"
	cp "$node/etc/cni/net.d/31-a.conflist" "$c1"
	clean validate "$clear" none"$clear"
	grep -qF '\x1b[2J: ' said
	clean validate-conf "$c1" "$clear"
	"$ctl" --root "$node" show 0000:01:11.2 >"$c1"
	clean validate "$c1"
	grep -qF '\xc2\x9b31m: ok (pci' said
	clean show "$clear"
	clean "$clear"
	clean status "$clear"
	clean explain "$clear"
	clean scan --match "$clear"
	clean scan --pool "$clear"
	jq '.resourceList[0].resourceName = "\u001b[2J"' "$top/tests/node/expected/config.json" >pools.json
	clean publish --dry-run --pool pools.json
	clean publish --dry-run --pool "$top/tests/node/expected/config.json" "$clear"
	echo '{"type":"vdpa","version":"1.1.0","vdpa":{"parent-device":"\u001b[2J","driver":"vhost","path":"/\u001b[2J"}}' \
		>"$info/dp/a-0000:01:11.2-device.json"
	clean show --resource a 0000:01:11.2
	clean args dpdk "$info/dp/a-0000:01:11.2-device.json"
}

# on_terminal ARGUMENT... - what it prints there, both streams
on_terminal() {
	script -qec "$(printf '%q ' "$ctl" --root "$node" "$@")" /dev/null </dev/null | tr -d '\r'
}

@test "words have a colour on a terminal, but not with NO_COLOR, nor in a pipe, nor in JSON" {
	unset NO_COLOR
	[[ $(on_terminal doctor) == *$'\e[31merror\e[0m'* ]]
	[[ $(NO_COLOR=1 on_terminal doctor) != *$'\e'* ]]
	[[ $(on_terminal doctor --color=never) != *$'\e'* ]]
	[[ $(NO_COLOR=1 on_terminal list --color=always) == *$'\e[31mdead\e[0m'* ]]
	[[ $(on_terminal list --json) != *$'\e'* ]]
	[[ $("$ctl" --root "$node" doctor || true) != *$'\e'* ]]
	[[ $("$ctl" --root "$node" drift --color=always || true) == *$'\e[31mdrifted\e[0m'* ]]
}

@test "who reads no more than a line hears no complaint" {
	for command in doctor 'repair --dry-run' 'scan --json' 'explain default/web-5' list help; do
		# shellcheck disable=SC2086
		said=$("$ctl" --root "$node" $command 2>&1 >/dev/full | tail -n 1) || true
		[[ $said == *"stdout: No space left on device"* ]]
		# more than a pipe holds, to nobody
		# shellcheck disable=SC2086
		{ "$ctl" --root "$node" $command 2>err >&3 || true; } 3> >(:)
		run ! grep -i pipe err
	done
}

@test "what takes longer than a second is told on standard error, once" {
	python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
print("up", flush=True)
time.sleep(30)' "$PWD/kubelet.sock" >ready 3>&- &
	server=$!
	echo "{\"kubeletSocket\": \"$PWD/kubelet.sock\"}" >"$DEVINFO_CONF"
	until grep -qs up ready; do sleep 0.05; done
	commands=(scan 'repair --dry-run' doctor 'record-node node.tar' 'explain a/b' 'resolve a/b --resource r')
	for i in "${!commands[@]}"; do		# of this machine
		# shellcheck disable=SC2086
		"$ctl" ${commands[i]} --timeout 1500 >/dev/null 2>"said$i" 3>&- &
		jobs[i]=$!
	done
	wait "${jobs[@]}" || true
	kill "$server"
	[ "$(grep -c '^devinfoctl: waiting for kubelet.*\.\.\.$' said{0..5} | grep -c ':1$')" -eq 6 ] || { head said* && return 1; }
}

@test "who is not root is told that root is needed" {
	[ "$(id -u)" -ne 0 ] || other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	chmod -R go-rwx "$node/var/lib/cni/devinfo"
	[ "$(id -u)" -eq 0 ] || chmod a-rwx "$node/var/lib/cni/devinfo"
	cp "$ctl" devinfoctl
	chmod a+rx . devinfoctl
	unset DEVINFO_CONF
	run --separate-stderr "${other[@]}" ./devinfoctl --root node list
	chmod -R u+rwx "$node/var/lib/cni/devinfo"
	[ "$status" -eq 1 ]
	[[ $stderr == *"(Permission denied)"$'\n'"devinfoctl: it has to be run as root for that"* ]]
}

# as_wide COLUMNS ARGUMENT... - what is shown on a terminal of that width, without colours
as_wide() {
	NO_COLOR=1 script -qec "stty cols $1; '$ctl' --root '$node' ${*:2} 2>told" /dev/null | tr -d '\r'
}

@test "a table is no wider than its terminal, and --output=wide has all of it" {
	"$ctl" --root "$node" list >whole 2>told || true
	[ "$(wc -L <whole)" -gt 80 ]
	for columns in 60 70 80; do
		unset COLUMNS
		as_wide "$columns" list >shown
		[ "$(wc -L <shown)" -le "$columns" ]
		[ "$(wc -l <shown)" = "$(wc -l <whole)" ]
		# what a row is about is whole
		[ "$(awk '{print $1}' shown)" = "$(awk '{print $1}' whole)" ]
		grep -q dead shown
	done
	as_wide 60 list --output=wide >shown
	diff shown <("$ctl" --root "$node" list --output=wide 2>told)
	COLUMNS=70 as_wide 200 list >shown
	[ "$(wc -L <shown)" -le 70 ]
}

@test "-o is --output, and -o name prints of each row what it is about" {
	diff <("$ctl" --root "$node" scan -o json) <("$ctl" --root "$node" scan --json)
	diff <("$ctl" --root "$node" scan -o wide) <("$ctl" --root "$node" scan --output=wide)
	diff <("$ctl" --root "$node" scan -o name) <("$ctl" --root "$node" scan --json | jq -r '.[].id')
	run ! "$ctl" --root "$node" doctor -o name
	[ "$(sort -u <<<"$output")" = "$("$ctl" --root "$node" doctor --json |
		jq -r '.[] | select(.severity != "skipped").check' | sort -u)" ]
}

@test "a command or option that is not known is told with the nearest" {
	run -2 --separate-stderr "$ctl" --root "$node" dcotor
	[[ $stderr == *"unknown command 'dcotor', did you mean doctor?"* ]]
	run -2 --separate-stderr "$ctl" --root "$node" scan --jsno
	[[ $stderr == *'did you mean --json?'* ]]
	run -2 --separate-stderr "$ctl" --root "$node" scan --xyzzy
	[[ $stderr != *'did you mean'* ]]
	run -2 --separate-stderr "$ctl" --root "$node" xyzzy
	[[ $stderr != *'did you mean'* ]]
}

@test "an address is taken as lspci prints it" {
	diff <("$ctl" --root "$node" show 01:10.0) <("$ctl" --root "$node" show 0000:01:10.0)
	run ! "$ctl" --root "$node" show 01:1f.7
	[[ $output == *01:1f.7* ]]
}
