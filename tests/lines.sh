#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lines.sh - no line of C is over 100 columns (a tab is 8), and none ends in a blank
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source-path=SCRIPTDIR
. tests/ok.sh

too_long() { expand -t 8 "$1" | awk -v f="$1" 'length($0) > 100 { print f ":" FNR; bad = 1 } END { exit bad }'; }

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '\t%093d\n' 0 >"$file"
too_long "$file" >/dev/null && status=1 || status=0
ok "$status" "101 columns are seen"

for source in base/*.[ch] conf/*.[ch] netlink/*.[ch] {cni,devinfo,manager}/*/*.[ch] cni/*.[ch] tests/*/*.[ch] tests/unit/*/*.[ch] tests/unit/*/*/*.[ch]; do
	[ "$source" = tests/lab/vminit.c ] && continue
	said=$(too_long "$source" && ! grep -nE '[[:blank:]]+$' "$source")
	ok $? "$source is within 100 columns" "$said"
done
ok_end
