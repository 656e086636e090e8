/* rules.c - the examples of every shipped rule file hold, and a rule file with mistakes says where. */
#include <dirent.h>
#include <fcntl.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "tap.h"

static int compare(const struct dirent **a, const struct dirent **b) { return strcmp((*a)->d_name, (*b)->d_name); }
static int is_yaml(const struct dirent *d) { return strstr(d->d_name, ".yaml") != NULL; }

static size_t test_file(const char *dir, const char *name)
{
	char path[1024], shown[512];
	snprintf(path, sizeof path, "%s/rules/%s/%s", SOURCE_ROOT, dir, name);
	snprintf(shown, sizeof shown, "%s/%s", dir, name);
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	struct bawn_err err = { 0 };
	bawn_auto_json out = NULL;
	int r = bawn_read_file(AT_FDCWD, path, &text, &err);
	if (r == 0)
		r = bawn_rules_test(shown, bawn_buf_span(&text), &out, NULL, &err);
	if (!ok(r == 0, "%s can be read", shown)) {
		diag("%s", err.msg);
		return 0;
	}
	json_t *failures = json_object_get(out, "failures"), *f;
	size_t i;
	ok(json_array_size(failures) == 0, "%s: all %d examples of %d rules hold", shown,
	   (int)json_integer_value(json_object_get(out, "examples")), (int)json_integer_value(json_object_get(out, "rules")));
	json_array_foreach(failures, i, f) {
		char *got = json_dumps(f, JSON_COMPACT);
		diag("%s", got);
		free(got);
	}
	return (size_t)json_integer_value(json_object_get(out, "rules"));
}

static const char good[] =
	"rules:\n- id: python/mine\n  level: HIGH\n  message: m\n  why: w\n  fix: f\n  call: [mylib.danger]\n"
	"  examples: {match: ['import mylib as m\n\n    m.danger()'], nomatch: ['import mylib']}\n";

int main(void)
{
	static const char *const dir[] = { "any", "bash", "javascript", "python" };
	size_t rules = 0;
	for (size_t d = 0; d < BAWN_LEN(dir); d++) {
		char path[512];
		struct dirent **list = NULL;
		snprintf(path, sizeof path, "%s/rules/%s", SOURCE_ROOT, dir[d]);
		int n = scandir(path, &list, is_yaml, compare);
		ok(n > 0, "there are rules for %s", dir[d]);
		for (int i = 0; i < n; i++) {
			rules += test_file(dir[d], list[i]->d_name);
			free(list[i]);
		}
		free(list);
	}
	bawn_auto_json all = NULL;
	struct bawn_err err = { 0 };
	ok(bawn_rules_json(NULL, &all, &err) == 0 && json_array_size(all) == rules + BAWN_ALONE_COUNT, "every rule file is compiled in");
	ok(strcmp(json_string_value(json_object_get(json_array_get(all, rules), "id")), "bawn/assessment-failed") == 0, "and there are those that no file has");
	ok(strlen(bawn_rules_version()) == 16, "the table has a version");

	static const struct { const char *name, *text, *says; } bad[] = {
		{ "an unknown key is an error", "rules:\n- id: python/x\n  nope: 1\n", "mine.yaml:3:3" },
		{ "a rule needs a matcher", "rules:\n- id: python/x\n  level: LOW\n  message: m\n  why: w\n  fix: f\n", "a rule needs a matcher" },
		{ "a text is no list", "rules:\n- id: python/x\n  message: [m]\n", "a text is needed" },
		{ "an unknown level is an error", "rules:\n- id: python/x\n  level: AWFUL\n", "AWFUL" },
		{ "an id begins with a language", "rules:\n- id: cobol/x\n", "cobol/x" },
		{ "an unknown condition is an error", "rules:\n- id: python/x\n  call: [a]\n  where: [[often, 1]]\n", "often" },
		{ "not YAML is an error", "rules: [", "mine.yaml" },
		{ "two matchers are an error", "rules:\n- id: python/x\n  call: [a]\n  name: [a]\n", "one matcher" },
	};
	for (size_t i = 0; i < BAWN_LEN(bad); i++) {
		json_t *out = NULL;
		struct bawn_err e = { 0 };
		int r = bawn_rules_test("mine.yaml", bawn_span(bad[i].text), &out, NULL, &e);
		if (!ok(r < 0 && out == NULL && strstr(e.msg, bad[i].says) != NULL, "%s", bad[i].name))
			diag("%d %s", r, e.msg);
	}
	bawn_auto_json mine = NULL;
	ok(bawn_rules_test("mine.yaml", bawn_span(good), &mine, NULL, &err) == 0 && json_array_size(json_object_get(mine, "failures")) == 0 &&
	   json_integer_value(json_object_get(mine, "examples")) == 2, "a user's own rule file is tested with its examples");

	bawn_auto_buf problems = BAWN_BUF(1u << 16);
	json_t *nothing = NULL;
	int r = bawn_rules_test("mine.yaml", bawn_span("rules:\n- id: python/x\n  lvel: HIGH\n  level: HGH\n  tags: [exce, dwnload]\n  where: [[agr, 0], [known, x]]\n"
	                        "- id: python/y\n  call: a\n"), &nothing, &problems, &err);
	static const char *const says[] = { ":3:3: no such key in a rule: lvel; did you mean 'level'?", ":4:10: not a known word: HGH; did you mean 'HIGH'?",
		":5:10: not a known word: exce; did you mean 'exec'?", "did you mean 'download'?", "no such condition: agr; did you mean 'arg'?", ":6:29: not a number: x",
		":2:3: a rule needs message", ":2:3: a rule needs a matcher", ":8:9: a list is needed: a" };
	for (size_t i = 0; i < BAWN_LEN(says); i++)
		ok(r < 0 && nothing == NULL && strstr(problems.p, says[i]) != NULL, "told with all the others: %s", says[i]);

	static const char failing[] =
		"rules:\n- id: python/mine\n  level: HIGH\n  message: m\n  why: w\n  fix: f\n  call: [mylib.danger]\n"
		"  examples:\n    match:\n    - import mylib\n    nomatch:\n    - |\n      import mylib\n      mylib.danger()\n";
	bawn_auto_json fails = NULL;
	ok(bawn_rules_test("mine.yaml", bawn_span(failing), &fails, NULL, &err) == 0, "examples that fail are an answer");
	json_t *list = json_object_get(fails, "failures"), *second = json_array_get(list, 1);
	ok(json_array_size(list) == 2 && json_integer_value(json_object_get(json_array_get(list, 0), "line")) == 10 &&
	   json_integer_value(json_object_get(second, "line")) == 13 && json_array_size(json_object_get(second, "got")) == 1, "with line, kind and what was found");

	static const char local[] =
		"rules:\n- id: local/x\n  level: HIGH\n  message: m\n  name: [mylib]\n  path: [/srv/x]\n"
		"  examples: {match: ['import mylib as m', \"#!/bin/bash\\ncat /srv/x/y\"], nomatch: ['import mylib2']}\n";
	bawn_auto_json own = NULL;
	ok(bawn_rules_test("local.yaml", bawn_span(local), &own, NULL, &err) == 0 && json_array_size(json_object_get(own, "failures")) == 0 &&
	   json_integer_value(json_object_get(own, "examples")) == 3, "so is one for rules.d, before it is installed: %s", err.msg);

	bawn_auto_json examples = NULL;
	ok(bawn_rule_examples_json("python/pty-spawn", NULL, &examples, &err) == 0 && json_array_size(examples) > 1 &&
	   json_array_size(json_object_get(json_array_get(examples, 0), "at")) > 0, "a rule's examples are compiled in, with the place that matches");
	return done_testing();
}
