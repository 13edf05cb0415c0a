# SPDX-License-Identifier: Apache-2.0
# vdpa.bash - what the lab's tests of vDPA share: devices, a back-end, configurations, snapshots
# shellcheck shell=bash

SIM=vdpasim_net
DEVICES=/sys/bus/vdpa/devices

# The driver that is there first takes each new device: vhost_vdpa.
setup_file() {
	modprobe -a virtio_net vhost_vdpa virtio_vdpa vdpa_sim_net vduse vp_vdpa
	sysctl -qw net.ipv6.conf.all.accept_ra=0 net.ipv6.conf.default.accept_ra=0
	mkdir -p /var/lib/cni
}

setup() {
	pod_new a
	before=$(everything)
}

teardown() {
	local d
	call DEL a net1 <<<'{"cniVersion": "1.1.0", "name": "lab"}' || true
	pod_del a
	for d in $(devices); do timeout 60 vdpa dev del "$d"; done
	[ -z "${backend:-}" ] || kill "$backend" || true
}

# vconf JQ: an attachment with an address of host-local's
vconf() {
	jq -cn '{cniVersion: "1.1.0", name: "lab", type: "devinfo",
		ipam: {type: "host-local", ranges: [[{subnet: "10.56.0.0/24", gateway: "10.56.0.254"}]]}}
		| '"${1:-.}"
}

# everything: the snapshot, and all that is vDPA
everything() {
	snapshot
	vdpa -j dev config show
	vdpa -j dev show
	find $DEVICES/ -mindepth 1 -maxdepth 1 -printf '%f ' -exec readlink {}/driver \;
	find /dev -maxdepth 1 -name 'vhost-vdpa-*' -printf '%f %U:%G %m\n' | sort
}

# numbered: but for the numbers of interfaces and virtio devices, which are new with each driver
numbered() { everything | sed -E 's/"(ifindex|link_index)": [0-9]+/"\1": 0/; s/virtio[0-9]+/virtioN/' | sort; }

# again COMMAND BEFORE: it says the same now, or soon, for a carrier takes its time
again() {
	local now i
	for ((i = 0; i < 5; i++)); do
		now=$($1)
		[ "$now" = "$2" ] && return
		sleep 0.5
	done
	diff <(echo "$2") <(echo "$now") >&2
	return 1
}

as_before() { again everything "$before"; }

driver_of() { basename "$(readlink "$DEVICES/$1/driver")"; }
node_of() { (cd "$DEVICES/$1" && echo vhost-vdpa-*); }
netdev_of_vdpa() { basename "$DEVICES/$1"/virtio*/net/*; }
devices() { vdpa -j dev show | jq -r '.dev | keys[]'; }
info() { jq -S . /var/run/k8s.cni.cncf.io/devinfo/cni/"${1:-lab-a_net1}"; }

check() {		# FILE: CHECK after the ADD that $answer is of
	jq -c --argjson r "$answer" '.prevResult = $r' "$1" >/tmp/check.json
	call CHECK a net1 </tmp/check.json
}

# refused CODE PATTERN FILE: an ADD with this code, and this in its text; nothing is changed
refused() {
	call ADD a net1 <"$3" && return 1
	jq -e --argjson c "$1" --arg p "$2" '.code == $c and (.msg + " " + (.details // "") | test($p))' <<<"$answer" ||
		{ echo "want $1 $2, have $answer" >&2 && return 1; }
	as_before
}

rebind() {		# NAME DRIVER
	echo "$1" >"$DEVICES/$1/driver/unbind"
	echo "$1" >"/sys/bus/vdpa/drivers/$2/bind"
}

backend_start() {	# NAME: a back-end in user space, and its device; that of a killed one keeps its name
	local i
	"$BUILD/tests/fake/vduse_backend" "$1" 02:00:00:00:00:77 1400 >/tmp/backend.out 3>&- &
	backend=$!
	for ((i = 0; i < 100; i++)); do
		grep -q ready /tmp/backend.out && break
		sleep 0.1
	done
	grep ready /tmp/backend.out
	vdpa dev add name "$1" mgmtdev vduse
}

backend_end() {		# NAME
	vdpa dev del "$1"
	kill "$backend"
	wait "$backend"
	backend=
}

# ended MS COMMAND...: within so many milliseconds, with what status ever
ended() {
	local start=${EPOCHREALTIME/./} took
	"${@:2}" || true
	took=$(((${EPOCHREALTIME/./} - start) / 1000))
	echo "$2 $3: $took ms"
	[ "$took" -lt "$1" ]
}
