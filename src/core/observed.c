/* observed.c - what the interpreter told of a run: listed, beside what the assessor foresaw, and where the
 * walls stood in its way.
 *
 * It comes from inside the sandbox: evidence, bounded by its reader, believed by nobody.  What each thing
 * means is not decided by a second table here: it is written as a line of code and given to the assessor. */
#include <stdlib.h>
#include <string.h>
#include "base/cleanup.h"
#include "core/exec.h"

#define MAX_LINES   200   /* looked at by the assessor */
#define MAX_DENIALS 50    /* of each kind */

/* How a thing of this kind is written, what it is called when it is plain, and which capability foresees
 * all of its kind (BAWN_CAP_COUNT: none does). */
static const struct { const char *before, *after, *plain; enum bawn_capability foreseen; } as_code[BAWN_AREA_KIND_COUNT] = {
	[BAWN_AREA_READ]    = { "open(", ")\n", "x", BAWN_CAP_COUNT },
	[BAWN_AREA_WRITE]   = { "open(", ", 'w')\n", "x", BAWN_CAP_COUNT },
	[BAWN_AREA_CONNECT] = { "socket.create_connection((", ", 80))\n", "localhost", BAWN_CAP_NETWORK },
	[BAWN_AREA_EXEC]    = { "os.system(", ")\n", "true", BAWN_CAP_SUBPROCESS },
	[BAWN_AREA_IMPORT]  = { "import ", "\n", "os, socket", BAWN_CAP_COUNT },
};

static json_t *text_json(const struct bawn_observed_item *i)
{
	bawn_auto_buf b = BAWN_BUF(2 * BAWN_AREA_TEXT);
	bawn_buf_add(&b, i->text.p, i->text.n);
	if (i->cut)
		bawn_buf_str(&b, "…");
	return bawn_buf_error(&b) < 0 ? NULL : bawn_json_text(bawn_buf_span(&b));
}

static bool below(struct bawn_span path, const char *dir)
{
	return bawn_span_starts(path, dir);
}

/* "host:port", "[::1]:80" -> the host. */
static struct bawn_span host_of(struct bawn_span address)
{
	const char *colon = address.n > 0 ? memrchr(address.p, ':', address.n) : NULL;
	return colon != NULL ? (struct bawn_span){ address.p, (size_t)(colon - address.p) } : address;
}

static bool stays_inside(struct bawn_span address)
{
	static const char *const own[] = { "localhost", "bawn", "[::1]", "0.0.0.0", "[::]", "" };
	struct bawn_span host = host_of(address);
	bool inside = below(address, "unix:") || below(host, "127.");
	for (size_t i = 0; i < BAWN_LEN(own); i++)
		inside = inside || bawn_span_is(host, own[i]);
	return inside;
}

/* --- foreseen? --- */

static bool names(struct bawn_span text, struct bawn_span word)
{
	for (const char *at = text.p; word.n > 0 && text.n > 0 && (at = memmem(at, (size_t)(text.p + text.n - at), word.p, word.n)) != NULL; at++) {
		bool open = at > text.p && (at[-1] == '_' || (unsigned char)at[-1] >= 0x80 || ((at[-1] | 32) >= 'a' && (at[-1] | 32) <= 'z'));
		const char *end = at + word.n;
		bool more = end < text.p + text.n && (*end == '_' || (unsigned char)*end >= 0x80 || ((*end | 32) >= 'a' && (*end | 32) <= 'z') || (*end >= '0' && *end <= '9'));
		if (!open && !more)
			return true;
	}
	return false;
}

/* A module is foreseen where the code or an input names it. */
static bool named(const struct bawn_checked *c, struct bawn_span module)
{
	bool is = names(c->code.bytes, module);
	for (size_t i = 0; !is && i < c->n_inputs; i++)
		is = names(c->input[i].file.bytes, module) || names(bawn_span(c->input[i].name), module);
	return is;
}

/* Is there anything to ask?  Ordinary files of the run's own, and what the host gives everybody, are plain. */
static bool is_plain(const struct bawn_observed_item *i)
{
	switch (i->kind) {
	case BAWN_AREA_READ:
	case BAWN_AREA_WRITE:
		return (bawn_is_writable(i->text) && memmem(i->text.p, i->text.n, "/.", 2) == NULL) || below(i->text, "?/") || below(i->text, "/code/") ||
		       (i->kind == BAWN_AREA_READ && below(i->text, "/usr/"));
	case BAWN_AREA_CONNECT:
		return below(i->text, "unix:");
	case BAWN_AREA_EXEC:
		return false;
	case BAWN_AREA_IMPORT:
	case BAWN_AREA_KIND_COUNT:
		break;
	}
	return true;
}

static void put_line(struct bawn_buf *b, enum bawn_area_kind kind, struct bawn_span text)
{
	bawn_buf_str(b, as_code[kind].before);
	bawn_buf_char(b, '"');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c < ' ' || c >= 0x7f || c == '"' || c == '\\')
			bawn_buf_fmt(b, "\\x%02x", c);
		else
			bawn_buf_char(b, (char)c);
	}
	bawn_buf_char(b, '"');
	bawn_buf_str(b, as_code[kind].after);
}

static bool has_rule(const struct bawn_assessment *a, const char *rule, uint32_t first, uint32_t last)
{
	for (size_t i = 0; i < a->n_findings; i++)
		if (a->finding[i].line >= first && a->finding[i].line <= last && strcmp(a->finding[i].rule, rule) == 0)
			return true;
	return false;
}

/* The strongest rule on `line` that neither the plain lines nor the assessment of the code know; or NULL. */
static const struct bawn_finding *new_rule(const struct bawn_assessment *told, const struct bawn_assessment *read, uint32_t line)
{
	const struct bawn_finding *best = NULL;
	for (size_t i = 0; i < told->n_findings; i++) {
		const struct bawn_finding *f = &told->finding[i];
		if (f->line == line && (best == NULL || f->level > best->level) && !has_rule(told, f->rule, 1, BAWN_AREA_KIND_COUNT) &&
		    !has_rule(read, f->rule, 0, UINT32_MAX))
			best = f;
	}
	return best;
}

static void put_unpredicted(json_t *list, const struct bawn_observed_item *i, const struct bawn_finding *f, bool *ok)
{
	bawn_json_push(list, json_pack("{s:s, s:o, s:o, s:o}", "kind", bawn_word(&bawn_area_words, (int)i->kind), "what", text_json(i),
		"rule", bawn_json_text_or_null(f != NULL ? f->rule : NULL),
		"level", f != NULL ? json_string(bawn_word(&bawn_level_words, (int)f->level)) : json_null()), ok);
}

/* What nobody could know from the code: a capability it does not show, a rule none of its lines broke, a
 * module it does not name.  Where the assessor cannot say, nothing counts as foreseen. */
static json_t *unpredicted_json(const struct bawn_exec *e, const struct bawn_observed *o, bool *ok)
{
	json_t *list = json_array();
	bawn_auto_buf code = BAWN_BUF(1u << 20);
	size_t asked[MAX_LINES];
	uint32_t n = 0, first = 0;
	for (int k = BAWN_AREA_KIND_COUNT - 1; k >= 0; k--) {
		if (k == BAWN_AREA_IMPORT)
			bawn_buf_fmt(&code, "%s%s%s", as_code[k].before, as_code[k].plain, as_code[k].after);
		else
			put_line(&code, (enum bawn_area_kind)k, bawn_span(as_code[k].plain));
		first++;
	}
	for (size_t i = 0; i < o->n; i++) {
		if (o->item[i].kind == BAWN_AREA_IMPORT && !named(e->checked, o->item[i].text))
			put_unpredicted(list, &o->item[i], NULL, ok);
		if (is_plain(&o->item[i]) || n >= MAX_LINES)
			continue;
		bool address = o->item[i].kind == BAWN_AREA_CONNECT;
		put_line(&code, o->item[i].kind, address ? host_of(o->item[i].text) : o->item[i].text);
		asked[n++] = i;
	}
	struct bawn_assessment *told = NULL;
	struct bawn_assess_file file = { NULL, BAWN_LANG_PYTHON, bawn_buf_span(&code) };
	bool knows = n > 0 && bawn_buf_error(&code) == 0 && bawn_assess(&file, 1, e->policy->policy, &told, NULL) == 0;
	for (uint32_t l = 0; l < n; l++) {
		const struct bawn_observed_item *i = &o->item[asked[l]];
		enum bawn_capability all = as_code[i->kind].foreseen;
		const struct bawn_finding *f = knows ? new_rule(told, e->assessment, first + 1 + l) : NULL;
		bool shown = all == BAWN_CAP_COUNT || (e->assessment->capabilities >> all & 1u) != 0;
		if (f != NULL || !shown || !knows)
			put_unpredicted(list, i, f, ok);
	}
	bawn_assessment_free(told);
	return list;
}

/* --- walls --- */

/* By its name alone: what leads elsewhere through /proc is not judged. */
static bool is_refused(const struct bawn_exec *e, const struct bawn_observed_item *i)
{
	if (i->kind == BAWN_AREA_CONNECT)  /* also with a network: its proxy is on loopback, and nothing else leads anywhere */
		return (e->enforcement.layers & BAWN_LAYER_BIT(NETNS)) != 0 && !stays_inside(i->text);
	return i->kind == BAWN_AREA_WRITE && (e->enforcement.layers & BAWN_LAYER_BIT(RO_ROOT)) != 0 && below(i->text, "/") && !i->cut &&
	       !bawn_is_writable(i->text) && !below(i->text, "/proc/") && !below(i->text, "/dev/fd/") && !below(i->text, "/dev/std");
}

static int add_denials(struct bawn_exec *e, const struct bawn_observed *o)
{
	static const struct { enum bawn_area_kind kind; enum bawn_denial_kind denial; const char *hint; } row[] = {
		{ BAWN_AREA_WRITE, BAWN_DENIAL_PATH, BAWN_HINT_WRITE },
		{ BAWN_AREA_CONNECT, BAWN_DENIAL_NETWORK, BAWN_HINT_NETWORK },
	};
	int r = 0;
	for (size_t k = 0; k < BAWN_LEN(row); k++)
		for (size_t i = 0, n = 0; r == 0 && i < o->n && n < MAX_DENIALS; i++) {
			if (o->item[i].kind != row[k].kind || !is_refused(e, &o->item[i]))
				continue;
			struct bawn_denial d = { .kind = row[k].denial, .count = o->item[i].count, .by = BAWN_BY_HOOK };
			snprintf(d.what, sizeof d.what, "%.*s", (int)o->item[i].text.n, o->item[i].text.p);
			bool proxied = row[k].denial == BAWN_DENIAL_NETWORK && e->plan != NULL;
			snprintf(d.hint, sizeof d.hint, "%s", proxied ? "nothing leads out but the proxy that HTTPS_PROXY names; ask it" : row[k].hint);
			r = bawn_exec_denial(e, &d);
			n++;
		}
	return r;
}

int bawn_exec_observed(struct bawn_exec *e, const struct bawn_observed *o, struct bawn_err *err)
{
	if (o == NULL)
		return 0;
	bawn_auto_json doc = json_pack("{s:s}", "source", "hook");
	bool ok = doc != NULL;
	for (int k = 0; ok && k < BAWN_AREA_KIND_COUNT; k++)
		bawn_json_set(doc, bawn_word(&bawn_area_words, k), json_array(), &ok);
	for (size_t i = 0; ok && i < o->n; i++)
		bawn_json_push(json_object_get(doc, bawn_word(&bawn_area_words, (int)o->item[i].kind)), text_json(&o->item[i]), &ok);
	bawn_json_set(doc, "dropped", json_integer((json_int_t)o->dropped), &ok);
	bawn_json_set(doc, "unpredicted", unpredicted_json(e, o, &ok), &ok);
	if (!ok || add_denials(e, o) < 0)
		return bawn_fail(err, -ENOMEM, "note what was observed");
	e->observed = bawn_steal(doc);
	return 0;
}

int bawn_exec_observed_network(struct bawn_exec *e)
{
	bool ok = true;
	if (e->observed == NULL) {
		e->observed = json_pack("{s:s}", "source", "proxy");
		ok = e->observed != NULL;
		for (int k = 0; ok && k < BAWN_AREA_KIND_COUNT; k++)
			bawn_json_set(e->observed, bawn_word(&bawn_area_words, k), json_array(), &ok);
		bawn_json_set(e->observed, "dropped", json_integer(0), &ok);
		bawn_json_set(e->observed, "unpredicted", json_array(), &ok);
	}
	bawn_json_set(e->observed, "network", json_deep_copy(e->network), &ok);
	return ok ? 0 : -ENOMEM;
}
