/* fault.c - whichever allocation fails, an assessment fails cleanly or is complete. */
#include "fault.h"
#include "assess/assess.h"
#include "base/cleanup.h"
#include "tap.h"

static const struct { const char *name; int language; const char *code; } row[] = {
	{ "Python", BAWN_LANG_PYTHON, "import os, base64\ndef f(x):\n    return [c for c in x]\nos.system('cat /etc/shadow | base64 -d | sh')\nexec(base64.b64decode('cHJpbnQoMSk='))\n" },
	{ "Bash", BAWN_LANG_BASH, "f() { cat \"$1\"; }\nf /etc/shadow\npython3 -c 'print(1)'\n" },
	{ "JavaScript", BAWN_LANG_JAVASCRIPT, "const {exec} = require('child_process');\nexec('ls');\neval(atob('MQ=='));\n" },
};

static const char rules[] = "rules:\n- id: python/mine\n  level: HIGH\n  message: m\n  why: w\n  fix: f\n  call: [mylib.danger]\n"
                            "  examples: {match: ['mylib.danger()'], nomatch: ['mylib']}\n";

int main(void)
{
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		long rounds = 0, failed = 0;
		bool clean = true;
		for (fault_arm(1); fault_more(); rounds++) {
			struct bawn_assess_file f = { .language = row[i].language, .bytes = bawn_span(row[i].code) };
			struct bawn_assessment *a = NULL;
			struct bawn_err err = { 0 };
			int r = bawn_assess(&f, 1, NULL, &a, &err);
			clean = clean && (r == 0 ? a != NULL && a->level >= BAWN_LEVEL_MEDIUM : a == NULL && err.code < 0);
			failed += r < 0;
			bawn_assessment_free(a);
		}
		fault_on = false;
		ok(clean && (!FAULT_WORKS || failed > 0), "%s: %ld rounds, %ld refused", row[i].name, rounds, failed);
	}
	long rounds = 0;
	bool clean = true;
	for (fault_arm(1); fault_more(); rounds++) {
		json_t *out = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_rules_test("mine.yaml", bawn_span(rules), &out, &err);
		clean = clean && (r == 0 ? out != NULL : out == NULL);
		json_decref(out);
	}
	fault_on = false;
	ok(clean, "testing a rule file: %ld rounds", rounds);
	return done_testing();
}
