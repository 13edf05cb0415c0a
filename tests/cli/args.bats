#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# args.bats - devinfoctl args: a device-info file becomes a program's arguments; no privilege needed
#
# rooms: manager/ctl devinfo/format

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
	file=$BATS_TEST_TMPDIR/info.json
}

memif() {	# ROLE [MODE]
	echo "{\"type\":\"memif\",\"version\":\"1.1.0\",\"memif\":{\"role\":\"$1\",\"path\":\"/run/m.sock\",\"mode\":\"${2-ethernet}\"}}" >"$file"
}

vhost_user() {	# MODE
	echo "{\"type\":\"vhost-user\",\"version\":\"1.1.0\",\"vhost-user\":{\"mode\":\"$1\",\"path\":\"/run/v.sock\"}}" >"$file"
}

vdpa() {	# DRIVER PATH
	echo "{\"type\":\"vdpa\",\"version\":\"1.1.0\",\"vdpa\":{\"parent-device\":\"vdpa0\",\"driver\":\"$1\",\"path\":\"$2\"}}" >"$file"
}

pci() {
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0"}}' >"$file"
}

# says PROGRAM [OPTION...] <WANT: these lines and nothing else
says() {
	run --separate-stderr "$ctl" args "$1" "$file" "${@:2}"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	diff - <(echo "$output")
}

# refuses STATUS TEXT PROGRAM [OPTION...]: nothing on stdout, that on stderr
refuses() {
	run --separate-stderr "$ctl" args "$3" "$file" "${@:4}"
	[ "$status" -eq "$1" ]
	[ -z "$output" ]
	[[ $stderr == *"$2"* ]] || { echo "$stderr" && return 1; }
}

@test "args dpdk: memif in both roles, never with an abstract socket, and the peer's inverse" {
	memif slave
	says dpdk <<<"--vdev=net_memif0,role=client,id=0,socket-abstract=no,socket=/run/m.sock"
	says dpdk --side peer <<<"--vdev=net_memif0,role=server,id=0,socket-abstract=no,socket=/run/m.sock"
	memif master
	says dpdk --side app <<<"--vdev=net_memif0,role=server,id=0,socket-abstract=no,socket=/run/m.sock"
	says dpdk --side peer <<<"--vdev=net_memif0,role=client,id=0,socket-abstract=no,socket=/run/m.sock"
}

@test "args dpdk: memif with path, address, id, secret and a number of its own" {
	memif slave
	printf 's3cret\n' >"$BATS_TEST_TMPDIR/secret"
	says dpdk --path /h/m --mac 02:00:00:00:00:01 --id 4294967295 --index 3 \
		--secret-file "$BATS_TEST_TMPDIR/secret" \
		<<<"--vdev=net_memif3,role=client,id=4294967295,socket-abstract=no,socket=/h/m,secret=s3cret,mac=02:00:00:00:00:01"
	printf '%024d' 7 >"$BATS_TEST_TMPDIR/secret"
	says dpdk --side peer --secret-file "$BATS_TEST_TMPDIR/secret" \
		<<<"--vdev=net_memif0,role=server,id=0,socket-abstract=no,socket=/run/m.sock,secret=000000000000000000000007"
}

@test "args dpdk: vhost-user in both modes, and the peer's inverse" {
	vhost_user client
	says dpdk <<<"--vdev=net_virtio_user0,path=/run/v.sock,queues=1,server=0"
	says dpdk --side peer --path /h/v --index 1 <<<"--vdev=net_vhost1,iface=/h/v,queues=1,client=0"
	vhost_user server
	says dpdk --mac 02:00:00:00:00:01 \
		<<<"--vdev=net_virtio_user0,path=/run/v.sock,queues=1,server=1,mac=02:00:00:00:00:01"
	says dpdk --side peer <<<"--vdev=net_vhost0,iface=/run/v.sock,queues=1,client=1"
}

@test "args takes the network-status list that a pod has, as kubelet mounts it, and one interface of it" {
	local data=$BATS_TEST_TMPDIR/..2026 list
	list='[{"name":"cluster","interface":"eth0","ips":["10.0.0.2"],"default":true,"dns":{}},
		{"name":"default/a","interface":"net1","mac":"02:00:00:00:00:01",
			"device-info":{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0"}}},
		{"name":"default/b","interface":"net2",
			"device-info":{"type":"memif","version":"1.1.0","memif":{"role":"slave","path":"/run/m.sock","mode":"ethernet"}}}]'
	mkdir "$data"
	echo "$list" >"$data/status"
	ln -s ..2026 "$BATS_TEST_TMPDIR/..data"
	rm -f "$file"
	ln -s ..data/status "$file"
	says dpdk --interface net1 <<<$'-a\n0000:01:10.0'
	says dpdk --interface net2 --side peer <<<"--vdev=net_memif0,role=server,id=0,socket-abstract=no,socket=/run/m.sock"
	refuses 1 "network-status list with 2 devices: say which by --interface (with a device: net1, net2)" dpdk
	refuses 1 "interface eth0 has no device-info (with a device: net1, net2)" dpdk --interface eth0
	refuses 1 "interface net9 is not in the list" dpdk --interface net9
	jq '.[:2]' <<<"$list" >"$data/status"
	says qemu <<<$'-device\nvfio-pci,host=0000:01:10.0'
	jq '.[1]["device-info"].pci["pci-address"] = "x"' <<<"$list" >"$data/status"
	refuses 1 pci-address dpdk --interface net1
	echo '[]' >"$data/status"
	refuses 1 "with 0 devices" dpdk
	pci
	refuses 1 "--interface: expected a network-status list, got an object" dpdk --interface net1
}

@test "args: pairs of queues, of both ends and both programs" {
	vhost_user client
	says dpdk --queues 4 <<<"--vdev=net_virtio_user0,path=/run/v.sock,queues=4,server=0"
	says dpdk --side peer --queues 4 <<<"--vdev=net_vhost0,iface=/run/v.sock,queues=4,client=0"
	says qemu --queues 4 --index 1 <<-'END'
		-chardev
		socket,id=chr-devinfo1,path=/run/v.sock,server=off
		-netdev
		vhost-user,id=net-devinfo1,chardev=chr-devinfo1,queues=4
		-device
		virtio-net-pci,netdev=net-devinfo1,mq=on,vectors=10
	END
	vdpa vhost /dev/vhost-vdpa-0
	says dpdk --queues 2 <<<"--vdev=net_virtio_user0,path=/dev/vhost-vdpa-0,queues=2"
	says qemu --queues 2 <<<$'-netdev\nvhost-vdpa,id=net-devinfo0,vhostdev=/dev/vhost-vdpa-0,queues=2\n-device\nvirtio-net-pci,netdev=net-devinfo0,mq=on,vectors=6'
	for wrong in 0 -1 65536 2x ''; do
		refuses 2 "--queues cannot be" dpdk --queues "$wrong"
	done
	memif slave
	refuses 2 "--queues is not for the application of a device of type memif" dpdk --queues 2
	pci
	refuses 2 "--queues is not for" qemu --queues 2
}

@test "args dpdk: a vDPA node and a PCI function" {
	vdpa vhost /dev/vhost-vdpa-0
	says dpdk <<<"--vdev=net_virtio_user0,path=/dev/vhost-vdpa-0,queues=1"
	pci
	says dpdk <<<$'-a\n0000:01:10.0'
}

@test "args qemu: vhost-user in both modes, with memory that the switch shares" {
	vhost_user server
	says qemu --mac 02:00:00:00:00:01 <<-'END'
	-object
	memory-backend-memfd,id=mem-devinfo,size=1024M,share=on
	-machine
	memory-backend=mem-devinfo
	-chardev
	socket,id=chr-devinfo0,path=/run/v.sock,server=on,wait=off
	-netdev
	vhost-user,id=net-devinfo0,chardev=chr-devinfo0
	-device
	virtio-net-pci,netdev=net-devinfo0,mac=02:00:00:00:00:01
	END
	vhost_user client
	says qemu --memory 2G <<-'END'
	-object
	memory-backend-memfd,id=mem-devinfo,size=2G,share=on
	-machine
	memory-backend=mem-devinfo
	-chardev
	socket,id=chr-devinfo0,path=/run/v.sock,server=off
	-netdev
	vhost-user,id=net-devinfo0,chardev=chr-devinfo0
	-device
	virtio-net-pci,netdev=net-devinfo0
	END
}

@test "args qemu: a client connects anew, as old and new QEMUs have it said" {
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"client","path":"/run/s"}}' >"$BATS_TEST_TMPDIR/client"
	sed s/client/server/ "$BATS_TEST_TMPDIR/client" >"$BATS_TEST_TMPDIR/server"
	for pair in 1:reconnect=1 30:reconnect=30 500ms:reconnect-ms=500; do
		run "$ctl" args qemu --reconnect "${pair%%:*}" "$BATS_TEST_TMPDIR/client"
		[ "$status" -eq 0 ]
		grep -xF "socket,id=chr-devinfo0,path=/run/s,server=off,${pair#*:}" <<<"$output"
	done
	run "$ctl" args qemu --reconnect 1 "$BATS_TEST_TMPDIR/server"
	[ "$status" -eq 1 ]
	[[ $output == *"--reconnect is for mode client"* ]]
	[[ $output != *-chardev* ]]
	for bad in 0 -1 1s 1,x 1234567 ms ''; do
		run "$ctl" args qemu --reconnect "$bad" "$BATS_TEST_TMPDIR/client"
		[ "$status" -eq 2 ]
	done
	run "$ctl" args dpdk --reconnect 1 "$BATS_TEST_TMPDIR/client"
	[ "$status" -eq 2 ]
	[[ $output == *"--reconnect is not for"* ]]
}

@test "args qemu: the memory is said once, by the first of several" {
	vhost_user client
	says qemu --index 1 <<-'END'
	-chardev
	socket,id=chr-devinfo1,path=/run/v.sock,server=off
	-netdev
	vhost-user,id=net-devinfo1,chardev=chr-devinfo1
	-device
	virtio-net-pci,netdev=net-devinfo1
	END
}

@test "args qemu: a vDPA node and a PCI function" {
	vdpa vhost /dev/vhost-vdpa-0
	says qemu --index 2 --mac 02:00:00:00:00:01 <<-'END'
	-netdev
	vhost-vdpa,id=net-devinfo2,vhostdev=/dev/vhost-vdpa-0
	-device
	virtio-net-pci,netdev=net-devinfo2,mac=02:00:00:00:00:01
	END
	pci
	says qemu <<<$'-device\nvfio-pci,host=0000:01:10.0'
}

@test "args refuses what a program cannot do with a device" {
	memif slave ip
	refuses 1 "memif.mode 'ip': DPDK has ethernet only" dpdk
	memif slave inject-punt
	refuses 1 "memif.mode 'inject-punt': DPDK has ethernet only" dpdk --side peer
	memif slave
	refuses 1 "QEMU has no memif" qemu
	vdpa virtio /sys/bus/virtio/devices/virtio3
	refuses 1 "the kernel has this device" dpdk
	refuses 1 "the kernel has this device" qemu
	vdpa vhost /dev/vhost-vdpa-0
	refuses 1 "a device of type vdpa has no peer to start" dpdk --side peer
	pci
	refuses 1 "a device of type pci has no peer to start" dpdk --side peer
	refuses 1 "a device of type pci has no peer to start" qemu --side peer
	vhost_user server
	refuses 1 "a device of type vhost-user has no peer to start" qemu --side peer
}

@test "args refuses options that are not for the device, or no such value" {
	pci
	refuses 2 "--path is not for the application of a device of type pci" dpdk --path /x
	refuses 2 "--mac is not for the application of a device of type pci" dpdk --mac 02:00:00:00:00:01
	vhost_user client
	refuses 2 "--id is not for" dpdk --id 1
	refuses 2 "--secret-file is not for" dpdk --secret-file "$file"
	refuses 2 "--mac is not for the peer of a device of type vhost-user" dpdk --side peer --mac 02:00:00:00:00:01
	refuses 2 "--memory is not for" dpdk --memory 1G
	refuses 2 "--side cannot be 'host'" dpdk --side host
	refuses 2 "--path cannot be 'x'" dpdk --path x
	refuses 2 "--mac cannot be '01:00:00:00:00:01'" dpdk --mac 01:00:00:00:00:01
	refuses 2 "--index cannot be '1,x'" dpdk --index 1,x
	refuses 2 "--id cannot be '4294967296'" dpdk --id 4294967296
	refuses 2 "--memory cannot be '1G,x'" qemu --memory 1G,x
	refuses 2 "'vpp' is neither dpdk nor qemu" vpp
	run --separate-stderr "$ctl" args dpdk
	[ "$status" -eq 2 ]
	run --separate-stderr "$ctl" list --side app
	[ "$status" -eq 2 ]
}

@test "args refuses a path that programs would take apart or cut off" {
	vhost_user client
	refuses 1 "invalid path '/a,server=1': must be printable bytes without blank, '=' and ','" dpdk --path /a,server=1
	refuses 1 "path: 108 bytes are over the 107 of a unix socket" dpdk --path "/$(printf '%0107d' 0)"
	run "$ctl" args dpdk "$file" --path "/$(printf '%0106d' 0)"
	[ "$status" -eq 0 ]
	sed -i 's|/run/v.sock|/run/a,b|' "$file"
	refuses 1 "invalid path '/run/a,b'" qemu
}

@test "args reads a secret from a regular file of one line, and never tells it" {
	local secret=$BATS_TEST_TMPDIR/secret
	memif slave
	for text in '' 'with blank' 'a,b' 'a=b' $'two\nlines'; do
		printf '%s' "$text" >"$secret"
		refuses 1 "$secret: expected" dpdk --secret-file "$secret"
		[ -z "$text" ] || [[ $stderr != *"$text"* ]]
	done
	printf '%025d' 7 >"$secret"
	refuses 1 "$secret" dpdk --secret-file "$secret"
	printf '%0100d' 7 >"$secret"
	refuses 1 "$secret" dpdk --secret-file "$secret"
	printf 'a\0b' >"$secret"
	refuses 1 "$secret" dpdk --secret-file "$secret"
	echo s3cret >"$secret.real"
	ln -sf "$secret.real" "$secret"
	refuses 1 "$secret" dpdk --secret-file "$secret"
	[[ $stderr != *s3cret* ]]
	refuses 1 "$secret.none" dpdk --secret-file "$secret.none"
	mkfifo "$secret.fifo"
	refuses 1 "$secret.fifo" dpdk --secret-file "$secret.fifo"
}

@test "args reads the file as validate does" {
	echo '{"type":"memif","version":"1.1.0","memif":{"role":"slave"}}' >"$file"
	refuses 1 "memif.path" dpdk
	rm "$file"
	refuses 1 "$file" dpdk
}

@test "the example of a representor on Open vSwitch is a proper configuration" {
	export CNI_COMMAND=STATUS CNI_PATH=/usr/lib/cni
	conf=$(jq -c '.plugins[0] + {cniVersion, name} | del(.resourceName)' "$top/conf/examples/switchdev-ovs.conflist")
	run --separate-stderr "${ctl%ctl}" <<<"$conf"
	# 50: the switch is not there
	[ "$status" -eq 0 ] || [ "$(jq .code <<<"$output")" -eq 50 ]
	run --separate-stderr "${ctl%ctl}" <<<"${conf/\"bridge\"/\"brigde\"}"
	[ "$(jq .code <<<"$output")" -eq 7 ]
	[[ $output == *"switch.brigde: unknown key, did you mean bridge?"* ]]
}

@test "the examples of socket attachments are proper configurations" {
	export CNI_COMMAND=STATUS CNI_PATH=/usr/lib/cni
	for example in vhost-user-ovs memif-exec; do
		conf=$(jq -c '.plugins[0] + {cniVersion, name}' "$top/conf/examples/$example.conflist")
		run --separate-stderr "${ctl%ctl}" <<<"$conf"
		# 50: the switch is not there
		[ "$status" -eq 0 ] || [ "$(jq .code <<<"$output")" -eq 50 ]
		run --separate-stderr "${ctl%ctl}" <<<"${conf/\"gid\"/\"group\"}"
		[ "$(jq .code <<<"$output")" -eq 7 ]
		[[ $output == *"group: unknown key"* ]]
	done
}
