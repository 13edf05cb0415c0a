#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# publish.bats - the static devinfo-publish: what it does as the dynamic one, what it asks of a node, and in a DaemonSet's pod
#
# rooms: -

# shellcheck disable=SC2016 # for another shell
load helpers

PODS=/api/v1/namespaces/shop/pods
STATUS='.metadata.annotations."k8s.v1.cni.cncf.io/network-status"'

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	local key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
	{
		openssl req -x509 "${key[@]}" -keyout ca.key -out ca.crt -days 2 -subj /CN=ca
		openssl req "${key[@]}" -keyout tls.key -out tls.csr -subj /CN=api
		openssl x509 -req -in tls.csr -CA ca.crt -CAkey ca.key -CAcreateserial -days 2 -out tls.crt \
			-extfile <(echo subjectAltName=IP:127.0.0.1,IP:::1,DNS:hosts.example.com,DNS:api.example.com)
		cat ca.crt >>tls.crt
	} 2>/dev/null
}

setup() {
	dir=$BATS_TEST_TMPDIR
	short=$(mktemp -d "${TMPDIR:-/tmp}/aXXXX")	# a socket's path has 107 bytes
	pids=()
}

teardown() {
	local pid
	for pid in "${pids[@]}"; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	rm -rf "$short"
	leave
}

@test "what devinfo-publish has of its libraries is the same in the static program: TLS, names, watches, an end in order" {
	mkdir -p "$dir/build/bin"
	ln -s "$static"/* "$dir/build/bin/"
	ln -s "$build/tests" "$dir/build/tests"
	env -u MAKEFLAGS -u TAP_RESULTS BUILD="$dir/build" TAP_TIMEOUT=400 TAP_TAGS=libraries "$top/tests/tap.sh" bats "$top/tests/net/publish.bats"
}

# -- a room without anything, and an API server in its network --

# eventually COMMAND...: holds within ten seconds
eventually() {
	local i
	for ((i = 0; i < 500; i++)); do
		! "$@" >/dev/null 2>&1 || return 0
		sleep 0.02
	done
	echo "never: $*"
	cat "$dir/said" "$dir/requests" 2>/dev/null || true
	return 1
}

order() { curl -sf --noproxy '*' --unix-socket "$short/control" http://server/ -d "$1"; }
published() { order "{\"get\": \"$PODS/web-0\"}" | jq -e "$STATUS != null"; }

# pod - there is a pod on the node whose attachment is recorded in the room, and nothing is published of it
pod() {
	[ "$(order "{\"get\": \"$PODS/web-0\"}")" = null ] || order "{\"delete\": \"$PODS/web-0\"}" >/dev/null
	order '{"put": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web-0", "namespace": "shop", "uid": "u-1"},
		"spec": {"nodeName": "n1"}, "status": {"phase": "Running"}}}' >/dev/null
}

# prepare NODE - the room, whose directory NODE has the records and files of a node
prepare() {
	local before=$top/tests/node/before
	enter empty
	node=$inside$1
	mkdir -p "$inside/usr/bin" "$inside/etc" "$inside/dev" "$node/run/devinfo/status" "$node/etc/cni/net.d/devinfo.d"
	(umask 077 && mkdir -p "$node/var/lib/cni/devinfo/attachments")
	jq -c '.containerID = "c0ffee" | .pod = {namespace: "shop", name: "web-0", uid: "u-1"}' "$before/vf.json" \
		>"$node/var/lib/cni/devinfo/attachments/$(printf '%016x' 1)@0000:01:10.0.json"
	chmod 600 "$node"/var/lib/cni/devinfo/attachments/*
	cp "$before/status.json" "$node/run/devinfo/status/c0ffee.json"
	cp "$static"/devinfo-{publish,pod} "$inside/usr/bin"
	ip netns exec "an-$id" node "$top/tests/fake/api-js/server.js" --cert "$BATS_FILE_TMPDIR/tls.crt" --key "$BATS_FILE_TMPDIR/tls.key" \
		--control "$short/control" --log "$dir/requests" --host :: >"$dir/server" 2>&1 3>&- &
	pids+=($!)
	eventually grep -q port "$dir/server"
	port=$(cut -d ' ' -f 2 "$dir/server")
	order '{"put": {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "7d3c0f5e-0000-4000-8000-000000000001"}}}' >/dev/null
}

# kubeconfig SERVER [CLUSTER]
kubeconfig() {
	printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: here' 'contexts: [{name: here, context: {cluster: c, user: u}}]' \
		"clusters: [{name: c, cluster: {server: \"https://$1:$port\"${2:+, $2}}}]" 'users: [{name: u, user: {token: good}}]' \
		>"$inside/etc/kubeconfig"
}

# publishes [VARIABLE=VALUE...] - it does, by that kubeconfig; it is traced
publishes() {
	pod
	ip netns exec "an-$id" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@" strace -f -qq -o "$dir/trace" -e trace=openat,openat2,execve chroot "$inside" /usr/bin/devinfo-publish --annotations \
		--node-name n1 --kubeconfig /etc/kubeconfig >"$dir/said" 2>&1 3>&- &
	pids+=($!)
	eventually published
	kill "$(pgrep -P $!)"
	wait $!
	sed -i '1,/execve("\/usr\/bin\/devinfo-publish"/d' "$dir/trace"	# chroot has libraries
	grep -q kubeconfig "$dir/trace"
}

@test "in an empty root it finds the API server by address, /etc/hosts and DNS, and checks the certificate" {
	prepare ''
	cp "$BATS_FILE_TMPDIR/ca.crt" "$inside/etc"
	kubeconfig 127.0.0.1 "certificate-authority: ca.crt"
	publishes
	kubeconfig '[::1]' "certificate-authority: ca.crt"
	publishes
	printf '%s\n' '127.0.0.1 localhost' '127.0.0.1 hosts.example.com' >"$inside/etc/hosts"
	kubeconfig hosts.example.com "certificate-authority: ca.crt"
	publishes
	printf '%s\n' '::1 hosts.example.com' >"$inside/etc/hosts"
	publishes
	# by a server that knows one name, of which the node's search list has the rest
	cat >"$dir/dns.py" <<-'END'
		import socket, sys
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.bind(("127.0.0.53", 53))
		print("ready", flush=True)
		while True:
		    q, to = s.recvfrom(512)
		    end = q.index(b"\0", 12) + 5
		    known = q[12:end - 4].lower() == b"\3api\7example\3com\0"
		    a = known and q[end - 4:end - 2] == b"\0\1"
		    head = q[:2] + (b"\x81\x80" if known else b"\x81\x83") + b"\0\1" + (b"\0\1" if a else b"\0\0") + b"\0\0\0\0"
		    s.sendto(head + q[12:end] + (b"\xc0\x0c\0\1\0\1\0\0\0\5\0\4\x7f\0\0\1" if a else b""), to)
	END
	ip netns exec "an-$id" python3 "$dir/dns.py" >"$dir/dns" 3>&- &
	pids+=($!)
	eventually grep -q ready "$dir/dns"
	printf '%s\n' 'nameserver 127.0.0.53' 'search example.com' >"$inside/etc/resolv.conf"
	# as systemd's and RHEL's nodes have it
	echo 'hosts: files myhostname mdns4_minimal [NOTFOUND=return] resolve [!UNAVAIL=return] dns' >"$inside/etc/nsswitch.conf"
	kubeconfig api.example.com "certificate-authority: ca.crt"
	publishes
	# of what a node has, it has looked at texts alone
	[ "$(grep -cE 'resolv.conf|nsswitch.conf' "$dir/trace")" -ge 2 ]
	run ! grep -E '\.so|ossl-modules|engines|gconv|locale' "$dir/trace"
	# another name than the certificate has
	printf '%s\n' '127.0.0.1 other.example.com' >>"$inside/etc/hosts"
	kubeconfig other.example.com "certificate-authority: ca.crt"
	pod
	ip netns exec "an-$id" chroot "$inside" /usr/bin/devinfo-publish --annotations --node-name n1 --kubeconfig /etc/kubeconfig >"$dir/said" 2>&1 3>&- &
	pids+=($!)
	eventually grep -q 'not whom the certificate authority vouches for' "$dir/said"
	run ! published
}

@test "whom the machine trusts is found where distributions have that; openssl.cnf, its modules and the environment are not read" {
	prepare ''
	kubeconfig 127.0.0.1
	for place in etc/ssl/certs/ca-certificates.crt etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem etc/ssl/ca-bundle.pem etc/ssl/cert.pem; do
		mkdir -p "$inside/${place%/*}"
		cp "$BATS_FILE_TMPDIR/ca.crt" "$inside/$place"
		publishes
		rm "$inside/$place"
	done
	# none at all: nobody is trusted
	pod
	ip netns exec "an-$id" chroot "$inside" /usr/bin/devinfo-publish --annotations --node-name n1 --kubeconfig /etc/kubeconfig >"$dir/said" 2>&1 3>&- &
	pids+=($!)
	eventually grep -q 'not whom the certificate authority vouches for' "$dir/said"
	run ! published
	# a node in FIPS mode, whose OpenSSL is another one
	mkdir -p "$inside/usr/lib/ssl" "$inside/modules"
	printf '%s\n' 'openssl_conf = all' '[all]' 'providers = p' 'alg_section = a' 'config_diagnostics = 1' '[p]' 'fips = f' '[f]' 'activate = 1' '[a]' \
		'default_properties = fips=yes' | tee "$inside/usr/lib/ssl/openssl.cnf" >"$inside/etc/openssl.cnf"
	cp /bin/true "$inside/modules/fips.so"
	cp "$BATS_FILE_TMPDIR/ca.crt" "$inside/etc"
	kubeconfig 127.0.0.1 "certificate-authority: ca.crt"
	publishes OPENSSL_CONF=/etc/openssl.cnf OPENSSL_MODULES=/modules OPENSSL_ENGINES=/modules SSL_CERT_FILE=/nowhere CURL_CA_BUNDLE=/nowhere
	run ! grep -E 'openssl.cnf|\.so|nowhere' "$dir/trace"
}

@test "name servers that do not answer hold up neither the end nor the next try; a proxy of the kubeconfig is asked for the name" {
	prepare ''
	cp "$BATS_FILE_TMPDIR/ca.crt" "$inside/etc"
	printf '%s\n' 'nameserver 127.0.0.53' >"$inside/etc/resolv.conf"
	cat >"$dir/silent.py" <<-'END'
		import socket, time
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.bind(("127.0.0.53", 53))
		print("ready", flush=True)
		time.sleep(600)
	END
	ip netns exec "an-$id" python3 "$dir/silent.py" >"$dir/dns" 3>&- &
	pids+=($!)
	eventually grep -q ready "$dir/dns"
	kubeconfig api.example.com "certificate-authority: ca.crt"
	pod
	ip netns exec "an-$id" chroot "$inside" /usr/bin/devinfo-publish --annotations --node-name n1 --kubeconfig /etc/kubeconfig >"$dir/said" 2>&1 3>&- &
	pids+=($!)
	sleep 1
	kill $!
	timeout 3 tail --pid=$! -f /dev/null
	wait $!
	# a proxy that knows names: of HTTP, by a password
	cat >"$dir/proxy.py" <<-'END'
		import base64, socket, sys, threading
		def pump(a, b):
		    while data := a.recv(65536):
		        b.sendall(data)
		    b.shutdown(socket.SHUT_WR)
		def serve(c):
		    head = b""
		    while b"\r\n\r\n" not in head:
		        head += c.recv(4096)
		    print(head.split(b"\r\n")[0].decode(), b"Basic " + base64.b64encode(b"me:secret") in head, flush=True)
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    c.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
		    threading.Thread(target=pump, args=(c, s), daemon=True).start()
		    pump(s, c)
		l = socket.create_server(("127.0.0.1", 3128))
		print("ready", flush=True)
		while True:
		    threading.Thread(target=serve, args=(l.accept()[0],), daemon=True).start()
	END
	ip netns exec "an-$id" python3 "$dir/proxy.py" "$port" >"$dir/proxy" 2>/dev/null 3>&- &
	pids+=($!)
	eventually grep -q ready "$dir/proxy"
	kubeconfig api.example.com 'certificate-authority: ca.crt, proxy-url: "http://me:secret@127.0.0.1:3128"'
	publishes
	grep -q "^CONNECT api.example.com:$port HTTP/1.1 True$" "$dir/proxy"
}

# in_pod MANIFEST - its container: the mounts, the capabilities, the command and the variables that the object says
in_pod() {
	local at path ro
	mkdir -p "$dir/token" "$inside/proc"
	cp "$BATS_FILE_TMPDIR/ca.crt" "$dir/token"
	echo good >"$dir/token/token"
	jq -r '(.volumes | map({key: .name, value: (.hostPath.path // "-")}) | from_entries) as $of | .containers[0].volumeMounts[] |
		"\(.mountPath) \($of[.name]) \(.readOnly // false)"' "$1" >"$dir/mounts"
	while read -r at path ro; do
		mkdir -p "$inside$at"
		# as kubelet does for a DirectoryOrCreate
		[ "$path" = - ] || mkdir -p "$node$path"
	done <"$dir/mounts"
	jq -r '.containers[0] | .command[], (.args // [])[]' "$1" >"$dir/command"
	jq -r '.containers[0].securityContext.capabilities.add[] | ascii_downcase' "$1" >"$dir/capabilities"
	cat >"$dir/container.py" <<-'END'
		import ctypes, os, sys
		# of linux/capability.h
		NUMBERS = {"dac_read_search": 2, "net_admin": 12, "sys_chroot": 18}
		root, keep, argv = sys.argv[1], {NUMBERS[name] for name in open(sys.argv[2]).read().split()}, open(sys.argv[3]).read().split("\n")[:-1]
		libc = ctypes.CDLL(None)
		os.chroot(root)
		os.chdir("/")
		for number in range(64):
		    if number not in keep:
		        libc.prctl(24, number, 0, 0, 0)     # PR_CAPBSET_DROP
		libc.prctl(38, 1, 0, 0, 0)                  # PR_SET_NO_NEW_PRIVS
		os.execve(argv[0], argv, dict(os.environ))
	END
	# the runtime's: a root that cannot be written, /proc, and each mount
	ip netns exec "an-$id" env -i PATH=/usr/bin NODE_NAME=n1 KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT="$port" \
		unshare --mount --propagation private bash -euc '
		PATH=$PATH:/bin:/usr/sbin:/sbin
		mount --rbind "$1" "$1"
		mount -t proc proc "$1/proc"
		while read -r at path ro <&5; do
			[ "$path" != - ] && from=$2$path || from=$3/token
			mount --rbind "$from" "$1$at"
			[ "$ro" = false ] || mount -o remount,bind,ro "$1$at"
		done 5<"$3/mounts"
		mount -o remount,bind,ro "$1"
		exec python3 "$3/container.py" "$1" "$3/capabilities" "$3/command"' sh "$inside" "$node" "$dir" >"$dir/said" 2>&1 3>&- &
	program=$!
	pids+=($program)
}

# manifest DIRECTORY - the DaemonSet's pod, as kustomize makes it
manifest() {
	"$top/tests/artefact/manifests.py" render "$1" | jq -c 'select(.kind == "DaemonSet").spec.template.spec' >"$dir/pod"
	echo "$dir/pod"
}

@test "the DaemonSet's container publishes with its token, its mounts and its capabilities, and needs no more" {
	prepare /node
	echo '{"logFile": "/var/log/devinfo.log"}' >"$node/etc/cni/net.d/devinfo.d/devinfo.json"
	pod
	in_pod "$(manifest "$top/install/manifests/overlays/publish")"
	eventually published
	grep -q 'the log goes to stderr' "$dir/said"
	[ "$(sed -n 's/^CapPrm:\t*//p' "/proc/$program/status")" = 0000000000000004 ]
	# a new token, as kubelet writes it
	order '{"tokens": ["better"]}' >/dev/null
	echo better >"$dir/token/token.new"
	mv "$dir/token/token.new" "$dir/token/token"
	pod
	eventually published
	kill "$program"
	wait "$program"
	[ -s "$node/var/lib/cni/devinfo/publish/written.json" ]
	[ -z "$(find "$node" -newer "$dir/token/token" -type f ! -path "$node/var/lib/cni/devinfo/publish/written.json")" ]
}

# devices - the kustomization with the component for them, $dir/m/mine, and what a node has for it
devices() {
	mkdir -p "$dir/m/mine"
	cp -r "$top/install/manifests/." "$dir/m"
	printf '%s\n' 'apiVersion: kustomize.config.k8s.io/v1beta1' 'kind: Kustomization' 'resources: [../overlays/publish]' \
		'components: [../components/publish-devices]' >"$dir/m/mine/kustomization.yaml"
	ln -s ../run "$node/var/run"
	mkdir -p "$node/dev" "$node/usr/bin" "$node/run/secrets/kubernetes.io/serviceaccount"
}

@test "so does the one that looks at the node's devices: slices, by the node's own directories" {
	prepare /node
	mkdir -p "$node"/{proc,sys}
	devices
	mount -t proc proc "$node/proc"
	mount --rbind /sys "$node/sys"
	pod
	in_pod "$(manifest "$dir/m/mine")"
	eventually published
	[ "$(sed -n 's/^CapPrm:\t*//p' "/proc/$program/status")" = 0000000000001004 ]
	eventually grep -q '"method":"GET","path":"/apis/resource.k8s.io/v1/resourceslices"' "$dir/requests"
	# it remembers both what pods have of it and the generation of slices
	eventually test -s "$node/var/lib/cni/devinfo/publish/written.json"
	kill "$program"
	wait "$program"
	umount -l "$node/proc" "$node/sys"
}

EVENTS=/apis/events.k8s.io/v1/namespaces/default/events
# has_events REASON... - of all that there are, oldest first
has_events() { [[ $(order "{\"list\": \"^$EVENTS/\"}" | jq -r 'sort_by(.eventTime) | map(.reason) | join(" ")') == "$*" ]]; }

@test "and so are Events written: from within a pod, by its token, of what devinfod tells on the node" {
	prepare /node
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	devices
	mkdir -p "$node/proc"
	mount -t proc proc "$node/proc"
	local pf=$node/sys/bus/pci/devices/0000:01:00.0/net/eth0
	echo 1 >"$pf/carrier"
	echo 0x1003 >"$pf/flags"
	echo '{"resourceList": [{"resourceName": "vf", "selectors": {"pfNames": ["eth0"]}}]}' >"$dir/pools.json"
	echo "{\"root\": \"$node\"}" >"$dir/devinfo.json"
	DEVINFO_CONF=$dir/devinfo.json "$static/devinfod" --config-file "$dir/pools.json" >"$dir/devinfod" 2>&1 3>&- &
	local daemon=$!
	pids+=("$daemon")
	eventually grep -q 'devinfod has started' "$dir/devinfod"
	pod
	in_pod "$(manifest "$dir/m/mine")"
	eventually published
	# it hears devinfod, which tells of the pod's device that the attachment is of an earlier boot
	eventually has_events DeviceUnhealthy
	echo 0x1002 >"$pf/flags"
	kill -HUP "$daemon"
	eventually has_events DeviceUnhealthy DeviceUnhealthy
	order "{\"list\": \"^$EVENTS/\"}" | jq -e 'sort_by(.eventTime)[1] | .note == "intel.com/vf: 1 device cannot be used, its PF eth0 is down: 0000:01:10.2" and
		.regarding == {apiVersion: "v1", kind: "Node", name: "n1", uid: "7d3c0f5e-0000-4000-8000-000000000001"}'
	# a new token, as kubelet writes it
	order '{"tokens": ["better"]}' >/dev/null
	echo better >"$dir/token/token.new"
	mv "$dir/token/token.new" "$dir/token/token"
	echo 0x1003 >"$pf/flags"
	kill -HUP "$daemon"
	eventually has_events DeviceUnhealthy DeviceUnhealthy DeviceHealthy
	grep -q '"status":401' "$dir/requests"
	kill "$program"
	wait "$program"
	umount -l "$node/proc"
}
