# SPDX-License-Identifier: Apache-2.0
# vdpa.bash - what the lab's tests of vDPA share: devices, a back-end, configurations, snapshots
# shellcheck shell=bash

SIM=vdpasim_net
DEVICES=/sys/bus/vdpa/devices
LATE_S=180	# of what comes in a second, on a machine that has others to run

# The functions of vp_vdpa
F1=0000:03:00.0
F2=0000:04:00.0

vp_bind() {	# FUNCTION
	local sys=/sys/bus/pci/devices/$1
	[ "$(basename "$(readlink "$sys/driver")")" = vp-vdpa ] && return
	echo vp-vdpa >"$sys/driver_override"
	echo "$1" >"$sys/driver/unbind"
	echo "$1" >/sys/bus/pci/drivers_probe
}

# The driver that is there first takes each new device: vhost_vdpa.
setup_file() {
	modprobe -a virtio_net vhost_vdpa virtio_vdpa vdpa_sim_net vduse vp_vdpa
	sysctl -qw net.ipv6.conf.all.accept_ra=0 net.ipv6.conf.default.accept_ra=0
	mkdir -p /var/lib/cni /var/lib/kubelet/pod-resources
}

setup() {
	lines_of_test_only
	pod_new a
	before=$(everything)
}

teardown() {
	local d p
	for p in "${opener:-}" "${testpmd:-}"; do	# not by [ of compare.bash, which in a trap returns what was before
		[[ -z $p ]] || kill "$p" || true
	done
	call DEL a net1 <<<'{"cniVersion": "1.1.0", "name": "lab"}' || true
	pod_del a
	for d in $(devices); do timeout 60 vdpa dev del "$d"; done
	[[ -z ${backend:-} ]] || kill "$backend" || true
}

# vconf JQ: an attachment with an address of host-local's
vconf() {
	jq -cn '{cniVersion: "1.1.0", name: "lab", type: "devinfo",
		ipam: {type: "host-local", ranges: [[{subnet: "10.56.0.0/24", gateway: "10.56.0.254"}]]}}
		| '"${1:-.}"
}

# everything: the snapshot, and all that is vDPA
everything() {
	local nodes=(/dev/vhost-vdpa-*)
	snapshot
	vdpa -j dev config show
	vdpa -j dev show
	bound
	[ ! -e "${nodes[0]}" ] || stat -c '%n %u:%g %a' "${nodes[@]}"
}

# What the shell can tell of that by itself: no program is started, which is what takes long here.
bound() { printf '%s\n' $DEVICES/* /sys/bus/vdpa/drivers/*_vdpa/*; }
at_a_glance() {
	bound
	printf '%s\n' /dev/vhost-vdpa-* /sys/class/net/* /var/lib/cni/devinfo/attachments/* /run/devinfo/*/*
}

# numbered: but for the numbers of interfaces and virtio devices, which are new with each driver
numbered() { everything | sed -E 's/^[0-9]+: /0: /; s/@if[0-9]+:/@if0:/; s/virtio[0-9]+/virtioN/' | sort; }

# again COMMAND BEFORE: it says the same now, or soon, for a carrier takes its time
again() {
	local now end=$((SECONDS + LATE_S))
	while now=$($1) && [ "$now" != "$2" ]; do
		[ "$SECONDS" -le "$end" ] || break
		sleep 0.05
	done
	[ "$now" = "$2" ] || { diff <(echo "$2") <(echo "$now") >&2 && return 1; }
}

as_before() { again everything "$before"; }

# until_holds COMMAND...: it holds soon
until_holds() {
	local end=$((SECONDS + LATE_S))
	until "$@"; do
		[ "$SECONDS" -le "$end" ] || return 1
		sleep 0.05
	done
}

last_of() { echo "${1##*/}"; }
driver_of() { local d=(/sys/bus/vdpa/drivers/*/"$1"); last_of "${d[0]%/*}"; }
node_of() { last_of "$DEVICES/$1"/vhost-vdpa-*; }
netdev_of_vdpa() { last_of "$DEVICES/$1"/virtio*/net/*; }
devices() {
	local d
	for d in "$DEVICES"/*; do [ ! -e "$d" ] || last_of "$d"; done
}
info() { jq . /var/run/k8s.cni.cncf.io/devinfo/cni/"${1:-lab-a_net1}"; }

check() {		# FILE: CHECK after the ADD that $answer is of
	jq -c --argjson r "$answer" '.prevResult = $r' "$1" >/tmp/check.json
	call CHECK a net1 </tmp/check.json
}

# finds FILE PATTERN: a CHECK after the ADD that $added is of tells of such a difference
finds() {
	answer=$added
	check "$1" && return 1
	failed 101 "$2"
}

# dp DEVICE VDPA: what a device plugin wrote of a device
dp() {
	mkdir -p /var/run/k8s.cni.cncf.io/devinfo/dp
	jq -n "{type: \"vdpa\", version: \"1.1.0\", vdpa: $2}" >"/var/run/k8s.cni.cncf.io/devinfo/dp/lab-vdpa-$1-device.json"
}

# failed CODE PATTERN: so did the last call, with this in its text
failed() {
	[[ $answer =~ \"code\":\ ?$1[,}] && $answer =~ $2 ]] || { echo "want $1 $2, have $answer" >&2 && return 1; }
}

# refused CODE PATTERN FILE: an ADD with this code, and this in its text; what was changed is undone
refused() {
	refused_at_once "$@"
	as_before
}

# The same, where nothing has been changed at all: the test compares everything when it is through.
refused_at_once() {
	local was
	was=$(at_a_glance)
	call ADD a net1 <"$3" && return 1
	failed "$1" "$2"
	[ "$(at_a_glance)" = "$was" ]
}

rebind() {		# NAME DRIVER
	echo "$1" >"$DEVICES/$1/driver/unbind"
	echo "$1" >"/sys/bus/vdpa/drivers/$2/bind"
}

backend_is_ready() { [ -s /tmp/backend.out ] && [[ $(</tmp/backend.out) = *ready* ]]; }
backend_start() {	# NAME: a back-end in user space, and its device; that of a killed one keeps its name
	rm -f /tmp/backend.out	# of another one
	"$BUILD/tests/fake/vduse_backend" "$1" 02:00:00:00:00:77 1400 >/tmp/backend.out 3>&- &
	backend=$!
	until_holds backend_is_ready
	vdpa dev add name "$1" mgmtdev vduse
}

backend_end() {		# NAME
	vdpa dev del "$1"
	kill "$backend"
	wait "$backend"
	backend=
}

recorded() { compgen -G '/var/lib/cni/devinfo/attachments/*' >/dev/null; }
deleted() { [ ! -e "$DEVICES/$1" ]; }

# senders N: so many processes have sent something, by the trace of strace
senders() {
	local -A seen=()
	local pid rest
	while read -r pid rest; do seen[$pid]=$rest; done </tmp/trace
	[ "${#seen[@]}" -ge "$1" ]
}

# hold DEVICE: a program has its node open
hold() {
	local node
	node=/dev/$(node_of "$1")
	sleep 600 9<>"$node" 3>&- &
	opener=$!
	until_holds has_open "$opener" "$node"
}
# Without opening it, for of two the later one is refused.
has_open() { [ "/proc/$1/fd/9" -ef "$2" ]; }
let_go() {
	kill "$opener"
	wait "$opener" || true
	opener=
}

# stick DEVICE: somebody deletes it while it is open, which waits with locks of the kernel's held
stick() {
	vdpa dev del "$1" 3>&- &
	stuck=$!
	until_holds hangs "$stuck"
}
hangs() { [[ $(<"/proc/$1/stat") = *") D "* ]]; }

# ended MS COMMAND...: within so many milliseconds, with what status ever
ended() {
	local start=${EPOCHREALTIME/./} took
	"${@:2}" || true
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	echo "$2 $3: $took ms"
	[ "$took" -lt "$1" ]
}
