#!/bin/bash
# bodies.sh DIR - the bodies kept beside a log, and those that its entries say are kept, with zstd and coreutils alone.
set -euo pipefail
n=0
shopt -s nullglob
hex='[0-9a-f]\{64\}'
while read -r kept; do
	[[ -e $1/blob/${kept:0:2}/$kept || -e $1/blob/${kept:0:2}/$kept.zst ]] || { echo "$kept is missing"; exit 1; }
done < <(
	grep -ho "\"body\":{\"request_sha256\":\"$hex\",\"code_sha256\":\"$hex\",\"\(code_kept\":true\|output_kept\":\[[^]]*\)" "$1"/seg/*.jsonl |
		sed 's/.*"output_kept"://; s/.*"code_sha256"://' | grep -o "$hex" | sort -u
)
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
