#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# stdout.sh - the architecture as a test: stdout has one writer a program
#
# The plugin's stdout is the protocol: one stray line makes the runtime discard the
# attachment.  So only cni/call/result.c writes it (and manager/ctl/*.c in devinfoctl).
# The source is searched without its comments and strings.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/stdout.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# writers FILE...: lines that can reach stdout, as "FILE:LINE: code".  A child that gets our
# pipe for its stdout (dup2) is no such line.
writers() {
	awk '
	FNR == 1 { comment = 0 }
	{
		line = $0
		if (comment && !sub(/^.*\*\//, "", line))
			next
		comment = 0
		gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
		gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " ", line)
		comment = sub(/\/\*.*$/, "", line)
		gsub(/dup2\([^()]*, *STDOUT_FILENO\)/, "", line)
	}
	line ~ /(^|[^A-Za-z0-9_])(v?printf|puts|putchar|putchar_unlocked|puts_unlocked)[ \t]*\(/ ||
	line ~ /(^|[^A-Za-z0-9_])(stdout|STDOUT_FILENO)([^A-Za-z0-9_]|$)/ ||
	line ~ /(^|[^A-Za-z0-9_])(write|writev|dprintf|vdprintf|pwrite|sendfile|splice|fdopen)[ \t]*\([ \t]*1[ \t]*,/ {
		print FILENAME ":" FNR ": " $0
	}' "$@"
}

# catches CODE / passes CODE: what the search says about a file of this text
catches() {
	printf '%s\n' "$1" >"$work/probe.c"
	[ -n "$(writers "$work/probe.c")" ]
	ok $? "the search catches: ${1//$'\n'/ }"
}

passes() {
	local said
	printf '%s\n' "$1" >"$work/probe.c"
	said=$(writers "$work/probe.c")
	[ -z "$said" ]
	ok $? "the search passes: ${1//$'\n'/ }" "$said"
}

allowed='^(cni/call/result\.c|daemon/(publish/)?options\.c|manager/ctl/.*\.c)$'
others=()
for file in {base,conf,cni,daemon,netlink}/*.[ch] {cni,daemon,devinfo,manager}/*/*.[ch]; do
	[[ $file =~ $allowed ]] || others+=("$file")
done

said=$(writers "${others[@]}")
[ -z "$said" ]
ok $? "only cni/call/result.c, options.c of daemon/ and daemon/publish/, and manager/ctl/*.c write to stdout" "$said"
[ "${#others[@]}" -gt 20 ]
ok $? "there are files to search" "only ${#others[@]}"
[ -n "$(writers cni/call/result.c)" ] && [ -n "$(writers manager/ctl/table.c)" ]
ok $? "the writers are found in the files that may"

catches '	printf("hello\n");'
catches '	(void)puts ("hello");'
catches '	fprintf(stdout, "x");'
catches '	return write(STDOUT_FILENO, s, n);'
catches '	(void)!write(1, s, n);'
catches '	dprintf(1, "x");'
catches '	x = 1; /* why */ putchar(c);'
catches $'/* first\n * last */ puts(s);'
passes '	fprintf(stderr, "to stdout, printf(1)");'
passes '	/* never stdout: printf("x") */'
passes $'/* never\n * printf(x) on stdout\n */'
passes '	if (dup2(out, STDOUT_FILENO) < 0)'
passes '	n = snprintf(buf, sizeof(buf), "%d", 1);'
passes '	err_printf(e, 1);'

ok_end
