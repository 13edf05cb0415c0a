#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# tables.sh - tables that must be complete have a row for each member of what they are about
#
# A table that is indexed by an enum has a row for each of its members.  A row that is missing is zero or
# NULL, which the compiler takes.  A member that has no value on purpose has a row that says so,
# "[FORM_NONE] = NULL".  The last member may be the number of the others: it is the size of some array, or
# a static_assert compares with it.  So such a table may not be written by position: then nothing tells
# which row is missing.
#
# Each member of a struct of the inventory has a row in fields.c, by which a recorded node has it, or is
# named above the table as derived.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh

# gaps FILE...: "FILE:LINE: table has no row for MEMBER"
gaps() {
	awk '
	# the code alone, without comments and texts
	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		if (FNR == 1)
			comment = 0
		if (comment && !sub(/^.*\*\//, "", line))
			next
		comment = 0
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
		comment = sub(/\/\*.*/, "", line)
	}

	# "enum x { A, B, C };", on one line or several
	line ~ /^[ \t]*(static |typedef )?enum( [a-z_]+)? \{/ { members = ""; in_enum = 1 }
	in_enum {
		text = line
		sub(/^.*enum[^{]*\{/, "", text)
		members = members " " text
		if (line ~ /\}/) {
			in_enum = 0
			sub(/\}.*/, "", members)
			n = split(members, part, ",")
			count = 0
			enums++
			for (i = 1; i <= n; i++)
				if (match(part[i], /[A-Z][A-Z0-9_]+/)) {
					name = substr(part[i], RSTART, RLENGTH)
					of[name] = enums
					list[enums, ++count] = name
				}
			size[enums] = count
		}
		next
	}

	# what is the size of an array, or is compared with one, counts
	{
		for (rest = line; match(rest, /\[[A-Z][A-Z0-9_]+\]( *=[^=])?/); rest = substr(rest, RSTART + RLENGTH)) {
			hit = substr(rest, RSTART, RLENGTH)
			name = hit
			gsub(/[^A-Z0-9_]/, "", name)
			if (hit !~ /=/)
				counts[name] = 1
		}
		if (line ~ /static_assert\(ARRAY_SIZE/ && match(line, /== [A-Z][A-Z0-9_]+/))
			counts[substr(line, RSTART + 3, RLENGTH - 3)] = 1
	}

	# a table is what stands between two braces; its rows begin with [MEMBER] =
	{
		for (rest = line; match(rest, /[{}]|(^|[^a-z0-9_\]])\[[A-Z][A-Z0-9_]+\] *=/); rest = substr(rest, RSTART + RLENGTH)) {
			hit = substr(rest, RSTART, RLENGTH)
			if (hit == "{") {
				table[++depth] = ++tables
			} else if (hit == "}") {
				depth -= depth > 0
			} else {
				gsub(/[^A-Z0-9_]/, "", hit)
				here = table[depth]
				if (!(here in first)) {
					first[here] = hit
					where[here] = FILENAME ":" FNR
				}
				row[here, hit] = 1
			}
		}
	}

	END {
		for (here = 1; here <= tables; here++) {
			if (!(here in first) || !(first[here] in of))
				continue
			e = of[first[here]]
			for (i = 1; i <= size[e]; i++)
				if (!((here, list[e, i]) in row) && !(i == size[e] && list[e, i] in counts))
					print where[here] ": the table has no row for " list[e, i]
		}
	}' "$@"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/tables.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cat >"$work/x.c" <<'EOF'
enum fruit { FRUIT_APPLE, FRUIT_PEAR, FRUIT_PLUM, /* FRUIT_NUT, */ FRUITS };
enum {
	TREE_OAK,
	TREE_ELM = 7
};
static const char *const whole[FRUITS] = {
	[FRUIT_APPLE] = "{", [FRUIT_PEAR] = "b",
	[FRUIT_PLUM] = NULL,
};
static const struct eater {
	const char *name;
	int (*eat[FRUITS])(void);
} eaters[] = {
	{ "cat", { [FRUIT_APPLE] = a, [FRUIT_PEAR] = b, [FRUIT_PLUM] = c } },
	{ "dog", { [FRUIT_APPLE] = a, [FRUIT_PEAR] = b } },
};
char text[TREE_OAK] = "", found[TREE_ELM] = { 0 };
const char *const trees[] = {
	[TREE_OAK] = "oak",
	/* [TREE_ELM] = "elm" */
};
EOF
said=$(gaps "$work/x.c" | sed "s|$work/||")
[ "$said" = "x.c:15: the table has no row for FRUIT_PLUM
x.c:19: the table has no row for TREE_ELM" ]
ok $? "a row that was forgotten is told, in a table of tables, too" "$said"

# by_position FILE...: "FILE:LINE: table is indexed by an enum, and written by position".  An index is of
# an enum when the file declares it as one, or some struct its member; and that of choices is when the
# member that they are for is.
by_position() {
	awk '
	function is_enum(index_, name) {
		name = index_
		return sub(/^.*(\.|->)/, "", name) ? name in member : (FILENAME, name) in variable
	}
	function tell(name) {
		if (name in where && !(where[name] in told)) {
			told[where[name]]
			print where[name] ": " name " is indexed by an enum, and written by position"
		}
	}

	# first all enums: what is declared at one tab with a ";" is a member, and may be a variable
	FNR == 1 { split("", where); open = "" }
	pass != 2 {
		for (rest = $0; match(rest, /enum [a-z_]+ [a-z_]+ *[;,)=]/); rest = substr(rest, RSTART + RLENGTH)) {
			hit = substr(rest, RSTART, RLENGTH)
			is_member = hit ~ /[;,]$/
			gsub(/ *[;,)=]$/, "", hit)
			sub(/.* /, "", hit)
			variable[FILENAME, hit]
			if (is_member)
				member[hit]
		}
		next
	}

	{
		line = $0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
	}
	open && line ~ /[^ \t]/ {
		if (line !~ /^[ \t]*[\[}]/)
			where[open] = FILENAME ":" opened
		open = ""
	}
	match(line, /[a-z_]+\[[A-Z_]*\] = \{/) {
		name = substr(line, RSTART, RLENGTH)
		rest = substr(line, RSTART + RLENGTH)
		sub(/\[.*/, "", name)
		delete where[name]
		if (rest ~ /^[ \t]*$/) {
			open = name
			opened = FNR
		} else if (rest !~ /^ *(\[|\}|0 *\})/) {
			where[name] = FILENAME ":" FNR
		}
	}
	{
		for (rest = line; match(rest, /[a-z_]+\[[a-z_.>-]+\]/); rest = substr(rest, RSTART + RLENGTH)) {
			hit = substr(rest, RSTART, RLENGTH)
			name = hit
			sub(/\[.*/, "", name)
			sub(/^[^\[]*\[/, "", hit)
			sub(/\]$/, "", hit)
			if (is_enum(hit))
				tell(name)
		}
	}
	/KEY_CHOICE/ && match(line, /TO\([a-z_]+\)/) {
		of = substr(line, RSTART + 3, RLENGTH - 4)
		if (match(line, /choices = [a-z_]+/) && of in member)
			tell(substr(line, RSTART + 10, RLENGTH - 10))
	}' "$@" pass=2 "$@"
}

cat >"$work/y.c" <<'EOF'
static const char *const tones[] = { "low", "high" };
static const char *const colours[] = {
	"red",
	"green",
};
static const char *const shapes[] = { [ROUND] = "round" };
static const char *const lists[] = { "a", "b" };
struct thing {
	enum colour colour;
};
static const struct conf_key keys[] = {
	{ "tone", KEY_CHOICE, 0, TO(colour), .choices = tones },
};
static void f(enum shape shape, const struct thing *t, size_t i)
{
	put(colours[t->colour], shapes[shape], lists[i]);
}
EOF
said=$(by_position "$work/y.c" | sed "s|$work/||")
[ "$said" = "y.c:1: tones is indexed by an enum, and written by position
y.c:2: colours is indexed by an enum, and written by position" ]
ok $? "a table by an enum that is written by position is told, and so are choices" "$said"

mapfile -t files < <(find base conf cni daemon devinfo manager netlink -name '*.[ch]' | sort)
[ "$(cat "${files[@]}" | grep -cE '^[[:space:]]*(\{.*)?\[[A-Z][A-Z0-9_]+\] = ')" -gt 100 ]
ok $? "there are tables to look at"
said=$(gaps "${files[@]}")
[ -z "$said" ]
ok $? "each table that is indexed by an enum has a row for each member" "$said"

said=$(by_position "${files[@]}")
[ -z "$said" ]
ok $? "no table that is indexed by an enum is written by position" "$said"

# unsaid FIELDS HEADER: members of the structs of HEADER of which FIELDS says nothing, and what it
# calls derived and is no member
unsaid() {
	awk '
	FNR == NR && /derived: / { derived = 1; sub(/.*derived: /, "") }
	FNR == NR && derived {
		text = $0
		gsub(/[^a-z0-9_,]/, "", text)
		names = names "," text
		if (/\*\//)
			derived = 0
	}
	FNR == NR && match($0, /^#define OF\(member\) FIELD\(struct [a-z_]+/) {
		of = substr($0, RSTART, RLENGTH)
		sub(/.*struct /, "", of)
		n = split(names, name, /,+/)
		for (i = 1; i <= n; i++)
			if (name[i])
				said[of "." name[i]] = 1
		names = ""
		next
	}
	FNR == NR {
		for (rest = $0; of && match(rest, /(OF|WITH|FIELD_TEXTS|FIELD_AT)\([^)]*/); rest = substr(rest, RSTART + RLENGTH)) {
			hit = substr(rest, RSTART, RLENGTH)
			sub(/^[A-Z_]+\((struct [a-z_]+, *)?/, "", hit)
			n = split(hit, name, /[ ,]+/)
			for (i = 1; i <= n; i++)
				if (name[i] !~ /^[A-Z]/)	# how many at most
					said[of "." name[i]] = 1
		}
		next
	}
	FNR == 1 { of = "" }
	/^struct inv_[a-z]+ \{/ { of = $2; comment = 0; next }
	/^\}/ { of = "" }
	of {
		line = $0
		if (comment && !sub(/^.*\*\//, "", line))
			next
		comment = 0
		gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
		comment = sub(/\/\*.*/, "", line)
		sub(/^[ \t]*(unsigned )?[a-z0-9_]+ /, "", line)
		if (!sub(/;.*/, "", line))
			next
		gsub(/\[[^]]*\]|[ \t(*)]/, "", line)
		n = split(line, name, ",")
		for (i = 1; i <= n; i++) {
			has[of "." name[i]] = 1
			if (!((of "." name[i]) in said))
				print of "." name[i] " is neither a row nor called derived"
		}
	}
	END {
		for (member in said)
			if (!(member in has))
				print member " is no member"
	}' "$@"
}

cat >"$work/fields.c" <<'EOF'
/* derived: pf, health, gone, ips */
#define OF(member) FIELD(struct inv_x, member)
	{ "name", OF(name), OPT },
EOF
cat >"$work/inventory.h" <<'EOF'
struct inv_x {
	char name[16], health[8];	/* of it; there is
					   more */
	char (*ips)[64];
	unsigned int pf, rate;
};
EOF
said=$(unsaid "$work/fields.c" "$work/inventory.h")
[ "$said" = "inv_x.rate is neither a row nor called derived
inv_x.gone is no member" ]
ok $? "a member that has no row is told, and one that is not there" "$said"
[ "$(grep -c '^struct inv_' manager/inventory/inventory.h)" -ge 11 ]
ok $? "the inventory has structs to look at"
said=$(unsaid manager/inventory/fields.c manager/inventory/inventory.h)
[ -z "$said" ]
ok $? "each member of the inventory's structs is recorded, or derived" "$said"

ok_end
