# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# before.bash - records that the version before has written (tests/node/before), as this node's own
#
# $journal is the directory of records, $places what is called otherwise here, for sed; the lab has both
# as they were.

# hash_before - of a line, as the version before named the file of an owner (NETWORK/CONTAINER/INTERFACE)
hash_before() {
	local text h=$((16#cbf29ce484222325)) i byte
	IFS= read -r text
	for ((i = 0; i < ${#text}; i++)); do
		printf -v byte %d "'${text:i:1}"
		h=$(((h ^ byte) * 0x100000001b3))
	done
	printf %016x "$h"
}

# wrote_before NAME [jq filter] - the one record that there is becomes that sample; $new is what it was
wrote_before() {
	local file=("${journal=$dir/state/attachments}"/*.json)
	[ "${#file[@]}" -eq 1 ] || return 1
	sed "${places=s|/var/t|$dir|g; s|,var,t,|${dir//\//,},|g; s|/opt/fake|$fake|g; s|/run/devinfo-test/switch|${program-}|g; s|c1|$pod|g}" \
		"$BATS_TEST_DIRNAME/../node/before/$1.json" >"$BATS_TEST_TMPDIR/sample"
	jq -c --slurpfile new "${file[0]}" '. + ($new[0] | {netnsDev, netnsIno, netnsCookie, bootID, podIfindex}) | '"${2:-.}" \
		"$BATS_TEST_TMPDIR/sample" >"$BATS_TEST_TMPDIR/fitted"
	[ "$(jq -c "$place" "$BATS_TEST_TMPDIR/fitted")" = "$(jq -c "$place" "${file[0]}")" ] || return 1
	rm "${file[0]}"
	cat "$BATS_TEST_TMPDIR/fitted" >"$journal/$(jq -r '[.network, .containerID, .ifname] | join("/")' \
		"$BATS_TEST_TMPDIR/fitted" | hash_before)@$(jq -r .device "$BATS_TEST_TMPDIR/fitted").json"
	chmod 600 "$journal"/*.json
}
place='[.network, .containerID, .ifname, .netns, .devinfoDir, .runDir]'
