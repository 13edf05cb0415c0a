#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# plugin.sh - a plugin of a chain that notes each call, and does what its configuration tells
#
# A line a call is added to $FAKE_STORE/calls.log:
#
#	{"verb": "ADD", "tag": "a", "env": {"CNI_COMMAND": "ADD", ...}, "request": {...}}
#
# Between ADD and DEL it keeps the file added-<tag>-<container id>-<ifname> there.  Members of its
# configuration, all optional:
#
#	tag		how tests call it
#	ADD, CHECK...	what that verb does: ok, or one of the cases of behave(); FAKE_<verb>_<tag> of
#			the environment goes before it
#	versions	the list of versions it knows; any other is refused with code 1
#	result		of ADD, in place of prevResult or the bare interface; cniVersion is the request's
#			unless it says one
#	raw		text that ADD prints in place of any result
#	info		what ADD writes into runtimeConfig.CNIDeviceInfoFile; DEL leaves it
#	makes		true: ADD makes the interface, one end of a veth pair in the container

request=$(cat)
ask() { printf '%s' "$request" | jq "$@"; }

ask -c '{verb: env.CNI_COMMAND, tag, env: (env | with_entries(select(.key | startswith("CNI_")))), request: .}' \
	>>"$FAKE_STORE/calls.log"
tag='' told='' makes='' known='' file=''
eval "$(ask -r '@sh "tag=\(.tag // "") told=\(.[env.CNI_COMMAND] // "ok") makes=\(.makes // false)
	known=\(.cniVersion as $v | .versions // [$v] | index($v) != null)
	file=\(if .info then .runtimeConfig.CNIDeviceInfoFile // "" else "" end)"')"
eval "told=\${FAKE_${CNI_COMMAND}_$tag:-$told}"
added=$FAKE_STORE/added-$tag-$CNI_CONTAINERID-$CNI_IFNAME

if [ "$known" = false ]; then
	echo '{"code":1,"msg":"incompatible CNI versions","details":"config is not what plugin supports"}'
	exit 1
fi

behave() {
	case $1 in
	ok | null) ;;
	error)
		echo '{"code":123,"msg":"the fake '"$tag"' does not want to","details":"it was told so"}'
		exit 1
		;;
	words) echo 'panic: oh no' && exit 3 ;;
	signal) kill -KILL $$ ;;
	hang) exec sleep 600 ;;
	*) exit 99 ;;
	esac
}

in_pod() { nsenter --net="$CNI_NETNS" ip link "$@" 2>/dev/null; }

case $CNI_COMMAND in
ADD)
	: >"$added"
	if [ -n "$file" ]; then ask -c .info >"$file" || exit 98; fi
	if [ "$makes" = true ]; then
		in_pod add "$CNI_IFNAME" type veth peer name "p$CNI_IFNAME"
		in_pod set "$CNI_IFNAME" up
	fi
	behave "$told"
	ask -rc --arg ifname "$CNI_IFNAME" --arg netns "$CNI_NETNS" '.raw //
		({cniVersion} + (.result // .prevResult // {interfaces: [{name: $ifname, sandbox: $netns}]}))'
	;;
DEL)
	behave "$told"
	rm -f "$added"
	if [ "$makes" = true ]; then
		in_pod del "$CNI_IFNAME"
	fi
	exit 0
	;;
*)
	behave "$told"
	;;
esac
