# SPDX-License-Identifier: Apache-2.0
# room.bash - rooms for what is delivered: directories, from where this machine has its Debian
#
# $build is the folder of the build, in which they stay.  Needs no bats: tests/run.sh makes them early.
# shellcheck shell=bash

# debian SUITE PACKAGES DIRECTORY - made there, from where this machine has its Debian
debian() {
	local options uri sources
	mapfile -t options < <(apt-config dump | sed -nE 's/^Acquire::(http|https|Retries|Check-Date)[: ].*/--aptopt=&/p')
	sources=$(apt-get indextargets --format '$(RELEASE) $(COMPONENT) $(REPO_URI)' 'Identifier: Packages' |
		awk '$2 == "main" && $1 ~ /^bookworm(-updates|-security)?$/ && !n[$1]++ { print "deb", $3, $1, $2 }')
	uri=$(awk '$3 == "bookworm" { print $2 }' <<<"$sources")
	[ "$1" = bookworm ] || sources="deb $uri $1 main"
	# A mirror's testing may be old, and nothing here is to last.  dash, which apt runs, has no descriptor above 9: so none
	# of ours is in the way of mmdebstrap's.
	mmdebstrap --quiet --variant=essential ${2:+"--include=$2"} "${options[@]}" \
		--aptopt='Acquire::Check-Valid-Until "false"' --dpkgopt=force-unsafe-io --dpkgopt=path-exclude='/usr/share/doc/*' \
		--dpkgopt=path-exclude='/usr/share/locale/*' "$1" "$3" <<<"$sources" >&2 \
		3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
}

# room NAME - the directory of a room, made when it is asked for first:
#	empty		nothing at all
#	bookworm	Debian 12 without compiler, or anything that it can do without
#	testing		the same of Debian's testing
#	rpm		Debian 12 with rpm
room() {
	local at=$build/rooms/$1
	mkdir -p "$build/rooms"
	(
		flock 9
		[ ! -e "$at.made" ] || exit 0
		rm -rf "$at"
		case $1 in
		empty) mkdir "$at" ;;
		bookworm | testing) debian "$1" "" "$at" ;;
		rpm) debian bookworm rpm "$at" ;;
		esac || exit
		mkdir -p "$at"/{proc,sys,run/netns}
		touch "$at.made"
	) 9>"$build/rooms/$1.lock" >&2 || return
	echo "$at"
}
