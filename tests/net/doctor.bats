#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# doctor.bats - devinfoctl doctor on this kernel: what only a live node can be asked
#
# What the checks find is in tests/cli/doctor.bats.
#
# rooms: manager/doctor

load helpers

setup() {
	node_up
	node_conf '{}'
	mkdir -p "$dir/net.d" "$dir"/devinfo/{cni,dp}
	ln -s "$plugin" "$dir/bin/devinfo"
}

teardown() { node_down; }

# network NAME PLUGINS - a list among the node's CNI configurations
network() { echo '{"cniVersion":"1.0.0","name":"'"$1"'","plugins":['"$2"']}' >"$dir/net.d/$1.conflist"; }

# program NAME TEXT - a plugin that says so, whatever it is asked
program() { printf "#!/bin/sh\necho '%s'\n" "$2" >"$dir/bin/$1" && chmod 755 "$dir/bin/$1"; }

# doctor CHECK - $rows: what this check finds, with /etc/cni/net.d and podman's configuration of the test's;
# $skipped: what it did not look at
doctor() {
	run --separate-stderr in_node timeout 60 sh -c 'mount -t tmpfs none /etc && mkdir /etc/cni && cp -r "$0" /etc/cni &&
		if [ -d "$0/../containers" ]; then cp -r "$0/../containers" /etc; fi &&
		exec "$@"' "$dir/net.d" "${plugin}ctl" doctor --json
	[[ $output == "["* ]] || { echo "$output$stderr" && return 1; }
	rows=$(jq -r '.[] | select(.check == "'"$1"'" and .severity != "skipped") | "\(.object | sub(".*/"; "")): \(.what)"' <<<"$output")
	skipped=$(jq -r '.[] | select(.check == "'"$1"'" and .severity == "skipped").what' <<<"$output")
}

# podman KEY=VALUE... - lines of the table [network] in its configuration
podman() {
	mkdir -p "$dir/containers"
	printf '%s\n' '[engine]' 'network_backend = "netavark"' 'cni_plugin_dirs = ["/no/such"]' '[network]' "$@" \
		'[containers]' 'network_config_dir = "/no/such"' >"$dir/containers/containers.conf"
}

@test "plugins that configurations name are asked for their version, and no others" {
	network fine '{"type":"devinfo","ipam":{"type":"fake"}},{"type":"bridge"}'
	printf '#!/bin/sh\ntouch %s\n' "$dir/was-asked" >"$dir/bin/other"
	chmod 755 "$dir/bin/other"
	doctor cni-plugin
	[ -z "$rows" ] || { echo "$rows" && false; }
	[ ! -e "$dir/was-asked" ]
	network gone '{"type":"devinfo"},{"type":"xyzzy"}'
	program old '{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}'
	network old '{"type":"old"}'
	program broken hello
	network broken '{"type":"broken"}'
	program mute '[]'
	network mute '{"type":"mute"}'
	program long "{\"$(printf 'é%.0s' {1..999})\":1,\"$(printf 'é%.0s' {1..999})\":1}"
	network long '{"type":"long"}'
	doctor cni-plugin
	rows=$(sed 's/\(duplicate key\).*/\1/; s/its answer is no UTF-8/duplicate key/' <<<"$rows")
	[ "$rows" = "broken.conflist: plugin broken does not answer: broken: not valid JSON
gone.conflist: plugin xyzzy is not in cniPath
long.conflist: plugin long does not answer: long: duplicate key
mute.conflist: plugin mute does not answer: its answer has no supportedVersions
old.conflist: plugin old does not know cniVersion 1.0.0" ] || { echo "$rows" && false; }
}

@test "a plugin that a record alone names, and its DEL will run, is missing" {
	add "$(conf)"
	added
	doctor record-plugin
	[ -z "$rows" ] || { echo "$rows" && false; }
	record=$(ls "$dir/state/attachments")
	sed -i 's/"ipamType":"[^"]*"/"ipamType":"nowhere"/' "$dir/state/attachments/$record"
	doctor record-plugin
	[ "$rows" = "nowhere: plugin nowhere is not in cniPath, and is to be run for the DEL of record $record" ] || { echo "$rows" && false; }
	# a configuration tells of it, too: once is enough
	network lab '{"type":"devinfo","ipam":{"type":"nowhere"}}'
	doctor record-plugin
	[ -z "$rows" ]
	doctor cni-plugin
	[ "$rows" = "lab.conflist: plugin nowhere is not in cniPath" ]
}

@test "where podman looks for plugins is known: cni_plugin_dirs of containers.conf" {
	node_conf "{cniPath: \"$dir/none\", kubeletDir: \"$dir/kubelet\"}"
	program old '{"cniVersion":"0.4.0","supportedVersions":["0.3.1","0.4.0"]}'
	network old '{"type":"devinfo"},{"type":"old"}'
	network gone '{"type":"devinfo"},{"type":"xyzzy"}'
	podman 'network_backend = "cni"' 'cni_plugin_dirs = [ # "/none"' '  "/no/such", # not there' "  '$dir/bin'," ']'
	doctor cni-plugin
	[ "$rows" = "gone.conflist: plugin xyzzy is not in cniPath
old.conflist: plugin old does not know cniVersion 1.0.0" ] || { echo "$rows" && false; }
	[ -z "$skipped" ]
	# podman with another backend runs no plugins
	podman 'network_backend = "netavark"' "cni_plugin_dirs=['$dir/bin']"
	doctor cni-plugin
	[ -z "$rows" ]
	[[ $skipped == "devinfo is not in $dir/none (cniPath), nor where podman looks"* ]]
	# of kubelet's pods nobody knows whether they are attached to a network whose plugin is podman's
	podman "cni_plugin_dirs=['$dir/podman']" 'network_config_dir = "/etc/podman/"'
	mkdir "$dir/kubelet" "$dir/podman"
	mv "$dir/bin/old" "$dir/podman/old"
	node_conf "{kubeletDir: \"$dir/kubelet\"}"
	doctor cni-plugin
	[[ $rows == *"old.conflist: plugin old is where podman looks, and not in cniPath"* ]] || { echo "$rows" && false; }
	[ "$(jq -r '.[] | select(.what | contains("podman looks, and not")).severity' <<<"$output")" = info ]
	[ "$skipped" = "of podman's networks in /etc/podman (network_config_dir of containers.conf) nothing is looked at" ]
}

@test "what a plugin says on its stderr is text to the terminal, and no command" {
	printf '#!/bin/sh\nprintf "\\033[2J\\302\\2332J\\000 it says\\n" >&2\necho "{}"\n' >"$dir/bin/rude"
	chmod 755 "$dir/bin/rude"
	network rude '{"type":"rude"}'
	doctor cni-plugin
	[[ $stderr == *'?[2J??2J? it says'* ]]
}

@test "sriov that is a copy of devinfo is no second plugin, and another one is" {
	cp "$plugin" "$dir/bin/sriov"
	network net '{"type":"devinfo"},{"type":"sriov"}'
	doctor two-plugins
	[ -z "$rows" ]
	program sriov '{"cniVersion":"1.0.0","supportedVersions":["1.0.0"]}'
	doctor two-plugins
	[ "$rows" = "net.conflist: sriov gives VFs to pods, and so does devinfo" ]
}

@test "sockets are in a file system that pods could harm the node by" {
	node_conf "{socketDir: \"$dir/sockets\"}"
	mkdir -m 755 "$dir/sockets"
	doctor socket-dir
	[ -z "$rows" ]		# nobody has one
	add '{"cniVersion": "1.1.0", "name": "net", "type": "devinfo", "vhostUser": {"mode": "server"}}'
	added
	doctor socket-dir
	[[ $rows == "sockets: socketDir '$dir/sockets' is"*"on the file system of "* ]] || { echo "$rows" && false; }
	mount -t tmpfs -o nosymfollow none "$dir/sockets"
	doctor socket-dir
	[ -z "$rows" ]
}

@test "the directory of networks is missing, and none is missed where it is not configured" {
	doctor networks-dir
	[ -z "$rows" ]
	[ "$skipped" = "the node's file does not have networksDir" ]
	node_conf '{"networksDir": "'"$dir"'/nets"}'
	doctor networks-dir
	[ "$rows" = "nets: open the directory '$dir/nets': No such file or directory" ]
	mkdir -m 755 "$dir/nets"
	echo '{"cniVersion":"1.0.0","name":"a","type":"bridge"}' >"$dir/nets/a.conf"
	chmod 644 "$dir/nets/a.conf"
	doctor networks-dir
	[ -z "$rows" ]
	[ -z "$skipped" ]
	chown 12345 "$dir/nets/a.conf"
	doctor networks-dir
	[ "$rows" = "nets: 'a.conf' has owner 12345 and mode 0644: must be root's, and not writable by others" ]
}

@test "the socket of Multus' daemon is missing" {
	echo '{"cniVersion":"1.0.0","name":"multus","type":"multus-shim","daemonSocketDir":"'"$dir"'/multus"}' >"$dir/net.d/00-multus.conf"
	doctor multus
	[ "$rows" = "00-multus.conf: the socket of its daemon, $dir/multus/multus.sock, is missing" ]
	mkdir "$dir/multus"
	touch "$dir/multus/multus.sock"
	doctor multus
	[ -z "$rows" ]
}

@test "what a living pod does not have any more is an error, what differs a warning; repair leaves both to people" {
	add "$(host_local)"
	added
	doctor drift
	[ -z "$rows" ] || { echo "$rows" && false; }
	ip -n "$pod" link set net1 down
	doctor drift
	[[ $rows == *"network net: state: expected up, got down"* ]] || { echo "$rows" && false; }
	ip -n "$pod" link set net1 up
	ip -n "$pod" addr flush dev net1
	doctor drift
	[[ $rows == *"network net: address: 10.1.0.2 is gone"* ]] || { echo "$rows" && false; }
	doctor device-away
	[ -z "$rows" ]
	third=third-$pod
	ip netns add "$third"
	ip -n "$pod" link set net1 netns "$third"
	doctor device-away
	ip netns del "$third"
	[[ $rows == *"network net: interface: net1 is not in the container" ]] || { echo "$rows" && false; }
	[ "$(jq -r '.[] | select(.check == "device-away").severity' <<<"$output")" = error ]
	run --separate-stderr in_node timeout 60 "${plugin}ctl" repair --json
	[ "$(jq -r '.[] | select(.check == "device-away").result' <<<"$output")" = "by hand" ]
	[ "$status" -eq 1 ]
	[ "$(records)" -eq 1 ]
}

@test "a file system without room: it is told to make some, not to make a directory" {
	mount -t tmpfs -o size=32k,mode=700 none "$dir/run"
	head -c 1m /dev/zero >"$dir/run/full" 2>/dev/null || true
	doctor dir
	[[ $rows == "run: write to directory '$dir/run': No space left on device" ]] || { echo "$rows" && false; }
	[ "$(jq -r '.[] | select(.check == "dir").advice' <<<"$output")" = "make room on its file system: an ADD is refused until then" ]
	rm "$dir/run/full"
	doctor dir
	[ -z "$rows" ]
	umount "$dir/run"
}
