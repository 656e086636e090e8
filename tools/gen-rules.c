/* gen-rules.c - rules/<language>/<family>.yaml as one const C table on standard output.  Run by the build.
 *
 *	gen-rules IDS FILE... >rules_table.c
 *
 * What shipped rules promise beyond being readable is checked here, for all of them at once: see the
 * checks below. */
#include <fcntl.h>
#include "assess/index.h"
#include "assess/rulefile.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"

/* ---- checks ---- */

/* Every id a rule ever had: a line each, in order, `ID` or `ID retired`. */
struct known { struct bawn_span id; bool retired, used; };
struct ids { struct known *known; size_t n; };

struct check {
	const char            *name;      /* the file being looked at */
	struct ids             ids;
	struct bawn_buf       *problems;
};

static bool wrong(struct check *c, const char *id, const char *what)
{
	bawn_buf_fmt(c->problems, "%s: %s: %s\n", c->name, id, what);
	return false;
}

static int compare_spans(struct bawn_span a, struct bawn_span b)
{
	int c = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
	return c != 0 ? c : (a.n > b.n) - (a.n < b.n);
}

/* `known` has room for a line per byte. */
static bool read_ids(struct check *c, struct bawn_span text)
{
	static const char retired[] = " retired";
	bool good = true;
	while (text.n > 0) {
		const char *end = memchr(text.p, '\n', text.n);
		struct bawn_span line = { text.p, end != NULL ? (size_t)(end - text.p) : text.n };
		size_t step = line.n + (end != NULL), cut = sizeof retired - 1;
		text = (struct bawn_span){ text.p + step, text.n - step };
		if (line.n == 0 || line.p[0] == '#')
			continue;
		bool gone = line.n > cut && memcmp(line.p + line.n - cut, retired, cut) == 0;
		struct known *k = &c->ids.known[c->ids.n++];
		*k = (struct known){ { line.p, line.n - (gone ? cut : 0) }, gone, false };
		if (c->ids.n > 1 && compare_spans(k[-1].id, k->id) >= 0) {
			bawn_buf_fmt(c->problems, "%s: %.*s: not in order, or there already\n", c->name, (int)k->id.n, k->id.p);
			good = false;
		}
	}
	return good;
}

static bool check_id(struct check *c, const char *id)
{
	for (size_t i = 0; i < c->ids.n; i++)
		if (bawn_span_is(c->ids.known[i].id, id)) {
			c->ids.known[i].used = true;
			return !c->ids.known[i].retired || wrong(c, id, "a rule that is gone had this id; take another");
		}
	return wrong(c, id, "a new id; add it to rules/ids");
}

/* No id vanishes: its rule is there, or the line says that it is gone. */
static bool check_all_used(struct check *c)
{
	bool good = true;
	for (size_t i = 0; i < c->ids.n; i++)
		if (!c->ids.known[i].used && !c->ids.known[i].retired) {
			struct bawn_span id = c->ids.known[i].id;
			bawn_buf_fmt(c->problems, "%s: %.*s: there is no such rule; mark it retired\n", c->name, (int)id.n, id.p);
			good = false;
		}
	return good;
}

/* A rule for Python stands in rules/python; those of the policy hold for any language. */
static bool check_place(struct check *c, const char *id)
{
	struct bawn_span path = bawn_span(c->name), lang = { id, strcspn(id, "/") };
	const char *file = strrchr(c->name, '/');
	if (bawn_span_is(lang, "policy"))
		lang = bawn_span("any");
	size_t n = file != NULL ? (size_t)(file - path.p) : 0;
	if (n > lang.n && memcmp(file - lang.n, lang.p, lang.n) == 0 && file[-(ptrdiff_t)lang.n - 1] == '/')
		return true;
	return wrong(c, id, "stands in the directory of another language");
}

static bool check_family(struct check *c, const struct bawn_rule *r)
{
#define NAME(n, t) n,
	static const char *const family[] = { BAWN_FAMILIES(NAME) };
	for (size_t i = 0; i < BAWN_LEN(family); i++)
		if (strcmp(family[i], r->family) == 0)
			return true;
	return wrong(c, r->id, "its file is called like no family (BAWN_FAMILIES)");
}

/* Examples of both kinds, or the test that stands in for them. */
static bool check_examples(struct check *c, const struct bawn_rulefile *f, size_t rule)
{
	bool has[2] = { false, false };
	for (size_t i = 0; i < f->n_examples; i++)
		if (f->example[i].rule == rule)
			has[f->example[i].match] = true;
	bool tested = f->tested[rule] != NULL;
	return tested ? !(has[0] || has[1]) || wrong(c, f->rule[rule].id, "tested stands in for examples; there are some")
	              : (has[0] && has[1]) || wrong(c, f->rule[rule].id, "needs an example that matches and one that does not, or tested");
}

/* Keys are sorted, so the same one twice stands side by side. */
static bool check_keys(struct check *c, const struct bawn_rulefile *f)
{
	bool good = true;
	for (size_t i = 1; i < f->n_keys; i++)
		if (bawn_rule_key_compare(&f->key[i - 1], &f->key[i]) == 0) {
			bawn_buf_fmt(c->problems, "%s: %s: looks for %s twice\n", c->name, f->rule[f->key[i].rule].id, f->key[i].text);
			good = false;
		}
	return good;
}

static bool check_file(struct check *c, const struct bawn_rulefile *f)
{
	bool good = check_keys(c, f);
	for (size_t i = 0; i < f->n; i++) {
		good &= check_id(c, f->rule[i].id);
		good &= check_place(c, f->rule[i].id);
		good &= check_family(c, &f->rule[i]);
		good &= check_examples(c, f, i);
	}
	return good;
}

static int check_all(const char *ids, int n_files, char **name, const struct bawn_rulefile *file, struct bawn_buf *problems, struct bawn_err *err)
{
	bawn_auto_buf text = BAWN_BUF(1u << 20);
	int r = bawn_read_file(AT_FDCWD, ids, &text, err);
	if (r < 0)
		return r;
	bawn_auto_free struct known *known = calloc(text.n + 1, sizeof *known);
	if (known == NULL)
		return bawn_fail(err, -ENOMEM, "check the rules");
	struct check c = { .name = ids, .ids = { .known = known }, .problems = problems };
	bool good = read_ids(&c, bawn_buf_span(&text));
	for (int i = 0; i < n_files; i++) {
		c.name = name[i];
		good &= check_file(&c, &file[i]);
	}
	c.name = ids;
	good &= check_all_used(&c);
	return good ? 0 : -EINVAL;
}

/* ---- the table ---- */

static void put_text(const char *s)
{
	if (s == NULL) {
		fputs("NULL", stdout);
		return;
	}
	putchar('"');
	for (; *s != '\0'; s++)
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if (*s < ' ' || *s > '~' || *s == '?')
			printf("\\%03o", (unsigned char)*s);
		else
			putchar(*s);
	putchar('"');
}

static void put_conds(size_t id, const struct bawn_rule *r)
{
	for (uint32_t i = 0; i < r->n_conds; i++) {
		if (r->cond[i].n == 0)
			continue;
		printf("static const char *const t%zu_%u[] = { ", id, i);
		for (uint32_t t = 0; t < r->cond[i].n; t++) {
			put_text(r->cond[i].text[t]);
			fputs(", ", stdout);
		}
		puts("};");
	}
	if (r->n_conds == 0)
		return;
	printf("static const struct bawn_cond c%zu[] = {\n", id);
	for (uint32_t i = 0; i < r->n_conds; i++) {
		const struct bawn_cond *c = &r->cond[i];
		printf("\t{ %u, %d, ", c->what, c->index);
		put_text(c->name);
		if (c->n > 0)
			printf(", t%zu_%u, %u", id, i, c->n);
		else
			fputs(", NULL, 0", stdout);
		printf(", UINT64_C(%llu) },\n", (unsigned long long)c->mask);
	}
	puts("};");
}

static void put_rule(size_t id, const struct bawn_rule *r)
{
	fputs("\t{ ", stdout);
	const char *text[] = { r->id, r->family, r->message, r->why, r->fix };
	for (size_t i = 0; i < BAWN_LEN(text); i++) {
		put_text(text[i]);
		fputs(", ", stdout);
	}
	if (r->n_conds > 0)
		printf("c%zu", id);
	else
		fputs("NULL", stdout);
	printf(", UINT64_C(%llu), UINT64_C(%llu), %u, %u, %d, %d, %d, %u, %u },\n", (unsigned long long)r->tags,
	       (unsigned long long)r->all, r->n_conds, r->score, r->cwe, r->language, r->capability, r->level, r->matcher);
}

/* All files as one table; ids must differ between files too. */
static int gather(int n_files, char **name, struct bawn_rulefile *file, struct bawn_sha256 *hash, struct bawn_buf *problems, struct bawn_err *err)
{
	int failed = 0;
	for (int i = 0; i < n_files; i++) {
		bawn_auto_buf text = BAWN_BUF(1u << 20);
		int r = bawn_read_file(AT_FDCWD, name[i], &text, err);
		if (r == 0)
			r = bawn_rulefile_read(name[i], bawn_buf_span(&text), &file[i], problems, err);
		if (r < 0) {
			failed = r;
			continue;
		}
		bawn_sha256_add(hash, text.p, text.n);
		for (int k = 0; k < i; k++)
			for (size_t a = 0; a < file[k].n; a++)
				for (size_t b = 0; b < file[i].n; b++)
					if (strcmp(file[k].rule[a].id, file[i].rule[b].id) == 0)
						return bawn_fail(err, -EEXIST, "%s: the id %s is used twice", name[i], file[i].rule[b].id);
	}
	return failed;
}

static void put_examples(int n_files, const struct bawn_rulefile *file)
{
	size_t first = 0, offset = 0;
	puts("const char bawn_rule_example_text[] =");
	for (int i = 0; i < n_files; i++)
		for (size_t k = 0; k < file[i].n_examples; k++) {
			fputs("\t", stdout);
			put_text(file[i].example[k].text);
			puts(" \"\\0\"");
		}
	puts("\t;\nconst struct bawn_rule_example bawn_rule_examples[] = {");
	for (int i = 0; i < n_files; i++) {
		for (size_t k = 0; k < file[i].n_examples; k++) {
			printf("\t{ %zu, %zu, %d },\n", offset, file[i].example[k].rule + first, file[i].example[k].match);
			offset += strlen(file[i].example[k].text) + 1;
		}
		first += file[i].n;
	}
	puts("};\nconst size_t bawn_rule_examples_n = sizeof bawn_rule_examples / sizeof *bawn_rule_examples;");
}

static int put_slots(const struct bawn_rule_key *key, size_t n_keys)
{
	size_t n = bawn_rule_slots(n_keys);
	bawn_auto_free uint16_t *slot = calloc(n, sizeof *slot);
	if (slot == NULL)
		return -ENOMEM;
	bawn_rule_slots_fill(key, n_keys, slot, n);
	puts("static const uint16_t slot[] = {");
	for (size_t i = 0; i < n; i++)
		printf("%u,%s", slot[i], i % 32 == 31 ? "\n" : " ");
	puts("};");
	return 0;
}

static int put_keys(int n_files, const struct bawn_rulefile *file)
{
	size_t n = 0, first = 0;
	for (int i = 0; i < n_files; i++)
		n += file[i].n_keys;
	bawn_auto_free struct bawn_rule_key *all = calloc(n + 1, sizeof *all);
	if (all == NULL)
		return -ENOMEM;
	n = 0;
	for (int i = 0; i < n_files; i++) {
		for (size_t k = 0; k < file[i].n_keys; k++) {
			all[n] = file[i].key[k];
			all[n].rule = (uint16_t)(all[n].rule + first);
			n++;
		}
		first += file[i].n;
	}
	qsort(all, n, sizeof *all, bawn_rule_key_compare);
	bawn_auto_free struct bawn_table_key *key = calloc(n + 1, sizeof *key);
	bawn_auto_buf text = BAWN_BUF(1u << 24);
	if (key == NULL)
		return -ENOMEM;
	bawn_rule_keys_pack(all, n, key, &text);
	if (bawn_buf_error(&text) < 0)
		return bawn_buf_error(&text);
	puts("static const char key_text[] =");
	for (size_t at = 0; at < text.n; at += strlen(text.p + at) + 1) {
		putchar('\t');
		put_text(text.p + at);
		puts(" \"\\0\"");
	}
	puts("\t;\nstatic const struct bawn_table_key key[] = {");
	for (size_t k = 0; k < n; k++)
		printf("\t{ %u, %u, { %u, %u }, %u },\n", key[k].text, key[k].rule, key[k].pair[0], key[k].pair[1], key[k].matcher);
	puts("};");
	return put_slots(all, n);
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fputs("usage: gen-rules IDS FILE...\n", stderr);
		return 2;
	}
	int n_files = argc - 2;
	char **name = argv + 2;
	struct bawn_err err = { 0 };
	struct bawn_sha256 hash;
	uint8_t digest[BAWN_SHA256_LEN];
	char hex[BAWN_SHA256_HEX];
	bawn_auto_free struct bawn_rulefile *file = calloc((size_t)n_files, sizeof *file);
	bawn_auto_buf problems = BAWN_BUF(1u << 20);
	bawn_sha256_init(&hash);
	if (file == NULL || gather(n_files, name, file, &hash, &problems, &err) < 0 ||
	    check_all(argv[1], n_files, name, file, &problems, &err) < 0) {
		if (problems.n > 0)
			fputs(problems.p, stderr);
		else
			fprintf(stderr, "gen-rules: %s\n", err.msg);
		return 1;
	}
	bawn_sha256_end(&hash, digest);
	bawn_hex(digest, 8, hex);
	puts("/* Generated from rules/ by tools/gen-rules.c. */\n#include \"assess/rule.h\"\n");
	size_t id = 0;
	for (int i = 0; i < n_files; i++)
		for (size_t k = 0; k < file[i].n; k++)
			put_conds(id++, &file[i].rule[k]);
	puts("static const struct bawn_rule rule[] = {");
	id = 0;
	for (int i = 0; i < n_files; i++)
		for (size_t k = 0; k < file[i].n; k++)
			put_rule(id++, &file[i].rule[k]);
	puts("};");
	if (put_keys(n_files, file) < 0)
		return 1;
	put_examples(n_files, file);
	printf("const struct bawn_rule_table bawn_rules = { rule, sizeof rule / sizeof *rule, key, sizeof key / sizeof *key, key_text, \"%s\", "
	       "slot, sizeof slot / sizeof *slot, false };\n", hex);
	for (int i = 0; i < n_files; i++)
		bawn_rulefile_done(&file[i]);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
