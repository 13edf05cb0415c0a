#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# static-libs.sh - what "make static" links into the programs, and what is known of each part
#
#	install/static-libs.sh DIRECTORY [ARCH]
#
# ARCH is amd64 or arm64 (default: this machine's).  Afterwards DIRECTORY has
#	glibc/		what devinfoctl, devinfod and devinfo-publish are made with: Debian's headers and archives (lib*.a), a tree for
#			gcc --sysroot; libmicrohttpd and libcurl are compiled here, since Debian's need all of GnuTLS, Kerberos, LDAP...
#	musl/		what the plugin is made with: musl's headers and archive, and the plugin's libraries, which are
#			compiled here from Debian's source packages, since Debian has no archives of them for musl
#	facts		a line of each part, as "fact" below has it: install/sbom.sh reads it
#	licenses/	the text of each part's licence
#	script		the checksum of this script, which has made them
# Where facts are by this very script, nothing is done, and no network needed.  apt gets and verifies all of it, from
# where this machine has its Debian; the machine's own packages, lists and architectures stay as they are.
# ARCHITECTURE.md says why two.

set -euo pipefail
export LC_ALL=C.UTF-8
[ $# -ge 1 ] || { sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
mkdir -p "$1"
dir=$(cd "$1" && pwd)
arch=${2:-$(dpkg --print-architecture)}
script=$(sha256sum <"$0")
if [ -e "$dir/facts" ] && [ "$(cat "$dir/script" 2>/dev/null)" = "$script" ]; then
	touch "$dir/facts"
	exit
fi

die() {
	echo "static-libs.sh: $*" >&2
	exit 1
}

case $arch in
amd64) triplet=x86_64-linux-gnu musl=x86_64-linux-musl ;;
arm64) triplet=aarch64-linux-gnu musl=aarch64-linux-musl ;;
*) die "no static programs are made for '$arch': must be amd64 or arm64" ;;
esac
cc=gcc
[ "$arch" = "$(dpkg --print-architecture)" ] || cc=$triplet-gcc
for tool in "$cc" dpkg-source; do
	command -v "$tool" >/dev/null || die "there is no $tool: install gcc-${triplet//_/-} and dpkg-dev"
done

# -- packages, by apt with lists of its own --

# suites - where this machine has Debian from: "URI SUITE", a line each
suites() {
	apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(REPO_URI) $(RELEASE)' 'Identifier: Packages' |
		awk '$1 == "Debian" && $2 == "main" && !n[$4]++ { print $3, $4 }'
}

own() {
	local command=$1
	shift
	"$command" -o Dir::Etc::SourceList="$dir/apt/list" -o Dir::Etc::SourceParts=- -o Dir::State="$dir/apt" \
		-o Dir::Cache="$dir/apt" -o Dir::State::Status=/dev/null -o APT::Architecture="$arch" \
		-o APT::Architectures::="$arch" -o APT::Sandbox::User=root -o Acquire::Languages=none "$@"
}

own_lists() {
	local key=/usr/share/keyrings/debian-archive-keyring.gpg from
	from=$(suites)
	[ -n "$from" ] || die "apt knows no source of Debian: try 'apt-get update'"
	mkdir -p "$dir"/apt/{lists,archives}/partial
	sed -E "s,.*,deb [arch=$arch signed-by=$key] & main\ndeb-src [signed-by=$key] & main," <<<"$from" >"$dir/apt/list"
	own apt-get -qq update >&2 || die "lists of packages cannot be had from: ${from//$'\n'/, }"
}

# packages NAME...: unpacks them in apt/PACKAGE
packages() {
	local name
	(cd "$dir/apt/archives" && own apt-get -qq download "$@" >&2) || die "packages of $arch cannot be had: $*"
	for name; do
		dpkg-deb -x "$dir/apt/archives/$name"_*.deb "$dir/apt/$name"
	done
}

# sources NAME...: unpacks them, with Debian's changes, in apt/src/NAME
sources() {
	local name
	mkdir -p "$dir/apt/src"
	(cd "$dir/apt/src" && own apt-get -qq source --download-only "$@" >&2) ||
		die "source packages cannot be had: $*; the archive that this machine has Debian from must have them"
	for name; do
		(cd "$dir/apt/src" && dpkg-source --no-check -x "$name"_*.dsc "$name" >/dev/null) || die "unpack source '$name'"
	done
}

# -- what is known of a part --

# files_of SOURCE VERSION: "SHA256:FILE" of each file of that source package, a comma between
files_of() {
	awk -v source="$1" -v version="$2" '
		/^[A-Z]/ { sums = 0 }
		/^Package: / { mine = $2 == source }
		/^Version: / { on = mine && $2 == version && !seen++ }
		/^Checksums-Sha256:/ { sums = 1; next }
		on && sums { printf "%s%s:%s", comma, $1, $3; comma = "," }' "$dir/apt/known"
}

# fact PROGRAM ARCHIVE LICENCE PACKAGE SOURCE VERSION COPYRIGHT: its line, tabs between: program, archive, SHA-256 of
# that, licence, package or "-", source package, its version, files of the source
fact() {
	cp -L "$7" "$dir/licenses/$5"
	{
		printf '%s\t' "$1" "${2##*/}" "$(sha256sum <"$2" | cut -d ' ' -f 1)" "$3" "$4" "$5" "$6"
		files_of "$5" "$6"
		echo
	} >>"$dir/facts.new"
}

# from_package PROGRAM ARCHIVE LICENCE PACKAGE - the archive is in the package
from_package() {
	local source version
	read -r source version < <(dpkg-deb -W --showformat='${source:Package} ${source:Version}\n' \
		"$dir/apt/archives/$4"_*.deb)
	fact "$@" "$source" "$version" "$dir/apt/$4/usr/share/doc/$4/copyright"
}

# part_of_gcc: a part of each program that is the compiler's, of a package that this machine has
part_of_gcc() {
	local archive package source version
	archive=$(readlink -f "$("$cc" -print-libgcc-file-name)")
	package=$(dpkg-query -S "$archive" | cut -d : -f 1)
	read -r source version < <(dpkg-query -W -f '${source:Package} ${source:Version}\n' "$package")
	fact both "$archive" 'GPL-3.0-or-later WITH GCC-exception-3.1' "$package" "$source" "$version" \
		"/usr/share/doc/$package/copyright"
}

# -- glibc, and what the programs other than the plugin need beside it --

make_glibc() {
	local name lib=$dir/glibc/usr/lib/$triplet packages=(libc6-dev linux-libc-dev libjansson-dev libnghttp2-dev libprotobuf-c-dev
		libyaml-dev libpcre2-dev libssl-dev libc-ares-dev)
	packages "${packages[@]}"
	mkdir -p "$dir/glibc"
	for name in "${packages[@]}"; do
		cp -a "$dir/apt/$name/usr" "$dir/glibc/"
	done
	rm -rf "$dir"/glibc/usr/{share,bin} "$lib"/*.so "$lib/pkgconfig"
	from_package devinfoctl "$lib/libc.a" LGPL-2.1-or-later libc6-dev
	from_package devinfoctl "$lib/libjansson.a" MIT libjansson-dev
	from_package devinfoctl "$lib/libnghttp2.a" MIT libnghttp2-dev
	from_package devinfoctl "$lib/libprotobuf-c.a" BSD-2-Clause libprotobuf-c-dev
	from_package devinfoctl "$lib/libyaml.a" MIT libyaml-dev
	from_package devinfoctl "$lib/libpcre2-8.a" BSD-3-Clause libpcre2-dev
	from_package devinfo-publish "$lib/libssl.a" Apache-2.0 libssl-dev
	from_package devinfo-publish "$lib/libcrypto.a" Apache-2.0 libssl-dev
	from_package devinfo-publish "$lib/libcares.a" MIT libc-ares-dev
}

# -- what is compiled here --

flags=(-O2 -fPIE -ffunction-sections -fdata-sections -fstack-protector-strong -fstack-clash-protection
	-ftrivial-auto-var-init=zero -D_GNU_SOURCE "-ffile-prefix-map=$dir=libs" -w -Werror=implicit-function-declaration)
[ "$arch" != arm64 ] || flags+=(-mbranch-protection=pac-ret -mno-outline-atomics)	# as GNUmakefile has it for what is ours

# configured SOURCE FOLDER ARCHIVE OPTION...: make that archive in a folder of the source package, by its own configure and
# for glibc, and put it beside Debian's; the source stays the current directory
configured() {
	local source=$1 folder=$2 archive=$3
	shift 3
	sources "$source"
	cd "$dir/apt/src/$source"
	{
		./configure "CC=$cc --sysroot=$dir/glibc" "CFLAGS=${flags[*]} -D_FORTIFY_SOURCE=3" --host="$triplet" --disable-shared \
			LDFLAGS="-static -L$dir/glibc/usr/lib/$triplet" PKG_CONFIG=false "$@" &&
			make -j"$(nproc)" -C "$folder" AUTOCONF=: AUTOHEADER=: AUTOMAKE=: ACLOCAL=: "${archive%.a}.la"
	} >"$dir/apt/$source.log" 2>&1 || { tail -n 20 "$dir/apt/$source.log" >&2 && die "compile $source"; }
	cp "$folder/.libs/$archive" "$dir/glibc/usr/lib/$triplet"
}

# own_fact PROGRAM ARCHIVE LICENCE - of what is compiled in the current directory
own_fact() {
	fact "$@" - "${PWD##*/}" "$(sed -n 's/^Version: //p' "$PWD"_*.dsc)" debian/copyright
}

# devinfod's server of metrics, without what it does not ask for: TLS, passwords, forms
make_microhttpd() {
	configured libmicrohttpd src/microhttpd libmicrohttpd.a --enable-epoll --enable-itc=eventfd \
		--disable-{https,bauth,dauth,postprocessor,httpupgrade,messages,curl,doc,examples,poll,sendfile,nls}
	cp src/include/microhttpd.h "$dir/glibc/usr/include"
	own_fact devinfod "$dir/glibc/usr/lib/$triplet/libmicrohttpd.a" LGPL-2.1-or-later
	cd "$dir"
}

# devinfo-publish's client of the API server: HTTPS alone, and of proxies those that a kubeconfig can name.  Names are
# resolved by c-ares, for glibc's way needs libraries of the node; so does what openssl.cnf of the node may ask for.
make_curl() {
	configured curl lib libcurl.a --with-openssl --enable-{ares,ipv6,proxy} --disable-openssl-auto-load-config \
		--without-{ca-bundle,ca-path,zlib,brotli,zstd,libpsl,libidn2,nghttp2,libssh2,librtmp,libgsasl,gssapi} \
		--disable-{ftp,file,ldap,ldaps,rtsp,dict,telnet,tftp,pop3,imap,smb,smtp,gopher,mqtt,websockets,manual} \
		--disable-{crypto-auth,ntlm,tls-srp,cookies,netrc,doh,mime,alt-svc,hsts,headers-api,unix-sockets,socketpair} \
		--disable-{dnsshuffle,get-easy-options,libcurl-option}
	cp -r include/curl "$dir/glibc/usr/include"
	own_fact devinfo-publish "$dir/glibc/usr/lib/$triplet/libcurl.a" curl
	cd "$dir"
}

# -- musl, and what the plugin needs beside it --

# compile NAME LICENCE FLAG... -- FILE...: musl/lib/libNAME.a, of the source package that is unpacked in apt/src
compile() {
	local archive=$dir/musl/lib/lib$1.a licence=$2 source=${PWD##*/apt/src/} own_flags=() version
	source=${source%%/*}
	shift 2
	while [ "$1" != -- ]; do
		own_flags+=("$1")
		shift
	done
	shift
	rm -rf "$dir/apt/obj" && mkdir "$dir/apt/obj"
	printf '%s\n' "$@" | xargs -P"$(nproc)" -I{} sh -c \
		'file=$1; shift; exec "$@" -c "$file" -o '"$dir"'/apt/obj/"$(basename "$file" .c)".o' sh {} \
		"$cc" -nostdinc -isystem "$dir/musl/include" -isystem "$("$cc" -print-file-name=include)" \
		"${flags[@]}" "${own_flags[@]}" || die "compile $source"
	"${cc/%gcc/gcc-ar}" crD "$archive" "$dir"/apt/obj/*.o
	version=$(sed -n 's/^Version: //p' "$dir/apt/src/$source"_*.dsc)
	fact devinfo "$archive" "$licence" - "$source" "$version" "$dir/apt/src/$source/debian/copyright"
}

make_musl() {
	local name
	packages musl-dev
	mkdir -p "$dir/musl/lib"
	cp -a "$dir/apt/musl-dev/usr/include/$musl" "$dir/musl/include"
	cp "$dir/apt/musl-dev/usr/lib/$musl"/{libc.a,rcrt1.o,crti.o,crtn.o} "$dir/musl/lib"
	cp -a "$dir"/glibc/usr/include/{linux,asm-generic,rdma} "$dir/glibc/usr/include/$triplet/asm" "$dir/musl/include"
	from_package devinfo "$dir/musl/lib/libc.a" MIT musl-dev

	sources jansson libyaml nghttp2 protobuf-c
	cp -a "$dir"/glibc/usr/include/{jansson.h,jansson_config.h,nghttp2,protobuf-c,yaml.h} "$dir/musl/include"
	cd "$dir/apt/src/jansson/src"
	: >jansson_private_config.h	# it would have what follows
	compile jansson MIT -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_SYS_TYPES_H -DHAVE_SYS_TIME_H -DHAVE_FCNTL_H \
		-DHAVE_GETPID -DHAVE_GETTIMEOFDAY -DHAVE_OPEN -DHAVE_CLOSE -DHAVE_READ -DHAVE_SCHED_YIELD -DHAVE_LOCALECONV \
		-DHAVE_ATOMIC_BUILTINS -DUSE_URANDOM -DINITIAL_HASHTABLE_ORDER=3 -- *.c
	cd "$dir/apt/src/libyaml/src"
	compile yaml MIT -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 \
		'-DYAML_VERSION_STRING="0.2.5"' -I../include -- *.c
	cd "$dir/apt/src/nghttp2/lib"
	compile nghttp2 MIT -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -DHAVE_TIME_H -DHAVE_CLOCK_GETTIME -DHAVE_STDINT_H \
		-DBUILDING_NGHTTP2 -DNGHTTP2_STATICLIB -Iincludes -- *.c
	cd "$dir/apt/src/protobuf-c"
	compile protobuf-c BSD-2-Clause -I. -- protobuf-c/protobuf-c.c
	cd "$dir"
}

rm -rf "${dir:?}"/{glibc,musl,licenses,apt,facts,facts.new}
mkdir -p "$dir/licenses"
own_lists
own apt-cache showsrc --only-source glibc jansson libyaml nghttp2 protobuf-c pcre2 libmicrohttpd curl openssl c-ares musl gcc-12 gcc-12-cross >"$dir/apt/known"
make_glibc
make_microhttpd
make_curl
make_musl
part_of_gcc
rm -rf "$dir/apt"
echo "$script" >"$dir/script"
mv "$dir/facts.new" "$dir/facts"
