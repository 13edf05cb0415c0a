#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# switch.sh - a program for the switch's side of a socket, that records and misbehaves
#
# In the request, config.dir is the directory of what it has seen and of what it is to do:
#	switch.log		a line a call: COMMAND <container id>/<ifname>
#	switch.COMMAND.json	the last request
#	switch.COMMAND.env	the verb and the namespace of its environment
#	switch.COMMAND		what that command does instead: "hang", or a text that it fails with
# It makes the socket of an application that connects: config.peer listens until "del".

set -u
request=$(cat)
get() { jq -r "$1 // empty" <<<"$request"; }
dir=$(get .config.dir) command=$(get .command) id=$(get .containerID)/$(get .ifname)
echo "$command $id" >>"$dir/switch.log"
echo "$request" >"$dir/switch.$command.json"
echo "$CNI_COMMAND $CNI_NETNS" >"$dir/switch.$command.env"
if [ -e "$dir/switch.$command" ]; then
	[ "$(<"$dir/switch.$command")" != hang ] || exec sleep 600
	cat "$dir/switch.$command" >&2
	exit 1
fi
pid=$dir/switch-${id//\//-}.pid
case $command in
add)
	[ "$(get .mode)$(get .role)" = client ] || [ "$(get .role)" = slave ] || exit 0
	"$(get .config.peer)" listen "$(get .type)" "$(get .hostPath)" </dev/null >/dev/null 2>&1 &
	echo $! >"$pid"
	;;
del)
	[ ! -e "$pid" ] || kill "$(<"$pid")" 2>/dev/null
	rm -f "$pid"
	;;
esac
exit 0
