set -eu
n=6
[ "$(cat <<X
$((n * 7)) $(echo sub) \$n
X
)" = '42 sub $n' ]
[ "$(cat <<'X'
$((n * 7))
X
)" = '$((n * 7))' ]
[ "$(cat <<-X
	tabs
	X
)" = tabs ]
[ "$(tr a-z A-Z <<< "$n here")" = '6 HERE' ]
cat > script.sh <<'X'
#!/bin/bash
echo "$1 $#"
X
chmod +x script.sh
[ "$(./script.sh 'a b' c)" = 'a b 2' ]
python3 - "$n" <<X
import sys
assert sys.argv[1] == "6"
X
long=$(head -c 200000 /dev/zero | tr '\0' x)
[ "$(wc -c <<< "$long")" = 200001 ]
echo ok
