#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gc.bats - GC: what dead attachments of this network have left, and nothing else
#
# Of a container that is dead the namespace is gone.  Hardware is brought home by the kernel then, a
# veth is not: bury() does it by hand.
#
# rooms: devinfo/journal cni/attach cni

load helpers

setup() {
	node_up
	fake11_up
	mkdir -p "$dir"/lib/cni/{results,multus} "$dir/devinfo/cni"
	before=$(snapshot)
}

teardown() {
	rm -f "$dir"/fake11/*.*		# whoever waits there
	node_down
}

# collect REQUEST - with the caches of libcni and Multus in $dir/lib
unset_all=(-u CNI_CONTAINERID -u CNI_NETNS -u CNI_IFNAME)
collect() {
	run --separate-stderr in_node env "${unset_all[@]}" CNI_COMMAND=GC \
		sh -c 'mount --bind "$0" /var/lib && exec timeout 60 "$1"' "$dir/lib" "$plugin" <<<"$1"
}

# listing CONF [<container id>/<ifname>...] - the request of a GC in which these are valid; the
# shell's IPAM, which does not tell its versions, is left out
listing() {
	jq -c '.cniVersion = "1.1.0" | if .ipam.type == "fake" then del(.ipam) else . end | ."cni.dev/valid-attachments" =
		($ARGS.positional | map(split("/") | {containerID: .[0], ifname: .[1]}))' --args "${@:2}" <<<"$1"
}

# gc CONF [<container id>/<ifname>...]
gc() { collect "$(listing "$@")"; }

collected() {
	[ "$status" -eq 0 ] && [ -z "$output$stderr" ] ||
		{ echo "status $status: $output$stderr" && return 1; }
}

# passes_check CONF RESULT [container id] [ifname]
passes_check() {
	env_of CHECK "${@:3}"
	run --separate-stderr in_node timeout 60 "$plugin" \
		<<<"$(jq -c --argjson result "$2" '.cniVersion = $result.cniVersion | .prevResult = $result' <<<"$1")"
	[ "$status" -eq 0 ] && [ -z "$output$stderr" ] ||
		{ echo "status $status: $output$stderr" && return 1; }
}

# bury POD [ifname] - it dies; its interface comes home as hardware would, also by its name
bury() {
	[ -z "${2-}" ] || ip -n "$1" link set "$2" netns "$node" 2>/dev/null ||
		ip -n "$1" link set "$2" netns "$node" name "dev$(link "$1" "$2" .ifindex)"
	ip netns del "$1"
	[ -z "${2-}" ] || return 0
	for _ in {1..40}; do	# what was in it goes a little later, and takes its other end along
		ip -n "$node" link show v0 >/dev/null 2>&1 && return
		ip -n "$node" link show p0 >/dev/null 2>&1 || return 0
		sleep 0.05
	done
}

# id_of LETTER - a container id as containerd makes them
id_of() { printf '%064d' 0 | tr 0 "$1"; }

# chained CONTAINER-ID - for an interface that $pod2 has already, with its device-info in the usual place
chained() {
	ip -n "$pod2" link add net1 type veth peer name peer1
	ip -n "$pod2" link set net1 up
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/vhost/s1"}}' \
		>"$dir/devinfo/cni/net-$1_net1"
	add "$(conf 'del(.device, .ipam) | .prevResult = {cniVersion: "1.0.0",
		interfaces: [{name: "net1", sandbox: "/run/netns/'"$pod2"'"}]}')" "$1" net1 "/run/netns/$pod2"
	added
}

# until_called TEXT - of a line in the log of the fake plugins
until_called() {
	for _ in {1..200}; do
		grep -qs "$1" "$FAKE11/calls.log" && return
		sleep 0.05
	done
	echo "no call $1"
	return 1
}

@test "C-GC-01: GC on a fresh node, without any variable of an attachment, does and makes nothing" {
	rm -r "$dir"/{state,run,devinfo}
	for list in "" "$pod/net1 $pod2/net1"; do
		# shellcheck disable=SC2086
		gc "$(host_local)" $list
		collected
	done
	export CNI_CONTAINERID='' CNI_NETNS='' CNI_IFNAME='' CNI_ARGS=''
	request=$(listing "$(host_local)")
	CNI_COMMAND=GC run --separate-stderr in_node "$plugin" <<<"$request"
	collected
	[ ! -e "$dir/state" ]
	[ ! -e "$dir/run" ]
	[ ! -e "$dir/devinfo" ]
}

@test "C-GC-02: what is listed is kept and still passes CHECK, whatever else is collected" {
	pod_add "$pod2"
	pod_add dead-"$id"
	ip -n "$node" link add x0 type veth peer name y0
	c=$(host_local '.cniVersion = "1.1.0"')
	add "$c"
	added
	first=$output
	second=$(jq -c '.device = "w0"' <<<"$c")
	add "$second" "$pod2"
	added
	result=$output
	kept=$(snapshot "$pod" "$pod2")
	add "$(jq -c '.device = "x0"' <<<"$c")" dead-"$id"
	added
	bury dead-"$id" net1
	gc "$c" "$pod2/net1" "$pod/net1" other/net1
	collected
	same "$kept" "$pod" "$pod2"
	passes_check "$c" "$first"
	passes_check "$second" "$result" "$pod2"
}

@test "C-GC-02: what is listed is kept, also when its namespace is gone: its DEL is still to come" {
	c=$(host_local)
	add "$c"
	added
	bury "$pod"
	was=$(snapshot)
	gc "$c" "$pod/net1"
	collected
	same "$was"
	gc "$c" "$pod/net2"	# another attachment of the container
	collected
	[ "$(records)" -eq 0 ]
}

@test "C-GC-02: ids of the greatest length are kept as well" {
	long=a$(printf '%0300d' 0)
	c=$(conf 'del(.ipam)')
	add "$c" "$long" net1 "/run/netns/$pod"
	added
	result=$output
	gc "$c" "$long/net1"
	collected
	passes_check "$c" "$result" "$long" net1 "/run/netns/$pod"
	gc "$c"		# not listed, alive
	collected
	passes_check "$c" "$result" "$long" net1 "/run/netns/$pod"
}

@test "C-GC-04, C-PIT-25: record, lease, status entry of a dead attachment go, its device is as before" {
	add "$(host_local '.mtu = 1400 | .mac = "02:00:00:00:00:77"')"
	added
	bury "$pod" net1
	[ "$(link "$node" net1 .mtu)" -eq 1400 ]
	[ -e "$dir/ipam/net/10.1.0.2" ]
	[ -e "$dir/run/status/$pod.json" ]
	gc "$(host_local)"
	collected
	same "$before"
	grep -q "msg=\"released\" container=$pod interface=net1 device=v0" "$dir/log"
	gc "$(host_local)"
	collected
	same "$before"
}

@test "C-GC-04: the device-info file of a dead attachment goes" {
	pod_add "$pod2"
	chained "$pod2"
	bury "$pod2"
	gc "$(conf)"
	collected
	same "$before"
}

@test "C-GC-04: plugins of a dead attachment get its DEL with its ids and without its namespace" {
	c=$(conf 'del(.device, .ipam) | .delegates = [{type: "one"}, {type: "two", mark: 1}]')
	add "$c"
	added
	ipam=$(conf '.name = "second" | .ipam.type = "one"')
	pod_add "$pod2"
	add "$ipam" "$pod2" net2
	added
	bury "$pod"
	bury "$pod2" net2
	pod_add "$pod"	# the path is another container's by now
	: >"$FAKE11/calls.log"
	unset_all=()	# those of the last ADD, from a sloppy engine
	gc '{"cniVersion": "1.1.0", "name": "net", "type": "devinfo"}'
	collected
	diff - "$FAKE11/calls.log" <<-EOT
		two DEL $pod/net1@
		one DEL $pod/net1@
	EOT
	[ "$(jq -c '[.mark, .name, .prevResult.interfaces[0].name]' "$FAKE11/two.DEL.json")" = '[1,"net","net1"]' ]
	: >"$FAKE11/calls.log"
	gc '{"cniVersion": "1.1.0", "name": "second", "type": "devinfo"}'
	collected
	diff - "$FAKE11/calls.log" <<<"one DEL $pod2/net2@"
	same "$before"
}

# ctl_gc [option] - without any variable of a call
ctl_gc() { run --separate-stderr in_node env -u FAKE_DEL timeout 60 "${plugin}ctl" gc "$@"; }

@test "devinfoctl gc releases the dead of all networks, as GC does, and nobody who lives" {
	c=$(host_local '.mtu = 1400')
	second=$(conf '.name = "second" | .device = "w0" | .ipam.type = "one"')
	ip -n "$node" link add x0 type veth peer name y0
	alive=$(host_local '.cniVersion = "1.1.0" | .name = "alive" | .device = "x0"')
	pod_add "$pod2"
	pod_add other-"$id"
	add "$alive" other-"$id"
	added
	result=$output
	kept=$(snapshot other-"$id")
	add "$c"
	added
	FAKE_RESULT='{"ips":[{"address":"10.9.1.2/24"}]}' add "$second" "$pod2" net2
	added
	bury "$pod" net1
	bury "$pod2" net2
	was=$(snapshot other-"$id")
	ctl_gc --dry-run
	[ "$status" -eq 0 ]
	[ "$(sort <<<"$output")" = "$(printf 'would release %s\n' "net1 of container $pod, network net: device v0" \
		"net2 of container $pod2, network second: device w0")" ]
	ctl_gc --dry-run --json
	[ "$status" -eq 0 ]
	[ "$(jq -r '.[] | "\(.result) \(.interface) of container \(.container_id), network \(.network): device \(.device)"' \
		<<<"$output" | sort)" = "$(printf 'would release %s\n' "net1 of container $pod, network net: device v0" \
		"net2 of container $pod2, network second: device w0")" ]
	# a recorded node's answer has the same members
	[ "$(jq -c '[.[] | keys] | unique' <<<"$output")" = \
		"$(sed '/^[!=] /d' "$BATS_TEST_DIRNAME/../node/expected/crash/gc.json" | jq -c '[.[] | keys] | unique')" ]
	same "$was" other-"$id"
	: >"$FAKE11/calls.log"
	ctl_gc
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(sort <<<"$output")" = "$(printf 'released %s\n' "net1 of container $pod, network net: device v0" \
		"net2 of container $pod2, network second: device w0")" ]
	same "$kept" other-"$id"
	[ ! -e "$dir/ipam/net/10.1.0.2" ]
	diff - "$FAKE11/calls.log" <<<"one DEL $pod2/net2@"
	passes_check "$alive" "$result" other-"$id"
	grep -q "id=$pod if=net1 msg=\"released by devinfoctl\" network=net device=v0" "$dir/log"
	ctl_gc
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$output" = "nothing to release" ]
	ctl_gc --json
	[ "$output" = "[]" ]
}

@test "devinfoctl gc and GC remove from the index what is left there of records that are gone" {
	c=$(conf 'del(.ipam)')
	add "$c"
	added
	entry=$(find "$dir/state/index" -type f | head -n 1)
	index=$(find "$dir/state/index" -type f | sort)
	for how in ctl_gc 'gc "$c" "$pod/net1"'; do
		: >"${entry%.json}x.json"
		eval "$how"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[ "$(find "$dir/state/index" -type f | sort)" = "$index" ]
	done
	: >"${entry%.json}x.json"
	ctl_gc --dry-run
	[ -e "${entry%.json}x.json" ]
}

@test "devinfoctl gc tells what cannot be released, goes on, and does it when it can be" {
	add "$(conf)"
	added
	pod_add "$pod2"
	add "$(host_local '.device = "w0"')" "$pod2"
	added
	bury "$pod" net1
	bury "$pod2" net1
	rm "$dir/bin/fake"
	ctl_gc
	[ "$status" -eq 1 ]
	[ "$output" = "released net1 of container $pod2, network net: device w0" ]
	[[ $stderr == "devinfoctl: net1 of container $pod: plugin fake"* ]]
	[ "$(records)" -eq 1 ]
	[ "$(jq .released "$dir"/state/attachments/*)" = true ]
	ln -s "$fake/ipam.sh" "$dir/bin/fake"
	ctl_gc
	[ "$status" -eq 0 ]
	same "$before"
}

# unseeing COMMAND - in the node, as in a container to which /run/netns is not what it is to the node
unseeing() {
	run --separate-stderr in_node env -u FAKE_DEL timeout 60 \
		unshare -m sh -c 'mount -t tmpfs tmpfs /run'"; $1; "'exec "$0" gc' "${plugin}ctl"
}

@test "devinfoctl gc releases nobody whose namespace it cannot see from where it runs" {
	add "$(conf)"
	added
	was=$(snapshot "$pod")
	for seen in "mkdir /run/netns; : >/run/netns/$pod" :; do
		unseeing "$seen"
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == "devinfoctl: net1 of container $pod: "*"/run/netns/$pod"*"run this on the node itself"* ]]
		same "$was" "$pod"
	done
	ip netns exec "$pod" sleep 60 3>&- &
	job=$!
	unseeing "mkdir /run/netns"
	kill "$job"
	wait_for "$job"
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: net1 of container $pod: process $job lives in its network namespace (end it, or run this on the node itself"* ]]
	same "$was" "$pod"
}

@test "devinfoctl gc releases nobody while there are processes that it may not look at" {
	add "$(conf)"
	added
	bury "$pod"
	was=$(snapshot)
	run --separate-stderr in_node env -u FAKE_DEL timeout 60 setpriv --bounding-set -sys_ptrace "${plugin}ctl" gc
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: net1 of container $pod: look at the network namespace of process "*"Permission denied"*CAP_SYS_PTRACE* ]]
	same "$was"
	[ "$(records)" -eq 1 ]
	ctl_gc
	[ "$status" -eq 0 ]
	[ "$(records)" -eq 0 ]
}

@test "C-GC-03: the dead of another network are kept" {
	other=$(conf '.name = "other" | .device = "w0"')
	add "$(conf)"
	added
	FAKE_RESULT='{"ips":[{"address":"10.9.1.2/24"}]}' add "$other" "$pod" net2
	added
	bury "$pod"
	gc "$(conf)"
	collected
	[ "$(records)" -eq 1 ]
	[ "$(jq -c 'map(.name)' "$dir/run/status/$pod.json")" = '["other"]' ]
	[ -e "$dir/leases/lease-$pod-net2" ]
	[ ! -e "$dir/leases/lease-$pod-net1" ]
	gc "$other"
	collected
	[ "$(records)" -eq 0 ]
	[ "$(leases)" -eq 0 ]
	[ -z "$(ls -A "$dir/run/status")" ]
}

@test "C-GC-06: what is not listed but lives is kept: another engine on this node may have made it" {
	c=$(conf)
	add "$c"
	added
	result=$output
	was=$(snapshot "$pod")
	gc "$c"
	collected
	same "$was" "$pod"
	passes_check "$c" "$result"
	grep -q "not listed, but its namespace lives: kept.* container=$pod interface=net1" "$dir/log"
}

# gc_traced TRACE [strace option...] - LeakSanitizer cannot work when it is traced
gc_traced() {
	run --separate-stderr in_node env "${unset_all[@]}" CNI_COMMAND=GC ASAN_OPTIONS=detect_leaks=0 \
		sh -c 'mount --bind "$0" /var/lib && exec timeout 60 strace -qq -o "$@"' "$dir/lib" "$1" "${@:2}" \
		"$plugin" <<<"$(listing "$(conf)")"
}

@test "C-GC-06: whoever's namespace cannot be opened just now, for want of descriptors, is not taken for dead" {
	add "$(conf)"
	added
	was=$(snapshot "$pod")
	declare -A least=([openat]=2 [clone]=1)
	for call in "${!least[@]}"; do
		gc_traced "$dir/trace" -e trace="$call"
		collected
		# the namespace, by its path and by /proc/self/fd, and who enters it
		mapfile -t points < <(grep "^$call(" "$dir/trace" |
			grep -nE 'CLONE_FILES|/run/netns/|/proc/self/fd/' | cut -d : -f 1)
		[ "${#points[@]}" -ge "${least[$call]}" ]
		for n in "${points[@]}"; do
			for how in EMFILE:when=$n ENFILE:when=$n EMFILE:when=$n+; do
				echo "$call $how"
				gc_traced /dev/null -e trace="$call" -e inject="$call:error=$how"
				[ "$status" -eq 1 ]
				[[ $(jq -r '.code | tostring' <<<"$output") =~ ^[0-9]+$ ]]
				same "$was" "$pod"
			done
		done
	done
	bury "$pod" net1
	gc "$(conf)"
	collected
	same "$before"
}

@test "C-GC-06: what is not listed is collected when another namespace lies at its path, which is left alone" {
	add "$(conf)"
	added
	bury "$pod" net1
	pod_add "$pod"
	ip -n "$pod" link add net1 type veth peer name other
	foreign=$(links "$pod")
	gc "$(conf)"
	collected
	same "$before"
	[ "$(links "$pod")" = "$foreign" ]
}

@test "C-GC-06: without a list nothing is done, and nobody is asked to do anything" {
	c=$(conf '.cniVersion = "1.1.0" | .ipam.type = "one"')
	add "$c"
	added
	bury "$pod"
	echo '{}' >"$dir/devinfo/cni/default-net-$(id_of d)_net1"
	was=$(snapshot)
	: >"$FAKE11/calls.log"
	for list in . '."cni.dev/valid-attachments" = null' '."cni.dev/attachments" = null' \
		'."cni.dev/valid-attachments" = null | ."cni.dev/attachments" = null'; do
		collect "$(jq -c "$list" <<<"$c")"
		collected
		same "$was"
	done
	[ ! -s "$FAKE11/calls.log" ]
}

@test "C-GC-07: a malformed list is an error with its place, and nothing is collected or asked" {
	c=$(conf '.cniVersion = "1.1.0" | .ipam.type = "one"')
	add "$c"
	added
	bury "$pod"
	was=$(snapshot)
	: >"$FAKE11/calls.log"
	for key in cni.dev/valid-attachments cni.dev/attachments; do
		for list in '{}' '"x"' 7 true; do
			collect "$(jq -c ".\"$key\" = $list" <<<"$c")"
			refused 7 "$key: expected a list"
		done
		good='{containerID: "a", ifname: "net1"}'
		for entry in 7 '"x"' null '[]' '{}' '{containerID: "a"}' '{ifname: "net1"}' '{containerID: 7, ifname: "net1"}' \
			'{containerID: "a", ifname: 7}' '{containerID: "a/b", ifname: "net1"}' '{containerID: "", ifname: "net1"}' \
			'{containerID: "-a", ifname: "net1"}' '{containerID: "a", ifname: ""}'; do
			collect "$(jq -c ".\"$key\" = [$good, $entry, $good]" <<<"$c")"
			refused 7 "${key}[1]"
		done
	done
	same "$was"
	[ ! -s "$FAKE11/calls.log" ]
}

@test "C-GC-10, C-PIT-24: the list has two names, of which the newer goes first" {
	c=$(conf 'del(.ipam) | .cniVersion = "1.1.0" |
		."cni.dev/attachments" = [{containerID: "'"$pod"'", ifname: "net1"}]')
	add "$c"
	added
	bury "$pod"
	collect "$c"
	collected
	[ "$(records)" -eq 1 ]
	collect "$(jq -c '."cni.dev/valid-attachments" = ."cni.dev/attachments"' <<<"$c")"
	collected
	[ "$(records)" -eq 1 ]
	collect "$(jq -c '."cni.dev/valid-attachments" = ."cni.dev/attachments" | ."cni.dev/attachments" = []' <<<"$c")"
	collected
	[ "$(records)" -eq 1 ]
	collect "$(jq -c '."cni.dev/attachments" = []' <<<"$c")"
	collected
	[ "$(records)" -eq 0 ]
}

@test "C-GC-05, C-PIT-25: GC is passed on to the IPAM plugin when that speaks 1.1.0, and its error is ours" {
	c=$(conf '.ipam = {type: "one", range: "r"}')
	gc "$c" "$pod/net1"
	collected
	[ "$(<"$FAKE11/calls.log")" = 'one GC /@' ]
	diff <(listing "$c" "$pod/net1" | jq .) <(jq . "$FAKE11/one.GC.json")
	echo '113 cannot collect' >"$FAKE11/one.GC"
	gc "$(conf '.ipam.type = "one"')"
	refused 113 'plugin one: cannot collect'
	echo '"0.4.0","1.0.0"' >"$FAKE11/one.versions"
	: >"$FAKE11/calls.log"
	gc "$(conf '.ipam.type = "one"')"
	collected
	[ ! -s "$FAKE11/calls.log" ]
	rm "$dir/bin/one"
	gc "$(conf '.ipam.type = "one"')"
	refused 107 'plugin one is in no directory of CNI_PATH'
}

@test "C-GC-05: GC is passed on to every delegate that speaks 1.1.0, with the list, and all errors are ours" {
	c=$(conf 'del(.device, .ipam) | .delegates = [{type: "one", mark: 1}, {type: "bridge"}, {type: "two"}]')
	gc "$c" "$pod/net1"
	collected
	diff - "$FAKE11/calls.log" <<-EOT
		one GC /@
		two GC /@
	EOT
	[ "$(jq -c '[.type, .name, .cniVersion, .mark, ."cni.dev/valid-attachments"]' "$FAKE11/one.GC.json")" = \
		'["one","net","1.1.0",1,[{"containerID":"'"$pod"'","ifname":"net1"}]]' ]
	collect "$(jq -c '.cniVersion = "1.1.0" | ."cni.dev/attachments" = []' <<<"$c")"
	collected
	[ "$(jq -c '."cni.dev/attachments"' "$FAKE11/two.GC.json")" = '[]' ]
	echo '113 cannot collect' >"$FAKE11/one.GC"
	echo '114 nor can we' >"$FAKE11/two.GC"
	gc "$c"
	refused 113 'plugin one: cannot collect'
	refused 113 'plugin two: nor can we'
}

@test "C-GC-04: an error with one attachment does not stop the others, all are told, the next GC goes on" {
	pods_all=("$pod" "$pod2" dr-"$id")
	pod_add "$pod2"
	pod_add dr-"$id"
	ip -n "$node" link add x0 type veth peer name y0
	before=$(snapshot)
	types=(one fake two) devices=(v0 w0 x0)
	for i in 0 1 2; do
		add "$(conf ".ipam.type = \"${types[i]}\" | .device = \"${devices[i]}\"")" "${pods_all[i]}"
		added
	done
	for name in "${pods_all[@]}"; do
		bury "$name" net1
	done
	echo '11 first fails' >"$FAKE11/one.DEL"
	echo '12 third fails' >"$FAKE11/two.DEL"
	echo '113 cannot collect' >"$FAKE11/one.GC"
	gc "$(conf '.ipam.type = "one"')"
	[ "$status" -eq 1 ]
	for text in 'plugin one: first fails' 'plugin two: third fails' 'plugin one: cannot collect'; do
		[[ $(jq -r '.msg + .details' <<<"$output") == *"$text"* ]]
	done
	[ "$(records)" -eq 2 ]
	[ "$(leases)" -eq 0 ]
	for i in 0 1 2; do	# the devices are free for others all the same
		[ "$(link "$node" "${devices[i]}" .mtu)" -eq 1500 ]
	done
	rm "$FAKE11"/one.* "$FAKE11/two.DEL"
	gc "$(conf)"
	collected
	same "$before"
}

@test "C-GC-04: damaged records are put aside, what they stood for goes, but that others live" {
	pod_add "$pod2"
	add "$(conf)"
	added
	result=$output
	add "$(conf '.device = "w0"')" "$pod2"
	added
	record=$(grep -l "$pod2" "$dir"/state/attachments/*)
	truncate -s 100 "$record"
	: >"$dir/state/attachments/0123456789abcdef@x0.json"
	bury "$pod2" net1
	gc "$(conf)" "$pod/net1"
	[ "$status" -eq 0 ]
	[ "$(records)" -eq 1 ]
	[ "$(aside)" -eq 2 ]
	grep -q "put aside.*@w0.json.damaged device=w0 network=net container=$pod2 interface=net1 " "$dir/log"
	gc "$(conf)" "$pod/net1"
	collected
	[ "$(aside)" -eq 2 ]
	[ ! -e "$dir/run/status/$pod2.json" ]
	passes_check "$(conf)" "$result"
	ctl_gc		# that they were put aside by another call makes them no better
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: damaged records, which gc cannot release: 2;"* ]]
}

@test "records of another version are in nobody's way: GC, list, STATUS and ADD of other devices go on" {
	pod_add "$pod2"
	add "$(conf)"
	added
	add "$(conf '.device = "w0"')" "$pod2"
	added
	sed -i 's/"version":1/"version":2/' "$dir"/state/attachments/*@v0.json
	gc "$(conf)" "$pod2/net1"
	collected
	[ "$(records)" -eq 2 ]
	grep -q 'a record is left alone.*@v0.json why="it is of version 2, this program writes 1"' "$dir/log"
	[ "$(jq -r '.[0].interface' "$dir/run/status/$pod.json")" = net1 ]
	run "$BUILD/bin/devinfoctl" list --state-dir "$dir/state" --output=wide
	[ "$status" -eq 0 ]
	[[ $output == *"v0 "*" net "*" net1 "*" version 2 "*" $pod "* ]]
	env_of STATUS
	run --separate-stderr in_node "$plugin" <<<"$(conf '.cniVersion = "1.1.0" | del(.ipam)')"
	[ "$status" -eq 0 ]
	del "$(conf '.device = "w0"')" "$pod2"
	deleted
	add "$(conf '.device = "w0"')" "$pod2"
	added
	add "$(conf)" "$pod2" net2
	refused 103 'device v0 is not given away: its record'
	del "$(conf)"
	refused 11 "@v0.json': it is of version 2, this program writes 1"
	sed -i 's/"version":2/"version":1/' "$dir"/state/attachments/*@v0.json
	del "$(conf)"
	deleted
	[ "$(records)" -eq 1 ]
}

@test "a journal that others may write is refused, by all verbs, with its owner and mode" {
	add "$(conf)"
	added
	for how in 'chmod o+w' 'chown 65534'; do
		$how "$dir/state/attachments"
		add "$(conf '.device = "w0"')" "$pod" net2
		refused 100 "'$dir/state/attachments' has owner"
		del "$(conf)"
		refused 100 "must be root's, and not writable by others"
		gc "$(conf)" "$pod/net1"
		refused 100 "must be root's"
		env_of STATUS
		run --separate-stderr in_node "$plugin" <<<"$(conf '.cniVersion = "1.1.0"')"
		refused 50 "must be root's"
		run "$BUILD/bin/devinfoctl" list --state-dir "$dir/state"
		[ "$status" -eq 1 ]
		[[ $output == *"must be root's"* ]]
		chown 0 "$dir/state/attachments"
		chmod 700 "$dir/state/attachments"
	done
	del "$(conf)"
	deleted
	[ "$(records)" -eq 0 ]
}

@test "C-GC-04: status entries of this network without a record go, others stay" {
	entries() { jq -n '$ARGS.positional | map(split("/") | {name: .[0], interface: .[1]})' --args "$@"; }
	names() { jq -r 'map("\(.name)/\(.interface)") | join(" ")' "$dir/run/status/$1.json"; }
	entries other/net3 net/net1 net/net2 nett/net4 >"$dir/run/status/dead.json"
	entries net/net1 net/net2 >"$dir/run/status/listed.json"
	entries net/net1 >"$dir/run/status/gone.json"
	echo '[7, {}, {"name": "net"}, {"name": "net", "interface": 7}, {"name":"net","interface":"net1"}]' \
		>"$dir/run/status/odd.json"
	echo garbage >"$dir/run/status/garbage.json"
	echo '[{"name":"net","interface":"net1"}]' >"$dir/run/status/no-json"
	gc "$(conf)" listed/net1
	collected
	[ "$(names dead)" = 'other/net3 nett/net4' ]
	[ "$(names listed)" = net/net1 ]
	[ ! -e "$dir/run/status/gone.json" ]
	[ "$(jq length "$dir/run/status/odd.json")" -eq 4 ]
	[ -s "$dir/run/status/garbage.json" ]
	[ -s "$dir/run/status/no-json" ]
}

@test "C-GC-04: device-info files that Multus leaks go, unless somebody may have them" {
	cd "$dir/devinfo/cni"
	# of another network of this plugin's
	add "$(conf 'del(.ipam) | .name = "other"')" "$(id_of f)" net2 "/run/netns/$pod"
	added
	touch "$dir/lib/cni/results/net-$(id_of a)-net1" "$dir/lib/cni/results/third-$(id_of b)-eth0" \
		"$dir/lib/cni/multus/$(id_of c)"
	keep=("default-net-$(id_of e)_net1" "default-net-$(id_of f)_net7" "default-net-$(id_of a)_net1"
		"default-net-$(id_of b)_net1" "default-net-$(id_of c)_net1" "default-other-$(id_of d)_net1"
		"default-abc-$(id_of d)_net1"
		"default-subnet-$(id_of d)_net1" "other-$(id_of d)_net1" "net-$(id_of d)" "net-_net1" "default-net-_net1"
		"net-$(id_of d)_" "net-$(id_of d)_far-too-long-for-one" "default-$(id_of d)_net1" "$(id_of d)_net1"
		"net_net1" README)
	leaked=("default-net-$(id_of d)_net1" "net-$(id_of d)_net1" "kube-system-net-$(id_of d)_my_if-0"
		"a-b-c-net-short_eth0" "net-net-$(id_of d)_net1")
	touch "${keep[@]}" "${leaked[@]}"
	mkdir ../dp
	touch "../dp/default-net-$(id_of d)_net1"
	gc "$(conf)" "$(id_of e)/net3"
	collected
	diff <(printf '%s\n' "${keep[@]}" | LC_ALL=C sort) <(find . -type f -printf "%f\n" | LC_ALL=C sort)
	[ -e "../dp/default-net-$(id_of d)_net1" ]
	[ "$(grep -c 'removed a leaked device-info file' "$dir/log")" -eq ${#leaked[@]} ]
}

@test "C-GC-04: files of ids and interfaces with '-' and '_' are told apart from leaked ones" {
	cd "$dir/devinfo/cni"
	keep=(default-net-a-b_c_net1 net-net-a_net1 net-a.b_c_d_e default-net-x_y_z default-net-a-c_net1)
	leaked=(net-net-b_net1 net-a_c_d_e)	# what follows net-a may be of a network net-a
	touch "${keep[@]}" "${leaked[@]}"
	gc "$(conf)" a-b_c/net1 net-a/net1 a.b_c/d_e x_y/z
	collected
	diff <(printf '%s\n' "${keep[@]}" | LC_ALL=C sort) <(find . -type f -printf "%f\n" | LC_ALL=C sort)
}

@test "C-GC-08: GC waits for an ADD that holds the lock, and leaves its attachment alone" {
	c=$(conf '.cniVersion = "1.1.0" | .ipam.type = "one"')
	echo wait >"$FAKE11/one.ADD"
	env_of ADD
	ip netns exec "$node" "$plugin" <<<"$c" >"$dir/out" 2>&1 3>&- &
	adding=$!
	until_called 'one ADD'
	CNI_COMMAND=GC ip netns exec "$node" "$plugin" <<<"$(listing "$c")" >"$dir/out.gc" 2>&1 3>&- &
	collecting=$!
	sleep 1
	kill -0 $collecting
	run ! grep -q "one GC" "$FAKE11/calls.log"
	rm "$FAKE11/one.ADD"
	wait_for $adding
	[ "$result" -eq 0 ]
	wait_for $collecting
	[ "$result" -eq 0 ]
	[ ! -s "$dir/out.gc" ]
	passes_check "$c" "$(<"$dir/out")"
}

@test "C-GC-08: an ADD that begins and ends while GC runs keeps all that it has made" {
	pod_add "$pod2"
	add "$(conf '.ipam.type = "one"')"
	added
	bury "$pod"
	echo wait >"$FAKE11/one.DEL"
	CNI_COMMAND=GC ip netns exec "$node" "$plugin" <<<"$(listing "$(conf)")" >"$dir/out.gc" 2>&1 3>&- &
	until_called 'one DEL'
	chained "$(id_of f)"
	rm "$FAKE11/one.DEL"
	wait_for $!
	[ "$result" -eq 0 ] || { cat "$dir/out.gc" && false; }
	[ -e "$dir/devinfo/cni/net-$(id_of f)_net1" ]
	[ -e "$dir/run/status/$(id_of f).json" ]
	[ "$(records)" -eq 1 ]
}

@test "SIGTERM while a plugin hangs ends GC in good time, and the next one goes on" {
	add "$(conf '.ipam.type = "one"')"
	added
	bury "$pod" net1
	echo hang >"$FAKE11/one.DEL"
	CNI_COMMAND=GC ip netns exec "$node" "$plugin" <<<"$(listing "$(conf)")" >"$dir/out" 2>/dev/null 3>&- &
	until_called 'one DEL'
	kill -TERM $!
	within 6 wait_for $!
	[ "$result" -eq 1 ]
	[ "$(jq .code "$dir/out")" -eq 108 ]
	[ "$(records)" -eq 1 ]
	rm "$FAKE11/one.DEL"
	gc "$(conf)"
	collected
	same "$before"
}

# bats test_tags=plain
@test "C-GC-09: 20,000 valid attachments next to 5,000 dead ones take seconds" {
	add "$(conf 'del(.ipam)')"
	added
	bury "$pod"
	template=$(find "$dir/state/attachments" -type f)
	others 22500 "$template"
	while read -r id; do echo '[{"name":"net","interface":"net1"}]' >"$dir/run/status/$id.json"; done <"$dir/others"
	head -n 20000 "$dir/others" | while read -r id; do : >"$dir/lib/cni/results/net-$id-net1"; done
	for id in $(seq -f %064.0f 22501 25000); do echo '{}' >"$dir/devinfo/cni/default-net-${id}_net1"; done
	head -n 20000 "$dir/others" | jq -cRn '[inputs | {containerID: ., ifname: "net1"}]' >"$dir/list"
	rm "$template"
	request=$(jq -c --slurpfile list "$dir/list" '.cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = $list[0]' \
		<<<"$(conf 'del(.ipam)')")
	within 60 collect "$request"
	collected
	[ "$(records)" -eq 20000 ]
	[ "$(find "$dir/run/status" -type f | wc -l)" -eq 20000 ]
	[ -z "$(ls -A "$dir/devinfo/cni")" ]
}
