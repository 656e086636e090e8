/* uids.c - no run gets a uid that is somebody's. */
#include <fcntl.h>
#include "base/cleanup.h"
#include "base/file.h"
#include "core/uids.h"
#include "tap.h"
#include "tmpdir.h"

int main(void)
{
	static const struct { const char *name, *passwd, *subuid; bool good; } row[] = {
		{ "nothing there",                    NULL, NULL, true },
		{ "others elsewhere",                 "root:x:0:0::/:/bin/sh\na:x:1000:1000::/:/bin/sh\n", "a:100000:65536\n", true },
		{ "an account inside",                "x:x:2000005:5::/:/bin/sh\n", NULL, false },
		{ "an account at the first uid",      "x:x:2000000:5::/:/bin/sh\n", NULL, false },
		{ "an account at the last uid",       "x:x:2000099:5::/:/bin/sh\n", NULL, false },
		{ "an account just behind",           "x:x:2000100:5::/:/bin/sh", NULL, true },
		{ "an account just before",           "x:x:1999999:5::/:/bin/sh", NULL, true },
		{ "a range that reaches in",          NULL, "a:1999990:11\n", false },
		{ "a range that ends before",         NULL, "a:1999990:10\n", true },
		{ "a range around",                   NULL, "a:100000:100000000\n", false },
		{ "lines that are no entries",        "# comment\n\n+@group\n+:::\n", "nonsense\n", true },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_tmpdir d = tmpdir_make();
		if (row[i].passwd != NULL)
			(void)!bawn_replace_file(d.fd, "passwd", bawn_span(row[i].passwd), 0644, NULL);
		if (row[i].subuid != NULL)
			(void)!bawn_replace_file(d.fd, "subuid", bawn_span(row[i].subuid), 0644, NULL);
		struct bawn_err err = { 0 };
		int r = bawn_uids_check(d.path, 2000000, 100, &err);
		ok(row[i].good ? r == 0 : err.type == BAWN_ERROR_CONFIG_INVALID, "%s: %s", row[i].name, row[i].good ? "fine" : "refused");
	}
	ok(bawn_uids_check("/nonexistent", 0, 10, NULL) < 0 && bawn_uids_check("/nonexistent", UINT32_MAX, 10, NULL) < 0, "root and uids that do not exist are refused");
	return done_testing();
}
