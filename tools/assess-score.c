/* assess-score.c - how the assessor rates labelled code: see tools/assess-score.
 *
 * A row is {id, source, lang, label: risky|benign, category, expect, code}.  `expect` is the lowest level
 * a fair assessor gives; a risky row that expects LOW cannot be decided from its text and is counted
 * apart, as something to spare.  Code that cannot be assessed counts as HIGH, as it does in `bawn run`.
 * Nothing is ever run: rows are only parsed. */
#include <stdlib.h>
#include "assess/assess.h"
#include "base/cleanup.h"
#include "base/opt.h"

#define KINDS(X) X(RISKY, "risky") X(UNDECIDABLE, "undecidable") X(BENIGN, "benign")
#define KIND(n, t) KIND_##n,
enum kind { KINDS(KIND) KIND_COUNT };
#define KIND_NAME(n, t) t,
static const char *const kind_name[] = { KINDS(KIND_NAME) };

struct opts { bool misses, json; };
static const struct bawn_opt opt[] = {
	{ 'm', "misses", BAWN_OPT_FLAG, offsetof(struct opts, misses), NULL, NULL, "list each row below its level, or spared too little, with the rules found" },
	{ 0, "json", BAWN_OPT_FLAG, offsetof(struct opts, json), NULL, NULL, "one object a row instead of tables: id, expect, level, score, rules" },
};

struct row { const char *id, *source, *category; enum kind kind; int lang, expect, level; struct bawn_span code; };

/* One line of a table. */
struct tally { char *name; enum kind kind; size_t rows, at[BAWN_LEVEL_COUNT], reached; };
struct table { const char *title; struct tally *line; size_t n; };
enum { BY_LEVEL, BY_SOURCE, BY_CATEGORY, TABLES };

struct score {
	struct opts        o;
	struct bawn_policy *policy;
	struct table       table[TABLES];
	size_t             failed;
};

static struct tally *line_named(struct table *t, enum kind kind, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->line[i].kind == kind && strcmp(t->line[i].name, name) == 0)
			return &t->line[i];
	struct tally *grown = realloc(t->line, (t->n + 1) * sizeof *grown);
	char *kept = strdup(name);
	if (grown == NULL || kept == NULL)
		abort();
	t->line = grown;
	t->line[t->n] = (struct tally){ .name = kept, .kind = kind };
	return &t->line[t->n++];
}

static void count(struct score *s, const struct row *r)
{
	char source[256], category[512];
	snprintf(source, sizeof source, "%s, %s", r->source, bawn_word(&bawn_language_words, r->lang));
	snprintf(category, sizeof category, "%s / %s", r->source, r->category);
	const char *name[TABLES] = { bawn_word(&bawn_level_words, r->expect), source, category };
	for (int t = 0; t < TABLES; t++) {
		struct tally *line = line_named(&s->table[t], r->kind, name[t]);
		line->rows++;
		line->at[r->level]++;
		line->reached += r->level >= r->expect;
	}
}

static bool missed(const struct row *r)
{
	int most = r->kind == KIND_RISKY ? BAWN_LEVEL_COUNT : r->expect > BAWN_LEVEL_MEDIUM ? r->expect : BAWN_LEVEL_MEDIUM;
	return r->level < r->expect || r->level > most;
}

static void show_miss(const struct row *r, const struct bawn_assessment *a)
{
	printf("MISS %s [%s, %s / %s] expect %s got %s:", r->id, kind_name[r->kind], r->source, r->category,
	       bawn_word(&bawn_level_words, r->expect), bawn_word(&bawn_level_words, r->level));
	for (size_t i = 0; a != NULL && i < a->n_findings && i < 12; i++)
		printf(" %s@%u(%s)", a->finding[i].rule, a->finding[i].line, bawn_word(&bawn_level_words, (int)a->finding[i].level));
	puts(a == NULL ? " cannot be assessed" : a->n_findings == 0 ? " nothing found" : a->n_findings > 12 ? " ..." : "");
}

static void show_json(const struct row *r, const struct bawn_assessment *a)
{
	bool ok = true;
	bawn_auto_json o = json_object(), *rules = json_array();
	for (size_t i = 0; a != NULL && i < a->n_findings; i++)
		bawn_json_push(rules, json_string(a->finding[i].rule), &ok);
	bawn_json_set(o, "id", bawn_json_text(bawn_span(r->id)), &ok);
	bawn_json_set(o, "source", bawn_json_text(bawn_span(r->source)), &ok);
	bawn_json_set(o, "expect", json_string(bawn_word(&bawn_level_words, r->expect)), &ok);
	bawn_json_set(o, "level", json_string(bawn_word(&bawn_level_words, r->level)), &ok);
	bawn_json_set(o, "score", json_integer(a != NULL ? (json_int_t)a->score : 0), &ok);
	bawn_json_set(o, "miss", json_boolean(missed(r)), &ok);
	bawn_json_set(o, "rules", rules, &ok);
	if (!ok || json_dumpf(o, stdout, JSON_COMPACT) < 0)
		abort();
	putchar('\n');
}

static void assess_row(struct score *s, struct row *r)
{
	struct bawn_assess_file f = { .language = r->lang, .bytes = r->code };
	struct bawn_assessment *a = NULL;
	struct bawn_err err = { 0 };
	if (bawn_assess(&f, 1, s->policy, &a, &err) < 0)
		fprintf(stderr, "assess-score: %s: %s\n", r->id, err.msg);
	r->level = a != NULL ? (int)a->level : BAWN_LEVEL_HIGH;
	count(s, r);
	if (s->o.json)
		show_json(r, a);
	else if (s->o.misses && missed(r))
		show_miss(r, a);
	bawn_assessment_free(a);
}

/* The first thing wrong with a row, or NULL. */
static const char *read_row(const json_t *o, struct row *r)
{
	static const char *const key[] = { "id", "source", "lang", "label", "category", "expect", "code" };
	const char *text[BAWN_LEN(key)];
	for (size_t i = 0; i < BAWN_LEN(key); i++)
		if ((text[i] = json_string_value(json_object_get(o, key[i]))) == NULL)
			return key[i];
	*r = (struct row){ .id = text[0], .source = text[1], .category = text[4],
	                   .code = { text[6], json_string_length(json_object_get(o, "code")) } };
	r->lang = bawn_language_named(bawn_span(text[2]));
	if (r->lang < 0)
		return "lang";
	r->expect = bawn_word_find(&bawn_level_words, bawn_span(text[5]));
	if (r->expect < 0)
		return "expect";
	if (strcmp(text[3], "risky") != 0 && strcmp(text[3], "benign") != 0)
		return "label";
	r->kind = strcmp(text[3], "benign") == 0 ? KIND_BENIGN : r->expect == BAWN_LEVEL_LOW ? KIND_UNDECIDABLE : KIND_RISKY;
	return NULL;
}

static void score_file(struct score *s, const char *path)
{
	bawn_auto_file f = fopen(path, "re");
	bawn_auto_free char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	if (f == NULL) {
		fprintf(stderr, "assess-score: open '%s': %m\n", path);
		s->failed++;
		return;
	}
	for (unsigned number = 1; (n = getline(&line, &cap, f)) > 0; number++) {
		if (strspn(line, " \t\r\n") == (size_t)n)
			continue;
		json_error_t at;
		bawn_auto_json o = json_loadb(line, (size_t)n, JSON_ALLOW_NUL, &at);
		struct row r = { 0 };
		const char *wrong = o == NULL ? at.text : read_row(o, &r);
		if (wrong == NULL) {
			assess_row(s, &r);
			continue;
		}
		fprintf(stderr, "assess-score: %s:%u: %s%s\n", path, number, o == NULL ? "" : "bad or no ", wrong);
		s->failed++;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind : strcmp(x->name, y->name);
}

static void put_line(const char *kind, const char *name, const struct tally *t)
{
	printf("%-12s %-42s %6zu |", kind, name, t->rows);
	for (int level = 0; level < BAWN_LEVEL_COUNT; level++)
		printf(" %7zu", t->at[level]);
	size_t above = t->rows;
	printf(" | %7.2f", 100.0 * (double)t->reached / (double)t->rows);
	for (int level = 0; level + 1 < BAWN_LEVEL_COUNT; level++) {
		above -= t->at[level];
		printf(" %7.2f", 100.0 * (double)above / (double)t->rows);
	}
	putchar('\n');
}

static void put_table(const struct table *t)
{
	printf("\n%-55s %6s | %7s %7s %7s %7s | %7s %7s %7s %7s\n", t->title, "rows", "LOW", "MEDIUM", "HIGH", "BLOCKED",
	       ">=exp%", ">=MED%", ">=HIGH%", "BLOCK%");
	qsort(t->line, t->n, sizeof *t->line, by_name);
	for (size_t i = 0; i < t->n; i++)
		put_line(kind_name[t->line[i].kind], t->line[i].name, &t->line[i]);
}

/* Sums the lines of one kind. */
static struct tally total(const struct table *t, enum kind kind)
{
	struct tally sum = { .kind = kind };
	for (size_t i = 0; i < t->n; i++) {
		if (t->line[i].kind != kind)
			continue;
		sum.rows += t->line[i].rows;
		sum.reached += t->line[i].reached;
		for (int level = 0; level < BAWN_LEVEL_COUNT; level++)
			sum.at[level] += t->line[i].at[level];
	}
	return sum;
}

static void put_all(const struct score *s)
{
	for (int t = TABLES - 1; t >= 0; t--)
		if (s->table[t].n > 0)
			put_table(&s->table[t]);
	puts("");
	for (int kind = 0; kind < KIND_COUNT; kind++) {
		struct tally sum = total(&s->table[BY_LEVEL], (enum kind)kind);
		if (sum.rows > 0)
			put_line("all", kind_name[kind], &sum);
	}
}

static void score_done(struct score *s)
{
	for (int t = 0; t < TABLES; t++) {
		for (size_t i = 0; i < s->table[t].n; i++)
			free(s->table[t].line[i].name);
		free(s->table[t].line);
	}
	bawn_policy_free(s->policy);
}

int main(int argc, char **argv)
{
	__attribute__((cleanup(score_done))) struct score s = {
		.table = { [BY_LEVEL] = { .title = "by expected level" }, [BY_SOURCE] = { .title = "by source" }, [BY_CATEGORY] = { .title = "by category" } },
	};
	struct bawn_opts table = { opt, BAWN_LEN(opt) };
	struct bawn_opt_list word = { .n = 0 };
	struct bawn_policy_dirs shipped = { NULL, NULL, NULL };
	struct bawn_err err = { 0 };
	int rest;
	if (bawn_opt_parse(&table, 1, argc, argv, (void *[]){ &s.o }, false, &word, &rest, &err) < 0 || word.n == 0) {
		bawn_auto_buf help = BAWN_BUF(4096);
		bawn_opt_help(&help, &table);
		fprintf(stderr, "%s%susage: assess-score [--misses | --json] FILE.jsonl...\n%s", err.msg, err.code != 0 ? "\n" : "", help.p);
		return 2;
	}
	if (bawn_policy_load(&shipped, &s.policy, NULL, &err) < 0) {
		fprintf(stderr, "assess-score: %s\n", err.msg);
		return 125;
	}
	for (size_t i = 0; i < word.n; i++)
		score_file(&s, word.item[i]);
	if (!s.o.json)
		put_all(&s);
	return s.failed > 0 ? 1 : 0;
}
