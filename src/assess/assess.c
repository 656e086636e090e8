/* assess.c - the whole of one assessment: each file through its reader, findings put in order.
 *
 * Invariants: (1) the result depends on the bytes, the rules and the policy alone; (2) a file that
 * cannot be read to its end is an error, not a lower level; (3) text that does not parse, or that
 * hides characters, never lowers a level. */
#include "assess/assess.h"
#include <stdlib.h>
#include "assess/complexity.h"
#include "assess/engine.h"
#include "assess/modules.h"
#include "assess/table.h"
#include "assess/text.h"
#include "base/cleanup.h"
#include "base/clock.h"

_Static_assert((int)BAWN_LANG_PYTHON == (int)BAWN_GRAMMAR_PYTHON && (int)BAWN_LANG_BASH == (int)BAWN_GRAMMAR_BASH &&
               (int)BAWN_LANG_JAVASCRIPT == (int)BAWN_GRAMMAR_JAVASCRIPT, "one grammar per language");

#define RESULT_BYTES (8u << 20)

/* ---- one file ---- */

/* A finding that belongs to the file as a whole. */
static void file_event(struct engine *e, const char *event, const char *folded)
{
	static const struct bawn_node root = { 0 };
	struct bawn_tree nothing = { .node = (struct bawn_node *)(uintptr_t)&root, .n = 1 };
	const struct bawn_tree *before = e->tree;
	e->tree = &nothing;
	(void)bawn_engine_event(e, event, 0, folded);
	e->tree = before;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = text != NULL ? strlen(text) : 0, m = strlen(end);
	return n >= m && strcmp(text + n - m, end) == 0;
}

static bool is_native(const struct bawn_assess_file *f)
{
	static const char *const ending[] = { ".so", ".pyc", ".pyo", ".node", ".pyd", ".dll", ".exe", ".dylib", ".o", ".a", ".ko", ".wasm" };
	static const struct { const char *bytes; size_t n; } magic[] = {
		{ "\177ELF", 4 }, { "\xfe\xed\xfa\xce", 4 }, { "\xfe\xed\xfa\xcf", 4 }, { "\xcf\xfa\xed\xfe", 4 }, { "\xca\xfe\xba\xbe", 4 },
		{ "\0asm", 4 }, { "!<arch>\n", 8 }, { "MZ\x90\0", 4 },
	};
	for (size_t i = 0; i < BAWN_LEN(ending); i++)
		if (ends_with(f->path, ending[i]))
			return true;
	if (f->path != NULL && strstr(f->path, ".so.") != NULL)
		return true;
	for (size_t i = 0; i < BAWN_LEN(magic); i++)
		if (f->bytes.n >= magic[i].n && memcmp(f->bytes.p, magic[i].bytes, magic[i].n) == 0)
			return true;
	/* CPython bytecode: a version, then \r\n. */
	return f->bytes.n >= 16 && f->bytes.p[2] == '\r' && f->bytes.p[3] == '\n' && (unsigned char)f->bytes.p[1] < 0x10 && f->bytes.p[1] != '\n' && f->bytes.p[1] > 8;
}

static uint32_t node_at(const struct bawn_tree *t, size_t byte)
{
	uint32_t best = 0;
	for (uint32_t i = 0; i < t->n && t->node[i].start <= byte; i++)
		if (t->node[i].end > byte)
			best = i;
	return best;
}

static bool holds_word(struct bawn_span t, const char *word)
{
	return memmem(t.p, t.n, word, strlen(word)) != NULL;
}

/* Comments that ask a checker to look away are not obeyed; they are worth knowing about. */
static void comments(struct engine *e)
{
	static const char *const silence[] = { "nosec", "noqa: S", "noqa:S", "eslint-disable", "nosemgrep", "shellcheck disable", "NOSONAR" };
	for (uint32_t i = 0; i < e->tree->n; i++) {
		if (e->tree->node[i].kind != BAWN_K_COMMENT)
			continue;
		for (size_t k = 0; k < BAWN_LEN(silence); k++)
			if (holds_word(bawn_node_text(e->tree, i), silence[k])) {
				(void)bawn_engine_event(e, "suppression", i, NULL);
				break;
			}
	}
}

/* Python reads the encoding of a file from its first two lines; anything but UTF-8 means that the
 * bytes assessed are not the text that runs. */
static void coding_cookie(struct engine *e, struct bawn_span text)
{
	size_t end = 0;
	for (int lines = 0; end < text.n && lines < 2; end++)
		lines += text.p[end] == '\n';
	const char *at = memmem(text.p, end, "coding", 6);
	if (at == NULL || text.n == 0)
		return;
	size_t i = (size_t)(at - text.p) + 6;
	if (i >= end || (text.p[i] != ':' && text.p[i] != '='))
		return;
	i++;
	while (i < end && (text.p[i] == ' ' || text.p[i] == '\t'))
		i++;
	size_t start = i;
	while (i < end && (text.p[i] == '-' || text.p[i] == '_' || (text.p[i] >= '0' && text.p[i] <= '9') || ((text.p[i] | 0x20) >= 'a' && (text.p[i] | 0x20) <= 'z')))
		i++;
	static const char *const fine[] = { "utf-8", "utf8", "UTF-8", "UTF8", "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "iso-8859-15", "utf_8", "cp1252" };
	struct bawn_span name = { text.p + start, i - start };
	for (size_t k = 0; k < BAWN_LEN(fine); k++)
		if (bawn_span_is(name, fine[k]))
			return;
	if (name.n > 0)
		(void)bawn_engine_event(e, "coding-cookie", 0, bawn_arena_text(&e->scratch, name));
}

static int read_file(struct engine *e, int language, struct bawn_span text)
{
	struct bawn_tree tree = { 0 };
	if (bawn_engine_open(e, language, text, &tree) < 0)
		return e->error;
	e->tags = 0;
	e->work += bawn_complexity_work(&tree);
	if (tree.errors) {
		(void)bawn_engine_event(e, "syntax-error", tree.error_node, NULL);
		e->parse_ok = e->parse_ok && e->file != 0;
	}
	size_t hidden = bawn_text_hidden(text);
	if (hidden < text.n)
		(void)bawn_engine_event(e, "hidden-characters", node_at(&tree, hidden), NULL);
	if (language == BAWN_LANG_PYTHON)
		coding_cookie(e, text);
	comments(e);
	bawn_engine_read(e);
	bawn_read_broken(e);
	bawn_engine_combine(e);
	bawn_modules_note(e);
	bawn_arena_done(&e->scratch);
	bawn_engine_close(e, &tree);
	return e->error;
}

static int one_file(struct engine *e, const struct bawn_assess_file *f, uint32_t at, struct bawn_err *err)
{
	e->file = at;
	int language = f->language >= 0 ? f->language : bawn_language_guess(f->path, f->bytes);
	if (at > 0 && is_native(f)) {
		file_event(e, "native-input", f->path);
		return 0;
	}
	if (language < 0 && at == 0)
		return bawn_fail_as(err, BAWN_ERROR_UNKNOWN_LANGUAGE, "language", "find out the language of the code");
	if (language < 0 || language >= BAWN_LANG_COUNT)
		return 0;
	if (at == 0)
		e->complexity.lines = bawn_count_lines(f->bytes);
	return read_file(e, language, f->bytes);
}

static int each_file(struct engine *e, const struct bawn_assess_file *file, size_t n, struct bawn_err *err)
{
	uint32_t *order = bawn_arena_array(e->arena, uint32_t, n);
	int r = order != NULL ? bawn_modules_begin(e, file, n, err) : bawn_fail(err, -ENOMEM, "assess %zu files", n);
	if (r == 0)
		bawn_modules_order(e, file, n, order);
	for (size_t i = 0; i < n && r == 0; i++)
		r = one_file(e, &file[order[i]], order[i], err);
	if (r == 0 && e->error == 0)
		bawn_modules_combine(e);
	return r < 0 ? r : e->error;
}

/* ---- the result ---- */

/* Found on a line that was read a second time, and there more exactly the first time? */
static bool told_before(const struct engine *e, size_t i)
{
	const struct raw_finding *f = &e->found[i];
	for (size_t k = i + 1; f->again && k < e->n_found && e->found[k].file == f->file && e->found[k].at.start < f->at.end; k++)
		if (e->found[k].rule == f->rule)
			return true;
	return false;
}

/* Sorted, without repeats, the worst FINDINGS_MAX kept.  Returns how many were left out. */
static uint32_t settle(struct engine *e)
{
	if (e->n_found == 0)
		return 0;
	qsort(e->found, e->n_found, sizeof *e->found, bawn_finding_by_place);
	size_t n = 0;
	for (size_t i = 0; i < e->n_found; i++)
		if (!told_before(e, i) && (n == 0 || bawn_finding_by_place(&e->found[n - 1], &e->found[i]) != 0))
			e->found[n++] = e->found[i];
	e->n_found = n;
	uint32_t dropped = e->n_dropped;
	if (n > FINDINGS_MAX) {
		qsort(e->found, n, sizeof *e->found, bawn_finding_by_level);
		dropped += (uint32_t)(n - FINDINGS_MAX);
		e->n_found = FINDINGS_MAX;
		qsort(e->found, e->n_found, sizeof *e->found, bawn_finding_by_place);
	}
	return dropped;
}

static uint32_t score_at(uint8_t level, const struct bawn_rule *r)
{
	static const uint32_t score[] = { 1, 4, 20, 100 };
	return level == r->level ? r->score : score[level];
}

/* A place as people count it: lines and characters from 1. */
struct spot { uint32_t byte, line, column; };

/* Findings stand in the order of the text, so that counting goes on from where the one before was. */
static struct spot spot_of(struct bawn_span text, struct spot from, uint32_t byte)
{
	struct spot s = byte >= from.byte ? from : (struct spot){ 0, 1, 1 };
	for (; s.byte < byte && s.byte < text.n; s.byte++) {
		bool line = text.p[s.byte] == '\n';
		s.line += line;
		s.column = line ? 1 : s.column + (((unsigned char)text.p[s.byte] & 0xc0) != 0x80);
	}
	return s;
}

static void add_finding(struct engine *e, const struct bawn_assess_file *file, const struct raw_finding *f, struct spot *at, struct bawn_assessment *a)
{
	const struct bawn_rule *r = &e->rules->rule[f->rule];
	*at = spot_of(file->bytes, *at, f->at.start);
	struct spot end = spot_of(file->bytes, *at, f->at.end);
	a->finding[a->n_findings++] = (struct bawn_finding){
		.rule = r->id, .level = (enum bawn_level)f->level,
		.path = f->file > 0 && file->path != NULL ? bawn_arena_text(e->arena, bawn_span(file->path)) : NULL,
		.line = at->line, .column = at->column, .end_line = end.line, .end_column = end.column, .cwe = r->cwe,
		.message = f->message != NULL ? f->message : r->message, .why = r->why, .fix = r->fix, .folded = f->folded,
		.score = score_at(f->level, r),
	};
}

/* The level is the higher of the strongest finding and what the rules that matched add up to. */
static void judge(const struct engine *e, const struct bawn_policy *policy, struct bawn_assessment *a)
{
	uint64_t total = 0;
	for (size_t i = 0; i < e->n_found; i++) {
		bool first = true;
		for (size_t k = 0; k < i && first; k++)
			first = e->found[k].rule != e->found[i].rule;
		total += first ? a->finding[i].score : 0;
		if ((enum bawn_level)e->found[i].level > a->level)
			a->level = (enum bawn_level)e->found[i].level;
	}
	a->score = (uint32_t)(total < UINT32_MAX ? total : UINT32_MAX);
	if (policy == NULL)
		return;
	const uint64_t at[] = { 0, policy->medium_score, policy->high_score, policy->blocked_score };
	_Static_assert(BAWN_LEN(at) == BAWN_LEVEL_COUNT, "one threshold per level");
	for (int level = BAWN_LEVEL_MEDIUM; level < BAWN_LEVEL_COUNT; level++)
		if (at[level] > 0 && total >= at[level] && level > (int)a->level)
			a->level = (enum bawn_level)level;
}

/* The fixes of the worst findings, each once. */
static int recommend(struct engine *e, struct bawn_assessment *a)
{
	a->recommendation = bawn_arena_array(e->arena, char *, 5);
	for (int level = BAWN_LEVEL_BLOCKED; a->recommendation != NULL && level >= BAWN_LEVEL_MEDIUM; level--)
		for (size_t i = 0; i < a->n_findings && a->n_recommendations < 5; i++) {
			bool known = (int)a->finding[i].level != level || a->finding[i].fix[0] == '\0';
			for (size_t k = 0; k < a->n_recommendations && !known; k++)
				known = strcmp(a->recommendation[k], a->finding[i].fix) == 0;
			if (!known)
				a->recommendation[a->n_recommendations++] = bawn_arena_text(e->arena, bawn_span(a->finding[i].fix));
		}
	return e->arena->failed ? -ENOMEM : 0;
}

static int conclude(struct engine *e, const struct bawn_assess_file *file, const struct bawn_policy *policy,
                    struct bawn_assessment *a, struct bawn_err *err)
{
	uint32_t dropped = settle(e);
	if (dropped > 0) {
		file_event(e, "too-many-findings", NULL);
		struct raw_finding *f = e->n_found > 0 ? &e->found[e->n_found - 1] : NULL;
		if (f != NULL) {
			f->message = bawn_arena_fmt(e->arena, "%u more findings of the same or a lower level are not listed", dropped);
			f->file = 0;
		}
	}
	a->finding = bawn_arena_array(e->arena, struct bawn_finding, e->n_found + 1);
	if (a->finding == NULL)
		return bawn_fail(err, -ENOMEM, "keep findings");
	struct spot at = { 0, 1, 1 };
	for (size_t i = 0; i < e->n_found; i++) {
		if (i > 0 && e->found[i].file != e->found[i - 1].file)
			at = (struct spot){ 0, 1, 1 };
		add_finding(e, &file[e->found[i].file], &e->found[i], &at, a);
	}
	judge(e, policy, a);
	a->capabilities = e->capabilities;
	a->parse_ok = e->parse_ok;
	a->complexity = (struct bawn_complexity){ e->complexity.lines, bawn_complexity_milli(e->work) };
	if (recommend(e, a) < 0)
		return bawn_fail(err, -ENOMEM, "keep findings");
	return 0;
}

int bawn_assess_with(const struct bawn_rule_table *rules, const struct bawn_assess_file *file, size_t n_files,
                     const struct bawn_policy *policy, const struct bawn_tree_limit *most,
                     struct bawn_assessment **out, struct bawn_err *err)
{
	static const struct bawn_tree_limit usual = { .work = WORK_MAX, .bytes = MEMORY_MAX, .time_us = PARSE_TIME_US };
	uint64_t start = bawn_monotonic_us();
	struct bawn_err own = { 0 };
	if (n_files == 0)
		return bawn_fail_as(err, BAWN_ERROR_EMPTY_CODE, "code", "assess nothing");
	struct bawn_assessment *a = calloc(1, sizeof *a);
	struct arena *arena = calloc(1, sizeof *arena);
	if (a == NULL || arena == NULL) {
		free(a);
		free(arena);
		return bawn_fail(err, -ENOMEM, "assess the code");
	}
	*arena = ARENA(RESULT_BYTES);
	a->pool = arena;
	struct engine e = { .arena = arena, .rules = rules, .policy = policy, .parse_ok = true, .most = most != NULL ? *most : usual, .err = err != NULL ? err : &own };
	int r = each_file(&e, file, n_files, e.err);
	a->language = (enum bawn_language)(file[0].language >= 0 ? file[0].language : bawn_language_guess(file[0].path, file[0].bytes));
	if (r == 0)
		r = conclude(&e, file, policy, a, e.err);
	free(e.found);
	bawn_arena_done(&e.scratch);
	if (r < 0) {
		bawn_assessment_free(a);
		return r;
	}
	a->elapsed_us = bawn_monotonic_us() - start;
	*out = a;
	return 0;
}

int bawn_assess(const struct bawn_assess_file *file, size_t n_files, const struct bawn_policy *policy,
                struct bawn_assessment **out, struct bawn_err *err)
{
	return bawn_assess_with(&bawn_rules, file, n_files, policy, NULL, out, err);
}

void bawn_assessment_free(struct bawn_assessment *a)
{
	if (a == NULL)
		return;
	if (a->pool != NULL)
		bawn_arena_done(a->pool);
	free(a->pool);
	free(a);
}
