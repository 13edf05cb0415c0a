#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# socket_kept.bats - what a DEL of a socket had to keep: whose it is, how it ends, and how much of it
# there may be
#
# rooms: cni/socket

load helpers
load socket

setup() { socket_up; }
teardown() { socket_down; }

kept() { find "$dir/state/kept/attachments" -name '*.json' 2>/dev/null | wc -l; }
ctl() { run --separate-stderr in_node "${plugin}ctl" "$@"; }

# keep [NAME] [JSON] [beside] - a pod whose attachment has ended, and whose application listens on; there is
# another attachment beside it
keep() {
	local name=${1:-$pod}
	add "$(vhost server "${2:-.}")" "$name"
	added
	peer listen vhost-user "$(jq -r '.interfaces[0].socketPath' <<<"$output")"
	env_of DEL "$name"
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(vhost server "${2:-.}")"
	[ "$status" -eq 0 ]
	[ "$(records)" = "$([ "${3:-}" = beside ] && echo 1 || echo 0)" ]
	[ "$(kept)" = 1 ]
}

@test "what a DEL has kept goes with its container: the next DEL of any socket, and a GC, remove it" {
	pod_add "$pod2"
	for verb in DEL GC; do
		[ -e "/run/netns/$pod" ] || pod_add "$pod"
		keep
		head -c 1000000 /dev/zero >"$home/fill"
		[ -S "$sock" ]
		ip netns del "$pod"
		if [ "$verb" = DEL ]; then
			add "$(vhost server '.name = "other"')" "$pod2"
			added
			del "$(vhost server '.name = "other"')" "$pod2"
		else
			gc "$(vhost server '.name = "other"')" '[]'
		fi
		deleted
		[ ! -e "$home" ]
		[ "$(kept)" = 0 ]
		nothing_left
	done
}

@test "what a DEL has kept of a container that lives stays while somebody listens, and then goes by GC" {
	keep
	gc "$(vhost server)" '[]'
	[ "$status" -eq 0 ]
	[ "$("$fake/unix_peer.py" connect vhost-user "$sock")" = connected ]
	[ "$(kept)" = 1 ]
	kill -KILL "$peer"
	gc "$(vhost server)" '[]'
	deleted
	[ "$(kept)" = 0 ]
	nothing_left
}

# shared NAME - a socket of that name in a directory that two pods share
shared() { vhost server '.vhostUser += {hostDir: "mine", socket: "'"$1"'.sock"}'; }

@test "what a pod that lives listens at stays, whoever dies that had the directory later, or beside it" {
	for order in before beside; do
		pod_add "$pod2"
		[ "$order" = before ] || { add "$(shared b)" "$pod2" && added; }
		keep "$pod" '.vhostUser += {hostDir: "mine", socket: "a.sock"}' "$order"
		[ "$order" = beside ] || { add "$(shared b)" "$pod2" && added; }
		ip netns del "$pod2"
		del "$(shared b)" "$pod2"
		[ "$status" -eq 0 ]
		[ "$("$fake/unix_peer.py" connect vhost-user "$sockets/mine/a.sock")" = connected ]
		gc "$(vhost server '.name = "other"')" '[]'
		[ "$("$fake/unix_peer.py" connect vhost-user "$sockets/mine/a.sock")" = connected ]
		kill -KILL "$peer"
		gc "$(vhost server '.name = "other"')" '[]'
		[ ! -e "$sockets/mine" ]
		[ "$(kept)" = 0 ]
		nothing_left
	done
}

@test "a directory that was kept is ours: who has it next ends it with all that is in it" {
	keep
	echo rubbish >"$home/f"
	add "$(vhost server '.name = "other" | .vhostUser.socket = "second.sock"')"
	added
	kill -KILL "$peer"
	del "$(vhost server '.name = "other"')"
	deleted
	[ ! -e "$home" ]
	gc "$(vhost server)" '[]'
	[ "$(kept)" = 0 ]
	nothing_left
}

@test "a directory that was kept is not removed while its attachment is there again, nor taken from above" {
	keep "$pod" '.vhostUser.hostDir = "up/{containerID}"'
	add "$(vhost server '.name = "other" | .vhostUser.hostDir = "up"')"
	refused 103 "in use"
	kill -KILL "$peer"
	add "$(vhost server '.vhostUser.hostDir = "up/{containerID}"')"
	added
	gc "$(vhost server '.name = "other"')" '[]'
	[ "$status" -eq 0 ]
	[ -d "$sockets/up/$pod" ]
	[ "$(records)" = 1 ]
	del "$(vhost server)"
	deleted
	[ "$(kept)" = 0 ]
	nothing_left
}

@test "doctor tells what was kept, with bytes and inodes; repair removes it when its container is dead" {
	keep
	head -c 100000 /dev/zero >"$home/fill"
	touch "$home"/{1..20}
	ctl doctor --json
	row=$(jq -c '.[] | select(.check == "socket-kept")' <<<"$output")
	[ "$(jq -r .severity <<<"$row")" = info ]
	[[ $(jq -r .what <<<"$row") =~ ^"directory $home has "[0-9]{6,}" bytes in 22 inodes, and its container $pod lives"$ ]]
	ctl repair
	[ -S "$sock" ]
	ip netns del "$pod"
	ctl doctor --json
	row=$(jq -c '.[] | select(.check == "socket-kept")' <<<"$output")
	[ "$(jq -r .severity <<<"$row")" = warning ]
	[[ $(jq -r .what <<<"$row") == *"its container $pod is dead" ]]
	ctl repair
	[[ $output == *"repaired"*"socket-kept"* ]]
	[ "$(kept)" = 0 ]
	nothing_left
}

@test "what a DEL has kept where stateDir was before is told and repaired, and goes by GC, as any" {
	for tool in GC repair; do
		[ -e "/run/netns/$pod" ] || pod_add "$pod"
		sockets_conf
		keep
		sockets_conf "{stateDir: \"$dir/new\"}"
		ctl doctor --json
		[ "$(jq -r '.[] | select(.check == "socket-kept") | "\(.severity) \(.object)"' <<<"$output")" = \
			"info $(echo "$dir"/state/kept/attachments/*.json)" ]
		ip netns del "$pod"
		ctl doctor --json
		[ "$(jq -r '.[] | select(.check == "socket-kept") | .severity' <<<"$output")" = warning ]
		if [ "$tool" = GC ]; then
			gc "$(vhost server)" '[]'
			deleted
		else
			ctl repair
			[[ $output == *"repaired"*"socket-kept"* ]] || { echo "$output$stderr" && false; }
		fi
		[ "$(kept)" = 0 ]
		[ ! -e "$home" ]
		nothing_left
	done
}

@test "a record of what was kept that is damaged is told, and left to people" {
	keep
	file=$(echo "$dir"/state/kept/attachments/*.json)
	truncate -s 100 "$file"
	for verb in doctor repair; do
		ctl $verb --json
		row=$(jq -c '.[] | select(.check == "socket-kept")' <<<"$output")
		[[ $(jq -r .object <<<"$row") == "$file"* ]]
		[ "$status" -eq 1 ]
	done
	[ "$(jq -r .result <<<"$row")" = "by hand" ]
	[ -S "$sock" ]
}

@test "what one pod puts in the way of its directory hides nothing of the others from doctor and repair" {
	pod_add "$pod2"
	keep "$pod" '.vhostUser.hostDir = "up/{containerID}"'
	add "$(vhost server '.name = "b"')" "$pod2"
	added
	peer listen vhost-user "$sockets/$pod2/net1.sock"
	del "$(vhost server '.name = "b"')" "$pod2"
	deleted
	[ "$(kept)" = 2 ]
	mv "$sockets/up/$pod" "$sockets/up/x"
	ln -s "../$pod2" "$sockets/up/$pod"
	ip netns del "$pod2"
	ctl doctor --json
	[ "$(jq -c '[.[] | select(.check == "socket-kept") | .severity] | sort' <<<"$output")" = '["info","warning"]' ]
	[[ $output == *"directory $sockets/up/$pod cannot be looked at ("*"Not a directory), and its container $pod lives"* ]]
	[ "$(jq 'map(select(.check == "check-failed")) | length' <<<"$output")" = 0 ]
	ctl repair
	[[ $output == *"repaired"*"socket-kept"* ]]
	[ ! -e "$sockets/$pod2" ]
	[ "$(kept)" = 1 ]
}

@test "a pod that mounts what is above its directory leaves nothing there, be it moved or beside" {
	for template in '{podUID}/app' '{podNamespace}/app' '{containerID}/app/one'; do
		export CNI_ARGS="K8S_POD_NAMESPACE=tenant;K8S_POD_NAME=web;K8S_POD_UID=0a1b2c3d-0000-4000-8000-00000000dead"
		c=$(vhost server ".vhostUser.hostDir = \"$template\"")
		for how in 'mv "$own" "$first/x" && ln -s /etc "$own"' 'mkdir -p "$first/x/y" && touch "$first/x/y/z" "$first/f"'; do
			[ -e "/run/netns/$pod" ] || pod_add "$pod"
			add "$c"
			added
			own=$(dirname "$(jq -r '.interfaces[0].socketPath' <<<"$output")")
			first=$sockets/$(cut -d/ -f1 <<<"${own#"$sockets/"}")
			eval "$how"
			del "$c"
			deleted
			[ "$(records)" = 0 ]
			[ "$(kept)" = 1 ]
			ip netns del "$pod"
			gc "$c" '[]'
			deleted
			[ "$(kept)" = 0 ]
			nothing_left
			[ -e /etc/passwd ]
		done
	done
}

@test "what is above a pod's directory stays while another of its namespace has something there" {
	export CNI_ARGS="K8S_POD_NAMESPACE=tenant;K8S_POD_NAME=web"
	c=$(vhost server '.vhostUser.hostDir = "{podNamespace}/{containerID}"')
	pod_add "$pod2"
	for end in living kept; do
		[ -e "/run/netns/$pod" ] || pod_add "$pod"
		[ -e "/run/netns/$pod2" ] || pod_add "$pod2"
		add "$c"
		added
		add "$c" "$pod2"
		added
		peer listen vhost-user "$sockets/tenant/$pod2/net1.sock"
		touch "$sockets/tenant/rubbish"
		if [ "$end" = kept ]; then
			del "$c" "$pod2"
			deleted
			[ "$(kept)" = 1 ]
		fi
		ip netns del "$pod"
		del "$c"
		deleted
		gc "$c" "[{\"containerID\": \"$pod2\", \"ifname\": \"net1\"}]"
		deleted
		[ ! -e "$sockets/tenant/$pod" ]
		[ -e "$sockets/tenant/rubbish" ]
		[ "$("$fake/unix_peer.py" connect vhost-user "$sockets/tenant/$pod2/net1.sock")" = connected ]
		ip netns del "$pod2"
		[ "$end" = kept ] || del "$c" "$pod2"
		gc "$c" '[]'
		deleted
		[ "$(kept)" = 0 ]
		nothing_left
	done
}

# in_tenant - a socket in a directory of its pod's, below that of the namespace
in_tenant() { vhost server '.vhostUser.hostDir = "{podNamespace}/{containerID}"'; }

@test "what a pod that lives has put beside its directory stays when the last other one of its namespace dies" {
	export CNI_ARGS="K8S_POD_NAMESPACE=tenant;K8S_POD_NAME=web"
	pod_add "$pod2"
	for how in moved beside; do
		[ -e "/run/netns/$pod2" ] || pod_add "$pod2"
		add "$(in_tenant)"
		added
		add "$(in_tenant)" "$pod2"
		added
		at=$sockets/tenant/x.sock
		if [ "$how" = moved ]; then
			mv "$sockets/tenant/$pod" "$sockets/tenant/x"
			at=$sockets/tenant/x/net1.sock
		fi
		peer listen vhost-user "$at"
		del "$(in_tenant)"
		deleted
		ip netns del "$pod2"
		del "$(in_tenant)" "$pod2"
		[ "$status" -eq 0 ]
		[ "$("$fake/unix_peer.py" connect vhost-user "$at")" = connected ]
		kill -KILL "$peer"
		ip netns del "$pod"
		gc "$(in_tenant)" '[]'
		deleted
		[ "$(kept)" = 0 ]
		nothing_left
		pod_add "$pod"
	done
}

@test "what was kept stays, be it known by a damaged record, or by one where stateDir was before" {
	export CNI_ARGS="K8S_POD_NAMESPACE=tenant;K8S_POD_NAME=web"
	a=$(vhost server '.vhostUser += {hostDir: "{podNamespace}/app", socket: "a.sock"}')
	for how in damaged earlier; do
		for b in "$(vhost server '.vhostUser += {hostDir: "{podNamespace}/app", socket: "b.sock"}')" "$(in_tenant)"; do
			pod_add "$pod2"
			sockets_conf
			add "$a"
			added
			peer listen vhost-user "$sockets/tenant/app/a.sock"
			[ "$how" = damaged ] || sockets_conf "{stateDir: \"$dir/later\"}"
			add "$b" "$pod2"
			added
			del "$a"
			deleted
			[ "$(kept)" = 1 ]
			[ "$how" = earlier ] || truncate -s 100 "$dir"/state/kept/attachments/*.json
			ip netns del "$pod2"
			del "$b" "$pod2"
			[ "$status" -eq 0 ]
			gc "$b" '[]'
			[ "$("$fake/unix_peer.py" connect vhost-user "$sockets/tenant/app/a.sock")" = connected ]
			kill -KILL "$peer"
			rm -rf "$sockets/tenant" "$dir"/{state,later}/kept
		done
	done
}

@test "one pod's directories have a bound: an ADD is refused with code 11, and goes when it is empty again" {
	c=$(vhost server '.vhostUser.hostDir = "mine/{containerID}"')
	sockets_conf '{socketDirMaxBytes: 500000, socketDirMaxInodes: 30}'
	add "$c"
	added
	for fill in 'head -c 600000 /dev/zero >"$sockets/mine/$pod/fill"' 'seq 40 | (cd "$sockets/mine/$pod" && xargs touch)' \
			'mkdir -p "$sockets/mine/$pod/$(printf "d/%.0s" {1..40})"'; do
		eval "$fill"
		add "$c" "$pod" net2
		refused 11 "directory '$sockets/mine' has at least"
		[ "$(jq -r .msg <<<"$output" | grep -c 'socketDirMaxBytes is 500000, socketDirMaxInodes is 30')" = 1 ]
		[ "$(records)" = 1 ]
		# another's is not bounded by it
		add "$(vhost server '.name = "other"')" "$pod" net3
		added
		del "$(vhost server '.name = "other"')" "$pod" net3
		deleted
		find "$sockets/mine/$pod" -mindepth 1 -delete
	done
	add "$c" "$pod" net2
	added
	del "$c" "$pod" net2
	deleted
	del "$c"
	deleted
	nothing_left
}

@test "what dead pods have left does not fill the bound: an ADD empties it first" {
	sockets_conf '{socketDirMaxBytes: 500000}'
	pod_add "$pod2"
	keep "$pod" '.vhostUser.hostDir = "mine/{containerID}"'
	head -c 600000 /dev/zero >"$sockets/mine/$pod/fill"
	add "$(vhost server '.vhostUser.hostDir = "mine/{containerID}"')" "$pod2"
	refused 11 "socketDirMaxBytes is 500000"
	ip netns del "$pod"
	add "$(vhost server '.vhostUser.hostDir = "mine/{containerID}"')" "$pod2"
	added
	[ "$(ls "$sockets/mine")" = "$pod2" ]
	del "$(vhost server)" "$pod2"
	deleted
	nothing_left
}

@test "what was not removed in time counts where it was, and an ADD at the bound goes on with it" {
	c=$(vhost server '.vhostUser.hostDir = "mine/{containerID}"')
	sockets_conf '{socketDirMaxInodes: 300}'
	left=$sockets/.devinfo-left-0-mine
	mkdir -p "$left" && (cd "$left" && seq 900 | xargs touch)
	# removing is slow
	env_of ADD
	ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -qq -o /dev/null -e trace=unlinkat \
		-e inject=unlinkat:delay_enter=2000 "$plugin" <<<"$c"
	refused 11 "directory '$sockets/mine' has at least"
	[ -d "$left" ]
	# another's is not bounded by it
	add "$(vhost server '.name = "other"')" "$pod" net3
	added
	mkdir -p "$left" && (cd "$left" && seq 900 | xargs touch)
	add "$c"
	added
	[ ! -e "$left" ]
	del "$c"
	deleted
	del "$(vhost server '.name = "other"')" "$pod" net3
	deleted
	nothing_left
}

@test "a directory is not given to a namespace that is called like a pod's UID or a container" {
	victim=0a1b2c3d-0000-4000-8000-00000000dead
	pod_add "$pod2"
	for hosts in '[]' '["*"]'; do
		sockets_conf "{hostDirs: $hosts}"
		CNI_ARGS="K8S_POD_NAMESPACE=prod;K8S_POD_NAME=web;K8S_POD_UID=$victim" add "$(vhost server)" "$pod2"
		added
		[ "$(ls "$sockets")" = "$victim" ]
		for name in "$victim" "${victim//-/}" "$(printf '%064d' 1)" 0123456789ab; do
			CNI_ARGS="K8S_POD_NAMESPACE=$name;K8S_POD_NAME=evil;K8S_POD_UID=11111111-0000-4000-8000-00000000beef" \
				add "$(vhost server '.name = "evil" | .vhostUser += {hostDir: "{podNamespace}", socket: "evil.sock"}')"
			[ "$status" -eq 1 ]
			[[ $(jq .code <<<"$output") =~ ^(4|7)$ ]]
			[ "$(ls "$sockets")" = "$victim" ]
		done
		[ -z "$(ls -A "$sockets/$victim")" ]
		del "$(vhost server)" "$pod2"
		deleted
	done
}

# left NAME... - directories that an earlier version has left below socketDir, long ago
left() {
	local name
	for name; do
		mkdir -p "$sockets/$name/sub"
		head -c 100000 /dev/zero >"$sockets/$name/sub/fill"
		touch -d '1 hour ago' "$sockets/$name"
	done
}

# told - what doctor says of such
told() {
	ctl doctor --json
	jq -r --arg s "$sockets/" '.[] | select(.check == "socket-left") | "\(.severity) \(.object[($s | length):]): \(.what)"' <<<"$output"
}

@test "a directory of a pod that no attachment has is told; repair removes it when the pod is known to be gone" {
	gone=0a1b2c3d-0000-4000-8000-00000000dead lives=0a1b2c3d-0000-4000-8000-0000000a11fe
	sockets_conf '{kubeletDir: "\($d)/kubelet"}'
	CNI_ARGS="K8S_POD_NAMESPACE=prod;K8S_POD_NAME=web;K8S_POD_UID=$lives" add "$(vhost server)"
	added
	CNI_ARGS="K8S_POD_NAMESPACE=prod;K8S_POD_NAME=web;K8S_POD_UID=${lives/a11fe/a11ff}" add "$(vhost server '.name = "kept"')"
	added
	peer listen vhost-user "$(jq -r '.interfaces[0].socketPath' <<<"$output")"
	del "$(vhost server '.name = "kept"')"
	[ "$(kept)" = 1 ]
	left "$gone" mine prod
	touch -d '1 hour ago' "$sockets"/*
	# nobody tells whether it lives
	[[ $(told) =~ ^info\ $gone:\ no\ attachment\ has\ it,\ and\ nothing\ tells\ whether\ its\ pod\ lives\;\ it\ has\ [0-9]{6}\ bytes\ in\ 2\ inodes$ ]]
	ctl repair
	[ -d "$sockets/$gone" ]
	mkdir -p "$dir/kubelet/pods/$gone"
	[ -z "$(told)" ]
	rmdir "$dir/kubelet/pods/$gone"
	touch "$sockets/$gone"		# an ADD may be at work
	[ -z "$(told)" ]
	touch -d '1 hour ago' "$sockets/$gone"
	[[ $(told) == "warning $gone: no attachment has it, and its pod is gone; it has "* ]]
	mkdir "$sockets/$gone/mounted"
	touch -d '1 hour ago' "$sockets/$gone"
	in_node sh -c 'mount -t tmpfs none "$1" && exec "$2" repair' sh "$sockets/$gone/mounted" "${plugin}ctl" >"$dir/repaired" || true
	[[ $(<"$dir/repaired") == *"failed"*"socket-left"* ]]
	touch -d '1 hour ago' "$sockets/$gone"
	ctl repair
	[[ $output == *"repaired"*"socket-left"* ]]
	[ ! -e "$sockets/$gone" ]
	[ -d "$sockets/mine" ]
	[ -d "$sockets/prod" ]
	[ -d "$sockets/$lives" ]
	[ -z "$(told)" ]
}

@test "a directory of a container that no attachment has goes when libcni's result tells that it is dead" {
	id=$(printf '%064d' 7)
	left "$id" "${id:0:12}"
	mkdir -p "$dir/lib/results"
	ctl() {
		run --separate-stderr in_node sh -c "$as_var_lib_cni"' && exec "$@"' "$dir/lib" "${plugin}ctl" "$@"
	}
	for netns in "/run/netns/$pod" /proc/4711/ns/net; do
		echo '{"containerId":"'"$id"'","netns":"'"$netns"'"}' >"$dir/lib/results/net-$id-net1"
		[[ $(told) != *warning* ]]
		ctl repair
		[ -d "$sockets/$id" ]
	done
	echo '{"containerId":"'"$id"'","netns":"/run/netns/gone"}' >"$dir/lib/results/net-$id-net1"
	[ "$(told | grep -c '^warning')" = 2 ]
	# a record that cannot be read may be of any of them, also one of what a DEL had to keep
	mkdir -p -m 700 "$dir"/state/kept{,/attachments}
	for record in attachments kept/attachments; do
		record=$dir/state/$record/0123456789abcdef@sk:,x.json.damaged
		echo x >"$record"
		chmod 600 "$record"
		[ -z "$(told)" ]
		rm "$record"
	done
	# nor does another journal tell whose they are
	ctl doctor --state-dir "$dir/elsewhere" --json
	[ -z "$(jq -r '.[] | select(.check == "socket-left" and .severity == "warning").object' <<<"$output")" ]
	ctl repair
	[ ! -e "$sockets/$id" ]
	[ ! -e "$sockets/${id:0:12}" ]
}
