#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# leases.bats - leases of the real host-local whose containers are dead: doctor tells them, repair has the
# plugin release them, and of whom nothing is known, or who lives, keeps his
#
# What tells of death, one by one, is in tests/cli/leaks.bats.
#
# rooms: manager/doctor cni/attach

load helpers

setup() {
	node_up
	node_conf '{cniPath: "/usr/lib/cni"}'
	mkdir -p "$dir"/lib/{results,networks}
}

teardown() { node_down; }

# ctl COMMAND... - with the caches of libcni, and host-local's directory, in $dir/lib
ctl() {
	run --separate-stderr in_node timeout 120 sh -c "$as_var_lib_cni"' && exec "$@"' "$dir/lib" "${plugin}ctl" "$@"
}

# host_local VERB CONTAINER IFNAME [JSON] - the plugin itself, in network lab
host_local() {
	jq -cn '{cniVersion: "1.0.0", name: "lab", type: "x", ipam: ({type: "host-local", dataDir: "'"$dir"'/lib/networks",
		ranges: [[{subnet: "10.7.0.0/16"}], [{subnet: "fd07::/64"}]]} + '"${4:-{\}}"')}' |
		CNI_COMMAND=$1 CNI_CONTAINERID=$2 CNI_IFNAME=$3 CNI_NETNS=/run/netns/x CNI_PATH=/usr/lib/cni /usr/lib/cni/host-local >/dev/null
}

# result CONTAINER IFNAME NETNS - libcni's
result() {
	echo '{"kind":"cniCacheV1","containerId":"'"$1"'","ifName":"'"$2"'","netns":"'"$3"'"}' >"$dir/lib/results/lab-$1-$2"
}

leased() { (cd "$dir/lib/networks" && grep -l "^${1-}" -r . | grep -v -e last_reserved -e /lock | sort | tr '\n' ' '); }
old() { find "$dir/lib/networks" -type f -exec touch -d '1 hour ago' {} +; }
rows() { jq -r '.[] | select(.check == "lease-dead") | "\(.'"$1"'): \(.object)"' <<<"$output"; }

@test "what a dead container has leased is released by host-local; who lives, and who is not known, keeps it" {
	host_local ADD gone net1
	host_local ADD "$pod" net1
	host_local ADD unknown net1
	host_local ADD gone net2 '{dataDir: "'"$dir"'/elsewhere"}'
	host_local ADD hidden net1
	touch "$dir/plain"
	result hidden net1 "$dir/plain"	# a newer namespace, out of sight of a container
	result gone net1 /run/netns/gone
	result "$pod" net1 "/run/netns/$pod"
	ctl doctor --json
	[ -z "$(rows severity)" ]	# a call may be at work
	old
	ctl doctor --json
	[ "$(rows severity)" = "warning: /var/lib/cni/networks/lab/10.7.0.2
warning: /var/lib/cni/networks/lab/fd07::2" ]
	ctl repair --dry-run --json
	[ "$(leased gone)" = "./lab/10.7.0.2 ./lab/fd07::2 " ]
	mv "$dir/devinfo.json" "$dir/right.json"
	jq '.cniPath = "/nowhere"' "$dir/right.json" >"$dir/devinfo.json"
	ctl repair --json
	[ "$status" -eq 1 ]
	[ "$(rows result | sort -u | head -n 1)" = "failed: /var/lib/cni/networks/lab/10.7.0.2" ]
	[[ $output == *"host-local"* ]]
	mv "$dir/right.json" "$dir/devinfo.json"
	ctl repair --json
	# a DEL releases both families of an interface
	[ "$(rows result)" = "repaired: /var/lib/cni/networks/lab/10.7.0.2
gone: /var/lib/cni/networks/lab/fd07::2" ]
	[ -z "$(leased gone)" ]
	[ "$(leased "$pod")" = "./lab/10.7.0.3 ./lab/fd07::3 " ]
	[ "$(leased unknown)" = "./lab/10.7.0.4 ./lab/fd07::4 " ]
	[ "$(leased hidden)" = "./lab/10.7.0.5 ./lab/fd07::5 " ]
	[ "$(ls "$dir/elsewhere/lab")" != "" ]
	ctl doctor --json
	[ -z "$(rows severity)" ]
}

@test "a lease of an attachment of the journal is its record's; when the container is dead it goes with that" {
	c=$(conf '.name = "lab" | .ipam = {type: "host-local", dataDir: "'"$dir"'/lib/networks",
		ranges: [[{subnet: "10.7.0.0/16"}]]}')
	add "$c"
	added
	result "$pod" net1 /run/netns/gone	# which is not so
	old
	ctl doctor --json
	[ -z "$(rows severity)" ]
	ctl repair --json
	[ "$(leased "$pod")" = "./lab/10.7.0.2 " ]
	del "$c"
	deleted
	[ -z "$(leased)" ]
}

@test "two thousand leases of dead containers are told and released in bounded time" {
	host_local ADD gone net1
	rm "$dir"/lib/networks/lab/*
	for ((i = 0; i < 2000; i++)); do
		printf 'gone%s\r\nnet1' "$i" >"$dir/lib/networks/lab/10.7.$((1 + i / 200)).$((i % 200))"
		result "gone$i" net1 /run/netns/gone
	done
	old
	SECONDS=0
	ctl doctor --json
	[ "$(rows severity | wc -l)" = 2000 ]
	[ "$SECONDS" -le 15 ]
	# the first ones are enough: each is one more call of the plugin
	find "$dir/lib/networks/lab" -name '10.7.*' ! -name '10.7.1.*' -delete
	ctl repair --json
	[ "$(rows result | grep -c '^repaired')" = 200 ]
	[ "$SECONDS" -le 60 ]
	[ -z "$(leased)" ]
}
