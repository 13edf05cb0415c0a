#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# plugin11.sh - a plugin of cniVersion 1.1.0, for IPAM or as a delegate, that records and misbehaves
#
# It goes by the name that it is called by, so that a node can have several of it.
#
#	FAKE11		directory of what it has seen and of what it is to do, NAME being its own:
#	  calls.log		a line a call but for VERSION: NAME VERB <container id>/<ifname>@<netns>
#	  NAME.VERB.json	the last request
#	  NAME.VERB		what that verb does instead of its work: "<code> <text>" is an error of
#				that code, "hang" hangs; "wait" waits until the file is gone, then works
#	  NAME.versions		the versions it says it speaks
#
# ADD for IPAM gives an address; as a delegate it passes prevResult on, or else makes a veth pair of
# which both ends stay in the container.

# a file's text in $text, by the builtins of the shell: STATUS has little time
slurp() {
	text=
	while IFS= read -r line || [ -n "$line" ]; do
		text=$text$line
	done
}

name=${0##*/}
slurp
request=$text
text='"0.3.1","0.4.0","1.0.0","1.1.0"'
[ ! -e "$FAKE11/$name.versions" ] || slurp <"$FAKE11/$name.versions"
versions=$text

if [ "$CNI_COMMAND" != VERSION ]; then
	echo "$name $CNI_COMMAND $CNI_CONTAINERID/$CNI_IFNAME@$CNI_NETNS" >>"$FAKE11/calls.log"
	echo "$request" >"$FAKE11/$name.$CNI_COMMAND.json"
fi

text=
[ ! -e "$FAKE11/$name.$CNI_COMMAND" ] || slurp <"$FAKE11/$name.$CNI_COMMAND"
case $text in
hang) exec sleep 600 ;;
wait)
	while [ -e "$FAKE11/$name.$CNI_COMMAND" ]; do
		sleep 0.05
	done
	;;
[0-9]*)
	echo '{"code":'"${text%% *}"',"msg":"'"${text#* }"'"}'
	exit 1
	;;
esac

in_pod() { nsenter --net="$CNI_NETNS" "$@"; }

case $CNI_COMMAND in
VERSION) echo '{"cniVersion":"1.1.0","supportedVersions":['"$versions"']}' ;;
ADD)
	if echo "$request" | jq -e --arg name "$name" '.ipam.type == $name' >/dev/null; then
		echo "$request" | jq -c '{cniVersion, ips: [{address: "10.11.0.2/24"}]}'
	elif ! echo "$request" | jq -ce '.prevResult | values'; then
		in_pod ip link add "$CNI_IFNAME" up type veth peer name "peer-$CNI_IFNAME" || exit 1
		echo "$request" | jq -c \
			'{cniVersion, interfaces: [{name: env.CNI_IFNAME, sandbox: env.CNI_NETNS}]}'
	fi
	;;
DEL) [ -z "$CNI_NETNS" ] || in_pod ip link del "$CNI_IFNAME" 2>/dev/null || true ;;
esac
