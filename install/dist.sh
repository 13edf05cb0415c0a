#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# dist.sh - what is delivered, below build-dist: "make deb", "make rpm" and "make dist"
#
#	install/dist.sh deb|rpm|tarball [ARCH]	devinfo_VERSION_ARCH.deb, devinfo-VERSION-1.MACHINE.rpm,
#						devinfo-VERSION-linux-ARCH.tar.gz
#	install/dist.sh source			devinfo-VERSION.tar.gz: HEAD of this checkout, by git
#	install/dist.sh manifests		devinfo-VERSION-manifests.tar.gz: install/manifests
#	install/dist.sh sums			SHA256SUMS of all that is there, images as well
#
# The programs are those of "make static" (ARCH, as dpkg has it: "make static ARCH=..."): one program for each
# release of each distribution, the same bytes in every form.  Nothing that is made depends on when, where and by
# whom: its time is that of the release in CHANGELOG.md.
#
# Environment: VERSION (default: that of base/version.h), OUT (default: build-dist), STATIC_BUILD (where the programs are).

set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C.UTF-8 TZ=UTC MAKEFLAGS=
umask 022
unset BUILD DESTDIR

what=${1-} given=${2-}
arch=${given:-$(dpkg --print-architecture 2>/dev/null || echo amd64)}
out=${OUT:-build-dist}
version=${VERSION:-$(install/release.sh version)}
static=${STATIC_BUILD:-build-static${given:+-$given}}	# as GNUmakefile has it
unset SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(install/release.sh time)
export SOURCE_DATE_EPOCH

die() {
	echo "dist.sh: $*" >&2
	exit 1
}

[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "version '$version' is not of the form 1.2.3"
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "$out/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT

# need PROGRAM PACKAGE
need() { command -v "$1" >/dev/null || die "there is no $1 here: install Debian's package $2"; }

has_programs() {
	for program in devinfo devinfoctl devinfod devinfo-publish; do
		[ -x "$static/bin/$program" ] || die "there are no programs in $static/bin: 'make static' makes them"
	done
}

# same_time DIRECTORY - and no other modes than 755 and 644
same_time() {
	chmod -R u=rwX,go=rX "$1"
	find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

# pack DIRECTORY: a tar archive of it on stdout, as "name/..."
pack() {
	tar -C "${1%/*}" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf - "${1##*/}" | gzip -9n
}

# documents DIRECTORY - what is told of the programs, and whose code is in them
documents() {
	mkdir -p "$1"
	cp install/README.md CHANGELOG.md "$1/"
	cp -r "$static/libs/licenses" "$1/libraries"
	install/sbom.sh ${given:+"$given"} >"$1/devinfo.spdx.json"
}

# stage DIRECTORY CNIDIR UNITDIR - a tree as on a node
stage() {
	make -s install-data DESTDIR="$1" prefix=/usr unitdir="$3" >&2
	install -D -m 755 "$static/bin/devinfo" "$1$2/devinfo"
	install -D -m 755 -t "$1/usr/bin" "$static"/bin/{devinfoctl,devinfod,devinfo-publish}
	install -D -m 755 install/install.sh "$1/usr/lib/devinfo/install.sh"
	documents "$1/usr/share/doc/devinfo"
	cp -r conf/examples "$1/usr/share/doc/devinfo/"
	same_time "$1"
}

make_tarball() {
	local dir=$work/devinfo-$version-linux-$arch
	mkdir -p "$dir"/{man,completion,systemd}
	cp "$static"/bin/{devinfo,devinfoctl,devinfod,devinfo-publish} install/install.sh LICENSE "$dir/"
	cp install/man/* "$dir/man/"
	cp install/completion/* "$dir/completion/"
	cp install/*.service install/*.timer install/*.mount install/tmpfiles.conf "$dir/systemd/"
	cp -r conf/examples "$dir/"
	documents "$dir"
	same_time "$dir"
	pack "$dir" >"$out/${dir##*/}.tar.gz"
}

make_deb() {
	local using
	need dh debhelper
	stage "$work/stage" /usr/lib/cni /lib/systemd/system	# where debhelper of Debian 12 finds units
	gzip -9n "$work"/stage/usr/share/man/man*/*
	mkdir "$work/deb"
	cp -r install/debian "$work/deb/debian"
	printf 'devinfo (%s) unstable; urgency=medium\n\n  * Release %s: see CHANGELOG.md.\n\n -- %s  %s\n' "$version" "$version" \
		"$(sed -n 's/^Maintainer: //p' install/debian/control)" "$(date -R -d "@$SOURCE_DATE_EPOCH")" \
		>"$work/deb/debian/changelog"
	same_time "$work/deb"
	using=$(built_using)
	(cd "$work/deb" && chmod 755 debian/rules && STAGE=$work/stage BUILT_USING=$using DEB_HOST_ARCH=$arch \
		DEB_RULES_REQUIRES_ROOT=no debian/rules binary >"$work/log" 2>&1) || { cat "$work/log" && return 1; }
	mv "$work"/devinfo_*.deb "$out/"
}

# built_using - the source packages of what is linked in, as Debian's control files have it
built_using() {
	cut -f 6,7 "$static/libs/facts" | sort -u | sed -E 's/^(.*)\t(.*)$/\1 (= \2)/' | paste -sd, | sed 's/,/, /g'
}

make_rpm() {
	local -A machines=([amd64]=x86_64 [arm64]=aarch64)
	need rpmbuild rpm
	stage "$work/stage" /usr/libexec/cni /usr/lib/systemd/system
	cp LICENSE "$work/stage/usr/share/doc/devinfo/"
	rpmbuild -bb --quiet --target "${machines[$arch]}" --define "_topdir $work/rpm" --define "version $version" \
		--define "stage $work/stage" install/devinfo.spec >"$work/log" 2>&1 || { cat "$work/log" && return 1; }
	mv "$work"/rpm/RPMS/*/*.rpm "$out/"
}

make_source() {
	need git git
	git -c safe.directory='*' archive --format=tar --prefix="devinfo-$version/" HEAD | gzip -9n >"$work/source"
	mv "$work/source" "$out/devinfo-$version.tar.gz"
}

make_manifests() {
	local dir=$work/devinfo-$version-manifests
	cp -r install/manifests "$dir"
	same_time "$dir"
	pack "$dir" >"$out/${dir##*/}.tar.gz"
}

make_sums() {
	(cd "$out" && find . -maxdepth 2 -type f -name 'devinfo*' ! -path '*/.*' -printf '%P\n' | sort | xargs sha256sum) >"$work/sums"
	mv "$work/sums" "$out/SHA256SUMS"
}

case $what in
deb | rpm | tarball)
	has_programs
	"make_$what"
	;;
source | manifests | sums) "make_$what" ;;
*)
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
