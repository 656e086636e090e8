#!/bin/bash
# signature.sh DIR - the last inline signature and the checkpoint of a log with openssl and the verifier
# key of its last epoch.  An Ed25519 public key in DER is these 12 bytes and the key.
set -euo pipefail
dir=$1 tmp=$(mktemp -d)
trap 'rm -r "$tmp"' EXIT
vkey=$(find "$dir/keys" -name 'epoch-*.vkey' | sort -V | tail -n 1 | xargs cat)
origin=${vkey%%+*}
{ printf '\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00'; echo "${vkey#*+*+}" | base64 -d | tail -c 32; } >"$tmp/key"
judge() { openssl pkeyutl -verify -rawin -pubin -keyform DER -inkey "$tmp/key" -in "$tmp/text" -sigfile "$tmp/sig"; }
line=$(cat "$dir"/seg/*.jsonl | tail -n 1)
seq=${line#*\"seq\":} seq=${seq%%,*} root=${line##*\"root\":\"} root=${root%%\"*} sig=${line##*\"signature\":\"} sig=${sig%%\"*}
printf '%s\n%d\n%s\n' "$origin" $((seq + 1)) "$root" >"$tmp/text"
echo "$sig" | base64 -d >"$tmp/sig"
judge
head -n 3 "$dir/checkpoint" >"$tmp/text"
tail -n 1 "$dir/checkpoint" | cut -d' ' -f3 | base64 -d | tail -c 64 >"$tmp/sig"
judge
