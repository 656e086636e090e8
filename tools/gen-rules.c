/* gen-rules.c - rules/<language>/<family>.yaml as one const C table on standard output.  Run by the build.
 *
 *	gen-rules FILE... >rules_table.c */
#include <fcntl.h>
#include "assess/index.h"
#include "assess/rulefile.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/hash.h"

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
	puts("static const struct bawn_rule_key key[] = {");
	for (size_t k = 0; k < n; k++) {
		fputs("\t{ ", stdout);
		put_text(all[k].text);
		printf(", %u, %u, { %u, %u } },\n", all[k].rule, all[k].matcher, all[k].pair[0], all[k].pair[1]);
	}
	puts("};");
	return put_slots(all, n);
}

int main(int argc, char **argv)
{
	struct bawn_err err = { 0 };
	struct bawn_sha256 hash;
	uint8_t digest[BAWN_SHA256_LEN];
	char hex[BAWN_SHA256_HEX];
	bawn_auto_free struct bawn_rulefile *file = calloc((size_t)argc, sizeof *file);
	bawn_auto_buf problems = BAWN_BUF(1u << 20);
	bawn_sha256_init(&hash);
	if (file == NULL || gather(argc - 1, argv + 1, file, &hash, &problems, &err) < 0) {
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
	for (int i = 0; i < argc - 1; i++)
		for (size_t k = 0; k < file[i].n; k++)
			put_conds(id++, &file[i].rule[k]);
	puts("static const struct bawn_rule rule[] = {");
	id = 0;
	for (int i = 0; i < argc - 1; i++)
		for (size_t k = 0; k < file[i].n; k++)
			put_rule(id++, &file[i].rule[k]);
	puts("};");
	if (put_keys(argc - 1, file) < 0)
		return 1;
	put_examples(argc - 1, file);
	printf("const struct bawn_rule_table bawn_rules = { rule, sizeof rule / sizeof *rule, key, sizeof key / sizeof *key, \"%s\", "
	       "slot, sizeof slot / sizeof *slot, false };\n", hex);
	for (int i = 0; i < argc - 1; i++)
		bawn_rulefile_done(&file[i]);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
