#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# tenant.bats - a tenant against the installed plugin: his network configuration, and his directory
#
# The plugin is installed with its default directories, in a mount namespace where /etc, /var, /opt
# and /run are the test's own and all else is read-only.  The tenant, uid 65534, prepares links and
# files in a volume of his pod's; then the runtime calls the plugin, traced, with what he wrote as a
# network.  Afterwards nothing but the plugin's documented directories and his own has changed, and
# no program was run that is not the plugin, or in CNI_PATH.
#
# rooms: cni/socket cni/attach
# bats file_tags=plain

load helpers

ours=(var/lib/cni/devinfo run/devinfo run/k8s.cni.cncf.io var/log/devinfo)
volume=/var/lib/kubelet/pods/u1/volumes/kubernetes.io~empty-dir/mine
conf_file=/etc/cni/net.d/devinfo.d/devinfo.json
sockets=/run/devinfo/sockets

# on COMMAND... - on that node
on() { nsenter -t "$world" -m -- "$@"; }

# as_tenant SCRIPT [argument...] - in his directory
as_tenant() { on setpriv --reuid 65534 --regid 65534 --clear-groups sh -euc 'cd "$0" && '"$1" "$volume" "${@:2}"; }

# The directories of that node are the test's below $dir/world.
setup() {
	node_up
	pod_add "$pod2"
	unset DEVINFO_CONF
	export CNI_PATH=/opt/cni/bin
	for d in etc var opt run tmp; do mkdir -p "$dir/world/$d"; done
	cp -a /etc/. "$dir/world/etc"
	mkdir -p "$dir"/world/{run/netns,opt/cni/bin,etc/cni/net.d/devinfo.d,etc/kubernetes/manifests,var/lib/cni,var/log/devinfo} \
		"$dir/world$volume" "$dir/world/var/lib/kubelet/pod-resources"
	rm -rf "$dir"/world/etc/netns
	ln -s /run "$dir/world/var/run"
	chmod 700 "$dir"/world/etc/kubernetes "$dir"/world/var/log/devinfo
	chmod 1777 "$dir/world/tmp"
	chown 65534:65534 "$dir/world$volume"
	echo "sh -c 'echo root'" >"$dir/world/etc/script.sh"
	chmod 755 "$dir/world/etc/script.sh"
	unshare -m --propagation slave -- sh -euc '
		world=$1 test=$2 top=$3
		mount --bind "$test" "$test"
		# a checkout below one of these stays to be seen
		case $top in
		/etc/* | /var/* | /opt/*)
			mkdir -p "$world$top"
			mount --bind "$top" "$world$top"
			;;
		esac
		for d in etc var opt; do mount --rbind "$world/$d" "/$d"; done
		mount --rbind /run/netns "$world/run/netns"
		mount --rbind "$world/run" /run
		mount -o remount,bind,ro /
		echo ready >"$test/ready"
		exec sleep infinity' sh "$dir/world" "$dir" "$top" 3>&- &
	world=$!
	disown
	for _ in {1..100}; do
		[ ! -e "$dir/ready" ] || break
		sleep 0.05
	done
	[ -e "$dir/ready" ]
	on "$top/install/install.sh" "$plugin" /opt/cni/bin
	node '{}'
}

teardown() {
	[ -z "${server-}" ] || pkill -KILL -P "$server" 2>/dev/null || true
	[ -z "${world-}" ] || kill -KILL "$world" 2>/dev/null || true
	node_down
}

# node JSON - the node's file
node() { jq -cn '{logFile: "/var/log/devinfo/devinfo.log", logLevel: "info", lockTimeoutMs: 2000} + '"$1" >"$dir/world$conf_file"; }

# call VERB CONF [container id] [ifname] - of the installed plugin, all that it runs traced
call() {
	env_of "$1" "${@:3}"
	run --separate-stderr on env ASAN_OPTIONS=detect_leaks=0 GCOV_PREFIX="$dir/gcov" ip netns exec "$node" strace -f -qq -s 300 -e trace=execve -e signal=none -o "$dir/trace" \
		timeout 60 /opt/cni/bin/devinfo <<<"$2"
	sed -n 's/.*execve("\([^"]*\)".* = 0$/\1/p' "$dir/trace" >>"$dir/ran"
}
add() { call ADD "$@"; }
del() { call DEL "$@"; }

# mine [jq filter] - what the tenant writes as a network
mine() { conf '.name = "tenant" | del(.ipam) | '"${1:-.}"; }
vhost() { jq -cn '{cniVersion: "1.1.0", name: "tenant", type: "devinfo", vhostUser: {mode: "server"}} | '"${1:-.}"; }
log_of() { cat "$dir/world/var/log/devinfo/devinfo.log"; }

# All of the node but our directories and his: modes, owners, contents.
outside() {
	local d prune=()
	for d in "${ours[@]}" run/netns; do prune+=(-path "./$d" -o); done
	prune=(\( "${prune[@]}" -path ".$volume" \) -prune -o)
	(cd "$dir/world" && { find . "${prune[@]}" -printf '%p %y %m %U:%G %l %n\n' | sed '/ d /s/ [0-9]*$//'; find . "${prune[@]}" -type f -exec sha256sum {} +; } | sort)
}

# harmless BEFORE - nothing else has changed, and nothing else was run
harmless() {
	local after strange
	after=$(outside)
	[ "$after" = "$1" ] || { diff <(echo "$1") <(echo "$after"); return 1; }
	strange=$(sort -u "$dir/ran" | grep -vxE "/usr/bin/timeout|/opt/cni/bin/[a-z-]+|$top/tests/fake/[a-z._]+" || true)
	[ -z "$strange" ] || { echo "run: $strange" && return 1; }
}

@test "the frame itself: an ADD and a DEL leave nothing, what is outside is seen, and so is what is run" {
	before=$(outside)
	add "$(vhost)"
	added
	del "$(vhost)"
	deleted
	harmless "$before"
	[ -z "$(find "$dir"/world/run/devinfo "$dir"/world/var/lib/cni/devinfo/attachments "$dir"/world/run/k8s.cni.cncf.io -type f)" ]
	grep -qx /opt/cni/bin/devinfo "$dir/ran"
	run ! as_tenant 'echo x >/etc/x'
	as_tenant 'echo x >x'
	harmless "$before"
	on sh -c 'echo x >>/etc/script.sh'
	run ! harmless "$before"
	sed -i '$d' "$dir/world/etc/script.sh"
	harmless "$before"
	echo "$volume/evil" >>"$dir/ran"
	run ! harmless "$before"
	run ! on touch /usr/x
}

@test "A.1: a path in a network configuration is refused: code 7 names the key, and that it is the node's" {
	before=$(outside)
	as_tenant 'mkdir state run dev && ln -s /etc/kubernetes/manifests dev/cni && ln -s /etc run/status'
	for key in stateDir devinfoDir runDir kubeletSocket kubeletDir sriovStateDir socketDir switchPrograms logDir root; do
		value="\"$volume/state\""
		[ "$key" != switchPrograms ] || value="[$value]"
		for c in "$(mine ".$key = $value")" "$(vhost ".$key = $value")"; do
			add "$c"
			refused 7 "$key"
			[[ $(jq -r '.msg + .details' <<<"$output") == *node* ]]
			del "$c"
			harmless "$before"
		done
	done
	add "$(vhost '.switch = {type: "ovs", bridge: "br0", db: "'"$volume/db.sock"'"}')"
	refused 7 "switch.db"
	[[ $(jq -r '.msg + .details' <<<"$output") == *node* ]]
	harmless "$before"
	[ -z "$(find "$dir/world$volume"/{state,run,dev} -type f)" ]
}

@test "A.1: logFile appends to no file of root's, and not through a link below logDir" {
	before=$(outside)
	ln -s /etc/script.sh "$dir/world/var/log/devinfo/link.log"
	ln "$dir/world/etc/script.sh" "$dir/world/var/log/devinfo/hard.log"
	sum=$(outside)
	for file in /etc/ld.so.preload /etc/script.sh "$volume/log" /var/log/devinfo/../../../etc/script.sh \
		/var/log/devinfo/link.log /var/log/devinfo/hard.log /var/log/devinfo-not/x.log; do
		c=$(vhost '.logFile = "'"$file"'" | .logLevel = "x\n'"$volume"'/evil.so\n"')
		add "$c"
		del "$c"
		[ "$status" -eq 0 ]
		harmless "$sum"
		[ ! -e "$dir/world$volume/log" ]
	done
	[ ! -e "$dir/world/etc/ld.so.preload" ]
}

@test "A.1: a forged record in a tenant's directory runs no program, by ADD, DEL or GC" {
	add "$(vhost)"
	added
	before=$(outside)
	as_tenant 'mkdir -p state/attachments bin && printf "#!/bin/sh\nid >/run/owned\n" >bin/evil && chmod 755 bin/evil && chmod -R 700 state'
	evil='{"cniVersion":"1.1.0","name":"tenant","type":"devinfo","ipam":{"type":"evil"},"delegates":[{"type":"evil"}]}'
	for f in "$dir"/world/var/lib/cni/devinfo/attachments/*; do
		# his own, whose DEL asks an IPAM plugin; and one of a dead pod's, that an ADD cleans up after
		jq -c --arg r "$evil" '.cniPath = "'"$volume/bin"'" | .ipamType = "evil" | .request = $r' \
			"$f" >"$dir/world$volume/state/attachments/${f##*/}"
		jq -c --arg r "$evil" '.cniPath = "'"$volume/bin"'" | .request = $r | .delegatesLeft = 1
			| .containerID = "dead" | .netns = "/run/netns/dead"' \
			"$f" >"$dir/world$volume/state/attachments/0000000000000000@${f##*@}"
	done
	chown -R 65534:65534 "$dir/world$volume/state"
	cp -a "$dir/world$volume/state" "$dir/forged"
	c=$(vhost '.stateDir = "'"$volume/state"'" | ."cni.dev/valid-attachments" = []')
	for path in /opt/cni/bin ''; do
		for verb in DEL ADD GC; do
			rm -rf "$dir/world$volume/state"
			cp -a "$dir/forged" "$dir/world$volume/state"
			[ $verb != ADD ] || find "$dir/world$volume/state/attachments" -type f ! -name '0000000000000000@*' -delete
			CNI_PATH=$path call $verb "$c"
			harmless "$before"
			[ ! -e "$dir/world/run/owned" ]
		done
	done
	del "$(vhost)"
	deleted
}

@test "A.2: what a dead pod has left in its socket directory goes with it, and others can be added and deleted" {
	on mkdir /run/devinfo
	on mount -t tmpfs -o size=2m,mode=755 tmpfs /run/devinfo
	filling=$(vhost '.vhostUser += {uid: 65534, gid: 65534}')
	add "$(vhost '.name = "victim"')" "$pod2"
	added
	add "$filling"
	added
	on setpriv --reuid 65534 --regid 65534 --clear-groups sh -c 'cd "$0" && mkdir -p a/b/c && ln -s /etc/script.sh a/b/link && ln -s /etc a/etc &&
		mkfifo a/fifo && head -c 3m /dev/zero >a/b/fill' "$sockets/$pod" || true
	before=$(outside)
	del "$(vhost '.name = "victim"')" "$pod2"
	deleted
	ip netns del "$pod"
	del "$filling"
	deleted
	[ -z "$(on ls -A "$sockets")" ]
	harmless "$before"
	add "$(vhost '.name = "victim"')" "$pod2"
	added
	del "$(vhost '.name = "victim"')" "$pod2"
	deleted
}

@test "A.3: a directory above another pod's live one is not taken: 103" {
	node '{hostDirs: ["victim-ns"]}'
	add "$(vhost '.name = "victim" | .vhostUser.hostDir = "victim-ns/app"')" "$pod2"
	added
	was=$(on stat -c '%a %u:%g' "$sockets/victim-ns" "$sockets/victim-ns/app")
	before=$(outside)
	c=$(vhost '.vhostUser += {hostDir: "victim-ns", uid: 65534, gid: 65534, dirMode: "0777"}')
	add "$c"
	refused 103 "victim-ns"
	del "$c"
	deleted
	[ "$(on stat -c '%a %u:%g' "$sockets/victim-ns" "$sockets/victim-ns/app")" = "$was" ]
	harmless "$before"
}

@test "A.3: another's directory cannot be named, nor made before he comes, unless the node's file opens it" {
	add "$(vhost '.name = "victim"')" "$pod2"
	added
	before=$(outside)
	was=$(on find "$sockets" -printf '%p %m %U:%G\n' | sort)
	for dir_of in "$pod2" "$pod2/x" "{network}" "$sockets/$pod2" next "next/{containerID}"; do
		c=$(vhost ".vhostUser += {hostDir: \"$dir_of\", uid: 65534, dirMode: \"0777\"}")
		add "$c"
		refused 7 hostDirs
		del "$c"
		deleted
		add "$(vhost "del(.vhostUser) | .host = {engine: \"ovs-dpdk\", iftype: \"vhostuser\", netType: \"bridge\", vhost: {mode: \"client\"}} | .sharedDir = \"$sockets/$dir_of\"")"
		[ "$status" -eq 1 ]
	done
	[ "$(on find "$sockets" -printf '%p %m %U:%G\n' | sort)" = "$was" ]
	harmless "$before"
	node '{hostDirs: ["next"]}'
	add "$(vhost '.vhostUser.hostDir = "next/{containerID}"')"
	added
	[ "$(on ls "$sockets/next")" = "$pod" ]
}

@test "A.4: the interface with the node's default route is refused, and so is what kubelet has not given" {
	ip -n "$node" addr add 10.9.0.2/24 dev v0
	ip -n "$node" link set v0 up
	ip -n "$node" route add default via 10.9.0.1
	was=$(links "$node")
	before=$(outside)
	add "$(mine)"
	[ "$status" -eq 1 ]
	[[ $(jq -r '.msg + .details' <<<"$output") == *"default route"* ]]
	[ "$(links "$node")" = "$was" ]
	node '{devices: "kubelet"}'
	before=$(outside)
	add "$(mine '.device = "w0"')"
	[ "$status" -eq 1 ]
	[ "$(links "$node")" = "$was" ]
	harmless "$before"
}

@test "A.5: a link at the socket's place leads to no other pod's socket: the mount that the manual wants" {
	run ! on findmnt -n -o OPTIONS "$sockets"
	add "$(vhost '.name = "victim"')" "$pod2"
	added
	del "$(vhost '.name = "victim"')" "$pod2"
	call STATUS "$(vhost)"
	[ "$status" -eq 0 ]
	log_of | grep nosymfollow
	on mount -t tmpfs -o nosymfollow,mode=755,size=16m tmpfs "$sockets"
	: >"$dir/world/var/log/devinfo/devinfo.log"
	call STATUS "$(vhost)"
	[ "$status" -eq 0 ]
	run ! grep nosymfollow "$dir/world/var/log/devinfo/devinfo.log"
	add "$(vhost '.name = "victim"')" "$pod2"
	added
	on "$fake/unix_peer.py" stale vhost-user "$sockets/$pod2/net1.sock"
	was=$(on stat -c '%a %u:%g' "$sockets/$pod2/net1.sock")
	c=$(vhost '.vhostUser += {uid: 65534, gid: 65534}')
	add "$c"
	added
	on setpriv --reuid 65534 --regid 65534 --clear-groups ln -s "../$pod2/net1.sock" "$sockets/$pod/net1.sock"
	run on "$fake/unix_peer.py" connect vhost-user "$sockets/$pod/net1.sock"
	[[ $output == "Too many levels of symbolic links" ]]
	del "$c"
	deleted
	[ "$(on stat -c '%a %u:%g' "$sockets/$pod2/net1.sock")" = "$was" ]
	del "$(vhost '.name = "victim"')" "$pod2"
	deleted
}

@test "A.6: args.cni, the pod's, overrides neither mac nor resourceName; it fills what is absent" {
	before=$(outside)
	add "$(mine '.mac = "02:00:00:00:00:11" | .args.cni.mac = "02:00:00:00:00:66"')"
	refused 7 podMayOverride
	add "$(mine '.args.cni.mac = "02:00:00:00:00:66"')"
	added
	[ "$(jq -r '.interfaces[0].mac' <<<"$output")" = 02:00:00:00:00:66 ]
	del "$(mine)"
	deleted
	on "$fake/hostile.py" --mode answer --socket /var/lib/kubelet/pod-resources/kubelet.sock >"$dir/serves" 2>&1 3>&- &
	server=$!
	for _ in {1..100}; do
		! grep -q ready "$dir/serves" || break
		sleep 0.05
	done
	export CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1"
	add "$(mine 'del(.device) | .resourceName = "victim.com/vf" | .args.cni.resourceName = "example.com/vf"')"
	refused 7 podMayOverride
	c=$(mine 'del(.device) | .args.cni.resourceName = "example.com/vf"')
	add "$c"
	added
	del "$c"
	deleted
	unset CNI_ARGS
	pkill -P "$server"
	wait_for "$server"
	unset server
	on rm -f /var/lib/kubelet/pod-resources/kubelet.sock	# the server's own
	harmless "$before"
}

@test "A.7: the device-info file of another live attachment is refused: 103, and it stays" {
	add "$(vhost '.name = "victim"')" "$pod2"
	added
	file=/run/k8s.cni.cncf.io/devinfo/cni/victim-${pod2}_net1
	was=$(on sha256sum "$file")
	before=$(outside)
	c=$(vhost '.runtimeConfig.CNIDeviceInfoFile = "'"$file"'"')
	add "$c"
	refused 103 "belongs to another attachment"
	[[ $output != *"$pod2 "* ]]
	del "$c"
	deleted
	[ "$(on sha256sum "$file")" = "$was" ]
	harmless "$before"
}

@test "A.8: two sockets whose paths collide in the old 48 bits do not hinder each other" {
	node '{hostDirs: ["one"]}'
	before=$(outside)
	one=$(vhost '.vhostUser += {hostDir: "one", socket: "35c165639ee82519"}')
	two=$(vhost '.name = "other" | .vhostUser += {hostDir: "one", socket: "bd6310070d7740e4"}')
	add "$one"
	added
	add "$two" "$pod2"
	added
	del "$one"
	deleted
	[ "$(on find /var/lib/cni/devinfo/attachments -type f | wc -l)" -eq 1 ]
	del "$two" "$pod2"
	deleted
	harmless "$before"
}

@test "A.9: an error of the tenant's names nothing of another pod's; the log does" {
	add "$(mine '.name = "victim"')" "$pod2" eth9
	added
	add "$(mine)"
	[ "$status" -eq 1 ]
	for word in "$pod2" eth9 victim; do
		[[ $output != *"$word"* ]]
		log_of | grep -F 'level=error' | grep -qF "$word"
	done
	run grep -rl '"/tmp' "$top/conf/examples"
	[ "$status" -eq 1 ]
}

@test "A.11: whatever a tenant writes, the record can be read: other pods' calls go on, and nothing is put aside" {
	before=$(outside)
	odd=("$(vhost '.name = "t" | .x = ("y" * 200000)')" "$(vhost '.name = "t" | .args = {cni: {a: "\u0001\ud83d\ude00\u2028"}}')"
		"$(vhost '.name = "t" | .version = 99 | .released = true | .owner = {network: "victim"}')"
		"$(vhost '.name = "t" | .vhostUser.selinuxLabel = "u:r:t:s0"')" "$(vhost '.name = "t" | .vhostUser.socket = "a b"')")
	for c in "${odd[@]}"; do
		add "$c"
		add "$(vhost '.name = "victim"')" "$pod2"
		added
		call GC "$(vhost '.name = "victim" | ."cni.dev/valid-attachments" = [{containerID: "'"$pod2"'", ifname: "net1"}]')"
		[ "$status" -eq 0 ]
		del "$(vhost '.name = "victim"')" "$pod2"
		deleted
		del "$c"
		deleted
	done
	[ -z "$(on find /var/lib/cni/devinfo/attachments -type f)" ]
	harmless "$before"
}
