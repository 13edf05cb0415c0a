# SPDX-License-Identifier: Apache-2.0
#
# stats.awk - lines, functions and comments of C sources
#
#	awk -f tests/tool/stats.awk [-v what=NAME] FILE...
#
# A function begins at column 0 with a line that ends its parameters before a line "{", and ends
# with the "}" at column 0; its length is that of its body, without those two.  A line is a comment
# when there is nothing else in it.

function length_of(name, lines)
{
	functions++
	at[lines]++
	if (lines > longest) {
		longest = lines
		longest_is = name
	}
}

# the name before the first "(": that of "static int f(int (*g)(void))" is f
function name_of(text)
{
	sub(/\(.*/, "", text)
	sub(/.*[^A-Za-z0-9_]/, "", text)
	return text
}

FNR == 1 {
	files++
	comment = inside = 0
	head = ""
}

{
	lines++
	text = $0
	if (!comment)
		gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
	if (comment || text ~ /^[ \t]*\/\*/) {
		comments++
		was = comment
		comment = text !~ /\*\//
		if (was || text ~ /\*\/[ \t]*$/ || comment)
			next
		comments--		# there is code behind it
	} else if (text ~ /\/\*/ && text !~ /\*\//) {
		comment = 1		# it goes on below code
	}
	if (text ~ /^[ \t]*$/) {
		blank++
		next
	}
	if (text ~ /^#/)
		next
	if (!inside && text ~ /^\{/ && head ~ /\)[ \t]*(must_check)?[ \t]*$/) {
		inside = FNR
		name = FILENAME " (" name_of(head) ")"
	} else if (inside && text ~ /^\}/) {
		length_of(name, FNR - inside - 1)
		inside = 0
		head = ""
	} else if (!inside && text ~ /[;}][ \t]*$/) {
		head = ""		# a declaration, or the end of a table
	} else if (!inside) {
		head = head text
	}
}

END {
	for (n = 0; n <= longest; n++) {
		seen += at[n]
		if (!found && 2 * seen >= functions) {
			median = n
			found = 1
		}
	}
	printf "%s: %d lines in %d files, %.1f %% of them comments and %.1f %% blank\n", what, lines,
		files, lines ? 100 * comments / lines : 0, lines ? 100 * blank / lines : 0
	printf "%s: %d functions, median %d lines, longest %d: %s\n", what, functions, median, longest,
		longest_is
}
