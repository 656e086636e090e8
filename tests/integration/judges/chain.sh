#!/bin/bash
# chain.sh DIR - the hash chain of a log with bash and coreutils alone.
set -euo pipefail
export LC_ALL=C
prev=$(printf '0%.0s' {1..64}) tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
mapfile -t lines < <(cat "$1"/seg/*.jsonl)
for seq in "${!lines[@]}"; do printf '%s}' "${lines[seq]%,\"hash\":\"*}" >"$tmp/$seq"; done
mapfile -t hashes < <(cd "$tmp" && seq 0 $((${#lines[@]} - 1)) | xargs sha256sum)  # a process for each would take seconds
for seq in "${!lines[@]}"; do
	line=${lines[seq]} covered=${line%,\"hash\":\"*} rest=${line##*,\"hash\":\"} hash=${hashes[seq]:0:64}
	[[ ${rest:0:64} == "$hash" && $covered == *"\"prev_hash\":\"$prev\"" && $line == "{\"v\":1,\"seq\":$seq,"* ]] || { echo "entry $seq is bad"; exit 1; }
	prev=$hash
done
echo "good: ${#lines[@]}"
