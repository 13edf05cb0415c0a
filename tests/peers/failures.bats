#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# failures.bats - what goes wrong with the sockets of DPDK: each with the application that suffers
# from it, so that it is known to be true, and with the attachment that is not touched by it
#
# rooms: cni/socket

load peers

setup() {
	peers_up
	uid=65534
}
teardown() { peers_down; }

# attached CONF - with its application, which has packets
attached() {
	add "$1"
	added
	app
	both_receive
	end app
}

detached() {
	del "$1"
	deleted
	nothing_left
}

# refused_soon CODE TEXT CONF - and nothing is left, nor was anybody asked
refused_soon() {
	within 20 add "$3"
	refused "$1" "$2"
	nothing_left
	[ ! -e "$dir/asked.log" ]
}

# of a socket that is the host's, as DPDK makes it: 0755 of root
@test "vhost-user: a client that is not root may not connect to a 0755 socket of root; ADD cures that" {
	c=$(sconf vhostUser client '.vhostUser += {dirMode: "0755", socketMode: "0755"}')
	add "$c"
	added
	app
	complains app 'connect error, Permission denied'
	end app
	detached "$c"
	attached "$(sconf vhostUser client '.vhostUser += {dirMode: "0755", socketMode: "0666"}')"
	[ "$(stat -c %a "$(socket)")" = 666 ]
	detached "$c"
}

# may_not FILTER TEXT - a slave
may_not() {
	c=$(sconf memif slave "$1")
	add "$c"
	added
	app
	complains app "$2"
	end app
	detached "$c"
}

@test "memif: a slave that is not root may not connect to a 0755 socket of root; ADD cures that" {
	# nor would it even try where it may not write to the directory
	may_not '.memif += {dirMode: "0755", socketMode: "0666"}' 'Invalid socket directory'
	may_not '.memif += {dirMode: "02777", socketMode: "0755"}' 'Fail to start port 0'
	attached "$(sconf memif slave '.memif.gid = 65534')"
	[ "$(stat -c '%a %u:%g' "$(socket)")" = '660 0:65534' ]
	[ "$(stat -c '%a %u:%g' "$(dirname "$(socket)")")" = '2770 0:65534' ]
	detached "$c"
}

@test "vhost-user: a server that is not root may not bind in a 0755 directory of root; ADD cures that" {
	c=$(sconf vhostUser server '.vhostUser.dirMode = "0755"')
	add "$c"
	added
	app
	complains app 'failed to bind.*Permission denied'
	end app
	detached "$c"
	attached "$(sconf vhostUser server '.vhostUser.gid = 65534')"
	# setgid and all: the switch, of that group, may connect
	[ "$(stat -c %u:%g "$(socket)")" = 65534:65534 ]
	detached "$c"
}

@test "memif: a master that is not root may not bind in a 0755 directory of root; ADD cures that" {
	c=$(sconf memif master '.memif.dirMode = "0755"')
	add "$c"
	added
	app
	complains app 'Invalid socket directory'
	end app
	detached "$c"
	attached "$(sconf memif master '.memif.gid = 65534')"
	detached "$c"
}

# without_server KIND SIDE DEVICE TEXT - a client whose switch has made no socket
without_server() {
	uid=0
	mkdir "$socks" "$socks/by-hand"
	pod_pmd "$socks/by-hand" "--vdev=$3"
	complains app "$4"
	end app
	rm -r "$socks"
	c=$(sconf "$1" "$2" 'del(.switch) | .'"$1"'.waitMs = 300')
	refused_soon 11 "$socks/$pod/net1.sock" "$c"
	del "$c"
	deleted
}

@test "vhost-user: a client without a server fails; ADD waits for it, and says in the end what is missing" {
	without_server vhostUser client net_virtio_user0,path=/run/devinfo/sockets/net1.sock,server=0 \
		'connect error, No such file or directory'
}

@test "memif: a slave without a master fails; ADD waits for it, and says in the end what is missing" {
	without_server memif slave net_memif0,role=client,socket=/run/devinfo/sockets/net1.sock,socket-abstract=no \
		'Fail to start port 0'
}

# left_behind TYPE PATH - a socket that nobody listens at, in a directory that is there before ADD
left_behind() {
	install -d "$socks"
	install -d -m 2770 -g 65534 "$(dirname "$2")"
	python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX, getattr(socket, sys.argv[1])).bind(sys.argv[2])' "$1" "$2"
	[ -S "$2" ]
}

# only_directory - is left, for it was there before
only_directory() {
	[ -z "$(ls -A "$socks/$pod")" ]
	rmdir "$socks/$pod"
	nothing_left
}

# stale_of_pod KIND SIDE TYPE TEXT - an application that listens is killed and started again, as a
# container is in a pod, for which nobody calls CNI: its own socket is in its way
stale_of_pod() {
	c=$(sconf "$1" "$2" ".$1.gid = 65534")
	attached "$c"
	[ -S "$(socket)" ]
	app
	complains app "$4"
	end app
	detached "$c"
	left_behind "$3" "$socks/$pod/net1.sock"
	attached "$c"
	del "$c"
	deleted
	only_directory
}

@test "memif: a socket that a master left is in its way; ADD and DEL remove it" {
	stale_of_pod memif master SOCK_SEQPACKET 'memif_socket_create.*Address already in use'
}

@test "vhost-user: a socket that a server left is in its way; ADD and DEL remove it" {
	stale_of_pod vhostUser server SOCK_STREAM 'failed to bind.*Address already in use'
}

# stale_of_host KIND SIDE TYPE DEVICE TEXT - one that a killed switch left
stale_of_host() {
	left_behind "$3" "$socks/$pod/net1.sock"
	switch "--vdev=$4"
	complains switch "$5"
	end switch
	c=$(sconf "$1" "$2" ".$1.gid = 65534")
	attached "$c"
	end_hooked
	[ -S "$(socket)" ]
	del "$c"
	deleted
	only_directory
}

@test "memif: a socket that a switch left is in its way; ADD and DEL remove it" {
	stale_of_host memif slave SOCK_SEQPACKET \
		"net_memif0,role=server,socket=$socks/$pod/net1.sock,socket-abstract=no" \
		'memif_socket_create.*Address already in use'
}

@test "vhost-user: a socket that a switch left is in its way; ADD and DEL remove it" {
	stale_of_host vhostUser client SOCK_STREAM "net_vhost0,iface=$socks/$pod/net1.sock" \
		'failed to bind.*Address already in use'
}

@test "a socket where another listens is refused and stays, and so is what is no socket" {
	c=$(sconf vhostUser server)
	install -d -m 755 "$socks" "$socks/$pod"
	switch "--vdev=net_vhost0,iface=$socks/$pod/net1.sock"
	within_patience test -S "$socks/$pod/net1.sock"
	add "$c"
	refused 103 "$socks/$pod/net1.sock"
	[ -S "$socks/$pod/net1.sock" ]
	del "$c"
	deleted
	[ -S "$socks/$pod/net1.sock" ]
	end switch
	rm "$socks/$pod/net1.sock"
	echo mine >"$socks/$pod/net1.sock"
	add "$c"
	refused 103 "$socks/$pod/net1.sock"
	del "$c"
	deleted
	[ "$(<"$socks/$pod/net1.sock")" = mine ]
}

# of_length N PREFIX - a name that makes the path so long
of_length() {
	local n=$(($1 - ${#2}))
	printf '%*s' "$n" '' | tr ' ' x
}

# long KIND SIDE HOST CONTAINER - a configuration with paths of that length; the name is the same
long() {
	local name
	name=$(of_length "$3" "$socks/d/")
	sconf "$1" "$2" ".$1 += {hostDir: \"d\", socket: \"$name\",
		containerDir: \"/$(of_length $(($4 - 1 - ${#name})) /)\"}"
}

# paths KIND SIDE - of 107 bytes
paths() {
	c=$(long "$1" "$2" 107 107 | jq -c ".$1.gid = 65534")
	attached "$c"
	[ "$(socket | tr -d '\n' | wc -c)" -eq 107 ]
	[ "$(emitted '(.memif // ."vhost-user").path' | tr -d '\n' | wc -c)" -eq 107 ]
	detached "$c"
	rm "$dir/asked.log"
	refused_soon 7 '108' "$(long "$1" "$2" 108 107)"
	refused_soon 7 '108' "$(long "$1" "$2" 107 108)"
}

@test "vhost-user: paths of 107 bytes work on both sides; DPDK cuts one of 108 off, ADD refuses it" {
	mkdir -p "$socks/d"
	name=$(of_length 108 "$socks/d/")
	switch "--vdev=net_vhost0,iface=$socks/d/$name"
	within_patience test -S "$socks/d/${name%x}"
	end switch
	rm -r "$socks"
	paths vhostUser server
}

@test "memif: paths of 107 bytes work on both sides; DPDK refuses one of 108, ADD as well" {
	mkdir -p "$socks/d"
	switch "--vdev=net_memif0,role=server,socket-abstract=no,socket=$socks/d/$(of_length 108 "$socks/d/")"
	complains switch 'probe failed'
	end switch
	rm -r "$socks"
	paths memif slave
}
