# The front door; meson and ninja do the work (tools/build has the variants).  Every target first
# installs what it needs: tools/setup says what that is, and does nothing the second time.
.PHONY: all demo test test-units test-kernel bench fuzz soak docs security-results install uninstall ci lint valgrind clean help
.DEFAULT_GOAL := all
MAKEFLAGS += --no-print-directory

all:       ## release build in build/, runs uninstalled
	@tools/setup build
	@tools/build build

demo: all  ## the tour: assess, run, hold, override, limits, history, verified log; BACKEND=docker: in containers
	@tools/setup demo $(if $(filter docker,$(BACKEND)),docker)
	@$(if $(filter docker,$(BACKEND)),tools/with-engine) tools/demo

test:      ## everything, in all variants; closes with prove's summary
	@tools/setup test fuzz
	@tools/check-layers
	@WERROR=1 tools/build build
	@tools/build build-clang
	@tools/build build-asan
	@tools/build build-fuzz
	@tools/run-tests

test-units: all  ## only the C tests of the release build: seconds
	@prove --exec '' --jobs 2 --recurse build/tests/unit

test-kernel: all  ## the sandbox's tests on another kernel, with cgroup v2 alone, under qemu: minutes
	@tools/setup kernel
	@tools/test-kernel

bench: all ## the measurements, with the machine they were made on
	@tools/setup bench
	@tools/run-bench

fuzz:      ## each fuzz target for FUZZ_SECONDS (600); findings in build-fuzz/found/
	@tools/setup fuzz
	@tools/build build-fuzz
	@tools/run-fuzz $${FUZZ_SECONDS:-600}

soak: all  ## RUNS (10000) runs, AT_A_TIME (8): nothing grows; every fault of the launcher and of the log's writer; 1000 kills and power cuts: 30 minutes
	@tools/setup test
	@tools/soak

docs: all  ## docs/rules.md, from the rule table
	@cmp -s build/docs/rules.md docs/rules.md || cp build/docs/rules.md docs/rules.md

security-results: all  ## docs/SECURITY-RESULTS.md, from a run of the escape campaign (as root)
	@tests/escape/escape.t --write

install: all  ## to /usr/local, below DESTDIR
	@meson install --no-rebuild -C build

uninstall: ## what the last install put there, and what Python made of it; state and /etc/bawn stay
	@tools/uninstall build

lint:      ## shell scripts
	@tools/setup test
	@tools/check-scripts

valgrind: all  ## the tests of base, with failing allocations, under valgrind
	@tools/setup test
	@prove --exec 'valgrind -q --soname-synonyms=somalloc=nouserintercepts --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite' \
		--jobs 2 build/tests/unit/base/*.t

ci: lint valgrind test  ## what must be green before a merge

clean:     ## removes what was built; node_modules stays
	@rm -rf build build-clang build-asan build-fuzz build-kernel

help:      ## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1	/p' Makefile | expand -t 14
