#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# layers.sh - the architecture as a test: who may include whom
#
# The rule is in layers.awk; here it is applied to the tree, and shown to catch what
# it is there to catch.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh
rule=$PWD/tests/layers.awk
work=$(mktemp -d "${TMPDIR:-/tmp}/layers.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# judge FILE LINE: does the rule accept a file of this one line?  The answer is in $said.
judge() {
	rm -rf "${work:?}"/*
	mkdir -p "$work/${1%/*}"
	printf '%s\n' "$2" >"$work/$1"
	said=$(cd "$work" && awk -f "$rule" "$1")
}

refuses() {
	judge "$1" "#include \"$2\"" && ok 1 "$1 may not include $2" && return
	[ "$said" = "$1:1: ${1%%/*}/ may not include ${2%%/*}/" ]
	ok $? "$1 may not include $2" "$said"
}

accepts() {
	judge "$1" "#include \"$2\""
	ok $? "$1 may include $2" "$said"
}

files=$(ls {base,conf,cni,devinfo,netlink}/*.[ch])
# shellcheck disable=SC2086 # one file a word: no name has a blank
said=$(awk -f "$rule" $files)
ok $? "every include of the tree respects the layers" "$said"

# shellcheck disable=SC2086
seen=$(cat $files | grep -cE '^#[[:space:]]*include[[:space:]]*"')
[ "$seen" -gt 50 ]
ok $? "the tree has includes to judge" "only $seen"

said=$(grep -nE '#[[:space:]]*include[[:space:]]*<jansson' netlink/*.[ch])
[ -z "$said" ]
ok $? "netlink/ knows no JSON" "$said"

refuses base/bad.h cni/call.h
refuses base/bad.c netlink/mnl.h
refuses netlink/bad.c devinfo/sysfs.h
refuses netlink/bad.c conf/node.h
refuses conf/bad.c netlink/link.h
refuses devinfo/bad.c conf/node.h
refuses devinfo/bad.c cni/call.h
refuses devinfo/controller.c conf/node.h
refuses cni/bad.c neighbour.h
accepts devinfo/ctl_good.c conf/node.h
accepts devinfo/good.c netlink/sriov.h
accepts cni/good.c conf/netconf.h

ok_end
