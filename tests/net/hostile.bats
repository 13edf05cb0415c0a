#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# hostile.bats - a pod that swaps what is in its socket directory while it is attached and detached
#
# tests/tool/swapper plays it.  An ADD may fail, with one error; nothing outside the pod's directory
# changes, and no DEL fails.  300 rounds in all, 60 with sanitizers, which take ten times as long; what is
# in the directory later is the pod's affair.
#
# rooms: cni/socket
# bats file_tags=both

load helpers
load socket

rounds=75
[ -z "${SAN-}" ] || rounds=15

setup() {
	socket_up
	pod_add "$pod2"
	chmod 755 "$programs"
	install -m 755 "${BUILD:-$top/build}/tests/fake/quick_switch" "$program"
	node_conf '{socketDir: "\($d)/s", hostDirs: ["*"], switchPrograms: ["'"$program"'"], logLevel: "warning", lockTimeoutMs: 5000}'
	victims
}

teardown() {
	[ -z "${swapper-}" ] || kill -KILL "$swapper" 2>/dev/null || true
	[ -z "${listener-}" ] || kill -KILL "$listener" 2>/dev/null || true
	socket_down
}

# What links lead to: another pod's live socket, and files and directories of root's.
victims() {
	add "$(vhost server '.name = "victim"')" "$pod2"
	added
	peer listen vhost-user "$sockets/$pod2/net1.sock"
	listener=$peer
	mkdir -m 700 "$dir/canary" "$dir/canary/sub"
	echo secret >"$dir/canary/file"
	chmod 640 "$dir/canary/file"
	echo suid >"$dir/canary/suid"
	chmod 4711 "$dir/canary/suid"
	mkfifo -m 600 "$dir/canary/fifo"
	ln -s file "$dir/canary/link"
	"$fake/unix_peer.py" stale vhost-user "$dir/canary/stale.sock"
	"$fake/unix_peer.py" stale memif "$dir/canary/stale.memif"
	targets=("$dir"/canary{,/file,/suid,/fifo,/sub,/stale.sock,/stale.memif} "$sockets/$pod2" "$sockets/$pod2/net1.sock"
		"../$pod2" "../$pod2/net1.sock" ../../canary/stale.sock ../../canary/file "$dir/made" ../../made . ..)
}

# outside DIRECTORY - all of the test's tree but this directory of the pod's, what calls are to write
# while they run, records of what a DEL had to keep, and the times of directories
outside() {
	(cd "$dir" && find . -path "./s/$1" -prune -o -path ./state/index -prune -o -path ./state/kept -prune -o ! -path './log' ! -path './adds*' ! -path './dels*' \
		! -path './swapped' ! -path './state/lock' ! -path './peer.*' \( -type f -printf '%p %y %m %U:%G %n %s %T@ ' -exec sha256sum {} \; -o \
		-printf '%p %y %m %U:%G %l\n' \) | sort)
}

# swapped UID DIRECTORY NAMES CONF - rounds of ADD and DEL while that is done
swapped() {
	local i bad=0
	before=$(outside "${2%%/*}")
	"${BUILD:-$top/build}/tests/tool/swapper" "$1" "$sockets" "$2" "$3" "${targets[@]}" >"$dir/swapped" 3>&- &
	swapper=$!
	trap - DEBUG	# bats', at each command
	for ((i = 0; i < rounds; i++)); do
		env_of ADD
		in_node timeout 30 "$plugin" <<<"$4" >"$dir/add" 2>/dev/null || [ "$?" -eq 1 ] || bad=$?
		cat "$dir/add" >>"$dir/adds"
		echo >>"$dir/adds"
		rm "$dir/add"
		env_of DEL
		in_node timeout 30 "$plugin" <<<"$4" >>"$dir/dels" 2>/dev/null || echo "DEL $i: status $?" >>"$dir/dels"
	done
	kill "$swapper"
	wait_for "$swapper"
	unset swapper
	echo "# $(jq -s 'map(select(.interfaces)) | length' "$dir/adds") of $rounds ADDs succeeded, $(<"$dir/swapped") swaps" >&3
	[ "$bad" -eq 0 ] || { echo "ADD: status $bad" && return 1; }
	[ ! -s "$dir/dels" ] || { cat "$dir/dels" && return 1; }
	after=$(outside "${2%%/*}")
	[ "$after" = "$before" ] || { diff <(echo "$before") <(echo "$after"); return 1; }
}

# Each ADD has said one thing, a result or an error; and there was something to say it about.
one_answer_each() {
	[ "$(jq -s length "$dir/adds")" -eq "$rounds" ]
	jq -se 'all((has("interfaces") and (has("code") | not)) or
		((.code | type == "number" and . > 0) and (.msg | length > 0) and (has("interfaces") | not)))' "$dir/adds" >/dev/null
	[ "$(<"$dir/swapped")" -gt "$rounds" ]
	# and the victim's is what it was
	[ "$("$fake/unix_peer.py" connect vhost-user "$sockets/$pod2/net1.sock")" = connected ]
	del "$(vhost server '.name = "victim"')" "$pod2"
	deleted
}

@test "a pod swaps the socket that the switch makes: 75 rounds" {
	c=$(hooked "$(vhost client '.vhostUser += {uid: 65534, gid: 65534, waitMs: 50}')")
	swapped 65534 "$pod" net1.sock,x,y "$c"
	one_answer_each
}

@test "a pod swaps the socket that it is to make itself: 75 rounds" {
	c=$(hooked "$(vhost server '.vhostUser += {uid: 65534, gid: 65534, waitMs: 50}')")
	swapped 65534 "$pod" net1.sock,x "$c"
	one_answer_each
}

@test "a pod swaps the secret beside its socket, and the socket: 75 rounds" {
	c=$(hooked "$(memif slave '.memif += {uid: 65534, gid: 65534, waitMs: 50, secret: "s3"}')")
	swapped 65534 "$pod" net1.sock,net1.sock.secret,x "$c"
	one_answer_each
}

@test "a pod whose user is root swaps the directory itself, below one that it mounts: 75 rounds" {
	c=$(hooked "$(vhost client '.vhostUser += {hostDir: "tenant/app", uid: 65534, gid: 65534, waitMs: 50}')")
	mkdir -m 777 "$sockets/tenant"
	swapped 0 tenant app,a,b "$c"
	one_answer_each
}
