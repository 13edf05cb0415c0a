#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lines.sh - no line of C is over 100 columns (a tab is 8), and none ends in a blank; no C file of the
# product is over 500 lines
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source-path=SCRIPTDIR
. tests/ok.sh

too_long() { expand -t 8 "$1" | awk -v f="$1" 'length($0) > 100 { print f ":" FNR; bad = 1 } END { exit bad }'; }

# over_500 FILE...: those that are too long, each with its number of lines
over_500() { awk 'FNR == 501 { long[FILENAME] } { n[FILENAME] = FNR } END { for (f in long) print f ": " n[f] }' "$@" | sort; }

file=$(mktemp)
trap 'rm -f "$file"' EXIT
printf '\t%093d\n' 0 >"$file"
too_long "$file" >/dev/null && status=1 || status=0
ok "$status" "101 columns are seen"
seq 500 >"$file"
[ -z "$(over_500 "$file")" ] && echo 501 >>"$file" && [ "$(over_500 "$file")" = "$file: 501" ]
ok $? "501 lines are seen, and 500 are allowed"

mapfile -t product < <(find base conf cni daemon devinfo install manager netlink -name '*.[ch]' | sort)
said=$(over_500 "${product[@]}")
[ "${#product[@]}" -gt 100 ] && [ -z "$said" ]
ok $? "no C file of the product is over 500 lines" "${said:-${#product[@]} files only}"

for source in base/*.[ch] conf/*.[ch] netlink/*.[ch] {cni,daemon,devinfo,manager}/*/*.[ch] cni/*.[ch] daemon/*.[ch] install/*/*.[ch] tests/*/*.[ch] tests/unit/*/*.[ch] tests/unit/*/*/*.[ch]; do
	[ "$source" = tests/lab/vminit.c ] && continue
	said=$(too_long "$source" && ! grep -nE '[[:blank:]]+$' "$source")
	ok $? "$source is within 100 columns" "$said"
done
ok_end
