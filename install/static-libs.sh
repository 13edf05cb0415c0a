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

# compile LIBC PROGRAM NAME LICENCE FLAG... -- FILE...: libNAME.a of that libc, which PROGRAM is linked with, from files of
# the source package in apt/src that the current directory is in.  What its configure script would find out is told by
# flags: it is the same on each Linux with that libc, and to find it out takes longer than to compile.
compile() {
	local libc=$1 program=$2 name=$3 licence=$4 source=${PWD##*/apt/src/} command=("$cc") to=$dir/musl/lib version
	source=${source%%/*}
	shift 4
	case $libc in
	musl) command+=(-nostdinc -isystem "$dir/musl/include" -isystem "$("$cc" -print-file-name=include)") ;;
	glibc) command+=("--sysroot=$dir/glibc" -D_FORTIFY_SOURCE=3) to=$dir/glibc/usr/lib/$triplet ;;
	esac
	command+=("${flags[@]}")
	while [ "$1" != -- ]; do
		command+=("$1")
		shift
	done
	shift
	rm -rf "$dir/apt/obj" && mkdir "$dir/apt/obj"
	printf '%s\n' "$@" | xargs -P"$(nproc)" -I{} sh -c \
		'file=$1; shift; exec "$@" -c "$file" -o '"$dir"'/apt/obj/"$(basename "$file" .c)".o' sh {} "${command[@]}" ||
		die "compile $source"
	"${cc/%gcc/gcc-ar}" crD "$to/lib$name.a" "$dir"/apt/obj/*.o
	version=$(sed -n 's/^Version: //p' "$dir/apt/src/$source"_*.dsc)
	fact "$program" "$to/lib$name.a" "$licence" - "$source" "$version" "$dir/apt/src/$source/debian/copyright"
}

# flags_are_of SOURCE VERSION - what follows knows what that version's configure script would find out
flags_are_of() {
	local have
	have=$(sed -nE 's/^Version: (.*)-.*/\1/p' "$dir/apt/src/$1"_*.dsc)
	[ "$have" = "$2" ] || die "compile $1 $have: its flags here are those of version $2, which Debian 12 has"
}

# devinfod's server of metrics, without what it does not ask for: TLS, passwords, forms
make_microhttpd() {
	flags_are_of libmicrohttpd 0.9.75
	cd "$dir/apt/src/libmicrohttpd/src/microhttpd"
	: >MHD_config.h	# it would have what follows
	compile glibc devinfod microhttpd LGPL-2.1-or-later -I. -I../include -DBUILDING_MHD_LIB -fvisibility=hidden -pthread \
		-fno-strict-aliasing -DNDEBUG -D'PACKAGE_VERSION="0.9.75"' -D'VERSION="0.9.75"' -DLINUX -DINLINE_FUNC \
		-DEPOLL_SUPPORT -D_MHD_ITC_EVENTFD -DMHD_USE_GETSOCKNAME -DMHD_USE_POSIX_THREADS \
		-D_MHD_EXTERN=extern -D_MHD_NORETURN=_Noreturn -D'_MHD_static_inline=static inline' \
		-DMHD_HAVE___BUILTIN_BSWAP{32,64} -DSIZEOF_{SIZE_T,STRUCT_TIMEVAL_TV_SEC,UINT64_T,UNSIGNED_LONG_LONG}=8 \
		-DSIZEOF_UNSIGNED_INT=4 -DHAVE_SYS_{IOCTL,MMAN,MSG,PARAM,SELECT,SOCKET,STAT,TIME,TYPES}_H \
		-DHAVE_{ARPA_INET,ENDIAN,FCNTL,INTTYPES,LIMITS,NETDB,NETINET_IN,NETINET_TCP,NET_IF,PTHREAD,SEARCH,SIGNAL}_H \
		-DHAVE_{STDALIGN,STDBOOL,STDDEF,STDLIB,STRING,TIME,UNISTD}_H \
		-DHAVE_{ACCEPT4,CALLOC,CLOCK_GETTIME,C_ALIGNOF,EPOLL_CREATE1,GETSOCKNAME,GETTIMEOFDAY,GMTIME_R,INET6} \
		-DHAVE_{LISTEN_SHUTDOWN,LSEEK64,PREAD,PREAD64,PTHREAD_SETNAME_NP_GNU,PTHREAD_SIGMASK,RANDOM,SENDMSG,SNPRINTF} \
		-DHAVE_{SOCK_NONBLOCK,SYSCONF,TIMESPEC_GET,WRITEV} \
		-- {connection,daemon,internal,memorypool,reason_phrase,response,sysfdsetsize}.c \
		mhd_{compat,itc,mono_clock,send,sockets,str,threads}.c
	cp ../include/microhttpd.h "$dir/glibc/usr/include"
	cd "$dir"
}

# devinfo-publish's client of the API server: HTTPS alone, and of proxies those that a kubeconfig can name.  Names are
# resolved by c-ares, for glibc's way needs libraries of the node; so does what openssl.cnf of the node may ask for.
make_curl() {
	flags_are_of curl 7.88.1
	cd "$dir/apt/src/curl/lib"
	compile glibc devinfo-publish curl curl -I. -I../include -DBUILDING_LIBCURL -DCURL_STATICLIB -fvisibility=hidden -pthread \
		-DUSE_OPENSSL -DUSE_ARES -DENABLE_IPV6 -DCURL_DISABLE_{FTP,FILE,LDAP,LDAPS,RTSP,DICT,TELNET,TFTP,POP3,IMAP,SMB,SMTP} \
		-DCURL_DISABLE_{GOPHER,MQTT,CRYPTO_AUTH,NTLM,COOKIES,NETRC,DOH,MIME,ALTSVC,HSTS,HEADERS_API,SOCKETPAIR} \
		-DCURL_DISABLE_{SHUFFLE_DNS,GETOPTIONS,LIBCURL_OPTION,OPENSSL_AUTO_LOAD_CONFIG} \
		-D'OS="Linux"' -DGETHOSTNAME_TYPE_ARG2=size_t -DCURL_SA_FAMILY_T=sa_family_t -DSTDC_HEADERS \
		-DSIZEOF_{CURL_OFF_T,LONG,OFF_T,SIZE_T,TIME_T}=8 \
		-DHAVE_{ARPA_INET,FCNTL,IFADDRS,LIBGEN,LINUX_TCP,NETDB,NETINET_IN,NETINET_TCP,NET_IF,POLL,PWD}_H \
		-DHAVE_{SETJMP,SIGNAL,STDATOMIC,STDBOOL,STRINGS,STRING,UNISTD}_H \
		-DHAVE_SYS_{IOCTL,PARAM,POLL,SELECT,SOCKET,STAT,TIME,TYPES,UN,WAIT}_H \
		-DHAVE_{ALARM,ATOMIC,BASENAME,BOOL_T,CLOCK_GETTIME_MONOTONIC,FCHMOD,FCNTL,FCNTL_O_NONBLOCK,FNMATCH,FREEADDRINFO} \
		-DHAVE_{GETADDRINFO,GETADDRINFO_THREADSAFE,GETEUID,GETHOSTBYNAME_R,GETHOSTBYNAME_R_6,GETHOSTNAME,GETIFADDRS} \
		-DHAVE_{GETPEERNAME,GETPWUID,GETPWUID_R,GETSOCKNAME,GETTIMEOFDAY,GLIBC_STRERROR_R,GMTIME_R,IF_NAMETOINDEX} \
		-DHAVE_{INET_NTOP,INET_PTON,LONGLONG,MSG_NOSIGNAL,POLL_FINE,RECV,SCHED_YIELD,SELECT,SEND,SENDMSG} \
		-DHAVE_{SIGACTION,SIGNAL,SIGSETJMP,SNPRINTF,SOCKADDR_IN6_SIN6_SCOPE_ID,SOCKET,SOCKETPAIR,SSL_SET0_WBIO,STRDUP} \
		-DHAVE_{STRERROR_R,STRTOK_R,STRTOLL,STRUCT_SOCKADDR_STORAGE,STRUCT_TIMEVAL,SUSECONDS_T} \
		-DHAVE_VARIADIC_MACROS_{C99,GCC} \
		-- *.c v*/*.c
	cp -r ../include/curl "$dir/glibc/usr/include"
	cd "$dir"
}

# -- musl, and what the plugin needs beside it --

make_musl() {
	packages musl-dev
	mkdir -p "$dir/musl/lib"
	cp -a "$dir/apt/musl-dev/usr/include/$musl" "$dir/musl/include"
	cp "$dir/apt/musl-dev/usr/lib/$musl"/{libc.a,rcrt1.o,crti.o,crtn.o} "$dir/musl/lib"
	cp -a "$dir"/glibc/usr/include/{linux,asm-generic,rdma} "$dir/glibc/usr/include/$triplet/asm" "$dir/musl/include"
	from_package devinfo "$dir/musl/lib/libc.a" MIT musl-dev

	cp -a "$dir"/glibc/usr/include/{jansson.h,jansson_config.h,nghttp2,protobuf-c,yaml.h} "$dir/musl/include"
	cd "$dir/apt/src/jansson/src"
	: >jansson_private_config.h	# it would have what follows
	compile musl devinfo jansson MIT -DHAVE_STDINT_H -DHAVE_UNISTD_H -DHAVE_SYS_TYPES_H -DHAVE_SYS_TIME_H -DHAVE_FCNTL_H \
		-DHAVE_GETPID -DHAVE_GETTIMEOFDAY -DHAVE_OPEN -DHAVE_CLOSE -DHAVE_READ -DHAVE_SCHED_YIELD -DHAVE_LOCALECONV \
		-DHAVE_ATOMIC_BUILTINS -DUSE_URANDOM -DINITIAL_HASHTABLE_ORDER=3 -- *.c
	cd "$dir/apt/src/libyaml/src"
	compile musl devinfo yaml MIT -DYAML_VERSION_MAJOR=0 -DYAML_VERSION_MINOR=2 -DYAML_VERSION_PATCH=5 \
		'-DYAML_VERSION_STRING="0.2.5"' -I../include -- *.c
	cd "$dir/apt/src/nghttp2/lib"
	compile musl devinfo nghttp2 MIT -DHAVE_ARPA_INET_H -DHAVE_NETINET_IN_H -DHAVE_TIME_H -DHAVE_CLOCK_GETTIME \
		-DHAVE_STDINT_H -DBUILDING_NGHTTP2 -DNGHTTP2_STATICLIB -Iincludes -- *.c
	cd "$dir/apt/src/protobuf-c"
	compile musl devinfo protobuf-c BSD-2-Clause -I. -- protobuf-c/protobuf-c.c
	cd "$dir"
}

rm -rf "${dir:?}"/{glibc,musl,licenses,apt,facts,facts.new}
mkdir -p "$dir/licenses"
own_lists
own apt-cache showsrc --only-source glibc jansson libyaml nghttp2 protobuf-c pcre2 libmicrohttpd curl openssl c-ares musl gcc-12 gcc-12-cross >"$dir/apt/known"
make_glibc
sources libmicrohttpd curl jansson libyaml nghttp2 protobuf-c
make_microhttpd
make_curl
make_musl
part_of_gcc
rm -rf "$dir/apt"
echo "$script" >"$dir/script"
mv "$dir/facts.new" "$dir/facts"
