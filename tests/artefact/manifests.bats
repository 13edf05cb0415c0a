#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# manifests.bats - install/manifests is what the API server, kustomize and Multus take, and says what is true of the
# images and of the examples
#
# rooms: -

load helpers

setup() {
	m=$top/install/manifests
	cd "$m"
	mapfile -t files < <(find . -name '*.yaml' | sort)
	mapfile -t made < <(grep -l '^kind: Kustomization$' "${files[@]}" | xargs -n1 dirname)
}

version() { "$build/bin/devinfoctl" --version | cut -d ' ' -f 2; }
check() { "$top/tests/artefact/manifests.py" check "$(version)" "$@"; }
render() { "$top/tests/artefact/manifests.py" render "$@"; }
pod() { jq -c 'select(.kind == "DaemonSet").spec.template.spec'; }

@test "each member of each object is one of the API's, of its type, and none is missing" {
	[ "${#files[@]}" -ge 25 ]
	run check "${files[@]}"
	[ "$output" = "" ]
	[ "$status" -eq 0 ]
}

@test "so is what kustomize makes of each directory" {
	[ "${#made[@]}" -ge 6 ]
	run check "${made[@]}"
	[ "$output" = "" ]
	[ "$status" -eq 0 ]
}

@test "each file is reached from a kustomization, and each directory from the page" {
	reached=$({
		for dir in "${made[@]}" components/*; do
			/usr/bin/python3 -c 'import sys, yaml
for name in yaml.safe_load(open(sys.argv[1] + "/kustomization.yaml")).get("resources", []): print(sys.argv[1] + "/" + name)' "$dir"
		done
	} | xargs realpath --relative-to=. | grep 'yaml$' | sort -u)
	[ "$reached" = "$(printf '%s\n' "${files[@]#./}" | grep -v kustomization.yaml | sort)" ]
	for dir in "${made[@]#./}" components/*; do
		grep -qF "\`${dir%/}\`" README.md || { echo "$dir"; false; }
	done
}

# planted SED... - what is said of the base's DaemonSet with this mistake in it
planted() {
	sed -E "$1" base/daemonset.yaml >"$BATS_TEST_TMPDIR/planted.yaml"
	[ -n "$(cmp base/daemonset.yaml "$BATS_TEST_TMPDIR/planted.yaml")" ]
	run check "$BATS_TEST_TMPDIR/planted.yaml"
	[ "$status" -eq 1 ]
}

@test "a mistake is told: a misspelt member, a wrong place, type or value, one that is missing or there twice" {
	planted 's/priorityClassName/priorityClasName/'
	[[ $output == *"spec.template.spec.priorityClasName: PodSpec has no such member" ]]
	planted 's/maxUnavailable: 5%/maxUnavailable: many/'
	[[ $output == *"'many' is no count" ]]
	planted 's/minReadySeconds: 10/minReadySeconds: "10"/'
	[[ $output == *"'10' is no int" ]]
	planted 's/hostNetwork: true/hostNetwork: "yes"/'
	[[ $output == *"'yes' is no bool" ]]
	planted 's/^apiVersion: apps.v1/apiVersion: apps\/v1beta1/'
	[[ $output == *"no kind that kubernetes.fields has: apps/v1beta1 DaemonSet" ]]
	planted 's/^  selector:/  selektor:/'
	[[ $output == *"DaemonSetSpec has no such member"*"spec: lacks selector"* ]]
	planted 's/^      hostNetwork: true/      tolerationSeconds: 3/'
	[[ $output == *"PodSpec has no such member" ]]
	planted 's/type: RuntimeDefault/type: runtime/'
	[[ $output == *"'runtime' is none of RuntimeDefault|Unconfined|Localhost" ]]
	planted 's/enableServiceLinks: false/hostNetwork: false/'
	[[ $output == *"hostNetwork is there twice" ]]
	planted 's/memory: 64Mi/memory: 64MiB/'
	[[ $output == *"'64MiB' is no quantity" ]]
}

@test "so is what is wrong between its parts" {
	planted '0,/- name: cni-bin/s/- name: cni-bin/- name: other/'
	[[ $output == *"there is no volume other"* ]]
	[[ $output == *"volume cni-bin is mounted nowhere"* ]]
	planted '/^      labels:/,/spec:/s/component: plugin/component: other/'
	[[ $output == *"its selector does not select its pods" ]]
	planted 's/image: localhost.devinfo-cni:.*/image: localhost\/devinfo-cni:9.9.9/'
	[[ $output == *"no image of ours: localhost/devinfo-cni:9.9.9"* ]]
	# a node would ask docker.io for it
	planted 's/image: localhost.devinfo-cni:/image: devinfo-cni:/'
	[[ $output == *"no image of ours: devinfo-cni:"* ]]
	planted 's/readOnlyRootFilesystem: true/readOnlyRootFilesystem: false/'
	[[ $output == *"may do more than it must"* ]]
	planted 's/- DAC_OVERRIDE/- SYS_MODULE/'
	[[ $output == *"its capabilities" ]]
}

@test "a patch of something that is not there, and a file from above, are told" {
	cp -r "$m" "$BATS_TEST_TMPDIR/m"
	cd "$BATS_TEST_TMPDIR/m"
	sed -i 's/name: devinfo$/name: devinfo-x/' overlays/single-node/kustomization.yaml
	run check overlays/single-node
	[[ $output == *"a patch is of nothing"* ]]
	sed -i 's,/spec/minReadySeconds,/spec/minReadySecond,; s/name: devinfo-x/name: devinfo/' overlays/single-node/kustomization.yaml
	run check overlays/single-node
	[ "$status" -eq 1 ]
	sed -i 's,\.\./namespace,../namespace/namespace.yaml,' base/kustomization.yaml
	run check base
	[[ $output == *"kustomize takes no file from above"* ]]
}

# with NAME DIRECTORY COMPONENT... - a kustomization of one's own, beside a copy of ours
with() {
	local name=$1 component
	mkdir -p "$BATS_TEST_TMPDIR/m/$name"
	cp -r "$m/." "$BATS_TEST_TMPDIR/m"
	printf '%s\n' 'apiVersion: kustomize.config.k8s.io/v1beta1' 'kind: Kustomization' 'resources:' "  - ../$2" 'components:' \
		>"$BATS_TEST_TMPDIR/m/$name/kustomization.yaml"
	shift 2
	for component; do echo "  - ../components/$component"; done >>"$BATS_TEST_TMPDIR/m/$name/kustomization.yaml"
}

@test "a component goes with each directory that the page says: Talos has no spc_t, OpenShift another directory" {
	for dir in base overlays/single-node overlays/uninstall overlays/nfd overlays/resourceslices overlays/networks overlays/daemon overlays/gc overlays/publish; do
		with mine "$dir" talos
		run check "$BATS_TEST_TMPDIR/m/mine"
		[ "$output" = "" ]
		render "$dir" | grep -q spc_t
		run ! grep spc_t <(render "$BATS_TEST_TMPDIR/m/mine")
		with mine "$dir" openshift
		run check "$BATS_TEST_TMPDIR/m/mine"
		[ "$output" = "" ]
		account=$(render "$dir" | pod | jq -r .serviceAccountName)
		render "$BATS_TEST_TMPDIR/m/mine" | jq -es --arg name "$account" \
			'any(.[]; .kind == "RoleBinding" and any(.subjects[]; .name == $name))'
		run ! grep -F /opt/cni/bin <(render "$BATS_TEST_TMPDIR/m/mine" | pod | jq -c '.volumes')
	done
	for dir in base overlays/single-node overlays/uninstall; do
		with mine "$dir" replace-sriov talos node-file
		run check "$BATS_TEST_TMPDIR/m/mine"
		[ "$output" = "" ]
		render "$BATS_TEST_TMPDIR/m/mine" | pod | jq -e '.initContainers | map(.name)[0] == "check" and
			(.[1].args | index("--names=sriov,ib-sriov")) != null'
	done
}

@test "two directories with the same object are not one kustomization, and the page says so" {
	with mine base
	sed -i 's,^components:,  - ../overlays/nfd,' "$BATS_TEST_TMPDIR/m/mine/kustomization.yaml"
	run check "$BATS_TEST_TMPDIR/m/mine"
	[[ $output == *"kustomize takes no object twice: Namespace devinfo"* ]]
	grep -qF 'a kustomization of its own' README.md
}

@test "the single node's container that waits takes away all that its first one can install" {
	with mine overlays/single-node replace-sriov
	render "$BATS_TEST_TMPDIR/m/mine" | pod >"$BATS_TEST_TMPDIR/pod"
	bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	echo theirs >"$bin/sriov"
	mapfile -t install < <(jq -r '.initContainers[0].args[]' "$BATS_TEST_TMPDIR/pod")
	mapfile -t wait < <(jq -r '.containers[0] | .command[1:][], .args[]' "$BATS_TEST_TMPDIR/pod" | grep -v state-dir)
	"$build/bin/devinfo-pod" install "${install[@]}" --cni-bin-dir="$bin" --plugin="$build/bin/devinfo"
	[ "$(ls "$bin" | tr '\n' ' ')" = "devinfo ib-sriov sriov sriov.replaced " ]
	"$build/bin/devinfo-pod" "${wait[@]}" --cni-bin-dir="$bin" >"$BATS_TEST_TMPDIR/said" 3>&- &
	for ((i = 0; i < 100; i++)); do ! grep -q waiting "$BATS_TEST_TMPDIR/said" || break; sleep 0.1; done
	kill $!
	wait $!
	[ "$(ls "$bin")" = sriov ]
	[ "$(cat "$bin/sriov")" = theirs ]
}

@test "an option that a container has is one of its program's" {
	with devices overlays/publish publish-devices
	for dir in "${made[@]}" "$BATS_TEST_TMPDIR/m/devices" example; do
		[ "$dir" != example ] || { example && dir=$BATS_TEST_TMPDIR/m/example; }
		render "$dir" | pod | jq -r '(.initContainers // []) + .containers | .[] |
			select((.image | test("devinfo-cni")) or ((.command // [""])[0] | test("devinfo-p(od|ublish)"))) |
			((.command // ["-", "install"])[1] // empty), ((.command // [])[2:] + (.args // []) | .[] | select(startswith("--")) | sub("=.*"; ""))'
	done | sort -u >"$BATS_TEST_TMPDIR/said"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/said")" -ge 8 ]
	"$build/bin/devinfo-pod" --help >"$BATS_TEST_TMPDIR/help"
	"$build/bin/devinfoctl" help export >>"$BATS_TEST_TMPDIR/help"
	"$build/bin/devinfod" --help >>"$BATS_TEST_TMPDIR/help"
	"$build/bin/devinfo-publish" --help >>"$BATS_TEST_TMPDIR/help"
	while read -r word; do
		grep -qwF -- "$word" "$BATS_TEST_TMPDIR/help" || [ "$word" = --filename ] || { echo "$word"; false; }
	done <"$BATS_TEST_TMPDIR/said"
}

@test "the exporters ask for what devinfoctl prints" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/crash.node" "$BATS_TEST_TMPDIR/node"
	for part in nfd:export resourceslices:first-export resourceslices:export; do
		mapfile -t command < <(render "overlays/${part%:*}" | pod | jq -r --arg name "${part#*:}" \
			'(.initContainers // []) + .containers | .[] | select(.name == $name).command[]' |
			sed '1,/^devinfoctl$/d; s/[$](NODE_NAME)/n1/')
		[ "${command[0]}" = export ]
		[ "${command[1]}" != nfd ] || unset 'command[-1]'	# its directory
		run --separate-stderr "$build/bin/devinfo-pod" every 0 "$build/bin/devinfoctl" --root "$BATS_TEST_TMPDIR/node" \
			"${command[@]}"
		[ "$status" -eq 0 ]
		[ -n "$output" ]
	done
	jq -e '.items[0].kind == "ResourceSlice"' <<<"$output"
}

@test "devinfod's container may do what devinfod keeps, and its example of pools is one" {
	pod=$(render overlays/daemon | pod)
	[ "$(jq -r '.containers[0].securityContext.capabilities.add[] | select(. != "SYS_CHROOT") | "CAP_\(.)"' <<<"$pod")" = \
		"$(grep -oE 'CAPABILITY\(CAP_[A-Z_]+' "$top/daemon/confine.c" | sed 's/.*(//' | sort)" ]
	# each place is the node's own, below /host and not behind a link
	jq -e '(.volumes | map({key: .name, value: .hostPath.path}) | from_entries) as $of | .containers[0].volumeMounts |
		all(.[] | select(.name != "host" and .name != "pools"); .mountPath == "/host" + $of[.name])' <<<"$pod"
	[ "$(jq -r '.containers[0].volumeMounts[] | select(.readOnly | not).mountPath' <<<"$pod" | sort | tr '\n' ' ')" = \
		"/host/run/cdi /host/run/devinfo /host/run/k8s.cni.cncf.io /host/var/lib/cni /host/var/lib/kubelet/device-plugins " ]
	# what is said of the pools is where they are mounted
	[ "/host$(jq -r '.containers[0].args[0] | sub("--config-file="; "")' <<<"$pod")" = \
		"$(jq -r '.containers[0].volumeMounts[] | select(.name == "pools").mountPath' <<<"$pod")/config.json" ]
	render overlays/daemon | jq -r 'select(.kind == "ConfigMap").data["config.json"]' >"$BATS_TEST_TMPDIR/config.json"
	configmap "$BATS_TEST_TMPDIR/mounted" "$BATS_TEST_TMPDIR/config.json"
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$BATS_TEST_TMPDIR/node"
	"$build/bin/devinfoctl" --root "$BATS_TEST_TMPDIR/node" scan --pool "$BATS_TEST_TMPDIR/mounted/config.json" | grep -qw example.com/vf
}

@test "the container that releases may do what devinfo-gc.service may, but for VFIO, and runs what that runs" {
	pod=$(render overlays/gc | pod)
	unit=$top/install/devinfo-gc.service
	diff <(jq -r '.containers[0].securityContext.capabilities.add[] | "CAP_\(.)"' <<<"$pod" | grep -v CAP_SYS_CHROOT) \
		<(sed -n 's/^CapabilityBoundingSet=//p' "$unit" | tr ' ' '\n' | grep -v CAP_SYS_RAWIO | sort)
	# what is written is what the unit says, each place the node's own
	[ "$(jq -r '[.containers[0].volumeMounts[] | select(.readOnly | not).mountPath | sub("/host"; "")] | sort | join(" ")' <<<"$pod")" = \
		"$(sed -n 's/^ReadWritePaths=//p' "$unit" | tr -d - | tr ' ' '\n' | sort | paste -sd ' ')" ]
	jq -e '(.volumes | map({key: .name, value: .hostPath.path}) | from_entries) as $of | .hostNetwork and
		all(.containers[0].volumeMounts[] | select(.name != "host"); .mountPath == "/host" + $of[.name])' <<<"$pod"
	# namespaces of containers that come later are seen as well
	jq -e 'all(.containers[0].volumeMounts[] | select(.name == "host" or .name == "run"); .mountPropagation == "HostToContainer")' <<<"$pod"
	mapfile -t command < <(jq -r '.containers[0].command[]' <<<"$pod")
	[ "${command[*]:3}" = "devinfo-pod chroot /host $(sed -n 's/^ExecStart=//p' "$unit")" ]
	mkdir "$BATS_TEST_TMPDIR/run"
	echo "{\"stateDir\": \"$BATS_TEST_TMPDIR/state\", \"runDir\": \"$BATS_TEST_TMPDIR/run\"}" >"$BATS_TEST_TMPDIR/devinfo.json"
	DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json run "$build/bin/devinfo-pod" every 0 "$build/bin/devinfoctl" "${command[@]:7}"
	[ "$status" -eq 0 ]
	# and where devinfod is, the page says who releases
	grep -qF '`overlays/gc`' README.md
}

# configmap DIRECTORY FILE... - those files as kubelet mounts a ConfigMap: links, and one link that is replaced
configmap() {
	local new
	new=$1/..$RANDOM$RANDOM
	mkdir -p "$new"
	cp "${@:2}" "$new"
	ln -s "${new##*/}" "$1/..data_tmp"
	mv -T "$1/..data_tmp" "$1/..data"
	find "$1" -mindepth 1 -maxdepth 1 -name '[!.]*' -delete
	for file in "${@:2}"; do ln -s "..data/${file##*/}" "$1/"; done
}

# mirror - what the container of overlays/networks does once, with directories of the test's
mirror() {
	local -a command
	mapfile -t command < <(render overlays/networks | pod | jq -r '.containers[0].command[]' |
		sed "s,^/usr/bin/devinfo-pod$,$build/bin/devinfo-pod,; s/^20$/0/; s,^/definitions,$w/definitions,; s,^/host/networks,$w/node,")
	[ "${command[*]}" = "$build/bin/devinfo-pod every 0 devinfo-pod mirror $w/definitions $w/node/current" ]
	PATH=$build/bin:$PATH run --separate-stderr "${command[@]}"
}

@test "what the ConfigMap of networks has is on the node as plain files of root's, in one step" {
	w=$BATS_TEST_TMPDIR
	mkdir "$w/node" "$w/have"
	render overlays/networks | jq -c 'select(.kind == "ConfigMap").data' >"$w/data"
	for name in $(jq -r 'keys[]' "$w/data"); do jq -j --arg n "$name" '.[$n]' "$w/data" >"$w/have/$name"; done
	configmap "$w/definitions" "$w"/have/*
	(umask 077 && mirror && [ "$output" = "$w/node/current has 2 files now" ])
	[ "$(readlink "$w/node/current")" = current.a ]
	diff -r "$w/have" "$w/node/current"
	[ "$(find "$w/node/current/" -type f -user "$UID" -perm 644 | wc -l)" -eq 2 ]
	# they are networks as the plugin reads them, and nothing is wrong with them
	echo "{\"networksDir\": \"$w/node/current\"}" >"$w/devinfo.json"
	DEVINFO_CONF=$w/devinfo.json run --separate-stderr "$build/bin/devinfoctl" networks -o name
	[ "$status" -eq 0 ]
	[ "$output" = $'storage\ndefault/sriov' ]
	[ -z "$stderr" ]
	# what has not changed stays
	before=$(stat -c '%i %Y %Z' "$w/node/current" "$w"/node/current/*)
	mirror
	[ -z "$output" ]
	[ "$(stat -c '%i %Y %Z' "$w/node/current" "$w"/node/current/*)" = "$before" ]
	# one that changes, one that is new and one that went; who reads the older ones has them still
	echo '{"cniVersion":"1.0.0","name":"lan","type":"macvlan"}' >"$w/have/lan.conf"
	sed -i s/eth1/eth2/ "$w/have/storage.conflist"
	configmap "$w/definitions" "$w/have/lan.conf" "$w/have/storage.conflist"
	exec 7<"$w/node/current"
	mirror
	[ "$output" = "$w/node/current has 2 files now" ]
	[ "$(cd "$w/node/current" && echo *)" = 'lan.conf storage.conflist' ]
	cmp "$w/have/storage.conflist" "$w/node/current/storage.conflist"
	[ "$(cd /proc/self/fd/7/ && echo *)" = 'sriov.yaml storage.conflist' ]
	exec 7<&-
	rm "$w/have/lan.conf"
	configmap "$w/definitions" "$w/have/storage.conflist"
	mirror
	[ "$(cd "$w/node/current" && echo *)" = storage.conflist ]
	[ "$(cd "$w/node" && echo *)" = 'current current.a current.b' ]
	# what others could have changed, or has gone, is made anew
	chmod g+w "$w/node/current/storage.conflist"
	mirror
	[ "$(stat -L -c %a "$w/node/current/storage.conflist")" = 644 ]
	rm "$w/node/current/storage.conflist"
	mirror
	cmp "$w/have/storage.conflist" "$w/node/current/storage.conflist"
}

@test "a mirror of networks that cannot be made leaves what is there" {
	w=$BATS_TEST_TMPDIR
	mkdir "$w/node" "$w/have"
	echo '{"cniVersion":"1.0.0","name":"lan","type":"macvlan"}' >"$w/have/lan.conf"
	configmap "$w/definitions" "$w/have/lan.conf"
	mirror
	[ "$status" -eq 0 ]
	unchanged() {
		mirror
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == *"$1"* ]] || { echo "$stderr" && false; }
		[ "$(cat "$w/node/current/lan.conf")" = '{"cniVersion":"1.0.0","name":"lan","type":"macvlan"}' ]
	}
	mv "$w/definitions" "$w/other"
	unchanged "open the directory '$w/definitions'"
	mv "$w/other" "$w/definitions"
	truncate -s 16777217 "$w/have/big.yaml"
	configmap "$w/definitions" "$w/have/lan.conf" "$w/have/big.yaml"
	unchanged "'big.yaml' has 16777217 bytes"
	echo '{}' >"$w/have/big.yaml"
	configmap "$w/definitions" "$w/have/lan.conf" "$w/have/big.yaml"
	# killed while it filled the other directory
	mkdir "$w/node/current.b"
	echo torn >"$w/node/current.b/lan.conf"
	ln -s current.b "$w/node/.current.tmp"
	mirror
	[ "$(cd "$w/node/current" && echo *)" = 'big.yaml lan.conf' ]
	cmp "$w/have/lan.conf" "$w/node/current/lan.conf"
	rm "$w/have/big.yaml"
	configmap "$w/definitions" "$w/have/lan.conf"
	# where it stands is not root's alone, or somebody has put something else there
	chmod g+w "$w/node"
	unchanged "must be root's, and not writable by others"
	chmod g-w "$w/node"
	mkdir "$w/site"
	cp "$w/have/lan.conf" "$w/site"
	ln -sfn "$w/site" "$w/node/current"
	echo '{}' >"$w/have/new.yaml"
	configmap "$w/definitions" "$w/have/lan.conf" "$w/have/new.yaml"
	unchanged "leads to '$w/site'"
	rm "$w/node/current"
	cp -r "$w/site" "$w/node/current"
	unchanged "is no link"
}

@test "of a checkout that a link leads to, files are mirrored, and nothing of the repository's own" {
	w=$BATS_TEST_TMPDIR
	mkdir -p "$w/node" "$w/rev-1/.git" "$w/rev-1/deep"
	echo '{"cniVersion":"1.0.0","name":"lan","type":"macvlan"}' >"$w/rev-1/lan.conf"
	echo x >"$w/rev-1/.gitignore"
	ln -s lan.conf "$w/rev-1/link.conf"
	ln -s rev-1 "$w/definitions"
	chmod g+w "$w/rev-1" "$w/rev-1/lan.conf"
	mirror
	[ "$status" -eq 0 ]
	[ "$(cd "$w/node/current" && find . -mindepth 1)" = ./lan.conf ]
	[ "$(stat -c %a "$w/node/current/lan.conf")" = 644 ]
	cp -r "$w/rev-1" "$w/rev-2"
	mv "$w/rev-2/lan.conf" "$w/rev-2/wan.conf"
	ln -sfn rev-2 "$w/definitions"
	mirror
	[ "$(cd "$w/node/current" && find . -mindepth 1)" = ./wan.conf ]
}

# -- networks --

@test "each network has the configuration of its example, which names the same resource" {
	compared=0
	for file in networks/*.yaml; do
		example=$(sed -nE 's,^# The configuration is that of (conf/examples/[a-z-]+\.conflist)\.$,\1,p' "$file")
		[ -n "$example" ] || continue
		/usr/bin/python3 -c 'import sys, yaml; print(yaml.safe_load(open(sys.argv[1]))["spec"]["config"])' "$file" | cmp - <(cat "$top/$example"; echo)
		compared=$((compared + 1))
	done
	[ "$compared" -eq 11 ]
	# all but what shows that sriov-cni's own configuration works, and the entry that attaches such networks
	[ "$compared" -eq $(($(find "$top/conf/examples" -name '*.conflist' | wc -l) - 2)) ]
	render networks | jq -es 'length == 12 and all(.[]; (.spec.config | fromjson) as $conf | .metadata.name == $conf.name and
		(.metadata.annotations["k8s.v1.cni.cncf.io/resourceName"] // null) == ($conf.plugins[0].resourceName // null))'
}

@test "validate-conf has nothing to say of any network" {
	for file in networks/[!k]*.yaml; do
		run "$build/bin/devinfoctl" validate-conf "$file"
		[ "$status" -eq 0 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ $output == *": ok (NetworkAttachmentDefinition, "* ]]
	done
}

# -- the page --

# example - the kustomization of the page, as a directory beside a copy of ours
example() {
	mkdir -p "$BATS_TEST_TMPDIR/m"
	cp -r "$m/." "$BATS_TEST_TMPDIR/m"
	mkdir "$BATS_TEST_TMPDIR/m/example"
	sed -n '/^# kustomization.yaml/,/^```$/p' README.md | grep -v '^```' >"$BATS_TEST_TMPDIR/m/example/kustomization.yaml"
}

@test "the example of the page is a kustomization, and makes what the page says" {
	example
	cd "$BATS_TEST_TMPDIR/m"
	run check example/kustomization.yaml example
	[ "$output" = "" ]
	[ "$(render example | pod | jq -c '.initContainers | map(.name)')" = '["check","install"]' ]
	[ "$(render example | pod | jq -c '.initContainers[1].args')" = \
		'["--no-sleep","--names=","--names=sriov,ib-sriov","--node-file=/conf/devinfo.json"]' ]
	[ "$(render example | pod | jq -r '[.initContainers[].image, .containers[].image] | unique[]' | tr '\n' ' ')" = \
		"images.example.com/devinfo-cni:$(version) images.example.com/devinfo-tools:$(version) " ]
	[ "$(render example | pod | jq -c '.initContainers[1].securityContext.seLinuxOptions')" = null ]
	# and the plugin is asked to do just that
	mkdir "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/net.d"
	mapfile -t args < <(render example | pod | jq -r '.initContainers[1].args[]' |
		sed "s,/conf/,$m/components/node-file/,")
	"$build/bin/devinfo-pod" install "${args[@]}" --cni-bin-dir="$BATS_TEST_TMPDIR/bin" --node-dir="$BATS_TEST_TMPDIR/net.d" \
		--plugin="$build/bin/devinfo"
	cmp "$BATS_TEST_TMPDIR/bin/ib-sriov" "$build/bin/devinfo"
	"$build/bin/devinfoctl" validate-conf "$BATS_TEST_TMPDIR/net.d/devinfo.d/devinfo.json"
}

@test "what the publisher may write, a policy restricts to its node: no role without one" {
	publish=$(render overlays/publish)
	account=system:serviceaccount:devinfo:$(jq -r 'select(.kind == "ServiceAccount").metadata.name' <<<"$publish" | grep publish)
	jq -c 'select(.kind == "ValidatingAdmissionPolicy")' <<<"$publish" >"$BATS_TEST_TMPDIR/policies"
	# GROUP RESOURCE OPERATION of all roles, as admission calls the verbs, is of all policies
	jq -r 'select(.kind == "ClusterRole").rules[] | .apiGroups[] as $group | .resources[] as $resource | .verbs[] |
		{create: "CREATE", update: "UPDATE", patch: "UPDATE", delete: "DELETE"}[.] | select(.) | "\($group) \($resource) \(.)"' \
		<<<"$publish" | sort -u >"$BATS_TEST_TMPDIR/may"
	jq -r '.spec.matchConstraints.resourceRules[] | .apiGroups[] as $group | .resources[] as $resource | .operations[] |
		"\($group) \($resource) \(.)"' "$BATS_TEST_TMPDIR/policies" | sort -u >"$BATS_TEST_TMPDIR/restricted"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/may")" -ge 8 ]
	[ "$(comm -23 "$BATS_TEST_TMPDIR/may" "$BATS_TEST_TMPDIR/restricted")" = "" ]
	# each is about this account, asks whose the token is, denies, and is in force
	jq -es --arg account "$account" 'length == 4 and all(.[]; .spec.failurePolicy == "Fail" and
		.spec.matchConditions[0].expression == "request.userInfo.username == \u0027\($account)\u0027" and
		any(.spec.variables[]; .name == "node" and (.expression | contains("authentication.kubernetes.io/node-name"))) and
		(.spec.validations[0].expression | startswith("variables.node != \u0027\u0027 && ")))' "$BATS_TEST_TMPDIR/policies"
	[ "$(jq -r .metadata.name "$BATS_TEST_TMPDIR/policies" | sort)" = "$(jq -r 'select(.kind == "ValidatingAdmissionPolicyBinding" and
		.spec.validationActions == ["Deny"]).spec.policyName' <<<"$publish" | sort)" ]
	# an Event is its own, of this Node, and of one that is there the series alone
	jq -r 'select(.metadata.name == "devinfo-publish-events").spec.validations[].expression' "$BATS_TEST_TMPDIR/policies" >"$BATS_TEST_TMPDIR/events"
	grep -qF "object.regarding.kind == 'Node' && object.regarding.name == variables.node" "$BATS_TEST_TMPDIR/events"
	grep -qF 'variables.before.regarding == object.regarding && variables.before.note == object.note' "$BATS_TEST_TMPDIR/events"
	controller=$(sed -nE 's/^#define CONTROLLER[[:space:]]+"(.*)"$/\1/p' "$top/daemon/publish/event.c")
	[[ $controller == */publish ]]
	grep -qF "[variables.before, object].all(event, event.reportingController == '$controller')" "$BATS_TEST_TMPDIR/events"
}

# capabilities FILTER - of the container, as capabilities are called; the right to change the root is given up
capabilities() { jq -r '.containers[0].securityContext.capabilities.add[] | select(. != "SYS_CHROOT") | "CAP_\(.)"'; }

@test "the publisher's container may do what devinfo-publish keeps, has its own token, and writes of the node what it has to remember alone" {
	pod=$(render overlays/publish | pod)
	grep -oE 'CAPABILITY\(CAP_[A-Z_]+' "$top/daemon/publish/confine.c" | sed 's/.*(//' | sort >"$BATS_TEST_TMPDIR/keeps"
	[ "$(capabilities <<<"$pod")" = CAP_DAC_READ_SEARCH ]
	grep -qx CAP_DAC_READ_SEARCH "$BATS_TEST_TMPDIR/keeps"
	# each place is the node's own, under its own name, and read; what is remembered is the program's alone
	jq -e '(.volumes | map({key: .name, value: .hostPath.path}) | from_entries) as $of | .containers[0].volumeMounts |
		all(.[] | select(.name != "written"); .readOnly) and all(.[] | select(.name != "token"); .mountPath == $of[.name])' <<<"$pod"
	[ "$(jq -r '.containers[0].volumeMounts[] | select(.name == "journal" or .name == "written").mountPath' <<<"$pod" | tr '\n' ' ')" = \
		"/var/lib/cni/devinfo /var/lib/cni/devinfo/$(sed -nE 's/^#define WRITTEN_DIR[[:space:]]+"(.*)".*/\1/p' "$top/daemon/publish/written.h") " ]
	jq -e '(has("hostNetwork") or has("hostPID")) | not' <<<"$pod"
	# as devinfo-publish looks for them
	[ "$(jq -r '.containers[0].volumeMounts[] | select(.name == "token").mountPath' <<<"$pod")" = \
		"$(sed -n 's/^#define POD_DIR "\(.*\)"$/\1/p' "$top/daemon/api/api_access.c")" ]
	[ "$(jq -r '.containers[0].volumeMounts[] | select(.name == "node-file").mountPath' <<<"$pod")" = \
		"$(sed -n 's/^#define NODE_FILE_DIR[[:space:]]*"\(.*\)"$/\1/p' "$top/conf/node.h")" ]
	jq -e '.containers[0].env == [{name: "NODE_NAME", valueFrom: {fieldRef: {fieldPath: "spec.nodeName"}}}]' <<<"$pod"
	jq -e '[.volumes[] | select(.name == "token").projected.sources[] | .serviceAccountToken.path, .configMap.items[0].path | select(.)] ==
		["token", "ca.crt"]' <<<"$pod"
	# the account is the one that roles and policies are about
	[ "$(jq -r .serviceAccountName <<<"$pod")" = "$(render overlays/publish | jq -r 'select(.kind == "ServiceAccount").metadata.name' | grep publish)" ]
	# what is asked for is what the unit asks for
	[ "$(jq -r '.containers[0].args | join(" ")' <<<"$pod")" = "$(sed -n 's/^Environment=PUBLISH=//p' "$top/install/devinfo-publish.service")" ]

	with devices overlays/publish publish-devices
	run check "$BATS_TEST_TMPDIR/m/devices"
	[ "$output" = "" ]
	pod=$(render "$BATS_TEST_TMPDIR/m/devices" | pod)
	diff <(capabilities <<<"$pod") "$BATS_TEST_TMPDIR/keeps"
	jq -e '.hostNetwork and (.containers[0].args | index("--slices") and index("--annotations"))' <<<"$pod"
	# what it writes is the generation of slices, and what it has to remember
	jq -e '[.volumes[].name] == ["journal", "host", "token"]' <<<"$pod"
	[ "$(jq -r '.containers[0].volumeMounts[] | select(.readOnly | not).mountPath' <<<"$pod")" = /host/var/lib/cni/devinfo ]
	# and the node's /var/run leads to the token
	[ "/host$(sed -n 's/^#define POD_DIR "\/var\(.*\)"$/\1/p' "$top/daemon/api/api_access.c")" = \
		"$(jq -r '.containers[0].volumeMounts[] | select(.name == "token").mountPath' <<<"$pod")" ]
	for component in talos openshift; do
		with devices overlays/publish publish-devices "$component"
		run check "$BATS_TEST_TMPDIR/m/devices"
		[ "$output" = "" ]
	done
}

@test "the policy is about the account that may write slices, and about our driver" {
	slices=$(render overlays/resourceslices)
	account=$(jq -r 'select(.kind == "DaemonSet").spec.template.spec.serviceAccountName' <<<"$slices")
	[ "$(jq -r 'select(.kind == "ClusterRoleBinding").subjects[0].name' <<<"$slices")" = "$account" ]
	[[ $(jq -r 'select(.kind == "ValidatingAdmissionPolicy").spec.matchConditions[0].expression' <<<"$slices") == \
		*"'system:serviceaccount:devinfo:$account'" ]]
	driver=$("$build/bin/devinfoctl" export deviceclass | jq -r '.items[0].spec.selectors[0].cel.expression | split("\"")[1]')
	[[ $driver == *.* ]]
	jq -r 'select(.kind == "ValidatingAdmissionPolicy").spec.validations[].expression' <<<"$slices" | grep -qF "== '$driver'"
	# pools are of all nodes: one of another's name with a later generation would take that node's devices away
	jq -r 'select(.kind == "ValidatingAdmissionPolicy").spec.validations[].expression' <<<"$slices" |
		grep -qxF 'object.spec.pool.name == variables.node'
	[ "$(jq -c 'select(.kind == "ClusterRole").rules' <<<"$slices")" = \
		'[{"apiGroups":["resource.k8s.io"],"resources":["resourceslices"],"verbs":["get","create","patch"]}]' ]
	# who looks at the node has no token, and who has it sees nothing of the node
	pods=$(pod <<<"$slices")
	[ "$(jq -c '[.initContainers[], .containers[]] | map(select(any(.volumeMounts[]; .name == "token")).name)' <<<"$pods")" = '["apply"]' ]
	[ "$(jq -c '.containers[] | select(.name == "apply").volumeMounts | map(.name)' <<<"$pods")" = '["shared","tmp","token"]' ]
}
