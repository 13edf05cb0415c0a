#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# install.sh - put a CNI plugin into its directory while the node is in use
#
#	install/install.sh BINARY CNIDIR [NAME...]
#	install/install.sh --remove BINARY CNIDIR NAME...
#	install/install.sh --refresh BINARY CNIDIR
#	install/install.sh --uninstall BINARY CNIDIR
#
# The program is copied beside its place, asked for its VERSION there, and then renamed:
# a runtime that starts it meanwhile gets the old one or the new one, whole, and never
# "text file busy".  One that does not answer is not installed.  DESTDIR is put before
# CNIDIR.
#
# Each NAME (sriov, ib-sriov) becomes a copy of it, for configurations with the type of the
# plugin that it replaces; no link, through which the installer of that plugin would write
# over the program itself.  What has that name is kept as NAME.replaced; when there is such
# a file already, nothing is changed.  --remove takes the copies away and puts back what
# was kept.  A NAME that is no copy of the program, of whatever version, is left alone.
#
# --refresh is for packages: where CNIDIR is there, the program in it and those copies that are called
# sriov and ib-sriov become BINARY; no other NAME is taken.  --uninstall is --remove of these names,
# and the program goes as well.  It is refused while an attachment is recorded on the node (below
# DESTDIR: in /var/lib/cni/devinfo, and the other directories that the node's file or its note of
# earlier ones calls stateDir), for the plugin that was there before cannot release it.
# DEVINFO_FORCE=1 says to remove the plugin all the same.
#
# What other installers of the plugin have to keep to: the names NAME and NAME.replaced; who is a copy,
# is_ours() below; a kept plugin is never written over, nor removed but to have its name again.
#
# From a container: a POSIX shell with cat, chmod, cp, grep, ln, mkdir, mktemp, mv, rm and
# sync, and timeout if there is one, be they busybox's, and the libraries that "ldd BINARY" lists, for the questions; the
# node needs those as well.  What is no program of this machine's is no copy.

set -eu
export LC_ALL=C

usage() {
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

die() {
	echo "install.sh: $*" >&2
	exit 1
}

mode=install
if [ "${1-}" = --remove ] || [ "${1-}" = --refresh ] || [ "${1-}" = --uninstall ]; then
	mode=${1#--}
	shift
fi
case $mode$# in
install[2-9] | remove[3-9] | refresh2 | uninstall2) ;;
*) usage ;;
esac
binary=$1
name=${binary##*/}
dir=${DESTDIR:-}$2
shift 2

for copy; do
	case $copy in
	"$name" | '' | .* | *[!a-zA-Z0-9._-]*) usage ;;
	esac
done

for tool in cat chmod cp grep ln mkdir mktemp mv rm sync; do
	command -v "$tool" >/dev/null || die "there is no $tool here; nothing is changed"
done

# exists PATH: a link that leads nowhere does, too
exists() { [ -e "$1" ] || [ -L "$1" ]; }

# A plugin that does not end is not waited for, where there is a timeout(1).
limit=
! command -v timeout >/dev/null || limit='timeout 20'

# Asked for its VERSION as if by devinfo, which cannot run itself, each version says so (devinfo(8));
# other plugins answer.
is_ours() {
	# shellcheck disable=SC2086 # two words, or none
	[ -f "$1" ] && [ -x "$1" ] && DEVINFO_DEPTH=1 CNI_COMMAND=VERSION $limit "$1" </dev/null 2>/dev/null |
		grep -qF 'devinfo cannot be run by devinfo'
}

# put FILE PATH - whole at every moment; PATH is no directory
put() {
	cat "$1" >"$new"
	chmod 0755 "$new"
	sync "$new" 2>/dev/null || sync
	mv -f "$new" "$2"
}

take_away() {
	exists "$dir/$1" || return 0
	if ! is_ours "$dir/$1"; then
		echo "install.sh: '$dir/$1' is not a copy of $name: left as it is" >&2
	elif exists "$dir/$1.replaced"; then
		mv -f "$dir/$1.replaced" "$dir/$1"
		echo "restored $dir/$1"
	else
		rm "$dir/$1"
		echo "removed $dir/$1"
	fi
}

# is_kept NAME - a run that was killed has kept it just before; without a cmp that is not known
is_kept() {
	[ ! -L "$dir/$1" ] && [ ! -L "$dir/$1.replaced" ] && cmp -s "$dir/$1" "$dir/$1.replaced" 2>/dev/null
}

# The old name is there at every moment: it gets a second one first.
make_copy() {
	if exists "$dir/$1" && ! is_ours "$dir/$1" && ! is_kept "$1"; then
		ln "$dir/$1" "$dir/$1.replaced" 2>/dev/null || put "$dir/$1" "$dir/$1.replaced"
		echo "kept $dir/$1 as $dir/$1.replaced"
	fi
	put "$dir/$name" "$dir/$1"
	echo "installed $dir/$1, a copy of $name"
}

# joined FILE - its lines as one; nothing when it is not there
joined() {
	[ ! -r "$1" ] || while read -r line || [ -n "$line" ]; do
		printf '%s ' "$line"
	done <"$1"
}

# state_dirs - those that have records, and may have more
state_dirs() {
	echo /var/lib/cni/devinfo
	for file in /etc/cni/net.d/devinfo.d/devinfo.json /var/lib/cni/devinfo.dirs/dirs.json; do
		joined "${DESTDIR:-}$file" | grep -o '"stateDir"[[:space:]]*:[[:space:]]*"/[^"]*"' || true
	done | while read -r state; do
		state=${state#*\"/}
		echo "/${state%\"}"
	done
}

# check_unused - no attachment is recorded: its DEL would find no plugin that knows it
check_unused() {
	state_dirs | while read -r state; do
		for record in "${DESTDIR:-}$state"/attachments/*; do
			! exists "$record" || die "attachments are recorded in '${record%/*}', and only $name can release" \
				"them: end their pods first ('devinfoctl list' names them, 'devinfoctl gc' releases those of" \
				"dead containers); nothing is changed.  DEVINFO_FORCE=1 removes $name all the same"
		done
	done
}

if [ "$mode" = uninstall ]; then
	[ "${DEVINFO_FORCE:-}" = 1 ] || check_unused
	for copy in sriov ib-sriov "$name"; do
		take_away "$copy"
	done
	exit
fi
if [ "$mode" = remove ]; then
	for copy; do
		take_away "$copy"
	done
	exit
fi
if [ "$mode" = refresh ]; then
	[ -d "$dir" ] || exit 0
	for copy in sriov ib-sriov; do
		! is_ours "$dir/$copy" || set -- "$@" "$copy"
	done
fi

# before anything is changed
[ -r "$binary" ] || die "cannot read '$binary'"
for copy; do
	if [ -d "$dir/$copy" ] || { exists "$dir/$copy.replaced" && exists "$dir/$copy" && ! is_ours "$dir/$copy" &&
		! is_kept "$copy"; }; then
		die "'$dir/$copy' is in the way, and '$dir/$copy.replaced' is there already or cannot be made;" \
			"nothing is changed"
	fi
done
[ ! -d "$dir/$name" ] || die "'$dir/$name' is a directory"

mkdir -p "$dir"
new=$(mktemp "$dir/.$name.XXXXXX")
trap 'rm -f "$new"' EXIT
trap 'exit 1' HUP INT TERM	# not every shell does so itself
cp "$binary" "$new"
chmod 0755 "$new"
# shellcheck disable=SC2086 # two words, or none
answer=$(CNI_COMMAND=VERSION $limit "$new" </dev/null) || answer=
case $answer in
*'"supportedVersions"'*) ;;
*) die "$binary does not answer VERSION (ldd tells the libraries it needs); '$dir/$name' is left as it was" ;;
esac
if [ "$binary" != "$dir/$name" ]; then
	sync "$new" 2>/dev/null || sync
	mv -f "$new" "$dir/$name"
	echo "installed $dir/$name"
fi
for copy; do
	make_copy "$copy"
done
