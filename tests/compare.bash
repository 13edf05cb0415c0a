# SPDX-License-Identifier: Apache-2.0
# compare.bash - an assertion that compares two values shows both where it fails, one a line
#
# bats has the text of the assertion alone.  What it says of values nobody can look up afterwards, for they
# are often a command's, which answers otherwise by then.
# shellcheck shell=bash

# shellcheck source=tests/json.bash
. "${BASH_SOURCE[0]%/*}/json.bash"

# [ HAVE OPERATOR WANT ] - the shell's own.  In a condition ("if [", "until [", "[ ... ] ||") it is no assertion.
[() {
	builtin [ "$@" && return 0	# in a trap, as teardown is, a bare return has the status of before
	local line want=${3-}
	[[ $# -eq 4 ]] || return 1
	[[ $2 == = ]] || want="$2 $3"
	line=$(sed -n "${BASH_LINENO[0]}{s/^[[:blank:]]*//p;q}" "${BASH_SOURCE[1]}" 2>/dev/null)
	[[ $line == "[ "* && $line != *"||"* ]] || return 1
	# a test that captures output is not to have it: this is where bats keeps the test's own
	{ printf 'have %s\nwant %s\n' "$1" "$want" >&4; } 2>/dev/null
	return 1
}
