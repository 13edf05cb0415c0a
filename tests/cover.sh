#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# cover.sh - line coverage of the C code by what a COV=1 build has run so far
#
#	tests/cover.sh BUILD		fails below COVER_MIN per cent (default 85)
#
# Counts the source files of the programs, each by the one object that all programs and
# tests link; generated code and tests do not count, inline functions of headers neither, nor
# what only a static program has.
# A file that never ran counts with all its lines.

set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: tests/cover.sh BUILD}
objects=()
for file in {base,conf,cni,daemon,netlink}/*.c {cni,daemon,devinfo,manager}/*/*.c; do
	case $file in base/relro.c | base/tables.c | daemon/api/static.c) continue ;; esac
	if [ ! -e "$build/${file%.c}.gcno" ]; then
		echo "cover.sh: $build was built without COV=1, or without $file" >&2
		exit 1
	fi
	objects+=("$build/${file%.c}.gcno")
done

# What virtual machines have counted lies beside it, see tests/lab/setup_suite.bash.  The programs have their counters
# in one file each: tests/tool/counters.c.
for program in devinfo devinfoctl; do
	for counters in {"$build","$build-lab"/*/*}/bin/"$program.counters"; do
		[ -e "$counters" ] || continue
		env -u GCOV_PREFIX COUNTERS_FROM="$counters" "$build/bin/$program"
		rm "$counters"
	done
done
for more in "$build-lab"/*/*; do
	[ -n "$(find "$more" -name '*.gcda' -print -quit 2>/dev/null)" ] || continue
	both=$(mktemp -d)
	gcov-tool merge -o "$both" "$build" "$more"
	cp -r "$both/." "$build/"
	rm -r "$both" "$more"
done

# "cannot open data file" is said of a file that never ran, and gcov then counts it as such
gcov -n "${objects[@]}" 2>/dev/null | awk -v min="${COVER_MIN:-85}" '
/^File / {
	split($0, quoted, "\047")
	file = quoted[2]
}
/^Lines executed:/ && file ~ /^(base|conf|cni|daemon|devinfo|manager|netlink)\/([^\/]*\/)?[^\/]*\.c$/ && !(file in seen) {
	split($0, part, /[:%]| of /)
	seen[file] = 1
	lines = part[4]
	hit = int(part[2] * lines / 100 + 0.5)
	printf "%6.1f %%  %4d/%-4d  %s\n", lines ? 100 * hit / lines : 100, hit, lines, file
	covered += hit
	total += lines
	files++
}
END {
	if (!total) {
		print "line coverage: nothing was measured"
		exit 1
	}
	percent = 100 * covered / total
	printf "line coverage: %.1f %% (%d/%d) in %d files\n", percent, covered, total, files
	if (percent < min) {
		printf "line coverage is below %s %%\n", min
		exit 1
	}
}'
