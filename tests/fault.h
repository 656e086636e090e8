/* fault.h - the n-th allocation fails: malloc, calloc and realloc of the test program are ours.
 *
 *	for (fault_arm(1); fault_more(); ) { ... code under test: must fail cleanly or succeed ... }
 *
 * fault_more() is true until a round completes without any allocation having been refused.  Run such
 * tests also under ASan, which sees leaks and touches of freed memory on the error paths. */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include "sanitized.h"

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

static long fault_at, fault_seen;
static bool fault_fired, fault_on;

__attribute__((unused)) static bool fault_now(void)
{
	if (!fault_on || ++fault_seen != fault_at)
		return false;
	fault_fired = true;
	errno = ENOMEM;
	return true;
}

#if !SANITIZED
#define FAULT_WORKS 1
void *malloc(size_t n) { return fault_now() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t m) { return fault_now() ? NULL : __libc_calloc(n, m); }
void *realloc(void *p, size_t n) { return fault_now() ? NULL : __libc_realloc(p, n); }
#else
#define FAULT_WORKS 0  /* the sanitizer owns malloc; the plain build runs these rounds, valgrind checks for leaks */
#endif

static void fault_arm(long from) { fault_at = from - 1; fault_fired = true; fault_on = false; }

/* Ends the round before, starts the next one. */
static bool fault_more(void)
{
	fault_on = false;
	if (!fault_fired || (fault_at > 0 && !FAULT_WORKS))
		return false;
	fault_fired = false;
	fault_seen = 0;
	fault_at++;
	fault_on = true;
	return true;
}
