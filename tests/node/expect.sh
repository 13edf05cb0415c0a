#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# expect.sh - what devinfoctl answers on the nodes of tests/node/fleet
#
#	tests/node/expect.sh tests/node/expected [NODE...]
#
# makes the expected answers anew, which are then to be read: each difference is meant, or a defect.
# tests/cli/expected.bats has them made elsewhere and compares.  NODE/COMMAND.txt is the answer for
# people: standard output, lines of standard error behind "! ", and an exit status that is not 0
# behind "= "; COMMAND.json that for machines.

set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
ctl=$(realpath "${BUILD:-$top/build}")/bin/devinfoctl
mkdir -p "$1"
to=$(cd "$1" && pwd)
shift
cd "$top/tests/node/expected"	# whose files are asked with
work=$(mktemp -d "${TMPDIR:-/tmp}/expect.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo '{}' >"$work/devinfo.json"
export DEVINFO_CONF=$work/devinfo.json LC_ALL=C.UTF-8

# of each node a pod, and the device that is shown
declare -A pods=(
	[igb-pods]=default/web-0 [switchdev]=default/gw-0 [vfio]=telco/fwd-0 [vdpa-pods]=vms/vm-0
	[crash]=default/web-5 [plain]=default/none
)
declare -A shown=(
	[igb-pods]=0000:01:10.6 [switchdev]=0000:3b:00.3 [vfio]=0000:86:02.1 [vdpa-pods]=vdpa0
	[crash]=0000:01:11.0 [plain]=eno1
)

# a pod whose record cannot be read
declare -A torn=([crash]=default/web-7)

# and what an attachment of a pod asks for
declare -A asked=(
	[igb-pods]="default/web-0 --resource intel.com/sriov_netdevice"
	[switchdev]="default/gw-0 --resource nvidia.com/cx6_vf"
	[vfio]="telco/fwd-0 --resource intel.com/ice_dpdk"
	[vdpa-pods]="vms/vm-0 --resource nvidia.com/cx6_vdpa"
	[crash]="default/web-6 --resource intel.com/sriov_netdevice" [plain]="default/none --resource intel.com/sriov_netdevice"
)

# answer FILE ARGUMENT...
answer() {
	local status=0
	"$ctl" --root "$node" "${@:2}" >"$work/out" 2>"$work/err" || status=$?
	{
		case $2.${1##*.} in	# gc goes by the journal's directory, which is in no order
		gc.json) jq 'sort_by(.container_id)' "$work/out" ;;
		gc.txt) sort "$work/out" ;;
		*.json) jq . "$work/out" ;;
		*) cat "$work/out" ;;
		esac
		sed 's/^/! /' "$work/err"
		[ "$status" -eq 0 ] || echo "= $status"
	} >"$to/$name/$1"
}

# both COMMAND ARGUMENT...
both() {
	answer "$1.txt" "$@"
	answer "$1.json" "$@" --json
}

answers() {
	local command pod=${pods[$name]}
	for command in scan list drift doctor; do
		both "$command"
	done
	answer scan-wide.txt scan --output=wide
	answer list-wide.txt list --output=wide
	answer scan-pools.txt scan --pool config.json
	answer scan-match.txt scan --match 'is_vf IsTrue; is_held IsFalse'
	both repair --dry-run
	both publish --dry-run --pool config.json
	both withdraw --dry-run --pool config.json
	both gc --dry-run
	# shellcheck disable=SC2086 # several words
	both resolve ${asked[$name]}
	both status "$pod"
	both explain "$pod"
	[ -z "${torn[$name]-}" ] || answer explain-torn.txt explain "${torn[$name]}"
	[ -z "${torn[$name]-}" ] || answer explain-torn.json explain "${torn[$name]}" --json
	answer show.json show "${shown[$name]}"
	both nfd eval --node-name node rules.yaml
	both dra select --node-name node claim.yaml
	answer dra-why.txt dra select --why --node-name node claim.yaml
	answer export-nfd.txt export nfd --pool config.json
	answer export-nodefeature.json export nodefeature --node-name node-1
	answer export-resourceslice.json export resourceslice --node-name node-1 --pool config.json
}

[ $# -gt 0 ] || set -- "${!shown[@]}"
for name; do
	node=$work/$name
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/$name.node" "$node"
	mkdir -p "$to/$name"
	answers
done
