/* make.c - audit-make DIR ENTRIES [batch|entry [ROTATE [AGO]]]: a log, for tests that are not in C.  Commits of 1 to
 * 40 records that keep a short body as code, or a long one as output; after ROTATE records the key is changed.  The clock is AGO seconds
 * behind.  Several calls go on with the same log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "audit/audit.h"

static time_t ago;
int clock_gettime(clockid_t id, struct timespec *t)
{
	int r = (int)syscall(SYS_clock_gettime, id, t);
	t->tv_sec -= id == CLOCK_REALTIME ? ago : 0;
	return r;
}

/* A body of that many lines. */
static int keep(const char *dir, int lines, char sha[static BAWN_SHA256_HEX], struct bawn_err *err)
{
	bawn_auto_buf code = BAWN_BUF(1u << 20);
	for (int i = 0; i < lines; i++)
		bawn_buf_fmt(&code, "print(%d)\n", i);
	return bawn_audit_blob_put(dir, bawn_buf_span(&code), sha, err);
}

static int put(const char *dir, int n, const char *sign)
{
	struct bawn_audit *a = NULL;
	struct bawn_err err = { 0 };
	struct bawn_audit_options o = { .node = "maker", .max_segment_bytes = 200000, .sign_every = strcmp(sign, "entry") == 0 };
	char body_of[2][BAWN_SHA256_HEX] = { 0 };
	int r = bawn_audit_open(dir, &o, &a, &err);
	for (int i = 0; r == 0 && i < 2; i++)
		r = keep(dir, i == 0 ? 3 : 3000, body_of[i], &err);
	for (int i = 0, batch = 1; r == 0 && i < n; batch = batch % 40 + 1) {
		uint64_t ticket = 0;
		for (int k = 0; r == 0 && k < batch && i < n; k++, i++) {
			bawn_auto_json body = json_pack("{s:s,s:s,s:o,s:i,s:s}", "request_sha256", body_of[0], "code_sha256", body_of[0], i % 2 == 0 ? "code_kept" : "output_kept",
				i % 2 == 0 ? json_true() : json_pack("[s,s]", body_of[1], body_of[1]), "number", i, "text", "\"}\n,\"hash\":\" \\ \xc3\xa9");
			r = a->ops->append(a, &(struct bawn_record){ .type = BAWN_RECORD_EXEC_OUTCOME, .exec = "E", .body = body }, &ticket, &err);
		}
		if (r == 0)
			r = a->ops->wait(a, ticket, NULL, &err);
	}
	if (a != NULL)
		a->ops->close(a);
	if (r < 0)
		fprintf(stderr, "%s\n", err.msg);
	return r;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	int n = (int)strtol(argv[2], NULL, 10), turn = argc > 4 ? (int)strtol(argv[4], NULL, 10) : n;
	ago = argc > 5 ? strtol(argv[5], NULL, 10) : 0;
	const char *sign = argc > 3 ? argv[3] : "batch";
	int r = put(argv[1], turn < n ? turn : n, sign);
	if (r == 0 && turn < n) {
		r = bawn_audit_rotate_key(argv[1], NULL, NULL, NULL, NULL);
		if (r == 0)
			r = put(argv[1], n - turn, sign);
	}
	return r < 0;
}
