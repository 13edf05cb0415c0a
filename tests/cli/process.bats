#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# process.bats - the process around a call: privileges, limits, crashes, lost memory, the log
#
# rooms: cni cni/call base

load helpers

setup() {
	node_up
	sanitized=
	! grep -q __asan_init "$plugin" || sanitized=1
}

# stalled - an ADD that waits for the rest of its stdin: $pid
stalled() {
	mkfifo "$BATS_TEST_TMPDIR/p"
	exec 5<>"$BATS_TEST_TMPDIR/p"
	printf '{"cniVersion":' >&5
	"$plugin" <&5 >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		! grep -q '^CapEff:.0000000000[0-3]' "/proc/$pid/status" || break	# the last that it sets
		sleep 0.02
	done
	sleep 0.1
}

# ended - how it did: $status and $output, as run has them
ended() {
	status=0
	wait "$pid" || status=$?
	output=$(<"$BATS_TEST_TMPDIR/out")
	mapfile -t lines <"$BATS_TEST_TMPDIR/out"
}

status_of() { sed -n "s/^$2:[[:blank:]]*//p" "/proc/$1/status"; }

# bats test_tags=both, native
@test "C-PRC-11, C-REQ-11: at start: no new privileges, no core file, umask 077, no file of others, bounded memory" {
	exec 7<>"$BATS_TEST_TMPDIR/inherited" 8</
	stalled
	[ "$(status_of "$pid" NoNewPrivs)" = 1 ]
	[ "$(status_of "$pid" Umask)" = 0077 ]
	(($(status_of "$pid" SigIgn | sed 's/^/16#/') & 1 << 12))	# SIGPIPE
	(($(status_of "$pid" SigIgn | sed 's/^/16#/') & 1 << 24))	# SIGXFSZ
	grep -Eq '^Max core file size +0 ' "/proc/$pid/limits"
	[ -n "$sanitized" ] || grep -Eq '^Max address space +1073741824 ' "/proc/$pid/limits"
	run ! readlink "/proc/$pid/fd/7"
	run ! readlink "/proc/$pid/fd/8"
	run ! grep -q inherited <(ls -l "/proc/$pid/fd")
	kill "$pid"
	ended
	refused 108 stdin
}

@test "C-PRC-12: of root's capabilities only those that are used are effective, and the rest can be had by plugins" {
	stalled
	allowed=$((1 << 0 | 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 12 | 1 << 13 | 1 << 19 | 1 << 21))
	[ $((16#$(status_of "$pid" CapEff) & ~allowed)) -eq 0 ]
	[ "$(status_of "$pid" CapEff)" = "$(printf '%016x' $((16#$(status_of self CapEff) & allowed)))" ]
	[ "$(status_of "$pid" CapPrm)" = "$(status_of self CapPrm)" ]
	kill "$pid"
	ended
}

# bats test_tags=native
@test "C-PIT-01: there is one thread, so that no other can be in a wrong namespace" {
	stalled
	[ "$(status_of "$pid" Threads)" = 1 ]
	kill "$pid"
	ended
}

# bats test_tags=native
@test "C-ERR-07, C-PIT-03: a crash leaves one error document and ends by its signal" {
	for sig in SEGV ABRT BUS ILL FPE; do
		stalled
		kill "-$sig" "$pid"
		ended
		[ "$status" -eq $((128 + $(kill -l $sig))) ]
		status=1
		refused 5 crashed
		rm "$BATS_TEST_TMPDIR/p"
	done
	untouched
}

@test "C-PIT-30: a standard error that nobody reads holds no call" {
	mkfifo "$BATS_TEST_TMPDIR/full"
	exec 5<>"$BATS_TEST_TMPDIR/full"
	timeout 1 cat /dev/zero >&5 || true
	DEVINFO_CONF=/nonexistent CNI_COMMAND=ADD timeout -s KILL 20 "$plugin" <<<nothing \
		>"$BATS_TEST_TMPDIR/out" 2>&5 &
	pid=$!
	ended
	exec 5>&-
	refused 6 'not valid JSON'
}

# bats test_tags=native
@test "C-ERR-07: a stack that overflows leaves one error document, too" {
	deep() { printf '%*s' 2000 '' | tr ' ' '['; }
	# as large a stack as it needs to start, and too small for this
	run --separate-stderr bash -c "ulimit -s 64; exec '$plugin'" < <(deep)
	[ "$status" -eq $((128 + $(kill -l SEGV))) ]
	status=1
	refused 5 crashed
	run --separate-stderr "$plugin" < <(deep)
	refused 6 'not valid JSON'
}

# lose N - the same call with its N-th allocation failing; N = 0 counts them into $BATS_TEST_TMPDIR/count
lose() {
	run --separate-stderr timeout 20 env ALLOCFAIL_AT="$1" ALLOCFAIL_COUNT="$BATS_TEST_TMPDIR/count" \
		ASAN_OPTIONS="${ASAN_OPTIONS-}:verify_asan_link_order=0" \
		LD_PRELOAD="$build/tests/tool/allocfail.so" "$plugin" <<<"$text"
}

# each_lost STATUS - whichever allocation fails, the answer is that of none failing, $want, or one error
each_lost() {
	local n total
	lose 0
	[ "$status" -eq "$1" ] || return 1
	want=$output
	total=$(<"$BATS_TEST_TMPDIR/count")
	[ "$total" -gt 10 ] || { echo "only $total allocations" && return 1; }
	echo "# $total allocations" >&3
	for ((n = 1; n <= total; n++)); do
		lose "$n"
		if [ "$status" -eq "$1" ] && [ "$output" = "$want" ]; then
			continue
		fi
		[ "$status" -eq 1 ] && [ "${#lines[@]}" -eq 1 ] &&
			jq -es 'length == 1 and .[0].code == 5 and (.[0].msg | length > 0)' <<<"$output" >/dev/null ||
			{ echo "allocation $n: status $status: $output$stderr" && return 1; }
	done
}

# bats test_tags=native
@test "C-JSN-08: whichever allocation of VERSION fails, there is its answer or one error" {
	CNI_COMMAND=VERSION text='{"cniVersion":"1.0.0","name":"n","list":[1,2,3],"o":{"p":"q"}}' each_lost 0
}

# bats test_tags=native
@test "C-JSN-08: whichever allocation of a refused ADD fails, there is its error or another" {
	CNI_ARGS='IgnoreUnknown=1;K8S_POD_NAME=p'
	text=$(jq -c '.runtimeConfig = {mac: "02:00:00:00:00:01", ips: [1e3, "a"]} | .logFile = "/log/devinfo"' <<<"$good")
	log_dir
	text=${text%\}},\"huge\":12345678901234567890123}
	each_lost 1
	[ "$(jq .code <<<"$want")" -eq 3 ]
	rm -r "$node/log"
	untouched
}

# bats test_tags=both, native
@test "C-JSN-08, C-REQ-11: without memory there is one error, whatever is asked for" {
	for mib in 40 60 80; do
		limit="ulimit -v $((mib * 1024))"
		# a sanitizer's shadow is beyond any limit
		[ -z "$sanitized" ] || limit="export ASAN_OPTIONS=allocator_may_return_null=1:max_allocation_size_mb=1"
		run --separate-stderr bash -c "$limit; exec '$plugin'" < <(printf '{"name":"n","x":['
			yes '{},' | head -n 600000 | tr -d '\n'; printf '0]}')
		refused 5 ''
	done
}

# pairs LINE - its keys and values, one a line, or a failure where it is no such list
pairs() {
	local rest=$1 pair='^([A-Za-z_]+)=("([^"\\]|\\.)*"|[^][:space:]"=\\]+)( |$)'
	[[ $rest =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{12}Z\  ]] || return 1
	rest=${rest#* }
	while [ -n "$rest" ]; do
		[[ $rest =~ $pair ]] || { echo "no pair: $rest" && return 1; }
		echo "${BASH_REMATCH[1]}=${BASH_REMATCH[2]}"
		rest=${rest#"${BASH_REMATCH[0]}"}
	done
}

@test "an error is one log line of key=value pairs on stderr, with level, container and interface" {
	cni "$(jq -c '.vlan = 5000' <<<"$good")"
	refused 7 vlan
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[ "$(pairs "$stderr" | cut -d = -f 1 | tr '\n' ' ')" = 'level id if msg code details ' ]
	[ "$(pairs "$stderr" | head -n 3 | tr '\n' ' ')" = 'level=error id=c0ffee if=net1 ' ]
	cni '{'	# before anything else is known
	[ "$(pairs "$stderr" | head -n 3 | tr '\n' ' ')" = 'level=error id=c0ffee if=net1 ' ]
}

@test "a hostile value cannot forge a log line, nor a key" {
	touch "$BATS_TEST_TMPDIR/ns"
	for value in $'a"\nlevel=info id=forged msg="b' 'a" level=info id="forged' '\' 'a\" id=forged "' $'\e[2J\r'; do
		cni "$(jq -c --arg v "$value" '.mac = $v | .device = $v' <<<"$good")"
		CNI_NETNS=$value cni "$good"
		[ "$status" -eq 1 ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		pairs "$stderr" >"$BATS_TEST_TMPDIR/pairs"
		[ "$(grep -c '^level=' "$BATS_TEST_TMPDIR/pairs")" -eq 1 ]
		[ "$(grep '^id=' "$BATS_TEST_TMPDIR/pairs")" = id=c0ffee ]
		CNI_CONTAINERID=$value CNI_IFNAME=$value cni "$good"
		refused 4 CNI_CONTAINERID
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
		pairs "$stderr" >"$BATS_TEST_TMPDIR/pairs"
		[ "$(grep -c '^level=' "$BATS_TEST_TMPDIR/pairs")" -eq 1 ]
		[ "$(grep '^level=' "$BATS_TEST_TMPDIR/pairs")" = level=error ]
	done
	run ! grep -q $'[\e\r]' <<<"$stderr"
}

# log_dir - the node's logDir is /log
log_dir() {
	jq -c '. + {logDir: "/log"}' "$DEVINFO_CONF" >"$BATS_TEST_TMPDIR/c"
	mv "$BATS_TEST_TMPDIR/c" "$DEVINFO_CONF"
}

@test "a network's log goes into a file of the node's logDir, and nowhere else" {
	log_dir
	cni "$(jq -c '.logFile = "/log/net.log"' <<<"$good")"
	refused 3 CNI_NETNS
	# the administrator's log has it as well
	[ "$(pairs "$stderr" | head -n 1)" = level=error ]
	[ "$stderr" = "$(<"$node/log/net.log")" ]
	[ "$(stat -c %a "$node/log" "$node/log/net.log")" = $'700\n600' ]
	mkdir "$node/log/dir" "$node/else"
	echo root >"$node/else/shadow"
	ln -s ../else/shadow "$node/log/link"
	ln "$node/else/shadow" "$node/log/twice"
	mkfifo "$node/log/fifo"
	echo >"$node/log/writable"
	chmod 666 "$node/log/writable"
	before=$(find "$node" -type f ! -name net.log -exec sha256sum {} + | sort)
	for file in /else/shadow /log/../else/shadow /log/./x /log/dir/x /log/dir /log/link /log/twice /log/fifo /log/writable \
		/log/-rf /log/.profile '/log/x;y' \
		/log/ /log /logs/x x ../x; do
		cni "$(jq -c --arg f "$file" '.logFile = $f | .logLevel = "\n* * * * * root sh /tmp/x\n"' <<<"$good")"
		refused 3 CNI_NETNS
		[[ $stderr == *level=warning*"the network's logFile is not used"* ]]
		[ "$(find "$node" -type f ! -name net.log -exec sha256sum {} + | sort)" = "$before" ]
	done
	chmod 770 "$node/log"
	cni "$(jq -c '.logFile = "/log/net.log"' <<<"$good")"
	[[ $stderr == *"has owner 0 and mode 0770: must be root's, and not writable by others"* ]]
}

@test "the log goes into the file that is given, and then nothing to stderr" {
	mkdir "$node/log"
	jq -c --arg l /log/devinfo '. + {logFile: $l}' "$DEVINFO_CONF" >"$BATS_TEST_TMPDIR/c"
	mv "$BATS_TEST_TMPDIR/c" "$DEVINFO_CONF"
	cni "$good"
	refused 3 CNI_NETNS
	[ -z "$stderr" ]
	[ "$(pairs "$(<"$node/log/devinfo")" | head -n 1)" = level=error ]
	cni "$good"
	[ "$(wc -l <"$node/log/devinfo")" -eq 2 ]
	[ "$(stat -c %a "$node/log/devinfo")" = 600 ]
}

@test "a log file that cannot be opened is a warning on stderr, and the call goes on" {
	export CNI_COMMAND=DEL
	cni "$(jq -c '.logFile = "/none/log"' <<<"$good")"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(pairs "$stderr" | head -n 1)" = level=warning ]
}

@test "the log's level is the node's: a network's tells more, not less" {
	export CNI_COMMAND=DEL
	for level in error panic warning info debug; do
		cni "$(jq -c --arg l $level '.logFile = "/none/log" | .logLevel = $l' <<<"$good")"
		[ "$status" -eq 0 ]
		[[ $stderr == *level=warning* ]]
	done
	jq -c '. + {logLevel: "error"}' "$DEVINFO_CONF" >"$BATS_TEST_TMPDIR/c"
	mv "$BATS_TEST_TMPDIR/c" "$DEVINFO_CONF"
	for level in '' error panic; do
		cni "$(jq -c --arg l "$level" '.logFile = "/none/log" | .logLevel = $l' <<<"$good")"
		[ -z "$stderr" ]
	done
	cni "$(jq -c '.logFile = "/none/log" | .logLevel = "info"' <<<"$good")"
	[[ $stderr == *level=warning* ]]
}

@test "C-ERR-04: stderr is silent when all goes well" {
	for CNI_COMMAND in VERSION DEL; do
		cni "$good"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
	done
}

@test "no secret of a configuration is in the log, on stderr or in an error, whatever is wrong with it" {
	log_dir
	secrets='.ipam = {type: "fake", password: "hunter2"} | .runtimeConfig.auth = {token: "hunter2"}
		| .memif = {secret: "hunter2"} | .args.cni.password = "hunter2" | .logLevel = "debug" | .logFile = "/log/devinfo"'
	for CNI_COMMAND in ADD DEL CHECK; do
		for wrong in . '.vlan = "x"' '.ipam.type = "../x"' '.runtimeConfig.mac = "nonsense"' '.name = "a b"' \
			'.cniVersion = "9.9.9"' '.prevResult = "hunter2"' '.dns = ["hunter2"]' '.logLevel = 7' \
			'.deviceID = {a: "hunter2"}'; do
			cni "$(jq -c "$secrets | $wrong" <<<"$good")"
			[[ $output$stderr != *hunter2* ]]
		done
		text=$(jq -c "$secrets" <<<"$good")
		for bad in "${text%hunter2*}hunter2" "${text/\"hunter2\"/hunter2}" "${text/hunter2/hunter2\\x}" \
			"${text/hunter2/hunter2\\ud800}" "${text/hunter2/hunter2$'\xff'}" "${text}hunter2" \
			"${text/\"password\":/\"password\":1,\"password\":}"; do
			cni "$bad"
			refused 6 'network configuration'
			[[ $output$stderr != *hunter2* ]]
		done
	done
	[ -s "$node/log/devinfo" ]
	run ! grep -rq hunter2 "$node"
}

# bats test_tags=native
# x86's indirect branch tracking and shadow stack need a mark, which the linker gives where all objects have it.
@test "no control-flow protection is compiled in that is not in effect" {
	# Of main alone: the start files and libgcov have been compiled with landings.
	code=$(objdump -d --no-show-raw-insn --disassemble=main "$plugin")
	[[ $code == *'<main>:'* ]]
	[[ $code != *endbr64* ]] || readelf -nW "$plugin" | grep -E 'IBT|SHSTK'
}
