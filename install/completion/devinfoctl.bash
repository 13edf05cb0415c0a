# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# devinfoctl.bash - completion of devinfoctl's commands, options and values in bash
#
# All of it is what "devinfoctl help" prints, so it is never another version's.

# _devinfoctl_reply WORD KIND: candidates of one kind, such as FILE, "app|peer", DEVICE
_devinfoctl_reply() {
	local list=
	case $2 in
	words) list=$3 ;;
	*'|'* | [a-z]*) list=${2//|/ } ;;
	FILE* | PATH)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$1")
		return
		;;
	DIR)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$1")
		return
		;;
	# an address has colons, which part words here; and compgen runs what is in $(), which a pod may
	# have given to its device as a name
	DEVICE) list=$(find /sys/class/net /sys/bus/vdpa/devices -type l 2>/dev/null |
		sed -n 's,.*/\([A-Za-z0-9._-]*\)$,\1,p') ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$list" -- "$1")
}

_devinfoctl() {
	local program=${COMP_WORDS[0]} cur=${COMP_WORDS[COMP_CWORD]} all help commands options
	local word command='' value='' operand=0 i kinds
	COMPREPLY=()
	all=$("$program" help 2>/dev/null) || return 0
	commands=$(sed -n '/^commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p' <<<"$all" | uniq)
	help=$all
	for ((i = 1; i < COMP_CWORD; i++)); do
		word=${COMP_WORDS[i]}
		[ "$word" != -o ] || word=--output
		if [ "$word" = = ]; then	# --output=wide is three words here
			value=$kinds
		elif [ "$value" ]; then
			value=
		elif [[ $word == --* ]]; then
			kinds=$(sed -n "s/^  $word \([^ ]\{1,\}\) .*/\1/p" <<<"$help")
			value=$kinds
		elif [ "$command" ]; then
			operand=$((operand + 1))
		elif grep -qxFe "$word" <<<"$commands"; then
			command=$word
			[ "$command" = help ] || help=$("$program" help "$command")
		fi
	done
	[ "$cur" = = ] && cur=
	if [[ $cur == -o?* ]] && [ ! "$value" ]; then	# the value may stand behind it
		kinds=$(sed -n 's/^  --output \([^ ]\{1,\}\) .*/\1/p' <<<"$help")
		_devinfoctl_reply "${cur#-o}" "$kinds"
		COMPREPLY=("${COMPREPLY[@]/#/-o}")
		return
	fi
	if [ "$value" ]; then
		_devinfoctl_reply "$cur" "$value"
	elif [[ $cur == -* ]]; then
		options=$(sed -n 's/^  \(--[a-z-]*\) .*/\1/p' <<<"$help")
		[ "$command" = help ] || _devinfoctl_reply "$cur" words "$options --help"
	elif [ ! "$command" ] || { [ "$command" = help ] && [ "$operand" -eq 0 ]; }; then
		_devinfoctl_reply "$cur" words "$commands"
	elif [ "$command" != help ]; then
		read -ra kinds < <(sed -n "s/^usage: devinfoctl \[OPTION...\] $command *//p" <<<"$help")
		[[ ${kinds[-1]} == *... ]] && [ "$operand" -ge "${#kinds[@]}" ] && operand=$((${#kinds[@]} - 1))
		_devinfoctl_reply "$cur" "${kinds[operand]-}"
	fi
}

complete -F _devinfoctl devinfoctl
