#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# nfd_eval.bats - rules of Node Feature Discovery: its guide's examples with their results, and what
# nfd-worker and nfd-master do besides; no privilege needed
#
# rooms: manager/nfd manager/template manager/expression manager/regexp manager/number manager/match

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	ctl=${BUILD:-$top/build}/bin/devinfoctl
	features=$BATS_TEST_DIRNAME/nfd/node.yaml
	dir=$BATS_TEST_TMPDIR
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo "{}" >"$DEVINFO_CONF"
}

# rules on stdin: the rest of a list of rules; the object around it
object() {
	printf 'apiVersion: nfd.k8s-sigs.io/v1alpha1\nkind: NodeFeatureRule\nmetadata:\n  name: %s\nspec:\n  rules:\n' "${1:-rules}"
	sed 's/^/  /'
}

# evaluate stdin with the guide's node; $output is JSON
evaluate() {
	run --separate-stderr "$ctl" nfd eval --json --features "$features" "$@" -
}

# what rules gave, as "kind name=value" lines without the default prefix; the node's own label aside
given() {
	jq -r '.outputs[] | select(.rule) | "\(.kind) \(.name)=\(.value)"' <<<"$output" |
		sed 's| feature.node.kubernetes.io/| |'
}

# --- the guide's examples

sample='- name: "my sample rule"
  labels:
    "my-sample-feature": "true"
  matchFeatures:
    - feature: kernel.loadedmodule
      matchExpressions:
        dummy: {op: Exists}
    - feature: kernel.config
      matchExpressions:
        X86: {op: In, value: ["y"]}'

@test "N07, N08, N33: the sample rule makes its label when both of its terms match" {
	object my-sample-rule-object <<<"$sample" >"$dir/rules"
	evaluate <"$dir/rules"
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154
	[ "$stderr" = "" ]
	[ "$(given)" = "label my-sample-feature=true" ]
	[ "$(jq -r '.outputs[] | select(.rule) | .name + " " + .rule + " " + .object' <<<"$output")" = \
		"feature.node.kubernetes.io/my-sample-feature my sample rule my-sample-rule-object" ]
}

@test "N08, N09: without the module, or with another configuration, there is no label any more" {
	object <<<"$sample" >"$dir/rules"
	sed 's/dummy: {}, //' "$features" >"$dir/node.yaml"
	run --separate-stderr "$ctl" nfd eval --json --features "$dir/node.yaml" "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "" ]
	sed 's/X86: "y"/X86: "n"/' "$features" >"$dir/node.yaml"
	run --separate-stderr "$ctl" nfd eval --json --features "$dir/node.yaml" "$dir/rules"
	[ "$(given)" = "" ]
}

@test "N07: a NodeFeatureRule of another group or version is not read" {
	object <<<"$sample" | sed s/v1alpha1/v1beta9/ >"$dir/rules"
	evaluate <"$dir/rules"
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"kind 'NodeFeatureRule' of 'nfd.k8s-sigs.io/v1beta9' is not read"* ]]
}

@test "N10, N11: the taints of the example, which are marked as nfd-master's to enable" {
	evaluate < <(object <<-'END'
		- name: "my sample taint rule"
		  taints:
		    - effect: PreferNoSchedule
		      key: "feature.node.kubernetes.io/special-node"
		      value: "true"
		    - effect: NoExecute
		      key: "feature.node.kubernetes.io/dedicated-node"
		  matchFeatures:
		    - feature: kernel.loadedmodule
		      matchExpressions:
		        dummy: {op: Exists}
		    - feature: kernel.config
		      matchExpressions:
		        X86: {op: In, value: ["y"]}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "taint dedicated-node=NoExecute
taint special-node=true:PreferNoSchedule" ]
	[ "$(jq -r '.outputs[] | select(.rule) | .note' <<<"$output" | sort -u)" = "needs nfd-master's --enable-taints" ]
}

@test "N02, N03, N04, N05: the NodeFeature of the example: features for rules, and its label" {
	cat >"$dir/vendor.yaml" <<-'END'
		apiVersion: nfd.k8s-sigs.io/v1alpha1
		kind: NodeFeature
		metadata:
		  labels:
		    nfd.node.kubernetes.io/node-name: node-1
		  name: vendor-features-for-node-1
		spec:
		  features:
		    flags:
		      vendor.flags:
		        elements:
		          feature-x: {}
		          feature-y: {}
		    attributes:
		      vendor.config:
		        elements:
		          setting-a: "auto"
		          knob-b: "123"
		    instances:
		      vendor.devices:
		        elements:
		        - attributes:
		            model: "dev-1000"
		            vendor: "acme"
		        - attributes:
		            model: "dev-2000"
		            vendor: "acme"
		  labels:
		    vendor-feature.enabled: "true"
	END
	object >"$dir/rules" <<-'END'
		- name: flags
		  labels: {has-x: "true"}
		  matchFeatures: [{feature: vendor.flags, matchExpressions: {feature-x: {op: Exists}}}]
		- name: attributes
		  labels: {knob: "@vendor.config.knob-b"}
		  matchFeatures: [{feature: vendor.config, matchExpressions: {setting-a: {op: In, value: [auto]}}}]
		- name: instances
		  labels: {acme: "true"}
		  matchFeatures: [{feature: vendor.devices, matchExpressions: {model: {op: In, value: [dev-2000]}, vendor: {op: In, value: [acme]}}}]
	END
	evaluate "$dir/vendor.yaml" <"$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label acme=true
label has-x=true
label knob=123" ]
	[ "$(jq -r '.outputs[] | select(.rule | not) | .name + "=" + .value' <<<"$output")" = \
		"feature.node.kubernetes.io/cpu-cpuid.AVX=true
feature.node.kubernetes.io/vendor-feature.enabled=true" ]
	# nothing else of its features became a label
	[ "$(jq '.outputs | length' <<<"$output")" -eq 5 ]
}

@test "N30: the custom rules of a configuration of nfd-worker" {
	evaluate < <(printf 'core:\n  labelSources: ["custom"]\nsources:\n  custom:\n  %s\n' "${sample//$'\n'/$'\n'  }")
	[ "$status" -eq 0 ]
	[ "$(given)" = "label my-sample-feature=true" ]
	# one without sources has no rules
	evaluate <<<'core: {labelSources: [pci]}'
	[ "$status" -eq 0 ]
	[ "$stderr" = "" ]
	[ "$(given)" = "" ]
}

@test "N31: a file of custom.d is a list of rules" {
	evaluate <<-'END'
		- name: "my e1000 rule"
		  labels:
		    "e1000.present": "true"
		  matchFeatures:
		    - feature: kernel.loadedmodule
		      matchExpressions:
		        e1000: {op: Exists}
	END
	[ "$status" -eq 0 ]
	[ "$(given)" = "label e1000.present=true" ]
}

@test "N31: a list of custom rules may be written in one line, as YAML or JSON" {
	evaluate <<<'[{name: r, labels: {a: "1"}}] # in YAML'
	[ "$status" -eq 0 ]
	[ "$(given)" = "label a=1" ]
	evaluate <<<'[{"name": "r", "labels": {"a": "1"}}]'
	[ "$(given)" = "label a=1" ]
	evaluate <<<'[{"name": "r"'
	[ "$status" -eq 1 ]
}

@test "N08, N47: the feature rule of the example, with numbers" {
	evaluate < <(object <<-'END'
		- name: "my feature rule"
		  labels:
		    "my-special-feature": "my-value"
		  matchFeatures:
		    - feature: cpu.cpuid
		      matchExpressions:
		        AVX512F: {op: Exists}
		    - feature: kernel.version
		      matchExpressions:
		        major: {op: In, value: ["5"]}
		        minor: {op: Gt, value: ["1"]}
		    - feature: pci.device
		      matchExpressions:
		        vendor: {op: In, value: ["8086"]}
		        class: {op: In, value: ["0200"]}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label my-special-feature=my-value" ]
}

@test "N36, N37: a label with the value of an attribute, and one beside it" {
	evaluate < <(object <<-'END'
		- name: "my dynamic label value rule"
		  labels:
		    linux-lsm-enabled: "@kernel.config.LSM"
		    custom-label: "customlabel"
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label custom-label=customlabel
label linux-lsm-enabled=apparmor" ]
}

@test "N40: the extended resources of the example" {
	evaluate < <(object <<-'END'
		- name: "my extended resource rule"
		  extendedResources:
		    vendor.io/dynamic: "@kernel.version.major"
		    vendor.io/static: "123"
		  matchFeatures:
		    - feature: kernel.version
		      matchExpressions:
		        major: {op: Exists}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "extended-resource vendor.io/dynamic=5
extended-resource vendor.io/static=123" ]
}

any='- name: any
  labels: {any: "true"}
  matchAny:
    - matchFeatures:
      - feature: kernel.loadedmodule
        matchExpressions:
          kmod-1: {op: Exists}
      - feature: pci.device
        matchExpressions:
          vendor: {op: In, value: ["0eee"]}
          class: {op: In, value: ["0200"]}
    - matchFeatures:
      - feature: kernel.loadedmodule
        matchExpressions:
          kmod-2: {op: Exists}
      - feature: pci.device
        matchExpressions:
          vendor: {op: In, value: ["0fff"]}
          class: {op: In, value: ["0200"]}'

@test "N58: the example of matchAny, with the one module, the other, none" {
	object <<<"$any" >"$dir/rules"
	evaluate <"$dir/rules"
	[ "$(given)" = "label any=true" ]
	sed "s/kmod-1/kmod-2/" "$features" >"$dir/node.yaml"
	run --separate-stderr "$ctl" nfd eval --json --features "$dir/node.yaml" "$dir/rules"
	[ "$(given)" = "label any=true" ]
	sed "s/kmod-1/kmod-3/" "$features" >"$dir/node.yaml"
	run --separate-stderr "$ctl" nfd eval --json --features "$dir/node.yaml" "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "" ]
}

@test "N70: the template of the example makes a label for each network controller" {
	evaluate < <(object <<-'END'
		- name: controllers
		  labelsTemplate: |
		    {{ range .pci.device }}vendor-{{ .class }}-{{ .device }}.present=true
		    {{ end }}
		  matchFeatures:
		    - feature: pci.device
		      matchExpressions:
		        class: {op: InRegexp, value: ["^02"]}
		        vendor: {op: In, value: ["0fff"]}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label vendor-0200-1234.present=true
label vendor-0207-abcd.present=true" ]
}

@test "N49, N70: as it is written there it is one of the worker's rules" {
	rule='- name: controllers
  labelsTemplate: |
    {{ range .pci.device }}vendor-{{ .class }}-{{ .device }}.present=true
    {{ end }}
  matchFeatures:
    - feature: pci.device
      matchExpressions:
        class: {op: InRegexp, value: ["^02"]}
        vendor: ["0fff"]'
	evaluate <<<"$rule"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label vendor-0200-1234.present=true
label vendor-0207-abcd.present=true" ]
	evaluate < <(object <<<"$rule")
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"rule 'controllers': skipped: matchFeatures[0]: matchExpressions: vendor: expected an object with op and value, got a list"* ]]
}

@test "N56, N69: a template has an attribute's name and value, and the feature as the rule writes it" {
	evaluate < <(object <<-'END'
		- name: system
		  labelsTemplate: |
		    {{ range .system.osRelease }}system-{{ .Name }}={{ .Value }}
		    {{ end }}
		  matchFeatures:
		    - feature: system.osRelease
		      matchExpressions:
		        ID: {op: Exists}
		        VERSION_ID.major: {op: Exists}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label system-ID=opensuse-leap
label system-VERSION_ID.major=15" ]
	[[ $stderr == *"rules: rule 'system': feature 'system.osRelease': a template has it under this spelling alone, not as system.osrelease"* ]]
}

@test "N56: a template that writes a feature otherwise than the rule drops the rule, as one that is absent" {
	evaluate < <(object <<-'END'
		- name: spelled
		  labelsTemplate: |

		    {{ range .pci.device }}{{ $.PCI.Device | len | printf "vendor.io/n=%d\n" }}{{ end }}
		  matchFeatures:
		    - feature: pci.device
		      matchExpressions: {vendor: {op: Exists}}
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"rule 'spelled': skipped: labelsTemplate: line 2: there is no key 'PCI', NFD regards the case: there is 'pci'"* ]]
	evaluate < <(object <<-'END'
		- name: absent
		  labels: {a: "1"}
		  varsTemplate: "n={{ len .network.device }}"
		  matchFeatures: [{feature: pci.device, matchExpressions: {vendor: {op: Exists}}}]
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"rule 'absent': skipped: varsTemplate: line 1: there is no key 'network'"* ]]
}

@test "N71: the template that counts" {
	evaluate < <(object <<-'END'
		- name: count
		  labelsTemplate: |
		    num-intel-network-controllers={{ .pci.device | len }}
		  matchFeatures:
		    - feature: pci.device
		      matchExpressions:
		        vendor: {op: In, value: ["8086"]}
		        class: {op: In, value: ["0200"]}
	END
	)
	[ "$(given)" = "label num-intel-network-controllers=2" ]
}

@test "N72: with matchAny the template runs for each matcher that matches, and all labels count" {
	evaluate < <(object <<-'END'
		- name: union
		  labelsTemplate: |
		    {{ range .kernel.loadedmodule }}module-{{ .Name }}=true
		    {{ end }}
		  matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {dummy: {op: Exists}}}]
		  matchAny:
		    - matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {e1000: {op: Exists}}}]
		    - matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {absent: {op: Exists}}}]
		    - matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {kmod-1: {op: Exists}}}]
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label module-dummy=true
label module-e1000=true
label module-kmod-1=true" ]
}

@test "N72: templates of matchAny run before matchFeatures is looked at, and what fails drops the rule" {
	evaluate < <(object <<-'END'
		- name: early
		  labelsTemplate: "n={{ len .pci.device }}"
		  matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {absent: {op: Exists}}}]
		  matchAny: [{matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {dummy: {op: Exists}}}]}]
		- name: unmet
		  labelsTemplate: "n={{ len .pci.device }}"
		  matchFeatures: [{feature: pci.device}]
		  matchAny: [{matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {absent: {op: Exists}}}]}]
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"rule 'early': skipped: labelsTemplate: line 1: there is no key 'pci'"* ]]
	[[ $stderr != *unmet* ]]
}

@test "a version is one as a whole: that of a RHEL kernel is none, and its rule is dropped" {
	for full in 5.14.0-70.el9 5.14.0-427.13.1.el9_4.x86_64 v6.1 1.2.3.4; do
		cat >"$dir/node.yaml" <<-END
			apiVersion: nfd.k8s-sigs.io/v1alpha1
			kind: NodeFeature
			metadata: {name: node-1, labels: {nfd.node.kubernetes.io/node-name: node-1}}
			spec: {features: {attributes: {kernel.version: {elements: {full: $full}}}}}
		END
		run --separate-stderr "$ctl" nfd eval --json --features "$dir/node.yaml" - < <(object <<<'- {name: new, labels: {new: "1"}, matchFeatures: [{feature: kernel.version, matchExpressions: {full: {op: Ge, type: version, value: ["5.14"]}}}]}')
		echo "$full: $status $(given) $stderr"
	done >"$dir/said"
	diff -u - "$dir/said" <<-'END'
		5.14.0-70.el9: 0 label new=1 
		5.14.0-427.13.1.el9_4.x86_64: 1  devinfoctl: rules: rule 'new': skipped: full Ge: '5.14.0-427.13.1.el9_4.x86_64' is no version
		v6.1: 0 label new=1 
		1.2.3.4: 1  devinfoctl: rules: rule 'new': skipped: full Ge: '1.2.3.4' is no version
	END
}

@test "wrong values of an expression are told, and fail where the node has the attribute" {
	evaluate < <(object <<-'END'
		- name: asked
		  labels: {a: "1"}
		  matchFeatures: [{feature: kernel.version, matchExpressions: {major: {op: Gt, value: [x]}}}]
		- name: not-asked
		  labels: {b: "1"}
		  matchAny:
		    - matchFeatures: [{feature: kernel.version, matchExpressions: {absent: {op: InRegexp, value: ["("]}}}]
		    - matchFeatures: [{feature: kernel.version, matchExpressions: {major: {op: Exists}}}]
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "label b=1" ]
	[[ $stderr == *"rule 'asked': matchFeatures[0]: major: Gt: 'x' is no number: the API server takes this, but NFD skips the rule where it asks a node for it"* ]]
	[[ $stderr == *"rule 'asked': skipped: major: Gt: 'x' is no number"* ]]
	[[ $stderr == *"rule 'not-asked': matchAny[0]: matchFeatures[0]: absent: regular expression '('"*"the API server takes this"* ]]
	[ "$(jq '[.problems[] | select(.skipped)] | length' <<<"$output")" -eq 1 ]
}

@test "where NFD fails by chance, that is told: it takes the expressions of a term in no fixed order" {
	evaluate < <(object <<-'END'
		- name: chance
		  labels: {a: "1"}
		  matchFeatures: [{feature: kernel.config, matchExpressions: {ABSENT: {op: Exists}, X86: {op: Gt, value: ["1"]}}}]
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "" ]
	[ "$stderr" = "devinfoctl: rules: rule 'chance': NFD takes the expressions of a term in another order each time, so it is chance whether the rule fails by this: X86 Gt: 'y' is no number" ]
}

backrefs='- name: "my kernel label rule"
  labels:
    kernel-feature: "true"
  matchFeatures:
    - feature: kernel.version
      matchExpressions:
        major: {op: Gt, value: ["4"]}
- name: "my var rule"
  vars:
    nolabel-feature: "true"
  matchFeatures:
    - feature: cpu.cpuid
      matchExpressions:
        AVX512F: {op: Exists}
    - feature: pci.device
      matchExpressions:
        vendor: {op: In, value: ["0fff"]}
        device: {op: In, value: ["1234", "1235"]}
- name: "my high level feature rule"
  labels:
    high-level-feature: "true"
  matchFeatures:
    - feature: rule.matched
      matchExpressions:
        kernel-feature: {op: IsTrue}
        nolabel-feature: {op: IsTrue}'

@test "N39, N65, N67: the example of backreferences: a rule sees labels and vars of those before it" {
	evaluate < <(object <<<"$backrefs")
	[ "$status" -eq 0 ]
	[ "$(given)" = "label high-level-feature=true
label kernel-feature=true
var nolabel-feature=true" ]
	# and in the worker's rules
	evaluate <<<"$backrefs"
	[ "$(given)" = "label high-level-feature=true
label kernel-feature=true
var nolabel-feature=true" ]
	# without one of them there is none
	object <<<"${backrefs/'"4"'/'"5"'}" >"$dir/rules"
	evaluate <"$dir/rules"
	[ "$(given)" = "var nolabel-feature=true" ]
}

@test "the examples of features: two flags, a module and the version of the system" {
	evaluate < <(object <<-'END'
		- name: "example cpuid rule"
		  labels:
		    my-special-cpu-feature: "true"
		  matchFeatures:
		    - feature: cpu.cpuid
		      matchExpressions:
		        AESNI: {op: Exists}
		        AVX: {op: Exists}
		- name: "my multi-feature rule"
		  labels:
		    my-special-multi-feature: "true"
		  matchFeatures:
		    - feature: kernel.loadedmodule
		      matchExpressions:
		        e1000: {op: Exists}
		    - feature: system.osrelease
		      matchExpressions:
		        NAME: {op: InRegexp, value: ["^openSUSE"]}
		        VERSION_ID.major: {op: Gt, value: ["14"]}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label my-special-cpu-feature=true
label my-special-multi-feature=true" ]
}

@test "N50, N51: two examples are told to be wrong: values for value, and terms without feature" {
	evaluate < <(object <<-'END'
		- name: "my multi-feature rule"
		  labels:
		    my-special-multi-feature: "true"
		  matchFeatures:
		    - feature: system.osrelease
		      matchExpressions:
		        NAME: {op: InRegexp, values: ["^openSUSE"]}
		- name: "my multi-device rule"
		  labels:
		    my-multi-device-feature: "true"
		  matchFeatures:
		    - feature: kernel.loadedmodule
		      matchExpressions:
		        my-driver-module: {op: Exists}
		    - pci.device:
		        vendor: "0fff"
		        device: "1234"
		    - pci.device:
		        vendor: "0fff"
		        device: "abcd"
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"rules: rule 'my multi-feature rule': skipped: matchFeatures[0]: matchExpressions: NAME: unknown key 'values', did you mean value?"* ]]
	[[ $stderr == *"rules: rule 'my multi-device rule': skipped: matchFeatures[1]: unknown key 'pci.device' (a term is {feature: NAME, matchExpressions: {...}})"* ]]
}

@test "N53: both devices of that example have to be there when it is written with feature" {
	evaluate < <(object <<-'END'
		- name: both
		  labels: {both: "true"}
		  matchFeatures:
		    - {feature: pci.device, matchExpressions: {vendor: {op: In, value: ["0fff"]}, device: {op: In, value: ["1234"]}}}
		    - {feature: pci.device, matchExpressions: {vendor: {op: In, value: ["0fff"]}, device: {op: In, value: ["abcd"]}}}
		- name: not both in one
		  labels: {one: "true"}
		  matchFeatures:
		    - {feature: pci.device, matchExpressions: {vendor: {op: In, value: ["8086"]}, device: {op: In, value: ["abcd"]}}}
	END
	)
	[ "$(given)" = "label both=true" ]
}

@test "N75: a legacy rule is refused, and told what to write" {
	evaluate <<-'END'
		- name: "my.pci.feature"
		  matchOn:
		    - pciId:
		        vendor: ["15b3"]
		        device: ["1014", "1017"]
	END
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"rule 'my.pci.feature': skipped: matchOn: rules of that form were removed in v0.15: write matchFeatures"* ]]
}

@test "N76: the legacy rule by the node's name, as one of system.name, in the profile namespace" {
	evaluate < <(object <<-'END'
		- name: datacenter
		  labels: {profile.node.kubernetes.io/my-datacenter: datacenter-1}
		  matchFeatures:
		    - feature: system.name
		      matchExpressions:
		        nodename: {op: InRegexp, value: ["node-datacenter1-rack.*-server.*"]}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label profile.node.kubernetes.io/my-datacenter=datacenter-1" ]
}

@test "N26, N27: hooks are told to be gone" {
	evaluate <<-'END'
		sources:
		  local:
		    hooksEnabled: true
		  custom: []
	END
	[ "$status" -eq 0 ]
	[[ $stderr == *"sources.local.hooksEnabled: NFD runs no hooks since v0.17: write feature files"* ]]
}

# --- names, values, order

@test "N38, N39: labels count before labelsTemplate, vars before varsTemplate" {
	evaluate < <(object <<-'END'
		- name: priority
		  labels: {a: fixed}
		  labelsTemplate: |
		    a=made
		    b=made
		  vars: {c: fixed}
		  varsTemplate: |
		    c=made
		    d=made
		  matchFeatures: [{feature: kernel.version}]
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label a=fixed
label b=made
var c=fixed
var d=made" ]
}

@test "N12, N34: of kubernetes.io only NFD's own namespaces are open to labels and taints" {
	evaluate < <(object <<-'END'
		- name: denied
		  labels:
		    kubernetes.io/a: "1"
		    sub.ns.kubernetes.io/b: "1"
		    sub.feature.node.kubernetes.io/c: "1"
		    example.com/d: "1"
		  taints:
		    - {key: node.kubernetes.io/e, effect: NoSchedule}
		    - {key: unprefixed, effect: NoSchedule}
		    - {key: sub.feature.node.kubernetes.io/f, effect: NoSchedule}
		    - {key: example.com/g, effect: NoExecute, value: x}
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "label example.com/d=1
label sub.feature.node.kubernetes.io/c=1
taint example.com/g=x:NoExecute
taint sub.feature.node.kubernetes.io/f=NoSchedule" ]
	[ "$(jq '.problems | length' <<<"$output")" -eq 4 ]
	[[ $stderr == *"rules: rule 'denied': label 'kubernetes.io/a'"* ]]
	[[ $stderr == *"rules: rule 'denied': label 'sub.ns.kubernetes.io/b'"* ]]
	[[ $stderr == *"'node.kubernetes.io/e'"* ]]
	[[ $stderr == *"'unprefixed'"* ]]
}

@test "N10, N34: nfd-master's configuration denies namespaces of labels, allows others, and taints" {
	cat >"$dir/master.conf" <<-'END'
		enableTaints: true
		denyLabelNs: ["*"]
		extraLabelNs: ["example.com", "added.kubernetes.io"]
	END
	object >"$dir/rules" <<-'END'
		- name: several
		  labels:
		    own: "1"
		    profile.node.kubernetes.io/a: "1"
		    example.com/b: "1"
		    added.kubernetes.io/c: "1"
		    sub.example.com/d: "1"
		    kubernetes.io/e: "1"
		    example.com/f: "no value"
		  taints: [{key: vendor.io/t, effect: NoSchedule}]
	END
	evaluate "$dir/master.conf" <"$dir/rules"
	[ "$status" -eq 1 ]
	[ "$(given)" = "label added.kubernetes.io/c=1
label example.com/b=1
label own=1
label profile.node.kubernetes.io/a=1
taint vendor.io/t=NoSchedule" ]
	[ "$(jq -c '[.outputs[] | select(.kind == "taint") | .note]' <<<"$output")" = "[null]" ]
	[[ $stderr == *"label 'sub.example.com/d': nfd-master's denyLabelNs has its namespace"* ]]
	[[ $stderr == *"label 'kubernetes.io/e': of the namespace kubernetes.io only"* ]]
	[[ $stderr == *"label 'example.com/f': value"* ]]
	# a suffix is one of text, and without '*' it is the whole
	echo 'denyLabelNs: ["*ple.com", "kept.io"]' >"$dir/master.conf"
	evaluate "$dir/master.conf" < <(object <<<'- {name: r, labels: {example.com/a: "1", sub.kept.io/b: "1", kept.io/c: "1"}}')
	[ "$(given)" = "label sub.kept.io/b=1" ]
	# what is wrong in it, and what does not count here
	evaluate <<<'extraLabelNs: example.com'
	[ "$status" -eq 1 ]
	[[ $stderr == *"standard input: skipped: extraLabelNs: expected a list"* ]]
	evaluate <<<'labelWhiteList: foo'
	[ "$status" -eq 0 ]
	[ "$stderr" = "devinfoctl: standard input: labelWhiteList: passed over, it is evaluated without" ]
	run --separate-stderr "$ctl" nfd lint - <<<'enableTaints: 7'
	[ "$status" -eq 1 ]
	[[ $output == *"enableTaints: expected a boolean, got an integer"* ]]
}

@test "N13: a taint has one of three effects" {
	evaluate < <(object <<-'END'
		- name: effects
		  taints:
		    - {key: example.com/a, effect: NoSchedule}
		    - {key: example.com/b, effect: PreferNoSchedule, value: "1"}
		    - {key: example.com/c, effect: Evict}
		    - {key: example.com/d}
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "taint example.com/a=NoSchedule
taint example.com/b=1:PreferNoSchedule" ]
	[[ $stderr == *"example.com/c"*"Evict"* ]]
	[[ $stderr == *"example.com/d"* ]]
}

@test "N11, N41: what the API server refuses of a node is given as NFD gives it, with a note" {
	evaluate < <(object <<-'END'
		- name: refused
		  extendedResources: {vendor.io/less: "-1", vendor.io/half: 500m, vendor.io/one: 1000m}
		  taints:
		    - {key: vendor.io/a, value: no value, effect: NoSchedule}
		    - {key: "vendor.io/b c", effect: NoSchedule}
		    - {key: vendor.io/d, effect: NoSchedule}
	END
	)
	[ "$status" -eq 0 ]
	[ "$stderr" = "" ]
	[ "$(given)" = "extended-resource vendor.io/half=500m
extended-resource vendor.io/less=-1
extended-resource vendor.io/one=1000m
taint vendor.io/a=no value:NoSchedule
taint vendor.io/b c=NoSchedule
taint vendor.io/d=NoSchedule" ]
	[ "$(jq -r '.outputs[] | select(.note) | "\(.name): \(.note)"' <<<"$output")" = "vendor.io/half: the API server refuses the node with it: extended resource 'vendor.io/half': value '500m': a node has no negative numbers and no fractions of one
vendor.io/less: the API server refuses the node with it: extended resource 'vendor.io/less': value '-1': a node has no negative numbers and no fractions of one
vendor.io/a: needs nfd-master's --enable-taints; the API server refuses the node with it: taint 'vendor.io/a': value 'no value': expected up to 63 letters, digits, '-', '_' and '.', a letter or digit first and last
vendor.io/b c: needs nfd-master's --enable-taints; the API server refuses the node with it: taint 'vendor.io/b c': expected a name of 1 to 63 letters, digits, '-', '_' and '.', a letter or digit first and last
vendor.io/d: needs nfd-master's --enable-taints" ]
}

@test "N40, N41: an extended resource has a quantity for its value, and the prefix when it has none" {
	evaluate < <(object <<-'END'
		- name: resources
		  extendedResources:
		    count: "3"
		    example.com/bytes: 10Gi
		    example.com/text: "@kernel.version.full"
		    kubernetes.io/denied: "1"
	END
	)
	[ "$status" -eq 1 ]
	[ "$(jq -r '.outputs[] | select(.rule) | .name + "=" + .value' <<<"$output")" = "example.com/bytes=10Gi
feature.node.kubernetes.io/count=3" ]
	[[ $stderr == *"example.com/text"* ]]
	[[ $stderr == *"kubernetes.io/denied"* ]]
}

@test "N36: a value that cannot be taken from an attribute drops that label alone" {
	evaluate < <(object <<-'END'
		- name: dynamic
		  labels:
		    a: "@kernel.version.major"
		    b: "@kernel.version.none"
		    c: "@no.such.element"
		    d: "@kernel.version"
		    e: "@pci.device.vendor"
		    f: "@system.osrelease.VERSION_ID.major"
		    g: "@Kernel.version.major"
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "label a=5
label f=15" ]
	[[ $stderr == *"label 'feature.node.kubernetes.io/b': value '@kernel.version.none': 'kernel.version' has no element 'none'"* ]]
	[[ $stderr == *"/c': value '@no.such.element': there are no attributes 'no.such'"* ]]
	[[ $stderr == *"/d': value '@kernel.version': expected '@DOMAIN.FEATURE.ELEMENT'"* ]]
	[[ $stderr == *"/e': value '@pci.device.vendor': there are no attributes 'pci.device'"* ]]
	[[ $stderr == *"/g': value"* ]]
}

@test "N36, N65: values are taken when all rules are through, and rules see them as they are written" {
	evaluate < <(object <<-'END'
		- name: first
		  vars: {v: "7"}
		  labels: {from-var: "@rule.matched.later", raw: "@kernel.version.major"}
		- name: second
		  vars: {later: set}
		- name: third
		  labels: {saw: "true"}
		  matchFeatures: [{feature: rule.matched, matchExpressions: {raw: {op: In, value: ["@kernel.version.major"]}}}]
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label from-var=set
label raw=5
label saw=true
var later=set
var v=7" ]
}

@test "N30, N36: a reference of a custom rule is dropped by nfd-worker, which resolves none" {
	evaluate <<-'END'
		- name: custom
		  labels: {dynamic: "@kernel.version.major", static: "1"}
		  labelsTemplate: "templated=@kernel.version.major"
		  matchFeatures: [{feature: kernel.version}]
		- name: after
		  labels: {saw: "1"}
		  matchFeatures: [{feature: rule.matched, matchExpressions: {dynamic: {op: In, value: ["@kernel.version.major"]}}}]
	END
	[ "$status" -eq 1 ]
	[ "$(given)" = "label saw=1
label static=1" ]
	[[ $stderr == *"rule 'custom': label 'feature.node.kubernetes.io/dynamic': value '@kernel.version.major': nfd-worker drops it"* ]]
	[[ $stderr == *"rule 'custom': label 'feature.node.kubernetes.io/templated'"* ]]
}

@test "N24, N28: a label has the name that its file has in local.label, also when it is no raw feature" {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/node"
	d=$dir/node/etc/kubernetes/node-feature-discovery/features.d
	mkdir -p "$d"
	printf '# +no-feature\nbare=1\nfeature.node.kubernetes.io/both=long\nboth=short\n' >"$d/a"
	object >"$dir/rules" <<-'END'
		- name: r
		  labels: {bare-is: "@local.label.bare", both-is: "@local.label.both"}
		  matchFeatures:
		    - feature: local.label
		      matchExpressions: {bare: {op: Exists}, feature.node.kubernetes.io/both: {op: In, value: [long]}}
		    - {feature: local.feature, matchExpressions: {bare: {op: DoesNotExist}}}
	END
	run --separate-stderr "$ctl" --root "$dir/node" nfd eval --json "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label bare-is=1
label both-is=short" ]
	[ "$(jq -r '.outputs[] | select(.rule | not) | .name + "=" + .value' <<<"$output")" = \
		"feature.node.kubernetes.io/bare=1
feature.node.kubernetes.io/both=long" ]
}

@test "N74: a label of a feature file that no node may have takes an earlier one of it away, and stays a feature" {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/node"
	d=$dir/node/etc/kubernetes/node-feature-discovery/features.d
	mkdir -p "$d"
	printf 'vendor.io/a=1\nvendor.io/b=1\n' >"$d/10"
	printf 'vendor.io/a=no value\n\u2003vendor.io/c=1\u00a0\n=x\n' >"$d/20"
	object >"$dir/rules" <<<'- {name: r, labels: {saw: "1"}, matchFeatures: [{feature: local.label, matchExpressions: {vendor.io/a: {op: In, value: ["no value"]}, "": {op: In, value: [x]}}}]}'
	run --separate-stderr "$ctl" --root "$dir/node" nfd eval --json "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$stderr" = "" ]
	[ "$(given)" = "label saw=1" ]
	[ "$(jq -r '.outputs[] | select(.rule | not) | .name' <<<"$output" | paste -sd' ')" = "vendor.io/b vendor.io/c" ]
}

@test "N16, N34: whether a label of a feature file may have its namespace is for nfd-master to say" {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/node"
	d=$dir/node/etc/kubernetes/node-feature-discovery/features.d
	mkdir -p "$d"
	echo added.kubernetes.io/x=1 >"$d/a"
	object >"$dir/rules" <<<'- {name: r, labels: {saw: "1"}, matchFeatures: [{feature: local.label, matchExpressions: {added.kubernetes.io/x: {op: Exists}}}]}'
	echo 'extraLabelNs: ["added.kubernetes.io"]' >"$dir/master.conf"
	run --separate-stderr "$ctl" --root "$dir/node" nfd eval --json "$dir/rules" "$dir/master.conf"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label saw=1" ]
	[ "$(jq -r '.outputs[] | select(.rule | not) | .name + "=" + .value' <<<"$output")" = added.kubernetes.io/x=1 ]
	run --separate-stderr "$ctl" --root "$dir/node" nfd eval --json "$dir/rules"
	[ "$status" -eq 1 ]
	[ "$(given)" = "label saw=1" ]
	[[ $stderr == *"label 'added.kubernetes.io/x': of the namespace"* ]]
}

@test "N42: annotations: of any text, and not from attributes" {
	evaluate < <(object <<-'END'
		- name: annotations
		  annotations:
		    note: a text with blanks
		    example.com/raw: "@kernel.version.major"
		    kubernetes.io/denied: x
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "annotation example.com/raw=@kernel.version.major
annotation note=a text with blanks" ]
	[[ $stderr == *"annotation 'kubernetes.io/denied'"* ]]
}

@test "N04: of a name with the prefix and one without it the former counts, in any order" {
	for first in 'a: "1", feature.node.kubernetes.io/a: "2"' 'feature.node.kubernetes.io/a: "2", a: "1"'; do
		evaluate < <(object <<<"- {name: r, labels: {$first}}")
		[ "$status" -eq 0 ]
		[ "$(given)" = "label a=2" ]
	done
}

@test "N74: a label whose value NFD would not take is told, and none of an earlier rule comes back" {
	evaluate < <(object <<-'END'
		- name: good
		  labels: {a: good, b: good}
		- name: bad
		  labels: {a: "eth0:1", b: better}
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "label b=better" ]
	[[ $stderr == *"rules: rule 'bad': label 'feature.node.kubernetes.io/a'"* ]]
}

@test "N66: NodeFeatureRules go by their names, whatever the order of the files" {
	object b >"$dir/1.yaml" <<-'END'
		- name: second
		  labels: {last: b, seen: "true"}
		  matchFeatures: [{feature: rule.matched, matchExpressions: {from-a: {op: IsTrue}}}]
	END
	object a >"$dir/2.yaml" <<-'END'
		- name: first
		  labels: {last: a}
		  vars: {from-a: "true"}
	END
	run --separate-stderr "$ctl" nfd eval --json --features "$features" "$dir/1.yaml" "$dir/2.yaml"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label last=b
label seen=true
var from-a=true" ]
}

@test "N57, N65: rule.matched is not there for the first rule, and then it is, matched or not" {
	evaluate < <(object <<-'END'
		- name: first
		  labels: {first: "true"}
		  matchFeatures: [{feature: rule.matched, matchExpressions: {x: {op: DoesNotExist}}}]
		- name: second
		  labels: {second: "true"}
		  matchFeatures: [{feature: rule.matched, matchExpressions: {x: {op: DoesNotExist}}}]
	END
	)
	[ "$(given)" = "label second=true" ]
}

@test "N73: a rule that is wrong is skipped and named, the others go on" {
	evaluate < <(object <<-'END'
		- name: no-number
		  labels: {a: "1"}
		  matchFeatures: [{feature: kernel.config, matchExpressions: {X86: {op: Gt, value: ["1"]}}}]
		- name: no-operator
		  labels: {b: "1"}
		  matchFeatures: [{feature: kernel.config, matchExpressions: {X86: {op: Equals, value: ["1"]}}}]
		- name: no-template
		  labelsTemplate: "{{ range }}"
		- labels: {c: "1"}
		- name: good
		  labels: {d: "1"}
	END
	)
	[ "$status" -eq 1 ]
	[ "$(given)" = "label d=1" ]
	[ "$(jq '[.problems[] | select(.skipped)] | length' <<<"$output")" -eq 4 ]
	[[ $stderr == *"rule 'no-number': skipped: X86 Gt: 'y' is no number"* ]]
	[[ $stderr == *"rule 'no-operator': skipped: matchFeatures[0]: matchExpressions: X86: 'Equals' is no operator"* ]]
	[[ $stderr == *"rule 'no-template': skipped: labelsTemplate: "* ]]
	[[ $stderr == *"rule '#4': skipped: name: missing"* ]]
}

@test "N73: what is wrong is told also when a character of what it quotes is cut, or its file's name is odd" {
	long=x$(printf 'é%.0s' {1..100})
	printf -- '- {name: a, labels: {a.b/c: "%s"}}\n- {name: b, matchFeatures: [{feature: a.b, matchName: {op: "%s"}}]}\n' "$long" "$long" >"$dir/rules"
	printf -- '- {name: c, matchFeatures: [{feature: system.osrelease, matchExpressions: {"%s": {op: DoesNotExist}, ID: {op: Gt, value: ["1"]}}}]}\n' "$long" >>"$dir/rules"
	evaluate --why <"$dir/rules"
	[ "$status" -eq 1 ]
	[ "$(jq -r '.problems[].rule' <<<"$output" | sort | paste -sd' ')" = "a b c" ]
	[[ $stderr == *"rule 'a': label 'a.b/c': value 'x"* ]]
	[[ $stderr == *"rule 'b': skipped: matchFeatures[0]: matchName: 'x"* ]]
	mv "$dir/rules" "$dir/"$'r\xff'
	run --separate-stderr "$ctl" nfd eval --json --why --features "$features" "$dir/"$'r\xff'
	[ "$status" -eq 1 ]
	[ "$(jq '.problems | length' <<<"$output")" -eq 3 ]
	echo '- {name: d, labels: {a.b/c: "1"}}' >"$dir/"$'r\xff'
	run --separate-stderr "$ctl" nfd eval --json --features "$features" "$dir/"$'r\xff'
	[ "$(given)" = "label a.b/c=1" ]
}

@test "a custom rule is named also when its keys are written in another case" {
	evaluate <<<'- {Name: a, Labels: {b: "1"}, MatchFeatures: [{feature: kernel.version, matchexpressions: {full: {op: Gt, value: "1"}}}]}'
	[ "$status" -eq 1 ]
	[ "$stderr" = "devinfoctl: standard input: rule 'a': skipped: full Gt: '5.14.0-70.el9' is no number" ]
}

@test "N32: custom rules have no taints, extended resources and annotations" {
	evaluate <<-'END'
		- name: custom
		  labels: {a: "1"}
		  taints: [{key: example.com/b, effect: NoSchedule}]
		  extendedResources: {example.com/c: "1"}
		  annotations: {d: "1"}
	END
	[ "$status" -eq 0 ]
	[ "$(given)" = "label a=1" ]
	for key in taints extendedResources annotations; do
		[[ $stderr == *"rule 'custom': $key: passed over, for nfd-worker's rules have none"* ]]
	done
}

@test "what custom rules match is for themselves: a NodeFeatureRule does not see it, but counts last" {
	cat >"$dir/custom.yaml" <<-'END'
		- {name: custom, labels: {a: custom, b: custom}, vars: {v: "1"}}
	END
	object >"$dir/rules" <<-'END'
		- name: sees
		  labels: {seen: "true"}
		  matchFeatures: [{feature: rule.matched, matchExpressions: {v: {op: Exists}}}]
		- {name: last, labels: {b: rule}}
	END
	evaluate "$dir/custom.yaml" <"$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label a=custom
label b=rule
var v=1" ]
}

# --- whose features

node_feature() {
	cat <<-END
		apiVersion: nfd.k8s-sigs.io/v1alpha1
		kind: NodeFeature
		metadata:
		  name: $1
		  labels: {$2}
		spec:
		  features: {attributes: {vendor.config: {elements: {who: "$1"}}}}
		---
	END
}

who='- {name: who, labels: {who: "@vendor.config.who"}, matchFeatures: [{feature: vendor.config}]}'

@test "N01: a NodeFeature is of the node that its label names, and without it of none" {
	node_feature one "nfd.node.kubernetes.io/node-name: node-1" >"$dir/one"
	node_feature two "nfd.node.kubernetes.io/node-name: node-2" >"$dir/two"
	node_feature none "" >"$dir/none"
	object <<<"$who" >"$dir/rules"
	evaluate "$dir/one" <"$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label who=one" ]
	evaluate "$dir/none" <"$dir/rules"
	[ "$status" -eq 1 ]
	[ "$(given)" = "" ]
	[[ $stderr == *"none: skipped: has no label nfd.node.kubernetes.io/node-name, so it is of no node"* ]]
	# of several nodes somebody has to say which
	evaluate "$dir/one" "$dir/two" <"$dir/rules"
	[ "$status" -eq 1 ]
	[[ $stderr == *"two: skipped: is of node 'node-2', others are of 'node-1': say which by --node-name"* ]]
	evaluate --node-name node-1 "$dir/one" "$dir/two" <"$dir/rules"
	[ "$status" -eq 0 ]
	[ "$stderr" = "" ]
	[ "$(given)" = "label who=one" ]
}

@test "--features of several nodes: somebody has to say which, and the rest is of that node, too" {
	node_feature one "nfd.node.kubernetes.io/node-name: node-1" >"$dir/one"
	node_feature two "nfd.node.kubernetes.io/node-name: node-2" >"$dir/two"
	cat "$dir/one" "$dir/two" >"$dir/both"
	object <<<"$who" >"$dir/rules"
	run --separate-stderr "$ctl" nfd eval --json --features "$dir/both" "$dir/rules"
	[ "$status" -eq 1 ]
	[ "$output" = "" ]
	[[ $stderr == *"--features: $dir/both#2: is of node 'node-2', others are of 'node-1': say which by --node-name"* ]]
	run --separate-stderr "$ctl" nfd eval --json --node-name node-2 --features "$dir/both" "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label who=two" ]
	run --separate-stderr "$ctl" nfd eval --json --features "$dir/one" "$dir/two" "$dir/rules"
	[ "$status" -eq 1 ]
	[ "$(given)" = "label who=one" ]
	[[ $stderr == *"two: skipped: is of node 'node-2', others are of 'node-1': say which by --node-name"* ]]
}

@test "several NodeFeatures of a node are joined by name, and the last one counts" {
	{ node_feature b "nfd.node.kubernetes.io/node-name: node-1" && node_feature a "nfd.node.kubernetes.io/node-name: node-1"; } >"$dir/both"
	evaluate "$dir/both" < <(object <<<"$who")
	[ "$status" -eq 0 ]
	[ "$(given)" = "label who=b" ]
}

@test "a NodeFeature and the rules for it may be in one file, or in a List" {
	{ node_feature one "nfd.node.kubernetes.io/node-name: node-1" && object <<<"$who"; } >"$dir/all"
	evaluate <"$dir/all"
	[ "$(given)" = "label who=one" ]
	jq -cn '{apiVersion: "v1", kind: "List", items: [
		{apiVersion: "nfd.k8s-sigs.io/v1alpha1", kind: "NodeFeature", metadata: {name: "x", labels: {"nfd.node.kubernetes.io/node-name": "node-1"}},
			spec: {features: {attributes: {"vendor.config": {elements: {who: "x"}}}}}},
		{apiVersion: "nfd.k8s-sigs.io/v1alpha1", kind: "NodeFeatureRule", metadata: {name: "r"},
			spec: {rules: [{name: "who", labels: {who: "@vendor.config.who"}, matchFeatures: [{feature: "vendor.config"}]}]}}]}' >"$dir/list"
	evaluate <"$dir/list"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label who=x" ]
}

@test "a faulty NodeFeature, a file that is no manifest, and one that is absent are errors" {
	object <<<"$who" >"$dir/rules"
	node_feature one "nfd.node.kubernetes.io/node-name: node-1" | sed 's/who: "one"/who: 1/' >"$dir/bad"
	evaluate "$dir/bad" <"$dir/rules"
	[ "$status" -eq 1 ]
	[[ $stderr == *"bad: skipped: features: attributes: vendor.config: elements: 'who': expected a string, got an integer: it needs quotes"* ]]
	run --separate-stderr "$ctl" nfd eval --features "$dir/bad" "$dir/rules"
	[ "$status" -eq 1 ]
	[ "$output" = "" ]
	run --separate-stderr "$ctl" nfd eval --features "$dir/rules" "$dir/rules"
	[ "$status" -eq 1 ]
	[[ $stderr == *"expected a NodeFeature of nfd.k8s-sigs.io/v1alpha1, got kind 'NodeFeatureRule'"* ]]
	run --separate-stderr "$ctl" nfd eval --features "$features" /dev/null
	[ "$status" -eq 1 ]
	run --separate-stderr "$ctl" nfd eval --features /dev/null "$dir/rules"
	[ "$status" -eq 1 ]
	run --separate-stderr "$ctl" nfd eval --features "$features" --node-name other "$dir/rules"
	[ "$status" -eq 1 ]
	[[ $stderr == *"--features: there is no NodeFeature of node 'other'" ]]
	run --separate-stderr "$ctl" nfd eval --features "$features" "$dir/none"
	[ "$status" -eq 1 ]
	[[ $stderr == *"none"* ]]
	evaluate <<<'sources: {custom: {name: r}}'
	[ "$status" -eq 1 ]
	[ "$stderr" = "devinfoctl: standard input: skipped: sources.custom: expected a list, got an object" ]
	echo '{' >"$dir/torn"
	run --separate-stderr "$ctl" nfd eval --features "$features" "$dir/torn"
	[ "$status" -eq 1 ]
	[[ $stderr == *"torn: not valid JSON"* ]]
}

# --- the node's own features

@test "N28: what is in feature files is there for rules: as local.label, local.feature, and as labels" {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/node"
	d=$dir/node/etc/kubernetes/node-feature-discovery/features.d
	mkdir -p "$d"
	printf 'my-feature.1\nmy-feature.2=myvalue\nmy.namespace/my-feature.3=456\n' >"$d/my-features"
	printf '# +no-label\nraw=7\nmy-feature.2=other\n' >"$d/z-more"
	printf 'hidden=1\n' >"$d/.tmp"
	object >"$dir/rules" <<-'END'
		- name: labels
		  labels: {saw-label: "@local.label.my-feature.2"}
		  matchFeatures:
		    - feature: local.label
		      matchExpressions: {my-feature.1: {op: IsTrue}, my.namespace/my-feature.3: {op: In, value: ["456"]}, raw: {op: DoesNotExist}, hidden: {op: DoesNotExist}}
		- name: raw
		  labels: {saw-feature: "@local.feature.raw"}
		  matchFeatures: [{feature: local.feature, matchExpressions: {raw: {op: Exists}, my-feature.1: {op: Exists}}}]
	END
	run --separate-stderr "$ctl" --root "$dir/node" nfd eval --json "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(given)" = "label saw-feature=7
label saw-label=other" ]
	[ "$(jq -r '.outputs[] | select(.rule | not) | .name + "=" + .value' <<<"$output")" = \
		"feature.node.kubernetes.io/my-feature.1=true
feature.node.kubernetes.io/my-feature.2=other
my.namespace/my-feature.3=456" ]
	# with a NodeFeature in place of the node's they are not asked
	run --separate-stderr "$ctl" --root "$dir/node" nfd eval --json --features "$features" "$dir/rules"
	[ "$(given)" = "" ]
}

@test "the rules see this node's devices: of a recorded node, without NFD" {
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$dir/node"
	run --separate-stderr "$ctl" --root "$dir/node" nfd eval --json --node-name n7 - < <(object <<-'END'
		- name: intel
		  labels: {intel: "true"}
		  matchFeatures: [{feature: devinfo.function, matchExpressions: {vendor: {op: In, value: ["8086"]}, driver: {op: In, value: [igbvf]}, is_vf: {op: IsTrue}}}]
		- name: name
		  labels: {node: "@system.name.nodename"}
	END
	)
	[ "$status" -eq 0 ]
	[ "$(given)" = "label intel=true
label node=n7" ]
}

# --- for people

@test "the table names each with its rule, and --why tells each term, in a tree" {
	object >"$dir/rules" <<-'END'
		- name: matches
		  labels: {a: "1"}
		  matchFeatures: [{feature: kernel.loadedmodule, matchExpressions: {dummy: {op: Exists}}}]
		- name: does not
		  labels: {b: "1"}
		  matchFeatures:
		    - {feature: no.such, matchExpressions: {a: {op: Exists}}}
		    - {feature: pci.device, matchExpressions: {vendor: {op: In, value: ["15b3"]}, class: {op: In, value: ["0200"]}}}
		- name: wrong
		  labels: {c: "1"}
		  matchFeatures: [{feature: kernel.config, matchExpressions: {X86: {op: Gt, value: ["1"]}}}]
	END
	run --separate-stderr "$ctl" nfd eval --features "$features" --why "$dir/rules"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "NAME                                      KIND   VALUE  RULE" ]
	[[ $output == *"
feature.node.kubernetes.io/a              label  1      matches
"* ]]
	[[ $output == *"
rules: rule 'matches' matches
  matchFeatures: yes
    kernel.loadedmodule: yes
      dummy Exists: yes (it is there)
"* ]]
	[[ $output == *"
rules: rule 'does not' does not match
  matchFeatures: no
    no.such: no
      the node has this feature: no
    pci.device: no
      instance 1: no
        class In 0200: yes (it is '0200')
        vendor In 15b3: no (it is '8086')
      instance 2: no
"* ]]
	[[ $output == *"
rules: rule 'wrong' fails: X86 Gt: 'y' is no number
  matchFeatures: fails: X86 Gt: 'y' is no number
    kernel.config: fails: X86 Gt: 'y' is no number
      X86 Gt 1: fails (it is 'y'): X86 Gt: 'y' is no number" ]]
	[ "$stderr" = "devinfoctl: rules: rule 'wrong': skipped: X86 Gt: 'y' is no number" ]
	run --separate-stderr "$ctl" nfd eval --features "$features" --why --json "$dir/rules"
	[ "$(jq -c '[.why[] | [.rule, .value, .error]]' <<<"$output")" = \
		'[["matches",true,null],["does not",false,null],["wrong",null,"X86 Gt: '"'y'"' is no number"]]' ]
}

@test "of many instances the first ten are told" {
	jq -n '{apiVersion: "nfd.k8s-sigs.io/v1alpha1", kind: "NodeFeature", metadata: {name: "x"},
		spec: {features: {instances: {"pci.device": {elements: [range(12) | {attributes: {n: tostring}}]}}}}}' >"$dir/many"
	object >"$dir/rules" <<<'- {name: r, labels: {a: "1"}, matchFeatures: [{feature: pci.device, matchExpressions: {n: {op: In, value: ["11"]}}}]}'
	run --separate-stderr "$ctl" nfd eval --features "$dir/many" --why "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(grep -c '^      instance' <<<"$output")" -eq 10 ]
	[[ $output == *"
      and 2 more, see --json" ]]
}

@test "what --why tells is bounded: 400 terms of 512 instances, and a value that is long" {
	jq -n '{apiVersion: "nfd.k8s-sigs.io/v1alpha1", kind: "NodeFeature", metadata: {name: "x"},
		spec: {features: {instances: {"pci.device": {elements: [range(512) | {attributes: {n: tostring}}]}}}}}' >"$dir/many"
	jq -n '[range(2) | {name: "r\(.)", labels: {a: "1"}, matchFeatures: [range(200) | {feature: "pci.device",
		matchExpressions: {n: {op: "In", value: ["1", ("x" * 300)]}}}]}]' >"$dir/rules"
	run --separate-stderr "$ctl" nfd eval --features "$dir/many" --why --json "$dir/rules"
	[ "$status" -eq 0 ]
	[ "$(jq '[.why[] | .. | objects | select(.term)] | length | . > 90000 and . < 110000' <<<"$output")" = true ]
	[ "$(jq -c '[.problems[] | [.rule, .problem, .skipped]]' <<<"$output")" = \
		'[["r0","--why shows no more terms from here on: the limit is reached",false]]' ]
	[ "$(jq -c '[.why[].value]' <<<"$output")" = '[true,true]' ]
	[[ $output == *'"n In 1,..."'* ]]
}

@test "no rule gives anything: it says so" {
	sed '$d' "$features" | sed '$s/labels:/labels: {}/' >"$dir/node.yaml"
	run --separate-stderr "$ctl" nfd eval --features "$dir/node.yaml" - <<<'[]'
	[ "$status" -eq 0 ]
	[ "$output" = "no rule gives anything" ]
}

@test "what devinfoctl nfd cannot do is refused" {
	run --separate-stderr "$ctl" nfd explain x
	[ "$status" -eq 2 ]
	[[ $stderr == *"unknown command 'nfd explain'"* ]]
}
