#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# list.bats - devinfoctl list: the attachments of a recorded node; no privilege needed
#
# rooms: manager/ctl devinfo/journal

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	before=$top/tests/node/before
	node=$BATS_TEST_TMPDIR/node
	records=$node/var/lib/cni/devinfo/attachments
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	mkdir -p "$node/proc/sys/kernel/random"
	echo 6b1e7a2c-58a5-4d0b-9a4e-000000000001 >"$node/proc/sys/kernel/random/boot_id"
	(umask 077 && mkdir -p "$records")
}

# run devinfoctl on the node; stdout in $output, stderr in $stderr
on_node() {
	run --separate-stderr "$ctl" --root "$node" "$@"
}

record() {	# SAMPLE DEVICE [FILTER] - its name begins with a number, not with the owner's hash
	n=$((${n:-0} + 1))
	file=$(printf '%016x@%s.json' "$n" "$2")
	(umask 077 && jq -c "${3:-.}" "$before/$1.json" >"$records/$file")
}

# What the recorded node knows of the last record.
fact() {	# STATE
	file=$(printf '%s\n' "$("$ctl" --root "$node" list --json | jq -r ".[] | select(.container_id == \"$2\").file")")
	[ -e "$node/devinfo-node.json" ] || echo '{"attachments":[]}' >"$node/devinfo-node.json"
	jq -c --arg f "$file" --arg s "$1" '.attachments += [{file: $f, state: $s}]' \
		"$node/devinfo-node.json" >"$BATS_TEST_TMPDIR/facts"
	mv "$BATS_TEST_TMPDIR/facts" "$node/devinfo-node.json"
}

@test "list has a line for each attachment: device, pod, network, kind, and whether it lives" {
	record vf 0000:01:10.0 '.pod = {namespace: "shop", name: "web-0", uid: "u7"}'
	record driver 0000:01:10.2 '.containerID = "b" | .device = "0000:01:10.2"'
	record socket-ovs sk:,var,t,s,c1,net1.sock '.containerID = "c"'
	record vdpa-given vdpasim '.containerID = "d" | .bootID = "other"'
	fact live a
	fact dead b
	on_node list
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 5 ]
	[[ ${lines[0]} =~ ^DEVICE\ +HOST\ NAME\ +POD\ +NETWORK\ +INTERFACE\ +KIND\ +STATE\ +CONTAINER$ ]]
	[[ $output =~ (^|$'\n')0000:01:10.0\ +eth2\ +shop/web-0\ +lab\ +net1\ +netdev\ +live\ +a($'\n'|$) ]]
	[[ $output =~ $'\n'0000:01:10.2\ +vfnet0\ +-\ +lab\ +net1\ +userspace\ +dead\ +b($'\n'|$) ]]
	[[ $output =~ $'\n'/var/t/s/c1/net1.sock\ +-\ +-\ +[a-z]+\ +net1\ +socket\ +unknown\ +c($'\n'|$) ]]
	[[ $output =~ \ vdpa\ +earlier\ boot\ +d($'\n'|$) ]]
}

@test "list --json has all that is known, --output=wide the namespace, the file and the whole container id" {
	local id=0123456789abcdef0123456789abcdef
	record vf 0000:01:10.0 ".containerID = \"$id\" | .pod = {namespace: \"shop\", name: \"web-0\", uid: \"u7\"}"
	fact live "$id"
	on_node list --json
	[ "$status" -eq 0 ]
	jq -e --arg id "$id" 'length == 1 and (.[0] |
		.device == "0000:01:10.0" and .device_id == "0000:01:10.0" and .host_name == "eth2" and
		.pod == "shop/web-0" and .pod_namespace == "shop" and .pod_name == "web-0" and .pod_uid == "u7" and
		.network == "lab" and .interface == "net1" and .kind == "netdev" and .state == "live" and
		.container_id == $id and .netns == "/run/netns/a" and .info_file == "lab-a_net1")' <<<"$output"
	on_node list
	[[ ${lines[1]} == *" 0123456789abc" ]]
	on_node list --output=wide
	[[ ${lines[1]} == *" $id  /run/netns/a  "*@0000:01:10.0.json ]]
}

@test "list finds the pod of a record that does not tell it in the ledger" {
	record netdev v0 '.containerID = "c1"'
	(umask 077 && mkdir -p "$records/../pods" &&
		cp "$before/ledger.json" "$records/../pods/default_p1@e6dce3c9e04b6828.json")
	on_node list --json
	[ "$(jq -r '.[0].pod' <<<"$output")" = default/p1 ]
}

@test "list names the file of a record that it cannot use, and fails for damage" {
	echo garbage >"$records/0123456789abcdef@0000:01:10.0.json"
	on_node list
	[ "$status" -eq 1 ]
	[ -s "$records/0123456789abcdef@0000:01:10.0.json" ]
	[ ! -e "$records/../lock" ]
	[[ ${lines[1]} =~ ^0000:01:10.0\ +-\ .*\ damaged\ +-$ ]]
	[[ $stderr == *"record '0123456789abcdef@0000:01:10.0.json': damaged: not valid JSON"* ]]
	[[ $stderr == *"damaged records, whose devices are given to nobody: 1;"* ]]
	mv "$records/0123456789abcdef@0000:01:10.0.json"{,.damaged}
	echo '{"version":1,"network":"net","containerID":"c0ffee","ifname":"net1","netns' \
		>"$records/0123456789abcdef@0000:01:10.0.json.damaged"
	on_node list
	[ "$status" -eq 1 ]
	[[ ${lines[1]} =~ ^0000:01:10.0\ +-\ +-\ +net\ +net1\ +-\ +damaged\ +c0ffee$ ]]
	[[ $stderr == *"@0000:01:10.0.json.damaged': damaged: "* ]]
}

@test "list leaves another version's record to that version" {
	record netdev v0 '.version = 2'
	on_node list
	[ "$status" -eq 0 ]
	[[ ${lines[1]} =~ ^v0\ .*\ version\ 2\ +c1$ ]]
	[[ $stderr == *"@v0.json': it is of version 2, this program writes 1"* ]]
}

@test "list of a node without attachments says so, and is [] as JSON" {
	for here in there gone; do
		on_node list
		[ "$status" -eq 0 ]
		[ "$output" = "no attachments" ]
		on_node list --json
		[ "$status" -eq 0 ]
		[ "$output" = "[]" ]
		rm -rf "$node/var"
	done
	[ "$here" = gone ]
}

@test "--state-dir of a directory without a journal is an error, not a node without attachments" {
	for command in list drift 'repair --dry-run' 'status default/p1'; do
		# shellcheck disable=SC2086
		on_node $command --state-dir /var/lib/cni/devinf
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == "devinfoctl: --state-dir '/var/lib/cni/devinf': there is no journal in it"* ]]
	done
	run --separate-stderr "$ctl" repair --state-dir "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
	[ ! -e "$BATS_TEST_TMPDIR/none" ]
}

@test "what a record says cannot steer the terminal" {
	record netdev v0 '.netns = "/run/netns/\u001b[2J\u00e4"'
	on_node list --output=wide
	[ "$status" -eq 0 ]
	[[ $output == *' /run/netns/\x1b[2J\xc3\xa4  '* ]]
}
