#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tap.sh - run programs that speak TAP, show what failed, and count
#
#	tests/tap.sh PROGRAM...		each prints the Test Anything Protocol, some side by side
#	tests/tap.sh bats DIR|FILE...	all *.bats of a folder, or these, some side by side
#
# Prints one line a program, the failing tests with their comments, and comments that are
# rows of a table ("# | a | b |"); V=1 prints everything.  Exit status 1 when anything
# failed, or was skipped while CI or STRICT_SKIP is set: a run must not become green by
# skipping.
#
# A program also fails by its exit status, by having no plan or two, by running fewer
# or more tests than planned, by miscounting, by running none at all, and by not being there, for
# then it did not compile.
#
# Environment:
#	V=1		show all of a program's output
#	STRICT_SKIP=1	a skipped test is a failure (so does CI=anything)
#	TAP_RESULTS	a file to which "NAME PASSED FAILED SKIPPED" is appended
#	TAP_TIMEOUT	seconds a program may take (default 600)
#	TAP_TAGS	only the tests of bats that have one of these tags, or with one ! have it not
#	TAP_JOBS	files of bats at a time (default: one more than processors)

set -uo pipefail

strict=${STRICT_SKIP:-${CI:-}}
work=$(mktemp -d "${TMPDIR:-/tmp}/tap.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
# a program in the background group cannot be stopped from the keyboard
group=()
if [ -t 1 ]; then group=(--foreground); fi

# judge STATUS <output: failures to stdout, the last line of $work/count is "PASSED FAILED SKIPPED"
judge() {
	awk -v status="$1" -v count="$work/count" -v all="${V:-}" '
	function bad(why) { print "  not ok - " why; failed++ }
	all { print "  " $0 }
	/^1\.\.[0-9]+/ {
		plans++
		planned = substr($1, 4) + 0
		if (planned == 0 && tolower($0) ~ /# *skip/)
			skipped++
		show = 0
		next
	}
	/^(not )?ok( |$)/ {
		no++
		show = 0
		given = $1 == "not" ? $3 : $2
		if (given ~ /^[0-9]+$/ && given + 0 != no) {
			bad("test " given " came where " no " was due: " $0)
			no = given + 0
		}
		if ($1 == "not") {
			failed++
			show = !all
			if (show)
				print "  " $0
		} else if ($0 ~ / # *[Ss][Kk][Ii][Pp]/) {
			skipped++
			if (!all)
				print "  " $0
		} else {
			passed++
		}
		next
	}
	/^Bail out!/ { bad($0); absent = /! it was not built/; show = 0; next }
	/^# \| / && !all && !show { print "  " substr($0, 3); next }
	/^#/ && show { print "  " $0 }
	END {
		if (absent)
			;
		else if (plans == 0)
			bad("it printed no plan and ended with status " status)
		else if (plans > 1)
			bad("it printed " plans " plans")
		else if (no < planned)
			for (i = no; i < planned; i++)
				bad("test " i + 1 " of " planned " did not run")
		else if (no > planned)
			bad("it ran " no " tests and planned " planned)
		if (plans == 1 && planned == 0 && skipped == 0)
			bad("it tested nothing")
		if (status != 0 && failed == 0)
			bad("it ended with status " status)
		print passed + 0, failed + 0, skipped + 0 >count
	}'
}

# execute N COMMAND...: its output and status into files of number N
execute() {
	local n=$1 status=0
	shift
	if [[ $1 == */* && ! -e $1 ]]; then
		echo "Bail out! it was not built: what the compiler said of it is above" >"$work/$n.out"
		: >"$work/$n.err"
		echo 0 >"$work/$n.status"
		return
	fi
	timeout "${group[@]}" -k 10 "${TAP_TIMEOUT:-600}" "$@" \
		>"$work/$n.out" 2>"$work/$n.err" </dev/null || status=$?
	echo "$status" >"$work/$n.status"
}

# report N NAME: what number N has said
report() {
	local n=$1 name=$2 status=1 passed=0 failed=1 skipped=0
	read -r status <"$work/$n.status"
	rm -f "$work/count"
	judge "$status" <"$work/$n.out" >"$work/said" || echo "  not ok - its output cannot be read" >>"$work/said"
	read -r passed failed skipped <"$work/count"
	cat "$work/said"
	if [ "$failed" -gt 0 ] || [ -n "${V:-}" ]; then
		sed 's/^/  | /' "$work/$n.err" | tail -n 200
	fi
	printf '%s: %d passed, %d failed, %d skipped\n' "$name" "$passed" "$failed" "$skipped"
	if [ -n "${TAP_RESULTS:-}" ]; then
		printf '%s %d %d %d\n' "$name" "$passed" "$failed" "$skipped" >>"$TAP_RESULTS"
	fi
	if [ "$failed" -gt 0 ] || { [ -n "$strict" ] && [ "$skipped" -gt 0 ]; }; then
		bad=1
	fi
}

bad=0
if [ $# -eq 0 ]; then
	echo "tap.sh: nothing to run" >&2
	exit 1
elif [ "$1" = bats ]; then
	files=("${@:2}")
	[ ! -d "$2" ] || files=("$2"/*.bats)
	tags=()
	for tag in ${TAP_TAGS-}; do
		tags+=(--filter-tags "$tag")
	done
	execute 0 "$(dirname "$0")/side-by-side.sh" "${TAP_JOBS:-$(($(nproc) + 1))}" \
		bats --tap --print-output-on-failure "${tags[@]}" -- "${files[@]}"
	report 0 "$(dirname "${files[0]}")"
else
	# two more at a time than there are processors, for some do little but wait
	for ((n = 0; n < $#; n++)); do
		[ "$n" -lt $(($(nproc) + 2)) ] || wait -n || true
		execute "$n" "${@:n+1:1}" &
	done
	wait
	n=0
	for program; do
		case $program in
		tests/*) report "$n" "$program" ;;
		*) report "$n" "${program##*/}" ;;
		esac
		n=$((n + 1))
	done
fi
exit "$bad"
