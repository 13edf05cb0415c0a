#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# install.sh - put a CNI plugin into its directory while the node is in use
#
#	install/install.sh BINARY CNIDIR [NAME...]
#	install/install.sh --remove BINARY CNIDIR NAME...
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
# From a container: a POSIX shell with cat, chmod, cp, grep, ln, mkdir, mktemp, mv, rm and
# sync, be they busybox's, and the libraries that "ldd BINARY" lists, for the questions; the
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

remove=
if [ "${1-}" = --remove ]; then
	remove=yes
	shift
	[ $# -ge 3 ] || usage
fi
[ $# -ge 2 ] || usage
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

# Asked for its VERSION as if by devinfo, which cannot run itself, each version says so (devinfo(8));
# other plugins answer.
is_ours() {
	[ -f "$1" ] && [ -x "$1" ] && DEVINFO_DEPTH=1 CNI_COMMAND=VERSION "$1" </dev/null 2>/dev/null |
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

# The old name is there at every moment: it gets a second one first.
make_copy() {
	if exists "$dir/$1" && ! is_ours "$dir/$1"; then
		ln "$dir/$1" "$dir/$1.replaced" 2>/dev/null || put "$dir/$1" "$dir/$1.replaced"
		echo "kept $dir/$1 as $dir/$1.replaced"
	fi
	put "$dir/$name" "$dir/$1"
	echo "installed $dir/$1, a copy of $name"
}

if [ "$remove" ]; then
	for copy; do
		take_away "$copy"
	done
	exit
fi

# before anything is changed
[ -r "$binary" ] || die "cannot read '$binary'"
for copy; do
	if [ -d "$dir/$copy" ] || { exists "$dir/$copy.replaced" && exists "$dir/$copy" && ! is_ours "$dir/$copy"; }; then
		die "'$dir/$copy' is in the way, and '$dir/$copy.replaced' is there already or cannot be made;" \
			"nothing is changed"
	fi
done
[ ! -d "$dir/$name" ] || die "'$dir/$name' is a directory"

mkdir -p "$dir"
new=$(mktemp "$dir/.$name.XXXXXX")
trap 'rm -f "$new"' EXIT
cp "$binary" "$new"
chmod 0755 "$new"
answer=$(CNI_COMMAND=VERSION "$new" </dev/null) || answer=
case $answer in
*'"supportedVersions"'*) ;;
*) die "$binary does not answer VERSION (ldd tells the libraries it needs); '$dir/$name' is left as it was" ;;
esac
sync "$new" 2>/dev/null || sync
mv -f "$new" "$dir/$name"
echo "installed $dir/$name"
for copy; do
	make_copy "$copy"
done
