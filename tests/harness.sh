#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# harness.sh - does tests/tap.sh notice when a test program goes wrong, and can each test go wrong?

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/harness.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# counts SENTENCE STATUS "PASSED FAILED SKIPPED" SCRIPT [VARIABLE=VALUE...]
counts() {
	local sentence=$1 want="$2 $3" status=0 said have
	printf '#!/bin/sh\n%s\n' "$4" >"$work/program"
	chmod +x "$work/program"
	rm -f "$work/results"
	said=$(env -u CI -u STRICT_SKIP -u V TAP_RESULTS="$work/results" TAP_TIMEOUT=1 "${@:5}" \
		tests/tap.sh "$work/program" 2>&1) || status=$?
	have="$status $(cut -d ' ' -f 2- "$work/results")"
	[ "$have" = "$want" ]
	ok $? "$sentence" "have $have, want $want"$'\n'"$said"
}

counts "a program that passes is counted" 0 "2 0 0" 'echo "ok 1 - a"; echo "ok 2"; echo 1..2'
counts "a plan may come first" 0 "1 0 0" 'echo 1..1; echo "ok 1"'
counts "a failed test fails the run" 1 "1 1 0" 'echo 1..2; echo "ok 1"; echo "not ok 2 - b"'
counts "a failing exit status alone fails the run" 1 "1 1 0" 'echo 1..1; echo "ok 1"; exit 3'
counts "a program that dies fails the run" 1 "1 1 0" 'echo 1..1; echo "ok 1"; kill -SEGV $$'
counts "a test that was planned and did not run has failed" 1 "1 2 0" 'echo 1..3; echo "ok 1"'
counts "a test that was not planned fails the run" 1 "2 1 0" 'echo 1..1; echo "ok 1"; echo "ok 2"'
counts "no plan fails the run" 1 "1 1 0" 'echo "ok 1"'
counts "a second plan fails the run" 1 "1 1 0" 'echo 1..1; echo "ok 1"; echo 1..1'
counts "a number that is missing is one failure" 1 "2 1 0" 'echo 1..3; echo "ok 1"; echo "ok 3"'
counts "a number that comes twice fails the run" 1 "2 2 0" 'echo 1..2; echo "ok 1"; echo "ok 1"'
counts "silence fails the run" 1 "0 1 0" ':'
counts "a plan of nothing fails the run" 1 "0 1 0" 'echo 1..0'
counts "bailing out fails the run" 1 "1 1 0" 'echo 1..1; echo "ok 1"; echo "Bail out! no"'
counts "a program that hangs is ended and fails the run" 1 "1 1 0" 'echo 1..1; echo "ok 1"; exec sleep 30'
counts "a skipped test is counted" 0 "1 0 1" 'echo 1..2; echo "ok 1"; echo "ok 2 # skip no"'
counts "a program may skip as a whole" 0 "0 0 1" 'echo "1..0 # SKIP no device"'
counts "a skipped test fails a strict run" 1 "1 0 1" 'echo 1..2; echo "ok 1"; echo "ok 2 # skip"' \
	STRICT_SKIP=1
counts "a skipped test fails in CI" 1 "0 0 1" 'echo 1..1; echo "ok 1 # SKIP"' CI=true
counts "standard input is empty" 0 "1 0 0" 'read -r x || echo "ok 1"; echo 1..1'

# the program of the last line again, with comments
printf 'echo "# | a | b |"; echo "# c"\n' >>"$work/program"
env -u V tests/tap.sh "$work/program" >"$work/said"
grep -qx '  | a | b |' "$work/said" && ! grep -q 'c$' "$work/said"
ok $? "of the comments of a test that passes, the rows of a table are shown" "$(<"$work/said")"

# In "[ a ] && [ b ]" only b can fail a test of bats, unless it is the last command of a function.
hidden() {
	awk '/^[^\t#].*[{]$/ { test = /^@test/ }
		held && (test || $0 != "}") { print held; bad = 1 }
		{ held = "" }
		/^\t+\[\[? .*\]\]? && / && !/\|\|/ && !/&& (return|break|continue|exec|false)([ \t]|$)/ && !/(&&|\\)$/ {
			held = FILENAME ":" FNR ":" $0
		}
		END { exit bad }' "$1"
}
printf '@test "x" {\n\t[ a ] && [ b ]\n}\n' >"$work/hides"
printf 'f() {\n\t[ a ] && [ b ]\n}\n@test "x" {\n\t[ a ]\n\t[ b ] && return\n}\n' >"$work/shows"
said=$(hidden "$work/shows" && ! hidden "$work/hides" >/dev/null)
ok $? "an assertion before && is seen, where it cannot fail" "$said"
said=$(for file in tests/*/*.bats; do hidden "$file" || status=1; done; exit "${status:-0}")
ok $? "no test has an assertion before &&, where it cannot fail" "$said"

ok_end
