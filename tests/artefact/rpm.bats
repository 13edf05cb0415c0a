#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# rpm.bats - the RPM: installed, upgraded and erased
#
# rooms: -

load helpers
load package

setup_file() {
	VERSION=$older OUT=$BATS_FILE_TMPDIR "$top/install/dist.sh" rpm
	OUT=$BATS_FILE_TMPDIR "$top/install/dist.sh" rpm
}

setup() { rpm=devinfo-$newer-1.$(uname -m).rpm; }

teardown() { leave; }

# with_rpms - in a room whose shell is of no package of rpm's
with_rpms() {
	as_node rpm
	cp "$BATS_FILE_TMPDIR"/*.rpm "$inside/tmp"
}

# in_rpm ARGUMENT... - in the room
in_rpm() {
	run in_room rpm --force-debian "$@"
	[ "$status" -eq 0 ] || { echo "$output" && return 1; }
}

@test "the RPM asks for a shell and nothing of Debian's, and a second build has the same bytes" {
	diff <(rpm -qp --requires "$BATS_FILE_TMPDIR/$rpm" | sort -u) - <<-'END'
		/bin/sh
		rpmlib(CompressedFileNames) <= 3.0.4-1
		rpmlib(FileDigests) <= 4.6.0-1
		rpmlib(PayloadFilesHavePrefix) <= 4.0-1
	END
	[ -z "$(rpm -qpl "$BATS_FILE_TMPDIR/$rpm" | grep -E '^/(lib|opt|usr/lib/debug|usr/lib/cni)')" ]
	# each licence of what is linked in
	while read -r licence; do
		[[ " $(rpm -qp --qf '%{LICENSE}' "$BATS_FILE_TMPDIR/$rpm") " == *" $licence "* ]] || { echo "$licence" && false; }
	done < <(cut -f 4 "${static%/bin}/libs/facts" | sort -u)
	OUT=$BATS_TEST_TMPDIR/again "$top/install/dist.sh" rpm
	cmp "$BATS_FILE_TMPDIR/$rpm" "$BATS_TEST_TMPDIR/again/$rpm"
}

@test "rpm: installed it attaches a veth from both directories, and is as it was packed; erased nothing is left" {
	with_rpms
	before=$(files)
	in_rpm -i --nodeps "/tmp/$rpm"
	attaches /usr/libexec/cni/devinfo
	attaches /opt/cni/bin/devinfo
	for program in devinfoctl devinfod devinfo-publish; do
		cmp "$inside/usr/bin/$program" "$static/$program"
		[ "$(in_room "$program" --version)" = "$program $newer" ]
		[ -s "$inside/usr/share/man/man8/$program.8" ]
	done
	[ -s "$inside/usr/lib/systemd/system/devinfo-publish.service" ]
	in_room /usr/lib/devinfo/install.sh /usr/libexec/cni/devinfo /usr/libexec/cni sriov
	in_rpm -V --nodeps devinfo
	in_rpm -e devinfo
	diff <(echo "$before") <(files)
	[ ! -e "$inside/var/lib/cni/devinfo" ]
}

@test "rpm: an upgrade takes copies and living attachments along; erasing is refused while there are any" {
	with_rpms
	in_rpm -i --nodeps "/tmp/devinfo-$older-1.$(uname -m).rpm"
	in_room /usr/lib/devinfo/install.sh /usr/libexec/cni/devinfo /opt/cni/bin sriov
	for name in devinfo sriov; do echo older >>"$inside/opt/cni/bin/$name"; done
	call ADD /opt/cni/bin/sriov
	in_rpm -U --nodeps "/tmp/$rpm"
	in_rpm -q devinfo
	[[ $output == "devinfo-$newer-1."* ]]
	for name in devinfo sriov; do
		cmp "$inside/usr/libexec/cni/devinfo" "$inside/opt/cni/bin/$name"
	done
	run in_room rpm --force-debian -e devinfo
	[ "$status" -ne 0 ]
	[[ $output == *"attachments are recorded in '/var/lib/cni/devinfo/attachments'"* ]]
	has_device
	call DEL /opt/cni/bin/sriov
	in_rpm -e devinfo
	theirs_is_back
}
