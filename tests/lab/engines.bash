# SPDX-License-Identifier: Apache-2.0
# engines.bash - podman and containerd as they start in the lab's machine: no systemd, no registry,
# everything in the guest's memory, one folder of networks and one of plugins for both
# shellcheck shell=bash

ENGINES=/run/engines
NETS=/etc/cni/net.d
BIN=/opt/cni/bin
IMAGE=localhost/page:1
export CONTAINERS_CONF=$ENGINES/containers.conf CONTAINERS_STORAGE_CONF=$ENGINES/storage.conf
export CONTAINERD_ADDRESS=$ENGINES/containerd.sock

# An image of busybox alone, whose command serves one page: also what a sandbox runs.
make_image() {
	local dir=$ENGINES/image applet
	mkdir -p "$dir"/root/{bin,dev,etc,proc,sys,www}
	cp /bin/busybox "$dir/root/bin/"
	for applet in cat httpd ip ping sh sleep; do
		ln -s busybox "$dir/root/bin/$applet"
	done
	echo "a page of the container" >"$dir/root/www/index.html"
	tar -C "$dir/root" -cf "$dir/layer.tar" .
	cat >"$dir/config.json" <<-JSON
		{"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers",
			"diff_ids": ["sha256:$(sha256sum "$dir/layer.tar" | cut -d' ' -f1)"]},
		"config": {"Env": ["PATH=/bin"], "Cmd": ["httpd", "-f", "-p", "80", "-h", "/www"]}}
	JSON
	cat >"$dir/manifest.json" <<-JSON
		[{"Config": "config.json", "RepoTags": ["$IMAGE"], "Layers": ["layer.tar"]}]
	JSON
	tar -C "$dir" -cf "$ENGINES/image.tar" manifest.json config.json layer.tar
}

make_folders() {
	mkdir -p "$ENGINES/nets" "$ENGINES/bin" "$NETS" "$BIN"
	ln -s /usr/lib/cni/* "$ENGINES/bin/"
	cp "$BUILD/bin/devinfo" "$ENGINES/bin/"
	mount --bind "$ENGINES/nets" "$NETS"	# where ctr looks, and nowhere else
	mount --bind "$ENGINES/bin" "$BIN"
}

podman_up() {
	cat >"$CONTAINERS_CONF" <<-CONF
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "none"
		runtime = "crun"
		[network]
		network_backend = "cni"
		cni_plugin_dirs = ["$BIN"]
		network_config_dir = "$NETS"
		[containers]
		log_driver = "none"
	CONF
	cat >"$CONTAINERS_STORAGE_CONF" <<-CONF
		[storage]
		driver = "vfs"
		runroot = "$ENGINES/podman/run"
		graphroot = "$ENGINES/podman/graph"
	CONF
	podman load -q -i "$ENGINES/image.tar"
}

containerd_up() {
	cat >"$ENGINES/containerd.toml" <<-CONF
		version = 2
		root = "$ENGINES/containerd/root"
		state = "$ENGINES/containerd/state"
		disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
			"io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]
		[grpc]
		address = "$CONTAINERD_ADDRESS"
		[plugins."io.containerd.grpc.v1.cri"]
		sandbox_image = "$IMAGE"
		disable_apparmor = true
		[plugins."io.containerd.grpc.v1.cri".cni]
		bin_dir = "$BIN"
		conf_dir = "$NETS"
		[plugins."io.containerd.grpc.v1.cri".containerd]
		snapshotter = "native"
	CONF
	containerd -c "$ENGINES/containerd.toml" >"$ENGINES/containerd.log" 2>&1 3>&- &
	echo $! >"$ENGINES/containerd.pid"
	for ((i = 0; i < 300; i++)); do
		[ -S "$CONTAINERD_ADDRESS" ] && ctr version >/dev/null 2>&1 && break
		sleep 0.1
	done
	ctr image import --snapshotter native "$ENGINES/image.tar"
}

engines_up() {
	make_image
	make_folders
	podman_up
	containerd_up
}

engines_down() { kill "$(cat "$ENGINES/containerd.pid")"; }

# Neither a monitor nor a shim may hold on to what bats waits for.
podman() { command podman "$@" 3>&-; }
ctr() { command ctr -n k8s.io "$@" 3>&-; }
cri() { tests/lab/cri.py "$CONTAINERD_ADDRESS" "$@" 3>&-; }

# remove_all: whatever a failed test has left
remove_all() {
	local id
	podman pod rm -fat 0
	podman rm -fat 0
	for id in $(cri list); do
		cri remove "$id"
	done
	for id in $(ctr task ls -q); do
		ctr task kill -s 9 "$id"
	done
	by_hand DEL
	pod_del hand
	ip link del br0
} >/dev/null 2>&1

# network NAME VERSION PLUGINS: a conflist; the only one unless KEEP is set.  (jq takes as long in the
# machine as a plugin does, so nothing here uses it twice.)
network() {
	[ -n "${KEEP:-}" ] || rm -f "$NETS"/*.conflist
	echo "{\"cniVersion\": \"$2\", \"name\": \"$1\", \"plugins\": [$3]}" >"$ENGINES/new"
	mv "$ENGINES/new" "$NETS/$1.conflist"
}

# keep NETWORK CONTAINER: from what libcni keeps of an ADD, the $address, the $netns where the version
# tells it, and for replay $cni_args and each plugin's type and configuration
keep() {
	local line
	cp "/var/lib/cni/results/$1-$2-eth0" "$ENGINES/cache"
	info=/var/run/k8s.cni.cncf.io/devinfo/cni/$1-$2_eth0
	cp "$info" "$ENGINES/info" 2>/dev/null || rm -f "$ENGINES/info"
	mapfile -t line < <(jq -r '(.capabilityArgs // {}) as $all | (.result | .ips[0].address? // .ip4.ip),
		([.result.interfaces[]?.sandbox // empty | split("/")[-1]][0] // ""),
		([.cniArgs[]? | join("=")] | join(";")),
		(.config | @base64d | fromjson | {cniVersion, name} as $list | .plugins[] | $list + .
		| .capabilities as $can | .runtimeConfig = ($all | with_entries(select(.key as $k | $can | .[$k]?)))
		| if .runtimeConfig == {} then del(.runtimeConfig) else . end | "\(.type) \(tojson)")' "$ENGINES/cache")
	# shellcheck disable=SC2034 # for the tests
	address=${line[0]} netns=${line[1]}
	cni_args=${line[2]} plugins=("${line[@]:3}")
}

# by_hand ADD|DEL: what libcni does with what was kept, for a container "hand"; the result in $answer
by_hand() {
	local i at conf result=
	[ "$1" = ADD ] || result=$answer
	for ((i = 0; i < ${#plugins[@]}; i++)); do
		at=$i
		[ "$1" = ADD ] || at=$((${#plugins[@]} - 1 - i))
		conf=${plugins[at]#* }
		[ -z "$result" ] || conf="${conf%\}}, \"prevResult\": $result}"
		answer=$(CNI_COMMAND=$1 CNI_CONTAINERID=hand CNI_IFNAME=eth0 CNI_NETNS=/run/netns/hand CNI_PATH=$BIN \
			CNI_ARGS=$cni_args "$BIN/${plugins[at]%% *}" <<<"$conf") || { echo "$conf: $answer" >&2; return 1; }
		[ "$1" = DEL ] || result=$answer
	done
}

# replay: the kept ADD by hand gives the same result and the same device-info; and DEL.  Left out is
# what no two attachments share, and the empty dns that libcni adds.
replay() {
	pod_new hand
	by_hand ADD
	jq -n --slurpfile cache "$ENGINES/cache" --argjson hand "$answer" 'def alike:
			del(.interfaces[]?.sandbox, .ips[]?.address) | if .dns == {} then del(.dns) else . end
			| .interfaces[]? |= if .name | test("^(veth|bwp)") then del(.name) else . end
			| if .interfaces | length > 1 then del(.interfaces[].mac) else . end;
		($cache[0].result | alike) as $engine | ($hand | alike) as $hand
		| if $engine == $hand then empty else {$engine, $hand} | tojson | halt_error(1) end'
	[ ! -e "$ENGINES/info" ] || diff "$ENGINES/info" /var/run/k8s.cni.cncf.io/devinfo/cni/*-hand_eth0 >&2
	by_hand DEL
	pod_del hand
}
