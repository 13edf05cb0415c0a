#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# install.sh - put a CNI plugin into its directory while the node is in use
#
#	install/install.sh BINARY CNIDIR
#
# The program is copied beside its place, asked for its VERSION there, and then renamed:
# a runtime that starts it meanwhile gets the old one or the new one, whole, and never
# "text file busy".  One that does not answer is not installed.  DESTDIR is put before
# CNIDIR.

set -eu

if [ $# -ne 2 ]; then
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
fi
binary=$1
name=${binary##*/}
dir=${DESTDIR:-}$2

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
trap - EXIT
echo "installed $dir/$name"
