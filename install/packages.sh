#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# packages.sh - the Debian packages this project needs, named in this one place
#
#	install/packages.sh			to build, and for the demonstration
#	install/packages.sh tests		the same and what the tests need
#	install/packages.sh --list [tests]	only print them
#
# Does nothing when all are there.  Otherwise it needs root.

set -euo pipefail
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

build=(
	gcc libc6-dev make pkg-config				# the compiler
	libjansson-dev libnghttp2-dev libyaml-dev	# what the programs link
	libprotobuf-c-dev protobuf-c-compiler
	dpkg-dev						# unpacks what "make static" compiles
	libpcre2-dev pci.ids		# and devinfoctl alone
	libcurl4-openssl-dev		# and devinfo-publish
	libmicrohttpd-dev		# and devinfod alone
	containernetworking-plugins iproute2 iputils-ping	# an IPAM plugin, and pods by hand
	jq kmod procps
	python3-grpcio python3-protobuf				# a real gRPC server in kubelet's place
)
tests=(
	libmnl-dev libnl-3-dev libnl-route-3-dev		# which read what we compose
	bats gojq man-db mandoc shellcheck strace
	clang clang-tidy cppcheck libclang-rt-14-dev
	dpdk-dev librte-net-virtio23 librte-mempool-ring23	# testpmd, by a vDPA device's node
	librte-net-memif23 librte-net-vhost23			# and by sockets
	openvswitch-switch-dpdk					# a switch; never as a service
	ethtool							# what a pod may set of its device
	podman crun containerd busybox-static iptables		# real engines, and their image
	systemd							# its checks of units; it is not started
	debhelper git lintian rpm				# what is delivered
	zsh							# completion
	python3-yaml						# the manifests
	curl python3-prometheus-client				# who asks for metrics, and a reader of them
	mmdebstrap						# rooms that have nothing of this machine
	gcc-aarch64-linux-gnu					# make static ARCH=arm64; QEMU is fetched by tests/artefact/emulated
	golang-go						# what its standard library says of the same texts
)
# A second gRPC stack for the tests.  Node.js of another vendor conflicts with Debian's packages.
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	tests+=(nodejs npm)
fi

only_list=
if [ "${1:-}" = --list ]; then
	only_list=1
	shift
fi
case ${1:-build} in
build) wanted=("${build[@]}") ;;
tests) wanted=("${build[@]}" "${tests[@]}") ;;
*)
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
if [ "$only_list" ]; then
	printf '%s\n' "${wanted[@]}"
	exit
fi

have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
	case $'\n'$have$'\n' in
	*$'\n'"installed $package"$'\n'*) ;;
	*) missing+=("$package") ;;
	esac
done
if [ ${#missing[@]} -eq 0 ]; then
	exit 0
fi
if [ "$(id -u)" != 0 ]; then
	echo "packages.sh: as root, first: apt-get install --no-install-recommends ${missing[*]}" >&2
	exit 1
fi

# Open vSwitch is a program to the tests: each runs its own, and the machine is to get none.  What
# asks whether services may be started, invoke-rc.d(8) and its kin of systemd, asks this file.
policy=${POLICY_RC_D:-/usr/sbin/policy-rc.d}
hold_services() {
	if [ -e "$policy" ] && [ ! -e "$policy.held" ]; then	# .held: one of us was killed
		mv "$policy" "$policy.held"
	fi
	cat >"$policy" <<-END
		#!/bin/sh
		# by packages.sh, for as long as it installs; what was here is $policy.held
		case " \$* " in
		*" openvswitch"* | *" ovs"* | *" dpdk"*) exit 101 ;;
		esac
		[ -x $policy.held ] || exit 0
		exec $policy.held "\$@"
	END
	chmod 755 "$policy"
}
release_services() {
	rm -f "$policy"
	[ ! -e "$policy.held" ] || mv "$policy.held" "$policy"
}

echo "installing: ${missing[*]}"
apt=(apt-get -q -y -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
# a source of the machine's own that does not answer is no reason to stop
"${apt[@]}" update </dev/null >&2 || echo "packages.sh: apt-get update failed, going on" >&2
trap release_services EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
hold_services
"${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >&2
case " ${missing[*]} " in
*" openvswitch-switch-dpdk "*) # nor is it to start with the machine
	update-rc.d openvswitch-switch disable >&2 || true
	;;
esac
