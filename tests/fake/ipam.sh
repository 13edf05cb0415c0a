#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ipam.sh - an IPAM plugin that keeps one lease file an attachment, and can misbehave
#
#	FAKE_STORE	directory of the leases and of calls.log, a line a call
#	FAKE_ADD	what ADD does: ok (the default) or one of the cases below
#	FAKE_DEL	the same for DEL
#	FAKE_RESULT	the result of ADD instead of the one below
#	FAKE_VERSIONS	when set, any other cniVersion is refused with code 1
#
# It answers in the request's cniVersion.  The builtins of the shell do all of the proper work, so
# that it can be killed at any moment without leaving half a lease.

request=
while IFS= read -r line || [ -n "$line" ]; do
	request=$request$line
done
version=${request#*\"cniVersion\":\"}
version=${version%%\"*}
lease=$FAKE_STORE/lease-$CNI_CONTAINERID-$CNI_IFNAME
echo "$CNI_COMMAND $version" >>"$FAKE_STORE/calls.log"

case " ${FAKE_VERSIONS-$version} " in
*" $version "*) ;;
*)
	echo '{"code":1,"msg":"incompatible CNI versions"}'
	exit 1
	;;
esac

behave() {
	case $1 in
	ok) ;;
	hang) exec sleep 600 ;;
	deaf)	# closes stdout, and stays
		exec >&-
		exec sleep 600
		;;
	silent) exit 0 ;;
	null) echo null && exit 0 ;;
	garbage) echo 'this is no JSON' && exit 0 ;;
	two) echo '{} {}' && exit 0 ;;
	list) echo '[]' && exit 0 ;;
	flood) exec yes ;;
	signal) kill -KILL $$ ;;
	status) exit 3 ;;
	words) echo 'panic: oh no' && exit 1 ;;
	codeless) echo '{"msg":"no code"}' && exit 1 ;;
	zero) echo '{"code":0,"msg":"a code of 0"}' && exit 1 ;;
	error)
		echo '{"code":11,"msg":"no addresses left","details":"range 1"}'
		exit 1
		;;
	orphan) sleep 4 & ;;	# a grandchild that keeps our stdout open
	leased-error)
		: >"$lease"
		echo '{"code":11,"msg":"changed its mind"}'
		exit 1
		;;
	*) exit 99 ;;
	esac
}

case $CNI_COMMAND in
ADD)
	behave "${FAKE_ADD:-ok}"
	: >"$lease"
	if [ -n "$FAKE_RESULT" ]; then
		echo "$FAKE_RESULT"
	else
		echo '{"cniVersion":"'"$version"'","ips":[{"address":"10.9.0.2/24","gateway":"10.9.0.1"}],' \
			'"routes":[{"dst":"10.8.0.0/16"}],"dns":{"nameservers":["10.9.0.53"]}}'
	fi
	;;
DEL)
	behave "${FAKE_DEL:-ok}"
	rm -f "$lease"
	;;
esac
