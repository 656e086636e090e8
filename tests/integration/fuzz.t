#!/bin/sh
# Every corpus passes, and some seconds of new inputs find nothing (`make fuzz` takes its time).
cd "$(dirname "$0")/../.." || exit 1
exec tools/run-fuzz --tap "${FUZZ_SECONDS:-10}"
