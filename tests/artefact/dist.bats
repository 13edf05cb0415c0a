#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# dist.bats - all that "make dist" makes, and install/README.md, of which each command is run
#
# rooms: -

load helpers
load package

setup_file() {
	mkdir "$BATS_FILE_TMPDIR/dist"
	echo theirs | tee "$BATS_FILE_TMPDIR/dist/notes.txt" >"$BATS_FILE_TMPDIR/dist/devinfo-0.0.1.tar.gz"
	make -s -C "$top" dist OUT="$BATS_FILE_TMPDIR/dist"
	for form in deb rpm; do
		VERSION=$older OUT=$BATS_FILE_TMPDIR/older DPKG_DEB_COMPRESSOR_LEVEL=0 "$top/install/dist.sh" "$form"
	done
}

setup() {
	out=$BATS_FILE_TMPDIR/dist
	arch=$(dpkg --print-architecture)
}

teardown() { leave; }

@test "make dist makes each file that the page names, and the checksums are theirs" {
	while read -r file; do
		[ -s "$out/$file" ] || { echo "$file" && false; }
	done < <(grep -oE '`devinfo[-_][^`]*(deb|rpm|gz)`' "$top/install/README.md" | tr -d '`' | grep -v OLDER |
		sed "s/amd64/$arch/; s/x86_64/$(uname -m)/" | sort -u)
	(cd "$out" && sha256sum --quiet -c SHA256SUMS)
	# what is there of others stays, and is not told of; an older file of ours goes
	[ "$(cat "$out/notes.txt")" = theirs ]
	[ ! -e "$out/devinfo-0.0.1.tar.gz" ]
	diff <(cd "$out" && find . -type f ! -name SHA256SUMS ! -name notes.txt -printf '%P\n' | sort) <(sed 's/^[0-9a-f]*  //' "$out/SHA256SUMS")
}

@test "the tarball has what a node needs and whose code it is; the sources are those of HEAD; both twice the same bytes" {
	tar -C "$BATS_TEST_TMPDIR" -xzf "$out/devinfo-$newer-linux-$arch.tar.gz"
	cd "$BATS_TEST_TMPDIR/devinfo-$newer-linux-$arch"
	cmp devinfo "$static/devinfo"
	cmp devinfoctl "$static/devinfoctl"
	cmp devinfod "$static/devinfod"
	cmp devinfo-publish "$static/devinfo-publish"
	# each page, and each unit
	diff <(ls man) <(ls "$top/install/man")
	diff <(ls systemd) <(cd "$top/install" && ls -- *.mount *.service *.timer tmpfiles.conf)
	[ -n "$(ls man/devinfo.8 man/devinfod.8 systemd/devinfod.service completion/_devinfoctl systemd/devinfo-gc.timer systemd/tmpfiles.conf examples/sriov.conflist LICENSE)" ]
	[ "$(jq -r .spdxVersion devinfo.spdx.json)" = SPDX-2.3 ]
	# of each library that is linked in, its copyright
	while read -r library; do
		[ -s "libraries/$library" ] || { echo "$library" && false; }
	done < <(cut -f 6 "${static%/bin}/libs/facts")
	[ -z "$(tar -tvzf "$out/devinfo-$newer-linux-$arch.tar.gz" | grep -vE '^(d|-)r[w]-?x?.* 0/0 ')" ]
	diff <(tar -tzf "$out/devinfo-$newer.tar.gz" | grep -v '/$' | sed 's,^[^/]*/,,' | sort) \
		<(git -c safe.directory='*' -C "$top" ls-tree -r --name-only HEAD | sort)
	for form in source tarball; do
		OUT=$BATS_TEST_TMPDIR/again "$top/install/dist.sh" "$form"
	done
	for file in "$BATS_TEST_TMPDIR"/again/*; do
		cmp "$file" "$out/${file##*/}"
	done
}

# commands SECTION - those of its blocks, a line each
commands() {
	awk -v title="## $1" '$0 == title { on = 1; next } /^## / { on = 0 } on && /^```/ { block = !block }
		on && block && sub(/^# /, "")' "$top/install/README.md"
}

# play COMMAND - of the page, as the machine and the room want it
play() {
	printf '%s\n' "$1" >>"$BATS_TEST_TMPDIR/played"
	local line=${1//OLDER/$older}
	line=${line//amd64/$arch} line=${line//x86_64/$(uname -m)}
	case $line in
	"cd "*) at=$at/${line#cd } && return ;;
	"rpm "*) line="rpm --force-debian --nodeps ${line#rpm }" ;;	# Debian's rpm; its shell is of no package of rpm's
	esac
	run in_room sh -c "cd $at && $line"
	[ "$status" -eq 0 ] || { echo "$line: $output" && return 1; }
}

# new_room NAME - with all files, and a systemctl that knows the units of the room
new_room() {
	leave
	as_node "$1"
	at=/tmp
	mkdir -p "$inside"/etc/systemd/system "$inside/etc/tmpfiles.d"	# as systemd has them
	cp "$out"/*.* "$BATS_FILE_TMPDIR"/older/* "$inside/tmp"
	printf '%s\n' '#!/bin/sh' 'for word; do case $word in' \
		'*.timer | *.mount) ls /etc/systemd/system/$word /lib/systemd/system/$word 2>/dev/null | grep -q . || exit 1 ;;' \
		'esac; done' >"$inside/usr/bin/systemctl"
	chmod 755 "$inside/usr/bin/systemctl"
}

# play_section SECTION
play_section() {
	while read -r command <&3; do
		play "$command"
	done 3< <(commands "$1")
}

@test "install/README.md: each command does what it says" {
	[ -n "$(grep -F "devinfo_${newer}_amd64.deb" "$top/install/README.md")" ]

	new_room bookworm
	play_section "Debian package"
	[[ $output == *"kept /opt/cni/bin/sriov as /opt/cni/bin/sriov.replaced"* ]]
	attaches /opt/cni/bin/sriov
	play_section Timers
	play_section "Device plugin"
	play_section "Publishing to the API server"
	[ "$(in_room devinfo-publish --version)" = "devinfo-publish $newer" ]
	play_section Upgrade
	play_section "Roll-back to an earlier release"
	[ "$(in_room dpkg-query -W -f '${Version}' devinfo)" = "$older" ]
	attaches /opt/cni/bin/sriov
	for command in "devinfoctl list" "devinfoctl gc --dry-run" "dpkg -r devinfo"; do play "$command"; done
	theirs_is_back
	play "dpkg --purge devinfo"
	[ ! -e "$inside/var/lib/cni/devinfo" ]

	play_section "Static tarball"
	[ -s "$inside/etc/systemd/system/devinfo-gc.timer" ]
	attaches /opt/cni/bin/devinfo
	play "./install.sh devinfo /opt/cni/bin sriov ib-sriov"
	attaches /opt/cni/bin/sriov
	play "./install.sh --remove devinfo /opt/cni/bin sriov ib-sriov"
	[ "$(cat "$inside/opt/cni/bin/sriov")" = theirs ]
	play "./install.sh --uninstall devinfo /opt/cni/bin"
	play "rm /usr/local/bin/devinfoctl /usr/local/bin/devinfod /usr/local/bin/devinfo-publish"
	play "systemctl disable --now devinfo-gc.timer devinfo-nfd.timer devinfo-resourceslice.timer devinfod.service devinfo-publish.service run-devinfo-sockets.mount"
	play "rm /etc/systemd/system/devinfo* /etc/systemd/system/run-devinfo-sockets.mount /etc/tmpfiles.d/devinfo.conf"
	theirs_is_back
	[ -z "$(find "$inside/etc" -name '*devinfo*')" ]

	new_room rpm
	play_section RPM
	attaches /opt/cni/bin/sriov
	play "rpm -U --oldpackage devinfo-OLDER-1.x86_64.rpm"
	play "rpm -U devinfo-0.1.0-1.x86_64.rpm"
	attaches /opt/cni/bin/sriov
	play "rpm -e devinfo"
	theirs_is_back

	# and those are all: in blocks, and in the text
	diff <({
		sed -nE '/^```/,/^```/s/^# //p' "$top/install/README.md"
		grep -oE '`(rpm|dpkg|\./install\.sh) [^`]*`' "$top/install/README.md" | tr -d '`'
	} | sort -u) <(sort -u "$BATS_TEST_TMPDIR/played")
}
