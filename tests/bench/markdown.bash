# SPDX-License-Identifier: Apache-2.0
# markdown.bash - what the benchmarks print: tables in Markdown, and what is expected of their figures
# shellcheck shell=bash

# title TEXT
title() { printf '\n### %s\n\n' "$1"; }

# header CELL... - of a table: texts in the first column, figures in the others
header() {
	printf '|'
	printf ' %s |' "$@"
	printf '\n|:--|'
	printf -- '--:|%.0s' "${@:2}"
	echo
}

# rows - of lines with a tab between the cells
rows() { sed 's/\t/ | /g; s/^/| /; s/$/ |/'; }

# expect WHAT MEASURED EXPECTED - a row of the table that tests/bench/all prints of all
expect() { [ -z "${BENCH_EXPECTED-}" ] || printf '%s\t%s\t%s\n' "$@" >>"$BENCH_EXPECTED"; }

# ratio A B
ratio() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }
