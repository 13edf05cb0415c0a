# SPDX-License-Identifier: Apache-2.0
# package.bash - what the tests of packages share, beside helpers.bash: calls about a pod that lives on
# shellcheck shell=bash disable=SC2154 # helpers.bash has the rest

# older: what this build makes, as a release before it
# shellcheck disable=SC2034
older=0.0.9
newer=$("$top/install/release.sh" version)

# a room as a node with Kubernetes' own directory of plugins, and one that was there before
as_node() {
	enter "$1"
	mkdir -p "$inside/opt/cni/bin" "$inside/tmp" "$inside/root"
	echo theirs >"$inside/opt/cni/bin/sriov"
}

# files - all that is in the room, but for what a package manager keeps and where it writes by the way
files() {
	(cd "$inside" && find . \( -path ./var/lib/dpkg -o -path ./var/lib/rpm -o -path ./root/.rpmdb -o -path ./var/log -o -path ./var/cache -o \
		-path ./dev -o -path ./proc -o -path ./sys -o -path ./tmp \) -prune -o ! -type d -print | sort)
}

# call VERB PROGRAM - of the program in the room, for the pod's net1
call() {
	CNI_COMMAND=$1 CNI_CONTAINERID=c1 CNI_NETNS=/run/netns/pod CNI_IFNAME=net1 CNI_PATH=/opt/cni/bin \
		in_room "$2" <<<'{"cniVersion":"1.0.0","name":"net","type":"devinfo","device":"v0"}' >"$BATS_TEST_TMPDIR/answer" ||
		{ cat "$BATS_TEST_TMPDIR/answer" && return 1; }
}

# has_device - the pod has it
has_device() { ip -n "ap-$id" link show net1 >/dev/null; }

# theirs_is_back - and of ours no program is left
theirs_is_back() {
	[ "$(ls "$inside/opt/cni/bin")" = sriov ]
	[ "$(cat "$inside/opt/cni/bin/sriov")" = theirs ]
	[ -z "$(find "$inside"/{usr,opt} -name 'devinfo*')" ]
}
