# SPDX-License-Identifier: Apache-2.0
# helpers.bash - what the net tests share: a node of its own for each test, pods, calls, snapshots
#
# The node is a network namespace with /sys of its own (ip netns exec mounts it), so that neither
# the machine's links nor its files are touched, and tests may run side by side.  v0 and w0 are the
# devices to be attached, each one end of a veth pair whose other end, p0 and q0, stays.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load ../compare
load ../chosen

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
plugin=${BUILD:-$top/build}/bin/devinfo
fake=$top/tests/fake

# A leak is looked for where the plugin is not traced.
export ASAN_OPTIONS=${ASAN_OPTIONS-detect_leaks=1}

node_up() {
	# bats notes where each command stands before it runs: from here on only those of the test itself
	set +T
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	id=$$-$BATS_TEST_NUMBER
	node=dn-$id pod=dp-$id pod2=dq-$id
	dir=$BATS_TEST_TMPDIR
	export FAKE_STORE=$dir/leases
	pods=()
	mkdir -p "$dir"/{bin,leases,ipam,devinfo,run/status,state/attachments}
	chmod 700 "$dir"/state "$dir"/state/attachments
	touch "$dir/state/lock"
	ln -s "$fake/ipam.sh" "$dir/bin/fake"
	export DEVINFO_CONF=$dir/devinfo.json CNI_PATH=$dir/bin:/usr/lib/cni
	node_conf '{}'
	# an ADD has noted its directories before, in this boot
	mkdir -m 700 "$DEVINFO_CONF.dirs"
	jq -c --arg f "$(</proc/sys/kernel/random/boot_id) $(stat -c %D "$dir")" \
		'{version: 1, dirs: [{stateDir, runDir, devinfoDir, fileSystem: $f}]}' "$DEVINFO_CONF" >"$DEVINFO_CONF.dirs/dirs.json"
	ip netns add "$node"
	in_node sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0 \
		net.ipv6.conf.default.addr_gen_mode=1
	ip -n "$node" link set lo up
	ip -n "$node" link add v0 address 02:00:00:00:00:0a type veth peer name p0 address 02:00:00:00:00:0b
	ip -n "$node" link add w0 address 02:00:00:00:00:1a type veth peer name q0 address 02:00:00:00:00:1b
	pod_add "$pod"
}

# bridge_up - br0 for the plugin bridge: with an address and a port of its own, for otherwise it changes with those
# that come and go
bridge_up() {
	ip -n "$node" link add br0 address 02:00:00:00:00:2a type bridge
	ip -n "$node" link set q0 master br0
	ip -n "$node" link set br0 up
}

node_down() {
	[ -n "${node-}" ] || return 0
	# shellcheck disable=SC2046
	kill -KILL $(ip netns pids "$node") 2>/dev/null || true
	for name in "${pods[@]}" "$node"; do
		ip netns del "$name" 2>/dev/null || true
	done
	# what a test that failed has left mounted
	tac /proc/mounts | while read -r _ at _; do [[ $at != "$dir"/* ]] || umount "$at"; done
}

# node_conf JSON - the node's file: directories of this test, and these members
node_conf() {
	jq -cn --arg d "$dir" '{devinfoDir: "\($d)/devinfo", stateDir: "\($d)/state", runDir: "\($d)/run",
		kubeletSocket: "\($d)/kubelet.sock", kubeletDir: "\($d)/kubelet", logFile: "\($d)/log", logLevel: "info",
		cniPath: "\($d)/bin:/usr/lib/cni"} + '"$1" >"$DEVINFO_CONF"
}

# fake11_up - plugin11.sh goes by the names "one" and "two"
fake11_up() {
	export FAKE11=$dir/fake11
	mkdir "$FAKE11"
	ln -s "$fake/plugin11.sh" "$dir/bin/one"
	ln -s "$fake/plugin11.sh" "$dir/bin/two"
}

pod_add() {
	ip netns add "$1"
	ip netns exec "$1" sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
	ip -n "$1" link set lo up
	pods+=("$1")
}

in_node() { ip netns exec "$node" "$@"; }

# What a shell in a mount namespace of its own (in_node, unshare -m) runs first, with a directory as $0: it is
# /var/lib/cni from then on.  The machine may have none, so /var/lib has nothing else.
as_var_lib_cni='mount -t tmpfs none /var/lib && mkdir /var/lib/cni && mount --bind "$0" /var/lib/cni'

# Configurations: conf [jq filter], over one with the shell's IPAM; host_local and fixed are real ones.
conf() {
	jq -cn '{cniVersion: "1.0.0", name: "net", type: "devinfo", device: "v0", ipam: {type: "fake"}} | '"${1:-.}"
}

host_local() {
	conf '.ipam = {type: "host-local", dataDir: "'"$dir"'/ipam",
		ranges: [[{subnet: "10.1.0.0/24", gateway: "10.1.0.1"}], [{subnet: "fd00:1::/64", gateway: "fd00:1::1"}]],
		routes: [{dst: "0.0.0.0/0"}, {dst: "198.51.100.0/24", gw: "10.1.0.9"}, {dst: "::/0"}]} | '"${1:-.}"
}

fixed() {
	conf '.ipam = {type: "static", addresses: [{address: "10.2.0.5/24", gateway: "10.2.0.1"}]} | '"${1:-.}"
}

# env_of VERB [container id] [ifname] [netns] - of a call in the node
env_of() {
	export CNI_COMMAND=$1 CNI_CONTAINERID=${2:-$pod} CNI_IFNAME=${3:-net1} CNI_NETNS=${4-/run/netns/${2:-$pod}}
}

# add|del CONF [container id] [ifname] [netns]: $status, $output, $stderr
add() { env_of ADD "${@:2}"; run --separate-stderr in_node timeout 60 "$plugin" <<<"$1"; }
del() { env_of DEL "${@:2}"; run --separate-stderr in_node timeout 60 "$plugin" <<<"$1"; }

added() {
	[ "$status" -eq 0 ] || { echo "$output$stderr" && return 1; }
	[ -z "$stderr" ] || { echo "$stderr" && return 1; }
	jq -es 'length == 1 and (.[0] | has("cniVersion") and (has("code") | not))' <<<"$output" >/dev/null
}

deleted() {
	[ "$status" -eq 0 ] && [ -z "$output" ] || { echo "status $status: $output$stderr" && return 1; }
}

# refused CODE TEXT - one error document of that code whose message or details have TEXT
refused() {
	[ "$status" -eq 1 ] && jq -es 'length == 1' <<<"$output" >/dev/null &&
		[ "$(jq .code <<<"$output")" = "$1" ] && [[ $(jq -r '.msg + "; " + .details' <<<"$output") == *"$2"* ]] ||
		{ echo "status $status: $output, want code $1 with $2" && return 1; }
}

# logged TEXT - what the error does not say, the log does
logged() {
	[[ $output != *"$1"* ]] && grep -qF "$1" "$dir/log" || { echo "$output" && cat "$dir/log" && return 1; }
}

# make_read_only DIRECTORY - until it is unmounted
make_read_only() {
	mount --bind "$1" "$1"
	mount -o remount,bind,ro "$1"
}

# full_disk_del CONF - its DEL, with our files on a disk without room; $left is what it has not removed
full_disk_del() {
	mkdir -p "$dir/full"
	mount -t tmpfs -o size=256k tmpfs "$dir/full"
	cp -a "$dir/state" "$dir/run" "$dir/full"
	node_conf "{stateDir: \"$dir/full/state\", runDir: \"$dir/full/run\", logFile: \"$dir/full/log\"}"
	add "$1"
	added
	head -c 1m /dev/zero >"$dir/full/fill" 2>/dev/null || true
	del "$1"
	left=$(find "$dir/full/state/attachments" "$dir/full/run/status" -type f)
	umount "$dir/full"
	node_conf '{}'
}

# Links and addresses of a namespace, without what moves by itself.
links() {
	ip -n "$1" -d -j addr | jq 'map(del(.operstate, .link_netnsid, .stats64, .promiscuity, .allmulti,
			.linkinfo.info_data.gc_timer, .linkinfo.info_slave_data.forward_delay_timer)
		| .flags -= ["LOWER_UP", "NO-CARRIER", "M-DOWN"] | if .flags | index("UP") then . else del(.qdisc) end
		| .addr_info |= map({local, prefixlen, scope})) | sort_by(.ifname)'
	{ ip -n "$1" route show table all; ip -n "$1" -6 route show table all; } |
		sed '/^multicast/d; s/ linkdown//; s/ expires [0-9]*sec//'
}

# All that a call may change, as text; host-local's lock and last address stay for ever, and which
# attachment a device of kubelet's was given to stays for the next try.  An entry of the index without
# a record means nothing.
snapshot() {
	links "$node"
	for name in "$@"; do
		echo "-- $name"
		links "${name#dead:}"
	done
	(cd "$dir" && find state run devinfo leases ipam -type f ! -name 'last_reserved_ip.*' ! -name lock \
		! -name calls.log ! -path 'state/pods/*' ! -path 'state/index/*' -printf '%p %m %s ' -exec sha256sum {} \; | sort)
}

# same BEFORE [namespace...] - nothing differs now from that snapshot; shows what does
same() {
	local now before=$1
	shift
	now=$(snapshot "$@")
	[ "$now" = "$before" ] || { diff <(echo "$before") <(echo "$now"); return 1; }
}

# link NAMESPACE NAME FILTER - of what ip says about it
link() { ip -n "$1" -d -j link show "$2" | jq -r ".[0] | $3"; }

# others N [record] - N records like that one, or the first, of other attachments, by the version before
others() {
	"$top/tests/tool/records.py" "${2:-$(find "$dir/state/attachments" -name '*.json' | head -n 1)}" 1 "$1" >"$dir/others"
}
# settled - the last change of the records was long ago
settled() { touch -d '1 hour ago' "$dir/state/attachments"; }
# whole - the index leads to all of them: the time says so
whole() {
	[ "$(stat -c %Y "$dir/state/attachments")" -lt 1000000000 ] &&
		[ "$(stat -c %.9Y "$dir/state/attachments")" = "$(stat -c %.9Y "$dir/state/index")" ]
}

records() { find "$dir/state/attachments" -name '*.json' | wc -l; }
# aside - records that were put aside, their number; repair - what the administrator does then
aside() { find "$dir/state/attachments" -name '*.json.damaged' | wc -l; }
repair() { rm "$dir"/state/attachments/*.json.damaged; }
leases() { find "$dir/leases" -name 'lease-*' | wc -l; }

# within SECONDS COMMAND... - it takes no longer
within() {
	local start=$EPOCHREALTIME end
	"${@:2}"
	end=$EPOCHREALTIME
	((${end/./} - ${start/./} < $1 * 1000000)) || { echo "took longer than $1 s" && return 1; }
}

# wait_for PID - its exit status in $result
wait_for() { result=0; wait "$1" || result=$?; }
