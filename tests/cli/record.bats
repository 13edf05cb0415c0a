#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# record.bats - devinfoctl record-node: a recorded node answers as the one that it was made of

bats_require_minimum_version 1.5.0

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	cd "$BATS_TEST_TMPDIR"
	export DEVINFO_CONF=$PWD/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
}

# record NODE: a tree of its text, and one of the archive of that
record() {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/$1.node" "$1.was"
	"$ctl" --root "$1.was" record-node "$1.tar"
	"$top/tests/node/make-node.sh" "$1.tar" "$1.is"
}

@test "a node answers after record-node as before, but for its hardware addresses" {
	for node in igb-pods switchdev vdpa-pods crash; do
		record "$node"
		for command in 'scan --output=wide' 'list --output=wide' drift doctor 'gc --dry-run' \
			'resolve default/web-6 --resource intel.com/sriov_netdevice'; do
			# shellcheck disable=SC2086
			was=$("$ctl" --root "$node.was" $command 2>&1) || true
			# shellcheck disable=SC2086
			is=$("$ctl" --root "$node.is" $command 2>&1) || true
			[ -n "$was" ] || [[ $command == gc* && $node != crash ]]
			[ "$was" = "$is" ] || { diff <(echo "$was") <(echo "$is") && false; }
		done
		# a second one has nothing to replace but what the first has put there
		"$ctl" --root "$node.is" record-node again.tar
		[ "$(tar -tf again.tar | sort)" = "$(tar -tf "$node.tar" | sort)" ]
		rm again.tar
	done
}

@test "hardware addresses are replaced, equal ones by equal ones; what belongs together still does" {
	record igb-pods
	run ! grep -rqiE '02:00:00:5e|0200005e' igb-pods.is
	grep -rqiE '02:00:00:5e' igb-pods.was
	mac=$(cat igb-pods.is/sys/class/net/ens4f0v3/address)
	[[ $mac == 02:00:00:00:00:* ]]
	[ "$("$ctl" --root igb-pods.is scan --json | jq -r '.[] | select(.link == "ens4f0v3").admin_mac')" = "$mac" ]
	[ "$("$ctl" --root igb-pods.is scan --json | jq -r '[.[].admin_mac // empty] | unique | length')" = 4 ]
}

@test "secrets are in no file of the archive" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" was
	# where they may stand: configurations, a record's request, libcni's cache, and what is not even JSON
	conf='{"name":"s","plugins":[{"type":"devinfo","ipam":{"type":"x","password":"hunter2","api":{"token":"hunter2"}},"memif":{"secret":"hunter2"}}]}'
	echo "$conf" >was/etc/cni/net.d/30-s.conflist
	echo "$conf hunter2" >was/etc/cni/net.d/31-s.conf
	mkdir -p was/etc/cni/net.d/multus.d was/var/lib/cni/results was/etc/cni/net.d/devinfo.d
	echo 'token: hunter2' >was/etc/cni/net.d/multus.d/multus.kubeconfig
	echo '{"socketSecret":"hunter2"}' >was/etc/cni/net.d/devinfo.d/devinfo.json
	jq -nc --arg c "$(base64 -w0 <<<"$conf")" '{kind:"cniCacheV1",config:$c}' >was/var/lib/cni/results/s-c1-net1
	file=$(ls was/var/lib/cni/devinfo/attachments/*@0000:01:10.0.json)
	jq -c '.request = ({ipam:{password:"hunter2"}} | tojson)' "$file" >new
	cat new >"$file"
	jq -c '.Data.PodDeviceEntries[0].AllocResp = "aHVudGVyMg=="' was/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint >new
	cat new >was/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint
	"$ctl" --root was record-node - >node.tar
	mkdir is
	tar -xf node.tar -C is
	grep -rq hunter2 was
	run ! grep -rq hunter2 is
	run ! grep -rq aHVudGVyMg is
	[[ $(jq -r '.config | @base64d' is/var/lib/cni/results/s-c1-net1) != *hunter2* ]]
	[ "$(jq -r '.config | @base64d | fromjson.plugins[0].ipam.password' is/var/lib/cni/results/s-c1-net1)" = left-out ]
	[ "$(jq -r .plugins[0].memif.secret is/etc/cni/net.d/30-s.conflist)" = left-out ]
	[ -s is/etc/cni/net.d/31-s.conf ]
	[ ! -e is/etc/cni/net.d/multus.d ]
}

@test "an archive is a new file for its owner alone, or goes to a pipe, and to no terminal" {
	record plain
	[ "$(stat -c %a plain.tar)" = 600 ]
	run --separate-stderr "$ctl" --root plain.was record-node plain.tar
	[ "$status" -eq 1 ]
	[[ $stderr == "devinfoctl: create 'plain.tar' (File exists)"* ]]
	run --separate-stderr script -qec "$ctl --root plain.was record-node -" /dev/null
	[ "$status" -eq 2 ]
	run bash -c '"$1" --root plain.was record-node - >/dev/full' - "$ctl"
	[ "$status" -eq 1 ]
	[[ $output == *'write the archive'* ]]
}

@test "a device that leads to itself is written once" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/plain.node" was
	mkdir -p was/sys/devices/virtual/net/enx020000000001
	ln -s ../enx020000000001 was/sys/devices/virtual/net/enx020000000001/device
	ln -s ../../devices/virtual/net/enx020000000001 was/sys/class/net/
	"$ctl" --root was record-node node.tar
	[ "$(tar -tf node.tar | grep -c 'virtual/net/enx.*/device$')" = 1 ]
}

@test "a name that is too long for ustar is whole all the same" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/igb-pods.node" was
	name=$(printf 'n%.0s' {1..120})-c1_net1
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.6"}}' >"was/var/run/k8s.cni.cncf.io/devinfo/cni/$name"
	ln -s "/run/devinfo/sockets/$(printf 's%.0s' {1..120})" was/run/devinfo/status/long
	"$ctl" --root was record-node node.tar
	mkdir is
	tar -xf node.tar -C is
	cmp {was,is}"/var/run/k8s.cni.cncf.io/devinfo/cni/$name"
	[ "$(readlink is/run/devinfo/status/long)" = "$(readlink was/run/devinfo/status/long)" ]
}
