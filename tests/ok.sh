# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# ok.sh - TAP for test scripts in shell: source it, call ok, end with ok_end

ok_no=0
ok_bad=0

# ok STATUS SENTENCE [COMMENT]: the sentence holds when STATUS is 0
ok() {
	ok_no=$((ok_no + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $ok_no - $2"
		return
	fi
	echo "not ok $ok_no - $2"
	[ -z "${3:-}" ] || printf '%s\n' "$3" | sed 's/^/# /'
	ok_bad=1
}

ok_end() {
	echo "1..$ok_no"
	exit "$ok_bad"
}
