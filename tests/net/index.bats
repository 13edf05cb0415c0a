#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# index.bats - what a call costs does not grow with the number of attachments, and a record that
# cannot be read is in the way of its own attachment and device alone
#
# Files that are opened are counted by strace, with no other record and with many.
#
# rooms: devinfo/journal

load helpers
load socket

setup() {
	socket_up
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
}

teardown() { socket_down; }

# opened VERB CONF [container id] - $opened: how many files that call opens below a root
opened() {
	env_of "$1" "${@:3}"
	run --separate-stderr in_node timeout 60 strace -qq -f -o "$dir/trace" -e trace=openat2 "$plugin" <<<"$2"
	[ "$status" -eq 0 ] || { echo "$1: $output$stderr" && return 1; }
	opened=$(grep -c 'openat2(' "$dir/trace")
	! grep -q EAGAIN "$dir/trace" || disturbed=1
}

# pair CONF - $pair: files opened by ADD and DEL, while nobody on the machine mounts or renames anything: a look-up
# that is broken off takes more of them
pair() {
	local i
	for ((i = 0; i < 30; i++)); do
		disturbed=''
		opened ADD "$1"
		pair=$opened
		opened DEL "$1"
		pair+=" $opened"
		[ -n "$disturbed" ] || return 0
	done
	echo "each of 30 calls was disturbed"
	return 1
}

# costs CONF - $few, $many: files opened by ADD and DEL, with one record before, and with 300 more
costs() {
	add "$1"		# makes the index
	added
	del "$1"
	deleted
	pair "$1"
	few=$pair
	add "$1"
	added
	template=$(find "$dir/state/attachments" -name '*.json')
	others 300 "$template"
	del "$1"
	deleted
	settled
	opened ADD "$1"		# reads all of them, this once
	[ "$opened" -gt 300 ]
	whole
	del "$1"
	deleted
	pair "$1"
	many=$pair
	whole
	[ "$(records)" -eq 300 ]
	echo "# files opened by ADD and DEL: $few with no other attachment, $many with 300" >&3
}

@test "an ADD and a DEL of a network device open as many files with 300 attachments as with none" {
	costs "$(conf 'del(.ipam)')"
	[ "$few" = "$many" ]
}

@test "so they do with a device-info file of the runtime's, which is looked for by name" {
	costs "$(conf 'del(.ipam) | .capabilities = {CNIDeviceInfoFile: true} |
		.runtimeConfig = {CNIDeviceInfoFile: "'"$dir"'/devinfo/cni/mine"}')"
	[ "$few" = "$many" ]
}

@test "so do those of a chained interface" {
	ip -n "$node" link set v0 netns "$pod" name net1
	costs "$(conf 'del(.ipam, .device) | .prevResult = {cniVersion: "1.0.0",
		interfaces: [{name: "net1", sandbox: "/run/netns/'"$pod"'"}]} | .mtu = 1300')"
	[ "$few" = "$many" ]
}

@test "so do those of a socket" {
	costs "$(memif master)"
	[ "$few" = "$many" ]
}

# -- the index is whole, or not gone by --

@test "a record of the version before is found, and an index that was removed is made again" {
	local c
	c=$(conf 'del(.ipam)')
	pod_add "$pod2"
	add "$c"
	added
	whole
	record=$(find "$dir/state/attachments" -name '*.json')
	for how in 'rm -r "$dir/state/index"' 'rm -r "$dir/state/index"; settled' \
		'cp "$record" "$dir/it"; rm -r "$dir/state/index" "$record"; cp "$dir/it" "$record"' \
		'cp "$record" "$dir/it"; rm "$record"; cp "$dir/it" "$record"; settled' \
		'rm -r "$dir"/state/index/*' \
		'cp -a "$dir/state/attachments" "$dir/old"; del "$c"; cp -a "$dir/old/." "$dir/state/attachments"' \
		'sed -i s/v0/v0/ "$record"; find "$dir/state/index" -type f -delete' \
		'cp -a "$dir/state/attachments" "$dir/copy"; rm -r "$dir"/state/{attachments,index}/*; rmdir "$dir/state/attachments"; mv "$dir/copy" "$dir/state/attachments"'; do
		eval "$how"
		add "$c" "$pod2"
		refused 11 "belongs to another attachment"
		settled
		add "$c" "$pod2"
		refused 11 "belongs to another attachment"
		whole
		add "$c" "$pod2"
		refused 11 "belongs to another attachment"
	done
	rm -r "$dir/state/index"
	del "$c"
	deleted
	[ "$(records)" -eq 0 ]
	add "$c" "$pod2"
	added
}

@test "as long as others write records the index is not trusted, and what they write is found at once" {
	local c
	c=$(conf 'del(.ipam)')
	pod_add "$pod2"
	add "$c"
	added
	whole
	record=$(find "$dir/state/attachments" -name '*.json')
	mv "$record" "$dir/it"
	find "$dir/state/index" -type f -delete
	cp "$dir/it" "$record"
	for _ in 1 2; do	# too soon to be taken for the last one
		add "$c" "$pod2"
		refused 11 "belongs to another attachment"
		run ! whole
	done
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod2"	# nor do our own make it look so
	added
	run ! whole
	settled
	del "$c"
	deleted
	whole
	del "$(conf 'del(.ipam) | .device = "w0"')" "$pod2"
	deleted
	[ "$(records)" -eq 0 ]
	whole
	[ -z "$(find "$dir/state/index" -type f)" ]
}

# -- records that cannot be read --

# unreadable RECORD COMMAND... - with an error of the disk at that file
unreadable() { strace -qq -f -o /dev/null -P "$1" -e trace=openat2 -e inject=openat2:error=EIO ip netns exec "$node" timeout 60 "${@:2}"; }

@test "a record that the disk does not give is in the way of its attachment and device alone" {
	local c other
	c=$(conf 'del(.ipam)')
	other=$(conf 'del(.ipam) | .device = "w0"')
	pod_add "$pod2"
	add "$c"
	added
	whole
	file=$(basename "$(find "$dir/state/attachments" -name '*.json')")
	for state in whole touched settled; do
		[ "$state" != touched ] || touch "$dir/state/attachments"
		[ "$state" != settled ] || settled
		: >"$dir/log"
		env_of ADD "$pod2"
		run --separate-stderr unreadable "$file" "$plugin" <<<"$other"
		added
		if [ "$state" = whole ]; then whole; else run ! whole; fi	# it may be read again
		[ "$state" = whole ] || grep -q "a record is passed over: it cannot be read.*file=$file.*Input/output error" "$dir/log"
		env_of DEL "$pod2"
		run --separate-stderr unreadable "$file" "$plugin" <<<"$other"
		deleted
		env_of ADD "$pod2"
		run --separate-stderr unreadable "$file" "$plugin" <<<"$c"
		refused 103 "device v0 is not given away: its record '$file' cannot be read"
		refused 103 "restore the device, then remove the file"
		env_of DEL
		run --separate-stderr unreadable "$file" "$plugin" <<<"$c"
		refused 5 "journal record '$file' cannot be read"
	done
	env_of DEL
	del "$c"
	deleted
	[ "$(records)" -eq 0 ]
}

@test "devinfoctl list has a line for a record that it cannot read, and for the others" {
	add "$(conf 'del(.ipam)')"
	added
	pod_add "$pod2"
	add "$(conf 'del(.ipam) | .device = "w0"')" "$pod2"
	added
	run --separate-stderr unreadable "$(basename "$(echo "$dir"/state/attachments/*@v0.json)")" "${plugin}ctl" list --output=wide
	[ "$status" -eq 1 ]
	[ "$(grep -c '^v0 .* unreadable ' <<<"$output")" -eq 1 ]
	[ "$(grep -c "^w0 .* live .* $pod2 */run/netns/$pod2 " <<<"$output")" -eq 1 ]
}

@test "GC releases the dead around a record that it cannot read, and says which that is" {
	local c other
	c=$(conf 'del(.ipam)')
	other=$(conf 'del(.ipam) | .device = "w0"')
	pod_add "$pod2"
	add "$c"
	added
	file=$(basename "$(find "$dir/state/attachments" -name '*.json')")
	add "$other" "$pod2"
	added
	ip netns del "$pod2"
	env_of GC
	run --separate-stderr unreadable "$file" "$plugin" \
		<<<"$(jq -c '.cniVersion = "1.1.0" | ."cni.dev/valid-attachments" = []' <<<"$c")"
	[ "$status" -eq 1 ]
	[[ $output == *"journal record '$file' cannot be read"* ]]
	[ "$(records)" -eq 1 ]
	del "$c"
	deleted
}

# -- directories of sockets --

@test "a directory of sockets that another has by another name is kept, though others are not looked for" {
	local c
	c=$(memif master '.memif.hostDir = "shared"')
	ln -s s "$dir/alias"
	pod_add "$pod2"
	add "$c"
	added
	[ -d "$sockets/shared" ]
	sockets_conf "{socketDir: \"$dir/alias\"}"
	add "$(jq -c '.name = "other"' <<<"$c")" "$pod2" net2
	added
	whole
	sockets_conf
	del "$c"
	deleted
	whole
	[ -d "$sockets/shared" ]
}
