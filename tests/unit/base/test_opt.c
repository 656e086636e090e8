/* test_opt.c - one table, one parser: every kind of option, every way to write it, every mistake. */
#include <string.h>
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/opt.h"
#include "tap.h"

struct common { bool json; const char *state; };
struct run {
	bool force;
	const char *lang, *code;
	struct bawn_opt_list env;
	uint64_t memory, timeout, cpus, pids, since;
};

static const struct bawn_opt common_row[] = {
	{ 0,   "json",    BAWN_OPT_FLAG,     offsetof(struct common, json),  NULL,       NULL, "one document" },
	{ 0,   "state",   BAWN_OPT_TEXT,     offsetof(struct common, state), "DIR",      NULL, "where the log is" },
};
static const struct bawn_opt run_row[] = {
	{ 'f', NULL,      BAWN_OPT_FLAG,     offsetof(struct run, force),    NULL,       NULL, "only a letter" },
	{ 0,   "lang",    BAWN_OPT_TEXT,     offsetof(struct run, lang),     "LANG",     "python|bash|javascript", "the language" },
	{ 'e', "env",     BAWN_OPT_LIST,     offsetof(struct run, env),      "K=V",      NULL, "a variable" },
	{ 'm', "memory",  BAWN_OPT_SIZE,     offsetof(struct run, memory),   "SIZE",     NULL, "at most this much" },
	{ 't', "timeout", BAWN_OPT_DURATION, offsetof(struct run, timeout),  "DURATION", NULL, "at most this long" },
	{ 0,   "cpus",    BAWN_OPT_MILLI,    offsetof(struct run, cpus),     "N",        NULL, "how many" },
	{ 0,   "pids",    BAWN_OPT_NUMBER,   offsetof(struct run, pids),     "N",        NULL, "how many" },
	{ 0,   "since",   BAWN_OPT_WHEN,     offsetof(struct run, since),    "WHEN",     NULL, "from then on" },
	{ 'c', NULL,      BAWN_OPT_REST,     offsetof(struct run, code),     "CODE",     NULL, "the code itself" },
};
static const struct bawn_opts table[] = {
	{ common_row, BAWN_LEN(common_row) }, { run_row, BAWN_LEN(run_row) },
};

struct got { struct common common; struct run run; struct bawn_opt_list words; int rest, argc; struct bawn_err err; };

static char split_copy[8][512];
static unsigned split_next;

/* "a b c" as argv of `bawn a b c`; "~" stands for an empty argument. */
static int parse(const char *line, bool stop_early, struct got *out)
{
	char *copy = split_copy[split_next++ % 8], *argv[64] = { (char *)"bawn" }, *save = NULL;
	int argc = 1;
	snprintf(copy, sizeof *split_copy, "%s", line);
	for (char *w = strtok_r(copy, " ", &save); w != NULL; w = strtok_r(NULL, " ", &save))
		argv[argc++] = strcmp(w, "~") == 0 ? (char *)"" : w;
	*out = (struct got){ .rest = -1, .argc = argc };
	void *const target[] = { &out->common, &out->run };
	return bawn_opt_parse(table, BAWN_LEN(table), argc, argv, target, stop_early, &out->words, &out->rest, &out->err);
}

static bool text_is(const char *got, const char *want) { return got != NULL && strcmp(got, want) == 0; }

static void kinds(void)
{
	struct got g;
	ok(parse("--json --state /s", true, &g) == 0 && g.common.json && text_is(g.common.state, "/s") && g.rest == 4,
	   "a flag and a text");
	ok(parse("--state=/s=t", true, &g) == 0 && text_is(g.common.state, "/s=t"), "--name=value, split at the first =");
	ok(parse("--state=", true, &g) == 0 && text_is(g.common.state, ""), "--name= is an empty value");
	ok(parse("--state ~", true, &g) == 0 && text_is(g.common.state, ""), "an empty argument is a value");
	ok(parse("-t30 -m 512m --cpus 0.5 --pids=7", true, &g) == 0 && g.run.timeout == 30000 &&
	   g.run.memory == 512u << 20 && g.run.cpus == 500 && g.run.pids == 7, "duration, size, thousandths, number");
	ok(parse("-e A=1 --env B=2 -eC=3", true, &g) == 0 && g.run.env.n == 3 && text_is(g.run.env.item[0], "A=1") &&
	   text_is(g.run.env.item[1], "B=2") && text_is(g.run.env.item[2], "C=3"), "a list keeps its order");
	uint64_t now = bawn_wall_us();
	ok(parse("--since 1h", true, &g) == 0 && g.run.since >= now - 3600000000u && g.run.since <= now, "a time ago");
	ok(parse("--since 2026-01-02", true, &g) == 0 && g.run.since == 1767312000ull * 1000000, "a date");
	ok(parse("--lang bash", true, &g) == 0 && text_is(g.run.lang, "bash"), "one of the choices");
	ok(parse("-t 5 -t 6", true, &g) == 0 && g.run.timeout == 6000, "the last one given counts");
	ok(parse("", true, &g) == 0 && g.rest == 1 && g.words.n == 0, "nothing at all");
	ok(parse("-f", true, &g) == 0 && g.run.force, "an option that is only a letter");
	ok(parse("--state --json", true, &g) == 0 && text_is(g.common.state, "--json") && !g.common.json,
	   "an option that needs a value takes the next argument, whatever it looks like");
}

static void ends(void)
{
	struct got g;
	ok(parse("--json file --pids 3", true, &g) == 0 && g.rest == 2 && g.run.pids == 0 && g.words.n == 0,
	   "options end at the first word: the rest belongs to the program");
	ok(parse("a --json b", false, &g) == 0 && g.common.json && g.words.n == 2 && text_is(g.words.item[1], "b") &&
	   g.rest == g.argc, "or words are gathered wherever they stand");
	ok(parse("- --json", true, &g) == 0 && g.rest == 1 && !g.common.json, "a lone dash is a word");
	ok(parse("--json -- --state x", true, &g) == 0 && g.rest == 3 && g.common.state == NULL, "-- ends the options");
	ok(parse("-- --json -x", false, &g) == 0 && !g.common.json && g.words.n == 2 && text_is(g.words.item[0], "--json"),
	   "what follows -- are words");
	ok(parse("-c print(1) --json -t bad", true, &g) == 0 && text_is(g.run.code, "print(1)") && g.rest == 3 && !g.common.json,
	   "-c ends the options: what follows belongs to the code");
	ok(parse("-cprint(1) x", true, &g) == 0 && text_is(g.run.code, "print(1)") && g.rest == 2, "also without the space");
	ok(parse("-c --json", true, &g) == 0 && text_is(g.run.code, "--json") && g.rest == 3, "code may look like an option");
}

static void mistakes(void)
{
	static const struct { const char *line, *says, *field; } row[] = {
		{ "--jsn",               "did you mean '--json'", "" },
		{ "--satte x",           "did you mean '--state'", "" },
		{ "--timeuot=5",         "did you mean '--timeout'", "" },
		{ "--quite-different",   "unknown option '--quite-different'", "" },
		{ "--J",                 "unknown option", "" },
		{ "-z",                  "unknown option '-z'", "" },
		{ "-T5",                 "unknown option", "" },
		{ "--",                  NULL, NULL },
		{ "--=x",                "unknown option", "" },
		{ "---json",             "unknown option", "" },
		{ "--JSON",              "unknown option", "" },
		{ "--json=yes",          "takes no value", "json" },
		{ "-fx",                 "takes no value", "" },
		{ "--state",             "needs DIR", "state" },
		{ "-t",                  "needs DURATION", "timeout" },
		{ "-c",                  "needs CODE", "" },
		{ "--lang perl",         "none of python|bash|javascript", "lang" },
		{ "--lang pyth",         "none of", "lang" },
		{ "--lang ~",            "none of", "lang" },
		{ "--lang python|bash",  "none of", "lang" },
		{ "--lang |",            "none of", "lang" },
		{ "-t soon",             "option -t: 'soon' is not a duration", "" },
		{ "--memory=5x",         "option --memory: '5x' is not a size", "" },
		{ "--memory -5",         "'-5' is not a size", "" },
		{ "--pids 0",            "not a number from 1", "" },
		{ "--pids 4294967296",   "not a number from 1", "" },
		{ "--cpus two",          "not a number", "" },
		{ "--since tomorrow",    "neither a date", "" },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		struct got g;
		int r = parse(row[i].line, true, &g);
		if (row[i].says == NULL)
			ok(r == 0, "'%s' is fine", row[i].line);
		else
			ok(r < 0 && g.rest == -1 && strstr(g.err.msg, row[i].says) != NULL && strcmp(g.err.field, row[i].field) == 0,
			   "'%s': %s", row[i].line, row[i].says);
	}
}

static void too_many(void)
{
	static char *argv[BAWN_OPT_LIST_MAX + 3];
	struct got g = { 0 };
	void *const target[] = { &g.common, &g.run };
	for (int i = 0; i < BAWN_OPT_LIST_MAX + 2; i++)
		argv[i] = (char *)"-eA=1";
	int r = bawn_opt_parse(table, 2, BAWN_OPT_LIST_MAX + 1, argv, target, true, NULL, &g.rest, &g.err);
	ok(r == 0 && g.run.env.n == BAWN_OPT_LIST_MAX, "a full list");
	g = (struct got){ 0 };
	r = bawn_opt_parse(table, 2, BAWN_OPT_LIST_MAX + 2, argv, target, true, NULL, &g.rest, &g.err);
	ok(r < 0 && g.run.env.n == BAWN_OPT_LIST_MAX, "one value too many is refused");
	g = (struct got){ 0 };
	for (int i = 0; i < BAWN_OPT_LIST_MAX + 2; i++)
		argv[i] = (char *)"word";
	ok(bawn_opt_parse(table, 2, BAWN_OPT_LIST_MAX + 2, argv, target, false, &g.words, &g.rest, &g.err) < 0,
	   "one word too many is refused");
}

static const char *const near_word[] = { "memory", "timeout", "env", "trust", NULL };
static const char *nth(size_t i, const void *ctx) { (void)ctx; return near_word[i]; }

static void nearest(void)
{
	static const struct { const char *word, *want; } row[] = {
		{ "memory", "memory" }, { "memroy", "memory" }, { "memry", "memory" }, { "memoryy", "memory" },
		{ "tmieuot", "timeout" }, { "evn", "env" }, { "tust", "trust" }, { "x", NULL }, { "", NULL },
		{ "completely", NULL }, { "m", NULL }, { "e", NULL },
		{ "a-word-much-longer-than-any-name-there-could-possibly-be", NULL },
	};
	for (size_t i = 0; i < BAWN_LEN(row); i++) {
		const char *got = bawn_nearest(bawn_span(row[i].word), nth, NULL);
		ok(row[i].want == NULL ? got == NULL : text_is(got, row[i].want), "'%s' is near %s", row[i].word,
		   row[i].want != NULL ? row[i].want : "nothing");
	}
}

static void help(void)
{
	bawn_auto_buf b = BAWN_BUF(10000);
	for (size_t t = 0; t < BAWN_LEN(table); t++)
		bawn_opt_help(&b, &table[t]);
	bool all = bawn_buf_error(&b) == 0;
	for (size_t t = 0; t < BAWN_LEN(table); t++)
		for (size_t i = 0; i < table[t].n; i++)
			all &= strstr(b.p, table[t].row[i].help) != NULL &&
			       (table[t].row[i].name == NULL || strstr(b.p, table[t].row[i].name) != NULL);
	ok(all, "help has a line for every row");
	ok(strstr(b.p, "  -t, --timeout DURATION") != NULL && strstr(b.p, "      --json ") != NULL &&
	   strstr(b.p, "  -c CODE") != NULL && strstr(b.p, "python|bash|javascript") != NULL,
	   "with letter, name, argument and choices");
	bool narrow = true;
	for (char *at = b.p; (at = strchr(at, '\n')) != NULL && at[1] != '\0'; ) {
		at++;
		narrow &= strcspn(at, "\n") <= 100;
	}
	ok(narrow, "no line is wider than 100 columns");
}

int main(void)
{
	kinds();
	ends();
	mistakes();
	too_many();
	nearest();
	help();
	return done_testing();
}
