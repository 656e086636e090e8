/* observed.c - what was observed beside what could be read from the code, and what the walls refused. */
#include <string.h>
#include "base/cleanup.h"
#include "core/exec.h"
#include "tap.h"

#define READ    BAWN_AREA_READ
#define WRITE   BAWN_AREA_WRITE
#define CONNECT BAWN_AREA_CONNECT
#define EXEC    BAWN_AREA_EXEC
#define IMPORT  BAWN_AREA_IMPORT
#define SEEN    "-"     /* foreseen */
#define NULL_   "null"  /* not foreseen, by no rule in particular */

/* `rule`: what the entry in `unpredicted` must name.  `denied`: the kind of denial, or NULL. */
static const struct { const char *name, *code; enum bawn_area_kind kind; const char *text, *rule, *denied; } row[] = {
	{ "a file of the workspace", "f(x)", WRITE, "/workspace/a", SEEN, NULL },
	{ "a file of the host's libraries", "f(x)", READ, "/usr/share/zoneinfo/UTC", SEEN, NULL },
	{ "a file outside that the code names", "open('/etc/hosts')", READ, "/etc/hosts", SEEN, NULL },
	{ "another file outside, which breaks no other rule", "open('/etc/hosts')", READ, "/etc/passwd", SEEN, NULL },
	{ "a file outside that the code does not name", "open(input())", READ, "/etc/hosts", "any/read-outside", NULL },
	{ "a secret among files the code reads", "open('/etc/hosts')", READ, "/etc/shadow", "any/secret-read", NULL },
	{ "a hidden file of the workspace is asked about", "f(x)", READ, "/workspace/.ssh/id_rsa", "any/secret-read", NULL },
	{ "a program where the code runs some", "import subprocess\nsubprocess.run(x)", EXEC, "ls", SEEN, NULL },
	{ "a program where the code runs none", "f(x)", EXEC, "ls", NULL_, NULL },
	{ "what a program does counts", "import subprocess\nsubprocess.run(x)", EXEC, "rm -rf /", "any/destroys-everything", NULL },
	{ "quotes stay inside the text", "f(x)", READ, "/workspace/.x\"); open(\"/etc/shadow\")#", SEEN, NULL },
	{ "an address where the code connects", "import socket\nsocket.create_connection(a)", CONNECT, "127.0.0.1:80", SEEN, NULL },
	{ "an address where the code does not", "f(x)", CONNECT, "127.0.0.1:80", NULL_, NULL },
	{ "an address that has a rule of its own", "import socket\nsocket.create_connection(a)", CONNECT, "169.254.169.254:80", "any/metadata-service", "network" },
	{ "an address outside is refused", "import socket\nsocket.create_connection(a)", CONNECT, "198.51.100.1:80", SEEN, "network" },
	{ "a host's name too", "import socket\nsocket.create_connection(a)", CONNECT, "no.example:http", SEEN, "network" },
	{ "loopback is not", "import socket\nsocket.create_connection(a)", CONNECT, "[::1]:80", SEEN, NULL },
	{ "a socket file is inside", "f(x)", CONNECT, "unix:/tmp/x", SEEN, NULL },
	{ "a module the code names", "import json", IMPORT, "json", SEEN, NULL },
	{ "a module it does not name", "__import__(x)", IMPORT, "json", NULL_, NULL },
	{ "part of a word is no name", "my_json = jsonx", IMPORT, "json", NULL_, NULL },
	{ "a write outside is refused", "open('/usr/x', 'w')", WRITE, "/usr/x", SEEN, "path" },
	{ "so is one to a place that is not there", "open('/home/me/x', 'w')", WRITE, "/home/me/x", SEEN, "path" },
	{ "devices that take everything are not outside", "f(x)", WRITE, "/dev/null", SEEN, NULL },
	{ "what leads elsewhere is not judged", "open('/proc/self/fd/1', 'w')", WRITE, "/proc/self/fd/1", SEEN, NULL },
};

struct told { json_t *denial, *unpredicted; size_t n_denials, n_unpredicted; struct bawn_exec e; };

static void told_done(struct told *t)
{
	json_t *const list[] = { t->e.denials, t->e.violations, t->e.files, t->e.skipped, t->e.warnings, t->e.observed };
	for (size_t i = 0; i < BAWN_LEN(list); i++)
		json_decref(list[i]);
	bawn_assessment_free(t->e.assessment);
}

static bool tell(struct bawn_policy_ref *policy, const char *code, struct bawn_observed_item item, uint32_t layers, struct told *t)
{
	struct bawn_checked checked = { .language = BAWN_LANG_PYTHON, .network = BAWN_NETWORK_NONE, .code = { .fd = -1, .bytes = bawn_span(code) } };
	struct bawn_assess_file file = { NULL, BAWN_LANG_PYTHON, bawn_span(code) };
	struct bawn_observed o = { &item, 1, 0 };
	*t = (struct told){ .e = { .policy = policy, .checked = &checked, .enforcement.layers = layers } };
	bool good = bawn_exec_lists(&t->e) && bawn_assess(&file, 1, policy->policy, &t->e.assessment, NULL) == 0 &&
	            bawn_exec_observed(&t->e, &o, NULL) == 0 && json_array_size(json_object_get(t->e.observed, bawn_word(&bawn_area_words, (int)item.kind))) == 1;
	const json_t *un = json_object_get(t->e.observed, "unpredicted");
	t->denial = json_array_get(t->e.denials, 0);
	t->n_denials = json_array_size(t->e.denials);
	t->unpredicted = json_array_get(un, 0);
	t->n_unpredicted = json_array_size(un);
	return good;
}

static bool is(const json_t *object, const char *key, const char *want)
{
	const char *got = json_string_value(json_object_get(object, key));
	return strcmp(got != NULL ? got : "null", want) == 0;
}

int main(void)
{
	struct bawn_policy_dirs none = { 0 };
	struct bawn_policy_ref policy = { 0 };
	uint32_t walls = BAWN_LAYER_BIT(RO_ROOT) | BAWN_LAYER_BIT(NETNS);
	if (bawn_policy_load(&none, &policy.policy, NULL, NULL) < 0)
		return ok(false, "the defaults load"), done_testing();
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct bawn_observed_item item = { row[i].kind, 3, false, bawn_span(row[i].text) };
		struct told t;
		bool good = tell(&policy, row[i].code, item, walls, &t);
		bool seen = strcmp(row[i].rule, SEEN) == 0, refused = row[i].denied != NULL;
		good = good && t.n_unpredicted == !seen && (seen || is(t.unpredicted, "rule", row[i].rule)) && t.n_denials == refused &&
		       (!refused || (is(t.denial, "kind", row[i].denied) && is(t.denial, "what", row[i].text) && is(t.denial, "source", "hook") &&
		                     json_integer_value(json_object_get(t.denial, "count")) == 3 && !is(t.denial, "hint", "")));
		if (!ok(good, "%s", row[i].name))
			diag("%zu unpredicted, rule %s; %zu denied", t.n_unpredicted, json_string_value(json_object_get(t.unpredicted, "rule")), t.n_denials);
		told_done(&t);
		if (refused) {
			ok(tell(&policy, row[i].code, item, 0, &t) && t.n_denials == 0, "%s: control: without its wall nothing is refused", row[i].name);
			told_done(&t);
		}
	}
	struct told t;
	struct bawn_observed_item cut = { EXEC, 1, true, bawn_span("true \xff\x1b[2J") };
	ok(tell(&policy, "f(x)", cut, walls, &t) && is(t.unpredicted, "what", "true \xef\xbf\xbd\x1b[2J…"), "what is cut says so, what is no text is replaced");
	told_done(&t);
	bawn_policy_free(policy.policy);
	return done_testing();
}
