#!/bin/sh
# mcp.t once more, with the program that was built with sanitizers: what clients send is other people's bytes.
root=$(cd "$(dirname "$0")/../.." && pwd)
if [ ! -x "$root/build-asan/bawn" ]; then
	echo '1..0 # SKIP there is no build-asan'
	exit 0
fi
exec env BAWN_BUILD="$root/build-asan" "$root/tests/integration/mcp.t"
