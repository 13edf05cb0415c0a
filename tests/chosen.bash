# SPDX-License-Identifier: Apache-2.0
# chosen.bash - which points of a sweep a run takes, where each costs a call of the plugin or several
#
# A test that takes some of them has the tag "points": "make sweep" runs those, with all of their points.
# shellcheck shell=bash

# chosen FIRST LAST [COUNT] - the points to be tried, in the array $chosen: all of so many (4), else the first, the
# last, and of as many equal parts between them one each.  SWEEP_N=all takes all, or more than COUNT; SWEEP_SEED others.
chosen() {
	local first=$1 last=$2 n=${SWEEP_N:-${3:-4}} i parts from to
	[[ $(<"$BATS_TEST_FILENAME") == *$'# bats test_tags=points\n@test "'"$BATS_TEST_DESCRIPTION\""* ]] ||
		{ echo "a test that chooses has the tag points" && return 1; }
	mapfile -t chosen < <(seq "$first" "$last")
	[[ $n != all ]] && ((n < ${#chosen[@]})) || return 0
	parts=$((n > 2 ? n - 2 : 0))
	RANDOM=$((${SWEEP_SEED:-29} + BATS_TEST_NUMBER))
	chosen=("$first")
	for ((i = 0; i < parts; i++)); do
		from=$((first + 1 + i * (last - first - 1) / parts))
		to=$((first + 1 + (i + 1) * (last - first - 1) / parts))
		chosen+=($((from + RANDOM % (to - from))))
	done
	chosen+=("$last")
	echo "of the points $first to $last: ${chosen[*]}"
}

# whole FIRST LAST - the last choice has left none of these out
whole() { ((${#chosen[@]} == $2 - $1 + 1)); }
