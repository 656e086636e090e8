/* own.c - rules.d: read from every directory, only ever added, and a mistake in it is a mistake of the policy. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/cleanup.h"
#include "policy/policy.h"
#include "tap.h"
#include "tmpdir.h"
#include "write.h"

static void policy_freep(struct bawn_policy **p) { bawn_policy_free(*p); }
#define auto_policy __attribute__((cleanup(policy_freep))) struct bawn_policy *
#define auto_errors __attribute__((cleanup(bawn_policy_errors_done))) struct bawn_policy_errors

#define RULE(id, level, more) "- {id: " id ", level: " level ", message: m, " more "}\n"

static void put(const struct tmpdir *d, const char *file, const char *text)
{
	(void)mkdirat(d->fd, "rules.d", 0755);
	put_file(d->fd, file, text);
}

static int load(const char *floor, const char *user, struct bawn_policy **out, struct bawn_policy_errors *errors)
{
	struct bawn_policy_dirs dirs = { .floor = floor, .user = user };
	struct bawn_err err = { 0 };
	int r = bawn_policy_load(&dirs, out, errors, &err);
	if (r < 0 && err.type != BAWN_ERROR_CONFIG_INVALID)
		diag("%s: %s", bawn_error_name(err.type), err.msg);
	return r;
}

static void test_layers(void)
{
	auto_tmpdir floor = tmpdir_make(), user = tmpdir_make();
	auto_policy none = NULL, *one = NULL, *both = NULL, *again = NULL;
	ok(load(floor.path, user.path, &none, NULL) == 0 && none->own == NULL, "without rules.d there are no rules");
	put(&floor, "rules.d/b.yaml", "rules:\n" RULE("local/b", "HIGH", "name: [x.y]"));
	put(&floor, "rules.d/a.yaml", "rules:\n" RULE("local/a", "LOW", "path: [/srv], host: [a.example]"));
	put(&floor, "rules.d/.hidden.yaml", "nonsense");
	put(&floor, "rules.d/README", "not rules");
	ok(load(floor.path, user.path, &one, NULL) == 0 && one->own != NULL && one->own->n == 2 && strcmp(one->own->rule[0].id, "local/a") == 0 &&
	   one->own->rule[1].level == BAWN_LEVEL_HIGH, "files are read in the order of their names");
	put(&user, "rules.d/mine.yaml", "rules:\n" RULE("local/c", "BLOCKED", "host: [c.example]"));
	ok(load(floor.path, user.path, &both, NULL) == 0 && both->own->n == 3 && strcmp(both->own->rule[2].id, "local/c") == 0, "a user adds to the floor's");
	ok(memcmp(none->sha256, one->sha256, sizeof one->sha256) != 0 && memcmp(one->sha256, both->sha256, sizeof one->sha256) != 0, "the policy's hash covers them");
	put(&user, "rules.d/mine.yaml", "rules:\n- id: local/c\n  level: BLOCKED\n  message: m\n  host: [C.example]\n  examples: {match: [x]}\n");
	ok(load(floor.path, user.path, &again, NULL) == 0 && memcmp(again->sha256, both->sha256, sizeof both->sha256) == 0, "spelling and examples do not matter");
	size_t n = 0;
	const struct bawn_own_key *k = bawn_own_find(again->own, BAWN_OWN_HOST, bawn_span("c.example"), &n);
	ok(n == 1 && k->rule == 2, "hosts are found in small letters");
	(void)bawn_own_find(again->own, BAWN_OWN_HOST, bawn_span("c.exampl"), &n);
	ok(n == 0, "and only whole");
}

static void test_mistakes(void)
{
	static const struct { const char *name, *text, *says; } row[] = {
		{ "not YAML", "rules: [", "mine.yaml:" },
		{ "no list of rules", "rule: []\n", "one list, rules" },
		{ "an unknown key", "rules:\n- id: local/x\n  lvel: HIGH\n", "mine.yaml:3:3: 'lvel' is not allowed here; allowed: id, level" },
		{ "with what was meant", "rules:\n- id: local/x\n  lvel: HIGH\n", "did you mean 'level'?" },
		{ "an unknown level", "rules:\n- {id: local/x, level: off, message: m, name: [x]}\n", "'off' is not allowed here; allowed: LOW, MEDIUM" },
		{ "an id of ours", "rules:\n" RULE("python/shell", "LOW", "name: [x]"), "an id here is local/" },
		{ "an id with capitals", "rules:\n" RULE("local/X", "LOW", "name: [x]"), "an id here is local/" },
		{ "an id twice", "rules:\n" RULE("local/x", "LOW", "name: [x]") RULE("local/x", "LOW", "name: [y]"), "mine.yaml:3:8: 'local/x' is already used at" },
		{ "nothing to match", "rules:\n" RULE("local/x", "LOW", "cwe: 1"), "names no name, path or host" },
		{ "an empty list", "rules:\n" RULE("local/x", "LOW", "name: []"), "a list is needed" },
		{ "a relative path", "rules:\n" RULE("local/x", "LOW", "path: [etc/passwd]"), "a path begins with /" },
		{ "a host with a path", "rules:\n" RULE("local/x", "LOW", "host: ['https://a.example/x']"), "a host is a name" },
		{ "a pattern in a name", "rules:\n" RULE("local/x", "LOW", "name: ['*']"), "a name is a module" },
		{ "conditions of shipped rules", "rules:\n" RULE("local/x", "LOW", "name: [x], where: [[arg, 0, y]]"), "'where' is not allowed here" },
		{ "other matchers", "rules:\n" RULE("local/x", "LOW", "string: ['*x*']"), "'string' is not allowed here" },
		{ "no message", "rules:\n- {id: local/x, level: LOW, name: [x]}\n", "the rule has no message" },
		{ "a bad CWE number", "rules:\n" RULE("local/x", "LOW", "name: [x], cwe: many"), "not a CWE number" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		auto_tmpdir d = tmpdir_make();
		auto_policy p = NULL;
		auto_errors errors = { .n = 0 };
		put(&d, "rules.d/mine.yaml", row[i].text);
		int r = load(NULL, d.path, &p, &errors);
		if (!ok(r < 0 && p == NULL && errors.text.p != NULL && strstr(errors.text.p, row[i].says) != NULL, "refused: %s", row[i].name))
			diag("%d %s", r, errors.text.p != NULL ? errors.text.p : "");
	}
	auto_tmpdir d = tmpdir_make();
	auto_policy p = NULL;
	auto_errors errors = { .n = 0 };
	put(&d, "rules.d/a.yaml", "rules:\n- {id: x, level: AWFUL, name: [' ']}\n");
	put(&d, "rules.d/b.yaml", "rules:\n- {id: local/y}\n");
	put(&d, "rules.d/c.yml", "rules: []\n");
	ok(load(NULL, d.path, &p, &errors) < 0 && errors.n == 8 && strstr(errors.text.p, "b.yaml:2:3") != NULL && strstr(errors.text.p, "did you mean .yaml?") != NULL,
	   "all mistakes of all files at once: %zu", errors.n);
}

static void set_mode(const struct tmpdir *d, const char *path, mode_t mode)
{
	if (fchmodat(d->fd, path, mode, 0) < 0)
		diag("chmod %s: %m", path);
}

static void test_distrust(void)
{
	auto_tmpdir d = tmpdir_make();
	auto_policy p = NULL;
	auto_errors errors = { .n = 0 };
	put(&d, "rules.d/mine.yaml", "rules:\n" RULE("local/x", "LOW", "name: [x]"));
	set_mode(&d, "rules.d/mine.yaml", 0666);
	ok(load(NULL, d.path, &p, &errors) < 0 && strstr(errors.text.p, "written by everybody") != NULL, "a file anybody may write is refused");
	set_mode(&d, "rules.d/mine.yaml", 0644);
	set_mode(&d, "rules.d", 0777);
	auto_errors more = { .n = 0 };
	ok(load(NULL, d.path, &p, &more) < 0 && strstr(more.text.p, "rules.d: can be written") != NULL, "so is such a directory");
}

int main(void)
{
	test_layers();
	test_mistakes();
	test_distrust();
	return done_testing();
}
