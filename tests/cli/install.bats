#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# install.bats - install/install.sh: the program, and the names of the plugins that it replaces
#
# rooms: -
# bats file_tags=plain

load helpers

setup() {
	bin=$BATS_TEST_TMPDIR/bin
	install=$top/install/install.sh
}

# answers PATH - it is the plugin
answers() { CNI_COMMAND=VERSION "$1" </dev/null | jq -e .supportedVersions >/dev/null; }

# no temporary file, nor anything else but these
has_only() { [ "$(cd "$bin" && find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ' ')" = "$* " ]; }

@test "the old names become copies of the plugin, and what had them is kept" {
	mkdir "$bin"
	echo old >"$bin/sriov"
	run "$install" "$plugin" "$bin" sriov ib-sriov
	[ "$status" -eq 0 ]
	[[ $output == *"kept $bin/sriov as $bin/sriov.replaced"* ]]
	for name in sriov ib-sriov; do
		cmp "$plugin" "$bin/$name"
		answers "$bin/$name"
		[ ! -L "$bin/$name" ]
		[ ! "$bin/$name" -ef "$bin/devinfo" ]
	done
	[ "$(cat "$bin/sriov.replaced")" = old ]
	has_only devinfo ib-sriov sriov sriov.replaced
}

@test "the installer of the old plugin, come back, writes over its own name only" {
	"$install" "$plugin" "$bin" sriov
	echo old >"$BATS_TEST_TMPDIR/sriov"
	cp -f "$BATS_TEST_TMPDIR/sriov" "$bin/sriov"
	answers "$bin/devinfo"
	cmp "$plugin" "$bin/devinfo"
	# and what it has put there is kept, as the first one was
	run "$install" "$plugin" "$bin" sriov
	[ "$status" -eq 0 ]
	answers "$bin/sriov"
	[ "$(cat "$bin/sriov.replaced")" = old ]
}

@test "once more nothing is there to keep, and a copy of another version is brought up to date" {
	mkdir "$bin"
	echo old >"$bin/sriov"
	"$install" "$plugin" "$bin" sriov
	{ cat "$plugin" && echo of another version; } >"$bin/sriov"	# which stays executable
	run "$install" "$plugin" "$bin" sriov
	[ "$status" -eq 0 ]
	[[ $output != *kept* ]]
	cmp "$plugin" "$bin/sriov"
	[ "$(cat "$bin/sriov.replaced")" = old ]
	# nor is a link to it
	ln -sf devinfo "$bin/ib-sriov"
	run "$install" "$plugin" "$bin" ib-sriov
	[ "$status" -eq 0 ]
	[[ $output != *kept* ]]
	[ ! -L "$bin/ib-sriov" ]
}

@test "--remove takes the copies away and puts back what was kept" {
	mkdir "$bin"
	echo old >"$bin/sriov"
	"$install" "$plugin" "$bin" sriov ib-sriov
	{ cat "$plugin" && echo of another version; } >"$bin/ib-sriov"
	run "$install" --remove devinfo "$bin" sriov ib-sriov
	[ "$status" -eq 0 ]
	[ "$(cat "$bin/sriov")" = old ]
	has_only devinfo sriov
	run "$install" --remove devinfo "$bin" sriov
	[ "$status" -eq 0 ]
	[[ $output == *"is not a copy of devinfo: left as it is"* ]]
	[ "$(cat "$bin/sriov")" = old ]
}

@test "--uninstall takes the program and its copies away, and what was there before has its name again" {
	mkdir "$bin"
	echo old >"$bin/sriov"
	echo mine >"$bin/ib-sriov"
	"$install" "$plugin" "$bin" sriov
	run "$install" --uninstall "$plugin" "$bin"
	[ "$status" -eq 0 ]
	[[ $output == *"removed $bin/devinfo"* ]]
	[[ $output == *"restored $bin/sriov"* ]]
	[ "$(cat "$bin/sriov" "$bin/ib-sriov")" = $'old\nmine' ]
	has_only ib-sriov sriov
	run "$install" --uninstall devinfo "$bin" sriov
	[ "$status" -eq 2 ]
	echo another >"$bin/devinfo"
	run "$install" --uninstall devinfo "$bin"
	[[ $output == *"'$bin/devinfo' is not a copy of devinfo: left as it is"* ]]
	has_only devinfo ib-sriov sriov
}

@test "--uninstall is refused while an attachment is recorded, in whichever directory" {
	export DESTDIR=$BATS_TEST_TMPDIR/root
	bin=$DESTDIR/opt/cni/bin
	"$install" "$plugin" /opt/cni/bin sriov
	mkdir -p "$DESTDIR/etc/cni/net.d/devinfo.d" "$DESTDIR/var/lib/cni/devinfo.dirs"
	printf '{"logLevel":"info", "stateDir" : "/srv/my state"}\n' >"$DESTDIR/etc/cni/net.d/devinfo.d/devinfo.json"
	# a file of JSON may have its lines where it likes
	printf '{"version":1,"dirs":[{"stateDir":"/srv/1","runDir":"/r"},{"stateDir":"/srv/2"},{"stateDir":\n\t"/srv/3"}]}' \
		>"$DESTDIR/var/lib/cni/devinfo.dirs/dirs.json"
	for state in /var/lib/cni/devinfo "/srv/my state" /srv/1 /srv/2 /srv/3; do
		mkdir -p "$DESTDIR$state/attachments"
		: >"$DESTDIR$state/attachments/0123456789abcdef@v0.json"
		run "$install" --uninstall devinfo /opt/cni/bin
		[ "$status" -eq 1 ]
		[[ $output == *"attachments are recorded in '$DESTDIR$state/attachments'"*"nothing is changed"* ]]
		has_only devinfo sriov
		rm "$DESTDIR$state/attachments"/*
	done
	: >"$DESTDIR/srv/2/attachments/0123456789abcdef@v0.json"
	DEVINFO_FORCE=1 run "$install" --uninstall devinfo /opt/cni/bin
	[ "$status" -eq 0 ]
	[ -z "$(ls "$bin")" ]
	[ -e "$DESTDIR/srv/2/attachments/0123456789abcdef@v0.json" ]
	rm "$DESTDIR/srv/2/attachments"/*
	"$install" "$plugin" /opt/cni/bin
	run "$install" --uninstall devinfo /opt/cni/bin
	[ "$status" -eq 0 ]
	[ -z "$(ls "$bin")" ]
}

@test "--refresh brings up to date what is there, takes no other name, and makes no directory" {
	run "$install" --refresh "$plugin" "$bin"
	[ "$status" -eq 0 ]
	[ ! -e "$bin" ]
	mkdir "$bin"
	echo theirs >"$bin/sriov"
	run "$install" --refresh "$plugin" "$bin"
	[ "$status" -eq 0 ]
	cmp "$plugin" "$bin/devinfo"
	has_only devinfo sriov
	"$install" "$plugin" "$bin" ib-sriov
	for name in devinfo ib-sriov; do echo of another version >>"$bin/$name"; done
	run "$install" --refresh "$plugin" "$bin"
	[ "$status" -eq 0 ]
	cmp "$plugin" "$bin/devinfo"
	cmp "$plugin" "$bin/ib-sriov"
	[ "$(cat "$bin/sriov")" = theirs ]
	has_only devinfo ib-sriov sriov
}

@test "a run that was killed is finished by the next one, and one that is ended leaves no temporary file" {
	mkdir "$bin"
	echo old >"$bin/sriov"
	ln "$bin/sriov" "$bin/sriov.replaced"
	"$install" "$plugin" "$bin" sriov
	cmp "$plugin" "$bin/sriov"
	[ "$(cat "$bin/sriov.replaced")" = old ]
	has_only devinfo sriov sriov.replaced
	# one that was kept is not taken for what it is a link to
	rm "$bin"/*
	echo old >"$bin/sriov"
	ln -s sriov "$bin/sriov.replaced"
	run "$install" "$plugin" "$bin" sriov
	[ "$status" -eq 1 ]
	[ "$(cat "$bin/sriov")" = old ]
	rm "$bin"/*
	printf '#!/bin/sh\n: >%s/asked\nsleep 1\n' "$BATS_TEST_TMPDIR" >"$BATS_TEST_TMPDIR/slow"
	chmod 755 "$BATS_TEST_TMPDIR/slow"
	"$install" "$BATS_TEST_TMPDIR/slow" "$bin" 3>&- &
	until [ -e "$BATS_TEST_TMPDIR/asked" ]; do sleep 0.02; done
	kill -TERM $!
	! wait $!
	[ -z "$(ls -A "$bin")" ]
}

@test "nothing is changed where something would have to be destroyed, or the program does not answer" {
	mkdir "$bin"
	echo new >"$bin/sriov"
	echo old >"$bin/sriov.replaced"
	run "$install" "$plugin" "$bin" sriov
	[ "$status" -eq 1 ]
	[[ $output == *"nothing is changed"* ]]
	has_only sriov sriov.replaced
	[ "$(cat "$bin/sriov" "$bin/sriov.replaced")" = $'new\nold' ]
	mkdir "$bin/ib-sriov"
	run "$install" "$plugin" "$bin" ib-sriov
	[ "$status" -eq 1 ]
	rmdir "$bin/ib-sriov"
	run "$install" /bin/true "$bin" ib-sriov
	[ "$status" -eq 1 ]
	[[ $output == *"does not answer VERSION"* ]]
	has_only sriov sriov.replaced
	for name in devinfo ../x .x 'a b' a/b; do
		run "$install" "$plugin" "$bin" "$name"
		[ "$status" -eq 2 ]
	done
}

@test "another plugin, which answers when it is asked for its VERSION, or fails, is no copy" {
	mkdir "$bin"
	for says in 'echo "{\"cniVersion\":\"1.0.0\",\"supportedVersions\":[\"1.0.0\"]}"' 'exit 1' 'kill -9 $$'; do
		printf '#!/bin/sh\n%s\n' "$says" >"$bin/sriov"
		chmod +x "$bin/sriov"
		run "$install" "$plugin" "$bin" sriov
		[ "$status" -eq 0 ]
		[[ $output == *"kept $bin/sriov as $bin/sriov.replaced"* ]]
		[[ $(cat "$bin/sriov.replaced") == *"$says" ]]
		run "$install" --remove "$plugin" "$bin" sriov
		[ "$status" -eq 0 ]
		run "$install" --remove "$plugin" "$bin" sriov
		[[ $output == *"is not a copy of devinfo: left as it is"* ]]
		[[ $(cat "$bin/sriov") == *"$says" ]]
	done
}

@test "a plugin that does not end when it is asked is no copy, and waited for no longer" {
	mkdir -p "$bin"
	printf '#!/bin/sh\nexec sleep 600\n' >"$bin/sriov"
	chmod 755 "$bin/sriov"
	mkdir "$BATS_TEST_TMPDIR/short"
	printf '#!/bin/sh\n[ "$1" = 20 ] && shift && exec %s 1 "$@"\n' "$(command -v timeout)" >"$BATS_TEST_TMPDIR/short/timeout"
	chmod 755 "$BATS_TEST_TMPDIR/short/timeout"
	PATH=$BATS_TEST_TMPDIR/short:$PATH run /usr/bin/timeout -s KILL 30 "$install" "$plugin" "$bin" sriov
	[ "$status" -eq 0 ]
	grep -q 'sleep 600' "$bin/sriov.replaced"
	cmp "$bin/sriov" "$plugin"
}

@test "busybox has all that it needs, and what is missing is said before anything is changed" {
	tools=$BATS_TEST_TMPDIR/tools
	mkdir "$tools" "$bin"
	for tool in cat chmod cp grep ln mkdir mktemp mv rm sed sh sync; do
		ln -s "$(command -v busybox)" "$tools/$tool"
	done
	echo old >"$bin/sriov"
	PATH=$tools run "$tools/sh" "$install" "$plugin" "$bin" sriov
	[ "$status" -eq 0 ]
	cmp "$plugin" "$bin/sriov"
	[ "$(cat "$bin/sriov.replaced")" = old ]
	PATH=$tools run "$tools/sh" "$install" --remove "$plugin" "$bin" sriov
	[ "$status" -eq 0 ]
	[ "$(cat "$bin/sriov")" = old ]
	rm "$tools/mktemp"
	PATH=$tools run /bin/sh "$install" "$plugin" "$bin" ib-sriov
	[ "$status" -eq 1 ]
	[[ $output == *"there is no mktemp here; nothing is changed"* ]]
	has_only devinfo sriov
}

@test "where there are no hard links the old plugin is kept as a copy" {
	mkdir "$bin" "$BATS_TEST_TMPDIR/tools"
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/tools/ln"
	chmod +x "$BATS_TEST_TMPDIR/tools/ln"
	echo old >"$bin/sriov"
	PATH=$BATS_TEST_TMPDIR/tools:$PATH run "$install" "$plugin" "$bin" sriov
	[ "$status" -eq 0 ]
	answers "$bin/sriov"
	[ "$(cat "$bin/sriov.replaced")" = old ]
	has_only devinfo sriov sriov.replaced
}

@test "make install puts the completion of bash and zsh in place, and uninstall takes it away" {
	root=$BATS_TEST_TMPDIR/root
	make -s -C "$top" BUILD="$build" DESTDIR="$root" install
	bash=$root/usr/local/share/bash-completion/completions/devinfoctl
	zsh=$root/usr/local/share/zsh/site-functions/_devinfoctl
	bash -n "$bash"
	zsh -n "$zsh"
	[ "$(head -n 1 "$zsh")" = '#compdef devinfoctl' ]
	make -s -C "$top" BUILD="$build" DESTDIR="$root" uninstall
	[ ! -e "$bash" ]
	[ ! -e "$zsh" ]
}

@test "make install puts services and timers in place, and uninstall takes them away" {
	root=$BATS_TEST_TMPDIR/root
	make -s -C "$top" BUILD="$build" DESTDIR="$root" unitdir=/lib/systemd/system install
	for name in devinfo-gc devinfo-nfd devinfo-resourceslice; do
		for unit in "$root/lib/systemd/system/$name".{service,timer}; do
			[ "$(stat -c %a "$unit")" = 644 ]
		done
	done
	# the daemon's has no timer, and its program is there, too
	[ "$(stat -c %a "$root/lib/systemd/system/devinfod.service")" = 644 ]
	[ "$("$root/usr/local/bin/devinfod" --version | cut -d ' ' -f 1)" = devinfod ]
	[ "$(stat -c %a "$root/lib/systemd/system/devinfo-publish.service")" = 644 ]
	[ "$("$root/usr/local/bin/devinfo-publish" --version | cut -d ' ' -f 1)" = devinfo-publish ]
	[ -e "$root/usr/local/share/man/man8/devinfo-publish.8" ]
	cmp "$root/usr/local/lib/tmpfiles.d/devinfo.conf" "$top/install/tmpfiles.conf"
	make -s -C "$top" BUILD="$build" DESTDIR="$root" unitdir=/lib/systemd/system uninstall
	[ -z "$(ls "$root/lib/systemd/system")" ]
	[ -z "$(find "$root" ! -type d)" ]
}

@test "make install puts the mount of socketDir in place, under DESTDIR, and uninstall takes it away" {
	root=$BATS_TEST_TMPDIR/root
	make -s -C "$top" BUILD="$build" DESTDIR="$root" unitdir=/lib/systemd/system install
	unit=$root/lib/systemd/system/run-devinfo-sockets.mount
	[ "$(stat -c %a "$unit")" = 644 ]
	# systemd wants the path in the file's name, and it is the default of socketDir
	where=$(sed -n 's/^Where=//p' "$unit")
	[ "${unit##*/}" = "$(tr / - <<<"${where#/}").mount" ]
	grep -q "socket_dir = \"$where\"" "$top/base/host.c"
	options=,$(sed -n 's/^Options=//p' "$unit"),
	for option in nosymfollow nosuid nodev noexec mode=0755 size=64m nr_inodes=64k; do
		[[ $options == *",$option,"* ]]
	done
	# and the manual has the same for fstab(5)
	grep -qF "tmpfs $where tmpfs ${options:1:-1} 0 0" "$top/install/man/devinfo.8"
	make -s -C "$top" BUILD="$build" DESTDIR="$root" unitdir=/lib/systemd/system uninstall
	[ ! -e "$unit" ]
}
