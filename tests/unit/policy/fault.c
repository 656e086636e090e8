/* fault.c - the n-th allocation fails, for every n: parse, load and set fail cleanly or succeed, and
 * a set that failed changed nothing.
 *
 * libfyaml does not survive a failed allocation (yaml.c says how that is met), so the linker wraps
 * its functions here and no fault is injected inside them: what is tested is our own code. */
#include <libfyaml.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "fault.h"
#include "parse/yaml.h"
#include "policy/policy.h"
#include "tap.h"
#include "tmpdir.h"
#include "write.h"

#define WRAP(type, name, params, args) \
	type __real_##name params; \
	type __wrap_##name params; \
	type __wrap_##name params \
	{ \
		bool was = fault_on; \
		fault_on = false; \
		type result = __real_##name args; \
		fault_on = was; \
		return result; \
	}
WRAP(struct fy_diag *, fy_diag_create, (const struct fy_diag_cfg *cfg), (cfg))
WRAP(struct fy_parser *, fy_parser_create, (const struct fy_parse_cfg *cfg), (cfg))
WRAP(int, fy_parser_set_string, (struct fy_parser *p, const char *text, size_t n), (p, text, n))
WRAP(struct fy_event *, fy_parser_parse, (struct fy_parser *p), (p))
WRAP(struct fy_token_iter *, fy_token_iter_create, (struct fy_token *t), (t))
WRAP(const struct fy_iter_chunk *, fy_token_iter_chunk_next, (struct fy_token_iter *i, const struct fy_iter_chunk *c, int *e), (i, c, e))

static const char document[] =
	"{\"sandbox\": {\"resources\": {\"timeout\": 50}, \"security\": {\"cap_drop\": [\"ALL\", \"SYS_ADMIN\"]}},"
	" \"security\": {\"rules\": {\"python/b\": \"BLOCKED\"}}, \"audit\": {\"redact\": [\"TOKEN\"]}}";

static const char bad_document[] = "sandbox: {resources: {timeout: soon, cpus: 1}, backend: natve}\nother: 1\n";

static void fill(int fd)
{
	put_file(fd, "sandbox.yaml", "resources: {timeout: 60, cpu_count: 1}\nsecurity: {cap_drop: [ALL, NET_RAW]}\n");
	(void)mkdirat(fd, "rules.d", 0755);
	put_file(fd, "rules.d/a.yaml", "rules:\n- {id: local/a, level: HIGH, message: m, name: [x], examples: {match: [x]}}\n- {id: local/b, level: LOW, message: m, host: [y, z]}\n");
	put_file(fd, "security.yaml", "rules: {python/x: HIGH, python/a: BLOCKED}\nblocked_patterns: [a, b]\n");
}

/* Bytes allocated and not freed: the same before and after each round, or a failing path leaks. */
static size_t in_use(void)
{
	struct mallinfo2 m = mallinfo2();
	return m.uordblks + m.hblkhd;
}

static long leaked(const char *what, long round, size_t before)
{
	size_t now = in_use();
	if (now > before)
		diag("%s, round %ld: %zu bytes leaked", what, round, now - before);
	return now > before;
}

static long tally(const char *what, long round, int r, bool has_result, const struct bawn_err *err)
{
	bool odd = r < 0 ? has_result || err->type != BAWN_ERROR_OUT_OF_MEMORY : !has_result;
	if (odd)
		diag("%s, round %ld: %d %s: %s", what, round, r, bawn_error_name(err->type), err->msg);
	return odd;
}

static void test_yaml(const char *name, const char *text, bool good)
{
	long rounds = 0, odd = 0;
	for (fault_arm(1); fault_more(); rounds++) {
		size_t before = in_use();
		struct bawn_yaml *y = NULL;
		struct bawn_err err = { 0 };
		struct bawn_buf problems = BAWN_BUF(BAWN_YAML_PROBLEMS_MAX);
		int r = bawn_yaml_parse("t", bawn_span(text), &y, &problems, &err);
		fault_on = false;
		odd += good ? tally(name, rounds, r, y != NULL, &err) : r >= 0 || y != NULL;
		bawn_yaml_free(y);
		bawn_buf_done(&problems);
		odd += leaked(name, rounds, before);
	}
	ok(odd == 0 && (rounds > 2 || !FAULT_WORKS), "%s: %ld failing allocations", name, rounds);
}

static void test_load(const struct bawn_policy_dirs *dirs)
{
	long rounds = 0, odd = 0;
	for (fault_arm(1); fault_more(); rounds++) {
		size_t before = in_use();
		struct bawn_policy *p = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_policy_load(dirs, &p, NULL, &err);
		json_t *shown = NULL;
		if (r == 0 && bawn_policy_show(p, &shown, NULL) < 0)
			odd += shown != NULL;
		fault_on = false;
		odd += tally("load", rounds, r, p != NULL, &err);
		json_decref(shown);
		bawn_policy_free(p);
		odd += leaked("load", rounds, before);
	}
	ok(odd == 0 && (rounds > 200 || !FAULT_WORKS), "load and show: %ld failing allocations", rounds);
}

static void hash_of(const struct bawn_policy_dirs *dirs, uint8_t out[BAWN_SHA256_LEN])
{
	struct bawn_policy *p = NULL;
	memset(out, 0, BAWN_SHA256_LEN);
	if (bawn_policy_load(dirs, &p, NULL, NULL) == 0)
		memcpy(out, p->sha256, BAWN_SHA256_LEN);
	bawn_policy_free(p);
}

static void test_set(const struct bawn_policy_dirs *dirs, int fd)
{
	long rounds = 0, odd = 0;
	uint8_t before[BAWN_SHA256_LEN], after[BAWN_SHA256_LEN];
	fill(fd);
	hash_of(dirs, before);
	for (fault_arm(1); fault_more(); rounds++) {
		size_t start = in_use();
		json_t *reply = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_policy_set(dirs, dirs->user, bawn_span(document), &reply, &err);
		fault_on = false;
		odd += tally("set", rounds, r, reply != NULL, &err);
		hash_of(dirs, after);
		if ((memcmp(before, after, sizeof before) == 0) != (r < 0)) {
			diag("round %ld: returned %d but the files say otherwise", rounds, r);
			odd++;
		}
		json_decref(reply);
		odd += leaked("set", rounds, start);
		if (r == 0) {
			fill(fd);
			(void)unlinkat(fd, "audit.yaml", 0);
		}
	}
	ok(odd == 0 && (rounds > 300 || !FAULT_WORKS), "set fails whole or succeeds whole: %ld failing allocations", rounds);
}

static void test_bad_set(const struct bawn_policy_dirs *dirs)
{
	long rounds = 0, odd = 0;
	uint8_t before[BAWN_SHA256_LEN], after[BAWN_SHA256_LEN];
	hash_of(dirs, before);
	for (fault_arm(1); fault_more(); rounds++) {
		size_t start = in_use();
		json_t *reply = NULL;
		int r = bawn_policy_set(dirs, dirs->user, bawn_span(bad_document), &reply, NULL);
		fault_on = false;
		hash_of(dirs, after);
		odd += r >= 0 || memcmp(before, after, sizeof before) != 0;
		json_decref(reply);
		odd += leaked("bad set", rounds, start);
	}
	ok(odd == 0 && (rounds > 100 || !FAULT_WORKS), "a bad document is refused whatever fails: %ld failing allocations", rounds);
}

int main(int argc, char **argv)
{
	(void)argc;
	/* Freed memory that malloc keeps at hand would count as in use. */
	if (getenv("GLIBC_TUNABLES") == NULL && setenv("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0", 1) == 0)
		(void)execv("/proc/self/exe", argv);
	(void)mallopt(M_MXFAST, 0);
	auto_tmpdir dir = tmpdir_make();
	fill(dir.fd);
	const struct bawn_policy_dirs dirs = { .user = dir.path };
	struct bawn_policy *warm = NULL;  /* what libraries allocate once and keep */
	ok(bawn_policy_load(&dirs, &warm, NULL, NULL) == 0, "without faults it loads");
	bawn_policy_free(warm);
	test_yaml("a good text", "a: {b: [1, 2], c: \"x\"}\nd:\n", true);
	test_yaml("a bad text", "a: &x 1\nb: !!t *x\nb: [\n", false);
	test_yaml("an empty text", "", true);
	test_load(&dirs);
	test_set(&dirs, dir.fd);
	test_bad_set(&dirs);
	return done_testing();
}
