# SPDX-License-Identifier: Apache-2.0
# socket.bash - what the tests of vhost-user and memif share, besides helpers.bash: a node with a
# socketDir, stand-ins for the switch and the application, and what is left behind
# shellcheck shell=bash disable=SC2154

socket_up() {
	node_up
	sockets=$dir/s
	programs=$(mktemp -d /run/devinfo-test.XXXXXX)	# where nobody but root may write, unlike /tmp
	program=$programs/switch
	sockets_conf
	mkdir "$sockets"
	peers=()
	home=$sockets/$pod sock=$sockets/$pod/net1.sock
	install -m 755 "$fake/switch.sh" "$program"
}

# sockets_conf [JSON] - the node's file, with these members besides; networks may share any directory
sockets_conf() { node_conf '{socketDir: "\($d)/s", hostDirs: ["*"], switchPrograms: ["'"$program"'"]} + '"${1:-{\}}"; }

socket_down() {
	local pid
	for pid in "${peers[@]}" $(cat "$dir"/switch-*.pid 2>/dev/null); do
		kill -KILL "$pid" 2>/dev/null || true
	done
	umount "$sockets" 2>/dev/null || true
	[ "$(readlink /run/devinfo-twins)" != "$sockets" ] || rm /run/devinfo-twins
	rm -rf "${programs:-/none}"
	node_down
}

# vhost|memif SIDE [jq filter] - a configuration for an application of that mode or role
vhost() { jq -cn --arg m "$1" '{cniVersion: "1.1.0", name: "net", type: "devinfo", vhostUser: {mode: $m}} | '"${2:-.}"; }
memif() { jq -cn --arg r "$1" '{cniVersion: "1.1.0", name: "net", type: "devinfo", memif: {role: $r}} | '"${2:-.}"; }

# hooked CONF [jq filter] - and the stand-in makes the switch's side of it
hooked() {
	jq -c --arg path "$program" --arg dir "$dir" --arg peer "$fake/unix_peer.py" \
		'.switch = {type: "exec", path: $path, config: {dir: $dir, peer: $peer}} | '"${2:-.}" <<<"$1"
}

check() { env_of CHECK "${@:3}"; run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c --argjson p "$2" '.prevResult = $p' <<<"$1")"; }
status_of() { env_of STATUS; run --separate-stderr in_node timeout 60 "$plugin" <<<"$1"; }
gc() { env_of GC; run --separate-stderr in_node timeout 60 "$plugin" <<<"$(jq -c --argjson v "$2" '."cni.dev/valid-attachments" = $v' <<<"$1")"; }

# peer [-u UID] COMMAND TYPE PATH - in the background, until it is ready; its pid is $peer
peer() {
	local out=$dir/peer.${#peers[@]}
	"$fake/unix_peer.py" "$@" >"$out" 2>&1 3>&- &
	peer=$!
	peers+=("$peer")
	for _ in {1..200}; do
		! grep -q ready "$out" || return 0
		sleep 0.02
	done
	cat "$out"
	return 1
}

# soon SECONDS DIRECTORY COMMAND TYPE PATH - a peer that much after the directory is there
soon() {
	{
		for _ in {1..500}; do
			[ ! -d "$2" ] || break
			sleep 0.02
		done
		sleep "$1"
		exec "$fake/unix_peer.py" "${@:3}"
	} >/dev/null 2>&1 3>&- &
	peers+=($!)
	disown
}

# in_pod_as UID[:GID] COMMAND... - in a mount namespace where $home is at /mnt/s, as the pod mounts it
in_pod_as() {
	unshare -m -- sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/s && mount --bind "$1" /mnt/s &&
		shift && exec "$@"' sh "$home" "$fake/unix_peer.py" -u "$@"
}

info() { jq -r "$1" "$dir/devinfo/cni/net-${2:-$pod}_${3:-net1}"; }
mode_of() { stat -c '%a %u:%g' "$1"; }

# Nothing of any attachment is left, but socketDir.
nothing_left() {
	[ "$(records)" = 0 ] && [ -z "$(ls -A "$dir/devinfo/cni" "$dir/run/status" 2>/dev/null | grep -v ':$')" ] &&
		[ -z "$(ls -A "$sockets")" ] || { find "$sockets" "$dir/state" "$dir/devinfo" "$dir/run" -ls && return 1; }
}

# -- a node that has been booted anew: memory and /run are empty --
reboot() {
	rm -rf "$sockets" "$dir/run" "$dir/devinfo"
	sed -i 's/"bootID":"[^"]*"/"bootID":"00000000-0000-0000-0000-000000000000"/' "$dir"/state/attachments/*
}
