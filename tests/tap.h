/* tap.h - a test is a C program that prints TAP; `prove` runs it. */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused))
static bool ok(bool good, const char *name, ...)
{
	va_list ap;
	va_start(ap, name);
	printf("%sok %d - ", good ? "" : "not ", ++tap_count);
	vprintf(name, ap);
	putchar('\n');
	va_end(ap);
	tap_failed += !good;
	fflush(stdout);
	return good;
}

/* A skip names the feature this machine lacks. */
__attribute__((unused)) static void skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++tap_count, name, why);
	fflush(stdout);  /* a child forked later must not say it again */
}

__attribute__((format(printf, 1, 2), unused)) static void diag(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("# ", stdout);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

__attribute__((unused)) static int done_testing(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}
