#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# deb.bats - the Debian package: installed, upgraded, removed and purged
#
# rooms: -

load helpers
load package

setup_file() {
	export DPKG_DEB_COMPRESSOR_LEVEL=0	# which takes three quarters of the time; dist.bats has them as delivered
	VERSION=$older OUT=$BATS_FILE_TMPDIR "$top/install/dist.sh" deb
	OUT=$BATS_FILE_TMPDIR "$top/install/dist.sh" deb
}

setup() { deb=devinfo_${newer}_$(dpkg --print-architecture).deb; }

teardown() { leave; }

# with_debs ROOM
with_debs() {
	as_node "$1"
	cp "$BATS_FILE_TMPDIR"/*.deb "$inside/tmp"
}

# in_dpkg ARGUMENT... - in the room
in_dpkg() { run in_room env LC_ALL=C dpkg "$@"; }

done_well() { [ "$status" -eq 0 ] || { echo "$output" && return 1; }; }

@test "lintian finds nothing, and a second build has the same bytes" {
	run lintian --allow-root --fail-on error,warning "$BATS_FILE_TMPDIR/$deb"
	[ "$status" -eq 0 ] || { echo "$output" && false; }
	OUT=$BATS_TEST_TMPDIR/again "$top/install/dist.sh" deb
	cmp "$BATS_FILE_TMPDIR/$deb" "$BATS_TEST_TMPDIR/again/$deb"
	# the sources of each library that is linked in
	diff <(dpkg-deb -f "$BATS_FILE_TMPDIR/$deb" Built-Using | sed 's/, /\n/g; s/ (= /\t/g; s/)//g') \
		<(cut -f 6,7 "${static%/bin}/libs/facts" | sort -u)
	# it is silent of nothing without a reason
	[[ $(head -n 1 "$top/install/debian/devinfo.lintian-overrides") == "# "* ]]
}

@test "deb: installed it attaches a veth from both directories; purged nothing is left, in Debian 12 and in testing" {
	for room in bookworm testing; do
		with_debs "$room"
		before=$(files)
		in_dpkg -i "/tmp/$deb"
		done_well
		for program in devinfoctl devinfod devinfo-publish; do
			cmp "$inside/usr/bin/$program" "$static/$program"
			[ "$(in_room "$program" --version)" = "$program $newer" ]
			[ -s "$inside/usr/share/man/man8/$program.8.gz" ]
		done
		[ -s "$inside/lib/systemd/system/devinfo-publish.service" ]
		attaches /usr/lib/cni/devinfo
		attaches /opt/cni/bin/devinfo
		[ "$(cat "$inside/opt/cni/bin/sriov")" = theirs ]
		# nothing is enabled
		[ -z "$(find "$inside/etc" -name 'devinfo*' -o -name 'run-devinfo*')" ]
		# what was exported goes as well
		in_room devinfoctl export nfd /etc/kubernetes/node-feature-discovery/features.d
		[ -s "$inside/etc/kubernetes/node-feature-discovery/features.d/devinfo" ]
		in_dpkg --purge devinfo
		done_well
		diff <(echo "$before") <(files)
		[ ! -e "$inside/var/lib/cni/devinfo" ]
		leave
	done
	inside=
}

@test "deb: an upgrade takes copies and living attachments along; removal is refused while there are any" {
	with_debs bookworm
	in_dpkg -i "/tmp/devinfo_${older}_$(dpkg --print-architecture).deb"
	done_well
	in_room /usr/lib/devinfo/install.sh /usr/lib/cni/devinfo /opt/cni/bin sriov
	for name in devinfo sriov; do echo older >>"$inside/opt/cni/bin/$name"; done
	call ADD /opt/cni/bin/sriov
	in_dpkg -i "/tmp/$deb"
	done_well
	[ "$(in_room dpkg-query -W -f '${Version}' devinfo)" = "$newer" ]
	cmp "$inside/usr/bin/devinfo-publish" "$static/devinfo-publish"
	for name in devinfo sriov; do
		cmp "$inside/usr/lib/cni/devinfo" "$inside/opt/cni/bin/$name"
	done
	[ "$(cat "$inside/opt/cni/bin/sriov.replaced")" = theirs ]
	in_dpkg -r devinfo
	[ "$status" -ne 0 ]
	[[ $output == *"attachments are recorded in '/var/lib/cni/devinfo/attachments'"* ]]
	has_device
	call DEL /opt/cni/bin/sriov
	# back to the release before, and then to the plugin that was there
	call ADD /opt/cni/bin/sriov
	in_dpkg -i "/tmp/devinfo_${older}_$(dpkg --print-architecture).deb"
	done_well
	call DEL /opt/cni/bin/sriov
	in_dpkg -r devinfo
	done_well
	theirs_is_back
}

@test "deb: state of an attachment that may live is not purged, whatever is said" {
	with_debs bookworm
	in_dpkg -i "/tmp/$deb"
	call ADD /opt/cni/bin/devinfo
	run in_room env LC_ALL=C DEVINFO_FORCE=1 dpkg --purge devinfo
	done_well
	[[ $output == *"records of attachments are left in /var/lib/cni/devinfo"* ]]
	[ "$(find "$inside/var/lib/cni/devinfo/attachments" -type f | wc -l)" -eq 1 ]
	has_device
	in_dpkg -i "/tmp/$deb"
	call DEL /opt/cni/bin/devinfo
	in_dpkg --purge devinfo
	done_well
	[ ! -e "$inside/var/lib/cni/devinfo" ]
}
