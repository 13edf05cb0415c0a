#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# publish.bats - devinfo-publish and an API server of the tests' own (tests/fake/api-js): real TLS, tokens, conflicts, watches
# that are cut
#
# rooms: daemon/api daemon/publish

bats_require_minimum_version 1.5.0
load ../compare

NFD=/apis/nfd.k8s-sigs.io/v1alpha1/namespaces/node-feature-discovery/nodefeatures
SLICES=/apis/resource.k8s.io/v1/resourceslices

# One CA and one certificate for all tests.
setup_file() {
	cd "$BATS_FILE_TMPDIR"
	local key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
	{
		openssl req -x509 "${key[@]}" -keyout ca.key -out ca.crt -days 2 -subj /CN=ca
		openssl req -x509 "${key[@]}" -keyout other.key -out other.crt -days 2 -subj /CN=other
		openssl req "${key[@]}" -keyout tls.key -out tls.csr -subj /CN=api
		openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out tls.crt \
			-extfile <(echo subjectAltName=IP:127.0.0.1,DNS:kubernetes.default)
		openssl req "${key[@]}" -keyout user.key -out user.csr -subj /O=system:nodes/CN=user
		openssl x509 -req -in user.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out user.crt
		cat ca.crt >>tls.crt
	} 2>/dev/null
}

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	PATH=${BUILD:-$top/build}/bin:$PATH
	dir=$BATS_TEST_TMPDIR
	short=$(mktemp -d "${TMPDIR:-/tmp}/aXXXX")	# a socket's path has 107 bytes
	node=$dir/node
	records=$node/var/lib/cni/devinfo/attachments
	export DEVINFO_CONF=$dir/devinfo.json
	unset NODE_NAME KUBERNETES_SERVICE_HOST
	# what the environment says of proxies is not for this program
	export https_proxy=http://127.0.0.1:1 HTTPS_PROXY=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1
	cp "$BATS_FILE_TMPDIR"/*.crt "$BATS_FILE_TMPDIR"/*.key "$dir/"
	echo good >"$dir/token"
	program='' server='' daemon=''
}

teardown() {
	local pid
	for pid in $program $server $daemon; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "${short-}" ] || rm -rf "$short"
}

# -- the server --

server_start() {
	: >"$dir/requests"
	node "$top/tests/fake/api-js/server.js" --cert "$dir/tls.crt" --key "$dir/tls.key" --control "$short/control" \
		--log "$dir/requests" >"$dir/server" 2>"$dir/server.err" 3>&- &
	server=$!
	eventually grep -q port "$dir/server"
	port=$(cut -d ' ' -f 2 "$dir/server")
	order '{"put": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "7d3c0f5e-0000-4000-8000-000000000001"}}}' >/dev/null
	kubeconfig ''
}

# order JSON: of somebody else; its answer on stdout
order() { curl -sf --noproxy '*' --unix-socket "$short/control" http://server/ -d "$1"; }

# got PATH [FILTER]: an object that the server has, as jq shows it
got() { order "$(jq -nc --arg path "$1" '{get: $path}')" | jq -cr "${2:-.}"; }

# kubeconfig USER [CLUSTER]: of flow style; what is not said is by a token and the CA
kubeconfig() {
	cat >"$dir/kubeconfig" <<-END
		apiVersion: v1
		kind: Config
		current-context: here
		contexts:
		- name: here
		  context: {cluster: c, user: u}
		clusters:
		- name: other
		  cluster: {server: "http://nowhere"}
		- name: c
		  cluster: {${2:-server: "https://127.0.0.1:$port", certificate-authority: ca.crt}}
		users:
		- name: u
		  user: {${1:-tokenFile: token}}
	END
}

# writes [FILTER]: requests that change something, one a line, oldest first
writes() { jq -c "select(.method != \"GET\") ${1:-}" "$dir/requests"; }
# asked FILTER: how many requests there were of which this holds
asked() { jq -c "select($1)" "$dir/requests" | wc -l; }
asked_often() { [[ $(asked "$1") -ge $2 ]]; }

# -- is it like a real one? --

@test "what the tests' server answers is what a real API server has answered, request by request" {
	server_start
	order '{"put": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0", "namespace": "shop"}, "spec": {}, "status": {}}}' >/dev/null
	order '{"compact": true}' >/dev/null
	"$top/tests/node/api-server/ask.sh" "https://127.0.0.1:$port" --noproxy '*' --cacert "$dir/ca.crt" -H "Authorization: Bearer good" \
		>"$dir/answers"
	diff "$top/tests/node/api-server/kubernetes-1.20.2.json" "$dir/answers"
}

# -- the program --

# make_node NAME: a recorded node, on which state can be written
make_node() {
	"$top/tests/node/make-node.sh" "$top/tests/node/$1.node" "$node"
	echo "{\"root\": \"$node\", \"logFile\": \"/log\"}" >"$DEVINFO_CONF"
	(umask 077 && mkdir -p "$records")
	mkdir -p "$node/run/devinfo/status"
}

# publish OPTION...: it runs
publish() {
	devinfo-publish --kubeconfig "$dir/kubeconfig" --node-name n1 "$@" 3>&- 2>>"$dir/err" &
	program=$!
}

# publish_waiting OPTION...: it runs when somebody has written to go
publish_waiting() {
	[ -p "$dir/go" ] || mkfifo "$dir/go"
	sh -c 'read -r line <"$0" && exec devinfo-publish "$@"' "$dir/go" --kubeconfig "$dir/kubeconfig" --node-name n1 "$@" \
		3>&- 2>>"$dir/err" &
	program=$!
}

publish_end() {
	kill "-${1:-TERM}" "$program"
	wait "$program" || [ "${1:-TERM}" = KILL ]
	program=''
}

# eventually COMMAND...: holds within half a minute
eventually() {
	local i
	for ((i = 0; i < 1500; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.02
	done
	echo "never: $*"
	tail -n 20 "$node/log" "$dir/requests" 2>/dev/null || true
	return 1
}

has() { [[ $(got "$1" "$2") == "$3" ]]; }
logged() { grep -qF -- "$1" "$node/log"; }
wrote() { [[ $(writes | wc -l) -ge $1 ]]; }
watches() { [[ $(order '{"watches": true}') -eq $1 ]]; }

# quiet SECONDS: nothing is written in this time
quiet() {
	local before after
	before=$(writes | wc -l)
	sleep "$1"
	after=$(writes | wc -l)
	[ "$after" = "$before" ]
}

# -- pods --

# pod NAME UID [ANNOTATIONS]: there is one on the node
pod() {
	order "$(jq -nc --arg name "$1" --arg uid "$2" --argjson a "${3:-null}" '{put: {apiVersion: "v1", kind: "Pod", metadata:
		({$name, namespace: "shop", $uid, labels: {app: $name}} + if $a then {annotations: $a} else {} end),
		spec: {nodeName: "n1", containers: [{name: "c", image: "i"}]}, status: {phase: "Pending"}}}')" >/dev/null
}

# attached CONTAINER POD UID INTERFACE: a record of such an attachment, and its entry of network-status
attached() {
	local before=$top/tests/node/before
	number=$((number + 1))
	(umask 077 && jq -c --arg id "$1" --arg pod "$2" --arg uid "$3" --arg ifname "$4" '.containerID = $id | .ifname = $ifname |
		.pod = {namespace: "shop", name: $pod, uid: $uid}' "$before/vf.json" >"$records/$(printf '%016x@0000:01:1%d.0.json' \
		"$number" "$number")")
	jq -c --arg ifname "$4" 'map(.interface = $ifname)' "$before/status.json" >"$dir/status.new"
	mv "$dir/status.new" "$node/run/devinfo/status/$1.json"
}
number=0

STATUS='.metadata.annotations."k8s.v1.cni.cncf.io/network-status"'

# bats test_tags=libraries
@test "help and version are printed; what is to be published has to be said" {
	run --separate-stderr devinfo-publish --help
	[ "$status" -eq 0 ]
	[[ $output == Usage:* && -z $stderr ]]
	run --separate-stderr devinfo-publish --version
	[ "${output/-publish/ctl}" = "$(devinfoctl --version)" ]
	for options in "" "--slices --kubeconfig relative" "--slices --node-name Node_1" "--slices --driver A" \
		"--slices --pool relative" "--slices --resource-prefix A_B" "--what" "--slices operand"; do
		# shellcheck disable=SC2086
		run --separate-stderr devinfo-publish $options
		[ "$status" -eq 2 ]
		[[ $stderr == *devinfo-publish:* && -z $output ]]
	done
}

@test "without a kubeconfig, and in no pod, it says what is missing" {
	make_node igb
	run devinfo-publish --slices --node-name n1
	[ "$status" -eq 1 ]
	logged '--kubeconfig is missing'
}

# bats test_tags=libraries
@test "the PATCH has the annotation alone, with the pod's uid, and once written nothing is written" {
	make_node igb
	server_start
	pod web-0 7e1c-u
	pod other 1234-u
	attached c0ffee web-0 7e1c-u net1
	publish --annotations
	eventually wrote 1
	[ "$(writes '| [.method, .path, .type, .status]')" = \
		'["PATCH","/api/v1/namespaces/shop/pods/web-0/status","application/merge-patch+json",200]' ]
	[ "$(writes '| .body | paths(scalars) | join("/")' | jq -sc sort)" = \
		'["metadata/annotations/k8s.v1.cni.cncf.io/network-status","metadata/resourceVersion","metadata/uid"]' ]
	[ "$(writes '| .body.metadata.uid')" = '"7e1c-u"' ]
	got /api/v1/namespaces/shop/pods/web-0 "$STATUS" >"$dir/said"
	jq -e --slurpfile want "$top/tests/node/before/status.json" '. == $want[0]' "$dir/said"
	[ "$(got /api/v1/namespaces/shop/pods/web-0 '[.spec.nodeName, .status.phase, .metadata.labels.app]')" = '["n1","Pending","web-0"]' ]
	[ "$(got /api/v1/namespaces/shop/pods/other "$STATUS")" = null ]
	publish_end
	publish --annotations
	eventually watches 1
	quiet 0.5
	# what was read of pods is their metadata
	[ "$(asked '.path == "/api/v1/pods" and (.query | contains("spec.nodeName%3Dn1") | not)')" = 0 ]
}

@test "pods of a tenant that are large, finished, or never left alone hold up no other" {
	make_node igb
	server_start
	# more than one answer may have, in a page
	head -c 250000 /dev/zero | tr '\0' x >"$dir/large"
	for n in {10..49}; do
		jq -nc --arg n "$n" --rawfile large "$dir/large" '{put: {apiVersion: "v1", kind: "Pod", metadata: {name: "a\($n)", namespace: "shop",
			uid: "a\($n)-u", annotations: {"example.com/a": $large}}, spec: {nodeName: "n1"}, status: {phase: "Pending"}}}' |
			curl -sf --noproxy '*' --unix-socket "$short/control" http://server/ -d @- >/dev/null
	done
	order '{"fail": {"method": "PATCH", "path": "/pods/busy/", "status": 409, "times": 1000}}'
	pod busy busy-u
	pod web-0 7e1c-u
	attached beef busy busy-u net1
	attached c0ffee web-0 7e1c-u net1
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS != null" true
	[ "$(asked '.path == "/api/v1/pods" and (.query | contains("limit=62"))')" -ge 1 ]
	eventually logged 'pod=shop/busy'
	grep -q 'network-status is not published.* pod=shop/busy' "$node/log"
	[ "$(got /api/v1/namespaces/shop/pods/busy "$STATUS")" = null ]
	run ! grep -q 'publishing network-status is tried again' "$node/log"
	# what has ended is not asked for
	[ "$(asked '.path == "/api/v1/pods" and (.query | contains("status.phase%21%3DSucceeded%2Cstatus.phase%21%3DFailed") | not)')" = 0 ]
}

@test "who changes our entries of an annotation is noticed, and it is repaired, each time later; no other pod waits for that" {
	make_node igb
	server_start
	pod web-0 7e1c-u
	attached c0ffee web-0 7e1c-u net1
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["net1"]'
	theirs=$(jq -nc '{"k8s.v1.cni.cncf.io/network-status": "[{\"name\":\"cbr0\",\"interface\":\"eth0\"}]"}')
	for n in 1 2 3 4 5 6; do
		pod web-0 7e1c-u "$theirs"
		eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net1"]'
	done
	# what the node itself changes is not waited for, nor is another pod
	pod web-0 7e1c-u "$theirs"
	pod web-1 another-u
	attached beef web-1 another-u net1
	eventually has /api/v1/namespaces/shop/pods/web-1 "$STATUS | fromjson | map(.interface)" '["net1"]'
	[ "$(got /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)")" = '["eth0"]' ]
	jq -c '. + (map(.interface = "net2"))' "$node/run/devinfo/status/c0ffee.json" >"$dir/s"
	mv "$dir/s" "$node/run/devinfo/status/c0ffee.json"
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net1","net2"]'
	# each repair is a back-off longer than the one before could be
	mapfile -t at < <(grep 'network-status is published.*web-0' "$node/log" | cut -d ' ' -f 1)
	first=$(($(date -d "${at[2]}" +%s%3N) - $(date -d "${at[1]}" +%s%3N)))
	last=$(($(date -d "${at[6]}" +%s%3N) - $(date -d "${at[5]}" +%s%3N)))
	[ "$last" -gt 700 ]
	[ "$first" -lt "$last" ]
	[ "$(grep -c 'somebody else has changed network-status' "$node/log")" = 6 ]
}

@test "a pod that a webhook or a policy refuses holds up no other; a server that refuses each is not asked for all at once" {
	make_node igb
	server_start
	order '{"fail": {"method": "PATCH", "path": "/pods/denied/", "status": 403, "times": 1000}}'
	order '{"fail": {"method": "PATCH", "path": "/pods/webhook/", "status": 500, "times": 1000}}'
	for name in denied webhook web-0; do
		pod "$name" "$name-u"
		attached "c-$name" "$name" "$name-u" net1
	done
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS != null" true
	eventually grep -q 'network-status is not published: .*the API server answers 403.* pod=shop/denied' "$node/log"
	eventually grep -q 'network-status is not published: .*the API server answers 500.* pod=shop/webhook' "$node/log"
	run ! grep -q 'publishing network-status is tried again' "$node/log"
	# each later than the time before
	eventually asked_often '.path | contains("/pods/denied/")' 3
	publish_end
	order '{"fail": {"method": "PATCH", "path": "/pods/p[0-9]", "status": 403, "times": 1000}}'
	for n in 1 2 3 4 5; do
		pod "p$n" "p$n-u"
		attached "cp$n" "p$n" "p$n-u" net1
	done
	publish --annotations
	eventually grep -q 'publishing network-status is tried again: .*the API server answers [45]0' "$node/log"
	pod last last-u
	attached cz last last-u net1
	eventually has /api/v1/namespaces/shop/pods/last "$STATUS != null" true
}

@test "a pod of the same name and another uid does not get it" {
	make_node igb
	server_start
	pod web-0 another-u
	attached c0ffee web-0 7e1c-u net1
	publish --annotations
	eventually watches 1
	quiet 0.4
	# nor when it is made anew between the look and the patch
	order '{"fail": {"method": "PATCH", "status": 422, "times": 1}}'
	pod late 1-u
	attached bea late 1-u net1
	eventually logged 'network-status is not published'
	eventually has /api/v1/namespaces/shop/pods/late "$STATUS != null" true
	[ "$(got /api/v1/namespaces/shop/pods/web-0 "$STATUS")" = null ]
}

@test "a pod whose uid differs from the one that was looked at refuses the patch" {
	make_node igb
	server_start
	pod web-0 7e1c-u
	attached c0ffee web-0 7e1c-u net1
	order '{"fail": {"method": "PATCH", "status": 0, "times": 1}}'
	publish --annotations
	eventually wrote 1
	# by hand, what the program has sent: the same body to the pod of another uid
	order '{"delete": "/api/v1/namespaces/shop/pods/web-0"}' >/dev/null
	pod web-0 second-u
	body=$(writes '| .body' | head -n 1)
	run --separate-stderr curl -s --noproxy '*' --cacert "$dir/ca.crt" -H 'Authorization: Bearer good' -X PATCH -d "$body" \
		-H 'Content-Type: application/merge-patch+json' "https://127.0.0.1:$port/api/v1/namespaces/shop/pods/web-0/status"
	[[ $(jq .code <<<"$output") == 4[02][92] ]]
	[ "$(got /api/v1/namespaces/shop/pods/web-0 "$STATUS")" = null ]
}

@test "entries of others stay in the annotation, in their order, and those that are ours and gone go" {
	make_node igb
	server_start
	pod web-0 7e1c-u "$(jq -nc '{"example.com/a": "b", "k8s.v1.cni.cncf.io/network-status": ([
		{name: "cbr0", interface: "eth0", ips: ["10.1.1.1"], default: true, dns: {}},
		{name: "shop/lab", interface: "net1", ips: ["10.56.0.1"], dns: {nameservers: ["10.0.0.10"]}}] | tostring)}')"
	attached c0ffee web-0 7e1c-u net1
	attached c0ffee web-0 7e1c-u net2
	jq -c '[.[0], (.[0] | .interface = "net1")] | .[1].dns = {}' "$node/run/devinfo/status/c0ffee.json" >"$dir/s" &&
		mv "$dir/s" "$node/run/devinfo/status/c0ffee.json"
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net1","net2"]'
	[ "$(got /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | [.[0].name, .[1].dns.nameservers[0], .[1].\"device-info\".type]")" = \
		'["cbr0","10.0.0.10","pci"]' ]
	[ "$(got /api/v1/namespaces/shop/pods/web-0 '.metadata.annotations."example.com/a"')" = b ]
	jq -c 'map(select(.interface == "net1"))' "$node/run/devinfo/status/c0ffee.json" >"$dir/s"
	mv "$dir/s" "$node/run/devinfo/status/c0ffee.json"
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net1"]'
	# Multus writes its own after us
	pod web-0 7e1c-u "$(jq -nc '{"k8s.v1.cni.cncf.io/network-status": "[{\"name\":\"cbr0\",\"interface\":\"eth0\"}]"}')"
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net1"]'
}

# our_interfaces ["NAME",...]: those whose entries are remembered as ours, of any pod
our_interfaces() { [[ $(jq -c '[.pods[][].interface]' "$node/var/lib/cni/devinfo/publish/written.json") == "$1" ]]; }

@test "what goes while it is away is given up by the next one, where it is as it was written, and nothing else" {
	make_node igb
	server_start
	pod web-0 7e1c-u '{"k8s.v1.cni.cncf.io/network-status": "[{\"name\":\"cbr0\",\"interface\":\"eth0\"},{\"name\":\"x\",\"interface\":\"net9\"}]"}'
	attached c0ffee web-0 7e1c-u net1
	entries=$node/run/devinfo/status/c0ffee.json
	jq -c '[.[0], (.[0] | .interface = "net2"), (.[0] | .interface = "net3")]' "$entries" >"$dir/s"
	mv "$dir/s" "$entries"
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net9","net1","net2","net3"]'
	eventually our_interfaces '["net1","net2","net3"]'
	[ "$(stat -c '%a %u' "$node/var/lib/cni/devinfo/publish/written.json")" = "600 $(id -u)" ]
	publish_end KILL
	# two go; of one somebody else has said more meanwhile, so it is not as it was written
	theirs=$(got /api/v1/namespaces/shop/pods/web-0 "$STATUS" | jq -c 'map(if .interface == "net3" then .mtu = 9000 else . end)')
	pod web-0 7e1c-u "$(jq -nc --arg s "$theirs" '{"k8s.v1.cni.cncf.io/network-status": $s}')"
	jq -c '.[:1]' "$entries" >"$dir/s"
	mv "$dir/s" "$entries"
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net9","net1","net3"]'
	eventually our_interfaces '["net1"]'
	publish_end
	# a pod of another uid with the same entries: they are not what was written of it
	before=$(got /api/v1/namespaces/shop/pods/web-0 "$STATUS")
	order '{"delete": "/api/v1/namespaces/shop/pods/web-0"}' >/dev/null
	pod web-0 second-u "$(jq -nc --arg s "$before" '{"k8s.v1.cni.cncf.io/network-status": $s}')"
	rm "$records"/*.json
	attached beef web-0 second-u net4
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net9","net1","net3","net4"]'
	eventually our_interfaces '["net4"]'
	publish_end
	# what somebody has made large is not remembered
	theirs=$(got /api/v1/namespaces/shop/pods/web-0 "$STATUS" |
		jq -c 'map(if .interface == "net4" then .x = [range(3000)] else . end)')
	pod web-0 second-u "$(jq -nc --arg s "$theirs" '{"k8s.v1.cni.cncf.io/network-status": $s}')"
	publish --annotations
	eventually our_interfaces '[]'
	pod web-0 second-u "$(jq -nc --arg s "$before" '{"k8s.v1.cni.cncf.io/network-status": $s}')"
	eventually our_interfaces '["net4"]'
	publish_end
	# nor does it need the file, or write where it may not
	for spoilt in '{' '{"version":2,"pods":{}}' '{"version":1,"pods":{"second-u":1}}' '{"version":1}'; do
		echo "$spoilt" >"$node/var/lib/cni/devinfo/publish/written.json"
		: >"$node/log"
		publish --annotations
		eventually our_interfaces '["net4"]'
		logged 'what was written of network-status is not known, and stays'
		publish_end
	done
	chmod 777 "$node/var/lib/cni/devinfo/publish"
	attached beef web-0 second-u net5
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net9","net1","net3","net4","net5"]'
	eventually logged 'what is written of network-status is not remembered'
}

@test "entries of ours that came in the order of their ends are in the network's order then" {
	make_node igb
	server_start
	pod web-0 7e1c-u
	attached c0ffee web-0 7e1c-u net1
	jq -c '[.[0] | (.interface = "eth0"), (.interface = "net2")]' "$node/run/devinfo/status/c0ffee.json" >"$dir/s"
	mv "$dir/s" "$node/run/devinfo/status/c0ffee.json"
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net2"]'
	jq -c '[.[0], (.[1] | (.interface = "net1"), .)]' "$node/run/devinfo/status/c0ffee.json" >"$dir/s"
	mv "$dir/s" "$node/run/devinfo/status/c0ffee.json"
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["eth0","net1","net2"]'
}

# bats test_tags=libraries
@test "slices are published as the exporter prints them, owned by the Node, and an unchanged node writes nothing" {
	make_node vdpa-mlx5
	server_start
	publish --slices
	eventually wrote 2
	order "{\"list\": \"^$SLICES/\"}" | jq 'map(.spec) | del(.[].devices[]?.taints[]?.timeAdded)' >"$dir/have"
	devinfoctl --root "$node" export resourceslice --node-name n1 --node-uid 7d3c0f5e-0000-4000-8000-000000000001 --kubernetes 1.36 | jq '.items | map(.spec) |
		del(.[].devices[]?.taints[]?.timeAdded)' >"$dir/want"
	diff "$dir/want" "$dir/have"
	[ "$(jq length "$dir/have")" = 2 ]
	order "{\"list\": \"^$SLICES/\"}" | jq -e 'all(.[]; .metadata.ownerReferences == [{apiVersion: "v1", kind: "Node", name: "n1",
		uid: "7d3c0f5e-0000-4000-8000-000000000001", controller: true}])'
	order "{\"list\": \"^$SLICES/\"}" | jq '{apiVersion: "v1", kind: "List", items: .}' >"$dir/published.json"
	devinfoctl dra lint "$dir/published.json"
	order "{\"list\": \"^$SLICES/\"}" | jq . >"$dir/first"
	publish_end
	publish --slices
	eventually watches 1
	quiet 0.5
	publish_end
	# nor where its state is lost: the cluster tells generation and times
	rm "$node/var/lib/cni/devinfo/resourceslices.json"
	publish --slices
	eventually watches 1
	quiet 0.5
	diff "$dir/first" <(order "{\"list\": \"^$SLICES/\"}" | jq .)
}

@test "what a change of the node makes of slices is a new generation of all, and a taint keeps its time" {
	make_node vdpa-mlx5
	server_start
	publish --slices
	eventually wrote 2
	order "{\"list\": \"^$SLICES/\"}" >"$dir/first"
	jq -e '[.[].spec.devices[]?.taints[]?] | length > 0 and all(.[]; .timeAdded)' "$dir/first"
	sleep 1.1	# the times are of seconds
	rm -rf "$node/sys/bus/pci/devices/0000:68:00.0"
	touch "$records/.x"	# which makes it look again
	eventually has "$SLICES/n1-devinfo.cni.dev-0" .spec.pool.generation 2
	eventually has "$SLICES/n1-devinfo.cni.dev-counters-0" .spec.pool.generation 2
	times='[.[].spec.devices[]? | select(.name | test("^(0000-68|vdpa-two)") | not) | [.name, .taints[]?.timeAdded]]'
	diff <(jq -c "$times" "$dir/first") <(order "{\"list\": \"^$SLICES/\"}" | jq -c "$times")
}

@test "who changes or removes a slice is noticed, and it is repaired, each time later" {
	make_node vdpa-mlx5
	server_start
	# those of other nodes and drivers, as a real API server took them, are nobody's business here
	for slices in vfio hand; do
		jq -c '.items[] | {put: .}' "$top/tests/upstream/slices/$slices.json"
	done >"$dir/others"
	while read -r object; do order "$object" >/dev/null; done <"$dir/others"
	order '{"put": {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": {"name": "n1-theirs"}, "spec": {"driver":
		"theirs.example.com", "nodeName": "n1", "pool": {"name": "n1", "generation": 5, "resourceSliceCount": 1}, "devices": []}}}' >/dev/null
	others="{\"list\": \"^$SLICES/(vfio|hand|n1-theirs)\"}"
	order "$others" | jq . >"$dir/theirs"
	[ "$(jq length "$dir/theirs")" -ge 5 ]
	publish --slices
	eventually wrote 2
	one=$SLICES/n1-devinfo.cni.dev-0
	order "{\"delete\": \"$one\"}" >/dev/null
	eventually has "$one" '.spec.devices | length > 0' true
	[ "$(got "$one" .spec.pool.generation)" = 1 ]
	for n in 1 2 3 4 5; do
		order "$(got "$one" '{put: (.spec.devices = [] | del(.metadata.resourceVersion))}')" >/dev/null
		eventually has "$one" '.spec.devices | length > 0' true
	done
	[ "$(grep -c 'somebody else has changed' "$node/log")" = 6 ]
	# a later generation of somebody else is overtaken
	order "$(got "$one" '{put: (.spec.pool.generation = 7 | del(.metadata.resourceVersion))}')" >/dev/null
	eventually has "$one" .spec.pool.generation 8
	eventually has "$SLICES/n1-devinfo.cni.dev-counters-0" .spec.pool.generation 8
	# and a slice that is too much is removed
	order "$(got "$one" '{put: (.metadata = {name: "n1-stray"})}')" >/dev/null
	eventually has "$SLICES/n1-stray" . null
	diff "$dir/theirs" <(order "$others" | jq .)
	# the times between repairs grew: each is a back-off longer than the one before could be
	mapfile -t at < <(grep 'somebody else has changed' "$node/log" | cut -d ' ' -f 1)
	first=$(($(date -d "${at[1]}" +%s%3N) - $(date -d "${at[0]}" +%s%3N)))
	last=$(($(date -d "${at[5]}" +%s%3N) - $(date -d "${at[4]}" +%s%3N)))
	[ "$last" -gt 700 ]
	[ "$first" -lt "$last" ]
}

@test "a Node that is made anew owns the slices" {
	make_node vdpa-mlx5
	server_start
	publish --slices --node-feature
	eventually wrote 3
	order '{"delete": "/api/v1/nodes/n1"}' >/dev/null
	order '{"put": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "7d3c0f5e-0000-4000-8000-000000000002"}}}' >/dev/null
	# what owner references do
	for gone in $SLICES/n1-devinfo.cni.dev-0 $SLICES/n1-devinfo.cni.dev-counters-0 $NFD/devinfo-n1; do
		order "{\"delete\": \"$gone\"}" >/dev/null
	done
	eventually has $SLICES/n1-devinfo.cni.dev-0 '.metadata.ownerReferences[0].uid' 7d3c0f5e-0000-4000-8000-000000000002
	eventually has $SLICES/n1-devinfo.cni.dev-counters-0 '.metadata.ownerReferences[0].uid' 7d3c0f5e-0000-4000-8000-000000000002
	eventually has $NFD/devinfo-n1 '.metadata.ownerReferences[0].uid' 7d3c0f5e-0000-4000-8000-000000000002
}

@test "a cluster of an earlier version gets its form, and one that drops members is not written again and again" {
	make_node vdpa-mlx5
	server_start
	order '{"version": "v1.33.4+k3s1"}' >/dev/null
	publish --slices
	eventually wrote 1
	[ "$(writes '| .path' | sort -u)" = '"/apis/resource.k8s.io/v1beta2/resourceslices"' ]
	quiet 0.3
	publish_end
	order '{"version": "v1.36.2"}' >/dev/null
	order '{"drop": ["taints"]}' >/dev/null
	publish --slices
	eventually logged 'the API server has kept another spec than was sent'
	eventually wrote 3
	quiet 0.5
	order "{\"list\": \"^$SLICES/\"}" | jq -e 'length == 2 and all(.[].spec.devices[]?; has("taints") | not)'
}

@test "a cluster that is too old for slices is told so, less and less often, and holds up no annotation" {
	make_node igb
	server_start
	order '{"version": "v1.20.2"}' >/dev/null
	pod web-0 7e1c-u
	attached c0ffee web-0 7e1c-u net1
	publish --slices --annotations
	eventually logged "the cluster says that it is Kubernetes 'v1.20.2': ResourceSlices are of 1.32 or later"
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS | fromjson | map(.interface)" '["net1"]'
	sleep 2
	[ "$(asked '.path == "/version"')" -le 8 ]
	[ "$(writes '| select(.path | contains("slices"))')" = "" ]
}

@test "a cluster that is upgraded is asked for its version again: when the one before is removed, and at SIGHUP" {
	make_node igb
	server_start
	for how in removed reload; do
		order '{"version": "v1.33.4"}' >/dev/null
		publish --slices
		eventually has "${SLICES/v1/v1beta2}/n1-devinfo.cni.dev-0" .apiVersion resource.k8s.io/v1beta2
		eventually watches 1
		order '{"version": "v1.36.2"}' >/dev/null
		if [ $how = removed ]; then
			order '{"fail": {"path": "/v1beta2/", "status": 404, "times": 100000}}' >/dev/null
			order '{"cut": "end"}' >/dev/null
		else
			kill -HUP "$program"
		fi
		eventually has $SLICES/n1-devinfo.cni.dev-0 .apiVersion resource.k8s.io/v1
		publish_end
		order '{"forget_fail": true}' >/dev/null
		order "{\"delete\": \"$SLICES/n1-devinfo.cni.dev-0\"}" >/dev/null
	done
}

# bats test_tags=libraries
@test "the NodeFeature is the exporter's, and kept in step" {
	make_node igb
	server_start
	publish --node-feature
	eventually wrote 1
	diff <(devinfoctl --root "$node" export nodefeature --node-name n1 | jq '[.spec, .metadata.labels, .metadata.name]') \
		<(got $NFD/devinfo-n1 | jq '[.spec, .metadata.labels, .metadata.name]')
	publish_end
	publish --node-feature
	eventually watches 1
	quiet 0.4
	order "$(got $NFD/devinfo-n1 '{put: (.spec.labels = {} | .metadata.labels.mine = "1")}')" >/dev/null
	eventually has $NFD/devinfo-n1 '.spec.labels | length > 0' true
	[ "$(got $NFD/devinfo-n1 .metadata.labels.mine)" = 1 ]
}

@test "resources of pools without a prefix have that of an option, as devinfod's" {
	make_node igb
	server_start
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}]}' >"$dir/pools.json"
	resources='[.spec.devices[].attributes | to_entries[] | select(.key | test("resourceName$")).value.string] | unique'
	publish --slices --pool "$dir/pools.json"
	eventually has $SLICES/n1-devinfo.cni.dev-0 "$resources" '["intel.com/vf"]'
	publish_end
	publish --slices --pool "$dir/pools.json" --resource-prefix example.com
	eventually has $SLICES/n1-devinfo.cni.dev-0 "$resources" '["example.com/vf"]'
}

# bats test_tags=libraries
@test "a token that is rotated is read again, at once where the old one is refused" {
	make_node igb
	server_start
	publish --slices
	eventually wrote 1
	order '{"tokens": ["second"]}' >/dev/null
	echo second >"$dir/token"
	order "{\"delete\": \"$SLICES/n1-devinfo.cni.dev-0\"}" >/dev/null
	eventually has $SLICES/n1-devinfo.cni.dev-0 .kind ResourceSlice
	[ "$(asked '.status == 401')" -ge 1 ]
	# neither token is in the log, nor in what was said
	run ! grep -E 'second|good' "$node/log" "$dir/err"
}

# bats test_tags=libraries
@test "429 with Retry-After, 5xx, a connection that is cut, and conflicts are tried again" {
	make_node vdpa-mlx5
	server_start
	order '{"fail": {"method": "POST", "status": 429, "times": 1, "headers": {"Retry-After": "1"}}}' >/dev/null
	order '{"fail": {"method": "GET", "path": "/version", "status": 503, "times": 2, "headers": {"Retry-After": "0"}}}' >/dev/null
	order '{"fail": {"method": "GET", "path": "watch=true", "status": 500, "times": 2}}' >/dev/null
	order '{"fail": {"method": "GET", "path": "limit=", "status": 0, "times": 2}}' >/dev/null
	order '{"fail": {"method": "POST", "status": 0, "times": 1}}' >/dev/null
	start=$(date +%s%3N)
	publish --slices
	eventually has $SLICES/n1-devinfo.cni.dev-counters-0 .kind ResourceSlice
	[ "$(($(date +%s%3N) - start))" -ge 1000 ]
	grep -q 'tried again: POST .*the API server answers 429.* after_ms=[1-9][0-9]* ' "$node/log"
	# a conflict: the version that was looked at is not the last
	order '{"fail": {"method": "PUT", "status": 409, "times": 1, "headers": {"Retry-After": "1"}}}' >/dev/null
	order '{"fail": {"method": "PUT", "status": 409, "times": 1}}' >/dev/null
	order "$(got $SLICES/n1-devinfo.cni.dev-0 '{put: (.spec.devices = [])}')" >/dev/null
	eventually has $SLICES/n1-devinfo.cni.dev-0 '.spec.devices | length > 0' true
	# what the refused one said of the wait counts, not the look behind it
	[ "$(grep -c 'tried again: PUT .*the API server answers 409.* after_ms=1000 ' "$node/log")" = 1 ]
	[ "$(asked '.method == "PUT" and .status == 409')" = 2 ]
	[ "$(asked ".method == \"GET\" and .path == \"$SLICES/n1-devinfo.cni.dev-0\"")" = 2 ]
}

@test "a pod whose patch meets a conflict waits as long as that said, not as the look behind it" {
	make_node igb
	server_start
	pod web-0 7e1c-u
	attached c0ffee web-0 7e1c-u net1
	order '{"fail": {"method": "PATCH", "status": 409, "times": 1, "headers": {"Retry-After": "1"}}}' >/dev/null
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/web-0 "$STATUS != null" true
	[ "$(asked '.method == "GET" and .path == "/api/v1/namespaces/shop/pods/web-0"')" = 1 ]
	eventually logged 'network-status is published'
	refused=$(grep 'network-status is not published: .*409' "$node/log" | cut -d ' ' -f 1)
	published=$(grep 'network-status is published' "$node/log" | cut -d ' ' -f 1)
	[ $(($(date -d "$published" +%s%3N) - $(date -d "$refused" +%s%3N))) -ge 950 ]
}

# bats test_tags=libraries
@test "a watch that is cut goes on where it was, also within a line, and after 410 the list is read anew" {
	make_node igb
	server_start
	publish --slices
	eventually wrote 1
	eventually watches 1
	sleep 1.1	# it is one that was well
	order '{"cut": "end"}' >/dev/null
	eventually watches 1
	[ "$(asked '.path | endswith("resourceslices")')" -ge 1 ]
	[ "$(asked '.query | contains("limit=")')" = 1 ]
	order '{"cut": "middle"}' >/dev/null
	order "{\"delete\": \"$SLICES/n1-devinfo.cni.dev-0\"}" >/dev/null
	eventually has $SLICES/n1-devinfo.cni.dev-0 .kind ResourceSlice
	[ "$(asked '.query | contains("limit=")')" = 1 ]
	eventually watches 1
	sleep 1.1
	order '{"compact": true}' >/dev/null
	order '{"cut": "end"}' >/dev/null
	order "{\"delete\": \"$SLICES/n1-devinfo.cni.dev-0\"}" >/dev/null
	eventually has $SLICES/n1-devinfo.cni.dev-0 .kind ResourceSlice
	[ "$(asked '.query | contains("limit=")')" -ge 2 ]
	logged 'is ended by 410'
}

@test "lists come in pages" {
	make_node igb
	server_start
	for ((i = 0; i < 260; i++)); do
		printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p%d","namespace":"shop","uid":"u%d"},"spec":{"nodeName":"n1"}}\n' "$i" "$i"
	done >"$dir/pods"
	while read -r object; do order "{\"put\": $object}" >/dev/null; done <"$dir/pods"
	attached c0ffee p99 u99 net1
	publish --annotations
	eventually has /api/v1/namespaces/shop/pods/p99 "$STATUS != null" true
	[ "$(asked '.query | contains("limit=")')" = 2 ]
	[ "$(writes | wc -l)" = 1 ]
}

# judged OBJECT...: it has converged, whatever came before
converged() {
	has $SLICES/n1-devinfo.cni.dev-0 '.kind' ResourceSlice || return 1
	has $SLICES/n1-devinfo.cni.dev-counters-0 '.kind' ResourceSlice || return 1
	has $NFD/devinfo-n1 .kind NodeFeature || return 1
	has /api/v1/namespaces/shop/pods/web-0 "$STATUS != null" true || return 1
	[[ $(order "{\"list\": \"^$SLICES/\"}" | jq -c 'map(.spec.pool.generation) | unique | length') == 1 ]]
}

# reset - of the server all that is published
clear_published() {
	local path
	for path in $SLICES/n1-devinfo.cni.dev-0 $SLICES/n1-devinfo.cni.dev-counters-0 $NFD/devinfo-n1 \
		/api/v1/namespaces/shop/pods/web-0; do
		order "{\"delete\": \"$path\"}" >/dev/null || true
	done
	pod web-0 7e1c-u
}

# bats test_tags=plain
@test "killed at each of its requests, before or after it is carried out, and started again, it converges" {
	make_node vdpa-mlx5
	server_start
	pod web-0 7e1c-u
	attached c0ffee web-0 7e1c-u net1
	all=(--annotations --slices --node-feature)
	publish "${all[@]}"
	eventually converged
	eventually watches 3
	publish_end
	n=$(order '{"requests": true}')
	[ "$n" -ge 12 ]
	for ((k = 1; k <= n; k++)); do
		for done in true false; do
			clear_published
			publish_waiting "${all[@]}"
			order "{\"kill\": {\"pid\": $program, \"at\": $k, \"done\": $done}}" >/dev/null
			echo >"$dir/go"
			wait "$program" || true
			program=''
			publish "${all[@]}"
			eventually converged || { echo "killed at $k, $done"; false; }
			publish_end KILL
		done
	done
	# and then an unchanged node writes nothing
	publish "${all[@]}"
	eventually watches 3
	quiet 0.4
}

EVENTS=/apis/events.k8s.io/v1/namespaces/default/events
events() { order "{\"list\": \"^$EVENTS/\"}" | jq -c "sort_by(.eventTime) | ${1:-.}"; }
has_events() { [[ $(events "map($1)") == "$2" ]]; }

# of a node with a PF whose flags are written; the socket of the daemon is below it
events_node() {
	node=$short/n
	records=$node/var/lib/cni/devinfo/attachments
	make_node igb
	mkdir -p "$node/var/lib/kubelet/device-plugins" "$dir/pools"	# alone: the daemon looks when something changes there
	pf=$node/sys/bus/pci/devices/0000:01:00.0/net/eth0
	echo 1 >"$pf/carrier"
	pf_is up
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}]}' >"$dir/pools/config.json"
}

# pf_is up|down
pf_is() {
	if [ "$1" = up ]; then echo 0x1003; else echo 0x1002; fi >"$pf/flags"
	[ -z "$daemon" ] || kill -HUP "$daemon"
}

daemon_start() {
	devinfod --config-file "$dir/pools/config.json" 3>&- 2>>"$dir/err" &
	daemon=$!
}

asked_twice() { [[ $(asked '.method == "POST" and .status == 409') == 1 ]]; }

# bats test_tags=libraries
@test "a device that cannot be used any more is an Event on the Node, and many at a time are one" {
	events_node
	server_start
	# before the daemon runs there is nothing to tell, and it is not waited for
	publish --events
	daemon_start
	eventually logged 'devinfod has started'
	sleep 1
	[ "$(events length)" = 0 ]
	pf_is down
	eventually has_events .reason '["DeviceUnhealthy"]'
	events '.[0]' >"$dir/event"
	jq -e '.regarding == {apiVersion: "v1", kind: "Node", name: "n1", uid: "7d3c0f5e-0000-4000-8000-000000000001"} and
		(.metadata.name | test("^n1[.][0-9a-f]{16}$")) and .type == "Warning" and .reportingController == "devinfo.cni.dev/publish" and .reportingInstance == "n1" and
		(.eventTime | test("^20..-..-..T..:..:..[.][0-9]{6}Z$"))' "$dir/event"
	[ "$(jq -r .note "$dir/event")" = \
		'intel.com/vf: 2 devices cannot be used, its PF eth0 is down: 0000:01:10.0, 0000:01:10.2' ]
	# killed and started again it does not tell it twice
	publish_end KILL
	publish --events
	eventually asked_twice
	[ "$(asked '.method == "POST" and .status == 409')" = 1 ]
	pf_is up
	eventually has_events .reason '["DeviceUnhealthy","DeviceHealthy"]'
	# the same as not long ago is counted
	pf_is down
	eventually has_events .series.count '[2,null]'
	[ "$(events length)" = 2 ]
	# a daemon that is started again is heard again
	kill "$daemon"
	wait "$daemon"
	daemon=''
	pf_is up
	daemon_start
	eventually has_events .series.count '[2,2]'
	# a Node that is made anew is another one
	order '{"delete": "/api/v1/nodes/n1"}' >/dev/null
	order '{"put": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "7d3c0f5e-0000-4000-8000-000000000002"}}}' >/dev/null
	pf_is down
	eventually has_events '.regarding.uid[-1:]' '["1","1","2"]'
}

# bats test_tags=plain
@test "killed at each of its requests about Events, before or after it is carried out, and started again, each is there once" {
	events_node
	server_start
	daemon_start
	publish --events
	eventually logged 'devinfod has started'
	sleep 0.5
	pf_is down
	eventually has_events .reason '["DeviceUnhealthy"]'
	publish_end
	n=$(order '{"requests": true}')
	[ "$n" -ge 2 ]
	for ((k = 1; k <= n; k++)); do
		for done in true false; do
			order "{\"delete\": \"$EVENTS/$(events '.[0].metadata.name' | jq -r .)\"}" >/dev/null
			publish_waiting --events
			order "{\"kill\": {\"pid\": $program, \"at\": $k, \"done\": $done}}" >/dev/null
			echo >"$dir/go"
			wait "$program" || true
			program=''
			before=$(asked '.method == "POST"')
			publish --events
			eventually asked_often '.method == "POST"' $((before + 1))
			eventually has_events '[.reason, .series.count]' '[["DeviceUnhealthy",null]]' || { echo "killed at $k, $done"; false; }
			publish_end KILL
		done
	done
}

@test "what it asks the API server for is what the manifests' roles allow" {
	command -v python3 >/dev/null
	make_node vdpa-mlx5
	server_start
	pod web-0 7e1c-u
	attached c0ffee web-0 7e1c-u net1
	publish --annotations --slices --node-feature
	eventually wrote 4
	for path in $SLICES/n1-devinfo.cni.dev-0 $NFD/devinfo-n1; do
		order "{\"fail\": {\"method\": \"PUT\", \"path\": \"$path\", \"status\": 409, \"times\": 1}}" >/dev/null
		order "$(got "$path" '{put: (.metadata.labels = {} | .spec.labels = {})}')" >/dev/null
	done
	order "$(got $SLICES/n1-devinfo.cni.dev-0 '{put: (.metadata = {name: "n1-stray"})}')" >/dev/null
	eventually has $SLICES/n1-stray . null
	eventually has $NFD/devinfo-n1 '.metadata.labels | length > 0' true
	order '{"fail": {"method": "PATCH", "path": "web-1", "status": 409, "times": 1}}' >/dev/null
	pod web-1 7e1c-v
	attached c0ffef web-1 7e1c-v net1
	eventually has /api/v1/namespaces/shop/pods/web-1 "$STATUS | length > 0" true
	publish_end
	events_node
	daemon_start
	publish --events
	eventually logged 'devinfod has started'
	sleep 0.5
	for how in down up down; do
		told=$(asked '.path | contains("/events")')
		pf_is $how
		eventually asked_often '.path | contains("/events")' $((told + 1))
	done
	jq -r 'select(.path != "/version") | [if .watch then "watch" elif .method == "GET" then (if .query == "" then "get" else "list" end)
		else {POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete"}[.method] end,
		(.path | capture("/(?<r>nodes|pods|resourceslices|nodefeatures|events)(/[^/]+)?(?<s>/status)?$") | .r + (.s // ""))] | join(" ")' \
		"$dir/requests" | sort -u >"$dir/asked"
	[ "$(wc -l <"$dir/asked")" -ge 16 ]
	grep -qx 'patch events' "$dir/asked"
	/usr/bin/python3 -c 'import sys, yaml
for doc in yaml.safe_load_all(open(sys.argv[1])):
	for rule in doc.get("rules", []):
		for resource in rule["resources"]:
			for verb in rule["verbs"]: print(verb, resource)' "$top/install/manifests/overlays/publish/rbac.yaml" | sort -u >"$dir/allowed"
	[ -z "$(comm -23 "$dir/asked" "$dir/allowed")" ]
	[ "$(comm -13 "$dir/asked" "$dir/allowed")" = "" ]
}

# bats test_tags=libraries
@test "TLS is verified: another CA, another name; a redirect is not followed" {
	make_node igb
	server_start
	kubeconfig '' "server: \"https://127.0.0.1:$port\", certificate-authority: other.crt"
	publish --slices
	eventually logged 'is not whom the certificate authority vouches for'
	publish_end
	kubeconfig '' "server: \"https://localhost:$port\", certificate-authority-data: $(base64 -w 0 "$dir/ca.crt")"
	publish --slices
	eventually grep -q 'vouches for.*localhost\|vouches for.*subject name' "$node/log"
	publish_end
	[ "$(wc -l <"$dir/requests")" = 0 ]
	kubeconfig '' "server: \"https://localhost:$port\", certificate-authority: $dir/ca.crt, tls-server-name: kubernetes.default"
	order "{\"fail\": {\"path\": \"/version\", \"status\": 302, \"headers\": {\"Location\": \"https://127.0.0.1:$port/api/v1/nodes/n1\"}}}" >/dev/null
	publish --slices
	eventually wrote 1
	[ "$(asked '.path == "/api/v1/nodes/n1"')" = 1 ]
	logged 'the API server answers 302'
}

# bats test_tags=libraries
@test "a certificate of the user's is as good as a token, from a file or inline" {
	make_node igb
	server_start
	kubeconfig "client-certificate: user.crt, client-key: user.key"
	publish --slices
	eventually wrote 1
	publish_end
	kubeconfig "client-certificate-data: $(base64 -w 0 "$dir/user.crt"), client-key-data: $(base64 -w 0 "$dir/user.key")"
	publish --node-feature
	eventually wrote 2
}

# bats test_tags=libraries
@test "what a kubeconfig may not say is refused with a sentence" {
	make_node igb
	port=1
	while IFS='|' read -r user cluster said; do
		kubeconfig "$user" "$cluster"
		: >"$node/log"
		run devinfo-publish --kubeconfig "$dir/kubeconfig" --node-name n1 --slices
		[ "$status" -eq 1 ]
		logged "$said"
	done <<-END
		exec: {command: aws}||exec is refused: no program is executed
		username: a, password: b||username is refused: passwords are not sent
		as: admin, token: t||as is refused
		client-certificate: user.crt||one is missing
		token: "a b"||a token has no blanks
		tokenFile: absent||absent
		token: t|server: "http://127.0.0.1:1"|expected https://HOST[:PORT]
		token: t|server: "https://h", insecure-skip-tls-verify: true|insecure-skip-tls-verify is refused
		token: t|certificate-authority: ca.crt|server is missing
	END
}

# bats test_tags=libraries
@test "it keeps no capability but to read, and for devices the modes of switches, and ends in order" {
	make_node igb
	server_start
	publish --annotations
	eventually watches 1
	[ "$(sed -n 's/^CapEff:\t//p' "/proc/$program/status")" = 0000000000000004 ]
	[ "$(sed -n 's/^CapPrm:\t//p' "/proc/$program/status")" = 0000000000000004 ]
	[ "$(sed -n 's/^Seccomp:\t//p' "/proc/$program/status")" = 2 ]
	[ "$(sed -n 's/^NoNewPrivs:\t//p' "/proc/$program/status")" = 1 ]
	publish_end
	publish --slices
	eventually wrote 1
	[ "$(sed -n 's/^CapEff:\t//p' "/proc/$program/status")" = 0000000000001004 ]
	start=$(date +%s%3N)
	publish_end
	[ "$(($(date +%s%3N) - start))" -lt 1000 ]
	logged 'devinfo-publish ends'
}

@test "the service manager hears that it lives while a slow server has it wait for many answers" {
	make_node igb
	server_start
	for n in 1 2 3 4; do
		pod "web-$n" "$n-u"
		attached "c$n" "web-$n" "$n-u" net1
	done
	/usr/bin/python3 - "$short/notify" >"$dir/told" 3>&- <<-'END' &
		import socket, sys, time
		s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
		s.bind(sys.argv[1])
		s.settimeout(20)
		told = ""
		while "STOPPING" not in told:
		    told = s.recv(4096).decode().split("\n")[0]
		    print(int(time.monotonic() * 1000), told, flush=True)
	END
	daemon=$!	# which the end of the test ends
	eventually test -S "$short/notify"
	order '{"delay": 700}' >/dev/null
	NOTIFY_SOCKET=$short/notify WATCHDOG_USEC=2000000 publish --annotations
	for ((i = 0; i < 200; i++)); do ! wrote 4 || break; sleep 0.05; done
	publish_end
	wait "$daemon"
	[ "$(writes | wc -l)" = 4 ]
	# all of them in one run, which took longer than the two seconds
	awk 'NR > 1 && $1 - last > 2000 { print "nothing for " $1 - last " ms" } { last = $1 }' "$dir/told" >"$dir/gaps"
	[ "$(cat "$dir/gaps")" = "" ]
	[ "$(grep -c WATCHDOG=1 "$dir/told")" -ge 4 ]
}

# bats test_tags=libraries
@test "a server that does not answer does not hold up the end" {
	make_node igb
	server_start
	kill -STOP "$server"
	publish --slices
	sleep 0.5
	start=$(date +%s%3N)
	publish_end
	[ "$(($(date +%s%3N) - start))" -lt 1500 ]
	kill -CONT "$server"
}

# has_question - bytes wait at the name server's port, 53
has_question() {
	[[ "$(awk '$2 ~ /:0035$/ { split($5, queue, ":"); print queue[2] }' "/proc/$program/net/udp")" == *[1-9A-F]* ]]
}

# bats test_tags=libraries
@test "name servers that do not answer do not hold up the end" {
	make_node igb
	port=1
	kubeconfig '' 'server: "https://api.example.com"'
	echo 'nameserver 127.0.0.53' >"$dir/resolv.conf"
	cat >"$dir/silent.py" <<-'END'
		import os, socket, sys
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.bind(("0.0.0.0", 53))
		os.set_inheritable(s.fileno(), True)
		os.execvp(sys.argv[1], sys.argv[1:])
	END
	# in rooms of its own: a socket that nobody reads is the name server, as 127.0.0.1 is where that file is missing
	unshare -n -m sh -c 'ip link set lo up; [ ! -e /etc/resolv.conf ] || mount --bind "$1" /etc/resolv.conf; shift; exec "$@"' sh "$dir/resolv.conf" \
		/usr/bin/python3 "$dir/silent.py" devinfo-publish --kubeconfig "$dir/kubeconfig" --node-name n1 --annotations --slices 3>&- 2>>"$dir/err" &
	program=$!
	eventually logged 'devinfo-publish has started'
	eventually has_question
	start=$(date +%s%3N)
	publish_end
	[ "$(($(date +%s%3N) - start))" -lt 1500 ]
	logged 'devinfo-publish ends'
}
