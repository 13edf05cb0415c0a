#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# matrix.bats - every verb in every version of the specification, in every position
#
# 6 verbs, 7 versions, 3 positions: 126 cells.  A row is one attachment from VERSION to DEL; a cell
# says what the verb did, and the last one whether node and pod are as before.  What an ADD prints
# is compared member by member with the one result of that version.
#
# rooms: cni cni/call
# bats file_tags=plain

load helpers

setup() {
	node_up
	bridge_up
	ip -n "$pod" link add h0 address 02:00:00:00:00:3a type veth peer name h1
}

teardown() { node_down; }

# result VERSION MAC - what is told of the attachment; of host-local the first address of each range
result() {
	jq -cn --arg v "$1" --arg mac "$2" --arg netns "/run/netns/$pod" '
		[{address: "10.1.0.2/24", gateway: "10.1.0.1", interface: 0, version: "4"},
			{address: "fd00:1::2/64", gateway: "fd00:1::1", interface: 0, version: "6"}] as $ips |
		[{dst: "198.51.100.0/24", gw: "10.1.0.9"}, {dst: "2001:db8::/48", gw: "fd00:1::9"}] as $routes |
		{cniVersion: $v, dns: {nameservers: ["10.1.0.53"]}} +
		if $v < "0.3.0" then
			{ip4: {ip: $ips[0].address, gateway: $ips[0].gateway, routes: [$routes[0]]},
				ip6: {ip: $ips[1].address, gateway: $ips[1].gateway, routes: [$routes[1]]}}
		else
			{interfaces: [{name: "net1", mac: $mac, sandbox: $netns}], ips: $ips, routes: $routes} |
			if $v >= "1.0.0" then del(.ips[].version) else . end |
			if $v >= "1.1.0" then .interfaces[0].mtu = 1400 else . end
		end'
}

# The configuration of a position.  Of a chained one: with the prevResult of that version, to which
# 1.1.0 has added what we change, and what we do not.
request() {
	local ipam='{type: "host-local", dataDir: "'"$dir"'/ipam",
		ranges: [[{subnet: "10.1.0.0/24", gateway: "10.1.0.1"}], [{subnet: "fd00:1::/64", gateway: "fd00:1::1"}]],
		routes: [{dst: "198.51.100.0/24", gw: "10.1.0.9"}, {dst: "2001:db8::/48", gw: "fd00:1::9"}]}'
	jq -cn --arg v "$2" '{cniVersion: $v, name: "net", type: "devinfo", mtu: 1400,
		dns: {nameservers: ["10.1.0.53"]}} + '"$(case $1 in
		owner) echo "{device: \"v0\", ipam: $ipam}" ;;
		meta) echo "{delegate: {type: \"bridge\", bridge: \"br0\", ipam: $ipam}}" ;;
		chained) echo "{prevResult: $(result "$2" 02:00:00:00:00:3a)} |
			if \$v == \"1.1.0\" then .prevResult |= (.interfaces[0] |= (del(.mtu) | .socketPath = \"/s\") |
				.routes[0] += {mtu: 1300, advmss: 1200, priority: 9, table: 0, scope: 0}) else . end" ;;
		esac)"
}

# answer POSITION VERSION - what ADD has to print
answer() {
	case $1 in
	chained) request "$@" | jq -c '.prevResult | if .cniVersion == "1.1.0" then .interfaces[0].mtu = 1400 else . end' ;;
	*) result "$2" "$(link "$pod" net1 .address)" ;;
	esac
}

# The bridge plugin lists the bridge and the host's end before the container's.
without_bridge() {
	jq 'if (.interfaces | length) == 3 then .interfaces |= .[2:] | .ips[].interface -= 2 else . end'
}

# expected POSITION VERSION VERB - on stdout, when all goes well
expected() {
	case $3 in
	ADD) answer "$1" "$2" | jq ;;
	VERSION) jq -n --arg v "$2" '{cniVersion: $v, supportedVersions: $ARGS.positional}' --args \
		0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0 ;;
	*) echo null ;;
	esac
}

# call POSITION VERSION VERB REQUEST - $cell becomes "ok", "code N", or what should not be
call() {
	local want have
	env_of "$3"
	case $3 in
	GC | STATUS | VERSION) CNI_CONTAINERID='' CNI_IFNAME='' CNI_NETNS='' ;;
	esac
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$4"
	if [ "$status" -eq 0 ] && [ -z "$stderr" ]; then
		want=$(expected "$@")
		have=$(without_bridge <<<"${output:-null}")
		cell=ok
		[ "$have" = "$want" ] || { cell=wrong && diff <(echo "$want") <(echo "$have") || true; }
	elif [ "$status" -eq 1 ]; then
		cell=$(jq -rs --arg v "$2" 'if length == 1 and .[0].cniVersion == $v then "code \(.[0].code)"
			else "wrong" end' <<<"$output")
		echo "$* $output"
	else
		cell="status $status"
		echo "$* $output$stderr"
	fi
}

# A verb does the same when it comes again: DEL by itself, CHECK after a GC that lists the attachment.
verbs=(VERSION STATUS ADD CHECK GC CHECK DEL DEL)

# attach POSITION VERSION - a row: one attachment, and $cells[VERB] of it
attach() {
	local verb c
	rm -rf "$dir"/ipam/*	# so that host-local starts with the first address again
	c=$(request "$@")
	cells=()
	for verb in "${verbs[@]}"; do
		call "$@" "$verb" "$c"
		[ "${cells[$verb]-$cell}" = "$cell" ] || cell="${cells[$verb]}, $cell"
		cells[$verb]=$cell
		[ "$verb" != ADD ] || c=$(jq -c --arg id "$pod" --argjson result "${output:-null}" \
			'.prevResult = $result | ."cni.dev/valid-attachments" = [{containerID: $id, ifname: "net1"}]' <<<"$c")
	done
}

line() { printf '| %-8s | %-7s | %-6s | %-6s | %-6s | %-6s | %-6s | %-7s | %-9s |\n' "$@" >>"$dir/table"; }

# rows POSITION - one for each version
rows() {
	local version before
	declare -A cells
	before=$(snapshot "$pod")
	for version in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
		attach "$1" $version
		cell='as before'
		same "$before" "$pod" || cell=differs
		line "$1" $version "${cells[ADD]}" "${cells[CHECK]}" "${cells[DEL]}" "${cells[GC]}" \
			"${cells[STATUS]}" "${cells[VERSION]}" "$cell"
	done
}

@test "C-SPV-01, C-RES-01, C-REQ-06: every verb, in every version, as owner, chained and meta" {
	line position version ADD CHECK DEL GC STATUS VERSION left
	rows owner
	ip -n "$pod" link set h0 name net1 up
	rows chained
	ip -n "$pod" link set net1 down name h0
	rows meta
	sed 's/^/# /' "$dir/table" >&3
	diff - "$dir/table" <<-'END'
		| position | version | ADD    | CHECK  | DEL    | GC     | STATUS | VERSION | left      |
		| owner    | 0.1.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| owner    | 0.2.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| owner    | 0.3.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| owner    | 0.3.1   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| owner    | 0.4.0   | ok     | ok     | ok     | code 1 | code 1 | ok      | as before |
		| owner    | 1.0.0   | ok     | ok     | ok     | code 1 | code 1 | ok      | as before |
		| owner    | 1.1.0   | ok     | ok     | ok     | ok     | ok     | ok      | as before |
		| chained  | 0.1.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| chained  | 0.2.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| chained  | 0.3.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| chained  | 0.3.1   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| chained  | 0.4.0   | ok     | ok     | ok     | code 1 | code 1 | ok      | as before |
		| chained  | 1.0.0   | ok     | ok     | ok     | code 1 | code 1 | ok      | as before |
		| chained  | 1.1.0   | ok     | ok     | ok     | ok     | ok     | ok      | as before |
		| meta     | 0.1.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| meta     | 0.2.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| meta     | 0.3.0   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| meta     | 0.3.1   | ok     | code 1 | ok     | code 1 | code 1 | ok      | as before |
		| meta     | 0.4.0   | ok     | ok     | ok     | code 1 | code 1 | ok      | as before |
		| meta     | 1.0.0   | ok     | ok     | ok     | code 1 | code 1 | ok      | as before |
		| meta     | 1.1.0   | ok     | ok     | ok     | ok     | ok     | ok      | as before |
	END
}
