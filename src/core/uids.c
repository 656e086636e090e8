#include "core/uids.h"
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include "base/buf.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/num.h"

/* Which fields of a line say where a range starts and how long it is; no second field: one uid. */
static const struct source { const char *file; int start, length; } source[] = {
	{ "passwd", 2, -1 },
	{ "subuid", 1, 2 },
};

static bool field(struct bawn_span line, int n, uint64_t *out)
{
	size_t at = 0;
	for (int i = 0; i < n; i++) {
		const char *colon = memchr(line.p + at, ':', line.n - at);
		if (colon == NULL)
			return false;
		at = (size_t)(colon - line.p) + 1;
	}
	const char *end = memchr(line.p + at, ':', line.n - at);
	struct bawn_span text = { line.p + at, end != NULL ? (size_t)(end - line.p) - at : line.n - at };
	return bawn_parse_u64(text, 0, UINT32_MAX, out, NULL) == 0;
}

static int check_line(const struct source *s, struct bawn_span line, uint64_t first, uint64_t count, struct bawn_err *err)
{
	uint64_t start, length = 1;
	if (!field(line, s->start, &start) || (s->length >= 0 && !field(line, s->length, &length)))
		return 0;  /* a comment, a netgroup, a blank line */
	if (start >= first + count || start + length <= first)
		return 0;
	return bawn_fail_as(err, BAWN_ERROR_CONFIG_INVALID, "uids.first",
	                    "uids %" PRIu64 " to %" PRIu64 " of sandbox.yaml overlap %" PRIu64 " to %" PRIu64 " of /etc/%s",
	                    first, first + count - 1, start, start + length - 1, s->file);
}

static int check_file(const char *etc, const struct source *s, uint64_t first, uint64_t count, struct bawn_err *err)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", etc, s->file);
	bawn_auto_buf text = BAWN_BUF(16u << 20);
	int r = bawn_read_file(AT_FDCWD, path, &text, err);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return r;
	for (size_t at = 0; r == 0 && at < text.n; ) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);
		size_t n = nl != NULL ? (size_t)(nl - text.p) - at : text.n - at;
		r = check_line(s, (struct bawn_span){ text.p + at, n }, first, count, err);
		at += n + 1;
	}
	return r;
}

int bawn_uids_check(const char *etc, uint64_t first, uint64_t count, struct bawn_err *err)
{
	if (first < 1000 || count == 0 || first + count > UINT32_MAX)
		return bawn_fail_as(err, BAWN_ERROR_CONFIG_INVALID, "uids.first", "run uids lie between 1000 and %" PRIu32, UINT32_MAX - 1);
	for (size_t i = 0; i < BAWN_LEN(source); i++) {
		int r = check_file(etc, &source[i], first, count, err);
		if (r < 0)
			return r;
	}
	return 0;
}
