/* gen-rules-doc.c - docs/rules.md from the rule table, on standard output.  Run by the build; `make docs`
 * takes the result over. */
#include <stdio.h>
#include <string.h>
#include "assess/assess.h"
#include "base/cleanup.h"

static const char intro[] =
	"# Rules\n"
	"Generated from the rule table by `tools/gen-rules-doc.c`; `make docs` writes it anew. `bawn rules show ID` prints all of one rule, with its matcher and examples.\n"
	"\n"
	"| level | means | shipped decision |\n"
	"|---|---|---|\n"
	"| LOW | computes, reads and writes its own workspace | run |\n"
	"| MEDIUM | a capability worth knowing: network, other programs, files outside the workspace | run with a warning |\n"
	"| HIGH | privileged or system-wide: system files, credentials, persistence, code that hides itself | a person must confirm |\n"
	"| BLOCKED | a malicious pattern: remote shells, theft of secrets, download and run, destruction | refused; a person may lift it with a reason |\n"
	"\n"
	"**The score** is the sum over the capabilities that were found, each counted once by its strongest finding: 1, 4, 20 and 100 by level unless the rule says otherwise (a rule without a capability counts by itself). `thresholds` of `config/security.yaml` turn a sum into a level; the level of the code is the higher of that and of its strongest finding. Each finding in `--json` carries what it added (`score`), and `scoring` has the rest: the strongest level and the thresholds.\n"
	"\n"
	"**One finding for one thing.** Of several findings on the same text about the same behaviour or object only the strongest is reported and counted.\n"
	"\n"
	"**Suppressions in the code are not obeyed** (`# nosec`, `# noqa: S`, `eslint-disable`, `shellcheck disable`, `nosemgrep`, `bawn: ignore`, ...): whoever wrote the code is not who judges it. They are reported as `any/suppression`.\n"
	"\n"
	"## Rules of your own\n"
	"Files in `rules.d` of a configuration directory (`/etc/bawn/rules.d/NAME.yaml`, the user's, that of `--config`) add names, paths and hosts. They can only add findings: nothing in them lowers a level or switches a rule off. `bawn rules test FILE` runs their examples before they are installed; a file with a mistake is a mistake of the policy, and nothing is assessed until it is mended. `rules_version` and `policy_sha256` cover them.\n"
	"```yaml\n"
	"rules:\n"
	"- id: local/billing            # local/ and small letters, digits, '-'\n"
	"  level: HIGH\n"
	"  message: Reaches for the billing system\n"
	"  name: [billing.client]       # module, function or command, after aliases are undone; and what lies below\n"
	"  path: [/srv/billing]         # and what lies below; may begin with ~/ or **/\n"
	"  host: [billing.example.com]  # and what lies below\n"
	"  why: It holds what customers owe.          # why, fix, cwe and language are optional\n"
	"  examples:\n"
	"    match: [\"open('/srv/' + 'billing/x')\"]\n"
	"    nomatch: [\"open('billing')\"]\n"
	"```\n"
	"For single names there are three lists in `config/security.yaml`, each a rule with an id of its own: `blocked_patterns` (`policy/blocked-pattern`), `high_triggers` (`policy/high-trigger`) and `trusted_patterns` (`policy/trusted-pattern`). A trusted pattern silences LOW and MEDIUM findings on exactly what it names, and a finding says so; HIGH, BLOCKED, capabilities and combinations stay what they are. `rules: {ID: LEVEL}` raises a shipped rule; lowering one needs `acknowledge_risk`.\n"
	"\n";

static void put_families(struct bawn_buf *out)
{
#define ROW(n, t) { n, t },
	static const struct { const char *name, *about; } family[] = { BAWN_FAMILIES(ROW) };
	bawn_buf_str(out, "\n| family | about |\n|---|---|\n");
	for (size_t i = 0; i < BAWN_LEN(family); i++)
		bawn_buf_fmt(out, "| `%s` | %s |\n", family[i].name, family[i].about);
}

/* A cell of a table: bars and what Markdown or HTML would take for its own are escaped. */
static void put_cell(struct bawn_buf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("|*_`<>[]\\", *text) != NULL)
			bawn_buf_char(out, '\\');
		bawn_buf_char(out, *text == '\n' ? ' ' : *text);
	}
}

static const char *text_of(const json_t *rule, const char *key)
{
	const char *text = json_string_value(json_object_get(rule, key));
	return text != NULL ? text : "";
}

static void put_rule(struct bawn_buf *out, const json_t *rule)
{
	bawn_buf_fmt(out, "| `%s` | %s | ", text_of(rule, "id"), text_of(rule, "level"));
	if (json_is_integer(json_object_get(rule, "cwe")))
		bawn_buf_fmt(out, "%d", (int)json_integer_value(json_object_get(rule, "cwe")));
	static const char *const column[] = { "capability", "message", "why", "fix" };
	for (size_t i = 0; i < BAWN_LEN(column); i++) {
		bawn_buf_str(out, " | ");
		put_cell(out, text_of(rule, column[i]));
	}
	bawn_buf_str(out, " |\n");
}

static bool same(const json_t *a, const json_t *b, const char *key) { return strcmp(text_of(a, key), text_of(b, key)) == 0; }

/* The table of one language and family: the rules from `first` on that are of its kind. */
static void put_family(struct bawn_buf *out, const json_t *all, size_t first)
{
	const json_t *head = json_array_get(all, first), *rule;
	for (size_t i = 0; i < first; i++)
		if (same(json_array_get(all, i), head, "language") && same(json_array_get(all, i), head, "family"))
			return;
	bawn_buf_fmt(out, "\n### %s: %s\n| rule | level | CWE | capability | finds | why | instead |\n|---|---|---|---|---|---|---|\n",
	             text_of(head, "language"), text_of(head, "family"));
	for (size_t i = first; (rule = json_array_get(all, i)) != NULL; i++)
		if (same(rule, head, "language") && same(rule, head, "family"))
			put_rule(out, rule);
}

int main(void)
{
	struct bawn_err err = { 0 };
	bawn_auto_json all = NULL;
	bawn_auto_buf out = BAWN_BUF(4u << 20);
	if (bawn_rules_json(NULL, &all, &err) < 0) {
		fprintf(stderr, "gen-rules-doc: %s\n", err.msg);
		return 1;
	}
	bawn_buf_str(&out, intro);
	bawn_buf_fmt(&out, "## The %zu shipped rules\nBy language (`any` holds for all three) and family, as in `rules/<language>/<family>.yaml`. "
	             "A CWE number is given where MITRE's text fits what was found; a capability that is no weakness in itself, such as "
	             "using the network, has none. `rules/ids` lists every id a rule ever had: none is used again for something else.\n", json_array_size(all));
	put_families(&out);
	for (size_t i = 0; i < json_array_size(all); i++)
		put_family(&out, all, i);
	return bawn_buf_error(&out) < 0 || fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) != 0;
}
