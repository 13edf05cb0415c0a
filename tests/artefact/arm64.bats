#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# arm64.bats - the static programs of arm64, made on a machine of another kind: what they are, and what they do
#
# QEMU's user mode runs them (tests/artefact/emulated), with this machine's kernel as one that has no Landlock, no filters of
# system calls, no bpf(2), of netlink only NETLINK_ROUTE, and does not tell the kind of a namespace, so that no ADD gets far.
# "make arm64-check" runs all tests of cli so, here a sample is run.
#
# bats file_tags=long
# rooms: -

load helpers

arm=$top/build-static-arm64
emulated=$top/build-arm64

@test "the programs of arm64 are as hard as the others, ask for no library, and the plugin is small" {
	for program in devinfo devinfoctl devinfod devinfo-publish devinfo-pod; do
		[ "$(readelf -h "$arm/bin/$program" | sed -n 's/^ *Machine: *//p')" = AArch64 ]
		[ "$(readelf -h "$arm/bin/$program" | awk '/Type:/ { print $2 }')" = DYN ]
		[ -z "$(readelf -d "$arm/bin/$program" | grep -E 'NEEDED|TEXTREL')" ]
		[ -z "$(readelf -lW "$arm/bin/$program" | grep -F INTERP)" ]
		[ -n "$(readelf -lW "$arm/bin/$program" | grep -F GNU_RELRO)" ]
		[ -n "$(readelf -d "$arm/bin/$program" | grep -F BIND_NOW)" ]
		[ "$(readelf -lW "$arm/bin/$program" | awk '/GNU_STACK/ { print $7 }')" = RW ]
		[ -z "$(readelf -S "$arm/bin/$program" | grep -F .symtab)" ]
		[ "$(grep -cF "$top" "$arm/bin/$program")" -eq 0 ]
	done
	[ "$(stat -c %s "$arm/bin/devinfo")" -le 1500000 ]
}

# signed FUNCTION - its return address is signed at its start, and its signature checked before it is used
signed() {
	aarch64-linux-gnu-objdump -d --no-show-raw-insn --disassemble="$1" "$arm/musl/bin/devinfo" >"$BATS_TEST_TMPDIR/code"
	[ "$(awk '/^ / { print $2; exit }' "$BATS_TEST_TMPDIR/code")" = paciasp ]
	grep -q autiasp "$BATS_TEST_TMPDIR/code"
}

@test "return addresses are signed, as SECURITY.md says, in what is ours" {
	for function in main verb_add verb_del attach_undo; do
		signed "$function"
	done
}

@test "of what they are linked from the licences and sources are known, as of this machine's" {
	diff <(grep -v '^both' "$arm/libs/facts" | cut -f 1,2,4-7) <(grep -v '^both' "$static/../libs/facts" | cut -f 1,2,4-7)
	"$top/install/sbom.sh" arm64 >"$BATS_TEST_TMPDIR/sbom.json"
	[ "$(jq -r '.packages[] | select(.name == "devinfoctl").checksums[0].checksumValue' "$BATS_TEST_TMPDIR/sbom.json")" = \
		"$(sha256sum <"$arm/bin/devinfoctl" | cut -d ' ' -f 1)" ]
}

@test "devinfo-publish of arm64 tells its version and what it can do, and begins with its libraries for TLS" {
	mkdir "$BATS_TEST_TMPDIR/node"
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{\"root\": \"$BATS_TEST_TMPDIR/node\"}" >"$DEVINFO_CONF"
	unset KUBERNETES_SERVICE_HOST NODE_NAME
	[ "$("$emulated/bin/devinfo-publish" --version)" = "devinfo-publish $("$top/install/release.sh" version)" ]
	diff <("$static/devinfo-publish" --help) <("$emulated/bin/devinfo-publish" --help)
	run "$emulated/bin/devinfo-publish" --annotations --node-name n1
	[ "$status" -eq 1 ]
	[[ $output == *"--kubeconfig is missing"* ]]
	run "$emulated/bin/devinfo-publish" --annotations --node-name n1 --kubeconfig "$BATS_TEST_TMPDIR/none"
	[ "$status" -eq 1 ]
	[[ $output == *"open '$BATS_TEST_TMPDIR/none'"* ]]
}

@test "a sample of the tests of cli succeeds with the programs of arm64" {
	env -u MAKEFLAGS -u TAP_RESULTS BUILD="$emulated" TAP_TAGS='!native' TAP_JOBS=2 "$top/tests/tap.sh" \
		bats "$top"/tests/cli/{plugin,request,process,json,list,scan}.bats
}
