/* confine.h - what a helper program gives up before it reads a byte that is not ours. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bawn_most { int what; uint64_t most; };  /* RLIMIT_... */
bool bawn_limit_self(const struct bawn_most *row, size_t n);
/* Not dumpable, no_new_privs, and of all system calls only these (at most 250); every other fails.  NOTE: a sanitizer
 * needs more: there the filter is left out.  For another processor than x86-64 this does not compile. */
bool bawn_confine_self(const unsigned short *needed, size_t n);
