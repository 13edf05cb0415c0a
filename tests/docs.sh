#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# docs.sh - do the documents tell the truth about the code?
#
# What can be looked up is looked up: keys, defaults, error codes, examples, links, and
# the files, functions and tests that SPEC-NOTES.md, ARCHITECTURE.md and the rooms' notes name.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh

conf5=install/man/devinfo.conf.5
man8=install/man/devinfo.8

# missing FILE WORD...: those words that the file has not, as words
missing() {
	local word
	for word in "${@:2}"; do
		grep -qwF -- "$word" "$1" || echo "$1 lacks $word"
	done
}

# none SENTENCE TEXT: holds when there is nothing to complain of
none() {
	[ -z "$2" ]
	ok $? "$1" "$2"
}

# enough COUNT AT-LEAST WHAT: an empty list must not pass for a true one
enough() {
	[ "$1" -ge "$2" ]
	ok $? "there are $3 to look up" "only $1"
}

none "a word that is not there is missed" \
	"$([ "$(missing README.md devinfo xyzzy)" = "README.md lacks xyzzy" ] || echo "it is not")"

# mdoc(7) takes these for macros wherever they stand in a line of one; an example means the word
callable='Ac|Ad|An|Ao|Ap|Aq|Ar|Cm|Dq|Dv|Em|En|Eq|Er|Ev|Fa|Fl|Fn|Ft|Ic|In|Li|Lk|Nm|No|Ns|Op|Ot|Pa|Pf|Ql|Qq|Sq|St|Sx|Sy|Tn|Ux|Va|Vt|Xr'
none "no word of an example is a macro" \
	"$(grep -nE "^\.(Dl|D1) (.* )?($callable)( |$)" install/man/*)"

none "an example that reads the journal or changes the node is root's" \
	"$(grep -nE '^\.Dl \$ devinfoctl (list|doctor|repair|gc|drift|explain|status|resolve|record-node|publish|withdraw)( |$)' install/man/*)"

# the rows of the tables, and what is read by hand; types, ranges, defaults and who may say what are
# compared by tests/unit/conf/test_keys.c
mapfile -t keys < <(
	grep -ohE '(KEY_ROW\(|PLACED\()"[A-Za-z_]+",|\{ "[A-Za-z_]+", KEY_|jx_[a-z]+\([^"]*"[^"]*", "[A-Za-z_]+"' conf/*.c |
		grep -oE '"[A-Za-z_]+"(, KEY_|,)?$' | tr -d '",' | sed 's, KEY_,,' | sort -u
)
enough "${#keys[@]}" 100 "keys"
none "every key of a configuration is in devinfo.conf(5)" "$(missing "$conf5" "${keys[@]}")"

# what is no key of a configuration: the rows behind those that test_keys.c compares
rows_of() { sed -nE "s/^\.It ([^ ]+) Ta $1 Ta .*/\1/p" "$conf5" | sort; }
# same ROWS WORD...: these words and no other
same_rows() { diff <(rows_of "$1") <(printf '%s\n' "${@:2}" | sort -u); }
mapfile -t options < <(sed -n '/text_options\[\] = {/,/^};/p' manager/ctl/option.c | grep -oE '"[a-z-]+"' | tr -d '"')
enough "${#options[@]}" 10 "options of devinfoctl"
none "WHO MAY SAY WHAT has each option of devinfoctl, and no other" "$(same_rows devinfoctl "${options[@]}")"
mapfile -t variables < <(grep -rohE --include='*.c' '(getenv|take_variable)\("[A-Z_]+"|define DEPTH[[:space:]]+"[A-Z_]+"' cni | grep -oE '"[A-Z_]+"' | tr -d '"')
enough "${#variables[@]}" 5 "variables"
none "WHO MAY SAY WHAT has each variable, and no other" "$(same_rows environment "${variables[@]}")"
mapfile -t arguments < <(grep -oE 'strcmp\(pair, "[A-Za-z0-9_]+"' cni/call/call.c | grep -oE '"[^"]+"' | tr -d '"')
enough "${#arguments[@]}" 3 "keys of CNI_ARGS"
none "WHO MAY SAY WHAT has each key of CNI_ARGS that is read, and no other" "$(same_rows CNI_ARGS "${arguments[@]}")"

# incomplete PAGE: the entries of its REFERENCE without Value, Default and, a network's, Refused
incomplete() {
	sed -n '/^\.Sh REFERENCE/,/^\.Sh WHO/p' "$1" | awk '
		function judge() { if (name != "" && said != "ValueDefault" refused) print name; name = "" }
		/^\.Ss/ { refused = $2 == "Network" ? "Refused" : "" }
		/^\.It / || /^\.El/ { judge() }
		/^\.It / { name = $0; said = ""; n++ }
		sub(/^(\.No )?(Value|Default|Refused): .*\.$/, "&") { sub(/^\.No /, ""); sub(/:.*/, ""); said = said $0 }
		END { if (n < 90) print n " entries only" }'
}
none "every entry of the reference says value, default and what is refused" "$(incomplete "$conf5")"

mapfile -t paths < <(sed -n '/settings_default = {/,/};/p' base/host.c | grep -oE '"/[^"]*"' | tr -d '"')
enough "${#paths[@]}" 4 "default paths"
none "every default path is in devinfo.conf(5)" "$(missing "$conf5" "${paths[@]}")"
none "every default path is in the README" "$(missing README.md "${paths[@]}")"
mapfile -t numbers < <(sed -n '/settings_default = {/,/};/p' base/host.c | grep -oE '= [0-9]+' | tr -d '= ')
enough "${#numbers[@]}" 3 "default time limits"
none "every default time limit is in devinfo.conf(5)" "$(missing "$conf5" "${numbers[@]}")"

# devinfoctl(8): commands, options, and what selects a device or is looked for
ctl8=install/man/devinfoctl.8
mapfile -t commands < <(sed -n '/ commands\[\] = {/,/^};/p' manager/ctl/main.c | grep -oE '^	\{ "[a-z -]+"' | grep -oE '[a-z][a-z -]*')
enough "${#commands[@]}" 7 "commands of devinfoctl"
# lacking FORM WORD...: those words for which no line of the page has that form, with the word for @
lacking() {
	local word
	for word in "${@:2}"; do
		grep -qE "${1//@/$word}" "$ctl8" || echo "$word"
	done
}
none "a command that is not there is missed" "$([ "$(lacking '^\.Cm @$' list xyzzy)" = xyzzy ] || echo "it is not")"
none "each command of devinfoctl is in devinfoctl(8), and in its synopsis" \
	"$(lacking '^\.It Cm @( |$)' "${commands[@]/ / Cm }"; lacking '^\.Cm @$' "${commands[@]%% *}" "${commands[@]##* }")"
none "each option of devinfoctl is in devinfoctl(8)" "$(lacking '^\.It (.* )?Fl -@( |$)' "${options[@]}")"
# and back: what the page has, the tables have
none "devinfoctl(8) has no other command" "$(comm -13 <(printf '%s\n' "${commands[@]%% *}" help dpdk | sort) \
	<(sed -nE '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Cm ([a-z-]+).*/\1/p' "$ctl8" | sort -u))"
none "nor any other option" "$(comm -13 <(printf '%s\n' "${options[@]}" help version | sort) \
	<(grep -oE '(^\.It.* |^\.Op |^\.)Fl -[a-z-]+' "$ctl8" | grep -oE 'Fl -[a-z-]+$' | sed 's/^Fl -//' | sort -u))"
# said_in_code FILE TABLE: the names of a table, each with what it is; said_in_page SECTION: those of the page
said_in_code() {
	sed -n "/ $2\[\] = {/,/^};/p" "$1" | tr -d '\n\t' | sed 's/" *"//g' |
		grep -oE '\{ "[a-z_-]+", *"[^"]*"' | sed -E 's/^\{ "([^"]*)", *"/\1: /; s/"$//' | sort
}
said_in_page() {
	awk -v title=".Ss $1" '$0 == title { on = 1; next } /^\.S[sh]/ { on = 0 }
		on && /^\.It Li / { name = $3; getline; print name ": " $0 }' "$ctl8" | sort
}
for table in match/attribute_table:attribute_table:Attributes:50 doctor/leak_checks:leak_checks:Checks:15; do
	IFS=: read -r file name section least <<<"$table"
	enough "$(said_in_code "manager/$file.c" "$name" | wc -l)" "$least" "rows of $name"
done
none "each attribute of a device is in devinfoctl(8) as it is in the code, and no other" \
	"$(diff <(said_in_code manager/match/attribute_table.c attribute_table) <(said_in_page Attributes))"
none "so is each check of doctor" "$(diff <(for group in node leak; do
	said_in_code "manager/doctor/${group}_checks.c" "${group}_checks"
done | sort) <(said_in_page Checks))"
mapfile -t operators < <(sed -n '/expression_op .*\[\] = {/,/^};/p' manager/expression/op.c | grep -oE '^	\{ "[A-Za-z]+"' | grep -oE '[A-Za-z]+')
enough "${#operators[@]}" 10 "operators of expressions"
none "each operator of expressions is in devinfoctl(8)" "$(lacking '^\.It Li (.*[ &])?@( |$)' "${operators[@]}")"
mapfile -t selectors < <(sed -n '/^} lists\[\] = {/,/^};/p' manager/match/pool_selector.c | grep -oE '\{ "[A-Za-z]+"' | grep -oE '[A-Za-z]+')
enough "${#selectors[@]}" 14 "selectors of pools"
none "each selector of pools is in devinfoctl(8)" "$(lacking '^\.It Li (.* )?@( |$)' "${selectors[@]}")"

# coming from sriov-cni: what the page tells to do can be done
man7=install/man/devinfo-sriov.7
none "devinfo-sriov(7) has the files of sriov-cni and what the installer keeps" \
	"$(missing "$man7" sriovStateDir /var/lib/cni/sriov pci/vf_lock sriov.replaced)"
none "every option of the installer that it names exists" \
	"$(grep -ohE -- '--[a-z]+' "$man7" | sort -u | while read -r option; do
		grep -qF -- "= $option ]" install/install.sh || echo "$option"
	done
	grep -qF 'names=sriov' "$man7" && ! grep -qE 'install/install.sh .*\$\(names\)' GNUmakefile && echo names=)"
none "what the installer keeps is called so" \
	"$(grep -qF '.replaced' install/install.sh || echo .replaced)"
none "every manual page that another one names exists" \
	"$(grep -ohE '^\.Xr [a-z.-]+ [1-8]' install/man/* | sort -u | while read -r _ page section; do
		[ -e "install/man/$page.$section" ] || echo "$page($section)"
	done)"

# the pages as a reader has them, in 80 columns and by both formatters
export LC_ALL=C.UTF-8
rendered() {
	case $1 in
	mandoc) mandoc -Tutf8 -Owidth=80 "$2" ;;
	man) MANWIDTH=80 man -l "$2" 2>&1 ;;
	esac | sed 's/.\x08//g'
}
wide() { grep -E '^.{81}'; }
# a quotation in which another one begins is one that was not closed
unclosed() { tr -s '\n ' ' ' | grep -oP '(\x{2018}[^\x{2019}]*\x{2018}|\x{201c}[^\x{201d}]*\x{201c}).{0,20}'; }
none "a wide line and an open quotation are noticed" \
	"$(printf '\u2018%.0s' {1..81} | wide | unclosed >/dev/null || echo "they are not")"
for page in install/man/*.[1-8]; do
	for by in mandoc man; do
		text=$(rendered "$by" "$page")
		enough "$(wc -l <<<"$text")" 150 "lines of ${page##*/} by $by"
		none "no line of ${page##*/} by $by is wider than 80 columns" "$(wide <<<"$text")"
		none "each quotation in ${page##*/} by $by is closed" "$(unclosed <<<"$text")"
	done
done

# the codes that the code gives, by the numbers of err.h
mapfile -t used < <(grep -rohE --include='*.c' '\<ERR_[A-Z_]+\>' base conf cni daemon devinfo manager netlink | sort -u)
mapfile -t codes < <(for name in "${used[@]}"; do
	sed -nE "s/^[[:space:]]*$name = ([1-9][0-9]*),.*/\1/p" base/err.h
done)
enough "${#codes[@]}" 15 "error codes"
none "every error code that is given is in devinfo(8)" "$(for code in "${codes[@]}"; do
	grep -qxF ".It $code" "$man8" || echo "$code"
done)"
none "every error code in devinfo(8) exists" "$(sed -nE 's/^\.It ([0-9]+)$/\1/p' "$man8" | while read -r code; do
	[ "$code" -le 1 ] || grep -qE "= $code,|= $code\$" base/err.h || echo "$code"
done)"

for example in conf/examples/*.conflist; do
	jq -e '(.name | type == "string") and (.cniVersion | type == "string") and
		any(.plugins[]; .type == "devinfo")' "$example" >/dev/null
	ok $? "$example is a network configuration list for devinfo"
	none "$example is in devinfo.conf(5)" "$(missing "$conf5" "${example##*/}")"
	none "$example is in the README" "$(missing README.md "$example")"
done

none "every relative link leads to a file" "$(grep -noE '\]\([^)#]+\)' ./*.md | sed -E 's/\]\(|\)//g' |
	while IFS=: read -r from line to; do
		case $to in
		http*) ;;
		*) [ -e "$to" ] || echo "$from:$line: $to" ;;
		esac
	done)"

# SPEC-NOTES.md has its rows, and behind the path of a test its names in quotes
rows=$(grep -cE '^\|.*\|$' SPEC-NOTES.md)
enough "$rows" 20 "rows in SPEC-NOTES.md"
# "path (function, function)", over the ends of lines
flat() { tr -d '`' <"$1" | tr '\n' ' ' | tr -s ' '; }
code='(base|conf|cni|daemon|devinfo|manager|netlink)/[a-z0-9_/]+\.[ch]'
functions() { flat "$1" | grep -oE "\<$code \([a-z0-9_, ]+\)" | sort -u; }
pages=(SPEC-NOTES.md ARCHITECTURE.md SECURITY.md {cni,devinfo,manager}/*/NOTES.md)
enough "${#pages[@]}" 9 "pages that name files"
for page in "${pages[@]}"; do
	[ "$page" = cni/vf/NOTES.md ] || enough "$(functions "$page" | wc -l)" 4 "functions of $page"
	none "every file that $page names exists" "$(
		grep -oE "\<($code|tests/[A-Za-z0-9_./-]+\.(c|h|sh|bats))\>" "$page" | sort -u |
			while read -r file; do [ -e "$file" ] || echo "$file"; done
	)"
	none "every function that $page names is in its file" "$(
		functions "$page" | while read -r file functions; do
			[ -e "$file" ] || continue
			for function in $(tr -d '(),' <<<"$functions"); do
				grep -qwF "$function" "$file" || echo "$file: $function"
			done
		done
	)"
done
mapfile -t rooms < <(sed -nE 's/^([a-z_/]+):.*/\1/p' tests/rooms)
enough "${#rooms[@]}" 20 "rooms"
none "ARCHITECTURE.md has a row for each room, and for no other" \
	"$(diff <(printf '%s\n' "${rooms[@]}" | sort) <(sed -nE 's/^\| ((base|conf|netlink|devinfo|cni|daemon|manager)[a-z_\/]*) \|.*/\1/p' \
		ARCHITECTURE.md | sort))"

# steps_in_code FILE PLACE: the steps of one table of cni/attach/attach.c in order; steps_in_page FILE COLUMN:
# those that the page numbers in that column
steps_in_code() {
	sed -n "/ as_$2\[\] = {/,/^};/p" "$1" | sed 's,/\*.*\*/,,; /\[\]/d' | tr -d '\n\t };' | tr ',' '\n' | grep -v NULL
}
steps_in_page() {
	sed -n '/^### The steps of an ADD/,/^## /p' "$1" | awk -F ' *[|] *' -v column="$2" '
		/^\| cni/ {
			sub(/^[^(]*\(/, "", $2)
			sub(/\)$/, "", $2)
			for (i = split($column, number, ", "); i > 0; i--)
				if (number[i] != "-")
					print number[i], $2
		}' | sort -n | cut -d ' ' -f 2
}
column=4
for place in owner chained meta; do
	enough "$(steps_in_code cni/attach/attach.c "$place" | wc -l)" 14 "steps of as_$place"
	none "ARCHITECTURE.md has the steps of as_$place in their order, and no other" \
		"$(diff <(steps_in_code cni/attach/attach.c "$place") <(steps_in_page ARCHITECTURE.md "$column"))"
	column=$((column + 1))
done
none "a step that the page lacks is told, and one at another place" "$(
	diff <(steps_in_code cni/attach/attach.c owner) <(
		sed '/(tell_neighbours)/d; s/| 2 | - | - |$/| 25 | - | - |/' ARCHITECTURE.md | steps_in_page /dev/stdin 4
	) | grep '^[<>]' | diff - <(printf '%s\n' '< probe_device' '< tell_neighbours' '< tell_neighbours' \
		'< tell_neighbours' '> probe_device')
)"

none "every test that these pages name is in its file" "$(
	awk '{
		for (rest = $0; match(rest, /tests\/[A-Za-z0-9_.\/-]+|"[^"]+"/); rest = substr(rest, RSTART + RLENGTH)) {
			hit = substr(rest, RSTART, RLENGTH)
			if (hit ~ /^tests/)
				file = hit
			else if (file)
				print file "\t" substr(hit, 2, length(hit) - 2)
		}
		file = ""
	}' "${pages[@]}" | while IFS=$'\t' read -r file name; do
		# a name may be cut into two C strings
		if [ -e "$file" ]; then
			tr -d '\n\t' <"$file" | sed 's/" *"//g' | grep -qF -- "\"$name\"" || echo "$file: $name"
		fi
	done
)"

# the lines of the checklist, each family with its number of them, so that none can get lost
ids=$(for family in ENV-12 REQ-12 JSN-8 RES-20 ERR-7 ADD-11 DEL-18 CHK-6 GC-10 STA-5 VER-6 SPV-2 DLG-8 \
	ARG-7 PRC-12 SEC-6 CON-7 PIT-37 ISS-41; do
	seq -f "C-${family%-*}-%02g" "${family#*-}"
done
seq -f "fault %g" 13
for family in VDP-18 USR-20 FND-23; do
	seq -f "C-${family%-*}-%02g" "${family#*-}"
done
for family in K-55 N-76 D-53; do
	seq -f "${family%-*}%02g" "${family#*-}"
done)
none "tests/checklist.ids has each id once, in order" \
	"$(diff <(echo "$ids") <(sed -nE '/^(#|$)/!s/ \| .*//p' tests/checklist.ids))"
none "every line of tests/checklist.ids has its columns" \
	"$(awk -F ' [|] ' '!/^(#|$)/ && (NF < 3 || NF > 4)' tests/checklist.ids)"
none "each id is in the name of a test, or says that it is not done, and tests name no other" \
	"$(tests/checklist --missing)"
none "SPEC-NOTES.md tells what of the source documents is not done, and no other" "$(
	diff <(sed -nE 's/^([KND][0-9]+) \| .* \| not done: .*/\1/p' tests/checklist.ids) \
		<(sed -nE 's/^\| ([KND][0-9]+) \|.*/\1/p' SPEC-NOTES.md)
)"
none "a missing test is missed" "$(
	copy=$(mktemp -d)
	cp -r --parents tests/checklist* tests/*/*.bats tests/unit "$copy"
	echo 'C-XYZ-01 | - | nobody' >>"$copy/tests/checklist.ids"
	find "$copy"/tests/cli "$copy"/tests/unit -type f -exec sed -i 's/C-ENV-02/C-ENV-99/' {} +
	"$copy/tests/checklist" --missing | sort | diff - <(printf 'C-ENV-02\nC-ENV-99\nC-XYZ-01\n')
	rm -rf "$copy"
)"
none "each thing that vDPA asks for has a test in the lab with both drivers" "$(
	said=$(tests/checklist C-VDP)
	diff <(seq 9 | sed 's/.*/vhost\nvirtio/') <(sed -nE 's/^C-VDP-[0-9]+  ([a-z]+): .*/\1/p' <<<"$said")
	awk '/^C-VDP/ { if (id && !lab) print id; id = $1; lab = 0 }
		/^\ttests\/lab\// { lab = 1 } END { if (!lab) print id }' <<<"$said"
)"

# their order is read by hand
reasons=$(sed -n '/ reasons\[\])/,/^};/p' daemon/offer/offer_health.c | grep -oE '\<[a-z_]+,' | wc -l)
enough "$reasons" 15 "reasons"
none "devinfod(8) lists as many reasons for which a device is not healthy as the code has" "$(
	told=$(sed -n '/^\.Sh HEALTH/,/^\.El/p' install/man/devinfod.8 | grep -cx '\.It')
	[ "$told" -eq "$reasons" ] || echo "$told, and $reasons"
)"

ok_end
