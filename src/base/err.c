#include "base/err.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name; int code, http; const char *hint; } row[] = {
#define BAWN_X(name, text, code, http, hint) [BAWN_ERROR_##name] = { text, code, http, hint },
	BAWN_ERROR_TYPES(BAWN_X)
#undef BAWN_X
};
_Static_assert(sizeof row / sizeof *row == BAWN_ERROR_COUNT, "one row per error type");

static enum bawn_error known(enum bawn_error type)
{
	return (unsigned)type < BAWN_ERROR_COUNT ? type : BAWN_ERROR_INTERNAL;
}

const char *bawn_error_name(enum bawn_error type) { return row[known(type)].name; }
const char *bawn_error_hint(enum bawn_error type) { return row[known(type)].hint; }
int bawn_error_http(enum bawn_error type) { return row[known(type)].http; }

static enum bawn_error type_of_errno(int code)
{
	if (code == -ENOMEM)
		return BAWN_ERROR_OUT_OF_MEMORY;
	if (code == -ENOSPC || code == -EDQUOT || code == -EFBIG)  /* a disk, a quota, ulimit -f */
		return BAWN_ERROR_DISK_FULL;
	return BAWN_ERROR_INTERNAL;
}

static const char *reason(int code)
{
	const char *text = code > -4096 ? strerrordesc_np(-code) : NULL;
	return text != NULL ? text : "unknown error";
}

/* `why` is appended when the message alone does not say it.  The text is made apart: its arguments
 * may point into the very struct that is being filled. */
BAWN_PRINTF(6, 0)
static void fill(struct bawn_err *err, enum bawn_error type, int code, const char *field,
                 bool why, const char *fmt, va_list ap)
{
	struct bawn_err next = { .code = code, .type = type };
	snprintf(next.field, sizeof next.field, "%s", field != NULL ? field : "");
	int n = vsnprintf(next.msg, sizeof next.msg, fmt, ap);
	if (why && n >= 0 && (size_t)n < sizeof next.msg)
		snprintf(next.msg + n, sizeof next.msg - (size_t)n, ": %s", reason(code));
	*err = next;
}

static int negative(int code)
{
	if (code == 0)
		return -EIO;
	return code < 0 ? code : -code;
}

int bawn_fail(struct bawn_err *err, int code, const char *doing, ...)
{
	code = negative(code);
	if (err != NULL) {
		va_list ap;
		va_start(ap, doing);
		fill(err, type_of_errno(code), code, NULL, true, doing, ap);
		va_end(ap);
	}
	return code;
}

int bawn_fail_as(struct bawn_err *err, enum bawn_error type, const char *field, const char *doing, ...)
{
	type = known(type);
	int code = negative(row[type].code);
	if (err != NULL) {
		va_list ap;
		va_start(ap, doing);
		fill(err, type, code, field, false, doing, ap);
		va_end(ap);
	}
	return code;
}

int bawn_wrap(struct bawn_err *err, int code, const char *doing, ...)
{
	code = negative(code);
	if (err != NULL) {
		bool recorded = err->code != 0;
		struct bawn_err inner = *err;
		va_list ap;
		va_start(ap, doing);
		fill(err, recorded ? inner.type : type_of_errno(code), recorded ? inner.code : code,
		     recorded ? inner.field : NULL, !recorded, doing, ap);
		va_end(ap);
		size_t n = strlen(err->msg);
		if (recorded)
			snprintf(err->msg + n, sizeof err->msg - n, ": %s", inner.msg);
	}
	return code;
}
