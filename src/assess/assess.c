/* assess.c - the whole of one assessment: each file through its reader, findings put in order.
 *
 * Invariants: (1) the result depends on the bytes, the rules and the policy alone; (2) a file that
 * cannot be read to its end counts as HIGH, and takes nothing away from what was found before or in
 * other files; (3) text that does not parse, or that hides characters, never lowers a level. */
#include "assess/assess.h"
#include <stdlib.h>
#include "assess/complexity.h"
#include "assess/engine.h"
#include "assess/manifest.h"
#include "assess/modules.h"
#include "assess/shape.h"
#include "assess/table.h"
#include "assess/text.h"
#include "base/cleanup.h"
#include "base/clock.h"

_Static_assert((int)BAWN_LANG_PYTHON == (int)BAWN_GRAMMAR_PYTHON && (int)BAWN_LANG_BASH == (int)BAWN_GRAMMAR_BASH &&
               (int)BAWN_LANG_JAVASCRIPT == (int)BAWN_GRAMMAR_JAVASCRIPT, "one grammar per language");

#define RESULT_BYTES (8u << 20)  /* texts of what is found */
#define FILE_BYTES   2048u       /* and for each file: what is known of it, and why it was not read to its end */
#define LIST_BYTES   (2u << 20)  /* and, when all is read, for the findings that are listed */

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
	static const char *const ending[] = { ".so", ".pyc", ".pyo", ".egg", ".whl", ".pyz", ".pyzw", ".node", ".pyd", ".dll", ".exe", ".dylib", ".o", ".a", ".ko", ".wasm" };
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

/* ---- comments that ask a checker to look away ---- */

#define PYTHON     (1u << BAWN_LANG_PYTHON)
#define BASH       (1u << BAWN_LANG_BASH)
#define JAVASCRIPT (1u << BAWN_LANG_JAVASCRIPT)
#define ANY        (PYTHON | BASH | JAVASCRIPT)

/* What is written, as a whole word in any case, and in which languages somebody obeys it. */
static const struct { const char *text; unsigned languages; } silence[] = {
	{ "nosec", ANY }, { "nosemgrep", ANY }, { "nosem", ANY }, { "nosonar", ANY }, { "bawn: ignore", ANY }, { "bawn:ignore", ANY },
	{ "bawn: disable", ANY }, { "bawn:disable", ANY }, { "skipcq", ANY }, { "lgtm[", ANY }, { "codeql[", ANY }, { "noinspection", ANY },
	{ "checkov:skip", ANY }, { "trivy:ignore", ANY }, { "gitleaks:allow", ANY }, { "pragma: allowlist", ANY }, { "shellcheck disable", BASH },
	{ "pylint: disable=exec-used", PYTHON }, { "pylint: disable=eval-used", PYTHON }, { "pylint: disable=all", PYTHON }, { "pylint: skip-file", PYTHON },
	{ "eslint-disable", JAVASCRIPT }, { "eslint-disable-line", JAVASCRIPT }, { "eslint-disable-next-line", JAVASCRIPT },
	{ "tslint:disable", JAVASCRIPT }, { "tslint:disable-next-line", JAVASCRIPT }, { "biome-ignore", JAVASCRIPT }, { "oxlint-disable", JAVASCRIPT },
	{ "jshint ignore", JAVASCRIPT },
};

static bool letter(char c) { return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == '-'; }

/* The text after `word`, which stands alone in t, whatever its case; NULL: it does not. */
static const char *after_word(struct bawn_span t, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= t.n; i++) {
		if ((t.p[i] | 0x20) != (word[0] | 0x20) || strncasecmp(t.p + i, word, n) != 0)
			continue;
		bool ends = !letter(word[n - 1]) || i + n == t.n || !letter(t.p[i + n]);
		if (ends && (i == 0 || !letter(t.p[i - 1])))
			return t.p + i + n;
	}
	return NULL;
}

/* "noqa" alone silences everything; with codes, those of security are S and digits. */
static bool silences_security(struct bawn_span t)
{
	const char *at = after_word(t, "noqa"), *end = t.p + t.n;
	if (at == NULL)
		return false;
	while (at < end && *at == ' ')
		at++;
	if (at == end || *at != ':')
		return true;
	bool first = true;
	for (at++; at < end; at++) {
		if (first && (*at | 0x20) == 's' && (at + 1 == end || !letter(at[1]) || (at[1] >= '0' && at[1] <= '9')))
			return true;
		first = !letter(*at);
	}
	return false;
}

static bool is_suppression(struct bawn_span t, unsigned language)
{
	for (size_t k = 0; k < BAWN_LEN(silence); k++)
		if ((silence[k].languages & language) != 0 && after_word(t, silence[k].text) != NULL)
			return true;
	return language == PYTHON && silences_security(t);
}

/* They are not obeyed; that somebody asked is worth knowing. */
static void comments(struct engine *e)
{
	for (uint32_t i = 0; i < e->tree->n; i++)
		if (e->tree->node[i].kind == BAWN_K_COMMENT) {
			struct bawn_span t = bawn_node_text(e->tree, i);
			e->spent += t.n;
			if (is_suppression(t, 1u << e->tree->grammar))
				(void)bawn_engine_event(e, "suppression", i, NULL);
		}
}

/* ---- the encoding of a Python file ---- */

/* Encodings in which every byte below 0x80 is the character it seems to be. */
static bool plain_encoding(struct bawn_span name)
{
	static const char *const fine[] = { "utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii", "latin-1", "latin1", "iso-8859-1", "iso-8859-15", "cp1252" };
	char plain[16];
	if (name.n >= sizeof plain)
		return false;
	for (size_t i = 0; i < name.n; i++)  /* as Python compares them */
		plain[i] = name.p[i] == '_' ? '-' : name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] | 0x20) : name.p[i];
	for (size_t i = 0; i < BAWN_LEN(fine); i++)
		if (bawn_span_is((struct bawn_span){ plain, name.n }, fine[i]))
			return true;
	return false;
}

/* What a comment names as the encoding; empty: nothing. */
static struct bawn_span encoding_in(struct bawn_span comment)
{
	const char *end = comment.p + comment.n;
	for (const char *at = comment.p; (at = memmem(at, (size_t)(end - at), "coding", 6)) != NULL; ) {
		at += 6;
		if (at == end || (*at != ':' && *at != '='))
			continue;
		for (at++; at < end && (*at == ' ' || *at == '\t'); at++)
			;
		size_t n = 0;
		while (at + n < end && (letter(at[n]) || at[n] == '.'))
			n++;
		if (n > 0)
			return (struct bawn_span){ at, n };
	}
	return (struct bawn_span){ end, 0 };
}

/* Python reads the encoding of a file from a comment in the first line, or in the second where the first
 * holds no code.  Anything but UTF-8 and its like means that the bytes assessed are not the text that runs. */
static void coding_cookie(struct engine *e, struct bawn_span text)
{
	size_t at = bawn_span_starts(text, "\xef\xbb\xbf") ? 3 : 0;
	for (int line = 0; line < 2 && at < text.n; line++) {
		size_t end = at;
		while (end < text.n && text.p[end] != '\n' && text.p[end] != '\r')
			end++;
		while (at < end && strchr(" \t\f", text.p[at]) != NULL)
			at++;
		if (at < end && text.p[at] != '#')
			return;
		struct bawn_span name = encoding_in((struct bawn_span){ text.p + at, end - at });
		if (name.n > 0 && !plain_encoding(name))
			(void)bawn_engine_event(e, "coding-cookie", 0, bawn_arena_text(&e->scratch, name));
		if (name.n > 0)
			return;
		at = end + 1 + (end + 1 < text.n && text.p[end] == '\r' && text.p[end + 1] == '\n');
	}
}

/* ---- files that are not read to their end ---- */

#define UNFINISHED UINT16_MAX
#define ALONE .language = -1, .capability = -1, .level = BAWN_LEVEL_HIGH, .matcher = BAWN_MATCH_EVENT
const struct bawn_rule bawn_rule_alone[BAWN_ALONE_COUNT] = {
	[BAWN_ALONE_UNFINISHED] = { .id = "bawn/assessment-failed", .family = "engine", .message = "The assessor could not finish",
		.why = "What could not be read to its end may do anything.", .fix = "Make the code shorter or simpler.", .score = 20, ALONE },
	[BAWN_ALONE_LOOKALIKE] = { .id = "bawn/package-lookalike", .family = "supply-chain", .message = "A package has nearly the name of a popular one",
		.why = "Names one letter off are how packages that nobody meant get installed.", .fix = "Compare the name letter by letter with the one you meant.", .score = 20, ALONE },
	[BAWN_ALONE_UNLISTED] = { .id = "bawn/package-unlisted", .family = "supply-chain", .message = "A package that policy does not list",
		.why = "Whoever wrote the policy has not agreed to it.", .fix = "Use one of network.packages in sandbox.yaml, or have it added there.", .score = 20, ALONE },
};
#define bawn_rule_unfinished bawn_rule_alone[BAWN_ALONE_UNFINISHED]

static struct bawn_rule rule_of(const struct engine *e, uint16_t number)
{
	return number == UNFINISHED ? bawn_rule_unfinished : bawn_engine_rule(e, number);
}

/* A file took too much: that is noted.  What it did until then counts, and the other files are read. */
static bool give_up(struct engine *e)
{
	if (e->error == 0)
		(void)bawn_engine_go_on(e);  /* there may be no room for what was found last */
	if (e->error == 0 || e->err->type != BAWN_ERROR_ASSESSMENT_FAILED)
		return false;
	e->unfinished[e->file] = bawn_arena_fmt(e->arena, "Could not %s", e->err->msg);
	if (e->unfinished[e->file] == NULL)
		e->unfinished[e->file] = bawn_rule_unfinished.message;
	e->arena->failed = false;
	e->error = 0;
	*e->err = (struct bawn_err){ 0 };
	return true;
}

/* It is read in pieces, for an eighth of the work it was given. */
static void read_given_up(struct engine *e, int language, struct bawn_span text, uint64_t work)
{
	struct bawn_node root = { .end = (uint32_t)text.n };
	struct bawn_tree whole = { .grammar = (enum bawn_grammar)language, .text = text, .node = &root, .n = 1 };
	bawn_arena_done(&e->scratch);
	bawn_read_pieces(e, language, text, work / 8);
	e->tree = &whole;  /* whose language the combinations are of */
	bawn_engine_combine(e);
	e->tree = NULL;
	bawn_arena_done(&e->scratch);
}

/* Each of those files has a finding. */
static int tell_unfinished(struct engine *e, size_t n_files)
{
	struct raw_finding *more = realloc(e->found, (e->n_found + n_files) * sizeof *more);
	if (more == NULL)
		return -ENOMEM;
	e->found = more, e->cap_found = e->n_found + n_files;
	for (size_t i = 0; i < n_files; i++)
		if (e->unfinished[i] != NULL)
			e->found[e->n_found++] = (struct raw_finding){ .rule = UNFINISHED, .level = BAWN_LEVEL_HIGH, .file = (uint32_t)i, .message = e->unfinished[i] };
	return 0;
}

static void read_file(struct engine *e, int language, struct bawn_span text)
{
	struct bawn_tree tree = { 0 };
	uint64_t spent = e->spent + e->scratch.asked, work = e->most.work > spent ? e->most.work - spent : 0;
	e->tags = 0;
	if (bawn_engine_open(e, language, text, &tree) < 0) {
		if (give_up(e))
			read_given_up(e, language, text, work);
		return;
	}
	e->work += bawn_complexity_work(&tree);
	bool manifest = language == BAWN_LANG_JAVASCRIPT && bawn_read_manifest(e);
	if (tree.errors && !manifest) {
		(void)bawn_engine_event(e, "syntax-error", tree.error_node, NULL);
		e->parse_ok = e->parse_ok && e->file != 0;
	}
	bawn_shape(e, text);
	if (language == BAWN_LANG_PYTHON)
		coding_cookie(e, text);
	comments(e);
	if (!manifest) {
		bawn_engine_read(e);
		bawn_read_broken(e);
	}
	bool given_up = give_up(e);
	bawn_engine_combine(e);
	give_up(e);
	bawn_modules_note(e);
	bawn_arena_done(&e->scratch);
	bawn_engine_close(e, &tree);
	if (given_up)
		read_given_up(e, language, text, work);
}

/* package.json is read wherever it lies: npm runs what it says. */
static bool is_manifest(const struct bawn_assess_file *f)
{
	const char *base = f->path != NULL ? strrchr(f->path, '/') : NULL;
	return f->path != NULL && strcmp(base != NULL ? base + 1 : f->path, "package.json") == 0;
}

/* What a file is in, by what it says itself. */
static int language_of(const struct bawn_assess_file *f, bool code)
{
	if (!code && is_native(f))
		return BAWN_MODULE_NATIVE;
	int language = f->language >= 0 ? f->language : bawn_language_guess(f->path, f->bytes);
	return language < 0 && is_manifest(f) ? BAWN_LANG_JAVASCRIPT : language;
}

/* Up to where a file may go that shares the work with others: half of what is left. */
static uint64_t half_of_rest(const struct engine *e, uint64_t all)
{
	uint64_t spent = e->spent + e->scratch.asked;
	return spent + (all > spent ? (all - spent) / 2 : 0);
}

static void one_file(struct engine *e, const struct bawn_assess_file *f, uint32_t at, int language, uint64_t work)
{
	uint64_t all = e->most.work;
	e->file = at;
	e->most.work = work;
	read_file(e, language, f->bytes);
	e->most.work = all;
}

/* Inputs that other files run are read in the language they are run in, until no more come. */
static void each_run(struct engine *e, const struct bawn_assess_file *file)
{
	int language;
	for (size_t i; e->error == 0 && (i = bawn_modules_next(e, &language)) > 0; )
		one_file(e, &file[i], (uint32_t)i, language, half_of_rest(e, e->most.work));
}

/* The code may take all the work there is.  Its inputs, read before it, share half of that: none of them can
 * take away what the rest of the program needs to be read. */
static int each_file(struct engine *e, const struct bawn_assess_file *file, size_t n, struct bawn_err *err)
{
	uint32_t *order = bawn_arena_array(e->arena, uint32_t, n);
	int *language = bawn_arena_array(e->arena, int, n);
	e->unfinished = bawn_arena_array(e->arena, const char *, n);
	if (order == NULL || language == NULL || e->unfinished == NULL)
		return bawn_fail(err, -ENOMEM, "assess %zu files", n);
	for (size_t i = 0; i < n; i++)
		language[i] = language_of(&file[i], i == 0);
	e->complexity.lines = bawn_count_lines(file[0].bytes);
	if (language[0] < 0)
		return bawn_fail_as(err, BAWN_ERROR_UNKNOWN_LANGUAGE, "language", "find out the language of the code");
	int r = bawn_modules_begin(e, file, language, n, err);
	if (r < 0)
		return r;
	bawn_modules_order(e, file, n, order);
	for (size_t i = 0; i < n && e->error == 0; i++) {
		const struct bawn_assess_file *f = &file[order[i]];
		e->file = order[i];
		if (language[order[i]] == BAWN_MODULE_NATIVE)
			file_event(e, "native-input", f->path);
		else if (language[order[i]] >= 0)
			one_file(e, f, order[i], language[order[i]], order[i] == 0 ? e->most.work : half_of_rest(e, e->most.work / 2));
	}
	each_run(e, file);
	e->file = 0;
	if (e->error == 0)
		bawn_modules_combine(e);
	give_up(e);
	return e->error;
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

/* Does `a` say everything that `b` says, and worse: the same text, the same behaviour or object? */
static bool covers(const struct engine *e, const struct raw_finding *a, const struct raw_finding *b)
{
	struct bawn_rule x = rule_of(e, a->rule), y = rule_of(e, b->rule);
	return a->level > b->level && a->at.start == b->at.start && a->at.end == b->at.end &&
	       ((x.capability >= 0 && x.capability == y.capability) || (x.matcher == BAWN_MATCH_PIPE && y.matcher == BAWN_MATCH_PIPE) ||
	        (a->folded != NULL && b->folded != NULL && strcmp(a->folded, b->folded) == 0));
}

/* Drops what a stronger finding on the same text covers.  Sorted by place, they stand together. */
static void drop_covered(struct engine *e)
{
	size_t n = 0;
	for (size_t first = 0, last; first < e->n_found; first = last) {
		for (last = first + 1; last < e->n_found && e->found[last].file == e->found[first].file &&
		     e->found[last].at.start == e->found[first].at.start; last++)
			;
		bool keep[64];
		size_t group = last - first < BAWN_LEN(keep) ? last - first : BAWN_LEN(keep);
		for (size_t i = 0; i < group; i++) {
			keep[i] = true;
			for (size_t k = 0; k < group && keep[i]; k++)
				keep[i] = !covers(e, &e->found[first + k], &e->found[first + i]);
		}
		for (size_t i = 0; first + i < last; i++)
			if (i >= group || keep[i])
				e->found[n++] = e->found[first + i];
	}
	e->n_found = n;
}

#define LOOKED_AT (64u << 10)  /* of a place, for the value: the place may be the whole text */

/* Where the value stands as it is within the place, or NULL: then it was put together. */
static const char *literal(const struct raw_finding *f, struct bawn_span text)
{
	if (f->folded == NULL || f->at.end > text.n || f->at.start >= f->at.end)
		return NULL;
	size_t n = f->at.end - f->at.start < LOOKED_AT ? f->at.end - f->at.start : LOOKED_AT;
	return memmem(text.p + f->at.start, n, f->folded, strlen(f->folded));
}

/* A finding in text inside text has the place of the whole; where its value stands there, that is it. */
static struct place narrow(const struct raw_finding *f, struct bawn_span text, const char *at)
{
	struct place p = f->at;
	size_t n = f->folded != NULL ? strlen(f->folded) : 0;
	if (!f->nested || at == NULL || n < 2)
		return p;
	p.start = (uint32_t)(at - text.p);
	p.end = p.start + (uint32_t)n;
	return p;
}

/* Sorted, without repeats, the worst FINDINGS_MAX kept.  Returns how many were left out. */
static uint32_t settle(struct engine *e, const struct bawn_assess_file *file)
{
	if (e->n_found == 0)
		return 0;
	qsort(e->found, e->n_found, sizeof *e->found, bawn_finding_by_place);
	size_t n = 0;
	for (size_t i = 0; i < e->n_found; i++)
		if (!told_before(e, i) && (n == 0 || bawn_finding_by_place(&e->found[n - 1], &e->found[i]) != 0))
			e->found[n++] = e->found[i];
	e->n_found = n;
	if (!e->rules->keep_covered)
		drop_covered(e);
	n = e->n_found;
	uint32_t dropped = e->n_dropped;
	if (n > FINDINGS_MAX) {
		qsort(e->found, n, sizeof *e->found, bawn_finding_by_level);
		dropped += (uint32_t)(n - FINDINGS_MAX);
		e->n_found = FINDINGS_MAX;
	}
	for (size_t i = 0; i < e->n_found; i++) {
		struct bawn_span text = file[e->found[i].file].bytes;
		e->found[i].at = narrow(&e->found[i], text, literal(&e->found[i], text));
	}
	qsort(e->found, e->n_found, sizeof *e->found, bawn_finding_by_place);
	return dropped;
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

static const char *kept(struct engine *e, const char *text) { return bawn_arena_text(e->arena, bawn_span(text)); }

static void add_finding(struct engine *e, const struct bawn_assess_file *file, const struct raw_finding *f, struct spot *at, struct bawn_assessment *a)
{
	struct bawn_rule r = rule_of(e, f->rule);
	*at = spot_of(file->bytes, *at, f->at.start);
	struct spot end = spot_of(file->bytes, *at, f->at.end);
	if (f->rule >= e->rules->n)  /* the texts belong to the policy, which may go first */
		r.id = kept(e, r.id), r.message = kept(e, r.message), r.why = kept(e, r.why), r.fix = kept(e, r.fix);
	bool again = a->n_findings > 0 && f > e->found && f[-1].file == f->file;  /* they stand by file */
	const char *path = again ? a->finding[a->n_findings - 1].path : f->file > 0 && file->path != NULL ? kept(e, file->path) : NULL;
	a->finding[a->n_findings++] = (struct bawn_finding){
		.rule = r.id, .level = (enum bawn_level)f->level, .path = path,
		.line = at->line, .column = at->column, .end_line = end.line, .end_column = end.column, .cwe = r.cwe,
		.message = f->message != NULL ? f->message : r.message, .why = r.why, .fix = r.fix, .folded = literal(f, file->bytes) == NULL ? f->folded : NULL,
		.score = f->level == r.level ? r.score : bawn_level_score[f->level],
	};
}

/* Has an earlier finding, or a stronger one, already counted for what this one is about?  That is its
 * capability; a rule without one speaks for itself. */
static bool counted(const struct engine *e, const struct bawn_assessment *a, size_t i)
{
	int about = rule_of(e, e->found[i].rule).capability;
	for (size_t k = 0; k < a->n_findings; k++) {
		bool same = about >= 0 ? rule_of(e, e->found[k].rule).capability == about : e->found[k].rule == e->found[i].rule;
		if (k != i && same && (a->finding[k].score > a->finding[i].score || (a->finding[k].score == a->finding[i].score && k < i)))
			return true;
	}
	return false;
}

/* The level is the higher of the strongest finding and what the findings add up to.  Each capability
 * counts once, by its strongest finding: the others have no score, so that all scores sum up to the total
 * and ten ways to say one thing do not make it worse. */
static void judge(const struct engine *e, const struct bawn_policy *policy, struct bawn_assessment *a)
{
	uint64_t total = 0;
	bool *silent = bawn_arena_array(e->arena, bool, a->n_findings + 1);
	for (size_t i = 0; silent != NULL && i < a->n_findings; i++)
		silent[i] = counted(e, a, i);
	for (size_t i = 0; i < a->n_findings; i++) {
		if (silent != NULL && silent[i])
			a->finding[i].score = 0;
		total += a->finding[i].score;
		if ((enum bawn_level)e->found[i].level > a->level)
			a->level = (enum bawn_level)e->found[i].level;
	}
	a->score = (uint32_t)(total < UINT32_MAX ? total : UINT32_MAX);
	a->strongest = a->level;
	if (policy == NULL)
		return;
	const uint64_t at[] = { 0, policy->medium_score, policy->high_score, policy->blocked_score };
	_Static_assert(BAWN_LEN(at) == BAWN_LEVEL_COUNT, "one threshold per level");
	for (int level = BAWN_LEVEL_MEDIUM; level < BAWN_LEVEL_COUNT; level++)
		if (at[level] > 0 && total >= at[level] && level > (int)a->level)
			a->level = (enum bawn_level)level;
}

#define RECOMMENDATIONS 5
#define PLACES          4  /* named in one of them */

static bool says_the_same(const struct bawn_finding *x, const struct bawn_finding *y)
{
	return strcmp(x->message, y->message) == 0 && strcmp(x->fix, y->fix) == 0;
}

/* "lines 3, 7 and 2 more: Runs a shell command.  Use subprocess with a fixed list of words." */
static char *advice(struct engine *e, const struct bawn_assessment *a, size_t first)
{
	bawn_auto_buf where = BAWN_BUF(512);
	const struct bawn_finding *f = &a->finding[first];
	uint32_t before = 0, n = 0;
	for (size_t i = first; i < a->n_findings; i++) {
		const struct bawn_finding *g = &a->finding[i];
		bool here = g->path == f->path || (g->path != NULL && f->path != NULL && strcmp(g->path, f->path) == 0);
		if (!here || !says_the_same(f, g) || g->line == before)
			continue;
		before = g->line;
		if (n++ < PLACES)
			bawn_buf_fmt(&where, "%s%u", n > 1 ? ", " : "", g->line);
	}
	if (n > PLACES)
		bawn_buf_fmt(&where, " and %u more", n - PLACES);
	size_t end = strlen(f->message);
	return bawn_arena_fmt(e->arena, "%s%sline%s %s: %s%s %s", f->path != NULL ? f->path : "", f->path != NULL ? " " : "", n > 1 ? "s" : "",
	                      where.p != NULL ? where.p : "?", f->message, end > 0 && f->message[end - 1] == '.' ? "" : ".", f->fix);
}

/* What to do about the worst findings: where, what, and the way out; each once. */
static int recommend(struct engine *e, struct bawn_assessment *a)
{
	a->recommendation = bawn_arena_array(e->arena, char *, RECOMMENDATIONS);
	for (int level = BAWN_LEVEL_BLOCKED; a->recommendation != NULL && level >= BAWN_LEVEL_MEDIUM; level--)
		for (size_t i = 0; i < a->n_findings && a->n_recommendations < RECOMMENDATIONS; i++) {
			bool known = (int)a->finding[i].level != level || a->finding[i].fix[0] == '\0';
			for (size_t k = 0; k < i && !known; k++)
				known = (int)a->finding[k].level == level && says_the_same(&a->finding[k], &a->finding[i]);
			if (!known)
				a->recommendation[a->n_recommendations++] = advice(e, a, i);
		}
	return e->arena->failed ? -ENOMEM : 0;
}

static int conclude(struct engine *e, const struct bawn_assess_file *file, size_t n_files, const struct bawn_policy *policy,
                    struct bawn_assessment *a, struct bawn_err *err)
{
	e->arena->max += LIST_BYTES;
	if (tell_unfinished(e, n_files) < 0)
		return bawn_fail(err, -ENOMEM, "keep findings");
	uint32_t dropped = settle(e, file);
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
	for (size_t i = 0; i < n_files && a->unfinished == NULL; i++)
		a->unfinished = e->unfinished[i];
	a->work = e->spent + e->scratch.asked;
	a->complexity = (struct bawn_complexity){ e->complexity.lines, bawn_complexity_milli(e->work) };
	if (recommend(e, a) < 0)
		return bawn_fail(err, -ENOMEM, "keep findings");
	return 0;
}

const struct bawn_tree_limit bawn_assess_limit = { .work = WORK_MAX, .bytes = MEMORY_MAX, .time_us = TIME_US };

int bawn_assess_with(const struct bawn_rule_table *rules, const struct bawn_assess_file *file, size_t n_files,
                     const struct bawn_policy *policy, const struct bawn_tree_limit *most,
                     struct bawn_assessment **out, struct bawn_err *err)
{
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
	*arena = ARENA(RESULT_BYTES + n_files * FILE_BYTES);
	a->pool = arena;
	struct engine e = { .arena = arena, .rules = rules, .policy = policy, .parse_ok = true, .most = most != NULL ? *most : bawn_assess_limit, .err = err != NULL ? err : &own };
	e.deadline_us = start + e.most.time_us;
	int r = each_file(&e, file, n_files, e.err);
	a->language = (enum bawn_language)(file[0].language >= 0 ? file[0].language : bawn_language_guess(file[0].path, file[0].bytes));
	if (r == 0)
		r = conclude(&e, file, n_files, policy, a, e.err);
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

int bawn_assessment_package(struct bawn_assessment *a, enum bawn_alone which, const char *message, struct bawn_err *err)
{
	const struct bawn_rule *r = &bawn_rule_alone[which];
	struct bawn_finding *more = bawn_arena_array(a->pool, struct bawn_finding, a->n_findings + 1);
	const char *text = bawn_arena_text(a->pool, bawn_span(message));
	if (more == NULL || text == NULL)
		return bawn_fail(err, -ENOMEM, "note a package");
	if (a->n_findings > 0)
		memcpy(more + 1, a->finding, a->n_findings * sizeof *more);
	more[0] = (struct bawn_finding){ .rule = r->id, .level = (enum bawn_level)r->level, .line = 1, .column = 1, .end_line = 1, .end_column = 1,
		.message = text, .why = r->why, .fix = r->fix };
	a->finding = more;
	a->n_findings++;
	a->strongest = a->strongest > more[0].level ? a->strongest : more[0].level;
	a->level = a->level > more[0].level ? a->level : more[0].level;
	return 0;
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
