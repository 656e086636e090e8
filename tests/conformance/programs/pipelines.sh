set -eu -o pipefail
[ "$(seq 1 100 | grep 7 | sort -rn | head -2 | tr '\n' ' ')" = '97 87 ' ]
[ "$(printf 'b\na\nb\n' | sort | uniq -c | awk '{ print $1 $2 }' | paste -sd,)" = 1a,2b ]
if false | true; then exit 1; fi
diff <(echo a) <(echo a)
mapfile -t lines < <(seq 3)
[ ${#lines[@]} = 3 ]
coproc UP { tr a-z A-Z; }
echo quiet >&"${UP[1]}"
eval "exec ${UP[1]}>&-"
read -r loud <&"${UP[0]}"
[ "$loud" = QUIET ]
find /usr/bin -name 'b*' -print0 | xargs -0 ls -d | sed -n '/bash$/p' | tee list | grep -c bash > count
tar cf - list count | gzip | gunzip | tar tf - | cmp - <(printf 'list\ncount\n')
echo ok
