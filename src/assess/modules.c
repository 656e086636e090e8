/* modules.c - a program in several files: what one binds, another may import by name.
 *
 * Files are read before those that mention them.  Of each the names of its outermost level are kept
 * (texts, what a name stands for, what a function gives back and where its data came from), so that
 * `from helper import run` is seen through.  What the files do together counts together: a secret read
 * in one and sent by another is still a secret sent.  An input that one of them runs is read as what it is
 * run as, whatever its name says; one that is only read is data. */
#include "assess/modules.h"
#include <fnmatch.h>
#include <stdlib.h>
#include "assess/script.h"
#include "base/cleanup.h"

#define MEMBERS_MAX  4096u
#define TEXT_KEPT    (64u << 10)
#define SORTED_MAX   64u

/* "./lib/helper.js", "lib/helper.py" and "lib.helper" are one name: "lib.helper". */
static size_t module_name(const char *path, char *out, size_t cap)
{
	static const char *const ending[] = { ".py", ".js", ".mjs", ".cjs", ".sh", ".bash", "/__init__", "/index" };
	size_t n = 0;
	while (path[0] == '.' || path[0] == '/')
		path++;
	size_t len = strlen(path);
	for (size_t i = 0; i < BAWN_LEN(ending); i++) {
		size_t m = strlen(ending[i]);
		if (len > m && memcmp(path + len - m, ending[i], m) == 0)
			len -= m;
	}
	for (; n < len && n + 1 < cap; n++)
		out[n] = path[n] == '/' ? '.' : path[n];
	out[n] = '\0';
	return n;
}

/* Is `name` the module, or its last part (a relative import)? */
static bool names_module(const struct module *m, const char *name, size_t n)
{
	size_t len = strlen(m->name);
	return n > 0 && len >= n && memcmp(m->name + len - n, name, n) == 0 && (len == n || m->name[len - n - 1] == '.');
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

static bool is_json(const char *path)
{
	size_t n = strlen(path);
	return n > 5 && strcmp(path + n - 5, ".json") == 0;
}

void bawn_modules_use(struct engine *e, const char *name)
{
	char plain[256];
	size_t n = e->n_modules > 0 ? module_name(name, plain, sizeof plain) : 0;
	for (size_t i = 0; n > 0 && i < e->n_modules; i++) {
		struct module *m = &e->module[i];
		if (i == e->file || !names_module(m, plain, n))
			continue;
		m->used = true;
		/* require() takes a file of any name but JSON for JavaScript. */
		if (m->language < 0 && m->base != NULL && e->tree->grammar == BAWN_GRAMMAR_JAVASCRIPT && !is_json(m->base))
			m->run |= 1u << BAWN_LANG_JAVASCRIPT;
	}
}

/* ---- inputs that are run ---- */

/* The last part of a path as a pattern: the shell's wildcards, and gaps in a text, stand for anything. */
static bool base_pattern(struct bawn_span path, char out[static 256])
{
	const char *slash = path.n > 0 ? memrchr(path.p, '/', path.n) : NULL;
	struct bawn_span base = slash != NULL ? (struct bawn_span){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : path;
	size_t n = 0;
	for (size_t i = 0; i < base.n && n < 255; n++) {
		bool gap = base.p[i] == '{' && i + 1 < base.n && base.p[i + 1] == '}';
		out[n] = gap ? '*' : base.p[i];
		i += gap ? 2 : 1;
	}
	out[n] = '\0';
	return n > 0 && n < 255;
}

/* Two files of one name are not told apart: each may be meant.  No path: any may. */
static bool named(struct engine *e, const struct module *m, struct bawn_span path)
{
	char pattern[256];
	e->spent++;
	if (m->base == NULL || m == &e->module[e->file])
		return false;
	if (path.p == NULL)
		return true;
	bool is = base_pattern(path, pattern) && fnmatch(pattern, m->base, 0) == 0;
	for (unsigned i = 0; i < m->n_copies && !is; i++)
		is = fnmatch(pattern, m->copy[i], 0) == 0;
	return is;
}

bool bawn_modules_open(struct engine *e, struct bawn_span path)
{
	bool any = false;
	for (size_t i = 0; i < e->n_modules; i++)
		if (named(e, &e->module[i], path))
			any = e->module[i].opened = true;
	return any;
}

void bawn_modules_copy(struct engine *e, struct bawn_span from, struct bawn_span to, uint32_t node)
{
	for (size_t i = 0; i < e->n_modules; i++) {
		struct module *m = &e->module[i];
		if (!named(e, m, from) || named(e, m, to))
			continue;
		const char *name = bawn_arena_text(e->arena, to);
		if (m->n_copies < BAWN_LEN(m->copy) && name != NULL)
			m->copy[m->n_copies++] = last_part(name);
		else
			(void)bawn_engine_event(e, "cut-short", node, NULL);
	}
}

/* What nobody here reads, or no reader would take for text, is said where it is run. */
static void run_as(struct engine *e, struct module *m, int language, uint32_t node)
{
	m->used = true;
	if (language < 0 || (m->text.n > 0 && memchr(m->text.p, '\0', m->text.n) != NULL))
		(void)bawn_engine_event(e, "unread-program", node, m->base);
	else
		m->run |= 1u << language;
}

void bawn_modules_run(struct engine *e, struct bawn_span path, int language, uint32_t node)
{
	for (size_t i = 0; i < e->n_modules; i++) {
		struct module *m = &e->module[i];
		if (named(e, m, path))
			run_as(e, m, language != BAWN_MODULE_ITSELF ? language : m->language >= 0 ? m->language : BAWN_LANG_BASH, node);
	}
}

void bawn_modules_run_any(struct engine *e, uint32_t node)
{
	for (size_t i = 0; i < e->n_modules; i++)
		if (i != e->file && e->module[i].base != NULL && e->module[i].language < 0) {
			(void)bawn_engine_event(e, "unread-program", node, e->module[i].base);
			return;
		}
}

void bawn_modules_feed(struct engine *e, int language, uint32_t node)
{
	bool data = false;
	for (size_t i = 0; i < e->n_modules; i++) {
		struct module *m = &e->module[i];
		if (!m->opened || i == e->file)
			continue;
		data = data || m->language < 0;
		run_as(e, m, language, node);
	}
	if (data)
		(void)bawn_engine_event(e, "unread-program", node, NULL);
}

size_t bawn_modules_next(struct engine *e, int *language)
{
	for (size_t i = 1; i < e->n_modules; i++) {
		struct module *m = &e->module[i];
		unsigned left = m->base != NULL ? m->run & ~m->read : 0;
		if (left == 0)
			continue;
		*language = __builtin_ctz(left);
		m->read |= 1u << *language;
		return i;
	}
	return 0;
}

struct value *bawn_module_member(struct script *s, const char *module, const char *name)
{
	struct engine *e = s->e;
	char plain[256], key[256];
	size_t n = e->n_modules > 0 ? module_name(module, plain, sizeof plain) : 0;
	for (size_t cut = n; cut > 0; cut--) {  /* lib.helper.Class: the module may be followed by a class */
		if (plain[cut] != '\0' && plain[cut] != '.')
			continue;
		int len = snprintf(key, sizeof key, "%s%s%s", cut < n ? plain + cut + 1 : "", cut < n ? "." : "", name);
		for (size_t i = 0; len > 0 && (size_t)len < sizeof key && i < e->n_modules; i++) {
			if (i == e->file || !names_module(&e->module[i], plain, cut))
				continue;
			e->module[i].used = true;
			for (size_t k = 0; k < e->module[i].n; k++)
				if (strcmp(e->module[i].member[k].name, key) == 0)
					return e->module[i].member[k].value;
		}
	}
	return NULL;
}

/* A copy that outlives the file: no nodes, no lists. */
static struct value *kept(struct engine *e, const struct value *v)
{
	struct value *copy = bawn_arena_new(e->arena, struct value);
	if (copy == NULL || v == NULL)
		return copy;
	copy->name = v->name != NULL ? bawn_arena_text(e->arena, bawn_span(v->name)) : NULL;
	copy->taint = v->taint;
	copy->imported = v->imported;
	copy->has_number = v->has_number, copy->number = v->number;
	copy->is_path = v->is_path, copy->partial = v->partial;
	if (bawn_value_is_text(v) && v->text.n <= TEXT_KEPT) {
		const char *text = bawn_arena_text(e->arena, v->text);
		copy->text = text != NULL ? (struct bawn_span){ text, v->text.n } : copy->text;
	}
	return copy;
}

static bool worth_keeping(const struct binding *b)
{
	return b->name != NULL && b->scope == 0 && b->value != NULL &&
	       (b->value->function != 0 || b->value->taint != 0 || b->value->text.p != NULL || b->value->has_number ||
	        (b->value->name != NULL && strcmp(b->value->name, b->name) != 0));
}

void bawn_module_export(struct script *s)
{
	struct engine *e = s->e;
	struct module *m = e->n_modules > 1 && e->depth == 0 && !e->quiet ? &e->module[e->file] : NULL;
	size_t n = 0;
	for (size_t i = 0; m != NULL && i < s->cap_bind; i++)
		n += worth_keeping(&s->bind[i]);
	n = n < MEMBERS_MAX ? n : MEMBERS_MAX;
	struct member *member = n > 0 ? bawn_arena_array(e->arena, struct member, n) : NULL;
	if (member == NULL)
		return;
	m->member = member;
	m->n = 0;
	for (size_t i = 0; i < s->cap_bind && m->n < n; i++) {
		const struct binding *b = &s->bind[i];
		if (!worth_keeping(b))
			continue;
		struct value *v = kept(e, b->value);
		const char *name = bawn_arena_text(e->arena, bawn_span(b->name));
		if (v == NULL || name == NULL)
			return;
		if (b->value->function != 0) {
			v->name = name;
			v->result = kept(e, bawn_scope_get(s, b->value->function, "()", 2));
		}
		m->member[m->n++] = (struct member){ name, v };
	}
}

/* ---- all the files ---- */

int bawn_modules_begin(struct engine *e, const struct bawn_assess_file *file, const int *language, size_t n, struct bawn_err *err)
{
	e->module = n > 1 ? bawn_arena_array(e->arena, struct module, n) : NULL;
	if (n > 1 && e->module == NULL)
		return bawn_fail(err, -ENOMEM, "assess %zu files", n);
	e->n_modules = n > 1 ? n : 0;
	for (size_t i = 0; i < e->n_modules; i++) {
		char name[256] = "";
		if (file[i].path != NULL)
			(void)module_name(file[i].path, name, sizeof name);
		struct module *m = &e->module[i];
		*m = (struct module){ .name = bawn_arena_text(e->arena, bawn_span(name)), .text = file[i].bytes, .language = language[i], .read = language[i] >= 0 ? 1u << language[i] : 0,
		                      .base = i > 0 && file[i].path != NULL && language[i] != BAWN_MODULE_NATIVE ? last_part(file[i].path) : NULL };
		if (m->name == NULL)
			return bawn_fail(err, -ENOMEM, "assess %zu files", n);
	}
	return 0;
}

static bool in_word(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

static bool mentions(const struct bawn_assess_file *f, const struct module *m)
{
	const char *dot = strrchr(m->name, '.'), *end = f->bytes.p + f->bytes.n;
	const char *last = dot != NULL ? dot + 1 : m->name;
	size_t n = strlen(last);
	for (const char *at = f->bytes.p; n > 0 && (at = memmem(at, (size_t)(end - at), last, n)) != NULL; at++)
		if ((at == f->bytes.p || !in_word(at[-1])) && (at + n == end || !in_word(at[n])))
			return true;
	return false;
}

void bawn_modules_order(const struct engine *e, const struct bawn_assess_file *file, size_t n, uint32_t *order)
{
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)((i + 1) % n);  /* the code itself is read last */
	if (n < 3 || n > SORTED_MAX)
		return;
	/* Each file goes before the first of those that mention it and that it does not mention itself. */
	for (size_t i = 1; i + 1 < n; i++)
		for (size_t k = 0; k < i; k++) {
			uint32_t moved = order[i];
			if (!mentions(&file[order[k]], &e->module[moved]) || mentions(&file[moved], &e->module[order[k]]))
				continue;
			memmove(&order[k + 1], &order[k], (i - k) * sizeof *order);
			order[k] = moved;
			break;
		}
}

void bawn_modules_note(struct engine *e)
{
	if (e->n_modules == 0)
		return;
	struct module *m = &e->module[e->file];
	for (int t = 0; t < BAWN_TAG_COUNT; t++)
		if ((e->tags & ~m->tags) >> t & 1)
			m->tag_at[t] = e->tag_at[t];
	m->tags |= e->tags;  /* it may be read in more than one language */
}

void bawn_modules_combine(struct engine *e)
{
	size_t together = 0;
	uint64_t tags = 0;
	for (size_t i = 0; i < e->n_modules; i++) {
		struct module *m = &e->module[i];
		if (i > 0 && !m->used)
			continue;
		together++;
		for (int t = 0; t < BAWN_TAG_COUNT; t++)
			if ((m->tags & ~tags) >> t & 1) {
				e->tag_at[t] = m->tag_at[t];
				e->tag_file[t] = (uint32_t)i;
			}
		tags |= m->tags;
	}
	if (together < 2)
		return;
	e->tags = tags;
	e->across = true;
	bawn_engine_combine(e);
	e->across = false;
}
