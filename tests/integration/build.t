#!/bin/sh
# The tree and what was built from it keep their promises: layers, hardening, symbols, scripts, setup.
# BAWN_BUILD is the build directory.
cd "$(dirname "$0")/../.." || exit 1
build=${BAWN_BUILD:-$PWD/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0 failed=0

check() {  # name, command...
	name=$1
	shift
	count=$((count + 1))
	if "$@" >"$work/out" 2>&1; then
		cp "$work/out" "$work/last"  # for the next check to look at
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		sed 's/^/# /' "$work/out"
		failed=1
	fi
}
# shellcheck disable=SC2317  # called through check
meson_lists() { meson introspect --installed "$build" | grep -q "$1"; }
# shellcheck disable=SC2317
fails() { if "$@"; then return 1; fi; }

check 'modules include only what their layer may' tools/check-layers

# The checker itself: a tree with one forbidden include must not pass.
mkdir -p "$work/tree/src/assess" "$work/tree/tools"
cp tools/layers.txt "$work/tree/tools/"
echo '#include "base/err.h"' >"$work/tree/src/assess/a.c"
check 'a permitted include passes' tools/check-layers "$work/tree"
echo '#include "audit/audit.h"' >"$work/tree/src/assess/b.c"
check 'a forbidden include is found' fails tools/check-layers "$work/tree"

for program in bawn libexec/bawn/launch libexec/bawn/index; do
	check "$program is hardened and needs only libc" tools/check-hardening "$build/$program"
done
library=$(find "$build" -name 'libbawn.so*' -type f -not -path '*.p/*' | head -n 1)
check 'libbawn is hardened' tools/check-hardening "${library:-$build/libbawn.so}"
check 'libbawn exports exactly the public symbols' tools/check-symbols "${library:-$build/libbawn.so}"


# The checker of symbols: one that is added, lost or undocumented must not pass.
mkdir -p "$work/api/tools" "$work/api/include" "$work/api/docs"
cp tools/check-symbols tools/symbols.txt "$work/api/tools/"
cp -r include/bawn "$work/api/include/"
cp docs/libbawn.3.in "$work/api/docs/"
check 'a copy of headers, list and manual passes' "$work/api/tools/check-symbols" "${library:-$build/libbawn.so}"
echo 'BAWN_API int bawn_added(void);' >>"$work/api/include/bawn/bawn.h"
check 'a declaration that is not in the list is found' fails "$work/api/tools/check-symbols" "${library:-$build/libbawn.so}"
"$work/api/tools/check-symbols" --write
echo '.SS bawn_added' >>"$work/api/docs/libbawn.3.in"
check 'so is one that the library does not have' fails "$work/api/tools/check-symbols" "${library:-$build/libbawn.so}"
check 'and only that is wrong with it' test "$(grep -c '^check-symbols:' "$work/last")" -eq 1
cp include/bawn/bawn.h "$work/api/include/bawn/"
grep -v '^BAWN_API void bawn_close' include/bawn/bawn.h >"$work/api/include/bawn/bawn.h"
"$work/api/tools/check-symbols" --write
check 'one that was lost is found' fails "$work/api/tools/check-symbols" "${library:-$build/libbawn.so}"
cp include/bawn/bawn.h "$work/api/include/bawn/"
"$work/api/tools/check-symbols" --write
grep -v '^.SS bawn_cancel$' docs/libbawn.3.in >"$work/api/docs/libbawn.3.in"
check 'one without its place in the manual is found' fails "$work/api/tools/check-symbols" "${library:-$build/libbawn.so}"
sed 's/^Errors: invalid_request.$/Errors: no_such_type./' docs/libbawn.3.in >"$work/api/docs/libbawn.3.in"
check 'an error in the manual that is none stops the build' fails tools/gen-man-api include "$work/api/docs"

check 'what is installed can be listed' meson introspect --installed "$build"
check 'the launcher goes with it' grep -q '/libexec/bawn/launch"' "$work/last"
check 'so does its AppArmor profile' meson_lists '/share/bawn/apparmor/bawn-launch"'
check 'the launcher that tests may weaken is never installed' fails meson_lists launch-test

# The hardening checker: a program built without any of it must not pass.
echo 'int main(void) { return 0; }' >"$work/plain.c"
check 'an unhardened program can be built' \
	gcc -no-pie -fno-stack-protector -Wl,-z,norelro,-z,lazy,-z,execstack -o "$work/plain" "$work/plain.c"
check 'an unhardened program is found' fails tools/check-hardening "$work/plain"
check 'each of its faults is named' test "$(wc -l <"$work/last")" -eq 8

check 'shell scripts pass shellcheck' tools/check-scripts
check 'documents name only files and targets that exist' tools/check-docs

# Setup: nothing to do the second time, quickly; and a list where it may not install.
check 'setup runs' tools/setup build test
check 'and again' tools/setup build test
check 'and then has nothing left to do' test ! -s "$work/last"
check 'setup refuses a purpose it does not know' fails tools/setup everything
# CPU time, because other tests run at the same time; of the same moment, because machines have slow ones.
took=$(python3 -c '
import resource, subprocess
def cpu(*command):
    times = [resource.getrusage(resource.RUSAGE_CHILDREN), subprocess.run(command, stdout=subprocess.DEVNULL), resource.getrusage(resource.RUSAGE_CHILDREN)]
    return int(1000 * (times[2].ru_utime + times[2].ru_stime - times[0].ru_utime - times[0].ru_stime))
print(cpu("tools/setup", "build", "test"), cpu("apt-cache", "policy", "gcc"))')
check "with nothing to do it takes less than half of one question to apt (CPU ms: $took)" test "$((2 * ${took% *}))" -lt "${took#* }"

# The package is built from what setup installs: neither list has a library that the other has not.
sed -n 's/^build[a-z,]* *\([a-z0-9.+-]*-dev\) .*/\1/p' tools/setup | grep -v '^libc6-dev$' | sort >"$work/setup-dev"  # libc6-dev: build-essential has it
sed -n '/^Build-Depends:/,/^[A-Z][A-Za-z-]*: /p' debian/control | tr -s ', ' '\n' | grep -e '-dev$' | sort >"$work/control-dev"
check 'setup has libraries to build with' test -s "$work/setup-dev"
check 'the package build-depends on exactly them' diff "$work/setup-dev" "$work/control-dev"

# Debian's npm (9.2) cannot read a lock file beside an override that names another package.
check 'overrides of npm packages are versions' fails grep -H '"npm:' package.json tests/mcp/package.json

# As a user without sudo on a machine where a package is missing (dpkg-query knows nothing).
mkdir "$work/bin"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/dpkg-query"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/sudo"
printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
chmod +x "$work/bin"/*
check 'setup fails where it may not install' fails env PATH="$work/bin:$PATH" tools/setup build </dev/null
check 'and names the packages' grep -q 'apt-get install .*libsodium-dev.*libseccomp-dev' "$work/last"

echo "1..$count"
exit $failed
