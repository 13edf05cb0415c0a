# SPDX-License-Identifier: Apache-2.0
# chain.bash - what the tests of chains share, besides helpers.bash: interfaces that another plugin
# has made, the fake plugin "probe", and conflists as libcni runs them
# shellcheck shell=bash disable=SC2154

chain_up() {
	node_up
	ln -s "$fake/plugin.sh" "$dir/bin/probe"
	ln -s "$plugin" "$dir/bin/devinfo"
	: >"$dir/leases/calls.log"
}

# pod_link [pod] [ifname] - an interface that somebody else has put there: one end of a veth pair
pod_link() {
	local name=${1:-$pod} ifname=${2:-net1}
	ip -n "$name" link add "$ifname" address 02:00:00:00:00:2a type veth peer name "h$ifname" netns "$node"
	ip -n "$name" addr add 10.5.0.2/24 dev "$ifname"
	ip -n "$name" link set "$ifname" up
}

# The result of whoever made it, and a configuration behind him: chained [jq filter]
prev() {
	jq -cn --arg ns "/run/netns/$pod" '{cniVersion: "1.0.0", interfaces: [{name: "hnet1"}, {name: "net1",
		mac: "02:00:00:00:00:2a", sandbox: $ns}], ips: [{address: "10.5.0.2/24", gateway: "10.5.0.1",
		interface: 1}], routes: [{dst: "0.0.0.0/0"}], dns: {}}'
}

chained() {
	jq -cn --argjson prev "$(prev)" '{cniVersion: "1.0.0", name: "net", type: "devinfo", prevResult: $prev}
		| '"${1:-.}"
}

# meta LIST [jq filter] - a configuration with these delegates
meta() {
	jq -cn '{cniVersion: "1.0.0", name: "net", type: "devinfo", delegates: '"$1"'} | '"${2:-.}"
}

# with_prev RESULT CONF - that configuration with this prevResult
with_prev() { jq -c --argjson prev "$1" '.prevResult = $prev' <<<"$2"; }

check() { env_of CHECK "${@:2}"; run --separate-stderr in_node timeout 60 "$plugin" <<<"$1"; }
checked() { deleted; }		# silence, as well

# calls FILTER - of the list of what the probes were asked
calls() { jq -cs "$1" "$dir/leases/calls.log"; }
order() { calls 'map("\(.verb) \(.tag)") | join(", ")' | jq -r .; }
forget_calls() { : >"$dir/leases/calls.log"; }
entry() { jq -c ".[0] | $1" "$dir/run/status/$pod.json"; }
addresses() { ip -n "$1" -j addr show "$2" | jq -r '[.[0].addr_info[] | select(.scope == "global") | .local] | join(" ")'; }

# recorded NODE - /sys and our directories are those of a recorded node by now, below $dir/node
recorded() {
	"$top/tests/node/make-node.sh" "$top/tests/node/$1.node" "$dir/node"
	mkdir -p "$dir/node/proc/sys/kernel/random"
	cp /proc/sys/kernel/random/boot_id "$dir/node/proc/sys/kernel/random/"
	node_conf '{root: "\($d)/node", devinfoDir: "/devinfo", stateDir: "/state", runDir: "/run"}'
	mkdir -p "$dir/node"/{state,run} "$dir/node$dir"
	rm -r "$dir/state" "$dir/run" "$dir/devinfo"
	ln -s node/state node/run node/devinfo "$dir"
}

# -- a conflist, as libcni runs it: list_add, list_check and list_del LIST; the result is in $result --

# one VERB LIST NUMBER WITH - one plugin of it
one() {
	local conf type
	conf=$(jq -c --argjson n "$3" --argjson with "$4" '{cniVersion, name} + .plugins[$n] + $with' <<<"$2")
	type=$(jq -r .type <<<"$conf")
	env_of "$1"
	run --separate-stderr in_node timeout 60 "$(PATH=$CNI_PATH type -P "$type")" <<<"$conf"
	[ "$status" -eq 0 ] || { echo "$1 of $type: $output$stderr" && return 1; }
}

list_add() {
	local n with='{}'
	for ((n = 0; n < $(jq '.plugins | length' <<<"$1"); n++)); do
		one ADD "$1" "$n" "$with" || return 1
		result=$output with=$(jq -c '{prevResult: .}' <<<"$output")
	done
}

list_check() {
	local n
	for ((n = 0; n < $(jq '.plugins | length' <<<"$1"); n++)); do
		one CHECK "$1" "$n" "{\"prevResult\":$result}" || return 1
		[ -z "$output" ]
	done
}

list_del() {
	local n
	for ((n = $(jq '.plugins | length' <<<"$1") - 1; n >= 0; n--)); do
		one DEL "$1" "$n" "{\"prevResult\":$result}" || return 1
		[ -z "$output" ]
	done
}

# -- real plugins, as members of a list --

ipam() {
	jq -cn --arg dir "$dir/ipam" '{type: "host-local", dataDir: $dir, ranges: [[{subnet: "10.6.0.0/24", gateway: "10.6.0.1"}]],
		routes: [{dst: "0.0.0.0/0"}]}'
}
bridge() { jq -cn --argjson ipam "$(ipam)" '{type: "bridge", bridge: "br0", isGateway: true, ipam: $ipam} | '"${1:-.}"; }
tuning() { jq -cn --arg dir "$dir/ipam/tuning" '{type: "tuning", dataDir: $dir} | '"${1:-.}"; }

# The bridge plugin leaves its bridge for ever.
bridge_gone() { ip -n "$node" link del br0; }
