/* sql.c - see sql.h.  No grammar: a few words of several databases are followed by a file or a command. */
#include "assess/sql.h"
#include <strings.h>
#include "base/cleanup.h"

/* `between`: other words may stand before the text, as in COPY t FROM '/x'. */
static const struct { const char *word; uint8_t what; bool between; } row[] = {
	{ "attach", BAWN_ACCESS_WRITE, false }, { "vacuum into", BAWN_ACCESS_WRITE, false }, { "vacuum main into", BAWN_ACCESS_WRITE, false },
	{ "into outfile", BAWN_ACCESS_WRITE, false }, { "into dumpfile", BAWN_ACCESS_WRITE, false }, { "writefile", BAWN_ACCESS_WRITE, false },
	{ "readfile", BAWN_ACCESS_READ, false }, { "load_file", BAWN_ACCESS_READ, false }, { "infile", BAWN_ACCESS_READ, false },
	{ "load_extension", BAWN_ACCESS_EXECUTE, false }, { "pg_read_file", BAWN_ACCESS_READ, false }, { "pg_read_binary_file", BAWN_ACCESS_READ, false },
	{ "pg_ls_dir", BAWN_ACCESS_LIST, false }, { "lo_import", BAWN_ACCESS_READ, false }, { "read_text", BAWN_ACCESS_READ, false },
	{ "read_csv", BAWN_ACCESS_READ, false }, { "read_blob", BAWN_ACCESS_READ, false }, { "read_json", BAWN_ACCESS_READ, false },
	{ "bulk insert", BAWN_ACCESS_READ, true },
	{ "to program", BAWN_SQL_RUN, false }, { "from program", BAWN_SQL_RUN, false }, { "xp_cmdshell", BAWN_SQL_RUN, false }, { "sys_exec", BAWN_SQL_RUN, false },
	{ "sys_eval", BAWN_SQL_RUN, false }, { "copy", BAWN_ACCESS_WRITE, true },
};
#define BETWEEN_MAX 200u

static bool is_letter(char c) { return c == '_' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= '0' && c <= '9'); }
static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The word of a row at t[at], with one blank or more for a blank; 0: it is not there. */
static size_t word_at(struct bawn_span t, size_t at, const char *word)
{
	size_t from = at;
	for (; *word != '\0'; word++) {
		if (*word == ' ') {
			size_t start = at;
			while (at < t.n && is_blank(t.p[at]))
				at++;
			if (at == start)
				return 0;
		} else if (at == t.n || (t.p[at++] | 0x20) != (*word | 0x20)) {
			return 0;
		}
	}
	return at < t.n && is_letter(t.p[at]) ? 0 : at - from;
}

/* The text that follows at t[*at], or what stands for one that comes separately. */
static bool text_at(struct bawn_span t, size_t *at, bool between, struct bawn_span *ret)
{
	size_t i = *at, most = between ? BETWEEN_MAX : 0;
	while (i < t.n && (is_blank(t.p[i]) || t.p[i] == '('))
		i++;
	size_t database = word_at(t, i, "database");
	for (i += database; i < t.n && (is_blank(t.p[i]) || (most > 0 && t.p[i] != '\'' && t.p[i] != ';')); i++)
		most -= most > 0 && !is_blank(t.p[i]);
	if (i == t.n)
		return false;
	char quote = t.p[i];
	*ret = (struct bawn_span){ NULL, 0 };
	*at = i;
	if (quote != '\'' && quote != '"')
		return !between && (quote == '?' || quote == ':' || quote == '@' || quote == '%' || quote == '$');
	const char *end = memchr(t.p + i + 1, quote, t.n - i - 1);
	if (end == NULL)
		return false;
	*ret = (struct bawn_span){ t.p + i + 1, (size_t)(end - t.p) - i - 1 };
	*at = (size_t)(end - t.p) + 1;
	return true;
}

/* COPY t FROM PROGRAM 'x', COPY t FROM '/x', COPY t TO '/x': what the word before the text says. */
static bool by_word_before(struct bawn_span t, size_t at, uint8_t *ret)
{
	static const struct { const char *word; uint8_t what; } before[] = {
		{ "program", BAWN_SQL_RUN }, { "from", BAWN_ACCESS_READ }, { "to", BAWN_ACCESS_WRITE },
	};
	while (at > 0 && is_blank(t.p[at - 1]))
		at--;
	for (size_t k = 0; k < BAWN_LEN(before); k++) {
		size_t n = strlen(before[k].word);
		if (at >= n && word_at((struct bawn_span){ t.p, at }, at - n, before[k].word) == n)
			return *ret = before[k].what, true;
	}
	return false;
}

bool bawn_sql_next(struct bawn_span t, size_t *at, struct bawn_sql_use *ret)
{
	for (size_t i = *at; i < t.n; i++) {
		if (i > 0 && is_letter(t.p[i - 1]))
			continue;
		for (size_t k = 0; k < BAWN_LEN(row); k++) {
			size_t n = word_at(t, i, row[k].word), end = i + n;
			if (n == 0 || !text_at(t, &end, row[k].between, &ret->text))
				continue;
			ret->what = row[k].what;
			if (row[k].between && !by_word_before(t, (size_t)(ret->text.p - t.p) - 1, &ret->what))
				continue;
			*at = end;
			return true;
		}
	}
	*at = t.n;
	return false;
}
