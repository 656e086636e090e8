/* report.c - a report says all there is, or there is none: whichever call that opens a part of the log fails. */
#include <bawn/bawn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "audit/audit.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "tap.h"
#include "tmpdir.h"

enum { RECORDS = 40 };

static int fail_at, opened;  /* the n-th segment cannot be opened; 0: all can */
int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if (strncmp(path, "seg/", 4) == 0 && ++opened == fail_at) {
		errno = EMFILE;
		return -1;
	}
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

static bool fill(const char *dir)
{
	struct bawn_audit *a = NULL;
	bool good = bawn_audit_open(dir, &(struct bawn_audit_options){ .node = "n", .max_segment_bytes = 4000 }, &a, NULL) == 0;
	for (int i = 0; good && i < RECORDS; i++)
		good = bawn_audit_put(a, &(struct bawn_record){ .type = BAWN_RECORD_LIMIT_VIOLATION }, NULL, NULL) == 0;
	if (a != NULL)
		a->ops->close(a);
	return good;
}

/* How many violations it counts; -1: there is none. */
static int violations(struct bawn *b, uint64_t since_us)
{
	struct bawn_result *r = NULL;
	opened = 0;
	if (bawn_get_audit_report(b, since_us, 0, &r, NULL) < 0)
		return -1;
	bawn_auto_json doc = json_loads(bawn_result_json(r), 0, NULL);
	bawn_result_free(r);
	return (int)json_integer_value(json_object_get(doc, "violations"));
}

int main(void)
{
	auto_tmpdir t = tmpdir_make();
	char state[120], audit[160];
	struct bawn *b = NULL;
	snprintf(state, sizeof state, "%s/state", t.path);
	snprintf(audit, sizeof audit, "%s/audit", state);
	ok(mkdirat(t.fd, "state", 0700) == 0 && fill(audit) && bawn_open(&(struct bawn_options){ .size = sizeof(struct bawn_options), .state_dir = state, .config_dir = t.path }, &b, NULL) == 0,
	   "a log of several segments");
	for (uint64_t since = 0; since < 2; since++) {
		int wrong = 0, none = 0, n = 1;
		fail_at = 0;
		ok(b != NULL && violations(b, since) == RECORDS, "all are counted, read from its %s", since == 0 ? "beginning" : "end");
		const int calls = opened;
		for (; n <= calls; n++) {
			fail_at = n;
			const int v = violations(b, since);
			none += v < 0;
			wrong += v >= 0 && v < RECORDS;
		}
		ok(calls > 8 && wrong == 0 && none > 4, "with any of %d calls failing it counts all or there is none (%d times; %d said too little)", calls, none, wrong);
	}
	bawn_close(b);
	return done_testing();
}
