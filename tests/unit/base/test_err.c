/* test_err.c - a failure can never read as success, and says what was being done. */
#include <string.h>
#include "base/cleanup.h"
#include "base/err.h"
#include "tap.h"

static void codes(void)
{
	static const struct { const char *name; int code, want; enum bawn_error type; } row[] = {
		{ "a negative errno stays",                -ENOENT, -ENOENT, BAWN_ERROR_INTERNAL },
		{ "a positive errno is turned round",      ENOENT,  -ENOENT, BAWN_ERROR_INTERNAL },
		{ "zero is still a failure",               0,       -EIO,    BAWN_ERROR_INTERNAL },
		{ "out of memory has its type",            -ENOMEM, -ENOMEM, BAWN_ERROR_OUT_OF_MEMORY },
		{ "a full disk has its type",              -ENOSPC, -ENOSPC, BAWN_ERROR_DISK_FULL },
		{ "an exhausted quota is a full disk",     -EDQUOT, -EDQUOT, BAWN_ERROR_DISK_FULL },
		{ "a code that is no errno",               -100000, -100000, BAWN_ERROR_INTERNAL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_err err = { 0 };
		int r = bawn_fail(&err, row[i].code, "open '%s'", "x");
		ok(r == row[i].want && err.code == r && err.type == row[i].type &&
		   strncmp(err.msg, "open 'x': ", 10) == 0 && strlen(err.msg) > 10, "%s", row[i].name);
		ok(bawn_fail(NULL, row[i].code, "x") == row[i].want, "%s, without a struct", row[i].name);
	}
}

static void types(void)
{
	bool distinct = true, negative = true;
	for (int i = 0; i < BAWN_ERROR_COUNT; i++) {
		const char *name = bawn_error_name((enum bawn_error)i);
		negative &= bawn_fail_as(NULL, (enum bawn_error)i, NULL, "x") < 0;
		distinct &= name[0] != '\0';
		for (int j = 0; j < i; j++)
			distinct &= strcmp(name, bawn_error_name((enum bawn_error)j)) != 0;
		int http = bawn_error_http((enum bawn_error)i);
		distinct &= http >= 200 && http < 600;
	}
	ok(distinct, "each type has a name of its own and an HTTP status");
	ok(negative, "each type, even none, has a negative code");

	struct bawn_err err = { 0 };
	int r = bawn_fail_as(&err, BAWN_ERROR_CODE_TOO_LARGE, "code", "%d bytes", 7);
	ok(r == -EFBIG && err.code == r && err.type == BAWN_ERROR_CODE_TOO_LARGE &&
	   strcmp(err.field, "code") == 0 && strcmp(err.msg, "7 bytes") == 0, "type, field and message are kept");
	(void)bawn_fail(&err, -EPERM, "later");
	ok(err.field[0] == '\0', "a new failure forgets the field of the one before");
	ok(bawn_fail_as(&err, (enum bawn_error)9999, NULL, "x") < 0 && err.type == BAWN_ERROR_INTERNAL,
	   "a type outside the list counts as internal");
	ok(bawn_error_hint(BAWN_ERROR_INTERNAL) == NULL && bawn_error_hint(BAWN_ERROR_BUSY) != NULL,
	   "hints are there where the message is not enough");
	ok(strcmp(bawn_error_name((enum bawn_error)-1), "internal") == 0, "a name outside the list is internal");
}

static void wrapping(void)
{
	struct bawn_err err = { 0 };
	int r = bawn_fail_as(&err, BAWN_ERROR_ENV_REFUSED, "env", "LD_PRELOAD");
	ok(bawn_wrap(&err, r, "run %d", 1) == -EPERM && err.type == BAWN_ERROR_ENV_REFUSED &&
	   strcmp(err.field, "env") == 0 && strcmp(err.msg, "run 1: LD_PRELOAD") == 0,
	   "an outer step stands in front; type and field stay");

	struct bawn_err none = { 0 };
	ok(bawn_wrap(&none, 0, "close") == -EIO && none.code == -EIO, "wrapping nothing is a failure all the same");
	none = (struct bawn_err){ 0 };
	ok(bawn_wrap(&none, -ENOMEM, "close") == -ENOMEM && none.type == BAWN_ERROR_OUT_OF_MEMORY &&
	   strstr(none.msg, "close: ") != NULL && none.msg[strlen(none.msg) - 1] != ' ', "and says why");
	ok(bawn_wrap(NULL, -EPERM, "x") == -EPERM, "wrapping without a struct");

	char longer[2000];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	ok(bawn_fail(&err, -EPERM, "%s", longer) == -EPERM && strlen(err.msg) == sizeof err.msg - 1,
	   "a long message is cut, not overrun");
	ok(bawn_wrap(&err, -EPERM, "%s", longer) == -EPERM && strlen(err.msg) == sizeof err.msg - 1,
	   "so is a long outer step");
	(void)bawn_fail_as(&err, BAWN_ERROR_BUSY, longer, "x");
	ok(strlen(err.field) == sizeof err.field - 1, "so is a long field");

	(void)bawn_fail_as(&err, BAWN_ERROR_BUSY, "queue", "inner");
	(void)bawn_fail_as(&err, BAWN_ERROR_INTERNAL, err.field, "outer: %s", err.msg);
	ok(strcmp(err.msg, "outer: inner") == 0 && strcmp(err.field, "queue") == 0,
	   "a message may be made from the one it replaces");
}

int main(void)
{
	codes();
	types();
	wrapping();
	return done_testing();
}
