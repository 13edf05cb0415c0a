#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# release.sh - what the files of a release have in common
#
#	install/release.sh version	its number, of base/version.h
#	install/release.sh time		its time, in seconds: SOURCE_DATE_EPOCH, or when the day in CHANGELOG.md began

set -eu
export LC_ALL=C TZ=UTC
top=$(dirname "$0")/..

die() {
	echo "release.sh: $*" >&2
	exit 1
}

case ${1-} in
version)
	version=$(sed -n 's/^#define DEVINFO_VERSION "\(.*\)"$/\1/p' "$top/base/version.h")
	[ -n "$version" ] || die "base/version.h has no version"
	echo "$version"
	;;
time)
	[ -z "${SOURCE_DATE_EPOCH-}" ] || { echo "$SOURCE_DATE_EPOCH" && exit; }
	day=$(sed -n -E 's/^## [0-9.]+ - (.*)$/\1/p' "$top/CHANGELOG.md" | head -n 1)
	[ -n "$day" ] || die "CHANGELOG.md has no release with a date"
	date -d "$day" +%s	# a time to come would stand in no archive
	;;
*)
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
