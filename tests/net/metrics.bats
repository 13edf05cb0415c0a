#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# metrics.bats - metrics of a living devinfod on a recorded node: by HTTP and as a file, read by another
# implementation; clients that are slow, many, or ask for something else
#
# rooms: daemon/metrics devinfo/tally

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	build=${BUILD:-$top/build}
	dir=$BATS_TEST_TMPDIR
	# calls are counted on a tmpfs alone
	short=$(mktemp -d /dev/shm/mXXXX)
	node=$short/n
	at=$node/run/metrics.sock
	export DEVINFO_CONF=$dir/devinfo.json
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	mkdir -p "$node/var/lib/kubelet/device-plugins" "$node/run"
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}]}' >"$dir/config.json"
	settings '{metricsAddress: "unix:/run/metrics.sock"}'
}

teardown() {
	local pid
	for pid in ${clients[@]+"${clients[@]}"} ${devinfod-}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	[ -z "${short-}" ] || rm -rf "$short"
}

# settings JSON - of devinfod in the node's file
settings() { jq -cn --arg root "$node" "{root: \$root, devinfod: $1}" >"$DEVINFO_CONF"; }

# facts FILTER - changes what the recorded node answers
facts() {
	local file=$node/devinfo-node.json
	[ -e "$file" ] || echo '{}' >"$file"
	jq -c "$1" "$file" >"$dir/facts" && cp "$dir/facts" "$file"
}

# until COMMAND... - it holds within ten seconds
until_holds() {
	for _ in {1..400}; do
		! "$@" 2>/dev/null || return 0
		sleep 0.025
	done
	cat "$dir/log"
	return 1
}

start() {
	: >"$dir/log"
	"$build/bin/devinfod" --config-file "$dir/config.json" >>"$dir/log" 2>&1 3>&- &
	devinfod=$!
	until_holds grep -q 'devinfod has started' "$dir/log"
}

stop() {
	kill -TERM "$devinfod"
	wait "$devinfod"
	devinfod=
}

# ask ARGUMENT... - curl at the unix socket; the answer is in $dir/answer, its head in $dir/head
ask() { curl -sS -m 10 -o "$dir/answer" -D "$dir/head" --unix-socket "$at" "$@" http://node/metrics; }

# scrape - all samples as the other implementation reads them, in $dir/samples
scrape() {
	ask -H 'Accept: application/openmetrics-text; version=1.0.0'
	"$top/tests/fake/scrape.py" openmetrics <"$dir/answer" >"$dir/samples"
}

# samples FILTER - those that match, as values in a list
samples() { jq -nc "[inputs | select($1) | .value]" "$dir/samples"; }

# code ARGUMENT... - the status of an answer
code() { curl -s -m 10 -o /dev/null -w '%{http_code}' --unix-socket "$at" "$@"; }

is_served() { [ "$(code http://node/metrics)" = 200 ]; }

# a VF that a pod has, and counters of its PF
busy_node() {
	facts '.vf_stats = [
		{pf_ifindex: 2, index: 0, rx_bytes: 1000, tx_bytes: 2000, rx_packets: 10, tx_packets: 20, broadcast: 3, multicast: 4},
		{pf_ifindex: 2, index: 1, rx_bytes: 0, tx_bytes: 0, rx_packets: 0, tx_packets: 0, broadcast: 0, multicast: 0}]
		| .allocations = [{pod_namespace: "ns", pod_name: '"${1:-\"p1\"}"', container: "c1", resource: "intel.com/vf", id: "0000:01:10.0"}]'
	pf_ifindex=$(cat "$node/sys/class/net/eth0/ifindex")
	facts ".vf_stats[].pf_ifindex = $pf_ifindex"
}

@test "another implementation reads the OpenMetrics text, with counters of VFs and who has them" {
	busy_node
	start
	scrape
	grep -qi '^content-type: application/openmetrics-text; version=1.0.0; charset=utf-8' "$dir/head"
	[ "$(tail -n 1 "$dir/answer")" = '# EOF' ]
	[ "$(samples '.name == "devinfo_vf_receive_bytes_total" and .labels.vf == "0"')" = '[1000]' ]
	[ "$(jq -c 'select(.name == "devinfo_vf_transmit_packets_total" and .labels.vf == "0") | .labels' "$dir/samples")" = \
		'{"container":"c1","namespace":"ns","pci_address":"0000:01:10.0","pf":"eth0","pod":"p1","vf":"0"}' ]
	[ "$(samples '.name == "devinfo_vf_transmit_bytes_total"')" = '[2000,0]' ]
	# an old kernel told no drops
	[ "$(samples '.name | test("dropped")')" = '[]' ]
	[ "$(samples '.name == "devinfo_devices"')" = '[0,2]' ]
	[ "$(samples '.name == "devinfo_devices_in_use"')" = '[1]' ]
	[ "$(samples '.name == "devinfo_attachments" and .labels.state == "live"')" = '[0]' ]
}

@test "who does not ask for OpenMetrics gets the older form, which another implementation reads as well" {
	busy_node
	start
	ask
	grep -qi '^content-type: text/plain; version=0.0.4; charset=utf-8' "$dir/head"
	"$top/tests/fake/scrape.py" text <"$dir/answer" >"$dir/samples"
	[ "$(samples '.name == "devinfo_vf_receive_bytes_total" and .labels.vf == "0"')" = '[1000]' ]
	[ "$(samples '.name == "devinfo_build_info"')" = '[1]' ]
}

@test "a pod whose name has quotes and lines in it is told by that name, and nothing else" {
	busy_node '"x\"} 7\n# EOF\ndevinfo_devices{resource=\"evil\\"'
	start
	scrape
	[ "$(jq -r 'select(.name == "devinfo_vf_receive_bytes_total" and .labels.vf == "0") | .labels.pod' "$dir/samples")" = \
		"$(printf '%b' 'x"} 7\n# EOF\ndevinfo_devices{resource="evil\0134')" ]
	[ "$(samples '.labels.resource == "evil"')" = '[]' ]
	[ "$(tail -n 1 "$dir/answer")" = '# EOF' ]
}

@test "counters of RDMA devices have their device, and those that are no numbers are left out" {
	local rdma=$node/sys/class/infiniband/rocep1s0v0
	mkdir -p "$rdma/ports/1/hw_counters" "$rdma/ports/1/counters"
	ln -s ../../../0000:01:10.0 "$rdma/device" 2>/dev/null || true
	facts '.rdmas = [{name: "rocep1s0v0", parent: "0000:01:10.0"}]'
	echo 12 >"$rdma/ports/1/hw_counters/rx_write_requests"
	echo 100 >"$rdma/ports/1/counters/port_rcv_data"
	echo 'N/A (no PMA)' >"$rdma/ports/1/counters/port_xmit_data"
	start
	scrape
	[ "$(samples '.name == "devinfo_rdma_hw_counter_total" and .labels.counter == "rx_write_requests"')" = '[12]' ]
	[ "$(samples '.name == "devinfo_rdma_receive_bytes_total" and .labels.device == "rocep1s0v0" and .labels.port == "1"')" = '[400]' ]
	[ "$(samples '.name == "devinfo_rdma_transmit_bytes_total"')" = '[]' ]
}

@test "only GET and only /metrics; a long URL, a long head and nonsense end their connection alone" {
	local long
	start
	[ "$(code http://node/)" = 404 ]
	[ "$(code http://node/metrics/x)" = 404 ]
	[ "$(code 'http://node/metrics?name=x')" = 200 ]
	[ "$(code -X POST -d x=y http://node/metrics)" = 405 ]
	[ "$(code -X DELETE http://node/metrics)" = 405 ]
	[ "$(code -I http://node/metrics)" = 405 ]
	long=$(head -c 60000 /dev/zero | tr '\0' a)
	[[ $(code "http://node/$long") =~ ^(414|431|000)$ ]]
	[[ $(code -H "X-Long: $long" http://node/metrics) =~ ^(413|431|000)$ ]]
	printf '\0\1\2 \377\r\n\r\n' | timeout 5 nc -NU "$at" >/dev/null 2>&1 || true
	[ "$(code http://node/metrics)" = 200 ]
	[ "$(stat -c '%F %a' "$at")" = "socket 600" ]
}

# connect N TEXT - so many clients that say so and stay
connect() {
	python3 - "$at" "$1" "$2" 3>&- <<-'END' &
		import socket, sys, time
		open_ones = []
		for _ in range(int(sys.argv[2])):
		    s = socket.socket(socket.AF_UNIX)
		    s.settimeout(2)
		    try:
		        s.connect(sys.argv[1])
		        s.send(sys.argv[3].encode().decode("unicode_escape").encode())
		    except OSError:
		        pass
		    open_ones.append(s)
		time.sleep(60)
	END
	clients+=($!)
}

# has_sockets N - at least so many, those that it has without clients among them
has_sockets() { [ "$(find "/proc/$devinfod/fd" -lname 'socket:*' | wc -l)" -ge "$1" ]; }

@test "half a request, and a client that does not read, hold up nobody else" {
	local device
	busy_node
	# more text than the buffers of a connection take
	for device in mlx5_{1..4}; do
		mkdir -p "$node/sys/class/infiniband/$device/ports/1/hw_counters"
		for counter in {1..250}; do
			echo 5 >"$node/sys/class/infiniband/$device/ports/1/hw_counters/a_counter_with_a_name_that_is_rather_long_$counter$(printf %0110d 0)"
		done
	done
	facts '.rdmas = [range(1; 5) | {name: "mlx5_\(.)", parent: "0000:01:00.0"}]'
	start
	connect 5 'GET /metrics HTTP/1.1\r\nHost'
	connect 5 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'
	until_holds has_sockets 10
	scrape
	[ "$(samples '.name == "devinfo_rdma_hw_counter_total"' | jq length)" = 1000 ]
	# one that takes its time
	curl -sS -m 10 --limit-rate 100000 --unix-socket "$at" http://node/metrics -o "$dir/slow"
	[ "$(wc -c <"$dir/slow")" -gt 250000 ]
	[ "$(tail -n 1 "$dir/slow")" = '# EOF' ]
}

@test "more connections than there may be wait, and are served when others are over" {
	start
	local before
	before=$(find "/proc/$devinfod/fd" -lname 'socket:*' | wc -l)
	connect 40 'GET /metrics HTTP/1.1\r\nHost'
	until_holds has_sockets $((before + 16))
	sleep 0.2
	[ "$(find "/proc/$devinfod/fd" -lname 'socket:*' | wc -l)" -le $((before + 16)) ]
	[ "$(code -m 1 http://node/metrics)" = 000 ]
	# devinfod goes on with its own
	kill -HUP "$devinfod"
	until_holds grep -q 'the pools are read' "$dir/log"
	kill -KILL "${clients[@]}"
	until_holds is_served
}

@test "a connection ends after its time, however slowly a request comes" {
	start
	run python3 - "$at" <<-'END'
		import socket, sys, time
		s = socket.socket(socket.AF_UNIX)
		s.connect(sys.argv[1])
		begin = time.monotonic()
		try:
		    while time.monotonic() - begin < 50:
		        s.send(b"G")
		        time.sleep(1)
		except OSError:
		    pass
		print(int(time.monotonic() - begin))
	END
	[ "$output" -ge 25 ]
	[ "$output" -le 40 ]
}

@test "by TCP, too, at an address of IPv4 or IPv6; one that is taken is told, and devices are served" {
	local port=$((20000 + RANDOM % 20000))
	settings "{metricsAddress: \"127.0.0.1:$port\"}"
	start
	[ "$(curl -s -m 10 "http://127.0.0.1:$port/metrics" | tail -n 1)" = '# EOF' ]
	# a second node on the same machine
	cp -a "$node" "$short/m"
	jq -c --arg root "$short/m" '.root = $root' "$DEVINFO_CONF" >"$dir/second.json"
	DEVINFO_CONF=$dir/second.json "$build/bin/devinfod" --config-file "$dir/config.json" >"$dir/second" 2>&1 3>&- &
	clients+=($!)
	until_holds grep -q 'devinfod has started' "$dir/second"
	grep -q "metrics are not served: bind 127.0.0.1:$port" "$dir/second"
	kill -0 "${clients[0]}"
	stop
	[ -e /proc/net/if_inet6 ] || return 0
	settings "{metricsAddress: \"[::1]:$port\"}"
	start
	[ "$(curl -s -m 10 -g "http://[::1]:$port/metrics" | tail -n 1)" = '# EOF' ]
}

@test "the file for node_exporter is whole, for all to read, and goes at the end" {
	mkdir -p "$node/textfile"
	settings '{metricsFile: "/textfile/devinfo.prom"}'
	busy_node
	start
	until_holds test -e "$node/textfile/devinfo.prom"
	"$top/tests/fake/scrape.py" text <"$node/textfile/devinfo.prom" >"$dir/samples"
	[ "$(samples '.name == "devinfo_vf_receive_bytes_total" and .labels.vf == "0"')" = '[1000]' ]
	[ "$(stat -c %a "$node/textfile/devinfo.prom")" = 644 ]
	[ "$(ls -A "$node/textfile")" = devinfo.prom ]
	stop
	[ -z "$(ls -A "$node/textfile")" ]
}

@test "without either nothing is made, and a call of the plugin is not counted" {
	settings '{}'
	start
	[ ! -e "$node/run/devinfo/calls" ]
	[ ! -e "$at" ]
	stop
}

@test "calls of the plugin are counted, by verb, time and code, also while devinfod is away" {
	start
	export CNI_COMMAND=STATUS CNI_PATH=/usr/lib/cni
	local conf='{"cniVersion": "1.1.0", "name": "net", "type": "devinfo"}'
	"$build/bin/devinfo" <<<"$conf" || true
	stop
	[ ! -e "$at" ]
	"$build/bin/devinfo" <<<"$conf" || true
	CNI_COMMAND=ADD CNI_CONTAINERID=c CNI_NETNS=/run/netns/none CNI_IFNAME=net1 "$build/bin/devinfo" \
		<<<'{"cniVersion": "1.1.0", "name": "net", "type": "devinfo", "device": "none0"}' >"$dir/refused" && false
	start
	scrape
	[ "$(samples '.name == "devinfo_call_duration_seconds_count" and .labels.verb == "STATUS"')" = '[2]' ]
	[ "$(samples '.name == "devinfo_call_duration_seconds_bucket" and .labels.verb == "ADD" and .labels.le == "+Inf"')" = '[1]' ]
	[ "$(samples ".name == \"devinfo_call_errors_total\" and .labels.code == \"$(jq .code "$dir/refused")\" and .labels.verb == \"ADD\"")" = '[1]' ]
}

@test "each query of the dashboard is about a metric that there is" {
	# as devinfod(8) has them, which a test of unit compares with the table
	sed -n 's/^\.It Li \(devinfo_[a-z_]*\)$/\1/p' "$top/install/man/devinfod.8" >"$dir/told"
	sed 's/^devinfo_call_duration_seconds$/&_bucket/' "$dir/told" | sort >"$dir/names"
	[ "$(wc -l <"$dir/names")" -gt 20 ]
	jq -r '.. | .expr? // empty, (.query?.query? | strings)' "$top/install/manifests/dashboard.json" >"$dir/queries"
	[ "$(wc -l <"$dir/queries")" -gt 8 ]
	grep -oE 'devinfo_[a-z_]+' "$dir/queries" | sort -u >"$dir/asked"
	[ "$(wc -l <"$dir/asked")" -gt 8 ]
	[ -z "$(comm -23 "$dir/asked" "$dir/names")" ]
}
