#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# export_nfd.bats - the node's devices for Node Feature Discovery, on recorded nodes; no privilege
# needed
#
# rooms: manager/nfd

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	features_d=/etc/kubernetes/node-feature-discovery/features.d
	pools=$top/tests/node/expected/config.json
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
}

make_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/$1.node" "$node"
}

export_() {
	run --separate-stderr "$ctl" --root "$node" export "$@"
}

@test "N04, N16, N17, N18: In the file are comments, and labels with their prefix and value" {
	make_node vdpa-pods
	export_ nfd
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = '# Made by devinfoctl export nfd: what is changed here is lost' ]
	good='^feature\.node\.kubernetes\.io/devinfo-[a-z0-9][a-zA-Z0-9._-]*=[a-zA-Z0-9]([a-zA-Z0-9._-]*[a-zA-Z0-9])?$'
	[ "$(grep -cE "$good" <<<"$output")" -eq $((${#lines[@]} - 1)) ]
	grep -qx 'feature.node.kubernetes.io/devinfo-vdpa.driver.vhost_vdpa=1' <<<"$output"
	grep -qx 'feature.node.kubernetes.io/devinfo-vdpa.mgmtdev.pci_0000_65_00.2=1' <<<"$output"
	[ "$output" = "$("$ctl" --root "$node" export nfd -)" ]
}

@test "N14, N15: In the directory is one file of mode 0644, and no trace of its making" {
	make_node switchdev
	umask 077
	output_before=$("$ctl" --root "$node" export nfd)
	export_ nfd "$features_d"
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	[ "$(ls -A "$node$features_d")" = devinfo ]
	[ "$(stat -c %a "$node$features_d/devinfo")" = 644 ]
	cmp "$node$features_d/devinfo" <("$ctl" --root "$node" export nfd)
	# who reads the old file while it is written anew has all of it
	exec {old}<"$node$features_d/devinfo"
	rm "$node"/sys/devices/pci*/*/*/driver
	"$ctl" --root "$node" export nfd "$features_d"
	read -r -d '' before <&"$old" || true
	exec {old}<&-
	[ "$before" = "$output_before" ]
	run ! cmp -s "$node$features_d/devinfo" <(printf '%s\n' "$before")
	[ "$(ls -A "$node$features_d")" = devinfo ]
}

@test "N29: In a container that has the node mounted, --root leads to the directory that NFD reads" {
	make_node vdpa-pods
	mkdir -p "$node$features_d"
	export_ nfd "$features_d"
	[ "$status" -eq 0 ]
	[ "$(jq -r '.spec.features.attributes["local.label"].elements | length' < <("$ctl" --root "$node" export nodefeature --node-name n))" -gt 10 ]
	# what the manual says about it
	sed -n '/^.It Cm export Cm nfd/,/^.It Cm export Cm nodefeature/p' "$top/install/man/devinfoctl.8" >"$BATS_TEST_TMPDIR/manual"
	grep -qx ".Pa $features_d ." "$BATS_TEST_TMPDIR/manual"
	grep -q SELinux "$BATS_TEST_TMPDIR/manual"
}

@test "N09: In the file that is written anew are the labels of now, and no old ones" {
	make_node switchdev
	mkdir -p "$node$features_d"
	{
		"$ctl" --root "$node" export nfd
		echo feature.node.kubernetes.io/devinfo-old=1
	} >"$node$features_d/devinfo"
	export_ nfd "$features_d"
	[ "$status" -eq 0 ]
	run ! grep -q devinfo-old "$node$features_d/devinfo"
	# a driver that goes takes its label along
	rm "$node"/sys/devices/pci*/*/*/driver
	export_ nfd "$features_d"
	[ "$status" -eq 0 ]
	run ! grep -q devinfo-driver.mlx5_core= "$node$features_d/devinfo"
}

@test "N20, N21, N22: In front of all lines is when they expire, new with each run" {
	make_node plain
	export_ nfd --expires 3600
	[ "$status" -eq 0 ]
	[[ ${lines[1]} == "# +expiry-time=20"*T*Z ]]
	at=$(date -d "${lines[1]#*=}" +%s)
	now=$(date +%s)
	((at > now + 3500 && at <= now + 3600))
	[ "$(grep -c '^# +' <<<"$output")" -eq 1 ]
	# what it says holds now, and not for ever
	export_ nfd "$features_d" --expires 3600
	export_ nodefeature --node-name n
	[ "$(jq '.spec.features.attributes["local.label"].elements | length' <<<"$output")" -gt 0 ]
	sed -i 's/^# +expiry-time=.*/# +expiry-time=2001-01-01T00:00:00Z/' "$node$features_d/devinfo"
	export_ nodefeature --node-name n
	[ "$(jq -c '.spec.features.attributes["local.label"].elements' <<<"$output")" = '{}' ]
}

@test "N24: In front of each line of --raw is that it makes no label" {
	make_node vfio
	export_ nfd --raw "$features_d"
	[ "$status" -eq 0 ]
	file=$node$features_d/devinfo
	[ "$(grep -c '^# +no-label$' "$file")" -eq "$(grep -c '=' "$file")" ]
	[ "$(grep -A1 '^# +no-label$' "$file" | grep -c '^feature.node')" -eq "$(grep -c '=' "$file")" ]
	# a reader of feature files has features of it, and no labels
	export_ nodefeature --node-name n
	[ "$(jq -c '.spec.features.attributes["local.label"].elements' <<<"$output")" = '{}' ]
	[ "$(jq -r '.spec.features.attributes["local.feature"].elements["feature.node.kubernetes.io/devinfo-sriov.vfs.userspace"]' <<<"$output")" = 4 ]
}

@test "N19: In the file is never more than 64 kB: the pools that are too many are told" {
	make_node vfio
	jq -n '{resourceList: [range(1000) | {resourceName: "pool-with-a-name-\(.)", selectors: {drivers: ["none-\(.)"]}}]}' >"$BATS_TEST_TMPDIR/many.json"
	export_ nfd "$features_d" --pool "$BATS_TEST_TMPDIR/many.json"
	[ "$status" -eq 0 ]
	[[ $stderr =~ ^'devinfoctl: the last '([0-9]+)' of '([0-9]+)' labels are left out: NFD reads no file over 65536 bytes'$ ]]
	left=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]}
	size=$(stat -c %s "$node$features_d/devinfo")
	((size <= 65536 && size > 65000 && left > 0))
	[ "$(grep -c = "$node$features_d/devinfo")" -eq $((all - left)) ]
	# what matters most is there
	grep -q 'devinfo-health=ok' "$node$features_d/devinfo"
}

@test "pools have their sizes, and 0 is one" {
	make_node vdpa-pods
	export_ nfd --pool "$pools"
	[ "$status" -eq 0 ]
	grep -qx 'feature.node.kubernetes.io/devinfo-pool.nvidia.com_cx6_vdpa=1' <<<"$output"
	grep -qx 'feature.node.kubernetes.io/devinfo-pool.intel.com_dpdk=0' <<<"$output"
	export_ nodefeature --node-name n --pool "$pools"
	[ "$(jq -c '[.spec.features.instances["devinfo.function"].elements[].attributes | select(.pool) | [.id, .pool]]' <<<"$output")" = \
		'[["0000:65:00.2","nvidia.com/cx6_vdpa"]]' ]
	export_ nfd --pool "$BATS_TEST_TMPDIR/none.json"
	[ "$status" -eq 2 ]
	[[ $stderr == *none.json* ]]
}

@test "--remove removes our file, and no other's" {
	make_node plain
	export_ nfd "$features_d"
	echo a=b >"$node$features_d/other"
	export_ nfd "$features_d" --remove
	[ "$status" -eq 0 ]
	[ "$(ls -A "$node$features_d")" = other ]
	export_ nfd "$features_d" --remove
	[ "$status" -eq 0 ]
	mv "$node$features_d/other" "$node$features_d/devinfo"
	export_ nfd "$features_d" --remove
	[ "$status" -eq 1 ]
	[[ $stderr == *"'$features_d/devinfo' was not made by export nfd: it stays as it is"* ]]
	export_ nfd "$features_d"
	[ "$status" -eq 1 ]
	[ "$(cat "$node$features_d/devinfo")" = a=b ]
	# a link is not followed, be it to one of ours
	mv "$node$features_d/devinfo" "$node$features_d/other"
	ln -s other "$node$features_d/devinfo"
	export_ nfd "$features_d"
	[ "$status" -eq 1 ]
	[ "$(cat "$node$features_d/other")" = a=b ]
}

@test "a wrong question about exports is told, and nothing is written" {
	make_node plain
	wrong() {
		export_ "${@:2}"
		[ "$status" -eq 2 ]
		[[ $stderr == *"$1"* ]]
		[ -z "$output" ]
	}
	wrong "wrong number of operands for export nfd: expected [DIR]" nfd /a /b
	wrong "cannot write to 'a': expected an absolute path" nfd a
	wrong "--remove takes a directory" nfd --remove
	wrong "--remove takes a directory" nfd --remove - --raw
	wrong "--expires cannot be '0': expected 1 to 4294967295 seconds" nfd --expires 0
	wrong "--expires cannot be 'x': expected 1 to 4294967295 seconds" nfd --expires x
	wrong "--node-name is not for export nfd" nfd --node-name n
	wrong "--remove is not for export nodefeature" nodefeature --remove
	wrong "wrong number of operands for export nodefeature: expected none" nodefeature /a
	wrong "the node's name is not known" nodefeature
	wrong "'A_b' is no name of a node: expected a DNS name in lower case" nodefeature --node-name A_b
	wrong "cannot be for the node 'nnn" nodefeature --node-name "$(printf 'n%.0s' {1..64})"
	wrong "unknown command 'export bogus'" bogus
	[ ! -e "$node/etc/kubernetes" ]
}

@test "N01, N02, N03: In the object are the node's label, features in three types, and labels" {
	make_node vdpa-pods
	echo Worker-1 >"$node/etc/hostname"
	export_ nodefeature
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq 1 ]
	[ "$(jq -c '[.apiVersion, .kind, .metadata.name, .metadata.namespace, .metadata.labels]' <<<"$output")" = \
		'["nfd.k8s-sigs.io/v1alpha1","NodeFeature","devinfo-worker-1","node-feature-discovery",{"nfd.node.kubernetes.io/node-name":"worker-1"}]' ]
	[ "$(jq -c '.spec.features | keys' <<<"$output")" = '["attributes","flags","instances"]' ]
	jq -e '[.spec.features.flags[], .spec.features.attributes[] | .elements | type == "object"] | all' <<<"$output"
	jq -e '[.spec.features.attributes[].elements[], .spec.features.instances[].elements[].attributes[] | type == "string"] | all' <<<"$output"
	[ "$(jq -r '.spec.labels | to_entries[] | "\(.key)=\(.value)"' <<<"$output" | sort)" = "$("$ctl" --root "$node" export nfd | sed 1d | sort)" ]
	export_ nodefeature --raw --node-name other
	[ "$(jq -c '[.spec.labels, .metadata.name, .spec.features.attributes["system.name"].elements.nodename]' <<<"$output")" = \
		'[null,"devinfo-other","other"]' ]
}

@test "N60, N62, N63, N64: In the object are what rules of NFD ask for" {
	make_node igb-pods
	mkdir -p "$node/boot" "$node/etc"
	echo 'dummy 16384 0 - Live 0x0000000000000000' >"$node/proc/modules"
	echo CONFIG_X86=y >"$node/boot/config-$(jq -r .node.kernel "$node/devinfo-node.json")"
	printf 'ID=debian\nVERSION_ID="12"\n' >"$node/etc/os-release"
	export_ nodefeature --node-name n
	[ "$status" -eq 0 ]
	f() { jq -c ".spec.features.$1" <<<"$output"; }
	[ "$(f 'flags["kernel.loadedmodule"].elements')" = '{"dummy":{}}' ]
	[ "$(f 'attributes["kernel.config"].elements.X86')" = '"y"' ]
	[ "$(f 'attributes["system.osrelease"].elements["VERSION_ID.major"]')" = '"12"' ]
	[ "$(f 'instances["pci.device"].elements | map(.attributes | select(.class == "0200" and .vendor == "8086")) | length')" -ge 5 ]
	[ "$(f 'instances["network.device"].elements | map(.attributes | select(.sriov_numvfs == "4").name)')" = '["ens4f0"]' ]
}

@test "an object that kubectl apply would not take loses the kernel's configuration first" {
	make_node igb-pods
	mkdir -p "$node/boot"
	seq -f 'CONFIG_AN_OPTION_OF_THE_KERNEL_%g=y' 10000 >"$node/boot/config-$(jq -r .node.kernel "$node/devinfo-node.json")"
	export_ nodefeature --node-name n
	[ "$status" -eq 0 ]
	[ "$stderr" = "devinfoctl: kernel.config is left out: the object would be too large" ]
	[ "${#output}" -lt 256000 ]
	[ "$(jq '.spec.features.attributes | has("kernel.config")' <<<"$output")" = false ]
}

@test "whose a device is, and hardware addresses, are in no feature" {
	for name in igb-pods switchdev vdpa-pods crash; do
		rm -rf "$node"
		make_node "$name"
		export_ nodefeature --node-name n
		[ "$status" -eq 0 ]
		run ! grep -qiE '02:00:00:5e|"pod"|default/|"is_held"|"ips"' <<<"$output"
	done
}

@test "what is exported is what rules match, without NFD: by the node, by its file, by the object" {
	eval_() {
		"$ctl" --root "$node" nfd eval "$top/tests/cli/nfd/vdpa.yaml" --json "$@" |
			jq -r '.outputs[].name | select(startswith("vendor"))' | sort | paste -sd' '
	}
	make_node vdpa-pods
	[ "$(eval_)" = 'vendor.example/mlx vendor.example/vdpa' ]
	"$ctl" --root "$node" export nfd --raw --expires 60 "$features_d"
	[ "$(eval_)" = 'vendor.example/from-file vendor.example/mlx vendor.example/vdpa' ]
	"$ctl" --root "$node" export nodefeature --node-name n >"$BATS_TEST_TMPDIR/object.json"
	"$ctl" --root "$node" export nfd --remove "$features_d"
	[ "$(eval_)" = 'vendor.example/mlx vendor.example/vdpa' ]
	# on any other machine
	rm -rf "$node"
	make_node plain
	[ -z "$(eval_)" ]
	[ "$(eval_ --features "$BATS_TEST_TMPDIR/object.json")" = 'vendor.example/from-file vendor.example/mlx vendor.example/vdpa' ]
}

@test "devinfoctl(8) has each attribute of vDPA and management devices, and those that are no features" {
	make_node vdpa-pods
	page=$(sed -n '/^\.It Cm export Cm nodefeature/,/^\.It Cm nfd Cm lint/p' "$top/install/man/devinfoctl.8" | tr '\n' ' ')
	export_ nodefeature --node-name n
	for set in vdpa mgmtdev; do
		of_set=${page#*.It Li devinfo."$set" }
		names=$(jq -r --arg set "devinfo.$set" \
			'[.spec.features.instances[$set].elements[].attributes | keys[]] | unique[]' <<<"$output")
		[ "$(wc -w <<<"$names")" -ge 4 ]
		for name in $names; do
			[[ ${of_set%%.It *} == *[\ ,]"$name"[\ ,]* ]] || { echo "$set: $name" && return 1; }
		done
	done
	left_out=$(sed -n '/not_features\[\] = {/,/^}/p' "$top/manager/nfd/features_device.c" | grep -oE '"[a-z_]+"' | tr -d '"')
	[ "$(wc -w <<<"$left_out")" -gt 10 ]
	for name in $left_out; do
		[[ $page == *[\ ,]"$name"[\ ,]* ]] || { echo "$name" && return 1; }
	done
}
