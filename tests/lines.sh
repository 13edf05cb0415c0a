#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# lines.sh - a file of C begins with its licence and its name; no line of it is over 100 columns (a tab is
# 8), and none ends in a blank; no C file of the product is over 500 lines
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source-path=SCRIPTDIR
. tests/ok.sh

too_long() { expand -t 8 "$1" | awk -v f="$1" 'length($0) > 100 { print f ":" FNR; bad = 1 } END { exit bad }'; }

# over_500 FILE...: those that are too long, each with its number of lines
over_500() { awk 'FNR == 501 { long[FILENAME] } { n[FILENAME] = FNR } END { for (f in long) print f ": " n[f] }' "$@" | sort; }

# beginless FILE...: those that do not begin with their SPDX line and "NAME - purpose", alone or on top of more
beginless() {
	awk '
	function judge() { if (file && !(licence && purpose)) print file }
	FNR == 1 {
		judge()
		file = name = FILENAME
		sub(/.*\//, "", name)
		name = name " - "
		licence = $0 == "/* SPDX-License-Identifier: Apache-2.0 */"
		purpose = 0
	}
	FNR == 2 { opened = $0 == "/*"; purpose = index($0, "/* " name) == 1 }
	FNR == 3 && opened { purpose = index($0, " * " name) == 1 }
	END { judge() }' "$@"
}

file=$(mktemp)
trap 'rm -f "$file"' EXIT
licence='/* SPDX-License-Identifier: Apache-2.0 */' name=${file##*/}
# begins RESULT LINE...: RESULT is what is said of a file of these lines
begins() {
	printf '%s\n' "${@:2}" >"$file"
	[ "$(beginless "$file")" = "$1" ]
}
begins '' "$licence" "/* $name - what for */" && begins '' "$licence" '/*' " * $name - what for" ' */'
ok $? "a file that begins as it should is nothing to tell"
begins "$file" '/* SPD * Theory.' "/* $name - what for */" && begins "$file" "$licence" '/*' ' * other.c - what for' &&
	begins "$file" "$licence" && begins "$file" "$licence" '/* what for */' " * $name - what for"
ok $? "one without its licence, its name or its purpose is told"
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

mapfile -t sources < <(printf '%s\n' "${product[@]}" && find tests -name '*.[ch]' | sort)
said=$(beginless "${sources[@]}")
[ -z "$said" ]
ok $? "each file of C begins with its licence, its name and its purpose" "$said"

for source in "${sources[@]}"; do
	said=$(too_long "$source" && ! grep -nE '[[:blank:]]+$' "$source")
	ok $? "$source is within 100 columns" "$said"
done
ok_end
