/* shelltext.c - see shelltext.h.  An attacker controls every byte. */
#include "parse/shelltext.h"
#include <stdlib.h>

struct plain { struct bawn_span text; char *out; bool here; size_t line; };  /* line: where it starts */

static char at(const struct plain *p, size_t i) { return i < p->text.n ? p->text.p[i] : '\0'; }
static bool is_blank(char c) { return c == ' ' || c == '\t'; }
static bool is_name(char c) { return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'); }

static void put(struct plain *p, size_t i, char c)
{
	if (p->out == NULL && (p->out = malloc(p->text.n)) != NULL)
		memcpy(p->out, p->text.p, p->text.n);
	if (p->out != NULL)
		p->out[i] = c;
}

static bool ends_with(const struct plain *p, size_t end, const char *word)
{
	size_t n = strlen(word);
	return end >= n && memcmp(p->text.p + end - n, word, n) == 0 && (end == n || !is_name(p->text.p[end - n - 1]));
}

static size_t skip_blanks_back(const struct plain *p, size_t i)
{
	while (i > 0 && is_blank(p->text.p[i - 1]))
		i--;
	return i;
}

/* `done <<<x`: a plain redirection for the grammar; the reader sees the three characters. */
static void here_string(struct plain *p, size_t i)
{
	size_t end = skip_blanks_back(p, i);
	char before = end > 0 ? p->text.p[end - 1] : '\0';
	if (before != '}' && before != ')' && !ends_with(p, end, "done") && !ends_with(p, end, "fi") && !ends_with(p, end, "esac"))
		return;
	put(p, i + 1, ' ');
	put(p, i + 2, ' ');
}

static bool starts_command(const struct plain *p, size_t i)
{
	size_t end = skip_blanks_back(p, i);
	return end == 0 || strchr("\n;|&(`", p->text.p[end - 1]) != NULL || ends_with(p, end, "do") || ends_with(p, end, "then");
}

/* {a,b} where a command starts is one word that the shell makes two of. */
static void braces(struct plain *p, size_t i)
{
	bool comma = false;
	size_t end = i;
	unsigned depth = 0;
	for (; end < p->text.n && end - i < 4096 && strchr(" \t\n;|&()<>`", p->text.p[end]) == NULL; end++) {
		comma = comma || p->text.p[end] == ',';
		depth += p->text.p[end] == '{';
		if (p->text.p[end] == '}' && --depth == 0)
			break;
	}
	if (!comma || depth > 0 || at(p, end) != '}' || !starts_command(p, i))
		return;
	for (size_t k = i; k <= end; k++)
		if ((p->text.p[k] == '{' && (k == i || p->text.p[k - 1] != '$')) || p->text.p[k] == '}')
			put(p, k, '_');
}

/* ${x:$n:${#y}}: offsets that are not plain names or numbers read like one. */
static void offsets(struct plain *p, size_t i)
{
	size_t k = i + 2;
	unsigned depth = 1;
	while (is_name(at(p, k)) || at(p, k) == '@' || at(p, k) == '*')
		k++;
	if (at(p, k) != ':' || at(p, k + 1) == '\0' || strchr("-=?+", at(p, k + 1)) != NULL)
		return;
	size_t end = k;
	for (; end < p->text.n && end - i < 256 && p->text.p[end] != '\n'; end++) {
		depth += p->text.p[end] == '{';
		if (p->text.p[end] == '}' && --depth == 0)
			break;
	}
	if (depth > 0 || memchr(p->text.p + k, '$', end - k) == NULL)
		return;
	for (; k < end; k++)
		if (strchr("${}#()!", p->text.p[k]) != NULL)
			put(p, k, '_');
}

/* `coproc NAME {`: what counts is the group. */
static void coproc(struct plain *p, size_t i)
{
	size_t end = i + 6;
	if (p->text.n - i < 8 || memcmp(p->text.p + i, "coproc", 6) != 0 || !is_blank(at(p, end)) || !starts_command(p, i))
		return;
	while (is_blank(at(p, end)))
		end++;
	while (is_name(at(p, end)))
		end++;
	while (is_blank(at(p, end)))
		end++;
	if (at(p, end) != '{' && at(p, end) != '(')
		return;
	for (size_t k = i; k < end; k++)
		put(p, k, ' ');
}

/* `cat <<E ||` with the rest after the here-document: the grammar would read the document as commands. */
static void trailing_operator(struct plain *p, size_t i)
{
	size_t end = i;
	while (end < p->text.n && p->text.p[end] != '\n')
		end++;
	end = skip_blanks_back(p, end);
	if (end < i + 4 || (memcmp(p->text.p + end - 2, "||", 2) != 0 && memcmp(p->text.p + end - 2, "&&", 2) != 0))
		return;
	put(p, end - 1, ' ');
	put(p, end - 2, ' ');
}

/* A word goes on after an escaped newline.  Not where a comment or a here-document could swallow what
 * follows. */
static void joined_line(struct plain *p, size_t i)
{
	char before = i > 0 ? p->text.p[i - 1] : ' ', after = at(p, i + 2);
	if (p->here || is_blank(before) || before == '\n' || before == '\\' || is_blank(after) || after == '\n' || after == '\0' ||
	    memchr(p->text.p + p->line, '#', i - p->line) != NULL || strchr(";|&()<>", before) != NULL || strchr(";|&()<>#", after) != NULL)
		return;
	put(p, i, '_');
	put(p, i + 1, '_');
}

char *bawn_shelltext_plain(struct bawn_span text)
{
	struct plain p = { .text = text };
	for (size_t i = 0; i + 1 < text.n; i++) {
		char c = text.p[i], next = text.p[i + 1];
		if (c == '\n')
			p.line = i + 1;
		else if (c == '<' && next == '>')
			put(&p, i + 1, ' ');
		else if (c == '<' && next == '<' && at(&p, i + 2) == '<')
			here_string(&p, i), i += 2;
		else if (c == '<' && next == '<')
			p.here = true, trailing_operator(&p, i);
		else if (c == '$' && next == '{')
			offsets(&p, i);
		else if (c == '{' && next != ' ' && next != '\n')
			braces(&p, i);
		else if (c == 'c' && next == 'o')
			coproc(&p, i);
		else if (c == '\\' && next == '\n')
			joined_line(&p, i);
		else if (c == '\\')
			i++;
	}
	return p.out;
}
