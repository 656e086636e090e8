#!/bin/sh
# bawn starts about as fast as /bin/true: the ratio of the medians is at most 2.
cd "$(dirname "$0")/../../.." || exit 1
export BAWN_BUILD="${BAWN_BUILD:-$PWD/build}"
echo 1..1
if out=$(RUNS=300 bench/startup/run 2>&1); then
	echo 'ok 1 - bawn --version takes at most twice as long as /bin/true'
	status=0
else
	echo 'not ok 1 - bawn --version takes at most twice as long as /bin/true'
	status=1
fi
echo "$out" | sed 's/^/# /'
exit $status
