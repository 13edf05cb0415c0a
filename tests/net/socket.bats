#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# socket.bats - vhost-user and memif: what ADD makes, tells and waits for
#
# The other ends are stand-ins that bind, listen and connect; tests/peers has real ones.
#
# rooms: cni/socket cni/attach

load helpers
load socket

gc_none() { gc "$1" '[]'; }

setup() { socket_up; }
teardown() { socket_down; }

@test "C-USR-10: vhost-user, the application listens: a directory, the container's path told, and nothing left" {
	c=$(vhost server)
	add "$c"
	added
	[ "$(jq -c '.interfaces' <<<"$output")" = '[{"name":"net1","sandbox":"/run/netns/'"$pod"'","socketPath":"'"$sock"'"}]' ]
	[ "$(jq -c . "$dir/devinfo/cni/net-${pod}_net1")" = \
		'{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/devinfo/sockets/net1.sock"}}' ]
	jq -e '.[0] | .interface == "net1" and ."device-info"."vhost-user".mode == "server"' "$dir/run/status/$pod.json"
	[ "$(mode_of "$home")" = "2770 0:0" ]
	[ ! -e "$sock" ]
	peer listen vhost-user "$sock"
	kill -KILL "$peer" && wait "$peer" || true
	del "$c"
	deleted
	nothing_left
	del "$c"
	deleted
}

@test "devinfoctl drift of a socket: what its record knows; what the configuration says only where that is known" {
	ctl=${plugin}ctl
	drift() {
		run --separate-stderr in_node timeout 30 "$ctl" drift --json
		what=$(jq -r '.[0] | .drift + ": " + .what' <<<"$output")
	}
	unknown='not compared: what only the configuration says, for neither runtime nor record has it'
	add "$(vhost server)"
	added
	drift
	[ "$status" -eq 0 ] && [ "$what" = "as made: $unknown" ] || { echo "$output" && return 1; }
	chmod 0700 "$home"
	drift
	[ "$what" = "as made: $unknown" ]
	mv "$home" "$home.away"
	drift
	[ "$status" -eq 1 ] && [ "$what" = "drifted: directory '$sockets/$pod' is gone; $unknown" ] ||
		{ echo "$output" && return 1; }
	mv "$home.away" "$home"
	del "$(vhost server)"
	deleted
	c=$(hooked "$(vhost client)")
	add "$c"
	added
	drift
	[ "$status" -eq 0 ] && [ "$what" = "as made: " ] || { echo "$output" && return 1; }
	chmod 0700 "$home"
	drift
	[ "$status" -eq 1 ]
	[[ $what == "drifted: mode of the directory: expected 2770, got 2700" ]] || { echo "$output" && return 1; }
	del "$c"
	deleted
}

@test "C-USR-10: memif, the application listens: role, mode and path told, and nothing left" {
	c=$(memif master '.memif.mode = "ip"')
	add "$c"
	added
	jq -e '. == {type: "memif", version: "1.1.0", memif: {role: "master", path: "/run/devinfo/sockets/net1.sock", mode: "ip"}}' \
		"$dir/devinfo/cni/net-${pod}_net1"
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sock" ]
	peer listen memif "$sock"
	kill -KILL "$peer" && wait "$peer" || true
	del "$c"
	deleted
	nothing_left
}

@test "the application connects: ADD returns when the host's socket is there and accepts, of either kind" {
	soon 0.4 "$home" listen vhost-user "$sock"
	add "$(vhost client '.vhostUser.socketMode = "0666"')"
	added
	[ "$("$fake/unix_peer.py" connect vhost-user "$sock")" = connected ]
	[ "$(mode_of "$sock")" = "666 0:0" ]
	[ "$(info '."vhost-user".mode')" = client ]
	del "$(vhost client)"
	deleted
	nothing_left
	soon 0.4 "$home" listen memif "$sock"
	add "$(memif slave)"
	added
	[ "$("$fake/unix_peer.py" connect memif "$sock")" = connected ]
	[ "$(info .memif.role) $(info .memif.mode)" = "slave ethernet" ]
	del "$(memif slave)"
	deleted
	nothing_left
}

@test "the wait is bounded: code 11 names the socket and what is the matter, and nothing is left" {
	c=$(vhost client '.vhostUser.waitMs = 300')
	within 5 add "$c"
	refused 11 "socket '$sock' is not there"
	nothing_left
	soon 0 "$home" bind vhost-user "$sock"
	add "$c"
	refused 11 "socket '$sock' is there, but nobody listens"
	nothing_left
	soon 0 "$home" listen memif "$sock"
	add "$c"
	refused 11 "socket '$sock' is one for another kind of connection"
}

@test "C-USR-11, C-USR-17: templates name host, container, switch and file; a word that the call does not say is code 4" {
	c=$(hooked "$(vhost server '.vhostUser += {hostDir: "{podNamespace}/{podName}-{network}", containerDir: "/run/c/{podUID}",
		socket: "{ifname}-{podUID}.s"}')")
	sockets_conf '{switchDir: "/sw"}'
	CNI_ARGS="K8S_POD_NAMESPACE=ns;K8S_POD_NAME=web;K8S_POD_UID=u-1" add "$c"
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sockets/ns/web-net/net1-u-1.s" ]
	[ "$(info '."vhost-user".path')" = /run/c/u-1/net1-u-1.s ]
	[ "$(jq -r '.hostPath + " " + .containerPath + " " + .switchPath' "$dir/switch.add.json")" = \
		"$sockets/ns/web-net/net1-u-1.s /run/c/u-1/net1-u-1.s /sw/ns/web-net/net1-u-1.s" ]
	# only what the pod mounts is the pod's
	[ "$(mode_of "$sockets/ns")" = "755 0:0" ]
	[ "$(mode_of "$sockets/ns/web-net")" = "2770 0:0" ]
	unset CNI_ARGS
	del "$c"
	deleted
	[ "$(jq -r .switchPath "$dir/switch.del.json")" = /sw/ns/web-net/net1-u-1.s ]
	nothing_left
	add "$c"
	refused 4 "{podNamespace} needs K8S_POD_NAMESPACE"
	nothing_left
}

@test "socketDir is the node's to say: in a configuration it is refused, and nothing of the host's changes" {
	mkdir -p "$dir/etc/secret"
	chmod 700 "$dir/etc/secret"
	c=$(vhost server '.socketDir = "'"$dir/etc"'" | .vhostUser += {hostDir: "secret", uid: 1000, dirMode: "0777"}')
	for verb in add status_of gc_none; do
		$verb "$c"
		refused 7 "socketDir: not in a network configuration; set socketDir in the node's own file"
	done
	check "$c" '{"cniVersion": "1.1.0"}'
	refused 7 "socketDir: not in a network configuration"
	[ "$(mode_of "$dir/etc/secret")" = "700 0:0" ]
	add "$(jq -c ".socketDir = \"$sockets\"" <<<"$c")"
	refused 7 "socketDir: not in a network configuration"
	add "$(vhost server '.switchPrograms = ["/bin/sh"]')"
	refused 7 "switchPrograms: not in a network configuration"
	[ "$(records)" = 0 ]
	# what says nothing is none
	for none in null '""'; do
		add "$(vhost server ".socketDir = $none")"
		added
		# a DEL works from the record, and only warns
		del "$c"
		deleted
		[[ $(<"$dir/log") == *level=warning*"socketDir: not in a network configuration"* ]]
		rm "$dir/log"
		nothing_left
	done
	del "$c"
	deleted
}

@test "a link that a pod makes in its directory leads to nothing of the host's" {
	mkdir -p "$dir/etc/secret"
	chmod 700 "$dir/etc/secret"
	add "$(vhost server '.vhostUser.gid = 1000')"
	added
	ln -s "$dir/etc" "$home/x"
	chown -h 1000:1000 "$home/x"
	pod_add "$pod2"
	secret='.vhostUser += {hostDir: "secret", uid: 1000, dirMode: "0777"}'
	add "$(vhost server ".socketDir = \"$home/x\" | $secret")" "$pod2"
	refused 7 "socketDir: not in a network configuration"
	add "$(vhost server "$secret | .vhostUser.hostDir = \"$home/x/secret\"")" "$pod2"
	refused 103 "'x' of '$pod/x/secret' cannot be opened as a directory"
	[ "$(mode_of "$dir/etc/secret")" = "700 0:0" ]
	[ "$(records)" = 1 ]
}

@test "C-USR-01: userspace-cni's sharedDir holds a directory for each container, and socketfile is the socket's name" {
	c='{"cniVersion": "1.1.0", "name": "net", "type": "devinfo", "sharedDir": "'"$sockets/u/"'",
		"host": {"iftype": "vhostuser", "vhost": {"mode": "client", "socketfile": "my.sock"}}}'
	pod_add "$pod2"
	for p in "$pod" "$pod2"; do
		add "$c" "$p"
		added
		[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sockets/u/$p/my.sock" ]
		[ "$(info '."vhost-user".path' "$p")" = /run/devinfo/sockets/my.sock ]
		[ "$(mode_of "$sockets/u/$p")" = "2770 0:0" ]
	done
	[ "$(mode_of "$sockets/u")" = "755 0:0" ]
	del "$c"
	deleted
	[ ! -e "$sockets/u/$pod" ]
	del "$c" "$pod2"
	deleted
	nothing_left
	add "$(jq -c '.host.vhost.socketfile = "../my.sock"' <<<"$c")"
	refused 7 "invalid host.vhost.socketfile '../my.sock'"
	nothing_left
}

@test "userspace-cni's configuration as it is: its defaults, short names, and a group by its name" {
	id=$(printf 'beef%060d' 7)
	pod_add "$id"
	common='{cniVersion: "1.1.0", name: "net", type: "devinfo", sharedDir: "'"$sockets/u/"'"}'
	c=$(jq -cn "$common"' + {host: {iftype: "memif"}, container: {iftype: "memif"}}')
	add "$c" "$id"
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sockets/u/beef00000000/memif-beef00000000-net1.sock" ]
	[ "$(info '.memif | .role + " " + .mode' "$id")" = "master ethernet" ]
	del "$c" "$id"
	deleted
	c=$(hooked "$(jq -cn "$common"' + {host: {iftype: "vhostuser", netType: "bridge", vhost: {group: "daemon"}}}')")
	add "$c" "$id"
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sockets/u/beef00000000/beef00000000-net1" ]
	[ "$(info '."vhost-user".mode' "$id")" = client ]
	[ "$(mode_of "$sockets/u/beef00000000")" = "2770 0:$(getent group daemon | cut -d: -f3)" ]
	check "$c" "$output" "$id"
	[ "$status" -eq 0 ]
	del "$c" "$id"
	deleted
	nothing_left
	add "$(jq -c '.host.vhost.group = "nobody-has-this"' <<<"$c")" "$id"
	refused 7 "invalid host.vhost.group 'nobody-has-this': must be a group of the node's /etc/group"
	add "$(jq -c '.sharedDir = "/elsewhere"' <<<"$c")" "$id"
	refused 7 "sharedDir: '/elsewhere/beef00000000' is not below socketDir"
	sockets_conf '{hostDirs: []}'
	add "$c" "$id"
	refused 7 "sharedDir: 'u/beef00000000' is not the pod's"
	nothing_left
}

@test "a living attachment keeps its directory's owner and mode, whether the other name goes by a link or not" {
	local long=$sockets/ns/		# with a short name it has just 107 bytes
	long=$(printf 'x%.0s' $(seq $((105 - ${#long}))))
	export CNI_ARGS="K8S_POD_NAMESPACE=ns;K8S_POD_NAME=web;K8S_POD_UID=u-1"
	short=$(memif master ".memif += {hostDir: \"{podNamespace}/$long\", socket: \"s\", uid: 1000, gid: 1000, dirMode: \"0750\"}")
	add "$short"
	added
	was=$(stat -c '%u %g %a' "$sockets/ns/$long")
	for name in t longer-name; do
		add "$(jq -c --arg n "$name" '.memif += {socket: $n, uid: 6666, gid: 6666, dirMode: "0700"}' <<<"$short")" "$pod" net2
		[ "$status" -eq 1 ]
		[ "$(stat -c '%u %g %a' "$sockets/ns/$long")" = "$was" ]
	done
	# who goes by the link ends first: it is gone with him
	c=$(jq -c '.memif.socket = "longer-name"' <<<"$short")
	add "$c" "$pod" net2
	added
	[ -n "$(ls "$dir/run/links")" ]
	del "$c" "$pod" net2
	deleted
	[ -z "$(ls "$dir/run/links")" ]
	del "$short"
	deleted
	[ ! -e "$sockets/ns" ]
}

@test "C-USR-14: a long path, as of a volume below kubelet's directory, goes by a short link of ours" {
	local volume=u-1/volumes/kubernetes.io~empty-dir/$(printf 'shared-dir-%060d' 1) short link
	export CNI_ARGS="K8S_POD_NAMESPACE=ns;K8S_POD_NAME=web;K8S_POD_UID=u-1"
	mkdir -p "$sockets/$volume"
	chmod 0777 "$sockets/$volume"
	c=$(hooked "$(vhost client '.vhostUser.hostDir = "{podUID}/'"${volume#*/}"'"')")
	add "$c"
	added
	result=$output
	short=$(jq -r '.interfaces[0].socketPath' <<<"$output")
	link=${short%/*}
	[[ $short =~ ^"$dir/run/links/"[0-9a-f]{16}/net1.sock$ ]]
	[ "$(jq -r '.switchPath + " " + .hostPath' "$dir/switch.add.json")" = "$short $short" ]
	[ "$(jq -r '.hostRoot + "/" + .hostDir' "$dir/switch.add.json")" = "$sockets/$volume" ]
	[ "$(readlink "$link")" = "$sockets/$volume" ]
	[ "$(stat -c '%U %a' "$dir/run/links")" = "root 755" ]
	[ -S "$sockets/$volume/net1.sock" ]
	check "$c" "$result"
	[ "$status" -eq 0 ]
	# a second one of the pod has the same link, which goes with the last
	add "$c" "$pod" net2
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$link/net2.sock" ]
	del "$c" "$pod" net2
	deleted
	[ -L "$link" ]
	rm "$link"
	check "$c" "$result"
	refused 101 "link '$link' is gone"
	ln -s /etc "$link"
	check "$c" "$result"
	refused 101 "is not a link to '$sockets/$volume'"
	del "$c"
	[ "$status" -eq 0 ]
	[ "$(readlink "$link")" = /etc ]	# it is not ours
	[ ! -e "$sockets/$volume/net1.sock" ]
	[ -d "$sockets/$volume" ]
	add "$c"
	refused 103 "is there, and is not a link to"
	rm "$link"
	# a failed ADD leaves none, nor does one that was killed
	add "$(jq -c 'del(.switch) | .vhostUser.waitMs = 50' <<<"$c")"
	refused 11 "net1.sock' is not there"
	[ -z "$(ls "$dir/run/links")" ]
	env_of ADD
	ASAN_OPTIONS=detect_leaks=0 run in_node strace -qq -o /dev/null -e trace=symlinkat -e inject=symlinkat:signal=KILL:when=1 "$plugin" <<<"$c"
	[ "$(records)" = 1 ]
	ln -s "$sockets/$volume" "$link"		# as if it had died behind it
	del "$c"
	deleted
	[ -z "$(ls "$dir/run/links")" ]
	rm -r "${sockets:?}/u-1"
	nothing_left
	# what is too long with a link as well is refused as before
	add "$(vhost server ".vhostUser.hostDir = \"{podUID}/$(printf '%0120d' 1)\"")"
	refused 7 "path on the host:"
	nothing_left
}

@test "C-USR-14: a path of 107 bytes is fine, of 108 is refused in each view before anything is made" {
	local room=$((107 - ${#sockets} - 1 - ${#pod} - 1)) name
	name=$(printf "%${room}s" '' | tr ' ' x)
	add "$(vhost server '.vhostUser.socket = "'"$name"'"')"
	added
	[ "$(jq -r '.interfaces[0].socketPath | length' <<<"$output")" = 107 ]
	del "$(vhost server)"
	deleted
	add "$(vhost server '.vhostUser.socket = "'"${name}y"'"')"
	refused 7 "path on the host: 108 bytes"
	add "$(vhost server '.vhostUser.containerDir = "/'"$(printf '%097d' 0)"'"')"
	refused 7 "path in the container: 108 bytes"
	add "$(vhost server '.vhostUser.switchDir = "/x"')"
	refused 7 "vhostUser.switchDir: not in a network configuration"
	sockets_conf '{switchDir: "/'"$(printf '%090d' 0)"'"}'
	add "$(vhost server)"
	refused 7 "path in the switch: "
	nothing_left
	[ ! -e "$home" ]
}

@test "a stale socket is removed, and only when connect says refused" {
	mkdir "$home"
	"$fake/unix_peer.py" stale vhost-user "$sock"
	add "$(vhost server)"
	added
	[ ! -e "$sock" ]
	del "$(vhost server)"
	deleted
	peer listen vhost-user "$sock"
	add "$(vhost server)"
	refused 103 "somebody listens at '$sock' already"
	add "$(memif master)"
	refused 103 "somebody listens at '$sock' already"
	[ "$("$fake/unix_peer.py" connect vhost-user "$sock")" = connected ]
	[ "$(mode_of "$home")" = "755 0:0" ]
}

@test "what is no socket at the socket's path is refused, and stays" {
	mkdir "$home"
	for make in 'echo text >"$sock"' 'mkfifo "$sock"' 'mkdir "$sock"' 'ln -s /run/x "$sock"' 'ln -s "$dir/real" "$sock"'; do
		[[ $make != *real* ]] || peer listen vhost-user "$dir/real"
		eval "$make"
		add "$(vhost server)"
		refused 103 "'$sock' is there, and is not a socket"
		[ -e "$sock" ] || [ -L "$sock" ]
		add "$(vhost client '.vhostUser.waitMs = 100')"
		refused 103 "'$sock' is there, and is not a socket"
		rm -rf "$sock"
	done
	[ -S "$dir/real" ]
	[ "$(records)" = 0 ]
}

@test "a directory that is a link, or something else, is refused: nothing is made behind it" {
	mkdir "$dir/outside"
	ln -s "$dir/outside" "$home"
	add "$(vhost server)"
	refused 103 "cannot be opened as a directory"
	rm "$home"
	: >"$home"
	add "$(vhost server)"
	refused 103 "cannot be opened as a directory"
	rm "$home"
	ln -s "$dir/outside" "$sockets/up"
	add "$(vhost server '.vhostUser.hostDir = "up/{containerID}"')"
	refused 103 "'up' of 'up/$pod' cannot be opened as a directory"
	[ -z "$(ls -A "$dir/outside")" ]
	[ "$(records)" = 0 ]
}

@test "a directory that was there is never changed: another owner or mode is refused, and it stays" {
	mkdir -m 0711 "$home"
	chown 7:8 "$home"
	for want in uid:1000 gid:0 'dirMode: "02770"' 'uid:7, dirMode: "0750"'; do
		add "$(vhost server ".vhostUser += {$want}")"
		refused 103 "'$home' is there already: "
		[[ $output == *"ADD changes no directory that it has not made: uid, gid, dirMode and selinuxLabel must be what it has, or absent"* ]]
		[ "$(mode_of "$home")" = "711 7:8" ]
		[ "$(records)" = 0 ]
	done
	for same in '' 'uid: 7' 'uid: 7, gid: 8, dirMode: "0711"'; do
		add "$(vhost server ".vhostUser += {$same}")"
		added
		check "$(vhost server ".vhostUser += {$same}")" "$output"
		deleted
		del "$(vhost server)"
		deleted
		[ "$(mode_of "$home")" = "711 7:8" ]
	done
	[ "$(records)" = 0 ]
}

@test "what an earlier version has changed of a directory that was there stays so, and its record ends" {
	for by in DEL GC; do
		mkdir -m 0711 -p "$home"
		add "$(vhost server)"
		added
		chown 1000 "$home"
		for file in "$dir"/state/attachments/*; do
			jq -c '.socket += {dirSet: true, uid: 7, gid: 8, mode: 457, asUID: "1000", acl: "", defaultACL: "02000000"}' \
				"$file" >"$dir/old"
			cat "$dir/old" >"$file"
		done
		if [ "$by" = DEL ]; then
			del "$(vhost server)"
		else
			ip netns del "$pod"
			gc_none "$(vhost server)"
		fi
		deleted
		[ "$(mode_of "$home")" = "711 1000:0" ]
		[ "$(records)" = 0 ]
	done
}

@test "a directory that a living attachment has stays as it is: others ask for the same, or for nothing" {
	c=$(vhost server '.vhostUser += {hostDir: "both", uid: 1000, gid: 1000}')
	in=$(vhost server '.name = "other" | .vhostUser += {hostDir: "both", socket: "b.sock"}')
	pod_add "$pod2"
	add "$c"
	added
	result=$output
	before=$(mode_of "$sockets/both")
	[ "$before" = "2770 1000:1000" ]
	for want in uid:2000 gid:2000 'dirMode:"0700"'; do
		add "$(jq -c ".vhostUser += {$want}" <<<"$in")" "$pod2"
		refused 103 "'$sockets/both' is there already: "
		[[ $output == *"another attachment has the directory: uid, gid, dirMode (02770 when absent) and selinuxLabel must be"* ]]
		[[ $output != *"$pod/"* ]]
		[ "$(mode_of "$sockets/both")" = "$before" ]
	done
	[ "$(records)" = 1 ]
	check "$c" "$result"
	deleted
	for want in uid:1000 'uid:1000,gid:1000,dirMode:"02770"' ''; do
		add "$(jq -c ".vhostUser += {$want}" <<<"$in")" "$pod2"
		added
		check "$(jq -c ".vhostUser += {$want}" <<<"$in")" "$output" "$pod2"
		deleted
		[ "$(mode_of "$sockets/both")" = "$before" ]
		del "$in" "$pod2"
		deleted
	done
	# the first goes: the other still has it as it was
	add "$in" "$pod2"
	added
	del "$c"
	deleted
	[ "$(mode_of "$sockets/both")" = "$before" ]
	add "$(jq -c '.vhostUser.uid = 7' <<<"$c")"
	refused 103 "'$sockets/both' is there already: "
	del "$in" "$pod2"
	deleted
	[ ! -e "$sockets/both" ]
	# whose pod is dead has no say
	add "$c"
	added
	ip netns del "$pod"
	add "$(jq -c '.vhostUser += {uid: 2000, dirMode: "0750"}' <<<"$in")" "$pod2"
	added
	[ "$(mode_of "$sockets/both")" = "750 2000:1000" ]
	del "$c"
	deleted
	[ "$(mode_of "$sockets/both")" = "750 2000:1000" ]
	del "$in" "$pod2"
	deleted
	nothing_left
}

@test "C-USR-12, C-USR-14: an application that is not root connects and listens: by its group, and not without" {
	soon 0 "$home" listen vhost-user "$sock"
	c=$(vhost client '.vhostUser += {gid: 1000, dirMode: "02750"}')
	add "$c"
	added
	[ "$(mode_of "$sock")" = "660 0:1000" ]
	[ "$(in_pod_as 1000:1000 connect vhost-user /mnt/s/net1.sock)" = connected ]
	[ "$(in_pod_as 1001:1001 connect vhost-user /mnt/s/net1.sock)" = "Permission denied" ]
	del "$c"
	deleted
	c=$(vhost server '.vhostUser += {gid: 1000}')
	add "$c"
	added
	[ "$(mode_of "$home")" = "2770 0:1000" ]
	[ "$(in_pod_as 1001:1001 stale vhost-user /mnt/s/net1.sock)" = "Permission denied" ]
	in_pod_as 1005:1000 stale vhost-user /mnt/s/net1.sock
	[ "$(stat -c %u:%g "$sock")" = 1005:1000 ]
	del "$c"
	deleted
	nothing_left
}

@test "an SELinux label is set where the file system has labels, and elsewhere only logged" {
	c=$(vhost server '.vhostUser.selinuxLabel = "system_u:object_r:container_file_t:s0"')
	add "$c"
	added
	python3 -c 'import os,sys; print(os.getxattr(sys.argv[1], "security.selinux"))' "$home" | grep container_file_t ||
		grep 'has no SELinux labels' "$dir/log"
	check "$c" "$output"
	deleted
	# what is there is not labelled anew
	if python3 -c 'import os,sys; os.getxattr(sys.argv[1], "security.selinux")' "$home"; then
		add "$(jq -c '.vhostUser.selinuxLabel = "a:b:c:d"' <<<"$c")" "$pod" net2
		refused 103 "'$home' is there already: selinuxLabel of the directory is not 'a:b:c:d'"
	fi
	del "$c"
	deleted
	nothing_left
}

@test "memif's secret can be read by whom the application runs as: by its user, its group, or root alone" {
	while read -r keys mode; do
		add "$(memif master '.memif += {secret: "hush-hush-2"} + '"$keys")"
		added
		[ "$(mode_of "$sock.secret")" = "$mode" ] || { mode_of "$sock.secret" && return 1; }
		del "$(memif master)"
		deleted
	done <<-END
		{uid:1000} 600 1000:0
		{gid:1000} 640 0:1000
		{uid:1000,gid:1001} 640 1000:1001
		{} 600 0:0
	END
	c=$(memif master '.memif += {secret: "hush-hush-2", gid: 1000}')
	add "$c"
	added
	reads() { unshare -m -- sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/s && mount --bind "$1" /mnt/s &&
		shift && exec setpriv --clear-groups "$@" cat /mnt/s/net1.sock.secret' sh "$home" "$@"; }
	[ "$(reads --reuid 1005 --regid 1000)" = hush-hush-2 ]
	run reads --reuid 1005 --regid 1005
	[ "$status" -ne 0 ]
	del "$c"
	deleted
	nothing_left
}

@test "a secret's name never meets another attachment's socket" {
	add "$(vhost server '.vhostUser += {hostDir: "one", socket: "x.secret"}')"
	refused 7 "socket: 'x.secret'"
	add "$(vhost server '.vhostUser += {hostDir: "one", socket: "{ifname}"}')" "$pod" net1.secret
	refused 7 "socket: 'net1.secret'"
	nothing_left
	mkdir "$sockets/one"
	peer listen vhost-user "$sockets/one/x.secret"
	add "$(memif master '.memif += {hostDir: "one", socket: "x", secret: "s"}')"
	[ "$status" -eq 1 ]
	[ "$("$fake/unix_peer.py" connect vhost-user "$sockets/one/x.secret")" = connected ]
	[ "$(records)" = 0 ]
}

@test "memif's secret is in one file, and nowhere else" {
	c=$(hooked "$(memif master '.memif += {secret: "hush-hush-1", uid: 1000, gid: 1000}')")
	add "$c"
	added
	[ "$(<"$sock.secret")" = hush-hush-1 ]
	[ "$(mode_of "$sock.secret")" = "640 1000:1000" ]
	[ "$(jq -r .secretFile "$dir/switch.add.json")" = "$sock.secret" ]
	[[ $output != *hush* ]]
	run grep -rl hush "$dir/log" "$dir/devinfo" "$dir/run" "$dir/switch.add.json"
	[ -z "$output" ]
	[ "$(jq -r .request "$dir"/state/attachments/* | jq -c '.memif | [.role, has("secret")]')" = '["master",false]' ]
	run grep -rl hush "$dir/state"
	[ -z "$output" ]
	del "$c"
	deleted
	[ "$(jq -r .secretFile "$dir/switch.del.json")" = "$sock.secret" ]
	fake11_up
	for also in '.delegates = [{type: "one"}]' '.ipam = {type: "fake"}' '.Memif = (.memif | .Secret = .secret | del(.secret)) | del(.memif) | .ipam = {type: "fake"}'; do
		c=$(memif master '.memif.secret = "hush-hush-1" | '"$also")
		add "$c"
		added
		[ "$(<"$sock.secret")" = hush-hush-1 ]
		run grep -ril hush "$dir/log" "$dir/devinfo" "$dir/run" "$dir/state"
		[ -z "$output" ]
		[ "$(records)" = 1 ]
		del "$c"
		deleted
		[ ! -e "$sock.secret" ]
	done
	[ "$(stat -c %a "$dir/state")" = 700 ]
	nothing_left
	add "$(memif slave '.memif += {secret: "hush-hush-1", waitMs: 50}')"
	refused 11 "is not there"
	nothing_left
	run grep -l hush "$dir/log"
	[ -z "$output" ]
}

@test "C-USR-08: ipam is asked and reported with mac and mtu, of every cniVersion; nothing is configured" {
	for version in 0.3.1 1.0.0 1.1.0; do
		c=$(vhost server '.cniVersion = "'$version'" | .ipam = {type: "fake"} | .mac = "02:00:00:00:00:31" | .mtu = 9000')
		before=$(links "$pod")
		add "$c"
		added
		[ "$(jq -r '.interfaces[0].mac + " " + .cniVersion' <<<"$output")" = "02:00:00:00:00:31 $version" ]
		[ "$(jq -c '.interfaces[0] | [has("socketPath"), .mtu]' <<<"$output")" = \
			"$([ $version = 1.1.0 ] && echo '[true,9000]' || echo '[false,null]')" ]
		jq -e '.ips | length > 0' <<<"$output"
		[ "$(links "$pod")" = "$before" ]
		[ "$(leases)" = 1 ]
		jq -e '.[0].mtu == 9000' "$dir/run/status/$pod.json"
		del "$c"
		deleted
		[ "$(leases)" = 0 ]
		nothing_left
	done
}

@test "C-USR-01: a container id of one byte is one, and its directory is its own" {
	pod_add q
	c=$(vhost server)
	add "$c" q
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sockets/q/net1.sock" ]
	del "$c" q
	deleted
	nothing_left
}

@test "C-USR-19: a pod has as many sockets as it likes: 22 memifs, all of them gone with it" {
	c=$(memif master)
	for ((n = 0; n < 22; n++)); do
		add "$c" "$pod" "net$n"
		added
	done
	[ "$(jq 'length' "$dir/run/status/$pod.json")" = 22 ]
	for ((n = 0; n < 22; n++)); do
		del "$c" "$pod" "net$n"
		deleted
	done
	nothing_left
}

@test "C-USR-06: addresses of both families keep their gateways and routes in the result" {
	c=$(vhost server ".ipam = $(host_local | jq -c .ipam)")
	add "$c"
	added
	[ "$(jq -r '[.ips[].gateway] | join(" ")' <<<"$output")" = "10.1.0.1 fd00:1::1" ]
	[ "$(jq -r '[.routes[].dst] | join(" ")' <<<"$output")" = "0.0.0.0/0 198.51.100.0/24 ::/0" ]
	[ "$(jq -c '[.ips[].interface] | unique' <<<"$output")" = "[0]" ]
	del "$c"
	deleted
	nothing_left
}
