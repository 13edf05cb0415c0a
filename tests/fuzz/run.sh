#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh - every parser of what others wrote, fuzzed for a bounded time
#
#	make fuzz [FUZZ_S=SECONDS]	builds the targets and runs this, which speaks TAP; with 0 seconds a
#					target runs its corpus and a thousand inputs
#	make fuzz TIME=SECONDS		the same in so many seconds for all of them together, and what
#					reaches new code is kept for the next run: FUZZ_KEEP
#
# A target starts from a copy of its corpus, which is committed in tests/fuzz/corpus.  A report
# of a sanitizer, a promise that does not hold, an input that takes more than 5 s or too much
# memory: each is a finding, its input is kept in $BUILD/found, and the run fails.  So does a
# target that ran fewer inputs than its corpus has.
#
# What finds nothing may be blind: there is a target with a bug planted in it, and each of the
# others is first shown to notice a parser that reads one byte too many, and to have seeds that the
# parser accepts.
#
# Environment: BUILD, where the targets are; FUZZ_S, seconds a target; FUZZ_KEEP, a folder with one
# for each target, from which it goes on and which grows.

set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
. tests/ok.sh
build=${BUILD:?}
seconds=${FUZZ_S:-8}
found=$build/found
keep=${FUZZ_KEEP-}
max_len=4096
mkdir -p "$found" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/fuzz.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export ASAN_OPTIONS=quarantine_size_mb=32 UBSAN_OPTIONS=print_stacktrace=1
limits=(-timeout=5 -rss_limit_mb=1024 -malloc_limit_mb=128 "-max_len=$max_len" -print_final_stats=1)

# search NAME PROGRAM SEEDS FOUND [OPTION...]: leaves log and status in $work/NAME
search() {
	local at=$work/$1 status=0 kept=()
	mkdir -p "$at/corpus"
	if [ -d "${FUZZ_KEEP:-/nowhere}/$1" ]; then kept=("$FUZZ_KEEP/$1"); fi	# the first one grows
	find "$3" -type f -exec cp -t "$at/corpus" {} +
	find "$at/corpus" -type f | wc -l >"$at/seeds"
	timeout -k 5 $((seconds + 90)) "$2" "${limits[@]}" "-artifact_prefix=$4/$1-" "${@:5}" \
		"${kept[@]}" "$at/corpus" >"$at/log" 2>&1 || status=$?
	echo "$status" >"$at/status"
}

# judge NAME: did it run all of its corpus, and find nothing?  Sets executed, seeds and said.
judge() {
	local at=$work/$1 status
	status=$(<"$at/status") seeds=$(<"$at/seeds")
	executed=$(sed -n 's/^stat::number_of_executed_units: *\([0-9]*\)$/\1/p' "$at/log")
	said=$(grep -a 'Test unit written to' "$at/log"; tail -n 40 "$at/log" | tr -cd '[:print:]\n\t')
	[ "$status" -eq 0 ] && [ "$seeds" -gt 0 ] && [ "${executed:-0}" -ge "$seeds" ]
}

# await_turn: until a processor has nothing to do
await_turn() {
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
}

# rehearse NAME: with a read beyond the input, and by its seeds alone
rehearse() {
	local seeds=tests/fuzz/corpus/$1
	FUZZ_OVERRUN=1 search "$1-overrun" "$build/tests/fuzz/$1" "$seeds" "$work" -runs=0
	FUZZ_TELL=1 search "$1-seeds" "$build/tests/fuzz/$1" "$seeds" "$work" -runs=0
}

# -- this script: programs that only say what a target would --

mkdir "$work/two" && touch "$work/two/a" "$work/two/b"

# says STATUS SENTENCE SCRIPT: what judge() makes of a program
says() {
	local have=0
	printf '#!/bin/sh\n%s\n' "$3" >"$work/program"
	chmod +x "$work/program"
	search self "$work/program" "$work/two" "$work"
	judge self || have=1
	[ "$have" -eq "$1" ]
	ok $? "$2" "$said"
}

FUZZ_KEEP=$work/kept
mkdir -p "$FUZZ_KEEP/self"
says 0 "what a target finds is kept for the next run, and it starts from that and its corpus" \
	'echo stat::number_of_executed_units: 2; for last; do dirs="$dirs ${last##*/}"; done; case $dirs in *" self corpus") ;; *) exit 1 ;; esac'
FUZZ_KEEP=$keep
says 0 "a target that ran its corpus and found nothing passes" 'echo stat::number_of_executed_units: 2'
says 1 "a target that ran less than its corpus fails" 'echo stat::number_of_executed_units: 1'
says 1 "a target that says nothing fails" :
says 1 "a target that ends with an error fails" 'echo stat::number_of_executed_units: 9; exit 1'

search planted "$build/tests/fuzz/planted" "$work/two" "$work" -max_total_time=60
! judge planted && grep -q vf1 "$work"/planted-crash-*
ok $? "a planted bug is found from an empty input, which is kept" "$said"

# -- the targets --

targets=()
for source in tests/fuzz/fuzz_*.c; do
	name=$(basename "$source" .c)
	targets+=("$name")
	await_turn
	rehearse "$name" &
done
wait

for name in "${targets[@]}"; do
	[ -z "$(find "tests/fuzz/corpus/$name" -size "+${max_len}c")" ]
	ok $? "no seed of $name is cut" "there is one of more than $max_len bytes"
	grep -aq 'Test unit written to' "$work/$name-overrun/log"
	ok $? "$name notices a read beyond its input" "$(tail -n 20 "$work/$name-overrun/log")"
	grep -aqx accepted "$work/$name-seeds/log"
	ok $? "some seeds of $name are accepted" "$(tail -n 20 "$work/$name-seeds/log")"
done

for name in "${targets[@]}"; do
	await_turn
	if [ -n "$FUZZ_KEEP" ]; then mkdir -p "$FUZZ_KEEP/$name"; fi
	bound=-max_total_time=$seconds
	if [ "$seconds" -eq 0 ]; then bound=-runs=$(($(find "tests/fuzz/corpus/$name" -type f | wc -l) + 1000)); fi
	search "$name" "$build/tests/fuzz/$name" "tests/fuzz/corpus/$name" "$found" "$bound" &
done
wait

for name in "${targets[@]}"; do
	judge "$name"
	ok $? "$name finds nothing" "$said"
	echo "# | $name | ${executed:-0} executions | corpus $seeds${keep:+ + $(find "$keep/$name" -type f | wc -l) kept} |"
done
ok_end
