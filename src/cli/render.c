/* render.c - documents of the library as text for people.
 * Invariant: every string that came from a document passes bawn_buf_escaped. */
#include "cli/cli.h"
#include <inttypes.h>
#include "base/cleanup.h"
#include "base/num.h"
#include "base/utf8.h"

#define CELL_MAX   4096   /* bytes of one cell */
#define COLUMN_MAX 72     /* characters a column is padded to */

json_t *bawn_cli_at(const json_t *doc, const char *path)
{
	while (doc != NULL && *path != '\0') {
		size_t n = strcspn(path, ".");
		doc = json_object_getn(doc, path, n);
		path += n;
		path += *path == '.';
	}
	return (json_t *)doc;
}

const char *bawn_cli_text(const json_t *doc, const char *path)
{
	const char *text = json_string_value(bawn_cli_at(doc, path));
	return text != NULL ? text : "";
}

uint64_t bawn_cli_number(const json_t *doc, const char *path)
{
	json_int_t n = json_integer_value(bawn_cli_at(doc, path));
	return n > 0 ? (uint64_t)n : 0;
}

void bawn_cli_put_about(struct bawn_buf *out, uint64_t bytes)
{
	uint64_t unit = 1;
	while (unit < 1u << 30 && bytes / unit >= 10240)
		unit <<= 10;
	uint64_t up = bytes + (unit - 1);
	bawn_put_size(out, up < bytes ? bytes : up - up % unit);
}

void bawn_cli_put_time(struct bawn_buf *out, uint64_t ms)
{
	if (ms < 1000 || ms % 1000 == 0)
		bawn_put_duration(out, ms);
	else
		bawn_buf_fmt(out, "%.1fs", (double)ms / 1000);
}

static const struct { const char *level, *code; } colour_of[] = {
	{ "LOW", "32" }, { "MEDIUM", "33" }, { "HIGH", "31" }, { "BLOCKED", "1;31" },
	{ "active", "32" }, { "missing", "31" }, { "absent", "33" }, { "operational", "32" },
	{ "degraded", "33" }, { "failed", "31" },
};

void bawn_cli_colour(struct bawn_buf *out, const char *level, bool colour, bool on)
{
	for (size_t i = 0; colour && i < BAWN_LEN(colour_of); i++)
		if (strcmp(colour_of[i].level, level) == 0)
			bawn_buf_fmt(out, "\033[%sm", on ? colour_of[i].code : "0");
}

static void cell_list(struct bawn_buf *out, const json_t *list)
{
	size_t i;
	json_t *item;
	json_array_foreach(list, i, item) {
		bawn_buf_str(out, i > 0 ? ", " : "");
		bawn_cli_cell(out, item, BAWN_CLI_TEXT);
	}
	if (json_array_size(list) == 0)
		bawn_buf_str(out, "none");
}

static void cell_counts(struct bawn_buf *out, const json_t *object)
{
	const char *key, *comma = "";
	json_t *value;
	json_object_foreach((json_t *)object, key, value) {
		if (json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0))
			continue;
		bawn_buf_str(out, comma);
		bawn_buf_escaped(out, bawn_span(key));
		bawn_buf_char(out, ' ');
		bawn_cli_cell(out, value, BAWN_CLI_TEXT);
		comma = ", ";
	}
	if (*comma == '\0')
		bawn_buf_str(out, "none");
}

static void cell_plain(struct bawn_buf *out, const json_t *value)
{
	bawn_auto_buf text = BAWN_BUF(CELL_MAX);
	switch (json_typeof(value)) {
	case JSON_STRING:
		bawn_buf_escaped(out, (struct bawn_span){ json_string_value(value), json_string_length(value) });
		return;
	case JSON_NULL:
		bawn_buf_char(out, '-');
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		bawn_buf_str(out, json_is_true(value) ? "yes" : "no");
		return;
	case JSON_REAL:
		bawn_buf_fmt(out, "%.3g", json_real_value(value));
		return;
	case JSON_INTEGER:
	case JSON_ARRAY:
	case JSON_OBJECT:
		break;
	}
	if (bawn_json_put(&text, value, NULL) == 0)
		bawn_buf_escaped(out, bawn_buf_span(&text));
	else
		bawn_buf_str(out, "(long; see --json)");
}

void bawn_cli_cell(struct bawn_buf *out, const json_t *value, enum bawn_cli_kind kind)
{
	if (value == NULL || json_is_null(value)) {
		bawn_buf_char(out, '-');
		return;
	}
	uint64_t number = json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
	if (kind == BAWN_CLI_SIZE && json_is_integer(value))
		bawn_cli_put_about(out, number);
	else if (kind == BAWN_CLI_MS && json_is_integer(value))
		bawn_cli_put_time(out, number);
	else if (kind == BAWN_CLI_TIME && json_is_string(value) && json_string_length(value) > 19)
		bawn_buf_escaped(out, (struct bawn_span){ json_string_value(value), 19 });
	else if (kind == BAWN_CLI_LIST && json_is_array(value))
		cell_list(out, value);
	else if (kind == BAWN_CLI_COUNTS && json_is_object(value))
		cell_counts(out, value);
	else
		cell_plain(out, value);
}

/* Characters that take no column, or two: the ranges people meet in code, by first character. */
static const struct { uint32_t first, last; unsigned columns; } odd_width[] = {
	{ 0x300, 0x36f, 0 },     { 0x483, 0x489, 0 },     { 0x591, 0x5bd, 0 },     { 0x610, 0x61a, 0 },     { 0x64b, 0x65f, 0 },
	{ 0x93c, 0x93c, 0 },     { 0x94d, 0x94d, 0 },     { 0xe31, 0xe31, 0 },     { 0xe34, 0xe3a, 0 },     { 0xe47, 0xe4e, 0 },
	{ 0x1100, 0x115f, 2 },   { 0x1ab0, 0x1aff, 0 },   { 0x1dc0, 0x1dff, 0 },   { 0x20d0, 0x20f0, 0 },   { 0x231a, 0x231b, 2 },
	{ 0x23e9, 0x23ec, 2 },   { 0x2614, 0x2615, 2 },   { 0x26a1, 0x26a1, 2 },   { 0x2705, 0x2705, 2 },   { 0x274c, 0x274c, 2 },
	{ 0x2753, 0x2755, 2 },   { 0x2795, 0x2797, 2 },   { 0x2b50, 0x2b50, 2 },   { 0x2e80, 0x3029, 2 },   { 0x302a, 0x302d, 0 },
	{ 0x302e, 0x303e, 2 },   { 0x3041, 0x3096, 2 },   { 0x3099, 0x309a, 0 },   { 0x309b, 0xa4cf, 2 },   { 0xa960, 0xa97f, 2 },
	{ 0xac00, 0xd7a3, 2 },   { 0xf900, 0xfaff, 2 },   { 0xfe00, 0xfe0f, 0 },   { 0xfe20, 0xfe2f, 0 },   { 0xfe30, 0xfe6f, 2 },
	{ 0xff00, 0xff60, 2 },   { 0xffe0, 0xffe6, 2 },   { 0x16fe0, 0x18aff, 2 }, { 0x1b000, 0x1b2ff, 2 }, { 0x1f300, 0x1f64f, 2 },
	{ 0x1f680, 0x1f6ff, 2 }, { 0x1f900, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 }, { 0xe0100, 0xe01ef, 0 },
};

static unsigned columns(uint32_t c)
{
	for (size_t i = 0; i < BAWN_LEN(odd_width) && c >= odd_width[i].first; i++)
		if (c <= odd_width[i].last)
			return odd_width[i].columns;
	return 1;
}

size_t bawn_cli_width(struct bawn_span text)
{
	size_t width = 0, n;
	for (size_t at = 0; at < text.n; at += n) {
		uint32_t c = 0;
		n = bawn_utf8_next(text, at, &c);
		width += n > 0 ? columns(c) : 1;
		n = n > 0 ? n : 1;
	}
	return width;
}

static size_t cell_width(const json_t *row, const struct bawn_cli_field *f)
{
	bawn_auto_buf cell = BAWN_BUF(4 * CELL_MAX);
	bawn_cli_cell(&cell, bawn_cli_at(row, f->path), f->kind);
	return bawn_cli_width(bawn_buf_span(&cell));
}

static void pad(struct bawn_buf *out, size_t have, size_t want)
{
	bawn_buf_fmt(out, "%*s", (int)(have < want ? want - have : 0) + 2, "");
}

static void put_cell(struct bawn_buf *out, const json_t *row, const struct bawn_cli_field *f, bool colour)
{
	const json_t *value = bawn_cli_at(row, f->path);
	bool paint = colour && f->kind == BAWN_CLI_LEVEL && json_is_string(value);
	if (paint)
		bawn_cli_colour(out, json_string_value(value), true, true);
	bawn_cli_cell(out, value, f->kind);
	if (paint)
		bawn_cli_colour(out, json_string_value(value), true, false);
}

void bawn_cli_table(struct bawn_buf *out, const json_t *rows, const struct bawn_cli_field *column, size_t n, bool colour)
{
	size_t width[16] = { 0 }, i;
	json_t *row;
	n = n < BAWN_LEN(width) ? n : BAWN_LEN(width);
	for (size_t k = 0; k < n; k++) {
		width[k] = strlen(column[k].title);
		json_array_foreach(rows, i, row) {
			size_t w = cell_width(row, &column[k]);
			width[k] = w > width[k] ? w : width[k];
		}
		width[k] = width[k] < COLUMN_MAX ? width[k] : COLUMN_MAX;
	}
	for (size_t k = 0; k < n; k++) {
		bawn_buf_str(out, column[k].title);
		if (k + 1 < n)
			pad(out, strlen(column[k].title), width[k]);
	}
	bawn_buf_char(out, '\n');
	json_array_foreach(rows, i, row) {
		for (size_t k = 0; k < n; k++) {
			put_cell(out, row, &column[k], colour);
			if (k + 1 < n)
				pad(out, cell_width(row, &column[k]), width[k]);
		}
		bawn_buf_char(out, '\n');
	}
}

void bawn_cli_fields(struct bawn_buf *out, const json_t *doc, const struct bawn_cli_field *field, size_t n, bool colour)
{
	size_t width = 0;
	for (size_t i = 0; i < n; i++)
		width = strlen(field[i].title) > width ? strlen(field[i].title) : width;
	for (size_t i = 0; i < n; i++) {
		const json_t *value = bawn_cli_at(doc, field[i].path);
		if (value == NULL || json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0))
			continue;
		bawn_buf_str(out, field[i].title);
		pad(out, strlen(field[i].title), width);
		put_cell(out, doc, &field[i], colour);
		bawn_buf_char(out, '\n');
	}
}

static void put_count(struct bawn_buf *out, uint64_t n, const char *one, const char *many)
{
	bawn_buf_fmt(out, ", %" PRIu64 " %s", n, n == 1 ? one : many);
}

/* ": a, b, c and 3 more", or nothing where none is known. */
static void put_hosts(struct bawn_buf *out, const json_t *hosts)
{
	size_t n = json_array_size(hosts);
	for (size_t i = 0; i < n && i < 8; i++) {
		bawn_buf_str(out, i == 0 ? ": " : ", ");
		bawn_buf_escaped(out, bawn_span(json_string_value(json_array_get(hosts, i))));
	}
	if (n > 8)
		bawn_buf_fmt(out, " and %zu more", n - 8);
}

void bawn_cli_limits_sentence(struct bawn_buf *out, const json_t *limits, const char *network, size_t n_inputs)
{
	const json_t *hosts = bawn_cli_at(limits, "network.hosts");
	bool none = hosts == NULL && (network == NULL || strcmp(network, "none") == 0);
	bawn_buf_str(out, none ? "no network, " : "network for ");
	if (!none) {
		bawn_buf_escaped(out, bawn_span(network != NULL ? network : "dependencies"));
		bawn_buf_str(out, " only");
		put_hosts(out, hosts);
		bawn_buf_str(out, ", ");
	}
	if (n_inputs == 0)
		bawn_buf_str(out, "none of your files, ");
	else
		bawn_buf_fmt(out, "of your files a copy of the %zu passed with --in, ", n_inputs);
	bawn_cli_put_about(out, bawn_cli_number(limits, "memory_bytes"));
	bawn_buf_str(out, " memory, ");
	bawn_cli_put_time(out, bawn_cli_number(limits, "timeout_ms"));
	const json_t *cpus = bawn_cli_at(limits, "cpus");
	bawn_buf_fmt(out, ", %g cpu", json_number_value(cpus));
	bawn_buf_str(out, json_number_value(cpus) > 1 ? "s" : "");
	put_count(out, bawn_cli_number(limits, "pids"), "process", "processes");
	bawn_buf_str(out, ", ");
	bawn_cli_put_about(out, bawn_cli_number(limits, "disk_bytes"));
	bawn_buf_str(out, " disk");
}

static struct bawn_span nth_line(struct bawn_span code, uint64_t line)
{
	const char *at = code.p, *end = code.p + code.n;
	for (uint64_t i = 1; at != NULL && at < end; i++) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *stop = nl != NULL ? nl : end;
		if (i == line)
			return (struct bawn_span){ at, (size_t)(stop - at) };
		at = nl != NULL ? nl + 1 : end;
	}
	return (struct bawn_span){ NULL, 0 };
}

/* The byte offset of the character with this number (from 0), at most text.n. */
static size_t offset_of(struct bawn_span text, uint64_t character)
{
	size_t at = 0;
	while (at < text.n && character-- > 0) {
		uint32_t c;
		size_t n = bawn_utf8_next(text, at, &c);
		at += n > 0 ? n : 1;
	}
	return at;
}

#define BEFORE 40   /* characters kept before the column of a long line */
#define SHOWN  100  /* characters of a line shown */
#define TAB    "    "

/* Code as it can be shown: tabs as blanks, everything else that a terminal would obey escaped. */
static void put_code(struct bawn_buf *out, struct bawn_span code)
{
	for (size_t at = 0; at < code.n;) {
		const char *tab = memchr(code.p + at, '\t', code.n - at);
		size_t n = tab != NULL ? (size_t)(tab - code.p) - at : code.n - at;
		bawn_buf_escaped(out, (struct bawn_span){ code.p + at, n });
		bawn_buf_str(out, tab != NULL ? TAB : "");
		at += n + (tab != NULL);
	}
}

static size_t code_width(struct bawn_span code)
{
	bawn_auto_buf shown = BAWN_BUF(16 * 1024);
	put_code(&shown, code);
	return bawn_cli_width(bawn_buf_span(&shown));
}

/* `column` and `end` are characters from 1; the end may lie beyond the line. */
static void put_code_line(struct bawn_buf *out, struct bawn_span line, uint64_t number, uint64_t column, uint64_t end)
{
	while (line.n > 0 && line.p[line.n - 1] == '\r')
		line.n--;
	uint64_t first = column > SHOWN - 20 ? column - BEFORE : 1;
	size_t from = offset_of(line, first - 1), to = offset_of(line, first - 1 + SHOWN);
	struct bawn_span shown = { line.p + from, to - from };
	size_t a = offset_of(shown, column - first), b = offset_of(shown, end - first);
	size_t dots = from > 0 ? 3 : 0, tildes = b > a ? code_width((struct bawn_span){ shown.p + a, b - a }) : 0;
	bawn_buf_fmt(out, "  %6" PRIu64 " | %s", number, from > 0 ? "..." : "");
	put_code(out, shown);
	bawn_buf_fmt(out, "%s\n", to < line.n ? "..." : "");
	bawn_buf_fmt(out, "         | %*s^", (int)(code_width((struct bawn_span){ shown.p, a }) + dots), "");
	for (size_t i = 1; i < tildes; i++)
		bawn_buf_char(out, '~');
	bawn_buf_char(out, '\n');
}

void bawn_cli_excerpt(struct bawn_buf *out, const json_t *place, struct bawn_span code)
{
	uint64_t line = bawn_cli_number(place, "line"), column = bawn_cli_number(place, "column");
	uint64_t end_line = bawn_cli_number(place, "end_line"), end = bawn_cli_number(place, "end_column");
	struct bawn_span text = line > 0 ? nth_line(code, line) : (struct bawn_span){ NULL, 0 };
	if (text.p == NULL || column == 0)
		return;
	if (end_line > line)
		end = UINT32_MAX;  /* to the end of the first line */
	put_code_line(out, text, line, column, end > column ? end : column + 1);
}

static void put_labelled(struct bawn_buf *out, const char *label, const char *text)
{
	if (*text == '\0')
		return;
	bawn_buf_fmt(out, "    %s", label);
	bawn_buf_escaped(out, bawn_span(text));
	bawn_buf_char(out, '\n');
}

void bawn_cli_finding(struct bawn_buf *out, const json_t *f, struct bawn_span code, bool colour)
{
	uint64_t line = bawn_cli_number(f, "line");
	const char *level = bawn_cli_text(f, "level"), *path = bawn_cli_text(f, "path");
	bawn_buf_str(out, "  ");
	bawn_cli_colour(out, level, colour, true);
	bawn_buf_escaped(out, bawn_span(level));
	bawn_cli_colour(out, level, colour, false);
	bawn_buf_char(out, ' ');
	bawn_buf_escaped(out, bawn_span(bawn_cli_text(f, "rule")));
	if (*path != '\0') {
		bawn_buf_str(out, " in ");
		bawn_buf_escaped(out, bawn_span(path));
	}
	if (line > 0)
		bawn_buf_fmt(out, " line %" PRIu64, line);
	if (bawn_cli_number(f, "cwe") > 0)
		bawn_buf_fmt(out, " (CWE-%" PRIu64 ")", bawn_cli_number(f, "cwe"));
	bawn_buf_str(out, ": ");
	bawn_buf_escaped(out, bawn_span(bawn_cli_text(f, "message")));
	bawn_buf_char(out, '\n');
	if (*path == '\0')
		bawn_cli_excerpt(out, f, code);
	put_labelled(out, "comes to: ", bawn_cli_text(f, "folded"));
	put_labelled(out, "why: ", bawn_cli_text(f, "why"));
	put_labelled(out, "fix: ", bawn_cli_text(f, "fix"));
}

void bawn_cli_score(struct bawn_buf *out, const json_t *doc, bool always)
{
	size_t i, n = 0;
	json_t *f;
	const char *strongest = bawn_cli_text(doc, "scoring.strongest");
	bool by_score = strcmp(bawn_cli_text(doc, "level"), strongest) != 0;
	if (*strongest == '\0' || bawn_cli_number(doc, "score") == 0 || (!always && !by_score))
		return;
	bawn_buf_fmt(out, "  score %" PRIu64 " = ", bawn_cli_number(doc, "score"));
	json_array_foreach(bawn_cli_at(doc, "findings"), i, f)
		if (bawn_cli_number(f, "score") > 0) {
			bawn_buf_str(out, n++ > 0 ? " + " : "");
			bawn_buf_escaped(out, bawn_span(bawn_cli_text(f, "rule")));
			bawn_buf_fmt(out, " %" PRIu64, bawn_cli_number(f, "score"));
		}
	bawn_buf_str(out, "; ");
	bawn_cli_cell(out, bawn_cli_at(doc, "scoring.thresholds"), BAWN_CLI_COUNTS);
	bawn_buf_fmt(out, "; strongest finding %s\n", strongest);
}
