#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kubectl.sh - is that a command of kubectl's?  Verb, kinds, options and what these need are looked up, and
# files have to be there; nothing is done.  It knows what our pages use.

set -euo pipefail

die() {
	echo "kubectl.sh: $*" >&2
	exit 1
}

# Of each verb the options; with a colon those that have a value.
declare -A options=(
	[apply]='-f: --filename: -k: --server-side --subresource:'
	[create]='-f: --filename: --from-file: --dry-run: -o: --duration: --bound-object-kind: --bound-object-name:'
	[debug]='-it --profile: --image:'
	[delete]='-f: -k: -l: --field-selector:'
	[get]='-A -f: -l: -o: --raw: --field-selector:'
	[rollout]=''
	[version]=''
	[wait]='--for:'
)
kinds=' resourceslice resourceslices net-attach-def nodefeature node pod ds configmap token '
fields=' resourceslices.spec.driver resourceslices.spec.nodeName '

# check_value OPTION VALUE
check_value() {
	case $1 in
	--duration) [[ $2 =~ ^[0-9]+[hms]$ ]] || die "'$2' is no duration" ;;
	--bound-object-kind) [[ $2 =~ ^(Pod|Secret|Node)$ ]] || die "a token is not bound to a '$2'" ;;
	--from-file) [ -d "$2" ] || die "there is no directory '$2'" ;;
	--dry-run) [[ $2 =~ ^(none|client|server)$ ]] || die "'$2' is no dry run" ;;
	-f | --filename) [ "$2" = - ] || [ -s "$2" ] || die "there is no file '$2'" ;;
	-k) [ -s "$2/kustomization.yaml" ] || die "'$2' has no kustomization" ;;
	-o) [[ $2 =~ ^(json|yaml|wide|name|jsonpath=.+)$ ]] || die "'$2' is no form of output" ;;
	-l) [[ $2 =~ ^[a-z0-9./-]+=[A-Za-z0-9._-]*$ ]] || die "'$2' selects no label" ;;
	--for) [[ $2 =~ ^(delete|condition=[A-Z][A-Za-z]*|jsonpath=.+)$ ]] || die "'$2' is nothing to wait for" ;;
	--field-selector) selected=${2%%=*} ;;
	--subresource) [[ $2 =~ ^(status|scale|resize)$ ]] || die "'$2' is no subresource" ;;
	--profile) [[ $2 =~ ^(legacy|general|baseline|netadmin|restricted|sysadmin)$ ]] || die "'$2' is no profile" ;;
	esac
}

while [ "${1-}" = -n ]; do shift 2; done
verb=${1-}
[[ -v options[${verb:--}] ]] || die "'$verb' is no verb"
shift
words=() given=' ' selected=
while [ $# -gt 0 ]; do
	case $1 in
	--) break ;;
	-n) shift ;;
	-*)
		name=${1%%=*}
		case " ${options[$verb]} " in
		*" $name: "*)
			if [ "$name" = "$1" ]; then value=${2-} && shift; else value=${1#*=}; fi
			[ -n "$value" ] || die "$name has no value"
			check_value "$name" "$value"
			;;
		*" $name "*) [ "$name" = "$1" ] || die "$name has no value" ;;
		*) die "$verb has no option $name" ;;
		esac
		given+="$name "
		;;
	*) words+=("$1") ;;
	esac
	shift
done
[ "$verb" != rollout ] || { [[ ${words[0]-} =~ ^(undo|status|restart)$ ]] && words=("${words[@]:1}"); } || die "rollout does no '${words[0]-}'"
for word in "${words[@]::1}"; do
	[[ $kinds == *" ${word%%/*} "* ]] || die "'${word%%/*}' is no kind"
	[ -z "$selected" ] || [[ $fields == *" $word.$selected "* ]] || die "$word are not selected by $selected"
done
case $verb in
create) [ "${words[0]-}" = token ] || [[ $given =~ \ (-f|--filename|--from-file)\  ]] || die "$verb of nothing" ;;
apply) [[ $given =~ \ (-f|--filename|-k)\  ]] || die "$verb of nothing" ;;
delete | get | wait | debug) [ "${#words[@]}" -gt 0 ] || [[ $given =~ \ (-f|-k|--raw)\  ]] || die "$verb of nothing" ;;
esac
