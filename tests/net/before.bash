# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: Apache-2.0
# before.bash - records that the version before has written (tests/node/before), as this node's own

# wrote_before NAME [jq filter] - the one record that there is becomes that sample; $new is what it was
wrote_before() {
	local file=("$dir"/state/attachments/*.json)
	[ "${#file[@]}" -eq 1 ]
	sed "s|/var/t|$dir|g; s|,var,t,|${dir//\//,},|g; s|/opt/fake|$fake|g; s|/run/devinfo-test/switch|$program|g; s|c1|$pod|g" \
		"$top/tests/node/before/$1.json" >"$dir/sample"
	jq -c --slurpfile new "${file[0]}" '. + ($new[0] | {netnsDev, netnsIno, netnsCookie, bootID, podIfindex}) | '"${2:-.}" \
		"$dir/sample" >"$dir/fitted"
	for key in network containerID ifname netns device devinfoDir runDir; do
		[ "$(jq ".$key" "$dir/fitted")" = "$(jq ".$key" "${file[0]}")" ]
	done
	cat "$dir/fitted" >"${file[0]}"
}
