#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# plugin.bats - devinfo's environment, stdin, stdout and configuration; no privilege needed
#
# rooms: cni cni/call conf

load helpers

setup() { node_up; }

@test "C-VER-01, C-VER-02, C-VER-05: VERSION answers one object with all seven versions, echoing the one on stdin" {
	CNI_COMMAND=VERSION
	for v in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0 1.1.0; do
		cni "{\"cniVersion\":\"$v\"}"
		[ "$status" -eq 0 ]
		[ "$output" = "{\"cniVersion\":\"$v\",\"supportedVersions\":[\"0.1.0\",\"0.2.0\",\"0.3.0\",\"0.3.1\",\"0.4.0\",\"1.0.0\",\"1.1.0\"]}" ]
		[ -z "$stderr" ]
	done
}

@test "each program tells its release, which base/version.h and CHANGELOG.md have as well" {
	release=$(sed -n 's/^#define DEVINFO_VERSION "\(.*\)"$/\1/p' "$top/base/version.h")
	[[ $release =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
	for program in devinfo devinfoctl; do
		run --separate-stderr env -i "$build/bin/$program" --version
		[ "$status" -eq 0 ]
		[ "$output" = "$program $release" ]
		[ -z "$stderr" ]
	done
	# the newest release that has a date is this one
	[[ $(grep -m 1 -E '^## [0-9]' "$top/CHANGELOG.md") =~ ^"## $release - 20"[0-9]{2}-[0-9]{2}-[0-9]{2}$ ]]
	# an engine's call is what it was, whatever its arguments
	CNI_COMMAND=VERSION run --separate-stderr "$plugin" --version more
	[[ $output == *supportedVersions* ]]
	run bash -c '"$0" --version >/dev/full' "$plugin"
	[ "$status" -eq 1 ]
}

@test "C-VER-03: VERSION works with an empty, closed, garbage or endless stdin" {
	export CNI_COMMAND=VERSION
	want='"cniVersion":"1.1.0"'
	for text in '' garbage '[]' '{"cniVersion":7}' '{"cniVersion":"9.9.9"}'; do
		cni "$text"
		[ "$status" -eq 0 ]
		[[ $output == *"$want"* ]]
	done
	run bash -c "exec '$plugin' <&-"	# closed for bats, too, it would be the pipe that run opens
	[ "$status" -eq 0 ]
	[[ $output == *"$want"* ]]
	run "$plugin" </
	[ "$status" -eq 0 ]
	run timeout 5 bash -c "sleep 4 | '$plugin'"	# a writer that never writes
	[[ $output == *"$want"* ]]
}

@test "C-VER-04: VERSION works in the dummy environment of libcni and without privileges" {
	[ "$(id -u)" -ne 0 ] || as="setpriv --reuid 65534 --regid 65534 --clear-groups"
	cp "$plugin" "$BATS_TEST_TMPDIR/devinfo"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_FILE_TMPDIR" "$BATS_TEST_TMPDIR" "$BATS_TEST_TMPDIR/.." 2>/dev/null || true
	cd /
	run ${as-} env -i CNI_COMMAND=VERSION CNI_NETNS=dummy CNI_IFNAME=dummy CNI_PATH=dummy \
		"$BATS_TEST_TMPDIR/devinfo" <<<'{"cniVersion":"1.0.0"}'
	[ "$status" -eq 0 ]
	[ "$(jq -r .cniVersion <<<"$output")" = 1.0.0 ]
}

@test "VERSION leaves the mode of a stdin that it shares with others alone" {
	mkfifo "$BATS_TEST_TMPDIR/p"
	exec 5<>"$BATS_TEST_TMPDIR/p"
	echo '{"cniVersion":"0.4.0"}' >&5
	CNI_COMMAND=VERSION run "$plugin" <&5
	[ "$(jq -r .cniVersion <<<"$output")" = 0.4.0 ]
	flags=$(awk '/^flags/ { print $2 }' /proc/$$/fdinfo/5)
	(( (8#$flags & 8#4000) == 0 ))	# O_NONBLOCK
}

@test "C-VER-04: podman's VERSION call is answered" {
	calls=$BATS_TEST_DIRNAME/engine-calls
	mapfile -t env <"$calls/podman-4.3.1-VERSION.env"
	run env -i "${env[@]}" "$plugin" <"$calls/podman-4.3.1-VERSION.json"
	[ "$status" -eq 0 ]
	[ "$(jq -r .cniVersion <<<"$output")" = 1.0.0 ]
}

@test "C-DEL-03: DEL of an attachment we never made, as podman and containerd call it, succeeds silently" {
	calls=$BATS_TEST_DIRNAME/engine-calls
	for call in podman-4.3.1-DEL containerd-2.1.9-DEL; do
		mapfile -t env <"$calls/$call.env"
		run --separate-stderr env -i "${env[@]}" DEVINFO_CONF="$DEVINFO_CONF" "$plugin" <"$calls/$call.json"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		[ -z "$stderr" ]
	done
	untouched
}

@test "C-ENV-01, C-ENV-02: all missing variables are named in one error" {
	unset CNI_CONTAINERID
	CNI_NETNS='' CNI_IFNAME=''
	cni "$good"
	refused 4 '[CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME] missing'
	CNI_COMMAND=DEL
	cni "$good"
	refused 4 '[CNI_CONTAINERID,CNI_IFNAME] missing'
	untouched
}

@test "C-ENV-03: without CNI_COMMAND there is an error at once, without reading stdin" {
	unset CNI_COMMAND
	run --separate-stderr timeout 3 "$plugin" </dev/zero
	refused 4 'CNI_COMMAND'
}

@test "C-ENV-04: an unknown or lower-case CNI_COMMAND is refused" {
	for CNI_COMMAND in add FOO 'ADD ' $'ADD\n'; do
		cni "$good"
		refused 4 'unknown CNI_COMMAND'
	done
}

@test "C-ENV-05, C-ENV-07, C-ENV-08: malformed container ids and interface names are refused by ADD, CHECK and DEL" {
	for CNI_COMMAND in ADD CHECK DEL; do
		for CNI_CONTAINERID in .. a/b -a $'a\n' 'a b' é; do
			cni "$good"
			refused 4 CNI_CONTAINERID
		done
		CNI_CONTAINERID=c0ffee
		for CNI_IFNAME in 1234567890123456 . .. a/b a:b 'a b' $'a\u00a0' $'a\u0085' eth%d; do
			cni "$good"
			refused 4 CNI_IFNAME
		done
		CNI_IFNAME=net1
	done
	untouched
}

@test "C-ENV-06: a container id of 5000 bytes is valid" {
	export CNI_COMMAND=DEL
	CNI_CONTAINERID=$(printf 'a%.0s' {1..5000})
	cni "$good"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "C-ENV-11: no other variable is needed, and unknown ones do not matter" {
	run --separate-stderr env -i CNI_COMMAND=DEL CNI_CONTAINERID=c CNI_IFNAME=net1 TRACEPARENT=x DEVINFO_CONF="$DEVINFO_CONF" \
		"$plugin" <<<"$good"
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
}

@test "C-REQ-01: stdin is read to its end however slowly it comes" {
	run --separate-stderr timeout 20 bash -c "for p in '{\"cniVersion\":' '\"1.0.0\",' '\"name\":\"net\",' '\"vlan\":' '9999}'; do
		printf %s \"\$p\"; sleep 0.1; done | '$plugin'"
	refused 7 'vlan'
	run --separate-stderr bash -c "exec '$plugin' <&-"
	refused 5 stdin
	[ "$(jq -r .details <<<"$output")" = "Bad file descriptor" ]
	run --separate-stderr "$plugin" </
	refused 5 stdin
	[ "$(jq -r .details <<<"$output")" = "Is a directory" ]
}

@test "C-REQ-02, C-REQ-03: what is no single JSON object is code 6" {
	for text in '' '{' '{}{}' '{} x' $'\xef\xbb\xbf{}' '[]' 7 null '"x"' '{"name":"a","name":"b"}'; do
		cni "$text"
		refused 6 'network configuration'
	done
	run --separate-stderr "$plugin" < <(printf '%s\0' "$good")
	refused 6 'network configuration'
	run --separate-stderr "$plugin" < <(printf '{"name":"n\xff"}')
	refused 6 'network configuration'
	untouched
}

@test "C-REQ-04: a missing or malformed network name is code 7" {
	for name in '""' null '"a/b"' '".."' '"a b"' 7; do
		cni "{\"cniVersion\":\"1.0.0\",\"name\":$name,\"type\":\"devinfo\"}"
		refused 7 name
		[ "$(jq -r .cniVersion <<<"$output")" = 1.0.0 ]
	done
	cni '{"cniVersion":"1.0.0"}'
	refused 7 'missing network name'
	[ "$(jq -r .cniVersion <<<"$output")" = 1.0.0 ]
}

@test "C-REQ-05, C-REQ-07: a version that is not ours is code 1, with both sides in the details" {
	for v in 0.0.0 0.3.2 1.2.0 9.9.9 1.0 v1.0.0 1.0.0-rc1 01.0.0 ' '; do
		cni "{\"cniVersion\":\"$v\",\"name\":\"net\"}"
		refused 1 'incompatible CNI versions'
		jq -e '.details | test("plugin supports .*1\\.1\\.0")' <<<"$output" >/dev/null
	done
	cni '{"cniVersion":1,"name":"net"}'
	refused 6 cniVersion
}

@test "C-REQ-05: a version that is missing or empty is 0.1.0" {
	for text in '{"name":"net"}' '{"cniVersion":"","name":"net"}'; do
		cni "$text"
		refused 7 'cniVersion 0.1.0 needs an address'
		[ "$(jq -r .cniVersion <<<"$output")" = 0.1.0 ]
	done
}

@test "C-REQ-06, C-SPV-01: CHECK, GC and STATUS are refused with code 1 where the version has none" {
	for v in 0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0; do
		verbs='GC STATUS'
		[[ $v > 0.3.1 ]] || verbs+=' CHECK'
		for CNI_COMMAND in $verbs; do
			cni "{\"cniVersion\":\"$v\",\"name\":\"net\"}"
			refused 1 "config version does not allow $CNI_COMMAND"
		done
	done
}

@test "C-REQ-11: 17 MiB of stdin, or deep nesting, are one clean error" {
	run --separate-stderr "$plugin" < <(printf '{"a":"'; head -c 17825792 /dev/zero | tr '\0' x; printf '"}')
	refused 6 'over 16777216 bytes'
	run --separate-stderr timeout 20 "$plugin" </dev/zero
	refused 6 'over 16777216 bytes'
	run --separate-stderr "$plugin" < <(head -c 200000 /dev/zero | tr '\0' '[')
	refused 6 'network configuration'
	run --separate-stderr "$plugin" < <(printf '{"cniVersion":"1.0.0","name":"net","x":"'
		head -c 8388608 /dev/zero | tr '\0' x; printf '"}')
	refused 7 'no device'
	untouched
}

@test "C-REQ-12: white space around and inside the document is accepted" {
	CNI_COMMAND=DEL
	cni $' \n\t{ "cniVersion" : "1.0.0" ,\r\n "name":"net" }\n\n '
	[ "$status" -eq 0 ]
}

@test "C-JSN-01: a number beyond 64 bits in an ignored key does not fail the call" {
	CNI_COMMAND=DEL
	cni '{"cniVersion":"1.0.0","name":"net","x":123456789012345678901234567890}'
	[ "$status" -eq 0 ]
}

@test "a configuration value out of its range is code 7 and names key and value" {
	while read -r member text; do
		[[ $member == '"device'* ]] || member+=',"device":"v0"'
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",$member}"
		refused 7 "$text"
	done <<-'EOF'
		"vlan":4095 vlan: expected an integer of 0 to 4094, got 4095
		"vlan":"5" vlan: expected an integer, got a string
		"vlan":0,"vlanQoS":1 vlanQoS: 1 needs a vlan
		"spoofchk":"maybe" invalid spoofchk 'maybe': must be off or on
		"link_state":"up" invalid link_state 'up'
		"mtu":65536 mtu: expected an integer of 0 to 65535, got 65536
		"device":"a/b" invalid device 'a/b'
		"deviceID":"../../x" invalid deviceID '../../x'
		"resourceName":"a/../b" invalid resourceName 'a/../b'
		"ipam":{"type":"../x"} invalid ipam.type '../x'
		"runtimeConfig":7 runtimeConfig: expected an object
		"stateDir":"relative" stateDir: not in a network configuration
		"lockTimeoutMs":0 lockTimeoutMs: expected an integer of 1 to 120000, got 0
	EOF
	untouched
}

@test "sriov-cni's log settings do not stop a pod: what is not known is warned about and not used" {
	# what is refused is the namespace, which comes later
	for level in INFO Verbose panic ''; do
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"logLevel\":\"$level\"}"
		refused 3 "CNI_NETNS"
		[[ $stderr != *"not used"* ]]
	done
	cni '{"cniVersion":"1.0.0","name":"net","device":"v0","logLevel":"loud","logFile":"sriov.log"}'
	refused 3 "CNI_NETNS"
	[[ $stderr == *'msg="logLevel is not known, and not used" value=loud'* ]]
	[[ $stderr == *"the network's logFile is not used: logFile: 'sriov.log': expected a file in the node's logDir '/var/log/devinfo'"* ]]
	untouched
}

@test "a MAC that is none, or a multicast one, is code 7" {
	for mac in nonsense 02:00:00:00:00 01:00:5e:00:00:01 00:00:00:00:00:00; do
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"mac\":\"$mac\"}"
		refused 7 "invalid mac '$mac': must be a unicast Ethernet address"
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"runtimeConfig\":{\"mac\":\"$mac\"}}"
		refused 7 "invalid runtimeConfig.mac '$mac': must be a unicast Ethernet address"
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",\"device\":\"v0\",\"args\":{\"cni\":{\"mac\":\"$mac\"}}}"
		refused 7 "invalid args.cni.mac '$mac': must be a unicast Ethernet address"
		CNI_ARGS="MAC=$mac" cni '{"cniVersion":"1.0.0","name":"net","device":"v0"}'
		refused 7 "invalid MAC in CNI_ARGS '$mac': must be a unicast Ethernet address"
	done
	untouched
}

@test "a whole list on stdin is refused, and told where one plugin's configuration is" {
	for CNI_COMMAND in ADD CHECK GC STATUS; do
		cni "$(jq -c . "$top/conf/examples/sriov.conflist")"
		refused 7 'plugins: expected the configuration of one plugin, got a list (conflist) of 1'
		[[ $output == *"its own element of plugins"* ]]
	done
	CNI_COMMAND=DEL cni "$(jq -c . "$top/conf/examples/sriov.conflist")"
	[ "$status" -eq 0 ]
	untouched
}

@test "C-ERR-05, C-ADD-03: a namespace that is missing is code 3 and its path is not created" {
	CNI_NETNS=$BATS_TEST_TMPDIR/none
	cni "$good"
	refused 3 CNI_NETNS
	[ ! -e "$CNI_NETNS" ]
	untouched
}

@test "C-ADD-03, C-SEC-01: a namespace that is a file, directory, device, FIFO or of another kind is code 8, at once" {
	touch "$BATS_TEST_TMPDIR/file"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for CNI_NETNS in "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/fifo" "$BATS_TEST_TMPDIR" /dev/null /proc/self/ns/uts; do
		run --separate-stderr timeout 5 "$plugin" <<<"$good"
		refused 8 CNI_NETNS
	done
	untouched
}

# bats test_tags=native
@test "C-ADD-02: our own network namespace is code 8, in one document, and nothing is touched" {
	CNI_NETNS=/proc/self/ns/net
	cni "$good"
	refused 8 "plugin's own network namespace"
	untouched
}

@test "a node file that is missing, no JSON or has an unknown key is an error that names it" {
	echo '{"statedir":"/x"}' >"$DEVINFO_CONF"
	cni "$good"
	refused 7 "unknown key 'statedir'"
	echo '{' >"$DEVINFO_CONF"
	cni "$good"
	refused 7 "$DEVINFO_CONF"
	rm "$DEVINFO_CONF"
	cni "$good"
	refused 4 DEVINFO_CONF
}

@test "C-PRC-01: a stdout that is closed, full or without a reader gives exit status 1, not a signal" {
	run bash -c "'$plugin' <<<'{' >&-"
	[ "$status" -eq 1 ]
	run bash -c "'$plugin' <<<'{' >/dev/full"
	[ "$status" -eq 1 ]
	run bash -c "{ sleep 0.2; '$plugin' <<<'{'; } | :; exit \${PIPESTATUS[0]}"
	[ "$status" -eq 1 ]
	for to in '>&-' '>/dev/full' '| :'; do
		run bash -c "{ sleep 0.2; CNI_COMMAND=VERSION '$plugin' </dev/null; } $to; exit \${PIPESTATUS[0]}"
		[ "$status" -eq 1 ]
	done
}

@test "C-PRC-02: a closed stderr changes nothing" {
	run bash -c "'$plugin' <<<'{' 2>&-"
	refused 6 'network configuration'
	run bash -c "CNI_COMMAND=VERSION '$plugin' </dev/null 2>&-"
	[ "$status" -eq 0 ]
	[ "$(jq -r .cniVersion <<<"$output")" = 1.1.0 ]
}

@test "with stdin, stdout and stderr closed the plugin exits with 1 and writes into no other file" {
	echo keep >"$BATS_TEST_TMPDIR/other"
	run bash -c "exec 0<&- 1>&- 2>&- 3<>'$BATS_TEST_TMPDIR/other'; '$plugin'"
	[ "$status" -eq 1 ]
	[ "$(cat "$BATS_TEST_TMPDIR/other")" = keep ]
}

# bats test_tags=native
@test "C-PRC-03: without a free file descriptor there is one clean error" {
	for n in 4 5 6 7 8 9 10; do	# the dynamic loader needs the fourth
		run --separate-stderr bash -c "exec prlimit --nofile=$n '$plugin' 3>&-" <<<"$good"
		[ "$status" -eq 1 ]
		jq -es 'length == 1 and .[0].code > 0' <<<"$output" >/dev/null
	done
	untouched
}

@test "C-PRC-07: a current directory that was deleted does not matter" {
	mkdir "$BATS_TEST_TMPDIR/cwd"
	cd "$BATS_TEST_TMPDIR/cwd"
	rmdir "$BATS_TEST_TMPDIR/cwd"
	CNI_COMMAND=DEL
	cni "$good"
	[ "$status" -eq 0 ]
}

@test "C-PRC-08: SIGTERM while stdin is awaited ends the call with one error within two seconds" {
	mkfifo "$BATS_TEST_TMPDIR/p"
	exec 5<>"$BATS_TEST_TMPDIR/p"
	"$plugin" <&5 >"$BATS_TEST_TMPDIR/out" 2>/dev/null &
	sleep 0.3
	kill -TERM $!
	start=$EPOCHREALTIME
	run wait $!
	status=0
	wait $! || status=$?
	(( ${EPOCHREALTIME/./} - ${start/./} < 2000000 ))
	output=$(<"$BATS_TEST_TMPDIR/out")
	lines=("$output")
	refused 108 stdin
}

@test "C-PRC-10: an ADD without privileges is one clean error and leaves nothing" {
	[ "$(id -u)" -eq 0 ] || skip "the other tests run without privileges already"
	cp "$plugin" "$BATS_TEST_TMPDIR/devinfo"
	chmod -R go+rX "$BATS_RUN_TMPDIR"
	cd /
	CNI_NETNS=/proc/1/ns/net run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups \
		"$BATS_TEST_TMPDIR/devinfo" <<<"$good"
	[ "$status" -eq 1 ]
	jq -es 'length == 1 and .[0].code > 0' <<<"$output"
	untouched
}

@test "C-DEL-06, C-DEL-07, C-DEL-10, C-SEC-01, C-ENV-12, C-PIT-17: DEL does not care what CNI_NETNS names" {
	export CNI_COMMAND=DEL
	touch "$BATS_TEST_TMPDIR/file"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	for CNI_NETNS in '' "$BATS_TEST_TMPDIR/none" "$BATS_TEST_TMPDIR/file" "$BATS_TEST_TMPDIR/fifo" \
		"$BATS_TEST_TMPDIR" /dev/null /proc/self/ns/net; do
		run --separate-stderr timeout 5 "$plugin" <<<"$good"
		[ "$status" -eq 0 ]
		[ -z "$output$stderr" ]
	done
	[ ! -e "$BATS_TEST_TMPDIR/none" ]
	unset CNI_NETNS
	cni "$good"
	[ "$status" -eq 0 ]
	untouched
}

@test "C-DEL-05, C-DEL-18: DEL does not care about prevResult, CNI_ARGS and the device of the configuration" {
	export CNI_COMMAND=DEL CNI_ARGS='A;=;B'
	for members in '"prevResult":7' '"prevResult":{"ips":[null]}' '"device":"a/b"' '"vlan":"x"' '"ipam":7' '"runtimeConfig":[]'; do
		cni "{\"cniVersion\":\"1.0.0\",\"name\":\"net\",$members}"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done
	untouched
}
