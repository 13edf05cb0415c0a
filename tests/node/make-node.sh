#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-node.sh - a directory tree from the text of a recorded node
#
#	tests/node/make-node.sh tests/node/igb.node DIRECTORY
#
# The lines of such a text; paths have no leading slash and no blanks:
#	file PATH VALUE		a file of one line
#	link PATH TARGET	a symbolic link
#	dir PATH		an empty directory
#	char PATH		a character device (0:0, which needs no privilege)
#	# ...			a comment

set -euo pipefail
umask 022

declare -A dirs
while read -r what path rest; do
	case $what in
	dir) dirs[$2/$path]=1 ;;
	file | link | char) dirs[$2/${path%/*}]=1 ;;
	esac
done <"$1"
mkdir -p "${!dirs[@]}"

while read -r what path rest; do
	case $what in
	file) printf '%s\n' "$rest" >"$2/$path" ;;
	link) ln -s "$rest" "$2/$path" ;;
	char) mknod "$2/$path" c 0 0 ;;
	dir | '#'* | '') ;;
	*)
		printf '%s: unknown line: %s\n' "$1" "$what" >&2
		exit 1
		;;
	esac
done <"$1"
