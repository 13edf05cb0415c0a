#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# readme.bats - the README's "An ADD by hand" is what is printed, but for addresses that the kernel makes up
#
# What it shows of devinfoctl is tests/cli/readme.bats.
#
# rooms: cni

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	dir=$BATS_TEST_TMPDIR
	cd "$dir"
	mkdir -p build/bin conf
	ln -s "${BUILD:-$top/build}/bin/devinfo" build/bin/devinfo
	ln -s "$top/conf/examples" conf/examples
}

# made_up: hardware addresses, numbers of interfaces, and what is made of them, by a word each
made_up() {
	sed -E 's/([0-9a-f]{2}:){5}[0-9a-f]{2}/MAC/g; s/@if[0-9]+/@ifN/g; s/fe80::[0-9a-f:]+/fe80::N/g; s/ +/ /g; s/ +$//'
}

# write_play - what runs the lines of "commands"; the machine's own links, /run and /var/lib/cni are left alone
write_play() {
	cat >play <<'PLAY'
set -e
mount -t sysfs none /sys
mount -t tmpfs none /run
mount -t tmpfs none /var/lib
[ ! -d /etc/cni ] || mount -t tmpfs none /etc/cni
ip link set lo up
sysctl -qw net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0
while read -r line <&3; do
	printf '# %s\n' "$line"
	eval "$line"
done 3<commands
PLAY
}

@test "the README's ADD by hand" {
	sed -n '/^## An ADD by hand/,/^## A node by hand/p' "$top/README.md" | sed -n '/^```/,/^```/p' | sed '/^```/d' >session
	[ "$(grep -c '^# ' session)" -ge 9 ]
	# only the file's place differs
	sed -n 's/^# //p' session | sed "s,/tmp/net.json,$dir/net.json,g" >commands
	write_play
	env -u DEVINFO_CONF unshare -n -m bash play >said 2>told || { cat said told && false; }
	[ ! -s told ] || { cat told && false; }
	diff <(sed "s,/tmp/net.json,$dir/net.json,g" session | made_up) <(made_up <said)
}

@test "devinfo(8)'s ADD and DEL" {
	sed -n '/^\.Sh EXAMPLES/,/^\.Ed/p' "$top/install/man/devinfo.8" | sed -nE '/^(#|      )/{ s/\\e$/\\/; s/^# //; p }' >shown
	[ "$(grep -c . shown)" -eq 8 ]
	sed -z 's/\\\n */ /g' shown >commands
	printf '%s\n' 'ip -n pod1 link show net1 >there' | sed -i '/ADD/r /dev/stdin' commands
	printf '%s\n' 'ip link show vf0 >back' >>commands
	write_play
	PATH=$dir/build/bin:$PATH env -u DEVINFO_CONF unshare -n -m bash play >said 2>told || { cat said told && false; }
	[ ! -s told ] || { cat told && false; }
	grep -q 'net1@' there
	grep -q 'vf0@vf0-peer' back
	[ "$(grep -v '^#' said | jq -r '.interfaces[0].name')" = net1 ]
}
