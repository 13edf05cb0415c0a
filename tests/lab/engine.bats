#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# engine.bats - real engines run us: podman with its CNI backend, containerd by ctr and by CRI
#
# What calls is libcni 1.1.x in all of them, so cniVersion goes up to 1.0.0.  Every sandbox is made
# and removed by the engine, and then the same calls are made by hand, for the same result.
#
# rooms: cni
# bats file_tags=long
bats_require_minimum_version 1.5.0
load helpers
load engines

setup_file() {
	lab_up
	mkdir -p /var/lib/cni /var/lib/kubelet/pod-resources
	engines_up
	iptables -t nat -N KUBE-MARK-MASQ	# kube-proxy's
}

teardown_file() { engines_down; }

setup() {
	lines_of_test_only
	A=$(vf "$PF1" 0)
	B=$(vf "$PF2" 0)
	before=$(snapshot)
}

teardown() {
	[ -n "${BATS_TEST_COMPLETED:-}" ] || remove_all || true
	[ -z "${kubelet:-}" ] || kill "$kubelet" || true
}

# vf_network NAME DEVICE VERSION [JSON members]: a VF with an address; without DEVICE, no deviceID
vf_network() {
	network "$1" "$3" "{\"type\": \"devinfo\", ${2:+\"deviceID\": \"$2\",} ${4:+$4,} \"ipam\": {
		\"type\": \"host-local\", \"dataDir\": \"/var/lib/cni/networks/vf\",
		\"routes\": [{\"dst\": \"198.51.${ROUTE:-100}.0/24\"}],
		\"ranges\": [[{\"subnet\": \"10.57.0.0/24\", \"gateway\": \"10.57.0.254\"}]]}}"
}

# told NETWORK CONTAINER DEVICE: the device-info file and the network-status entry say it; and keep
told() {
	keep "$1" "$2"
	jq -e --arg net "$1" --arg pci "$3" --slurpfile info "$info" 'length == 1 and (.[0] | .name == $net and
		.interface == "eth0" and ."device-info" == $info[0]) and ($info[0] | .type == "pci" and
		.pci."pci-address" == $pci)' "/run/devinfo/status/$2.json"
}

@test "C-ARG-01: podman: two containers get VFs, with the MAC and address asked for, reach each other, and leave no trace" {
	vf_network vfa "$A" 1.0.0 '"mac": "02:00:00:00:57:01", "vlan": 100'
	KEEP=1 vf_network vfb "$B" 1.0.0 '"vlan": 100, "capabilities": {"mac": true, "ips": true}'
	id=$(podman run -d --name a --net vfa "$IMAGE")
	told vfa "$id" "$A"
	podman run --rm --name b --net vfb --mac-address 02:00:00:00:57:02 --ip 10.57.0.77 "$IMAGE" \
		sh -c "ip addr show eth0; ping -c1 -W5 ${address%/*}" >/tmp/b || { cat /tmp/b; false; }
	grep 'link/ether 02:00:00:00:57:02' /tmp/b
	grep 'inet 10.57.0.77/24' /tmp/b
	podman exec a ip addr show eth0 >/tmp/a
	grep 'link/ether 02:00:00:00:57:01' /tmp/a
	grep "inet $address" /tmp/a
	podman rm -ft 0 a
	same "$before"
	replay
	same "$before"
}

@test "podman: the sandbox of a pod is made and removed" {
	vf_network vfa "$A" 0.4.0
	# the pod has no control group of its own: podman 4.3 lets none open even /dev/null
	podman pod create --name p --share-parent=false --net vfa --infra-image "$IMAGE" \
		--infra-command "httpd -f -p 80 -h /www"
	podman pod start p
	id=$(podman pod inspect p | jq -r .InfraContainerID)
	told vfa "$id" "$A"
	podman pod rm -ft 0 p
	same "$before"
}

@test "C-DEL-04, C-DEL-06: ctr run --cni, whose DEL has no namespace, and in 0.3.1 no prevResult" {
	vf_network vfa "$A" 0.3.1 '"mac": "02:00:00:00:57:03"'
	ctr run --rm --cni --snapshotter native "$IMAGE" t1 \
		sh -c 'ip addr show eth0; sleep 600' >/tmp/t1 &
	engine=$!
	for ((i = 0; i < 300; i++)); do
		grep 'inet ' /tmp/t1 && break
		sleep 0.1
	done
	told vfa k8s.io-t1 "$A"
	grep 'link/ether 02:00:00:00:57:03' /tmp/t1
	grep "inet $address" /tmp/t1
	ctr task kill -s 9 t1
	wait "$engine" || [ $? = 137 ]
	same "$before"
	replay
	same "$before"
}

@test "C-ARG-04: containerd's CRI: a sandbox gets the VF that kubelet gave the pod, and leaves no trace" {
	jq -n --arg a "$A" '{pod_resources: [{name: "web", namespace: "default", containers: [{name: "c",
		devices: [{resource_name: "example.com/vf", device_ids: [$a]}]}]}]}' >/tmp/state.json
	/usr/bin/python3 tests/fake/kubelet.py --socket /var/lib/kubelet/pod-resources/kubelet.sock \
		--state /tmp/state.json >/tmp/kubelet.out 2>&1 3>&- &
	kubelet=$!
	vf_network vfa "" 1.0.0 '"resourceName": "example.com/vf"'
	for ((i = 0; i < 300; i++)); do
		grep -q ready /tmp/kubelet.out && break
		sleep 0.5
	done
	id=$(cri run web "$NETS/vfa.conflist")
	told vfa "$id" "$A"
	ctr task exec --exec-id look "$id" ip addr show eth0 | grep "inet $address"
	cri remove "$id"
	same "$before"
	replay
	same "$before"
}

@test "C-SPV-02: ADD and DEL at each version that libcni 1.1 speaks; at 1.1.0, which it cannot read, nothing is left" {
	versions=(0.1.0 0.2.0 0.3.0 0.3.1 0.4.0 1.0.0)
	for i in "${!versions[@]}"; do
		v=${versions[i]}
		KEEP=1 ROUTE=$i vf_network "v$v" "$(vf "$PF1" "$i")" "$v" '"mtu": 1400'
		nets+=(--net "v$v")
	done
	id=$(podman run -d --name c "${nets[@]}" "$IMAGE")
	jq -r '.result | "\(.cniVersion) \(.ips[0].address? // .ip4.ip)"' /var/lib/cni/results/v*-"$id"-* >/tmp/results
	[ "$(cut -d' ' -f1 /tmp/results)" = "$(printf '%s\n' "${versions[@]}")" ]
	podman exec c ip addr >/tmp/c
	[ "$(grep -o 'inet 10[^ ]*' /tmp/c | sort)" = "$(sed 's/.* /inet /' /tmp/results | sort)" ]
	[ "$(grep -c 'mtu 1400' /tmp/c)" = "${#versions[@]}" ]
	podman rm -ft 0 c
	same "$before"

	vf_network v1.1.0 "$A" 1.1.0
	run ! podman run --rm --name c --net v1.1.0 "$IMAGE"
	[[ $output = *'unsupported CNI result version "1.1.0"'* ]]
	podman rm -ft 0 c
	same "$before"
}

# The two conflists of Kubernetes' page on network plugins, with bridge in calico's place.
bridge='{"type": "bridge", "bridge": "br0", "isGateway": true, "ipam": {"type": "host-local",
	"subnet": "10.58.0.0/24", "routes": [{"dst": "0.0.0.0/0"}]}}'
portmap='{"type": "portmap", "capabilities": {"portMappings": true}, "externalSetMarkChain": "KUBE-MARK-MASQ"}'
bandwidth='{"type": "bandwidth", "capabilities": {"bandwidth": true}}'
devinfo='{"type": "devinfo", "mtu": 1400}'
meta="{\"type\": \"devinfo\", \"mtu\": 1400, \"delegate\": $bridge}"

mtu() { ip netns exec "$netns" cat /sys/class/net/eth0/mtu; }

page() {
	timeout 10 bash -c 'exec 9<>/dev/tcp/10.58.0.1/8080 && printf "GET / HTTP/1.0\r\n\r\n" >&9 && cat <&9'
}

@test "C-ARG-01: podman -p works with devinfo before, behind and around the plugins of the portmap conflist" {
	for chain in "$bridge, $devinfo, $portmap" "$bridge, $portmap, $devinfo" "$meta, $portmap"; do
		network k8s-pod-network 0.4.0 "$chain"
		id=$(podman run -d --name c -p 8080:80 --net k8s-pod-network "$IMAGE")
		keep k8s-pod-network "$id"
		[ "$(mtu)" = 1400 ]
		page | grep 'a page of the container'
		podman rm -ft 0 c
		run ! page
		ip link del br0
		replay
		ip link del br0
		same "$before"
	done
}

@test "C-ARG-01: containerd's CRI shapes traffic with devinfo before and behind the plugins of the bandwidth conflist" {
	for chain in "$bridge, $devinfo, $bandwidth" "$bridge, $bandwidth, $devinfo"; do
		network k8s-pod-network 0.4.0 "$chain"
		id=$(cri run web "$NETS/k8s-pod-network.conflist" '{"annotations": {
			"kubernetes.io/ingress-bandwidth": "1M", "kubernetes.io/egress-bandwidth": "2M"}}')
		keep k8s-pod-network "$id"
		[ "$(mtu)" = 1400 ]
		tc qdisc | grep 'tbf.*rate 1Mbit'
		tc qdisc | grep 'tbf.*rate 2Mbit'
		cri remove "$id"
		run ! grep tbf <(tc qdisc)
		ip link del br0
		replay
		ip link del br0
		same "$before"
	done
}

# -- podNetworks: all networks of a pod's annotation, by a default network of bridge and devinfo --

# nad NAME CONFIGURATION - a definition of the namespace of cri.py's pods, as a file of the node
nad() {
	jq -n --arg n "$1" --arg c "$2" '{apiVersion: "k8s.cni.cncf.io/v1", kind: "NetworkAttachmentDefinition",
		metadata: {name: $n, namespace: "default"}, spec: {config: $c}}' >"/run/net.d/$1.json"
}

# definitions - a VF, a memif, and a macvlan of Debian's plugin
definitions() {
	mkdir -p /run/net.d
	nad vf '{"cniVersion": "1.0.0", "type": "devinfo", "deviceID": "'"$A"'", "vlan": 100}'
	nad memif '{"cniVersion": "1.0.0", "type": "devinfo", "memif": {"role": "master"}}'
	nad mv '{"cniVersion": "1.0.0", "type": "macvlan", "master": "'"$(netdev_of "$PF2")"'", "ipam": {"type": "host-local",
		"dataDir": "/var/lib/cni/networks/mv", "subnet": "10.59.0.0/24"}}'
}

# pod_networks - the default network; $asked is what a pod asks for
asked='{"annotations": {"k8s.v1.cni.cncf.io/networks": "vf,memif@mem0,mv"}}'
pod_networks() {
	definitions
	mkdir -p "$NETS/devinfo.d"
	echo '{"networksDir": "/run/net.d"}' >"$NETS/devinfo.d/devinfo.json"
	network pods 1.0.0 "$bridge, {\"type\": \"devinfo\", \"podNetworks\": true, \"capabilities\": {\"io.kubernetes.cri.pod-annotations\": true}}"
}

# has_all CONTAINER - interfaces, device-info and network-status of the four
has_all() {
	local ns
	ns=$(jq -r '.netns | split("/")[-1]' /var/lib/cni/devinfo/networks/*.json)
	for i in eth0 net1 net3; do ip -n "$ns" link show "$i"; done
	ip -n "$ns" addr show net3 | grep 'inet 10.59.0.'
	jq -e --arg a "$A" 'sort_by(.interface) | map("\(.name) \(.interface) \(.default // false) \(."device-info".type // "")") ==
		["pods eth0 true ", "default/memif mem0 false memif", "default/vf net1 false pci", "default/mv net3 false "] and
		(.[2]."device-info".pci."pci-address" == $a)' "/run/devinfo/status/$1.json" || { cat "/run/devinfo/status/$1.json"; false; }
}

@test "podNetworks: containerd's CRI makes a sandbox with a bridge, a VF, a memif and a macvlan, and leaves no trace, also without definitions" {
	pod_networks
	for emptied in '' yes; do
		id=$(cri run web "$NETS/pods.conflist" "$asked")
		has_all "$id"
		ctr task exec --exec-id look "$id" ip addr show eth0 | grep 'inet 10.58.0.'
		[ -z "$emptied" ] || rm /run/net.d/*
		cri remove "$id"
		ip link del br0
		same "$before"
	done
	# now a pod that asks for networks gets none, and no half of one
	run ! cri run web2 "$NETS/pods.conflist" "$asked"
	[[ $output = *'no network default/vf'* ]] || { echo "$output"; false; }
	for id in $(cri list); do cri remove "$id"; done
	ip link del br0
	same "$before"
}

@test "podNetworks: podman names no pod and gives no annotations, so its container is refused and nothing stays" {
	pod_networks
	run ! podman run -d --name c --annotation k8s.v1.cni.cncf.io/networks=mv --net pods "$IMAGE"
	echo "$output"
	[[ $output = *'podNetworks: '* ]]
	podman rm -ft 0 c
	ip link del br0
	same "$before"
}
