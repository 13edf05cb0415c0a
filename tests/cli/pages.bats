#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# pages.bats - each command that the manual pages show is run, on a recorded node
#
# The ADDs and DELs that they show are run by tests/net/readme.bats, the way of a claim by export_dra.bats, what is
# installed and timers by tests/artefact.
#
# rooms: manager/ctl
# bats file_tags=plain

load devinfoctl

setup() {
	ctl_up
	sed 's/web-0/p1/g; s/ens4f0v3/eth4/g; s,intel.com/sriov_netdevice,intel.com/netdev,g' \
		"$top/tests/node/fleet/igb-pods.node" >pods.node
	"$top/tests/node/make-node.sh" pods.node machine
	printf '{"root": "%s", "networksDir": "/etc/nets"}\n' "$PWD/machine" >devinfo.json
	install -D -m 644 "$top/conf/examples/sriov.conflist" machine/etc/nets/sriov.conflist
	# kubelet has given a claim, too, and to p1 one more device than it has attached
	jq -c '.allocations += [{resource: "claim default/nic", id: "0000:01:10.0", driver: "d", pool: "n1", claim_device: "d",
		pod_namespace: "default", pod_name: "p1", container: "app"}, {resource: "intel.com/netdev", id: "0000:01:10.6",
		pod_namespace: "default", pod_name: "p1", container: "app"}]' machine/devinfo-node.json >new
	mv new machine/devinfo-node.json
	mkdir bin
	ln -s "$ctl" bin/devinfoctl
	PATH=$PWD/bin:$PATH
	page=$top/install/man/devinfoctl.8
}

# shown PAGE - what it shows at a prompt, a line each, as a reader has it
shown() {
	awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = 0 }
		sub(/^\.Dl /, "") || on { if (more || /^[$#] /) { printf "%s%s", more ? " " : "", $0; more = /[|\\]$|\\e$/; if (!more) print "" } }' "$1" |
		sed -E 's/\\\(dq/"/g; s/\\&//g; s/(\\e|\\) +/ /g; s/\\ +/ /g; s/\\e/\\/g'
}

@test "devinfoctl(8): each command is one, and answers" {
	cp "$top/tests/node/expected/"claim.yaml .
	cp "$top/tests/node/expected/"{rules.yaml,config.json} .
	echo '{"apiVersion":"resource.k8s.io/v1alpha3","kind":"ResourceSlicePatch","metadata":{"name":"p"},"spec":{"devices":{"attributes":{"example.com/rack":{"string":"r1"}}}}}' >patch.yaml
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"client","path":"/run/7.sock"}}' >net1.json
	echo '{"type":"pci","version":"1.1.0","pci":{"pci-address":"0000:01:10.0"}}' >intel.com-netdev-0000:01:10.0-device.json
	cat >bin/kubectl <<-'END'
		#!/bin/sh
		case $* in
		"get pod"*) echo '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p1","annotations":{"k8s.v1.cni.cncf.io/networks":"bridge"}}}' ;;
		"get net-attach-def"*) echo '{"apiVersion":"k8s.cni.cncf.io/v1","kind":"NetworkAttachmentDefinition","metadata":{"name":"sriov","namespace":"prod"},"spec":{"config":"{\"cniVersion\":\"1.0.0\",\"type\":\"devinfo\",\"device\":\"v0\",\"mac\":\"zz\"}"}}' ;;
		apply*) for word; do case $word in *.json | *.yaml) [ -s "$word" ] || exit 1 ;; esac; done && echo applied ;;
		*) echo done ;;
		esac
	END
	mkdir net.d
	echo '{"cniVersion":"1.0.0","name":"bridge","plugins":[{"type":"bridge"}]}' >net.d/bridge.conflist
	printf '#!/bin/sh\necho "$@"\n' >bin/dpdk-testpmd
	chmod 755 bin/*
	shown "$page" | grep '^[$#] ' | grep -vE 'kubectl (apply|wait)| >(class|slices|status)\.json| class\.json ' >commands
	[ "$(wc -l <commands)" -eq 41 ]
	while read -r _ command <&3; do
		status=0 expected=0
		eval "$command" >said 2>told || status=$?
		case $command in
		"kubectl get net-attach-def"* | "devinfoctl explain"* | "devinfoctl dra select"*) expected=1 ;;
		"devinfoctl watch"* | "devinfoctl events"*) expected=1 ;;	# no devinfod runs
		esac
		[ "$status" -eq "$expected" ] || { echo "$command: $status $(cat told)" && false; }
		# who prints nothing writes
		case $command in
		*features.d | *node.tar | mapfile* | *\ watch* | *\ events*) [ ! -s said ] ;;
		*) [ -s said ] || { echo "$command" && false; } ;;
		esac
	done 3<commands
}

@test "a command of a page that is none is noticed" {
	shown "$page" >before
	sed 's/^\.Dl \$ devinfoctl scan$/.Dl $ devinfoctl skan \\(dqx\\(dq/' "$page" >changed
	shown changed >after
	run ! grep -qxF '$ devinfoctl skan "x"' before
	grep -qxF '$ devinfoctl skan "x"' after
}

@test "devinfo(8): its other commands, and its entry of fstab" {
	shown "$top/install/man/devinfo.8" >commands
	[ "$(CNI_COMMAND=VERSION "${ctl%ctl}" </dev/null | jq -r .cniVersion)" = 1.1.0 ]
	grep -qxF '$ CNI_COMMAND=VERSION devinfo' commands
	# the node's file that it shows is one
	sed -n "s/^# echo '\(.*\)' *>.*devinfo.json\$/\1/p" commands >file.json
	[ -s file.json ]
	run "$ctl" validate-conf file.json
	[ "$status" -eq 0 ]
	[[ $output == *"ok"* ]]
	# each unit that a page names is there
	while read -r unit; do
		[ -e "$top/install/$unit" ] || { echo "$unit" && false; }
	done < <(grep -ohE '(devinfo|run-devinfo)-[a-z-]+\.(timer|service|mount)' "$top"/install/man/* | sort -u)
}

# kubectl_lines FILE... - what pages tell to give kubectl, in a line or in a text: a line each, and no more of a pipe
kubectl_lines() {
	sed -E 's/\\&//g; s/\\-/-/g; s/\\\(dq/"/g; s/^\.(Ql|Dl|Cm) //; s/^[$#] //; s/`(kubectl [^`]+)`/\n\1\n/g' "$@" |
		sed -nE 's/^(kubectl -?[a-z-]+ .*|kubectl version)$/\1/p' | sed -E 's/ [|>].*//; s/ [:;,.]$//; s/[ \\]+$//' |
		grep -vxE 'kubectl (apply|delete -k|get -o yaml)' | sort -u	# which are spoken of
}

@test "each command of kubectl that a page or a service has is one, and its files are" {
	for file in class.json slices.json claim.yaml pod.yaml status.json; do echo '{}' >"$file"; done
	cp -r "$top"/install/manifests/{base,overlays} .
	mkdir networks
	ln -s "$top/tests/fake/kubectl.sh" bin/kubectl
	kubectl_lines "$top"/install/man/* "$top"/README.md "$top"/install/README.md "$top"/install/manifests/README.md >lines
	sed -nE 's/.*\| (kubectl [^'\'']*)'\''$/\1/p' "$top"/install/*.service >>lines
	"$top/tests/artefact/manifests.py" render "$top/install/manifests/overlays/resourceslices" |
		jq -r 'select(.kind == "DaemonSet").spec.template.spec.containers[] | select(.name == "apply").command | index("kubectl") as $i |
			.[$i:] | join(" ") | sub("/shared/"; "")' >>lines
	[ "$(wc -l <lines)" -ge 18 ]
	while read -r line <&3; do
		eval "$line" || { echo "$line" && false; }
	done 3<lines
	# what they select by is what devinfoctl exports, and the API has
	label=$(sed -nE 's/.* -l ([^ =]+)=.*/\1/p' lines | sort -u)
	driver=$(sed -nE 's/.*spec.driver=([^ ]+)$/\1/p' lines)
	devinfoctl export resourceslice --node-name n1 >said
	jq -e --arg label "$label" --arg driver "$driver" '.items | length > 0 and
		all(.[]; .metadata.labels[$label] == "n1" and .spec.driver == $driver)' said
	for wrong in 'kubectl aply -f claim.yaml' 'kubectl apply claim.yaml' 'kubectl apply -f gone.yaml' 'kubectl get -o jsn node' \
		'kubectl delete slices -l a=b' 'kubectl wait --for=ready pod/p1' 'kubectl apply --server-sied -f claim.yaml' \
		'kubectl delete resourceslices --field-selector spec.pool=x'; do
		run ! eval "$wrong"
	done
}
