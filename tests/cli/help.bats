#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# help.bats - devinfoctl help, its examples, and the completion of shells that goes by it
#
# rooms: manager/ctl
# bats file_tags=plain

bats_require_minimum_version 1.5.0
load ../compare

setup() {
	top=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	PATH=${BUILD:-$top/build}/bin:$PATH
	export DEVINFO_CONF=$BATS_TEST_TMPDIR/devinfo.json
	echo '{}' >"$DEVINFO_CONF"
	mapfile -t commands < <(devinfoctl help | sed -n '/^commands:/,/^$/s/^  \([a-z-]*\( [a-z-]\{1,\}\)\{0,1\}\)  .*/\1/p')
}

# the options in a text of help
options_in() { sed -n 's/^  \(--[a-z-]*\) .*/\1/p' <<<"$1"; }

@test "help lists the commands, and help of one is its own text" {
	[ "${#commands[@]}" -ge 8 ]
	for command in "${commands[@]}"; do
		[ "$command" != help ] || continue
		# shellcheck disable=SC2086 # one word, or two
		run --separate-stderr devinfoctl help $command
		[ "$status" -eq 0 ]
		[[ ${lines[0]} == "usage: devinfoctl [OPTION...] ${command% *}"* ]]
		[[ ${lines[0]} == *[\ \|]"${command#* }"* ]]
		[[ ${lines[1]} == [A-Z]* ]] || { echo "$command has no text" && return 1; }
		[[ $output == *$'\n\nexamples:\n  $ devinfoctl '* ]] || { echo "$command has no example" && return 1; }
		asked=$output
		# shellcheck disable=SC2086
		run --separate-stderr devinfoctl $command --help
		[ "$status" -eq 0 ]
		[ "$output" = "$asked" ]
	done
	run --separate-stderr devinfoctl help list
	[[ $output != *--dry-run* ]]
	run --separate-stderr devinfoctl help gc
	[[ $output == *--dry-run* ]]
	run --separate-stderr devinfoctl help bogus
	[ "$status" -eq 2 ]
	[ "$stderr" = "devinfoctl: unknown command 'bogus'; see 'devinfoctl help'" ]
	run --separate-stderr devinfoctl export
	[ "$status" -eq 2 ]
	[ "$stderr" = "devinfoctl: 'export' is no command: expected nfd or nodefeature or resourceslice or deviceclass or claim-status behind it; see 'devinfoctl help'" ]
	run --separate-stderr devinfoctl nfd bogus
	[ "$status" -eq 2 ]
	[ "$stderr" = "devinfoctl: unknown command 'nfd bogus': expected lint or eval behind 'nfd'; see 'devinfoctl help'" ]
}

@test "every option that a command takes has a text, and no other is taken" {
	all=$(sed -n '/text_options\[\] = {/,/^};/p' "$top/manager/ctl/option.c" | grep -oE '"[a-z-]+"' | tr -d '"')
	[ "$(wc -l <<<"$all")" -gt 20 ]
	for command in "${commands[@]}"; do
		[ "$command" != help ] || continue
		# shellcheck disable=SC2086 # one word, or two
		said=$(devinfoctl help $command)
		if grep -E '^  --[a-z-]+( [^ ]+)? *$' <<<"$said"; then
			echo "$command: an option without a text" && return 1
		fi
		# no value is wrong for these, so what is refused is the option
		for option in pool match; do
			# shellcheck disable=SC2086
			run --separate-stderr devinfoctl $command --"$option" x x x
			[ "$status" -ne 0 ]
			# of several that begin with one word the help is about all
			if [[ $command == *' '* && $said == *"  --$option "* ]]; then
				:
			elif [[ $said == *"  --$option "* ]]; then
				[[ $stderr != *"is not for $command"* ]]
			else
				[[ $stderr == *"--$option is not for $command;"* || $stderr == *' operands '* ]]
			fi
		done
	done
	devinfoctl help | grep -q -- '  --root DIR '
}

# complete_in SHELL WORD...: what it offers for the last word
complete_in() {
	case $1 in
	bash)
		bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _devinfoctl
			printf "%s\n" "${COMPREPLY[@]}"' - "$top/install/completion/devinfoctl.bash" "${@:2}" 2>/dev/null
		;;
	zsh)	# the words that begin with the last one are zsh's own affair
		zsh -fc 'compadd() { shift; print -rl -- "$@" }; compset() { : }; _files() { print -r files "$@" }
			f=$1; shift; words=("$@"); CURRENT=$#words; functions[call]="$(<$f)"; call' \
			- "$top/install/completion/_devinfoctl" "${@:2}"
		;;
	esac
}

@test "bash and zsh complete commands, each one's options, and their values" {
	for shell in bash zsh; do
		[ "$(complete_in "$shell" devinfoctl '')" = "$(printf '%s\n' "${commands[@]%% *}" | uniq)" ]
		[ "$(complete_in "$shell" devinfoctl help '')" = "$(printf '%s\n' "${commands[@]%% *}" | uniq)" ]
		for command in list resolve args validate-conf; do
			[ "$(complete_in "$shell" devinfoctl "$command" -- | sort -u)" = \
				"$({ options_in "$(devinfoctl help "$command")" && echo --help; } | sort -u)" ]
		done
		[ "$(complete_in "$shell" devinfoctl args '' | xargs)" = 'dpdk qemu' ]
		[ "$(complete_in "$shell" devinfoctl export '' | xargs)" = 'nfd nodefeature resourceslice deviceclass claim-status' ]
		[ "$(complete_in "$shell" devinfoctl dra '' | xargs)" = "lint select" ]
		[ "$(complete_in "$shell" devinfoctl --root / args --side '' | xargs)" = 'app peer' ]
		for word in -o --output; do
			[ "$(complete_in "$shell" devinfoctl list "$word" '' | xargs)" = 'table wide json name' ]
			# what comes behind its value is the next word
			[ "$(complete_in "$shell" devinfoctl "$word" wide args '' | xargs)" = 'dpdk qemu' ]
		done
		[ "$(complete_in "$shell" devinfoctl help list '' | xargs)" = '' ]
		[ "$(complete_in "$shell" devinfoctl list '' | xargs)" = '' ]
		complete_in "$shell" devinfoctl show '' | grep -qx lo
	done
	cd "$BATS_TEST_TMPDIR"
	mkdir dir
	touch file
	[ "$(complete_in bash devinfoctl args dpdk f)" = file ]
	[ "$(complete_in bash devinfoctl validate file f)" = file ]
	[ "$(complete_in bash devinfoctl list --root d)" = dir ]
	[ "$(complete_in zsh devinfoctl validate file f)" = files ]
	[ "$(complete_in zsh devinfoctl list --root d)" = 'files -/' ]
	[ "$(complete_in bash devinfoctl args qemu file --side = p)" = peer ]
	[ "$(complete_in zsh devinfoctl args --side=p | xargs)" = 'app peer' ]
	[ "$(complete_in bash devinfoctl list -ow)" = -owide ]
	[ "$(complete_in zsh devinfoctl list -ow | xargs)" = 'table wide json name' ]
}

@test "a name of a device in /sys is completed, and is no command" {
	find() { printf '/sys/class/net/%s\n' eth0 'a$(touch${IFS}x)' 0000:01:10.0; }
	export -f find
	cd "$BATS_TEST_TMPDIR"
	[ "$(complete_in bash devinfoctl show '')" = eth0 ]
	[ ! -e x ]
}

@test "the examples of help are good questions" {
	node=$BATS_TEST_TMPDIR/node
	"$top/tests/node/make-node.sh" "$top/tests/node/igb.node" "$node"
	cd "$BATS_TEST_TMPDIR"
	echo "{\"root\":\"$node\",\"networksDir\":\"/etc/nets\"}" >"$DEVINFO_CONF"
	install -D -m 644 "$top/conf/examples/sriov.conflist" "$node/etc/nets/sriov.conflist"
	devinfoctl show 0000:01:10.0 >intel.com-netdev-0000:01:10.0-device.json
	echo '{"type":"vhost-user","version":"1.1.0","vhost-user":{"mode":"server","path":"/run/net1.sock"}}' >net1.json
	echo '{"cniVersion":"1.0.0","name":"net","type":"devinfo","device":"veth0"}' >net.conflist
	echo '{"apiVersion":"resource.k8s.io/v1alpha3","kind":"ResourceSlicePatch","metadata":{"name":"p"},"spec":{"devices":{}}}' >patch.yaml
	echo '{"resourceList":[{"resourceName":"vf","selectors":{"drivers":["igbvf"]}}]}' >config.json
	echo '- {name: r, labels: {sriov: "true"}, matchFeatures: [{feature: devinfo.function, matchExpressions: {is_vf: {op: IsTrue}}}]}' >rules.yaml
	devinfoctl export nodefeature --node-name node-1 >node-1.yaml
	cp "$top/tests/cli/dra/vf-claim.yaml" claim.yaml
	mkdir net.d
	cp "$top/conf/examples/sriov.conflist" net.d
	echo '{"kind":"Pod","metadata":{"annotations":{"k8s.v1.cni.cncf.io/networks":"sriov"}}}' >pod.yaml
	# there is no kubelet, no daemon, no pod and no journal on this node: bad news, but no wrong question
	bad='status|resolve|explain|doctor|drift|repair|watch|events|export claim-status'
	asked=0
	for command in "${commands[@]}"; do
		[ "$command" != help ] || continue
		while read -r line; do
			[[ $line != 'devinfoctl gc'* ]] || continue	# of the live node alone
			run --separate-stderr bash -o pipefail -c "$line"
			echo "$line: $status $stderr"
			asked=$((asked + 1))
			if [[ $line =~ ^devinfoctl\ ($bad) ]]; then
				[ "$status" -le 1 ]
			else
				[ "$status" -eq 0 ]
			fi
		done < <(devinfoctl help "$command" | sed -n 's/^  \$ //p')
	done
	[ "$asked" -ge 8 ]
}
