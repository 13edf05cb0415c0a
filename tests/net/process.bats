#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# process.bats - the process around a real ADD: crashes, lost memory, odd surroundings, what is
# passed on to plugins, what is told
#
# rooms: cni cni/call base

load helpers

setup() {
	node_up
	before=$(snapshot "$pod")
}

teardown() { node_down; }

# stalled CONF - an ADD whose IPAM plugin hangs: $pid
stalled() {
	env_of ADD
	: >"$dir/leases/calls.log"
	FAKE_ADD=hang ip netns exec "$node" "$plugin" <<<"$1" >"$dir/out" 2>/dev/null 3>&- &
	pid=$!
	until grep -q ADD "$dir/leases/calls.log" 2>/dev/null; do sleep 0.05; done
}

# spy - an IPAM plugin of that name, which notes what surrounds it in $dir/seen
spy() {
	mkdir "$dir/seen"
	cat >"$dir/bin/spy" <<-EOF
		#!/bin/sh
		cat >"$dir/seen/\$CNI_COMMAND"
		umask >"$dir/seen/umask"
		ulimit -v >"$dir/seen/memory"
		sed -n 's/^Max core file size *//p' /proc/self/limits >"$dir/seen/core"
		grep -E '^(CapEff|CapPrm|NoNewPrivs|SigIgn|SigBlk|SigCgt)' /proc/self/status >"$dir/seen/status"
		ls /proc/self/fd >"$dir/seen/fds"
		env >"$dir/seen/env"
		echo '{"cniVersion":"1.0.0","ips":[{"address":"10.9.0.2/24","x":123456789012345678901234567890}]}'
	EOF
	chmod +x "$dir/bin/spy"
}

@test "C-ERR-07, C-PIT-03: a crash in mid-ADD leaves one error document and ends by its signal, and DEL restores" {
	for sig in SEGV ABRT BUS; do
		stalled "$(conf '.mtu = 1400')"
		kill "-$sig" "$pid"
		wait_for "$pid"
		[ "$result" -eq $((128 + $(kill -l $sig))) ]
		jq -es 'length == 1 and .[0].code == 5 and (.[0].msg | test("crashed"))' "$dir/out"
		[ -z "$(ip netns pids "$node")" ]
		del "$(conf)"
		deleted
		same "$before" "$pod"
	done
}

@test "C-PIT-01, C-PRC-11, C-PRC-12: in mid-ADD there is one thread, with the privileges that it needs and no others" {
	stalled "$(conf)"
	status=$(</proc/"$pid"/status)
	kill "$pid"
	wait_for "$pid"
	grep -q '^Threads:.1$' <<<"$status"
	grep -q '^NoNewPrivs:.1$' <<<"$status"
	caps=$(sed -n 's/^CapEff:.//p' /proc/self/status)
	grep -q "^CapEff:.$(printf '%016x' $((16#$caps & 0x28303f)))\$" <<<"$status"
	same "$before" "$pod"
}

@test "C-ADD-11, C-PIT-29: an ADD whose caller was killed meanwhile does not finish, and leaves nothing" {
	cat >"$dir/bin/slow" <<-EOF
		#!/bin/sh
		cat >/dev/null
		until [ -e "$dir/go" ]; do sleep 0.05; done
		echo '{"cniVersion":"1.0.0","ips":[{"address":"10.9.0.2/24"}]}'
	EOF
	chmod +x "$dir/bin/slow"
	env_of ADD
	ip netns exec "$node" bash -c "'$plugin' >'$dir/out' 2>/dev/null; true" <<<"$(conf '.ipam.type = "slow"')" 3>&- &
	pid=$!
	until [ "$(records)" -eq 1 ]; do sleep 0.05; done
	kill -KILL "$pid"
	wait_for "$pid"
	touch "$dir/go"
	for ((i = 0; i < 200; i++)); do
		[ -n "$(ip netns pids "$node")" ] || break
		sleep 0.05
	done
	jq -es 'length == 1 and .[0].code > 0' "$dir/out"
	same "$before" "$pod"
}

# POINTS - how many allocations fail, one an ADD; 1000 is all of them
# lose VERB N - that call for $c with its N-th allocation failing; N = 0 counts them into $dir/count
lose() {
	env_of "$1"
	run --separate-stderr in_node timeout 60 env ALLOCFAIL_AT="$2" ALLOCFAIL_COUNT="$dir/count" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
		LD_PRELOAD="${BUILD:-$top/build}/tests/tool/allocfail.so" "$plugin" <<<"$c"
}

# one_error - a lost allocation gave one error document
one_error() {
	[ "$status" -eq 1 ] && jq -es 'length == 1 and .[0].code > 0 and (.[0].msg | length > 0)' <<<"$output" >/dev/null ||
		{ echo "allocation $n of $total: status $status: $output$stderr" && return 1; }
}

# mended - a DEL succeeds, silently or with a warning about what it mends
mended() {
	env_of DEL
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$c"
	deleted
	((++rounds % 10)) || same "$before" "$pod"	# what is left stays left
}

@test "C-JSN-08: whichever allocation of an ADD fails, its result is the right one or an error, and DEL restores" {
	c=$(conf '.mtu = 1400 | .mac = "02:00:00:00:00:77" | .dns = {search: ["a"]}')
	lose ADD 0
	added
	want=$output total=$(<"$dir/count")
	[ "$total" -gt 100 ]
	del "$c"
	step=$((total / ${POINTS-60} + 1)) good=0 rounds=0
	for ((n = 1 + RANDOM % step; n <= total; n += step)); do
		lose ADD "$n"
		if [ "$status" -ne 0 ]; then
			one_error
		else
			[ "$output" = "$want" ] || { echo "allocation $n of $total: $output" && return 1; }
			good=$((good + 1))
		fi
		mended
	done
	same "$before" "$pod"
	echo "# $total allocations, every ${step}th failed once; $good ADDs could do without" >&3
}

@test "C-JSN-08: whichever allocation of a DEL fails, it succeeds or is one error, and the next DEL restores" {
	c=$(conf '.mtu = 1400')
	add "$c"
	lose DEL 0
	deleted
	total=$(<"$dir/count")
	[ "$total" -gt 50 ]
	step=$((total / (${POINTS-60} / 3) + 1)) rounds=0
	for ((n = 1 + RANDOM % step; n <= total; n += step)); do
		add "$c"
		added
		lose DEL "$n"
		[ "$status" -eq 0 ] && [ -z "$output" ] || one_error
		mended
	done
	same "$before" "$pod"
	echo "# $total allocations, every ${step}th failed once" >&3
}

@test "C-ENV-09, C-ENV-11, C-PRC-02, C-PRC-07: an ADD works with nothing in its environment, without CNI_PATH, stderr and current directory" {
	c=$(conf 'del(.ipam) | .mtu = 1400')
	for verb in ADD DEL; do
		mkdir "$dir/gone"
		run ip netns exec "$node" bash -c "cd '$dir/gone' && rmdir '$dir/gone' &&
			exec env -i CNI_COMMAND=$verb CNI_CONTAINERID=$pod CNI_NETNS=/run/netns/$pod CNI_IFNAME=net1 \
			DEVINFO_CONF='$DEVINFO_CONF' TRACEPARENT=00-x LC_ALL=nonsense '$plugin' 2>&-" <<<"$c"
		[ "$status" -eq 0 ]
		[ "$verb" = DEL ] || [ "$(jq -r '.interfaces[0].name' <<<"$output")" = net1 ]
	done
	[ -z "$output" ]
	same "$before" "$pod"
}

@test "C-PRC-10: an ADD without privileges is code 100, and nothing is left" {
	cp "$plugin" "$dir/bin/devinfo"
	chmod -R go+rX "$BATS_RUN_TMPDIR"
	env_of ADD
	run --separate-stderr in_node setpriv --reuid 65534 --regid 65534 --clear-groups bash -c "cd / && exec '$dir/bin/devinfo'" <<<"$(conf)"
	refused 100 'network namespace'
	same "$before" "$pod"
}

# bats test_tags=both
@test "a plugin that we run gets the limits, umask, signals and privileges that we were given" {
	spy
	env_of ADD
	run --separate-stderr in_node bash -c "umask 0027; ulimit -S -v 3000000
		exec env --default-signal=HUP,QUIT '$plugin'" <<<"$(conf '.ipam.type = "spy"')"
	if ! grep -q __asan_init "$plugin"; then
		added
		[ "$(<"$dir/seen/memory")" = 3000000 ]
	else	# a sanitizer cannot live in so little
		run --separate-stderr in_node bash -c "umask 0027; exec env --default-signal=HUP,QUIT '$plugin'" <<<"$(conf '.ipam.type = "spy"')"
		added
		[ "$(<"$dir/seen/memory")" = "$(ulimit -S -v)" ]
	fi
	[ "$(<"$dir/seen/umask")" = 0027 ]
	grep '^Cap' /proc/self/status >"$dir/caps"
	for key in CapEff CapPrm; do
		[ "$(grep $key "$dir/seen/status")" = "$(grep $key "$dir/caps")" ]
	done
	grep -q '^SigIgn:.*[08]0000000$' "$dir/seen/status"	# 32 and 33 are the C library's, and make's fault
	grep -q '^SigBlk:.0*$' "$dir/seen/status"
	[ "$(grep -vc '^[012]$' "$dir/seen/fds")" -le 1 ]	# ls itself has the directory open
	del "$(conf '.ipam.type = "spy"')"
	deleted
}

@test "a plugin that we run may dump core as far as we were given leave to, and we do not" {
	export ASAN_OPTIONS=disable_coredump=0	# else it is a sanitizer that sets the limit
	spy
	for limits in 512000:2048000 0:2048000 0:0; do
		env_of ADD
		run --separate-stderr in_node prlimit --core="$limits" "$plugin" <<<"$(conf '.ipam.type = "spy"')"
		added
		read -r soft hard _ <"$dir/seen/core"
		[ "$soft:$hard" = "$limits" ]
		del "$(conf '.ipam.type = "spy"')"
		deleted
	done
	ulimit -S -c "$(ulimit -H -c)"
	stalled "$(conf)"
	read -r soft _ <<<"$(sed -n 's/^Max core file size *//p' "/proc/$pid/limits")"
	kill "$pid"
	wait_for "$pid"
	[ "$soft" = 0 ]
}

@test "C-JSN-05, C-JSN-06: the IPAM plugin gets the very bytes of the request, numbers and spelling and all" {
	spy
	printf '%s' '{ "cniVersion":"1.0.0","name":"net" , "type":"devinfo","device":"v0", "ipam":{"type":"spy","f":0.1,"g":1.50e2},
		"runtimeConfig":{"portMappings":[{"HostPort":8080,"ContainerPort":80,"Protocol":"tcp","HostIP":""}],
		"dns":{"Servers":["127.0.0.1"],"Searches":["."],"Options":null},"big":123456789012345678901234567890},
		"u":"\u00fc\u002f\/" }' >"$dir/request"
	env_of ADD
	run --separate-stderr in_node "$plugin" <"$dir/request"
	added
	env_of DEL
	run --separate-stderr in_node "$plugin" <"$dir/request"
	deleted
	cmp "$dir/request" "$dir/seen/ADD"
	cmp "$dir/request" "$dir/seen/DEL"
	same "$before" "$pod"
}

@test "C-JSN-01, C-JSN-02: a number beyond 64 bits, in the request or in IPAM's result, leaves the integers of the result integers" {
	spy
	c=$(conf '.cniVersion = "1.1.0" | .ipam.type = "spy" | .mtu = 1400')
	add "${c%\}},\"huge\":123456789012345678901234567890}"
	added
	[ "$(jq -c '[.interfaces[0].mtu, .ips[0].interface]' <<<"$output")" = '[1400,0]' ]
	run ! grep -E ':-?[0-9]+\.0[,}]' <<<"$output"
	del "$c"
	deleted
	same "$before" "$pod"
}

@test "C-ARG-01, C-ARG-02, C-ARG-04, C-ARG-06, C-PIT-23: conventions and arguments of every engine do not keep an ADD from working" {
	c=$(conf '.args.cni = {labels: [{key: "a", value: "b"}], ips: ["192.0.2.7/24"]} | .runtimeConfig = {
		portMappings: [{HostPort: 8080, ContainerPort: 80, Protocol: "tcp", HostIP: ""}], ipRanges: [[{subnet: "10.1.2.0/24"}]],
		bandwidth: {ingressRate: 1000, ingressBurst: 1000}, dns: {Servers: ["127.0.0.1"], Options: null}, ips: ["10.1.2.3/24"],
		aliases: {net: ["a"]}, cgroupPath: "/kubepods/x",
		"io.kubernetes.cri.pod-annotations": {a: "b"}, mac: "02:00:00:00:00:55"}')
	for CNI_ARGS in "IgnoreUnknown=1;K8S_POD_NAMESPACE=ns;K8S_POD_NAME=p;K8S_POD_INFRA_CONTAINER_ID=$pod;K8S_POD_UID=u-1" \
		'K8S_POD_NAME=;UNKNOWN=1' "IgnoreUnknown=true;K8S_POD_NAME=a=b;K8S_POD_NAME=p;IgnoreUnknown=1" 'A;;=B;IgnoreUnknown=maybe'; do
		export CNI_ARGS
		add "$c"
		added
		[ "$(link "$pod" net1 .address)" = 02:00:00:00:00:55 ]
		# what a pod's annotations say is on no disk of ours
		grep -q portMappings "$dir"/state/attachments/*.json
		run ! grep -q pod-annotations "$dir"/state/attachments/*.json
		del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "C-ARG-03: mac and mtu of args.cni go before runtimeConfig, that before CNI_ARGS, and that before the configuration" {
	export CNI_ARGS=
	c=$(conf 'del(.ipam) | .cniVersion = "1.1.0" | .mac = "02:00:00:00:01:01" | .mtu = 1401 | .podMayOverride = ["mac", "mtu"]')
	for want in '01 1401' '02 1401' '03 1401' '04 1404'; do
		case $want in
		02*) CNI_ARGS="IgnoreUnknown=1;MAC=02:00:00:00:01:02" ;;
		03*) c=$(jq -c '.runtimeConfig.mac = "02:00:00:00:01:03"' <<<"$c") ;;
		04*) c=$(jq -c '.args.cni = {mac: "02:00:00:00:01:04", mtu: 1404}' <<<"$c") ;;
		esac
		add "$c"
		added
		[ "$(jq -r '.interfaces[0] | "\(.mac) \(.mtu)"' <<<"$output")" = "02:00:00:00:01:$want" ]
		[ "$(link "$pod" net1 '"\(.address) \(.mtu)"')" = "02:00:00:00:01:$want" ]
		del "$c"
		deleted
		same "$before" "$pod"
	done
}

@test "C-PIT-02: a process id that is reused, and names the node's namespace by now, leaves the node alone" {
	ip netns exec "$node" sleep 600 3>&- &
	reused=$!
	ip netns exec "$node" unshare -n sleep 600 3>&- &
	pid=$!
	until [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink "/proc/$reused/ns/net")" ] &&
		[ "$(stat -Lc %i "/run/netns/$node")" = "$(stat -Lc %i "/proc/$reused/ns/net")" ]; do sleep 0.02; done
	add "$(conf)" c1 net1 "/proc/$pid/ns/net"
	added
	kill "$pid"
	wait_for "$pid"
	until ! ip -n "$node" link show p0; do sleep 0.02; done	# the namespace is destroyed, and with it v0
	ip -n "$node" link add net1 address 02:00:00:00:00:99 type veth peer name n1
	ip -n "$node" addr add 192.0.2.1/24 dev net1
	ip -n "$node" link set net1 up
	left=$(links "$node")
	del "$(conf)" c1 net1 "/proc/$reused/ns/net"
	deleted
	[ "$(links "$node")" = "$left" ]
	[ "$(records)" -eq 0 ]
	[ "$(leases)" -eq 0 ]
	add "$(conf '.device = "w0"')" c1 net1 "/proc/$reused/ns/net"
	refused 8 "plugin's own network namespace"
	[ "$(links "$node")" = "$left" ]
	kill "$reused"
}

@test "C-PIT-17, C-PIT-28: nerdctl's DEL with an empty namespace before each ADD does no harm" {
	for _ in 1 2; do
		del "$(conf)" "$pod" net1 ''
		deleted
		[ -z "$stderr" ]
		add "$(conf)"
		added
		del "$(conf)"
		deleted
		same "$before" "$pod"
	done
}

@test "C-ERR-04: stderr is silent when ADD and DEL go well, at the level that nobody has changed" {
	jq -c 'del(.logFile, .logLevel)' "$DEVINFO_CONF" >"$dir/c"
	mv "$dir/c" "$DEVINFO_CONF"
	add "$(conf)"
	added
	[ -z "$stderr" ]
	del "$(conf)"
	deleted
	[ -z "$stderr" ]
}

@test "the log goes to stderr when no file is given, and never to stdout" {
	jq -c 'del(.logFile) | .logLevel = "debug"' "$DEVINFO_CONF" >"$dir/c"
	mv "$dir/c" "$DEVINFO_CONF"
	add "$(conf)"
	[ "$status" -eq 0 ]
	jq -es 'length == 1' <<<"$output" >/dev/null
	grep -q "level=info id=$pod if=net1 msg=\"attached\" " <<<"$stderr"
	del "$(conf)"
	deleted
	grep -q "level=info id=$pod if=net1 msg=\"detached\" " <<<"$stderr"
	run ! grep -vE "^[0-9T:.-]+Z level=(error|warning|info|debug) id=$pod if=net1 msg=" <<<"$stderr"
}

@test "no secret of a configuration is in the log at level debug, on stderr, or in a file that others may read" {
	node_conf '{logLevel: "debug"}'
	c=$(conf '.ipam.password = "hunter2" | .runtimeConfig = {auth: "hunter2"} | .memif = {secret: "hunter2"} | .args.cni.token = "hunter2"')
	for how in ok error leased-error words status; do
		FAKE_ADD=$how add "$c"
		[[ $output$stderr != *hunter2* ]]
		[ -z "$(find "$dir" -type f -perm /044 ! -path "$dir/bin/*" -exec grep -l hunter2 {} +)" ]
		FAKE_DEL=$how del "$c"
		[[ $output$stderr != *hunter2* ]]
		del "$c"
		deleted
	done
	[ -s "$dir/log" ]
	run ! grep -q hunter2 "$dir/log"
}
