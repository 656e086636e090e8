#!/bin/sh
# Every command of the table has --help with an example, a place in the manual and a word in the completion.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=${BAWN_BUILD:-$root/build}
bawn=$build/bawn
n=0
bad=0

ok() {
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n - $2"
	else
		echo "not ok $n - $2"
		bad=1
	fi
}

if [ ! -x "$bawn" ]; then
	echo "1..0 # SKIP no $bawn"
	exit 0
fi

commands=$("$bawn" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\( [a-z]*\)\{0,1\}\)  *.*/\1/p' | sed 's/ *$//')
[ "$(echo "$commands" | wc -l)" -ge 20 ]
ok $? "bawn --help lists the commands"

old_ifs=$IFS
IFS='
'
for command in $commands; do
	IFS=$old_ifs
	# shellcheck disable=SC2086 # "audit verify" is two words
	text=$("$bawn" $command --help 2>/dev/null)
	code=$?
	[ "$code" -eq 0 ]
	ok $? "bawn $command --help exits 0"
	echo "$text" | grep -q "^usage: bawn $command"
	ok $? "bawn $command --help shows its usage"
	echo "$text" | grep -A1 '^Example' | grep -q 'bawn'
	ok $? "bawn $command --help has an example"
	# shellcheck disable=SC2086
	[ "$("$bawn" help $command)" = "$text" ]
	ok $? "bawn help $command says the same"
	grep -q "^\.SS \"$command" "$build/docs/bawn.1"
	ok $? "$command is in the manual"
	for word in $command; do
		grep -q "[ ']${word}[ ']" "$build/docs/bawn"
		ok $? "$word is in the completion"
	done
	for option in $(echo "$text" | sed -n 's/^  .*--\([a-z-]*\).*/\1/p'); do
		grep -qe "--$option" "$build/docs/bawn"
		ok $? "--$option of $command is in the completion"
	done
	IFS='
'
done
IFS=$old_ifs

"$bawn" --help >/dev/full 2>/dev/null
[ $? -eq 125 ]
ok $? "an answer that cannot be written is not a success"
[ -z "$(man --warnings -l "$build/docs/bawn.1" 2>&1 >/dev/null)" ]
ok $? "the manual formats without warnings"
[ -z "$(man --warnings -l "$build/docs/libbawn.3" 2>&1 >/dev/null)" ] && [ -s "$build/docs/libbawn.3" ]
ok $? "so does that of the library"
bash -n "$build/docs/bawn"
ok $? "the bash completion is a program bash can read"

echo "1..$n"
exit $bad
