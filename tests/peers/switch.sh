#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# switch.sh - the exec hook of the tests: a switch with one port for each attachment, that is DPDK's
# testpmd and sends back what it receives
#
# Its files are in config.dir: switch.log and switch-IFNAME.pid, and asked.log, a line for each
# question.

set -eu
ask=$(cat)
said() { jq -er "$1" <<<"$ask"; }

dir=$(said .config.dir)
number=$dir/switch-$(said .ifname).pid
jq -c . <<<"$ask" >>"$dir/asked.log"

# The side that is not the application's, as an argument of testpmd.
device() {
	local path secret
	path=$(said .switchPath)
	case $(said '"\(.type) \(.mode // .role)"') in
	"vhost-user client") echo "net_vhost0,iface=$path,queues=1,client=0" ;;
	"vhost-user server") echo "net_vhost0,iface=$path,queues=1,client=1" ;;
	"memif slave" | "memif master")
		secret=$(said '.secretFile // empty') && secret=,secret=$(<"$secret") || secret=
		echo "net_memif0,role=$(said '{slave: "server", master: "client"}[.role]'),$(
			)id=$(said .id),socket=$path,socket-abstract=no$secret"
		;;
	*) return 1 ;;
	esac
}

# A client of memif does not wait for the socket, so that this does.
add() {
	local wait=
	[ "$(said '.role // "none"')" != master ] || wait=$(said .switchPath)
	RUNTIME_DIRECTORY=$dir/dpdk setsid timeout -s KILL 60 bash -c '
		until [ -z "$0" ] || [ -S "$0" ]; do sleep 0.05; done
		exec "$@"
	' "$wait" dpdk-testpmd --lcores 0@1,1@1 --no-huge -m 48 --no-pci --no-telemetry --no-shconf \
		--file-prefix "switch-$$" --vdev "$(device)" -- --total-num-mbufs=2048 --no-mlockall \
		--disable-link-check --port-topology=loop --forward-mode=io --auto-start -i \
		< <(while sleep 0.2 && echo 'show port stats 0'; do :; done 2>/dev/null) \
		>"$dir/switch.log" 2>&1 &
	echo $! >"$number"
}

# not one that is dead and that nobody has asked for its status
running() { [ -s "$number" ] && ps -eo pgid=,stat= | awk -v g="$(<"$number")" '$1 == g && $2 !~ /^Z/ { n++ } END { exit !n }'; }

case $(said .command) in
add) add ;;
del)
	if running; then kill -KILL -- "-$(<"$number")"; fi
	rm -f "$number"
	;;
check)
	running || { echo '{"msg": "no testpmd", "details": "it does not run"}' && exit 1; }
	;;
*) exit 2 ;;
esac
