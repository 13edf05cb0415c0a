#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# harness.sh - does tests/tap.sh notice when a test program goes wrong, and can each test go wrong?  Does
# "make check" leave out nothing, and does ROOM find what is about a room?

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/harness.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
unset TAP_RESULTS	# what runs here, to fail on purpose, is not a result of this run

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

said=$(env -u V -u TAP_RESULTS tests/tap.sh "$work/program" "$work/absent" 2>&1) && said=passed
[[ $said == *"program: 1 passed, 0 failed"*"not ok - Bail out! it was not built"*"absent: 0 passed, 1 failed, 0 skipped" ]]
ok $? "a program that was not built is one failure, and the others run" "$said"

# -- what a failed comparison shows --

cat >"$work/eq.c" <<'END'
#include "tests/unit/tap.h"
int main(void)
{
	test("sides");
	eq("a\nb", "a");
	eq(NULL, "x");
	eqi(3, 3);
	eqi(3, -4);
	begins("abc", "bc");
	contains("abc", "bc");
	return tap_end();
}
END
cc -I. -o "$work/eq" "$work/eq.c" 2>&1 && said=$("$work/eq")
[ "$(grep -v '^ok\|^not' <<<"$said")" = "#  have a
#       b
#  want a
#  have (null)
#  want x
#  have 3
#  want -4
#  have abc
#  want bc
1..6" ]
ok $? "a comparison of C that fails prints both sides, one a line" "$said"

mkdir "$work/bats"
cp tests/{compare,json}.bash "$work"
cat >"$work/bats/x.bats" <<'END'
bats_require_minimum_version 1.5.0
load ../compare
nothing() { if [ a = b ]; then :; fi; [ c = d ] || echo none; }
@test "x" {
	said=$(nothing)
	[ "$said" = none ]
	[ 1 -lt 2 ]
	[ "${said}x" = other ]
}
@test "y" {
	[ 7 -lt 5 ]
}
END
said=$(bats --tap "$work/bats/x.bats" 2>&1)
[ "$(grep -E '^# (have|want)' <<<"$said")" = "# have nonex
# want other
# have 7
# want -lt 5" ]
ok $? "so does one of bats, and a condition prints nothing" "$said"
said=$(grep -L 'load .*\(helpers\|peers\|compare\|devinfoctl\)$' tests/*/*.bats | grep -v lab/demo)
[ -z "$said" ]
ok $? "each file of bats has that" "$said"

# -- files side by side --

printf '#!/bin/sh\nsleep 0.1; date +%%s.%%N >"$1.begun"; echo 1..1; echo "ok 1 - $# $1"\n' >"$work/files"
chmod +x "$work/files"
mkdir "$work/side"
seq 100 >"$work/side/big"
seq 40 | tee "$work/side/one" >"$work/side/two"
echo '# bats file_tags=long' >"$work/side/small"
said=$(tests/side-by-side.sh 1 "$work/files" -- "$work"/side/{big,small} "$work/side/one $work/side/two" | sed "s,$work/side/,,")
[ "$(sort -k 4 <<<"$said")" = "1..3
ok 1 - 1 big
ok 2 - 1 small
ok 3 - 2 one" ]
ok $? "files of one argument are one command's" "$said"
said=$(for file in "$work"/side/*.begun; do echo "$(<"$file") $(basename "$file" .begun)"; done | sort | cut -d ' ' -f 2 | tr '\n' ' ')
[ "$said" = "small big one " ]
ok $? "long ones come first, then the largest" "$said"

# -- what a run takes of a sweep --

cp tests/chosen.bash "$work"
cat >"$work/bats/points.bats" <<'END'
. "${BATS_TEST_FILENAME%/*}/../chosen.bash"
takes() { chosen "${@:2}"; builtin [ "${chosen[*]}" = "$1" ]; }
# bats test_tags=points
@test "has the tag" {
	takes '1 2 3 4' 1 4
	takes 7 7 7
	! whole 7 8
	chosen 10 100 5
	builtin [ "${#chosen[@]} ${chosen[0]} ${chosen[4]}" = '5 10 100' ]
	((10 < chosen[1] && chosen[1] < 41 && chosen[1] < chosen[2] && chosen[2] < chosen[3] && chosen[3] < 100))
	first=${chosen[*]}
	takes "$first" 10 100 5
	SWEEP_SEED=3 chosen 10 100 5
	builtin [ "${chosen[*]}" != "$first" ]
	SWEEP_N=all takes '3 4 5 6 7 8 9' 3 9 2
	whole 3 9
	SWEEP_N=1 takes '1 9' 1 9
}
@test "has none" {
	chosen 1 2
}
END
said=$(env -u SWEEP_N -u SWEEP_SEED bats --tap "$work/bats/points.bats" 2>&1)
[ "$(grep -E '^(not )?ok|^# a test' <<<"$said")" = "ok 1 has the tag
not ok 2 has none
# a test that chooses has the tag points" ]
ok $? "of the points of a sweep some are taken, and all by make sweep, in tests that this finds" "$said"
said=$(make -n sweep-points sweep-lab-points SWEEP_N=7)
[ "$(grep -c "SWEEP_N=7 " <<<"$said")" -eq 2 ] && [[ $said == *TAP_TAGS=points*"grep -lx '# bats test_tags=points' tests/net/"* ]] &&
	[[ $said == *"grep -lx '# bats test_tags=points' tests/lab/"*LAB_TAGS=points* ]]
ok $? "make sweep runs those of net and of lab" "$said"

# -- what runs under sanitizers, and without --

# (what net/units.bats leaves out there is a line of a log)
said=$(grep -lE '\$\{SAN:?-|\$sanitized|__asan_init|__gcov_' tests/{cli,net}/*.bats |
	grep -vx tests/net/units.bats | xargs grep -LE '^# bats (file|test)_tags=.*\b(plain|both)\b')
[ -z "$said" ]
ok $? "a file of bats that asks for less under sanitizers has a test with the tag plain or both" "$said"

# -- make check --

# a tree of its own: two rooms, without any code
mkdir -p "$work"/tree/tests/unit/{base,cni/vf} "$work"/tree/tests/{cli,net,tool,fake/kubelet-js}
touch "$work"/tree/tests/tool/{allocfail,answers,busy,confined}.c "$work"/tree/tests/fake/kubelet-js/{package.json,package-lock.json,.npmrc}
cp GNUmakefile "$work/tree"
cp tests/{tap,side-by-side}.sh "$work/tree/tests"
printf 'base:\ncni/vf: base\n' >"$work/tree/tests/rooms"
# shellcheck disable=SC2016 # of C
good='#include <stdio.h>\nint main(void) { return puts("ok 1\\n1..1") < 0; }\n'
printf '%b' "$good" | tee "$work"/tree/tests/unit/{base/test_a,base/test_b,cni/vf/test_c}.c >/dev/null
for file in cli/a:base cli/b:'base cni/vf' net/c:base net/d:cni/vf; do
	printf '# rooms: %s\n@test "x" {\n\ttrue\n}\n' "${file#*:}" >"$work/tree/tests/${file%:*}.bats"
done
in_tree() { env -u V -u MAKEFLAGS -u MAKELEVEL -u ROOM -u BUILD -u CFLAGS make -s -C "$work/tree" STRICT= "$@" 2>&1; }

said=$(in_tree unit) && echo 'int main(void) { nonsense }' >"$work/tree/tests/unit/base/test_b.c" &&
	! said=$(in_tree unit) && grep -qx 'test_a: 1 passed, 0 failed, 0 skipped' <<<"$said" &&
	grep -qx 'test_b: 0 passed, 1 failed, 0 skipped' <<<"$said" &&
	grep -qx 'test_c: 1 passed, 0 failed, 0 skipped' <<<"$said"
ok $? "a test that compiles no more has failed, by its name, and the others run" "$said"

# planned ROOM: what "make check" would run of it
planned() {
	in_tree -n check ROOM="$1" | grep -oE 'tests/tap.sh .*' | tr -s ' \n' ' ' |
		sed 's,build/tests/unit/,,g; s,tests/,,g; s,tap[.]sh ,,g'
}
said=$(planned cni/vf)
[ "$said" = "cni/vf/test_c bats cli/b.bats bats net/d.bats " ]
ok $? "ROOM is the tests of unit, cli and net of one room" "$said"
said=$(planned cni)
[ "$said" = "cni/vf/test_c bats cli/b.bats bats net/d.bats " ]
ok $? "or of all rooms below that folder" "$said"
! said=$(in_tree check ROOM=cni/v) && [[ $said == *"ROOM=cni/v is no room.  The rooms are: base cni/vf."* ]]
ok $? "a room that is not there is an error with those that are" "$said"
said=$(in_tree -n check | grep -oE 'tests/tap.sh (bats )?[^ ]*' | sort -u | tr -s ' \n' ' ')
[ "$(tr ' ' '\n' <<<"$said" | grep -cE '^(tests/cli|\$\(grep|build/tests/unit/base/test_a|tests/rooms.sh)$')" -eq 4 ]
ok $? "without it the rules are among them, and some attachments" "$said"

# -- coverage --

# counted WAY OPTION...: how often each line of a program has run, linked like that, in three runs that fork and exec
mkdir -p "$work/covered"
cat >"$work/covered/it.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static int twice(int n) { return n > 2 ? n + n : 0; }
int main(int argc, char **argv)
{
	for (int i = 0; i < argc * 3; i++)
		if (twice(i) < 0)
			puts("never");
	if (fork() == 0)
		exit(argc);
	wait(NULL);
	if (argc == 1)
		execl("/nonexistent", "x", NULL);
	if (argc == 2)
		execl(argv[0], argv[0], "1", "2", NULL);
	return 0;
}
END
counted() {
	(
		cd "$work/covered" && rm -f ./*.gc?? && gcc --coverage -fdata-sections -c it.c && gcc --coverage it.o "$@" -o it &&
			./it && ./it 1 && GCOV_PREFIX=$work/covered/elsewhere ./it 1 2 && ./it 1 2 || exit
		[ ! -e it.counters ] || { [ ! -e it.gcda ] && COUNTERS_FROM=it.counters ./it && [ -e it.gcda ]; } || exit
		gcov -t it.gcda | grep -v ':Runs:'
	)
}
gcc -O2 -DCOUNTERS="\"$work/covered/it.counters\"" -c tests/tool/counters.c -o "$work/counters.o"
ours=
theirs=$(counted 2>&1) && [[ $theirs == *'#####:   10:'* ]] && [[ $theirs == *' 4:   18:'* ]] && [ ! -e "$work/covered/it.counters" ] &&
	ours=$(counted "$work/counters.o" -T "$PWD/tests/tool/counters.ld" -Wl,--wrap=__gcov_exit -Wl,--wrap=__gcov_dump 2>&1) &&
	[ -e "$work/covered/it.counters" ] && [ -e "$work/covered/elsewhere$work/covered/it.counters" ] && [ "$ours" = "$theirs" ]
ok $? "a program whose counters are in one file has counted what gcc's way counts" "$theirs$ours"

# -- rooms of tests --

# misplaced FILE...: files of bats that do not say their rooms, once, or say one that is not there
misplaced() {
	awk 'FILENAME == "tests/rooms" && sub(/:.*/, "") && /^[a-z]/ { room[$0] = 1 }
		FILENAME != "tests/rooms" && FNR == 1 { file[n++] = FILENAME }
		FILENAME != "tests/rooms" && /^# rooms:/ {
			lines[FILENAME]++
			for (i = 3; i <= NF; i++)
				if (!($i in room) && ($i != "-" || NF > 3))
					print FILENAME ": " $i
		}
		END { for (i = 0; i < n; i++) if (lines[file[i]] != 1) print file[i] ": " lines[file[i]] + 0 " lines" }' \
		tests/rooms "$@"
}
printf '# rooms: base cni/v\n' >"$work/one"
printf '# none\n' >"$work/two"
[ "$(misplaced "$work/one" "$work/two")" = "$work/one: cni/v
$work/two: 0 lines" ]
ok $? "a file of bats without its rooms is seen, and one with a room that is not there"
said=$(misplaced tests/*/*.bats)
[ -z "$said" ]
ok $? "each file of bats says which rooms it is about" "$said"
said=$(sed -nE 's/^([a-z_/]+):.*/\1/p' tests/rooms | while read -r room; do
	ls "tests/unit/$room"/test_*.c >/dev/null 2>&1 ||
		grep -lE "^# rooms:.* $room( |\$)" tests/{cli,net}/*.bats >/dev/null || echo "$room"
done)
[ -z "$said" ]
ok $? "each room has a test of unit, cli or net" "$said"

ok_end
