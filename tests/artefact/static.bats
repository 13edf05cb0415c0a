#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# static.bats - the static programs: what they need of a node, and what they are made of
#
# rooms: -

load helpers

programs=(devinfo devinfoctl devinfod devinfo-publish)

teardown() { leave; }

# put_in - both programs, in a room that has nothing for them
put_in() {
	enter "$1"
	mkdir -p "$inside/opt/cni/bin" "$inside/usr/local/bin"
	cp "$static/devinfo" "$inside/opt/cni/bin"
	cp "$static/devinfoctl" "$inside/usr/local/bin"
}

@test "the static programs are stripped, and the plugin is small" {
	[ "$(stat -c %s "$static/devinfo")" -le 1500000 ]
	for program in "${programs[@]}"; do
		[ -z "$(readelf -S "$static/$program" | grep -F .symtab)" ]
	done
}

@test "they ask for no library, and no program that loads them" {
	for program in "${programs[@]}"; do
		[ -z "$(readelf -d "$static/$program" | grep -F NEEDED)" ]
		[ -z "$(readelf -lW "$static/$program" | grep -F INTERP)" ]
	done
}

@test "they are as hard as the others: any address, no writable relocations, no executable stack" {
	for program in "${programs[@]}"; do
		[ "$(readelf -h "$static/$program" | awk '/Type:/ { print $2 }')" = DYN ]
		[ -n "$(readelf -lW "$static/$program" | grep -F GNU_RELRO)" ]
		[ "$(readelf -lW "$static/$program" | awk '/GNU_STACK/ { print $7 }')" = RW ]
		[ -n "$(readelf -d "$static/$program" | grep -F BIND_NOW)" ]
		[ -z "$(readelf -d "$static/$program" | grep -F TEXTREL)" ]
	done
}

# writable PID - the one part of that program that is both its own and can be written is a page at most
writable() {
	local parts
	until grep -q "^State:.S" "/proc/$1/status"; do sleep 0.02; done
	parts=$(awk '$6 ~ /devinfo/ && $2 ~ /w/ { split($1, at, "-"); print at[1], at[2] }' "/proc/$1/maps")
	[ "$(wc -l <<<"$parts")" -eq 1 ]
	[ $((0x${parts#* } - 0x${parts% *})) -le 4096 ]
}

@test "once they run, what is constant cannot be written: the kernel has one page of each for variables" {
	mkfifo "$BATS_TEST_TMPDIR/in"
	CNI_COMMAND=ADD CNI_CONTAINERID=x CNI_NETNS=/x CNI_IFNAME=a CNI_PATH=/x "$static/devinfo" <"$BATS_TEST_TMPDIR/in" >/dev/null 3>&- &
	exec 4>"$BATS_TEST_TMPDIR/in"
	writable $!
	exec 4>&-
	wait $! || true
	"$static/devinfo-pod" wait >/dev/null 3>&- &
	writable $!
	kill $!
	wait $!
}

# faults PROGRAM - page faults of its start and end, the fewest of ten: where it is put decides on some
faults() {
	python3 - "$1" <<-'EOF'
		import os, sys
		def once():
		    out = os.open("/dev/null", os.O_RDWR)
		    pid = os.posix_spawn(sys.argv[1], sys.argv[1:], {"CNI_COMMAND": "VERSION"},
		                         file_actions=[(os.POSIX_SPAWN_DUP2, out, 0), (os.POSIX_SPAWN_DUP2, out, 1)])
		    return os.wait4(pid, 0)[2].ru_minflt
		print(min(once() for i in range(10)))
	EOF
}

@test "VERSION needs few page faults and system calls: the plugin's tables are set when another verb needs them" {
	run -0 env CNI_COMMAND=VERSION strace -qq -o "$BATS_TEST_TMPDIR/trace" "$static/devinfo" </dev/null
	[ "$(wc -l <"$BATS_TEST_TMPDIR/trace")" -le 15 ]
	n=$(faults "$static/devinfo")
	echo "# page faults: $n" >&3
	[ "$n" -le $([ "$(uname -m)" = x86_64 ] && echo 17 || echo 35) ]	# arm64: the C library sets all of them
}

@test "what tests/cli says of a call holds for the static plugin: none is answered with a table that is not set" {
	mkdir "$BATS_TEST_TMPDIR/build"
	ln -s "$static" "$BATS_TEST_TMPDIR/build/bin"
	ln -s "$build/tests" "$BATS_TEST_TMPDIR/build/tests"
	run -0 env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 BUILD="$BATS_TEST_TMPDIR/build" bats --tap "$top/tests/cli/plugin.bats"
	[[ ${lines[0]} =~ ^1\.\.[1-9] ]]
}

@test "what their start sets is listed in a page, not in fifty" {
	for program in devinfo devinfoctl; do
		size=0
		for part in $(readelf -SW "$static/$program" | sed -nE 's/.*\.rel[ar]\.[a-z]+ +[A-Z]+ +[0-9a-f]+ [0-9a-f]+ ([0-9a-f]+) .*/0x\1/p'); do
			size=$((size + part))
		done
		echo "# bytes that list it in $program: $size" >&3
		[ "$(uname -m)" != x86_64 ] || { [ "$size" -gt 0 ] && [ "$size" -le 4096 ]; }
	done
}

@test "no name of this machine's folders is in them" {
	for program in "${programs[@]}"; do
		[ "$(grep -cF "$top" "$static/$program")" -eq 0 ]
	done
}

@test "in a directory that has nothing else, the plugin tells its versions, and attaches and releases a veth" {
	put_in empty
	run --separate-stderr env CNI_COMMAND=VERSION bash -c "$(declare -f in_room); inside=$inside id=$id in_room /opt/cni/bin/devinfo" \
		<<<'{"cniVersion":"1.0.0"}'
	[ "$(jq -r .cniVersion <<<"$output")" = 1.0.0 ]
	[ -z "$stderr" ]
	attaches /opt/cni/bin/devinfo
}

@test "devinfoctl has all it needs there: scan, doctor, list, and a claim with a regular expression" {
	put_in empty
	cp "$top/tests/cli/dra"/cat-{slice,class}.yaml "$inside"
	echo '{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "cat", "namespace": "x"},
		"spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "resource.example.com",
		"selectors": [{"cel": {"expression":
		"device.attributes[\"resource-driver.example.com\"].color.matches(\"^bl?[a-c]+k$\")"}}]}}]}}}' >"$inside/claim.json"
	in_room /usr/local/bin/devinfoctl scan
	[ "$(in_room /usr/local/bin/devinfoctl list --json)" = "[]" ]
	in_room /usr/local/bin/devinfoctl doctor
	[ "$(in_room /usr/local/bin/devinfoctl dra select --json /cat-slice.yaml /cat-class.yaml /claim.json |
		jq -r '.claims[].status.allocation.devices.results[].device')" = large-black-cat ]
}

@test "in a Debian without our libraries the programs are installed, attach, and are removed" {
	put_in bookworm
	cp "$top/install/install.sh" "$inside"
	mkdir "$inside/from"
	mv "$inside/opt/cni/bin/devinfo" "$inside/from"
	in_room /install.sh /from/devinfo /opt/cni/bin sriov
	attaches /opt/cni/bin/devinfo
	attaches /opt/cni/bin/sriov
	# the room's /run is no tmpfs
	[ "$(in_room /usr/local/bin/devinfoctl doctor --json | jq -c 'map(select(.severity != "skipped").check)')" = '["dir-disk"]' ]
	in_room /install.sh --remove /from/devinfo /opt/cni/bin sriov
	[ ! -e "$inside/opt/cni/bin/sriov" ]
}

@test "in Debian's testing, too" {
	put_in testing
	attaches /opt/cni/bin/devinfo
	in_room /usr/local/bin/devinfoctl scan
}

@test "made in another folder, the plugin and devinfo-publish have the same bytes" {
	local there=$BATS_TEST_TMPDIR/a/longer/name
	mkdir -p "$there/build-static" "$there/tests"
	cp -a "$top"/{GNUmakefile,base,cni,conf,daemon,devinfo,install,manager,netlink} "$there"
	cp "$top/tests/rooms" "$there/tests"
	# of devinfo-publish what is its own is compiled again; the rest is by the same rule
	cp -a "$top"/build-static/{libs,glibc} "$there/build-static"
	rm -r "$there"/build-static/glibc/{bin,daemon}
	env -u MAKEFLAGS -u MAKELEVEL -u BUILD make -s -j2 -C "$there" build-static/bin/devinfo{,-publish}
	for program in devinfo devinfo-publish; do
		cmp "$static/$program" "$there/build-static/bin/$program"
	done
}

@test "sbom.sh tells of each part its version, licence and source, and the text of each licence is there" {
	local facts=$top/build-static/libs/facts sbom=$BATS_TEST_TMPDIR/sbom.json
	SOURCE_DATE_EPOCH=1700000000 "$top/install/sbom.sh" >"$sbom"
	[ "$(jq -r '.spdxVersion + " " + .creationInfo.created' "$sbom")" = "SPDX-2.3 2023-11-14T22:13:20Z" ]
	# of the release otherwise, whoever makes it, and from whichever commit
	[ "$("$top/install/sbom.sh" | jq -r '.creationInfo.created | .[:10]')" = \
		"$(sed -nE 's/^## [0-9.]+ - (.*)$/\1/p' "$top/CHANGELOG.md" | head -n 1)" ]
	[ "$(jq -r .name "$sbom")" = "cni-devinfo-$("$build/bin/devinfoctl" --version | cut -d ' ' -f 2)-$(dpkg --print-architecture)" ]
	[ "$(jq -r '.packages[] | select(.name == "devinfo") | .checksums[0].checksumValue' "$sbom")" = \
		"$(sha256sum <"$static/devinfo" | cut -d ' ' -f 1)" ]
	[ "$(jq '.packages | length' "$sbom")" -eq $(($(wc -l <"$facts") + 4)) ]
	# each has all that a reader asks for, an ID of its own, and stands in a relationship
	[ "$(jq '[.packages[] | select(.versionInfo and .licenseDeclared and .downloadLocation and .checksums[0])] | length' \
		"$sbom")" -eq "$(jq '[.packages[].SPDXID] | unique | length' "$sbom")" ]
	[ "$(jq -r '[.packages[].SPDXID] - [.relationships[].relatedSpdxElement] | length' "$sbom")" -eq 0 ]
	[ "$(jq -r '[.packages[] | select(.primaryPackagePurpose == "LIBRARY" and (.sourceInfo | test("[0-9a-f]{64}") | not)) | .name]
		- ["gcc-12"] | join(" ")' "$sbom")" = "" ]
	while IFS=$'\t' read -r _ _ _ _ _ source _; do
		[ -s "$top/build-static/libs/licenses/$source" ]
	done <"$facts"
	# the archives that are linked are those that were recorded
	while IFS=$'\t' read -r program archive sum _; do
		[ "$program" != devinfo ] ||
			[ "$(sha256sum <"$top/build-static/libs/musl/lib/$archive" | cut -d ' ' -f 1)" = "$sum" ] || false
		[ "$program" != devinfo-publish ] ||
			[ "$(sha256sum <"$top/build-static/libs/glibc/usr/lib/$(gcc -dumpmachine)/$archive" | cut -d ' ' -f 1)" = "$sum" ] || false
	done <"$facts"
}

@test "sbom.sh says what is to be done first where there are no static programs" {
	run "$top/install/sbom.sh" none
	[ "$status" -eq 1 ]
	[[ $output == *"there are no static programs in 'build-static-none': first make static ARCH=none"* ]]
}

@test "no static programs are made for a processor that nobody has tried" {
	run "$top/install/static-libs.sh" "$BATS_TEST_TMPDIR/libs" riscv64
	[ "$status" -eq 1 ]
	[[ $output == *"no static programs are made for 'riscv64': must be amd64 or arm64"* ]]
}
