/* confine.h - what a helper program gives up before it reads a byte that is not ours. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bawn_most { int what; uint64_t most; };  /* RLIMIT_... */
bool bawn_limit_self(const struct bawn_most *row, size_t n);
/* Not dumpable, no_new_privs, and of all system calls only these (at most 250); every other fails.  NOTE: a sanitizer
 * needs more, and another processor has other numbers: there the filter is left out. */
bool bawn_confine_self(const unsigned short *needed, size_t n);
