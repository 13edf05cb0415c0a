# SPDX-License-Identifier: Apache-2.0
# helpers.bash - what the lab's tests share: the two igb PFs, pods, calls, snapshots
#
# Everything is found by PCI address: there is no udev, and names are what they happen to be.
# shellcheck shell=bash

# the demonstration and the benchmark (demo.sh, tests/bench/sriov) are no tests, and have no "load"
! declare -F load >/dev/null || load ../compare

PF1=0000:01:00.0
PF2=0000:02:00.0
VFS=7
BUILD=${BUILD:-build}
# the project's directory is the host's, where a program takes twice as long to start
DEVINFO=/tmp/devinfo SYSFAULT=/tmp/sysfault
[ -x "$DEVINFO" ] || cp "$BUILD/bin/devinfo" /tmp
# not there for the demonstration, which is built without the tests' helpers
[ -x "$SYSFAULT" ] || [ ! -e "$BUILD/tests/tool/sysfault" ] || cp "$BUILD/tests/tool/sysfault" /tmp
# Counters of coverage stay in memory until the end (setup_suite.bash): each fork and each exec adds them
# to files, hundreds of them, which takes seconds in the project's directory.
export GCOV_PREFIX=/tmp/gcov
export CNI_PATH=/usr/lib/cni ASAN_OPTIONS=${ASAN_OPTIONS:-} LSAN_OPTIONS=${LSAN_OPTIONS:-}

# Without a process of their own, which takes longest here: PCI address -> network device at home, and
# PF, index -> PCI address.
netdev_of() {
	local dir=/sys/bus/pci/devices/$1/net found
	[ -d "$dir" ] || { echo "no $dir" >&2 && return 1; }
	found=("$dir"/*)
	[ ! -e "${found[0]}" ] || printf '%s\n' "${found[@]##*/}"
}
vf() {
	local link
	link=$(readlink "/sys/bus/pci/devices/$1/virtfn$2") && echo "${link##*/}"
}

# bats notes where each command stands before it runs, which takes 6 ms here.  From here on, in this process,
# it does so for those of the test itself only: of a helper that fails it names the line that called it.
lines_of_test_only() { set +T; }
setup() { lines_of_test_only; }

# shellcheck source=tests/json.bash
. "${BASH_SOURCE[0]%/*}/../json.bash"
# shellcheck source=tests/chosen.bash
. "${BASH_SOURCE[0]%/*}/../chosen.bash"

# PFs up with a carrier first: a VF that is created without one costs seconds.
lab_up() {
	local pf i
	lines_of_test_only
	for pf in "$PF1" "$PF2"; do
		ip link set "$(netdev_of "$pf")" up
	done
	for pf in "$PF1" "$PF2"; do
		for ((i = 0; i < 300; i++)); do
			[ "$(cat "/sys/bus/pci/devices/$pf/net/"*/carrier)" = 1 ] && break
			sleep 0.1
		done
		[ "$(cat "/sys/bus/pci/devices/$pf/sriov_numvfs")" = "$VFS" ] ||
			echo "$VFS" >"/sys/bus/pci/devices/$pf/sriov_numvfs"
	done
	# no interface of the host asks for addresses, so that snapshots do not move
	sysctl -qw net.ipv6.conf.all.accept_ra=0 net.ipv6.conf.default.accept_ra=0
}

pod_new() { ip netns add "$1"; ip -n "$1" link set lo up; }
pod_del() { ip netns del "$1" 2>/dev/null || true; }

# comes_home BDF - its network device, from a namespace that is dead: a thread of the kernel's brings it.  The
# directory "net" is there all the time, and empty until then.
comes_home() {
	local i
	for ((i = 0; i < 300; i++)); do
		[ -z "$(netdev_of "$1")" ] || return 0
		sleep 0.1
	done
	echo "$1 has not come home in 30 s"
	return 1
}

# reaches POD ADDRESS: also a link that is up takes a while on a busy machine until the other end hears
reaches() {
	local i
	for ((i = 0; i < 4; i++)); do
		ip netns exec "$1" ping -c1 -W5 "$2" && return
	done
	return 1
}

# call VERB CONTAINER IFNAME [netns]: configuration on stdin, the answer in $answer, its status returned
call() {
	local rc=0
	answer=$(CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_IFNAME=$3 CNI_NETNS=${4-/run/netns/$2} "$DEVINFO") || rc=$?
	[ "$rc" = 0 ] || echo "$1 $2: $answer" >&2
	return "$rc"
}

# faulty VERB OPTION...: a call for pod a with /tmp/a.json under sysfault, which takes a tenth of the time
# that strace does; LeakSanitizer cannot work under it
faulty() {
	ASAN_OPTIONS="detect_leaks=0:$ASAN_OPTIONS" CNI_COMMAND=$1 CNI_CONTAINERID=a CNI_IFNAME=net1 \
		CNI_NETNS=/run/netns/a "$SYSFAULT" "${@:2}" "$DEVINFO" </tmp/a.json
}

# points VERB OPTION...: how many of such calls it makes, in $points
points() {
	faulty "$@" count 3>/tmp/points >/dev/null
	points=$(</tmp/points)
}

# start_kubelet FILE: a real gRPC server that says what it holds; $kubelet is its process
start_kubelet() {
	/usr/bin/python3 tests/fake/kubelet.py --socket /var/lib/kubelet/pod-resources/kubelet.sock \
		--state "$1" >/tmp/kubelet.out 2>&1 3>&- &
	kubelet=$!
	for ((i = 0; i < 300; i++)); do
		grep -q ready /tmp/kubelet.out && return
		sleep 0.1
	done
	cat /tmp/kubelet.out
	return 1
}

# conf DEVICE [jq filter]: a configuration for a VF, with two addresses of its own from host-local
conf() {
	jq -cn --arg id "$1" '{cniVersion: "1.0.0", name: "lab", type: "devinfo", deviceID: $id,
		ipam: {type: "host-local", ranges: [[{subnet: "10.56.0.0/24", gateway: "10.56.0.254"}],
			[{subnet: "fd56::/64", gateway: "fd56::fe"}]],
			routes: [{dst: "0.0.0.0/0"}, {dst: "fd99::/48"}]}}
		| '"${2:-.}"
}

# All that ADD may touch, as text: PFs, VFs and their tables, addresses, drivers, leases, files of ours.
# As ip says it, for jq takes twice as long as all the rest, and by few programs.  Left out: what
# host-local keeps for itself (the last address it gave), the lock, entries of the index, which mean
# nothing without a record, which attachment a device of kubelet's was given to, for the next try, and
# the qdisc of a link that is down, which the kernel attaches at the first "up" and takes away with
# every move, and that an address is still tentative.
snapshot() {
	local files
	ip -d addr | sed '/[<,]UP[,>]/!s/ qdisc [^ ]*//; s/ tentative//'
	printf '%s\n' /sys/bus/pci/drivers/*/0*
	files=$(find /var/lib/cni /run/devinfo /var/run/k8s.cni.cncf.io ! -type d ! -name lock \
		! -name 'last_reserved_ip.*' ! -path '*/devinfo/index/*' ! -path '*/devinfo/pods/*' -exec sha256sum {} + 2>/dev/null || true)
	[ -z "$files" ] || sort -k2 <<<"$files"
}

# same BEFORE: nothing differs now; shows what does
same() {
	local now
	now=$(snapshot)
	[ "$now" = "$1" ] && return
	diff <(echo "$1") <(echo "$now") >&2
	return 1
}

# opened VERB - how many files below a root that call of /tmp/a.json opens
opened() {
	CNI_COMMAND=$1 CNI_CONTAINERID=a CNI_IFNAME=net1 CNI_NETNS=/run/netns/a ASAN_OPTIONS=detect_leaks=0 \
		strace -qq -o /tmp/trace -e trace=openat2 "$DEVINFO" </tmp/a.json >/dev/null
	grep -v EAGAIN /tmp/trace | grep -c '^openat2('
}

# costs_the_same - ADD and DEL of /tmp/a.json open as many with 300 more records like its own
costs_the_same() {
	local few many one records=/var/lib/cni/devinfo/attachments
	call ADD a net1 </tmp/a.json
	one=$(echo $records/*)
	cp "$one" /tmp/one
	call DEL a net1 </tmp/a.json
	few=$(opened ADD; opened DEL)
	cp /tmp/one "$one"
	tests/tool/records.py "$one" 1 300 >/dev/null
	rm "$one"
	touch -d '1 hour ago' $records
	call ADD a net1 </tmp/a.json	# reads all of them, once
	call DEL a net1 </tmp/a.json
	many=$(opened ADD; opened DEL)
	rm $records/*
	echo "# ADD and DEL open" $few >&3
	[ "$few" = "$many" ] || { echo "with 300: $many" && return 1; }
}

# same_but_number BEFORE [sed command]: the same but for numbers of interfaces, which are new with each driver,
# and for what else this takes out
same_but_number() {
	local now
	now=$(snapshot)
	diff <(numbered "$1" "${2-}") <(numbered "$now" "${2-}") >&2
}
numbered() { sed -E "s/^[0-9]+: /0: /; s/@if[0-9]+:/@if0:/; ${2-}" <<<"$1" | sort; }
# what known-clean takes away from VF 0
pf_address='s,(vf 0 +link/ether) [^ ]+,\1 -,'
