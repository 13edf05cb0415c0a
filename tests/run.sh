#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh - all tests, with everything they need
#
#	tests/run.sh			every tier
#	tests/run.sh TIER...		only these
#
# For root on a Debian 12 machine with nothing but this checkout: packages are installed
# when they are missing, and the virtual machine of the lab is set up once.  The tiers:
#	build		the programs, the unit tests and helpers with gcc, no warning; in a run with "sanitize" that tier builds the
#			unit tests
#	analyze		gcc -fanalyzer, what clang warns of in all C code, clang-tidy, cppcheck, shellcheck, mandoc -Tlint
#	unit		the C tests
#	rules		the rooms, the writers of stdout, the documents, and tests/tap.sh itself
#	fuzz		the parsers of what others wrote, by tests/fuzz/corpus and a thousand inputs each
#	upstream	Go's standard library and npm's CEL beside our engines, over generated cases
#	cli		the programs against recorded nodes
#	net		the programs against this kernel's namespaces and devices
#	peers		sockets: DPDK's applications and a real Open vSwitch
#	artefact	what is delivered, each in rooms of its own: the static programs in an empty root...
#	lab		the programs against SR-IOV devices in the virtual machine
#	sanitize	under address,undefined: unit, some of attaching in the lab, and cli and net but for the tests with the
#			tag "plain", which repeat what others do many times over, or mostly wait, or are about texts.  Beside
#			this tier, those of unit, cli and net run what it leaves out, what asks for less under it (the tag
#			"both"), and some of attaching
#	cover		line coverage of the C code by "sanitize", which it needs
#	bench		figures of ADD and DEL; judges nothing but that they can be taken
# A tier that is no set of TAP programs counts as one test.  The last line is the sum;
# the exit status is 0 when nothing failed (nor, with CI set, was skipped).
#
# Environment: V=1 shows everything, TMPDIR holds the scratch files.

set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
exec </dev/null
export LC_ALL=C.UTF-8 PATH="$PATH:/usr/sbin:/sbin" MAKEFLAGS=
unset BUILD SAN COV CC STRICT

tiers=(build analyze unit rules fuzz upstream cli net peers artefact lab sanitize cover bench)
jobs=-j$(nproc)
san=("SAN=address,undefined" COV=1)
# of unit, cli and net, beside "sanitize": what that does not run, or what asks for less there
unlike=(tests/unit/cni/rdma/test_rdma_kill.c tests/unit/cni/call/test_process.c
	tests/unit/devinfo/kubelet/test_{podres,checkpoint}.c)
unlike_tags='plain both attach' unlike_lines='^# bats (file|test)_tags=.*\b(plain|both|attach)\b'
passed=0
failed=0
skipped=0
work=$(mktemp -d "${TMPDIR:-/tmp}/run.XXXXXX") || exit 1
# The tests' files in memory: each attachment waits for some fsync(2), and small files cost less there.
if mount -t tmpfs -o mode=1777 tests "$work"; then
	export TMPDIR=$work
fi
trap 'mountpoint -q "$work" && umount -l "$work"; rm -rf "$work"' EXIT

# quietly COMMAND...: its output only when it fails
quietly() {
	if [ -n "${V:-}" ]; then
		"$@"
		return
	fi
	"$@" >"$work/log" 2>&1 && return
	tail -n 200 "$work/log"
	return 1
}

beside_sanitize() { [[ " ${wanted[*]} " == *" sanitize "* ]]; }

do_tier() {
	local status name=
	case $1 in
	packages)
		install/packages.sh || return
		# gcc's analyzer needs no more, and has a processor while the rest is unpacked; what it has to say it says again
		if [[ " ${wanted[*]} " == *" analyze "* ]]; then
			make -s "$jobs" analyze-gcc >/dev/null 2>&1 &
		fi
		install/packages.sh tests || status=$?
		wait
		return "${status:-0}"
		;;
	machine) tests/lab/vmtest --setup ;;
	build)
		beside_sanitize || name=units
		quietly make "$jobs" STRICT=1 all helpers ${name:+"$name"}
		;;
	analyze) quietly make "$jobs" analyze ;;
	fuzz)
		# inputs are few, so to compile takes longest
		quietly make "$jobs" STRICT=1 CFLAGS="-O0 -g" fuzzers || return
		make -s FUZZ_S=0 CFLAGS="-O0 -g" fuzz
		;;
	artefact)
		# the rooms come over the network meanwhile; one that cannot be had fails its test, which tries again
		for name in bookworm testing rpm; do
			build=$PWD/build bash -c '. tests/artefact/room.bash && room "$0"' "$name" >/dev/null 2>&1 &
		done
		quietly make "$jobs" all helpers images emulated || return
		make -s artefact
		;;
	unit | cli | net)
		if ! beside_sanitize; then
			make -s "$1"
		elif [ "$1" = unit ]; then
			make -s "UNIT=${unlike[*]}" unit
		else
			TAP_TAGS=$unlike_tags make -s "${1^^}=$(grep -lE "$unlike_lines" "tests/$1"/*.bats | tr '\n' ' ')" "$1"
		fi
		;;
	sanitize)
		san+=("UNIT=$(find tests/unit -name 'test_*.c' ! -name test_rdma_kill.c | sort | tr '\n' ' ')")
		quietly make "$jobs" STRICT=1 "${san[@]}" all units helpers || return
		find build-san-cov \( -name '*.gcda' -o -name '*.counters' \) -delete
		rm -rf build-san-cov-lab
		# one virtual machine leaves a processor idle, so the rest runs beside it
		LAB=tests/lab/add.bats LAB_TAGS=sanitize make -s "${san[@]}" lab >"$work/lab" 2>&1 &
		NET=$(grep -LE '^# bats file_tags=.*\bplain\b' tests/net/*.bats | tr '\n' ' ') \
			CLI=$(grep -LE '^# bats file_tags=.*\bplain\b' tests/cli/*.bats | tr '\n' ' ') \
			TAP_TAGS='!plain' make -sk "${san[@]}" unit cli net || status=$?
		wait $! || status=$?
		cat "$work/lab"
		return "${status:-0}"
		;;
	cover) make -s "${san[@]}" cover ;;
	bench) make -s ROUNDS=1 bench ;;
	*) make -s "$1" ;;	# rules, upstream, peers, lab
	esac
}

# tier NAME: run it under a heading, and count
tier() {
	local status=0 start=$SECONDS p=0 f=0 s=0 name more_p more_f more_s
	printf '\n== %s\n' "$1"
	: >"$work/results"
	export TAP_RESULTS=$work/results
	do_tier "$1" || status=1
	while read -r name more_p more_f more_s; do
		p=$((p + more_p)) f=$((f + more_f)) s=$((s + more_s))
	done <"$work/results"
	if [ ! -s "$work/results" ]; then
		p=$((1 - status)) f=$status
	elif [ "$status" -ne 0 ] && [ "$f" -eq 0 ] && { [ -z "${CI:-}" ] || [ "$s" -eq 0 ]; }; then
		echo "not ok - $1 failed, though none of its tests did"
		f=1
	fi
	printf -- '-- %s: %d passed, %d failed, %d skipped in %d s\n' "$1" "$p" "$f" "$s" \
		$((SECONDS - start))
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
	return "$status"
}

finish() {
	printf '\n%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
	if [ "$failed" -gt 0 ] || { [ -n "${CI:-}" ] && [ "$skipped" -gt 0 ]; }; then
		exit 1
	fi
	exit 0
}

wanted=("$@")
if [ $# -eq 0 ]; then
	wanted=("${tiers[@]}")
fi
for name in "${wanted[@]}"; do
	case " ${tiers[*]} " in
	*" $name "*) ;;
	*)
		sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
		exit 2
		;;
	esac
done

tier packages || finish
case " ${wanted[*]} " in
*" peers "* | *" lab "* | *" sanitize "* | *" bench "*) tier machine || finish ;;
esac
for name in "${wanted[@]}"; do
	tier "$name"
done
finish
