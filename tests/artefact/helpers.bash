# SPDX-License-Identifier: Apache-2.0
# helpers.bash - what the tests of artefacts share: rooms that have nothing of this machine, and a pod there
#
# A room is a directory.  What runs there has namespaces of its own (mount, process, network), and a veth in the latter,
# v0, to be attached to the namespace /run/netns/pod.  Nothing that is changed there is seen by another test.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load ../compare
load room

top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
build=${BUILD:-$top/build}
# shellcheck disable=SC2034 # the tests'
static=$top/build-static/bin

# enter NAME - of each call of in_room in this test: a copy of that room, to put files in, and a pod
enter() {
	local lower
	lower=$(room "$1")
	id=$$-$BATS_TEST_NUMBER
	inside=$BATS_TEST_TMPDIR/room
	mkdir -p "$inside" "$BATS_TEST_TMPDIR/over"
	mount -t tmpfs over "$BATS_TEST_TMPDIR/over"
	mkdir "$BATS_TEST_TMPDIR"/over/{up,work}
	mount -t overlay over -o "lowerdir=$lower,upperdir=$BATS_TEST_TMPDIR/over/up,workdir=$BATS_TEST_TMPDIR/over/work" "$inside"
	touch "$inside/run/netns/pod"
	ip netns add "an-$id"
	ip netns add "ap-$id"
	ip -n "an-$id" link set lo up
	ip -n "an-$id" link add v0 type veth peer name p0
	ip -n "an-$id" link set p0 up
}

# leave - for teardown()
leave() {
	[[ -n ${inside-} ]] || return 0	# not by [ of compare.bash, which in a trap returns what was before
	ip netns del "an-$id" || true
	ip netns del "ap-$id" || true
	umount -l "$inside" "$BATS_TEST_TMPDIR/over"
}

# in_room COMMAND... - in what enter has made; of the environment nothing is there but CNI_ variables
in_room() {
	local variables
	mapfile -t variables < <(env | grep '^CNI_')
	ip netns exec "an-$id" unshare --mount --pid --fork --kill-child --propagation private bash -euc '
		mount -t proc proc "$0/proc"
		mount -t sysfs sysfs "$0/sys"
		mount --bind "/run/netns/$1" "$0/run/netns/pod"
		[ ! -d "$0/dev" ] || mount --rbind /dev "$0/dev"
		shift
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:2:$1}" chroot "$0" "${@:2+$1}"' \
		"$inside" "ap-$id" "${#variables[@]}" "${variables[@]}" "$@"
}

# attaches PLUGIN - ADD, CHECK and DEL of v0 by that program of the room, and nothing is left of it
attaches() {
	local conf result
	export CNI_CONTAINERID=c0ffee CNI_NETNS=/run/netns/pod CNI_IFNAME=net1 CNI_PATH=/opt/cni/bin
	conf='{"cniVersion": "1.0.0", "name": "net", "type": "devinfo", "device": "v0"}'
	result=$(CNI_COMMAND=ADD in_room "$1" <<<"$conf")
	[ "$(jq -r '.interfaces[0].name' <<<"$result")" = net1 ]
	ip -n "ap-$id" link show net1
	[ -z "$(ip -n "an-$id" link show v0 2>/dev/null)" ]
	CNI_COMMAND=CHECK in_room "$1" <<<"$(jq -c --argjson r "$result" '. + {prevResult: $r}' <<<"$conf")"
	CNI_COMMAND=DEL in_room "$1" <<<"$conf"
	ip -n "an-$id" link show v0
	[ -z "$(find "$inside/var/lib/cni" -name '*.json' -path '*attachments*')" ]
}
