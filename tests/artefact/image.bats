#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# image.bats - the images: what is in them, and that each does on a node what it is for
#
# They are run by podman, as an init container of sriov-network-operator would be.  Where podman can run nothing, as
# in some containers, their files are unpacked and the same program is run with that directory as its root.
#
# rooms: -

# shellcheck disable=SC2016 # for another shell
load helpers

setup_file() {
	export WORK=$BATS_FILE_TMPDIR IMAGES=$BATS_TEST_DIRNAME/../../build-dist/images
	export CONTAINERS_CONF=$WORK/containers.conf CONTAINERS_STORAGE_CONF=$WORK/storage.conf
	for name in cni tools daemon publish; do
		mkdir -p "$WORK/$name/root"
		tar -C "$WORK/$name" -xf "$IMAGES/devinfo-$name.oci.tar"
		blob "$name" "$(jq -r .layers[0].digest "$(manifest "$name" "$(machine)")")" |
			xargs tar -C "$WORK/$name/root" -xf
	done
	cat >"$CONTAINERS_CONF" <<-CONF
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "none"
		runtime = "crun"
		[containers]
		default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
		log_driver = "none"
		netns = "none"
	CONF
	cat >"$CONTAINERS_STORAGE_CONF" <<-CONF
		[storage]
		driver = "vfs"
		runroot = "$WORK/podman/run"
		graphroot = "$WORK/podman/graph"
	CONF
	engine=podman
	engine load -q -i "$IMAGES/devinfo-cni.oci.tar" && engine load -q -i "$IMAGES/devinfo-tools.oci.tar" &&
		engine load -q -i "$IMAGES/devinfo-daemon.oci.tar" && engine load -q -i "$IMAGES/devinfo-publish.oci.tar" &&
		engine run --rm --cgroups=disabled "localhost/devinfo-tools:$(version)" --version || engine=chroot
	export engine
	echo "# the images are run by $engine" >&3
}

setup() {
	bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	pod=$WORK/cni/root/usr/bin/devinfo-pod
	to=(--no-sleep --plugin="$static/devinfo" --cni-bin-dir="$bin")
}

teardown() { leave; }

machine() { dpkg --print-architecture; }
version() { "$build/bin/devinfoctl" --version | cut -d ' ' -f 2; }

# of an image that was unpacked: the file with a digest; the manifests' index; one processor's manifest
blob() { echo "$WORK/$1/blobs/sha256/${2#sha256:}"; }
index() { blob "$1" "$(jq -r .manifests[0].digest "$WORK/$1/index.json")"; }
manifest() {
	blob "$1" "$(jq -r --arg arch "$2" '.manifests[] | select(.platform.architecture == $arch).digest' "$(index "$1")")"
}
config() { blob "$1" "$(jq -r .config.digest "$(manifest "$1" "$(machine)")")"; }

# machine_of PROGRAM - the processor that it is for, as OCI has it
machine_of() {
	case $(readelf -h "$1" | sed -n 's/^ *Machine: *//p') in
	AArch64) echo arm64 ;;
	*X86-64) echo amd64 ;;
	esac
}

# podman, without the control groups of this machine, which not every container may use
engine() {
	unshare --mount sh -c 'mount -t tmpfs none /sys/fs/cgroup && exec podman "$@"' sh "$@" 3>&-
}

# run_image NAME DIRECTORY=PLACE ARGUMENT...: the image's own entry point, with one directory of the node
run_image() {
	local entry
	if [ "$engine" = podman ]; then
		engine run --rm --cgroups=disabled --privileged --read-only -v "${2/=/:}" \
			-v /etc/os-release:/host/etc/os-release:ro "localhost/devinfo-$1:$(version)" "${@:3}"
		return
	fi
	mapfile -t entry < <(jq -r .config.Entrypoint[] "$(config "$1")")
	mkdir -p "$WORK/$1/root${2#*=}"
	unshare --mount sh -c 'mount --bind "$1" "$2" && root=$3 && shift 3 && exec chroot "$root" "$@"' sh \
		"${2%%=*}" "$WORK/$1/root${2#*=}" "$WORK/$1/root" "${entry[@]}" "${@:3}"
}

answers() { CNI_COMMAND=VERSION "$1" </dev/null | jq -e .supportedVersions >/dev/null; }
has_only() { [ "$(cd "$bin" && find . -mindepth 1 -printf '%P\n' | sort | tr '\n' ' ')" = "$* " ]; }
state() { (cd "$bin" && find . -mindepth 1 -printf '%P %y %m %n %i %T@\n' | sort); }

# a plugin that is not ours; with a number, of that version
other() {
	printf '#!/bin/sh\necho old %s\n' "${1:-}"
}

# -- what is in them --

@test "each image is an index with a manifest for each processor; each blob is what its name says" {
	for name in cni tools daemon publish; do
		[ "$(jq -r .mediaType "$(index "$name")")" = application/vnd.oci.image.index.v1+json ]
		# what a node calls it when it is imported is what the manifests say
		imported=$(jq -r '.manifests[0].annotations."org.opencontainers.image.ref.name"' "$WORK/$name/index.json")
		grep -rqE "image: $imported\$" "$top/install/manifests"
		jq -e --arg arch "$(machine)" 'any(.manifests[].platform; .architecture == $arch and .os == "linux")' "$(index "$name")"
		for file in "$WORK/$name"/blobs/sha256/*; do
			[ "$(sha256sum "$file" | cut -d ' ' -f 1)" = "${file##*/}" ]
		done
		jq -r '.. | objects | select(.digest? and .size?) | "\(.digest) \(.size)"' "$WORK/$name/index.json" \
			"$(index "$name")" "$(manifest "$name" "$(machine)")" >"$WORK/described"
		[ "$(wc -l <"$WORK/described")" -ge 4 ]
		while read -r digest size; do
			[ "$(stat -c %s "$(blob "$name" "$digest")")" = "$size" ]
		done <"$WORK/described"
		layer=$(blob "$name" "$(jq -r .layers[0].digest "$(manifest "$name" "$(machine)")")")
		[ "$(gzip -dc "$layer" | sha256sum | cut -d ' ' -f 1)" = "$(jq -r .rootfs.diff_ids[0] "$(config "$name")" | cut -d : -f 2)" ]
	done
}

@test "they have the programs of the static build, the licences and what they are made of, and no other file" {
	doc=usr/share/doc/devinfo
	for file in cni:devinfo cni:devinfo-pod tools:devinfoctl tools:devinfo-pod daemon:devinfod daemon:devinfo-pod \
		publish:devinfo-publish publish:devinfo-pod; do
		cmp "$WORK/${file%:*}/root/usr/bin/${file#*:}" "$static/${file#*:}"
		[ "$(stat -c '%a %u %g' "$WORK/${file%:*}/root/usr/bin/${file#*:}")" = "755 0 0" ]
	done
	for name in cni tools daemon publish; do
		cmp "$WORK/$name/root/$doc/LICENSE" "$top/LICENSE"
		for file in "$WORK/$name/root/$doc/licenses"/[!p]* "$WORK/$name/root/$doc/licenses"/p[!c]*; do
			cmp "$file" "$static/../libs/licenses/${file##*/}"
		done
		sbom=$WORK/$name/root/$doc/sbom.spdx.json
		[ "$(jq -r .spdxVersion "$sbom")" = SPDX-2.3 ]
		for program in "$WORK/$name"/root/usr/bin/*; do
			[ "$(jq -r --arg name "${program##*/}" '.packages[] | select(.name == $name).checksums[0].checksumValue' "$sbom")" = \
				"$(sha256sum "$program" | cut -d ' ' -f 1)" ]
		done
		jq -e '[.packages[].SPDXID, "SPDXRef-DOCUMENT"] as $ids | all(.relationships[]; .spdxElementId, .relatedSpdxElement
			| IN($ids[]))' "$sbom"
		# of each program and library that is there a package, of no other, and the licence
		[ "$(jq -r '[.packages[] | select(.primaryPackagePurpose == "APPLICATION").name] | sort | join(" ")' "$sbom")" = \
			"$(cd "$WORK/$name/root/usr/bin" && echo *)" ]
		[ "$(jq -r '[.packages[] | select(.primaryPackagePurpose != "APPLICATION").name] | unique | join(" ")' "$sbom")" = \
			"$(cd "$WORK/$name/root/$doc/licenses" && echo *)" ]
		[ -z "$(find "$WORK/$name/root" ! -type f ! -type d)" ]
	done
	[ "$(ls "$WORK/cni/root/$doc/licenses" | tr '\n' ' ')" = "gcc-12 jansson libyaml musl nghttp2 protobuf-c " ]
	[ "$(ls "$WORK/tools/root/$doc/licenses" | tr '\n' ' ')" = "gcc-12 glibc jansson libyaml musl nghttp2 pci.ids pcre2 protobuf-c " ]
	[ "$(cd "$WORK/cni/root" && find . -type f ! -path "./$doc/*" | sort | tr '\n' ' ')" = \
		"./usr/bin/devinfo ./usr/bin/devinfo-pod " ]
	[ "$(cd "$WORK/tools/root" && find . -type f ! -path "./$doc/*" | sort | tr '\n' ' ')" = \
		"./usr/bin/devinfo-pod ./usr/bin/devinfoctl ./usr/share/misc/pci.ids " ]
	[ "$(cd "$WORK/daemon/root" && find . -type f ! -path "./$doc/*" | sort | tr '\n' ' ')" = \
		"./usr/bin/devinfo-pod ./usr/bin/devinfod " ]
	[ "$(cd "$WORK/publish/root" && find . -type f ! -path "./$doc/*" | sort | tr '\n' ' ')" = \
		"./usr/bin/devinfo-pod ./usr/bin/devinfo-publish " ]
	# a library for TLS is in no other
	[ "$(ls -d "$WORK"/*/root/$doc/licenses/openssl)" = "$WORK/publish/root/$doc/licenses/openssl" ]
	cmp "$WORK/tools/root/usr/share/misc/pci.ids" /usr/share/misc/pci.ids
}

@test "there is one for amd64 and one for arm64, with the programs of that processor, their licences and what they are made of" {
	wanted=$'amd64\narm64'
	for name in cni tools daemon publish; do
		[ "$(jq -r '.manifests[].platform.architecture' "$(index "$name")" | sort)" = "$wanted" ]
		for arch in $wanted; do
			at=$top/build-static-$arch/bin
			[ "$arch" != "$(machine)" ] || at=$static
			mkdir "$BATS_TEST_TMPDIR/$name-$arch"
			tar -C "$BATS_TEST_TMPDIR/$name-$arch" -xf "$(blob "$name" "$(jq -r .layers[0].digest "$(manifest "$name" "$arch")")")"
			[ "$(find "$BATS_TEST_TMPDIR/$name-$arch/usr/bin" -type f | wc -l)" -eq 2 ]
			for program in "$BATS_TEST_TMPDIR/$name-$arch"/usr/bin/*; do
				cmp "$program" "$at/${program##*/}"
				[ "$(machine_of "$program")" = "$arch" ]
			done
			doc=$BATS_TEST_TMPDIR/$name-$arch/usr/share/doc/devinfo
			# libgcc's is of the compiler's own package
			[ "$(ls "$doc/licenses" | sed 's/-cross$//')" = "$(ls "$WORK/$name/root/usr/share/doc/devinfo/licenses")" ]
			for licence in "$doc"/licenses/*; do
				[ "${licence##*/}" = pci.ids ] || cmp "$licence" "$at/../libs/licenses/${licence##*/}"
			done
			[ "$(jq -r '.packages[] | select(.name == "devinfo-pod").checksums[0].checksumValue' "$doc/sbom.spdx.json")" = \
				"$(sha256sum <"$at/devinfo-pod" | cut -d ' ' -f 1)" ]
			[ "$(jq -r .architecture "$(blob "$name" "$(jq -r .config.digest "$(manifest "$name" "$arch")")")")" = "$arch" ]
		done
	done
}

@test "their labels and entry points are those that operators and registries look for" {
	for name in cni tools daemon publish; do
		[ "$(jq -r '.config.Labels["org.opencontainers.image.version"]' "$(config "$name")")" = "$(version)" ]
		[ "$(jq -r '.config.Labels["org.opencontainers.image.licenses"]' "$(config "$name")")" = Apache-2.0 ]
		[ "$(jq -r '.config.Labels["org.opencontainers.image.title"]' "$(config "$name")")" = "devinfo-$name" ]
		[ "$(jq -r .architecture "$(config "$name")")" = "$(machine)" ]
	done
	[ "$(jq -c .config.Entrypoint "$(config cni)")" = '["/usr/bin/devinfo-pod","install"]' ]
	[ "$(jq -c .config.Entrypoint "$(config tools)")" = '["/usr/bin/devinfoctl"]' ]
	[ "$(jq -c .config.Entrypoint "$(config daemon)")" = '["/usr/bin/devinfod"]' ]
	[ "$(jq -c .config.Entrypoint "$(config publish)")" = '["/usr/bin/devinfo-publish"]' ]
}

@test "the same programs make the same archive, and the time in it is what was said" {
	for time in 0 86400; do
		SOURCE_DATE_EPOCH=$time VERSION=1 "$top/install/image/build.sh" cni "$BATS_TEST_TMPDIR/$time.tar" "$(machine)=$static/.."
	done
	SOURCE_DATE_EPOCH=86400 VERSION=1 TMPDIR=$BATS_TEST_TMPDIR "$top/install/image/build.sh" cni "$BATS_TEST_TMPDIR/again.tar" \
		"$(machine)=$static/.."
	cmp "$BATS_TEST_TMPDIR/86400.tar" "$BATS_TEST_TMPDIR/again.tar"
	[ -n "$(cmp "$BATS_TEST_TMPDIR/0.tar" "$BATS_TEST_TMPDIR/86400.tar")" ]
	tar -tvf "$BATS_TEST_TMPDIR/again.tar" | awk '$4 != "1970-01-02" { exit 1 }'
}

# -- what they do --

@test "in sriov-cni's place in the operator it installs three names, keeps sriov, and does nothing the second time" {
	other >"$bin/sriov"
	chmod 755 "$bin/sriov"
	run run_image cni "$bin=/host/opt/cni/bin" --no-sleep
	[ "$status" -eq 0 ]
	for name in devinfo sriov ib-sriov; do
		cmp "$bin/$name" "$static/devinfo"
		[ "$(stat -c '%a %h' "$bin/$name")" = "755 1" ]
		answers "$bin/$name"
	done
	[ "$(cat "$bin/sriov.replaced")" = "$(other)" ]
	has_only devinfo ib-sriov sriov sriov.replaced
	before=$(state)
	run run_image cni "$bin=/host/opt/cni/bin" --no-sleep
	[ "$status" -eq 0 ]
	[ "$(state)" = "$before" ]
}

@test "what it has installed in a directory that has nothing else attaches and releases a veth" {
	enter empty
	mkdir -p "$inside/opt/cni/bin"
	run_image cni "$inside/opt/cni/bin=/host/opt/cni/bin" --no-sleep
	attaches /opt/cni/bin/sriov
}

@test "the tools image checks a configuration" {
	mkdir "$BATS_TEST_TMPDIR/conf"
	cp "$top/conf/examples/sriov.conflist" "$BATS_TEST_TMPDIR/conf"
	run run_image tools "$BATS_TEST_TMPDIR/conf=/conf" validate-conf /conf/sriov.conflist
	[ "$status" -eq 0 ]
	sed -i 's/"vlan"/"vlna"/' "$BATS_TEST_TMPDIR/conf/sriov.conflist"
	run run_image tools "$BATS_TEST_TMPDIR/conf=/conf" validate-conf /conf/sriov.conflist
	[[ $output == *"did you mean vlan?"* ]]
}

@test "in sriov-network-device-plugin's place in the operator devinfod takes its arguments" {
	mkdir "$BATS_TEST_TMPDIR/pcidp"
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"drivers": "igbvf"}}]}' >"$BATS_TEST_TMPDIR/pcidp/worker-1"
	run run_image daemon "$BATS_TEST_TMPDIR/pcidp=/etc/pcidp" --log-level=10 --resource-prefix=openshift.io \
		--config-file=/etc/pcidp/worker-1 --use-cdi
	# they are right, and it has come to what this file has wrong
	[ "$status" -eq 1 ]
	[[ $output == *"/etc/pcidp/worker-1: "*drivers* ]] || { echo "$output" && false; }
}

@test "the image of devinfo-publish begins as in a pod, and says what is missing in none" {
	mkdir "$BATS_TEST_TMPDIR/devinfo.d"
	run run_image publish "$BATS_TEST_TMPDIR/devinfo.d=/etc/cni/net.d/devinfo.d" --annotations --node-name n1
	[ "$status" -eq 1 ]
	[[ $output == *"--kubeconfig is missing, and this is no pod with a service account"* ]] || { echo "$output" && false; }
}

@test "install.sh takes away what the image has installed, and the other way round" {
	other >"$bin/sriov"
	"$pod" install "${to[@]}"
	"$top/install/install.sh" --remove devinfo "$bin" sriov ib-sriov
	[ "$(cat "$bin/sriov")" = "$(other)" ]
	has_only devinfo sriov
	rm "$bin/devinfo"
	"$top/install/install.sh" "$build/bin/devinfo" "$bin" sriov ib-sriov
	"$pod" install "${to[@]}"
	cmp "$bin/ib-sriov" "$static/devinfo"
	[ "$(cat "$bin/sriov.replaced")" = "$(other)" ]
	"$pod" remove "${to[@]}"
	[ "$(cat "$bin/sriov")" = "$(other)" ]
	has_only sriov
	other >"$bin/devinfo"
	run "$pod" remove "${to[@]}"
	[ "$status" -eq 0 ]
	[[ $output == *"sriov is no copy of devinfo: left as it is"* ]]
	has_only devinfo sriov
}

@test "another installer that puts its plugin back each time loses nothing, and does not stop us" {
	for n in 1 2 2 3; do
		other $n >"$BATS_TEST_TMPDIR/ib-sriov"
		chmod 755 "$BATS_TEST_TMPDIR/ib-sriov"
		cp -f "$BATS_TEST_TMPDIR/ib-sriov" "$bin/ib-sriov"
		"$pod" install "${to[@]}"
		cmp "$bin/ib-sriov" "$static/devinfo"
		cmp "$bin/ib-sriov.replaced" "$BATS_TEST_TMPDIR/ib-sriov"
		has_only devinfo ib-sriov ib-sriov.replaced sriov
	done
}

@test "an earlier version of ours, a link to it, and a file of several names are no plugins to keep" {
	"$pod" install "${to[@]}"
	{ cat "$static/devinfo" && echo earlier; } >"$bin/sriov"
	ln -sf devinfo "$bin/ib-sriov"
	"$pod" install "${to[@]}"
	has_only devinfo ib-sriov sriov
	ln -f "$bin/devinfo" "$bin/sriov"
	"$pod" install "${to[@]}"
	[ ! "$bin/sriov" -ef "$bin/devinfo" ]
	for name in devinfo sriov ib-sriov; do
		[ ! -L "$bin/$name" ]
		cmp "$bin/$name" "$static/devinfo"
	done
}

@test "no link of the directory is followed, no pipe waited for, and nothing in it run" {
	echo mine >"$BATS_TEST_TMPDIR/victim"
	printf '#!/bin/sh\necho run >%s\n' "$BATS_TEST_TMPDIR/ran" >"$bin/ib-sriov"
	chmod 755 "$bin/ib-sriov"
	ln -s "$BATS_TEST_TMPDIR/victim" "$bin/sriov"
	ln -s "$BATS_TEST_TMPDIR/victim" "$bin/devinfo"
	timeout 20 "$pod" install "${to[@]}"
	[ "$(cat "$BATS_TEST_TMPDIR/victim")" = mine ]
	[ ! -e "$BATS_TEST_TMPDIR/ran" ]
	cmp "$bin/devinfo" "$static/devinfo"
	cmp "$bin/sriov" "$static/devinfo"
	[ "$(readlink "$bin/sriov.replaced")" = "$BATS_TEST_TMPDIR/victim" ]
	rm "$bin/sriov"
	mkfifo "$bin/sriov"
	timeout 20 "$pod" install "${to[@]}"
	cmp "$bin/sriov" "$static/devinfo"
	[ -p "$bin/sriov.replaced" ]
}

@test "who may only read the directory holds up no installer; two installers wait for each other" {
	exec 8<"$bin"
	flock -x 8
	timeout 20 "$pod" install "${to[@]}" 8<&-
	has_only devinfo ib-sriov sriov
	exec 8<>"$bin/.devinfo.lock"
	chmod 600 "$bin/.devinfo.lock"
	flock -x 8
	"$pod" remove "${to[@]}" 3>&- 8<&- &
	sleep 0.5
	[ -e "$bin/devinfo" ]
	exec 8<&-
	wait $!
	[ -z "$(ls -A "$bin")" ]
	other >"$bin/sriov"
	for _ in 1 2 3 4; do "$pod" install "${to[@]}" >/dev/null 3>&- & done
	wait
	[ "$(cat "$bin/sriov.replaced")" = "$(other)" ]
	has_only devinfo ib-sriov sriov sriov.replaced
}

@test "nothing is changed where a directory is in the way, none is mounted, or the plugin does not answer" {
	other >"$bin/sriov"
	mkdir "$bin/ib-sriov"
	before=$(state)
	run "$pod" install "${to[@]}"
	[ "$status" -eq 1 ]
	[[ $output == *"$bin/ib-sriov"*"is a directory"* ]]
	[ "$(state)" = "$before" ]
	rmdir "$bin/ib-sriov"
	mkdir "$bin/sriov.replaced"
	run "$pod" install "${to[@]}"
	[ "$status" -eq 1 ]
	rmdir "$bin/sriov.replaced"
	printf '#!/bin/sh\n# devinfo cannot be run by devinfo\nexit 1\n' >"$BATS_TEST_TMPDIR/broken"
	chmod 755 "$BATS_TEST_TMPDIR/broken"
	for plugin in /bin/true "$BATS_TEST_TMPDIR/broken" /nonexistent; do
		run "$pod" install --no-sleep --cni-bin-dir="$bin" --plugin="$plugin"
		[ "$status" -eq 1 ]
	done
	run "$pod" install "${to[@]}" --cni-bin-dir=/nonexistent
	[ "$status" -eq 1 ]
	[[ $output == *"is the node's mounted there?"* ]]
	for name in devinfo ../x .x 'a b' a/b; do
		run "$pod" install "${to[@]}" --names="$name"
		[ "$status" -eq 2 ]
	done
	run "$pod" install "${to[@]}" --no-slep
	[ "$status" -eq 2 ]
	has_only sriov
}

@test "killed at any step, each name has the old file or the new one, and the next run finishes" {
	killed=0
	for call in linkat renameat fsync; do
		for when in 1 2 3; do
			rm -rf "$bin"
			mkdir "$bin"
			other >"$bin/sriov"
			strace -qqq -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$when" \
				"$pod" install "${to[@]}" >/dev/null 2>&1 || killed=$((killed + 1))
			[ "$(cat "$bin/sriov")" = "$(other)" ] || cmp "$bin/sriov" "$static/devinfo"
			[ "$(cat "$bin/sriov")" = "$(other)" ] || [ "$(cat "$bin/sriov.replaced")" = "$(other)" ]
			"$pod" install "${to[@]}" >/dev/null
			[ "$(cat "$bin/sriov.replaced")" = "$(other)" ]
			has_only devinfo ib-sriov sriov sriov.replaced
		done
	done
	[ "$killed" -ge 7 ]
}

@test "it waits for SIGTERM, and takes all away then only when that is asked and nothing is attached" {
	mkdir -p "$BATS_TEST_TMPDIR/state/attachments"
	for case in "" --remove-at-end "--remove-at-end --state-dir=$BATS_TEST_TMPDIR/state"; do
		# shellcheck disable=SC2086 # several options
		"$pod" install --plugin="$static/devinfo" --cni-bin-dir="$bin" $case >"$BATS_TEST_TMPDIR/log" 2>&1 3>&- &
		for ((i = 0; i < 100; i++)); do
			grep -q 'waiting for SIGTERM' "$BATS_TEST_TMPDIR/log" && break
			sleep 0.05
		done
		answers "$bin/sriov"
		kill $!
		wait $!
		[ -n "$case" ] || has_only devinfo ib-sriov sriov
		[ -z "$case" ] || [ -z "$(ls "$bin")" ]
	done
	echo '{}' >"$BATS_TEST_TMPDIR/state/attachments/x@y.json.damaged"
	"$pod" install "${to[@]}"
	run "$pod" remove "${to[@]}" --state-dir="$BATS_TEST_TMPDIR/state"
	[ "$status" -eq 1 ]
	[[ $output == *"has 1 attachments: drain the node first"* ]]
	has_only devinfo ib-sriov sriov
}

@test "the node's file is put in place whole, and once" {
	mkdir "$BATS_TEST_TMPDIR/net.d"
	echo '{"logLevel":"info"}' >"$BATS_TEST_TMPDIR/devinfo.json"
	files=(--node-file="$BATS_TEST_TMPDIR/devinfo.json" --node-dir="$BATS_TEST_TMPDIR/net.d")
	"$pod" install "${to[@]}" "${files[@]}"
	cmp "$BATS_TEST_TMPDIR/net.d/devinfo.d/devinfo.json" "$BATS_TEST_TMPDIR/devinfo.json"
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/net.d/devinfo.d" "$BATS_TEST_TMPDIR/net.d/devinfo.d/devinfo.json")" = $'755\n644' ]
	run "$pod" install "${to[@]}" "${files[@]}"
	[[ $output != *"devinfo.json"* ]]
	rm -r "$BATS_TEST_TMPDIR/net.d"
	rm "$bin/devinfo"
	run "$pod" install "${to[@]}" "${files[@]}"
	[ "$status" -eq 1 ]
	[ ! -e "$bin/devinfo" ]
}

@test "every: what a command prints becomes the file only when it has succeeded, again and again" {
	file=$BATS_TEST_TMPDIR/out
	"$pod" every --to="$file" 0 sh -c 'echo good'
	[ "$(cat "$file")" = good ]
	run "$pod" every --to="$file" 0 sh -c 'echo bad; exit 3'
	[ "$status" -eq 1 ]
	[[ $output == *"ended with status 3"* ]]
	[ "$(cat "$file")" = good ]
	run "$pod" every --to="$file" 0 /nonexistent
	[ "$status" -eq 1 ]
	"$pod" every --to="$file" 1 sh -c "echo >>$BATS_TEST_TMPDIR/times; cat $BATS_TEST_TMPDIR/times | wc -l" 3>&- &
	for ((i = 0; i < 100; i++)); do
		[[ $(cat "$file") == good ]] || [ "$(cat "$file")" -lt 2 ] || break
		sleep 0.1
	done
	[ "$(cat "$file")" -ge 2 ]
	kill $!
	wait $!
	for seconds in -1 x 86401 ''; do
		run "$pod" every "$seconds" true
		[ "$status" -eq 2 ]
	done
}

@test "chroot: devinfoctl of the image looks at a node's own directories; copy: a pod's other image has the program" {
	node=$BATS_TEST_TMPDIR/node
	mkdir -p "$node"/{proc,sys,etc,conf}
	cp "$top/conf/examples/sriov.conflist" "$node/conf"
	run "$pod" chroot "$node" "$WORK/tools/root/usr/bin/devinfoctl" validate-conf /conf/sriov.conflist
	[ "$status" -eq 0 ]
	run "$pod" chroot "$BATS_TEST_TMPDIR/nonexistent" /bin/true
	[ "$status" -eq 1 ]
	"$pod" copy "$BATS_TEST_TMPDIR/copied"
	cmp "$BATS_TEST_TMPDIR/copied" "$pod"
	[ "$("$BATS_TEST_TMPDIR/copied" every 0 echo works)" = works ]
}
