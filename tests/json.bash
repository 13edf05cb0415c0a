# SPDX-License-Identifier: Apache-2.0
# json.bash - jq for the tests
#
# jq takes 30 ms to start (a third of a second in the virtual machine), gojq, which always sorts keys, a tenth of that.
# shellcheck shell=bash

if command -v gojq >/dev/null; then
	jq() { gojq "$@"; }
else
	jq() { command jq "$@"; }
fi
