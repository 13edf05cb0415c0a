#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# readme.bats - what the README shows of devinfoctl is what it prints, and its installation installs
#
# rooms: manager/ctl
# bats file_tags=plain

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	PATH=${BUILD:-$top/build}/bin:$PATH
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
}

@test "the sessions in the README are of a recorded node" {
	sed -n '/^## A node by hand/,/^## Installing/p' "$top/README.md" | sed -n '/^```/,/^```/p' | sed '/^```/d' >"$BATS_TEST_TMPDIR/session"
	[ "$(grep -c '^\$ ' "$BATS_TEST_TMPDIR/session")" -ge 7 ]
	cd "$BATS_TEST_TMPDIR"
	ln -s "$top/tests" tests
	while read -r line; do
		printf '$ %s\n' "$line"
		eval "$line" 2>&1 3>&- || :
	done < <(sed -n 's/^\$ //p' session) >said
	diff session said
}

@test "the README's installation puts both programs in place, and takes them away; nothing is installed but what it says" {
	cd "$BATS_TEST_TMPDIR"
	sed -n '/^## Installing/,/^## Configuration/p' "$top/README.md" | sed -n '/^```/,/^```/{/^```/d; s/ *#.*//; p}' >commands
	diff commands - <<-'END'
		install/packages.sh && make && make install
		make install prefix=/usr cnidir=/usr/lib/cni DESTDIR=/tmp/stage
		make uninstall
		make dist
	END
	# the programs are made, and "make dist" is run by tests/artefact/dist.bats
	at() { make -s -C "$top" BUILD="${BUILD:-$top/build}" DESTDIR="$BATS_TEST_TMPDIR/stage" "$@" >said; }
	at install
	[ -x stage/opt/cni/bin/devinfo ]
	[ -x stage/usr/local/bin/devinfoctl ]
	at uninstall
	[ -z "$(find stage ! -type d)" ]
	at install prefix=/usr cnidir=/usr/lib/cni
	[ -x stage/usr/lib/cni/devinfo ]
	[ -x stage/usr/bin/devinfoctl ]
	at install names="sriov ib-sriov"
	[ -x stage/opt/cni/bin/ib-sriov ]
}
