#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# run.sh - Go's standard library and @bufbuild/cel beside our engines, over generated cases
#
#	tests/upstream/run.sh [KIND...]
#
# Prints TAP: a test for each kind of cases (regexp, template, quantity, time, cel), with a row that says how many
# agree, differ, and differ for a known reason, and of those that differ the smallest.  See README.md.
#
# Environment: BUILD is the build folder, CASES how many of each kind (default 25000, of cel a fourth), SEED the generator's
# (default 28; 0: another one each time, which the row has).

set -euo pipefail
cd "$(dirname "$0")/../.."
at=${BUILD:-build}/tests/upstream
export NODE_PATH=${BUILD:-build}/cel-js/node_modules
exec "$at/compare" -answer "$at/answer" -judge tests/upstream/js/judge.js -cases "${CASES:-25000}" -seed "${SEED:-28}" "$@"
