#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# grow.sh - let the corpus of a target grow by what it finds
#
#	tests/fuzz/grow.sh NAME SECONDS [FILES]
#
# Fuzzes, and adds to tests/fuzz/corpus/NAME those inputs (FILES at most, 32 unless told) that reach
# code which the corpus does not: of what it finds, and of what "make fuzz TIME=..." has kept.  Files it has added before are judged again; seeds with a name
# stay.  "make fuzzers" has built the target.

set -euo pipefail
cd "$(dirname "$0")/../.."
if [ $# -lt 2 ]; then
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
name=$1 seconds=$2 files=${3:-32}
program=${BUILD:-build-fuzz}/tests/fuzz/$name
corpus=tests/fuzz/corpus/$name
work=$(mktemp -d "${TMPDIR:-/tmp}/grow.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir "$work/new" "$work/all"
find "${BUILD:-build-fuzz}/corpus/$name" -type f -exec cp -t "$work/new" {} + 2>/dev/null || true
export ASAN_OPTIONS=quarantine_size_mb=32

"$program" "-max_total_time=$seconds" -max_len=1024 -timeout=5 -verbosity=0 \
	"-artifact_prefix=$name-" "$work/new" "$corpus"
# the names of libFuzzer are hashes
find "$corpus" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -exec mv -t "$work/new" {} +
cp "$corpus"/* "$work/all"
# without counters only code that was not reached counts, not how often it was
"$program" -set_cover_merge=1 -use_counters=0 -max_len=1024 -verbosity=0 "$work/all" "$work/new"
find "$work/all" -type f -regextype posix-extended -regex '.*/[0-9a-f]{40}' -printf '%s %p\n' |
	sort -rn | head -n "$files" | cut -d ' ' -f 2 | xargs -r cp -t "$corpus"
printf '%s: %d files, %d bytes\n' "$name" "$(find "$corpus" -type f | wc -l)" \
	"$(cat "$corpus"/* | wc -c)"
