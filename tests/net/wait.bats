#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# wait.bats - how long a call waits at most, for whatever it waits, and what it answers then
#
# Each row of the table in devinfo(8), "Waiting", is played here, all of them side by side, with
# small limits in place of the default ones.  A row's limit is the least of what stands between its
# commas; "undo" is a fifth of addTimeoutMs.
#
# rooms: base cni
# bats file_tags=plain

load helpers
load kubelet
load socket

# the limits of this node, and of its networks' switches
podResourcesTimeoutMs=800 lockTimeoutMs=900 ipamTimeoutMs=1000 addTimeoutMs=4000 delTimeoutMs=3000 gcTimeoutMs=2000
switch_timeoutMs=2500
slack=5000	# ms, for a busy machine that starts fifty programs at once

setup() {
	socket_up
	fake11_up
	ln -s "$fake/plugin11.sh" "$dir/bin/three"
	rows=$dir/rows pids=()
	mkdir "$rows"
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
}

teardown() {
	rm -f "$dir"/fake11/*.*
	# shellcheck disable=SC2086
	kill "${pids[@]}" ${server-} ${locker-} 2>/dev/null || true
	socket_down
}

# node_file NAME MEMBERS - a file of this node whose kubelet is at NAME.sock
node_file() {
	sockets_conf "$(jq -cn --arg d "$dir" --arg name "$1" "{podResourcesTimeoutMs: $podResourcesTimeoutMs,
		lockTimeoutMs: $lockTimeoutMs, ipamTimeoutMs: $ipamTimeoutMs, addTimeoutMs: $addTimeoutMs,
		delTimeoutMs: $delTimeoutMs, gcTimeoutMs: $gcTimeoutMs, kubeletSocket: \"\\(\$d)/\\(\$name).sock\",
		ovsDb: \"\\(\$d)/silent.sock\"} + ${2-{\}}")"
	mv "$DEVINFO_CONF" "$dir/$1.json"
}

# on NODE-FILE COMMAND...
on() { DEVINFO_CONF=$dir/$1.json "${@:2}"; }

# network NAME [jq filter] - of version 1.1.0, with no device yet
network() { conf '.cniVersion = "1.1.0" | del(.device, .ipam) | .name = "'"$1"'" | '"${2:-.}"; }

# device NAME - one of the node's to be attached
device() { ip -n "$node" link add "$1" type veth peer name "p$1"; }

# attached IFNAME CONF [POD] - by an ADD that nothing holds; its result goes to $dir/IFNAME.result
attached() {
	on absent add "$(jq -c '.addTimeoutMs = 60000 | .ipamTimeoutMs = 60000' <<<"$2")" "${3:-$pod}" "$1"
	added
	echo "$output" >"$dir/$1.result"
}

# call VERB IFNAME CONF - what a runtime says; for a CHECK with the result
call() {
	local request=$3
	[ "$1" != CHECK ] || request=$(jq -c --slurpfile r "$dir/$2.result" '.prevResult = $r[0]' <<<"$3")
	[ "$1" != GC ] || request=$(jq -c '."cni.dev/valid-attachments" = []' <<<"$3")
	env_of "$1" "$pod" "$2"
	in_node timeout 60 "$plugin" <<<"$request" 2>/dev/null
}

# open_stdin VERB - of which nothing comes, and no end
open_stdin() {
	env_of "$1" "$pod" s0
	in_node timeout 60 "$plugin" < <(exec sleep 40) 2>/dev/null
}

# row CONDITION VERB LIMIT CODE COMMAND... - in the background; its line goes to a file of its own
row() {
	local n=${#pids[@]}
	{
		local start=$EPOCHREALTIME end out
		out=$("${@:5}") || true
		end=$EPOCHREALTIME
		echo "$1|$2|$3|$4|$(((${end/./} - ${start/./}) / 1000))|$(jq -r '.code // 0' <<<"${out:-{\}}")|$out" \
			>"$rows/$(printf %03d "$n")"
	} 3>&- &
	pids+=($!)
}

# least LIMIT - in ms
least() {
	# shellcheck disable=SC2034 # undo stands in limits
	local undo=$((addTimeoutMs / 5)) part ms min=
	IFS=, read -ra parts <<<"${1//switch.timeoutMs/switch_timeoutMs}"
	for part in "${parts[@]}"; do
		ms=$((part))
		[ -n "$min" ] && [ "$min" -le "$ms" ] || min=$ms
	done
	echo "$min"
}

# default_limits - those of devinfo.conf(5), whose REFERENCE is compared with the code's
default_limits() {
	local key value
	while read -r key value; do
		printf -v "${key/./_}" %s "$value"
	done < <(awk '/^\.It Va [a-zA-Z.]*imeoutMs$/ { key = $3 }
		key && /^Default: / { sub(/\.$/, ""); print key, $NF; key = "" }' "$top/install/man/devinfo.conf.5")
}

# page - the table of devinfo(8), "CONDITION|VERB|LIMIT|SECONDS|CODE" a line
page() {
	sed -n '/^\.Ss Waiting/,/^\.El/p' "$top/install/man/devinfo.8" |
		awk -F ' Ta ' '/^\.It Em / { on = substr($1, 8) } NF == 4 && !/^\.It Sy/ { sub(/^\.It /, "")
			print on "|" $1 "|" $2 "|" $3 "|" $4 }'
}

# prepare - attachments to be deleted, checked and collected, before anything hangs
prepare() {
	local dead=dx-$id
	for kubelet in absent dead silent; do node_file "$kubelet"; done
	checkpoint '{"-1": ["v0", "w0"]}'
	for d in i1 i2 i3 i4 i5 l1 a1; do device "$d"; done
	ipam=$(network ipam '.ipam.type = "one"') meta=$(network meta '.delegates = [{type: "two"}]')
	kube=$(network kube '.resourceName = "example.com/vf"')
	patient='.ipamTimeoutMs = 120000'
	every=$(jq -c "$patient | "'.name = "all" | .delegates = [{type: "two"}, {type: "one"}]' <<<"$meta")
	switch=$(hooked "$(vhost server)" '.switch.timeoutMs = '$switch_timeoutMs)
	lock=$(network lock "$patient"' | .ipam.type = "three" | .device = "l1"')
	attached k1 "$kube"
	attached k2 "$kube"
	attached i1 "$(jq -c '.device = "i1"' <<<"$ipam")"
	attached i2 "$(jq -c '.device = "i2"' <<<"$ipam")"
	attached i3 "$(jq -c ".device = \"i3\" | .name = \"all\" | $patient" <<<"$ipam")"
	attached d1 "$meta"
	attached d2 "$meta"
	attached e1 "$every"
	attached l1 "$lock"
	attached s1 "$switch"
	attached s2 "$switch"
	pod_add "$dead"
	attached s3 "$(jq -c '.name = "buried"' <<<"$switch")" "$dead"
	ip netns del "$dead"
}

# hang - from now on everything does
hang() {
	local verb
	for verb in ADD DEL CHECK GC STATUS; do
		echo hang >"$FAKE11/one.$verb"
		echo hang >"$FAKE11/two.$verb"
	done
	echo hang >"$FAKE11/three.DEL"
	for verb in add del check; do echo hang >"$dir/switch.$verb"; done
	socket_path() { echo "$dir/silent.sock"; }
	hostile silence
	/usr/bin/python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$dir/dead.sock"
	# a DEL that keeps its locks for longer than anybody waits
	on absent call DEL l1 "$(jq -c '.delTimeoutMs = 120000' <<<"$lock")" >/dev/null 3>&- &
	locker=$!
	for _ in {1..200}; do
		! grep -q 'three DEL' "$FAKE11/calls.log" || return 0
		sleep 0.05
	done
	return 1
}

stdin_open() {
	for verb in ADD DEL CHECK GC STATUS; do row "standard input stays open" any 5000 5 open_stdin "$verb"; done
}

kubelets() {
	local c claim
	c=$(jq -c '.name = "other" | del(.resourceName)' <<<"$kube")
	claim=$(jq -c '.claim = "c"' <<<"$c")
	kube=$(jq -c '.resourceName = "example.com/none"' <<<"$kube")
	row "no device is named, and kubelet's socket is absent" ADD 0 7 on absent call ADD n1 "$c"
	row "kubelet's socket is absent" ADD "podResourcesTimeoutMs, 1000" 105 on absent call ADD n2 "$kube"
	row "kubelet's socket is absent" "ADD, a claim" podResourcesTimeoutMs 11 on absent call ADD n3 "$claim"
	row "kubelet's socket is absent" STATUS 0 50 on absent call STATUS '' "$claim"
	row "nobody listens at kubelet's socket" ADD podResourcesTimeoutMs 11 on dead call ADD n4 "$kube"
	row "nobody listens at kubelet's socket" STATUS 0 50 on dead call STATUS '' "$claim"
	row "kubelet is silent" ADD podResourcesTimeoutMs 11 on silent call ADD n5 "$kube"
	row "kubelet is silent" DEL 0 0 on silent call DEL k1 "$kube"
	row "kubelet is silent" CHECK 0 0 on silent call CHECK k2 "$kube"
	row "kubelet is silent" GC 0 0 on silent call GC '' "$(jq -c '.name = "none"' <<<"$kube")"
	row "kubelet is silent" STATUS 700 50 on silent call STATUS '' "$claim"
}

plugins() {
	row "the IPAM plugin hangs" ADD "ipamTimeoutMs + undo" 11 on absent call ADD i4 "$(jq -c '.device = "i4"' <<<"$ipam")"
	row "the IPAM plugin hangs" DEL "ipamTimeoutMs, delTimeoutMs / 2" 11 on absent call DEL i1 "$ipam"
	row "the IPAM plugin hangs" "DEL, no record" "ipamTimeoutMs, 5000" 0 on absent call DEL n6 "$ipam"
	row "the IPAM plugin hangs" CHECK "ipamTimeoutMs, delTimeoutMs" 11 on absent call CHECK i2 "$(jq -c '.device = "i2"' <<<"$ipam")"
	row "the IPAM plugin hangs" GC "ipamTimeoutMs, gcTimeoutMs" 11 on absent call GC '' "$(jq -c '.name = "none"' <<<"$ipam")"
	row "the IPAM plugin hangs" STATUS 1000 0 on absent call STATUS '' "$ipam"
	row "a delegate hangs" ADD "ipamTimeoutMs + undo" 11 on absent call ADD d3 "$meta"
	row "a delegate hangs" DEL "ipamTimeoutMs, delTimeoutMs" 11 on absent call DEL d1 "$meta"
	row "a delegate hangs" "DEL, no record" "ipamTimeoutMs, 5000" 0 on absent call DEL n7 "$meta"
	row "a delegate hangs" CHECK "ipamTimeoutMs, delTimeoutMs" 11 on absent call CHECK d2 "$meta"
	row "a delegate hangs" GC "ipamTimeoutMs, gcTimeoutMs" 11 on absent call GC '' "$(jq -c '.name = "none"' <<<"$meta")"
	row "a delegate hangs" STATUS 1000 0 on absent call STATUS '' "$meta"
}

switches() {
	local ovs
	ovs=$(vhost client '.switch = {type: "ovs", bridge: "br0"}')
	row "the switch hangs" ADD "switch.timeoutMs + undo" 11 on absent call ADD s4 "$switch"
	row "the switch hangs" DEL "switch.timeoutMs, delTimeoutMs" 11 on absent call DEL s1 "$switch"
	row "the switch hangs" CHECK "switch.timeoutMs, delTimeoutMs" 11 on absent call CHECK s2 "$switch"
	row "the switch hangs" GC "switch.timeoutMs, gcTimeoutMs" 11 on absent call GC '' "$(jq -c '.name = "buried"' <<<"$switch")"
	row "the switch hangs" STATUS 1000 0 on absent call STATUS '' "$ovs"
}

locks() {
	row "another call has the lock" ADD lockTimeoutMs 11 on absent call ADD l2 "$lock"
	row "another call has the lock" DEL lockTimeoutMs 11 on absent call DEL l1 "$lock"
	row "another call has the lock" CHECK 0 0 on absent call CHECK l1 "$lock"
	row "another call has the lock" GC lockTimeoutMs 11 on absent call GC '' "$lock"
	row "another call has the lock" STATUS 0 0 on absent call STATUS '' "$lock"
}

# one step after the other, each of which would have more time than there is
altogether() {
	row "all of it together" ADD addTimeoutMs 11 on absent call ADD a1 "$(jq -c ".device = \"a1\" | $patient" <<<"$ipam")"
	row "all of it together" DEL delTimeoutMs 11 on absent call DEL e1 "$every"
	row "all of it together" "DEL, no record" 5000 0 on absent call DEL n8 \
		"$(jq -c "$patient | .delTimeoutMs = 15000" <<<"$every")"
	row "all of it together" CHECK delTimeoutMs 11 on absent call CHECK i3 "$(jq -c ".device = \"i3\" | .name = \"all\" | $patient" <<<"$ipam")"
	row "all of it together" GC gcTimeoutMs 11 on absent call GC '' "$(jq -c '.name = "none"' <<<"$every")"
	row "all of it together" STATUS 1000 0 on silent call STATUS '' "$(jq -c '.resourceName = "example.com/vf"' <<<"$every")"
}

@test "C-CON-06, C-PIT-30, C-ISS-35: no call waits longer than the table of devinfo(8) says, and its answer is that" {
	local wrong=0
	prepare
	hang
	stdin_open
	kubelets
	plugins
	switches
	locks
	altogether
	wait "${pids[@]}"
	[ "$(find "$rows" -type f | wc -l)" -eq "${#pids[@]}" ]
	printf '# %-50s %-14s %-32s %7s %7s %4s\n' condition verb 'longest wait, ms' at-most waited code >&3
	while IFS='|' read -r condition verb limit code waited answer text; do
		ms=$(least "$limit")
		printf '# %-50s %-14s %-32s %7d %7d %4d\n' "$condition" "$verb" "$limit" "$ms" "$waited" "$answer" >&3
		[ "$answer" -eq "$code" ] || { echo "$condition, $verb: code $code expected: $text"; wrong=1; }
		[ "$waited" -le $((ms + slack)) ] || { echo "$condition, $verb: $waited ms, $ms expected"; wrong=1; }
	done < <(cat "$rows"/*)
	[ "$wrong" -eq 0 ]
	grep -q 'level=warning.*no record, and no answer of the IPAM plugin in time: what it may have stays' "$dir/log"
	grep -q 'level=warning.*no record, and no answer of a plugin in time' "$dir/log"
	(
		default_limits
		cut -d '|' -f 1-4 "$rows"/* | uniq | while IFS='|' read -r condition verb limit code; do
			echo "$condition|$verb|$limit|$(awk -v ms="$(least "$limit")" 'BEGIN { print ms / 1000 }')|$code"
		done
	) >"$dir/table"
	diff "$dir/table" <(page)
}

@test "a plugin that hangs costs neither the device its way home, nor other plugins their time" {
	local ipam meta
	node_file absent
	for d in i1 i2; do device "$d"; done
	ipam=$(network ipam '.ipam.type = "one" | .device = "i1" | .ipamTimeoutMs = 120000')
	meta=$(network meta '.delegates = [{type: "three"}, {type: "two"}] | .ipamTimeoutMs = 120000')
	attached i1 "$ipam"
	attached e1 "$meta"
	echo hang | tee "$FAKE11"/{one.ADD,one.DEL,two.DEL} >/dev/null
	row "" DEL delTimeoutMs 11 on absent call DEL i1 "$ipam"
	row "" DEL delTimeoutMs 11 on absent call DEL e1 "$meta"
	row "" ADD addTimeoutMs 11 on absent call ADD i2 "$(jq -c '.device = "i2"' <<<"$ipam")"
	wait "${pids[@]}"
	[ "$(cut -d '|' -f 6 "$rows"/* | xargs)" = '11 11 11' ]
	grep -q 'addTimeoutMs is over' "$rows/002"
	ip -n "$node" link show i1
	ip -n "$node" link show i2
	[ "$(grep -c 'three DEL' "$FAKE11/calls.log")" -eq 1 ]
	rm "$FAKE11"/{one,two}.DEL
	on absent del "$ipam" "$pod" i1
	deleted
	on absent del "$meta" "$pod" e1
	deleted
	on absent del "$(jq -c '.device = "i2"' <<<"$ipam")" "$pod" i2
	deleted
	[ "$(records)" -eq 0 ]
	[ "$(grep -c 'three DEL' "$FAKE11/calls.log")" -eq 1 ]
}
