#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# interop.bats - packets between two DPDK applications through the socket of an attachment, the
# one in the pod started from the device-info file and nothing else
#
# rooms: cni/socket

load peers

setup() { peers_up; }
teardown() { peers_down; }

# passes CONF TYPE - from ADD to DEL
passes() {
	add "$1"
	added
	[ "$(emitted .type)" = "$2" ]
	[ "$(jq -r '.interfaces[0].sandbox' <<<"$output")" = "/run/netns/$pod" ]
	app
	both_receive
	end app
	del "$1"
	deleted
	nothing_left
	[ "$(jq -r .command "$dir/asked.log" | paste -sd ' ')" = 'add del' ]
}

@test "memif: the application is the slave, the host makes the socket" {
	passes "$(sconf memif slave)" memif
}

@test "memif: the application is the master and makes the socket" {
	passes "$(sconf memif master)" memif
}

@test "vhost-user: the application is the client, the host makes the socket" {
	passes "$(sconf vhostUser client)" vhost-user
}

@test "vhost-user: the application is the server and makes the socket" {
	passes "$(sconf vhostUser server)" vhost-user
}

# Whoever is not root gets in by the group, or as its owner.

@test "memif: a slave that is not root, by its group" {
	uid=65534
	passes "$(sconf memif slave '.memif.gid = 65534')" memif
}

@test "memif: a master that is not root, by its group" {
	uid=65534
	passes "$(sconf memif master '.memif.gid = 65534')" memif
}

@test "vhost-user: a client that is not root, by its group" {
	uid=65534
	passes "$(sconf vhostUser client '.vhostUser.gid = 65534')" vhost-user
}

@test "vhost-user: a server that is not root, as the owner" {
	uid=65534
	passes "$(sconf vhostUser server '.vhostUser += {uid: 65534, dirMode: "0700"}')" vhost-user
}

@test "the pod's directory is where the configuration says, and each pod has its own" {
	c=$(sconf memif slave '.memif += {containerDir: "/var/run/memif", hostDir: "{podNamespace}/{podUID}",
		socket: "{network}-{ifname}"}')
	CNI_ARGS="IgnoreUnknown=1;K8S_POD_UID=6f1d3c8e-8c6f-4b0e-9d0f-1d2b3c4d5e6f;K8S_POD_NAMESPACE=ns1" \
		add "$c"
	added
	[ "$(socket)" = "$socks/ns1/6f1d3c8e-8c6f-4b0e-9d0f-1d2b3c4d5e6f/net-net1" ]
	[ "$(emitted .memif.path)" = /var/run/memif/net-net1 ]
	app
	both_receive
	end app
	del "$c"
	deleted
	nothing_left
}

# with_secret FILE - an application that says so
with_secret() {
	pod_pmd "$(dirname "$(socket)")" \
		"$("$ctl" args dpdk --id 7 --secret-file "$1" "$dir/devinfo/cni/given")"
}

@test "memif: id and secret, which the pod reads beside the socket, and a wrong secret gives no link" {
	c=$(sconf memif slave '.memif += {id: 7, secret: "not-for-everybody"}')
	add "$c"
	added
	not grep -rq not-for-everybody "$dir/devinfo" "$dir/run" "$dir/log" "$dir/asked.log"
	[ "$(<"$(socket).secret")" = not-for-everybody ]
	[ "$(stat -c %a "$(socket).secret")" = 600 ]
	at=/run/devinfo/sockets
	echo of-another >"$dir/wrong"
	with_secret "$(socket).secret"
	both_receive
	end app
	with_secret "$dir/wrong"
	within_patience grep -qs 'NIC statistics' "$dir/app.log"
	sleep 1
	not has_received app
	end app
	del "$c"
	deleted
	nothing_left
}

@test "a switch that nobody is told about: ADD waits until somebody has made it" {
	c=$(sconf vhostUser client 'del(.switch)')
	env_of ADD
	in_node timeout 60 "$plugin" <<<"$c" >"$dir/result" 2>&1 3>&- &
	adding=$!
	within_patience test -s "$dir/devinfo/cni/given"
	[ ! -s "$dir/result" ]
	switch "$("$ctl" args dpdk --side peer --path "$socks/$pod/net1.sock" "$dir/devinfo/cni/given")"
	wait_for "$adding"
	output=$(<"$dir/result")
	[ "$result" -eq 0 ] || { echo "$output" && return 1; }
	app
	both_receive
	end app
	end switch
	del "$c"
	deleted
	nothing_left
}

@test "a delegate is the switch: it is given the socket in prevResult" {
	c=$(sconf vhostUser server 'del(.switch) | .delegate = {type: "patch", dir: "'"$dir"'"}')
	cat >"$dir/bin/patch" <<-'END'
		#!/bin/bash
		conf=$(cat)
		jq -c "{version: 1, command: \"${CNI_COMMAND,,}\", type: \"vhost-user\", mode: \"server\",
			ifname: \"$CNI_IFNAME\", config: {dir}, switchPath: .prevResult.interfaces[0].socketPath}" \
			<<<"$conf" | "$(jq -r .dir <<<"$conf")/bin/switch" || exit
		[ "$CNI_COMMAND" != ADD ] || jq -c .prevResult <<<"$conf"
	END
	chmod 755 "$dir/bin/patch"
	passes "$c" vhost-user
}
