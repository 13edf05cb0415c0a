#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# socket_life.bats - vhost-user and memif: who makes the other end, and how all of it ends
#
# Switches, plugins behind the socket, device plugins' sockets; CHECK, STATUS and GC; DEL in every
# state that a pod, a killed call or a reboot leaves.
#
# rooms: cni/socket cni/switch
# bats file_tags=plain

load helpers
load socket
load kubelet

setup() { socket_up; }
teardown() { socket_down; }

# -- the other end --

@test "C-USR-16: a program makes the switch's side: it is told all of it, and asked again by DEL alone" {
	c=$(hooked "$(vhost client '.mac = "02:00:00:00:00:31" | .vlan = 7 | .trunk = [{minID: 20, maxID: 22}] | .mtu = 9000')")
	add "$c"
	added
	jq -e --arg s "$sock" --arg id "$pod" '.version == 1 and .command == "add" and .network == "net" and .containerID == $id
		and .ifname == "net1" and .type == "vhost-user" and .mode == "client" and .hostMode == "server"
		and .hostPath == $s and .hostPath == "\(.hostRoot)/\(.hostDir)/net1.sock" and .switchPath == $s and .containerPath == "/run/devinfo/sockets/net1.sock"
		and .vlan == 7 and .trunk == [20, 21, 22] and .mtu == 9000 and .mac == "02:00:00:00:00:31"' "$dir/switch.add.json"
	[ "$("$fake/unix_peer.py" connect vhost-user "$sock")" = connected ]
	del '{"cniVersion":"1.1.0","name":"net","type":"devinfo"}'
	deleted
	jq -e --arg s "$sock" '.command == "del" and .hostPath == $s and .vlan == 7 and .config.dir' "$dir/switch.del.json"
	[ "$(cut -d ' ' -f 1 "$dir/switch.log" | tr '\n' ' ')" = "add del " ]
	nothing_left
}

@test "a program that fails or hangs fails the ADD with its words, and is asked to take it back" {
	c=$(hooked "$(memif slave '.memif.id = 3')")
	echo "no bridge domain 5" >"$dir/switch.add"
	add "$c"
	[ "$status" -eq 1 ]
	[[ $output == *"no bridge domain 5"* ]]
	[ "$(cut -d ' ' -f 1 "$dir/switch.log" | tr '\n' ' ')" = "add del " ]
	jq -e '.type == "memif" and .role == "slave" and .hostRole == "master" and .memifMode == "ethernet" and .id == 3' "$dir/switch.add.json"
	nothing_left
	echo hang >"$dir/switch.add"
	within 10 add "$(jq -c '.switch.timeoutMs = 2000' <<<"$c")"
	refused 11 "$program"
	nothing_left
}

@test "C-USR-03: a program that cannot take it back keeps the record: the next DEL asks it again" {
	c=$(hooked "$(vhost server)")
	add "$c"
	added
	echo "not now" >"$dir/switch.del"
	del "$c"
	[ "$status" -eq 1 ]
	[[ $output == *"not now"* ]]
	[ "$(records)" = 1 ]
	rm "$dir/switch.del"
	del "$c"
	deleted
	nothing_left
	[ "$(cut -d ' ' -f 1 "$dir/switch.log" | tr '\n' ' ')" = "add del del " ]
}

@test "a program that cannot be run just now keeps the record, and is asked by a later DEL" {
	c=$(hooked "$(vhost server)")
	add "$c"
	added
	exec 9>>"$program"	# it is being written: ETXTBSY
	del "$c"
	exec 9>&-
	refused 11 "it is being installed"
	env_of DEL
	ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -qq -o /dev/null \
		-e trace=clone,clone3,fork,vfork -e inject=clone,clone3,fork,vfork:error=EAGAIN:when=2 "$plugin" <<<"$c"
	refused 11 "$program"
	chmod g+w "$programs"
	del "$c"
	chmod g-w "$programs"
	refused 7 "every DEL asks it again, until there is no such file"
	chmod -x "$program"
	del "$c"
	chmod +x "$program"
	refused 7 "$program"
	node_conf '{socketDir: "\($d)/s"}'
	del "$c"
	refused 7 "expected it in switchPrograms"
	[ "$(records)" = 1 ]
	[ "$(cut -d ' ' -f 1 "$dir/switch.log" | tr '\n' ' ')" = "add " ]
	node_conf '{socketDir: "\($d)/s", switchPrograms: ["'"$program"'"]}'
	del "$c"
	deleted
	nothing_left
	[ "$(cut -d ' ' -f 1 "$dir/switch.log" | tr '\n' ' ')" = "add del " ]
}

@test "a program that was uninstalled keeps no pod: DEL and GC do without, be it listed or not" {
	c=$(hooked "$(vhost server)")
	pod_add "$pod2"
	for name in "$pod" "$pod2"; do
		add "$c" "$name"
		added
	done
	rm "$program"
	env_of DEL
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$c"
	[ "$status" -eq 0 ]
	grep -q 'level=warning.*the switch program is not there any more' "$dir/log"
	[ "$(records)" = 1 ]
	node_conf '{socketDir: "\($d)/s"}'
	rmdir "$programs"
	ip netns del "$pod2"
	run --separate-stderr env CNI_COMMAND=GC CNI_PATH="$CNI_PATH" ip netns exec "$node" timeout 60 "$plugin" \
		<<<"$(jq -c '."cni.dev/valid-attachments" = []' <<<"$c")"
	[ "$status" -eq 0 ]
	nothing_left
}

# told VERB - the namespace, in the environment and in the request
told() { echo "$(<"$dir/switch.$1.env") $(jq -r '.netns // "none"' "$dir/switch.$1.json")"; }

@test "a program is told the namespace of the ADD, and none once its path is another's" {
	c=$(hooked "$(vhost server)")
	add "$c"
	added
	result=$output
	[ "$(told add)" = "ADD /run/netns/$pod /run/netns/$pod" ]
	check "$c" "$result"
	deleted
	[ "$(told check)" = "CHECK /run/netns/$pod /run/netns/$pod" ]
	del "$c" "$pod" net1 ""
	deleted
	[ "$(told del)" = "DEL /run/netns/$pod /run/netns/$pod" ]
	add "$c"
	added
	result=$output
	: >"$dir/ns"	# the container's own, by another name
	mount --bind "/run/netns/$pod" "$dir/ns"
	ip netns del "$pod"
	ip netns add "$pod"
	check "$c" "$(jq -c 'del(.interfaces[].sandbox)' <<<"$result")" "$pod" net1 "$dir/ns"
	umount "$dir/ns"
	deleted
	[ "$(told check)" = "CHECK  none" ]
	del "$c" "$pod" net1 ""
	deleted
	[ "$(told del)" = "DEL  none" ]
	nothing_left
}

@test "C-USR-16: delegates come behind the socket: they get our result, and a DEL before the socket goes" {
	fake11_up
	c=$(vhost server '.delegates = [{type: "one", x: 1}, {type: "two"}]')
	add "$c"
	added
	jq -e --arg s "$sock" '.prevResult.interfaces[0].socketPath == $s and .x == 1' "$FAKE11/one.ADD.json"
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sock" ]
	result=$output
	check "$c" "$result"
	deleted
	del "$c"
	deleted
	[ "$(cut -d ' ' -f 1,2 "$FAKE11/calls.log" | grep -v CHECK | tr '\n' ',')" = "one ADD,two ADD,two DEL,one DEL," ]
	jq -e --arg s "$sock" '.prevResult.interfaces[0].socketPath == $s' "$FAKE11/two.DEL.json"
	nothing_left
	echo "120 out of ports" >"$FAKE11/two.ADD"
	add "$c"
	[ "$status" -eq 1 ]
	[[ $output == *"out of ports"* ]]
	[ "$(tail -n 1 "$FAKE11/calls.log" | cut -d ' ' -f 1,2)" = "one DEL" ]
	nothing_left
}

# behind SOCKET-CONF - the stand-in for the switch, and two plugins behind the socket that it makes
behind() {
	fake11_up
	c=$(hooked "$1" '.delegates = [{type: "one"}, {type: "two"}]')
	add "$c"
	added
	[ -S "$sock" ]
	: >"$FAKE11/calls.log"
}

# asked PLUGINS SWITCH - so far, in this order
asked() {
	[ "$(cut -d ' ' -f 1,2 "$FAKE11/calls.log" | tr '\n' ',')" = "$1" ] || { cat "$FAKE11/calls.log" && return 1; }
	[ "$(cut -d ' ' -f 1 "$dir/switch.log" | tr '\n' ' ')" = "$2" ] || { cat "$dir/switch.log" && return 1; }
}

@test "C-DEL-01: a plugin behind the socket that fails its DEL keeps the record, not the socket" {
	behind "$(vhost client)"
	echo '123 out of order' >"$FAKE11/two.DEL"
	plugins=two\ DEL,one\ DEL, switch='add del '
	for _ in 1 2; do
		del "$c"
		refused 123 'plugin two: out of order'
		asked "$plugins" "$switch"
		[ ! -e "$sock" ]
		[ ! -e "$home" ]
		[ "$(records)" = 1 ]
		plugins+=two\ DEL, switch+='del '	# both are asked again: the record is all there is
	done
	rm "$FAKE11/two.DEL"
	del "$c"
	deleted
	asked "$plugins" "$switch"
	nothing_left
}

@test "C-DEL-01: a switch that fails its DEL keeps no plugin from its own, all errors are told" {
	behind "$(vhost client)"
	echo '123 out of order' >"$FAKE11/one.DEL"
	echo "not now" >"$dir/switch.del"
	del "$c"
	[ "$status" -eq 1 ]
	[[ $output == *"plugin one: out of order"* ]]
	[[ $output == *"not now"* ]]
	asked "two DEL,one DEL," "add del "
	[ "$(records)" = 1 ]
	rm "$FAKE11/one.DEL"
	del "$c"
	[ "$status" -eq 1 ]
	[[ $output != *"out of order"* ]]
	[[ $output == *"not now"* ]]
	asked "two DEL,one DEL,one DEL," "add del del "
	rm "$dir/switch.del"
	del "$c"
	deleted
	asked "two DEL,one DEL,one DEL," "add del del del "
	nothing_left
}

@test "an ADD that fails before its delegates run asks none of them to take back anything" {
	fake11_up
	c=$(hooked "$(vhost server '.delegates = [{type: "one"}]')")
	echo "no bridge domain 5" >"$dir/switch.add"
	add "$c"
	[ "$status" -eq 1 ]
	[[ $output == *"no bridge domain 5"* ]]
	[ ! -e "$FAKE11/calls.log" ]
	nothing_left
}

@test "kill -9 while a plugin behind the socket runs, and its directory was planned twice: DEL asks it" {
	fake11_up
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under strace
	c=$(vhost server '.delegates = [{type: "one"}]')
	echo wait >"$FAKE11/one.ADD"
	env_of ADD
	# stopped when its record is written, which says that the directory is to be made
	ip netns exec "$node" strace -qq -o /dev/null -e trace=linkat -e inject=linkat:signal=STOP:when=1 \
		"$plugin" <<<"$c" >"$dir/out" 2>"$dir/err" 3>&- &
	peers+=($!)
	for _ in {1..400}; do
		adding=$(pgrep -P "${peers[0]}") && [ "$(records)" = 1 ] &&
			grep -q '^State:.*stop' "/proc/$adding/status" && break
		sleep 0.05
	done
	[ "$(records)" = 1 ]
	mkdir "$home"
	kill -CONT "$adding"
	for _ in {1..400}; do
		! grep -qs 'one ADD' "$FAKE11/calls.log" || break
		sleep 0.05
	done
	kill -KILL "$adding"
	wait_for "${peers[0]}"
	[ "$(jq .socket.made "$dir"/state/attachments/*)" = 0 ]	# it was written again
	rm "$FAKE11/one.ADD"
	del "$c"
	deleted
	[ "$(cut -d ' ' -f 1,2 "$FAKE11/calls.log" | tr '\n' ',')" = "one ADD,one DEL," ]
	rmdir "$home"	# another's by then
	nothing_left
}

# dp JSON - the device plugin's file of example.com/sock, device s0
dp() {
	mkdir -p "$dir/devinfo/dp"
	echo "$1" >"$dir/devinfo/dp/example.com-sock-s0-device.json"
}

@test "a device plugin's socket is taken as it is: told, awaited, left alone" {
	mkdir "$dir/dp"
	dp '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"client","path":"'"$dir/dp/a.sock"'"}}'
	c='{"cniVersion":"1.1.0","name":"net","type":"devinfo","resourceName":"example.com/sock","deviceID":"s0"}'
	soon 0.3 "$dir/dp" listen vhost-user "$dir/dp/a.sock"
	before=$(stat -c %a "$dir/dp")
	add "$c"
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$dir/dp/a.sock" ]
	[ "$(info '."vhost-user".mode + " " + ."vhost-user".path')" = "client $dir/dp/a.sock" ]
	check "$c" "$output"
	deleted
	# nobody else gets it
	pod_add "$pod2"
	add "$c" "$pod2"
	refused 11 "device $dir/dp/a.sock belongs to another attachment"
	del "$c"
	deleted
	[ "$("$fake/unix_peer.py" connect vhost-user "$dir/dp/a.sock")" = connected ]
	[ "$(stat -c %a "$dir/dp")" = "$before" ]
	nothing_left
}

@test "a device plugin's socket and the configuration agree, or the ADD is refused" {
	dp '{"type":"memif","version":"1.1.0","memif":{"role":"master","path":"/run/dp/m.sock","mode":"ip"}}'
	with='.resourceName = "example.com/sock" | .deviceID = "s0"'
	add "$(memif slave "$with")"
	refused 7 "the device plugin says that it is 'master'"
	add "$(vhost server "$with")"
	refused 7 "the device plugin says that 's0' is of type memif"
	add "$(memif master "$with"' | .memif.mode = "ethernet"')"
	refused 7 "the device plugin says 'ip'"
	add "$(memif master "$with"' | .memif.mode = "ip" | .memif.secret = "s"')"
	refused 7 "secret"
	add "$(memif master "$with"' | .memif.mode = "ip" | .memif.containerDir = "/run/pod"')"
	added
	[ "$(info '.memif.role + " " + .memif.path + " " + .memif.mode')" = "master /run/pod/m.sock ip" ]
	del "$(memif master)"
	deleted
	dp '{"type":"memif","version":"1.1.0","memif":{"role":"master","path":"/run/a,b","mode":"ip"}}'
	add "$(memif master "$with")"
	refused 106 "path in the device plugin's file"
	dp '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:65:00.1"}}'
	add "$(memif master "$with")"
	refused 102 "is of type pci"
	nothing_left
}

@test "the file that Multus has copied says it, when no resource is named; DEL leaves none" {
	mkdir -p "$dir/devinfo/cni"
	own=$dir/devinfo/cni/own-$pod
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/dp/v.sock"}}' >"$own"
	c='{"cniVersion":"1.1.0","name":"net","type":"devinfo","runtimeConfig":{"deviceID":"s0","CNIDeviceInfoFile":"'"$own"'"}}'
	add "$c"
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = /run/dp/v.sock ]
	[ "$(jq -r '."vhost-user".mode' "$own")" = server ]
	del "$c"
	deleted
	nothing_left
}

@test "a socket that devinfod has given is the one of its id: owner and mode as the network says, and no other's" {
	slot=$dir/s/_dp/example.com
	mkdir -p "$slot/s0" "$slot/s1"
	chmod 2770 "$slot/s0" "$slot/s1"
	dp '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"'"$slot/s0/socket"'"}}'
	c=$(vhost server '.resourceName = "example.com/sock" | .deviceID = "s0" | .vhostUser += {uid: 7, gid: 8, dirMode: "0750"}')
	# what an application of before has left
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$slot/s0/socket"
	add "$c"
	added
	[ "$(info '."vhost-user".mode + " " + ."vhost-user".path')" = "server $slot/s0/socket" ]
	[ "$(stat -c '%u %g %a' "$slot/s0")" = "7 8 750" ]
	[ ! -e "$slot/s0/socket" ]
	check "$c" "$output"
	[ "$status" -eq 0 ]
	pod_add "$pod2"
	add "$c" "$pod2"
	refused 11 "belongs to another attachment"
	del "$c"
	deleted
	# devinfod made the directory, and ends it
	[ -d "$slot/s0" ]
	# what its pod writes there is bounded, as in directories of ours; another socket's does not count
	sockets_conf '{socketDirMaxBytes: 500000}'
	head -c 600000 /dev/zero >"$slot/s1/full"
	add "$c"
	added
	del "$c"
	deleted
	mv "$slot/s1/full" "$slot/s0"
	add "$c"
	refused 11 "directory '$slot/s0' has at least"
	rm "$slot/s0/full"
	sockets_conf '{}'
	# the file of one leads to no other one
	dp '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"'"$slot/s1/socket"'"}}'
	add "$c"
	added
	[[ $(info '."vhost-user".path') != *_dp* ]]
	[ "$(stat -c '%u %g %a' "$slot/s1")" = "0 0 2770" ]
	del "$c"
	deleted
	# nor does a network
	add "$(vhost server '.vhostUser.hostDir = "_dp/example.com/s1"')"
	refused 7 "below '_dp' are the sockets that devinfod gives to pods"
}

@test "a leftover file about a socket makes no socket of a device of this node" {
	mkdir -p "$dir/devinfo/cni"
	own=$dir/devinfo/cni/own-$pod
	ip -n "$node" link add s0 type veth peer name s1
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/dp/v.sock"}}' >"$own"
	c='{"cniVersion":"1.1.0","name":"net","type":"devinfo","runtimeConfig":{"deviceID":"s0","CNIDeviceInfoFile":"'"$own"'"}}'
	add "$c"
	added
	[ "$(jq '.interfaces[0] | has("socketPath")' <<<"$output")" = false ]
	[ "$(ip -n "$pod" -br link show net1 | wc -l)" -eq 1 ]
	[ "$(jq '.[0] | has("device-info")' "$dir/run/status/$pod.json")" = false ]
	del "$c"
	deleted
	ip -n "$node" link show s0
}

@test "an id that a socket of another pod has, alive or dead, is not that socket" {
	mkdir -p "$dir/devinfo/cni"
	pod_add "$pod2"
	for n in a-$pod b-$pod2; do
		echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/dp/'${n%%-*}'.sock"}}' >"$dir/devinfo/cni/$n"
	done
	with() { echo '{"cniVersion":"1.1.0","name":"net","type":"devinfo","runtimeConfig":{"deviceID":"s0","CNIDeviceInfoFile":"'"$dir/devinfo/cni/$1"'"}}'; }
	add "$(with "a-$pod")"
	added
	add "$(with "b-$pod2")" "$pod2"
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = /run/dp/b.sock ]
	ip netns del "$pod"
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/dp/a.sock"}}' >"$dir/devinfo/cni/c-$pod2"
	add "$(with "c-$pod2")" "$pod2" net2
	added
	[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = /run/dp/a.sock ]
	del "$(with "c-$pod2")" "$pod2" net2
	deleted
	del "$(with "b-$pod2")" "$pod2"
	deleted
	del "$(with "a-$pod")"
	deleted
	nothing_left
}

@test "kubelet says which socket is the pod's: a resource without a device id" {
	mkdir "$dir/dp"
	dp '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"client","path":"'"$dir/dp/a.sock"'"}}'
	sed 's/a[.]sock/b.sock/' "$dir/devinfo/dp/example.com-sock-s0-device.json" >"$dir/devinfo/dp/example.com-sock-s1-device.json"
	jq -n '{pod_resources: [{name: "p1", namespace: "default", containers: [{name: "c", devices: [
		{resource_name: "example.com/sock", device_ids: ["s1"]}]}]}]}' >"$dir/pods.json"
	peer listen vhost-user "$dir/dp/b.sock"
	kubelet ok
	peers+=("$server")
	export CNI_ARGS="IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u1"
	c='{"cniVersion":"1.1.0","name":"net","type":"devinfo","resourceName":"example.com/sock"}'
	for c in "$c" "$(jq -c '.vhostUser = {containerDir: "/run/pod"}' <<<"$c")"; do
		add "$c"
		added
		[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$dir/dp/b.sock" ]
		[ "$(info '."vhost-user".path')" = "$(jq -r --arg d "$dir/dp" '.vhostUser.containerDir // $d' <<<"$c")/b.sock" ]
		check "$c" "$output"
		deleted
		del "$c"
		deleted
		nothing_left
	done
	[ "$("$fake/unix_peer.py" connect vhost-user "$dir/dp/b.sock")" = connected ]
	serve_stop
	CNI_ARGS="K8S_POD_NAMESPACE=default;K8S_POD_NAME=p1;K8S_POD_UID=u2" add "$(jq -c '.podResourcesTimeoutMs = 300' <<<"$c")"
	[ "$status" -eq 1 ]
	nothing_left
}

# -- CHECK, STATUS, GC --

@test "C-USR-09: CHECK tells what differs: directory, socket, secret, device-info" {
	c=$(hooked "$(memif slave '.memif += {secret: "s3", gid: 1000}')")
	add "$c"
	added
	result=$output
	check "$c" "$result"
	deleted
	chmod 00700 "$home"
	check "$c" "$result"
	refused 101 "mode of the directory: expected 2770, got 0700"
	chmod 02770 "$home"
	chown 5:6 "$home"
	check "$c" "$result"
	refused 101 "gid of the directory: expected 1000, got 6"
	chown 0:1000 "$home"
	chmod 02770 "$home"
	rm "$sock.secret"
	check "$c" "$result"
	refused 101 "secret"
	echo s3 >"$sock.secret"
	chmod 0600 "$sock"
	check "$c" "$result"
	refused 101 "mode of the socket: expected 0660, got 0600"
	chmod 0660 "$sock"
	check "$c" "$result"
	deleted
	kill -KILL "$(<"$dir"/switch-*.pid)"
	sleep 0.1
	check "$c" "$result"
	refused 101 "socket '$sock' is there, but nobody listens"
	rm "$sock"
	check "$c" "$result"
	refused 101 "socket '$sock' is not there"
	echo '{}' >"$dir/devinfo/cni/net-${pod}_net1"
	check "$c" "$result"
	refused 101 "device-info"
	rm -r "$home"
	check "$c" "$result"
	refused 101 "is gone"
	del "$c"
	deleted
	nothing_left
}

@test "STATUS: directory of sockets and switch's program could serve, or code 50" {
	c=$(hooked "$(vhost server)")
	status_of "$c"
	deleted
	chmod g+w "$program"
	status_of "$c"
	refused 50 "$program"
	chmod g-w "$program"
	make_read_only "$sockets"
	status_of "$c"
	refused 50 "$sockets"
	umount "$sockets"
	sockets_conf '{ovsDb: "\($d)/none"}'
	status_of "$(vhost server '.switch = {type: "ovs", bridge: "br0"}')"
	refused 50 ""
}

@test "C-USR-20: GC: what a dead attachment has left goes, what lives stays" {
	c=$(hooked "$(vhost server)")
	pod_add "$pod2"
	add "$c"
	added
	add "$c" "$pod2"
	added
	ip netns del "$pod"
	gc "$c" '[{"containerID":"'"$pod2"'","ifname":"net1"}]'
	deleted
	[ ! -e "$home" ]
	[ -d "$sockets/$pod2" ]
	[ "$(records)" = 1 ]
	[ "$(tail -n 1 "$dir/switch.log")" = "del $pod/net1" ]
	del "$c" "$pod2"
	deleted
	nothing_left
}

# -- its end --

@test "C-USR-05: a failure of each later step is undone: IPAM, the wait, the answer" {
	c=$(hooked "$(vhost server '.ipam = {type: "fake"}')")
	rm "$dir/bin/fake"
	printf '#!/bin/sh\necho "{\\"code\\":99,\\"msg\\":\\"no addresses\\"}"; exit 1\n' >"$dir/bin/fake"
	chmod +x "$dir/bin/fake"
	add "$c"
	[ "$status" -eq 1 ]
	[[ $output == *"no addresses"* ]]
	[ "$(tail -n 1 "$dir/switch.log")" = "del $pod/net1" ]
	nothing_left
	rm "$dir/bin/fake"
	ln -s "$fake/ipam.sh" "$dir/bin/fake"
	add "$(vhost client '.ipam = {type: "fake"} | .vhostUser.waitMs = 100')"
	refused 11 "is not there"
	[ "$(leases)" = 0 ]
	nothing_left
	env_of ADD
	in_node timeout 60 "$plugin" <<<"$c" >/dev/full || true
	[ "$(leases)" = 0 ]
	nothing_left
}

# count_changes CONF - that an ADD makes, into $total
count_changes() {
	env_of ADD
	in_node timeout 60 "$sysfault" changes count "$plugin" <<<"$1" >/dev/null 3>"$dir/count"
	total=$(<"$dir/count")
	echo "# $total changes" >&3
	del "$1"
	deleted
}

@test "kill -9 at each change that ADD makes: DEL puts everything back, and the next ADD works" {
	local sysfault=${BUILD:-$top/build}/tests/tool/sysfault n total
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	c=$(hooked "$(memif master '.memif += {secret: "s", hostDir: "a/b/{containerID}", uid: 1000}')")
	mkdir "$sockets/a"
	add "$c"	# our own directories are made once
	added
	del "$c"
	deleted
	count_changes "$c"
	[ "$total" -ge 8 ]
	for ((n = 1; n <= total; n++)); do
		env_of ADD
		run in_node timeout 60 "$sysfault" changes kill "$n" "$plugin" <<<"$c"
		[ "$status" -gt 128 ]
		del "$c"
		[ "$status" -eq 0 ] || { echo "at $n: $output$stderr" && return 1; }
		rmdir "$sockets/a" || { find "$sockets" && return 1; }
		nothing_left || { echo "at $n" && return 1; }
		mkdir "$sockets/a"
	done
	for ((n = 1; n <= total; n++)); do	# and an ADD does what DEL would have done
		env_of ADD
		run in_node timeout 60 "$sysfault" changes kill "$n" "$plugin" <<<"$c"
		env_of ADD
		run --separate-stderr in_node timeout 60 "$plugin" <<<"$c"
		[ "$status" -eq 0 ] || [ "$n" = "$total" ] || { echo "at $n: $output$stderr" && return 1; }
		del "$c"
		[ "$status" -eq 0 ]
	done
	rmdir "$sockets/a"
	nothing_left
}

@test "each change that ADD makes fails once: one error, everything rolled back" {
	local sysfault=${BUILD:-$top/build}/tests/tool/sysfault n total failed=0
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	c=$(hooked "$(memif master '.memif += {secret: "s", hostDir: "b/{containerID}", uid: 1000}')")
	add "$c"
	added
	del "$c"
	deleted
	count_changes "$c"
	for ((n = 1; n <= total; n++)); do
		env_of ADD
		run --separate-stderr in_node timeout 60 "$sysfault" changes fail "$n" 5 "$plugin" <<<"$c"
		if [ "$status" -eq 0 ]; then	# it could do without
			del "$c"
			deleted
		elif [ -n "$output" ]; then	# the last is the writing of the answer
			jq -es 'length == 1 and .[0].code > 0' <<<"$output" >/dev/null || { echo "at $n: $output" && return 1; }
		fi
		[ "$status" -eq 0 ] || failed=$((failed + 1))
		nothing_left || { echo "at $n" && return 1; }
	done
	echo "# $failed failed" >&3
	[ "$failed" -ge 6 ]
}

@test "kill -9 at each change that DEL makes: the next DEL does the rest" {
	local sysfault=${BUILD:-$top/build}/tests/tool/sysfault n
	export ASAN_OPTIONS=detect_leaks=0	# it cannot work under ptrace
	c=$(hooked "$(memif slave '.memif.secret = "s"')")
	for ((n = 1; n < 40; n++)); do
		add "$c"
		added
		env_of DEL
		run in_node timeout 60 "$sysfault" changes kill "$n" "$plugin" <<<"$c"
		[ "$status" -ne 0 ] || break
		del "$c"
		[ "$status" -eq 0 ] || { echo "at $n: $output$stderr" && return 1; }
		nothing_left || { echo "at $n" && return 1; }
	done
	echo "# $((n - 1)) changes" >&3
	[ "$n" -gt 5 ]
	[ "$n" -lt 40 ]
}

@test "DEL after a reboot, with /run empty, is clean, and still asks the switch" {
	c=$(hooked "$(vhost server '.ipam = {type: "fake"}')")
	add "$c"
	added
	reboot
	ip netns del "$pod"
	del "$c"
	deleted
	[ "$(tail -n 1 "$dir/switch.log")" = "del $pod/net1" ]
	[ "$(records)" = 0 ]
	[ "$(leases)" = 0 ]
	del "$c"
	deleted
}

@test "GC after a reboot, with /run empty, is clean, and still asks the switch" {
	c=$(hooked "$(vhost server)")
	add "$c"
	added
	reboot
	ip netns del "$pod"
	gc "$c" '[]'
	deleted
	[ "$(tail -n 1 "$dir/switch.log")" = "del $pod/net1" ]
	[ "$(records)" = 0 ]
}

@test "a late DEL of a dead sandbox leaves the new sandbox's socket alone: it has the same path" {
	export CNI_ARGS="K8S_POD_UID=u-7"
	c=$(hooked "$(vhost server)")
	sock=$sockets/u-7/net1.sock
	add "$c"
	added
	ip netns del "$pod"
	pod_add "$pod2"
	add "$c" "$pod2"
	added
	[ "$(tr '\n' ',' <"$dir/switch.log")" = "add $pod/net1,del $pod/net1,add $pod2/net1," ]
	peer listen vhost-user "$sock"
	del "$c"
	deleted
	[ "$("$fake/unix_peer.py" connect vhost-user "$sock")" = connected ]
	[ "$(mode_of "$sockets/u-7")" = "2770 0:0" ]
	[ "$(wc -l <"$dir/switch.log")" = 3 ]
	[ "$(info .type "$pod2")" = vhost-user ]
	kill -KILL "$peer"
	del "$c" "$pod2"
	deleted
	nothing_left
}

@test "the same after a reboot: the record of the boot before does not touch today's socket" {
	export CNI_ARGS="K8S_POD_UID=u-8"
	c=$(hooked "$(vhost server)")
	add "$c"
	added
	sed -i 's/"bootID":"[^"]*"/"bootID":"00000000-0000-0000-0000-000000000000"/' "$dir"/state/attachments/*
	pod_add "$pod2"
	add "$c" "$pod2"
	added
	peer listen vhost-user "$sockets/u-8/net1.sock"
	del "$c"
	deleted
	[ "$("$fake/unix_peer.py" connect vhost-user "$sockets/u-8/net1.sock")" = connected ]
	kill -KILL "$peer"
	del "$c" "$pod2"
	deleted
	nothing_left
}

@test "C-USR-02: net1 never matches net10, and the directory that both use goes with the last of them" {
	c=$(vhost server)
	for ifname in net1 net10 net11 net; do
		add "$c" "$pod" "$ifname"
		added
		"$fake/unix_peer.py" stale vhost-user "$home/$ifname.sock"
	done
	del "$c" "$pod" net1
	deleted
	[ "$(ls "$home" | tr '\n' ' ')" = "net.sock net10.sock net11.sock " ]
	[ "$(ls "$dir/devinfo/cni" | wc -l)" = 3 ]
	rm "$home"/*
	del "$c" "$pod" net
	deleted
	[ "$(mode_of "$home")" = "2770 0:0" ]	# empty, but the others' applications will bind there
	del "$c" "$pod" net10
	deleted
	del "$c" "$pod" net11
	deleted
	nothing_left
}

@test "two ADDs at once on one path: one has it, the other is told to try again" {
	c=$(vhost server '.vhostUser += {hostDir: "shared", socket: "one.sock"}')
	pod_add "$pod2"
	for name in "$pod" "$pod2"; do
		env_of ADD "$name"
		in_node timeout 60 "$plugin" <<<"$c" >"$dir/out.$name" 2>/dev/null 3>&- &
		peers+=($!)
	done
	wait "${peers[@]}" || true
	[ "$(cat "$dir"/out.* | jq -s 'map(select(.interfaces)) | length')" = 1 ]
	[ "$(cat "$dir"/out.* | jq -s 'map(select(.code == 11)) | length')" = 1 ]
	[ "$(records)" = 1 ]
	for name in "$pod" "$pod2"; do
		del "$c" "$name"
		deleted
	done
	nothing_left
}

# started VERB IFNAME - in the background, its output in out.IFNAME; all_end waits: each has succeeded
started() {
	env_of "$1" "$pod" "$2"
	in_node timeout 60 "$plugin" <<<"$c" >"$dir/out.$2" 2>/dev/null 3>&- &
	peers+=($!)
}

all_end() {
	local pid
	for pid in "${peers[@]}"; do
		wait "$pid" || { cat "$dir"/out.* && return 1; }
	done
	peers=()
}

@test "ADDs and DELs of one pod at once, in one directory: it is there as long as one needs it" {
	c=$(vhost server)
	for _ in 1 2 3 4 5; do
		for ifname in a b c d; do
			started ADD "$ifname"
		done
		all_end
		[ "$(records)" = 4 ]
		started DEL a
		started ADD e
		all_end
		for ifname in b c d e; do
			[ "$(jq -r '.interfaces[0].socketPath' "$dir/out.$ifname")" = "$home/$ifname.sock" ]
		done
		[ "$(records)" = 4 ]
		[ "$(mode_of "$home")" = "2770 0:0" ]
		for ifname in b c d e; do
			del "$c" "$pod" "$ifname"
			deleted
		done
		nothing_left
	done
}

# outside - what a pod's links lead to, as text
outside() { (cd "$dir/outside" && find . -printf '%p %y %m %U %s\n' | sort && cat victim); }

@test "a pod's directory goes with all that is in it, and no link in it is followed" {
	mkdir -p "$dir/outside/d"
	echo precious >"$dir/outside/victim"
	before=$(outside)
	for verb in DEL GC; do
		add "$(vhost server '.vhostUser.hostDir = "up/{containerID}"')"
		added
		home=$sockets/up/$pod
		mkdir -p "$home/a/b/c" "$home/.h" "$home"/$'odd\nname'
		ln -s "$dir/outside" "$home/out"
		ln -s "$dir/outside" "$home/a/b/out"
		ln -s "$dir/outside/victim" "$home/net1.sock"
		ln "$dir/outside/victim" "$home/a/hard"
		mkfifo "$home/a/b/fifo"
		echo rubbish | tee "$home/f" "$home/a/f" "$home/a/b/c/f" >"$home/.h/f"
		chown -R 1000 "$home"
		chown 0 "$dir/outside/victim"
		chmod 000 "$home/a"
		if [ "$verb" = DEL ]; then
			del "$(vhost server)"
		else
			ip netns del "$pod"
			gc "$(vhost server)" '[]'
		fi
		deleted
		nothing_left
		[ "$(outside)" = "$before" ]
	done
}

@test "rubbish that takes long to remove keeps nobody waiting: its directory is set aside, and removed by later calls" {
	add "$(vhost server)"
	added
	(cd "$home" && mkdir a && cd a && seq 900 | xargs touch)
	pod_add "$pod2"
	add "$(vhost server '.name = "other"')" "$pod2"
	added
	env_of DEL
	ASAN_OPTIONS=detect_leaks=0 run --separate-stderr in_node timeout 60 strace -qq -o /dev/null -e trace=unlinkat \
		-e inject=unlinkat:delay_enter=2000 "$plugin" <<<"$(vhost server)"
	deleted
	[ ! -e "$home" ]
	grep -q "level=warning.*not removed in time.*directory=$home " "$dir/log"
	left=$(find "$sockets" -mindepth 1 -maxdepth 1 -name '.devinfo-left-*')
	[ -n "$left" ]
	del "$(vhost server '.name = "other"')" "$pod2"
	deleted
	for _ in {1..20}; do
		[ -n "$(find "$sockets" -mindepth 1)" ] || break
		gc "$(vhost server)" '[]'
		deleted
	done
	nothing_left
}

@test "what was there before, and what is beside it, is not cleaned up" {
	mkdir "$home" "$sockets/up"
	echo mine >"$home/of-the-pod"
	add "$(vhost server)"
	added
	add "$(vhost server '.name = "other" | .vhostUser.hostDir = "up/x"')" "$pod" net2
	added
	echo mine >"$sockets/up/file"
	del "$(vhost server)"
	deleted
	del "$(vhost server '.name = "other"')" "$pod" net2
	deleted
	[ "$(<"$home/of-the-pod")" = mine ]
	[ "$(ls "$sockets/up")" = file ]
	[ "$(records)" = 0 ]
}

@test "what is mounted in a pod's directory stays, with a warning; the rest goes" {
	mkdir "$dir/outside"
	echo precious >"$dir/outside/victim"
	add "$(vhost server)"
	added
	mkdir -p "$home"/{bind,a/deep,b/c}
	mount --bind "$dir/outside" "$home/bind"
	mount -t tmpfs tmpfs "$home/a/deep"
	touch "$home/a/deep/f"
	touch "$home/b/c/f"
	: >"$dir/log"
	del "$(vhost server)"
	[ -e "$home/a/deep/f" ]
	umount "$home/bind" "$home/a/deep"
	deleted
	grep -q 'level=warning.*not empty.*kept' "$dir/log"
	[ "$(records)" = 0 ]
	[ ! -e "$home/b" ]
	[ "$(<"$dir/outside/victim")" = precious ]
}

@test "pods that fill the file system of their directories, and die, leave it as empty as it was" {
	mount -t tmpfs -o size=1m,nr_inodes=40,mode=755 tmpfs "$sockets"
	c=$(memif master '.memif.secret = "s"')
	pod_add "$pod2"
	for name in "$pod" "$pod2"; do
		add "$c" "$name"
		added
	done
	head -c 2m /dev/zero >"$home/fill" 2>/dev/null || true
	for i in {1..40}; do
		mkdir "$sockets/$pod2/$i" 2>/dev/null || break
	done
	add "$c" "$pod" net2
	refused 5 "No space left on device"
	ip netns del "$pod"
	del "$c"
	[ ! -e "$home" ]
	deleted
	ip netns del "$pod2"
	gc "$c" '[]'
	deleted
	pod_add "$pod"
	add "$c"
	added
	del "$c"
	deleted
	nothing_left
	umount "$sockets"
}

@test "what a pod puts in the socket's place is not followed, not given an owner, and ends with its directory" {
	: >"$dir/victim"
	chmod 0600 "$dir/victim"
	peer listen vhost-user "$dir/real"
	for make in 'ln -s "$dir/victim" "$sock"' 'ln -s "$dir/real" "$sock"' 'echo x >"$sock"' 'mkfifo "$sock"' 'mkdir "$sock"'; do
		add "$(vhost server '.vhostUser += {uid: 1000, gid: 1000}')"
		added
		result=$output
		eval "$make"
		check "$(vhost server '.vhostUser += {uid: 1000, gid: 1000}')" "$result"
		refused 101 "is not a socket"
		env_of DEL
		run --separate-stderr in_node timeout 60 "$plugin" <<<"$(vhost server)"
		[ "$status" -eq 0 ]
		[ ! -e "$home" ]
		# an application that connects, and waits for it: ADD finds it while it waits (11), or, on a
		# machine that is busy, before that (103)
		{ for _ in {1..300}; do [ ! -d "$home" ] || break; sleep 0.01; done; sleep 0.1; eval "$make"; } 3>&- &
		add "$(vhost client '.vhostUser += {uid: 1000, waitMs: 5000}')"
		code=$(jq .code <<<"$output")
		[[ $code =~ ^(11|103)$ ]]
		refused "$code" "is not a socket"
		rm -rf "$home"
	done
	[ "$(mode_of "$dir/victim")" = "600 0:0" ]
	[ "$(stat -c %u "$dir/real")" = 0 ]
	[ "$(records)" = 0 ]
}

@test "a directory that a pod replaces by a link meanwhile is not followed by DEL" {
	mkdir "$dir/outside" "$sockets/up"
	"$fake/unix_peer.py" stale vhost-user "$dir/outside/net1.sock"
	add "$(vhost server '.vhostUser.hostDir = "up/{containerID}"')"
	added
	rmdir "$sockets/up/$pod"
	ln -s "$dir/outside" "$sockets/up/$pod"
	env_of DEL
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(vhost server)"
	[ "$status" -eq 0 ]
	grep -q 'level=warning.*kept' "$dir/log"
	[ -S "$dir/outside/net1.sock" ]
	[ -L "$sockets/up/$pod" ]
	[ "$(records)" = 0 ]
}

@test "nothing that is put in a pod's directory, or its place, keeps a DEL or a GC from its end" {
	c=$(memif master '.memif += {secret: "s", hostDir: "up/{containerID}", uid: 1000}')
	home=$sockets/up/$pod sock=$home/net1.sock kept=
	for make in 'rm "$sock.secret"; mkdir -p "$sock.secret/x"' 'ln -sf /etc/passwd "$sock.secret"' \
			'rm "$sock.secret"; mkfifo "$sock.secret"' 'mkdir -p "$sock/x"' kept \
			'rm -r "$home"; : >"$home"' 'rm -r "$sockets/up"; ln -s "$dir/outside" "$sockets/up"' \
			'rm -r "$sockets/up"; : >"$sockets/up"'; do
		if [ "$make" = kept ]; then	# from here on it is not in what we have made
			kept=yes
			continue
		fi
		for verb in DEL GC; do
			rm -rf "$sockets/up" "$dir/outside"
			mkdir -p "$dir/outside/$pod"
			: >"$dir/log"
			add "$c"
			added
			eval "$make"
			if [ "$verb" = DEL ]; then
				del "$c"
			else
				ip netns del "$pod"
				gc "$c" '[]'
				pod_add "$pod"
			fi
			deleted
			[ "$(records)" = 0 ]
			if [ "$kept" ]; then
				grep -q 'level=warning.*kept' "$dir/log"
				add "$c"
				[ "$status" -eq 1 ]
				[ "$(records)" = 0 ]
			else
				[ ! -e "$sockets/up" ]
			fi
			[ -d "$dir/outside/$pod" ]
			[ -s /etc/passwd ]
		done
	done
}

@test "an application that still listens in a container that lives keeps its socket; a dead one's goes" {
	add "$(vhost server)"
	added
	peer listen vhost-user "$sock"
	mkdir -p "$home/rub/bish"
	echo rubbish >"$home/f"
	env_of DEL
	run --separate-stderr in_node timeout 60 "$plugin" <<<"$(vhost server)"
	[ "$status" -eq 0 ]
	grep -q 'somebody still listens: kept' "$dir/log"
	[ "$(ls "$home")" = net1.sock ]
	[ "$("$fake/unix_peer.py" connect vhost-user "$sock")" = connected ]
	kill -KILL "$peer"
	rm -r "$home"
	add "$(vhost server)"
	added
	peer listen vhost-user "$sock"
	ip netns del "$pod"
	del "$(vhost server)"
	deleted
	nothing_left
}

# old_key PATH - what versions before this one called its device by
old_key() {
	python3 -c 'import sys
h = 0xcbf29ce484222325
for b in sys.argv[1].encode():
	h = (h ^ b) * 0x100000001b3 & 0xffffffffffffffff
print("sk%012x" % (h & 0xffffffffffff))' "$1"
}

# grow_old - the one record is as an earlier version has written it
grow_old() {
	local file key text
	key=$(old_key "$1")
	file=$(ls "$dir/state/attachments")
	text=$(jq -c --arg k "$key" '.device = $k' "$dir/state/attachments/$file")
	rm "$dir/state/attachments/$file"
	echo "$text" >"$dir/state/attachments/${file%%@*}@$key.json"
}

@test "a record with the key of an earlier version excludes others, and ends by DEL, GC and a later ADD" {
	c=$(vhost server '.vhostUser.hostDir = "one"')
	pod_add "$pod2"
	for by in DEL GC ADD; do
		add "$c"
		added
		grow_old "$sockets/one/net1.sock"
		add "$c" "$pod2"
		refused 11 "belongs to"
		[ "$(records)" = 1 ]
		case $by in
		DEL) del "$c" ;;
		GC)
			ip netns del "$pod"
			gc "$c" '[]'
			pod_add "$pod"
			;;
		ADD)
			ip netns del "$pod"
			add "$c" "$pod2"
			added
			del "$c"	# the late one of the dead
			deleted
			[ -d "$sockets/one" ]
			del "$c" "$pod2"
			;;
		esac
		deleted
		nothing_left
	done
}

@test "acl is no key any more: ADD refuses it, and an attachment that an earlier version made with it ends" {
	fake11_up
	c=$(hooked "$(vhost server '.delegates = [{type: "one"}]')")
	old=$(jq -c '.vhostUser.acl = "u:1003:rwx"' <<<"$c")
	add "$old"
	refused 7 "vhostUser.acl: unknown key; use gid and dirMode instead"
	nothing_left
	add "$c"
	added
	for file in "$dir"/state/attachments/*; do
		jq -c '.request |= (fromjson | .vhostUser.acl = "u:1003:rwx" | tojson)' "$file" >"$dir/old"
		cat "$dir/old" >"$file"
	done
	del "$old"
	deleted
	jq -e --arg s "$sock" '.command == "del" and .hostPath == $s and .config.dir' "$dir/switch.del.json"
	[ "$(cut -d ' ' -f 1,2 "$FAKE11/calls.log" | tr '\n' ',')" = "one ADD,one DEL," ]
	nothing_left
}

@test "a directory stays while a record that cannot be read may be of somebody who is in it" {
	c=$(vhost server)
	add "$c"
	added
	add "$c" "$pod" net2
	added
	echo theirs >"$home/net2.data"
	for file in "$dir"/state/attachments/*net2.sock.json; do
		head -c 400 "$file" >"$dir/cut"
		cat "$dir/cut" >"$file"
	done
	del "$c"
	[ "$status" -eq 0 ]
	[ "$(cat "$home/net2.data")" = theirs ]
	# nobody is told whose it was, but the administrator
	add "$c" "$pod" net2
	refused 103 "its record"
	[[ $output != *"container $pod"* ]]
	[[ $(<"$dir/log") == *"private="*"it was of interface net2 of container $pod"* ]]
	rm "$dir"/state/attachments/*.damaged
	rm "$home/net2.data"
}

@test "a slash behind socketDir is nothing: what ADD made goes with DEL" {
	node_conf '{socketDir: "\($d)/s//"}'
	add "$(vhost server)"
	added
	echo x >"$home/rubbish"
	del "$(vhost server)"
	deleted
	nothing_left
}

@test "a socketDir that others may write to is refused: they could exchange what is in it" {
	chmod 777 "$sockets"
	add "$(vhost server)"
	refused 100 "has owner 0 and mode 0777"
	nothing_left
}

@test "a device-info file that names a socket below socketDir is no device plugin's" {
	pod_add "$pod2"
	add "$(vhost server '.vhostUser.hostDir = "victim"')" "$pod2"
	added
	ln -s "$sockets" "$dir/alias"
	mkdir -p "$dir/devinfo/cni"
	for path in "$sockets/victim/net1.sock" "$dir/alias/victim/net1.sock"; do
		echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"'"$path"'"}}' >"$dir/devinfo/cni/plant-$pod"
		c=$(vhost server '.deviceID = "x" | .runtimeConfig.CNIDeviceInfoFile = "'"$dir/devinfo/cni/plant-$pod"'"')
		add "$c"
		[ "$(jq -r '.interfaces[0].socketPath' <<<"$output")" = "$sock" ]
		del "$c"
	done
}

@test "two paths that had one key in earlier versions are two devices" {
	one=c4746d045015b7b7 two=2fc1c765648fba52 twins=/run/devinfo-twins
	[ "$(old_key "$twins/$one/net1.sock")" = "$(old_key "$twins/$two/net1.sock")" ]
	exec 8</run	# the collision is of these very paths: one test at a time has them
	flock 8
	ln -sfn "$sockets" "$twins"
	node_conf '{socketDir: "'$twins'", hostDirs: ["*"]}'
	pod_add "$pod2"
	add "$(vhost server ".vhostUser.hostDir = \"$one\"")"
	added
	add "$(vhost server ".vhostUser.hostDir = \"$two\"")" "$pod2"
	added
	[ "$(records)" = 2 ]
	ip netns del "$pod"
	pod_add "$pod"
	# a third one does not clean up after the dead twin
	del "$(vhost server)" "$pod2"
	deleted
	add "$(vhost server ".vhostUser.hostDir = \"$two\"")" "$pod2"
	added
	[ -d "$sockets/$one" ]
	[ "$(records)" = 2 ]
	del "$(vhost server)"
	deleted
	[ ! -e "$sockets/$one" ]
	[ -d "$sockets/$two" ]
	del "$(vhost server)" "$pod2"
	deleted
	nothing_left
	exec 8<&-
}

@test "a directory above a living attachment's is nobody's own, and those on the way are root's" {
	pod_add "$pod2"
	add "$(vhost server '.vhostUser.hostDir = "victim-ns/{containerID}"')"
	added
	for more in '' ', uid: 1000, dirMode: "0777"'; do
		add "$(vhost server ".vhostUser += {hostDir: \"victim-ns\"$more}")" "$pod2"
		refused 103 "$sockets/victim-ns"
		[ "$(mode_of "$sockets/victim-ns")" = "755 0:0" ]
	done
	for mode in 775 757; do
		chmod "$mode" "$sockets/victim-ns"
		add "$(vhost server '.vhostUser.hostDir = "victim-ns/{containerID}"')" "$pod2"
		refused 100 "'victim-ns' has owner 0 and mode 0$mode"
	done
	chmod 755 "$sockets/victim-ns"
	chown 1000 "$sockets/victim-ns"
	add "$(vhost server '.vhostUser.hostDir = "victim-ns/{containerID}"')" "$pod2"
	refused 100 "'victim-ns' has owner 1000 and mode 0755"
	chown 0 "$sockets/victim-ns"
	add "$(vhost server '.vhostUser.hostDir = "victim-ns/'"$pod"'/in/{containerID}"')" "$pod2"
	[ "$status" -eq 1 ]
	[ "$(records)" = 1 ]
	del "$(vhost server)"
	deleted
	nothing_left
}

@test "on the file system that the install files make nothing follows a pod's link, and all of it works" {
	c=$(hooked "$(vhost client)")
	status_of "$c"
	deleted
	grep -q "level=warning.*socketDir.*nosymfollow, and is on the file system of runDir" "$dir/log"
	mount -t tmpfs -o "$(sed -n 's/^Options=//p' "$top"/install/run-devinfo-sockets.mount)" tmpfs "$sockets"
	: >"$dir/log"
	status_of "$c"
	deleted
	[ ! -s "$dir/log" ]
	add "$c"
	added
	check "$c" "$output"
	deleted
	[ "$("$fake/unix_peer.py" connect vhost-user "$sock")" = connected ]
	run in_node "${plugin}ctl" list
	[[ $output != *warning* ]]
	ln -s net1.sock "$home/link"
	run "$fake/unix_peer.py" connect vhost-user "$home/link"
	[[ $output == *"Too many levels of symbolic links"* ]]
	del "$c"
	deleted
	nothing_left
	umount "$sockets"
}

@test "devinfoctl list names the socket" {
	add "$(vhost server)"
	added
	run --separate-stderr in_node "${plugin}ctl" list
	[ "$status" -eq 0 ]
	[[ $output == *"$sock"* ]]
	# and that pods may do more with its file system than they should
	[[ $stderr == *"warning: socketDir '$sockets' is not mounted with nosymfollow"* ]]
}

@test "what a record says is below another directory than socketDir is left alone, and DEL ends" {
	c=$(vhost server)
	add "$c"
	added
	mkdir -m 700 -p "$dir/elsewhere/$pod"
	chown 1000 "$dir/elsewhere/$pod"
	peer listen vhost-user "$dir/elsewhere/$pod/net1.sock"
	kill -KILL "$peer"
	sed -i "s|$sockets|$dir/elsewhere|g" "$dir"/state/attachments/*
	del "$c"
	deleted
	grep -q "level=warning .*not below socketDir: left alone.* path=$dir/elsewhere/$pod/net1.sock socketDir=$sockets" "$dir/log"
	[ -S "$dir/elsewhere/$pod/net1.sock" ]
	[ "$(mode_of "$dir/elsewhere/$pod")" = '700 1000:0' ]
	[ "$(records)" = 0 ]
}
