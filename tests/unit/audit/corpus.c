/* corpus.c - every finding of the fuzzers, and the seeds they started from, hold in the ordinary build. */
#undef NDEBUG
#include <dirent.h>
#include <stdio.h>
#include "../../fuzz/audit/check.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"

static int replay(const char *dir, void (*check)(const char *p, size_t n))
{
	int n = 0;
	bawn_auto_dir d = opendir(dir);
	for (const struct dirent *e; d != NULL && (e = readdir(d)) != NULL; ) {
		bawn_auto_buf b = BAWN_BUF(16u << 20);
		if (e->d_name[0] == '.' || bawn_read_file(dirfd(d), e->d_name, &b, NULL) < 0)
			continue;
		check(b.p, b.n);
		n++;
	}
	return n;
}

static void spelling(void)
{
	static const struct { const char *name, *body; bool good; } row[] = {
		{ "an empty body", "{}", true },
		{ "all kinds of values", "{\"a\":[1,-1,0,true,false,null,\"x\",{},[]]}", true },
		{ "each escape", "{\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001F\"}", true },
		{ "a member called hash", "{\"a\":1,\"hash\":\"x\"}", true },
		{ "the largest integer", "{\"a\":9007199254740991,\"b\":-9007199254740991}", true },
		{ "a larger one", "{\"a\":9007199254740992}", false },
		{ "a space", "{\"a\": 1}", false },
		{ "a fraction", "{\"a\":1.0}", false },
		{ "an exponent", "{\"a\":1e3}", false },
		{ "a leading zero", "{\"a\":01}", false },
		{ "minus zero", "{\"a\":-0}", false },
		{ "the same key twice", "{\"a\":1,\"a\":2}", false },
		{ "the same key deeper down", "{\"a\":{\"a\":1}}", true },
		{ "an escape of a plain letter", "{\"a\":\"\\u0041\"}", false },
		{ "an escaped slash", "{\"a\":\"\\/\"}", false },
		{ "a long form of a short escape", "{\"a\":\"\\u000A\"}", false },
		{ "a small hexadecimal digit", "{\"a\":\"\\u001f\"}", false },
		{ "a key with a NUL", "{\"a\\u0000\":1}", false },
		{ "a key that only looks so", "{\"a\\\\u0000\":1}", true },
		{ "a control character", "{\"a\":\"\x01\"}", false },
		{ "an overlong form", "{\"a\":\"\xc0\xaf\"}", false },
		{ "a surrogate", "{\"a\":\"\xed\xa0\x80\"}", false },
		{ "a list for a body", "[]", false },
		{ "no body", "null", false },
		{ "a comma too many", "{\"a\":1,}", false },
		{ "an open end", "{\"a\":1", false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		char line[1000];
		struct bawn_line l;
		const char *problem = "";
		int n = snprintf(line, sizeof line, "{\"v\":1,\"seq\":1,\"ts\":2,\"mono\":3,\"type\":\"alert\",\"severity\":\"HIGH\",\"node\":\"n\",\"session\":null,"
		                 "\"principal\":null,\"exec\":null,\"body\":%s,\"salt\":\"%032d\",\"prev_hash\":\"%064d\",\"hash\":\"%064d\"}", row[i].body, 0, 0, 0);
		int r = bawn_line_shape((struct bawn_span){ line, (size_t)n }, &l, &problem);
		ok((r == 0) == row[i].good, "%s is %s %s", row[i].name, row[i].good ? "accepted" : "refused:", problem);
		check_entry(line, (size_t)n);
	}
}

int main(void)
{
	spelling();
	int entries = replay(CORPUS "/entry", check_entry), segments = replay(CORPUS "/segment", check_segment),
	    bundles = replay(CORPUS "/bundle", check_bundle), texts = replay(CORPUS "/redact", check_redact), logs = replay(CORPUS "/verify", check_verify);
	ok(entries > 3, "%d corpus files as entries", entries);
	ok(segments > 3, "%d corpus files as segments", segments);
	ok(bundles > 1, "%d corpus files as bundles", bundles);
	ok(texts > 3, "%d corpus files as texts with secrets", texts);
	ok(logs > 3, "%d corpus files as whole logs", logs);
	return done_testing();
}
