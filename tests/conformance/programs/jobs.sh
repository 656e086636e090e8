set -m
sleep 60 & first=$!
[ "$(jobs -p)" = $first ] || exit 1
kill -STOP $first
until [ "$(jobs -s | wc -l)" = 1 ]; do sleep 0.02; done
bg %1 > /dev/null
[ "$(jobs -r | wc -l)" = 1 ] || exit 2
kill %1
wait $first 2> /dev/null
[ $? = 143 ] || exit 3
(trap 'exit 5' TERM; : > ready; sleep 60 & wait) & second=$!
until [ -e ready ]; do sleep 0.02; done
kill -TERM $second
wait $second
[ $? = 5 ] || exit 4
(exit 9) & wait $!
[ $? = 9 ] || exit 5
for i in 1 2 3 4; do (sleep 0.1; echo $i >> done) & done
wait
[ "$(sort done | paste -sd,)" = 1,2,3,4 ] || exit 6
timeout 0.2 sleep 60
[ $? = 124 ] || exit 7
sleep 2 &
fg > /dev/null || exit 8
trap 'echo ok' EXIT
