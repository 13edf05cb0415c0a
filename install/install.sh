#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# install.sh - put a CNI plugin into its directory while the node is in use
#
#	install/install.sh BINARY CNIDIR [NAME...]
#	install/install.sh --unlink BINARY CNIDIR NAME...
#
# The program is copied beside its place, asked for its VERSION there, and then renamed:
# a runtime that starts it meanwhile gets the old one or the new one, whole, and never
# "text file busy".  One that does not answer is not installed.  DESTDIR is put before
# CNIDIR.
#
# Each NAME (sriov, ib-sriov) becomes a link to it, for configurations with the type of the
# plugin that it replaces.  What has that name is kept as NAME.replaced; when there is such
# a file already, nothing is changed.  --unlink takes the links away and puts back what was
# kept.  A NAME that is no link to the program is left alone.

set -eu

usage() {
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

unlink=
if [ "${1-}" = --unlink ]; then
	unlink=yes
	shift
	[ $# -ge 3 ] || usage
fi
[ $# -ge 2 ] || usage
binary=$1
name=${binary##*/}
dir=${DESTDIR:-}$2
shift 2

for link; do
	case $link in
	"$name" | '' | .* | *[!a-zA-Z0-9._-]*) usage ;;
	esac
done

# exists PATH: a link that leads nowhere does, too
exists() { [ -e "$1" ] || [ -L "$1" ]; }

is_link() { [ "$(readlink "$dir/$1")" = "$name" ]; }

take_away() {
	exists "$dir/$1" || return 0
	if ! is_link "$1"; then
		echo "install.sh: '$dir/$1' is no link to $name: left as it is" >&2
	elif exists "$dir/$1.replaced"; then
		mv -fT "$dir/$1.replaced" "$dir/$1"
		echo "restored $dir/$1"
	else
		rm "$dir/$1"
		echo "removed $dir/$1"
	fi
}

# The old name is there at every moment: it gets a second one first.
make_link() {
	if is_link "$1"; then
		return
	fi
	if exists "$dir/$1"; then
		ln -PT "$dir/$1" "$dir/$1.replaced"
		echo "kept $dir/$1 as $dir/$1.replaced"
	fi
	ln -sfT "$name" "$new"
	mv -fT "$new" "$dir/$1"
	echo "linked $dir/$1 to $name"
}

if [ "$unlink" ]; then
	for link; do
		take_away "$link"
	done
	exit
fi

# before anything is changed
for link; do
	if [ -d "$dir/$link" ] || { exists "$dir/$link.replaced" && exists "$dir/$link" && ! is_link "$link"; }; then
		echo "install.sh: '$dir/$link' is in the way, and '$dir/$link.replaced' is there already or" \
			"cannot be made; nothing is changed" >&2
		exit 1
	fi
done

mkdir -p "$dir"
new=$(mktemp "$dir/.$name.XXXXXX")
trap 'rm -f "$new"' EXIT
cp "$binary" "$new"
chmod 0755 "$new"
answer=$(CNI_COMMAND=VERSION "$new" </dev/null) || answer=
case $answer in
*'"supportedVersions"'*) ;;
*)
	echo "install.sh: $binary does not answer VERSION; '$dir/$name' is left as it was" >&2
	exit 1
	;;
esac
sync "$new"
mv -fT "$new" "$dir/$name"
echo "installed $dir/$name"
for link; do
	make_link "$link"
done
