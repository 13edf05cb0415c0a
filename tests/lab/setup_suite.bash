# SPDX-License-Identifier: Apache-2.0
# setup_suite.bash - what a virtual machine has of the host's and leaves there
# shellcheck shell=bash

# Debian's podman comes with a network, whose five plugins each call of doctor would start.
setup_suite() { [ -z "${VMTEST-}" ] || rm -f /etc/cni/net.d/87-podman-bridge.conflist; }

# counters of coverage, for tests/cover.sh
teardown_suite() {
	local build from
	build=$(realpath "${BUILD:-build}")
	from=/tmp/gcov$build
	[ -d "$from" ] || return 0
	mkdir -p "$build-lab"
	cp -r "$from" "$(mktemp -d "$build-lab/XXXXXX")"
}
