#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# make-node.sh - a directory tree from the text of a recorded node
#
#	tests/node/make-node.sh tests/node/igb.node DIRECTORY
#
# The lines of such a text; paths have no leading slash and no blanks:
#	file PATH VALUE		a file of one line
#	text PATH		a file; its lines follow, each behind a '|'
#	link PATH TARGET	a symbolic link
#	dir PATH		an empty directory
#	char PATH		a character device (0:0, which needs no privilege)
#	mode PATH MODE		of what is there by now; directories are 0755, files 0644
#	age PATH SECONDS	how long before the others it was written
#	# ...			a comment
#
# What record-node of devinfoctl wrote, a NAME.tar, is taken as well.

set -euo pipefail
umask 022

if [[ $1 == *.tar ]]; then
	mkdir -p "$2"
	exec tar -xf "$1" -C "$2"
fi

declare -A dirs=([$2]=1)
while read -r what path rest; do
	case $what in
	dir) dirs[$2/$path]=1 ;;
	file | text | link | char) [[ $path != */* ]] || dirs[$2/${path%/*}]=1 ;;
	esac
done <"$1"
mkdir -p "${!dirs[@]}"

# all by one process, for there are many
links=()
make_links() {
	[ "${#links[@]}" -eq 0 ] || perl -e 'while (my ($to, $link) = splice(@ARGV, 0, 2)) {
		symlink($to, $link) or die("$link: $!\n") }' -- "${links[@]}"
	links=()
}

text=
while IFS= read -r line; do
	if [[ $line == '|'* ]]; then
		printf '%s\n' "${line:1}" >>"$text"
		continue
	fi
	what=${line%% *} path=${line#* } rest=
	[[ $path != *' '* ]] || rest=${path#* } path=${path%% *}
	case $what in
	file) printf '%s\n' "$rest" >"$2/$path" ;;
	link) links+=("$rest" "$2/$path") ;;
	char) mknod "$2/$path" c 0 0 ;;
	text)
		text=$2/$path
		: >"$text"
		;;
	mode)
		make_links
		chmod "$rest" "$2/$path"
		;;
	age)
		make_links
		touch -h -d "-$rest seconds" "$2/$path"
		;;
	dir | '#'* | '' | '|'*) ;;
	*)
		printf '%s: unknown line: %s\n' "$1" "$what" >&2
		exit 1
		;;
	esac
done <"$1"
make_links
