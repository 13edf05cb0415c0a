#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# nfd_lint.bats - devinfoctl nfd lint: what Node Feature Discovery would not take as meant; no
# privilege needed
#
# rooms: manager/nfd devinfo/manifest

load devinfoctl

setup() {
	ctl_up
}

lint() {
	run --separate-stderr "$ctl" nfd lint "$@"
}

# rules on stdin: the rest of a list of rules; the object around it
rules() {
	printf 'apiVersion: nfd.k8s-sigs.io/v1alpha1\nkind: NodeFeatureRule\nmetadata:\n  name: mine\nspec:\n  rules:\n'
	sed 's/^/  /'
}

@test "N14, N16, N18: a feature file that is as NFD wants it is ok" {
	printf '# comment\n\nvendor.io/a\nvendor.io/b=c\n# +no-label\nraw=any text\n' >good
	lint good
	[ "$status" -eq 0 ]
	says 'good: ok (feature file)'
	# shellcheck disable=SC2154
	[ "$stderr" = "" ]
}

@test "N14: what export nfd prints is ok, with and without labels" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/vdpa-pods.node" node
	"$ctl" --root node export nfd >made
	"$ctl" --root node export nfd --raw --expires 600 >raw
	lint made raw
	[ "$status" -eq 0 ]
	says 'made: ok (feature file)' 'raw: ok (feature file)'
}

@test "N04, N20, N24: lines that give less than they say are warned of, by their line" {
	printf 'a=b\n# +expiry-time=2012-07-28T11:22:33Z\nvendor.io/b\n#+no-label\n# +no-label\n' >warned
	lint warned
	[ "$status" -eq 0 ]
	says "warned:1: warning: label 'a' has no prefix: NFD will no longer add feature.node.kubernetes.io/ one day" \
		'warned:2: warning: expiry-time 2012-07-28T11:22:33Z is past: lines are ignored until the next expiry-time' \
		"warned:4: warning: this line is a comment: a directive begins with '# +'" \
		'warned:5: warning: there is no feature behind this directive' \
		'warned: ok (feature file, 4 warnings)'
}

@test "N23, N24, N34, N74: lines that NFD does not take are errors, by their line" {
	printf '# +expiry-time=soon\n# +no-labels\nkubernetes.io/a=b\nvendor.io/a=b c\n' >bad
	lint bad
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[0]}" == "bad:1: error: expiry-time 'soon' is no time "* ]]
	[[ "${lines[1]}" == "bad:2: error: unknown directive 'no-labels': expected expiry-time, no-feature or no-label" ]]
	[[ "${lines[2]}" == "bad:3: error: label 'kubernetes.io/a': of the namespace kubernetes.io only "* ]]
	[[ "${lines[3]}" == "bad:4: error: label 'vendor.io/a': value 'b c': expected "* ]]
}

@test "N19: a feature file of more than 64 kB is an error as a whole" {
	printf 'vendor.io/a=b\n#%065536d\n' 0 >large
	lint large
	[ "$status" -eq 1 ]
	says 'large: error: 65552 bytes: NFD ignores a feature file of more than 65536'
}

@test "N25: files are read in the order of their names, and what a later one overrides is told" {
	echo vendor.io/a=1 >10-first
	echo vendor.io/a=2 >20-second
	lint 20-second 10-first
	[ "$status" -eq 0 ]
	says '10-first: ok (feature file)' \
		"20-second: warning: label 'vendor.io/a' becomes '2', an earlier file has '1'" \
		"20-second: warning: feature 'vendor.io/a' becomes '2', an earlier file has '1'" \
		'20-second: ok (feature file, 2 warnings)'
}

@test "N15: a file whose name begins with a dot is warned of" {
	echo vendor.io/a=1 >.hidden
	lint .hidden
	[ "$status" -eq 0 ]
	says ".hidden: warning: NFD passes over a name that begins with '.'" \
		'.hidden: ok (feature file, 1 warning)'
}

@test "N26: a hook is refused, with the reason" {
	mkdir source.d
	printf '#!/bin/sh\necho vendor.io/a\n' >script
	printf '\177ELF\001' >binary
	echo vendor.io/a >source.d/plain
	lint script binary source.d/plain
	[ "$status" -eq 1 ]
	why='error: a hook: NFD runs none since v0.17, so what it prints belongs into a file in features.d'
	says "binary: $why" "script: $why" "source.d/plain: $why"
	lint "$PWD/source.d/plain"
	[ "$status" -eq 1 ]
	# a directory that only ends so has none
	mkdir resource.d
	cp source.d/plain resource.d
	lint resource.d/plain
	[ "$status" -eq 0 ]
	says 'resource.d/plain: ok (feature file)'
	printf 'sources:\n  local:\n    hooksEnabled: true\n' >worker.yaml
	lint worker.yaml
	[ "$status" -eq 1 ]
	says 'worker.yaml: error: sources.local.hooksEnabled: NFD runs no hooks since v0.17: write feature files'
}

@test "N07, N35, N70, N71: the guide's rules are ok, but for their labels without prefixes" {
	rules >rules.yaml <<-'EOF'
		- name: "my template rule"
		  labelsTemplate: |
		    {{ range .pci.device }}vendor-{{ .class }}-{{ .device }}.present=true
		    {{ end }}
		  matchFeatures:
		    - feature: pci.device
		      matchExpressions:
		        class: {op: InRegexp, value: ["^02"]}
		        vendor: {op: In, value: ["0fff"]}
		- name: "my sample rule"
		  labels: {"my-sample-feature": "true"}
		  matchFeatures:
		    - feature: kernel.loadedmodule
		      matchExpressions:
		        dummy: {op: Exists}
	EOF
	lint rules.yaml
	[ "$status" -eq 0 ]
	says "rules.yaml: warning: rule 'my sample rule': label 'my-sample-feature' has no prefix: NFD will no longer add feature.node.kubernetes.io/ one day" \
		'rules.yaml: ok (manifest, 1 warning)'
}

@test "N12, N13, N34, N36, N40, N41: what a node may not have is an error of its rule" {
	rules >rules.yaml <<-'EOF'
		- name: outputs
		  labels: {"kubernetes.io/a": "b", "vendor.io/b": "@kernel.config", "vendor.io/c": "@kernel.config.LSM"}
		  annotations: {"kubernetes.io/d": "x"}
		  extendedResources: {"vendor.io/e": "many", "vendor.io/f": "@a.b.c", "vendor.io/g": "3"}
		  taints:
		    - {key: special, effect: NoExecute}
		    - {key: vendor.io/h, effect: Never}
		    - {key: vendor.io/i, value: "x", effect: NoExecute}
	EOF
	lint rules.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 6 ]
	[[ "$output" == *"rules.yaml: error: rule 'outputs': label 'kubernetes.io/a': of the namespace"* ]]
	[[ "$output" == *"rule 'outputs': label 'vendor.io/b': value '@kernel.config': expected @DOMAIN.FEATURE.ELEMENT"* ]]
	[[ "$output" == *"rule 'outputs': annotation 'kubernetes.io/d': of the namespace"* ]]
	[[ "$output" == *"rule 'outputs': extended resource 'vendor.io/e': value 'many': expected a quantity"* ]]
	[[ "$output" == *"rule 'outputs': taint 'special': a name without a prefix"* ]]
	[[ "$output" == *"rule 'outputs': taint 'vendor.io/h': effect 'Never': expected NoSchedule, PreferNoSchedule or NoExecute"* ]]
}

@test "what the schema takes and NFD or the node does not is said to be that, but of custom rules, which have none" {
	rules >rules.yaml <<-'EOF'
		- name: drop
		  labels: {"kubernetes.io/a": "b"}
		  annotations: {"kubernetes.io/d": "x"}
		  extendedResources: {"vendor.io/e": "many"}
		  taints: [{key: vendor.io/h, effect: Never}]
		- name: refuse
		  extendedResources: {"vendor.io/e": "-1"}
		  taints: [{key: vendor.io/h, value: no value, effect: NoSchedule}]
		- name: fault
		  matchFeatures: [{feature: a.b, matchExpressions: {c: {op: Gt, value: [x]}}}]
		- name: text
		  labelsTemplate: "{{ .a"
		- name: form
		  lables: {}
	EOF
	lint rules.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 9 ]
	for i in 0 1 2 3 7; do
		[[ "${lines[i]}" == *": the API server takes the object, NFD drops this" ]]
	done
	[[ "${lines[4]}" == "rules.yaml: error: rule 'refuse': extended resource 'vendor.io/e': value '-1'"*": NFD takes this, and the API server refuses the node with it" ]]
	[[ "${lines[5]}" == "rules.yaml: error: rule 'refuse': taint 'vendor.io/h': value 'no value'"*": NFD takes this, and the API server refuses the node with it" ]]
	[ "${lines[6]}" = "rules.yaml: error: rule 'fault': matchFeatures[0]: c: Gt: 'x' is no number: the API server takes this, but NFD skips the rule where it asks a node for it" ]
	[ "${lines[8]}" = "rules.yaml: error: rule 'form': unknown key 'lables', did you mean labels?" ]

	printf -- '- {name: drop, labels: {"kubernetes.io/a": b}}\n' >custom.yaml
	printf -- '- {name: fault, matchFeatures: [{feature: a.b, matchExpressions: {c: {op: Gt, value: [x]}}}]}\n' >>custom.yaml
	lint custom.yaml
	[ "$status" -eq 1 ]
	[[ "$output" != *"API server"* ]]
	[[ "$output" == *"rule 'fault': matchFeatures[0]: c: Gt: 'x' is no number: NFD skips the rule where it asks a node for it"* ]]
}

@test "what the schema refuses is an error: a matcher without matchFeatures, a feature without elements, a name" {
	rules >rules.yaml <<-'EOF'
		- name: any
		  matchAny: [{}]
		- name: null
		  matchAny: [{matchFeatures: null}]
	EOF
	sed -i -e 's/name: mine/name: No_Name/' -e 's/name: null/name: nothing/' rules.yaml
	lint rules.yaml
	[ "$status" -eq 1 ]
	says "rules.yaml: error: metadata.name: 'No_Name' is no DNS subdomain: expected lower case letters, digits, '-' and '.', a letter or digit first and last" \
		"rules.yaml: error: rule 'any': matchAny[0]: matchFeatures: missing" \
		"rules.yaml: error: rule 'nothing': matchAny[0]: matchFeatures: missing"
	lint - <<<'- {name: custom, matchAny: [{}]}'
	[ "$status" -eq 0 ]
	cat >feature.yaml <<-'EOF'
		apiVersion: nfd.k8s-sigs.io/v1alpha1
		kind: NodeFeature
		metadata:
		  generateName: n-
		  labels: {nfd.node.kubernetes.io/node-name: node-1}
		spec: {features: {flags: {a.b: {}}, attributes: {a.b: {elements: null}, a.c: {elements: {}}}, instances: {a.b: {}}}}
	EOF
	lint feature.yaml
	[ "$status" -eq 1 ]
	says 'feature.yaml: error: spec.features: flags: a.b: elements: missing' \
		'feature.yaml: error: spec.features: attributes: a.b: elements: missing' \
		'feature.yaml: error: spec.features: instances: a.b: elements: missing'
}

@test "N30, N36: a reference is an error in a label of a custom rule" {
	cat >custom.yaml <<-'EOF'
		- name: custom
		  labels: {"vendor.io/a": "@kernel.config.LSM"}
	EOF
	lint custom.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"rule 'custom': label 'vendor.io/a': value '@kernel.config.LSM': nfd-worker drops it, only labels of a NodeFeatureRule have references"* ]]
}

@test "N68: a template that we cannot expand is an error, with its line" {
	rules >rules.yaml <<-'EOF'
		- name: sprig
		  labelsTemplate: |
		    a=b
		    {{ .pci.device | len | toString }}
	EOF
	lint rules.yaml
	[ "$status" -eq 1 ]
	[[ "$output" == "rules.yaml: error: rule 'sprig': labelsTemplate: line 2: 'toString' is not supported"* ]]
}

@test "N50, N51, N75: the syntax of old rules is refused" {
	cat >legacy.yaml <<-'EOF'
		- name: my-legacy
		  matchOn: [{pciId: {vendor: ["15b3"]}}]
		- name: my-values
		  matchFeatures:
		    - feature: cpu.cpuid
		      matchExpressions: {AVX: {op: In, values: ["x"]}}
		- name: my-term
		  matchFeatures: [{pci.device: {vendor: {op: In, value: ["15b3"]}}}]
		- labels: {vendor.io/a: "b"}
	EOF
	lint legacy.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 4 ]
	[[ "${lines[0]}" == "legacy.yaml: error: rule 'my-legacy': matchOn: "*"matchFeatures"* ]]
	[[ "${lines[1]}" == "legacy.yaml: error: rule 'my-values': "*values* ]]
	[[ "${lines[2]}" == "legacy.yaml: error: rule 'my-term': matchFeatures[0]: "* ]]
	[[ "${lines[3]}" == "legacy.yaml: error: rule 4: name: missing"* ]]
}

@test "N30, N31, N32: rules of nfd-worker are read as its own: taints are passed over" {
	cat >worker.yaml <<-'EOF'
		core: {labelSources: [custom]}
		sources:
		  custom:
		    - name: one
		      labels: {vendor.io/a: "true"}
		      taints: [{key: vendor.io/b, effect: NoExecute}]
		      matchFeatures:
		        - feature: pci.device
		          matchExpressions: {vendor: ["15b3"]}
	EOF
	lint worker.yaml
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" == "worker.yaml: warning: rule 'one': taints: passed over"* ]]
	[ "${lines[1]}" = 'worker.yaml: ok (manifest, 1 warning)' ]
}

@test "a custom rule is named also when its key is written in another case" {
	run "$ctl" nfd lint - <<<'- {Name: mine, Lables: {}}'
	[ "$status" -eq 1 ]
	[[ $output == *"rule 'mine': unknown key 'Lables', did you mean labels?"* ]]
}

@test "N01, N02, N05: a NodeFeature has a node, and features of three types" {
	cat >good.yaml <<-'EOF'
		apiVersion: nfd.k8s-sigs.io/v1alpha1
		kind: NodeFeature
		metadata:
		  name: vendor-features-for-node-1
		  labels: {nfd.node.kubernetes.io/node-name: node-1}
		spec:
		  features:
		    flags:
		      vendor.flags: {elements: {feature-x: {}, feature-y: }}
		    attributes:
		      vendor.config: {elements: {setting-a: "auto", knob-b: "123"}}
		    instances:
		      vendor.devices:
		        elements:
		          - attributes: {type: "dev-x", powered: "true"}
		  labels: {vendor.io/feature.enabled: "true"}
	EOF
	lint good.yaml
	[ "$status" -eq 0 ]
	says 'good.yaml: ok (manifest)'

	# the API server regards the case of keys
	sed -e 's/    attributes:$/    Attributes:/' -e 's/^  labels: {vendor/  Labels: {vendor/' good.yaml >case.yaml
	lint case.yaml
	[ "$status" -eq 1 ]
	[[ "$output" == *"error: spec: unknown key 'Labels', did you mean labels?"* ]]
	[[ "$output" == *"error: spec.features: unknown key 'Attributes', did you mean attributes?"* ]]

	sed -e '/labels: {nfd/d' -e 's/"123"/123/' -e 's/feature-x: {}/feature-x: {a: b}/' \
		-e 's/vendor.devices/vendor.Devices/' -e 's/- attributes/- attribute/' \
		-e 's/"true"}$/"no value"}/' good.yaml >bad.yaml
	lint bad.yaml
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 6 ]
	[[ "$output" == *"bad.yaml: error: metadata.labels: nfd.node.kubernetes.io/node-name is missing"* ]]
	[[ "$output" == *"error: spec.features: flags: vendor.flags: elements: 'feature-x': a flag has no value"* ]]
	[[ "$output" == *"error: spec.features: attributes: vendor.config: elements: 'knob-b': expected a string, got an integer: it needs quotes"* ]]
	[[ "$output" == *"warning: feature 'vendor.Devices': no rule finds it"* ]]
	[[ "$output" == *"error: spec.features: instances: vendor.Devices: elements[0]: attributes: missing"* ]]
	[[ "$output" == *"error: label 'vendor.io/feature.enabled': value 'no value'"* ]]
}

@test "N02: what export nodefeature prints is ok" {
	"$top/tests/node/make-node.sh" "$top/tests/node/fleet/vdpa-pods.node" node
	"$ctl" --root node export nodefeature --node-name node-1 >made.json
	lint made.json
	[ "$status" -eq 0 ]
	says 'made.json: ok (manifest)'
}

@test "another object, and a manifest that is none, are errors" {
	printf 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\nkind: NodeFeatureRule\n' >two.yaml
	printf 'kind: [\n' >torn.yaml
	lint two.yaml torn.yaml
	[ "$status" -eq 1 ]
	[[ "${lines[0]}" == "torn.yaml: error: "* ]]
	[[ "${lines[0]}" != *"torn.yaml: torn.yaml"* ]]
	[ "${lines[1]}" = "two.yaml#1: error: apiVersion 'v1': expected nfd.k8s-sigs.io/v1alpha1" ]
	[ "${lines[2]}" = "two.yaml#1: error: kind 'Pod': expected NodeFeatureRule or NodeFeature" ]
	[ "${lines[3]}" = "two.yaml#2: error: apiVersion '': expected nfd.k8s-sigs.io/v1alpha1" ]
	[ "${lines[4]}" = 'two.yaml#2: error: spec: missing' ]
	[ "${#lines[@]}" -eq 5 ]
}

@test "standard input is '-', and a file that is not there keeps no other away" {
	lint - missing <<<'vendor.io/a=b'
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = 'standard input: ok (feature file)' ]
	[ "${lines[1]}" = "missing: error: open 'missing' (No such file or directory)" ]
}

@test "--json has a row for each file, ok or not" {
	echo vendor.io/a=b >good
	printf 'vendor.io/a\377=b\n' >bad
	lint --json good bad
	[ "$status" -eq 1 ]
	[ "$(jq -c '[.[] | {file, kind, ok}]' <<<"$output")" = \
		'[{"file":"bad","kind":"feature file","ok":false},{"file":"good","kind":"feature file","ok":true}]' ]
	[ "$(jq -c '.[0].problems' <<<"$output")" = \
		'[{"file":"bad","level":"error","line":1,"text":"it is no text in UTF-8"}]' ]
	[ "$(jq -c '.[1].problems' <<<"$output")" = '[]' ]
}

@test "nfd lint takes no option of nfd eval" {
	echo vendor.io/a=b >good
	lint --why good
	[ "$status" -eq 2 ]
	[ "$output" = "" ]
	[[ "$stderr" == *"--why is not for nfd lint"* ]]
}
