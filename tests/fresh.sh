#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# fresh.sh - does CI run both commands of the README in a clean room, and is a failure there one of CI's?
#
# The room of these tests has busybox and no Debian, and scripts stand for git and apt, so that any machine
# will do: rooms are real in .ci/run.

set -u
cd "$(dirname "$0")/.." || exit 1
. tests/ok.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/fresh.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

mapfile -t readme < <(sed -nE '/^Two commands/,/^Neither/s!^(\./[a-z]+/[a-z.]+) .*!\1!p' README.md)
[ ${#readme[@]} -eq 2 ]
ok $? "the README has two commands" "${readme[*]}"
grep -qF " tests/cleanroom .ci/run ${readme[*]} " .ci/run
ok $? "these are what CI runs in the clean room, in that order" "$(<.ci/run)"

# figures SENTENCE STATUS LAST-LINE SCRIPT SCRIPT - of two commands
figures() {
	local sentence=$1 want=$2 status=0 said
	printf '#!/bin/sh\n%s\n' "$4" >"$work/first"
	printf '#!/bin/sh\n%s\n' "$5" >"$work/second"
	chmod +x "$work"/{first,second}
	said=$(.ci/run "$work/first" "$work/second" 2>&1) || status=$?
	[ "$status" -eq "$want" ] && [ "$(tail -n 1 <<<"$said")" = "$3" ] &&
		[ "$(grep -cE "^$work/(first|second): exit status [0-9]+, [0-9]+ s: " <<<"$said")" -eq 2 ]
	ok $? "$sentence" "status $status"$'\n'"$said"
}
good='echo "-- a: 3 passed, 0 failed, 0 skipped in 1 s"; echo; echo "3 passed, 0 failed, 0 skipped"'
figures "two good commands: the last line is the second's sum" 0 "3 passed, 0 failed, 0 skipped" 'echo fine' "$good"
figures "the first fails: so does CI, and the second runs all the same" 1 "3 passed, 0 failed, 0 skipped" \
	'echo no; exit 3' "$good"
figures "the second fails" 1 "2 passed, 1 failed, 0 skipped" 'echo fine' \
	'echo "2 passed, 1 failed, 0 skipped"; exit 1'
figures "a skipped test fails, whatever the status was" 1 "2 passed, 0 failed, 1 skipped" 'echo fine' \
	'echo "2 passed, 0 failed, 1 skipped"'
figures "no sum is a failure" 1 "0 passed, 1 failed, 0 skipped" 'echo fine' 'echo "I have no idea"'

# A test that mounts on what only some machines have fails on those that do not have it.
said=$(grep -n 'mount .* /var/lib/cni' tests/{net,peers,cli}/*.{bats,bash} 2>/dev/null |
	grep -vE ':as_var_lib_cni=|mkdir')
[ -z "$said" ]
ok $? "no test mounts on the machine's /var/lib/cni, which may not be there" "$said"

if [ "$(id -u)" -ne 0 ]; then
	for sentence in "the room" "a signal"; do
		printf 'ok %d - %s # SKIP needs root\n' "$((++ok_no))" "$sentence"
	done
	ok_end
fi

mkdir "$work/bin" "$work/shared"
printf '#!/bin/sh\nfor at; do :; done\nmkdir -p "$at" && echo HEAD >"$at/file"\n' >"$work/bin/git"
cat >"$work/bin/mmdebstrap" <<'END'
#!/bin/sh
while [ "$1" != bookworm ]; do shift; done
cd "$2" && mkdir -p bin etc proc sys dev run tmp root srv && echo 12 >etc/debian_version &&
	cp /bin/busybox bin && for name in sh ls cat umount rmdir sleep touch env mkdir; do ln -s busybox bin/$name; done
END
printf '#!/bin/sh\necho bookworm main http://archive.invalid/debian\n' >"$work/bin/apt-get"
printf '#!/bin/sh\n' >"$work/bin/apt-config"
chmod +x "$work"/bin/*
room=(env "PATH=$work/bin:$PATH" CI=true SECRET=1 "CLEANROOM=$work/room" tests/cleanroom)
left() { [ -e "$work/room" ] || grep -F "$work/room" /proc/self/mountinfo; }

mark=mark.$$
said=$("${room[@]}" sh -c 'cat file && ls / && env && touch /tmp/$0 && exit 7' "$mark" 2>&1)
[ $? -eq 7 ] && [[ $said == *HEAD* && $said == *CI=true* && $said != *SECRET* ]] && ! grep -qx old <<<"$said" &&
	[ ! -e "/tmp/$mark" ] && ! left
ok $? "the room: the command's status, HEAD and CI are there, nothing of the machine's is, and nothing stays" "$said"

"${room[@]}" sh -c 'sleep $0 & touch /srv/runs && sleep $0' "1000.$$" >"$work/said" 2>&1 &
job=$!
for ((i = 0; i < 6000; i++)); do
	[ ! -e "$work/room/srv/runs" ] || break
	sleep 0.02
done
[ -e "$work/room/srv/runs" ]
ran=$?
kill -TERM "$job"
wait "$job"
[ $? -eq 143 ] && [ "$ran" -eq 0 ] && ! left && ! grep -qs "1000[.]$$" /proc/[0-9]*/cmdline
ok $? "a signal ends all that runs in the room, and the room" "$(<"$work/said")"

ok_end
