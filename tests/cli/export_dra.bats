#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# export_dra.bats - export resourceslice, deviceclass and claim-status, on recorded nodes; no
# privilege needed
#
# That what is printed is within the API's bounds is looked at by test_node_slices, which reads
# tests/node/expected.
#
# rooms: manager/dra

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	node=$BATS_TEST_TMPDIR/node
	cd "$BATS_TEST_TMPDIR"
	state=$node/var/lib/cni/devinfo/resourceslices.json
	# not what this machine has in /etc
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
}

make_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/$1.node" "$node"
}

export_slices() {
	run --separate-stderr "$ctl" --root "$node" export resourceslice --node-name n1 "$@"
}

export_status() {
	run --separate-stderr "$ctl" --root "$node" export claim-status "$@"
}

# said FILTER WANT: what jq says of $output, whatever the order of keys
said() {
	[ "$(jq -c "$1" <<<"$output")" = "$(jq -c . <<<"$2")" ] || {
		jq -c "$1" <<<"$output"
		return 1
	}
}

@test "D01, D04, D08: export resourceslice prints a List that kubectl applies" {
	make_node fleet/switchdev
	export_slices
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${#lines[@]}" -eq 1 ]
	said '[.apiVersion, .kind]' '["v1","List"]'
	said '.items | map([.apiVersion, .kind, .metadata.name])' \
		'[["resource.k8s.io/v1","ResourceSlice","n1-devinfo.cni.dev-0"]]'
	said '.items[0].spec | [.driver, .nodeName, .pool]' \
		'["devinfo.cni.dev","n1",{"name":"n1","generation":1,"resourceSliceCount":1}]'
	said '.items[0].spec.devices | map(.name)' \
		'["0000-3b-00-2","0000-3b-00-3","0000-3b-00-0-sf-88","0000-3b-00-0-sf-99"]'
}

@test "no member of what is exported is unknown to the API" {
	make_node fleet/vdpa-pods
	export_slices
	said '.items | map(keys, (.metadata | keys), (.spec | keys), (.spec.pool | keys)) | unique | sort_by(length)' \
		'[["labels","name"],["generation","name","resourceSliceCount"],["apiVersion","kind","metadata","spec"],["devices","driver","nodeName","pool"],["driver","nodeName","pool","sharedCounters"]]'
	said '[.items[].spec.devices[]? | keys[]] | unique' '["attributes","consumesCounters","name"]'
	said '[.items[].spec.devices[]?.attributes[] | keys[]] | unique' '["bool","int","string","version"]'
}

@test "whose slices they are is told by a label, which fits for any name of a node" {
	make_node fleet/vdpa-pods
	export_slices
	said '[.items[].metadata.labels] | unique' \
		'[{"app.kubernetes.io/managed-by":"devinfoctl","devinfo.cni.dev/node":"n1"}]'
	said '[.items[].metadata | has("ownerReferences")] | unique' '[false]'
	# the longest value that a label can have, and a name that is longer
	long=$(printf 'n%.0s' {1..63})
	export_slices --node-name "$long"
	said '[.items[].metadata.labels["devinfo.cni.dev/node"]] | unique' "[\"$long\"]"
	for name in "${long}x" "$long.example.com" "$(printf 'n%.0s' {1..60}).$(printf 'n%.0s' {1..60}).$(printf 'n%.0s' {1..60})"; do
		export_slices --node-name "$name"
		[ "$status" -eq 0 ]
		label=$(jq -r '[.items[].metadata.labels["devinfo.cni.dev/node"]] | unique | .[]' <<<"$output")
		[[ $label =~ ^node-[0-9a-f]{16}$ ]]
		said '[.items[].spec.nodeName] | unique' "[\"$name\"]"
		grep -qxFe "$label" labels 2>/dev/null && false
		echo "$label" >>labels
	done
	[ "$(wc -l <labels)" -eq 3 ]
}

@test "--node-uid makes the Node the owner of each slice, and no other word is a UID" {
	make_node fleet/vdpa-pods
	uid=0f1e2d3c-0123-4567-89ab-cdef01234567
	export_slices --node-uid "$uid"
	[ "$status" -eq 0 ]
	said '[.items[].metadata.ownerReferences] | unique' \
		'[[{"apiVersion":"v1","kind":"Node","name":"n1","uid":"'"$uid"'","controller":true}]]'
	said '.items | length > 1' true
	for wrong in '' n1 "${uid%?}" "${uid}0" "${uid^^}" "${uid//-/_}" '$(id)'; do
		export_slices --node-uid "$wrong"
		[ "$status" -eq 2 ]
		[[ $stderr == *"--node-uid cannot be '$wrong': expected a UID"* ]]
	done
	run --separate-stderr "$ctl" --root "$node" export deviceclass --node-uid "$uid"
	[ "$status" -eq 2 ]
	[[ $stderr == *"--node-uid is not for export deviceclass"* ]]
}

@test "devinfoctl(8) names the label that the slices have" {
	make_node igb
	export_slices
	label=$(jq -r '.items[0].metadata.labels | keys[] | select(contains("devinfo"))' <<<"$output")
	grep -qF "kubectl delete resourceslice -l $label=worker-1" "$top/install/man/devinfoctl.8"
}

@test "D03: older versions of the API are printed on demand, v1beta1 with basic" {
	make_node fleet/switchdev
	export_slices --api v1beta2
	said '.items[0] | [.apiVersion, (.spec.devices[0] | keys)]' \
		'["resource.k8s.io/v1beta2",["attributes","name"]]'
	export_slices --api v1beta1
	said '.items[0] | [.apiVersion, (.spec.devices[0] | keys), (.spec.devices[0].basic | keys)]' \
		'["resource.k8s.io/v1beta1",["basic","name"],["attributes"]]'
	export_slices --api v1alpha3
	[ "$status" -eq 2 ]
	[[ $stderr == *"--api cannot be 'v1alpha3': expected v1, v1beta2 or v1beta1"* ]]
}

@test "--kubernetes leaves out what that cluster would drop without a word, and says so" {
	make_node igb
	fail 0000:01:10.2
	export_slices --kubernetes v1.34.1
	[ "$status" -eq 0 ]
	said '[.items[].spec.devices[]?.name] | map(select(startswith("0000-01")))' '["0000-01-10-0"]'
	said '[.items[] | .. | objects | select(has("consumesCounters") or has("sharedCounters") or has("taints"))]' '[]'
	[[ $stderr == *"for Kubernetes v1.34.1, where DRAPartitionableDevices is off, PFs whose VFs or sub-functions are offered are left out: 1"* ]]
	[[ $stderr == *"where DRADeviceTaints is off, devices that are failed or changed are left out: 1"* ]]
	for newer in 1.36 1.36.2 1.37; do
		export_slices --kubernetes "$newer"
		[ -z "$stderr" ]
		said '[.items[].spec.devices[]?.name] | map(select(startswith("0000-01")))' \
			'["0000-01-10-0","0000-01-10-2","0000-01-00-0"]'
	done
	run --separate-stderr "$ctl" export deviceclass --kubernetes 1.35 --pool "$top/tests/node/expected/config.json"
	[ "$status" -eq 0 ]
	said '[.items[].spec | keys[]] | unique' '["selectors"]'
	[[ $stderr == *"where DRAExtendedResource is off, extendedResourceName is left out"* ]]
}

@test "--kubernetes chooses the version of the API, and refuses one that is not there" {
	make_node igb
	for pair in 1.32=v1beta1 1.33=v1beta2 1.34=v1 1.36.2=v1; do
		export_slices --kubernetes "${pair%=*}"
		said '[.items[].apiVersion] | unique' "[\"resource.k8s.io/${pair#*=}\"]"
	done
	export_slices --kubernetes 1.33 --api v1
	[ "$status" -eq 2 ]
	[[ $stderr == *"--api cannot be 'v1': Kubernetes 1.33 does not have it, which came with 1.34"* ]]
	export_slices --kubernetes 1.31
	[ "$status" -eq 2 ]
	[[ $stderr == *"--kubernetes cannot be '1.31': expected 1.32 or later, as 1.34 or v1.36.2"* ]]
}

@test "devinfoctl(8) has each feature gate that --kubernetes goes by, and since when it is on" {
	page=$(sed -n '/^\.Ss What clusters have/,/^\.S[hs] /p' "$top/install/man/devinfoctl.8")
	rows=$(sed -n 's/.*{ "\(DRA[A-Za-z]*\)", \([0-9]*\) }.*/\1 1.\2/p' "$top/manager/dra/kubernetes.c")
	[ "$(wc -l <<<"$rows")" -ge 4 ]
	while read -r gate version; do
		grep -qE "^\.It $gate Ta $version Ta " <<<"$page" || { echo "$gate $version" && return 1; }
	done <<<"$rows"
}

@test "D02, D12: --driver names the driver, the domain of taints, and the slices" {
	make_node fleet/crash
	export_slices --driver nic.example.com
	[ "$status" -eq 0 ]
	said '[.items[].spec.driver, .items[].metadata.name]' '["nic.example.com","n1-nic.example.com-0"]'
	said '[.items[].spec.devices[].taints[]?] | unique' \
		'[{"key":"nic.example.com/health","value":"changed","effect":"NoSchedule"}]'
	for driver in NIC.example a_b "$(printf 'a%.0s' {1..64})"; do
		export_slices --driver "$driver"
		[ "$status" -eq 2 ]
		[[ $stderr == *"--driver cannot be '$driver': expected a DNS name in lower case, of at most 63 bytes"* ]]
	done
}

@test "D48: with --pool a device has its resource" {
	make_node fleet/igb-pods
	export_slices --pool "$top/tests/node/expected/config.json"
	[ "$status" -eq 0 ]
	said '[.items[].spec.devices[] | [.name, .attributes["k8s.cni.cncf.io/resourceName"].string]]' \
		'[["0000-01-10-0","intel.com/sriov_netdevice"],["0000-01-10-2","intel.com/sriov_netdevice"],["0000-01-10-4","intel.com/dpdk"],["0000-01-10-6","intel.com/sriov_netdevice"]]'
}

@test "what the host has put other devices upon is not published, nor its PF" {
	make_node igb
	export_slices
	said '[.items[].spec.devices[]?.name] | index("0000-01-10-0") != null' true
	link=$(basename "$node"/sys/bus/pci/devices/0000:01:10.0/net/*)
	ln -s ../vlan7 "$node/sys/class/net/$link/upper_vlan7"
	export_slices
	[ "$status" -eq 0 ]
	said '[.items[].spec.devices[]?.name] | map(select(. == "0000-01-10-0" or . == "0000-01-00-0"))' '[]'
}

# a PF with this many VFs, and no facts
make_many() {
	local vf bdf
	{
		for vf in $(seq 0 "$1"); do
			bdf=$(printf '0000:%02x:%02x.%x' $((3 + vf / 256)) $((vf / 8 % 32)) $((vf % 8)))
			echo "link sys/bus/pci/devices/$bdf ../../../devices/pci0000:00/$bdf"
			echo "file sys/devices/pci0000:00/$bdf/class 0x020000"
			echo "file sys/devices/pci0000:00/$bdf/vendor 0x15b3"
			echo "link sys/devices/pci0000:00/$bdf/driver ../../../bus/pci/drivers/mlx5_core"
			if [ "$vf" -gt 0 ]; then
				echo "link sys/devices/pci0000:00/$bdf/physfn ../0000:03:00.0"
				echo "link sys/devices/pci0000:00/0000:03:00.0/virtfn$((vf - 1)) ../$bdf"
			fi
		done
		echo "file sys/devices/pci0000:00/0000:03:00.0/sriov_totalvfs $1"
		echo "file sys/devices/pci0000:00/0000:03:00.0/sriov_numvfs $1"
	} >"$BATS_TEST_TMPDIR/many"
	"$top/tests/node/make-node.sh" "$BATS_TEST_TMPDIR/many" "$node"
}

@test "D35: VFs are listed before their PF, for the scheduler tries devices in their order" {
	make_many 3
	export_slices
	said '.items[0].spec.devices | map(.name)' \
		'["0000-03-00-1","0000-03-00-2","0000-03-00-3","0000-03-00-0"]'
}

@test "D06, D07, D35: a PF with 300 VFs is several slices, no device twice" {
	make_many 300
	export_slices
	[ "$status" -eq 0 ]
	said '[.items[].spec | (.devices // .sharedCounters) | length]' '[64,64,64,64,45,1]'
	said '[.items[].spec.pool] | unique' '[{"name":"n1","generation":1,"resourceSliceCount":6}]'
	said '[.items[].spec.devices[]?.name] | [length, (unique | length)]' '[301,301]'
	said '.items[5].spec.sharedCounters' \
		'[{"name":"pf-0000-03-00-0","counters":{"functions":{"value":"300"}}}]'
	said '[.items[].metadata.name]' \
		'["n1-devinfo.cni.dev-0","n1-devinfo.cni.dev-1","n1-devinfo.cni.dev-2","n1-devinfo.cni.dev-3","n1-devinfo.cni.dev-4","n1-devinfo.cni.dev-counters-0"]'
}

@test "D05: the generation stays until something changes, each driver's its own" {
	make_node igb
	export_slices
	said '.items[0].spec.pool.generation' 1
	[ "$(stat -c %a "$state")" = 600 ]
	export_slices
	said '.items[0].spec.pool.generation' 1
	before=$(stat -c %i "$state")
	echo 3 >"$node/sys/devices/pci0000:00/0000:00:04.0/0000:01:00.0/numa_node"
	export_slices
	said '[.items[].spec.pool.generation] | unique' '[2]'
	[ "$(stat -c %i "$state")" != "$before" ]
	export_slices --driver other.example
	said '.items[0].spec.pool.generation' 1
	export_slices --pool "$top/tests/node/expected/config.json"
	said '.items[0].spec.pool.generation' 3
	# and back: the cluster has seen another one meanwhile
	export_slices
	said '.items[0].spec.pool.generation' 4
	[ "$(jq -c '.pools | map([.driver, .pool, .generation])' "$state")" = \
		'[["devinfo.cni.dev","n1",4],["other.example","n1",1]]' ]
}

@test "D05: an older version of the same slices is no change" {
	make_node igb
	export_slices
	export_slices --api v1beta1
	said '.items[0].spec.pool.generation' 1
}

# fail DEVICE: it had an error that nobody could correct
fail() {
	local dir=$node/sys/bus/pci/devices/$1
	echo "TOTAL_ERR_COR 0" >"$dir/aer_dev_correctable"
	echo "TOTAL_ERR_NONFATAL 0" >"$dir/aer_dev_nonfatal"
	echo "TOTAL_ERR_FATAL 1" >"$dir/aer_dev_fatal"
}

# times: NAME=TIME of each taint that has one
times() {
	jq -r '[.items[].spec.devices[]? | select(.taints) | "\(.name)=\(.taints[0].timeAdded // "none")"] | join(" ")' <<<"$output"
}

@test "a taint has the time at which it came, which stays as the generation does" {
	make_node igb
	fail 0000:01:10.0
	export_slices
	[[ $(times) =~ ^0000-01-10-0=20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$ ]]
	first=$output
	# nothing has changed since, be it years
	sed -i 's/"20[0-9-]*T[0-9:]*Z"/"2001-02-03T04:05:06Z"/' "$state"
	before=$(stat -c %i "$state")
	export_slices
	[ "$(times)" = 0000-01-10-0=2001-02-03T04:05:06Z ]
	[ "$(jq -c 'del(.. | .timeAdded?)' <<<"$output")" = "$(jq -c 'del(.. | .timeAdded?)' <<<"$first")" ]
	[ "$(stat -c %i "$state")" = "$before" ]
	# a second one is new, the first is not
	fail 0000:01:10.2
	export_slices
	said '[.items[].spec.pool.generation] | unique' '[2]'
	[[ $(times) =~ ^"0000-01-10-0=2001-02-03T04:05:06Z 0000-01-10-2="20[0-9T:-]+Z$ ]]
	[[ $(times) != *0000-01-10-2=2001* ]]
	# one that was well meanwhile has a new one
	rm "$node/sys/bus/pci/devices/0000:01:10.0/aer_dev_fatal"
	export_slices
	[[ $(times) != *0000-01-10-0* ]]
	fail 0000:01:10.0
	export_slices
	[[ $(times) == *0000-01-10-0=* ]]
	[[ $(times) != *0000-01-10-0=2001* ]]
}

@test "a time that is none is not believed, and what remembers nothing says none" {
	make_node igb
	fail 0000:01:10.0
	export_slices
	for wrong in '"yesterday"' 7 null '{}' "\"$(printf '2%.0s' {1..100})\""; do
		jq -c --argjson v "$wrong" '.pools[0].taints["0000-01-10-0"][] = $v' "$state" >new
		cat new >"$state"
		export_slices
		[ "$status" -eq 0 ]
		[[ $(times) =~ ^0000-01-10-0=20[0-9T:-]+Z$ ]]
	done
	rm -r "$node" && make_node fleet/crash
	export_slices
	[[ $(times) == *=none* ]]
	[[ $(times) != *=20* ]]
}

@test "D05: a recorded node keeps what it has" {
	make_node fleet/vfio
	export_slices
	said '.items[0].spec.pool.generation' 1
	[ ! -e "$state" ]
	echo '{"version": 1, "pools": [{"driver": "devinfo.cni.dev", "pool": "n1", "content": "0", "generation": 8}]}' >"$state"
	chmod 600 "$state"
	before=$(cat "$state")
	export_slices
	said '.items[0].spec.pool.generation' 9
	[ "$(cat "$state")" = "$before" ]
}

@test "D05: a spoilt file of generations is told, and stays" {
	make_node igb
	mkdir -p "${state%/*}"
	chmod 700 "${state%/*}"
	for text in '{' '[]' '{"version": 2, "pools": []}' '{"version": 1}' '{"version": 1, "pools": {}}'; do
		echo "$text" >"$state"
		chmod 600 "$state"
		export_slices
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == *"resourceslices.json'"* ]]
		[[ $stderr == *"delete the pool's ResourceSlices in the cluster, and the file"* ]]
		[ "$(cat "$state")" = "$text" ]
	done
}

@test "two exports at once do not lose each other's generation" {
	make_node igb
	for i in 1 2 3 4 5 6; do
		"$ctl" --root "$node" export resourceslice --node-name n1 --driver "d$i.example" >/dev/null &
	done
	wait
	[ "$(jq '.pools | length' "$state")" -eq 6 ]
}

@test "the node's name is its host name in lower case, and has to be known" {
	make_node igb
	run --separate-stderr "$ctl" --root "$node" export resourceslice
	[ "$status" -eq 2 ]
	[[ $stderr == *"the node's name is not known: --node-name is missing"* ]]
	mkdir -p "$node/proc/sys/kernel" "$node/etc"
	echo Node-K >"$node/proc/sys/kernel/hostname"
	run --separate-stderr "$ctl" --root "$node" export resourceslice
	said '.items[0].spec.nodeName' '"node-k"'
	echo Node-1.Example >"$node/etc/hostname"
	run --separate-stderr "$ctl" --root "$node" export resourceslice
	said '.items[0].spec | [.nodeName, .pool.name]' '["node-1.example","node-1.example"]'
	export_slices --node-name 'Node 1'
	[ "$status" -eq 2 ]
	[[ $stderr == *"--node-name: 'Node 1' is no name of a node"* ]]
}

@test "D02, D13, D49: a class for each pool, guarded, with the pool's resource" {
	run --separate-stderr "$ctl" export deviceclass --pool "$top/tests/node/expected/config.json"
	[ "$status" -eq 0 ]
	said '.items | map([.kind, .metadata.name, .spec.extendedResourceName])' \
		'[["DeviceClass","sriov-netdevice.intel.com","intel.com/sriov_netdevice"],["DeviceClass","dpdk.intel.com","intel.com/dpdk"],["DeviceClass","cx6-vdpa.nvidia.com","nvidia.com/cx6_vdpa"],["DeviceClass","cx6-vf.nvidia.com","nvidia.com/cx6_vf"],["DeviceClass","cx6-sf.nvidia.com","nvidia.com/cx6_sf"]]'
	said '.items[1].spec.selectors' \
		'[{"cel":{"expression":"device.driver == \"devinfo.cni.dev\" && \"resourceName\" in device.attributes[\"k8s.cni.cncf.io\"] && device.attributes[\"k8s.cni.cncf.io\"].resourceName == \"intel.com/dpdk\""}}]'
}

@test "D02: without pools one class for all devices of the driver" {
	run --separate-stderr "$ctl" export deviceclass --driver nic.example.com --api v1beta1
	[ "$status" -eq 0 ]
	said '.items' \
		'[{"apiVersion":"resource.k8s.io/v1beta1","kind":"DeviceClass","metadata":{"name":"nic.example.com","labels":{"app.kubernetes.io/managed-by":"devinfoctl"}},"spec":{"selectors":[{"cel":{"expression":"device.driver == \"nic.example.com\""}}]}}]'
}

# -- claims --

container=5d195d195d195d195d195d195d195d195d195d195d195d195d195d195d195d19

# give JSON...: kubelet has given these devices of claims, too
give() {
	local facts=$node/devinfo-node.json
	jq --argjson more "[$(IFS=,; echo "$*")]" '.allocations += $more' "$facts" >"$facts.new"
	mv "$facts.new" "$facts"
}

# of the pod that has the VF
of_gw_0='{"resource":"claim default/nic","id":"0000:3b:00.2","driver":"nic.example.com","pool":"n1","claim_device":"0000-3b-00-2","pod_namespace":"default","pod_name":"gw-0","container":"app"}'

# remember RESULT: what the runtime has of that attachment
remember() {
	local file=$node/var/lib/cni/results/hw-net-$container-net1
	jq -c --argjson result "$1" '.result = $result' "$file" >"$file.new"
	mv "$file.new" "$file"
}

@test "D27, D28: the status of a claim has driver, pool, device and the interface's data" {
	make_node fleet/switchdev
	give "$of_gw_0"
	remember '{"cniVersion": "1.0.0", "interfaces": [{"name": "net1", "mac": "02:00:00:5e:03:11", "sandbox": "/var/run/netns/cni-5d195d19"}], "ips": [{"address": "10.56.0.7/24", "interface": 0}, {"address": "2001:DB8::7/64", "interface": 0}]}'
	export_status default/nic
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	said . '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"nic","namespace":"default"},"status":{"devices":[{"driver":"nic.example.com","pool":"n1","device":"0000-3b-00-2","networkData":{"interfaceName":"net1","hardwareAddress":"02:00:00:5e:03:11","ips":["10.56.0.7/24","2001:db8::7/64"]}}]}}'
	export_status --api v1beta2 default/nic
	said .apiVersion '"resource.k8s.io/v1beta2"'
}

@test "D28: an address of IPv4 is written as one, whatever form a plugin has given it" {
	make_node fleet/switchdev
	give "$of_gw_0"
	remember '{"cniVersion": "1.0.0", "interfaces": [{"name": "net1", "sandbox": "/var/run/netns/cni-5d195d19"}], "ips": [{"address": "::ffff:10.56.0.7/120", "interface": 0}, {"address": "10.56.0.7/24", "interface": 0}, {"address": "::10.56.0.7/128", "interface": 0}]}'
	export_status default/nic
	[ "$status" -eq 0 ]
	said '.status.devices[0].networkData.ips' '["10.56.0.7/24"]'
}

@test "D28: without a runtime's memory network-status says what it knows, and the rest is told" {
	make_node fleet/switchdev
	give "$of_gw_0"
	entries=$node/run/devinfo/status/$container.json
	[ -e "$entries" ] || entries=$(find "$node" -path "*status/$container.json")
	jq -c '.[0].ips = ["10.56.0.7"]' "$entries" >"$entries.new"
	mv "$entries.new" "$entries"
	rm "$node/var/lib/cni/results/hw-net-$container-net1"
	export_status default/nic
	[ "$status" -eq 0 ]
	said '.status.devices[0].networkData' '{"interfaceName":"net1","hardwareAddress":"02:00:00:5e:03:10"}'
	[[ $stderr == *"hw-net/net1: its addresses are left out: the runtime does not remember their prefixes"* ]]
}

@test "D28: a device that no attachment has is told without data, a shared one once, with its share" {
	make_node fleet/switchdev
	share='{"resource":"claim default/nic","id":"0000:3b:00.3","driver":"nic.example.com","pool":"n1","claim_device":"0000-3b-00-3","claim_share":"a671734a-e8e5-11e4-8fde-42010af09327","pod_namespace":"default","pod_name":"p2","container":"a"}'
	give "$share" "${share/\"a\"/\"b\"}" "$of_gw_0"
	export_status default/nic
	[ "$status" -eq 0 ]
	said '.status.devices | map([.device, .shareID, .networkData.interfaceName])' \
		'[["0000-3b-00-2",null,"net1"],["0000-3b-00-3","a671734a-e8e5-11e4-8fde-42010af09327",null]]'
}

@test "D28: another pod's attachment of the device is not the claim's" {
	make_node fleet/switchdev
	give "${of_gw_0/gw-0/gw-9}"
	export_status default/nic
	said '.status.devices[0] | keys' '["device","driver","pool"]'
}

@test "a claim that no pod has, or of an old kubelet, is an error" {
	make_node fleet/switchdev
	export_status default/other
	[ "$status" -eq 1 ]
	[[ $stderr == *"claim default/other: no pod has a device of it"* ]]
	give '{"resource":"claim default/nic","id":"vendor.com/nic=x","pod_namespace":"default","pod_name":"p"}'
	export_status default/nic
	[ "$status" -eq 1 ]
	[[ $stderr == *"kubelet does not say driver, pool and device"* ]]
	for wrong in nic default/ /nic 'a/b/c' 'A/b'; do
		export_status "$wrong"
		[ "$status" -eq 2 ]
		[[ $stderr == *"'$wrong' is no claim: expected NAMESPACE/NAME"* ]]
	done
	export_status
	[ "$status" -eq 2 ]
}

# -- the manual --

@test "devinfoctl(8) has each attribute of what is exported" {
	page=$(sed -n '/^\.It Cm export Cm resourceslice/,/^\.It Cm export Cm deviceclass/p' "$top/install/man/devinfoctl.8")
	mapfile -t names < <(jq -r '.items[].spec.devices[]?.attributes | keys[]' \
		"$top"/tests/node/expected/*/export-resourceslice.json | sort -u)
	[ "${#names[@]}" -ge 25 ]
	for name in "${names[@]}"; do
		grep -qw -- "${name##*/}" <<<"$page" || {
			echo "$name is not there"
			return 1
		}
	done
}

@test "D30: devinfoctl(8) says which rights the status of a claim needs" {
	page=$(sed -n '/^\.It Cm export Cm claim-status/,/^\.El/p' "$top/install/man/devinfoctl.8" | tr '\n' ' ')
	for right in 'get and patch resourceclaims/status' 'associated-node:patch' 'arbitrary-node:patch' 'resourceclaims/driver'; do
		[[ $page == *"$right"* ]]
	done
}

# literal N: the text of the Nth block of the sequence in the manual
literal() {
	sed -n '/^The way from this node/,/^What would these rules/p' "$top/install/man/devinfoctl.8" |
		awk -v n="$1" '/^\.Ed/ { on = 0 } on { print } /^\.Bd -literal/ { on = ++i == n }'
}

@test "devinfoctl(8): the way from slices to a pod that runs holds, command by command" {
	make_node fleet/switchdev
	facts=$node/devinfo-node.json
	# nobody has a device yet; the pod that will run is one that the node was recorded with
	jq -c '.allocations |= map(select(.pod_name | not))' "$facts" >new && mv new "$facts"
	literal 1 >claim.yaml
	literal 2 | sed 's/\<p1\>/gw-0/' >pod.yaml
	literal 3 | sed 's/^[$#] //; s/\<p1\>/gw-0/' >commands
	[ "$(wc -l <commands)" -eq 8 ]
	run ! grep -vE '^(devinfoctl|kubectl) ' commands
	mkdir applied
	devinfoctl() { "$ctl" --root "$node" "$@"; }
	# what kubectl is told of has to be there; when the pod is ready, kubelet has given it what was selected
	kubectl() {
		local file
		if [ "$1" = wait ]; then
			[ "${*: -1}" = "pod/gw-0" ]
			give "$(jq -Rc 'split(" ") | {resource: "claim default/nics", id: .[0], driver: .[1], pool: .[2], claim_device: .[3],
				pod_namespace: "default", pod_name: "gw-0", container: "app"}' <<<"$chosen")"
			return
		fi
		[ "$1" = apply ]
		for file; do
			[ ! -e "$file" ] || mv "$file" applied/
		done
	}
	while read -r command; do
		eval "$command" >said || { echo "$command" && return 1; }
		[[ $command != *"dra select"* ]] || chosen=0000:3b:00.2\ $(awk '$1 == "taken" { print $5, $6, $4 }' said)
		[[ $command != "kubectl apply -f class.json"* ]] || cp applied/class.json .
	done <commands
	[ "$(find applied -type f -printf '%f\n' | sort | paste -sd ' ')" = "claim.yaml class.json pod.yaml slices.json status.json" ]
	# the claim's class is what was applied, and its status is about the claim, a device of the slices, and the pod's interface
	[ "$(jq -r '.items[].metadata.name' applied/class.json)" = "$(sed -n 's/.*deviceClassName: //p' applied/claim.yaml)" ]
	output=$(cat applied/status.json)
	said '[.kind, .metadata.namespace, .metadata.name]' '["ResourceClaim","default","nics"]'
	said '.status.devices | map([.driver, .pool, .device, .networkData.interfaceName])' \
		'[["devinfo.cni.dev","worker-1","0000-3b-00-2","net1"]]'
	[ "$(jq -c '[.items[].spec | select(.devices[]?.name == "0000-3b-00-2") | [.driver, .pool.name]]' applied/slices.json)" = \
		'[["devinfo.cni.dev","worker-1"]]' ]
	# and the network asks for this claim and request
	[ "$(jq -r '.plugins[0] | "\(.claim) \(.request)"' "$top/conf/examples/claim.conflist")" = \
		"$(sed -n 's/^  name: //p' applied/claim.yaml) $(sed -n 's/^      - name: //p' applied/claim.yaml)" ]
	[ "$(sed -n 's/.*resourceClaimName: //p' applied/pod.yaml)" = nics ]
}
