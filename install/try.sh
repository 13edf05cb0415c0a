#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# try.sh - see the plugin at work on real SR-IOV devices, with one command
#
#	install/try.sh
#
# For root on a Debian 12 machine with nothing but this checkout.  Installs packages,
# builds, sets up a virtual machine that has two SR-IOV network cards (once, about
# 300 MB in /var/cache/vmtest), and runs tests/lab/demo.sh in it.  KVM is not needed.
# The machine's own network is not touched.  A second run downloads nothing.

set -euo pipefail
cd "$(dirname "$0")/.."
exec </dev/null
export LC_ALL=C.UTF-8 PATH="$PATH:/usr/sbin:/sbin"

step() { printf '\n== %s\n' "$*"; }

step "packages"
install/packages.sh
step "build"
make -s -j"$(nproc)" all
step "virtual machine"
tests/lab/vmtest --setup
step "one pod gets its VF"
BUILD=$PWD/build VMTEST_PROJECT=$PWD \
	VMTEST_MODPROBE=${VMTEST_MODPROBE-igb igbvf vfio-pci vhost_net} \
	tests/lab/vmtest tests/lab/demo.sh 2>&1
