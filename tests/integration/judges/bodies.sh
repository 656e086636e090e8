#!/bin/bash
# bodies.sh DIR - the bodies kept beside a log, with zstd and coreutils alone.
set -euo pipefail
n=0
for file in "$1"/blob/*/*; do
	name=${file##*/}
	case $name in
	*.zst) hash=$(zstd -dcq "$file" | sha256sum) ;;
	*) hash=$(sha256sum <"$file") ;;
	esac
	[[ ${hash%% *} == "${name%.zst}" ]] || { echo "$name is bad"; exit 1; }
	n=$((n + 1))
done
echo "good: $n"
