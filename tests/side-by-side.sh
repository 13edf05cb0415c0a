#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# side-by-side.sh - run a command on each of several files, some at a time; their TAP as one stream
#
#	side-by-side.sh N COMMAND... -- FILE...
#
# A command that ends with a status above 1 was no test run at all: that is said in its place.
# Files with the tag "long" are started first.  A FILE of several words is as many files
# for one command.
set -eu
jobs=$1
shift
command=()
while [ "$1" != -- ]; do
	command+=("$1")
	shift
done
shift
out=$(mktemp -d "${TMPDIR:-/tmp}/side.XXXXXX")
trap 'rm -rf "$out"' EXIT

one() {
	local file=$1 status=0
	shift
	# shellcheck disable=SC2086 # several words are several files
	"$@" $file >"$out/${file##*/}.tap" 2>&1 || status=$?
	[ "$status" -le 1 ] || echo "Bail out! $file: ended with status $status" >>"$out/${file##*/}.tap"
	return "$status"
}

# the longest first, by what can be known of that: else it may run alone at the end
# shellcheck disable=SC2086 # several words are several files
mapfile -t files < <(for file; do
	printf '%s %s %s\n' "$(cat -- $file | grep -cE '^# bats file_tags=long(,|$)')" "$(cat -- $file | wc -c)" "$file"
done | sort -k 1,1nr -k 2,2nr | cut -d ' ' -f 3-)
rc=0
running=0
for file in "${files[@]}"; do
	if [ "$running" -ge "$jobs" ]; then
		wait -n || rc=1
		running=$((running - 1))
	fi
	one "$file" "${command[@]}" &
	running=$((running + 1))
done
while [ "$running" -gt 0 ]; do
	wait -n || rc=1
	running=$((running - 1))
done

# One plan for all; numbers start anew in each file, so count.
cat "$out"/*.tap | awk '
	/^1\.\.[0-9]+$/ { plan += substr($0, 4); next }
	/^(not )?ok [0-9]+/ { n++; sub(/ok [0-9]+/, "ok " n) }
	{ print }
	END { print "1.." plan + 0 }'
exit "$rc"
