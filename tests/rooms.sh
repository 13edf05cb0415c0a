#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# rooms.sh - the architecture as a test: who may include whom, and no circle of files
#
# The rule is in the table tests/rooms; here it is applied to the tree, and shown to catch what it
# is there to catch.  Calls are read from the objects in BUILD, which the programs are linked from.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh
rule=$PWD/tests/rooms.awk table=$PWD/tests/rooms
build=${BUILD:-build}
work=$(mktemp -d "${TMPDIR:-/tmp}/rooms.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# -- includes --

# judge FILE LINE: does the rule accept a file of this one line?  The answer is in $said.
judge() {
	rm -rf "${work:?}"/*
	mkdir -p "$work/${1%/*}"
	printf '%s\n' "$2" >"$work/$1"
	said=$(cd "$work" && awk -f "$rule" "$table" "$1")
}

refuses() {
	judge "$1" "#include \"$2\"" && ok 1 "$1 may not include $2" && return
	[ "$said" = "$1:1: ${1%/*}/ may not include ${2%/*}/" ]
	ok $? "$1 may not include $2" "$said"
}

accepts() {
	judge "$1" "#include \"$2\""
	ok $? "$1 may include $2" "$said"
}

mapfile -t files < <(find base conf cni daemon devinfo manager netlink -name '*.[ch]' | sort)
said=$(awk -f "$rule" "$table" "${files[@]}")
ok $? "every include of the tree is allowed by tests/rooms" "$said"

# unused TABLE: rooms that a row lists and its room does not include
unused() {
	local room others other
	while IFS=: read -r room others; do
		for other in $others; do
			grep -q "^#include \"$other/[^/]*\"" "$room"/*.[ch] || echo "$room does not include $other"
		done
	done < <(grep -E '^[a-z/]+:' "$1")
}
said=$(unused "$table")
[ -z "$said" ]
ok $? "every room that is listed is included" "$said"
sed 's/^conf: base$/conf: netlink base/' "$table" >"$work/table"
[ "$(unused "$work/table")" = "conf does not include netlink" ]
ok $? "a room that is listed for nothing is told"

seen=$(cat "${files[@]}" | grep -cE '^#[[:space:]]*include[[:space:]]*"')
[ "$seen" -gt 50 ]
ok $? "the tree has includes to judge" "only $seen"

said=$(grep -nE '#[[:space:]]*include[[:space:]]*<jansson' netlink/*.[ch])
[ -z "$said" ]
ok $? "netlink/ knows no JSON" "$said"

refuses base/bad.h cni/call/call.h
refuses base/bad.c netlink/nl.h
refuses netlink/bad.c devinfo/node/sysfs.h
refuses conf/bad.c netlink/link.h
refuses devinfo/node/bad.c conf/node.h
refuses devinfo/node/bad.c devinfo/journal/record.h
refuses cni/rdma/bad.c cni/attach/release.h
refuses cni/socket/bad.c cni/vdpa/vdpa.h
accepts manager/ctl/good.c conf/node.h
accepts devinfo/node/good.c netlink/sriov.h
accepts cni/rdma/good.c cni/aspect/attachment.h
accepts cni/good.c conf/netconf.h
judge cni/stray/bad.c 'int x;'
[ "$said" = "cni/stray/bad.c:1: cni/stray/ is no room: see tests/rooms" ]
ok $? "a file in no room is told" "$said"
printf 'base:\na: b\nb: base\n' >"$work/table"
said=$(awk -f "$rule" "$work/table")
[ "$said" = "$work/table:2: a lists b, which does not stand above it" ]
ok $? "a room may list only those above it" "$said"

# -- words --

# spots WORD PATTERN FILE...: where PATTERN is in the code.  Not in comments and texts, as the keys of
# JSON are; nor where WORD is a member of something, as of a union, unless of a record, by whatever name
# the file declares that: what another aspect did is not looked up there.
spots() {
	local word=$1 pattern=$2
	shift 2
	awk -v word="$word" -v pattern="$pattern" '
	BEGIN { member = "(\\.|->)" word "([^a-z0-9_]|$)" }
	FNR == 1 {
		comment = 0
		record = "(^|[^a-z0-9_])(rec"
	}
	{
		line = $0
		if (comment && !sub(/^.*\*\//, "", line))
			next
		comment = 0
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
		comment = sub(/\/\*.*/, "", line)
		told = line
		if (line !~ /^#[ \t]*include/) {
			gsub(/\047([^\047\\]|\\.)+\047/, "", line)
			gsub(/"([^"\\]|\\.)*"/, "", line)
		}
		for (rest = line; match(rest, /struct record \**(const )?[a-z_]+/); rest = substr(rest, RSTART + RLENGTH)) {
			name = substr(rest, RSTART, RLENGTH)
			sub(/.*[ *]/, "", name)
			record = record "|" name
		}
		while (match(line, record ")(\\.|->)"))
			line = substr(line, 1, RSTART - 1) " rec:" substr(line, RSTART + RLENGTH)
		while (match(line, member))
			line = substr(line, 1, RSTART - 1) " " substr(line, RSTART + RLENGTH - 1)
		if (tolower(line) ~ pattern)
			print FILENAME ":" FNR ": " told
	}' "$@"
}

# homes WORD: where it may stand
homes() { sed -n "s/^word $1: //p" "$table" | tr '\n' ' '; }

# strays WORD PATTERN FILE...: the spots where WORD may not stand
strays() {
	spots "$@" | awk -v homes="$(homes "$1")" '
	BEGIN { n = split(homes, home, " ") }
	{
		for (i = 1; i <= n && index($0, home[i]) != 1; i++)
			;
		if (i > n)
			print
	}'
}

# idle WORD PATTERN FILE...: where WORD may stand and does not
idle() {
	spots "$@" | awk -v word="$1" -v homes="$(homes "$1")" '
	BEGIN { n = split(homes, home, " ") }
	{
		for (i = 1; i <= n; i++)
			if (index($0, home[i]) == 1)
				seen[i] = 1
	}
	END {
		for (i = 1; i <= n; i++)
			if (!(i in seen))
				print home[i] " has no word " word
	}'
}

# of each word the pattern; of a socket the word of the aspect, not that of socket(2)
declare -A words=([vdpa]=vdpa [rdma]=rdma [representor]=representor
	[socket]='(^|[^a-z_])socket_[a-z]|[:.>]socket[^a-z_]')
said=$(for word in "${!words[@]}"; do strays "$word" "${words[$word]}" "${files[@]}"; done)
[ -z "$said" ]
ok $? "each aspect's word stands where tests/rooms says" "$said"
said=$(for word in "${!words[@]}"; do idle "$word" "${words[$word]}" "${files[@]}"; done)
[ -z "$said" ]
ok $? "and tests/rooms names no place where it does not" "$said"

# the test sees what it is there to see
mkdir -p "$work/cni/netdev"
printf '/* vdpa */\n/*\n * vdpa */ int vdpa_x;\n' >"$work/cni/netdev/stray.c"
said=$(cd "$work" && strays vdpa vdpa cni/netdev/stray.c)
[ "$said" = "cni/netdev/stray.c:3:  int vdpa_x;" ]
ok $? "a stray word is told, and one in a comment is not" "$said"
cat >"$work/cni/netdev/stray.c" <<'EOF'
	set(o, "vdpa", c == '"' ? "a\"vdpa" : di->vdpa.path);
	x = (struct device_info){ .vdpa = { "" } };
	di.vdpa.path; rec->vdpa.name;
	a->rec.vdpa.name;
	a->vdpa_config;
	'"', vdpa("x");
#include "cni/vdpa/x.h"
int f(const struct record *seen, struct link *now)
	seen->vdpa.name;
	now->vdpa.name;
EOF
said=$(cd "$work" && strays vdpa vdpa cni/netdev/stray.c | cut -d: -f2 | tr '\n' ' ')
[ "$said" = "3 4 5 6 7 9 " ]
ok $? "nor is one in a text or a member's, but a record's is, and a name with it" "$said"
printf 'word vdpa: cni/netdev/ cni/vf/\n' >"$work/table"
said=$(cd "$work" && table=$work/table && idle vdpa vdpa cni/netdev/stray.c)
[ "$said" = "cni/vf/ has no word vdpa" ]
ok $? "a place that is named for nothing is told" "$said"

# -- aspects --

# unlisted TABLE FILE...: members of aspects that the lists of TABLE never ask, and rows without any
unlisted() {
	awk '
	BEGIN {
		lists = "probe:probe choose names probe_info hides_netdev needs;apply:apply connect describe await;" \
			"check:check;restore:restore busy;settle:settle before_return;" \
			"on_host:restore_on_host;lasting:restore_lasting forget collect;status:status"
		n = split(lists, list, ";")
		for (i = 1; i <= n; i++) {
			split(list[i], half, ":")
			m = split(half[2], member, " ")
			for (k = 1; k <= m; k++)
				home[member[k]] = half[1]
		}
	}
	FNR == NR && /_order\[\] = \{/ { order = $0; sub(/_order.*/, "", order); sub(/.*[ *]/, "", order) }
	FNR == NR && order {
		for (i = split($0, word, /[^a-z_]+/); i > 0; i--)
			if (word[i] ~ /_aspect$/)
				row[order, word[i]] = 1
		if (/};/)
			order = ""
	}
	FNR == NR { next }
	/^const struct aspect [a-z_]+ = \{/ { aspect = $4 }
	aspect {
		for (i = split($0, word, /[^a-z_.]+/); i > 0; i--) {
			name = substr(word[i], 2)
			if (word[i] ~ /^\./ && name in home)
				has[home[name], aspect] = has[home[name], aspect] " " name
		}
		if (/^};/)
			aspect = ""
	}
	END {
		for (pair in has)
			if (!(pair in row)) {
				split(pair, half, SUBSEP)
				print half[2] " has" has[pair] ", and no row in " half[1] "_order"
			}
		for (pair in row)
			if (!(pair in has)) {
				split(pair, half, SUBSEP)
				print half[2] " has a row in " half[1] "_order, and nothing to be asked there"
			}
	}' "$@" | sort
}

mapfile -t aspects < <(grep -l '^const struct aspect ' cni/*/*.c)
[ "${#aspects[@]}" -ge 8 ]
ok $? "there are aspects to look up" "${aspects[*]}"
said=$(unlisted cni/attach/aspects.c "${aspects[@]}")
[ -z "$said" ]
ok $? "what an aspect has is asked by a list of cni/attach/aspects.c, and each row has something" "$said"
sed 's/&vdpa_aspect, &driver_aspect, &vf_aspect, &rdma_aspect,/\&driver_aspect, \&vf_aspect, \&netdev_aspect,/' \
	cni/attach/aspects.c >"$work/aspects.c"
said=$(unlisted "$work/aspects.c" "${aspects[@]}")
[ "$said" = "netdev_aspect has a row in settle_order, and nothing to be asked there
rdma_aspect has settle, and no row in settle_order
vdpa_aspect has settle, and no row in settle_order" ]
ok $? "a row that was forgotten is told, and one that is idle" "$said"

# -- circles --

# Pairs on stdin: fails and names the members of a circle.
circles() { tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^-]\)/\1/p'; }

# calls OBJECT...: pairs of units, the first of which has a symbol of the second
calls() {
	nm -gPA "$@" | awk '
	{
		unit = $1
		sub(/\.o:$/, "", unit)
		if ($3 == "U")
			needs[unit, $2]
		else if ($3 ~ /^[TDRBVW]$/)
			home[$2] = unit
	}
	END {
		for (pair in needs) {
			split(pair, p, SUBSEP)
			if (p[2] in home && home[p[2]] != p[1])
				edge[p[1] " " home[p[2]]]
		}
		for (e in edge)
			print e
	}' | sed "s|$build/||g" | sort
}

[ "$(printf 'a b\nb c\nc a\n' | circles | tr '\n' ' ')" = "a b c " ] && [ -z "$(printf 'a b\na c\n' | circles)" ]
ok $? "a circle is seen, and none where there is none"

mapfile -t headers < <(printf '%s\n' "${files[@]}" | grep '\.h$')
said=$(awk '/^#[ \t]*include[ \t]*"/ { split($0, q, "\""); print FILENAME, q[2] }' "${headers[@]}" | circles)
[ -z "$said" ]
ok $? "no two headers include each other" "$said"

objects=()
for file in "${files[@]}"; do
	[ "${file%.c}" = "$file" ] || objects+=("$build/${file%.c}.o")
done
pairs=$(calls "${objects[@]}")
[ "$(wc -l <<<"$pairs")" -gt 100 ]
ok $? "the objects in $build tell who calls whom" "$(head -3 <<<"$pairs")"
said=$(circles <<<"$pairs")
[ -z "$said" ]
ok $? "no two files call each other" "$said"
rooms=$(sed 's|/[^/ ]* | |; s|/[^/]*$||' <<<"$pairs" | awk '$1 != $2' | sort -u)
said=$(circles <<<"$rooms")
[ -z "$said" ]
ok $? "nor do two rooms" "$said"

ok_end
