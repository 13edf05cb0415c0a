#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# checklist.sh - print SPEC-NOTES.md with the tests of each line of the conformance checklist
#
#	tests/tool/checklist.sh >notes.tmp && mv notes.tmp SPEC-NOTES.md
#
# The name of a test tells which lines it proves.  The last cell of each row that begins with
# "| C-" is written anew: the first three such tests, in the order of the files.

set -euo pipefail
cd "$(dirname "$0")/../.."

# each test as "file<tab>name"; a C string may be in several pieces
names() {
	local file
	for file in tests/*/*.bats; do
		sed -nE 's|^@test "([^"\|]*)" \{$|'"$file"'\t\1|p' "$file"
	done
	for file in tests/unit/*.c; do
		tr -d '\n\t' <"$file" | sed 's/" *"//g' | grep -oE '\<test\("[^"|]*"' |
			sed -E 's|^test\("(.*)"$|'"$file"'\t\1|' || true
	done
}

names | awk -F '\t' '
NR == FNR {
	for (rest = $2; match(rest, /C-[A-Z]+-[0-9]+/); rest = substr(rest, RSTART + RLENGTH)) {
		id = substr(rest, RSTART, RLENGTH)
		if (++count[id] > 3)
			continue
		if (file[id] == $1)
			tests[id] = tests[id] ", \"" $2 "\""
		else
			tests[id] = tests[id] (tests[id] ? "; " : "") $1 " \"" $2 "\""
		file[id] = $1
	}
	next
}
match($0, /^\| C-[A-Z]+-[0-9]+ \|/) {
	id = substr($0, 3, RLENGTH - 4)
	match($0, /\|[^|]*\|$/)
	$0 = substr($0, 1, RSTART) " " tests[id] " |"
}
{ print }' - SPEC-NOTES.md
