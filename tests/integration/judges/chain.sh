#!/bin/bash
# chain.sh DIR - the hash chain of a log with bash and coreutils alone.
set -euo pipefail
prev=$(printf '0%.0s' {1..64}) seq=0
while IFS= read -r line; do
	covered=${line%,\"hash\":\"*} rest=${line##*,\"hash\":\"}
	hash=$(printf '%s}' "$covered" | sha256sum | cut -c1-64)
	[[ ${rest:0:64} == "$hash" && $covered == *"\"prev_hash\":\"$prev\"" && $line == "{\"v\":1,\"seq\":$seq,"* ]] || { echo "entry $seq is bad"; exit 1; }
	prev=$hash seq=$((seq + 1))
done < <(cat "$1"/seg/*.jsonl)
echo "good: $seq"
