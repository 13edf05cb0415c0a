# SPDX-License-Identifier: Apache-2.0
# rooms.awk - who may include whom
#
# Includes are written from the top (#include "devinfo/node/sysfs.h"), so the room stands in the
# line.  The first file is the table, tests/rooms; of the others every offending line is named, and
# the exit status is 1.  Run from the top of the tree:
#	awk -f tests/rooms.awk tests/rooms FILE...
function folder(path) { sub(/\/[^\/]*$/, "", path); return path }

function complain(text) { print FILENAME ":" FNR ": " text; bad = 1 }

FNR == 1 { table = NR == 1; from = folder(FILENAME) }
table && /^[a-z\/]+:/ {
	room = substr($1, 1, length($1) - 1)
	for (i = 2; i <= NF; i++)
		if (!($i in allowed))
			complain(room " lists " $i ", which does not stand above it")
	allowed[room] = " " room " " substr($0, length($1) + 1) " "
}
table { next }
FNR == 1 && !(from in allowed) { complain(from "/ is no room: see tests/rooms") }
/^#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	to = folder(quoted[2])
	if (from in allowed && !index(allowed[from], " " to " "))
		complain(from "/ may not include " to "/")
}
END { exit bad }
